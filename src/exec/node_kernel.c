// What a session node needs before it can run: its kernel, found and created once, or its value if it is
// constant.
#include "base/log.h"
#include "exec/run.h"
#include "exec/session_state.h"
#include "op/registry.h"
#include "tensor/tensor_proto.h"

#define LATER_BYTES ((size_t)16 << 10)       // constants from here on are decoded when they are asked for
#define MAX_FOLDED_BYTES ((size_t)10 << 20)  // larger results are computed in every step rather than kept

// Every device a graph asks for and this machine lacks is replaced by the CPU; said once a session.
static dvt_status place(TF_Session *session, const dvt_session_node *node, const dvt_device **out_device) {
  *out_device = session->device;
  const dvt_node_def *def = &node->op->def;
  if (def->device.len == 0) return NULL;
  dvt_status status = dvt_device_find(def->device, out_device);
  if (!status) return NULL;
  if (dvt_status_code(status) == TF_INVALID_ARGUMENT)
    return dvt_status_annotate(status, "\n\t [[{{node " DVT_STR_FMT "}}]]", DVT_STR_ARG(def->name));
  *out_device = session->device;
  if (!session->warned_device)
    dvt_log(DVT_WARNING, "node '" DVT_STR_FMT "' and maybe others run on the CPU instead: %s",
            DVT_STR_ARG(def->name), dvt_status_message(status));
  session->warned_device = true;
  dvt_status_free(status);
  return NULL;
}

// The node's op may have been unloaded since the node was made.
static dvt_status check_op(const dvt_session_node *node) {
  dvt_status status = dvt_op_check_current(node->op->def.op);
  return status ? dvt_status_annotate(status, "\n\t [[{{node " DVT_STR_FMT "}}]]",
                                      DVT_STR_ARG(node->op->def.name))
                : NULL;
}

// That a graph cannot run here is INVALID_ARGUMENT in stock's words (rule 108), with what the search says.
dvt_status dvt_session_node_find_kernel(TF_Session *session, dvt_session_node *node) {
  if (node->kernel_def) return NULL;
  const dvt_device *device;
  DVT_RETURN_IF_ERROR(place(session, node, &device));
  DVT_RETURN_IF_ERROR(check_op(node));
  dvt_status status = dvt_kernel_find(&node->op->def, device->type, &node->kernel_def);
  if (dvt_status_code(status) != TF_NOT_FOUND) return status;
  const dvt_node_def *def = &node->op->def;
  dvt_status refused = dvt_error(
      TF_INVALID_ARGUMENT,
      "No OpKernel was registered to support Op '" DVT_STR_FMT "' used by {{node " DVT_STR_FMT "}}: %s",
      DVT_STR_ARG(def->op->name), DVT_STR_ARG(def->name), dvt_status_message(status));
  dvt_status_free(status);
  return dvt_node_failed(refused, node, NULL, 0);
}

dvt_status dvt_session_node_make_kernel(TF_Session *session, dvt_session_node *node) {
  if (node->has_kernel) return NULL;
  DVT_RETURN_IF_ERROR(dvt_session_node_find_kernel(session, node));
  const dvt_device *device;
  DVT_RETURN_IF_ERROR(place(session, node, &device));
  dvt_status status = dvt_kernel_create(node->kernel_def, &node->op->def, device, session->graph_def_version,
                                        node->input_names, session, &session->arena, &node->kernel);
  if (!status) {
    node->has_kernel = true;
    return NULL;
  }
  return dvt_node_failed(status, node, NULL, 0);
}

static TF_Tensor *new_constants(TF_Session *session, const dvt_session_node *node) {
  return dvt_arena_calloc(&session->arena, (size_t)node->op->def.output_count, sizeof(TF_Tensor));
}

static dvt_status find_proto(const dvt_node_def *def, dvt_str *out_proto) {
  dvt_str value = {0};
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(def, DVT_STR("value"), &value));
  return dvt_attr_get_tensor(value, out_proto);
}

static dvt_status decode(const dvt_node_def *def, TF_Tensor *out) {
  dvt_str proto;
  DVT_RETURN_IF_ERROR(find_proto(def, &proto));
  DVT_RETURN_IF_ERROR(dvt_tensor_from_proto_later(proto, LATER_BYTES, out));
  if (!out->dtype) DVT_RETURN_IF_ERROR(dvt_tensor_from_proto_lasting(proto, out));
  if (out->dtype == def->output_types[0]) return NULL;
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT, "attr 'dtype' is %s but the tensor in attr 'value' is %s",
                dvt_dtype_name(def->output_types[0]), dvt_dtype_name(out->dtype));
  dvt_tensor_reset(out);
  return status;
}

dvt_status dvt_session_node_read_constant(TF_Session *session, dvt_session_node *node) {
  if (node->fold == DVT_FOLD_CONSTANT) return NULL;
  TF_Tensor *values = new_constants(session, node);
  if (!values) return dvt_error_out_of_memory(sizeof *values);
  dvt_status status = decode(&node->op->def, values);
  if (status)
    return dvt_status_annotate(status, "\n\t [[{{node " DVT_STR_FMT "}}]]", DVT_STR_ARG(node->op->def.name));
  node->constants = values;
  node->fold = DVT_FOLD_CONSTANT;
  return NULL;
}

dvt_status dvt_session_node_repeat_constant(TF_Session *session, dvt_session_node *node,
                                            const dvt_session_node *of) {
  TF_Tensor *values = new_constants(session, node);
  if (!values) return dvt_error_out_of_memory(sizeof *values);
  DVT_RETURN_IF_ERROR(dvt_tensor_init_copy(values, of->constants));
  node->constants = values;
  node->repeats = of->repeats ? of->repeats : of;
  node->fold = DVT_FOLD_CONSTANT;
  return NULL;
}

static dvt_status decode_values(const dvt_session_node *node, TF_Tensor *out) {
  dvt_str proto;
  DVT_RETURN_IF_ERROR(find_proto(&(node->repeats ? node->repeats : node)->op->def, &proto));
  return dvt_tensor_from_proto_lasting(proto, out);
}

dvt_status dvt_session_node_complete_constant(const dvt_session_node *node) {
  TF_Tensor value = {0};
  if (node->constants->buffer) return NULL;
  if (node->repeats) {
    DVT_RETURN_IF_ERROR(dvt_session_node_complete_constant(node->repeats));
    DVT_RETURN_IF_ERROR(dvt_tensor_init_copy(&value, node->repeats->constants));
  } else {
    DVT_RETURN_IF_ERROR(decode_values(node, &value));
  }
  dvt_tensor_reset(node->constants);
  dvt_tensor_move(node->constants, &value);
  return NULL;
}

dvt_status dvt_session_node_copy_constant(const dvt_session_node *node, int32_t index, TF_Tensor *out) {
  const TF_Tensor *known = &node->constants[index];
  return known->buffer ? dvt_tensor_clone(known, out) : decode_values(node, out);
}

static bool worth_keeping(const dvt_kernel_output *outputs, int32_t count) {
  size_t bytes = 0;
  for (int32_t i = 0; i < count; i++) bytes += outputs[i].tensor.buffer->bytes;
  return bytes <= MAX_FOLDED_BYTES;
}

// Moves the outputs into the node's constants; false when they are not kept.
static bool keep(TF_Session *session, dvt_session_node *node, dvt_kernel_output *outputs, int32_t count) {
  if (!worth_keeping(outputs, count)) return false;
  TF_Tensor *values = new_constants(session, node);
  if (!values) return false;
  for (int32_t i = 0; i < count; i++) dvt_tensor_move(&values[i], &outputs[i].tensor);
  node->constants = values;
  return true;
}

dvt_status dvt_session_node_fold(TF_Session *session, dvt_session_node *node, TF_Tensor *const *inputs) {
  const dvt_node_def *def = &node->op->def;
  dvt_kernel_output *outputs = dvt_calloc((size_t)def->output_count, sizeof *outputs);
  if (!outputs) return dvt_error_out_of_memory((size_t)def->output_count * sizeof *outputs);
  dvt_step step = {.device = session->device,
                   .resources = session->resources,
                   .pool = session->pool,
                   .config_proto = session->config_proto};
  TF_OpKernelContext ctx = {.kernel = &node->kernel,
                            .step = &step,
                            .inputs = inputs,
                            .outputs = outputs,
                            .input_count = def->input_count,
                            .output_count = def->output_count};
  dvt_kernel_compute_safely(&ctx);
  dvt_status status = dvt_step_finish(&step, dvt_context_finish(&ctx, false));
  dvt_step_deinit(&step);
  bool kept = !status && keep(session, node, outputs, def->output_count);
  node->fold = kept ? DVT_FOLD_CONSTANT : DVT_FOLD_NEVER;
  // The kernel's own error is met again, with its context, when the node runs in a step.
  dvt_status_free(status);
  for (int32_t i = 0; i < def->output_count; i++) dvt_tensor_reset(&outputs[i].tensor);
  dvt_free(outputs);
  return NULL;
}
