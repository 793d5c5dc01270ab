// Element types for typed loops. Each short name (f16, bf16, f32, f64, i8..i64, u8..u64, b, c64, c128) has a
// storage type dvp_<t>, an arithmetic type DVP_ARITH_<t> that values are computed in,
// DVP_LOAD_<t>/DVP_STORE_<t> between the two, and its number DVP_TYPE_<t>. The list macros call X(t, ...) for
// each member.
#ifndef DOVETAIL_PLUGINS_COMMON_DTYPE_H_
#define DOVETAIL_PLUGINS_COMMON_DTYPE_H_

#include <complex.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tensorflow/c/tf_datatype.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#define DVP_IVDEP _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define DVP_IVDEP _Pragma("GCC ivdep")
#endif

// glibc's complex.h leaves these to GCC.
#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#define CMPLXF(re, im) __builtin_complex((float)(re), (float)(im))
#endif

typedef struct dvp_f16 {
  uint16_t bits;
} dvp_f16;
typedef struct dvp_bf16 {
  uint16_t bits;
} dvp_bf16;
typedef float dvp_f32;
typedef double dvp_f64;
typedef int8_t dvp_i8;
typedef int16_t dvp_i16;
typedef int32_t dvp_i32;
typedef int64_t dvp_i64;
typedef uint8_t dvp_u8;
typedef uint16_t dvp_u16;
typedef uint32_t dvp_u32;
typedef uint64_t dvp_u64;
typedef uint8_t dvp_b;  // 0 or 1
typedef float _Complex dvp_c64;
typedef double _Complex dvp_c128;

static inline uint32_t dvp_float_bits(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof(u));
  return u;
}
static inline float dvp_float_from_bits(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof(x));
  return x;
}

// IEEE binary16, both ways with round to nearest even; branch-free, so that loops over it vectorise.
static inline float dvp_f16_load(dvp_f16 h) {
#if defined(__F16C__)
  return _cvtsh_ss(h.bits);
#else
  uint32_t shifted = (uint32_t)(h.bits & 0x7fff) << 13;
  uint32_t exponent = shifted & 0x0f800000;
  uint32_t normal = shifted + 0x38000000;
  uint32_t special = shifted + 0x70000000;                                                    // inf, NaN
  uint32_t subnormal = dvp_float_bits(dvp_float_from_bits(shifted + 0x38800000) - 0x1p-14f);  // and zero
  uint32_t bits = exponent == 0x0f800000 ? special : exponent == 0 ? subnormal : normal;
  return dvp_float_from_bits(bits | (uint32_t)(h.bits & 0x8000) << 16);
#endif
}
static inline dvp_f16 dvp_f16_store(float x) {
#if defined(__F16C__)
  return (dvp_f16){_cvtss_sh(x, 0)};
#else
  uint32_t bits = dvp_float_bits(x), sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  uint32_t nan = bits > 0x7f800000 ? 0x7e00 : 0x7c00;
  uint32_t normal = (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13;
  uint32_t subnormal = dvp_float_bits(dvp_float_from_bits(bits) + 0.5f) - 0x3f000000;
  uint32_t half = bits >= 0x47800000 ? nan : bits < 0x38800000 ? subnormal : normal;
  return (dvp_f16){(uint16_t)(half | sign)};
#endif
}

static inline float dvp_bf16_load(dvp_bf16 h) { return dvp_float_from_bits((uint32_t)h.bits << 16); }
static inline dvp_bf16 dvp_bf16_store(float x) {
  uint32_t bits = dvp_float_bits(x);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (dvp_bf16){(uint16_t)(x != x ? (bits >> 16 & 0x8000) | 0x7fc0 : rounded)};
}

#define DVP_SAME(x) (x)
#define DVP_BOOL(x) ((x) ? 1 : 0)

#define DVP_ARITH_f16 float
#define DVP_ARITH_bf16 float
#define DVP_ARITH_f32 float
#define DVP_ARITH_f64 double
#define DVP_ARITH_i8 int8_t
#define DVP_ARITH_i16 int16_t
#define DVP_ARITH_i32 int32_t
#define DVP_ARITH_i64 int64_t
#define DVP_ARITH_u8 uint8_t
#define DVP_ARITH_u16 uint16_t
#define DVP_ARITH_u32 uint32_t
#define DVP_ARITH_u64 uint64_t
#define DVP_ARITH_b uint8_t
#define DVP_ARITH_c64 float _Complex
#define DVP_ARITH_c128 double _Complex

#define DVP_LOAD_f16 dvp_f16_load
#define DVP_LOAD_bf16 dvp_bf16_load
#define DVP_LOAD_f32 DVP_SAME
#define DVP_LOAD_f64 DVP_SAME
#define DVP_LOAD_i8 DVP_SAME
#define DVP_LOAD_i16 DVP_SAME
#define DVP_LOAD_i32 DVP_SAME
#define DVP_LOAD_i64 DVP_SAME
#define DVP_LOAD_u8 DVP_SAME
#define DVP_LOAD_u16 DVP_SAME
#define DVP_LOAD_u32 DVP_SAME
#define DVP_LOAD_u64 DVP_SAME
#define DVP_LOAD_b DVP_SAME
#define DVP_LOAD_c64 DVP_SAME
#define DVP_LOAD_c128 DVP_SAME

#define DVP_STORE_f16 dvp_f16_store
#define DVP_STORE_bf16 dvp_bf16_store
#define DVP_STORE_f32 (float)
#define DVP_STORE_f64 (double)
#define DVP_STORE_i8 (int8_t)
#define DVP_STORE_i16 (int16_t)
#define DVP_STORE_i32 (int32_t)
#define DVP_STORE_i64 (int64_t)
#define DVP_STORE_u8 (uint8_t)
#define DVP_STORE_u16 (uint16_t)
#define DVP_STORE_u32 (uint32_t)
#define DVP_STORE_u64 (uint64_t)
#define DVP_STORE_b DVP_BOOL
#define DVP_STORE_c64 (float _Complex)
#define DVP_STORE_c128 (double _Complex)

#define DVP_TYPE_f16 TF_HALF
#define DVP_TYPE_bf16 TF_BFLOAT16
#define DVP_TYPE_f32 TF_FLOAT
#define DVP_TYPE_f64 TF_DOUBLE
#define DVP_TYPE_i8 TF_INT8
#define DVP_TYPE_i16 TF_INT16
#define DVP_TYPE_i32 TF_INT32
#define DVP_TYPE_i64 TF_INT64
#define DVP_TYPE_u8 TF_UINT8
#define DVP_TYPE_u16 TF_UINT16
#define DVP_TYPE_u32 TF_UINT32
#define DVP_TYPE_u64 TF_UINT64
#define DVP_TYPE_b TF_BOOL
#define DVP_TYPE_c64 TF_COMPLEX64
#define DVP_TYPE_c128 TF_COMPLEX128
#define DVP_TYPE_str TF_STRING

// The least and the greatest finite number of a type.
#define DVP_LOWEST_f16 (-65504.0f)
#define DVP_LOWEST_bf16 (-0x1.fep127f)
#define DVP_LOWEST_f32 (-FLT_MAX)
#define DVP_LOWEST_f64 (-DBL_MAX)
#define DVP_LOWEST_i8 INT8_MIN
#define DVP_LOWEST_i16 INT16_MIN
#define DVP_LOWEST_i32 INT32_MIN
#define DVP_LOWEST_i64 INT64_MIN
#define DVP_LOWEST_u8 0
#define DVP_LOWEST_u16 0
#define DVP_LOWEST_u32 0
#define DVP_LOWEST_u64 0
#define DVP_HIGHEST_f16 65504.0f
#define DVP_HIGHEST_bf16 0x1.fep127f
#define DVP_HIGHEST_f32 FLT_MAX
#define DVP_HIGHEST_f64 DBL_MAX
#define DVP_HIGHEST_i8 INT8_MAX
#define DVP_HIGHEST_i16 INT16_MAX
#define DVP_HIGHEST_i32 INT32_MAX
#define DVP_HIGHEST_i64 INT64_MAX
#define DVP_HIGHEST_u8 UINT8_MAX
#define DVP_HIGHEST_u16 UINT16_MAX
#define DVP_HIGHEST_u32 UINT32_MAX
#define DVP_HIGHEST_u64 UINT64_MAX

// Lists of types. Each calls X(t, ...).
#define DVP_HALVES(X, ...) X(f16, __VA_ARGS__) X(bf16, __VA_ARGS__)
#define DVP_SINGLES(X, ...) X(f32, __VA_ARGS__) X(f64, __VA_ARGS__)
#define DVP_FLOATS(X, ...) DVP_HALVES(X, __VA_ARGS__) DVP_SINGLES(X, __VA_ARGS__)
#define DVP_COMPLEX(X, ...) X(c64, __VA_ARGS__) X(c128, __VA_ARGS__)
#define DVP_FLOATS_COMPLEX(X, ...) DVP_FLOATS(X, __VA_ARGS__) DVP_COMPLEX(X, __VA_ARGS__)
#define DVP_SIGNED(X, ...) X(i8, __VA_ARGS__) X(i16, __VA_ARGS__) X(i32, __VA_ARGS__) X(i64, __VA_ARGS__)
#define DVP_UNSIGNED(X, ...) X(u8, __VA_ARGS__) X(u16, __VA_ARGS__) X(u32, __VA_ARGS__) X(u64, __VA_ARGS__)
#define DVP_INTS(X, ...) DVP_SIGNED(X, __VA_ARGS__) DVP_UNSIGNED(X, __VA_ARGS__)
#define DVP_REALS(X, ...) DVP_FLOATS(X, __VA_ARGS__) DVP_INTS(X, __VA_ARGS__)
#define DVP_NUMBERS(X, ...) DVP_REALS(X, __VA_ARGS__) DVP_COMPLEX(X, __VA_ARGS__)
#define DVP_INDICES(X, ...) X(i32, __VA_ARGS__) X(i64, __VA_ARGS__)

// A row of a kernel table: the compute function is <op>_<t>_compute.
#define DVP_ROW(t, op) DVP_KERNEL(DVP_TYPE_##t, op##_##t)
// A row of a table whose kernels share one compute function, <op>_compute.
#define DVP_SHARED_ROW(t, op) DVP_KERNEL(DVP_TYPE_##t, op)

#endif  // DOVETAIL_PLUGINS_COMMON_DTYPE_H_
