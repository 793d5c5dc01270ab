// Zeros and sums of variants by the kernel's own arithmetic: TF_AddNVariant and TF_ZerosLikeVariant of
// kernels_experimental.h (rule 193), map_tensors of dvt_value_type.
#include "capi/kernel_context_test_util.h"
#include "dovetail/object.h"
#include "tensorflow/c/kernels_experimental.h"

// ---- a value of tensors: "pair" holds two; either may be NULL ----

typedef struct pair {
  TF_Tensor *tensors[2];
} pair;

static atomic_int alive;

static pair *pair_new(TF_Tensor *a, TF_Tensor *b) {
  pair *p = malloc(sizeof *p);
  *p = (pair){{a, b}};
  atomic_fetch_add(&alive, 1);
  return p;
}
static void pair_free(void *value) {
  pair *p = value;
  for (int i = 0; i < 2; i++) TF_DeleteTensor(p->tensors[i]);
  free(p);
  atomic_fetch_sub(&alive, 1);
}
static void *pair_map(TF_OpKernelContext *ctx, const void *a, const void *b, dvt_tensor_fn fn, void *arg,
                      TF_Status *s) {
  const pair *x = a, *y = b;
  pair *p = pair_new(NULL, NULL);
  for (int i = 0; i < 2; i++) {
    if (!x->tensors[i]) continue;
    p->tensors[i] = fn(ctx, arg, x->tensors[i], y ? y->tensors[i] : NULL, s);
    if (p->tensors[i]) continue;
    pair_free(p);
    return NULL;
  }
  return p;
}
static void *refuse_zeros(TF_OpKernelContext *ctx, const void *value, TF_Status *s) {
  (void)ctx, (void)value;
  TF_SetStatus(s, TF_ABORTED, "its own zeros");
  return NULL;
}
static void *own_sum(TF_OpKernelContext *ctx, const void *a, const void *b, TF_Status *s) {
  (void)ctx, (void)a, (void)b;
  TF_SetStatus(s, TF_ABORTED, "its own sum");
  return NULL;
}

static const dvt_value_type pair_type = {sizeof(dvt_value_type), "test::Pair", pair_free,
                                         refuse_zeros,           own_sum,      pair_map};
static const dvt_value_type opaque_type = {sizeof(dvt_value_type), "test::Opaque", pair_free,
                                           refuse_zeros,           own_sum,        NULL};
static const dvt_value_type plain_type = {sizeof(dvt_value_type), "test::Plain", pair_free, NULL, NULL, NULL};

static TF_Tensor *floats(const float *x, int64_t n) {
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, &n, 1, (size_t)n * sizeof *x);
  memcpy(TF_TensorData(t), x, (size_t)n * sizeof *x);
  return t;
}
#define FLOATS(...) floats((const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

static void put(TF_Tensor *tensor, const dvt_value_type *type, pair *p) {
  dvt_object_set(tensor, 0, type, p, status);
  assert_tf_status(status, TF_OK, "");
}

// ---- a node of variants ----

static void start_variants(test_node *t, const char *op, int count) {
  test_node_init(t, op, "sum");
  if (strcmp(op, "AddVariants") == 0) test_node_int(t, "N", count);
  assert_ok(test_node_create(t));
  for (int i = 0; i < count; i++) assert_ok(dvt_tensor_init_allocate(&t->values[i], TF_VARIANT, NULL, 0));
}

static pair *result_of(test_node *t) {
  pair *p = dvt_object_get(&t->outputs[0].tensor, 0, &pair_type, status);
  assert_tf_status(status, TF_OK, "");
  return p;
}
static float result_at(test_node *t, int tensor, int i) {
  return ((float *)TF_TensorData(result_of(t)->tensors[tensor]))[i];
}

// ---- the kernel's callbacks ----

static bool callee_deletes;
static int calls;

static void add(TF_OpKernelContext *ctx, TF_Tensor *a, TF_Tensor *b, TF_Tensor *out) {
  (void)ctx;
  calls++;
  const float *x = TF_TensorData(a), *y = TF_TensorData(b);
  float *z = TF_TensorData(out);
  assert_int_equal(TF_TensorElementCount(out), TF_TensorElementCount(a));
  for (int64_t i = 0; i < TF_TensorElementCount(a); i++) z[i] = x[i] + y[i];
  if (!callee_deletes) return;
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteTensor(out);
}
static void zero(TF_OpKernelContext *ctx, TF_Tensor *input, TF_Tensor *out) {
  (void)ctx;
  calls++;
  assert_int_equal(TF_TensorByteSize(input), TF_TensorByteSize(out));
  memset(TF_TensorData(out), 0, TF_TensorByteSize(out));
  if (!callee_deletes) return;
  TF_DeleteTensor(input);
  TF_DeleteTensor(out);
}
static void fail_sum(TF_OpKernelContext *ctx, TF_Tensor *a, TF_Tensor *b, TF_Tensor *out) {
  add(ctx, a, b, out);
  TF_Status *s = TF_NewStatus();
  TF_SetStatus(s, TF_DATA_LOSS, "the device is gone");
  TF_OpKernelContext_Failure(ctx, s);
  TF_DeleteStatus(s);
}
static void add_n(TF_OpKernelContext *ctx) { TF_AddNVariant(ctx, add, status); }
static void add_n_failing(TF_OpKernelContext *ctx) { TF_AddNVariant(ctx, fail_sum, status); }
static void add_n_null(TF_OpKernelContext *ctx) { TF_AddNVariant(ctx, NULL, status); }
static void zeros_like(TF_OpKernelContext *ctx) { TF_ZerosLikeVariant(ctx, zero, status); }
static void zeros_like_null(TF_OpKernelContext *ctx) { TF_ZerosLikeVariant(ctx, NULL, status); }

// ---- tests ----

static void test_rule_193_sum(void **state) {
  (void)state;
  for (int deletes = 0; deletes < 2; deletes++)
    for (int n = 1; n <= 7; n++) {
      test_node t;
      callee_deletes = deletes;
      calls = 0;
      start_variants(&t, "AddVariants", n);
      for (int i = 0; i < n; i++) put(&t.values[i], &pair_type, pair_new(FLOATS((float)i, 10), FLOATS(0.5f)));
      assert_ok(run(&t, add_n));
      assert_tf_status(status, TF_OK, "");
      assert_int_equal(calls, 2 * (n - 1));
      assert_float_equal(result_at(&t, 0, 0), n * (n - 1) / 2, 0);
      assert_float_equal(result_at(&t, 0, 1), 10 * n, 0);
      assert_float_equal(result_at(&t, 1, 0), 0.5 * n, 0);
      test_node_deinit(&t);
      assert_int_equal(atomic_load(&alive), 0);
    }
}

// 2^24 + 1 rounds to 2^24 in f32: pairs of small numbers first keep them.
static void test_rule_193_sums_in_pairs(void **state) {
  (void)state;
  test_node t;
  callee_deletes = true;
  start_variants(&t, "AddVariants", 4);
  static const float numbers[] = {16777216, 0, 1, 1};
  for (int i = 0; i < 4; i++) put(&t.values[i], &pair_type, pair_new(FLOATS(numbers[i]), NULL));
  assert_ok(run(&t, add_n));
  assert_true(result_at(&t, 0, 0) == 16777218.0f);
  test_node_deinit(&t);
}

static void test_rule_193_zeros(void **state) {
  (void)state;
  for (int deletes = 0; deletes < 2; deletes++) {
    test_node t;
    callee_deletes = deletes;
    start_variants(&t, "ZerosVariant", 1);
    assert_ok(run(&t, zeros_like));  // of nothing, nothing
    assert_null(dvt_object_type_name(&t.outputs[0].tensor, 0));
    put(&t.values[0], &pair_type, pair_new(FLOATS(1, 2, 3), NULL));
    assert_ok(run(&t, zeros_like));
    assert_int_equal(TF_TensorElementCount(result_of(&t)->tensors[0]), 3);
    assert_float_equal(result_at(&t, 0, 2), 0, 0);
    assert_null(result_of(&t)->tensors[1]);
    test_node_deinit(&t);
    assert_int_equal(atomic_load(&alive), 0);
  }
}

// Variants in variants: the callback sees numbers only.
static pair *nested(float x) {
  TF_Tensor *inner = TF_AllocateTensor(TF_VARIANT, NULL, 0, 8);
  put(inner, &pair_type, pair_new(FLOATS(x), NULL));
  return pair_new(inner, NULL);
}

static void test_rule_193_nested(void **state) {
  (void)state;
  test_node t;
  callee_deletes = true;
  start_variants(&t, "AddVariants", 2);
  put(&t.values[0], &pair_type, nested(3));
  put(&t.values[1], &pair_type, nested(4));
  assert_ok(run(&t, add_n));
  const pair *inner = dvt_object_get(result_of(&t)->tensors[0], 0, &pair_type, status);
  assert_tf_status(status, TF_OK, "");
  assert_float_equal(*(float *)TF_TensorData(inner->tensors[0]), 7, 0);
  test_node_deinit(&t);
  assert_int_equal(atomic_load(&alive), 0);
}

static void check_sum(const dvt_value_type *a, pair *x, const dvt_value_type *b, pair *y, TF_Code code,
                      const char *part) {
  test_node t;
  start_variants(&t, "AddVariants", 2);
  if (x) put(&t.values[0], a, x);
  if (y) put(&t.values[1], b, y);
  assert_status(run(&t, add_n), code, part);
  assert_tf_status(status, code, part);
  test_node_deinit(&t);
  assert_int_equal(atomic_load(&alive), 0);
}
#define PAIR(...) pair_new(FLOATS(__VA_ARGS__), NULL)

static void test_rule_193_errors(void **state) {
  (void)state;
  test_node t;
  check_sum(&plain_type, PAIR(1), &plain_type, PAIR(2), TF_INTERNAL, "neither map_tensors nor add");
  check_sum(&pair_type, PAIR(1), &plain_type, PAIR(2), TF_INTERNAL, "test::Pair and a test::Plain");
  check_sum(&opaque_type, PAIR(1), &opaque_type, PAIR(2), TF_ABORTED, "its own sum");
  check_sum(&pair_type, PAIR(1), &pair_type, PAIR(2, 3), TF_INVALID_ARGUMENT, "differ in dtype or shape");
  check_sum(&pair_type, PAIR(1), NULL, NULL, TF_INVALID_ARGUMENT, "holds no object");

  start_variants(&t, "AddVariants", 2);
  put(&t.values[0], &pair_type, PAIR(1));
  put(&t.values[1], &pair_type, PAIR(1));
  assert_status(run(&t, add_n_failing), TF_DATA_LOSS, "the device is gone");
  assert_status(run(&t, add_n_null), TF_INVALID_ARGUMENT, "binary_add_func is NULL");
  assert_status(run(&t, zeros_like_null), TF_INVALID_ARGUMENT, "zeros_like_func is NULL");
  dvt_tensor_reset(&t.values[1]);
  assert_ok(dvt_tensor_init_allocate(&t.values[1], TF_VARIANT, (int64_t[]){1}, 1));
  assert_status(run(&t, add_n), TF_INVALID_ARGUMENT, "input 1 of {{node sum}} has rank 1");
  dvt_tensor_reset(&t.values[1]);
  assert_status(run(&t, add_n), TF_INVALID_ARGUMENT, "input 1 of {{node sum}} is missing");
  test_node_deinit(&t);

  start_variants(&t, "ZerosVariant", 1);
  put(&t.values[0], &plain_type, PAIR(1));
  assert_status(run(&t, zeros_like), TF_INTERNAL, "neither map_tensors nor zeros_like");
  put(&t.values[0], &opaque_type, PAIR(1));
  assert_status(run(&t, zeros_like), TF_ABORTED, "its own zeros");
  test_node_deinit(&t);
  start(&t, "One");
  assert_status(run(&t, add_n), TF_INVALID_ARGUMENT, "input 0 of {{node n}} is float");
  test_node_deinit(&t);
  assert_int_equal(atomic_load(&alive), 0);
}

static int setup_variants(void **state) {
  setup(state);
  test_op("AddVariants", SPECS("a:N: int", "i:xs: N * variant", "o:y: variant"));
  test_op("ZerosVariant", SPECS("i:x: variant", "o:y: variant"));
  test_kernel("AddVariants", compute);
  test_kernel("ZerosVariant", compute);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_193_sum),    cmocka_unit_test(test_rule_193_sums_in_pairs),
      cmocka_unit_test(test_rule_193_zeros),  cmocka_unit_test(test_rule_193_nested),
      cmocka_unit_test(test_rule_193_errors),
  };
  return cmocka_run_group_tests(tests, setup_variants, teardown);
}
