// Instantiating a function: its FunctionDef becomes a graph with _Arg nodes, the body's nodes with their
// inputs and attrs resolved for one call, and _Retval nodes.
#include "graph/attr_subst.h"
#include "graph/function.h"
#include "graph/loader.h"
#include "tensor/dtype.h"
#include "tensor/tensor_proto.h"

enum { FUNCTION_NODE = 3, FUNCTION_RET = 4, FUNCTION_CONTROL_RET = 6, FUNCTION_ARG_ATTR = 7 };

static dvt_attr_def arg_attrs[] = {
    {.name = {"T", 1}, .kind = TF_ATTR_TYPE},
    {.name = {"index", 5}, .kind = TF_ATTR_INT, .has_minimum = true},
};
static dvt_arg_def arg_output[] = {{.name = {"output", 6}, .number_attr = -1, .type_list_attr = -1}};
static dvt_arg_def retval_input[] = {{.name = {"input", 5}, .number_attr = -1, .type_list_attr = -1}};

const dvt_op_def dvt_op_arg = {.name = {"_Arg", 4},
                               .outputs = arg_output,
                               .output_count = 1,
                               .attrs = arg_attrs,
                               .attr_count = DVT_COUNT_OF(arg_attrs),
                               .is_stateful = true};
const dvt_op_def dvt_op_retval = {.name = {"_Retval", 7},
                                  .inputs = retval_input,
                                  .input_count = 1,
                                  .attrs = arg_attrs,
                                  .attr_count = DVT_COUNT_OF(arg_attrs),
                                  .is_stateful = true};

typedef struct arg_range {  // the flat inputs of one argument of the signature
  int32_t begin, count;
} arg_range;

typedef struct instantiation {
  dvt_loader loader;
  const TF_Function *function;
  dvt_attr_values values;  // attrs of the signature, from the call
  dvt_node_def call;       // a node of the function's op, for its flat dtypes
  dvt_map args;            // name -> arg_range
  dvt_map rets;            // name of an output -> dvt_str, what it is made of
  dvt_function_body *body;
} instantiation;

static dvt_status begin_node(dvt_loader *loader, const dvt_parsed_node *node) {
  (void)loader;
  (void)node;
  return NULL;
}

// A function may be called with other shapes than it was written for, so that claims need not hold.
static dvt_status added(dvt_loader *loader, const dvt_parsed_node *node, TF_Operation *op) {
  (void)loader;
  if (node->output_shapes.data) dvt_status_free(dvt_loader_claim_shapes(op, node->output_shapes));
  return NULL;
}

static dvt_status bad_reference(const instantiation *in, const dvt_parsed_node *node, dvt_str input) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "function '" DVT_STR_FMT "': '" DVT_STR_FMT "' reads '" DVT_STR_FMT
                   "', which is neither an argument nor an output of a node of the function",
                   DVT_STR_ARG(in->function->name), DVT_STR_ARG(node->name), DVT_STR_ARG(input));
}

// A number that ends the reference; false if it is none or above INT32_MAX.
static bool parse_index(dvt_str text, int32_t *out_index) {
  int64_t value = 0;
  if (text.len == 0 || text.len > 10) return false;
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    value = value * 10 + (text.data[i] - '0');
  }
  if (value > INT32_MAX) return false;
  *out_index = (int32_t)value;
  return true;
}

static dvt_str text_behind(dvt_str text, size_t at) {
  return at < text.len ? dvt_str_drop(text, at + 1) : dvt_str_make(text.data + text.len, 0);
}

static dvt_status read_arg(instantiation *in, const dvt_parsed_node *node, const arg_range *arg,
                           dvt_str input, dvt_str rest) {
  int32_t index;
  if (rest.len == 0) {
    for (int32_t i = 0; i < arg->count; i++)
      DVT_RETURN_IF_ERROR(dvt_loader_input(&in->loader, in->body->args[arg->begin + i], 0));
    return NULL;
  }
  if (!parse_index(rest, &index) || index >= arg->count) return bad_reference(in, node, input);
  return dvt_loader_input(&in->loader, in->body->args[arg->begin + index], 0);
}

// "out:2", "out" (every element of a list) or "2".
static dvt_status read_output(instantiation *in, const dvt_parsed_node *node, TF_Operation *source,
                              dvt_str input, dvt_str rest) {
  int start, stop;
  int32_t index;
  size_t colon = dvt_str_find(rest, ':');
  if (rest.len == 0) return dvt_loader_input(&in->loader, source, 0);
  if (colon == rest.len && parse_index(rest, &index)) return dvt_loader_input(&in->loader, source, index);
  dvt_status status = dvt_node_output_range(&source->def, dvt_str_make(rest.data, colon), &start, &stop);
  if (status) {
    dvt_status_free(status);
    return bad_reference(in, node, input);
  }
  if (colon == rest.len) {
    for (int i = start; i < stop; i++) DVT_RETURN_IF_ERROR(dvt_loader_input(&in->loader, source, i));
    return NULL;
  }
  if (!parse_index(text_behind(rest, colon), &index) || index >= stop - start)
    return bad_reference(in, node, input);
  return dvt_loader_input(&in->loader, source, start + index);
}

static dvt_status resolve(dvt_loader *loader, const dvt_parsed_node *node, dvt_str input) {
  instantiation *in = loader->arg;
  bool is_control = input.len > 1 && input.data[0] == '^';
  dvt_str text = is_control ? dvt_str_drop(input, 1) : input;
  size_t colon = is_control ? text.len : dvt_str_find(text, ':');
  dvt_str name = dvt_str_make(text.data, colon), rest = text_behind(text, colon);
  if (name.len == 0) return bad_reference(in, node, input);
  const arg_range *arg = dvt_map_get(&in->args, name);
  if (arg && !is_control) return read_arg(in, node, arg, input, rest);
  if (arg) return arg->count ? dvt_loader_control(loader, in->body->args[arg->begin]) : NULL;
  TF_Operation *source = dvt_loader_find(loader, name);
  if (!source) return dvt_loader_missing(loader, name, is_control ? -1 : 0);
  return is_control ? dvt_loader_control(loader, source) : read_output(in, node, source, input, rest);
}

static dvt_status substituted(instantiation *in, dvt_attr *attr) {
  dvt_buf value = {0};
  dvt_status status = dvt_attr_substitute(attr->value, &in->values, &value);
  if (!status &&
      (value.failed || !dvt_arena_copy_str(&in->loader.graph->arena, dvt_buf_str(&value), &attr->value)))
    status = dvt_error_out_of_memory(value.len);
  dvt_buf_deinit(&value);
  return status;
}

static dvt_status prepare(dvt_loader *loader, const dvt_parsed_node *node, dvt_new_node *new_node) {
  instantiation *in = loader->arg;
  dvt_attr *copy = NULL;
  for (size_t i = 0; i < node->attr_count; i++) {
    if (!dvt_attr_has_placeholder(node->attrs[i].value)) continue;
    if (!copy) {
      copy = dvt_arena_alloc(&loader->arena, node->attr_count * sizeof *copy);
      if (!copy) return dvt_error_out_of_memory(node->attr_count * sizeof *copy);
      memcpy(copy, node->attrs, node->attr_count * sizeof *copy);
      new_node->attrs = copy;
    }
    dvt_status status = substituted(in, &copy[i]);
    if (status)
      return dvt_status_annotate(
          status, " (attr '" DVT_STR_FMT "' of node '" DVT_STR_FMT "' in function '" DVT_STR_FMT "')",
          DVT_STR_ARG(copy[i].name), DVT_STR_ARG(node->name), DVT_STR_ARG(in->function->name));
  }
  return NULL;
}

static const dvt_loader_hooks hooks = {begin_node, resolve, prepare, added};

// Keeps of the call's attrs those of the signature, adds its defaults, and finds the flat dtypes.
static dvt_status resolve_call(instantiation *in, const dvt_attr *attrs, int attr_count) {
  const dvt_op_def *op = in->function->signature;
  dvt_attr *kept = dvt_arena_alloc(&in->loader.arena, (size_t)op->attr_count * sizeof *kept);
  if (!kept) return dvt_error_out_of_memory((size_t)op->attr_count * sizeof *kept);
  in->values.attrs = kept;
  for (int i = 0; i < op->attr_count; i++) {
    const dvt_attr_def *def = &op->attrs[i];
    dvt_str value = def->default_value;
    bool given = def->has_default;
    for (int k = 0; k < attr_count; k++) {
      if (!dvt_str_eq(attrs[k].name, def->name)) continue;
      value = attrs[k].value;
      given = true;
    }
    if (given) kept[in->values.count++] = (dvt_attr){def->name, value};
  }
  in->call =
      (dvt_node_def){.name = in->function->name, .op = op, .attrs = kept, .attr_count = in->values.count};
  return dvt_node_resolve(&in->call, &in->loader.arena);
}

// An _Arg or a _Retval; `source` is the latter's input.
static dvt_status add_end(instantiation *in, const dvt_op_def *op, dvt_str name, int dtype, int32_t index,
                          const dvt_edge *source, TF_Operation **out_node) {
  TF_Graph *graph = in->body->graph;
  dvt_buf text = {0};
  dvt_str type, position;
  dvt_attr_put_type(&text, dtype);
  size_t split = text.len;
  dvt_attr_put_int(&text, index);
  dvt_str kept;
  bool copied = !text.failed && dvt_arena_copy_str(&graph->arena, dvt_buf_str(&text), &kept);
  dvt_buf_deinit(&text);
  if (!copied) return dvt_error_out_of_memory(32);
  type = dvt_str_make(kept.data, split);
  position = dvt_str_drop(kept, split);
  dvt_attr attrs[] = {{DVT_STR("T"), type}, {DVT_STR("index"), position}};
  dvt_new_node node = {.name = name,
                       .op = op,
                       .attrs = attrs,
                       .attr_count = 2,
                       .inputs = source,
                       .input_count = source ? 1 : 0};
  return dvt_graph_add_node(graph, &node, out_node);
}

// "base", "base_3" for an element of a list, and with more '_' behind it if a node has that name.
static dvt_status end_name(TF_Graph *graph, dvt_str base, const char *suffix, int32_t element,
                           dvt_str *out_name) {
  dvt_buf text = {0};
  dvt_buf_printf(&text, DVT_STR_FMT "%s", DVT_STR_ARG(base), suffix);
  if (element >= 0) dvt_buf_printf(&text, "_%d", element);
  while (!text.failed && dvt_graph_find(graph, dvt_buf_str(&text))) dvt_buf_append_byte(&text, '_');
  bool copied = !text.failed && dvt_arena_copy_str(&graph->arena, dvt_buf_str(&text), out_name);
  dvt_buf_deinit(&text);
  return copied ? NULL : dvt_error_out_of_memory(base.len);
}

static dvt_status add_args(instantiation *in) {
  const dvt_op_def *op = in->function->signature;
  dvt_function_body *body = in->body;
  body->args = dvt_arena_calloc(&body->graph->arena, (size_t)in->call.input_count, sizeof *body->args);
  if (!body->args) return dvt_error_out_of_memory((size_t)in->call.input_count * sizeof *body->args);
  for (int i = 0; i < op->input_count; i++) {
    bool is_list = op->inputs[i].number_attr >= 0 || op->inputs[i].type_list_attr >= 0;
    int count;
    arg_range *range = dvt_arena_alloc(&in->loader.arena, sizeof *range);
    DVT_RETURN_IF_ERROR(dvt_node_arg_count(&in->call, &op->inputs[i], &count));
    if (!range || !dvt_map_put(&in->args, op->inputs[i].name, range))
      return dvt_error_out_of_memory(sizeof *range);
    *range = (arg_range){body->arg_count, count};
    for (int k = 0; k < count; k++) {
      dvt_str name;
      int32_t index = body->arg_count;
      DVT_RETURN_IF_ERROR(end_name(body->graph, op->inputs[i].name, "", is_list ? k : -1, &name));
      DVT_RETURN_IF_ERROR(
          add_end(in, &dvt_op_arg, name, in->call.input_types[index], index, NULL, &body->args[index]));
      body->arg_count++;
    }
  }
  return NULL;
}

// The shape that an argument's attrs promise; anything malformed there counts as unknown.
static void set_arg_shape(TF_Operation *arg, dvt_str arg_attrs_proto) {
  int64_t dims[DVT_MAX_RANK];
  dvt_wire wire = dvt_wire_open(arg_attrs_proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    dvt_str key, value, proto;
    dvt_attr_list list;
    int rank = -1;
    if (field.number != 1 || field.type != DVT_WIRE_BYTES || !dvt_parse_map_entry(field.bytes, &key, &value))
      continue;
    if (!dvt_str_eq(key, DVT_STR("_output_shapes"))) continue;
    dvt_status status = dvt_attr_list_open(value, TF_ATTR_SHAPE, &list);
    if (!status && dvt_attr_list_next(&list, NULL, &proto))
      status = dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank);
    if (!status && rank >= 0 && rank <= DVT_MAX_RANK)
      status = dvt_shape_make(&arg->graph->shapes, dims, rank, true, &arg->output_shapes[0]);
    dvt_status_free(status);
  }
}

static void set_arg_shapes(instantiation *in) {
  dvt_wire wire = dvt_wire_open(in->function->proto);
  dvt_field field;
  if (in->body->arg_count != in->function->signature->input_count)
    return;  // with lists, indexes mean something else
  while (dvt_wire_next(&wire, &field)) {
    dvt_field key = {0}, value;
    if (field.number != FUNCTION_ARG_ATTR || field.type != DVT_WIRE_BYTES) continue;
    dvt_wire_find(field.bytes, 1, DVT_WIRE_VARINT, &key);
    if (!dvt_wire_find(field.bytes, 2, DVT_WIRE_BYTES, &value)) continue;
    if (key.value < (uint64_t)in->body->arg_count) set_arg_shape(in->body->args[key.value], value.bytes);
  }
}

static dvt_status load_nodes(instantiation *in) {
  dvt_wire wire = dvt_wire_open(in->function->proto);
  dvt_field field;
  size_t count = 0;
  while (dvt_wire_next(&wire, &field)) count += field.number == FUNCTION_NODE && field.type == DVT_WIRE_BYTES;
  dvt_str *nodes = dvt_arena_alloc(&in->loader.arena, count * sizeof *nodes);
  if (!nodes) return dvt_error_out_of_memory(count * sizeof *nodes);
  wire = dvt_wire_open(in->function->proto);
  for (size_t i = 0; dvt_wire_next(&wire, &field);)
    if (field.number == FUNCTION_NODE && field.type == DVT_WIRE_BYTES) nodes[i++] = field.bytes;
  in->loader.nodes = nodes;
  in->loader.node_count = count;
  return dvt_loader_run(&in->loader);
}

// What the outputs of the signature are made of, by their names.
static dvt_status index_rets(instantiation *in) {
  dvt_wire wire = dvt_wire_open(in->function->proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    dvt_str key, value;
    if (field.number != FUNCTION_RET || field.type != DVT_WIRE_BYTES ||
        !dvt_parse_map_entry(field.bytes, &key, &value))
      continue;
    dvt_str *reference = dvt_arena_alloc(&in->loader.arena, sizeof *reference);
    if (!reference || !dvt_map_put(&in->rets, key, reference))
      return dvt_error_out_of_memory(sizeof *reference);
    *reference = value;
  }
  return NULL;
}

static dvt_status find_ret(instantiation *in, dvt_str name, int count) {
  dvt_parsed_node reader = {.name = name};
  const dvt_str *reference = dvt_map_get(&in->rets, name);
  if (!reference)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "function '" DVT_STR_FMT "' has no return value for its output '" DVT_STR_FMT "'",
                     DVT_STR_ARG(in->function->name), DVT_STR_ARG(name));
  in->loader.input_count = in->loader.missing_count = 0;
  DVT_RETURN_IF_ERROR(resolve(&in->loader, &reader, *reference));
  if (in->loader.missing_count || in->loader.input_count != (size_t)count)
    return bad_reference(in, &reader, *reference);
  return NULL;
}

static dvt_status check_ret(const instantiation *in, dvt_edge source, int32_t index) {
  const dvt_node_def *producer = &source.node->def;
  int expected = in->call.output_types[index];
  int actual = source.index < producer->output_count ? producer->output_types[source.index] : -1;
  if (actual >= 0 && dvt_dtypes_connect(expected, actual)) return NULL;
  return dvt_error(
      TF_INVALID_ARGUMENT,
      "function '" DVT_STR_FMT "': output %d is declared %s but would be %s, from " DVT_STR_FMT ":%d",
      DVT_STR_ARG(in->function->name), index, dvt_dtype_name(expected),
      actual < 0 ? "missing" : dvt_dtype_name(actual), DVT_STR_ARG(producer->name), source.index);
}

static dvt_status add_rets(instantiation *in) {
  const dvt_op_def *op = in->function->signature;
  dvt_function_body *body = in->body;
  body->rets = dvt_arena_calloc(&body->graph->arena, (size_t)in->call.output_count, sizeof *body->rets);
  if (!body->rets) return dvt_error_out_of_memory((size_t)in->call.output_count * sizeof *body->rets);
  for (int i = 0; i < op->output_count; i++) {
    bool is_list = op->outputs[i].number_attr >= 0 || op->outputs[i].type_list_attr >= 0;
    int count;
    DVT_RETURN_IF_ERROR(dvt_node_arg_count(&in->call, &op->outputs[i], &count));
    DVT_RETURN_IF_ERROR(find_ret(in, op->outputs[i].name, count));
    for (int k = 0; k < count; k++) {
      dvt_str name;
      int32_t index = body->ret_count;
      DVT_RETURN_IF_ERROR(check_ret(in, in->loader.inputs[k], index));
      DVT_RETURN_IF_ERROR(end_name(body->graph, op->outputs[i].name, "_RetVal", is_list ? k : -1, &name));
      DVT_RETURN_IF_ERROR(add_end(in, &dvt_op_retval, name, in->call.output_types[index], index,
                                  &in->loader.inputs[k], &body->rets[index]));
      body->ret_count++;
    }
  }
  return NULL;
}

static dvt_status find_control_rets(instantiation *in) {
  dvt_function_body *body = in->body;
  dvt_wire wire = dvt_wire_open(in->function->proto);
  dvt_field field;
  size_t count = 0;
  while (dvt_wire_next(&wire, &field)) count += field.number == FUNCTION_CONTROL_RET;
  body->control_rets = dvt_arena_alloc(&body->graph->arena, count * sizeof *body->control_rets);
  if (!body->control_rets) return dvt_error_out_of_memory(count * sizeof *body->control_rets);
  wire = dvt_wire_open(in->function->proto);
  while (dvt_wire_next(&wire, &field)) {
    dvt_str key, name;
    if (field.number != FUNCTION_CONTROL_RET || field.type != DVT_WIRE_BYTES ||
        !dvt_parse_map_entry(field.bytes, &key, &name))
      continue;
    TF_Operation *node = dvt_loader_find(&in->loader, name);
    if (!node)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "function '" DVT_STR_FMT "': control output '" DVT_STR_FMT "' names node '" DVT_STR_FMT
                       "', which it does not have",
                       DVT_STR_ARG(in->function->name), DVT_STR_ARG(key), DVT_STR_ARG(name));
    body->control_rets[body->control_ret_count++] = node;
  }
  return NULL;
}

static dvt_status build(instantiation *in, const dvt_attr *attrs, int attr_count) {
  DVT_RETURN_IF_ERROR(resolve_call(in, attrs, attr_count));
  DVT_RETURN_IF_ERROR(add_args(in));
  set_arg_shapes(in);
  DVT_RETURN_IF_ERROR(load_nodes(in));
  DVT_RETURN_IF_ERROR(index_rets(in));
  DVT_RETURN_IF_ERROR(add_rets(in));
  return find_control_rets(in);
}

dvt_status dvt_function_instantiate(const TF_Function *function, const dvt_attr *attrs, int attr_count,
                                    const dvt_function_library *library, dvt_function_body *out_body) {
  dvt_function_body body = {0};
  instantiation in = {.function = function, .body = &body};
  DVT_RETURN_IF_ERROR(dvt_graph_create(&body.graph));
  body.graph->require_shape_fns = false;
  body.graph->body_of = dvt_function_retain((TF_Function *)(uintptr_t)function);
  if (library) {
    dvt_function_library_release(body.graph->functions);
    body.graph->functions = dvt_function_library_retain((dvt_function_library *)(uintptr_t)library);
  }
  in.loader.graph = body.graph;
  in.loader.hooks = &hooks;
  in.loader.arg = &in;
  in.loader.names = &in.loader.own_names;
  dvt_status status = build(&in, attrs, attr_count);
  dvt_map_deinit(&in.args);
  dvt_map_deinit(&in.rets);
  dvt_loader_deinit(&in.loader);
  if (status)
    dvt_graph_release(body.graph);
  else
    *out_body = body;
  return status;
}

void dvt_function_body_deinit(dvt_function_body *body) {
  dvt_graph_release(body->graph);
  *body = (dvt_function_body){0};
}
