// Tiles of matrix products over the pool, and the packed right side that a kernel keeps: see product.h.
#include "linalg/product.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// A tile is worth a unit of parallel work from about this many multiplications on.
#define TILE_MACS (1 << 18)
// Columns that a tile keeps at least where rows could be divided instead.
#define WIDE 128
// Rows that a tile keeps at least where columns could be divided instead.
#define MANY_ROWS 192

// ---- the packed right side ----

// With the handle that keeps the plain matrix from changing.
typedef struct packed {
  atomic_int users;
  TF_Tensor *plain;
  int64_t k, n, row, col;
  void *data;
} packed;

// A right side that is another one again and again is not packed any more.
#define MOST_CHANGES 4

struct dvp_pack_cache {
  pthread_mutex_t lock;
  packed *kept;
  int changes;
};

static void packed_release(packed *p) {
  if (!p || atomic_fetch_sub(&p->users, 1) > 1) return;
  TF_DeleteTensor(p->plain);
  free(p->data);
  free(p);
}

dvp_pack_cache *dvp_pack_cache_new(void) {
  dvp_pack_cache *cache = calloc(1, sizeof(*cache));
  if (cache) pthread_mutex_init(&cache->lock, NULL);
  return cache;
}

void dvp_pack_cache_delete(dvp_pack_cache *cache) {
  if (!cache) return;
  packed_release(cache->kept);
  pthread_mutex_destroy(&cache->lock);
  free(cache);
}

static bool is_of(const packed *p, const dvp_products *products) {
  const dvp_gemm *g = &products->g;
  return p && TF_TensorData(p->plain) == products->b && p->k == g->k && p->n == g->n && p->row == g->b_row &&
         p->col == g->b_col;
}

static packed *pack_new(dvp_call *call, const dvp_products *products) {
  const dvp_gemm *g = &products->g;
  const dvp_gemm_packing *packing = products->kernel->packing;
  packed *p = calloc(1, sizeof(*p));
  void *data = p ? aligned_alloc(64, (packing->bytes(g) + 63) / 64 * 64) : NULL;
  if (data) TF_GetInput(call->ctx, products->b_input, &p->plain, call->status);
  if (!data || TF_GetCode(call->status) != TF_OK || TF_TensorData(p->plain) != products->b) {
    if (p) TF_DeleteTensor(p->plain);
    free(data);
    free(p);
    return NULL;
  }
  *p = (packed){.plain = p->plain, .k = g->k, .n = g->n, .row = g->b_row, .col = g->b_col, .data = data};
  atomic_init(&p->users, 1);
  packing->pack(g, products->b, data);
  return p;
}

// The packed form of b, with one reference for the caller; NULL when it is not kept.
static packed *keep_packed(dvp_call *call, const dvp_products *products) {
  dvp_pack_cache *cache = products->cache;
  pthread_mutex_lock(&cache->lock);
  if (!is_of(cache->kept, products)) {
    if (cache->kept) cache->changes++;
    packed_release(cache->kept);
    cache->kept = cache->changes < MOST_CHANGES ? pack_new(call, products) : NULL;
  }
  packed *p = cache->kept;
  if (p) atomic_fetch_add(&p->users, 1);
  pthread_mutex_unlock(&cache->lock);
  return p;
}

// One row takes each weight once, so the plain order does as well; then only what stays in the caches is
// packed.
static bool is_worth_packing(dvp_call *call, const dvp_products *p, int64_t count) {
  const dvp_gemm_packing *packing = p->kernel->packing;
  if (!packing || !p->cache || count != 1 || (p->b_offsets && p->b_offsets[0] != 0)) return false;
  int64_t size = p->g.k * p->g.n;
  return size >= 1024 && (p->g.m > 1 || size <= 1 << 18) && dvt_input_is_stable(call->ctx, p->b_input);
}

// ---- tiles ----

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

typedef struct run {
  const dvp_products *p;
  const packed *packed;                      // NULL: b as it is
  int64_t m_tiles, n_tiles, m_unit, n_step;  // rows are cut at multiples of m_unit
  atomic_bool out_of_memory;
} run;

static int64_t first_row(const run *r, int64_t tile) {
  return DVP_MIN(r->p->g.m, dvp_part(ceil_div(r->p->g.m, r->m_unit), r->m_tiles, tile) * r->m_unit);
}

static void run_tile(run *r, int64_t batch, int64_t m_tile, int64_t n0) {
  const dvp_products *p = r->p;
  const dvp_gemm *g = &p->g;
  const dvp_gemm_kernel *kernel = p->kernel;
  int64_t m0 = first_row(r, m_tile), m1 = first_row(r, m_tile + 1), n1 = DVP_MIN(n0 + r->n_step, g->n);
  const char *a = p->a + (p->a_offsets ? p->a_offsets[batch] : 0) * kernel->bytes;
  const char *b = p->b + (p->b_offsets ? p->b_offsets[batch] : 0) * kernel->bytes;
  char *c = p->c + (p->c_offsets ? p->c_offsets[batch] : 0) * kernel->bytes;
  bool fine = r->packed ? kernel->packing->tile(g, a, r->packed->data, c, m0, m1, n0, n1)
                        : kernel->tile(g, a, b, c, m0, m1, n0, n1);
  if (!fine) atomic_store(&r->out_of_memory, true);
  if (p->after) kernel->apply(p->after, c, m0, m1, n0, n1);
}

static void run_tiles(void *arg, int64_t begin, int64_t end) {
  run *r = arg;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t tile = unit % (r->m_tiles * r->n_tiles);
    run_tile(r, unit / (r->m_tiles * r->n_tiles), tile / r->n_tiles, tile % r->n_tiles * r->n_step);
  }
}

static void clear(dvp_call *call, const dvp_products *p, int64_t count) {
  const dvp_gemm *g = &p->g;
  for (int64_t batch = 0; batch < count; batch++)
    for (int64_t i = 0; i < g->m; i++) {
      int64_t at = (p->c_offsets ? p->c_offsets[batch] : 0) + i * g->c_row;
      memset(p->c + at * p->kernel->bytes, 0, (size_t)(g->n * p->kernel->bytes));
    }
  if (p->after) dvp_epilogue_run(call, p->after, p->kernel->apply, p->c, g->m);
}

// By columns while they stay wide: then no two tiles pack the same part of B, or by rows when that is done
// and there are many, for then no two tiles gather the same rows of A. Else by both.
static void cut(run *r, int64_t wanted) {
  const dvp_gemm *g = &r->p->g;
  bool by_rows = r->packed && g->m >= MANY_ROWS * wanted;
  int64_t columns = by_rows ? 1 : DVP_MAX(1, DVP_MIN(wanted, g->n / (g->m < 16 ? 16 : WIDE)));
  r->n_step = DVP_MAX(16, ceil_div(ceil_div(g->n, columns), 16) * 16);
  r->n_tiles = ceil_div(g->n, r->n_step);
  r->m_unit = r->packed ? 6 : 8;
  int64_t tiles = by_rows ? wanted * ceil_div(g->m, MANY_ROWS * wanted) : ceil_div(wanted, r->n_tiles);
  r->m_tiles = DVP_MIN(tiles, ceil_div(g->m, r->m_unit));
}

void dvp_products_run(dvp_call *call, const dvp_products *p, int64_t count) {
  const dvp_gemm *g = &p->g;
  if (count == 0 || g->m == 0 || g->n == 0) return;
  if (g->k == 0) {
    clear(call, p, count);
    return;
  }
  run r = {.p = p};
  int64_t wanted = ceil_div(dvt_num_threads(call->ctx), count);
  double macs = (double)g->m * (double)g->n * (double)g->k;
  if (macs < 2.0 * TILE_MACS) wanted = 1;
  packed *packed = is_worth_packing(call, p, count) ? keep_packed(call, p) : NULL;
  r.packed = packed;
  cut(&r, wanted);
  double cost = macs / (double)(r.m_tiles * r.n_tiles) * p->kernel->ps_per_mac;
  dvp_parallel(call, count * r.m_tiles * r.n_tiles, cost < 1e15 ? (int64_t)cost + 1000 : (int64_t)1e15,
               run_tiles, &r);
  packed_release(packed);
  if (atomic_load(&r.out_of_memory))
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory in a matrix product");
}
