// Ops that compute with the values of sparse tensors: SparseTensorDenseMatMul, SparseReduceSum,
// SparseReduceMax and SparseAdd.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "sparse/indices.h"

// ---- SparseTensorDenseMatMul ----

typedef struct matmul_state {
  bool adjoint_a, adjoint_b;
} matmul_state;
static void *matmul_create(TF_OpKernelConstruction *ctx) {
  matmul_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->adjoint_a = dvp_attr_bool(ctx, "adjoint_a");
  state->adjoint_b = dvp_attr_bool(ctx, "adjoint_b");
  return state;
}
static void matmul_destroy(void *state) { free(state); }

// product [rows, cols] += values at (row, k) times row k of b, whose elements are at k * b_row + j * b_col.
typedef struct product {
  const dvs_sparse *a;
  const void *b;
  void *out;  // in the arithmetic type
  int64_t rows, depth, cols, b_row, b_col;
  bool adjoint_a, adjoint_b;
} product;

#define SAME_OF(x) (x)
#define CONJ_f16 SAME_OF
#define CONJ_bf16 SAME_OF
#define CONJ_f32 SAME_OF
#define CONJ_f64 SAME_OF
#define CONJ_i32 SAME_OF
#define CONJ_c64 conjf
#define CONJ_c128 conj

#define MATMUL_TYPE(t, unused)                                                             \
  static void multiply_##t(const product *p) {                                             \
    const dvp_##t *values = p->a->values.data, *b = p->b;                                  \
    DVP_ARITH_##t *out = p->out;                                                           \
    for (int64_t i = 0; i < p->a->count; i++) {                                            \
      int64_t row = dvs_at(p->a, i, p->adjoint_a), k = dvs_at(p->a, i, !p->adjoint_a);     \
      DVP_ARITH_##t value = DVP_LOAD_##t(values[i]);                                       \
      if (p->adjoint_a) value = CONJ_##t(value);                                           \
      DVP_ARITH_##t *to = out + row * p->cols;                                             \
      for (int64_t j = 0; j < p->cols; j++) {                                              \
        DVP_ARITH_##t y = DVP_LOAD_##t(b[k * p->b_row + j * p->b_col]);                    \
        to[j] += value * (p->adjoint_b ? CONJ_##t(y) : y);                                 \
      }                                                                                    \
    }                                                                                      \
  }                                                                                        \
  static void round_##t(const void *from, void *to, int64_t n) {                           \
    const DVP_ARITH_##t *in = from;                                                        \
    dvp_##t *out = to;                                                                     \
    for (int64_t i = 0; i < n; i++) out[i] = DVP_STORE_##t(in[i]);                         \
  }                                                                                        \
  static void matmul_##t##_compute(void *state, TF_OpKernelContext *ctx) {                 \
    dvp_call call = {ctx, TF_NewStatus()};                                                 \
    matmul(&call, state, multiply_##t, round_##t, sizeof(DVP_ARITH_##t), sizeof(dvp_##t)); \
    TF_DeleteStatus(call.status);                                                          \
  }

// The inputs of the op as a product without its output.
static bool read_product(dvp_call *call, const matmul_state *state, dvs_sparse *a, dvp_view *b, product *p) {
  if (!dvs_input_sparse(call, 0, 1, 2, a) || !dvp_input(call, 3, b)) return false;
  if (a->rank != 2 || b->rank != 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Tensors 'a' and 'b' must be matrices, but have ranks %d and %d", a->rank, b->rank);
  *p = (product){.a = a, .b = b->data, .adjoint_a = state->adjoint_a, .adjoint_b = state->adjoint_b};
  p->rows = a->dims[p->adjoint_a];
  p->depth = a->dims[!p->adjoint_a];
  p->cols = b->dims[!p->adjoint_b];
  p->b_row = p->adjoint_b ? 1 : b->dims[1];
  p->b_col = p->adjoint_b ? b->dims[1] : 1;
  if (p->depth != b->dims[p->adjoint_b])
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Cannot multiply A and B because inner dimension does not match: %" PRId64
                    " vs. %" PRId64,
                    p->depth, b->dims[p->adjoint_b]);
  return dvs_check_range(call, a);
}

static void matmul(dvp_call *call, const matmul_state *state, void (*multiply)(const product *),
                   void (*store)(const void *, void *, int64_t), size_t arith_bytes, size_t bytes) {
  dvs_sparse a;
  dvp_view b;
  product p;
  TF_Tensor *temp = NULL;
  if (!read_product(call, state, &a, &b, &p)) return;
  int64_t count = p.rows * p.cols;
  void *out = dvp_output(call, 0, (const int64_t[]){p.rows, p.cols}, 2);
  if (!out) return;
  p.out = arith_bytes == bytes ? out : dvp_temp(call, (size_t)count * arith_bytes, &temp);
  if (!p.out) return;
  if (count) {
    memset(p.out, 0, (size_t)count * arith_bytes);
    multiply(&p);
    if (p.out != out) store(p.out, out, count);
  }
  dvp_free_temp(temp);
}

#define MATMUL_TYPES(X, ...) DVP_FLOATS_COMPLEX(X, __VA_ARGS__) X(i32, __VA_ARGS__)
MATMUL_TYPES(MATMUL_TYPE, )
static const dvp_kernel matmul_rows[] = {MATMUL_TYPES(DVP_ROW, matmul)};
DVP_DEFINE_SET(sparse_dense_matmul, "T", matmul_create, matmul_destroy, matmul_rows);

// ---- reductions ----

typedef struct reduce_state {
  bool keep_dims;
} reduce_state;
static void *reduce_create(TF_OpKernelConstruction *ctx) {
  reduce_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->keep_dims = dvp_attr_bool(ctx, "keep_dims");
  return state;
}
static void reduce_destroy(void *state) { free(state); }

typedef struct reduction {
  dvs_sparse in;
  bool reduced[DVP_MAX_RANK];
  int64_t dims[DVP_MAX_RANK], count;  // of the result
  int rank;
  int64_t *order, *places;  // values in order, and where in the result each is added
} reduction;

static bool read_axes(dvp_call *call, reduction *r, bool keep_dims) {
  int64_t axes[DVP_MAX_RANK];
  int rank, count;
  if (!dvp_input_ints(call, 3, "reduction_axes", axes, DVP_MAX_RANK, &rank, &count)) return false;
  memset(r->reduced, 0, sizeof(r->reduced));
  for (int i = 0; i < count; i++) {
    if (axes[i] < -r->in.rank || axes[i] >= r->in.rank)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Invalid reduction dimension %" PRId64 ", for input with %d dimensions.", axes[i],
                      r->in.rank);
    r->reduced[axes[i] < 0 ? axes[i] + r->in.rank : axes[i]] = true;
  }
  r->rank = 0;
  for (int d = 0; d < r->in.rank; d++)
    if (!r->reduced[d] || keep_dims) r->dims[r->rank++] = r->reduced[d] ? 1 : r->in.dims[d];
  return true;
}

static bool read_reduction(dvp_call *call, reduction *r, bool keep_dims) {
  r->order = r->places = NULL;
  if (!dvs_input_sparse(call, 0, 1, 2, &r->in) || !read_axes(call, r, keep_dims) ||
      !dvp_count(call, r->dims, r->rank, &r->count) || !dvs_check_range(call, &r->in))
    return false;
  r->order = dvs_order(call, r->in.indices.data, r->in.count, r->in.rank);
  r->places = r->order ? dvs_alloc(call, r->in.count, sizeof(int64_t)) : NULL;
  if (!r->places) return false;
  for (int64_t i = 0; i < r->in.count; i++) {
    r->places[i] = 0;
    for (int d = 0; d < r->in.rank; d++)
      if (!r->reduced[d]) r->places[i] = r->places[i] * r->in.dims[d] + dvs_at(&r->in, r->order[i], d);
  }
  return true;
}

#define REDUCE_TYPE(t, op, STEP)                                                               \
  static void op##_##t##_join(const reduction *r, void *pout, uint8_t *seen) {                 \
    const dvp_##t *values = r->in.values.data;                                                 \
    dvp_##t *out = pout;                                                                       \
    for (int64_t i = 0; i < r->in.count; i++) {                                                \
      int64_t at = r->places[i];                                                               \
      const DVP_ARITH_##t a = DVP_LOAD_##t(out[at]), b = DVP_LOAD_##t(values[r->order[i]]);    \
      out[at] = seen[at] ? DVP_STORE_##t(STEP) : values[r->order[i]];                          \
      seen[at] = 1;                                                                            \
    }                                                                                          \
  }                                                                                            \
  static void op##_##t##_compute(void *state, TF_OpKernelContext *ctx) {                       \
    dvp_call call = {ctx, TF_NewStatus()};                                                     \
    reduce(&call, ((const reduce_state *)state)->keep_dims, op##_##t##_join, sizeof(dvp_##t)); \
    TF_DeleteStatus(call.status);                                                              \
  }

static void reduce(dvp_call *call, bool keep_dims, void (*join)(const reduction *, void *, uint8_t *),
                   size_t bytes) {
  reduction r;
  uint8_t *seen = NULL;
  if (read_reduction(call, &r, keep_dims) && (seen = dvs_alloc(call, r.count, 1))) {
    void *out = dvp_output(call, 0, r.dims, r.rank);
    if (out && r.count) {
      memset(seen, 0, (size_t)r.count);
      memset(out, 0, (size_t)r.count * bytes);
      join(&r, out, seen);
    }
  }
  free(seen);
  free(r.order);
  free(r.places);
}

DVP_NUMBERS(REDUCE_TYPE, sparse_sum, a + b)
DVP_REALS(REDUCE_TYPE, sparse_max, a < b ? b : a)
static const dvp_kernel sum_rows[] = {DVP_NUMBERS(DVP_ROW, sparse_sum)};
DVP_DEFINE_SET(sparse_reduce_sum, "T", reduce_create, reduce_destroy, sum_rows);
static const dvp_kernel max_rows[] = {DVP_REALS(DVP_ROW, sparse_max)};
DVP_DEFINE_SET(sparse_reduce_max, "T", reduce_create, reduce_destroy, max_rows);

// ---- SparseAdd ----

// Merges two ordered lists of coordinates. Step i of `from` takes the value of a (1), of b (2), or both (3).
typedef struct merging {
  dvs_sparse a, b;
  int64_t count;
  uint8_t *from;
  const void *thresh;
  void *sums;
  uint8_t *kept;
} merging;

static int compare_at(const merging *m, int64_t i, int64_t j) {
  for (int d = 0; d < m->a.rank; d++) {
    int64_t x = dvs_at(&m->a, i, d), y = dvs_at(&m->b, j, d);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

static void merge(merging *m) {
  int64_t i = 0, j = 0;
  m->count = 0;
  while (i < m->a.count || j < m->b.count) {
    int order = i == m->a.count ? 1 : j == m->b.count ? -1 : compare_at(m, i, j);
    m->from[m->count++] = order < 0 ? 1 : order > 0 ? 2 : 3;
    i += order <= 0;
    j += order >= 0;
  }
}

#define ABS_i8(x) ((x) < 0 ? (int8_t) - (x) : (x))
#define ABS_i16(x) ((x) < 0 ? (int16_t) - (x) : (x))
#define ABS_i32(x) ((x) < 0 ? -(x) : (x))
#define ABS_i64(x) ((x) < 0 ? -(x) : (x))
#define ABS_f32 fabsf
#define ABS_f64 fabs
#define ABS_c64 cabsf
#define ABS_c128 cabs

#define ADD_TYPE(t, r)                                                                 \
  static void add_##t##_sums(merging *m) {                                             \
    const dvp_##t *a = m->a.values.data, *b = m->b.values.data;                        \
    dvp_##t *sums = m->sums;                                                           \
    for (int64_t k = 0; k < m->count; k++) {                                           \
      sums[k] = m->from[k] == 1 ? *a : m->from[k] == 2 ? *b : (dvp_##t)(*a + *b);      \
      a += m->from[k] & 1;                                                             \
      b += m->from[k] >> 1;                                                            \
      m->kept[k] = m->from[k] != 3 || *(const dvp_##r *)m->thresh <= ABS_##t(sums[k]); \
    }                                                                                  \
  }                                                                                    \
  static void add_##t##_compute(void *state, TF_OpKernelContext *ctx) {                \
    (void)state;                                                                       \
    dvp_call call = {ctx, TF_NewStatus()};                                             \
    add(&call, add_##t##_sums, TF_##r, sizeof(dvp_##t));                               \
    TF_DeleteStatus(call.status);                                                      \
  }
#define TF_f32 TF_FLOAT
#define TF_f64 TF_DOUBLE
#define TF_i8 TF_INT8
#define TF_i16 TF_INT16
#define TF_i32 TF_INT32
#define TF_i64 TF_INT64

// The kept sums with their coordinates.
static void output_sums(dvp_call *call, const merging *m, size_t bytes) {
  int64_t n = 0, rank = m->a.rank, i = 0, j = 0;
  for (int64_t k = 0; k < m->count; k++) n += m->kept[k];
  int64_t *indices = dvp_output(call, 0, (const int64_t[]){n, rank}, 2);
  char *values = indices ? dvp_output(call, 1, &n, 1) : NULL;
  int64_t *shape = values ? dvp_output(call, 2, &rank, 1) : NULL;
  if (!shape) return;
  memcpy(shape, m->a.dims, (size_t)rank * sizeof(int64_t));
  for (int64_t k = 0; k < m->count; k++) {
    const int64_t *from = m->from[k] & 1 ? (const int64_t *)m->a.indices.data + i * rank
                                         : (const int64_t *)m->b.indices.data + j * rank;
    i += m->from[k] & 1;
    j += m->from[k] >> 1;
    if (!m->kept[k]) continue;
    memcpy(indices, from, (size_t)rank * sizeof(int64_t));
    memcpy(values, (char *)m->sums + (size_t)k * bytes, bytes);
    indices += rank;
    values += bytes;
  }
}

static void add(dvp_call *call, void (*sum)(merging *), TF_DataType real, size_t bytes) {
  merging m = {0};
  dvp_view thresh;
  if (!dvs_input_sparse(call, 0, 1, 2, &m.a) || !dvs_input_sparse(call, 3, 4, 5, &m.b) ||
      !dvp_input_scalar(call, 6, "thresh", &thresh))
    return;
  if (thresh.dtype != real) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "thresh has dtype %d, but absolute values of the sums %d",
             thresh.dtype, real);
    return;
  }
  if (m.a.rank != m.b.rank || memcmp(m.a.dims, m.b.dims, (size_t)m.a.rank * sizeof(int64_t)) != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Operands' shapes do not match");
    return;
  }
  int64_t most = m.a.count + m.b.count;
  m.thresh = thresh.data;
  m.from = dvs_alloc(call, most, 1);
  m.kept = m.from ? dvs_alloc(call, most, 1) : NULL;
  m.sums = m.kept ? dvs_alloc(call, most, bytes) : NULL;
  if (m.sums) {
    merge(&m);
    sum(&m);
    output_sums(call, &m, bytes);
  }
  free(m.from);
  free(m.kept);
  free(m.sums);
}

ADD_TYPE(i8, i8)
ADD_TYPE(i16, i16)
ADD_TYPE(i32, i32)
ADD_TYPE(i64, i64)
ADD_TYPE(f32, f32)
ADD_TYPE(f64, f64)
ADD_TYPE(c64, f32)
ADD_TYPE(c128, f64)
#define ADD_TYPES(X, ...) DVP_SIGNED(X, __VA_ARGS__) DVP_SINGLES(X, __VA_ARGS__) DVP_COMPLEX(X, __VA_ARGS__)
static const dvp_kernel add_rows[] = {ADD_TYPES(DVP_ROW, add)};
DVP_DEFINE_SET(sparse_add, "T", NULL, NULL, add_rows);
