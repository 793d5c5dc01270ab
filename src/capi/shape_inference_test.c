// The 21 shape-inference functions of ops.h (semantics rules 72-93).
#include "op/shape_inference.h"
#include "base/testing.h"
#include "tensorflow/c/ops.h"

enum { UNKNOWN_RANK = -1 };

typedef struct fixture {
  dvt_shape_arena arena;
  dvt_op_def op;
  dvt_node_def node;
  dvt_attr attrs[2];
  dvt_buf values[2];
  dvt_shape inputs[4], outputs[3];
  TF_ShapeInferenceContext ctx;
  TF_Status *status;
  TF_ShapeHandle *handle, *result;
  TF_DimensionHandle *dim;
} fixture;

static dvt_shape make(fixture *f, int rank, const int64_t *dims) {
  dvt_shape shape = NULL;
  if (rank != UNKNOWN_RANK) assert_null(dvt_shape_make(&f->arena, dims, rank, true, &shape));
  return shape;
}

// Inputs: [2,?,5], ?, [] and [7]; outputs: three; attrs T: float, n: 3.
static void set_up(fixture *f) {
  *f = (fixture){.op = {.name = DVT_STR("Op")},
                 .status = TF_NewStatus(),
                 .handle = TF_NewShapeHandle(),
                 .result = TF_NewShapeHandle(),
                 .dim = TF_NewDimensionHandle()};
  f->node = (dvt_node_def){.name = DVT_STR("n"),
                           .op = &f->op,
                           .attrs = f->attrs,
                           .attr_count = 2,
                           .input_count = 4,
                           .output_count = 3};
  dvt_attr_put_type(&f->values[0], TF_FLOAT);
  dvt_attr_put_int(&f->values[1], 3);
  f->attrs[0] = (dvt_attr){DVT_STR("T"), dvt_buf_str(&f->values[0])};
  f->attrs[1] = (dvt_attr){DVT_STR("n"), dvt_buf_str(&f->values[1])};
  f->inputs[0] = make(f, 3, (int64_t[]){2, -1, 5});
  f->inputs[2] = make(f, 0, NULL);
  f->inputs[3] = make(f, 1, (int64_t[]){7});
  f->ctx = (TF_ShapeInferenceContext){.node = &f->node,
                                      .arena = &f->arena,
                                      .inputs = f->inputs,
                                      .outputs = f->outputs,
                                      .graph_def_version = 2474};
}

static void tear_down(fixture *f) {
  TF_DeleteStatus(f->status);
  TF_DeleteShapeHandle(f->handle);
  TF_DeleteShapeHandle(f->result);
  TF_DeleteDimensionHandle(f->dim);
  dvt_buf_deinit(&f->values[0]);
  dvt_buf_deinit(&f->values[1]);
  dvt_shape_arena_deinit(&f->arena);
}

static void expect_status(fixture *f, TF_Code code, const char *part) {
  if (TF_GetCode(f->status) != code || !strstr(TF_Message(f->status), part))
    fail_msg("got %d \"%s\", wanted %d with \"%s\"", (int)TF_GetCode(f->status), TF_Message(f->status),
             (int)code, part);
}

static void expect_shape(const TF_ShapeHandle *handle, const char *wanted) {
  dvt_buf text = {0};
  dvt_shape_print(handle->shape, &text);
  assert_string_equal(text.data, wanted);
  dvt_buf_deinit(&text);
}

static void get(fixture *f, int i) {
  TF_ShapeInferenceContextGetInput(&f->ctx, i, f->handle, f->status);
  expect_status(f, TF_OK, "");
}

static void test_rule_072_no_shape_function(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  dvt_test_expect_error(dvt_shape_infer(&f.ctx), TF_INVALID_ARGUMENT,
                        "No shape inference function exists for op 'Op', did you forget to define it?");
  tear_down(&f);
}

static void starts_ok(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  (void)ctx;
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_string_equal(TF_Message(status), "");
}

static void fails_late(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  TF_ShapeInferenceContextSetOutput(ctx, 1, shape, status);
  TF_SetStatus(status, TF_OUT_OF_RANGE, "no luck");
  TF_DeleteShapeHandle(shape);
}

static dvt_str input_name(void *arg, int index) {
  (void)arg;
  static const char *const names[] = {"a", "b", "c", "d:1"};
  return dvt_str_from(names[index]);
}

static void test_rules_074_075_outcome(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  f.op.shape_fn = starts_ok;
  f.outputs[0] = NULL;
  assert_null(dvt_shape_infer(&f.ctx));
  for (int i = 0; i < 3; i++) assert_null(f.outputs[i]);  // unset outputs are unknown
  f.op.shape_fn = fails_late;
  dvt_status status = dvt_shape_infer(&f.ctx);
  assert_int_equal(dvt_status_code(status), TF_OUT_OF_RANGE);
  assert_string_equal(dvt_status_message(status),
                      "no luck for '{{node n}} = Op[]' with input shapes: [2,?,5], ?, [], [7].");
  dvt_status_free(status);
  assert_null(f.outputs[1]);
  f.ctx.input_name = input_name;
  dvt_test_expect_error(dvt_shape_infer(&f.ctx), TF_OUT_OF_RANGE,
                        "'{{node n}} = Op[](a, b, c, d:1)' with input shapes");
  tear_down(&f);
}

static void test_rule_076_indices(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  get(&f, 0);
  for (int i = 0; i < 2; i++) {
    TF_ShapeInferenceContextGetInput(&f.ctx, i ? -1 : 4, f.handle, f.status);
    expect_status(&f, TF_INVALID_ARGUMENT, "input index out of range");
    TF_ShapeInferenceContextSetOutput(&f.ctx, i ? -1 : 3, f.handle, f.status);
    expect_status(&f, TF_INVALID_ARGUMENT, "output index out of range");
  }
  expect_shape(f.handle, "[2,?,5]");  // untouched
  TF_ShapeInferenceContextSetOutput(&f.ctx, 2, f.handle, f.status);
  expect_status(&f, TF_OK, "");
  assert_ptr_equal(f.outputs[2], f.inputs[0]);
  TF_ShapeInferenceContextGetInput(&f.ctx, 0, NULL, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "a handle is NULL");
  tear_down(&f);
}

static void test_rule_077_ok_overwrites_errors(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_SetStatus(f.status, TF_ABORTED, "before");
  get(&f, 0);
  TF_SetStatus(f.status, TF_ABORTED, "before");
  TF_ShapeInferenceContextWithRank(&f.ctx, f.handle, 3, f.result, f.status);
  expect_status(&f, TF_OK, "");
  TF_SetStatus(f.status, TF_ABORTED, "before");
  TF_ShapeInferenceContextSetUnknownShape(&f.ctx, f.status);
  expect_status(&f, TF_OK, "");
  tear_down(&f);
}

static void test_rule_078_unset_handles(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  assert_int_equal(TF_ShapeInferenceContextRankKnown(&f.ctx, f.handle), 0);
  assert_int_equal(TF_ShapeInferenceContextRank(&f.ctx, f.handle), -1);
  assert_int_equal(TF_DimensionHandleValueKnown(f.dim), 0);
  assert_int_equal(TF_DimensionHandleValue(f.dim), 0);
  TF_DeleteShapeHandle(NULL);
  TF_DeleteDimensionHandle(NULL);
  tear_down(&f);
}

static void test_rule_079_ranks_and_values(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  get(&f, 0);
  assert_int_equal(TF_ShapeInferenceContextRank(&f.ctx, f.handle), 3);
  assert_int_equal(TF_ShapeInferenceContextRankKnown(&f.ctx, f.handle), 1);
  TF_ShapeInferenceContextDim(&f.ctx, f.handle, 1, f.dim);
  assert_int_equal(TF_DimensionHandleValueKnown(f.dim), 0);
  assert_int_equal(TF_DimensionHandleValue(f.dim), -1);
  get(&f, 1);
  assert_int_equal(TF_ShapeInferenceContextRank(&f.ctx, f.handle), -1);
  assert_int_equal(TF_ShapeInferenceContextRankKnown(&f.ctx, f.handle), 0);
  tear_down(&f);
}

static void expect_dim(fixture *f, int64_t i, int known, int64_t value) {
  TF_ShapeInferenceContextDim(&f->ctx, f->handle, i, f->dim);
  assert_int_equal(TF_DimensionHandleValueKnown(f->dim), known);
  assert_int_equal(TF_DimensionHandleValue(f->dim), value);
}

static void test_rules_080_081_dim(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  get(&f, 0);
  expect_dim(&f, 0, 1, 2);
  expect_dim(&f, 2, 1, 5);
  expect_dim(&f, -1, 1, 5);
  expect_dim(&f, -3, 1, 2);
  expect_dim(&f, 3, 0, 0);
  expect_dim(&f, -4, 0, 0);
  expect_dim(&f, INT64_MIN, 0, 0);
  get(&f, 1);
  expect_dim(&f, 0, 0, -1);
  expect_dim(&f, 1000, 0, -1);
  tear_down(&f);
}

static void test_rule_082_with_rank(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  get(&f, 0);
  TF_ShapeInferenceContextWithRank(&f.ctx, f.handle, 3, f.result, f.status);
  expect_status(&f, TF_OK, "");
  assert_ptr_equal(f.result->shape, f.handle->shape);
  TF_ShapeInferenceContextWithRank(&f.ctx, f.handle, 2, f.result, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Shape must be rank 2 but is rank 3");
  assert_false(f.result->is_set);
  assert_int_equal(TF_ShapeInferenceContextRankKnown(&f.ctx, f.result), 0);
  get(&f, 1);
  TF_ShapeInferenceContextWithRank(&f.ctx, f.handle, 2, f.result, f.status);
  expect_status(&f, TF_OK, "");
  expect_shape(f.result, "[?,?]");
  assert_true(f.result->shape->dims[0] != f.result->shape->dims[1]);
  tear_down(&f);
}

static void test_rule_083_rank_bounds(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  get(&f, 0);
  TF_ShapeInferenceContextWithRankAtLeast(&f.ctx, f.handle, 3, f.result, f.status);
  expect_status(&f, TF_OK, "");
  TF_ShapeInferenceContextWithRankAtLeast(&f.ctx, f.handle, 4, f.result, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Shape must be at least rank 4 but is rank 3");
  assert_false(f.result->is_set);
  TF_ShapeInferenceContextWithRankAtMost(&f.ctx, f.handle, 3, f.result, f.status);
  expect_status(&f, TF_OK, "");
  expect_shape(f.result, "[2,?,5]");
  TF_ShapeInferenceContextWithRankAtMost(&f.ctx, f.handle, 2, f.result, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Shape must be at most rank 2 but is rank 3");
  assert_false(f.result->is_set);
  get(&f, 1);
  TF_ShapeInferenceContextWithRankAtLeast(&f.ctx, f.handle, 4, f.result, f.status);
  expect_status(&f, TF_OK, "");
  expect_shape(f.result, "?");
  TF_ShapeInferenceContextWithRankAtMost(&f.ctx, f.handle, 4, f.result, f.status);
  expect_status(&f, TF_OK, "");
  expect_shape(f.result, "?");
  tear_down(&f);
}

static void test_rule_084_rank_limits(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  for (int i = 0; i < 2; i++) {
    get(&f, i);
    TF_ShapeInferenceContextWithRank(&f.ctx, f.handle, (int64_t)INT32_MAX + 1, f.result, f.status);
    expect_status(&f, TF_INVALID_ARGUMENT, "Rank cannot exceed");
    TF_ShapeInferenceContextWithRankAtLeast(&f.ctx, f.handle, INT64_MAX, f.result, f.status);
    expect_status(&f, TF_INVALID_ARGUMENT, "Rank cannot exceed");
    TF_ShapeInferenceContextWithRankAtMost(&f.ctx, f.handle, INT64_MAX, f.result, f.status);
    expect_status(&f, TF_INVALID_ARGUMENT, "Rank cannot exceed");
    TF_ShapeInferenceContextWithRank(&f.ctx, f.handle, -5, f.result, f.status);
    expect_status(&f, TF_INVALID_ARGUMENT, "Rank must not be negative");
  }
  TF_ShapeInferenceContextWithRank(&f.ctx, f.handle, 255, f.result, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "the highest rank is 254");
  tear_down(&f);
}

static void expect_subshape(fixture *f, int64_t start, int64_t end, const char *wanted) {
  TF_ShapeInferenceContextSubshape(&f->ctx, f->handle, start, end, f->result, f->status);
  expect_status(f, TF_OK, "");
  expect_shape(f->result, wanted);
}

static void expect_subshape_error(fixture *f, int64_t start, int64_t end, const char *part) {
  TF_ShapeInferenceContextSubshape(&f->ctx, f->handle, start, end, f->result, f->status);
  expect_status(f, TF_INVALID_ARGUMENT, part);
  assert_false(f->result->is_set);
}

static void test_rules_085_086_subshape(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  get(&f, 0);
  expect_subshape(&f, 0, 3, "[2,?,5]");
  expect_subshape(&f, 1, 2, "[?]");
  expect_subshape(&f, -2, -1, "[?]");
  expect_subshape(&f, 1, INT64_MAX, "[?,5]");
  expect_subshape(&f, 100, 200, "[]");
  expect_subshape(&f, 2, 2, "[]");
  expect_subshape(&f, -3, -3, "[]");
  expect_subshape_error(
      &f, 2, 1, "Subshape must have computed start <= end, but is 2 and 1 (computed from start 2 and end 1");
  expect_subshape_error(&f, -4, 2, "Subshape start out of bounds: -4, for shape with rank 3");
  expect_subshape_error(&f, 0, -4, "Subshape end out of bounds: -4, for shape with rank 3");
  expect_subshape_error(&f, INT64_MIN, INT64_MIN, "Subshape start out of bounds");
  get(&f, 1);
  expect_subshape(&f, 1, 2, "?");
  expect_subshape(&f, 0, INT64_MAX, "?");
  tear_down(&f);
}

static void test_rule_087_concatenate(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_ShapeHandle *second = TF_NewShapeHandle();
  get(&f, 0);
  TF_ShapeInferenceContextGetInput(&f.ctx, 3, second, f.status);
  TF_ShapeInferenceContextConcatenateShapes(&f.ctx, f.handle, second, f.result, f.status);
  expect_status(&f, TF_OK, "");
  expect_shape(f.result, "[2,?,5,7]");
  assert_true(f.result->shape->dims[1] == f.inputs[0]->dims[1]);
  TF_ShapeInferenceContextGetInput(&f.ctx, 1, second, f.status);
  TF_ShapeInferenceContextConcatenateShapes(&f.ctx, f.handle, second, f.result, f.status);
  expect_status(&f, TF_OK, "");
  expect_shape(f.result, "?");
  int64_t ones[200];
  for (int i = 0; i < 200; i++) ones[i] = 1;
  f.inputs[0] = make(&f, 200, ones);
  get(&f, 0);
  TF_ShapeInferenceContextConcatenateShapes(&f.ctx, f.handle, f.handle, f.result, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "passes the highest rank");
  TF_DeleteShapeHandle(second);
  tear_down(&f);
}

static void test_rule_088_result_may_be_the_input(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  get(&f, 0);
  TF_ShapeInferenceContextSubshape(&f.ctx, f.handle, 1, 3, f.handle, f.status);
  expect_status(&f, TF_OK, "");
  expect_shape(f.handle, "[?,5]");
  TF_ShapeInferenceContextConcatenateShapes(&f.ctx, f.handle, f.handle, f.handle, f.status);
  expect_status(&f, TF_OK, "");
  expect_shape(f.handle, "[?,5,?,5]");
  tear_down(&f);
}

static void test_rule_089_scalar_and_vector(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_ShapeHandle *scalar = TF_ShapeInferenceContextScalar(&f.ctx);
  TF_ShapeHandle *vector = TF_ShapeInferenceContextVectorFromSize(&f.ctx, 7);
  TF_ShapeHandle *unknown = TF_ShapeInferenceContextVectorFromSize(&f.ctx, (size_t)-1);
  expect_shape(scalar, "[]");
  expect_shape(vector, "[7]");
  expect_shape(unknown, "[?]");
  assert_int_equal(TF_ShapeInferenceContextRank(&f.ctx, unknown), 1);
  TF_DeleteShapeHandle(scalar);
  TF_DeleteShapeHandle(vector);
  TF_DeleteShapeHandle(unknown);
  tear_down(&f);
}

static void test_rule_090_get_attr_type(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_DataType type = TF_BOOL;
  TF_ShapeInferenceContext_GetAttrType(&f.ctx, "zz", &type, f.status);
  expect_status(&f, TF_NOT_FOUND, "No attr named 'zz' in NodeDef");
  TF_ShapeInferenceContext_GetAttrType(&f.ctx, "n", &type, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "AttrValue had value with type 'int' when 'type' expected");
  assert_int_equal(type, TF_BOOL);
  TF_ShapeInferenceContext_GetAttrType(&f.ctx, "T", &type, f.status);
  expect_status(&f, TF_OK, "");
  assert_int_equal(type, TF_FLOAT);
  tear_down(&f);
}

static void test_rule_091_set_output_copies_the_handle(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  get(&f, 0);
  TF_ShapeInferenceContextSetOutput(&f.ctx, 0, f.handle, f.status);
  get(&f, 3);
  assert_ptr_equal(f.outputs[0], f.inputs[0]);
  // An unset handle is an unknown shape.
  TF_ShapeInferenceContextSetOutput(&f.ctx, 0, f.result, f.status);
  expect_status(&f, TF_OK, "");
  assert_null(f.outputs[0]);
  tear_down(&f);
}

static void test_rule_092_set_unknown_shape_is_a_shape_function(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  f.outputs[0] = f.outputs[2] = f.inputs[0];
  f.op.shape_fn = TF_ShapeInferenceContextSetUnknownShape;
  assert_null(dvt_shape_infer(&f.ctx));
  for (int i = 0; i < 3; i++) assert_null(f.outputs[i]);
  tear_down(&f);
}

static void test_rule_093_num_inputs(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  assert_int_equal(TF_ShapeInferenceContextNumInputs(&f.ctx), 4);
  tear_down(&f);
}

static bool attempt_handles(void *arg) {
  fixture *f = arg;
  TF_ShapeHandle *a = TF_NewShapeHandle(), *b = TF_ShapeInferenceContextScalar(&f->ctx);
  TF_DimensionHandle *c = TF_NewDimensionHandle();
  bool ok = a && b && c;
  TF_DeleteShapeHandle(a);
  TF_DeleteShapeHandle(b);
  TF_DeleteDimensionHandle(c);
  return ok;
}

static void test_handles_may_run_out_of_memory(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  dvt_test_fail_each_allocation(attempt_handles, &f, 2);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_072_no_shape_function),
      cmocka_unit_test(test_rules_074_075_outcome),
      cmocka_unit_test(test_rule_076_indices),
      cmocka_unit_test(test_rule_077_ok_overwrites_errors),
      cmocka_unit_test(test_rule_078_unset_handles),
      cmocka_unit_test(test_rule_079_ranks_and_values),
      cmocka_unit_test(test_rules_080_081_dim),
      cmocka_unit_test(test_rule_082_with_rank),
      cmocka_unit_test(test_rule_083_rank_bounds),
      cmocka_unit_test(test_rule_084_rank_limits),
      cmocka_unit_test(test_rules_085_086_subshape),
      cmocka_unit_test(test_rule_087_concatenate),
      cmocka_unit_test(test_rule_088_result_may_be_the_input),
      cmocka_unit_test(test_rule_089_scalar_and_vector),
      cmocka_unit_test(test_rule_090_get_attr_type),
      cmocka_unit_test(test_rule_091_set_output_copies_the_handle),
      cmocka_unit_test(test_rule_092_set_unknown_shape_is_a_shape_function),
      cmocka_unit_test(test_rule_093_num_inputs),
      cmocka_unit_test(test_handles_may_run_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
