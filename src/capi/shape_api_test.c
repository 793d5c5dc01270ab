// dovetail/shape.h: attributes, values of inputs, computing with shapes and dimensions. The rest of the
// header is tested in shape_context_test.c.
#include "capi/shape_test_util.h"

static void test_the_node(void **state) {
  (void)state;
  fixture f;
  int start, stop;
  set_up(&f);
  assert_int_equal(TF_ShapeInferenceContext_NumOutputs(&f.ctx), 2);
  assert_int_equal(TF_ShapeInferenceContext_GraphDefVersion(&f.ctx), 2474);
  TF_ShapeInferenceContext_InputRange(&f.ctx, "w", &start, &stop, f.status);
  expect_ok(&f);
  assert_int_equal(start, 2);
  assert_int_equal(stop, 3);
  TF_ShapeInferenceContext_OutputRange(&f.ctx, "z", &start, &stop, f.status);
  expect_ok(&f);
  assert_int_equal(start, 1);
  assert_int_equal(stop, 2);
  TF_ShapeInferenceContext_InputRange(&f.ctx, "z", &start, &stop, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Unknown input name: z");
  TF_ShapeInferenceContext_OutputRange(&f.ctx, "x", &start, &stop, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Unknown output name: x");
  tear_down(&f);
}

static void test_scalar_attributes(void **state) {
  (void)state;
  fixture f;
  int64_t i = 0;
  float number = 0;
  bool flag = false;
  const char *text = NULL;
  size_t length = 0;
  set_up(&f);
  assert_true(TF_ShapeInferenceContext_HasAttr(&f.ctx, "i", f.status));
  assert_false(TF_ShapeInferenceContext_HasAttr(&f.ctx, "zz", f.status));
  TF_ShapeInferenceContext_GetAttrInt(&f.ctx, "i", &i, f.status);
  expect_ok(&f);
  assert_int_equal(i, 5);
  TF_ShapeInferenceContext_GetAttrFloat(&f.ctx, "f", &number, f.status);
  assert_true(number == 1.5f);
  TF_ShapeInferenceContext_GetAttrBool(&f.ctx, "b", &flag, f.status);
  assert_true(flag);
  TF_ShapeInferenceContext_GetAttrString(&f.ctx, "s", &text, &length, f.status);
  assert_int_equal(length, 4);
  assert_memory_equal(text, "text", 4);
  TF_ShapeInferenceContext_GetAttrShape(&f.ctx, "shape", f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[2,?]");
  TF_Tensor *tensor = TF_ShapeInferenceContext_GetAttrTensor(&f.ctx, "t", f.status);
  expect_ok(&f);
  assert_int_equal(*(int32_t *)TF_TensorData(tensor), 7);
  TF_DeleteTensor(tensor);
  TF_ShapeInferenceContext_GetAttrInt(&f.ctx, "zz", &i, f.status);
  expect_status(&f, TF_NOT_FOUND, "No attr named 'zz'");
  TF_ShapeInferenceContext_GetAttrInt(&f.ctx, "f", &i, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "type 'float' when 'int' expected");
  assert_int_equal(i, 5);
  assert_null(TF_ShapeInferenceContext_GetAttrTensor(&f.ctx, "i", f.status));
  expect_status(&f, TF_INVALID_ARGUMENT, "when 'tensor' expected");
  TF_ShapeInferenceContext_GetAttrShape(&f.ctx, "i", f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "when 'shape' expected");
  assert_false(f.r->is_set);
  tear_down(&f);
}

static void expect_size(fixture *f, const char *name, int32_t list, int32_t total) {
  int32_t list_size = 77, total_size = 77;
  TF_ShapeInferenceContext_GetAttrSize(&f->ctx, name, &list_size, &total_size, f->status);
  expect_ok(f);
  assert_int_equal(list_size, list);
  assert_int_equal(total_size, total);
}

static void test_list_attributes(void **state) {
  (void)state;
  fixture f;
  int64_t ints[4] = {0, 0, 77, 77};
  float floats[2];
  bool flags[2];
  TF_DataType types[2];
  const char *texts[2];
  size_t lengths[2];
  set_up(&f);
  expect_size(&f, "i", -1, -1);
  expect_size(&f, "s", -1, 4);
  expect_size(&f, "shape", -1, 2);
  expect_size(&f, "li", 3, -1);
  expect_size(&f, "ls", 2, 3);
  expect_size(&f, "lsh", 3, 3);
  TF_ShapeInferenceContext_GetAttrIntList(&f.ctx, "li", ints, 2, f.status);
  expect_ok(&f);
  assert_memory_equal(ints, ((int64_t[]){1, 2, 77, 77}), sizeof ints);
  TF_ShapeInferenceContext_GetAttrIntList(&f.ctx, "li", ints, 4, f.status);
  assert_memory_equal(ints, ((int64_t[]){1, 2, 3, 77}), sizeof ints);
  TF_ShapeInferenceContext_GetAttrFloatList(&f.ctx, "lf", floats, 2, f.status);
  assert_true(floats[0] == 1 && floats[1] == 2.5f);
  TF_ShapeInferenceContext_GetAttrBoolList(&f.ctx, "lb", flags, 2, f.status);
  assert_true(flags[0] && !flags[1]);
  TF_ShapeInferenceContext_GetAttrTypeList(&f.ctx, "lt", types, 2, f.status);
  assert_true(types[0] == TF_FLOAT && types[1] == TF_BOOL);
  TF_ShapeInferenceContext_GetAttrStringList(&f.ctx, "ls", texts, lengths, 2, f.status);
  expect_ok(&f);
  assert_memory_equal(texts[0], "ab", 2);
  assert_int_equal(lengths[1], 1);
  TF_ShapeHandle *shapes[] = {f.a, f.b, f.r};
  TF_ShapeInferenceContext_GetAttrShapeList(&f.ctx, "lsh", shapes, 3, f.status);
  expect_ok(&f);
  expect_shape(&f, f.a, "[2,?]");
  expect_shape(&f, f.b, "?");
  expect_shape(&f, f.r, "[3]");
  TF_ShapeInferenceContext_GetAttrIntList(&f.ctx, "lf", ints, 4, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "type 'list(float)' when 'list(int)' expected");
  TF_ShapeInferenceContext_GetAttrIntList(&f.ctx, "zz", ints, 4, f.status);
  expect_status(&f, TF_NOT_FOUND, "No attr named 'zz'");
  TF_ShapeInferenceContext_GetAttrIntList(&f.ctx, "li", ints, -3, f.status);
  expect_ok(&f);
  tear_down(&f);
}

static void set_constant(fixture *f, int rank, const int64_t *shape, const int32_t *values, size_t count) {
  dvt_tensor_reset(&f->constant);
  assert_null(dvt_tensor_init_allocate(&f->constant, TF_INT32, shape, rank));
  memcpy(f->constant.data, values, count * sizeof *values);
}

static void test_values_of_inputs(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  assert_null(TF_ShapeInferenceContext_InputTensor(&f.ctx, 1, f.status));
  expect_ok(&f);
  assert_null(TF_ShapeInferenceContext_InputTensor(&f.ctx, 3, f.status));
  expect_status(&f, TF_INVALID_ARGUMENT, "input index out of range: 3");
  TF_ShapeInferenceContext_InputAsPartialShape(&f.ctx, 1, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[?,?,?]");
  TF_ShapeInferenceContext_InputAsPartialShape(&f.ctx, 0, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Shape must be rank 1 but is rank 2");
  set_constant(&f, 1, (int64_t[]){3}, (int32_t[]){4, -1, 0}, 3);
  TF_Tensor *value = TF_ShapeInferenceContext_InputTensor(&f.ctx, 1, f.status);
  assert_non_null(value);
  assert_ptr_equal(TF_TensorData(value), f.constant.data);
  TF_DeleteTensor(value);
  TF_ShapeInferenceContext_MakeShapeFromShapeTensor(&f.ctx, 1, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[4,?,0]");
  TF_ShapeInferenceContext_MakeDimForScalarInput(&f.ctx, 1, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Input must be scalar but has rank 1");
  set_constant(&f, 0, NULL, (int32_t[]){6}, 1);
  TF_ShapeInferenceContext_MakeDimForScalarInput(&f.ctx, 1, f.d, f.status);
  expect_ok(&f);
  assert_int_equal(TF_DimensionHandleValue(f.d), 6);
  set_constant(&f, 0, NULL, (int32_t[]){-6}, 1);
  TF_ShapeInferenceContext_MakeDimForScalarInput(&f.ctx, 1, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "must be non-negative but is -6");
  assert_int_equal(TF_DimensionHandleValueKnown(f.d), 0);
  TF_ShapeInferenceContext_MakeDimForScalarInput(&f.ctx, 2, f.d, f.status);
  expect_ok(&f);
  assert_int_equal(TF_DimensionHandleValue(f.d), -1);
  tear_down(&f);
}

static void expect_made(fixture *f, TF_ShapeHandle *made, const char *wanted) {
  assert_non_null(made);
  expect_shape(f, made, wanted);
  TF_DeleteShapeHandle(made);
}

static void test_making(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_DimensionHandle *unknown = TF_ShapeInferenceContext_UnknownDim(&f.ctx);
  TF_DimensionHandle *four = TF_ShapeInferenceContext_MakeDim(&f.ctx, 4);
  assert_int_equal(TF_DimensionHandleValue(four), 4);
  assert_int_equal(TF_DimensionHandleValueKnown(unknown), 0);
  expect_made(&f, TF_ShapeInferenceContext_UnknownShape(&f.ctx), "?");
  expect_made(&f, TF_ShapeInferenceContext_UnknownShapeOfRank(&f.ctx, 2), "[?,?]");
  assert_null(TF_ShapeInferenceContext_UnknownShapeOfRank(&f.ctx, -1));
  assert_null(TF_ShapeInferenceContext_UnknownShapeOfRank(&f.ctx, 255));
  expect_made(&f, TF_ShapeInferenceContext_Vector(&f.ctx, four), "[4]");
  expect_made(&f, TF_ShapeInferenceContext_Matrix(&f.ctx, four, unknown), "[4,?]");
  TF_DimensionHandle *list[] = {four, unknown, NULL, unknown};
  TF_ShapeInferenceContext_MakeShape(&f.ctx, list, 4, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[4,?,?,?]");
  assert_true(f.r->shape->dims[1] == f.r->shape->dims[3]);
  assert_true(f.r->shape->dims[1] != f.r->shape->dims[2]);
  TF_ShapeInferenceContext_MakeShape(&f.ctx, list, 255, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "ranks 0 to 254 are possible");
  DIMS(&f, f.r, 1, -1, 3);
  expect_shape(&f, f.r, "[1,?,3]");
  dims(&f, f.r, -1, NULL);
  expect_shape(&f, f.r, "?");
  TF_ShapeInferenceContext_MakeShapeFromDims(&f.ctx, (int64_t[]){-2}, 1, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "dimension 0 is -2");
  TF_DeleteDimensionHandle(unknown);
  TF_DeleteDimensionHandle(four);
  tear_down(&f);
}

static void test_merging_and_broadcasting(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 2, -1, 5);
  DIMS(&f, f.b, -1, 3, 5);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.a, f.b, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[2,3,5]");
  DIMS(&f, f.b, -1, 3, 4);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.a, f.b, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Dimension 2 in both shapes must be equal, but are 5 and 4");
  assert_false(f.r->is_set);
  DIMS(&f, f.b, 1);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.a, f.b, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Shapes must be equal rank, but are 3 and 1");
  TF_ShapeInferenceContext_Broadcast(&f.ctx, f.a, f.b, f.r, f.status);
  expect_ok(&f);
  assert_ptr_equal(f.r->shape, f.a->shape);
  DIMS(&f, f.b, 4, 1, 6, 5);
  TF_ShapeInferenceContext_Broadcast(&f.ctx, f.a, f.b, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[4,2,6,5]");
  DIMS(&f, f.b, 4);
  TF_ShapeInferenceContext_Broadcast(&f.ctx, f.a, f.b, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Dimensions must be equal, but are 5 and 4");
  DIMS(&f, f.b, -1, 9);
  TF_ShapeInferenceContext_MergePrefix(&f.ctx, f.a, f.b, f.a, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.a, "[2,9,5]");
  expect_shape(&f, f.r, "[2,9]");
  TF_ShapeInferenceContext_MergePrefix(&f.ctx, f.r, f.a, f.a, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Shape must be at least rank 3 but is rank 2");
  tear_down(&f);
}

static void test_parts_of_shapes(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 1, 2, 3, 4, 5);
  set_dim(&f, f.d, 9);
  TF_ShapeInferenceContext_ReplaceDim(&f.ctx, f.a, -2, f.d, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[1,2,3,9,5]");
  TF_ShapeInferenceContext_ReplaceDim(&f.ctx, f.a, 5, f.d, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Out of range dim_index 5 for shape with 5 dimensions");
  static const struct {
    int64_t start, end, stride;
    const char *wanted;  // NULL = an error
  } cases[] = {{0, 5, 2, "[1,3,5]"},
               {1, INT64_MAX, 3, "[2,5]"},
               {-1, -6, -1, "[5,4,3,2,1]"},
               {4, 1, -2, "[5,3]"},
               {1, 3, 1, "[2,3]"},
               {0, 5, 0, NULL},
               {3, 1, 2, NULL},
               {1, 3, -1, NULL},
               {0, 5, INT64_MAX, "[1]"},
               {4, -6, INT64_MIN, "[5]"},
               {-9, 5, 2, NULL}};
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    TF_ShapeInferenceContext_SubshapeWithStride(&f.ctx, f.a, cases[i].start, cases[i].end, cases[i].stride,
                                                f.r, f.status);
    expect_status(&f, cases[i].wanted ? TF_OK : TF_INVALID_ARGUMENT, "");
    if (cases[i].wanted) expect_shape(&f, f.r, cases[i].wanted);
  }
  TF_DimensionHandle *count = TF_ShapeInferenceContext_NumElements(&f.ctx, f.a);
  assert_int_equal(TF_DimensionHandleValue(count), 120);
  TF_DeleteDimensionHandle(count);
  assert_true(TF_ShapeInferenceContext_FullyDefined(&f.ctx, f.a));
  DIMS(&f, f.a, 0, -1);
  assert_false(TF_ShapeInferenceContext_FullyDefined(&f.ctx, f.a));
  count = TF_ShapeInferenceContext_NumElements(&f.ctx, f.a);
  assert_int_equal(TF_DimensionHandleValue(count), 0);
  assert_int_equal(TF_DimensionHandleValueKnown(count), 1);
  TF_DeleteDimensionHandle(count);
  TF_ShapeInferenceContextSetOutput(&f.ctx, 1, f.a, f.status);
  TF_ShapeInferenceContext_GetOutput(&f.ctx, 1, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[0,?]");
  TF_ShapeInferenceContext_GetOutput(&f.ctx, 2, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "output index out of range: 2");
  tear_down(&f);
}

typedef void (*dim_operation)(TF_ShapeInferenceContext *, TF_DimensionHandle *, TF_DimensionHandle *,
                              TF_DimensionHandle *, TF_Status *);

// -1 is a new unknown dim; an expected -2 is an error.
static void expect_operation(fixture *f, dim_operation operation, int64_t a, int64_t b, int64_t wanted) {
  set_dim(f, f->x, a);
  set_dim(f, f->y, b);
  operation(&f->ctx, f->x, f->y, f->d, f->status);
  expect_status(f, wanted == -2 ? TF_INVALID_ARGUMENT : TF_OK, "");
  if (wanted != -2 && TF_DimensionHandleValue(f->d) != wanted)
    fail_msg("%lld and %lld: got %lld, wanted %lld", (long long)a, (long long)b,
             (long long)TF_DimensionHandleValue(f->d), (long long)wanted);
}

static void test_arithmetic(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  const int64_t big = INT64_MAX;
  expect_operation(&f, TF_ShapeInferenceContext_Add, 2, 3, 5);
  expect_operation(&f, TF_ShapeInferenceContext_Add, -1, 3, -1);
  expect_operation(&f, TF_ShapeInferenceContext_Add, big, 1, -2);
  expect_operation(&f, TF_ShapeInferenceContext_Subtract, 5, 3, 2);
  expect_operation(&f, TF_ShapeInferenceContext_Subtract, 3, 5, -2);
  expect_operation(&f, TF_ShapeInferenceContext_Subtract, 3, -1, -1);
  expect_operation(&f, TF_ShapeInferenceContext_Multiply, 4, 5, 20);
  expect_operation(&f, TF_ShapeInferenceContext_Multiply, -1, 0, 0);
  expect_operation(&f, TF_ShapeInferenceContext_Multiply, big, 2, -2);
  expect_operation(&f, TF_ShapeInferenceContext_Min, 4, 5, 4);
  expect_operation(&f, TF_ShapeInferenceContext_Min, -1, 0, 0);
  expect_operation(&f, TF_ShapeInferenceContext_Min, -1, 5, -1);
  expect_operation(&f, TF_ShapeInferenceContext_Max, 4, 5, 5);
  expect_operation(&f, TF_ShapeInferenceContext_Max, -1, 5, -1);
  expect_operation(&f, TF_ShapeInferenceContext_MergeDims, -1, 5, 5);
  expect_operation(&f, TF_ShapeInferenceContext_MergeDims, 4, 5, -2);
  set_dim(&f, f.x, 7);
  set_dim(&f, f.y, 2);
  TF_ShapeInferenceContext_Divide(&f.ctx, f.x, f.y, false, f.d, f.status);
  expect_ok(&f);
  assert_int_equal(TF_DimensionHandleValue(f.d), 3);
  TF_ShapeInferenceContext_Divide(&f.ctx, f.x, f.y, true, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Dimension size must be evenly divisible by 2 but is 7");
  set_dim(&f, f.y, 0);
  TF_ShapeInferenceContext_Divide(&f.ctx, f.x, f.y, false, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Divisor must be positive but is 0");
  TF_ShapeInferenceContext_WithValue(&f.ctx, f.x, 7, f.d, f.status);
  expect_ok(&f);
  TF_ShapeInferenceContext_WithValue(&f.ctx, f.x, 8, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Dimension must be 8 but is 7");
  TF_ShapeInferenceContext_WithValue(&f.ctx, f.x, -1, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "a dimension cannot have the size -1");
  tear_down(&f);
}

// x + 0, x * 1, x / 1, min(x, x) are x itself, not just some unknown.
static void test_arithmetic_keeps_identity(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  set_dim(&f, f.x, -1);
  set_dim(&f, f.y, 0);
  TF_ShapeInferenceContext_Add(&f.ctx, f.x, f.y, f.d, f.status);
  assert_true(f.d->dim == f.x->dim);
  TF_ShapeInferenceContext_Subtract(&f.ctx, f.x, f.y, f.d, f.status);
  assert_true(f.d->dim == f.x->dim);
  set_dim(&f, f.y, 1);
  TF_ShapeInferenceContext_Multiply(&f.ctx, f.x, f.y, f.d, f.status);
  assert_true(f.d->dim == f.x->dim);
  TF_ShapeInferenceContext_Divide(&f.ctx, f.x, f.y, true, f.d, f.status);
  assert_true(f.d->dim == f.x->dim);
  TF_ShapeInferenceContext_Min(&f.ctx, f.x, f.x, f.d, f.status);
  assert_true(f.d->dim == f.x->dim);
  tear_down(&f);
}

static void test_null_handles_are_errors(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_ShapeInferenceContext_Merge(&f.ctx, f.a, f.b, NULL, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "a handle is NULL");
  TF_ShapeInferenceContext_MakeShapeFromDims(&f.ctx, NULL, 0, NULL, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "a handle is NULL");
  // NULL operands stand for unknown ones.
  TF_ShapeInferenceContext_Merge(&f.ctx, NULL, NULL, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "?");
  TF_ShapeInferenceContext_Add(&f.ctx, NULL, NULL, f.d, f.status);
  expect_ok(&f);
  assert_int_equal(TF_DimensionHandleValue(f.d), -1);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_node),
      cmocka_unit_test(test_scalar_attributes),
      cmocka_unit_test(test_list_attributes),
      cmocka_unit_test(test_values_of_inputs),
      cmocka_unit_test(test_making),
      cmocka_unit_test(test_merging_and_broadcasting),
      cmocka_unit_test(test_parts_of_shapes),
      cmocka_unit_test(test_arithmetic),
      cmocka_unit_test(test_arithmetic_keeps_identity),
      cmocka_unit_test(test_null_handles_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
