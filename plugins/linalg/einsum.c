// Einsum as products of matrices. Every label is an axis with a stride in each operand and in the result, so
// that diagonals, repeated and broadcast dimensions are only other strides. Axes of one input alone that the
// result lacks are summed up first. Of two inputs, what is in both and in the result numbers the products;
// what is in one makes the rows or the columns, and the rest is summed over. Operands are copied only where a
// group of axes is no single stride.
#include "linalg/einsum.h"

#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/strided.h"
#include "linalg/product.h"

#define MAX_AXES (2 * DVP_MAX_RANK)
#define RESULT DVP_EINSUM_INPUTS

typedef struct axis {
  int label;
  int64_t size, stride[3];  // of the two inputs and the result
  bool in[3];
} axis;

typedef struct einsum_state {
  dvp_equation equation;
  dvp_pack_cache *cache;
} einsum_state;

typedef struct work {
  dvp_call *call;
  einsum_state *state;
  const dvp_gemm_kernel *kernel;
  dvp_sum_rows sum_rows;
  dvp_view inputs[DVP_EINSUM_INPUTS];
  const char *data[DVP_EINSUM_INPUTS];
  TF_Tensor *scratch[3 * DVP_EINSUM_INPUTS + 1];
  int scratch_count;
  int axis_count;
  axis axes[MAX_AXES];
  int rank;  // of the result
  int64_t dims[DVP_MAX_RANK];
  char *out;
} work;

void *dvp_einsum_create(TF_OpKernelConstruction *ctx) {
  einsum_state *state = dvp_state_new(ctx, sizeof(*state));
  size_t len = 0;
  char *text = state ? dvp_attr_string_new(ctx, "equation", &len) : NULL;
  TF_Status *status = TF_NewStatus();
  if (text && !dvp_equation_parse(text, len, &state->equation, status))
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "%s", TF_Message(status));
  if (state) state->cache = dvp_pack_cache_new();
  TF_DeleteStatus(status);
  free(text);
  return state;
}

void dvp_einsum_destroy(void *arg) {
  einsum_state *state = arg;
  if (state) dvp_pack_cache_delete(state->cache);
  free(state);
}

static void *new_scratch(work *w, int64_t count) {
  TF_Tensor **at = &w->scratch[w->scratch_count++];
  return dvp_temp(w->call, (size_t)DVP_MAX(1, count) * (size_t)w->kernel->bytes, at);
}

// ---- axes ----

static axis *find_axis(work *w, int label) {
  for (int i = 0; i < w->axis_count; i++)
    if (w->axes[i].label == label) return &w->axes[i];
  axis *fresh = &w->axes[w->axis_count++];
  *fresh = (axis){.label = label, .size = 1};
  return fresh;
}

// A dimension of an ellipsis gives way when it is 1.
static bool set_size(work *w, axis *a, int operand, int dim) {
  const dvp_view *in = &w->inputs[operand];
  int64_t size = in->dims[dim];
  char text[DVP_SHAPE_TEXT];
  bool seen = a->in[0] || a->in[1], gives_way = a->label < 0 && size == 1;
  if (seen && a->size != size && !gives_way && !(a->label < 0 && a->size == 1))
    return dvp_fail(
        w->call, TF_INVALID_ARGUMENT,
        "Einsum: expected dimension %lld at axis %d of the input shaped %s but got dimension %lld",
        (long long)a->size, dim, dvp_shape_text(in->dims, in->rank, text), (long long)size);
  if (!gives_way || !seen) a->size = size;
  return true;
}

static bool add_input(work *w, int operand) {
  const dvp_view *in = &w->inputs[operand];
  const dvp_einsum_term *term = &w->state->equation.inputs[operand];
  int64_t strides[DVP_MAX_RANK];
  dvp_strides(in->dims, in->rank, strides);
  if (in->rank < term->count || (term->ellipsis < 0 && in->rank > term->count))
    return dvp_fail(w->call, TF_INVALID_ARGUMENT, "Einsum: expected input %d to have rank %s%d but got: %d",
                    operand, term->ellipsis < 0 ? "" : "at least ", term->count, in->rank);
  for (int d = 0, label; d < in->rank && dvp_einsum_label(term, in->rank, d, &label); d++) {
    axis *a = find_axis(w, label);
    if (!set_size(w, a, operand, d)) return false;
    a->in[operand] = true;
    if (label >= 0 || in->dims[d] != 1) a->stride[operand] += strides[d];
  }
  return true;
}

static bool add_result(work *w) {
  const dvp_einsum_term *term = &w->state->equation.output;
  int inner = 0, label;
  int64_t strides[DVP_MAX_RANK], count;
  for (int i = 0; i < w->axis_count; i++) inner = DVP_MAX(inner, -w->axes[i].label);
  if (inner && term->ellipsis < 0)
    return dvp_fail(w->call, TF_INVALID_ARGUMENT,
                    "Einsum: the inputs have %d dimension(s) of an ellipsis, which the output leaves out",
                    inner);
  w->rank = term->count + inner;
  if (w->rank > DVP_MAX_RANK)
    return dvp_fail(w->call, TF_INVALID_ARGUMENT, "Einsum: the result would have %d dimensions", w->rank);
  for (int d = 0; d < w->rank && dvp_einsum_label(term, w->rank, d, &label); d++)
    w->dims[d] = find_axis(w, label)->size;
  if (!dvp_count(w->call, w->dims, w->rank, &count)) return false;
  dvp_strides(w->dims, w->rank, strides);
  for (int d = 0; d < w->rank && dvp_einsum_label(term, w->rank, d, &label); d++) {
    axis *a = find_axis(w, label);
    a->in[RESULT] = true;
    a->stride[RESULT] += strides[d];
  }
  return true;
}

// Axes of one step are left out: they change no address. Those of an ellipsis count as in both inputs, so
// that the one that is broadcast is walked with stride 0 and not copied.
static void simplify(work *w) {
  int kept = 0;
  for (int i = 0; i < w->axis_count; i++) {
    axis a = w->axes[i];
    if (a.label < 0 && w->state->equation.input_count == DVP_EINSUM_INPUTS) a.in[0] = a.in[1] = true;
    if (a.size != 1) w->axes[kept++] = a;
  }
  w->axis_count = kept;
}

static bool is_empty(const work *w) {
  for (int i = 0; i < w->axis_count; i++)
    if (w->axes[i].size == 0) return true;
  return false;
}

// ---- steps ----

typedef struct group {
  int count;
  axis *axes[MAX_AXES];
} group;

static int64_t size_of(const group *g) {
  int64_t n = 1;
  for (int i = 0; i < g->count; i++) n *= g->axes[i]->size;
  return n;
}

// The axes that are in the operands of `in` and in no other, by falling stride in operand `by`.
static group select_axes(work *w, bool a, bool b, bool result, int by) {
  group g = {.count = 0};
  for (int i = 0; i < w->axis_count; i++) {
    axis *x = &w->axes[i];
    if (x->in[0] != a || x->in[1] != b || x->in[RESULT] != result) continue;
    int at = g.count++;
    for (; at > 0 && g.axes[at - 1]->stride[by] < x->stride[by]; at--) g.axes[at] = g.axes[at - 1];
    g.axes[at] = x;
  }
  return g;
}

// The stride with which the whole group is walked in an operand; 0 when there is no single one, 1 for an
// empty group.
static int64_t merged_stride(const group *g, int operand) {
  for (int i = 0; i + 1 < g->count; i++)
    if (g->axes[i]->stride[operand] != g->axes[i + 1]->stride[operand] * g->axes[i + 1]->size) return 0;
  return g->count ? g->axes[g->count - 1]->stride[operand] : 1;
}

// Sums an input over the axes that nothing else has; it is then dense.
static bool sum_alone(work *w, int operand) {
  dvp_box box = {.rank = 0};
  int64_t alone = 1, rest = 1, stride = 1;
  for (int i = 0; i < w->axis_count; i++) {
    const axis *a = &w->axes[i];
    if (!a->in[operand] || a->stride[operand] == 0) continue;
    *(a->in[1 - operand] || a->in[RESULT] ? &rest : &alone) *= a->size;
  }
  if (alone == 1) return true;
  for (int pass = 0; pass < 2; pass++)  // from the inside out
    for (int i = w->axis_count - 1; i >= 0; i--) {
      axis *a = &w->axes[i];
      if (!a->in[operand] || a->stride[operand] == 0 || (a->in[1 - operand] || a->in[RESULT]) != (pass == 1))
        continue;
      dvp_box_add(&box, a->size, a->stride[operand], stride);
      stride *= a->size;
      a->stride[operand] = pass == 1 ? stride / a->size / alone : 0;
      if (pass == 0) a->in[operand] = false;
    }
  char *ordered = new_scratch(w, rest * alone), *sums = ordered ? new_scratch(w, rest) : NULL;
  if (!sums) return false;
  dvp_box_copy(w->call, &box, w->inputs[operand].dtype, w->data[operand], ordered);
  w->sum_rows(ordered, sums, rest, alone);
  w->data[operand] = sums;
  return true;
}

// Copies one operand, or a dense scratch, into the result; elements beside its diagonals are 0.
static void spread(work *w, const char *from, int operand) {
  dvp_box box = {.rank = 0};
  int64_t spread_count = 1;
  for (int i = 0; i < w->axis_count; i++) {
    const axis *a = &w->axes[i];
    if (!a->in[RESULT]) continue;
    dvp_box_add(&box, a->size, a->stride[operand], a->stride[RESULT]);
    spread_count *= a->size;
  }
  int64_t count = dvp_product(w->dims, 0, w->rank);
  if (spread_count != count) memset(w->out, 0, (size_t)(count * w->kernel->bytes));
  dvp_box_copy(w->call, &box, w->inputs[0].dtype, from, w->out);
}

// Makes an input dense in the order batch, rows, columns, when its groups have no single strides of which one
// is 1.
static bool arrange(work *w, int operand, const group *batch, const group *rows, const group *columns) {
  int64_t row = merged_stride(rows, operand), column = merged_stride(columns, operand);
  int64_t row_count = size_of(rows), column_count = size_of(columns);
  bool by_rows = column == 1 && (row_count == 1 || row >= column_count);
  bool by_columns = row == 1 && (column_count == 1 || column >= row_count);
  if (row && column && (by_rows || by_columns)) return true;
  const group *groups[] = {columns, rows, batch};
  dvp_box box = {.rank = 0};
  int64_t stride = 1;
  for (int g = 0; g < 3; g++)
    for (int i = groups[g]->count - 1; i >= 0; i--) {
      axis *a = groups[g]->axes[i];
      if (a->stride[operand] == 0) continue;
      dvp_box_add(&box, a->size, a->stride[operand], stride);
      a->stride[operand] = stride;
      stride *= a->size;
    }
  char *dense = new_scratch(w, stride);
  if (!dense) return false;
  dvp_box_copy(w->call, &box, w->inputs[operand].dtype, w->data[operand], dense);
  w->data[operand] = dense;
  return true;
}

static void fill_offsets(const group *batch, int operand, int64_t count, int64_t *out) {
  int64_t at[MAX_AXES] = {0}, offset = 0;
  for (int64_t i = 0; i < count; i++) {
    out[i] = offset;
    for (int d = batch->count - 1; d >= 0; d--) {
      offset += batch->axes[d]->stride[operand];
      if (++at[d] < batch->axes[d]->size) break;
      offset -= at[d] * batch->axes[d]->stride[operand];
      at[d] = 0;
    }
  }
}

// The result's strides of rows and columns as the product wants them: columns dense, products apart.
static bool is_direct(const group *rows, const group *columns) {
  int64_t row = merged_stride(rows, RESULT), column = merged_stride(columns, RESULT);
  return row && column == 1 && (size_of(rows) == 1 || row >= size_of(columns));
}

// Gives the axes of the result the strides of a dense order batch, rows, columns, in the place of input 0's.
static void set_dense(const group *batch, const group *rows, const group *columns) {
  const group *groups[] = {columns, rows, batch};
  int64_t stride = 1;
  for (int g = 0; g < 3; g++)
    for (int i = groups[g]->count - 1; i >= 0; i--) {
      groups[g]->axes[i]->stride[0] = stride;
      stride *= groups[g]->axes[i]->size;
    }
}

static void multiply(work *w, int a, int b, const group *batch, const group *rows, const group *inner,
                     const group *columns) {
  int64_t batches = size_of(batch), m = size_of(rows), n = size_of(columns);
  bool direct = is_direct(rows, columns) && batches * m * n == dvp_product(w->dims, 0, w->rank);
  char *c = direct ? w->out : new_scratch(w, batches * m * n);
  int64_t *offsets = malloc((size_t)batches * 3 * sizeof(*offsets));
  if (!offsets)
    dvp_fail(w->call, TF_RESOURCE_EXHAUSTED, "Out of memory for %lld products", (long long)batches);
  if (offsets && c) {
    bool copied = w->data[b] != w->inputs[b].data;
    dvp_products p = {.kernel = w->kernel,
                      .g = {.m = m,
                            .n = n,
                            .k = size_of(inner),
                            .a_row = merged_stride(rows, a),
                            .a_col = merged_stride(inner, a),
                            .b_row = merged_stride(inner, b),
                            .b_col = merged_stride(columns, b),
                            .c_row = direct ? DVP_MAX(n, merged_stride(rows, RESULT)) : n},
                      .a = w->data[a],
                      .b = w->data[b],
                      .c = c,
                      .a_offsets = offsets,
                      .b_offsets = offsets + batches,
                      .c_offsets = offsets + 2 * batches,
                      .cache = copied ? NULL : w->state->cache,
                      .b_input = b};
    fill_offsets(batch, a, batches, offsets);
    fill_offsets(batch, b, batches, offsets + batches);
    if (!direct) set_dense(batch, rows, columns);
    fill_offsets(batch, direct ? RESULT : 0, batches, offsets + 2 * batches);
    dvp_products_run(w->call, &p, batches);
    if (!direct) spread(w, c, 0);
  }
  free(offsets);
}

static void contract(work *w) {
  int a = 0, b = 1;
  group rows = select_axes(w, true, false, true, RESULT), columns = select_axes(w, false, true, true, RESULT);
  if (!is_direct(&rows, &columns) && is_direct(&columns, &rows)) {
    group swapped = rows;
    rows = columns;
    columns = swapped;
    a = 1;
    b = 0;
  }
  group batch = select_axes(w, true, true, true, RESULT), inner = select_axes(w, true, true, false, b);
  if (arrange(w, a, &batch, &rows, &inner) && arrange(w, b, &batch, &inner, &columns))
    multiply(w, a, b, &batch, &rows, &inner, &columns);
}

static void compute(work *w) {
  const int count = w->state->equation.input_count;
  for (int i = 0; i < count; i++) {
    if (!dvp_input(w->call, i, &w->inputs[i])) return;
    w->data[i] = w->inputs[i].data;
    if (!add_input(w, i)) return;
  }
  if (!add_result(w)) return;
  w->out = dvp_output(w->call, 0, w->dims, w->rank);
  if (!w->out) return;
  int64_t elements = dvp_product(w->dims, 0, w->rank);
  simplify(w);
  if (is_empty(w)) {
    memset(w->out, 0, (size_t)(elements * w->kernel->bytes));
    return;
  }
  for (int i = 0; i < count; i++)
    if (!sum_alone(w, i)) return;
  if (count == 1)
    spread(w, w->data[0], 0);
  else
    contract(w);
}

void dvp_einsum_run(void *state, TF_OpKernelContext *ctx, const dvp_gemm_kernel *kernel,
                    dvp_sum_rows sum_rows) {
  dvp_call call = {ctx, TF_NewStatus()};
  work *w = calloc(1, sizeof(*w));
  if (w) {
    w->call = &call;
    w->state = state;
    w->kernel = kernel;
    w->sum_rows = sum_rows;
    if (TF_NumInputs(ctx) == w->state->equation.input_count)
      compute(w);
    else
      dvp_fail(&call, TF_INVALID_ARGUMENT, "Einsum: the equation is for %d inputs, the node has %d",
               w->state->equation.input_count, TF_NumInputs(ctx));
    for (int i = 0; i < w->scratch_count; i++) dvp_free_temp(w->scratch[i]);
    free(w);
  } else {
    dvp_fail(&call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  }
  TF_DeleteStatus(call.status);
}
