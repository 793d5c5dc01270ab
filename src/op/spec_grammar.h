// The grammar of the strings given to TF_OpDefinitionBuilderAddAttr, AddInput and AddOutput (semantics rules
// 50-63).
//   attr    := NAME ":" type [">=" INT] ["=" default]
//   type    := base | "list(" base ")"
//   base    := string | int | float | bool | type | shape | tensor | func | numbertype | numerictype
//            | quantizedtype | realnumbertype | "{" dtype-or-set, ... "}" | "{" 'text', ... "}"
//   default := the value in proto text style: 1, 1.5, true, 'x', DT_FLOAT, { dim { size: 2 } }, [..] for
//   lists arg     := name ":" ["Ref("] [N "*"] dtype-or-attr [")"]
// attr_grammar.c parses attrs, attr_default.c their defaults, arg_grammar.c inputs and outputs, spec_quoted.c
// strings; spec_error.c shows what is wrong.
#ifndef DVT_OP_SPEC_GRAMMAR_H_
#define DVT_OP_SPEC_GRAMMAR_H_

#include "base/nearest.h"
#include "op/op_def_check.h"

typedef struct dvt_spec_context {
  dvt_str op_name;
  dvt_arena *arena;  // results that are not part of the spec text
  dvt_buf *errors;   // each as dvt_spec_fail writes it
  dvt_buf *scratch;  // free to overwrite
} dvt_spec_context;

// A spec being read, and what an error of it may say.
typedef struct dvt_spec_parser {
  dvt_spec_context *context;
  const char *kind;  // "Attr", "Input", "Output"
  dvt_str orig, rest;
  dvt_nearest nearest;  // names that may have been meant
  const char *hint;     // a sentence, or NULL
} dvt_spec_parser;
// Adds an error about `part` of the spec: what the format says, " from Attr("...") for Op X", hint and names,
// and the spec with the part marked. False always.
bool dvt_spec_fail(dvt_spec_parser *parser, dvt_str part, const char *format, ...) DVT_PRINTF(3, 4) DVT_COLD;
// The word, or else the character, that the text begins with.
dvt_str dvt_spec_word(dvt_str text);
// The character at which a name and its colon end too early.
dvt_str dvt_spec_bad_name(dvt_str spec, bool (*first)(char), bool (*next)(char));
// Offers all names of dtypes and of sets of them.
void dvt_spec_offer_dtypes(dvt_nearest *nearest);

// False: an error was added. Names and the like point into `spec`.
bool dvt_spec_parse_attr(dvt_spec_context *context, dvt_str spec, dvt_attr_def *out_attr);
// Needs the op's attrs; gives attrs used as lengths or type lists their default minimum of 1 (rule 59).
bool dvt_spec_parse_arg(dvt_spec_context *context, dvt_str spec, bool is_output, dvt_op_def *op,
                        dvt_arg_def *out_arg);
// Parses the text of a default into attr->default_value.
bool dvt_spec_parse_default(dvt_spec_context *context, dvt_str text, dvt_attr_def *attr);

// Scanner: each consumes from the front of *rest and is false, consuming nothing, when it does not match.
static inline bool dvt_scan_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool dvt_scan_is_lower(char c) { return c >= 'a' && c <= 'z'; }
static inline bool dvt_scan_is_letter(char c) { return dvt_scan_is_lower(c) || (c >= 'A' && c <= 'Z'); }
static inline bool dvt_scan_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool dvt_scan_is_lower_word(char c) {
  return dvt_scan_is_lower(c) || dvt_scan_is_digit(c) || c == '_';
}
static inline bool dvt_scan_is_word(char c) {
  return dvt_scan_is_letter(c) || dvt_scan_is_digit(c) || c == '_';
}

static inline void dvt_scan_space(dvt_str *rest) {
  while (rest->len && dvt_scan_is_space(rest->data[0])) *rest = dvt_str_drop(*rest, 1);
}
static inline bool dvt_scan_literal(dvt_str *rest, dvt_str literal) {
  if (!dvt_str_starts_with(*rest, literal)) return false;
  *rest = dvt_str_drop(*rest, literal.len);
  return true;
}
// `first` then any number of `next`; then spaces.
static inline bool dvt_scan_name(dvt_str *rest, bool (*first)(char), bool (*next)(char), dvt_str *out_name) {
  if (rest->len == 0 || !first(rest->data[0])) return false;
  size_t n = 1;
  while (n < rest->len && next(rest->data[n])) n++;
  *out_name = dvt_str_make(rest->data, n);
  *rest = dvt_str_drop(*rest, n);
  dvt_scan_space(rest);
  return true;
}
// NAME ":" with spaces around the colon.
static inline bool dvt_scan_name_colon(dvt_str *rest, bool (*first)(char), bool (*next)(char),
                                       dvt_str *out_name) {
  dvt_str after = *rest, name;
  if (!dvt_scan_name(&after, first, next, &name) || !dvt_scan_literal(&after, DVT_STR(":"))) return false;
  dvt_scan_space(&after);
  *rest = after;
  *out_name = name;
  return true;
}
// WORD spaces "(" spaces.
static inline bool dvt_scan_open(dvt_str *rest, dvt_str word) {
  dvt_str after = *rest;
  if (!dvt_scan_literal(&after, word)) return false;
  dvt_scan_space(&after);
  if (!dvt_scan_literal(&after, DVT_STR("("))) return false;
  dvt_scan_space(&after);
  *rest = after;
  return true;
}
// 'text' or "text", then spaces; gives the raw text between the quotes.
bool dvt_scan_quoted(dvt_str *rest, dvt_str *out_text);
// Appends the text with its C escapes resolved. NULL, or what is wrong with it.
const char *dvt_spec_unescape(dvt_str text, dvt_buf *out);
// Spec names of dtypes, with the "_ref" forms that must be recognised to be refused (rule 62).
bool dvt_spec_dtype_from_name(dvt_str name, int *out_dtype);

#endif  // DVT_OP_SPEC_GRAMMAR_H_
