// GraphDef import, export and the instantiation of every function that comes with the graph. The first byte
// chooses the import options. An import that works must export, and what it exports must import again. The
// shape function of the op Ask looks at the values of its input, which makes the import evaluate what leads
// there.
#include "dovetail/shape.h"
#include "graph/function.h"
#include "graph/import.h"
#include "tensorflow/c/ops.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void shape_of_value(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_DeleteTensor(TF_ShapeInferenceContext_InputTensor(ctx, 0, status));
  TF_ShapeInferenceContext_InputAsPartialShape(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

// Name, shape function (NULL: unknown shapes), specs.
static const struct {
  const char *name;
  void (*shape_fn)(TF_ShapeInferenceContext *ctx, TF_Status *status);
  const char *attrs[7], *inputs[4], *outputs[2];
} ops[] = {
    {"A", NULL, {0}, {0}, {"y: float"}},
    {"B", same_shape, {"T: type"}, {"x: T"}, {"y: T"}},
    {"C", NULL, {"N: int >= 1", "T: {float, int32} = DT_FLOAT"}, {"xs: N * T"}, {"y: T", "ys: N * T"}},
    {"D", NULL, {"Ts: list(type)"}, {"xs: Ts"}, {"ys: Ts"}},
    {"E", NULL, {"f: func", "s: string = 'x'"}, {0}, {0}},
    {"V", NULL, {0}, {0}, {"ref: Ref(float)"}},
    {"Const", NULL, {"value: tensor", "dtype: type"}, {0}, {"output: dtype"}},
    {"Shape", NULL, {"T: type", "out_type: type = DT_INT32"}, {"input: T"}, {"output: out_type"}},
    {"Merge", NULL, {"N: int >= 1", "T: type"}, {"inputs: N * T"}, {"output: T", "value_index: int32"}},
    {"Ask", shape_of_value, {"T: {int32, int64} = DT_INT32"}, {"values: T"}, {"y: float"}},
    {"Identity", same_shape, {"T: type"}, {"input: T"}, {"output: T"}},
    {"Cast", same_shape, {"SrcT: type", "DstT: type"}, {"x: SrcT"}, {"y: DstT"}},
    {"Pack", NULL, {"N: int >= 1", "T: type", "axis: int = 0"}, {"values: N * T"}, {"output: T"}},
    {"ConcatV2", NULL, {"N: int >= 1", "T: type"}, {"values: N * T", "axis: int32"}, {"output: T"}},
    {"StridedSlice",
     NULL,
     {"T: type", "Index: {int32, int64}", "begin_mask: int = 0", "end_mask: int = 0",
      "ellipsis_mask: int = 0", "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
     {"input: T", "begin: Index", "end: Index", "strides: Index"},
     {"output: T"}},
    {"NextIteration", same_shape, {"T: type"}, {"data: T"}, {"output: T"}},
};

static void register_ops(void) {
  TF_Status *status = TF_NewStatus();
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++) {
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(ops[i].name);
    for (int k = 0; k < 7 && ops[i].attrs[k]; k++) TF_OpDefinitionBuilderAddAttr(builder, ops[i].attrs[k]);
    for (int k = 0; k < 4 && ops[i].inputs[k]; k++) TF_OpDefinitionBuilderAddInput(builder, ops[i].inputs[k]);
    for (int k = 0; k < 2 && ops[i].outputs[k]; k++)
      TF_OpDefinitionBuilderAddOutput(builder, ops[i].outputs[k]);
    TF_OpDefinitionBuilderSetShapeInferenceFunction(
        builder, ops[i].shape_fn ? ops[i].shape_fn : TF_ShapeInferenceContextSetUnknownShape);
    TF_RegisterOpDefinition(builder, status);
  }
  TF_DeleteStatus(status);
}

static void instantiate_all(TF_Graph *graph) {
  static const dvt_attr attrs[] = {{{"T", 1}, {"\x30\x01", 2}}, {{"N", 1}, {"\x18\x02", 2}}};
  for (size_t i = 0; i < dvt_function_library_count(graph->functions) && i < 16; i++) {
    dvt_function_body body;
    dvt_status status = dvt_function_instantiate(dvt_function_library_at(graph->functions, i), attrs, 2,
                                                 graph->functions, &body);
    if (!status) dvt_function_body_deinit(&body);
    dvt_status_free(status);
  }
}

// Fails the process when what was imported and exported cannot be imported. Groups of unknown nodes may be in
// it, since the options can allow them.
static void import_again(TF_Graph *graph) {
  dvt_buf def = {0};
  TF_ImportGraphDefOptions options = {.validate_colocation = false};
  TF_Graph *copy = NULL;
  dvt_status status = dvt_graph_to_proto(graph, &def);
  if (!status) status = dvt_graph_create(&copy);
  if (!status) {
    copy->require_shape_fns = false;
    status = dvt_graph_import(copy, dvt_buf_str(&def), &options, NULL);
    if (status && dvt_status_code(status) != TF_RESOURCE_EXHAUSTED) __builtin_trap();
  }
  dvt_status_free(status);
  dvt_graph_release(copy);
  dvt_buf_deinit(&def);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
  static bool registered;
  TF_ImportGraphDefOptions options;
  TF_ImportGraphDefResults results = {0};
  TF_Graph *graph;
  if (!registered) register_ops();
  registered = true;
  if (len == 0) return 0;
  dvt_status status = dvt_graph_create(&graph);
  if (status) {
    dvt_status_free(status);
    return 0;
  }
  dvt_import_options_init(&options);
  if (bytes[0] & 1) dvt_import_options_set_prefix(&options, DVT_STR("p"));
  options.uniquify_names = bytes[0] & 2;
  options.uniquify_prefix = bytes[0] & 4;
  options.validate_colocation = bytes[0] & 8;
  graph->require_shape_fns = bytes[0] & 16;
  if (bytes[0] & 32) dvt_import_options_add_return_output(&options, DVT_STR("a"), 0);
  dvt_str def = dvt_str_make((const char *)bytes + 1, len - 1);
  for (int twice = 0; twice < 2; twice++) {
    status = dvt_graph_import(graph, def, &options, &results);
    if (!status) instantiate_all(graph);
    dvt_status_free(status);
    dvt_arena_deinit(&results.arena);
    results = (TF_ImportGraphDefResults){0};
  }
  import_again(graph);
  dvt_import_options_deinit(&options);
  dvt_graph_release(graph);
  return 0;
}
