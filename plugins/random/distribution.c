// Groups of random values: see distribution.h. The arithmetic is in the order and precision of stock's, so
// that the values are the same bit for bit where the C library's functions are.
#include "random/distribution.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/dtype.h"

#define GROUP_BYTES 32
// Counters reserved for a group of a distribution that rejects: 256 numbers a value.
#define RESERVED_PER_VALUE 64
#define TRUNCATE 2.0

typedef struct fill fill;
typedef void (*group_function)(const fill *f, dvp_philox generator, void *out);

struct fill {
  dvp_philox generator;
  dvp_limits limits;
  group_function group;
  int values;         // of a group
  size_t bytes;       // of a value
  uint64_t counters;  // of a group
  char *out;
  int64_t count;
};

// A mantissa of random bits in [1, 2), less 1.
static float unit_float(uint32_t x) { return dvp_float_from_bits(0x3f800000 | (x & 0x7fffff)) - 1.0f; }
static float unit_half(uint32_t x) {
  return dvp_f16_load((dvp_f16){(uint16_t)(0x3c00 | (x & 0x3ff))}) - 1.0f;
}
static float unit_bfloat(uint32_t x) {
  return dvp_bf16_load((dvp_bf16){(uint16_t)(0x3f80 | (x & 0x7f))}) - 1.0f;
}
double dvp_random_double(uint32_t high, uint32_t low) {
  uint64_t bits = UINT64_C(1023) << 52 | (uint64_t)(high & 0xfffff) << 32 | low;
  double x;
  memcpy(&x, &bits, sizeof(x));
  return x - 1.0;
}

// The Box-Muller transform: two normal values of two uniform ones.
static void normal_floats(uint32_t x0, uint32_t x1, float out[2]) {
  const float least = 1.0e-7f;
  float u = unit_float(x0);
  if (u < least) u = least;
  const float angle = (float)(2 * M_PI * unit_float(x1)), radius = sqrtf(-2.0f * logf(u));
  out[0] = sinf(angle) * radius;
  out[1] = cosf(angle) * radius;
}
static void normal_doubles(const uint32_t x[4], double out[2]) {
  const double least = 1.0e-7;
  double u = dvp_random_double(x[0], x[1]);
  if (u < least) u = least;
  const double angle = 2 * M_PI * dvp_random_double(x[2], x[3]), radius = sqrt(-2.0 * log(u));
  out[0] = sin(angle) * radius;
  out[1] = cos(angle) * radius;
}

#define FLOAT_GROUPS(t, UNIT)                                                             \
  static void uniform_##t(const fill *f, dvp_philox generator, void *pout) {              \
    (void)f;                                                                              \
    uint32_t x[4];                                                                        \
    dvp_##t *out = pout;                                                                  \
    dvp_philox_next(&generator, x);                                                       \
    for (int i = 0; i < 4; i++) out[i] = DVP_STORE_##t(UNIT(x[i]));                       \
  }                                                                                       \
  static void normal_##t(const fill *f, dvp_philox generator, void *pout) {               \
    (void)f;                                                                              \
    uint32_t x[4];                                                                        \
    float pair[2];                                                                        \
    dvp_##t *out = pout;                                                                  \
    dvp_philox_next(&generator, x);                                                       \
    for (int i = 0; i < 4; i++) {                                                         \
      if (i % 2 == 0) normal_floats(x[i], x[i + 1], pair);                                \
      out[i] = DVP_STORE_##t(pair[i % 2]);                                                \
    }                                                                                     \
  }                                                                                       \
  static void truncated_##t(const fill *f, dvp_philox generator, void *pout) {            \
    (void)f;                                                                              \
    dvp_philox_stream s = dvp_philox_stream_of(generator);                                \
    float pair[2];                                                                        \
    dvp_##t *out = pout;                                                                  \
    for (int n = 0; n < 4;) {                                                             \
      uint32_t x0 = dvp_philox_one(&s), x1 = dvp_philox_one(&s);                          \
      normal_floats(x0, x1, pair);                                                        \
      for (int i = 0; i < 2; i++)                                                         \
        if (fabsf(pair[i]) < (float)TRUNCATE && n < 4) out[n++] = DVP_STORE_##t(pair[i]); \
    }                                                                                     \
  }
FLOAT_GROUPS(f16, unit_half)
FLOAT_GROUPS(bf16, unit_bfloat)
FLOAT_GROUPS(f32, unit_float)

static void uniform_f64(const fill *f, dvp_philox generator, void *pout) {
  (void)f;
  uint32_t x[4];
  double *out = pout;
  dvp_philox_next(&generator, x);
  for (int i = 0; i < 2; i++) out[i] = dvp_random_double(x[2 * i], x[2 * i + 1]);
}
static void normal_f64(const fill *f, dvp_philox generator, void *pout) {
  (void)f;
  uint32_t x[4];
  dvp_philox_next(&generator, x);
  normal_doubles(x, pout);
}
static void truncated_f64(const fill *f, dvp_philox generator, void *pout) {
  (void)f;
  dvp_philox_stream s = dvp_philox_stream_of(generator);
  double pair[2], *out = pout;
  for (int n = 0; n < 2;) {
    uint32_t x[4];
    for (int i = 0; i < 4; i++) x[i] = dvp_philox_one(&s);
    normal_doubles(x, pair);
    for (int i = 0; i < 2; i++)
      if (fabs(pair[i]) < TRUNCATE && n < 2) out[n++] = pair[i];
  }
}

static void int_32(const fill *f, dvp_philox generator, void *pout) {
  uint32_t x[4], *out = pout;
  dvp_philox_next(&generator, x);
  for (int i = 0; i < 4; i++) out[i] = (uint32_t)f->limits.low + x[i] % (uint32_t)f->limits.range;
}
static void int_64(const fill *f, dvp_philox generator, void *pout) {
  uint32_t x[4];
  uint64_t *out = pout;
  dvp_philox_next(&generator, x);
  for (int i = 0; i < 2; i++)
    out[i] = f->limits.low + ((uint64_t)x[2 * i + 1] << 32 | x[2 * i]) % f->limits.range;
}
static void full_32(const fill *f, dvp_philox generator, void *pout) {
  (void)f;
  dvp_philox_next(&generator, pout);
}
static void full_64(const fill *f, dvp_philox generator, void *pout) {
  (void)f;
  uint32_t x[4];
  uint64_t *out = pout;
  dvp_philox_next(&generator, x);
  for (int i = 0; i < 2; i++) out[i] = (uint64_t)x[2 * i + 1] << 32 | x[2 * i];
}

// By kind and, of floats, by dtype; of integers, by width.
static group_function function_of(dvp_distribution kind, TF_DataType dtype) {
  static const group_function floats[3][4] = {{uniform_f16, uniform_bf16, uniform_f32, uniform_f64},
                                              {normal_f16, normal_bf16, normal_f32, normal_f64},
                                              {truncated_f16, truncated_bf16, truncated_f32, truncated_f64}};
  if (kind == DVP_UNIFORM_INT) return TF_DataTypeSize(dtype) == 8 ? int_64 : int_32;
  if (kind == DVP_FULL_INT) return TF_DataTypeSize(dtype) == 8 ? full_64 : full_32;
  return floats[kind][dtype == TF_HALF ? 0 : dtype == TF_BFLOAT16 ? 1 : dtype == TF_FLOAT ? 2 : 3];
}

static void run_groups(void *arg, int64_t begin, int64_t end) {
  const fill *f = arg;
  char last[GROUP_BYTES];
  dvp_philox generator = f->generator;
  dvp_philox_skip(&generator, (uint64_t)begin * f->counters);
  for (int64_t g = begin; g < end; g++) {
    char *out = f->out + (size_t)(g * f->values) * f->bytes;
    int64_t left = f->count - g * f->values;
    if (left >= f->values) {
      f->group(f, generator, out);
    } else {
      f->group(f, generator, last);
      memcpy(out, last, (size_t)left * f->bytes);
    }
    dvp_philox_skip(&generator, f->counters);
  }
}

void dvp_random_fill(dvp_call *call, dvp_distribution kind, TF_DataType dtype, dvp_philox generator,
                     dvp_limits limits, void *out, int64_t count) {
  size_t bytes = TF_DataTypeSize(dtype);
  fill f = {.generator = generator,
            .limits = limits,
            .group = function_of(kind, dtype),
            .values = bytes == 8 ? 2 : 4,
            .bytes = bytes,
            .counters = 1,
            .out = out,
            .count = count};
  if (kind == DVP_TRUNCATED_NORMAL) f.counters = (uint64_t)f.values * RESERVED_PER_VALUE;
  bool costly = kind == DVP_NORMAL || kind == DVP_TRUNCATED_NORMAL;
  dvp_parallel(call, count / f.values + (count % f.values != 0), costly ? 150000 : 20000, run_groups, &f);
}

void *dvp_random_output(dvp_call *call, int index, int64_t *out_count) {
  int64_t dims[DVP_MAX_RANK];
  int rank, count;
  if (!dvp_input_ints(call, index, "shape", dims, DVP_MAX_RANK, &rank, &count)) return NULL;
  if (rank != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "shape must be a vector of {int32,int64}, got a scalar");
    return NULL;
  }
  for (int i = 0; i < count; i++)
    if (dims[i] < 0) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Dimension %d of the shape must be >= 0, got %" PRId64, i, dims[i]);
      return NULL;
    }
  if (!dvp_count(call, dims, count, out_count)) return NULL;
  return dvp_output(call, 0, dims, count);
}

static bool limit(dvp_call *call, int index, const char *what, int64_t *out, TF_DataType *out_dtype) {
  dvp_view in;
  if (!dvp_input_scalar(call, index, what, &in)) return false;
  *out_dtype = in.dtype;
  switch (in.dtype) {
    case TF_INT32:
      *out = *(const int32_t *)in.data;
      return true;
    case TF_UINT32:
      *out = *(const uint32_t *)in.data;
      return true;
    default:
      memcpy(out, in.data, sizeof(*out));
      return true;
  }
}

bool dvp_random_limits(dvp_call *call, int index, dvp_limits *out) {
  int64_t low, high;
  TF_DataType dtype;
  if (!limit(call, index, "minval", &low, &dtype) || !limit(call, index + 1, "maxval", &high, &dtype))
    return false;
  bool ordered = dtype == TF_UINT64 ? (uint64_t)low < (uint64_t)high : low < high;
  out->low = (uint64_t)low;
  out->range = (uint64_t)high - (uint64_t)low;
  return ordered ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Need minval < maxval, got %" PRId64 " >= %" PRId64, low, high);
}
