// Conv2D's driver: geometry, choice of the code that computes it, data formats.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv.h"

typedef struct conv_state {
  dvp_window_attrs attrs;
  dvp_conv_cache *cache;
} conv_state;

void *dvp_conv2d_create(TF_OpKernelConstruction *ctx) {
  conv_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  dvp_window_attrs_read(ctx, false, &state->attrs);
  state->cache = dvp_conv_cache_new();
  if (!state->cache) dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for a convolution's state");
  return state;
}

void dvp_conv2d_destroy(void *arg) {
  conv_state *state = arg;
  if (!state) return;
  dvp_conv_cache_delete(state->cache);
  free(state);
}

static bool geometry(dvp_call *call, const dvp_window_attrs *attrs, const dvp_view *in,
                     const dvp_view *filter, dvp_window *w) {
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  int64_t dims[4];
  if (in->rank != 4 || filter->rank != 4)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "input and filter must be 4-dimensional, but are %s and %s",
                    dvp_shape_text(in->dims, in->rank, ta), dvp_shape_text(filter->dims, filter->rank, tb));
  dvp_window_dims(attrs, in, dims);
  *w = (dvp_window){.batch = dims[0],
                    .in = {dims[1], dims[2]},
                    .channels = dims[3],
                    .k = {filter->dims[0], filter->dims[1]},
                    .group_channels = filter->dims[2],
                    .out_channels = filter->dims[3]};
  if (filter->count == 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "filter must not have zero elements (i.e. all dimensions must be non-zero): %s",
                    dvp_shape_text(filter->dims, filter->rank, tb));
  if (w->channels % w->group_channels != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "input depth must be evenly divisible by filter depth: %" PRId64 " vs %" PRId64,
                    w->channels, w->group_channels);
  w->groups = w->channels / w->group_channels;
  if (w->groups == 0 || w->out_channels % w->groups != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "output depth %" PRId64 " must be evenly divisible by number of groups: %" PRId64,
                    w->out_channels, w->groups);
  return dvp_window_resolve(call, attrs, w);
}

typedef struct rows_run {
  const dvp_window *w;
  dvp_conv_rows rows;
  const void *in, *filter;
  void *out;
} rows_run;

static void run_rows(void *arg, int64_t begin, int64_t end) {
  const rows_run *run = arg;
  run->rows(run->w, run->in, run->filter, run->out, begin, end);
}

typedef struct pad_run {
  const dvp_window *w;
  const float *in;
  float *out;
  int64_t padded[2];
} pad_run;

static void pad_rows(void *arg, int64_t begin, int64_t end) {
  const pad_run *run = arg;
  const dvp_window *w = run->w;
  int64_t width = run->padded[1] * w->channels, row = w->in[1] * w->channels;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t n = unit / run->padded[0], h = unit % run->padded[0] - w->before[0];
    float *out = run->out + unit * width;
    if (h < 0 || h >= w->in[0]) {
      memset(out, 0, (size_t)width * sizeof(float));
      continue;
    }
    memset(out, 0, (size_t)(w->before[1] * w->channels) * sizeof(float));
    memcpy(out + w->before[1] * w->channels, run->in + (n * w->in[0] + h) * row, (size_t)row * sizeof(float));
    memset(out + w->before[1] * w->channels + row, 0, (size_t)(w->after[1] * w->channels) * sizeof(float));
  }
}

const float *dvp_pad_image(dvp_call *call, dvp_window *w, const float *in, TF_Tensor **out_scratch) {
  pad_run run = {.w = w, .in = in};
  int64_t dims[4] = {w->batch, 0, 0, w->channels}, count, bytes;
  for (int i = 0; i < 2; i++) dims[i + 1] = run.padded[i] = w->before[i] + w->in[i] + w->after[i];
  if (!dvp_count(call, dims, 4, &count)) return NULL;
  if (__builtin_mul_overflow(count, (int64_t)sizeof(float), &bytes)) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "A padded image of %" PRId64 " elements is too large", count);
    return NULL;
  }
  run.out = dvp_temp(call, (size_t)bytes, out_scratch);
  if (!run.out) return NULL;
  dvp_parallel(call, w->batch * run.padded[0], run.padded[1] * w->channels * 300, pad_rows, &run);
  for (int i = 0; i < 2; i++) {
    w->in[i] = run.padded[i];
    w->before[i] = w->after[i] = 0;
  }
  return run.out;
}

static void compute_nhwc(dvp_call *call, conv_state *state, const dvp_conv_kernel *kernel,
                         const dvp_window *w, const void *in, const void *filter, void *out,
                         const dvp_conv_paths *paths) {
  if (kernel->fast && paths->is_signal(w)) {
    paths->signal(call, w, in, filter, out);
    return;
  }
  if (kernel->fast) {
    dvp_conv_answer answer =
        dvp_conv_onednn(call, state->cache, w, in, filter, dvt_input_is_stable(call->ctx, 1), out);
    if (answer != DVP_CONV_NOT_SUITED) return;
    if (w->groups == 1) {
      paths->narrow(call, w, in, filter, out);
      return;
    }
  }
  rows_run run = {w, kernel->rows, in, filter, out};
  double cost = (double)w->out[1] * (double)w->out_channels *
                (double)(w->k[0] * w->k[1] * w->group_channels) * kernel->ps_per_mac;
  dvp_parallel(call, w->batch * w->out[0], cost < 1e15 ? (int64_t)cost : (int64_t)1e15, run_rows, &run);
}

void dvp_conv2d_run(void *arg, TF_OpKernelContext *ctx, const dvp_conv_kernel *kernel,
                    const dvp_conv_paths *paths) {
  conv_state *state = arg;
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view in, filter;
  dvp_window w;
  if (dvp_input(&call, 0, &in) && dvp_input(&call, 1, &filter) &&
      geometry(&call, &state->attrs, &in, &filter, &w)) {
    int64_t dims[4], nhwc_in[4], nhwc_out[4] = {w.batch, w.out[0], w.out[1], w.out_channels};
    dvp_window_shape(&state->attrs, &w, dims);
    void *out = dvp_output(&call, 0, dims, 4);
    bool swap = state->attrs.nchw;
    if (out && dvp_product(dims, 0, 4) > 0 && in.count == 0) {
      memset(out, 0, (size_t)dvp_product(dims, 0, 4) * TF_DataTypeSize(in.dtype));
    } else if (out && dvp_product(dims, 0, 4) > 0) {
      TF_Tensor *scratch_in = NULL, *scratch_out = NULL;
      dvp_window_dims(&state->attrs, &in, nhwc_in);
      const void *from = swap ? dvp_to_nhwc(&call, in.dtype, nhwc_in, in.data, &scratch_in) : in.data;
      void *to =
          !swap  ? out
          : from ? dvp_temp(&call, (size_t)dvp_product(dims, 0, 4) * TF_DataTypeSize(in.dtype), &scratch_out)
                 : NULL;
      if (from && to) compute_nhwc(&call, state, kernel, &w, from, filter.data, to, paths);
      if (from && to && swap) dvp_from_nhwc(&call, in.dtype, nhwc_out, to, out);
      dvp_free_temp(scratch_in);
      dvp_free_temp(scratch_out);
    }
  }
  TF_DeleteStatus(call.status);
}
