// Ready-made shape functions: bands of diagonals of matrices. Input `k` gives the lowest and the highest
// diagonal taken; 0 is the main one, below it they are negative.
#include "op/shape_fn.h"

typedef struct band {
  bool known;
  int64_t low, high;
} band;

static dvt_status read_band(TF_ShapeInferenceContext *c, int input, band *out_band) {
  dvt_shape shape;
  band b = {false, 0, 0};
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_most(c->inputs[input], 1, &shape));
  const TF_Tensor *value = dvt_shape_input_value(c, input);
  if (value && dvt_shape_is_full(shape)) {
    int64_t count = dvt_tensor_count(value);
    if (count < 1 || count > 2)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "diag_index must be a vector with one or two elements. It has %lld elements.",
                       (long long)count);
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(value, 0, &b.low));
    DVT_RETURN_IF_ERROR(dvt_tensor_int_at(value, count - 1, &b.high));
    b.known = true;
    if (b.low > b.high)
      return dvt_error(TF_INVALID_ARGUMENT, "lower_diag_index %lld is greater than upper_diag_index %lld",
                       (long long)b.low, (long long)b.high);
  }
  *out_band = b;
  return NULL;
}

// The main diagonal is in bounds even of an empty matrix.
static dvt_status check_bounds(const band *b, dvt_dim rows, dvt_dim cols) {
  if (!dvt_dim_known(rows) || !dvt_dim_known(cols)) return NULL;
  if (b->low != 0 && (-rows >= b->low || b->low >= cols))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "lower_diag_index is out of bound: %lld for a matrix of %lld by %lld", (long long)b->low,
                     (long long)rows, (long long)cols);
  if (b->high != 0 && (-rows >= b->high || b->high >= cols))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "upper_diag_index is out of bound: %lld for a matrix of %lld by %lld",
                     (long long)b->high, (long long)rows, (long long)cols);
  return NULL;
}

// Matrices, k, padding.
DVT_SHAPE_FN(matrix_diag_part, 3, 1) {
  dvt_shape input, scalar;
  dvt_dim dims[DVT_MAX_RANK];
  band b;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], 2, &input));
  DVT_RETURN_IF_ERROR(read_band(c, 1, &b));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 0, &scalar));
  if (!input || !b.known) return NULL;
  int rank = input->rank - 2;
  dvt_dim rows = input->dims[rank], cols = input->dims[rank + 1], longest = dvt_fn_unknown(c);
  DVT_RETURN_IF_ERROR(check_bounds(&b, rows, cols));
  if (dvt_dim_known(rows) && dvt_dim_known(cols))
    longest = DVT_MIN(rows + DVT_MIN(b.high, 0), cols - DVT_MAX(b.low, 0));
  memcpy(dims, input->dims, sizeof dims[0] * (size_t)rank);
  if (b.low < b.high) dims[rank++] = b.high - b.low + 1;
  dims[rank++] = longest;
  return dvt_fn_set(c, 0, dims, rank);
}

// The value of a scalar input, -1 where it is not known or says so.
static dvt_status size_or_unknown(TF_ShapeInferenceContext *c, int input, int64_t *out_size) {
  const TF_Tensor *value = dvt_shape_input_value(c, input);
  *out_size = -1;
  return value ? dvt_tensor_scalar_int(value, out_size) : NULL;
}

// What is -1 is the least that holds the diagonals; both -1, the matrix is square. Where not both are
// `given`, -1 stands for unknown, too: then only what must be is told, and one that is larger leaves the
// other the least.
static dvt_status matrix_sizes(int64_t low_rows, int64_t low_cols, bool given, int64_t *rows, int64_t *cols) {
  if ((*rows >= 0 && *rows < low_rows) || (*cols >= 0 && *cols < low_cols))
    return dvt_error(
        TF_INVALID_ARGUMENT, "num_%s is too small: the diagonals need %lld rows and %lld columns",
        *rows >= 0 && *rows < low_rows ? "rows" : "cols", (long long)low_rows, (long long)low_cols);
  if (given && *rows == -1 && *cols == -1) *rows = *cols = DVT_MAX(low_rows, low_cols);
  if (*rows == -1 && (given || *cols > low_cols)) *rows = low_rows;
  if (*cols == -1 && (given || *rows > low_rows)) *cols = low_cols;
  if (*rows > low_rows && *cols > low_cols)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "num_rows %lld and num_cols %lld are not consistent with the diagonals, which need %lld and %lld",
        (long long)*rows, (long long)*cols, (long long)low_rows, (long long)low_cols);
  return NULL;
}

// Diagonals, k, rows, columns, padding.
DVT_SHAPE_FN(matrix_diag, 5, 1) {
  dvt_shape input, scalar;
  dvt_dim dims[DVT_MAX_RANK + 1];
  int64_t rows, cols;
  band b;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], 1, &input));
  DVT_RETURN_IF_ERROR(read_band(c, 1, &b));
  for (int i = 2; i < 5; i++) DVT_RETURN_IF_ERROR(dvt_fn_rank(c, i, 0, &scalar));
  if (!input || !b.known) return NULL;
  bool many = b.low < b.high;
  if (many) DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(input, 2, &input));
  int outer = input->rank - (many ? 2 : 1);
  if (many && dvt_dim_known(input->dims[outer]) && input->dims[outer] != b.high - b.low + 1)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` "
        "and `d_upper`: %lld rows, diagonals %lld to %lld",
        (long long)input->dims[outer], (long long)b.low, (long long)b.high);
  DVT_RETURN_IF_ERROR(size_or_unknown(c, 2, &rows));
  DVT_RETURN_IF_ERROR(size_or_unknown(c, 3, &cols));
  dvt_dim longest = input->dims[input->rank - 1];
  if (rows < -1 || cols < -1)
    return dvt_error(TF_INVALID_ARGUMENT, "num_rows and num_cols must not be negative, but are %lld and %lld",
                     (long long)rows, (long long)cols);
  if (dvt_dim_known(longest)) {
    bool given = dvt_shape_input_value(c, 2) && dvt_shape_input_value(c, 3);
    DVT_RETURN_IF_ERROR(
        matrix_sizes(longest - DVT_MIN(b.high, 0), longest + DVT_MAX(b.low, 0), given, &rows, &cols));
  }
  memcpy(dims, input->dims, sizeof dims[0] * (size_t)outer);
  dims[outer] = rows >= 0 ? rows : dvt_fn_unknown(c);
  dims[outer + 1] = cols >= 0 ? cols : dvt_fn_unknown(c);
  return dvt_fn_set(c, 0, dims, outer + 2);
}

// Matrices, diagonals, k.
DVT_SHAPE_FN(matrix_set_diag, 3, 1) {
  dvt_shape input, diagonal, outer, merged;
  band b;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], 2, &input));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[1], 1, &diagonal));
  DVT_RETURN_IF_ERROR(read_band(c, 2, &b));
  if (input && b.known) {
    DVT_RETURN_IF_ERROR(
        dvt_shape_with_rank(c->arena, diagonal, b.low == b.high ? input->rank - 1 : input->rank, &diagonal));
  } else if (input) {
    DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(diagonal, input->rank - 1, &diagonal));
    DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_most(diagonal, input->rank, &diagonal));
  }
  if (input)
    DVT_RETURN_IF_ERROR(check_bounds(&b, input->dims[input->rank - 2], input->dims[input->rank - 1]));
  c->outputs[0] = input;
  if (!diagonal || dvt_shape_is_full(input) || (!b.known && !input)) return NULL;
  // The dims around the matrices are those around the diagonals, which are of a rank less where they are
  // single.
  bool single = b.known ? b.low == b.high : diagonal->rank < input->rank;
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, diagonal, 0, single ? -1 : -2, &outer));
  DVT_RETURN_IF_ERROR(dvt_shape_unknown_of_rank(c->arena, 2, &merged));
  DVT_RETURN_IF_ERROR(dvt_shape_concat(c->arena, outer, merged, &merged));
  return dvt_shape_merge(c->arena, input, merged, &c->outputs[0]);
}
