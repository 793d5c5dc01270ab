// The ops whose generator is in a variable of int64: two words of counter, one of key. They take the numbers
// they need and leave the counter behind them for the next, so that one sequence runs through all ops on a
// variable.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/dtype.h"
#include "common/plugin.h"
#include "random/distribution.h"
#include "tensorflow/c/kernels_experimental.h"

// Numbers of the algorithms in stock's ops.
enum { ALGORITHM_PHILOX = 1, ALGORITHM_AUTO = 3 };
enum { STATE_WORDS = 3 };
// Stock reserves so many counters for each value of an output.
#define COUNTERS_PER_VALUE 256

typedef struct generator_state {
  TF_DataType dtype;
} generator_state;

static void *create(TF_OpKernelConstruction *ctx) {
  generator_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->dtype = dvp_attr_type(ctx, "dtype");
  return state;
}
static void destroy(void *state) { free(state); }

static void copy(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest) {
  (void)ctx;
  memcpy(TF_TensorData(dest), TF_TensorData(source), TF_TensorByteSize(source));
}

// ---- the variable ----

static bool check_words(dvp_call *call, const TF_Tensor *state) {
  if (TF_TensorType(state) != TF_INT64)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "dtype of RNG state variable must be int64, not %d",
                    TF_TensorType(state));
  if (TF_NumDims(state) != 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "RNG state must have one and only one dimension, not %d",
                    TF_NumDims(state));
  return TF_TensorElementCount(state) >= STATE_WORDS ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "For the Philox algorithm, the size of state must be at least %d; got %" PRId64,
                  STATE_WORDS, TF_TensorElementCount(state));
}

static void take_locked(dvp_call *call, uint64_t counters, uint64_t out_words[STATE_WORDS]) {
  TF_Tensor *state = NULL;
  TF_GetInputTensorFromVariable(call->ctx, 0, true, false, false, copy, &state, call->status);
  if (!dvp_ok(call)) return;
  if (check_words(call, state)) {
    memcpy(out_words, TF_TensorData(state), STATE_WORDS * sizeof(*out_words));
    dvp_philox next = dvp_philox_of(out_words[2], out_words[0], out_words[1]);
    dvp_philox_skip(&next, counters);
    const uint64_t counter[2] = {(uint64_t)next.counter[1] << 32 | next.counter[0],
                                 (uint64_t)next.counter[3] << 32 | next.counter[2]};
    memcpy(TF_TensorData(state), counter, sizeof(counter));
  }
  TF_DeleteTensor(state);
}

// The words of the generator in input 0; the next one starts so many counters later.
static bool take(dvp_call *call, uint64_t counters, uint64_t out_words[STATE_WORDS]) {
  TF_VariableInputLockHolder *lock = NULL;
  const int variable = 0;
  TF_MaybeLockVariableInputMutexesInOrder(call->ctx, true, false, &variable, 1, copy, &lock, call->status);
  if (dvp_ok(call)) take_locked(call, counters, out_words);
  TF_ReleaseVariableInputLockHolder(lock);
  return TF_GetCode(call->status) == TF_OK;
}

static bool check_algorithm(dvp_call *call, bool may_be_auto) {
  int64_t algorithm;
  dvp_view in;
  if (!dvp_input_scalar(call, 1, "algorithm", &in)) return false;
  algorithm = in.dtype == TF_INT32 ? *(const int32_t *)in.data : *(const int64_t *)in.data;
  return algorithm == ALGORITHM_PHILOX || (may_be_auto && algorithm == ALGORITHM_AUTO) ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Unsupported algorithm id: %" PRId64 "; Philox is %d", algorithm,
                  ALGORITHM_PHILOX);
}

// ---- numbers ----

static void generate(dvp_call *call, const generator_state *state, dvp_distribution kind) {
  dvp_limits limits = {0, 1};
  uint64_t words[STATE_WORDS];
  int64_t count;
  if (!check_algorithm(call, false)) return;
  if (kind == DVP_UNIFORM_INT && !dvp_random_limits(call, 3, &limits)) return;
  void *out = dvp_random_output(call, 2, &count);
  if (!out || !take(call, (uint64_t)count * COUNTERS_PER_VALUE, words)) return;
  dvp_random_fill(call, kind, state->dtype, dvp_philox_of(words[2], words[0], words[1]), limits, out, count);
}

#define ALL_INTS(X, name) X(i32, name) X(i64, name) X(u32, name) X(u64, name)
#define GENERATOR_SET(name, kind, TYPES)                                 \
  DVP_COMPUTE(name##_compute) { generate(call, state, kind); }           \
  static const dvp_kernel name##_rows[] = {TYPES(DVP_SHARED_ROW, name)}; \
  DVP_DEFINE_SET(name, "dtype", create, destroy, name##_rows);
GENERATOR_SET(generator_uniform, DVP_UNIFORM, DVP_FLOATS)
GENERATOR_SET(generator_normal, DVP_NORMAL, DVP_FLOATS)
GENERATOR_SET(generator_truncated, DVP_TRUNCATED_NORMAL, DVP_FLOATS)
GENERATOR_SET(generator_int, DVP_UNIFORM_INT, ALL_INTS)
GENERATOR_SET(generator_full_int, DVP_FULL_INT, ALL_INTS)

// ---- the counter alone ----

DVP_COMPUTE(rng_skip_compute) {
  (void)state;
  dvp_view delta;
  uint64_t words[STATE_WORDS];
  if (check_algorithm(call, false) && dvp_input_scalar(call, 2, "delta", &delta))
    take(call, *(const uint64_t *)delta.data * COUNTERS_PER_VALUE, words);
}
DVP_DEFINE_ANY(rng_skip, NULL, NULL, rng_skip_compute);

DVP_COMPUTE(rng_read_and_skip_compute) {
  (void)state;
  dvp_view delta;
  uint64_t words[STATE_WORDS];
  if (!check_algorithm(call, true) || !dvp_input_scalar(call, 2, "delta", &delta)) return;
  if (!take(call, *(const uint64_t *)delta.data * COUNTERS_PER_VALUE, words)) return;
  void *out = dvp_output(call, 0, (const int64_t[]){STATE_WORDS}, 1);
  if (out) memcpy(out, words, sizeof(words));
}
DVP_DEFINE_ANY(rng_read_and_skip, NULL, NULL, rng_read_and_skip_compute);

// ---- numbers of the system ----

DVP_COMPUTE(non_deterministic_compute) {
  const generator_state *ints = state;
  int64_t count;
  char *out = dvp_random_output(call, 0, &count);
  if (!out) return;
  for (size_t left = (size_t)count * TF_DataTypeSize(ints->dtype); left > 0;) {
    ssize_t got = getrandom(out, left, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      dvp_fail(call, TF_INTERNAL, "The system gives no random numbers: %s", strerror(errno));
      return;
    }
    out += got;
    left -= (size_t)got;
  }
}
static const dvp_kernel non_deterministic_rows[] = {ALL_INTS(DVP_SHARED_ROW, non_deterministic)};
DVP_DEFINE_SET(non_deterministic, "dtype", create, destroy, non_deterministic_rows);
