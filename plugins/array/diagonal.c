// Diagonals of matrices: MatrixDiag, MatrixDiagPart and MatrixSetDiag in all versions, MatrixBandPart, Diag,
// DiagPart. A band of diagonals lower..upper is stored as rows of a matrix, the uppermost first, each aligned
// to the left or the right of the longest; attr `align` says which, first for those above the main diagonal.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/strided.h"

typedef struct diagonal_state {
  bool above_left, below_left;  // alignment of diagonals above and below the main one
} diagonal_state;

static void *diagonal_create(TF_OpKernelConstruction *ctx) {
  diagonal_state *state = dvp_state_new(ctx, sizeof(*state));
  TF_Status *status = TF_NewStatus();
  char align[16] = "LEFT_LEFT";  // of the versions without the attribute
  if (state && TF_OpKernelConstruction_HasAttr(ctx, "align", status))
    dvp_attr_string(ctx, "align", align, sizeof(align));
  TF_DeleteStatus(status);
  if (state) {
    state->above_left = strncmp(align, "LEFT_", 5) == 0;
    state->below_left = strcmp(align + strcspn(align, "_"), "_LEFT") == 0;
  }
  return state;
}
static void diagonal_destroy(void *state) { free(state); }

// Matrices [batch, rows, cols] and the band of their diagonals [batch, upper - lower + 1, longest].
typedef struct band {
  int64_t batch, rows, cols, lower, upper, longest;
  const diagonal_state *align;
} band;

static int64_t length_of(const band *b, int64_t k) {
  return DVP_MIN(b->rows + DVP_MIN(k, 0), b->cols - DVP_MAX(k, 0));
}

// Where in its row of the band diagonal k starts.
static int64_t indent_of(const band *b, int64_t k) {
  bool left = k == 0  ? b->align->above_left && b->align->below_left
              : k > 0 ? b->align->above_left
                      : b->align->below_left;
  if (k == 0) left = b->align->above_left || b->align->below_left;
  return left ? 0 : b->longest - length_of(b, k);
}

// Input k: one diagonal, or the lowest and the uppermost.
static bool read_range(dvp_call *call, int input, band *b) {
  int64_t k[2];
  int rank, count;
  if (!dvp_input_ints(call, input, "k", k, 2, &rank, &count)) return false;
  if (count < 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "diag_index must have one or two elements, received none");
  b->lower = k[0];
  b->upper = count > 1 ? k[1] : k[0];
  return b->lower <= b->upper ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "lower_diag_index must not be larger than upper_diag_index: %" PRId64 " > %" PRId64,
                  b->lower, b->upper);
}

// The band lies in the matrices; sets `longest`.
static bool check_band(dvp_call *call, band *b) {
  bool lower_fits = (-b->rows < b->lower && b->lower < b->cols) || b->lower == 0;
  bool upper_fits = (-b->rows < b->upper && b->upper < b->cols) || b->upper == 0;
  if (!lower_fits || !upper_fits)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Diagonals %" PRId64 " to %" PRId64 " are out of range for matrices of %" PRId64
                    " rows and %" PRId64 " columns",
                    b->lower, b->upper, b->rows, b->cols);
  b->longest = DVP_MIN(b->rows + DVP_MIN(b->upper, 0), b->cols - DVP_MAX(b->lower, 0));
  return true;
}

// Copies each diagonal between the band and the matrices; `to_matrix` says which way.
static void copy_band(const band *b, char *matrix, char *diagonals, int64_t bytes, bool to_matrix) {
  int64_t count = b->upper - b->lower + 1;
  for (int64_t n = 0; n < b->batch; n++)
    for (int64_t k = b->lower; k <= b->upper; k++) {
      if (length_of(b, k) <= 0) continue;
      char *d = diagonals + ((n * count + b->upper - k) * b->longest + indent_of(b, k)) * bytes;
      int64_t row = DVP_MAX(0, -k), col = DVP_MAX(0, k);
      char *m = matrix + ((n * b->rows + row) * b->cols + col) * bytes;
      for (int64_t i = 0; i < length_of(b, k); i++, d += bytes, m += (b->cols + 1) * bytes)
        memcpy(to_matrix ? m : d, to_matrix ? d : m, (size_t)bytes);
    }
}

static void fill(char *out, int64_t count, const void *value, int64_t bytes) {
  for (int64_t i = 0; i < count; i++)
    if (value)
      memcpy(out + i * bytes, value, (size_t)bytes);
    else
      memset(out + i * bytes, 0, (size_t)bytes);
}

// ---- the band as an output ----

DVP_COMPUTE(matrix_diag_part_compute) {
  dvp_view in, padding = {.data = NULL};
  band b = {.align = state};
  bool plain = TF_NumInputs(call->ctx) == 1;
  if (!dvp_input(call, 0, &in)) return;
  if (!plain && (!read_range(call, 1, &b) || !dvp_input_scalar(call, 2, "padding_value", &padding))) return;
  if (in.rank < 2) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "input must be at least 2-dim, received a rank of %d", in.rank);
    return;
  }
  int64_t dims[DVP_MAX_RANK];
  int rank = in.rank - 2;
  memcpy(dims, in.dims, (size_t)rank * sizeof(int64_t));
  b.batch = dvp_product(in.dims, 0, rank);
  b.rows = in.dims[rank];
  b.cols = in.dims[rank + 1];
  if (!check_band(call, &b)) return;
  if (b.upper > b.lower) dims[rank++] = b.upper - b.lower + 1;
  dims[rank++] = b.longest;
  char *out = dvp_output(call, 0, dims, rank);
  if (!out) return;
  int64_t bytes = (int64_t)TF_DataTypeSize(in.dtype);
  fill(out, dvp_product(dims, 0, rank), padding.data, bytes);
  copy_band(&b, in.data, out, bytes, false);
}

// ---- the matrices as an output ----

// The shape of the matrices that input 0 is the band of; -1 for rows or cols: as small as possible.
static bool size_matrices(dvp_call *call, const dvp_view *in, band *b, int64_t rows, int64_t cols,
                          int *out_batch_rank) {
  int64_t count = b->upper - b->lower + 1;
  if (in->rank < (count > 1 ? 2 : 1))
    return dvp_fail(call, TF_INVALID_ARGUMENT, "diagonal must be at least %d-dim, received a rank of %d",
                    count > 1 ? 2 : 1, in->rank);
  *out_batch_rank = in->rank - (count > 1 ? 2 : 1);
  if (count > 1 && in->dims[in->rank - 2] != count)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "The number of diagonals provided, %" PRId64 ", is not that of k, %" PRId64,
                    in->dims[in->rank - 2], count);
  int64_t longest = in->dims[in->rank - 1];
  int64_t least_rows = longest - DVP_MIN(b->upper, 0), least_cols = longest + DVP_MAX(b->lower, 0);
  b->rows = rows, b->cols = cols;
  if (rows == -1 && cols == -1)
    b->rows = b->cols = DVP_MAX(least_rows, least_cols);
  else if (rows == -1)
    b->rows = least_rows;
  else if (cols == -1)
    b->cols = least_cols;
  if (b->rows < least_rows || b->cols < least_cols || (b->rows != least_rows && b->cols != least_cols))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Matrices of %" PRId64 " rows and %" PRId64
                    " columns do not fit diagonals of length %" PRId64,
                    b->rows, b->cols, longest);
  b->batch = dvp_product(in->dims, 0, *out_batch_rank);
  b->longest = longest;  // diagonals of the band that lie outside the matrices are left out
  return true;
}

DVP_COMPUTE(matrix_diag_compute) {
  dvp_view in, padding = {.data = NULL};
  band b = {.align = state};
  int64_t rows = -1, cols = -1, dims[DVP_MAX_RANK + 1];
  int rank = 0;
  if (!dvp_input(call, 0, &in)) return;
  if (TF_NumInputs(call->ctx) > 1 &&
      (!read_range(call, 1, &b) || !dvp_input_int(call, 2, "num_rows", &rows) ||
       !dvp_input_int(call, 3, "num_cols", &cols) || !dvp_input_scalar(call, 4, "padding_value", &padding)))
    return;
  if (!size_matrices(call, &in, &b, rows, cols, &rank)) return;
  memcpy(dims, in.dims, (size_t)rank * sizeof(int64_t));
  dims[rank] = b.rows;
  dims[rank + 1] = b.cols;
  char *out = dvp_output(call, 0, dims, rank + 2);
  if (!out) return;
  int64_t bytes = (int64_t)TF_DataTypeSize(in.dtype);
  fill(out, b.batch * b.rows * b.cols, padding.data, bytes);
  copy_band(&b, out, in.data, bytes, true);
}

DVP_COMPUTE(matrix_set_diag_compute) {
  dvp_view in, diagonals;
  band b = {.align = state};
  char ti[DVP_SHAPE_TEXT], td[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in) || !dvp_input(call, 1, &diagonals)) return;
  if (TF_NumInputs(call->ctx) > 2 && !read_range(call, 2, &b)) return;
  if (in.rank < 2) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "input must be at least 2-dim, received a rank of %d", in.rank);
    return;
  }
  int64_t wanted[DVP_MAX_RANK];
  int rank = in.rank - 2;
  memcpy(wanted, in.dims, (size_t)rank * sizeof(int64_t));
  b.batch = dvp_product(in.dims, 0, rank);
  b.rows = in.dims[rank];
  b.cols = in.dims[rank + 1];
  if (!check_band(call, &b)) return;
  if (b.upper > b.lower) wanted[rank++] = b.upper - b.lower + 1;
  wanted[rank++] = b.longest;
  if (diagonals.rank != rank || memcmp(diagonals.dims, wanted, (size_t)rank * sizeof(int64_t)) != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Diagonals of shape %s cannot be set in an input of shape %s",
             dvp_shape_text(diagonals.dims, diagonals.rank, td), dvp_shape_text(in.dims, in.rank, ti));
    return;
  }
  char *out = dvp_output_over(call, 0, -1, 0, in.dims, in.rank);
  if (!out) return;
  int64_t bytes = (int64_t)TF_DataTypeSize(in.dtype);
  if (out != in.data && in.count) memcpy(out, in.data, (size_t)(in.count * bytes));
  copy_band(&b, out, diagonals.data, bytes, true);
}

DVP_COMPUTE(matrix_band_part_compute) {
  (void)state;
  dvp_view in;
  int64_t lower, upper;
  if (!dvp_input(call, 0, &in) || !dvp_input_int(call, 1, "num_lower", &lower) ||
      !dvp_input_int(call, 2, "num_upper", &upper))
    return;
  if (in.rank < 2) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "input must be at least 2-dim, received a rank of %d", in.rank);
    return;
  }
  int64_t rows = in.dims[in.rank - 2], cols = in.dims[in.rank - 1];
  if (lower > rows || upper > cols) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "num_lower and num_upper must be negative or at most the number of rows and columns, %" PRId64
             " and %" PRId64 ", but are %" PRId64 " and %" PRId64,
             rows, cols, lower, upper);
    return;
  }
  char *out = dvp_output_over(call, 0, -1, 0, in.dims, in.rank);
  if (!out || in.count == 0) return;
  int64_t bytes = (int64_t)TF_DataTypeSize(in.dtype), lines = in.count / cols;
  for (int64_t i = 0; i < lines; i++) {
    int64_t row = i % rows;
    int64_t begin = lower < 0 ? 0 : DVP_MIN(cols, DVP_MAX(0, row - lower)),
            end = upper < 0 ? cols : DVP_MIN(cols, row + upper + 1);
    char *line = out + i * cols * bytes;
    if (out != in.data) memcpy(line, (const char *)in.data + i * cols * bytes, (size_t)(cols * bytes));
    memset(line, 0, (size_t)(begin * bytes));
    if (end < cols) memset(line + end * bytes, 0, (size_t)((cols - end) * bytes));
  }
}

// ---- Diag and DiagPart: all dimensions twice ----

DVP_COMPUTE(diag_compute) {
  (void)state;
  dvp_view in;
  int64_t dims[2 * DVP_MAX_RANK];
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank < 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Input must be at least rank 1, got 0");
    return;
  }
  for (int i = 0; i < in.rank; i++) dims[i] = dims[in.rank + i] = in.dims[i];
  char *out = dvp_output(call, 0, dims, 2 * in.rank);
  if (!out) return;
  size_t bytes = TF_DataTypeSize(in.dtype), step = ((size_t)in.count + 1) * bytes;
  memset(out, 0, (size_t)in.count * (size_t)in.count * bytes);
  for (int64_t i = 0; i < in.count; i++)
    memcpy(out + (size_t)i * step, (const char *)in.data + (size_t)i * bytes, bytes);
}

DVP_COMPUTE(diag_part_compute) {
  (void)state;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  int half = in.rank / 2;
  bool twice = in.rank % 2 == 0;
  for (int i = 0; twice && i < half; i++) twice = in.dims[i] == in.dims[half + i];
  if (!twice) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "The rank of the tensor should be even and its dimensions the same twice");
    return;
  }
  char *out = dvp_output(call, 0, in.dims, half);
  int64_t count = dvp_product(in.dims, 0, half);
  size_t bytes = TF_DataTypeSize(in.dtype), step = ((size_t)count + 1) * bytes;
  for (int64_t i = 0; out && i < count; i++)
    memcpy(out + (size_t)i * bytes, (const char *)in.data + (size_t)i * step, bytes);
}

#define PLAIN_TYPES(X, ...) DVP_NUMBERS(X, __VA_ARGS__) X(b, __VA_ARGS__)
#define DIAG_TYPES(X, ...) \
  X(f16, __VA_ARGS__) DVP_SINGLES(X, __VA_ARGS__) DVP_INDICES(X, __VA_ARGS__) DVP_COMPLEX(X, __VA_ARGS__)
#define DIAGONAL_SET(name, LIST)                                        \
  static const dvp_kernel name##_rows[] = {LIST(DVP_SHARED_ROW, name)}; \
  DVP_DEFINE_SET(name, "T", diagonal_create, diagonal_destroy, name##_rows);
DIAGONAL_SET(matrix_diag, PLAIN_TYPES)
DIAGONAL_SET(matrix_diag_part, PLAIN_TYPES)
DIAGONAL_SET(matrix_set_diag, PLAIN_TYPES)
DIAGONAL_SET(matrix_band_part, PLAIN_TYPES)
DIAGONAL_SET(diag, DIAG_TYPES)
DIAGONAL_SET(diag_part, DIAG_TYPES)
