// What the two makers of op definitions (builder specs in op_def_builder.c, serialised OpDefs in
// op_def_proto.c) share: the rules of a valid definition. Errors are collected as lines in a dvt_buf, so that
// one message names them all.
#ifndef DVT_OP_OP_DEF_CHECK_H_
#define DVT_OP_OP_DEF_CHECK_H_

#include "op/op_def.h"

// An argument with its attrs still named, as specs and protos give it.
typedef struct dvt_arg_spec {
  dvt_str name, type_attr, number_attr, type_list_attr;  // empty = none
  int dtype;                                             // 0 = none; refs (> 100) are refused
  bool is_ref;
} dvt_arg_spec;

// Appends one line.
void dvt_spec_error(dvt_buf *errors, const char *format, ...) DVT_PRINTF(2, 3) DVT_COLD;

// Begins another error; false when there are too many.
bool dvt_spec_error_begin(dvt_buf *errors);
// Adds the spec on a line, and one below that marks `part` of it; a `part` with NULL data is the beginning.
void dvt_spec_point(dvt_buf *errors, dvt_str spec, dvt_str part);
// The text of the default in an attr spec; empty when there is none.
dvt_str dvt_spec_default_text(dvt_str spec);

// Where a definition was made of specs: gives the one that a name points into.
typedef struct dvt_spec_locator {
  dvt_str (*spec_of)(const void *arg, const char *name);
  const void *arg;
} dvt_spec_locator;

// CamelCase names, optionally with namespaces "Ns>Name"; names that start with '_' are internal and free
// (rule 49).
void dvt_op_def_check_name(dvt_str name, dvt_buf *errors);
// Attrs of the op: names, minimum, allowed values, defaults (rules 58, 64).
// `locator` NULL: there are no specs to show.
void dvt_op_def_check_attrs(const dvt_op_def *op, const dvt_spec_locator *locator, dvt_buf *errors);
// Turns attr names into indexes and checks the combination (rules 61-63). *out_arg is filled only without
// error.
bool dvt_op_def_resolve_arg(const dvt_op_def *op, const dvt_arg_spec *spec, bool is_output, dvt_buf *errors,
                            dvt_arg_def *out_arg);
// Inputs, outputs and attrs share one name space (rule 64).
void dvt_op_def_check_unique_names(const dvt_op_def *op, const dvt_spec_locator *locator, dvt_buf *errors);
// "attr type" as text: "list(type)".
const char *dvt_attr_def_type_name(const dvt_attr_def *attr);
// An INVALID_ARGUMENT error with the collected lines (the buf is emptied), or NULL when there are none.
dvt_status dvt_spec_errors_to_status(dvt_buf *errors) DVT_NODISCARD;

#endif  // DVT_OP_OP_DEF_CHECK_H_
