// MatMul and BatchMatMul: shapes and broadcasting of batches.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/broadcast.h"
#include "common/call.h"
#include "linalg/product.h"

typedef struct matmul_state {
  bool transpose_a, transpose_b;  // of BatchMatMul: adjoint
  bool fused;
  dvp_fusion fusion;
  dvp_pack_cache *cache;
} matmul_state;

void *dvp_mat_mul_create(TF_OpKernelConstruction *ctx) {
  matmul_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->cache = dvp_pack_cache_new();
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
  state->cache = dvp_pack_cache_new();
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

void dvp_mat_mul_destroy(void *arg) {
  matmul_state *state = arg;
  if (state) dvp_pack_cache_delete(state->cache);
  free(state);
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
                  .c_row = options->transpose_b ? br : bc,
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
  dvp_products p = {.kernel = kernel, .cache = state->cache, .b_input = 1};
  dvp_epilogue after = {.scratch = NULL};
  if (dvp_input(&call, 0, &a) && dvp_input(&call, 1, &b) && is_matrix(&call, 0, &a) &&
      is_matrix(&call, 1, &b) && set_matrices(&call, &a, &b, state, false, &p.g)) {
    int64_t dims[2] = {p.g.m, p.g.n};
    p.a = a.data;
    p.b = b.data;
    if (!state->fused || dvp_epilogue_open(&call, &state->fusion, a.dtype, dims, 2, dims, NULL, &after)) {
      p.after = state->fused ? &after : NULL;
      p.c = dvp_output(&call, 0, dims, 2);
      if (p.c) dvp_products_run(&call, &p, 1);
    }
    dvp_epilogue_close(&after);
  }
  TF_DeleteStatus(call.status);
}

typedef struct offsets {
  int64_t *a, *b, *c;
  int64_t a_size, b_size, c_size;  // elements of one matrix
  int64_t a_step, b_step;          // 0 or 1: how the innermost batch dim walks
} offsets;

static void offset_row(void *arg, const int64_t *at, int64_t out_offset, int64_t n) {
  offsets *o = arg;
  for (int64_t i = 0; i < n; i++) {
    o->a[out_offset + i] = (at[0] + i * o->a_step) * o->a_size;
    o->b[out_offset + i] = (at[1] + i * o->b_step) * o->b_size;
    o->c[out_offset + i] = (out_offset + i) * o->c_size;
  }
}

// The dims before the last two, as a view without data.
static void batch_of(const dvp_view *in, dvp_view *out) {
  out->rank = in->rank - 2;
  out->count = dvp_product(in->dims, 0, out->rank);
  memcpy(out->dims, in->dims, (size_t)out->rank * sizeof(int64_t));
}

static void batch_multiply(dvp_call *call, dvp_products *p, const dvp_view *a, const dvp_view *b,
                           bool broadcast) {
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
  int64_t *table = dvp_temp(call, (size_t)batches * 3 * sizeof(int64_t), &scratch);
  if (!table) return;
  int last = space.rank - 1;
  offsets o = {.a = table,
               .b = table + batches,
               .c = table + 2 * batches,
               .a_size = p->g.m * p->g.k,
               .b_size = p->g.k * p->g.n,
               .c_size = p->g.m * p->g.n,
               .a_step = space.strides[0][last],
               .b_step = space.strides[1][last]};
  dvp_broadcast_rows(&space, 0, batches, offset_row, &o);
  p->a_offsets = o.a;
  p->b_offsets = o.b;
  p->c_offsets = o.c;
  p->a = a->data;
  p->b = b->data;
  dvp_products_run(call, p, batches);
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

void dvp_batch_mat_mul_run(void *arg, TF_OpKernelContext *ctx, const dvp_gemm_kernel *kernel,
                           bool broadcast) {
  const matmul_state *state = arg;
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view a, b;
  TF_Tensor *wide_a = NULL, *wide_b = NULL;
  dvp_products p = {.kernel = kernel, .cache = state->cache, .b_input = 1};
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
