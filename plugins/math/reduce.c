// Driver of the reductions: axes, output shape, merged iteration space, parallel loop over outputs.
#include "math/reduce.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Outputs that are accumulated side by side when the last dim is kept: their accumulators fit the first-level
// cache.
#define TILE 512
// Rows shorter than this are summed across outputs instead of along themselves.
#define SHORT_ROW 32
// A single long row is cut into pieces of this many elements, each a unit of parallel work.
#define PIECE 65536

typedef struct reduce_state {
  bool keep_dims;
} reduce_state;

void *dvp_reduce_create(TF_OpKernelConstruction *ctx) {
  reduce_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->keep_dims = dvp_attr_bool(ctx, "keep_dims");
  return state;
}
void dvp_reduce_destroy(void *state) { free(state); }

// The merged space: dims of the same role that lie side by side are one.
typedef struct space {
  int rank;
  int64_t dims[DVP_MAX_RANK], strides[DVP_MAX_RANK];
  bool reduced[DVP_MAX_RANK];
  bool inner_reduced;     // role of the last dim
  int64_t inner;          // size of the last dim
  int64_t outer_kept;     // outputs, or rows of outputs when the last dim is kept
  int64_t outer_reduced;  // rows that go into each
  int64_t reduced_count;  // elements that go into each output
} space;

static void merge(const dvp_view *in, const bool *reduced, space *s) {
  memset(s, 0, offsetof(space, dims));
  int64_t stride = in->count;
  s->rank = 0;
  for (int i = 0; i < in->rank; i++) {
    int64_t dim = in->dims[i];
    if (dim == 1) continue;
    stride /= dim;
    int last = s->rank - 1;
    if (last >= 0 && s->reduced[last] == reduced[i]) {
      s->dims[last] *= dim;
      s->strides[last] = stride;
    } else {
      s->dims[s->rank] = dim;
      s->strides[s->rank] = stride;
      s->reduced[s->rank++] = reduced[i];
    }
  }
  if (s->rank == 0) {
    s->dims[0] = s->strides[0] = 1;
    s->reduced[0] = true;
    s->rank = 1;
  }
  int last = s->rank - 1;
  s->inner_reduced = s->reduced[last];
  s->inner = s->dims[last];
  s->outer_kept = s->outer_reduced = s->reduced_count = 1;
  for (int i = 0; i < s->rank; i++) {
    if (s->reduced[i]) s->reduced_count *= s->dims[i];
    if (i == last) break;
    if (s->reduced[i])
      s->outer_reduced *= s->dims[i];
    else
      s->outer_kept *= s->dims[i];
  }
}

// Element offset of the `index`-th combination of the dims with this role, the last dim not counted.
static int64_t offset_of(const space *s, bool reduced, int64_t index) {
  int64_t offset = 0;
  for (int i = s->rank - 2; i >= 0 && index; i--) {
    if (s->reduced[i] != reduced) continue;
    offset += index % s->dims[i] * s->strides[i];
    index /= s->dims[i];
  }
  return offset;
}

typedef struct run {
  const dvp_reducer *r;
  const space *s;
  const char *in;
  char *out;
  char *partials;  // one accumulator per piece of a single long row
} run;

typedef union accumulators {
  char bytes[TILE * DVP_ACCUMULATOR_BYTES];
  double _Complex align;
} accumulators;

// Folds n contiguous elements into acc[0]; `lanes` is scratch.
static void fold(const dvp_reducer *r, const char *in, int64_t n, void *acc, accumulators *lanes) {
  if (n >= 2 * DVP_REDUCE_LANES) {
    r->init(lanes->bytes, DVP_REDUCE_LANES);
    for (; n >= DVP_REDUCE_LANES; n -= DVP_REDUCE_LANES, in += DVP_REDUCE_LANES * r->in_bytes)
      r->accumulate(lanes->bytes, in, DVP_REDUCE_LANES);
    for (int half = DVP_REDUCE_LANES / 2; half; half /= 2)
      r->combine(lanes->bytes, lanes->bytes + half * r->acc_bytes, half);
    r->combine(acc, lanes->bytes, 1);
  }
  for (; n > 0; n--, in += r->in_bytes) r->accumulate(acc, in, 1);
}

static void reduce_inner(void *arg, int64_t begin, int64_t end) {
  const run *q = arg;
  const dvp_reducer *r = q->r;
  const space *s = q->s;
  accumulators lanes;
  double _Complex acc[DVP_ACCUMULATOR_BYTES / sizeof(double _Complex)];
  for (int64_t k = begin; k < end; k++) {
    const char *base = q->in + offset_of(s, false, k) * r->in_bytes;
    r->init(acc, 1);
    for (int64_t j = 0; j < s->outer_reduced; j++)
      fold(r, base + offset_of(s, true, j) * r->in_bytes, s->inner, acc, &lanes);
    r->finish(acc, q->out + k * r->out_bytes, 1, s->reduced_count);
  }
}

// Units are tiles of outputs along the kept last dim.
static void reduce_outer(void *arg, int64_t begin, int64_t end) {
  const run *q = arg;
  const dvp_reducer *r = q->r;
  const space *s = q->s;
  accumulators acc;
  int64_t tiles = (s->inner + TILE - 1) / TILE;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t k = unit / tiles, first = unit % tiles * TILE, n = DVP_MIN(TILE, s->inner - first);
    const char *base = q->in + (offset_of(s, false, k) + first) * r->in_bytes;
    r->init(acc.bytes, n);
    for (int64_t j = 0; j < s->outer_reduced; j++)
      r->accumulate(acc.bytes, base + offset_of(s, true, j) * r->in_bytes, n);
    r->finish(acc.bytes, q->out + (k * s->inner + first) * r->out_bytes, n, s->reduced_count);
  }
}

// Units are tiles of outputs, each of a short contiguous row: the rows are taken side by side.
static void reduce_short(void *arg, int64_t begin, int64_t end) {
  const run *q = arg;
  const dvp_reducer *r = q->r;
  const space *s = q->s;
  accumulators acc;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t first = unit * TILE, n = DVP_MIN(TILE, s->outer_kept - first);
    r->init(acc.bytes, n);
    for (int64_t j = 0; j < s->inner; j++)
      r->accumulate_strided(acc.bytes, q->in + (first * s->inner + j) * r->in_bytes, n, s->inner);
    r->finish(acc.bytes, q->out + first * r->out_bytes, n, s->reduced_count);
  }
}

static void reduce_pieces(void *arg, int64_t begin, int64_t end) {
  const run *q = arg;
  accumulators lanes;
  for (int64_t piece = begin; piece < end; piece++) {
    char *acc = q->partials + piece * q->r->acc_bytes;
    q->r->init(acc, 1);
    fold(q->r, q->in + piece * PIECE * q->r->in_bytes, DVP_MIN(PIECE, q->s->inner - piece * PIECE), acc,
         &lanes);
  }
}

// One output from one long row: the pieces are the same for any number of threads, so the result is too.
static void reduce_row(dvp_call *call, run *q) {
  int64_t pieces = (q->s->inner + PIECE - 1) / PIECE;
  TF_Tensor *scratch;
  q->partials = dvp_temp(call, (size_t)(pieces * q->r->acc_bytes), &scratch);
  if (!q->partials) return;
  dvp_parallel(call, pieces, (int64_t)PIECE * q->r->cost_ps, reduce_pieces, q);
  for (int64_t i = 1; i < pieces; i++) q->r->combine(q->partials, q->partials + i * q->r->acc_bytes, 1);
  q->r->finish(q->partials, q->out, 1, q->s->reduced_count);
  dvp_free_temp(scratch);
}

static bool read_axes(dvp_call *call, const dvp_view *in, bool *reduced) {
  int64_t axes[DVP_MAX_RANK];
  int count;
  if (!dvp_input_flat_ints(call, 1, "reduction_indices", axes, DVP_MAX_RANK, &count)) return false;
  memset(reduced, 0, DVP_MAX_RANK * sizeof(*reduced));
  for (int i = 0; i < count; i++) {
    int64_t axis = axes[i];
    if (axis < -in->rank || axis >= in->rank)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Invalid reduction dimension (%" PRId64 " for input with %d dimension(s))", axis,
                      in->rank);
    if (axis < 0) axis += in->rank;
    if (reduced[axis])
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Invalid reduction arguments: Axes contains duplicate dimension: %" PRId64, axis);
    reduced[axis] = true;
  }
  return true;
}

void dvp_reduce_run(void *state, TF_OpKernelContext *ctx, const dvp_reducer *reducer) {
  const reduce_state *options = state;
  dvp_call call = {ctx, TF_NewStatus()};
  dvp_view in;
  bool reduced[DVP_MAX_RANK];
  if (dvp_input(&call, 0, &in) && read_axes(&call, &in, reduced)) {
    int64_t dims[DVP_MAX_RANK], outputs = 1;
    int rank = 0;
    for (int i = 0; i < in.rank; i++) {
      if (!reduced[i]) outputs *= in.dims[i];
      if (!reduced[i] || options->keep_dims) dims[rank++] = reduced[i] ? 1 : in.dims[i];
    }
    run q = {.r = reducer, .in = in.data, .out = dvp_output(&call, 0, dims, rank)};
    if (q.out && outputs > 0 && in.count == 0) {
      double _Complex acc[DVP_ACCUMULATOR_BYTES / sizeof(double _Complex)];
      for (int64_t i = 0; i < outputs; i++) {
        reducer->init(acc, 1);
        reducer->finish(acc, q.out + i * reducer->out_bytes, 1, 0);
      }
    } else if (q.out && outputs > 0) {
      space s;
      merge(&in, reduced, &s);
      q.s = &s;
      int64_t row_ps = reducer->cost_ps * s.outer_reduced;
      if (!s.inner_reduced)
        dvp_parallel(&call, s.outer_kept * ((s.inner + TILE - 1) / TILE), row_ps * DVP_MIN(TILE, s.inner),
                     reduce_outer, &q);
      else if (s.rank == 2 && s.inner < SHORT_ROW)
        dvp_parallel(&call, (s.outer_kept + TILE - 1) / TILE, row_ps * s.inner * DVP_MIN(TILE, s.outer_kept),
                     reduce_short, &q);
      else if (outputs == 1 && s.outer_reduced == 1 && s.inner > 2 * PIECE)
        reduce_row(&call, &q);
      else
        dvp_parallel(&call, s.outer_kept, row_ps * s.inner, reduce_inner, &q);
    }
  }
  TF_DeleteStatus(call.status);
}
