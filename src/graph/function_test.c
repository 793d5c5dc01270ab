// Functions: libraries of them, and bodies made for a call. How functions are made from graphs is in
// capi/function_api_test.c.
#include "graph/graph_test_util.h"

static TF_Function *function_from_text(const char *text) {
  TF_Buffer *buffer = parse_text(&dvt_schema_function_def, text);
  TF_Function *function = NULL;
  assert_status_ok(dvt_function_from_proto(dvt_str_make(buffer->data, buffer->length), &function));
  TF_DeleteBuffer(buffer);
  return function;
}

static dvt_status instantiate(const char *text, const dvt_attr *attrs, int count,
                              dvt_function_body *out_body) {
  TF_Function *function = function_from_text(text);
  dvt_status status = dvt_function_instantiate(function, attrs, count, NULL, out_body);
  dvt_function_release(function);  // the body keeps what it needs
  return status;
}

static void must_fail(const char *text, TF_Code code, const char *message) {
  dvt_function_body body;
  dvt_status status = instantiate(text, NULL, 0, &body);
  assert_int_equal(dvt_status_code(status), code);
  if (!strstr(dvt_status_message(status), message))
    fail_msg("no '%s' in: %s", message, dvt_status_message(status));
  dvt_status_free(status);
}

static const char add_twice[] =
    "signature { name: '__inference_f_1' input_arg { name: 'x' type: DT_FLOAT } input_arg { name: 'y' type: "
    "DT_FLOAT }"
    "  output_arg { name: 'identity' type: DT_FLOAT } output_arg { name: 'same' type: DT_FLOAT }"
    "  control_output: 'done' }"
    "node_def { name: 'second' op: 'TestPair' input: 'first:diff:0' input: 'y' input: '^effect' attr { key: "
    "'T' value { type: DT_FLOAT } } }"
    "node_def { name: 'first' op: 'TestPair' input: 'x' input: 'y' attr { key: 'T' value { type: DT_FLOAT } "
    "} }"
    "node_def { name: 'effect' op: 'TestEffect' input: '^x' }"
    "ret { key: 'identity' value: 'second:sum:0' } ret { key: 'same' value: 'x' }"
    "control_ret { key: 'done' value: 'effect' }";

static void test_body(void **state) {
  (void)state;
  dvt_function_body body;
  assert_status_ok(instantiate(add_twice, NULL, 0, &body));
  assert_string_equal(names_of(body.graph), "x y first effect second identity_RetVal same_RetVal");
  assert_int_equal(body.arg_count, 2);
  assert_int_equal(body.ret_count, 2);
  assert_int_equal(body.control_ret_count, 1);
  assert_string_equal(body.args[1]->def.name.data, "y");
  assert_string_equal(TF_OperationOpType(body.args[1]), "_Arg");
  assert_string_equal(inputs_of(find(body.graph, "second")), "first:1 y:0 ^effect");
  assert_string_equal(inputs_of(find(body.graph, "effect")), "^x");
  assert_string_equal(TF_OperationOpType(body.rets[0]), "_Retval");
  assert_string_equal(inputs_of(body.rets[0]), "second:0");
  assert_string_equal(inputs_of(body.rets[1]), "x:0");
  assert_ptr_equal(body.control_rets[0], find(body.graph, "effect"));
  int64_t index;
  TF_OperationGetAttrInt(body.rets[1], "index", &index, test_status);
  assert_ok();
  assert_int_equal(index, 1);
  dvt_function_body_deinit(&body);
}

static const char generic[] =
    "signature { name: 'g' input_arg { name: 'x' type_attr: 'T' } output_arg { name: 'z' type_attr: 'T' }"
    "  attr { name: 'T' type: 'type' } attr { name: 'n' type: 'int' default_value { i: 2 } } }"
    "node_def { name: 'a' op: 'TestSame' input: 'x' attr { key: 'T' value { placeholder: 'T' } } }"
    "node_def { name: 'f' op: 'TestCall' attr { key: 'f' value { func { name: 'inner'"
    "  attr { key: 'U' value { placeholder: 'T' } } attr { key: 'k' value { i: 1 } } } } }"
    "  attr { key: 'fs' value { list { func { name: 'p' attr { key: 'U' value { placeholder: 'n' } } } } } } "
    "}"
    "ret { key: 'z' value: 'a:y:0' }";

static void test_placeholders_are_substituted(void **state) {
  (void)state;
  dvt_function_body body;
  dvt_attr attrs[] = {{DVT_STR("T"), {"\x30\x03", 2}},
                      {DVT_STR("unrelated"), {"\x18\x01", 2}}};  // type: DT_INT32; i: 1
  assert_status_ok(instantiate(generic, attrs, 2, &body));
  assert_int_equal(TF_OperationOutputType(output(body.args[0], 0)), TF_INT32);
  assert_int_equal(TF_OperationOutputType(output(find(body.graph, "a"), 0)), TF_INT32);
  TF_Buffer *value = TF_NewBuffer();
  TF_OperationGetAttrValueProto(find(body.graph, "f"), "f", value, test_status);
  assert_ok();
  TF_Buffer *expected = parse_text(&dvt_schema_attr_value,
                                   "func { name: 'inner' attr { key: 'U' value { type: DT_INT32 } }"
                                   " attr { key: 'k' value { i: 1 } } }");
  assert_true(dvt_attr_equal(dvt_str_make(value->data, value->length),
                             dvt_str_make(expected->data, expected->length)));
  TF_DeleteBuffer(value);
  TF_DeleteBuffer(expected);
  value = TF_NewBuffer();
  TF_OperationGetAttrValueProto(find(body.graph, "f"), "fs", value, test_status);
  expected =
      parse_text(&dvt_schema_attr_value, "list { func { name: 'p' attr { key: 'U' value { i: 2 } } } }");
  assert_true(dvt_attr_equal(dvt_str_make(value->data, value->length),
                             dvt_str_make(expected->data, expected->length)));
  TF_DeleteBuffer(value);
  TF_DeleteBuffer(expected);
  dvt_function_body_deinit(&body);
  must_fail(generic, TF_INVALID_ARGUMENT, "T");
}

static void test_lists(void **state) {
  (void)state;
  dvt_function_body body;
  dvt_attr attrs[] = {{DVT_STR("N"), {"\x18\x02", 2}}};
  assert_status_ok(
      instantiate("signature { name: 'l' input_arg { name: 'xs' type: DT_FLOAT number_attr: 'N' }"
                  "  output_arg { name: 'ys' type: DT_FLOAT number_attr: 'N' } attr { name: 'N' type: 'int' "
                  "has_minimum: true minimum: 1 } }"
                  "node_def { name: 'all' op: 'TestMany' input: 'xs' attr { key: 'N' value { placeholder: "
                  "'N' } } attr { key: 'T' value { type: DT_FLOAT } } }"
                  "node_def { name: 'one' op: 'TestUnary' input: 'xs:1' }"
                  "node_def { name: 'split' op: 'TestSplit' input: 'all:y' attr { key: 'n' value { i: 2 } } }"
                  "node_def { name: 'last' op: 'TestUnary' input: 'split:rest:1' }"
                  "ret { key: 'ys' value: 'split:rest' }",
                  attrs, 1, &body));
  assert_int_equal(body.arg_count, 2);
  assert_string_equal(inputs_of(find(body.graph, "all")), "xs_0:0 xs_1:0");
  assert_string_equal(inputs_of(find(body.graph, "one")), "xs_1:0");
  assert_string_equal(inputs_of(find(body.graph, "last")), "split:2");
  assert_int_equal(body.ret_count, 2);
  assert_string_equal(inputs_of(body.rets[1]), "split:2");
  dvt_function_body_deinit(&body);
}

static void test_arg_shapes(void **state) {
  (void)state;
  dvt_function_body body;
  assert_status_ok(instantiate(
      "signature { name: 's' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }"
      "node_def { name: 'n' op: 'TestUnary' input: 'x' } ret { key: 'y' value: 'n:y:0' }"
      "arg_attr { key: 0 value { attr { key: '_output_shapes' value { list { shape { dim { size: 3 } dim { "
      "size: -1 } } } } } } }",
      NULL, 0, &body));
  int64_t dims[2];
  TF_GraphGetTensorShape(body.graph, output(find(body.graph, "n"), 0), dims, 2, test_status);
  assert_ok();
  assert_int_equal(dims[0], 3);
  assert_int_equal(dims[1], -1);
  dvt_function_body_deinit(&body);
}

#define SIGNATURE \
  "signature { name: 'b' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }"

static void test_wrong_bodies(void **state) {
  (void)state;
  must_fail(SIGNATURE, TF_INVALID_ARGUMENT, "no return value for its output 'y'");
  must_fail(SIGNATURE "ret { key: 'y' value: 'nobody:y:0' }", TF_INVALID_ARGUMENT, "'nobody:y:0'");
  must_fail(SIGNATURE "ret { key: 'y' value: 'x:3' }", TF_INVALID_ARGUMENT, "'x:3'");
  must_fail(SIGNATURE "ret { key: 'y' value: 'n:y:0' } node_def { name: 'n' op: 'TestInt' }",
            TF_INVALID_ARGUMENT, "declared float but would be int32");
  must_fail(SIGNATURE "ret { key: 'y' value: 'n:zz:0' } node_def { name: 'n' op: 'TestScalar' }",
            TF_INVALID_ARGUMENT, "zz");
  must_fail(SIGNATURE "ret { key: 'y' value: 'n:y:1' } node_def { name: 'n' op: 'TestScalar' }",
            TF_INVALID_ARGUMENT, "n:y:1");
  must_fail(SIGNATURE "ret { key: 'y' value: 'n:y:0' } node_def { name: 'n' op: 'TestUnary' input: 'm:y:0' }",
            TF_INVALID_ARGUMENT, "Unknown input node 'm'");
  must_fail(SIGNATURE "ret { key: 'y' value: 'n:y:0' } node_def { name: 'n' op: 'TestUnary' input: 'n:y:0' }",
            TF_INVALID_ARGUMENT, "cycle");
  must_fail(SIGNATURE "ret { key: 'y' value: 'n:y:0' } node_def { name: 'n' op: 'NoSuchOp' }", TF_NOT_FOUND,
            "NoSuchOp");
  must_fail(SIGNATURE "ret { key: 'y' value: 'x' } node_def { name: 'x' op: 'TestScalar' }",
            TF_INVALID_ARGUMENT, "x");
  must_fail(SIGNATURE "ret { key: 'y' value: 'x' } control_ret { key: 'c' value: 'gone' }",
            TF_INVALID_ARGUMENT, "'gone'");
  TF_Function *function = NULL;
  dvt_status status = dvt_function_from_proto(DVT_STR(""), &function);
  assert_int_equal(dvt_status_code(status), TF_INVALID_ARGUMENT);
  dvt_status_free(status);
  assert_null(function);
}

static void test_library(void **state) {
  (void)state;
  dvt_function_library *library;
  assert_status_ok(dvt_function_library_create(&library));
  TF_Function *f = function_from_text(add_twice), *g = function_from_text(generic);
  assert_status_ok(dvt_function_library_add(library, f));
  assert_status_ok(dvt_function_library_add(library, g));
  assert_status_ok(dvt_function_library_add(library, f));
  // The same function with the entries of its maps in another order is the same.
  TF_Function *same = function_from_text(
      "signature { name: 'g' input_arg { name: 'x' type_attr: 'T' } output_arg { name: 'z' type_attr: 'T' }"
      "  attr { name: 'T' type: 'type' } attr { name: 'n' type: 'int' default_value { i: 2 } } }"
      "ret { key: 'z' value: 'a:y:0' }"
      "node_def { name: 'a' op: 'TestSame' input: 'x' attr { key: 'T' value { placeholder: 'T' } } }"
      "node_def { name: 'f' op: 'TestCall'"
      "  attr { key: 'fs' value { list { func { name: 'p' attr { key: 'U' value { placeholder: 'n' } } } } } "
      "}"
      "  attr { key: 'f' value { func { name: 'inner'"
      "  attr { key: 'U' value { placeholder: 'T' } } attr { key: 'k' value { i: 1 } } } } } }");
  assert_status_ok(dvt_function_library_add(library, same));
  assert_int_equal(dvt_function_library_count(library), 2);
  TF_Function *other = function_from_text("signature { name: 'g' }");
  dvt_status status = dvt_function_library_add(library, other);
  assert_non_null(
      strstr(dvt_status_message(status), "a different function with the same name already exists"));
  dvt_status_free(status);
  TF_Function *op = function_from_text("signature { name: 'TestUnary' }");
  status = dvt_function_library_add(library, op);
  assert_non_null(strstr(dvt_status_message(status), "an op with the same name already exists"));
  dvt_status_free(status);
  assert_status_ok(dvt_function_library_add_gradient(library, DVT_STR("g"), DVT_STR("dg")));
  assert_status_ok(dvt_function_library_add_gradient(library, DVT_STR("g"), DVT_STR("dg")));
  status = dvt_function_library_add_gradient(library, DVT_STR("g"), DVT_STR("dg2"));
  assert_non_null(strstr(dvt_status_message(status), "already has gradient function 'dg'"));
  dvt_status_free(status);
  assert_ptr_equal(dvt_function_library_find(library, DVT_STR("g")), g);
  assert_status_ok(dvt_function_library_remove(library, DVT_STR("g")));
  assert_null(dvt_function_library_find(library, DVT_STR("g")));
  status = dvt_function_library_remove(library, DVT_STR("g"));
  assert_non_null(status);
  dvt_status_free(status);
  assert_ptr_equal(dvt_function_library_at(library, 0), f);
  assert_null(dvt_function_library_at(library, 1));
  TF_Function *all[] = {f, g, same, other, op};
  for (size_t i = 0; i < DVT_COUNT_OF(all); i++) dvt_function_release(all[i]);
  dvt_function_library_release(library);
}

// A function of the library is an op of the graph; its calls have unknown shapes.
static void test_function_as_op(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  must_import(graph,
              "node { name: 's' op: 'TestScalar' } node { name: 'call' op: 'twice' input: 's' }"
              "library { function { signature { name: 'twice' input_arg { name: 'x' type: DT_FLOAT }"
              "  output_arg { name: 'y' type: DT_FLOAT } } ret { key: 'y' value: 'x' } } }",
              NULL);
  TF_Operation *call = find(graph, "call");
  assert_string_equal(TF_OperationOpType(call), "twice");
  assert_int_equal(TF_GraphGetTensorNumDims(graph, output(call, 0), test_status), -1);
  must_add(graph, "twice", "again", call, NULL);
  must_not_import(
      graph, "node { name: 'x' op: 'NoSuchOp' } library { function { signature { name: 'more' } } }", NULL);
  assert_int_equal(TF_GraphNumFunctions(graph), 1);
  TF_DeleteGraph(graph);
}

static void test_cut_short_and_failed_allocations(void **state) {
  (void)state;
  TF_Buffer *whole = parse_text(&dvt_schema_function_def, generic);
  dvt_attr attrs[] = {{DVT_STR("T"), {"\x30\x03", 2}}};
  for (size_t length = 0; length <= whole->length; length++) {
    TF_Function *function = NULL;
    dvt_function_body body;
    dvt_status status = dvt_function_from_proto(dvt_str_make(whole->data, length), &function);
    if (!status && !(status = dvt_function_instantiate(function, attrs, 1, NULL, &body)))
      dvt_function_body_deinit(&body);
    dvt_status_free(status);
    dvt_function_release(function);
  }
  for (int64_t n = 1, failed = 1; failed; n++) {
    TF_Function *function = NULL;
    dvt_function_body body;
    dvt_alloc_fail_at(n);
    dvt_status status = dvt_function_from_proto(dvt_str_make(whole->data, whole->length), &function);
    if (!status) status = dvt_function_instantiate(function, attrs, 1, NULL, &body);
    dvt_alloc_fail_at(0);
    failed = status != NULL;
    if (!failed) dvt_function_body_deinit(&body);
    dvt_status_free(status);
    dvt_function_release(function);
  }
  TF_DeleteBuffer(whole);
}

static void put_pair(dvt_buf *out, uint32_t field, uint32_t second, const char *first_text,
                     const char *second_text, uint64_t second_number) {
  size_t begin = dvt_wire_begin(out, field);
  dvt_wire_put_bytes(out, 1, dvt_str_from(first_text));
  if (second_text)
    dvt_wire_put_bytes(out, second, dvt_str_from(second_text));
  else
    dvt_wire_put_varint(out, second, second_number);
  dvt_wire_end(out, begin);
}

// The most outputs there can be; each is found among all without a search from the start.
static void test_many_outputs(void **state) {
  (void)state;
  enum { COUNT = 32767 };
  dvt_buf proto = {0};
  char name[16];
  size_t signature = dvt_wire_begin(&proto, 1);
  dvt_wire_put_bytes(&proto, 1, DVT_STR("many"));
  put_pair(&proto, 2, 3, "x", NULL, TF_FLOAT);
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "o%d", i);
    put_pair(&proto, 3, 3, name, NULL, TF_FLOAT);
  }
  dvt_wire_end(&proto, signature);
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "o%d", i);
    put_pair(&proto, 4, 2, name, "x", 0);
  }
  TF_Function *function = NULL;
  dvt_function_body body;
  assert_status_ok(dvt_function_from_proto(dvt_buf_str(&proto), &function));
  assert_status_ok(dvt_function_instantiate(function, NULL, 0, NULL, &body));
  assert_int_equal(body.ret_count, COUNT);
  dvt_function_body_deinit(&body);
  dvt_function_release(function);
  dvt_buf_deinit(&proto);
}

static int setup(void **state) {
  test_setup(state);
  test_op("TestCall", TF_ShapeInferenceContextSetUnknownShape, SPECS("a:f: func", "a:fs: list(func)"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_body),           cmocka_unit_test(test_placeholders_are_substituted),
      cmocka_unit_test(test_lists),          cmocka_unit_test(test_arg_shapes),
      cmocka_unit_test(test_wrong_bodies),   cmocka_unit_test(test_library),
      cmocka_unit_test(test_function_as_op), cmocka_unit_test(test_cut_short_and_failed_allocations),
      cmocka_unit_test(test_many_outputs),
  };
  return cmocka_run_group_tests(tests, setup, test_teardown);
}
