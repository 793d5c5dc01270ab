// StringToHashBucket, ...Fast and ...Strong: the hash of each string modulo the number of buckets.
#include "text/hash.h"

typedef struct bucket_state {
  uint64_t buckets, key[2];
} bucket_state;

static void *bucket_create(TF_OpKernelConstruction *ctx) {
  bucket_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->buckets = (uint64_t)dvp_attr_int(ctx, "num_buckets");
  return state;
}

static void *keyed_create(TF_OpKernelConstruction *ctx) {
  bucket_state *state = bucket_create(ctx);
  int64_t key[3];
  int count = dvp_attr_ints(ctx, "key", key, 3);
  if (state && count == 2) {
    state->key[0] = (uint64_t)key[0];
    state->key[1] = (uint64_t)key[1];
  } else if (count != 2) {
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Key must have 2 elements");
  }
  return state;
}
static void bucket_destroy(void *state) { free(state); }

typedef struct hashing {
  const bucket_state *state;
  uint64_t (*hash)(const bucket_state *state, dvx_span s);
  const dvp_view *in;
  int64_t *out;
} hashing;

static void hash_range(void *arg, int64_t begin, int64_t end) {
  const hashing *h = arg;
  for (int64_t i = begin; i < end; i++)
    h->out[i] = (int64_t)(h->hash(h->state, dvx_element(h->in, i)) % h->state->buckets);
}

static void run(dvp_call *call, const bucket_state *state, uint64_t (*hash)(const bucket_state *, dvx_span)) {
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  hashing h = {state, hash, &in, dvp_output(call, 0, in.dims, in.rank)};
  if (h.out) dvp_parallel(call, in.count, 30000, hash_range, &h);
}

static uint64_t fast(const bucket_state *state, dvx_span s) {
  (void)state;
  return dvx_fingerprint64(s);
}
static uint64_t strong(const bucket_state *state, dvx_span s) { return dvx_siphash(s, state->key); }
static uint64_t legacy(const bucket_state *state, dvx_span s) {
  (void)state;
  return dvx_hash64(s);
}

DVP_COMPUTE(hash_bucket_fast_compute) { run(call, state, fast); }
DVP_DEFINE_ANY(hash_bucket_fast, bucket_create, bucket_destroy, hash_bucket_fast_compute);
DVP_COMPUTE(hash_bucket_strong_compute) { run(call, state, strong); }
DVP_DEFINE_ANY(hash_bucket_strong, keyed_create, bucket_destroy, hash_bucket_strong_compute);
DVP_COMPUTE(hash_bucket_compute) { run(call, state, legacy); }
DVP_DEFINE_ANY(hash_bucket, bucket_create, bucket_destroy, hash_bucket_compute);
