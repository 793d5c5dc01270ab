// Window geometry: see window.h.
#include "nn/window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/strided.h"

static bool has_attr(TF_OpKernelConstruction *ctx, const char *name) {
  TF_Status *status = TF_NewStatus();
  bool has = TF_OpKernelConstruction_HasAttr(ctx, name, status);
  TF_DeleteStatus(status);
  return has;
}

// Reads a list of four by data format into [height, width]; the others must be 1.
static void read_four(TF_OpKernelConstruction *ctx, const char *name, bool nchw, int64_t out[2]) {
  int64_t values[5] = {0};
  out[0] = out[1] = 1;
  if (!has_attr(ctx, name)) return;
  int count = dvp_attr_ints(ctx, name, values, 5), h = nchw ? 2 : 1, c = nchw ? 1 : 3;
  if (count != 4) {
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "%s must specify 4 dimensions, but has %d", name, count);
    return;
  }
  if (values[0] != 1 || values[c] != 1) {
    dvp_create_fail(ctx, TF_UNIMPLEMENTED,
                    "%s in the batch and depth dimensions must be 1, but are %" PRId64 " and %" PRId64, name,
                    values[0], values[c]);
    return;
  }
  if (values[h] < 1 || values[h + 1] < 1) {
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "%s must be positive, but are %" PRId64 " and %" PRId64, name,
                    values[h], values[h + 1]);
    return;
  }
  out[0] = values[h];
  out[1] = values[h + 1];
}

static void read_explicit(TF_OpKernelConstruction *ctx, dvp_window_attrs *out) {
  int64_t values[9] = {0};
  int count = has_attr(ctx, "explicit_paddings") ? dvp_attr_ints(ctx, "explicit_paddings", values, 9) : 0;
  bool explicit = out->padding == DVP_PADDING_EXPLICIT;
  if (count != (explicit ? 8 : 0)) {
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "explicit_paddings must have %d values with this padding, but has %d", explicit ? 8 : 0,
                    count);
    return;
  }
  int h = out->nchw ? 2 : 1, c = out->nchw ? 1 : 3;
  if (values[0] || values[1] || values[2 * c] || values[2 * c + 1])
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "explicit_paddings of the batch and depth dimensions must be 0");
  for (int i = 0; i < 2; i++) {
    out->before[i] = values[2 * (h + i)];
    out->after[i] = values[2 * (h + i) + 1];
    if (out->before[i] < 0 || out->after[i] < 0)
      dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "All elements of explicit_paddings must be nonnegative");
  }
}

void dvp_window_attrs_read(TF_OpKernelConstruction *ctx, bool pool, dvp_window_attrs *out) {
  char text[16];
  dvp_attr_string(ctx, "data_format", text, sizeof(text));
  out->nchw = strcmp(text, "NCHW") == 0;
  if (!out->nchw && strcmp(text, "NHWC") != 0)
    dvp_create_fail(ctx, TF_UNIMPLEMENTED, "data_format %s is not supported on the CPU; use NHWC or NCHW",
                    text);
  dvp_attr_string(ctx, "padding", text, sizeof(text));
  out->padding = strcmp(text, "SAME") == 0       ? DVP_PADDING_SAME
                 : strcmp(text, "EXPLICIT") == 0 ? DVP_PADDING_EXPLICIT
                                                 : DVP_PADDING_VALID;
  read_four(ctx, "strides", out->nchw, out->stride);
  read_four(ctx, "dilations", out->nchw, out->dilation);
  out->ksize[0] = out->ksize[1] = 1;
  if (pool) read_four(ctx, "ksize", out->nchw, out->ksize);
  read_explicit(ctx, out);
}

bool dvp_window_resolve(dvp_call *call, const dvp_window_attrs *attrs, dvp_window *w) {
  for (int i = 0; i < 2; i++) {
    w->stride[i] = attrs->stride[i];
    w->dilation[i] = attrs->dilation[i];
    int64_t span, room = w->in[i];
    if (__builtin_mul_overflow(w->k[i] - 1, w->dilation[i], &span))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "A dilated window of %" PRId64 " times %" PRId64 " is too large", w->k[i],
                      w->dilation[i]);
    span++;
    w->before[i] = w->after[i] = 0;
    if (attrs->padding == DVP_PADDING_SAME) {
      w->out[i] = w->in[i] / w->stride[i] + (w->in[i] % w->stride[i] != 0);
      int64_t total = DVP_MAX(0, (w->out[i] - 1) * w->stride[i] + span - w->in[i]);
      w->before[i] = total / 2;
      w->after[i] = total - total / 2;
      continue;
    }
    if (attrs->padding == DVP_PADDING_EXPLICIT) {
      w->before[i] = attrs->before[i];
      w->after[i] = attrs->after[i];
      if (__builtin_add_overflow(room, w->before[i], &room) ||
          __builtin_add_overflow(room, w->after[i], &room))
        return dvp_fail(call, TF_INVALID_ARGUMENT, "explicit_paddings are too large");
    }
    w->out[i] = (room - span + w->stride[i]) / w->stride[i];
    if (w->out[i] < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Computed output size would be negative: %" PRId64 " [input_size: %" PRId64
                      ", effective_filter_size: %" PRId64 ", stride: %" PRId64 "]",
                      w->out[i], w->in[i], span, w->stride[i]);
  }
  return true;
}

void dvp_window_dims(const dvp_window_attrs *attrs, const dvp_view *view, int64_t out[4]) {
  out[0] = view->dims[0];
  out[1] = view->dims[attrs->nchw ? 2 : 1];
  out[2] = view->dims[attrs->nchw ? 3 : 2];
  out[3] = view->dims[attrs->nchw ? 1 : 3];
}

void dvp_window_shape(const dvp_window_attrs *attrs, const dvp_window *w, int64_t out[4]) {
  int h = attrs->nchw ? 2 : 1;
  out[0] = w->batch;
  out[h] = w->out[0];
  out[h + 1] = w->out[1];
  out[attrs->nchw ? 1 : 3] = w->out_channels;
}

// Moves the channels: from [n, hw, c] to [n, c, hw] or back.
static void move_channels(dvp_call *call, TF_DataType dtype, int64_t n, int64_t rows, int64_t columns,
                          const void *data, void *out) {
  dvp_box box = {.rank = 0};
  dvp_box_add(&box, n, rows * columns, rows * columns);
  dvp_box_add(&box, columns, 1, rows);
  dvp_box_add(&box, rows, columns, 1);
  dvp_box_copy(call, &box, dtype, data, out);
}

void *dvp_to_nhwc(dvp_call *call, TF_DataType dtype, const int64_t d[4], const void *data,
                  TF_Tensor **out_scratch) {
  void *out = dvp_temp(call, (size_t)dvp_product(d, 0, 4) * TF_DataTypeSize(dtype), out_scratch);
  if (out) move_channels(call, dtype, d[0], d[3], d[1] * d[2], data, out);
  return out;
}

void dvp_from_nhwc(dvp_call *call, TF_DataType dtype, const int64_t d[4], const void *data, void *out) {
  move_channels(call, dtype, d[0], d[1] * d[2], d[3], data, out);
}
