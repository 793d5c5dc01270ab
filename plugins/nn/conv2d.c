// The driver of Conv2D, DepthwiseConv2dNative and their fused forms: geometry, choice of the code that
// computes it, data formats.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv.h"

typedef struct conv_state {
  dvp_window_attrs attrs;
  dvp_conv_cache *cache;
  dvp_keeper filter, factors;  // the packed filter; what a batch normalisation comes to
  bool depthwise, fused;
  dvp_fusion fusion;
} conv_state;

static void *create(TF_OpKernelConstruction *ctx, bool depthwise, bool fused) {
  conv_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  dvp_keeper_init(&state->filter);
  dvp_keeper_init(&state->factors);
  state->depthwise = depthwise;
  state->fused = fused;
  dvp_window_attrs_read(ctx, false, &state->attrs);
  if (fused) dvp_fusion_read(ctx, &state->fusion);
  state->cache = dvp_conv_cache_new();
  if (!state->cache) dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for a convolution's state");
  return state;
}

void *dvp_conv2d_create(TF_OpKernelConstruction *ctx) { return create(ctx, false, false); }
void *dvp_depthwise_create(TF_OpKernelConstruction *ctx) { return create(ctx, true, false); }
void *dvp_fused_depthwise_create(TF_OpKernelConstruction *ctx) { return create(ctx, true, true); }
void *dvp_fused_conv2d_create(TF_OpKernelConstruction *ctx) {
  char format[16];
  dvp_attr_string(ctx, "filter_format", format, sizeof(format));
  if (strcmp(format, "HWIO") != 0)
    dvp_create_fail(ctx, TF_UNIMPLEMENTED, "filter_format %s is not supported on the CPU; use HWIO", format);
  return create(ctx, false, true);
}

void dvp_conv2d_destroy(void *arg) {
  conv_state *state = arg;
  if (!state) return;
  dvp_conv_cache_delete(state->cache);
  dvp_keeper_deinit(&state->filter);
  dvp_keeper_deinit(&state->factors);
  free(state);
}

// Groups of a Conv2D with a filter of fewer input channels.
static bool set_groups(dvp_call *call, const dvp_view *filter, dvp_window *w) {
  char text[DVP_SHAPE_TEXT];
  w->group_channels = filter->dims[2];
  w->out_channels = filter->dims[3];
  if (filter->count == 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "filter must not have zero elements (i.e. all dimensions must be non-zero): %s",
                    dvp_shape_text(filter->dims, filter->rank, text));
  if (w->channels % w->group_channels != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "input depth must be evenly divisible by filter depth: %" PRId64 " vs %" PRId64,
                    w->channels, w->group_channels);
  w->groups = w->channels / w->group_channels;
  return (w->groups != 0 && w->out_channels % w->groups == 0) ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "output depth %" PRId64 " must be evenly divisible by number of groups: %" PRId64,
                  w->out_channels, w->groups);
}

static bool set_depthwise(dvp_call *call, const dvp_view *filter, dvp_window *w) {
  w->groups = w->channels;
  w->group_channels = 1;
  if (w->channels != filter->dims[2])
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "input and filter must have the same depth: %" PRId64 " vs %" PRId64, w->channels,
                    filter->dims[2]);
  return !__builtin_mul_overflow(w->channels, filter->dims[3], &w->out_channels) ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "The result would have more channels than fit in 64 bits");
}

static bool geometry(dvp_call *call, const conv_state *state, const dvp_view *in, const dvp_view *filter,
                     dvp_window *w) {
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  int64_t dims[4];
  if (in->rank != 4 || filter->rank != 4)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "input and filter must be 4-dimensional, but are %s and %s",
                    dvp_shape_text(in->dims, in->rank, ta), dvp_shape_text(filter->dims, filter->rank, tb));
  dvp_window_dims(&state->attrs, in, dims);
  *w = (dvp_window){.batch = dims[0],
                    .in = {dims[1], dims[2]},
                    .channels = dims[3],
                    .k = {filter->dims[0], filter->dims[1]}};
  return (state->depthwise ? set_depthwise : set_groups)(call, filter, w) &&
         dvp_window_resolve(call, &state->attrs, w);
}

typedef struct rows_run {
  const dvp_window *w;
  dvp_conv_rows rows;
  const void *in, *filter;
  void *out;
  const dvp_epilogue *after;
  dvp_epilogue_apply apply;
} rows_run;

static void run_rows(void *arg, int64_t begin, int64_t end) {
  const rows_run *run = arg;
  run->rows(run->w, run->in, run->filter, run->out, begin, end);
  if (run->after)
    run->apply(run->after, run->out, begin * run->w->out[1], end * run->w->out[1], 0, run->w->out_channels);
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

// The summand moved out of the result's memory, where code that does not add to the result would overwrite
// it.
static bool save_side(dvp_call *call, dvp_epilogue *after, const void *out, size_t bytes,
                      TF_Tensor **out_scratch) {
  if (!after || after->side != out) return true;
  void *copy = dvp_temp(call, bytes, out_scratch);
  if (copy) after->side = memcpy(copy, out, bytes);
  return copy != NULL;
}

static void compute_plain(dvp_call *call, const dvp_conv_kernel *kernel, const dvp_window *w, const void *in,
                          const void *filter, const dvp_epilogue *after, void *out,
                          const dvp_conv_paths *paths) {
  bool signal = kernel->fast && paths->is_signal(w);
  if (signal || (kernel->fast && w->groups == 1)) {
    bool fine = (signal ? paths->signal : paths->narrow)(call, w, in, filter, out);
    if (fine && after) dvp_epilogue_run(call, after, kernel->apply, out, w->batch * w->out[0] * w->out[1]);
    return;
  }
  rows_run run = {w, kernel->rows, in, filter, out, after, kernel->apply};
  double cost = (double)w->out[1] * (double)w->out_channels *
                (double)(w->k[0] * w->k[1] * w->group_channels) * kernel->ps_per_mac;
  dvp_parallel(call, w->batch * w->out[0], cost < 1e15 ? (int64_t)cost : (int64_t)1e15, run_rows, &run);
}

// `after` NULL: none.
static void compute_nhwc(dvp_call *call, conv_state *state, const dvp_conv_kernel *kernel,
                         const dvp_window *w, const void *in, const void *filter, dvp_epilogue *after,
                         size_t bytes, void *out, const dvp_conv_paths *paths) {
  if (kernel->fast && !paths->is_signal(w)) {
    const dvp_packed_code *code = paths->packed();
    dvp_conv_answer answer =
        code ? dvp_conv_packed(call, &state->filter, code, w, in, filter, after, kernel->apply, out)
             : dvp_conv_onednn(call, state->cache, w, in, filter, dvt_input_is_stable(call->ctx, 1), after,
                               kernel->apply, out);
    if (answer != DVP_CONV_NOT_SUITED) return;
  }
  TF_Tensor *scratch = NULL;
  if (save_side(call, after, out, bytes, &scratch))
    compute_plain(call, kernel, w, in, filter, after, out, paths);
  dvp_free_temp(scratch);
}

// A convolution without input or filter elements is zero before what comes after it.
static void compute_zero(dvp_call *call, const dvp_conv_kernel *kernel, dvp_epilogue *after, size_t bytes,
                         int64_t pixels, void *out) {
  TF_Tensor *scratch = NULL;
  if (save_side(call, after, out, bytes, &scratch)) {
    memset(out, 0, bytes);
    if (after) dvp_epilogue_run(call, after, kernel->apply, out, pixels);
  }
  dvp_free_temp(scratch);
}

// NCHW is computed in NHWC scratch memory.
static void compute(dvp_call *call, conv_state *state, const dvp_conv_kernel *kernel, const dvp_window *w,
                    const dvp_view *in, const dvp_view *filter, dvp_epilogue *after, void *out,
                    const dvp_conv_paths *paths) {
  int64_t nhwc_in[4], nhwc[4] = {w->batch, w->out[0], w->out[1], w->out_channels};
  int64_t count = dvp_product(nhwc, 0, 4);
  size_t bytes = (size_t)count * TF_DataTypeSize(in->dtype);
  if (count == 0) return;
  bool swap = state->attrs.nchw, empty = in->count == 0 || filter->count == 0;
  TF_Tensor *scratch_in = NULL, *scratch_out = NULL, *scratch_side = NULL;
  const void *from = in->data;
  void *to = out;
  dvp_window_dims(&state->attrs, in, nhwc_in);
  if (swap && !empty) from = dvp_to_nhwc(call, in->dtype, nhwc_in, in->data, &scratch_in);
  if (swap && from) to = dvp_temp(call, bytes, &scratch_out);
  if (swap && to && after && after->side)
    after->side = dvp_to_nhwc(call, in->dtype, nhwc, after->side, &scratch_side);
  bool side_is_there = !state->fusion.add || (after && after->side);
  if (from && to && side_is_there) {
    if (empty)
      compute_zero(call, kernel, after, bytes, w->batch * w->out[0] * w->out[1], to);
    else
      compute_nhwc(call, state, kernel, w, from, filter->data, after, bytes, to, paths);
    if (swap) dvp_from_nhwc(call, in->dtype, nhwc, to, out);
  }
  dvp_free_temp(scratch_in);
  dvp_free_temp(scratch_out);
  dvp_free_temp(scratch_side);
}

void dvp_conv2d_run(void *arg, TF_OpKernelContext *ctx, const dvp_conv_kernel *kernel,
                    const dvp_conv_paths *paths) {
  conv_state *state = arg;
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view in, filter;
  dvp_window w;
  dvp_epilogue after = {.scratch = NULL};
  if (dvp_input(&call, 0, &in) && dvp_input(&call, 1, &filter) && geometry(&call, state, &in, &filter, &w)) {
    int64_t dims[4], nhwc[4] = {w.batch, w.out[0], w.out[1], w.out_channels};
    dvp_window_shape(&state->attrs, &w, dims);
    bool fine = !state->fused ||
                dvp_epilogue_open(&call, &state->fusion, in.dtype, nhwc, 4, dims, &state->factors, &after);
    // The summand's memory becomes the result's where nobody else needs it, unless the result is scaled
    // first.
    bool may_share = !state->attrs.nchw && after.side && after.side != in.data && !after.scale;
    int over = may_share ? dvp_fusion_add_input(&state->fusion) : -1;
    void *out = fine ? dvp_output_over(&call, over, -1, 0, dims, 4) : NULL;
    if (out) compute(&call, state, kernel, &w, &in, &filter, state->fused ? &after : NULL, out, paths);
    dvp_epilogue_close(&after);
  }
  TF_DeleteStatus(call.status);
}
