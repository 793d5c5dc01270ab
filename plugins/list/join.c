// Ops that make one tensor from the elements of a list: Stack, Gather, Concat.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/plugin.h"
#include "list/tensor_list.h"

typedef struct join_state {
  TF_DataType dtype;
  int64_t count;        // that Stack expects; -1: any
  dvl_shape row_shape;  // of TensorListConcat's attribute, without dimension 0
} join_state;

static void *join_create(TF_OpKernelConstruction *ctx) {
  join_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->dtype = dvp_attr_type(ctx, "element_dtype");
  return state;
}
static void *stack_create(TF_OpKernelConstruction *ctx) {
  join_state *state = join_create(ctx);
  if (state) state->count = dvp_attr_int(ctx, "num_elements");
  return state;
}
static void *concat_v1_create(TF_OpKernelConstruction *ctx) {
  join_state *state = join_create(ctx);
  dvl_shape shape;
  if (!state) return NULL;
  dvl_shape_attr(ctx, "element_shape", &shape);
  if (shape.rank == 0)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Attribute element_shape must be of rank 1 at least");
  else
    dvl_shape_tail(&shape, &state->row_shape);
  return state;
}
static void join_destroy(void *state) { free(state); }

// ---- Stack and Gather ----

// The pieces and their shape: elements indices[0..count) of the list, or all of them without indices.
static bool find_pieces(dvp_call *call, const dvl_list *list, const int32_t *indices, int64_t count,
                        dvl_shape *shape, dvl_piece *pieces) {
  dvl_shape own;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  for (int64_t k = 0; k < count; k++) {
    int64_t i = indices ? indices[k] : k;
    if (i < 0 || i >= list->count)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Index %" PRId64 " out of range; list only has %" PRId64 " elements.", i, list->count);
    pieces[k].tensor = list->items[i] ? dvl_item_tensor(list->items[i]) : NULL;
    if (!pieces[k].tensor) continue;
    dvl_shape_of(pieces[k].tensor, &own);
    if (!dvl_shape_merge(shape, own.dims, own.rank))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Incompatible shapes: element %" PRId64 " has %s, not %s", i,
                      dvl_shape_text(&own, a), dvl_shape_text(shape, b));
  }
  return true;
}

static void stack(dvp_call *call, const dvl_list *list, const int32_t *indices, int64_t count,
                  dvl_shape *shape) {
  char text[DVP_SHAPE_TEXT];
  int64_t size, dims[DVP_MAX_RANK + 1];
  dvl_piece *pieces = calloc((size_t)count + 1, sizeof(*pieces));
  if (!pieces) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory to join %" PRId64 " elements", count);
    return;
  }
  bool fine = find_pieces(call, list, indices, count, shape, pieces);
  if (fine && !dvl_shape_is_full(shape))
    fine =
        dvp_fail(call, TF_INVALID_ARGUMENT,
                 "Tried to join elements that are not set, or none, with an element shape that is not fully "
                 "defined: %s",
                 dvl_shape_text(shape, text));
  if (fine && dvp_count(call, shape->dims, shape->rank, &size)) {
    for (int64_t k = 0; k < count; k++) pieces[k].count = size;
    dims[0] = count;
    memcpy(dims + 1, shape->dims, (size_t)shape->rank * sizeof(*dims));
    dvl_output_join(call, 0, dims, shape->rank + 1, pieces, count);
  }
  free(pieces);
}

DVP_COMPUTE(stack_compute) {
  const join_state *join = state;
  dvl_shape shape;
  const dvl_list *list = dvl_list_input_of(call, 0, join->dtype);
  if (!list || !dvl_list_shape_input(call, list, 1, &shape)) return;
  if (join->count != -1 && join->count != list->count)
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Operation expected a list with %" PRId64 " elements but got a list with %" PRId64 " elements.",
             join->count, list->count);
  else
    stack(call, list, NULL, list->count, &shape);
}
DVP_DEFINE_ANY(list_stack, stack_create, join_destroy, stack_compute);

DVP_COMPUTE(gather_compute) {
  const join_state *join = state;
  dvl_shape shape;
  dvp_view indices;
  const dvl_list *list = dvl_list_input_of(call, 0, join->dtype);
  if (!list || !dvp_input(call, 1, &indices) || !dvl_list_shape_input(call, list, 2, &shape)) return;
  stack(call, list, indices.data, indices.count, &shape);
}
DVP_DEFINE_ANY(list_gather, join_create, join_destroy, gather_compute);

// ---- Concat ----

typedef struct concat_run {
  const dvl_list *list;
  dvl_shape row;      // of the elements, without dimension 0
  int64_t first_dim;  // of elements that are not set; -1: unknown
  bool has_leading;   // input 2
  dvp_view leading;
} concat_run;

// Merges the elements' shapes into run->row; their common first dimension is that of the others.
static bool look_at_items(dvp_call *call, concat_run *run) {
  dvl_shape own, row;
  int64_t wanted = run->first_dim, common = wanted;
  bool differ = false;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  for (int64_t i = 0; i < run->list->count; i++) {
    if (!run->list->items[i]) continue;
    dvl_shape_of(dvl_item_tensor(run->list->items[i]), &own);
    if (own.rank == 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Concat saw a scalar shape at index %" PRId64 " but requires at least vectors.", i);
    dvl_shape_tail(&own, &row);
    if (!dvl_shape_merge(&run->row, row.dims, row.rank) || (wanted != -1 && wanted != own.dims[0]))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Element %" PRId64 " of shape %s does not fit first dimension %" PRId64
                      " (-1: any) and other dimensions %s",
                      i, dvl_shape_text(&own, a), wanted, dvl_shape_text(&run->row, b));
    differ = differ || (common != -1 && common != own.dims[0]);
    common = own.dims[0];
  }
  run->first_dim = differ ? -1 : common;
  return true;
}

static bool length_of(dvp_call *call, const concat_run *run, int64_t i, int64_t *out) {
  int64_t given = run->has_leading ? run->leading.count : 0;
  if (run->list->items[i]) {
    *out = TF_Dim(dvl_item_tensor(run->list->items[i]), 0);
    return true;
  }
  if (i < given)
    *out = ((const int64_t *)run->leading.data)[i];
  else
    *out = run->first_dim;
  return *out >= 0 ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "List contains uninitialized tensor at index %" PRId64
                  ", and neither leading_dims (%" PRId64 " elements) nor other elements tell its length",
                  i, given);
}

static bool find_lengths(dvp_call *call, const concat_run *run, int64_t *lengths, dvl_piece *pieces,
                         int64_t *out_total) {
  int64_t row_size, total = 0;
  if (!dvp_count(call, run->row.dims, run->row.rank, &row_size)) return false;
  for (int64_t i = 0; i < run->list->count; i++) {
    if (!length_of(call, run, i, &lengths[i])) return false;
    pieces[i].tensor = run->list->items[i] ? dvl_item_tensor(run->list->items[i]) : NULL;
    if (__builtin_mul_overflow(lengths[i], row_size, &pieces[i].count) ||
        __builtin_add_overflow(total, lengths[i], &total))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "The elements' lengths add up to more than an int64 can count");
  }
  *out_total = total;
  return true;
}

static void concat(dvp_call *call, concat_run *run) {
  char text[DVP_SHAPE_TEXT];
  int64_t total = 0, dims[DVP_MAX_RANK + 1], count = run->list->count;
  if (!look_at_items(call, run)) return;
  if (!dvl_shape_is_full(&run->row)) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "All except the first dimension must be fully defined when concating a list without elements that "
        "are set: %s",
        dvl_shape_text(&run->row, text));
    return;
  }
  int64_t *lengths = dvp_output(call, 1, &count, 1);
  dvl_piece *pieces = lengths ? calloc((size_t)count + 1, sizeof(*pieces)) : NULL;
  if (lengths && !pieces)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory to join %" PRId64 " elements", count);
  if (pieces && find_lengths(call, run, lengths, pieces, &total)) {
    dims[0] = total;
    memcpy(dims + 1, run->row.dims, (size_t)run->row.rank * sizeof(*dims));
    dvl_output_join(call, 0, dims, run->row.rank + 1, pieces, count);
  }
  free(pieces);
}

DVP_COMPUTE(concat_v1_compute) {
  const join_state *join = state;
  concat_run run = {.list = dvl_list_input_of(call, 0, join->dtype), .row = join->row_shape, .first_dim = -1};
  if (run.list) concat(call, &run);
}
DVP_DEFINE_ANY(list_concat, concat_v1_create, join_destroy, concat_v1_compute);

DVP_COMPUTE(concat_v2_compute) {
  const join_state *join = state;
  dvl_shape shape;
  concat_run run = {.list = dvl_list_input_of(call, 0, join->dtype), .first_dim = -1, .has_leading = true};
  if (!run.list || !dvl_list_shape_input(call, run.list, 1, &shape) || !dvp_input(call, 2, &run.leading))
    return;
  if (shape.rank == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Concat requires elements to be at least vectors, found scalars instead.");
    return;
  }
  if (shape.rank > 0) run.first_dim = shape.dims[0];
  dvl_shape_tail(&shape, &run.row);
  concat(call, &run);
}
DVP_DEFINE_ANY(list_concat_v2, join_create, join_destroy, concat_v2_compute);
