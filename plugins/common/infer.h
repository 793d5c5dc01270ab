// Steps that shape functions of plugins are made of, over the public shape inference. Each works on handles
// from one small pool and stops at the first error: every step checks the status before it does anything, and
// answers NULL after a failure, so that a shape function is a list of steps without branches on errors.
#ifndef DOVETAIL_PLUGINS_COMMON_INFER_H_
#define DOVETAIL_PLUGINS_COMMON_INFER_H_

#include <stdbool.h>
#include <stdint.h>

#include "dovetail/shape.h"

#define DVP_INFER_HANDLES 48

typedef struct dvp_infer {
  TF_ShapeInferenceContext *ctx;
  TF_Status *status;
  TF_ShapeHandle *handles[DVP_INFER_HANDLES];
  TF_DimensionHandle *dims[DVP_INFER_HANDLES];
  int used, dims_used;
} dvp_infer;

// Defines shape function `name` around the body that follows, which works on `in`.
#define DVP_SHAPE_FN(name)                                      \
  static void name##_body(dvp_infer *in);                       \
  void name(TF_ShapeInferenceContext *ctx, TF_Status *status) { \
    dvp_infer in = {.ctx = ctx, .status = status};              \
    name##_body(&in);                                           \
    dvp_infer_end(&in);                                         \
  }                                                             \
  static void name##_body(dvp_infer *in)

static inline bool dvp_infer_fine(const dvp_infer *in) { return TF_GetCode(in->status) == TF_OK; }
void dvp_infer_end(dvp_infer *in);
// Puts a handle into the pool.
TF_ShapeHandle *dvp_infer_keep(dvp_infer *in, TF_ShapeHandle *handle);
TF_DimensionHandle *dvp_infer_keep_dim(dvp_infer *in, TF_DimensionHandle *dim);
TF_ShapeHandle *dvp_infer_new(dvp_infer *in);

// The shape of input i; of rank `rank`; of rank 1 or more; of rank `rank` or less.
TF_ShapeHandle *dvp_infer_input(dvp_infer *in, int i);
TF_ShapeHandle *dvp_infer_ranked(dvp_infer *in, int i, int rank);
TF_ShapeHandle *dvp_infer_rows(dvp_infer *in, int i);
TF_ShapeHandle *dvp_infer_at_most(dvp_infer *in, int i, int rank);
// The shape that input i spells; a scalar says that it is unknown, which it does by the value -1.
TF_ShapeHandle *dvp_infer_spelled(dvp_infer *in, int i);
// Without the first dimension; one after the other; what both have in common.
TF_ShapeHandle *dvp_infer_tail(dvp_infer *in, TF_ShapeHandle *shape);
TF_ShapeHandle *dvp_infer_join(dvp_infer *in, TF_ShapeHandle *a, TF_ShapeHandle *b);
TF_ShapeHandle *dvp_infer_merge(dvp_infer *in, TF_ShapeHandle *a, TF_ShapeHandle *b);
void dvp_infer_check(dvp_infer *in, TF_ShapeHandle *a, TF_ShapeHandle *b);
// Shapes of known rank; -1 is an unknown dimension.
TF_ShapeHandle *dvp_infer_vector(dvp_infer *in, int64_t size);
TF_ShapeHandle *dvp_infer_matrix(dvp_infer *in, int64_t rows, int64_t columns);
TF_ShapeHandle *dvp_infer_unknown(dvp_infer *in);
// The attribute, 0 after a failure.
int64_t dvp_infer_attr_int(dvp_infer *in, const char *name);

void dvp_infer_output(dvp_infer *in, int i, TF_ShapeHandle *shape);
void dvp_infer_output_scalar(dvp_infer *in, int i);

#endif  // DOVETAIL_PLUGINS_COMMON_INFER_H_
