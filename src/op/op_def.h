// Op definitions: the parsed form of an OpDef, made once from the builder's specs or from a serialised OpDef
// and immutable after that. All memory belongs to the arena of whoever holds it (registry, function library).
#ifndef DVT_OP_OP_DEF_H_
#define DVT_OP_OP_DEF_H_

#include <stdatomic.h>

#include "base/arena.h"
#include "op/attr.h"
#include "tensorflow/c/ops.h"

typedef struct dvt_plugin dvt_plugin;  // plugin/plugin.h; only the pointer is needed here
typedef struct dvt_load dvt_load;      // op/load_record.h
struct dvt_kernel_list;                // kernel/registry_internal.h

// Of an OpDef that comes from a file: nodes and arguments look attrs up one by one.
#define DVT_MAX_OP_ATTRS 1024

typedef struct dvt_arg_def {
  dvt_str name;
  int16_t dtype;           // fixed dtype, or 0 when an attr gives it
  int16_t type_attr;       // index into attrs, or -1: single dtype (of N elements with number_attr)
  int16_t number_attr;     // index into attrs, or -1
  int16_t type_list_attr;  // index into attrs, or -1
  bool is_ref;
} dvt_arg_def;

typedef struct dvt_attr_def {
  dvt_str name;
  dvt_str default_value;  // serialised AttrValue, len 0 = none (has_default says)
  dvt_str allowed;        // serialised AttrValue holding list(type) or list(string), len 0 = anything
  int64_t minimum;
  int8_t kind;  // TF_AttrType of the value or of its elements
  bool is_list, has_default, has_minimum;
} dvt_attr_def;

typedef void (*dvt_shape_fn)(TF_ShapeInferenceContext *ctx, TF_Status *status);

// What lookups read comes first.
typedef struct dvt_op_def {
  dvt_str name;
  dvt_load *load;  // in which load of the plugin; NULL = registered by the host program
  _Atomic(struct dvt_kernel_list *) *kernels;  // as kernel/registry.c found them; NULL except in clones
  dvt_arg_def *inputs, *outputs;
  dvt_attr_def *attrs;
  int16_t input_count, output_count, attr_count;
  bool is_stateful, is_commutative, is_aggregate, allows_uninitialized_input;
  int32_t deprecated_since;  // GraphDef version, 0 = not deprecated
  dvt_str deprecation_text;
  dvt_shape_fn shape_fn;  // NULL = none registered
  dvt_plugin *plugin;     // who registered it; NULL = host program
  const struct dvt_op_def *older_of_load;
  dvt_str extra;  // OpDef bytes of fields kept but not interpreted: summary, description, ...
} dvt_op_def;

// -1 when absent.
int dvt_op_def_find_attr(const dvt_op_def *op, dvt_str name);
int dvt_op_def_find_input(const dvt_op_def *op, dvt_str name);
int dvt_op_def_find_output(const dvt_op_def *op, dvt_str name);

// Serialised OpDef <-> dvt_op_def. Parsing validates everything op_def_util checks (rules 49-66) and reports
// all errors of the op joined by newlines. `bytes` must outlive the result unless copied into the arena
// first.
dvt_status dvt_op_def_from_proto(dvt_str bytes, dvt_arena *arena, const dvt_op_def **out_op) DVT_NODISCARD;
// As above for the signature of a FunctionDef: any name, and an output may be called like an input.
dvt_status dvt_op_def_from_signature(dvt_str bytes, dvt_arena *arena,
                                     const dvt_op_def **out_op) DVT_NODISCARD;
void dvt_op_def_to_proto(const dvt_op_def *op, dvt_buf *out);
// A deep copy in one block of the arena, every string NUL-terminated; NULL when out of memory.
const dvt_op_def *dvt_op_def_clone(const dvt_op_def *op, dvt_arena *arena) DVT_NODISCARD;
// Is `value` legal for the attr: kind, minimum, allowed values (rules 58, 71)? INVALID_ARGUMENT with stock's
// wording.
dvt_status dvt_attr_def_check_value(const dvt_attr_def *attr, dvt_str value) DVT_NODISCARD;
// "Op<name=MatMul; signature=a:T, b:T -> product:T; attr=...>" as stock's messages show it.
void dvt_op_def_describe(const dvt_op_def *op, dvt_buf *out);

#endif  // DVT_OP_OP_DEF_H_
