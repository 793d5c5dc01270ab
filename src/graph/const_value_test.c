// What shape functions learn about the values of their inputs while the graph is built.
#include "graph/graph_test_util.h"
#include "tensor/tensor.h"
#include "tensor/tensor_proto.h"

static TF_Graph *graph;

static TF_Operation *constant(const char *name, TF_DataType dtype, const int64_t *values, int count,
                              int rank) {
  int64_t dim = count;
  TF_Tensor *tensor = TF_AllocateTensor(dtype, &dim, rank, (size_t)count * TF_DataTypeSize(dtype));
  for (int i = 0; i < count; i++) {
    if (dtype == TF_INT64)
      ((int64_t *)TF_TensorData(tensor))[i] = values[i];
    else
      ((int32_t *)TF_TensorData(tensor))[i] = (int32_t)values[i];
  }
  TF_OperationDescription *desc = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(desc, "value", tensor, test_status);
  TF_SetAttrType(desc, "dtype", dtype);
  TF_DeleteTensor(tensor);
  TF_Operation *node = TF_FinishOperation(desc, test_status);
  assert_ok();
  return node;
}

static TF_Operation *scalar(const char *name, int64_t value) {
  return constant(name, TF_INT32, &value, 1, 0);
}

static TF_Operation *vector1(const char *name, int64_t value) {
  return constant(name, TF_INT32, &value, 1, 1);
}

static TF_Operation *shaped(const char *name, const int64_t *dims, int rank) {
  TF_Operation *node = must_add(graph, "TestFeed", name, NULL, NULL);
  TF_GraphSetTensorShape(graph, output(node, 0), dims, rank, test_status);
  assert_ok();
  return node;
}

static void assert_values(TF_Operation *node, const int64_t *expected, int count) {
  dvt_edge edge = {node, 0};
  dvt_known_inputs known = {.inputs = &edge, .count = 1, .graph = graph};
  const TF_Tensor *tensor = dvt_known_input_tensor(&known, 0);
  assert_non_null(tensor);
  assert_ptr_equal(dvt_known_input_tensor(&known, 0), tensor);
  assert_int_equal(dvt_tensor_count(tensor), count);
  for (int i = 0; i < count; i++) {
    int64_t v = tensor->dtype == TF_INT64 ? ((int64_t *)tensor->data)[i] : ((int32_t *)tensor->data)[i];
    assert_int_equal(v, expected[i]);
  }
  dvt_known_inputs_deinit(&known);
  dvt_arena_reset(&graph->scratch);
}
#define VALUES(...) (int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8)

static void assert_unknown(TF_Operation *node) {
  dvt_edge edge = {node, 0};
  dvt_known_inputs known = {.inputs = &edge, .count = 1, .graph = graph};
  assert_null(dvt_known_input_tensor(&known, 0));
  assert_null(dvt_known_input_tensor(&known, 1));
  assert_null(dvt_known_input_tensor(&known, -1));
  dvt_known_inputs_deinit(&known);
}

// Negative numbers in the text form of stock are "?" here.
static void assert_shape(TF_Operation *node, const char *expected) {
  dvt_edge edge = {node, 0};
  dvt_known_inputs known = {.inputs = &edge, .count = 1, .graph = graph};
  dvt_shape shape;
  dvt_buf text = {0};
  assert_true(dvt_known_input_as_shape(&known, 0, &shape));
  dvt_shape_print(shape, &text);
  assert_string_equal(text.data, expected);
  dvt_buf_deinit(&text);
  dvt_known_inputs_deinit(&known);
}

static TF_Operation *pack(const char *name, TF_Operation **parts, int count) {
  TF_Output inputs[8];
  for (int i = 0; i < count; i++) inputs[i] = output(parts[i], 0);
  TF_OperationDescription *desc = TF_NewOperation(graph, "Pack", name);
  TF_AddInputList(desc, inputs, count);
  TF_Operation *node = TF_FinishOperation(desc, test_status);
  assert_ok();
  return node;
}

static TF_Operation *slice(const char *name, TF_Operation *from, int begin, int end, int stride, int shrink,
                           int begin_mask, int end_mask) {
  char part[32];
  snprintf(part, sizeof part, "%s/b", name);
  TF_Operation *b = vector1(part, begin);
  snprintf(part, sizeof part, "%s/e", name);
  TF_Operation *e = vector1(part, end);
  snprintf(part, sizeof part, "%s/s", name);
  TF_Operation *s = vector1(part, stride);
  TF_OperationDescription *desc = TF_NewOperation(graph, "StridedSlice", name);
  TF_AddInput(desc, output(from, 0));
  TF_AddInput(desc, output(b, 0));
  TF_AddInput(desc, output(e, 0));
  TF_AddInput(desc, output(s, 0));
  TF_SetAttrInt(desc, "shrink_axis_mask", shrink);
  TF_SetAttrInt(desc, "begin_mask", begin_mask);
  TF_SetAttrInt(desc, "end_mask", end_mask);
  TF_Operation *node = TF_FinishOperation(desc, test_status);
  assert_ok();
  return node;
}

static void test_constants(void **state) {
  (void)state;
  TF_Operation *c = constant("c/v", TF_INT64, VALUES(5, -7, INT64_MAX), 1);
  assert_values(c, VALUES(5, -7, INT64_MAX));
  TF_Operation *same =
      must_add(graph, "Identity", "c/same", must_add(graph, "Identity", "c/i", c, NULL), NULL);
  assert_values(same, VALUES(5, -7, INT64_MAX));
  assert_unknown(must_add(graph, "TestInt", "c/unknown", NULL, NULL));
  assert_unknown(must_add(graph, "TestFeed", "c/feed", NULL, NULL));
  dvt_edge open = {NULL, 0};
  dvt_known_inputs known = {.inputs = &open, .count = 1, .graph = graph};
  assert_null(dvt_known_input_tensor(&known, 0));
  dvt_shape shape;
  assert_false(dvt_known_input_as_shape(&known, 0, &shape));
}

static void test_shapes_of_tensors(void **state) {
  (void)state;
  TF_Operation *full = shaped("s/full", (int64_t[]){2, 3, 4}, 3),
               *part = shaped("s/part", (int64_t[]){2, -1}, 2);
  assert_values(must_add(graph, "Shape", "s/shape", full, NULL), VALUES(2, 3, 4));
  assert_values(must_add(graph, "Size", "s/size", full, NULL), VALUES(24));
  assert_values(must_add(graph, "Rank", "s/rank", part, NULL), VALUES(2));
  TF_Operation *partial = must_add(graph, "Shape", "s/partial", part, NULL);
  assert_unknown(partial);
  assert_shape(partial, "[2,?]");
  assert_unknown(must_add(graph, "Size", "s/no_size", part, NULL));
  assert_unknown(
      must_add(graph, "Rank", "s/no_rank", must_add(graph, "TestFeed", "s/unknown", NULL, NULL), NULL));
}

// The unknown dimension of the one shape is the same as in the other: merging them says so.
static void test_unknown_dims_keep_their_identity(void **state) {
  (void)state;
  TF_Operation *feed = shaped("k/feed", (int64_t[]){-1, 5}, 2);
  TF_Operation *shape = must_add(graph, "Shape", "k/shape", feed, NULL);
  TF_Operation *batch = slice("k/batch", shape, 0, 1, 1, 1, 0, 0);
  TF_Operation *ten = scalar("k/ten", 10);
  TF_Operation *packed = pack("k/packed", (TF_Operation *[]){batch, ten}, 2);
  dvt_edge edge = {packed, 0};
  dvt_known_inputs known = {.inputs = &edge, .count = 1, .graph = graph};
  dvt_shape out;
  assert_true(dvt_known_input_as_shape(&known, 0, &out));
  assert_int_equal(out->rank, 2);
  assert_int_equal(out->dims[0], feed->output_shapes[0]->dims[0]);
  assert_int_equal(out->dims[1], 10);
}

static void test_slices(void **state) {
  (void)state;
  TF_Operation *v = constant("sl/v", TF_INT32, VALUES(10, 11, 12, 13), 1);
  assert_values(slice("sl/a", v, 1, 3, 1, 0, 0, 0), VALUES(11, 12));
  assert_values(slice("sl/b", v, -2, 0, 1, 0, 0, 1), VALUES(12, 13));
  assert_values(slice("sl/c", v, 9, 2, 2, 0, 1, 1), VALUES(10, 12));
  assert_values(slice("sl/d", v, 0, 0, -1, 0, 1, 1), VALUES(13, 12, 11, 10));
  assert_values(slice("sl/e", v, -1, 0, 1, 1, 0, 0), VALUES(13));
  assert_unknown(slice("sl/f", v, 4, 5, 1, 1, 0, 0));
  assert_unknown(slice("sl/g", v, 0, 1, 0, 0, 0, 0));
  TF_Operation *empty = slice("sl/h", v, 3, 1, 1, 0, 0, 0);
  assert_shape(empty, "[]");
  assert_values(slice("sl/i", v, INT32_MIN, INT32_MAX, INT32_MAX, 0, 0, 0), VALUES(10));
}

static void test_joined(void **state) {
  (void)state;
  TF_Operation *a = constant("j/a", TF_INT32, VALUES(1, 2), 1), *b = constant("j/b", TF_INT32, VALUES(3), 1);
  TF_OperationDescription *desc = TF_NewOperation(graph, "ConcatV2", "j/ab");
  TF_AddInputList(desc, (TF_Output[]){output(a, 0), output(b, 0)}, 2);
  TF_AddInput(desc, output(scalar("j/axis", 0), 0));
  TF_Operation *ab = TF_FinishOperation(desc, test_status);
  assert_ok();
  assert_values(ab, VALUES(1, 2, 3));
  desc = TF_NewOperation(graph, "Cast", "j/cast");
  TF_AddInput(desc, output(ab, 0));
  TF_SetAttrType(desc, "DstT", TF_INT64);
  TF_Operation *cast = TF_FinishOperation(desc, test_status);
  assert_ok();
  assert_values(cast, VALUES(1, 2, 3));
  TF_Operation *unknown = must_add(graph, "TestInt", "j/unknown", NULL, NULL);
  TF_GraphSetTensorShape(graph, output(unknown, 0), NULL, 0, test_status);
  assert_shape(pack("j/p", (TF_Operation *[]){scalar("j/7", 7), unknown, scalar("j/m1", -1)}, 3), "[7,?,?]");
  TF_Operation *length = must_add(graph, "TestInt", "j/length", NULL, NULL);
  TF_GraphSetTensorShape(graph, output(length, 0), (int64_t[]){2}, 1, test_status);
  assert_shape(length, "[?,?]");
  assert_shape(scalar("j/rank_unknown", -1), "?");
}

static void test_deep_chains_end(void **state) {
  (void)state;
  TF_Operation *last = vector1("deep", 3);
  char name[32];
  for (int i = 0; i < 200; i++) {
    snprintf(name, sizeof name, "deep/i%d", i);
    last = must_add(graph, "Identity", name, last, NULL);
  }
  assert_unknown(last);
  last = vector1("deeper", 3);
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "deeper/s%d", i);
    last = slice(name, last, 0, 1, 1, 0, 0, 0);
  }
  assert_unknown(last);
}

// A few bytes may stand for gigabytes; nobody looks for a shape in those.
static void test_large_constants_are_left_alone(void **state) {
  (void)state;
  dvt_buf value = {0};
  const int64_t dim = 1 << 20;
  size_t tensor = dvt_wire_begin(&value, 8);
  dvt_wire_put_varint(&value, 1, TF_INT32);
  size_t shape = dvt_wire_begin(&value, 2);
  dvt_shape_to_proto(&dim, 1, &value);
  dvt_wire_end(&value, shape);
  dvt_wire_put_varint(&value, 7, 3);  // every element
  dvt_wire_end(&value, tensor);
  TF_OperationDescription *desc = TF_NewOperation(graph, "Const", "large");
  TF_SetAttrValueProto(desc, "value", value.data, value.len, test_status);
  assert_ok();
  TF_SetAttrType(desc, "dtype", TF_INT32);
  TF_Operation *node = TF_FinishOperation(desc, test_status);
  assert_ok();
  dvt_buf_deinit(&value);
  assert_unknown(node);
}

// Each joins the one before 64 times: 64^8 paths lead to the first.
static void test_wide_and_deep_graphs_end(void **state) {
  (void)state;
  enum { WIDTH = 64, DEPTH = 8 };
  TF_Operation *axis = scalar("w/axis", 0), *node = constant("w/empty", TF_INT32, NULL, 0, 1);
  for (int level = 0; level < DEPTH; level++) {
    char name[32];
    TF_Output inputs[WIDTH];
    snprintf(name, sizeof name, "w/%d", level);
    for (int i = 0; i < WIDTH; i++) inputs[i] = output(node, 0);
    TF_OperationDescription *desc = TF_NewOperation(graph, "ConcatV2", name);
    TF_AddInputList(desc, inputs, WIDTH);
    TF_AddInput(desc, output(axis, 0));
    node = TF_FinishOperation(desc, test_status);
    assert_ok();
    if (level == 0) assert_values(node, NULL, 0);
  }
  assert_unknown(node);
}

static int setup(void **state) {
  void (*unknown)(TF_ShapeInferenceContext *, TF_Status *) = TF_ShapeInferenceContextSetUnknownShape;
  test_setup(state);
  test_op("Const", unknown, SPECS("a:value: tensor", "a:dtype: type", "o:output: dtype"));
  test_op("Identity", shape_of_first, SPECS("a:T: type", "i:input: T", "o:output: T"));
  test_op("Shape", unknown,
          SPECS("a:T: type", "a:out_type: {int32, int64} = DT_INT32", "i:input: T", "o:output: out_type"));
  test_op("Size", unknown,
          SPECS("a:T: type", "a:out_type: {int32, int64} = DT_INT32", "i:input: T", "o:output: out_type"));
  test_op("Rank", unknown, SPECS("a:T: type", "i:input: T", "o:output: int32"));
  test_op("Pack", unknown,
          SPECS("a:N: int >= 1", "a:T: type", "a:axis: int = 0", "i:values: N * T", "o:output: T"));
  test_op("ConcatV2", unknown,
          SPECS("a:N: int >= 2", "a:T: type", "a:Tidx: {int32, int64} = DT_INT32", "i:values: N * T",
                "i:axis: Tidx", "o:output: T"));
  test_op("Cast", unknown,
          SPECS("a:SrcT: type", "a:DstT: type", "a:Truncate: bool = false", "i:x: SrcT", "o:y: DstT"));
  test_op("StridedSlice", unknown,
          SPECS("a:T: type", "a:Index: {int32, int64}", "a:begin_mask: int = 0", "a:end_mask: int = 0",
                "a:ellipsis_mask: int = 0", "a:new_axis_mask: int = 0", "a:shrink_axis_mask: int = 0",
                "i:input: T", "i:begin: Index", "i:end: Index", "i:strides: Index", "o:output: T"));
  graph = TF_NewGraph();
  return 0;
}

static int teardown(void **state) {
  TF_DeleteGraph(graph);
  return test_teardown(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_shapes_of_tensors),
      cmocka_unit_test(test_unknown_dims_keep_their_identity),
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_joined),
      cmocka_unit_test(test_deep_chains_end),
      cmocka_unit_test(test_large_constants_are_left_alone),
      cmocka_unit_test(test_wide_and_deep_graphs_end),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
