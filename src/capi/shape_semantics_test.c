// The corners of shape arithmetic as C++ shape functions know them: when a result is one of the operands
// itself, what unknown operands give, and what errors say.
#include "capi/shape_test_util.h"

static bool same_dim(const TF_DimensionHandle *a, const TF_DimensionHandle *b) { return a->dim == b->dim; }

static void test_merging_dims_gives_one_of_them(void **state) {
  (void)state;
  static const int64_t cases[][2] = {{2, -1}, {-1, 2}, {-1, -1}, {2, 2}};
  static const bool is_second[] = {false, true, false, false};
  fixture f;
  set_up(&f);
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    set_dim(&f, f.x, cases[i][0]);
    set_dim(&f, f.y, cases[i][1]);
    TF_ShapeInferenceContext_MergeDims(&f.ctx, f.x, f.y, f.d, f.status);
    expect_ok(&f);
    assert_true(same_dim(f.d, is_second[i] ? f.y : f.x));
  }
  set_dim(&f, f.x, 3);
  TF_ShapeInferenceContext_MergeDims(&f.ctx, f.x, f.y, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Dimensions must be equal, but are 3 and 2");
  assert_false(f.d->is_set);
  tear_down(&f);
}

static void test_merging_shapes_gives_one_of_them(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, -1, 2);
  DIMS(&f, f.b, 1, 2);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.a, f.b, f.r, f.status);
  assert_ptr_equal(f.r->shape, f.b->shape);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.b, f.a, f.r, f.status);
  assert_ptr_equal(f.r->shape, f.b->shape);
  TF_ShapeInferenceContext_Merge(&f.ctx, NULL, f.a, f.r, f.status);
  assert_ptr_equal(f.r->shape, f.a->shape);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.a, NULL, f.r, f.status);
  assert_ptr_equal(f.r->shape, f.a->shape);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.a, f.a, f.r, f.status);
  assert_ptr_equal(f.r->shape, f.a->shape);
  DIMS(&f, f.b, 1, -1);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.a, f.b, f.r, f.status);
  expect_shape(&f, f.r, "[1,2]");
  tear_down(&f);
}

static void test_merging_prefixes(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_ShapeHandle *head = TF_NewShapeHandle();
  DIMS(&f, f.a, 1, -1, 3);
  DIMS(&f, f.b, -1, 2);
  TF_ShapeInferenceContext_MergePrefix(&f.ctx, NULL, f.b, f.r, head, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "?");
  assert_ptr_equal(head->shape, f.b->shape);
  TF_ShapeInferenceContext_MergePrefix(&f.ctx, f.a, NULL, f.r, head, f.status);
  expect_ok(&f);
  assert_ptr_equal(f.r->shape, f.a->shape);
  expect_shape(&f, head, "?");
  TF_ShapeInferenceContext_MergePrefix(&f.ctx, f.a, f.b, f.r, head, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[1,2,3]");
  expect_shape(&f, head, "[1,2]");
  DIMS(&f, f.b, 2, 4);
  TF_ShapeInferenceContext_MergePrefix(&f.ctx, f.a, f.b, f.r, head, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "must be equal, but are 1 and 2");
  assert_false(f.r->is_set || head->is_set);
  TF_DeleteShapeHandle(head);
  tear_down(&f);
}

// Every way to name a range, from either end and past the last dimension.
static void test_all_subshapes(void **state) {
  (void)state;
  enum { RANK = 5 };
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 1, 2, 3, -1, 5);
  for (int start = 0; start <= RANK + 1; start++)
    for (int end = start; end <= RANK + 1; end++)
      for (int way = 0; way < 4; way++) {
        int from = way & 1 && start < RANK ? start - RANK : start,
            to = way & 2 && end < RANK ? end - RANK : end;
        TF_ShapeInferenceContextSubshape(&f.ctx, f.a, from, to, f.r, f.status);
        expect_ok(&f);
        int rank = DVT_MIN(RANK, end) - DVT_MIN(RANK, start);
        assert_int_equal(TF_ShapeInferenceContextRank(&f.ctx, f.r), rank);
        for (int i = 0; i < rank; i++) assert_true(f.r->shape->dims[i] == f.a->shape->dims[start + i]);
      }
  TF_ShapeInferenceContextSubshape(&f.ctx, f.a, 6, -3, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT,
                "Subshape must have computed start <= end, but is 5 and 2 (computed from start 6 and end -3 "
                "over shape with rank 5)");
  tear_down(&f);
}

static void test_replacing_dims(void **state) {
  (void)state;
  static const struct {
    int64_t index;
    const char *wanted;  // NULL: an error
  } cases[] = {{0, "[9,2,3]"}, {2, "[1,2,9]"}, {-1, "[1,2,9]"}, {-3, "[9,2,3]"}, {3, NULL}, {-4, NULL}};
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 1, 2, 3);
  set_dim(&f, f.d, 9);
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    TF_ShapeInferenceContext_ReplaceDim(&f.ctx, f.a, cases[i].index, f.d, f.r, f.status);
    expect_status(&f, cases[i].wanted ? TF_OK : TF_INVALID_ARGUMENT, "");
    assert_true(f.r->is_set == (cases[i].wanted != NULL));
    if (cases[i].wanted) expect_shape(&f, f.r, cases[i].wanted);
    TF_ShapeInferenceContext_ReplaceDim(&f.ctx, NULL, cases[i].index, f.d, f.r, f.status);
    expect_ok(&f);
    expect_shape(&f, f.r, "?");
  }
  tear_down(&f);
}

static void test_unknown_operands(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_DimensionHandle *count = TF_ShapeInferenceContext_NumElements(&f.ctx, NULL);
  assert_int_equal(TF_DimensionHandleValue(count), -1);
  TF_DeleteDimensionHandle(count);
  DIMS(&f, f.a, 1, -1, 3);
  count = TF_ShapeInferenceContext_NumElements(&f.ctx, f.a);
  assert_int_equal(TF_DimensionHandleValueKnown(count), 0);
  assert_true(count->dim != f.a->shape->dims[1]);
  TF_DeleteDimensionHandle(count);
  assert_false(TF_ShapeInferenceContext_FullyDefined(&f.ctx, NULL));
  set_dim(&f, f.x, -1);
  TF_ShapeInferenceContext_WithValue(&f.ctx, f.x, 2, f.d, f.status);
  expect_ok(&f);
  assert_int_equal(TF_DimensionHandleValue(f.d), 2);
  assert_int_equal(TF_DimensionHandleValue(f.x), -1);
  set_dim(&f, f.y, 2);
  TF_ShapeInferenceContext_Divide(&f.ctx, f.x, f.y, true, f.d, f.status);
  expect_ok(&f);
  assert_true(!TF_DimensionHandleValueKnown(f.d) && !same_dim(f.d, f.x));
  TF_ShapeInferenceContext_Max(&f.ctx, f.x, f.x, f.d, f.status);
  assert_true(same_dim(f.d, f.x));
  TF_ShapeHandle *vector = TF_ShapeInferenceContext_Vector(&f.ctx, f.x);
  assert_true(vector->shape->dims[0] == f.x->dim);
  TF_DeleteShapeHandle(vector);
  vector = TF_ShapeInferenceContext_Matrix(&f.ctx, f.x, f.y);
  assert_true(vector->shape->dims[0] == f.x->dim && vector->shape->dims[1] == 2);
  TF_DeleteShapeHandle(vector);
  tear_down(&f);
}

static void test_the_largest_sizes(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  set_dim(&f, f.x, 6);
  set_dim(&f, f.y, INT64_MAX - 6);
  TF_ShapeInferenceContext_Add(&f.ctx, f.x, f.y, f.d, f.status);
  expect_ok(&f);
  assert_true(TF_DimensionHandleValue(f.d) == INT64_MAX);
  set_dim(&f, f.y, INT64_MAX - 5);
  TF_ShapeInferenceContext_Add(&f.ctx, f.x, f.y, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Dimension size overflow from adding 6 and 9223372036854775802");
  tear_down(&f);
}

// TensorShapeProto: field 2 the dims, each with its size in field 1; field 3 an unknown rank.
static void test_shapes_that_messages_spell(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t length;
    const char *wanted, *error;
  } cases[] = {{"\x18\x01", 2, "?", NULL},
               {"\x18\x01\x12\x00", 4, NULL, "unknown"},
               {"\x12\x00", 2, "[0]", NULL},
               {"\x12\x00\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x03\x08\xe8\x07", 20,
                "[0,?,1000]", NULL},
               {"\x12\x0b\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13, NULL, "-2"}};
  fixture f;
  set_up(&f);
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    TF_ShapeInferenceContext_MakeShapeFromShapeProto(&f.ctx, cases[i].bytes, cases[i].length, f.r, f.status);
    if (cases[i].wanted) {
      expect_ok(&f);
      expect_shape(&f, f.r, cases[i].wanted);
    } else {
      expect_status(&f, TF_INVALID_ARGUMENT, cases[i].error);
      assert_false(f.r->is_set);
    }
  }
  tear_down(&f);
}

static void test_shapes_that_tensors_spell(void **state) {
  (void)state;
  static const struct {
    int dtype, rank;
    int64_t dims[2];
    int64_t values[3];
    const char *wanted, *error;
  } cases[] = {{TF_INT64, 1, {3}, {3, -1, 1}, "[3,?,1]", NULL},
               {TF_INT64, 1, {0}, {0}, "[]", NULL},
               {TF_FLOAT, 1, {3}, {0, 0, 0}, NULL, "Input tensor must be int32 or int64, but was float"},
               {TF_INT64, 0, {0}, {1}, NULL, "Input tensor must be rank 1, but was rank 0"},
               {TF_INT64, 2, {2, 1}, {1, 2}, NULL, "Input tensor must be rank 1, but was rank 2"},
               {TF_INT64, 1, {3}, {3, -2, 1}, NULL, "Invalid value in tensor used for shape: -2"}};
  fixture f;
  set_up(&f);
  f.inputs[1] = NULL;
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    dvt_tensor_reset(&f.constant);
    assert_null(dvt_tensor_init_allocate(&f.constant, cases[i].dtype, cases[i].dims, cases[i].rank));
    if (cases[i].dtype == TF_INT64)
      memcpy(f.constant.data, cases[i].values, (size_t)dvt_tensor_count(&f.constant) * sizeof(int64_t));
    TF_ShapeInferenceContext_MakeShapeFromShapeTensor(&f.ctx, 1, f.r, f.status);
    if (cases[i].wanted) {
      expect_ok(&f);
      expect_shape(&f, f.r, cases[i].wanted);
    } else {
      expect_status(&f, TF_INVALID_ARGUMENT, cases[i].error);
      assert_false(f.r->is_set);
    }
  }
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_merging_dims_gives_one_of_them),
      cmocka_unit_test(test_merging_shapes_gives_one_of_them),
      cmocka_unit_test(test_merging_prefixes),
      cmocka_unit_test(test_all_subshapes),
      cmocka_unit_test(test_replacing_dims),
      cmocka_unit_test(test_unknown_operands),
      cmocka_unit_test(test_the_largest_sizes),
      cmocka_unit_test(test_shapes_that_messages_spell),
      cmocka_unit_test(test_shapes_that_tensors_spell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
