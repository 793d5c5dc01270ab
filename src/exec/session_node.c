// Session nodes and instances: what a session keeps for each operation that a plan needed, and the body
// graphs of the functions it calls. Kernels and constants of a node are made in node_kernel.c.
#include <stdio.h>

#include "exec/fuse.h"
#include "exec/session_state.h"
#include "plugin/plugin.h"

#define MAX_CALL_DEPTH 64
#define MAX_CALLS \
  65536  // calls inlined in one session; bounds what a hostile library of functions can ask for
#define MAX_INLINED_NODES ((size_t)1 << 21)  // and the nodes of their bodies

static const struct {
  dvt_str op;
  dvt_node_kind kind;
} native_ops[] = {
    {{"NoOp", 4}, DVT_NODE_NOOP},
    {{"Const", 5}, DVT_NODE_CONST},
    {{"HostConst", 9}, DVT_NODE_CONST},
    {{"Placeholder", 11}, DVT_NODE_PLACEHOLDER},
    {{"PlaceholderV2", 13}, DVT_NODE_PLACEHOLDER},
    {{"_Arg", 4}, DVT_NODE_ARG},
    {{"_Retval", 7}, DVT_NODE_RETVAL},
    {{"PartitionedCall", 15}, DVT_NODE_CALL},
    {{"StatefulPartitionedCall", 23}, DVT_NODE_CALL},
    {{"Switch", 6}, DVT_NODE_SWITCH},
    {{"RefSwitch", 9}, DVT_NODE_SWITCH},
    {{"_SwitchN", 8}, DVT_NODE_SWITCH},
    {{"Merge", 5}, DVT_NODE_MERGE},
    {{"RefMerge", 8}, DVT_NODE_MERGE},
    {{"Enter", 5}, DVT_NODE_ENTER},
    {{"RefEnter", 8}, DVT_NODE_ENTER},
    {{"Exit", 4}, DVT_NODE_EXIT},
    {{"RefExit", 7}, DVT_NODE_EXIT},
    {{"NextIteration", 13}, DVT_NODE_NEXT_ITERATION},
    {{"RefNextIteration", 16}, DVT_NODE_NEXT_ITERATION},
    {{"LoopCond", 8}, DVT_NODE_LOOP_COND},
    {{"ControlTrigger", 14}, DVT_NODE_CONTROL_TRIGGER},
};

// Inputs and outputs that the executor relies on for a kind; an op of that name with another signature is run
// by a kernel.
static bool fits(const dvt_node_def *def, dvt_node_kind kind) {
  dvt_str value;
  switch (kind) {
    case DVT_NODE_NOOP:
    case DVT_NODE_CONTROL_TRIGGER:
      return def->input_count == 0 && def->output_count == 0;
    case DVT_NODE_CONST:
      return def->input_count == 0 && def->output_count == 1 && dvt_node_attr(def, DVT_STR("value"), &value);
    case DVT_NODE_PLACEHOLDER:
    case DVT_NODE_ARG:
      return def->input_count == 0 && def->output_count == 1;
    case DVT_NODE_RETVAL:
      return def->input_count == 1 && def->output_count == 0;
    case DVT_NODE_CALL:
      return dvt_node_attr(def, DVT_STR("f"), &value);
    case DVT_NODE_SWITCH:
      return def->input_count == 2 &&
             (def->input_types[1] == TF_INT32 ? def->output_count >= 1 : def->output_count == 2);
    case DVT_NODE_MERGE:
      return def->input_count >= 1 && def->output_count == 2;
    case DVT_NODE_ENTER:
      return def->input_count == 1 && def->output_count == 1 &&
             dvt_node_attr(def, DVT_STR("frame_name"), &value);
    case DVT_NODE_EXIT:
    case DVT_NODE_NEXT_ITERATION:
    case DVT_NODE_LOOP_COND:
      return def->input_count == 1 && def->output_count == 1;
    default:
      return false;
  }
}

// The arguments of a callable, and an _Arg outside a body, have nothing to stand for: they must be fed.
static dvt_node_kind kind_here(const dvt_instance *instance, dvt_node_kind kind) {
  if (instance->call) return kind;
  if (kind == DVT_NODE_ARG) return DVT_NODE_PLACEHOLDER;
  return kind == DVT_NODE_RETVAL && !instance->body.graph ? DVT_NODE_KERNEL : kind;
}

// A function first: where no plugin has the op, its name may be a function's.
static dvt_node_kind kind_of(const dvt_instance *instance, const TF_Operation *op) {
  dvt_function_library *functions = instance->graph->functions;
  if (dvt_function_library_count(functions) > 0 && dvt_function_library_find(functions, op->def.op->name))
    return DVT_NODE_CALL;
  for (size_t i = 0; i < DVT_COUNT_OF(native_ops); i++)
    if (dvt_str_eq(op->def.op->name, native_ops[i].op) && fits(&op->def, native_ops[i].kind))
      return kind_here(instance, native_ops[i].kind);
  return DVT_NODE_KERNEL;
}

// As a NodeDef writes it: the producer's name, and the output where it is not the first.
static bool input_name(dvt_arena *arena, dvt_edge input, dvt_str *out_name) {
  dvt_str node = input.node->def.name;
  *out_name = node;
  if (input.index <= 0) return true;
  size_t room = node.len + 16;
  char *text = dvt_arena_alloc(arena, room);
  if (!text) return false;
  int length = snprintf(text, room, DVT_STR_FMT ":%d", DVT_STR_ARG(node), (int)input.index);
  *out_name = dvt_str_make(text, (size_t)length);
  return true;
}

static bool node_init(TF_Session *session, dvt_instance *instance, TF_Operation *op, dvt_session_node *node) {
  *node = (dvt_session_node){.op = op,
                             .owner = instance,
                             .arg_index = -1,
                             .inputs = op->inputs,
                             .control_inputs = op->control_inputs,
                             .input_count = op->def.input_count,
                             .control_input_count = op->control_input_count};
  node->kind = (uint8_t)kind_of(instance, op);
  if (node->kind != DVT_NODE_KERNEL || op->def.input_count == 0) return true;
  dvt_str *names = dvt_arena_alloc(&session->arena, (size_t)op->def.input_count * sizeof *names);
  if (!names) return false;
  for (int32_t i = 0; i < op->def.input_count; i++)
    if (!input_name(&session->arena, op->inputs[i], &names[i])) return false;
  node->input_names = names;
  return true;
}

dvt_session_node *dvt_instance_node(TF_Session *session, dvt_instance *instance, TF_Operation *op) {
  size_t id = (size_t)op->id;
  if (id >= instance->capacity) {
    size_t before = instance->capacity, want = DVT_MAX(instance->graph->node_count, id + 1);
    if (!dvt_array_reserve(&instance->nodes, &instance->capacity, want, sizeof *instance->nodes)) return NULL;
    memset(instance->nodes + before, 0, (instance->capacity - before) * sizeof *instance->nodes);
  }
  if (instance->nodes[id]) return instance->nodes[id];
  dvt_session_node *node = dvt_arena_alloc(&session->arena, sizeof *node);
  if (!node || !node_init(session, instance, op, node)) return NULL;
  return instance->nodes[id] = node;
}

bool dvt_instance_has_control_flow(dvt_instance *instance) {
  if (instance->control_flow >= 0) return instance->control_flow;
  instance->control_flow = 0;
  for (size_t i = 0; i < instance->graph->node_count; i++) {
    const TF_Operation *op = instance->graph->nodes[i];
    dvt_node_kind kind = kind_of(instance, op);
    if (kind >= DVT_NODE_SWITCH && kind <= DVT_NODE_LOOP_COND) instance->control_flow = 1;
  }
  return instance->control_flow;
}

static void print_call_path(const dvt_instance *instance, dvt_buf *out) {
  if (!instance->call) return;
  print_call_path(instance->call->owner, out);
  dvt_buf_printf(out, "%s" DVT_STR_FMT, out->len ? " -> " : "", DVT_STR_ARG(instance->function));
}

static dvt_status recursion_error(const dvt_session_node *call, dvt_str function) {
  dvt_buf path = {0};
  print_call_path(call->owner, &path);
  dvt_status status = dvt_error(TF_UNIMPLEMENTED,
                                "function '" DVT_STR_FMT "' is called again inside its own body (" DVT_STR_FMT
                                " -> " DVT_STR_FMT
                                "): such calls are inlined, so the recursion would never end; call it from "
                                "a branch of an If\n\t [[{{node " DVT_STR_FMT "}}]]",
                                DVT_STR_ARG(function), DVT_STR_ARG(dvt_buf_str(&path)), DVT_STR_ARG(function),
                                DVT_STR_ARG(call->op->def.name));
  dvt_buf_deinit(&path);
  return status;
}

static dvt_status check_depth(TF_Session *session, const dvt_session_node *call, dvt_str function) {
  for (const dvt_instance *i = call->owner; i; i = i->call ? i->call->owner : NULL)
    if (dvt_str_eq(i->function, function)) return recursion_error(call, function);
  if (call->owner->depth + 1 > MAX_CALL_DEPTH)
    return dvt_error(TF_RESOURCE_EXHAUSTED,
                     "function calls are nested more than %d deep at the call of '" DVT_STR_FMT
                     "'\n\t [[{{node " DVT_STR_FMT "}}]]",
                     MAX_CALL_DEPTH, DVT_STR_ARG(function), DVT_STR_ARG(call->op->def.name));
  if (session->instance_count >= MAX_CALLS)
    return dvt_error(TF_RESOURCE_EXHAUSTED,
                     "the graph calls functions more than %d times, counting calls inside functions; the "
                     "call of '" DVT_STR_FMT "' is too many\n\t [[{{node " DVT_STR_FMT "}}]]",
                     MAX_CALLS, DVT_STR_ARG(function), DVT_STR_ARG(call->op->def.name));
  return NULL;
}

// The attrs of a NameAttrList, as an array in the session's arena.
static dvt_status parse_call_attrs(TF_Session *session, dvt_str list, const dvt_attr **out_attrs,
                                   int *out_count) {
  int count = 0;
  dvt_field field, key, value;
  for (dvt_wire w = dvt_wire_open(list); dvt_wire_next(&w, &field);)
    if (field.number == 2 && field.type == DVT_WIRE_BYTES) count++;
  dvt_attr *attrs = dvt_arena_calloc(&session->arena, (size_t)count, sizeof *attrs);
  if (!attrs) return dvt_error_out_of_memory((size_t)count * sizeof *attrs);
  int i = 0;
  for (dvt_wire w = dvt_wire_open(list); dvt_wire_next(&w, &field);) {
    if (field.number != 2 || field.type != DVT_WIRE_BYTES) continue;
    if (dvt_wire_find(field.bytes, 1, DVT_WIRE_BYTES, &key)) attrs[i].name = key.bytes;
    if (dvt_wire_find(field.bytes, 2, DVT_WIRE_BYTES, &value)) attrs[i].value = value.bytes;
    i++;
  }
  *out_attrs = attrs;
  *out_count = count;
  return NULL;
}

// The function that a NameAttrList names, and the attrs for its body.
static dvt_status named_function(TF_Session *session, dvt_function_library *library, dvt_str list,
                                 TF_Function **out_function, const dvt_attr **out_attrs, int *out_count) {
  dvt_field field = {0};
  dvt_wire_find(list, 1, DVT_WIRE_BYTES, &field);
  dvt_str name = field.bytes;
  TF_Function *function = dvt_function_library_find(library, name);
  if (!function) function = dvt_function_library_find(session->graph->functions, name);
  if (!function)
    return dvt_error(TF_NOT_FOUND,
                     "function '" DVT_STR_FMT
                     "' is not defined in the graph's function library; import it with the "
                     "graph or add it with TF_GraphCopyFunction",
                     DVT_STR_ARG(name));
  *out_function = function;
  return parse_call_attrs(session, list, out_attrs, out_count);
}

// The function that the node calls, by its attr f or its op type, and the attrs for the body.
static dvt_status called_function(TF_Session *session, const dvt_session_node *call,
                                  TF_Function **out_function, const dvt_attr **out_attrs, int *out_count) {
  const dvt_node_def *def = &call->op->def;
  dvt_function_library *library = call->owner->graph->functions;
  TF_Function *function = dvt_function_library_find(library, def->op->name);
  if (function) {
    *out_attrs = def->attrs;
    *out_count = def->attr_count;
    *out_function = function;
    return NULL;
  }
  dvt_str value = {0}, name, list;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(def, DVT_STR("f"), &value));
  DVT_RETURN_IF_ERROR(dvt_attr_get_func(value, &name, &list));
  dvt_status status = named_function(session, library, list, out_function, out_attrs, out_count);
  return status ? dvt_status_annotate(status, "\n\t [[{{node " DVT_STR_FMT "}}]]", DVT_STR_ARG(def->name))
                : NULL;
}

// Marks _Arg nodes with their position, and finds out what runs whatever is fetched.
static dvt_status survey_body(TF_Session *session, dvt_instance *instance) {
  const dvt_function_body *body = &instance->body;
  for (int32_t i = 0; i < body->arg_count; i++) {
    dvt_session_node *arg = dvt_instance_node(session, instance, body->args[i]);
    if (!arg) return dvt_error_out_of_memory(sizeof *arg);
    arg->kind = DVT_NODE_ARG;
    arg->arg_index = i;
  }
  instance->has_effects = body->control_ret_count > 0;
  for (size_t i = 0; i < body->graph->node_count && !instance->has_effects; i++) {
    const TF_Operation *op = body->graph->nodes[i];
    dvt_node_kind kind = kind_of(instance, op);
    instance->has_effects =
        kind == DVT_NODE_CALL || (kind != DVT_NODE_ARG && kind != DVT_NODE_RETVAL && op->def.op->is_stateful);
  }
  return NULL;
}

static dvt_status wrong_call_type(const dvt_session_node *call, const dvt_instance *instance,
                                  const char *what, int32_t i, int dtype, const char *does, int wanted) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "%s %d of the call is a %s, but function '" DVT_STR_FMT
                   "' %s a %s\n\t [[{{node " DVT_STR_FMT "}}]]",
                   what, (int)i, dvt_dtype_name(dtype), DVT_STR_ARG(instance->function), does,
                   dvt_dtype_name(wanted), DVT_STR_ARG(call->op->def.name));
}

// Values pass between caller and body unchanged, so the numbers and types must be the same.
static dvt_status check_call(const dvt_session_node *call, const dvt_instance *instance) {
  const dvt_node_def *def = &call->op->def;
  const dvt_function_body *body = &instance->body;
  if (def->input_count != body->arg_count || def->output_count != body->ret_count)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "the call has %d inputs and %d outputs, but function '" DVT_STR_FMT
                     "' has %d and %d\n\t [[{{node " DVT_STR_FMT "}}]]",
                     def->input_count, def->output_count, DVT_STR_ARG(instance->function), body->arg_count,
                     body->ret_count, DVT_STR_ARG(def->name));
  for (int32_t i = 0; i < body->arg_count; i++) {
    int wanted = body->args[i]->def.output_types[0];
    if (!dvt_dtypes_connect(wanted, def->input_types[i]))
      return wrong_call_type(call, instance, "input", i, def->input_types[i], "takes", wanted);
  }
  for (int32_t i = 0; i < body->ret_count; i++) {
    int given = body->rets[i]->def.input_types[0];
    if (!dvt_dtypes_connect(def->output_types[i], given))
      return wrong_call_type(call, instance, "output", i, def->output_types[i], "gives", given);
  }
  return NULL;
}

static bool call_needs_enter(dvt_session_node *call) {
  return call->control_input_count > 0 || call->owner->has_enter ||
         dvt_instance_has_control_flow(call->owner);
}

static dvt_status instance_init(TF_Session *session, dvt_session_node *call, dvt_instance *instance) {
  TF_Function *function = NULL;
  const dvt_attr *attrs = NULL;
  int attr_count = 0;
  DVT_RETURN_IF_ERROR(called_function(session, call, &function, &attrs, &attr_count));
  DVT_RETURN_IF_ERROR(check_depth(session, call, function->name));
  dvt_status status =
      dvt_function_instantiate(function, attrs, attr_count, call->owner->graph->functions, &instance->body);
  if (status)
    return dvt_status_annotate(status, "\n\t [[{{node " DVT_STR_FMT "}}]]", DVT_STR_ARG(call->op->def.name));
  instance->graph = instance->body.graph;
  size_t nodes = session->inlined_nodes + instance->graph->node_count;
  if (nodes > MAX_INLINED_NODES)
    return dvt_error(TF_RESOURCE_EXHAUSTED,
                     "the functions that the graph calls have more than %zu nodes when each call is counted; "
                     "the call of '" DVT_STR_FMT "' with %zu nodes is too many\n\t [[{{node " DVT_STR_FMT
                     "}}]]",
                     MAX_INLINED_NODES, DVT_STR_ARG(function->name), instance->graph->node_count,
                     DVT_STR_ARG(call->op->def.name));
  instance->call = call;
  instance->control_flow = -1;
  instance->depth = call->owner->depth + 1;
  instance->has_enter = call_needs_enter(call);
  instance->enter = (dvt_session_node){.op = call->op,
                                       .owner = call->owner,
                                       .callee = instance,
                                       .kind = DVT_NODE_CALL_ENTER,
                                       .arg_index = -1,
                                       .inputs = call->inputs,
                                       .control_inputs = call->control_inputs,
                                       .input_count = call->input_count,
                                       .control_input_count = call->control_input_count};
  if (!dvt_arena_copy_str(&session->arena, function->name, &instance->function))
    return dvt_error_out_of_memory(function->name.len);
  DVT_RETURN_IF_ERROR(check_call(call, instance));
  return survey_body(session, instance);
}

void dvt_instance_deinit(dvt_instance *instance) {
  for (size_t i = 0; i < instance->capacity; i++) {
    dvt_session_node *node = instance->nodes[i];
    if (!node) continue;
    if (node->has_kernel) dvt_kernel_destroy(&node->kernel);
    for (int32_t k = 0; node->constants && k < node->op->def.output_count; k++)
      dvt_tensor_reset(&node->constants[k]);
    dvt_made_nodes_deinit(node->made);
  }
  dvt_free(instance->nodes);
  instance->nodes = NULL;
  instance->capacity = 0;
  if (instance->body.graph) dvt_function_body_deinit(&instance->body);
}

dvt_status dvt_instance_of_call(TF_Session *session, dvt_session_node *call) {
  if (call->callee) return NULL;
  dvt_instance *instance = dvt_arena_calloc(&session->arena, 1, sizeof *instance);
  if (!instance) return dvt_error_out_of_memory(sizeof *instance);
  dvt_status status = instance_init(session, call, instance);
  if (status) {
    dvt_instance_deinit(instance);
    return status;
  }
  instance->next = session->instances;
  session->instances = instance;
  session->instance_count++;
  session->inlined_nodes += instance->graph->node_count;
  call->callee = instance;
  return NULL;
}

// Its arguments are fed, so they are placeholders.
static dvt_status body_init(TF_Session *session, dvt_str func, dvt_instance *instance) {
  TF_Function *function = NULL;
  const dvt_attr *attrs = NULL;
  int attr_count = 0;
  dvt_function_library *library = session->graph->functions;
  DVT_RETURN_IF_ERROR(named_function(session, library, func, &function, &attrs, &attr_count));
  DVT_RETURN_IF_ERROR(dvt_function_instantiate(function, attrs, attr_count, library, &instance->body));
  instance->graph = instance->body.graph;
  instance->control_flow = -1;
  if (!dvt_arena_copy_str(&session->arena, function->name, &instance->function))
    return dvt_error_out_of_memory(function->name.len);
  return NULL;
}

dvt_status dvt_instance_of_function(TF_Session *session, dvt_str func, dvt_instance *instance) {
  dvt_status status = body_init(session, func, instance);
  if (status) dvt_instance_deinit(instance);
  return status;
}

// Innermost bodies first: they were made last, and their kernels may look at what outer ones hold.
void dvt_instances_deinit(TF_Session *session) {
  for (dvt_instance *i = session->instances; i; i = i->next) dvt_instance_deinit(i);
  dvt_instance_deinit(&session->root);
}

void dvt_session_node_name(const dvt_session_node *node, dvt_buf *out) {
  if (node->owner->call) {
    dvt_session_node_name(node->owner->call, out);
    dvt_buf_append_byte(out, '/');
  } else if (node->owner->function.len) {  // a callable
    dvt_buf_append_str(out, node->owner->function);
    dvt_buf_append_byte(out, '/');
  }
  dvt_buf_append_str(out, node->op->def.name);
}

dvt_str dvt_session_node_plugin(const dvt_session_node *node) {
  const dvt_plugin *plugin = node->kernel_def ? node->kernel_def->plugin : NULL;
  return plugin ? dvt_str_from(plugin->name) : (dvt_str){0};
}

bool dvt_exec_runs_op(dvt_str op) {
  for (size_t i = 0; i < DVT_COUNT_OF(native_ops); i++)
    if (dvt_str_eq(op, native_ops[i].op)) return true;
  return false;
}
