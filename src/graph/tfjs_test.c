// TensorFlow.js models from text and bytes that are written out here after the format's description: every
// dtype and quantisation, weights across files and groups, functions, signatures, and each way in which a
// model can be damaged.
#include "graph/tfjs.h"

#include "base/testing.h"
#include "base/wire.h"
#include "tensor/half.h"
#include "tensor/tensor_proto.h"

typedef struct file {
  const char *name;
  const void *bytes;
  size_t len;
} file;

typedef struct folder {
  file files[4];
} folder;

static dvt_status read_from(void *arg, dvt_str path, dvt_buf *out) {
  const folder *f = arg;
  for (size_t i = 0; i < DVT_COUNT_OF(f->files); ++i) {
    if (!f->files[i].name || !dvt_str_is(path, f->files[i].name)) continue;
    dvt_buf_append(out, f->files[i].bytes, f->files[i].len);
    return NULL;
  }
  return dvt_error(TF_NOT_FOUND, DVT_STR_FMT ": no such file", DVT_STR_ARG(path));
}

static dvt_tfjs_model *parse(const char *json, const folder *files) {
  dvt_tfjs_model *model = NULL;
  dvt_test_expect_ok(dvt_tfjs_parse("m.json", dvt_str_from(json), read_from, (void *)files, &model));
  assert_non_null(model);
  return model;
}

static void expect_refused(const char *json, const folder *files, TF_Code code, const char *part) {
  dvt_tfjs_model *model = NULL;
  dvt_status status = dvt_tfjs_parse("m.json", dvt_str_from(json), read_from, (void *)files, &model);
  if (!status) fail_msg("accepted, though '%s' was expected: %s", part, json);
  assert_null(model);
  dvt_test_expect_error(status, code, part);
}

static dvt_str part_of(dvt_str message, uint32_t number) {
  dvt_field field;
  return dvt_wire_find(message, number, DVT_WIRE_BYTES, &field) ? field.bytes : (dvt_str){0};
}

// The value of the Const `name` of a GraphDef's own nodes, or of its first function's.
static dvt_str value_of(dvt_str graph, uint32_t node_field, const char *name) {
  dvt_wire nodes = dvt_wire_open(graph);
  dvt_field node, attr;
  while (dvt_wire_next(&nodes, &node)) {
    if (node.number != node_field || !dvt_str_is(part_of(node.bytes, 1), name)) continue;
    dvt_wire attrs = dvt_wire_open(node.bytes);
    while (dvt_wire_next(&attrs, &attr))
      if (attr.number == 5 && dvt_str_is(part_of(attr.bytes, 1), "value"))
        return part_of(part_of(attr.bytes, 2), 8);
  }
  fail_msg("no value of %s", name);
  return (dvt_str){0};
}

static void expect_weight(const dvt_tfjs_model *model, const char *name, int dtype, const void *values,
                          size_t bytes) {
  TF_Tensor tensor = {0};
  dvt_test_expect_ok(dvt_tensor_from_proto(value_of(dvt_buf_str(&model->graph_def), 1, name), &tensor));
  assert_int_equal(tensor.dtype, dtype);
  size_t have;
  dvt_test_expect_ok(dvt_shape_bytes(dtype, dvt_tensor_dims(&tensor), tensor.rank, &have));
  assert_int_equal(have, bytes);
  assert_memory_equal(tensor.data, values, bytes);
  dvt_tensor_reset(&tensor);
}

#define CONST(name, dtype)                                                                \
  "{\"name\": \"" name "\", \"op\": \"Const\", \"attr\": {\"dtype\": {\"type\": \"" dtype \
  "\"}, \"value\": "                                                                      \
  "{\"tensor\": {\"dtype\": \"" dtype "\"}}}}"
#define MODEL(nodes, manifest)                                          \
  "{\"format\": \"graph-model\", \"modelTopology\": {\"node\": [" nodes \
  "]}, \"weightsManifest\": [" manifest "]}"
#define GROUP(paths, weights) "{\"paths\": [" paths "], \"weights\": [" weights "]}"
#define WEIGHT(name, dtype, shape) "{\"name\": \"" name "\", \"dtype\": \"" dtype "\", \"shape\": " shape "}"
#define QUANTISED(name, dtype, shape, q) \
  "{\"name\": \"" name "\", \"dtype\": \"" dtype "\", \"shape\": " shape ", \"quantization\": {" q "}}"

// ---- values ----

static void test_plain_dtypes(void **state) {
  (void)state;
  static const unsigned char bytes[] = {
      0, 0,    0x80, 0x3f, 0,    0,    0,    0xc0,        // float32 1, -2
      5, 0,    0,    0,    0xff, 0xff, 0xff, 0xff,        // int32 5, -1
      1, 0,    2,                                         // bool: anything but 0 is true
      2, 0,    0,    0,    'a',  0,    0,    0,    0, 0,  // strings "a\0" and ""
      0, 0,    0x80, 0x3f, 0,    0,    0,    0x40,        // complex64 1+2i
      7, 0xff,                                            // uint8
      1, 2,                                               // uint16 513
      0, 0x3c,                                            // float16 1
  };
  folder files = {{{"w.bin", bytes, sizeof bytes}}};
  dvt_tfjs_model *model = parse(
      MODEL(
          CONST("f", "DT_FLOAT") "," CONST("i", "DT_INT32") "," CONST("b", "DT_BOOL") "," CONST(
              "s",
              "DT_STRING") "," CONST("c",
                                     "DT_COMPLEX64") "," CONST("u",
                                                               "DT_UINT8") "," CONST("v",
                                                                                     "DT_UINT16") "," CONST("h",
                                                                                                            "DT_HALF") "," CONST("e",
                                                                                                                                 "DT_FLOAT"),
          GROUP(
              "\"w.bin\"",
              WEIGHT("f", "float32", "[2]") "," WEIGHT("i", "int32", "[2,1]") "," WEIGHT("b", "bool", "[3]") "," WEIGHT(
                  "s", "string",
                  "[2]") "," WEIGHT("c", "complex64",
                                    "[]") "," WEIGHT("u", "uint8",
                                                     "[2]") "," WEIGHT("v", "uint16",
                                                                       "[1]") "," WEIGHT("h", "float16",
                                                                                         "[1]") "," WEIGHT("e",
                                                                                                           "f"
                                                                                                           "l"
                                                                                                           "o"
                                                                                                           "a"
                                                                                                           "t"
                                                                                                           "3"
                                                                                                           "2",
                                                                                                           "["
                                                                                                           "3"
                                                                                                           ","
                                                                                                           "0"
                                                                                                           "]"))),
      &files);
  assert_int_equal(model->weight_count, 9);
  assert_int_equal(model->weight_bytes, sizeof bytes);
  expect_weight(model, "f", TF_FLOAT, (float[]){1, -2}, 8);
  expect_weight(model, "i", TF_INT32, (int32_t[]){5, -1}, 8);
  expect_weight(model, "b", TF_BOOL, (char[]){1, 0, 1}, 3);
  expect_weight(model, "c", TF_COMPLEX64, (float[]){1, 2}, 8);
  expect_weight(model, "u", TF_UINT8, (uint8_t[]){7, 255}, 2);
  expect_weight(model, "v", TF_UINT16, (uint16_t[]){513}, 2);
  expect_weight(model, "h", TF_HALF, (uint16_t[]){0x3c00}, 2);
  expect_weight(model, "e", TF_FLOAT, "", 0);
  dvt_str strings = value_of(dvt_buf_str(&model->graph_def), 1, "s");
  dvt_wire wire = dvt_wire_open(strings);
  dvt_field field;
  int count = 0;
  while (dvt_wire_next(&wire, &field))
    if (field.number == 8)
      assert_true(dvt_str_eq(field.bytes, count++ ? DVT_STR("") : dvt_str_make("a\0", 2)));
  assert_int_equal(count, 2);
  dvt_tfjs_close(model);
}

// float32 values are computed in double and rounded once; int32 values are rounded half up: both as in
// TensorFlow.js.
static void test_quantised(void **state) {
  (void)state;
  static const unsigned char bytes[] = {0, 1, 255, 0, 0, 1, 0, 0xff, 0xff, 0, 1, 3, 0, 0x3c, 1, 0, 0, 0xfc};
  folder files = {{{"w.bin", bytes, sizeof bytes}}};
  dvt_tfjs_model *model = parse(
      MODEL(
          CONST("a", "DT_FLOAT") "," CONST("b", "DT_FLOAT") "," CONST("c", "DT_INT32") "," CONST("d",
                                                                                                 "DT_FLOAT"),
          GROUP(
              "\"w.bin\"",
              QUANTISED("a", "float32", "[3]", "\"dtype\":\"uint8\",\"scale\":0.1,\"min\":-3,\"x\":[{}]") "," QUANTISED(
                  "b", "float32", "[3]",
                  "\"dtype\":\"uint16\",\"scale\":1e-3,\"min\":0.25") "," QUANTISED("c", "int32", "[3]",
                                                                                    "\"dtype\":\"uint8\","
                                                                                    "\"scale\":0.5,\"min\":-"
                                                                                    "2") "," QUANTISED("d",
                                                                                                       "float"
                                                                                                       "32",
                                                                                                       "[3]",
                                                                                                       "\"dty"
                                                                                                       "pe\":"
                                                                                                       "\"flo"
                                                                                                       "at16"
                                                                                                       "\","
                                                                                                       "\"ori"
                                                                                                       "ginal"
                                                                                                       "_dtyp"
                                                                                                       "e\":"
                                                                                                       "\"flo"
                                                                                                       "at32"
                                                                                                       "\""))),
      &files);
  expect_weight(model, "a", TF_FLOAT, (float[]){-3, (float)(0.1 - 3), (float)(255 * 0.1 - 3)}, 12);
  expect_weight(model, "b", TF_FLOAT, (float[]){0.25f, (float)(1e-3 + 0.25), (float)(65535 * 1e-3 + 0.25)},
                12);
  expect_weight(model, "c", TF_INT32, (int32_t[]){-2, -1, 0}, 12);  // -2, -1.5, -0.5
  expect_weight(model, "d", TF_FLOAT, (float[]){1, 0x1p-24f, -__builtin_inff()}, 12);
  dvt_tfjs_close(model);
}

// The converter stores int64 as int32 and float64 as float32; the node still says what it is.
static void test_nodes_keep_their_dtype(void **state) {
  (void)state;
  static const unsigned char bytes[] = {0xff, 0xff, 0xff, 0xff, 1, 0, 0,    0x80,
                                        0,    0,    0xc0, 0x3f, 0, 0, 0x40, 0x40};
  folder files = {{{"w.bin", bytes, sizeof bytes}}};
  dvt_tfjs_model *model =
      parse(MODEL(CONST("i", "DT_INT64") "," CONST("d", "DT_DOUBLE") "," CONST("h", "DT_BFLOAT16"),
                  GROUP("\"w.bin\"", WEIGHT("i", "int32", "[2]") "," WEIGHT("d", "float32", "[1]") "," WEIGHT(
                                         "h", "float32", "[1]"))),
            &files);
  expect_weight(model, "i", TF_INT64, (int64_t[]){-1, INT32_MIN + 1}, 16);
  expect_weight(model, "d", TF_DOUBLE, (double[]){1.5}, 8);
  expect_weight(model, "h", TF_BFLOAT16, (uint16_t[]){0x4040}, 2);
  dvt_tfjs_close(model);
  expect_refused(MODEL(CONST("i", "DT_UINT8"), GROUP("\"w.bin\"", WEIGHT("i", "int32", "[4]"))), &files,
                 TF_INVALID_ARGUMENT, "its value -1 at position 0 does not fit into uint8");
  expect_refused(MODEL(CONST("i", "DT_FLOAT"), GROUP("\"w.bin\"", WEIGHT("i", "int32", "[4]"))), &files,
                 TF_INVALID_ARGUMENT, "weight 'i' is int32, but its node wants float");
}

static void test_files_and_groups(void **state) {
  (void)state;
  folder files = {{{"a", "\1\0\0", 3}, {"sub/b", "\0\2\0\0\0\3", 6}, {"c", "", 0}, {"d", "\1", 1}}};
  dvt_tfjs_model *model =
      parse(MODEL(CONST("x", "DT_INT32") "," CONST("y", "DT_INT32") "," CONST("z", "DT_BOOL") "," CONST(
                      "q", "DT_BOOL"),
                  GROUP("\"a\", \"sub/b\", \"c\"",
                        WEIGHT("y", "int32", "[]") "," WEIGHT("x", "int32", "[1]") "," WEIGHT(
                            "q", "bool", "[1]")) ", {\"weights\": [" WEIGHT("z", "bool",
                                                                            "[1]") "], \"paths\": [\"d\"]}"),
            &files);
  expect_weight(model, "y", TF_INT32, (int32_t[]){1}, 4);
  expect_weight(model, "x", TF_INT32, (int32_t[]){2}, 4);
  expect_weight(model, "q", TF_BOOL, "\1", 1);
  expect_weight(model, "z", TF_BOOL, "\1", 1);
  dvt_tfjs_close(model);
}

// ---- graphs ----

static void test_functions_and_own_values(void **state) {
  (void)state;
  folder files = {{{"w", "\7\0\0\0", 4}}};
  dvt_tfjs_model *model = parse(
      "{\"weightsManifest\": [" GROUP("\"w\"", WEIGHT("f/c", "int32", "[]")) "], \"modelTopology\": {\"node\": ["
      "{\"name\": \"own\", \"op\": \"Const\", \"attr\": {\"value\": {\"tensor\": {\"dtype\": 3, \"tensorShape\": "
      "{\"dim\": [{\"size\": \"1\"}]}, \"intVal\": [9]}}, \"dtype\": {\"type\": 3}}}, "
      "{\"name\": \"empty\", \"op\": \"Const\", \"attr\": {\"value\": {\"tensor\": {\"dtype\": \"DT_FLOAT\", "
      "\"tensorShape\": {\"dim\": [{\"size\": \"0\"}]}}}}}], "
      "\"library\": {\"function\": [{\"signature\": {\"name\": \"f\"}, \"nodeDef\": [" CONST("f/c", "DT_INT32")
      "]}]}, \"versions\": {\"producer\": 561}}}",
      &files);
  expect_weight(model, "own", TF_INT32, (int32_t[]){9}, 4);
  dvt_str graph = dvt_buf_str(&model->graph_def), function = part_of(part_of(graph, 2), 1);
  TF_Tensor tensor = {0};
  dvt_test_expect_ok(dvt_tensor_from_proto(value_of(function, 3, "f/c"), &tensor));
  assert_int_equal(*(const int32_t *)tensor.data, 7);
  dvt_tensor_reset(&tensor);
  assert_int_equal(model->about->signature_count, 0);
  dvt_tfjs_close(model);
}

#define SIGNATURE                                                                                           \
  "{\"inputs\": {\"image\": {\"name\": \"x:0\", \"dtype\": \"DT_FLOAT\", \"resourceId\": 3, "               \
  "\"tensorShape\": "                                                                                       \
  "{\"dim\": [{\"size\": \"-1\"}, {\"size\": \"4\"}]}}}, \"outputs\": {\"b\": {\"name\": \"y:0\"}, \"a\": " \
  "{\"name\": \"y:1\"}}}"

static void test_signatures(void **state) {
  (void)state;
  static const char *const models[] = {
      "{\"signature\": " SIGNATURE ", \"generatedBy\": \"2.4.1\", \"modelTopology\": {}}",
      "{\"modelTopology\": {}, \"generatedBy\": \"2.4.1\", \"userDefinedMetadata\": {\"x\": [1, null], "
      "\"signature\": " SIGNATURE "}}",
  };
  for (size_t i = 0; i < DVT_COUNT_OF(models); ++i) {
    dvt_tfjs_model *model = parse(models[i], &(folder){0});
    assert_int_equal(model->about->signature_count, 1);
    assert_true(dvt_str_is(model->about->writer_version, "2.4.1"));
    const dvt_signature *s = &model->about->signatures[0];
    assert_true(dvt_str_is(s->key, "serving_default"));
    assert_int_equal(s->input_count, 1);
    assert_true(dvt_str_is(s->inputs[0].tensor_name, "x:0"));
    assert_int_equal(s->inputs[0].dtype, TF_FLOAT);
    assert_int_equal(s->inputs[0].rank, 2);
    assert_int_equal(s->inputs[0].dims[0], -1);
    assert_int_equal(s->output_count, 2);
    assert_true(dvt_str_is(s->outputs[0].name, "a"));
    assert_int_equal(s->outputs[0].rank, -1);
    dvt_tfjs_close(model);
  }
  dvt_tfjs_model *model =
      parse("{\"modelTopology\": {}, \"signature\": null, \"userDefinedMetadata\": null}", &(folder){0});
  assert_int_equal(model->about->signature_count, 0);
  dvt_tfjs_close(model);
  expect_refused("{\"modelTopology\": {}, \"signature\": {\"inputs\": []}}", &(folder){0},
                 TF_INVALID_ARGUMENT, "(in the signature)");
}

// Its weights lie in the manifest too. Tables are found by the names of their nodes; functions are left out.
static void test_initializer_is_read(void **state) {
  (void)state;
  folder files = {{{"w", "\1", 1}}};
  dvt_tfjs_model *model = parse(
      "{\"modelTopology\": {}, \"modelInitializer\": {\"node\": ["
      "{\"name\": \"keys\", \"op\": \"Const\", \"attr\": {\"dtype\": {\"type\": \"DT_BOOL\"}}}, "
      "{\"name\": \"table\", \"op\": \"HashTableV2\", \"attr\": {\"shared_name\": {\"s\": \"\"}}}], "
      "\"library\": {\"function\": [{\"signature\": {\"name\": \"unused\"}}]}}, \"weightsManifest\": "
      "[" GROUP("\"w\"", WEIGHT("keys", "bool", "[1]")) "]}",
      &files);
  dvt_str graph = dvt_buf_str(&model->initializer);
  assert_non_null(memmem(graph.data, graph.len, "shared_name\x12\x07\x12\x05table", 20));
  assert_null(memmem(graph.data, graph.len, "unused", 6));
  assert_null(memmem(model->graph_def.data ? model->graph_def.data : "", model->graph_def.len, "table", 5));
  dvt_tfjs_close(model);
}

// ---- damage ----

static void test_other_files_are_told_apart(void **state) {
  (void)state;
  folder none = {0};
  expect_refused("", &none, TF_INVALID_ARGUMENT, "m.json:1:1: expected an object for a TensorFlow.js model");
  expect_refused("{\"a\": 1}", &none, TF_INVALID_ARGUMENT, "m.json: it has no \"modelTopology\"");
  expect_refused("{\"modelTopology\": {\"a\": \"b\"}, \"format\": \"layers-model\"}", &none,
                 TF_INVALID_ARGUMENT, "it is a layers model");
  expect_refused("{\"modelTopology\": {\"keras_version\": \"2\", \"model_config\": {}}}", &none,
                 TF_INVALID_ARGUMENT, "it is a layers model");
  expect_refused("{\"format\": \"tfjs-else\", \"modelTopology\": {}}", &none, TF_INVALID_ARGUMENT,
                 "its format is \"tfjs-else\"; \"graph-model\" is wanted");
  expect_refused("{\"modelTopology\": [], \"format\": \"graph-model\"}", &none, TF_INVALID_ARGUMENT,
                 "m.json:1:19: expected an object for GraphDef");
  expect_refused("{\"modelTopology\": {}, \"modelTopology\": {}}", &none, TF_INVALID_ARGUMENT,
                 "is there twice");
  expect_refused("{\"modelTopology\": {\"node\": [{\"nam\": \"x\"}]}}", &none, TF_INVALID_ARGUMENT,
                 "NodeDef has no field \"nam\"");
  expect_refused("{\"modelTopology\": {}} x", &none, TF_INVALID_ARGUMENT, "text goes on");
}

static void test_a_file_is_read_once(void **state) {
  (void)state;
  folder files = {{{"w", "\1\2\3\4", 4}}};
  expect_refused(MODEL(CONST("x", "DT_FLOAT"), GROUP("\"w\", \"w\"", WEIGHT("x", "float32", "[2]"))), &files,
                 TF_INVALID_ARGUMENT, "names the file \"w\" twice");
  static const char *const spellings[] = {
      MODEL(CONST("x", "DT_FLOAT"), GROUP("\"./w\"", WEIGHT("x", "float32", "[1]"))),
      MODEL(CONST("x", "DT_FLOAT"), GROUP("\"a//w\"", WEIGHT("x", "float32", "[1]"))),
      MODEL(CONST("x", "DT_FLOAT"), GROUP("\"w/.\"", WEIGHT("x", "float32", "[1]")))};
  for (size_t i = 0; i < DVT_COUNT_OF(spellings); i++)
    expect_refused(spellings[i], &files, TF_INVALID_ARGUMENT, "does not lie beside model.json");
}

static void test_damaged_manifests(void **state) {
  (void)state;
  folder files = {{{"w", "\1\2\3\4\5\6\7\10", 8}}};
#define ONE_WEIGHT(weight) MODEL(CONST("x", "DT_FLOAT"), GROUP("\"w\"", weight))
  static const struct {
    const char *json, *part;
  } rows[] = {
      {ONE_WEIGHT(WEIGHT("x", "float32", "[3]")),
       "weight 'x', 3 values of float, does not fit into the 8 bytes"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[1]")), "4 of the 8 bytes of w belong to no weight"},
      {ONE_WEIGHT(WEIGHT("x", "float64", "[1]")), "unknown dtype \"float64\"; float32, int32"},
      {ONE_WEIGHT(WEIGHT("x", "string", "[1]")), "does not fit into the 8 bytes"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[1000000,1000000,10000000]")),
       "more elements than 63 bits can count"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[1000000,1000000,1000000]")), "does not fit into the 8 bytes"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[-1]")), "each a whole number from 0 on"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[1.5]")), "each a whole number from 0 on"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[NaN]")), "JSON has no NaN"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[1e999]")), "expected a finite number"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "2")), "expected an array for the shape of a weight"},
      {ONE_WEIGHT("{\"name\": \"x\", \"dtype\": \"float32\"}"), "a weight of the manifest has no \"shape\""},
      {ONE_WEIGHT("{\"name\": \"x\", \"shape\": []}"), "has no \"dtype\""},
      {ONE_WEIGHT("{\"dtype\": \"float32\", \"shape\": []}"), "has no \"name\""},
      {ONE_WEIGHT("7"), "expected an object for a weight"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[1]") "," WEIGHT("x", "float32", "[1]")), "two weights named 'x'"},
      {ONE_WEIGHT(WEIGHT("y", "float32", "[2]")), "the node 'x' is a constant without a value"},
      {ONE_WEIGHT(WEIGHT("x", "float32", "[1]") "," WEIGHT("y", "float32", "[1]")),
       "1 of the 2 weights, first 'y', belong to no node"},
      {ONE_WEIGHT(QUANTISED("x", "float32", "[8]", "\"dtype\": \"int4\"")), "the unknown dtype \"int4\""},
      {ONE_WEIGHT(QUANTISED("x", "float32", "[8]", "\"scale\": 1, \"min\": 0")),
       "its quantization has no \"dtype\""},
      {ONE_WEIGHT(QUANTISED("x", "float32", "[8]", "\"dtype\": \"uint8\", \"scale\": 1")), "has no \"min\""},
      {ONE_WEIGHT(QUANTISED("x", "float32", "[8]", "\"dtype\": \"uint8\", \"min\": 1")), "has no \"scale\""},
      {ONE_WEIGHT(QUANTISED("x", "float32", "[8]", "\"dtype\": \"uint8\", \"min\": 1, \"scale\": NaN")),
       "JSON has no NaN"},
      {ONE_WEIGHT(QUANTISED("x", "float32", "[8]", "\"dtype\": \"uint8\", \"min\": 1, \"scale\": -1")),
       "negative scale"},
      {ONE_WEIGHT(QUANTISED("x", "float32", "[8]", "\"dtype\": \"uint8\", \"min\": null, \"scale\": 1")),
       "expected a finite number for the min"},
      {ONE_WEIGHT(QUANTISED("x", "bool", "[8]", "\"dtype\": \"uint8\", \"min\": 1, \"scale\": 1")),
       "only float32 and int32 can be quantised, it is bool"},
      {ONE_WEIGHT(QUANTISED("x", "int32", "[4]", "\"dtype\": \"float16\"")),
       "only float32 can be stored as float16"},
      {MODEL(CONST("x", "DT_INT32"),
             GROUP("\"w\"",
                   QUANTISED("x", "int32", "[8]", "\"dtype\": \"uint8\", \"min\": 0, \"scale\": 1e9"))),
       "does not fit into int32"},
      {MODEL("", GROUP("\"v\"", "")), "v: no such file"},
      {MODEL("", GROUP("\"v\"", "")), "the manifest of m.json names it"},
      {MODEL("", GROUP("\"/w\"", "")), "does not lie beside model.json"},
      {MODEL("", GROUP("\"../w\"", "")), "does not lie beside"},
      {MODEL("", GROUP("\"a/../../w\"", "")), "does not lie beside"},
      {MODEL("", GROUP("\"..\"", "")), "does not lie beside"},
      {MODEL("", GROUP("\"http://host/w\"", "")), "does not lie beside"},
      {MODEL("", GROUP("\"w\\u0000x\"", "")), "does not lie beside"},
      {MODEL("", "{\"paths\": [], \"paths\": []}"), "two lists of one kind"},
      {MODEL("{\"name\": \"x\", \"op\": \"NoOp\"}", GROUP("\"w\"", WEIGHT("x", "int32", "[2]"))),
       "weight 'x' belongs to a node of the op 'NoOp'"},
      {"{\"modelTopology\": {\"node\": [{\"name\": \"x\", \"op\": \"Const\", \"attr\": {\"dtype\": "
       "{\"type\": 1}, "
       "\"value\": {\"tensor\": {\"dtype\": 1, \"tensorShape\": {\"dim\": [{\"size\": 4}]}}}}}]}, "
       "\"weightsManifest\": [" GROUP("\"w\"", WEIGHT("x", "float32", "[2]")) "]}",
       "weight 'x' has the shape [2] in the manifest and [4] in the graph"},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(rows); ++i) {
    bool missing = strstr(rows[i].json, "\"v\"") != NULL;
    expect_refused(rows[i].json, &files, missing ? TF_NOT_FOUND : TF_INVALID_ARGUMENT, rows[i].part);
  }
}

// Whatever its end, a model that was cut short is an error and leaks nothing.
static void test_truncated_text(void **state) {
  (void)state;
  folder files = {{{"w", "\1\2\3\4", 4}}};
  const char *json =
      "{\"signature\": " SIGNATURE
      ", \"modelTopology\": {\"node\": [" CONST("x", "DT_FLOAT") "]}, \"weightsManifest\": [" GROUP(
          "\"w\"", QUANTISED("x", "float32", "[4]", "\"dtype\": \"uint8\", \"min\": 0, \"scale\": 1")) "]}";
  dvt_tfjs_close(parse(json, &files));
  for (size_t len = 0; len < strlen(json); ++len) {
    dvt_tfjs_model *model = NULL;
    dvt_status status = dvt_tfjs_parse("m.json", dvt_str_make(json, len), read_from, &files, &model);
    assert_int_equal(dvt_status_code(status), TF_INVALID_ARGUMENT);
    dvt_status_free(status);
  }
}

static void test_depth_is_limited(void **state) {
  (void)state;
  dvt_buf json = {0};
  dvt_tfjs_model *model = NULL;
  dvt_buf_append_str(&json, DVT_STR("{\"userDefinedMetadata\": "));
  for (int i = 0; i < 100000; ++i) dvt_buf_append_byte(&json, '[');
  dvt_test_expect_error(dvt_tfjs_parse("m.json", dvt_buf_str(&json), read_from, &(folder){0}, &model),
                        TF_INVALID_ARGUMENT, "nest more than 100 deep");
  dvt_buf_deinit(&json);
}

static bool parse_attempt(void *arg) {
  folder files = {{{"w", "\1\2\3\4\0\0\0\0", 8}}};
  dvt_tfjs_model *model = NULL;
  dvt_status status = dvt_tfjs_parse("m.json", dvt_str_from(arg), read_from, &files, &model);
  if (status) assert_int_equal(dvt_status_code(status), TF_RESOURCE_EXHAUSTED);
  bool ok = !status;
  dvt_status_free(status);
  dvt_tfjs_close(model);
  return ok;
}

static void test_survives_allocation_failures(void **state) {
  (void)state;
  static char json[] =
      "{\"signature\": " SIGNATURE ", \"modelTopology\": {\"node\": [" CONST("x", "DT_FLOAT") "," CONST(
          "s",
          "DT_STRING") "]}, \"weightsManifest\": [" GROUP("\"w\"",
                                                          QUANTISED("x", "float32", "[4]",
                                                                    "\"dtype\": \"uint8\", \"min\": 0, "
                                                                    "\"scale\": 1") "," WEIGHT("s", "string",
                                                                                               "[1]")) "]}";
  dvt_test_fail_each_allocation(parse_attempt, json, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_dtypes),
      cmocka_unit_test(test_quantised),
      cmocka_unit_test(test_nodes_keep_their_dtype),
      cmocka_unit_test(test_files_and_groups),
      cmocka_unit_test(test_functions_and_own_values),
      cmocka_unit_test(test_signatures),
      cmocka_unit_test(test_initializer_is_read),
      cmocka_unit_test(test_other_files_are_told_apart),
      cmocka_unit_test(test_damaged_manifests),
      cmocka_unit_test(test_a_file_is_read_once),
      cmocka_unit_test(test_truncated_text),
      cmocka_unit_test(test_depth_is_limited),
      cmocka_unit_test(test_survives_allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
