// Scatter* and ScatterNd* on variables, behind handles and behind references. The variable is locked while
// its value changes in place; what does not fit is refused before anything is written.
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/scatter.h"
#include "state/variable.h"
#include "tensorflow/c/kernels_experimental.h"

// `nd`: the last dimension of the indices holds coordinates; else each index is a row.
static bool scatter_locked(dvp_call *call, dvp_scatter_op op, bool nd, bool ignore_bad) {
  TF_Tensor *variable = NULL;
  dvp_view indices, updates;
  dvp_places places = {0};
  int64_t dims[DVP_MAX_RANK];
  if (!dvp_input(call, 1, &indices) || !dvp_input(call, 2, &updates)) return false;
  TF_GetInputTensorFromVariable(call->ctx, 0, true, false, true, dvp_copy_tensor, &variable, call->status);
  if (!dvp_ok(call)) return false;
  int rank = TF_NumDims(variable);
  for (int i = 0; i < rank; i++) dims[i] = TF_Dim(variable, i);
  bool fine = TF_TensorType(variable) == updates.dtype ||
              dvp_fail(call, TF_INVALID_ARGUMENT, "The variable has dtype %d, the updates have dtype %d",
                       TF_TensorType(variable), updates.dtype);
  fine = fine && (nd ? dvp_places_nd(call, dims, rank, &indices, &updates, ignore_bad, &places)
                     : dvp_places_rows(call, dims, rank, &indices, &updates, &places));
  fine = fine && dvp_scatter(call, op, &places, &updates, TF_TensorData(variable));
  dvp_places_free(&places);
  TF_DeleteTensor(variable);
  return fine;
}

static void scatter(dvp_call *call, dvp_scatter_op op, bool nd, bool ignore_bad) {
  TF_VariableInputLockHolder *lock = NULL;
  const int input = 0;
  TF_MaybeLockVariableInputMutexesInOrder(call->ctx, true, true, &input, 1, dvp_copy_tensor, &lock,
                                          call->status);
  if (!dvp_ok(call)) return;
  if (scatter_locked(call, op, nd, ignore_bad))
    TF_OpKernelContext_ForwardRefInputToRefOutput(call->ctx, 0, 0);
  TF_ReleaseVariableInputLockHolder(lock);
}

#define ROWS(name, op)                    \
  DVP_COMPUTE(scatter_##name##_compute) { \
    (void)state;                          \
    scatter(call, op, false, false);      \
  }
#define COORDINATES(name, op) \
  DVP_COMPUTE(scatter_nd_##name##_compute) { scatter(call, op, true, dvp_ignores_bad_indices(state)); }
ROWS(update, DVP_SCATTER_UPDATE)
ROWS(add, DVP_SCATTER_ADD)
ROWS(sub, DVP_SCATTER_SUB)
ROWS(mul, DVP_SCATTER_MUL)
ROWS(div, DVP_SCATTER_DIV)
ROWS(min, DVP_SCATTER_MIN)
ROWS(max, DVP_SCATTER_MAX)
COORDINATES(update, DVP_SCATTER_UPDATE)
COORDINATES(add, DVP_SCATTER_ADD)
COORDINATES(sub, DVP_SCATTER_SUB)
COORDINATES(min, DVP_SCATTER_MIN)
COORDINATES(max, DVP_SCATTER_MAX)

DVP_DEFINE_ANY(resource_scatter_update, NULL, NULL, scatter_update_compute);
DVP_DEFINE_ANY(scatter_update, NULL, NULL, scatter_update_compute);
DVP_DEFINE_ANY(scatter_nd_update, dvp_bad_indices_create, free, scatter_nd_update_compute);

#define SUMMABLE(X, ...) DVP_NUMBERS(X, __VA_ARGS__) X(b, __VA_ARGS__)
#define ORDERED(X, ...) DVP_FLOATS(X, __VA_ARGS__) DVP_INDICES(X, __VA_ARGS__)
#define SCATTER_SET(set, name, attr, LIST)                             \
  static const dvp_kernel set##_rows[] = {LIST(DVP_SHARED_ROW, name)}; \
  DVP_DEFINE_SET(set, attr, NULL, NULL, set##_rows);
SCATTER_SET(resource_scatter_add, scatter_add, "dtype", DVP_NUMBERS)
SCATTER_SET(resource_scatter_sub, scatter_sub, "dtype", DVP_NUMBERS)
SCATTER_SET(resource_scatter_mul, scatter_mul, "dtype", DVP_NUMBERS)
SCATTER_SET(resource_scatter_div, scatter_div, "dtype", DVP_NUMBERS)
SCATTER_SET(resource_scatter_min, scatter_min, "dtype", DVP_REALS)
SCATTER_SET(resource_scatter_max, scatter_max, "dtype", DVP_REALS)
SCATTER_SET(scatter_add, scatter_add, "T", DVP_NUMBERS)
SCATTER_SET(scatter_sub, scatter_sub, "T", DVP_NUMBERS)
SCATTER_SET(scatter_mul, scatter_mul, "T", DVP_NUMBERS)
SCATTER_SET(scatter_div, scatter_div, "T", DVP_NUMBERS)
SCATTER_SET(scatter_min, scatter_min, "T", ORDERED)
SCATTER_SET(scatter_max, scatter_max, "T", ORDERED)
#define SCATTER_ND_SET(name, LIST)                                      \
  static const dvp_kernel name##_rows[] = {LIST(DVP_SHARED_ROW, name)}; \
  DVP_DEFINE_SET(name, "T", dvp_bad_indices_create, free, name##_rows);
SCATTER_ND_SET(scatter_nd_add, SUMMABLE)
SCATTER_ND_SET(scatter_nd_sub, SUMMABLE)
SCATTER_ND_SET(scatter_nd_min, DVP_REALS)
SCATTER_ND_SET(scatter_nd_max, DVP_REALS)
