// dovetail/shape.h: what shape functions may ask and compute beyond the stock functions.
#include "dovetail/shape.h"

#include "base/testing.h"
#include "op/op_def_builder.h"
#include "op/shape_inference.h"
#include "tensor/tensor.h"

typedef struct fixture {
  dvt_shape_arena arena;
  dvt_arena op_arena;
  dvt_buf errors, scratch;
  TF_OpDefinitionBuilder *builder;
  dvt_node_def node;
  dvt_attr attrs[12];
  dvt_buf values[12];
  dvt_shape inputs[3], outputs[2];
  TF_Tensor constant;  // value of input 1, when not empty
  TF_ShapeInferenceContext ctx;
  TF_Status *status;
  TF_ShapeHandle *a, *b, *r;
  TF_DimensionHandle *x, *y, *d;
} fixture;

static const TF_Tensor *input_tensor(void *arg, int index) {
  fixture *f = arg;
  return index == 1 && !dvt_tensor_is_empty(&f->constant) ? &f->constant : NULL;
}

static dvt_buf *attr(fixture *f, const char *name) {
  int i = f->node.attr_count++;
  f->attrs[i].name = dvt_str_from(name);
  return &f->values[i];
}

static void add_attrs(fixture *f) {
  static const int64_t dims0[] = {2, -1}, dims1[] = {3};
  dvt_attr_put_int(attr(f, "i"), 5);
  dvt_attr_put_float(attr(f, "f"), 1.5f);
  dvt_attr_put_bool(attr(f, "b"), true);
  dvt_attr_put_string(attr(f, "s"), DVT_STR("text"));
  dvt_attr_put_shape(attr(f, "shape"), dims0, 2);
  dvt_attr_put_tensor_proto(attr(f, "t"), DVT_STR("\x08\x03\x12\x00\x3a\x01\x07"));
  dvt_attr_put_int_list(attr(f, "li"), (int64_t[]){1, 2, 3}, 3);
  dvt_attr_put_float_list(attr(f, "lf"), (float[]){1, 2.5f}, 2);
  dvt_attr_put_bool_list(attr(f, "lb"), (unsigned char[]){1, 0}, 2);
  dvt_attr_put_type_list(attr(f, "lt"), (int[]){TF_FLOAT, TF_BOOL}, 2);
  dvt_attr_put_string_list(attr(f, "ls"), (dvt_str[]){DVT_STR("ab"), DVT_STR("c")}, 2);
  dvt_attr_put_shape_list(attr(f, "lsh"), (const int64_t *const[]){dims0, NULL, dims1}, (int[]){2, -1, 1}, 3);
  for (int i = 0; i < f->node.attr_count; i++) f->attrs[i].value = dvt_buf_str(&f->values[i]);
}

// Inputs x: [2,?], v: [3] and w: ?; outputs y and z.
static void set_up(fixture *f) {
  *f = (fixture){.builder = dvt_op_builder_new(DVT_STR("Op")),
                 .status = TF_NewStatus(),
                 .a = TF_NewShapeHandle(),
                 .b = TF_NewShapeHandle(),
                 .r = TF_NewShapeHandle(),
                 .x = TF_NewDimensionHandle(),
                 .y = TF_NewDimensionHandle(),
                 .d = TF_NewDimensionHandle()};
  dvt_op_builder_add(f->builder, DVT_SPEC_INPUT, DVT_STR("x: float"));
  dvt_op_builder_add(f->builder, DVT_SPEC_INPUT, DVT_STR("v: int32"));
  dvt_op_builder_add(f->builder, DVT_SPEC_INPUT, DVT_STR("w: float"));
  dvt_op_builder_add(f->builder, DVT_SPEC_OUTPUT, DVT_STR("y: float"));
  dvt_op_builder_add(f->builder, DVT_SPEC_OUTPUT, DVT_STR("z: float"));
  const dvt_op_def *op;
  assert_null(dvt_op_builder_finish(f->builder, &f->op_arena, &f->errors, &f->scratch, &op));
  f->node =
      (dvt_node_def){.name = DVT_STR("n"), .op = op, .attrs = f->attrs, .input_count = 3, .output_count = 2};
  add_attrs(f);
  assert_null(dvt_shape_make(&f->arena, (int64_t[]){2, -1}, 2, true, &f->inputs[0]));
  assert_null(dvt_shape_make(&f->arena, (int64_t[]){3}, 1, true, &f->inputs[1]));
  f->ctx = (TF_ShapeInferenceContext){.node = &f->node,
                                      .arena = &f->arena,
                                      .inputs = f->inputs,
                                      .outputs = f->outputs,
                                      .graph_def_version = 2474,
                                      .input_tensor = input_tensor,
                                      .arg = f};
}

static void tear_down(fixture *f) {
  TF_DeleteStatus(f->status);
  TF_DeleteShapeHandle(f->a);
  TF_DeleteShapeHandle(f->b);
  TF_DeleteShapeHandle(f->r);
  TF_DeleteDimensionHandle(f->x);
  TF_DeleteDimensionHandle(f->y);
  TF_DeleteDimensionHandle(f->d);
  for (size_t i = 0; i < DVT_COUNT_OF(f->values); i++) dvt_buf_deinit(&f->values[i]);
  dvt_tensor_reset(&f->constant);
  dvt_op_builder_delete(f->builder);
  dvt_buf_deinit(&f->errors);
  dvt_buf_deinit(&f->scratch);
  dvt_arena_deinit(&f->op_arena);
  dvt_shape_arena_deinit(&f->arena);
}

static void expect_status(fixture *f, TF_Code code, const char *part) {
  if (TF_GetCode(f->status) != code || !strstr(TF_Message(f->status), part))
    fail_msg("got %d \"%s\", wanted %d with \"%s\"", (int)TF_GetCode(f->status), TF_Message(f->status),
             (int)code, part);
}
static void expect_ok(fixture *f) { expect_status(f, TF_OK, ""); }

static void expect_shape(fixture *f, TF_ShapeHandle *handle, const char *wanted) {
  char *text = TF_ShapeInferenceContext_DebugString(&f->ctx, handle);
  assert_string_equal(text, wanted);
  free(text);
}

static void dims(fixture *f, TF_ShapeHandle *handle, int rank, const int64_t *sizes) {
  TF_ShapeInferenceContext_MakeShapeFromDims(&f->ctx, sizes, rank, handle, f->status);
  expect_ok(f);
}
#define DIMS(f, handle, ...) \
  dims(f, handle, DVT_COUNT_OF(((int64_t[]){__VA_ARGS__})), (int64_t[]){__VA_ARGS__})

static void set_dim(fixture *f, TF_DimensionHandle *handle, int64_t size) {
  TF_DimensionHandle *made = TF_ShapeInferenceContext_MakeDim(&f->ctx, size);
  *handle = *made;
  TF_DeleteDimensionHandle(made);
}

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
