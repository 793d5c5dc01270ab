// dovetail/shape.h: the node, its arguments by name, objects from attributes, tensors and messages as shapes,
// relaxing, values behind handles. Expected results are those of the C++ methods (shape_inference.cc).
#include "capi/shape_test_util.h"

static void expect_text(char *text, const char *wanted) {
  assert_non_null(text);
  assert_string_equal(text, wanted);
  free(text);
}

static void test_the_node_as_text_and_its_dtypes(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  char *text = TF_ShapeInferenceContext_NodeDebugString(&f.ctx);
  expect_text(text, "{{node n}} = Op[](first, second:1, third) with input shapes: [2,?], [3], ?");
  assert_int_equal(TF_ShapeInferenceContext_InputType(&f.ctx, 1), TF_INT32);
  assert_int_equal(TF_ShapeInferenceContext_InputType(&f.ctx, 3), 0);
  assert_int_equal(TF_ShapeInferenceContext_InputType(&f.ctx, -1), 0);
  assert_int_equal(TF_ShapeInferenceContext_OutputType(&f.ctx, 1), TF_FLOAT);
  assert_int_equal(TF_ShapeInferenceContext_OutputType(&f.ctx, 2), 0);
  tear_down(&f);
}

static void test_arguments_by_name(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_ShapeHandle *two[] = {f.a, f.b};
  TF_ShapeInferenceContext_GetInputsByName(&f.ctx, "v", two, 2, f.status);
  expect_ok(&f);
  expect_shape(&f, f.a, "[3]");
  assert_false(f.b->is_set);  // one input only
  TF_ShapeInferenceContext_GetInputsByName(&f.ctx, "y", two, 2, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Unknown input name: y");
  TF_ShapeInferenceContext_SetOutputsByName(&f.ctx, "z", two, 1, f.status);
  expect_ok(&f);
  assert_null(f.outputs[0]);
  assert_ptr_equal(f.outputs[1], f.inputs[1]);
  TF_ShapeInferenceContext_SetOutputsByName(&f.ctx, "y", two, 2, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Must have exactly 1 shapes for output 'y', got 2");
  assert_null(f.outputs[0]);
  TF_ShapeInferenceContext_SetOutputsByName(&f.ctx, "nope", two, 1, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Unknown output name: nope");
  TF_ShapeInferenceContext_GetOutputsByName(&f.ctx, "z", &f.r, 1, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[3]");
  TF_ShapeInferenceContext_GetOutputsByName(&f.ctx, "x", &f.r, 1, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Unknown output name: x");
  tear_down(&f);
}

static void test_more_outputs(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  TF_ShapeInferenceContext_ExpandOutputs(&f.ctx, 1, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "1 outputs were asked for; the node has 2");
  TF_ShapeInferenceContext_ExpandOutputs(&f.ctx, 4, f.status);
  expect_ok(&f);
  assert_int_equal(TF_ShapeInferenceContext_NumOutputs(&f.ctx), 4);
  DIMS(&f, f.a, 7);
  TF_ShapeInferenceContextSetOutput(&f.ctx, 3, f.a, f.status);
  expect_ok(&f);
  TF_ShapeInferenceContext_ExpandOutputs(&f.ctx, 5, f.status);
  expect_ok(&f);
  TF_ShapeInferenceContext_GetOutput(&f.ctx, 3, f.r, f.status);
  expect_shape(&f, f.r, "[7]");
  TF_ShapeInferenceContext_GetOutput(&f.ctx, 4, f.r, f.status);
  expect_shape(&f, f.r, "?");
  TF_ShapeInferenceContextSetOutput(&f.ctx, 5, f.a, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "output index out of range");
  tear_down(&f);
}

static void expect_bytes(TF_Buffer *buffer, const char *bytes, size_t length) {
  assert_non_null(buffer);
  assert_int_equal(buffer->length, length);
  assert_memory_equal(buffer->data, bytes, length);
  TF_DeleteBuffer(buffer);
}

static void test_objects_from_attributes(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  expect_bytes(TF_ShapeInferenceContext_GetAttrFunction(&f.ctx, "fn", f.status), "\x0a\x01g", 3);
  expect_ok(&f);
  assert_null(TF_ShapeInferenceContext_GetAttrFunction(&f.ctx, "i", f.status));
  expect_status(&f, TF_INVALID_ARGUMENT, "type 'int' when 'func' expected");
  TF_Buffer *buffers[3] = {NULL, NULL, NULL};
  TF_ShapeInferenceContext_GetAttrFunctionList(&f.ctx, "lfn", buffers, 3, f.status);
  expect_ok(&f);
  expect_bytes(buffers[0], "\x0a\x01g", 3);
  expect_bytes(buffers[1], "\x0a\x01h", 3);
  assert_null(buffers[2]);
  TF_ShapeInferenceContext_GetAttrFunctionList(&f.ctx, "li", buffers, 3, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "'list(int)' when 'list(func)' expected");
  TF_Tensor *tensors[2] = {NULL, NULL};
  TF_ShapeInferenceContext_GetAttrTensorList(&f.ctx, "lten", tensors, 2, f.status);
  expect_ok(&f);
  assert_int_equal(*(int32_t *)TF_TensorData(tensors[0]), 7);
  assert_null(tensors[1]);
  TF_DeleteTensor(tensors[0]);
  TF_ShapeInferenceContext_GetAttrTensorList(&f.ctx, "zz", tensors, 2, f.status);
  expect_status(&f, TF_NOT_FOUND, "No attr named 'zz'");
  expect_bytes(TF_ShapeInferenceContext_GetAttrValueProto(&f.ctx, "i", f.status), "\x18\x05", 2);
  expect_ok(&f);
  assert_null(TF_ShapeInferenceContext_GetAttrValueProto(&f.ctx, "zz", f.status));
  expect_status(&f, TF_NOT_FOUND, "No attr named 'zz'");
  tear_down(&f);
}

static void set_constant(fixture *f, int dtype, int rank, int64_t count, const int32_t *values) {
  dvt_tensor_reset(&f->constant);
  assert_null(dvt_tensor_init_allocate(&f->constant, dtype, &count, rank));
  memcpy(f->constant.data, values, (size_t)count * sizeof *values);
}

static void test_scalars_as_unknown_shapes(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
#define OF_INPUT TF_ShapeInferenceContext_MakeShapeFromShapeTensorTreatScalarAsUnknownShape
  OF_INPUT(&f.ctx, 1, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[?,?,?]");
  OF_INPUT(&f.ctx, 0, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Shape must be at most rank 1 but is rank 2");
  OF_INPUT(&f.ctx, 9, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "out of range");
  assert_null(dvt_shape_make(&f.arena, NULL, 0, true, &f.inputs[1]));
  OF_INPUT(&f.ctx, 1, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "?");
  set_constant(&f, TF_INT32, 0, 1, (int32_t[]){-1});
  OF_INPUT(&f.ctx, 1, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "?");
  set_constant(&f, TF_INT32, 0, 1, (int32_t[]){3});
  OF_INPUT(&f.ctx, 1, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "must have value -1");
  OF_INPUT(&f.ctx, 1, NULL, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "a handle is NULL");
  tear_down(&f);
}

static void test_tensors_as_shapes_and_numbers(void **state) {
  (void)state;
  fixture f;
  int64_t value = 77;
  set_up(&f);
  DIMS(&f, f.a, 2);
  TF_ShapeInferenceContext_MakeShapeFromTensor(&f.ctx, NULL, f.a, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[?,?]");
  TF_ShapeInferenceContext_MakeShapeFromTensor(&f.ctx, NULL, NULL, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "?");
  set_constant(&f, TF_INT32, 1, 3, (int32_t[]){4, -1, 0});
  TF_ShapeInferenceContext_MakeShapeFromTensor(&f.ctx, &f.constant, f.a, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[4,?,0]");
  TF_ShapeInferenceContext_GetElementFromTensor(&f.ctx, &f.constant, -3, &value, f.status);
  expect_ok(&f);
  assert_int_equal(value, 4);
  TF_ShapeInferenceContext_GetElementFromTensor(&f.ctx, &f.constant, 3, &value, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "out of range for a vector of 3 elements");
  TF_ShapeInferenceContext_GetScalarFromTensor(&f.ctx, &f.constant, &value, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Input must be scalar but has rank 1");
  assert_int_equal(value, 4);
  set_constant(&f, TF_INT32, 0, 1, (int32_t[]){-2});
  TF_ShapeInferenceContext_GetScalarFromTensor(&f.ctx, &f.constant, &value, f.status);
  expect_ok(&f);
  assert_int_equal(value, -2);
  TF_ShapeInferenceContext_GetElementFromTensor(&f.ctx, &f.constant, 0, &value, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Input must be vector but has rank 0");
  set_constant(&f, TF_FLOAT, 0, 1, (int32_t[]){0});
  TF_ShapeInferenceContext_GetScalarFromTensor(&f.ctx, &f.constant, &value, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "must be int32 or int64, but was float");
  TF_ShapeInferenceContext_GetScalarFromTensor(&f.ctx, NULL, &value, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "the tensor is NULL");
  TF_ShapeInferenceContext_GetElementFromTensor(&f.ctx, NULL, 0, &value, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "the tensor is NULL");
  tear_down(&f);
}

static void test_axes(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
#define OF_AXIS TF_ShapeInferenceContext_MakeDimForScalarInputWithNegativeIndexing
  OF_AXIS(&f.ctx, 2, 4, f.d, f.status);
  expect_ok(&f);
  assert_int_equal(TF_DimensionHandleValue(f.d), -1);
  set_constant(&f, TF_INT32, 0, 1, (int32_t[]){-1});
  OF_AXIS(&f.ctx, 1, 4, f.d, f.status);
  expect_ok(&f);
  assert_int_equal(TF_DimensionHandleValue(f.d), 3);
  OF_AXIS(&f.ctx, 1, -1, f.d, f.status);
  expect_ok(&f);
  assert_int_equal(TF_DimensionHandleValue(f.d), -1);
  OF_AXIS(&f.ctx, 1, 0, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "must be in range [-0, 0) but is -1");
  OF_AXIS(&f.ctx, 4, 0, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "input index out of range: 4");
  tear_down(&f);
}

static void test_shapes_as_messages(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 2, -1);
  static const char partial[] = "\x12\x02\x08\x02\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  expect_bytes(TF_ShapeInferenceContext_ShapeHandleToProto(&f.ctx, f.a, f.status), partial, 17);
  expect_ok(&f);
  TF_ShapeInferenceContext_MakeShapeFromShapeProto(&f.ctx, partial, 17, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[2,?]");
  expect_bytes(TF_ShapeInferenceContext_ShapeHandleToProto(&f.ctx, NULL, f.status), "\x18\x01", 2);
  TF_ShapeInferenceContext_MakeShapeFromShapeProto(&f.ctx, "\x18\x01", 2, f.r, f.status);
  expect_shape(&f, f.r, "?");
  TF_ShapeInferenceContext_MakeShapeFromShapeProto(&f.ctx, "\x12\x7f", 2, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "");
  assert_false(f.r->is_set);
  tear_down(&f);
}

static void test_relaxing(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 2, 3, -1);
  DIMS(&f, f.b, 2, 4, -1);
  TF_ShapeInferenceContext_Relax(&f.ctx, f.a, f.b, f.r, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[2,?,?]");
  assert_true(f.r->shape->dims[2] == f.b->shape->dims[2]);
  TF_ShapeInferenceContext_Relax(&f.ctx, f.a, f.a, f.r, f.status);
  assert_ptr_equal(f.r->shape, f.a->shape);
  DIMS(&f, f.b, 2);
  TF_ShapeInferenceContext_Relax(&f.ctx, f.a, f.b, f.r, f.status);
  expect_shape(&f, f.r, "?");
  TF_ShapeInferenceContext_Relax(&f.ctx, f.a, f.b, NULL, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "a handle is NULL");
  static const int64_t cases[][3] = {{2, 2, 2}, {2, 3, -1}, {2, -1, -1}, {-1, 2, -1}, {-1, -1, -1}};
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    set_dim(&f, f.x, cases[i][0]);
    set_dim(&f, f.y, cases[i][1]);
    TF_ShapeInferenceContext_RelaxDims(&f.ctx, f.x, f.y, f.d, f.status);
    expect_ok(&f);
    assert_int_equal(TF_DimensionHandleValue(f.d), cases[i][2]);
  }
  TF_ShapeInferenceContext_RelaxDims(&f.ctx, f.x, f.y, NULL, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "a handle is NULL");
  tear_down(&f);
}

static void test_dimensions(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 2, -1);
  TF_ShapeInferenceContext_DimKnownRank(&f.ctx, f.a, -2, f.d, f.status);
  expect_ok(&f);
  expect_text(TF_ShapeInferenceContext_DimDebugString(&f.ctx, f.d), "2");
  TF_ShapeInferenceContext_DimKnownRank(&f.ctx, f.a, 1, f.d, f.status);
  expect_text(TF_ShapeInferenceContext_DimDebugString(&f.ctx, f.d), "?");
  TF_ShapeInferenceContext_DimKnownRank(&f.ctx, f.a, 2, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "dimension 2 is out of range for a shape of rank 2");
  TF_ShapeInferenceContext_DimKnownRank(&f.ctx, f.r, 0, f.d, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "a shape of unknown rank");
  tear_down(&f);
}

static void test_text_of_shapes(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 2, -1);
  expect_text(TF_ShapeInferenceContext_DebugString(&f.ctx, f.a), "[2,?]");
  expect_text(TF_ShapeInferenceContext_DebugString(&f.ctx, f.r), "?");
  tear_down(&f);
}

// The sizes of upstream's windows: ceil(n / stride) with SAME, ceil((n + paddings - span + 1) / stride) else.
static void test_windows(void **state) {
  (void)state;
  static const struct {
    int64_t input, filter, dilation, stride;
    const char *padding;
    int64_t before, after, wanted;  // -2: an error
  } cases[] = {{7, 3, 1, 2, "SAME", 9, 9, 4},   {7, 3, 1, 2, "VALID", 9, 9, 3},
               {7, 3, 2, 1, "VALID", 0, 0, 3},  {7, 3, 1, 1, "EXPLICIT", 1, 2, 8},
               {-1, 3, 1, 2, "SAME", 0, 0, -1}, {2, 3, 1, 1, "VALID", 0, 0, -2},
               {7, 3, 0, 1, "VALID", 0, 0, -2}, {7, 3, 1, 0, "SAME", 0, 0, -2},
               {7, 3, 1, 1, "same", 0, 0, -2},  {7, 3, 1, 1, "EXPLICIT", INT64_MAX, 1, -2}};
  fixture f;
  set_up(&f);
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    set_dim(&f, f.x, cases[i].input);
    set_dim(&f, f.y, cases[i].filter);
    TF_ShapeInferenceContext_WindowedOutputSize(&f.ctx, f.x, f.y, cases[i].dilation, cases[i].stride,
                                                cases[i].padding, cases[i].before, cases[i].after, f.d,
                                                f.status);
    expect_status(&f, cases[i].wanted == -2 ? TF_INVALID_ARGUMENT : TF_OK, "");
    if (cases[i].wanted != -2) assert_int_equal(TF_DimensionHandleValue(f.d), cases[i].wanted);
  }
  tear_down(&f);
}

static void test_sparse_tensors(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  DIMS(&f, f.a, 5, 2);
  DIMS(&f, f.b, 5);
  DIMS(&f, f.r, 2);
  TF_ShapeInferenceContext_ValidateSparseTensor(&f.ctx, f.a, f.b, f.r, f.status);
  expect_ok(&f);
  TF_ShapeInferenceContext_ValidateSparseTensor(&f.ctx, NULL, NULL, NULL, f.status);
  expect_ok(&f);
  DIMS(&f, f.b, 4);
  TF_ShapeInferenceContext_ValidateSparseTensor(&f.ctx, f.a, f.b, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Number of elements in index (5) and values (4) do not match.");
  DIMS(&f, f.b, -1);
  DIMS(&f, f.r, 3);
  TF_ShapeInferenceContext_ValidateSparseTensor(&f.ctx, f.a, f.b, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Index rank (2) and shape rank (3) do not match.");
  TF_ShapeInferenceContext_ValidateSparseTensor(&f.ctx, f.b, f.b, f.r, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "Shape must be rank 2 but is rank 1");
  tear_down(&f);
}

// One value of the given shape behind input 0.
static void set_input_handle(fixture *f, const int64_t *sizes, int rank, int dtype) {
  dvt_shape_and_type value = {NULL, dtype};
  assert_null(dvt_shape_make(&f->arena, sizes, rank, true, &value.shape));
  assert_null(dvt_handle_shapes_make(&f->arena, &value, 1, &f->input_handle));
}

static void test_values_behind_inputs(void **state) {
  (void)state;
  fixture f;
  TF_DataType type = TF_BOOL, float_type = TF_FLOAT, other = TF_INT32;
  set_up(&f);
  assert_int_equal(TF_ShapeInferenceContext_NumInputHandleShapes(&f.ctx, 0), -1);
  assert_int_equal(TF_ShapeInferenceContext_NumInputHandleShapes(&f.ctx, 9), -1);
  TF_ShapeInferenceContext_GetInputHandleShapeAndType(&f.ctx, 0, 0, f.r, &type, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "value 0 behind input 0 is out of range: 0 are known");
  set_input_handle(&f, (int64_t[]){2, -1}, 2, TF_FLOAT);
  assert_int_equal(TF_ShapeInferenceContext_NumInputHandleShapes(&f.ctx, 0), 1);
  DIMS(&f, f.a, -1, 5);
  // Another dtype and another number of values tell nothing.
  assert_false(TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes(&f.ctx, 0, &f.a, &other, 1));
  assert_false(TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes(&f.ctx, 0, NULL, NULL, 0));
  assert_true(TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes(&f.ctx, 0, &f.a, &float_type, 1));
  TF_ShapeInferenceContext_GetInputHandleShapeAndType(&f.ctx, 0, 0, f.r, &type, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[2,5]");
  assert_int_equal(type, TF_FLOAT);
  DIMS(&f, f.a, 2, 6);  // contradicts, and is not heard
  assert_false(TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes(&f.ctx, 0, &f.a, &float_type, 1));
  assert_true(TF_ShapeInferenceContext_RelaxInputHandleShapesAndMergeTypes(&f.ctx, 0, &f.a, &float_type, 1));
  TF_ShapeInferenceContext_GetInputHandleShapeAndType(&f.ctx, 0, 0, f.r, NULL, f.status);
  expect_shape(&f, f.r, "[2,?]");
  assert_int_equal(f.input_handle->at[0].shape->dims[1] < 0, 1);  // the producer's own is untouched
  assert_true(TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes(&f.ctx, 2, &f.a, &float_type, 1));
  assert_false(TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes(&f.ctx, 3, &f.a, &float_type, 1));
  tear_down(&f);
}

static void test_values_behind_outputs(void **state) {
  (void)state;
  fixture f;
  TF_DataType type = TF_BOOL, types[] = {TF_FLOAT, (TF_DataType)0}, second[] = {TF_FLOAT, TF_STRING};
  set_up(&f);
  assert_int_equal(TF_ShapeInferenceContext_NumOutputHandleShapes(&f.ctx, 1), -1);
  DIMS(&f, f.a, -1, 5);
  TF_ShapeHandle *two[] = {f.a, NULL};
  TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(&f.ctx, 2, two, types, 2, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "output index out of range: 2");
  TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(&f.ctx, 1, two, types, -2, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "-2 values behind a handle");
  TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(&f.ctx, 1, two, types, 2, f.status);
  expect_ok(&f);
  assert_int_equal(TF_ShapeInferenceContext_NumOutputHandleShapes(&f.ctx, 1), 2);
  assert_int_equal(f.output_handles[1]->count, 2);
  assert_false(TF_ShapeInferenceContext_MergeOutputHandleShapesAndTypes(&f.ctx, 1, two, types, 2));
  DIMS(&f, f.b, 4);
  two[1] = f.b;
  assert_true(TF_ShapeInferenceContext_MergeOutputHandleShapesAndTypes(&f.ctx, 1, two, second, 2));
  TF_ShapeInferenceContext_GetOutputHandleShapeAndType(&f.ctx, 1, 1, f.r, &type, f.status);
  expect_ok(&f);
  expect_shape(&f, f.r, "[4]");
  assert_int_equal(type, TF_STRING);
  DIMS(&f, f.b, 3);
  assert_true(TF_ShapeInferenceContext_RelaxOutputHandleShapesAndMergeTypes(&f.ctx, 1, two, second, 2));
  TF_ShapeInferenceContext_GetOutputHandleShapeAndType(&f.ctx, 1, 1, f.r, &type, f.status);
  expect_shape(&f, f.r, "[?]");
  assert_false(TF_ShapeInferenceContext_RelaxOutputHandleShapesAndMergeTypes(&f.ctx, -1, two, second, 2));
  TF_ShapeInferenceContext_GetOutputHandleShapeAndType(&f.ctx, 1, 2, f.r, &type, f.status);
  expect_status(&f, TF_INVALID_ARGUMENT, "value 2 behind output 1 is out of range: 2 are known");
  // A caller that does not keep them: storing is no error.
  f.ctx.output_handles = NULL;
  TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(&f.ctx, 1, two, types, 2, f.status);
  expect_ok(&f);
  assert_int_equal(TF_ShapeInferenceContext_NumOutputHandleShapes(&f.ctx, 1), -1);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_node_as_text_and_its_dtypes),
      cmocka_unit_test(test_arguments_by_name),
      cmocka_unit_test(test_more_outputs),
      cmocka_unit_test(test_objects_from_attributes),
      cmocka_unit_test(test_scalars_as_unknown_shapes),
      cmocka_unit_test(test_tensors_as_shapes_and_numbers),
      cmocka_unit_test(test_axes),
      cmocka_unit_test(test_shapes_as_messages),
      cmocka_unit_test(test_relaxing),
      cmocka_unit_test(test_dimensions),
      cmocka_unit_test(test_text_of_shapes),
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_sparse_tensors),
      cmocka_unit_test(test_values_behind_inputs),
      cmocka_unit_test(test_values_behind_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
