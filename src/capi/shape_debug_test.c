// Debug mode (DOVETAIL_DEBUG=1): shape functions that keep handles, and ones that never end.
#include <stdlib.h>

#include "capi/shape_test_util.h"

static TF_ShapeHandle *kept_shape;
static TF_DimensionHandle *kept_dim;

static void keep(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeInferenceContextGetInput(ctx, 0, kept_shape, status);
  TF_ShapeInferenceContextDim(ctx, kept_shape, 0, kept_dim);
  TF_ShapeInferenceContextSetOutput(ctx, 0, kept_shape, status);
}

static void use_kept_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeInferenceContextSetOutput(ctx, 0, kept_shape, status);
}

static void use_kept_dim(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *vector = TF_ShapeInferenceContext_Vector(ctx, kept_dim);
  TF_ShapeInferenceContextSetOutput(ctx, 0, vector, status);
  TF_DeleteShapeHandle(vector);
}

static void loop(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  do TF_ShapeInferenceContextWithRank(ctx, kept_shape, 2, kept_shape, status);
  while (TF_GetCode(status) != TF_ABORTED);
}

// Runs `fn` for a node; the error is the caller's.
static dvt_status run(fixture *f, void (*fn)(TF_ShapeInferenceContext *, TF_Status *)) {
  static dvt_op_def op;
  op = *f->node.op;
  op.shape_fn = fn;
  f->node.op = &op;
  return dvt_shape_infer(&f->ctx);
}

static void test_handles_are_good_for_one_call(void **state) {
  (void)state;
  fixture f, g;
  kept_shape = TF_NewShapeHandle();
  kept_dim = TF_NewDimensionHandle();
  set_up(&f);
  assert_null(run(&f, keep));
  assert_ptr_equal(f.outputs[0], f.inputs[0]);
  tear_down(&f);  // what the handles stood for is gone
  set_up(&g);
  dvt_test_expect_error(run(&g, use_kept_shape), TF_INTERNAL,
                        "The shape function used a handle of an earlier call");
  assert_null(g.outputs[0]);
  tear_down(&g);
  set_up(&g);
  dvt_test_expect_error(run(&g, use_kept_dim), TF_INTERNAL,
                        "for '{{node n}} = Op[](first, second:1, third)' with input shapes: [2,?], [3], ?.");
  tear_down(&g);
  // Between calls a kept handle may still be deleted, or filled anew.
  set_up(&g);
  assert_null(run(&g, keep));
  tear_down(&g);
  TF_DeleteShapeHandle(kept_shape);
  TF_DeleteDimensionHandle(kept_dim);
}

static void test_a_function_that_loops_is_told(void **state) {
  (void)state;
  fixture f;
  kept_shape = TF_NewShapeHandle();
  set_up(&f);
  dvt_test_expect_error(run(&f, loop), TF_INTERNAL, "asked a million times without an end: it loops");
  tear_down(&f);
  TF_DeleteShapeHandle(kept_shape);
}

int main(void) {
  setenv("DOVETAIL_DEBUG", "1", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_handles_are_good_for_one_call),
      cmocka_unit_test(test_a_function_that_loops_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
