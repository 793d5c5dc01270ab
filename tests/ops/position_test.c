// A function's value depends on its operands only: not on where in a tensor they stand (whole vectors or the
// rest), on the tensor's length, on how many threads share it, or on whether the other operand is a scalar. A
// constant tensor therefore stays constant through any element-wise op.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "tensorflow/c/c_api.h"

#define LONGEST 67
#define LARGE 100003  // enough for several threads, and odd

static const char *const unary_ops[] = {
    "Neg",  "Abs",  "Sign",  "Square", "Sqrt",  "Rsqrt",  "Reciprocal", "Inv",      "Floor",    "Ceil",
    "Rint", "Exp",  "Expm1", "Log",    "Log1p", "Sin",    "Cos",        "Tan",      "Asin",     "Acos",
    "Atan", "Sinh", "Cosh",  "Asinh",  "Acosh", "Atanh",  "Tanh",       "Sigmoid",  "Erf",      "Erfc",
    "Relu", "Elu",  "Selu",  "Relu6",  "Round", "Lgamma", "Softplus",   "Softsign", "LeakyRelu"};
static const char *const binary_ops[] = {
    "Add",      "AddV2",       "Sub",         "Mul",     "MulNoNan", "Div", "RealDiv",           "DivNoNan",
    "FloorDiv", "FloorMod",    "Mod",         "Maximum", "Minimum",  "Pow", "SquaredDifference", "Atan2",
    "Xdivy",    "TruncateDiv", "TruncateMod", "Xlogy",   "Xlog1py"};
// Within and beyond the domains; 1e-10f is what the normalised logarithm of many audio networks adds.
static const double samples[] = {1e-10, 0.3,   -0.7,   1.0,    2.5,   -3.75, 0.0,
                                 17.3,  100.1, -0.001, 0.9999, 1e-30, 7.0};
#define SAMPLES ((int64_t)(sizeof(samples) / sizeof(samples[0])))

typedef struct setup {
  TF_DataType dtype;
  int64_t size;
  TF_Status *status;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output x, y;
} setup;

static void check(const setup *s, const char *op) {
  if (TF_GetCode(s->status) != TF_OK) fail_msg("%s: %s", op, TF_Message(s->status));
}

static TF_Output add_node(setup *s, const char *op, const char *name, int inputs) {
  TF_OperationDescription *d = TF_NewOperation(s->graph, op, name);
  if (inputs >= 1) TF_AddInput(d, s->x);
  if (inputs >= 2) TF_AddInput(d, s->y);
  if (inputs == 0) TF_SetAttrType(d, "dtype", s->dtype);
  TF_Output out = {TF_FinishOperation(d, s->status), 0};
  check(s, op);
  return out;
}

static void start(setup *s, TF_DataType dtype, int threads) {
  *s = (setup){dtype, (int64_t)TF_DataTypeSize(dtype), TF_NewStatus(), TF_NewGraph(), NULL, {0}, {0}};
  s->x = add_node(s, "Placeholder", "x", 0);
  s->y = add_node(s, "Placeholder", "y", 0);
  TF_SessionOptions *options = TF_NewSessionOptions();
  const uint8_t config[] = {2 << 3, (uint8_t)threads};  // ConfigProto.intra_op_parallelism_threads
  TF_SetConfig(options, config, sizeof(config), s->status);
  s->session = TF_NewSession(s->graph, options, s->status);
  TF_DeleteSessionOptions(options);
  check(s, "session");
}

static void finish(setup *s) {
  TF_DeleteSession(s->session, s->status);
  TF_DeleteGraph(s->graph);
  TF_DeleteStatus(s->status);
}

// Element i is sample (i + shift) * step; n < 0 stands for a scalar.
static TF_Tensor *filled(const setup *s, int64_t n, int64_t shift, int64_t step) {
  int64_t count = n < 0 ? 1 : n;
  TF_Tensor *t = TF_AllocateTensor(s->dtype, &n, n < 0 ? 0 : 1, (size_t)(count * s->size));
  for (int64_t i = 0; i < count; i++) {
    double value = samples[(i * step + shift) % SAMPLES];
    if (s->dtype == TF_FLOAT)
      ((float *)TF_TensorData(t))[i] = (float)value;
    else
      ((double *)TF_TensorData(t))[i] = value;
  }
  return t;
}

// Takes x and y.
static TF_Tensor *run(setup *s, TF_Output op, TF_Tensor *x, TF_Tensor *y) {
  TF_Tensor *out = NULL, *values[2] = {x, y};
  const TF_Output feeds[2] = {s->x, s->y};
  TF_SessionRun(s->session, NULL, feeds, values, y ? 2 : 1, &op, &out, 1, NULL, 0, NULL, s->status);
  check(s, TF_OperationName(op.oper));
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  return out;
}

// Element i of `t` must have the bits of element `which` of `expected`.
static void expect(const setup *s, TF_Output op, const TF_Tensor *t, int64_t n, int64_t i,
                   const TF_Tensor *expected, int64_t which) {
  const char *got = (const char *)TF_TensorData(t) + i * s->size;
  const char *want = (const char *)TF_TensorData(expected) + which * s->size;
  if (memcmp(got, want, (size_t)s->size) == 0) return;
  fail_msg("%s of dtype %d: element %lld of %lld is %.17g, elsewhere it is %.17g", TF_OperationName(op.oper),
           s->dtype, (long long)i, (long long)n,
           s->size == 4 ? (double)*(const float *)got : *(const double *)got,
           s->size == 4 ? (double)*(const float *)want : *(const double *)want);
}

static const int64_t lengths[] = {4 * SAMPLES, 1000, LARGE};

static int64_t length_at(int64_t k) { return k <= LONGEST ? k : lengths[k - LONGEST - 1]; }
#define LENGTHS (LONGEST + 3)

static void check_unary(setup *s, const char *name) {
  TF_Output op = add_node(s, name, name, 1);
  TF_Tensor *expected = run(s, op, filled(s, SAMPLES, 0, 1), NULL);
  for (int64_t k = 1; k <= LENGTHS; k++) {
    int64_t n = length_at(k);
    TF_Tensor *out = run(s, op, filled(s, n, k, 1), NULL), *same = run(s, op, filled(s, n, k, 0), NULL);
    for (int64_t i = 0; i < n; i++) {
      expect(s, op, out, n, i, expected, (i + k) % SAMPLES);
      expect(s, op, same, n, i, expected, k % SAMPLES);
    }
    TF_DeleteTensor(out);
    TF_DeleteTensor(same);
  }
  TF_DeleteTensor(expected);
}

static void check_binary(setup *s, const char *name) {
  TF_Output op = add_node(s, name, name, 2);
  for (int64_t other = 0; other < SAMPLES; other++) {
    TF_Tensor *expected = run(s, op, filled(s, SAMPLES, 0, 1), filled(s, SAMPLES, other, 0));
    TF_Tensor *swapped = run(s, op, filled(s, SAMPLES, other, 0), filled(s, SAMPLES, 0, 1));
    // The long tensors once: they make the test long as well.
    for (int64_t k = 1; k <= (other == 1 ? LENGTHS : LONGEST); k++) {
      int64_t n = length_at(k);
      TF_Tensor *vv = run(s, op, filled(s, n, k, 1), filled(s, n, other, 0));
      TF_Tensor *vs = run(s, op, filled(s, n, k, 1), filled(s, -1, other, 0));
      TF_Tensor *sv = run(s, op, filled(s, -1, other, 0), filled(s, n, k, 1));
      for (int64_t i = 0; i < n; i++) {
        expect(s, op, vv, n, i, expected, (i + k) % SAMPLES);
        expect(s, op, vs, n, i, expected, (i + k) % SAMPLES);
        expect(s, op, sv, n, i, swapped, (i + k) % SAMPLES);
      }
      TF_DeleteTensor(vv);
      TF_DeleteTensor(vs);
      TF_DeleteTensor(sv);
    }
    TF_DeleteTensor(expected);
    TF_DeleteTensor(swapped);
  }
}

static void check_all(TF_DataType dtype, int threads) {
  setup s;
  start(&s, dtype, threads);
  for (size_t i = 0; i < sizeof(unary_ops) / sizeof(unary_ops[0]); i++) check_unary(&s, unary_ops[i]);
  for (size_t i = 0; i < sizeof(binary_ops) / sizeof(binary_ops[0]); i++) check_binary(&s, binary_ops[i]);
  finish(&s);
}

static void test_f32_one_thread(void **state) {
  (void)state;
  check_all(TF_FLOAT, 1);
}
static void test_f32_threads(void **state) {
  (void)state;
  check_all(TF_FLOAT, 4);
}
static void test_f64_one_thread(void **state) {
  (void)state;
  check_all(TF_DOUBLE, 1);
}
static void test_f64_threads(void **state) {
  (void)state;
  check_all(TF_DOUBLE, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_f32_one_thread), cmocka_unit_test(test_f32_threads),
      cmocka_unit_test(test_f64_one_thread), cmocka_unit_test(test_f64_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
