// TF_Function through the C ABI: making, serialising, attributes, and the library of a graph.
#include "graph/function.h"
#include "base/log.h"
#include "base/schema.h"
#include "capi/buffer.h"
#include "graph/node_parse.h"
#include "graph/versions.h"
#include "tensorflow/c/c_api_experimental.h"

enum { FUNCTION_ATTR = 5 };

TF_Function *TF_GraphToFunctionWithControlOutputs(
    const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name, int num_opers,
    const TF_Operation *const *opers, int ninputs, const TF_Output *inputs, int noutputs,
    const TF_Output *outputs, const char *const *output_names, int ncontrol_outputs,
    const TF_Operation *const *control_outputs, const char *const *control_output_names,
    const TF_FunctionOptions *opts, const char *description, TF_Status *status) {
  (void)opts;
  TF_Function *function = NULL;
  dvt_function_spec spec = {.name = fn_name,
                            .append_hash = append_hash_to_fn_name != 0,
                            .op_count = num_opers,
                            .ops = opers,
                            .input_count = ninputs,
                            .output_count = noutputs,
                            .control_output_count = ncontrol_outputs,
                            .inputs = inputs,
                            .outputs = outputs,
                            .output_names = output_names,
                            .control_outputs = control_outputs,
                            .control_output_names = control_output_names,
                            .description = description};
  if (!fn_body || !fn_name || num_opers < -1 || ninputs < 0 || noutputs < 0 || ncontrol_outputs < 0) {
    dvt_status_to_tf(dvt_error(TF_INVALID_ARGUMENT,
                               "TF_GraphToFunction needs a graph, a name and counts that are not negative"),
                     status);
    return NULL;
  }
  pthread_mutex_t *lock = &((TF_Graph *)(uintptr_t)fn_body)->lock;
  pthread_mutex_lock(lock);
  dvt_status error = dvt_function_from_graph(fn_body, &spec, &function);
  pthread_mutex_unlock(lock);
  dvt_status_to_tf(error, status);
  return function;
}

TF_Function *TF_GraphToFunction(const TF_Graph *fn_body, const char *fn_name,
                                unsigned char append_hash_to_fn_name, int num_opers,
                                const TF_Operation *const *opers, int ninputs, const TF_Output *inputs,
                                int noutputs, const TF_Output *outputs, const char *const *output_names,
                                const TF_FunctionOptions *opts, const char *description, TF_Status *status) {
  return TF_GraphToFunctionWithControlOutputs(fn_body, fn_name, append_hash_to_fn_name, num_opers, opers,
                                              ninputs, inputs, noutputs, outputs, output_names, 0, NULL, NULL,
                                              opts, description, status);
}

const char *TF_FunctionName(TF_Function *func) { return func ? func->name.data : NULL; }

void TF_FunctionToFunctionDef(TF_Function *func, TF_Buffer *output_func_def, TF_Status *status) {
  dvt_buf copy = {0};
  dvt_buf_append_str(&copy, func->proto);
  dvt_status_to_tf(dvt_buf_to_tf_buffer(&copy, output_func_def), status);
}

TF_Function *TF_FunctionImportFunctionDef(const void *proto, size_t proto_len, TF_Status *status) {
  TF_Function *function = NULL;
  dvt_status error = dvt_function_from_proto(dvt_str_make(proto, proto_len), &function);
  if (error)
    error = dvt_status_annotate(error, "\n\tInvalid FunctionDef given to TF_FunctionImportFunctionDef");
  dvt_status_to_tf(error, status);
  return function;
}

void TF_DeleteFunction(TF_Function *func) { dvt_function_release(func); }

// The FunctionDef with the attr set or replaced.
static void put_with_attr(dvt_str proto, dvt_str name, dvt_str value, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  const uint8_t *begin = wire.next;
  while (dvt_wire_next(&wire, &field)) {
    dvt_str key, old;
    bool replaced = field.number == FUNCTION_ATTR && field.type == DVT_WIRE_BYTES &&
                    dvt_parse_map_entry(field.bytes, &key, &old) && dvt_str_eq(key, name);
    if (!replaced) dvt_buf_append(out, begin, (size_t)(wire.next - begin));
    begin = wire.next;
  }
  size_t entry = dvt_wire_begin(out, FUNCTION_ATTR);
  dvt_wire_put_bytes(out, 1, name);
  dvt_wire_put_bytes(out, 2, value);
  dvt_wire_end(out, entry);
}

// Nobody but the caller holds the function: what goes into a graph or comes out of one is a copy.
static dvt_status set_attr(TF_Function *func, dvt_str name, dvt_str value) {
  dvt_attr_info info;
  dvt_status status = dvt_attr_inspect(value, &info);
  if (status) {
    dvt_status_free(status);
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Unparseable AttrValue proto passed to TF_FunctionSetAttrValueProto");
  }
  dvt_buf proto = {0};
  put_with_attr(func->proto, name, value, &proto);
  TF_Function *changed = NULL;
  status = proto.failed ? dvt_error_out_of_memory(proto.len)
                        : dvt_function_from_proto(dvt_buf_str(&proto), &changed);
  dvt_buf_deinit(&proto);
  if (status) return status;
  dvt_arena_deinit(&func->arena);
  func->name = changed->name;
  func->proto = changed->proto;
  func->signature = changed->signature;
  func->arena = changed->arena;
  changed->arena = (dvt_arena){0};
  dvt_function_release(changed);
  return NULL;
}

void TF_FunctionSetAttrValueProto(TF_Function *func, const char *attr_name, const void *proto,
                                  size_t proto_len, TF_Status *status) {
  dvt_status_to_tf(set_attr(func, dvt_str_from(attr_name), dvt_str_make(proto, proto_len)), status);
}

void TF_FunctionGetAttrValueProto(TF_Function *func, const char *attr_name, TF_Buffer *output_attr_value,
                                  TF_Status *status) {
  dvt_str value;
  dvt_buf copy = {0};
  dvt_status error = NULL;
  if (dvt_function_attr(func, dvt_str_from(attr_name), &value)) {
    dvt_buf_append_str(&copy, value);
    error = dvt_buf_to_tf_buffer(&copy, output_attr_value);
  } else {
    error =
        dvt_error(TF_INVALID_ARGUMENT, "Function '%s' has no attr named '%s'.", func->name.data, attr_name);
  }
  dvt_status_to_tf(error, status);
}

static dvt_status add_copy(dvt_function_library *library, const TF_Function *func) {
  TF_Function *copy;
  DVT_RETURN_IF_ERROR(dvt_function_from_proto(func->proto, &copy));
  dvt_status status = dvt_function_library_add(library, copy);
  dvt_function_release(copy);
  return status;
}

static dvt_status copy_function(TF_Graph *graph, const TF_Function *func, const TF_Function *grad) {
  if (!func) return dvt_error(TF_INVALID_ARGUMENT, "'func' argument to TF_GraphCopyFunction cannot be null");
  DVT_RETURN_IF_ERROR(add_copy(graph->functions, func));
  dvt_graph_note_functions(graph);
  if (!grad) return NULL;
  DVT_RETURN_IF_ERROR(add_copy(graph->functions, grad));
  return dvt_function_library_add_gradient(graph->functions, func->name, grad->name);
}

void TF_GraphCopyFunction(TF_Graph *g, const TF_Function *func, const TF_Function *grad, TF_Status *status) {
  pthread_mutex_lock(&g->lock);
  dvt_status error = copy_function(g, func, grad);
  pthread_mutex_unlock(&g->lock);
  dvt_status_to_tf(error, status);
}

int TF_GraphNumFunctions(TF_Graph *g) { return g ? (int)dvt_function_library_count(g->functions) : 0; }

int TF_GraphGetFunctions(TF_Graph *g, TF_Function **funcs, int max_func, TF_Status *status) {
  int count = 0;
  dvt_status error = NULL;
  pthread_mutex_lock(&g->lock);
  while (count < max_func) {
    const TF_Function *function = dvt_function_library_at(g->functions, (size_t)count);
    if (!function || (error = dvt_function_from_proto(function->proto, &funcs[count]))) break;
    count++;
  }
  pthread_mutex_unlock(&g->lock);
  for (; error && count > 0; count--) {
    dvt_function_release(funcs[count - 1]);
    funcs[count - 1] = NULL;
  }
  dvt_status_to_tf(error, status);
  return count;
}

void TF_GraphRemoveFunction(TF_Graph *g, const char *func_name, TF_Status *status) {
  pthread_mutex_lock(&g->lock);
  dvt_status error = dvt_function_library_remove(g->functions, dvt_str_from(func_name));
  pthread_mutex_unlock(&g->lock);
  dvt_status_to_tf(error, status);
}

char *TF_FunctionDebugString(TF_Function *func, size_t *len) {
  dvt_buf text = {0};
  dvt_status error = dvt_text_print(&dvt_schema_function_def, func->proto, false, &text);
  if (!error && !text.data) dvt_buf_append(&text, "", 0);
  if (error || text.failed) {
    dvt_log(DVT_ERROR, "TF_FunctionDebugString: %s", error ? dvt_status_message(error) : "out of memory");
    dvt_status_free(error);
    dvt_buf_deinit(&text);
    return NULL;
  }
  if (len) *len = text.len;
  return dvt_buf_release(&text);
}
