// SoftmaxCrossEntropyWithLogits and its sparse form: losses of rows and their gradients by the logits. Where
// the gradient will be, first the powers exp(logit - largest) are kept.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "common/vector_math.h"

#define CHUNK 256

// Rows of `classes`; steps are 0 along an axis that is broadcast.
typedef struct entropy {
  const void *features, *labels;
  int64_t row_step[2], class_step[2];  // of features, of labels
  int64_t rows, classes;
  bool wide;     // labels of the sparse form are int64
  size_t bytes;  // of an element
  void *loss, *gradient;
} entropy;

#define POWERS(t, v)                                                                                         \
  /* Writes the powers of a row to `out`; the sum of them, and the largest feature. */                       \
  static dvp_##v powers_##t(const dvp_##t *x, int64_t step, int64_t n, dvp_##t *out, dvp_##v *out_largest) { \
    dvp_##v buffer[CHUNK], largest = DVP_LOAD_##t(x[0]), sum = 0;                                            \
    for (int64_t i = 1; i < n; i++) {                                                                        \
      const dvp_##v value = DVP_LOAD_##t(x[i * step]);                                                       \
      largest = value > largest || value != value ? value : largest;                                         \
    }                                                                                                        \
    for (int64_t begin = 0; begin < n; begin += CHUNK) {                                                     \
      int64_t m = DVP_MIN(CHUNK, n - begin);                                                                 \
      for (int64_t i = 0; i < m; i++) buffer[i] = DVP_LOAD_##t(x[(begin + i) * step]);                       \
      sum += DVP_VECTOR(exp_sum, v)(buffer, largest, buffer, m);                                             \
      for (int64_t i = 0; i < m; i++) out[begin + i] = DVP_STORE_##t(buffer[i]);                             \
    }                                                                                                        \
    *out_largest = largest;                                                                                  \
    return sum;                                                                                              \
  }

#define DENSE(t, v)                                                                                \
  static void cross_entropy_##t##_rows(void *arg, int64_t begin, int64_t end) {                    \
    const entropy *e = arg;                                                                        \
    for (int64_t row = begin; row < end; row++) {                                                  \
      const dvp_##t *x = (const dvp_##t *)e->features + row * e->row_step[0];                      \
      const dvp_##t *labels = (const dvp_##t *)e->labels + row * e->row_step[1];                   \
      dvp_##t *out = (dvp_##t *)e->gradient + row * e->classes;                                    \
      dvp_##v largest, sum = powers_##t(x, e->class_step[0], e->classes, out, &largest), loss = 0; \
      const dvp_##v log_sum = v##_log(sum), part = 1 / sum;                                        \
      for (int64_t i = 0; i < e->classes; i++) {                                                   \
        const dvp_##v label = DVP_LOAD_##t(labels[i * e->class_step[1]]);                          \
        loss += label * (log_sum - (DVP_LOAD_##t(x[i * e->class_step[0]]) - largest));             \
        out[i] = DVP_STORE_##t(DVP_LOAD_##t(out[i]) * part - label);                               \
      }                                                                                            \
      ((dvp_##t *)e->loss)[row] = DVP_STORE_##t(loss);                                             \
    }                                                                                              \
  }                                                                                                \
  DVP_COMPUTE(cross_entropy_##t##_compute) {                                                       \
    (void)state;                                                                                   \
    cross_entropy(call, cross_entropy_##t##_rows);                                                 \
  }

#define SPARSE(t, v)                                                                                \
  static void sparse_cross_entropy_##t##_rows(void *arg, int64_t begin, int64_t end) {              \
    const entropy *e = arg;                                                                         \
    for (int64_t row = begin; row < end; row++) {                                                   \
      const dvp_##t *x = (const dvp_##t *)e->features + row * e->classes;                           \
      dvp_##t *out = (dvp_##t *)e->gradient + row * e->classes;                                     \
      int64_t label = label_at(e, row);                                                             \
      dvp_##v largest, sum = powers_##t(x, 1, e->classes, out, &largest);                           \
      const dvp_##v part = 1 / sum;                                                                 \
      for (int64_t i = 0; i < e->classes; i++)                                                      \
        out[i] = DVP_STORE_##t(DVP_LOAD_##t(out[i]) * part - (i == label ? 1 : 0));                 \
      ((dvp_##t *)e->loss)[row] = DVP_STORE_##t(v##_log(sum) - (DVP_LOAD_##t(x[label]) - largest)); \
    }                                                                                               \
  }                                                                                                 \
  DVP_COMPUTE(sparse_cross_entropy_##t##_compute) {                                                 \
    (void)state;                                                                                    \
    sparse_cross_entropy(call, sparse_cross_entropy_##t##_rows);                                    \
  }

#define f32_log logf
#define f64_log log

static int64_t label_at(const entropy *e, int64_t row) {
  return e->wide ? ((const int64_t *)e->labels)[row] : ((const int32_t *)e->labels)[row];
}

static void run(dvp_call *call, entropy *e, void (*rows)(void *, int64_t, int64_t)) {
  int64_t dims[2] = {e->rows, e->classes};
  e->loss = dvp_output(call, 0, dims, 1);
  e->gradient = e->loss ? dvp_output(call, 1, dims, 2) : NULL;
  if (!e->gradient || e->rows == 0) return;
  if (e->classes == 0)
    memset(e->loss, 0, (size_t)e->rows * e->bytes);
  else
    dvp_parallel(call, e->rows, e->classes * 4000, rows, e);
}

// Sizes of a tensor of at most two dimensions as a matrix.
static void as_matrix(const dvp_view *view, int64_t dims[2]) {
  dims[0] = view->rank == 2 ? view->dims[0] : 1;
  dims[1] = view->rank ? view->dims[view->rank - 1] : 1;
}

static void cross_entropy(dvp_call *call, void (*rows)(void *, int64_t, int64_t)) {
  dvp_view views[2];
  int64_t dims[2][2], size[2];
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &views[0]) || !dvp_input(call, 1, &views[1])) return;
  bool fine = DVP_MAX(views[0].rank, views[1].rank) == 2;
  for (int i = 0; fine && i < 2; i++) as_matrix(&views[i], dims[i]);
  for (int axis = 0; fine && axis < 2; axis++) {
    int64_t a = dims[0][axis], b = dims[1][axis];
    size[axis] = a == 1 ? b : a;
    fine = a == b || a == 1 || b == 1;
  }
  if (!fine) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT, "logits and labels must broadcast to two dimensions: logits %s, labels %s",
        dvp_shape_text(views[0].dims, views[0].rank, ta), dvp_shape_text(views[1].dims, views[1].rank, tb));
    return;
  }
  entropy e = {.bytes = TF_DataTypeSize(views[0].dtype),
               .features = views[0].data,
               .labels = views[1].data,
               .rows = size[0],
               .classes = size[1]};
  for (int i = 0; i < 2; i++) {
    e.row_step[i] = dims[i][0] == 1 ? 0 : dims[i][1];
    e.class_step[i] = dims[i][1] == 1 ? 0 : 1;
  }
  run(call, &e, rows);
}

static void sparse_cross_entropy(dvp_call *call, void (*rows)(void *, int64_t, int64_t)) {
  dvp_view features, labels;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &features) || !dvp_input(call, 1, &labels)) return;
  if (features.rank != 2 || labels.rank != 1 || features.dims[0] != labels.dims[0] || features.dims[1] < 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "logits must be [rows, classes] with one class or more, and labels [rows]: got %s and %s",
             dvp_shape_text(features.dims, features.rank, ta), dvp_shape_text(labels.dims, labels.rank, tb));
    return;
  }
  entropy e = {.features = features.data,
               .labels = labels.data,
               .rows = features.dims[0],
               .classes = features.dims[1],
               .wide = labels.dtype == TF_INT64};
  for (int64_t row = 0; row < e.rows; row++) {
    int64_t label = label_at(&e, row);
    if (label >= 0 && label < e.classes) continue;
    dvp_fail(call, TF_INVALID_ARGUMENT, "Label %" PRId64 " of row %" PRId64 " is outside of [0, %" PRId64 ")",
             label, row, e.classes);
    return;
  }
  run(call, &e, rows);
}

#define TYPES(X) X(f16, f32) X(bf16, f32) X(f32, f32) X(f64, f64)
TYPES(POWERS)
TYPES(DENSE)
TYPES(SPARSE)
static const dvp_kernel cross_entropy_rows[] = {DVP_FLOATS(DVP_ROW, cross_entropy)};
static const dvp_kernel sparse_cross_entropy_rows[] = {DVP_FLOATS(DVP_ROW, sparse_cross_entropy)};
DVP_DEFINE_SET(cross_entropy, "T", NULL, NULL, cross_entropy_rows);
DVP_DEFINE_SET(sparse_cross_entropy, "T", NULL, NULL, sparse_cross_entropy_rows);
