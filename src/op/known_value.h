// Values of small tensors as far as they are known before anything runs: numbers, and dims that stay symbols
// through shape arithmetic. Shape functions ask for them through the hooks of their context; graphs (known at
// every node added) and inference over whole graphs compute them with the one function here.
#ifndef DVT_OP_KNOWN_VALUE_H_
#define DVT_OP_KNOWN_VALUE_H_

#include "op/shape_inference.h"

enum { DVT_VALUE_MAX_COUNT = 256, DVT_VALUE_MAX_RANK = 4 };

// known: an integer, a bool, or the bits of a double. Else `value` is the symbol (< 0) of the dim it is, or
// 0.
typedef struct dvt_element {
  int64_t value;
  bool known;
} dvt_element;

typedef struct dvt_value {
  int32_t dtype, rank, count;
  int32_t dims[DVT_VALUE_MAX_RANK];
  dvt_element at[];
} dvt_value;

// What is known of a node's inputs.
typedef struct dvt_value_inputs {
  dvt_shape (*shape)(void *arg, int index);
  const dvt_value *(*value)(void *arg, int index);  // NULL: nothing
  void *arg;
} dvt_value_inputs;

// Can values of this dtype be followed? int32, int64, bool, float, double.
bool dvt_value_has_dtype(int dtype);
// Whether the op is one that dvt_value_compute knows.
bool dvt_value_op_is_known(const dvt_op_def *op);
// The value of output `output`, whose shape is `shape`, in `arena`; NULL when nothing is known of it or
// memory is out. Symbols are made in `symbols`.
const dvt_value *dvt_value_compute(dvt_arena *arena, dvt_shape_arena *symbols, const dvt_node_def *node,
                                   int output, dvt_shape shape, const dvt_value_inputs *inputs);
// All elements unknown; NULL when it is too large, of another dtype, or memory is out.
dvt_value *dvt_value_new(dvt_arena *arena, int dtype, const int64_t *dims, int rank);
// NULL for too many elements, other dtypes, out of memory.
const dvt_value *dvt_value_of_tensor(dvt_arena *arena, const TF_Tensor *tensor);
// Into an empty tensor; false when an element is not known or does not fit its dtype.
bool dvt_value_to_tensor(const dvt_value *value, TF_Tensor *out);
// The shape that a vector of sizes spells, or the scalar -1 (unknown rank); false if it spells none. -1 and
// what is not known become new symbols.
bool dvt_value_to_shape(const dvt_value *value, dvt_shape_arena *symbols, dvt_shape *out_shape);

#endif  // DVT_OP_KNOWN_VALUE_H_
