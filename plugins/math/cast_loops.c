// Cast between all pairs of numeric types and bool. A complex number casts to its real part, NaN to true; a
// float that an integer type cannot hold gives what the CPU's conversion gives, as in stock. With Truncate,
// the bits of a float that a narrower one has no room for are dropped instead of rounded.
#include <stdlib.h>

#include "common/elementwise.h"

#define CAST_TYPES(X, ...) DVP_NUMBERS(X, __VA_ARGS__) X(b, __VA_ARGS__)

typedef void (*cast_loop)(const void *in, void *out, int64_t n);

#define CAST_LOOP(o, t)                                                   \
  static void cast_##t##_to_##o(const void *pin, void *pout, int64_t n) { \
    const dvp_##t *in = pin;                                              \
    dvp_##o *out = pout;                                                  \
    DVP_IVDEP                                                             \
    for (int64_t i = 0; i < n; i++) {                                     \
      const DVP_ARITH_##t a = DVP_LOAD_##t(in[i]);                        \
      out[i] = DVP_STORE_##o(a);                                          \
    }                                                                     \
  }
#define CAST_ROW(o, t) \
  case DVP_TYPE_##o:   \
    return cast_##t##_to_##o;

// A list macro cannot expand inside itself, so the inner list has a second name.
#define TO_ALL(X, t) \
  X(f16, t)          \
  X(bf16, t)         \
  X(f32, t)          \
  X(f64, t)          \
  X(i8, t) X(i16, t) X(i32, t) X(i64, t) X(u8, t) X(u16, t) X(u32, t) X(u64, t) X(c64, t) X(c128, t) X(b, t)
#define CAST_FROM(t, unused)                      \
  TO_ALL(CAST_LOOP, t)                            \
  static cast_loop cast_from_##t(TF_DataType o) { \
    switch (o) {                                  \
      TO_ALL(CAST_ROW, t)                         \
      default:                                    \
        return NULL;                              \
    }                                             \
  }
CAST_TYPES(CAST_FROM, )

#define FIND_ROW(t, to) \
  case DVP_TYPE_##t:    \
    return cast_from_##t(to);
static cast_loop find(TF_DataType from, TF_DataType to) {
  switch (from) {
    CAST_TYPES(FIND_ROW, to)
    default:
      return NULL;
  }
}

// ---- truncation: clear the bits that the narrower type lacks, then convert exactly ----

#define TRUNCATE_LOOP(t, o, bits_type, dropped)                               \
  static void truncate_##t##_to_##o(const void *pin, void *pout, int64_t n) { \
    const dvp_##t *in = pin;                                                  \
    dvp_##o *out = pout;                                                      \
    for (int64_t i = 0; i < n; i++) {                                         \
      bits_type bits;                                                         \
      dvp_##t kept = in[i];                                                   \
      memcpy(&bits, &in[i], sizeof(bits));                                    \
      bits &= ~(((bits_type)1 << dropped) - 1);                               \
      if (in[i] == in[i]) memcpy(&kept, &bits, sizeof(bits));                 \
      out[i] = DVP_STORE_##o(kept);                                           \
    }                                                                         \
  }
TRUNCATE_LOOP(f32, f16, uint32_t, 13)
TRUNCATE_LOOP(f32, bf16, uint32_t, 16)
TRUNCATE_LOOP(f64, f16, uint64_t, 42)
TRUNCATE_LOOP(f64, f32, uint64_t, 29)

static cast_loop find_truncating(TF_DataType from, TF_DataType to) {
  if (from == TF_FLOAT && to == TF_HALF) return truncate_f32_to_f16;
  if (from == TF_FLOAT && to == TF_BFLOAT16) return truncate_f32_to_bf16;
  if (from == TF_DOUBLE && to == TF_HALF) return truncate_f64_to_f16;
  if (from == TF_DOUBLE && to == TF_FLOAT) return truncate_f64_to_f32;
  return NULL;
}

typedef struct cast_state {
  bool same;  // no conversion: hand the input on
  dvp_unary_loops loops;
} cast_state;

static void *cast_create(TF_OpKernelConstruction *ctx) {
  cast_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  TF_DataType from = dvp_attr_type(ctx, "SrcT"), to = dvp_attr_type(ctx, "DstT");
  bool truncate = dvp_attr_bool(ctx, "Truncate");
  state->same = from == to;
  cast_loop loop = truncate ? find_truncating(from, to) : NULL;
  if (!loop) loop = find(from, to);
  state->loops = (dvp_unary_loops){loop, (int)TF_DataTypeSize(from), (int)TF_DataTypeSize(to), DVP_CHEAP};
  if (!state->same && !loop)
    dvp_create_fail(ctx, TF_UNIMPLEMENTED, "Cast from dtype %d to dtype %d is not supported", from, to);
  return state;
}

DVP_COMPUTE(cast_same) {
  (void)state;
  dvp_view in;
  if (dvp_input(call, 0, &in)) dvp_output_reshaped(call, 0, 0, in.dims, in.rank);
}

static void cast_compute(void *state, TF_OpKernelContext *ctx) {
  cast_state *cast = state;
  if (cast->same)
    cast_same(state, ctx);
  else
    dvp_unary_run(ctx, &cast->loops);
}
static void cast_destroy(void *state) { free(state); }
DVP_DEFINE_ANY(cast, cast_create, cast_destroy, cast_compute);
