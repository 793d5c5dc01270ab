// The steps of window_grad.h.
#include "nn/window_grad.h"

#include <inttypes.h>
#include <string.h>

static void *create(TF_OpKernelConstruction *ctx, bool pool) {
  dvp_window_attrs *attrs = dvp_state_new(ctx, sizeof(*attrs));
  if (attrs) dvp_window_attrs_read(ctx, pool, attrs);
  return attrs;
}
void *dvp_window_grad_create(TF_OpKernelConstruction *ctx) { return create(ctx, false); }
void *dvp_pool_grad_create(TF_OpKernelConstruction *ctx) { return create(ctx, true); }

bool dvp_window_sizes(dvp_call *call, int index, const char *what, int64_t out[4]) {
  int rank, count;
  if (!dvp_input_ints(call, index, what, out, 4, &rank, &count)) return false;
  if (rank != 1 || count != 4)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be a vector of 4 elements, but has %d", what, count);
  for (int i = 0; i < 4; i++)
    if (out[i] < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "%s[%d] is negative: %" PRId64, what, i, out[i]);
  return true;
}

bool dvp_window_rank(dvp_call *call, const dvp_view *view, const char *what) {
  char text[DVP_SHAPE_TEXT];
  return view->rank == 4 || dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be 4-dimensional, but is %s", what,
                                     dvp_shape_text(view->dims, view->rank, text));
}

bool dvp_window_grad_resolve(dvp_call *call, const dvp_window_attrs *attrs, const dvp_view *grad,
                             const char *what, dvp_window *w) {
  int64_t wanted[4];
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_window_rank(call, grad, what) || !dvp_window_resolve(call, attrs, w)) return false;
  dvp_window_shape(attrs, w, wanted);
  return memcmp(wanted, grad->dims, sizeof(wanted)) == 0 ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "%s must have the shape of the output, %s, but has %s", what,
                  dvp_shape_text(wanted, 4, ta), dvp_shape_text(grad->dims, 4, tb));
}

const void *dvp_window_nhwc(dvp_call *call, const dvp_window_attrs *attrs, const dvp_view *view,
                            TF_Tensor **out_scratch) {
  int64_t nhwc[4];
  *out_scratch = NULL;
  if (!attrs->nchw) return view->data;
  dvp_window_dims(attrs, view, nhwc);
  return dvp_to_nhwc(call, view->dtype, nhwc, view->data, out_scratch);
}

void *dvp_window_target(dvp_call *call, const dvp_window_attrs *attrs, TF_DataType dtype,
                        const int64_t nhwc[4], void *out, TF_Tensor **out_scratch) {
  *out_scratch = NULL;
  if (!attrs->nchw) return out;
  return dvp_temp(call, (size_t)dvp_product(nhwc, 0, 4) * TF_DataTypeSize(dtype), out_scratch);
}

void dvp_window_finish(dvp_call *call, const dvp_window_attrs *attrs, TF_DataType dtype,
                       const int64_t nhwc[4], const void *target, void *out) {
  if (attrs->nchw) dvp_from_nhwc(call, dtype, nhwc, target, out);
}
