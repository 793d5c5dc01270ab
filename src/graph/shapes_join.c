// What a value may be that comes from several places: branches that join, iterations of a loop, calls.
#include "graph/shapes_internal.h"

// Is it a symbol that an earlier join of this owner made?
static bool is_join(const dvt_shape_run *run, dvt_dim symbol, int64_t owner) {
  size_t low = 0, high = run->join_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (run->joins[middle].symbol > symbol)
      low = middle + 1;
    else
      high = middle;
  }
  return low < run->join_count && run->joins[low].symbol == symbol && run->joins[low].owner == owner;
}

static dvt_status new_join(dvt_shape_run *run, int64_t owner, dvt_dim *out_symbol) {
  if (!dvt_grow((void **)&run->joins, &run->join_capacity, run->join_count + 1, sizeof *run->joins))
    return dvt_error_out_of_memory(run->join_count * sizeof *run->joins);
  *out_symbol = dvt_dim_new_unknown(run->arena);
  run->joins[run->join_count++] = (dvt_join){*out_symbol, owner};
  return NULL;
}

static bool same_shape(dvt_shape a, dvt_shape b) {
  return a == b ||
         (a && b && a->rank == b->rank && memcmp(a->dims, b->dims, sizeof a->dims[0] * (size_t)a->rank) == 0);
}

static dvt_status join_shapes(dvt_shape_run *run, int64_t owner, dvt_shape *shape, dvt_shape other,
                              bool *out_changed) {
  dvt_dim dims[DVT_MAX_RANK];
  bool changed = false;
  if (!*shape || same_shape(*shape, other)) return NULL;
  if (!other || other->rank != (*shape)->rank) {
    *shape = NULL;
    *out_changed = true;
    return NULL;
  }
  for (int i = 0; i < other->rank; i++) {
    dims[i] = (*shape)->dims[i];
    if (dims[i] == other->dims[i] || (!dvt_dim_known(dims[i]) && is_join(run, dims[i], owner))) continue;
    DVT_RETURN_IF_ERROR(new_join(run, owner, &dims[i]));
    changed = true;
  }
  *out_changed |= changed;
  return changed ? dvt_shape_make(run->arena, dims, other->rank, false, shape) : NULL;
}

static dvt_status join_handles(dvt_shape_run *run, int64_t owner, const dvt_handle_shapes **handle,
                               const dvt_handle_shapes *other, bool *out_changed) {
  enum { MAX_VALUES = 64 };
  dvt_shape_and_type values[MAX_VALUES];
  const dvt_handle_shapes *h = *handle;
  bool changed = false;
  if (!h || h == other) return NULL;
  bool fits = other && other->count == h->count && h->count <= MAX_VALUES;
  for (int i = 0; fits && i < h->count; i++) {
    values[i] = h->at[i];
    fits = other->at[i].dtype == h->at[i].dtype;
    if (fits) DVT_RETURN_IF_ERROR(join_shapes(run, owner, &values[i].shape, other->at[i].shape, &changed));
  }
  *out_changed |= changed || !fits;
  if (!fits) *handle = NULL;
  return fits && changed ? dvt_handle_shapes_make(run->arena, values, h->count, handle) : NULL;
}

static bool same_value(const dvt_value *a, const dvt_value *b) {
  if (a == b) return true;
  if (!a || !b || a->dtype != b->dtype || a->rank != b->rank || a->count != b->count) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  for (int i = 0; i < a->count; i++)
    if (a->at[i].known != b->at[i].known || a->at[i].value != b->at[i].value) return false;
  return true;
}

dvt_status dvt_known_join(dvt_shape_run *run, int64_t owner, dvt_known *known, dvt_known other,
                          bool *out_changed) {
  DVT_RETURN_IF_ERROR(join_shapes(run, owner, &known->shape, other.shape, out_changed));
  DVT_RETURN_IF_ERROR(join_handles(run, owner, &known->handle, other.handle, out_changed));
  if (known->value && !same_value(known->value, other.value)) {
    known->value = NULL;
    *out_changed = true;
  }
  return NULL;
}

static bool same_handle(const dvt_handle_shapes *a, const dvt_handle_shapes *b) {
  if (a == b) return true;
  if (!a || !b || a->count != b->count) return false;
  for (int i = 0; i < a->count; i++)
    if (a->at[i].dtype != b->at[i].dtype || !same_shape(a->at[i].shape, b->at[i].shape)) return false;
  return true;
}

bool dvt_known_equal(const dvt_known *a, const dvt_known *b) {
  return same_shape(a->shape, b->shape) && same_handle(a->handle, b->handle) &&
         same_value(a->value, b->value);
}

dvt_status dvt_shape_take_hint(dvt_shape_run *run, dvt_shape shape, dvt_shape hint, dvt_shape *out_shape) {
  dvt_dim dims[DVT_MAX_RANK];
  bool changed = false;
  *out_shape = shape;
  if (!hint || (shape && shape->rank != hint->rank)) return NULL;
  if (!shape) return dvt_shape_make(run->arena, hint->dims, hint->rank, true, out_shape);
  for (int i = 0; i < shape->rank; i++) {
    dims[i] = shape->dims[i];
    if (dvt_dim_known(dims[i]) && dvt_dim_known(hint->dims[i]) && dims[i] != hint->dims[i]) return NULL;
    if (dvt_dim_known(dims[i]) || !dvt_dim_known(hint->dims[i])) continue;
    dims[i] = hint->dims[i];
    changed = true;
  }
  return changed ? dvt_shape_make(run->arena, dims, shape->rank, false, out_shape) : NULL;
}
