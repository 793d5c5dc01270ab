// A cursor over JSON text: tokens, members, skipping, errors with line and column. json_parse.c reads
// messages of a known schema through it; readers of other JSON walk the text with it and hand the messages
// inside to dvt_json_take_message.
#ifndef DVT_BASE_JSON_READER_H_
#define DVT_BASE_JSON_READER_H_

#include "base/schema.h"

typedef struct dvt_json {
  const char *what;  // names the text in errors
  dvt_str text;
  size_t at;
  int depth;            // of open objects and arrays
  bool ignore_unknown;  // dvt_json_take_message passes over fields its schema does not have
  dvt_buf name, scratch;
} dvt_json;

// {.what, .text} with the rest zero is ready to use; release with dvt_json_deinit.
void dvt_json_deinit(dvt_json *json);

// INVALID_ARGUMENT "what:line:column: <message>" at an offset of the text.
dvt_status dvt_json_error(const dvt_json *json, size_t at, const char *format, ...)
    DVT_PRINTF(3, 4) DVT_NODISCARD DVT_COLD;

// The next character that is not space, 0 at the end; it is not taken.
char dvt_json_peek(dvt_json *json);
bool dvt_json_take(dvt_json *json, char c);
bool dvt_json_take_word(dvt_json *json, const char *word);                    // true, false, null
dvt_status dvt_json_take_string(dvt_json *json, dvt_buf *out) DVT_NODISCARD;  // unescaped, replaces *out
dvt_str dvt_json_take_number(dvt_json *json);                                 // empty when there is none

// Walking objects and arrays: `open` once, then `next` until it gives false, which takes the closing bracket.
// Name the thing that is read in `kind`, for errors. Depth is limited.
dvt_status dvt_json_open(dvt_json *json, char bracket, const char *kind) DVT_NODISCARD;
// A member's name in *out_name (valid until the next call that takes a name), the cursor at its value.
dvt_status dvt_json_next_member(dvt_json *json, bool *first, bool *out_more, dvt_str *out_name) DVT_NODISCARD;
dvt_status dvt_json_next_item(dvt_json *json, bool *first, bool *out_more) DVT_NODISCARD;
dvt_status dvt_json_skip(dvt_json *json) DVT_NODISCARD;    // any value
dvt_status dvt_json_finish(dvt_json *json) DVT_NODISCARD;  // nothing but space is left

// The object at the cursor as a message of `schema`, appended to *out as wire bytes (proto3 mapping).
dvt_status dvt_json_take_message(dvt_json *json, const dvt_schema *schema, dvt_buf *out) DVT_NODISCARD;

#endif  // DVT_BASE_JSON_READER_H_
