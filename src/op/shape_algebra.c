// Arithmetic on symbolic dims and operations on shapes (contract: shape_algebra.h).
#include "op/shape_algebra.h"

#include "op/dim_expr.h"
#include "tensor/tensor_proto.h"

dvt_status dvt_dim_merge(dvt_dim a, dvt_dim b, dvt_dim *out_dim) {
  if (a != b && dvt_dim_known(a) && dvt_dim_known(b))
    return dvt_error(TF_INVALID_ARGUMENT, "Dimensions must be equal, but are %lld and %lld", (long long)a,
                     (long long)b);
  *out_dim = dvt_dim_known(a) || !dvt_dim_known(b) ? a : b;
  return NULL;
}

dvt_status dvt_dim_with_value(dvt_dim dim, int64_t value, dvt_dim *out_dim) {
  if (dvt_dim_known(dim) && dim != value)
    return dvt_error(TF_INVALID_ARGUMENT, "Dimension must be %lld but is %lld", (long long)value,
                     (long long)dim);
  *out_dim = value;
  return NULL;
}

dvt_status dvt_dim_add(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim) {
  int64_t sum;
  if (a == 0 || b == 0) {
    *out_dim = a == 0 ? b : a;
    return NULL;
  }
  if (!dvt_dim_known(a) || !dvt_dim_known(b)) {
    *out_dim = dvt_dim_compute(arena, DVT_DIM_ADD, a, b);
    return NULL;
  }
  if (__builtin_add_overflow(a, b, &sum))
    return dvt_error(TF_INVALID_ARGUMENT, "Dimension size overflow from adding %lld and %lld", (long long)a,
                     (long long)b);
  *out_dim = sum;
  return NULL;
}

dvt_status dvt_dim_subtract(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim) {
  if (b == 0) {
    *out_dim = a;
    return NULL;
  }
  if (!dvt_dim_known(a) || !dvt_dim_known(b)) {
    *out_dim = dvt_dim_compute(arena, DVT_DIM_SUBTRACT, a, b);
    return NULL;
  }
  if (a < b)
    return dvt_error(TF_INVALID_ARGUMENT, "Negative dimension size caused by subtracting %lld from %lld",
                     (long long)b, (long long)a);
  *out_dim = a - b;
  return NULL;
}

dvt_status dvt_dim_multiply(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim) {
  int64_t product;
  if (a == 0 || b == 0) {
    *out_dim = 0;
  } else if (a == 1 || b == 1) {
    *out_dim = a == 1 ? b : a;
  } else if (!dvt_dim_known(a) || !dvt_dim_known(b)) {
    *out_dim = dvt_dim_compute(arena, DVT_DIM_MULTIPLY, a, b);
  } else if (__builtin_mul_overflow(a, b, &product)) {
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Negative dimension size caused by overflow when multiplying %lld and %lld",
                     (long long)a, (long long)b);
  } else {
    *out_dim = product;
  }
  return NULL;
}

dvt_status dvt_dim_divide(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, bool evenly, dvt_dim *out_dim) {
  if (b == 1) {
    *out_dim = a;
    return NULL;
  }
  if (b == 0) return dvt_error(TF_INVALID_ARGUMENT, "Divisor must be positive but is %lld", (long long)b);
  if (!dvt_dim_known(a) || !dvt_dim_known(b)) {
    *out_dim = dvt_dim_compute(arena, DVT_DIM_DIVIDE, a, b);
    return NULL;
  }
  if (evenly && a % b != 0)
    return dvt_error(TF_INVALID_ARGUMENT, "Dimension size must be evenly divisible by %lld but is %lld",
                     (long long)b, (long long)a);
  *out_dim = a / b;
  return NULL;
}

dvt_dim dvt_dim_min(dvt_shape_arena *arena, dvt_dim a, dvt_dim b) {
  if (a == b || a == 0 || b == 0) return a == 0 || a == b ? a : b;
  if (!dvt_dim_known(a) || !dvt_dim_known(b)) return dvt_dim_compute(arena, DVT_DIM_MIN, a, b);
  return DVT_MIN(a, b);
}

dvt_dim dvt_dim_max(dvt_shape_arena *arena, dvt_dim a, dvt_dim b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (!dvt_dim_known(a) || !dvt_dim_known(b)) return dvt_dim_compute(arena, DVT_DIM_MAX, a, b);
  return DVT_MAX(a, b);
}

dvt_dim dvt_dim_relax(dvt_shape_arena *arena, dvt_dim old_dim, dvt_dim new_dim) {
  if (old_dim == new_dim || !dvt_dim_known(new_dim)) return new_dim;
  return dvt_dim_new_unknown(arena);
}

void dvt_dim_print(dvt_dim dim, dvt_buf *out) {
  if (dvt_dim_known(dim))
    dvt_buf_printf(out, "%lld", (long long)dim);
  else
    dvt_buf_append_byte(out, '?');
}

dvt_dim dvt_shape_dim(dvt_shape_arena *arena, dvt_shape shape, int64_t i) {
  if (!shape) return dvt_dim_new_unknown(arena);
  if (i < 0) i += shape->rank;
  return i >= 0 && i < shape->rank ? shape->dims[i] : dvt_dim_new_unknown(arena);
}

dvt_dim dvt_shape_element_count(dvt_shape_arena *arena, dvt_shape shape) {
  if (!shape) return dvt_dim_new_unknown(arena);
  dvt_dim count = 1, symbols = 1;
  bool overflow = false;
  for (int i = 0; i < shape->rank; i++) {
    dvt_dim dim = shape->dims[i];
    if (dim == 0) return 0;
    if (!dvt_dim_known(dim))
      symbols = symbols == 1 ? dim : dvt_dim_compute(arena, DVT_DIM_MULTIPLY, symbols, dim);
    else
      overflow = overflow || __builtin_mul_overflow(count, dim, &count);
  }
  if (overflow) return dvt_dim_new_unknown(arena);
  if (symbols == 1) return count;
  return count == 1 ? symbols : dvt_dim_compute(arena, DVT_DIM_MULTIPLY, symbols, count);
}

static dvt_status check_rank(int64_t rank) {
  if (rank > INT32_MAX)
    return dvt_error(TF_INVALID_ARGUMENT, "Rank cannot exceed %d, got %lld", INT32_MAX, (long long)rank);
  if (rank < 0) return dvt_error(TF_INVALID_ARGUMENT, "Rank must not be negative, got %lld", (long long)rank);
  return NULL;
}

dvt_status dvt_shape_unknown_of_rank(dvt_shape_arena *arena, int64_t rank, dvt_shape *out_shape) {
  DVT_RETURN_IF_ERROR(check_rank(rank));
  if (rank > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "a shape of rank %lld was asked for; the highest rank is %d",
                     (long long)rank, DVT_MAX_RANK);
  dvt_dim dims[DVT_MAX_RANK];
  for (int i = 0; i < rank; i++) dims[i] = -1;
  return dvt_shape_make(arena, dims, (int)rank, true, out_shape);
}

dvt_status dvt_shape_with_rank(dvt_shape_arena *arena, dvt_shape shape, int64_t rank, dvt_shape *out_shape) {
  DVT_RETURN_IF_ERROR(check_rank(rank));
  if (!shape) return dvt_shape_unknown_of_rank(arena, rank, out_shape);
  if (shape->rank != rank)
    return dvt_error(TF_INVALID_ARGUMENT, "Shape must be rank %lld but is rank %d", (long long)rank,
                     shape->rank);
  *out_shape = shape;
  return NULL;
}

dvt_status dvt_shape_with_rank_at_least(dvt_shape shape, int64_t rank, dvt_shape *out_shape) {
  if (rank > INT32_MAX) return check_rank(rank);
  if (shape && shape->rank < rank)
    return dvt_error(TF_INVALID_ARGUMENT, "Shape must be at least rank %lld but is rank %d", (long long)rank,
                     shape->rank);
  *out_shape = shape;
  return NULL;
}

dvt_status dvt_shape_with_rank_at_most(dvt_shape shape, int64_t rank, dvt_shape *out_shape) {
  if (rank > INT32_MAX) return check_rank(rank);
  if (shape && shape->rank > rank)
    return dvt_error(TF_INVALID_ARGUMENT, "Shape must be at most rank %lld but is rank %d", (long long)rank,
                     shape->rank);
  *out_shape = shape;
  return NULL;
}

static dvt_status slice_bound(const char *what, int64_t given, int rank, int64_t *out_bound) {
  int64_t bound = DVT_MIN(given, rank);
  if (bound < 0) bound += rank;
  if (bound < 0)
    return dvt_error(TF_INVALID_ARGUMENT, "Subshape %s out of bounds: %lld, for shape with rank %d", what,
                     (long long)given, rank);
  *out_bound = bound;
  return NULL;
}

dvt_status dvt_shape_slice(dvt_shape_arena *arena, dvt_shape shape, int64_t start_in, int64_t end_in,
                           dvt_shape *out_shape) {
  if (!shape || (start_in == 0 && end_in >= shape->rank)) {
    *out_shape = shape;
    return NULL;
  }
  int64_t start, end;
  DVT_RETURN_IF_ERROR(slice_bound("start", start_in, shape->rank, &start));
  DVT_RETURN_IF_ERROR(slice_bound("end", end_in, shape->rank, &end));
  if (start > end)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "Subshape must have computed start <= end, but is %lld and %lld (computed from start %lld and end "
        "%lld over shape with rank %d)",
        (long long)start, (long long)end, (long long)start_in, (long long)end_in, shape->rank);
  return dvt_shape_make(arena, shape->dims + start, (int)(end - start), false, out_shape);
}

dvt_status dvt_shape_concat(dvt_shape_arena *arena, dvt_shape a, dvt_shape b, dvt_shape *out_shape) {
  if (!a || !b) {
    *out_shape = NULL;
    return NULL;
  }
  int64_t rank = (int64_t)a->rank + b->rank;
  if (rank > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "concatenating shapes of rank %d and %d passes the highest rank, %d", a->rank, b->rank,
                     DVT_MAX_RANK);
  dvt_dim dims[DVT_MAX_RANK];
  memcpy(dims, a->dims, sizeof dims[0] * (size_t)a->rank);
  memcpy(dims + a->rank, b->dims, sizeof dims[0] * (size_t)b->rank);
  return dvt_shape_make(arena, dims, (int)rank, false, out_shape);
}

dvt_status dvt_shape_replace_dim(dvt_shape_arena *arena, dvt_shape shape, int64_t index_in, dvt_dim dim,
                                 dvt_shape *out_shape) {
  if (!shape) {
    *out_shape = NULL;
    return NULL;
  }
  int64_t index = index_in < 0 ? index_in + shape->rank : index_in;
  if (index < 0 || index >= shape->rank)
    return dvt_error(TF_INVALID_ARGUMENT, "Out of range dim_index %lld for shape with %d dimensions",
                     (long long)index_in, shape->rank);
  dvt_dim dims[DVT_MAX_RANK];
  memcpy(dims, shape->dims, sizeof dims[0] * (size_t)shape->rank);
  dims[index] = dim;
  return dvt_shape_make(arena, dims, shape->rank, false, out_shape);
}

dvt_status dvt_shape_relax(dvt_shape_arena *arena, dvt_shape a, dvt_shape b, dvt_shape *out_shape) {
  bool is_a = true;
  if (!a || !b || a->rank != b->rank) {
    *out_shape = NULL;
    return NULL;
  }
  dvt_dim dims[DVT_MAX_RANK];
  for (int i = 0; i < a->rank; i++) {
    dims[i] = dvt_dim_relax(arena, a->dims[i], b->dims[i]);
    is_a = is_a && dims[i] == a->dims[i];
  }
  *out_shape = a;
  return is_a ? NULL : dvt_shape_make(arena, dims, a->rank, false, out_shape);
}

// One dim of a broadcast. An unknown next to a known size above 1 must be that size or 1, so the size is the
// result.
static dvt_status broadcast_dim(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim) {
  if (a == b || b == 1) {
    *out_dim = a;
  } else if (a == 1) {
    *out_dim = b;
  } else if (dvt_dim_known(a) && dvt_dim_known(b)) {
    return dvt_dim_merge(a, b, out_dim);
  } else if (dvt_dim_known(a) || dvt_dim_known(b)) {
    *out_dim = dvt_dim_known(a) ? a : b;
  } else {
    *out_dim = dvt_dim_new_unknown(arena);
  }
  return NULL;
}

dvt_status dvt_shape_broadcast(dvt_shape_arena *arena, dvt_shape a, dvt_shape b, dvt_shape *out_shape) {
  if (!a || !b) {
    *out_shape = NULL;
    return NULL;
  }
  dvt_dim dims[DVT_MAX_RANK];
  int rank = DVT_MAX(a->rank, b->rank);
  bool is_a = rank == a->rank, is_b = rank == b->rank;
  for (int i = 0; i < rank; i++) {
    int at_a = i - (rank - a->rank), at_b = i - (rank - b->rank);
    dvt_dim x = at_a < 0 ? 1 : a->dims[at_a], y = at_b < 0 ? 1 : b->dims[at_b];
    DVT_RETURN_IF_ERROR(broadcast_dim(arena, x, y, &dims[i]));
    is_a = is_a && dims[i] == x;
    is_b = is_b && dims[i] == y;
  }
  if (is_a || is_b) {
    *out_shape = is_a ? a : b;
    return NULL;
  }
  return dvt_shape_make(arena, dims, rank, false, out_shape);
}

dvt_status dvt_shape_of_proto(dvt_shape_arena *arena, dvt_str proto, dvt_shape *out_shape) {
  int64_t dims[DVT_MAX_RANK];
  int rank;
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank));
  if (rank < 0) {
    *out_shape = NULL;
    return NULL;
  }
  return dvt_shape_make(arena, dims, rank, true, out_shape);
}
