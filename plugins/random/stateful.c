// The ops with seeds in attributes: each node has a generator that runs on from call to call. Without seeds
// it starts anywhere.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "common/strided.h"
#include "random/distribution.h"

typedef struct random_state {
  pthread_mutex_t lock;
  dvp_philox generator;
  TF_DataType dtype;
} random_state;

static void *create(TF_OpKernelConstruction *ctx, const char *dtype_attr) {
  random_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  pthread_mutex_init(&state->lock, NULL);
  uint64_t seeds[2] = {(uint64_t)dvp_attr_int(ctx, "seed"), (uint64_t)dvp_attr_int(ctx, "seed2")};
  if (seeds[0] == 0 && seeds[1] == 0 && getrandom(seeds, sizeof(seeds), 0) != (ssize_t)sizeof(seeds))
    dvp_create_fail(ctx, TF_INTERNAL, "The system gives no random seed: %s", strerror(errno));
  state->generator = dvp_philox_of(seeds[0], 0, seeds[1]);
  state->dtype = dvp_attr_type(ctx, dtype_attr);
  return state;
}
static void *create_float(TF_OpKernelConstruction *ctx) { return create(ctx, "dtype"); }
static void *create_int(TF_OpKernelConstruction *ctx) { return create(ctx, "Tout"); }
static void *create_multinomial(TF_OpKernelConstruction *ctx) { return create(ctx, "output_dtype"); }
static void *create_shuffle(TF_OpKernelConstruction *ctx) { return create(ctx, "T"); }

static void destroy(void *arg) {
  random_state *state = arg;
  if (!state) return;
  pthread_mutex_destroy(&state->lock);
  free(state);
}

// The generator for this call; the next one starts so many counters later.
static dvp_philox reserve(random_state *state, uint64_t counters) {
  pthread_mutex_lock(&state->lock);
  dvp_philox generator = state->generator;
  dvp_philox_skip(&state->generator, counters);
  pthread_mutex_unlock(&state->lock);
  return generator;
}
// Stock reserves so many counters for each value of an output.
#define COUNTERS_PER_VALUE 256

static void floats(dvp_call *call, random_state *state, dvp_distribution kind) {
  int64_t count;
  void *out = dvp_random_output(call, 0, &count);
  if (!out) return;
  dvp_philox generator = reserve(state, (uint64_t)count * COUNTERS_PER_VALUE);
  dvp_random_fill(call, kind, state->dtype, generator, (dvp_limits){0, 1}, out, count);
}
DVP_COMPUTE(uniform_compute) { floats(call, state, DVP_UNIFORM); }
DVP_COMPUTE(normal_compute) { floats(call, state, DVP_NORMAL); }
DVP_COMPUTE(truncated_compute) { floats(call, state, DVP_TRUNCATED_NORMAL); }

#define FLOAT_SET(set, name)                                                 \
  static const dvp_kernel set##_rows[] = {DVP_FLOATS(DVP_SHARED_ROW, name)}; \
  DVP_DEFINE_SET(set, "dtype", create_float, destroy, set##_rows)
FLOAT_SET(random_uniform, uniform);
FLOAT_SET(random_normal, normal);
FLOAT_SET(truncated_normal, truncated);

DVP_COMPUTE(uniform_int_compute) {
  random_state *random = state;
  int64_t count;
  dvp_limits limits;
  void *out = dvp_random_output(call, 0, &count);
  if (!out || count == 0 || !dvp_random_limits(call, 1, &limits)) return;
  dvp_philox generator = reserve(random, (uint64_t)count * COUNTERS_PER_VALUE);
  dvp_random_fill(call, DVP_UNIFORM_INT, random->dtype, generator, limits, out, count);
}
static const dvp_kernel uniform_int_rows[] = {DVP_KERNEL(TF_INT32, uniform_int)
                                                  DVP_KERNEL(TF_INT64, uniform_int)};
DVP_DEFINE_SET(random_uniform_int, "Tout", create_int, destroy, uniform_int_rows);

// ---- Multinomial: classes drawn by their logits ----

static double logit(const dvp_view *in, int64_t i) {
  switch (in->dtype) {
    case TF_HALF:
      return dvp_f16_load(((const dvp_f16 *)in->data)[i]);
    case TF_BFLOAT16:
      return dvp_bf16_load(((const dvp_bf16 *)in->data)[i]);
    case TF_FLOAT:
      return ((const float *)in->data)[i];
    default:
      return ((const double *)in->data)[i];
  }
}

// Running sums of exp(logit - largest); classes with infinite or NaN logits are never drawn. Returns the
// total.
static double sums(const dvp_view *logits, int64_t row, int64_t classes, double *out) {
  double most = -INFINITY, total = 0;
  for (int64_t j = 0; j < classes; j++) {
    double x = logit(logits, row * classes + j);
    if (isfinite(x) && x > most) most = x;
  }
  for (int64_t j = 0; j < classes; j++) {
    double x = logit(logits, row * classes + j);
    if (isfinite(x)) total += exp(x - most);
    out[j] = total;
  }
  return total;
}

// The first class whose sum is beyond x.
static int64_t draw(const double *cumulative, int64_t classes, double x) {
  int64_t low = 0, high = classes;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (cumulative[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

DVP_COMPUTE(multinomial_compute) {
  random_state *random = state;
  dvp_view logits;
  int64_t samples;
  int rank, unused;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &logits) || !dvp_input_ints(call, 1, "num_samples", &samples, 1, &rank, &unused))
    return;
  if (logits.rank != 2 || rank != 0 || samples < 0) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "Multinomial wants a matrix of logits and a number of samples: got logits of shape %s and %" PRId64
        " samples",
        dvp_shape_text(logits.dims, logits.rank, text), samples);
    return;
  }
  int64_t batch = logits.dims[0], classes = logits.dims[1], dims[2] = {batch, samples};
  if (classes < 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "num_classes should be positive, got %" PRId64, classes);
    return;
  }
  void *out = dvp_output(call, 0, dims, 2);
  if (!out || batch == 0 || samples == 0) return;
  // The draws of all rows are one sequence, so rows are not drawn in parallel.
  uint64_t ceil4 = ((uint64_t)samples + 3) / 4 * 4;
  dvp_philox_stream s =
      dvp_philox_stream_of(reserve(random, (uint64_t)batch * ceil4 * 2 * COUNTERS_PER_VALUE));
  TF_Tensor *scratch = NULL;
  double *cumulative = dvp_temp(call, (size_t)classes * sizeof(double), &scratch);
  if (!cumulative) return;
  for (int64_t row = 0, at = 0; row < batch; row++) {
    double total = sums(&logits, row, classes, cumulative);
    for (int64_t i = 0; i < samples; i++, at++) {
      uint32_t high = dvp_philox_one(&s), low = dvp_philox_one(&s);
      int64_t drawn = draw(cumulative, classes, dvp_random_double(high, low) * total);
      if (random->dtype == TF_INT64)
        ((int64_t *)out)[at] = drawn;
      else
        ((int32_t *)out)[at] = (int32_t)drawn;
    }
  }
  dvp_free_temp(scratch);
}
static const dvp_kernel multinomial_rows[] = {DVP_KERNEL(TF_HALF, multinomial) DVP_KERNEL(
    TF_BFLOAT16, multinomial) DVP_KERNEL(TF_FLOAT, multinomial) DVP_KERNEL(TF_DOUBLE, multinomial)};
DVP_DEFINE_SET(multinomial, "T", create_multinomial, destroy, multinomial_rows);

// ---- RandomShuffle: the slices of the first dim in another order ----

static void copy_slices(dvp_call *call, const dvp_view *in, const int64_t *order, int64_t n, void *out) {
  int64_t size = in->count / n;
  size_t bytes = dvp_element_bytes(call, in->dtype);
  dvp_box box = {.rank = 0};
  if (!bytes) return;
  dvp_box_add(&box, size, 1, 1);
  for (int64_t i = 0; i < n; i++) {
    const char *from = (const char *)in->data + (size_t)(order[i] * size) * bytes;
    char *to = (char *)out + (size_t)(i * size) * bytes;
    if (in->dtype == TF_STRING)
      dvp_box_copy(call, &box, in->dtype, from, to);
    else
      memcpy(to, from, (size_t)size * bytes);
  }
}

DVP_COMPUTE(shuffle_compute) {
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  if (in.count <= 1 || in.rank == 0 || in.dims[0] <= 1) {
    dvp_output_reshaped(call, 0, 0, in.dims, in.rank);
    return;
  }
  int64_t n = in.dims[0];
  void *out = dvp_output(call, 0, in.dims, in.rank);
  TF_Tensor *scratch = NULL;
  int64_t *order = out ? dvp_temp(call, (size_t)n * sizeof(int64_t), &scratch) : NULL;
  if (!order) return;
  dvp_philox_stream s = dvp_philox_stream_of(reserve(state, ((uint64_t)n - 1 + 3) / 4));
  for (int64_t i = 0; i < n; i++) order[i] = i;
  for (int64_t i = 0; i + 1 < n; i++) {
    int64_t j = i + (int64_t)(dvp_philox_one(&s) % (uint64_t)(uint32_t)(n - i)), moved = order[i];
    order[i] = order[j];
    order[j] = moved;
  }
  copy_slices(call, &in, order, n, out);
  dvp_free_temp(scratch);
}
DVP_DEFINE_ANY(random_shuffle, create_shuffle, destroy, shuffle_compute);
