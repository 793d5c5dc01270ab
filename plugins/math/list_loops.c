// AddN, ClipByValue, Cumsum, Range and LinSpace: the ops with more than two inputs or a recurrence.
#include <inttypes.h>
#include <stdlib.h>
#include <tgmath.h>

#include "common/elementwise.h"
#include "dovetail/object.h"

// ---- AddN: pairwise passes over blocks, the sum staying in the cache ----

#define ADD_BLOCK 1024

typedef struct add_run {
  const void **inputs;
  int count;
  char *out;
} add_run;

#define ADD_N(t, op)                                                      \
  static void op##_##t##_range(void *arg, int64_t begin, int64_t end) {   \
    const add_run *run = arg;                                             \
    dvp_##t *out = (dvp_##t *)run->out;                                   \
    DVP_ARITH_##t sum[ADD_BLOCK];                                         \
    for (int64_t i = begin; i < end; i += ADD_BLOCK) {                    \
      int64_t n = DVP_MIN(ADD_BLOCK, end - i);                            \
      const dvp_##t *first = (const dvp_##t *)run->inputs[0] + i;         \
      for (int64_t k = 0; k < n; k++) sum[k] = DVP_LOAD_##t(first[k]);    \
      for (int j = 1; j < run->count; j++) {                              \
        const dvp_##t *in = (const dvp_##t *)run->inputs[j] + i;          \
        for (int64_t k = 0; k < n; k++) sum[k] += DVP_LOAD_##t(in[k]);    \
      }                                                                   \
      for (int64_t k = 0; k < n; k++) out[i + k] = DVP_STORE_##t(sum[k]); \
    }                                                                     \
  }                                                                       \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {  \
    (void)state;                                                          \
    add_n_run(ctx, op##_##t##_range);                                     \
  }

static void add_n_run(TF_OpKernelContext *ctx, void (*range)(void *, int64_t, int64_t)) {
  dvp_call call = {ctx, TF_NewStatus()};
  int count = TF_NumInputs(ctx);
  const void **inputs = malloc((size_t)DVP_MAX(count, 1) * sizeof(*inputs));
  dvp_view first, in;
  bool fine = inputs ? dvp_input(&call, 0, &first) : dvp_fail(&call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  if (fine) inputs[0] = first.data;
  for (int i = 1; fine && i < count; i++) {
    char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
    if (!(fine = dvp_input(&call, i, &in))) break;
    inputs[i] = in.data;
    if (!dvp_same_shape(&first, &in))
      fine =
          dvp_fail(&call, TF_INVALID_ARGUMENT,
                   "Inputs to operation AddN must have the same size and shape. Input 0: %s != input %d: %s",
                   dvp_shape_text(first.dims, first.rank, ta), i, dvp_shape_text(in.dims, in.rank, tb));
  }
  if (fine) {
    add_run run = {inputs, count, dvp_output_over(&call, 0, count > 1 ? 1 : -1, 0, first.dims, first.rank)};
    if (run.out) dvp_parallel(&call, first.count, (int64_t)DVP_CHEAP * count, range, &run);
  }
  free(inputs);
  TF_DeleteStatus(call.status);
}

DVP_NUMBERS(ADD_N, add_n)

// sums[0] becomes the sum of all n: pairs, then pairs of sums, and so on; what is left over goes to the
// first. That is stock's order for variants, so that rounding is the same.
static void add_in_pairs(dvp_call *call, TF_Tensor *sums, int64_t n) {
  for (int64_t skip = 1; skip < n && TF_GetCode(call->status) == TF_OK; skip *= 2) {
    int64_t i = skip;
    for (; i < n && TF_GetCode(call->status) == TF_OK; i += 2 * skip)
      dvt_object_add(call->ctx, sums, i - skip, sums, i - skip, sums, i, call->status);
    if (i != n || TF_GetCode(call->status) != TF_OK) continue;
    dvt_object_add(call->ctx, sums, 0, sums, 0, sums, i - skip, call->status);
    n -= skip;
  }
}

// Element `at` of every input becomes sums[k].
static bool gather_objects(dvp_call *call, TF_Tensor *sums, int64_t at, int64_t count) {
  for (int k = 0; k < TF_NumInputs(call->ctx) && TF_GetCode(call->status) == TF_OK; k++) {
    TF_Tensor *x = NULL;
    TF_GetInput(call->ctx, k, &x, call->status);
    if (TF_GetCode(call->status) == TF_OK && TF_TensorElementCount(x) != count)
      TF_SetStatus(call->status, TF_INVALID_ARGUMENT, "Inputs to operation AddN must have the same shape");
    if (TF_GetCode(call->status) == TF_OK) dvt_object_share(sums, k, x, at, call->status);
    TF_DeleteTensor(x);
  }
  return TF_GetCode(call->status) == TF_OK;
}

static void add_objects(dvp_call *call, TF_Tensor *to, int64_t count) {
  int64_t n = TF_NumInputs(call->ctx);
  TF_Tensor *sums = TF_AllocateTemp(call->ctx, TF_VARIANT, &n, 1, NULL, call->status);
  for (int64_t i = 0; sums && i < count && gather_objects(call, sums, i, count); i++) {
    add_in_pairs(call, sums, n);
    if (TF_GetCode(call->status) == TF_OK) dvt_object_share(to, i, sums, 0, call->status);
  }
  TF_DeleteTensor(sums);
}

DVP_COMPUTE(add_n_variants) {
  (void)state;
  dvp_view first;
  if (!dvp_input(call, 0, &first)) return;
  TF_Tensor *to = TF_AllocateOutput(call->ctx, 0, TF_VARIANT, first.dims, first.rank, 0, call->status);
  if (to) add_objects(call, to, first.count);
  TF_DeleteTensor(to);
  dvp_ok(call);
}

static const dvp_kernel add_n_rows[] = {DVP_NUMBERS(DVP_ROW, add_n)
                                            DVP_KERNEL_ROW(TF_VARIANT, add_n_variants, add_n_variants)};
DVP_DEFINE_SET(add_n, "T", NULL, NULL, add_n_rows);

// ---- ClipByValue: bounds are scalars, or tensors of the shape of t ----

typedef struct clip_run {
  const void *in, *low, *high;
  void *out;
  int low_step, high_step;
} clip_run;

static void clip_compute(TF_OpKernelContext *ctx, void (*range)(void *, int64_t, int64_t)) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view in, low, high;
  if (dvp_input(&call, 0, &in) && dvp_input(&call, 1, &low) && dvp_input(&call, 2, &high)) {
    bool fits =
        (low.count == 1 || dvp_same_shape(&in, &low)) && (high.count == 1 || dvp_same_shape(&in, &high));
    if (!fits) {
      dvp_fail(&call, TF_INVALID_ARGUMENT,
               "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar");
    } else {
      clip_run run = {in.data,
                      low.data,
                      high.data,
                      dvp_output_over(&call, 0, -1, 0, in.dims, in.rank),
                      dvp_same_shape(&in, &low),
                      dvp_same_shape(&in, &high)};
      if (run.out) dvp_parallel(&call, in.count, DVP_MEDIUM, range, &run);
    }
  }
  TF_DeleteStatus(call.status);
}
#define CLIP(t, op)                                                                          \
  static void op##_##t##_range(void *arg, int64_t begin, int64_t end) {                      \
    const clip_run *run = arg;                                                               \
    const dvp_##t *in = run->in, *low = run->low, *high = run->high;                         \
    dvp_##t *out = run->out;                                                                 \
    for (int64_t i = begin; i < end; i++) {                                                  \
      const DVP_ARITH_##t x = DVP_LOAD_##t(in[i]), l = DVP_LOAD_##t(low[i * run->low_step]), \
                          h = DVP_LOAD_##t(high[i * run->high_step]);                        \
      const DVP_ARITH_##t most = x > h ? h : x;                                              \
      out[i] = DVP_STORE_##t(most < l ? l : most);                                           \
    }                                                                                        \
  }                                                                                          \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {                     \
    (void)state;                                                                             \
    clip_compute(ctx, op##_##t##_range);                                                     \
  }
#define CLIP_TYPES(X, ...) \
  DVP_FLOATS(X, __VA_ARGS__) DVP_SIGNED(X, __VA_ARGS__) X(u8, __VA_ARGS__) X(u16, __VA_ARGS__)
CLIP_TYPES(CLIP, clip)
static const dvp_kernel clip_rows[] = {CLIP_TYPES(DVP_ROW, clip)};
DVP_DEFINE_SET(clip, "T", NULL, NULL, clip_rows);

// ---- Cumsum ----

typedef struct cumsum_state {
  bool exclusive, reverse;
} cumsum_state;

static void *cumsum_create(TF_OpKernelConstruction *ctx) {
  cumsum_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->exclusive = dvp_attr_bool(ctx, "exclusive");
  state->reverse = dvp_attr_bool(ctx, "reverse");
  return state;
}
static void cumsum_destroy(void *state) { free(state); }

// Units are rows of `inner` elements that run side by side through `length` steps.
typedef struct cumsum_run {
  const cumsum_state *options;
  const void *in;
  void *out;
  int64_t length, inner;
} cumsum_run;

static void cumsum_compute(const cumsum_state *state, TF_OpKernelContext *ctx,
                           void (*range)(void *, int64_t, int64_t)) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view in;
  int64_t axis;
  if (dvp_input(&call, 0, &in) && dvp_input_int(&call, 1, "axis", &axis)) {
    if (axis < -in.rank || axis >= in.rank) {
      dvp_fail(&call, TF_INVALID_ARGUMENT,
               "ScanOp: Expected scan axis in the range [%d, %d), but got %" PRId64, -in.rank, in.rank, axis);
    } else {
      if (axis < 0) axis += in.rank;
      cumsum_run run = {state, in.data, dvp_output(&call, 0, in.dims, in.rank), in.dims[axis],
                        dvp_product(in.dims, (int)axis + 1, in.rank)};
      if (run.out && in.count)
        dvp_parallel(&call, in.count / run.length, DVP_MEDIUM * run.length, range, &run);
    }
  }
  TF_DeleteStatus(call.status);
}
#define CUMULATE(t, op, START, STEP)                                                   \
  static void op##_##t##_range(void *arg, int64_t begin, int64_t end) {                \
    const cumsum_run *run = arg;                                                       \
    for (int64_t unit = begin; unit < end; unit++) {                                   \
      int64_t base = unit / run->inner * run->inner * run->length + unit % run->inner; \
      int64_t step = run->inner;                                                       \
      if (run->options->reverse) {                                                     \
        base += (run->length - 1) * step;                                              \
        step = -step;                                                                  \
      }                                                                                \
      const dvp_##t *in = (const dvp_##t *)run->in + base;                             \
      dvp_##t *out = (dvp_##t *)run->out + base;                                       \
      DVP_ARITH_##t sum = START;                                                       \
      for (int64_t i = 0; i < run->length; i++) {                                      \
        DVP_ARITH_##t before = sum;                                                    \
        const DVP_ARITH_##t x = DVP_LOAD_##t(in[i * step]);                            \
        sum = STEP;                                                                    \
        out[i * step] = DVP_STORE_##t(run->options->exclusive ? before : sum);         \
      }                                                                                \
    }                                                                                  \
  }                                                                                    \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {               \
    cumsum_compute(state, ctx, op##_##t##_range);                                      \
  }
DVP_NUMBERS(CUMULATE, cumsum, 0, sum + x)
DVP_NUMBERS(CUMULATE, cumprod, 1, sum *x)
static const dvp_kernel cumsum_rows[] = {DVP_NUMBERS(DVP_ROW, cumsum)};
DVP_DEFINE_SET(cumsum, "T", cumsum_create, cumsum_destroy, cumsum_rows);
static const dvp_kernel cumprod_rows[] = {DVP_NUMBERS(DVP_ROW, cumprod)};
DVP_DEFINE_SET(cumprod, "T", cumsum_create, cumsum_destroy, cumprod_rows);

// ---- Range and LinSpace ----

static bool scalar(dvp_call *call, int index, const char *what, dvp_view *out) {
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, index, out)) return false;
  if (out->count == 1 && out->rank <= 1) return true;
  return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be a scalar, not shape %s", what,
                  dvp_shape_text(out->dims, out->rank, text));
}

// Number of steps of `delta` from start up to, not including, limit; computed in double for floats and
// exactly for integers.
static bool range_steps(dvp_call *call, double steps, int64_t *out_count) {
  if (!(steps >= 0 && steps < 9.2e18))
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= 9223372036854775807");
  *out_count = (int64_t)steps;
  return true;
}
#define FLOAT_STEPS(start, limit, delta) \
  range_steps(call, ceil(fabs(((double)limit - (double)start) / (double)delta)), &count)
#define INT_STEPS(start, limit, delta)                                                                \
  range_count(start <= limit ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit, \
              delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta, &count)
static bool range_count(uint64_t distance, uint64_t step, int64_t *out_count) {
  *out_count = (int64_t)(distance / step + (distance % step != 0));
  return *out_count >= 0;
}
#define RANGE(t, op, STEPS)                                                                                 \
  DVP_COMPUTE(op##_##t##_compute) {                                                                         \
    (void)state;                                                                                            \
    dvp_view vs, vl, vd;                                                                                    \
    if (!scalar(call, 0, "start", &vs) || !scalar(call, 1, "limit", &vl) || !scalar(call, 2, "delta", &vd)) \
      return;                                                                                               \
    const DVP_ARITH_##t start = DVP_LOAD_##t(*(dvp_##t *)vs.data),                                          \
                        limit = DVP_LOAD_##t(*(dvp_##t *)vl.data),                                          \
                        delta = DVP_LOAD_##t(*(dvp_##t *)vd.data);                                          \
    int64_t count;                                                                                          \
    if (delta == 0) {                                                                                       \
      dvp_fail(call, TF_INVALID_ARGUMENT, "Requires delta != 0");                                           \
      return;                                                                                               \
    }                                                                                                       \
    if (delta > 0 ? start > limit : start < limit) {                                                        \
      dvp_fail(call, TF_INVALID_ARGUMENT, "Requires start %s limit when delta %s 0",                        \
               delta > 0 ? "<=" : ">=", delta > 0 ? ">" : "<");                                             \
      return;                                                                                               \
    }                                                                                                       \
    if (!STEPS(start, limit, delta)) return;                                                                \
    dvp_##t *out = dvp_output(call, 0, &count, 1);                                                          \
    DVP_ARITH_##t value = start;                                                                            \
    for (int64_t i = 0; out && i < count; i++, value += delta) {                                            \
      out[i] = DVP_STORE_##t(value);                                                                        \
      value = DVP_LOAD_##t(out[i]);                                                                         \
    }                                                                                                       \
  }
DVP_FLOATS(RANGE, range, FLOAT_STEPS)
DVP_INDICES(RANGE, range, INT_STEPS)
static const dvp_kernel range_rows[] = {DVP_FLOATS(DVP_ROW, range) DVP_INDICES(DVP_ROW, range)};
DVP_DEFINE_SET(range, "Tidx", NULL, NULL, range_rows);

#define LIN_SPACE(t, op)                                                        \
  DVP_COMPUTE(op##_##t##_compute) {                                             \
    (void)state;                                                                \
    dvp_view vs, ve;                                                            \
    int64_t count;                                                              \
    if (!scalar(call, 0, "start", &vs) || !scalar(call, 1, "stop", &ve) ||      \
        !dvp_input_int(call, 2, "num", &count))                                 \
      return;                                                                   \
    if (count <= 0) {                                                           \
      dvp_fail(call, TF_INVALID_ARGUMENT, "Requires num > 0: %" PRId64, count); \
      return;                                                                   \
    }                                                                           \
    const dvp_##t start = *(dvp_##t *)vs.data, stop = *(dvp_##t *)ve.data;      \
    dvp_##t *out = dvp_output(call, 0, &count, 1);                              \
    if (!out) return;                                                           \
    const dvp_##t step = count > 1 ? (stop - start) / (dvp_##t)(count - 1) : 0; \
    for (int64_t i = 0; i < count - 1; i++) out[i] = start + step * (dvp_##t)i; \
    out[count - 1] = count > 1 ? stop : start;                                  \
  }
DVP_SINGLES(LIN_SPACE, lin_space)
static const dvp_kernel lin_space_rows[] = {DVP_SINGLES(DVP_ROW, lin_space)};
DVP_DEFINE_SET(lin_space, "T", NULL, NULL, lin_space_rows);
