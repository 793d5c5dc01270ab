// Attributes of operations: every setter with its getter, metadata, wrong kinds, too little room; and changes
// of operations that are in the graph. Facts from stock's CApiAttributesTest.
#include <pthread.h>
#include <stdatomic.h>

#include "graph/graph_test_util.h"
#include "tensorflow/c/c_api_experimental.h"

static TF_Graph *graph;
static int serial;

static TF_OperationDescription *begin(const char *op) {
  char name[16];
  snprintf(name, sizeof name, "n%d", serial++);
  return TF_NewOperation(graph, op, name);
}

static TF_Operation *finish(TF_OperationDescription *desc) {
  TF_Operation *node = TF_FinishOperation(desc, test_status);
  assert_ok();
  return node;
}

static void assert_meta(TF_Operation *node, TF_AttrType type, bool is_list, int64_t list_size,
                        int64_t total) {
  TF_AttrMetadata m = TF_OperationGetAttrMetadata(node, "v", test_status);
  assert_ok();
  assert_int_equal(m.type, type);
  assert_int_equal(m.is_list, is_list);
  assert_int_equal(m.list_size, list_size);
  assert_int_equal(m.total_size, total);
}

static void test_string(void **state) {
  (void)state;
  TF_OperationDescription *desc = begin("AttrString");
  TF_SetAttrString(desc, "v", "bunny\0x", 7);
  TF_Operation *node = finish(desc);
  assert_meta(node, TF_ATTR_STRING, false, -1, 7);
  char text[8] = "--------";
  TF_OperationGetAttrString(node, "v", text, 7, test_status);
  assert_ok();
  assert_memory_equal(text, "bunny\0x-", 8);
  TF_OperationGetAttrString(node, "v", text, 2, test_status);
  assert_ok();
  TF_OperationGetAttrString(node, "zz", text, 2, test_status);
  assert_error(TF_INVALID_ARGUMENT, "has no attr named 'zz'.");
  int64_t n = 42;
  TF_OperationGetAttrInt(node, "v", &n, test_status);
  assert_error(TF_INVALID_ARGUMENT, "AttrValue had value with type 'string' when 'int' expected");
  TF_OperationGetAttrInt(node, "zz", &n, test_status);
  assert_error(TF_NOT_FOUND, "No attr named 'zz' in NodeDef");
  assert_int_equal(n, 42);
}

static void test_string_list(void **state) {
  (void)state;
  const void *values[] = {"bugs", "", "bunny"};
  const size_t lengths[] = {4, 0, 5};
  TF_OperationDescription *desc = begin("AttrStringList");
  TF_SetAttrStringList(desc, "v", values, lengths, 3);
  TF_Operation *node = finish(desc);
  assert_meta(node, TF_ATTR_STRING, true, 3, 9);
  void *got[3];
  size_t got_lengths[3];
  char storage[9];
  TF_OperationGetAttrStringList(node, "v", got, got_lengths, 3, storage, 9, test_status);
  assert_ok();
  assert_memory_equal(got[0], "bugs", 4);
  assert_int_equal(got_lengths[1], 0);
  assert_memory_equal(got[2], "bunny", 5);
  TF_OperationGetAttrStringList(node, "v", got, got_lengths, 3, storage, 8, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Not enough storage to hold the requested list of strings");
  TF_OperationGetAttrStringList(node, "v", got, got_lengths, 1, storage, 4, test_status);
  assert_ok();
}

#define SCALAR_AND_LIST(name, Setter, Getter, ctype, kind, op, a, b, c)        \
  static void test_##name(void **state) {                                      \
    (void)state;                                                               \
    const ctype list[] = {a, b, c};                                            \
    ctype one = 0, got[4] = {0};                                               \
    TF_OperationDescription *desc = begin(op);                                 \
    TF_SetAttr##Setter(desc, "v", a);                                          \
    TF_Operation *node = finish(desc);                                         \
    assert_meta(node, kind, false, -1, -1);                                    \
    TF_OperationGetAttr##Getter(node, "v", &one, test_status);                 \
    assert_ok();                                                               \
    assert_true(one == (ctype)a);                                              \
    TF_OperationGetAttr##Getter##List(node, "v", got, 4, test_status);         \
    assert_error(TF_INVALID_ARGUMENT, "is not a list");                        \
    desc = begin(op "List");                                                   \
    TF_SetAttr##Setter##List(desc, "v", list, 3);                              \
    node = finish(desc);                                                       \
    assert_meta(node, kind, true, 3, -1);                                      \
    TF_OperationGetAttr##Getter##List(node, "v", got, 4, test_status);         \
    assert_ok();                                                               \
    assert_memory_equal(got, list, sizeof list);                               \
    assert_true(got[3] == 0);                                                  \
    TF_OperationGetAttr##Getter(node, "v", &one, test_status);                 \
    assert_error(TF_INVALID_ARGUMENT, "AttrValue had value with type 'list("); \
    desc = begin(op "List");                                                   \
    TF_SetAttr##Setter##List(desc, "v", list, 0);                              \
    assert_meta(finish(desc), kind, true, 0, -1);                              \
  }

SCALAR_AND_LIST(int, Int, Int, int64_t, TF_ATTR_INT, "AttrInt", -31415, INT64_MAX, 0)
SCALAR_AND_LIST(float, Float, Float, float, TF_ATTR_FLOAT, "AttrFloat", 2.718f, -1.5f, 0.0f)
SCALAR_AND_LIST(bool, Bool, Bool, unsigned char, TF_ATTR_BOOL, "AttrBool", 1, 0, 1)
SCALAR_AND_LIST(type, Type, Type, TF_DataType, TF_ATTR_TYPE, "AttrType", TF_COMPLEX128, TF_INT32, TF_STRING)

static void test_shape(void **state) {
  (void)state;
  const int64_t dims[] = {10, -1, 30};
  int64_t got[3] = {77, 77, 77};
  TF_OperationDescription *desc = begin("AttrShape");
  TF_SetAttrShape(desc, "v", dims, 3);
  TF_Operation *node = finish(desc);
  assert_meta(node, TF_ATTR_SHAPE, false, -1, 3);
  TF_OperationGetAttrShape(node, "v", got, 3, test_status);
  assert_ok();
  assert_memory_equal(got, dims, sizeof dims);
  desc = begin("AttrShape");
  TF_SetAttrShape(desc, "v", NULL, -1);
  node = finish(desc);
  assert_meta(node, TF_ATTR_SHAPE, false, -1, -1);
  TF_OperationGetAttrShape(node, "v", NULL, 0, test_status);
  assert_ok();
  desc = begin("AttrShape");
  TF_SetAttrShape(desc, "v", NULL, 0);
  assert_meta(finish(desc), TF_ATTR_SHAPE, false, -1, 0);
}

static void test_shape_list(void **state) {
  (void)state;
  const int64_t a[] = {1, 3}, b[] = {2, 4, 6};
  const int64_t *dims[] = {a, NULL, b};
  const int ranks[] = {2, -1, 3};
  TF_OperationDescription *desc = begin("AttrShapeList");
  TF_SetAttrShapeList(desc, "v", dims, ranks, 3);
  TF_Operation *node = finish(desc);
  assert_meta(node, TF_ATTR_SHAPE, true, 3, 5);
  int64_t *got[3], storage[5];
  int got_ranks[3];
  TF_OperationGetAttrShapeList(node, "v", got, got_ranks, 3, storage, 5, test_status);
  assert_ok();
  assert_memory_equal(got_ranks, ranks, sizeof ranks);
  assert_memory_equal(got[0], a, sizeof a);
  assert_memory_equal(got[2], b, sizeof b);
  TF_OperationGetAttrShapeList(node, "v", got, got_ranks, 3, storage, 4, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Not enough storage to hold the requested list of shapes");
  TF_Buffer *protos[3] = {NULL, NULL, NULL};
  TF_OperationGetAttrTensorShapeProtoList(node, "v", protos, 3, test_status);
  assert_ok();
  desc = begin("AttrShapeList");
  TF_SetAttrTensorShapeProtoList(
      desc, "v", (const void *const[]){protos[0]->data, protos[1]->data, protos[2]->data},
      (size_t[]){protos[0]->length, protos[1]->length, protos[2]->length}, 3, test_status);
  assert_ok();
  assert_meta(finish(desc), TF_ATTR_SHAPE, true, 3, 5);
  desc = begin("AttrShape");
  TF_SetAttrTensorShapeProto(desc, "v", protos[2]->data, protos[2]->length, test_status);
  assert_ok();
  TF_SetAttrTensorShapeProto(desc, "w", "\xff", 1, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Unparseable TensorShapeProto");
  node = finish(desc);
  assert_meta(node, TF_ATTR_SHAPE, false, -1, 3);
  TF_Buffer *back = TF_NewBuffer();
  TF_OperationGetAttrTensorShapeProto(node, "v", back, test_status);
  assert_ok();
  assert_int_equal(back->length, protos[2]->length);
  assert_memory_equal(back->data, protos[2]->data, back->length);
  TF_DeleteBuffer(back);
  for (int i = 0; i < 3; i++) TF_DeleteBuffer(protos[i]);
}

static TF_Tensor *two_floats(float a, float b) {
  int64_t dim = 2;
  TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, &dim, 1, 8);
  ((float *)TF_TensorData(tensor))[0] = a;
  ((float *)TF_TensorData(tensor))[1] = b;
  return tensor;
}

static void test_tensor(void **state) {
  (void)state;
  TF_Tensor *a = two_floats(1, 2), *b = two_floats(3, 4), *got = NULL, *list[3] = {NULL, NULL, NULL};
  TF_OperationDescription *desc = begin("AttrTensor");
  TF_SetAttrTensor(desc, "v", a, test_status);
  assert_ok();
  TF_Operation *node = finish(desc);
  assert_meta(node, TF_ATTR_TENSOR, false, -1, -1);
  TF_OperationGetAttrTensor(node, "v", &got, test_status);
  assert_ok();
  assert_int_equal(TF_Dim(got, 0), 2);
  assert_memory_equal(TF_TensorData(got), TF_TensorData(a), 8);
  TF_DeleteTensor(got);
  TF_OperationGetAttrTensor(node, "zz", &got, test_status);
  assert_error(TF_NOT_FOUND, "zz");
  assert_null(got);
  desc = begin("AttrTensorList");
  TF_SetAttrTensorList(desc, "v", (TF_Tensor *const[]){a, b}, 2, test_status);
  assert_ok();
  node = finish(desc);
  assert_meta(node, TF_ATTR_TENSOR, true, 2, -1);
  TF_OperationGetAttrTensorList(node, "v", list, 3, test_status);
  assert_ok();
  assert_null(list[2]);
  assert_memory_equal(TF_TensorData(list[1]), TF_TensorData(b), 8);
  TF_DeleteTensor(list[0]);
  TF_DeleteTensor(list[1]);
  desc = begin("AttrTensor");
  TF_SetAttrTensor(desc, "v", NULL, test_status);
  assert_error(TF_INVALID_ARGUMENT, "NULL");
  assert_null(TF_FinishOperation(desc, test_status));
  assert_error(TF_INVALID_ARGUMENT, "NodeDef missing attr 'v'");
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
}

static void test_value_proto(void **state) {
  (void)state;
  TF_OperationDescription *desc = begin("AttrInt");
  TF_Buffer *value = parse_text(&dvt_schema_attr_value, "i: 300");
  TF_SetAttrValueProto(desc, "v", "\x0a\xff", 2, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Unparseable AttrValue proto");
  TF_SetAttrValueProto(desc, "v", value->data, value->length, test_status);
  assert_ok();
  TF_Operation *node = finish(desc);
  TF_Buffer *got = TF_NewBuffer();
  TF_OperationGetAttrValueProto(node, "v", got, test_status);
  assert_ok();
  assert_int_equal(got->length, value->length);
  assert_memory_equal(got->data, value->data, value->length);
  TF_DeleteBuffer(got);
  TF_DeleteBuffer(value);
}

static void test_func_and_placeholder(void **state) {
  (void)state;
  TF_OperationDescription *desc = begin("AttrFunc");
  TF_SetAttrFuncName(desc, "v", "some_function", 13);
  assert_meta(finish(desc), TF_ATTR_FUNC, false, -1, -1);
  desc = begin("AttrInt");
  TF_SetAttrPlaceholder(desc, "v", "later");
  assert_meta(finish(desc), TF_ATTR_PLACEHOLDER, false, -1, -1);
}

static void test_names_of_attrs(void **state) {
  (void)state;
  TF_OperationDescription *desc = begin("TestFeed");
  TF_SetAttrType(desc, "dtype", TF_INT32);
  TF_SetAttrInt(desc, "_mine", 4);
  TF_Operation *node = finish(desc);
  assert_int_equal(TF_OperationGetNumAttrs(node), 3);  // with the default of shape
  char name[8];
  bool seen_shape = false;
  for (int i = 0; i < 3; i++) {
    int length = TF_OperationGetAttrNameLength(node, i);
    TF_OperationGetAttrName(node, i, name, test_status);
    assert_ok();
    seen_shape |= length == 5 && memcmp(name, "shape", 5) == 0;
  }
  assert_true(seen_shape);
  assert_int_equal(TF_OperationGetAttrNameLength(node, 3), -1);
  assert_int_equal(TF_OperationGetAttrNameLength(node, -1), -1);
  TF_OperationGetAttrName(node, 3, name, test_status);
  assert_error(TF_OUT_OF_RANGE, "only has 3 attributes");
}

static void test_set_twice(void **state) {
  (void)state;
  TF_OperationDescription *desc = begin("AttrInt");
  TF_SetAttrInt(desc, "v", 3);
  TF_SetAttrInt(desc, "v", 3);
  finish(desc);
  desc = begin("AttrInt");
  TF_SetAttrInt(desc, "v", 3);
  TF_SetAttrInt(desc, "v", 4);
  assert_null(TF_FinishOperation(desc, test_status));
  assert_error(TF_INVALID_ARGUMENT, "Inconsistent values for attr 'v' 3 vs. 4");
}

static void test_changes_in_place(void **state) {
  (void)state;
  TF_Operation *a = must_add(graph, "TestScalar", "change/a", NULL, NULL);
  TF_Operation *b = must_add(graph, "TestUnary", "change/b", a, NULL);
  long long before = atomic_load(&graph->change_count);
  TF_Buffer *value = parse_text(&dvt_schema_attr_value, "i: 5");
  TF_SetAttr(graph, b, "_x", value, test_status);
  assert_ok();
  int64_t x;
  TF_OperationGetAttrInt(b, "_x", &x, test_status);
  assert_int_equal(x, 5);
  TF_ClearAttr(graph, b, "_x", test_status);
  assert_ok();
  TF_ClearAttr(graph, b, "_x", test_status);  // absent is fine
  assert_ok();
  TF_OperationGetAttrInt(b, "_x", &x, test_status);
  assert_error(TF_NOT_FOUND, "_x");
  TF_Buffer bad = {"\xff", 1, NULL};
  TF_SetAttr(graph, b, "_x", &bad, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Unparseable");
  TF_SetRequestedDevice(graph, b, "/gpu:0");
  assert_string_equal(TF_OperationDevice(b), "/gpu:0");
  TF_AddOperationControlInput(graph, b, a);
  TF_AddOperationControlInput(graph, b, a);
  assert_string_equal(inputs_of(b), "change/a:0 ^change/a");
  assert_int_equal(TF_OperationNumControlOutputs(a), 1);
  TF_RemoveAllControlInputs(graph, b);
  assert_string_equal(inputs_of(b), "change/a:0");
  assert_int_equal(TF_OperationNumControlOutputs(a), 0);
  assert_int_equal(TF_OperationOutputNumConsumers(output(a, 0)), 1);
  assert_int_equal(atomic_load(&graph->change_count), before + 5);
  TF_Buffer *type = TF_NewBufferFromString("\x08\x01", 2);
  TF_SetFullType(graph, b, type);
  TF_SetFullType(graph, b, type);
  TF_Buffer *def = TF_NewBuffer();
  TF_OperationToNodeDef(b, def, test_status);
  assert_memory_equal((const char *)def->data + def->length - 4, "\x3a\x02\x08\x01", 4);  // field 7, once
  assert_memory_not_equal((const char *)def->data + def->length - 8, "\x3a\x02\x08\x01", 4);
  TF_DeleteBuffer(def);
  TF_DeleteBuffer(type);
  TF_DeleteBuffer(value);
}

static void test_update_edge(void **state) {
  (void)state;
  TF_Operation *a = must_add(graph, "TestScalar", "edge/a", NULL, NULL);
  TF_Operation *b = must_add(graph, "TestScalar", "edge/b", NULL, NULL);
  TF_Operation *i = must_add(graph, "TestInt", "edge/i", NULL, NULL);
  TF_Operation *f = must_add(graph, "TestFeed", "edge/f", NULL, NULL);
  TF_Operation *c = must_add(graph, "TestUnary", "edge/c", a, NULL);
  TF_UpdateEdge(graph, output(b, 0), (TF_Input){c, 0}, test_status);
  assert_ok();
  assert_string_equal(inputs_of(c), "edge/b:0");
  assert_int_equal(TF_OperationOutputNumConsumers(output(a, 0)), 0);
  assert_int_equal(TF_OperationOutputNumConsumers(output(b, 0)), 1);
  TF_UpdateEdge(graph, output(b, 1), (TF_Input){c, 0}, test_status);
  assert_error(TF_OUT_OF_RANGE,
               "Cannot update edge. Output index [1] is greater than the number of total outputs [1].");
  TF_UpdateEdge(graph, output(b, 0), (TF_Input){c, 3}, test_status);
  assert_error(TF_OUT_OF_RANGE,
               "Cannot update edge. Input index [3] is greater than the number of total inputs [1].");
  TF_UpdateEdge(graph, output(i, 0), (TF_Input){c, 0}, test_status);
  assert_error(TF_INVALID_ARGUMENT, "was passed int32");
  TF_GraphSetTensorShape(graph, output(f, 0), (int64_t[]){2}, 1, test_status);
  TF_UpdateEdge(graph, output(f, 0), (TF_Input){c, 0}, test_status);
  assert_error(TF_INVALID_ARGUMENT, "Cannot update edge, incompatible shapes: [2] and [].");
  assert_string_equal(inputs_of(c), "edge/b:0");
}

static void test_handle_data(void **state) {
  (void)state;
  TF_Operation *a = must_add(graph, "TestScalar", "handle/a", NULL, NULL);
  TF_Buffer *got = TF_GetHandleShapeAndType(graph, output(a, 0));
  assert_int_equal(got->length, 0);
  TF_DeleteBuffer(got);
  TF_SetHandleShapeAndType(graph, output(a, 0), "\x08\x01", 2, test_status);
  assert_ok();
  got = TF_GetHandleShapeAndType(graph, output(a, 0));
  assert_int_equal(got->length, 2);
  TF_DeleteBuffer(got);
  TF_SetHandleShapeAndType(graph, output(a, 0), "\xff", 1, test_status);
  assert_error(TF_INVALID_ARGUMENT, "HandleData");
  TF_SetHandleShapeAndType(graph, output(a, 9), "", 0, test_status);
  assert_error(TF_OUT_OF_RANGE, "does not have output 9");
}

static void test_while_input_hack(void **state) {
  (void)state;
  test_op("While", TF_ShapeInferenceContextSetUnknownShape,
          SPECS("a:T: list(type) >= 0", "i:input: T", "o:output: T"));
  TF_Operation *a = must_add(graph, "TestScalar", "hack/a", NULL, NULL);
  TF_OperationDescription *desc = begin("While");
  TF_AddInputList(desc, (TF_Output[]){output(a, 0)}, 1);
  TF_Operation *loop = finish(desc);
  TF_AddWhileInputHack(graph, output(a, 0), loop, test_status);
  assert_ok();
  assert_string_equal(inputs_of(loop), "hack/a:0 hack/a:0");
  assert_int_equal(TF_OperationOutputNumConsumers(output(a, 0)), 2);
  TF_AddWhileInputHack(graph, output(a, 0), a, test_status);
  assert_error(TF_INTERNAL, "should be a While op, got: TestScalar");
}

static void test_debug_string(void **state) {
  (void)state;
  TF_Graph *small = TF_NewGraph();
  must_add(small, "TestScalar", "only", NULL, NULL);
  size_t length;
  const char *text = TF_GraphDebugString(small, &length);
  assert_int_equal(strlen(text), length);
  assert_non_null(strstr(text, "name: \"only\""));
  free((void *)(uintptr_t)text);
  TF_DeleteGraph(small);
}

typedef struct reading {
  TF_Operation *node;
  atomic_bool ended;
} reading;

static void *read_on(void *arg) {
  reading *r = arg;
  TF_Status *status = TF_NewStatus();
  while (!atomic_load(&r->ended)) {
    char name[32];
    TF_Operation *controls[4];
    TF_Output source;
    for (int i = TF_OperationGetNumAttrs(r->node) - 1; i >= 0; i--) {
      TF_OperationGetAttrNameLength(r->node, i);
      TF_OperationGetAttrName(r->node, i, name, status);
    }
    TF_OperationGetAttrMetadata(r->node, "_x", status);
    TF_OperationGetControlInputs(r->node, controls, TF_OperationNumControlInputs(r->node));
    TF_OperationAllInputs(r->node, &source, 1);
    TF_OperationInput((TF_Input){r->node, 0});
    TF_OperationDevice(r->node);
  }
  TF_DeleteStatus(status);
  return NULL;
}

// Asked and changed at once; the thread sanitizer looks on.
static void test_read_while_changed(void **state) {
  (void)state;
  TF_Operation *a = must_add(graph, "TestScalar", "changed/a", NULL, NULL),
               *b = must_add(graph, "TestScalar", "changed/b", NULL, NULL);
  reading r = {.node = must_add(graph, "TestUnary", "changed/c", a, NULL)};
  pthread_t thread;
  dvt_buf value = {0};
  dvt_attr_put_int(&value, 7);
  TF_Buffer proto = {value.data, value.len, NULL};
  assert_int_equal(pthread_create(&thread, NULL, read_on, &r), 0);
  for (int i = 0; i < 300; i++) {
    TF_SetAttr(graph, r.node, "_x", &proto, test_status);
    assert_ok();
    TF_UpdateEdge(graph, output(i % 2 ? a : b, 0), (TF_Input){r.node, 0}, test_status);
    assert_ok();
    TF_AddOperationControlInput(graph, r.node, b);
    TF_SetRequestedDevice(graph, r.node, "/device:CPU:0");
    TF_RemoveAllControlInputs(graph, r.node);
    TF_ClearAttr(graph, r.node, "_x", test_status);
    assert_ok();
  }
  atomic_store(&r.ended, true);
  pthread_join(thread, NULL);
  dvt_buf_deinit(&value);
}

static int setup(void **state) {
  static const char *const kinds[] = {"string", "int", "float", "bool", "type", "shape", "tensor"};
  static const char *const names[] = {"String", "Int", "Float", "Bool", "Type", "Shape", "Tensor"};
  test_setup(state);
  for (size_t i = 0; i < DVT_COUNT_OF(kinds); i++) {
    char op[32], spec[32];
    snprintf(op, sizeof op, "Attr%s", names[i]);
    snprintf(spec, sizeof spec, "a:v: %s", kinds[i]);
    test_op(op, TF_ShapeInferenceContextSetUnknownShape, SPECS(spec));
    snprintf(op, sizeof op, "Attr%sList", names[i]);
    snprintf(spec, sizeof spec, "a:v: list(%s)", kinds[i]);
    test_op(op, TF_ShapeInferenceContextSetUnknownShape, SPECS(spec));
  }
  test_op("AttrFunc", TF_ShapeInferenceContextSetUnknownShape, SPECS("a:v: func"));
  graph = TF_NewGraph();
  return 0;
}

static int teardown(void **state) {
  TF_DeleteGraph(graph);
  return test_teardown(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_string),
      cmocka_unit_test(test_string_list),
      cmocka_unit_test(test_int),
      cmocka_unit_test(test_float),
      cmocka_unit_test(test_bool),
      cmocka_unit_test(test_type),
      cmocka_unit_test(test_shape),
      cmocka_unit_test(test_shape_list),
      cmocka_unit_test(test_tensor),
      cmocka_unit_test(test_value_proto),
      cmocka_unit_test(test_func_and_placeholder),
      cmocka_unit_test(test_names_of_attrs),
      cmocka_unit_test(test_set_twice),
      cmocka_unit_test(test_changes_in_place),
      cmocka_unit_test(test_update_edge),
      cmocka_unit_test(test_handle_data),
      cmocka_unit_test(test_while_input_hack),
      cmocka_unit_test(test_debug_string),
      cmocka_unit_test(test_read_while_changed),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
