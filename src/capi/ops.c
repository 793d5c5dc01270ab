// ops.h, registration: builders of op definitions; and the functions of c_api.h and c_api_experimental.h that
// ask the op registry.
#include "tensorflow/c/ops.h"

#include "base/handles.h"
#include "capi/buffer.h"
#include "op/op_def_builder.h"
#include "plugin/plugin.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"

TF_OpDefinitionBuilder *TF_NewOpDefinitionBuilder(const char *op_name) {
  TF_OpDefinitionBuilder *builder = dvt_op_builder_new(dvt_str_from(op_name));
  dvt_handle_made(builder, DVT_HANDLE_OP_BUILDER);
  return builder;
}

static bool is_good(const TF_OpDefinitionBuilder *builder, const char *function) {
  return builder && !dvt_handle_is_bad(builder, DVT_HANDLE_OP_BUILDER, function);
}

// May the function end the builder's life? Debug mode knows of builders that were registered or deleted.
static dvt_status take(const TF_OpDefinitionBuilder *builder, const char *function) {
  if (!builder || dvt_handle_may_delete(builder, DVT_HANDLE_OP_BUILDER, function)) return NULL;
  return dvt_error(TF_FAILED_PRECONDITION, "%s: the builder was registered or deleted before", function);
}

void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder *builder) {
  dvt_status error = take(builder, __func__);
  if (!error) dvt_op_builder_delete(builder);
  dvt_status_free(error);
}

void TF_RegisterOpDefinition(TF_OpDefinitionBuilder *builder, TF_Status *status) {
  dvt_plugin_autoload_init();
  dvt_status error = take(builder, __func__);
  if (!error) error = dvt_op_register(builder);
  // Constructors of plugins rarely look at the status: the load that runs them must fail all the same.
  dvt_plugin_note_error(error);
  dvt_status_to_tf(error, status);
}

static void add_spec(TF_OpDefinitionBuilder *builder, const char *function, dvt_spec_kind kind,
                     const char *spec) {
  if (is_good(builder, function)) dvt_op_builder_add(builder, kind, dvt_str_from(spec));
}

void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder *builder, const char *attr_spec) {
  add_spec(builder, __func__, DVT_SPEC_ATTR, attr_spec);
}

void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder *builder, const char *input_spec) {
  add_spec(builder, __func__, DVT_SPEC_INPUT, input_spec);
}

void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder *builder, const char *output_spec) {
  add_spec(builder, __func__, DVT_SPEC_OUTPUT, output_spec);
}

void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder *builder, bool is_commutative) {
  if (is_good(builder, __func__)) builder->is_commutative = is_commutative;
}

void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder *builder, bool is_aggregate) {
  if (is_good(builder, __func__)) builder->is_aggregate = is_aggregate;
}

void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder *builder, bool is_stateful) {
  if (is_good(builder, __func__)) builder->is_stateful = is_stateful;
}

void TF_OpDefinitionBuilderSetAllowsUninitializedInput(TF_OpDefinitionBuilder *builder,
                                                       bool allows_uninitialized_input) {
  if (is_good(builder, __func__)) builder->allows_uninitialized_input = allows_uninitialized_input;
}

void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder *builder, int version, const char *explanation) {
  if (is_good(builder, __func__)) dvt_op_builder_deprecate(builder, version, dvt_str_from(explanation));
}

void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder *builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext *ctx, TF_Status *status)) {
  if (is_good(builder, __func__)) builder->shape_fn = shape_inference_func;
}

TF_Buffer *TF_GetAllOpList(void) {
  dvt_plugin_autoload_init();
  dvt_op_registry_load_all();
  TF_Buffer *result = TF_NewBuffer();
  if (!result) return NULL;
  dvt_buf bytes = {0};
  dvt_op_registry_list(&bytes);
  dvt_status status = dvt_buf_to_tf_buffer(&bytes, result);
  if (!status) return result;
  dvt_status_free(status);
  TF_DeleteBuffer(result);
  return NULL;
}

static const dvt_op_def *find_op(const char *name, TF_Status *status) {
  const dvt_op_def *op = NULL;
  dvt_plugin_autoload_init();
  dvt_status_to_tf(dvt_op_lookup_or_error(dvt_str_from(name), &op), status);
  return op;
}

int TF_OpIsStateful(const char *op_type, TF_Status *status) {
  const dvt_op_def *op = find_op(op_type, status);
  return op && op->is_stateful;
}

const char *TF_GetNumberAttrForOpListInput(const char *op_name, int input_index, TF_Status *status) {
  const dvt_op_def *op = find_op(op_name, status);
  if (!op) return NULL;
  dvt_status error = NULL;
  if (input_index < 0 || input_index >= op->input_count) {
    error = dvt_error(TF_INVALID_ARGUMENT, "input index %d out of range: op '%s' has %d inputs", input_index,
                      op_name, op->input_count);
  } else if (op->inputs[input_index].number_attr < 0) {
    error = dvt_error(TF_NOT_FOUND,
                      "input %d ('" DVT_STR_FMT
                      "') of op '%s' is not a list whose length an attr "
                      "gives",
                      input_index, DVT_STR_ARG(op->inputs[input_index].name), op_name);
  }
  if (!error) return op->attrs[op->inputs[input_index].number_attr].name.data;
  dvt_status_to_tf(error, status);
  return NULL;
}
