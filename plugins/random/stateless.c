// The ops whose inputs are the seed, or the generator's key and counter: same inputs, same numbers.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/plugin.h"
#include "common/dtype.h"
#include "random/distribution.h"

// Numbers of the algorithms in stock's ops.
enum { ALGORITHM_PHILOX = 1, ALGORITHM_AUTO = 3 };

typedef struct stateless_state {
  TF_DataType dtype;
} stateless_state;

static void *create(TF_OpKernelConstruction *ctx) {
  stateless_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->dtype = dvp_attr_type(ctx, "dtype");
  return state;
}
static void destroy(void *state) { free(state); }

// The key and the upper half of the counter that stock makes of a seed; input `index` is the seed.
static bool scramble(dvp_call *call, int index, uint64_t *out_key, uint64_t *out_counter) {
  dvp_view seed;
  uint64_t parts[2];
  uint32_t mixed[4];
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, index, &seed)) return false;
  if (seed.rank != 1 || seed.count != 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "seed must have shape [2], not %s",
                    dvp_shape_text(seed.dims, seed.rank, text));
  for (int i = 0; i < 2; i++) {
    if (seed.dtype == TF_INT32)
      parts[i] = (uint64_t)(int64_t)((const int32_t *)seed.data)[i];
    else if (seed.dtype == TF_UINT32)
      parts[i] = ((const uint32_t *)seed.data)[i];
    else
      memcpy(&parts[i], (const char *)seed.data + 8 * i, 8);
  }
  dvp_philox generator = dvp_philox_of(UINT64_C(0x02461e293ec8f720), parts[0], parts[1]);
  dvp_philox_next(&generator, mixed);
  *out_key = (uint64_t)mixed[1] << 32 | mixed[0];
  *out_counter = (uint64_t)mixed[3] << 32 | mixed[2];
  return true;
}

static bool by_seed(dvp_call *call, dvp_philox *out) {
  uint64_t key, counter;
  if (!scramble(call, 1, &key, &counter)) return false;
  *out = dvp_philox_of(key, 0, counter);
  return true;
}

// Inputs 1 to 3: key [1], counter [2], algorithm.
static bool by_key(dvp_call *call, dvp_philox *out) {
  dvp_view key, counter, algorithm;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 1, &key) || !dvp_input(call, 2, &counter) || !dvp_input(call, 3, &algorithm))
    return false;
  if (algorithm.rank != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "algorithm must be of shape [], not %s",
                    dvp_shape_text(algorithm.dims, algorithm.rank, ta));
  int32_t number = *(const int32_t *)algorithm.data;
  if (number != ALGORITHM_PHILOX && number != ALGORITHM_AUTO)
    return dvp_fail(call, number == 2 ? TF_UNIMPLEMENTED : TF_INVALID_ARGUMENT,
                    "Unsupported algorithm id: %d; Philox is %d", number, ALGORITHM_PHILOX);
  if (key.rank != 1 || key.count != 1 || counter.rank != 1 || counter.count < 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "key must have shape [1] and counter [2], not %s and %s",
                    dvp_shape_text(key.dims, key.rank, ta), dvp_shape_text(counter.dims, counter.rank, tb));
  const uint64_t *words = counter.data;
  *out = dvp_philox_of(*(const uint64_t *)key.data, words[0], words[1]);
  return true;
}

static void generate(dvp_call *call, const stateless_state *state, dvp_distribution kind,
                     bool (*open)(dvp_call *, dvp_philox *), int limits_at) {
  dvp_philox generator;
  dvp_limits limits = {0, 1};
  int64_t count;
  if (!open(call, &generator) || (limits_at >= 0 && !dvp_random_limits(call, limits_at, &limits))) return;
  void *out = dvp_random_output(call, 0, &count);
  if (out) dvp_random_fill(call, kind, state->dtype, generator, limits, out, count);
}

#define OPS(name, kind, limits)                                                                   \
  DVP_COMPUTE(name##_compute) { generate(call, state, kind, by_seed, limits < 0 ? -1 : limits); } \
  DVP_COMPUTE(name##_v2_compute) { generate(call, state, kind, by_key, limits < 0 ? -1 : limits + 2); }
#define ALL_INTS(X, name) X(i32, name) X(i64, name) X(u32, name) X(u64, name)
#define SETS(name, kind, limits, TYPES)                                          \
  OPS(name, kind, limits)                                                        \
  static const dvp_kernel name##_rows[] = {TYPES(DVP_SHARED_ROW, name)};         \
  static const dvp_kernel name##_v2_rows[] = {TYPES(DVP_SHARED_ROW, name##_v2)}; \
  DVP_DEFINE_SET(name, "dtype", create, destroy, name##_rows);                   \
  DVP_DEFINE_SET(name##_v2, "dtype", create, destroy, name##_v2_rows);
SETS(stateless_uniform, DVP_UNIFORM, -1, DVP_FLOATS)
SETS(stateless_normal, DVP_NORMAL, -1, DVP_FLOATS)
SETS(stateless_truncated, DVP_TRUNCATED_NORMAL, -1, DVP_FLOATS)
SETS(stateless_int, DVP_UNIFORM_INT, 2, ALL_INTS)
SETS(stateless_full_int, DVP_FULL_INT, -1, ALL_INTS)

DVP_COMPUTE(key_counter_compute) {
  (void)state;
  uint64_t key, counter;
  if (!scramble(call, 0, &key, &counter)) return;
  uint64_t *keys = dvp_output(call, 0, (const int64_t[]){1}, 1);
  uint64_t *counters = keys ? dvp_output(call, 1, (const int64_t[]){2}, 1) : NULL;
  if (!counters) return;
  keys[0] = key;
  counters[0] = 0;
  counters[1] = counter;
}
DVP_DEFINE_ANY(key_counter, NULL, NULL, key_counter_compute);

DVP_COMPUTE(algorithm_compute) {
  (void)state;
  int32_t *out = dvp_output(call, 0, NULL, 0);
  if (out) *out = ALGORITHM_PHILOX;
}
DVP_DEFINE_ANY(algorithm, NULL, NULL, algorithm_compute);
