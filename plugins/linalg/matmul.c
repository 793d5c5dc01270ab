// MatMul and BatchMatMul: shapes, broadcasting of batches, and cutting C into tiles for the pool.
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/broadcast.h"
#include "common/call.h"
#include "linalg/gemm.h"

// A tile is worth a unit of parallel work from about this many multiplications on.
#define TILE_MACS (1 << 18)
// Columns that a tile keeps at least where rows could be divided instead.
#define WIDE 128

typedef struct matmul_state {
  bool transpose_a, transpose_b;  // of BatchMatMul: adjoint
  bool fused;
  dvp_fusion fusion;
} matmul_state;

void *dvp_mat_mul_create(TF_OpKernelConstruction *ctx) {
  matmul_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->transpose_a = dvp_attr_bool(ctx, "transpose_a");
  state->transpose_b = dvp_attr_bool(ctx, "transpose_b");
  return state;
}

void *dvp_fused_mat_mul_create(TF_OpKernelConstruction *ctx) {
  matmul_state *state = dvp_mat_mul_create(ctx);
  if (!state) return NULL;
  state->fused = true;
  dvp_fusion_read(ctx, &state->fusion);
  return state;
}

void *dvp_batch_mat_mul_create(TF_OpKernelConstruction *ctx) {
  matmul_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->transpose_a = dvp_attr_bool(ctx, "adj_x");
  state->transpose_b = dvp_attr_bool(ctx, "adj_y");
  return state;
}

static bool is_byte(TF_DataType dtype) { return dtype == TF_INT8 || dtype == TF_UINT8; }

void *dvp_batch_mat_mul_v3_create(TF_OpKernelConstruction *ctx) {
  TF_DataType a = dvp_attr_type(ctx, "Ta"), b = dvp_attr_type(ctx, "Tb"), out = dvp_attr_type(ctx, "Tout");
  bool bytes = is_byte(a) && is_byte(b) && out == TF_INT32;
  if (!bytes && (a != b || a != out))
    dvp_create_fail(ctx, TF_UNIMPLEMENTED,
                    "BatchMatMulV3 of dtypes %d and %d to %d: the three must be the same, or bytes and int32",
                    a, b, out);
  return dvp_batch_mat_mul_create(ctx);
}

void dvp_mat_mul_destroy(void *state) { free(state); }

// The two matrices of a batch element; offsets in elements come from `space` when batches broadcast.
typedef struct product {
  const dvp_gemm_kernel *kernel;
  dvp_gemm g;
  const char *a, *b;
  char *c;
  const int64_t *a_offsets, *b_offsets;  // per batch element; NULL for one batch
  int64_t m_tiles, n_tiles, m_step, n_step;
  const dvp_epilogue *after;  // NULL: none
  atomic_bool out_of_memory;
} product;

static void run_tiles(void *arg, int64_t begin, int64_t end) {
  product *p = arg;
  const dvp_gemm *g = &p->g;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t batch = unit / (p->m_tiles * p->n_tiles), tile = unit % (p->m_tiles * p->n_tiles);
    int64_t m0 = tile / p->n_tiles * p->m_step, n0 = tile % p->n_tiles * p->n_step;
    int64_t a = p->a_offsets ? p->a_offsets[batch] : 0, b = p->b_offsets ? p->b_offsets[batch] : 0;
    if (!p->kernel->tile(g, p->a + a * p->kernel->bytes, p->b + b * p->kernel->bytes,
                         p->c + batch * g->m * g->n * p->kernel->bytes, m0, DVP_MIN(m0 + p->m_step, g->m), n0,
                         DVP_MIN(n0 + p->n_step, g->n)))
      atomic_store(&p->out_of_memory, true);
    if (p->after)
      p->kernel->apply(p->after, p->c, m0, DVP_MIN(m0 + p->m_step, g->m), n0, DVP_MIN(n0 + p->n_step, g->n));
  }
}

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void multiply(dvp_call *call, product *p, int64_t batches) {
  dvp_gemm *g = &p->g;
  if (batches == 0 || g->m == 0 || g->n == 0) return;
  if (g->k == 0) {
    memset(p->c, 0, (size_t)(batches * g->m * g->n * p->kernel->bytes));
    if (p->after) dvp_epilogue_run(call, p->after, p->kernel->apply, p->c, g->m);
    return;
  }
  int64_t threads = dvt_num_threads(call->ctx), wanted = ceil_div(threads, batches);
  double macs = (double)g->m * (double)g->n * (double)g->k;
  if (macs < 2.0 * TILE_MACS) wanted = 1;
  // By columns while they stay wide: then no two tiles pack the same part of B. Else by rows too.
  int64_t columns = DVP_MAX(1, DVP_MIN(wanted, g->n / (g->m < 16 ? 16 : WIDE)));
  p->n_step = DVP_MAX(16, ceil_div(ceil_div(g->n, columns), 16) * 16);
  p->n_tiles = ceil_div(g->n, p->n_step);
  p->m_step = DVP_MAX(8, ceil_div(ceil_div(g->m, ceil_div(wanted, p->n_tiles)), 8) * 8);
  p->m_tiles = ceil_div(g->m, p->m_step);
  double cost = macs / (double)(p->m_tiles * p->n_tiles) * p->kernel->ps_per_mac;
  dvp_parallel(call, batches * p->m_tiles * p->n_tiles, cost < 1e15 ? (int64_t)cost + 1000 : (int64_t)1e15,
               run_tiles, p);
  if (atomic_load(&p->out_of_memory))
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory in a matrix product");
}

// Fills the strides of matrices whose last two dims are given, and checks that they fit.
static bool set_matrices(dvp_call *call, const dvp_view *a, const dvp_view *b, const matmul_state *options,
                         bool conjugate, dvp_gemm *g) {
  int64_t ar = a->dims[a->rank - 2], ac = a->dims[a->rank - 1], br = b->dims[b->rank - 2],
          bc = b->dims[b->rank - 1];
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  *g = (dvp_gemm){.m = options->transpose_a ? ac : ar,
                  .k = options->transpose_a ? ar : ac,
                  .n = options->transpose_b ? br : bc,
                  .a_row = options->transpose_a ? 1 : ac,
                  .a_col = options->transpose_a ? ac : 1,
                  .b_row = options->transpose_b ? 1 : bc,
                  .b_col = options->transpose_b ? bc : 1,
                  .conj_a = conjugate && options->transpose_a,
                  .conj_b = conjugate && options->transpose_b};
  if (g->k == (options->transpose_b ? bc : br)) return true;
  return dvp_fail(call, TF_INVALID_ARGUMENT, "Matrix size-incompatible: In[0]: %s%s, In[1]: %s%s",
                  dvp_shape_text(a->dims, a->rank, ta), options->transpose_a ? " transposed" : "",
                  dvp_shape_text(b->dims, b->rank, tb), options->transpose_b ? " transposed" : "");
}

static bool is_matrix(dvp_call *call, int index, const dvp_view *in) {
  char text[DVP_SHAPE_TEXT];
  return in->rank == 2 ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "In[%d] is not a matrix. Instead it has shape %s", index,
                  dvp_shape_text(in->dims, in->rank, text));
}

void dvp_mat_mul_run(void *arg, TF_OpKernelContext *ctx, const dvp_gemm_kernel *kernel) {
  const matmul_state *state = arg;
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view a, b;
  product p = {.kernel = kernel};
  dvp_epilogue after = {.scratch = NULL};
  if (dvp_input(&call, 0, &a) && dvp_input(&call, 1, &b) && is_matrix(&call, 0, &a) &&
      is_matrix(&call, 1, &b) && set_matrices(&call, &a, &b, state, false, &p.g)) {
    int64_t dims[2] = {p.g.m, p.g.n};
    p.a = a.data;
    p.b = b.data;
    if (!state->fused || dvp_epilogue_open(&call, &state->fusion, a.dtype, dims, 2, dims, &after)) {
      p.after = state->fused ? &after : NULL;
      p.c = dvp_output(&call, 0, dims, 2);
      if (p.c) multiply(&call, &p, 1);
    }
    dvp_epilogue_close(&after);
  }
  TF_DeleteStatus(call.status);
}

typedef struct offsets {
  int64_t *a, *b;
  int64_t a_size, b_size;  // elements of one matrix
  int64_t a_step, b_step;  // 0 or 1: how the innermost batch dim walks
} offsets;

static void offset_row(void *arg, const int64_t *at, int64_t out_offset, int64_t n) {
  offsets *o = arg;
  for (int64_t i = 0; i < n; i++) {
    o->a[out_offset + i] = (at[0] + i * o->a_step) * o->a_size;
    o->b[out_offset + i] = (at[1] + i * o->b_step) * o->b_size;
  }
}

// The dims before the last two, as a view without data.
static void batch_of(const dvp_view *in, dvp_view *out) {
  out->rank = in->rank - 2;
  out->count = dvp_product(in->dims, 0, out->rank);
  memcpy(out->dims, in->dims, (size_t)out->rank * sizeof(int64_t));
}

static void batch_multiply(dvp_call *call, product *p, const dvp_view *a, const dvp_view *b, bool broadcast) {
  dvp_view batch_a, batch_b;
  dvp_broadcast space;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  batch_of(a, &batch_a);
  batch_of(b, &batch_b);
  if (!(broadcast || dvp_same_shape(&batch_a, &batch_b)) ||
      !dvp_broadcast_init(&space, (const dvp_view *const[]){&batch_a, &batch_b}, 2)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "In[0] and In[1] must have compatible batch dimensions: %s vs. %s",
             dvp_shape_text(a->dims, a->rank, ta), dvp_shape_text(b->dims, b->rank, tb));
    return;
  }
  int64_t batches = space.out_count;
  if (space.out_rank + 2 > DVP_MAX_RANK) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The product would have more than %d dimensions", DVP_MAX_RANK);
    return;
  }
  space.out_dims[space.out_rank] = p->g.m;
  space.out_dims[space.out_rank + 1] = p->g.n;
  p->c = dvp_output(call, 0, space.out_dims, space.out_rank + 2);
  if (!p->c || batches == 0) return;
  TF_Tensor *scratch = NULL;
  int64_t *table = dvp_temp(call, (size_t)batches * 2 * sizeof(int64_t), &scratch);
  if (!table) return;
  int last = space.rank - 1;
  offsets o = {table,           table + batches,        p->g.m * p->g.k,
               p->g.k * p->g.n, space.strides[0][last], space.strides[1][last]};
  dvp_broadcast_rows(&space, 0, batches, offset_row, &o);
  p->a_offsets = o.a;
  p->b_offsets = o.b;
  p->a = a->data;
  p->b = b->data;
  multiply(call, p, batches);
  dvp_free_temp(scratch);
}

// Bytes become int32, in scratch memory; other views stay. False after a failure.
static bool widen_bytes(dvp_call *call, dvp_view *in, TF_Tensor **out_scratch) {
  if (!is_byte(in->dtype) || in->count == 0) return true;
  int32_t *wide = dvp_temp(call, (size_t)in->count * sizeof(*wide), out_scratch);
  if (!wide) return false;
  const void *data = in->data;
  for (int64_t i = 0; i < in->count; i++)
    wide[i] = in->dtype == TF_INT8 ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
  in->data = wide;
  in->dtype = TF_INT32;
  return true;
}

void dvp_batch_mat_mul_run(void *state, TF_OpKernelContext *ctx, const dvp_gemm_kernel *kernel,
                           bool broadcast) {
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view a, b;
  TF_Tensor *wide_a = NULL, *wide_b = NULL;
  product p = {.kernel = kernel};
  if (dvp_input(&call, 0, &a) && dvp_input(&call, 1, &b)) {
    if (a.rank < 2 || b.rank < 2)
      dvp_fail(&call, TF_INVALID_ARGUMENT, "In[%d] ndims must be >= 2: %d", a.rank < 2 ? 0 : 1,
               a.rank < 2 ? a.rank : b.rank);
    else if (set_matrices(&call, &a, &b, state, true, &p.g) && widen_bytes(&call, &a, &wide_a) &&
             widen_bytes(&call, &b, &wide_b))
      batch_multiply(&call, &p, &a, &b, broadcast);
  }
  dvp_free_temp(wide_a);
  dvp_free_temp(wide_b);
  TF_DeleteStatus(call.status);
}
