// Tokens of the protocol buffers text format, and positions in a text for error messages (JSON uses those
// too).
#ifndef DVT_BASE_TEXT_LEXER_H_
#define DVT_BASE_TEXT_LEXER_H_

#include "base/buf.h"
#include "base/status.h"

typedef enum dvt_token_kind {
  DVT_TOKEN_END,
  DVT_TOKEN_NAME,    // letters, digits, underscores
  DVT_TOKEN_NUMBER,  // starts with a digit or '.'; no sign
  DVT_TOKEN_STRING,  // one quoted piece, quotes included
  DVT_TOKEN_SIGN,    // any other single character
  DVT_TOKEN_BAD,     // a string that does not end on its line
} dvt_token_kind;

typedef struct dvt_lexer {
  const char *what;  // names the text in errors
  dvt_str text;
  size_t next;  // where the token after the current one is looked for
  dvt_token_kind kind;
  dvt_str token;  // the current one; empty at the end
} dvt_lexer;

void dvt_lexer_open(dvt_lexer *lexer, dvt_str text, const char *what);  // the current token is the first
void dvt_lexer_advance(dvt_lexer *lexer);
bool dvt_lexer_is_sign(const dvt_lexer *lexer, char c);
// INVALID_ARGUMENT "what:line:column: <message>", at the current token.
dvt_status dvt_lexer_error(const dvt_lexer *lexer, const char *format, ...)
    DVT_PRINTF(2, 3) DVT_NODISCARD DVT_COLD;
// Takes the current run of string tokens, unescaped, into *out.
dvt_status dvt_lexer_take_string(dvt_lexer *lexer, dvt_buf *out) DVT_NODISCARD;

// INVALID_ARGUMENT "WHAT:LINE:COLUMN: " and the message, for offset `at` of the text.
dvt_status dvt_text_error(const char *what, dvt_str text, size_t at, const char *format,
                          va_list args) DVT_NODISCARD;
// Line and column (from 1, in bytes) of an offset.
void dvt_text_position(dvt_str text, size_t offset, int *out_line, int *out_column);
// A code point as UTF-8.
void dvt_text_put_utf8(dvt_buf *out, uint32_t code);

#endif  // DVT_BASE_TEXT_LEXER_H_
