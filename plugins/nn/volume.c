// Attributes and geometry of three-dimensional windows: see volume.h.
#include "nn/volume.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void read_five(TF_OpKernelConstruction *ctx, const char *name, int64_t out[3]) {
  int64_t values[6] = {0};
  int count = dvp_attr_ints(ctx, name, values, 6);
  for (int i = 0; i < 3; i++) out[i] = 1;
  if (count != 5) {
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "%s must specify 5 dimensions, but has %d", name, count);
    return;
  }
  if (values[0] != 1 || values[4] != 1) {
    dvp_create_fail(ctx, TF_UNIMPLEMENTED,
                    "%s in the batch and depth dimensions must be 1, but are %" PRId64 " and %" PRId64, name,
                    values[0], values[4]);
    return;
  }
  for (int i = 0; i < 3; i++) {
    if (values[i + 1] >= 1)
      out[i] = values[i + 1];
    else
      dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "%s must be positive, but contain %" PRId64, name,
                      values[i + 1]);
  }
}

static void *create(TF_OpKernelConstruction *ctx, bool pool) {
  dvp_volume_attrs *attrs = dvp_state_new(ctx, sizeof(*attrs));
  char text[16];
  if (!attrs) return NULL;
  dvp_attr_string(ctx, "data_format", text, sizeof(text));
  if (strcmp(text, "NDHWC") != 0) {
    dvp_create_fail(ctx, TF_UNIMPLEMENTED, "data_format %s is not supported on the CPU; use NDHWC", text);
    return attrs;
  }
  dvp_attr_string(ctx, "padding", text, sizeof(text));
  attrs->same = strcmp(text, "SAME") == 0;
  for (int i = 0; i < 3; i++) attrs->dilation[i] = attrs->ksize[i] = 1;
  read_five(ctx, "strides", attrs->stride);
  if (pool)
    read_five(ctx, "ksize", attrs->ksize);
  else
    read_five(ctx, "dilations", attrs->dilation);
  return attrs;
}
void *dvp_volume_create(TF_OpKernelConstruction *ctx) { return create(ctx, false); }
void *dvp_volume_pool_create(TF_OpKernelConstruction *ctx) { return create(ctx, true); }
void dvp_volume_destroy(void *attrs) { free(attrs); }

bool dvp_volume_resolve(dvp_call *call, const dvp_volume_attrs *attrs, bool centred, dvp_volume *v) {
  for (int i = 0; i < 3; i++) {
    int64_t span, stride = v->stride[i] = attrs->stride[i];
    v->dilation[i] = attrs->dilation[i];
    if (__builtin_mul_overflow(v->k[i] - 1, v->dilation[i], &span))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "A dilated window of %" PRId64 " times %" PRId64 " is too large", v->k[i],
                      v->dilation[i]);
    span++;
    v->before[i] = 0;
    if (attrs->same) {
      v->out[i] = v->in[i] / stride + (v->in[i] % stride != 0);
      int64_t total = (v->out[i] - 1) * stride + span - v->in[i];
      v->before[i] = (centred ? total : DVP_MAX(0, total)) / 2;
      continue;
    }
    v->out[i] = (v->in[i] - span + stride) / stride;
    if (v->in[i] - span + stride < 0 || v->out[i] < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Computed output size would be negative: input %" PRId64 ", window %" PRId64
                      ", stride %" PRId64,
                      v->in[i], span, stride);
  }
  return true;
}

typedef struct lines_run {
  const dvp_volume *v;
  dvp_volume_lines lines;
  const void *a, *b;
  void *out;
} lines_run;

static void run_lines(void *arg, int64_t begin, int64_t end) {
  const lines_run *run = arg;
  run->lines(run->v, run->a, run->b, run->out, begin, end);
}

void dvp_volume_run(dvp_call *call, const dvp_volume *v, dvp_volume_lines lines, const int64_t dims[3],
                    double cost_of_line, const void *a, const void *b, void *out) {
  lines_run run = {v, lines, a, b, out};
  dvp_parallel(call, v->batch * dims[0] * dims[1],
               cost_of_line < 1e15 ? (int64_t)cost_of_line : (int64_t)1e15, run_lines, &run);
}
