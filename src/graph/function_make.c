// A function made from nodes of a graph: names for its arguments, results and nodes, inputs in the form of a
// FunctionDef ("node:out:0"), the signature, optionally a hash in the name. The rules are stock's.
#include <ctype.h>
#include <stdio.h>

#include "graph/function.h"
#include "tensor/dtype.h"
#include "tensor/tensor_proto.h"

enum {
  FUNCTION_SIGNATURE = 1,
  FUNCTION_NODE = 3,
  FUNCTION_RET = 4,
  FUNCTION_CONTROL_RET = 6,
  FUNCTION_ARG_ATTR = 7
};
enum {
  SIG_NAME = 1,
  SIG_INPUT = 2,
  SIG_OUTPUT = 3,
  SIG_ATTR = 4,
  SIG_DESCRIPTION = 6,
  SIG_STATEFUL = 17,
  SIG_CONTROL = 20
};

typedef struct maker {
  const TF_Graph *graph;
  const dvt_function_spec *spec;
  dvt_arena arena;
  dvt_map used;  // names taken -> next suffix (pointer to uint64_t)
  const TF_Operation **body;
  size_t body_count;
  dvt_str *node_names;   // by node id: its name in the function; data NULL = not in the function
  int32_t *input_of;     // by node id: first entry of input_chain, or -1
  int32_t *input_chain;  // by input: next input of the same node, or -1
  dvt_str *input_names, *output_names;
  dvt_map attr_names;                         // placeholders in the signature already
  dvt_buf args, results, attrs, nodes, rest;  // parts of the FunctionDef
  bool is_stateful;
} maker;

static dvt_status no_memory(void) { return dvt_error_out_of_memory(0); }

static bool map_part_new(dvt_map *map, dvt_str name, dvt_arena *arena) {
  uint64_t *next = dvt_arena_calloc(arena, 1, sizeof *next);
  return next && dvt_map_put(map, name, next);
}

// `name`, or name_0, name_1, ...: the first not used yet.
static dvt_status uniquify(maker *m, dvt_str name, dvt_str *out_name) {
  uint64_t *next = dvt_map_get(&m->used, name);
  if (!next) {
    if (!dvt_arena_copy_str(&m->arena, name, out_name) || !map_part_new(&m->used, *out_name, &m->arena))
      return no_memory();
    return NULL;
  }
  char *text = dvt_arena_alloc(&m->arena, name.len + 24);
  if (!text) return no_memory();
  memcpy(text, name.data, name.len);
  dvt_str candidate;
  do {
    int digits = snprintf(text + name.len, 24, "_%llu", (unsigned long long)(*next)++);
    candidate = dvt_str_make(text, name.len + (size_t)digits);
  } while (dvt_map_get(&m->used, candidate));
  *out_name = candidate;
  return map_part_new(&m->used, candidate, &m->arena) ? NULL : no_memory();
}

// [a-z][a-z0-9_]*, as names of arguments must be.
static dvt_status normalized(maker *m, dvt_str name, dvt_str *out_name) {
  char *text = dvt_arena_alloc(&m->arena, name.len + 1);
  size_t len = 0;
  if (!text) return no_memory();
  for (size_t i = 0; i < name.len; i++) {
    unsigned char c = (unsigned char)name.data[i];
    if (len == 0 && !isalpha(c)) continue;
    text[len++] = isalnum(c) ? (char)tolower(c) : '_';
  }
  return uniquify(m, len ? dvt_str_make(text, len) : DVT_STR("unknown"), out_name);
}

static dvt_status check_output(const maker *m, TF_Output output, const char *what, int i) {
  const char *name = m->spec->name;
  if (!output.oper || output.oper->graph != m->graph)
    return dvt_error(TF_INVALID_ARGUMENT, "%s %d of function '%s' is not a node of the graph", what, i, name);
  const dvt_node_def *def = &output.oper->def;
  if (output.index < 0 || output.index >= def->output_count)
    return dvt_error(
        TF_OUT_OF_RANGE,
        "Node '" DVT_STR_FMT "' (type: '" DVT_STR_FMT
        "', num of outputs: %d) does not have output %d\n\tEncountered while processing %s %d %s function "
        "'%s'",
        DVT_STR_ARG(def->name), DVT_STR_ARG(def->op->name), def->output_count, output.index, what, i,
        what[0] == 'i' ? "into" : "from", name);
  if (def->output_types[output.index] > DVT_DTYPE_REF_OFFSET)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Output %d of node '" DVT_STR_FMT
                     "' has a reference type %s\n\tEncountered while processing %s %d of function '%s'",
                     output.index, DVT_STR_ARG(def->name), dvt_dtype_name(def->output_types[output.index]),
                     what, i, name);
  return NULL;
}

// The input of the function that is this output, or -1.
static int32_t find_input(const maker *m, const TF_Operation *node, int index) {
  int32_t i = m->input_of[node->id];
  while (i >= 0 && m->spec->inputs[i].index != index) i = m->input_chain[i];
  return i;
}

static dvt_status check_inputs(maker *m) {
  for (int32_t i = 0; i < m->spec->input_count; i++) {
    TF_Output input = m->spec->inputs[i];
    DVT_RETURN_IF_ERROR(check_output(m, input, "input", i));
    if (find_input(m, input.oper, input.index) >= 0)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "TF_Output " DVT_STR_FMT ":%d appears more than once in the input list",
                       DVT_STR_ARG(input.oper->def.name), input.index);
    m->input_chain[i] = m->input_of[input.oper->id];
    m->input_of[input.oper->id] = i;
  }
  return NULL;
}

static dvt_status choose_body(maker *m) {
  const dvt_function_spec *spec = m->spec;
  if (spec->op_count >= 0) {
    for (int32_t i = 0; i < spec->op_count; i++) {
      if (!spec->ops[i] || spec->ops[i]->graph != m->graph)
        return dvt_error(TF_INVALID_ARGUMENT, "operation %d of function '%s' is not a node of the graph", i,
                         spec->name);
      m->body[m->body_count++] = spec->ops[i];
    }
    return NULL;
  }
  for (size_t i = 0; i < m->graph->node_count; i++) {
    const TF_Operation *node = m->graph->nodes[i];
    if (m->input_of[i] < 0) {
      m->body[m->body_count++] = node;
    } else if (node->def.output_count != 1) {
      return dvt_error(TF_INVALID_ARGUMENT,
                       "When `num_opers` is set to -1, nodes referenced in `inputs` must have a single "
                       "output. Node " DVT_STR_FMT
                       " has %d outputs. Encountered while creating function '%s'",
                       DVT_STR_ARG(node->def.name), node->def.output_count, spec->name);
    }
  }
  return NULL;
}

static void put_arg_def(dvt_buf *out, uint32_t number, dvt_str name, int dtype) {
  size_t begin = dvt_wire_begin(out, number);
  dvt_wire_put_bytes(out, 1, name);
  dvt_wire_put_varint(out, 3, (uint64_t)dtype);
  dvt_wire_end(out, begin);
}

// Results are named first, so that no argument or node takes a name the caller chose.
static dvt_status name_outputs(maker *m) {
  for (int32_t i = 0; i < m->spec->output_count; i++) {
    TF_Output output = m->spec->outputs[i];
    DVT_RETURN_IF_ERROR(check_output(m, output, "output", i));
    if (m->spec->output_names) {
      dvt_str name = dvt_str_from(m->spec->output_names[i]);
      if (dvt_map_get(&m->used, name))
        return dvt_error(TF_INVALID_ARGUMENT,
                         "Cannot have duplicate output names. Name '" DVT_STR_FMT
                         "' appears more than once in 'output_names' array.",
                         DVT_STR_ARG(name));
      DVT_RETURN_IF_ERROR(uniquify(m, name, &m->output_names[i]));
    } else {
      DVT_RETURN_IF_ERROR(normalized(m, output.oper->def.name, &m->output_names[i]));
    }
    put_arg_def(&m->results, SIG_OUTPUT, m->output_names[i], output.oper->def.output_types[output.index]);
  }
  return NULL;
}

static void put_map_attr(dvt_buf *out, dvt_str name, dvt_str value) {
  size_t entry = dvt_wire_begin(out, 1);
  dvt_wire_put_bytes(out, 1, name);
  dvt_wire_put_bytes(out, 2, value);
  dvt_wire_end(out, entry);
}

// The shape that the node of an argument declares: its attr shape, or that of the constant it holds.
static bool declared_shape(const dvt_node_def *def, dvt_str *out_proto) {
  dvt_str value;
  dvt_field shape;
  dvt_status status = NULL;
  if (dvt_node_attr(def, DVT_STR("shape"), &value)) {
    status = dvt_attr_get_shape(value, out_proto);
  } else if (dvt_str_eq(def->op->name, DVT_STR("Const")) && dvt_node_attr(def, DVT_STR("value"), &value)) {
    status = dvt_attr_get_tensor(value, &value);
    *out_proto = !status && dvt_wire_find(value, 2, DVT_WIRE_BYTES, &shape) ? shape.bytes : DVT_STR("");
  } else {
    return false;
  }
  dvt_status_free(status);
  return status == NULL;
}

// Internal attrs of an argument's node, and its shape as _output_shapes, go with the argument.
static void put_arg_attrs(maker *m, int32_t i) {
  TF_Output input = m->spec->inputs[i];
  const dvt_node_def *def = &input.oper->def;
  dvt_buf attrs = {0}, value = {0};
  dvt_str shape;
  for (int32_t k = 0; k < def->attr_count; k++) {
    dvt_attr attr = def->attrs[k];
    if (attr.name.len && attr.name.data[0] == '_') put_map_attr(&attrs, attr.name, attr.value);
  }
  if (def->output_types[input.index] != TF_RESOURCE && declared_shape(def, &shape)) {
    size_t list = dvt_wire_begin(&value, 1);
    dvt_wire_put_bytes(&value, 7, shape);
    dvt_wire_end(&value, list);
    put_map_attr(&attrs, DVT_STR("_output_shapes"), dvt_buf_str(&value));
  }
  if (attrs.len) {
    size_t entry = dvt_wire_begin(&m->rest, FUNCTION_ARG_ATTR);
    dvt_wire_put_varint(&m->rest, 1, (uint64_t)i);
    dvt_wire_put_bytes(&m->rest, 2, dvt_buf_str(&attrs));
    dvt_wire_end(&m->rest, entry);
  }
  m->rest.failed |= attrs.failed || value.failed;
  dvt_buf_deinit(&attrs);
  dvt_buf_deinit(&value);
}

static dvt_status name_inputs(maker *m) {
  for (int32_t i = 0; i < m->spec->input_count; i++) {
    TF_Output input = m->spec->inputs[i];
    DVT_RETURN_IF_ERROR(normalized(m, input.oper->def.name, &m->input_names[i]));
    m->node_names[input.oper->id] = m->input_names[i];
    put_arg_def(&m->args, SIG_INPUT, m->input_names[i], input.oper->def.output_types[input.index]);
    put_arg_attrs(m, i);
  }
  return NULL;
}

static dvt_status name_body(maker *m) {
  for (size_t i = 0; i < m->body_count; i++)
    DVT_RETURN_IF_ERROR(uniquify(m, m->body[i]->def.name, &m->node_names[m->body[i]->id]));
  return NULL;
}

static bool in_body(const maker *m, const TF_Operation *node) { return node->seen == m->graph->seen; }

// "argument" or "node:out:2" for an output; false when the function has it not.
static bool reference(const maker *m, const TF_Operation *node, int index, dvt_buf *out) {
  int32_t input = find_input(m, node, index);
  if (input >= 0) {
    dvt_buf_append_str(out, m->input_names[input]);
    return true;
  }
  if (!in_body(m, node)) return false;
  int start = 0;
  for (int i = 0; i < node->def.op->output_count; i++) {
    int count = 0;
    dvt_status status = dvt_node_arg_count(&node->def, &node->def.op->outputs[i], &count);
    dvt_status_free(status);
    if (index < start + count) {
      dvt_buf_printf(out, DVT_STR_FMT ":" DVT_STR_FMT ":%d", DVT_STR_ARG(m->node_names[node->id]),
                     DVT_STR_ARG(node->def.op->outputs[i].name), index - start);
      return true;
    }
    start += count;
  }
  return false;
}

static dvt_status put_node_inputs(maker *m, const TF_Operation *node) {
  for (int32_t i = 0; i < node->def.input_count; i++) {
    dvt_edge source = node->inputs[i];
    size_t begin = dvt_wire_begin(&m->nodes, 3);
    if (!reference(m, source.node, source.index, &m->nodes))
      return dvt_error(
          TF_INVALID_ARGUMENT,
          "Input %d, '" DVT_STR_FMT ":%d', of node '" DVT_STR_FMT
          "' in function '%s' is not available. You might need to include it in inputs or include its "
          "source node in the body",
          i, DVT_STR_ARG(source.node->def.name), source.index, DVT_STR_ARG(node->def.name), m->spec->name);
    dvt_wire_end(&m->nodes, begin);
  }
  for (int32_t i = 0; i < node->control_input_count; i++) {
    dvt_str name = m->node_names[node->control_inputs[i]->id];
    if (!name.data)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "The source of control edge " DVT_STR_FMT " -> " DVT_STR_FMT
                       " is not in the body. Encountered while creating function '%s'",
                       DVT_STR_ARG(node->control_inputs[i]->def.name), DVT_STR_ARG(node->def.name),
                       m->spec->name);
    size_t begin = dvt_wire_begin(&m->nodes, 3);
    dvt_buf_append_byte(&m->nodes, '^');
    dvt_buf_append_str(&m->nodes, name);
    dvt_wire_end(&m->nodes, begin);
  }
  return NULL;
}

// A placeholder in a node becomes an attr of the function, typed as the node's op says.
static dvt_status declare_placeholder(maker *m, const TF_Operation *node, const dvt_attr *attr) {
  dvt_str name;
  dvt_status status = dvt_attr_get_placeholder(attr->value, &name);
  if (status || name.len == 0 || dvt_map_get(&m->attr_names, name)) {
    dvt_status_free(status);
    return NULL;
  }
  int index = dvt_op_def_find_attr(node->def.op, attr->name);
  if (index < 0)
    return dvt_error(TF_UNIMPLEMENTED,
                     "Placeholder value is not supported for attributes not in OpDef. Attribute: " DVT_STR_FMT
                     ", Op: " DVT_STR_FMT,
                     DVT_STR_ARG(attr->name), DVT_STR_ARG(node->def.op->name));
  const dvt_attr_def *def = &node->def.op->attrs[index];
  size_t begin = dvt_wire_begin(&m->attrs, SIG_ATTR);
  dvt_wire_put_bytes(&m->attrs, 1, name);
  size_t type = dvt_wire_begin(&m->attrs, 2);
  dvt_buf_printf(&m->attrs, def->is_list ? "list(%s)" : "%s", dvt_attr_kind_name(def->kind));
  dvt_wire_end(&m->attrs, type);
  dvt_wire_end(&m->attrs, begin);
  return dvt_map_put(&m->attr_names, name, m) ? NULL : no_memory();
}

static dvt_status put_node(maker *m, const TF_Operation *node) {
  dvt_node_def def = node->def;
  def.name = m->node_names[node->id];
  size_t begin = dvt_wire_begin(&m->nodes, FUNCTION_NODE);
  dvt_node_to_proto(&def, NULL, def.device, &m->nodes);
  DVT_RETURN_IF_ERROR(put_node_inputs(m, node));
  dvt_buf_append_str(&m->nodes, node->extra);
  dvt_wire_end(&m->nodes, begin);
  m->is_stateful |= def.op->is_stateful;
  for (int32_t i = 0; i < def.attr_count; i++)
    DVT_RETURN_IF_ERROR(declare_placeholder(m, node, &def.attrs[i]));
  return NULL;
}

static void put_map_strings(dvt_buf *out, uint32_t number, dvt_str key, dvt_str value) {
  size_t begin = dvt_wire_begin(out, number);
  dvt_wire_put_bytes(out, 1, key);
  dvt_wire_put_bytes(out, 2, value);
  dvt_wire_end(out, begin);
}

static dvt_status put_results(maker *m) {
  dvt_buf text = {0};
  dvt_status status = NULL;
  for (int32_t i = 0; !status && i < m->spec->output_count; i++) {
    TF_Output output = m->spec->outputs[i];
    dvt_buf_clear(&text);
    if (!reference(m, output.oper, output.index, &text))
      status = dvt_error(
          TF_INVALID_ARGUMENT,
          "TF_Output " DVT_STR_FMT
          ":%d is neither in the function body nor among function inputs. Encountered while creating "
          "function '%s'",
          DVT_STR_ARG(output.oper->def.name), output.index, m->spec->name);
    put_map_strings(&m->rest, FUNCTION_RET, m->output_names[i], dvt_buf_str(&text));
  }
  m->rest.failed |= text.failed;
  dvt_buf_deinit(&text);
  return status;
}

static dvt_status put_control_results(maker *m, dvt_buf *signature) {
  const dvt_function_spec *spec = m->spec;
  dvt_str *names = dvt_arena_alloc(&m->arena, (size_t)spec->control_output_count * sizeof *names);
  if (!names) return no_memory();
  for (int32_t i = 0; i < spec->control_output_count; i++) {
    const TF_Operation *node = spec->control_outputs[i];
    if (!node || node->graph != m->graph || !in_body(m, node))
      return dvt_error(TF_INVALID_ARGUMENT, "control output %d of function '%s' is not a node of its body", i,
                       spec->name);
    dvt_str name = spec->control_output_names ? dvt_str_from(spec->control_output_names[i]) : node->def.name;
    if (name.len == 0) return dvt_error(TF_INVALID_ARGUMENT, "Control output name must be not empty");
    int32_t at = i;
    for (; at > 0 && dvt_str_compare(names[at - 1], name) >= 0; at--) {
      if (dvt_str_eq(names[at - 1], name))
        return dvt_error(TF_INVALID_ARGUMENT, "Repeated control output name: " DVT_STR_FMT,
                         DVT_STR_ARG(name));
      names[at] = names[at - 1];
    }
    names[at] = name;
    put_map_strings(&m->rest, FUNCTION_CONTROL_RET, name, m->node_names[node->id]);
  }
  for (int32_t i = 0; i < spec->control_output_count; i++)
    dvt_wire_put_bytes(signature, SIG_CONTROL, names[i]);
  return NULL;
}

// Eleven letters and digits from 64 bits, FNV-1a: stable across processes, unlike dvt_str_hash.
static void put_hash(const maker *m, dvt_buf *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789aA";
  const dvt_buf *parts[] = {&m->args, &m->results, &m->attrs, &m->nodes, &m->rest};
  uint64_t hash = 14695981039346656037u;
  for (size_t p = 0; p < DVT_COUNT_OF(parts); p++)
    for (size_t i = 0; i < parts[p]->len; i++) hash = (hash ^ (uint8_t)parts[p]->data[i]) * 1099511628211u;
  dvt_buf_append_byte(out, '_');
  for (int shift = 58; shift > -6; shift -= 6)
    dvt_buf_append_byte(out, digits[(shift >= 0 ? hash >> shift : hash << -shift) & 63]);
}

static dvt_status assemble(maker *m, dvt_buf *out) {
  dvt_buf controls = {0};
  dvt_status status = put_control_results(m, &controls);
  size_t signature = dvt_wire_begin(out, FUNCTION_SIGNATURE);
  size_t name = dvt_wire_begin(out, SIG_NAME);
  dvt_buf_append_str(out, dvt_str_from(m->spec->name));
  if (m->spec->append_hash) put_hash(m, out);
  dvt_wire_end(out, name);
  dvt_buf_append_str(out, dvt_buf_str(&m->args));
  dvt_buf_append_str(out, dvt_buf_str(&m->results));
  dvt_buf_append_str(out, dvt_buf_str(&m->attrs));
  if (m->spec->description) dvt_wire_put_bytes(out, SIG_DESCRIPTION, dvt_str_from(m->spec->description));
  if (m->is_stateful) dvt_wire_put_varint(out, SIG_STATEFUL, 1);
  dvt_buf_append_str(out, dvt_buf_str(&controls));
  dvt_wire_end(out, signature);
  dvt_buf_append_str(out, dvt_buf_str(&m->nodes));
  dvt_buf_append_str(out, dvt_buf_str(&m->rest));
  bool failed = m->args.failed || m->results.failed || m->attrs.failed || m->nodes.failed || m->rest.failed ||
                controls.failed || out->failed;
  dvt_buf_deinit(&controls);
  if (!status && failed) status = no_memory();
  return status;
}

static dvt_status allocate(maker *m) {
  size_t nodes = m->graph->node_count, inputs = (size_t)m->spec->input_count,
         outputs = (size_t)m->spec->output_count;
  size_t body = m->spec->op_count >= 0 ? (size_t)m->spec->op_count : nodes;
  m->body = dvt_arena_alloc(&m->arena, body * sizeof *m->body);
  m->node_names = dvt_arena_calloc(&m->arena, nodes, sizeof *m->node_names);
  m->input_of = dvt_arena_alloc(&m->arena, nodes * sizeof *m->input_of);
  m->input_chain = dvt_arena_alloc(&m->arena, inputs * sizeof *m->input_chain);
  m->input_names = dvt_arena_calloc(&m->arena, inputs, sizeof *m->input_names);
  m->output_names = dvt_arena_calloc(&m->arena, outputs, sizeof *m->output_names);
  if (!m->body || !m->node_names || !m->input_of || !m->input_chain || !m->input_names || !m->output_names)
    return no_memory();
  for (size_t i = 0; i < nodes; i++) m->input_of[i] = -1;
  return NULL;
}

static dvt_status make(maker *m, dvt_buf *out) {
  DVT_RETURN_IF_ERROR(allocate(m));
  DVT_RETURN_IF_ERROR(check_inputs(m));
  DVT_RETURN_IF_ERROR(name_outputs(m));
  DVT_RETURN_IF_ERROR(choose_body(m));
  DVT_RETURN_IF_ERROR(name_inputs(m));
  DVT_RETURN_IF_ERROR(name_body(m));
  uint32_t walk = ++((TF_Graph *)(uintptr_t)m->graph)->seen;
  for (size_t i = 0; i < m->body_count; i++) ((TF_Operation *)(uintptr_t)m->body[i])->seen = walk;
  for (size_t i = 0; i < m->body_count; i++) DVT_RETURN_IF_ERROR(put_node(m, m->body[i]));
  DVT_RETURN_IF_ERROR(put_results(m));
  return assemble(m, out);
}

dvt_status dvt_function_from_graph(const TF_Graph *graph, const dvt_function_spec *spec,
                                   TF_Function **out_function) {
  maker m = {.graph = graph, .spec = spec};
  dvt_buf proto = {0};
  dvt_status status = make(&m, &proto);
  if (!status) status = dvt_function_from_proto(dvt_buf_str(&proto), out_function);
  dvt_buf *parts[] = {&m.args, &m.results, &m.attrs, &m.nodes, &m.rest, &proto};
  for (size_t i = 0; i < DVT_COUNT_OF(parts); i++) dvt_buf_deinit(parts[i]);
  dvt_map_deinit(&m.used);
  dvt_map_deinit(&m.attr_names);
  dvt_arena_deinit(&m.arena);
  return status;
}
