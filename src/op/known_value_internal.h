// Between known_value.c (what moves elements) and known_value_math.c (what computes with them).
#ifndef DVT_OP_KNOWN_VALUE_INTERNAL_H_
#define DVT_OP_KNOWN_VALUE_INTERNAL_H_

#include "op/known_value.h"

typedef struct dvt_value_query {
  dvt_arena *arena;
  dvt_shape_arena *symbols;
  const dvt_node_def *node;
  int output;
  dvt_shape shape;
  const dvt_value_inputs *inputs;
} dvt_value_query;

typedef const dvt_value *(*dvt_value_fn)(const dvt_value_query *q);

// Input `i`, all elements unknown where nothing but its shape is known; NULL when that is not known either.
const dvt_value *dvt_value_operand(const dvt_value_query *q, int i);
// As dvt_value_new for the node's output.
dvt_value *dvt_value_result(const dvt_value_query *q);
// The output where it has the shape of this input.
dvt_value *dvt_value_result_like(const dvt_value_query *q, const dvt_value *operand);
// The one element of input `i`, when it has one and that is a known integer.
bool dvt_value_scalar(const dvt_value_query *q, int i, int64_t *out);

static inline bool dvt_value_is_real(int dtype) { return dtype == TF_FLOAT || dtype == TF_DOUBLE; }
static inline double dvt_element_real(dvt_element e) {
  double real;
  memcpy(&real, &e.value, sizeof real);
  return real;
}
static inline dvt_element dvt_element_of_int(int64_t value) { return (dvt_element){value, true}; }
static inline dvt_element dvt_element_of_dim(dvt_dim dim) { return (dvt_element){dim, dvt_dim_known(dim)}; }
static inline dvt_element dvt_element_unknown(void) { return (dvt_element){0, false}; }
// Rounded to the dtype.
dvt_element dvt_element_of_real(double real, int dtype);
// Is it a size: a number from 0 on, or a dim's symbol?
static inline bool dvt_element_is_dim(dvt_element e) { return e.known ? e.value >= 0 : e.value < 0; }

const dvt_value *dvt_value_binary(const dvt_value_query *q);
const dvt_value *dvt_value_unary(const dvt_value_query *q);
const dvt_value *dvt_value_cast(const dvt_value_query *q);
const dvt_value *dvt_value_reduce(const dvt_value_query *q);
const dvt_value *dvt_value_select(const dvt_value_query *q);
const dvt_value *dvt_value_broadcast_args(const dvt_value_query *q);

#endif  // DVT_OP_KNOWN_VALUE_INTERNAL_H_
