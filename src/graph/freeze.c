// See freeze.h. Which nodes and functions are kept, and the order of the work: the nodes of the graph that
// are wanted are written first, which brings in the functions they call, each of which may bring in more.
#include "graph/freeze_internal.h"
#include "op/attr.h"

// ---- reading ----

static dvt_status damaged(void) {
  return dvt_error(TF_INVALID_ARGUMENT, "the graph is damaged: its bytes are no GraphDef.");
}

static dvt_status read_node(dvt_freezer *f, dvt_str proto, dvt_freeze_node *node) {
  *node = (dvt_freeze_node){
      .proto = proto, .name = dvt_freeze_bytes(proto, NODE_NAME), .op = dvt_freeze_bytes(proto, NODE_OP)};
  node->use = dvt_freeze_use_of(f, node->op);
  for (int pass = 0; pass < 2; ++pass) {
    dvt_wire wire = dvt_wire_open(proto);
    dvt_field field;
    size_t count = 0;
    while (dvt_wire_next(&wire, &field)) {
      if (field.number != NODE_INPUT || field.type != DVT_WIRE_BYTES) continue;
      if (pass) {
        node->inputs[count] = field.bytes;
        if (!field.bytes.len || field.bytes.data[0] != '^') node->data_count = count + 1;
      }
      ++count;
    }
    if (wire.bad) return damaged();
    node->input_count = count;
    if (!pass) node->inputs = dvt_arena_calloc(&f->arena, count + 1, sizeof *node->inputs);
    if (!node->inputs) return dvt_error_out_of_memory(count * sizeof *node->inputs);
  }
  return NULL;
}

static size_t count_fields(dvt_str message, uint32_t number) {
  dvt_wire wire = dvt_wire_open(message);
  dvt_field field;
  size_t count = 0;
  while (dvt_wire_next(&wire, &field)) count += field.number == number && field.type == DVT_WIRE_BYTES;
  return count;
}

static dvt_status read_signature(dvt_freezer *f, dvt_freeze_scope *scope) {
  dvt_str signature = dvt_freeze_bytes(scope->proto, FUNCTION_SIGNATURE);
  size_t args = count_fields(signature, OP_INPUT), rets = count_fields(signature, OP_OUTPUT);
  scope->arg_names = dvt_arena_calloc(&f->arena, args + 1, sizeof *scope->arg_names);
  scope->ret_names = dvt_arena_calloc(&f->arena, rets + 1, sizeof *scope->ret_names);
  scope->ret_dtypes = dvt_arena_calloc(&f->arena, rets + 1, sizeof *scope->ret_dtypes);
  scope->args = dvt_arena_calloc(&f->arena, args + 1, sizeof *scope->args);
  if (!scope->arg_names || !scope->ret_names || !scope->ret_dtypes || !scope->args)
    return dvt_error_out_of_memory((args + rets) * sizeof *scope->args);
  dvt_wire wire = dvt_wire_open(signature);
  dvt_field field, dtype;
  while (dvt_wire_next(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    dvt_str name = dvt_freeze_bytes(field.bytes, ARG_NAME);
    if (field.number == OP_INPUT) scope->arg_names[scope->arg_count++] = name;
    if (field.number != OP_OUTPUT) continue;
    if (dvt_wire_find(field.bytes, ARG_TYPE, DVT_WIRE_VARINT, &dtype))
      scope->ret_dtypes[scope->ret_count] = (int)dtype.value;
    scope->ret_names[scope->ret_count++] = name;
  }
  return NULL;
}

dvt_status dvt_freeze_scope_read(dvt_freezer *f, dvt_freeze_scope *scope) {
  bool is_function = scope->source_name.len > 0;
  uint32_t number = is_function ? FUNCTION_NODE : GRAPH_NODE;
  size_t count = count_fields(scope->proto, number);
  if (is_function) DVT_RETURN_IF_ERROR(read_signature(f, scope));
  scope->nodes = dvt_arena_calloc(&f->arena, count + 1, sizeof *scope->nodes);
  if (!scope->nodes || !dvt_map_reserve(&scope->by_name, count))
    return dvt_error_out_of_memory(count * sizeof *scope->nodes);
  dvt_wire wire = dvt_wire_open(scope->proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != number || field.type != DVT_WIRE_BYTES) continue;
    dvt_freeze_node *node = &scope->nodes[scope->node_count++];
    DVT_RETURN_IF_ERROR(read_node(f, field.bytes, node));
    if (!dvt_map_put(&scope->by_name, node->name, node)) return dvt_error_out_of_memory(sizeof *node);
  }
  return wire.bad ? damaged() : NULL;
}

static dvt_status read_library(dvt_freezer *f, dvt_str library) {
  dvt_wire wire = dvt_wire_open(library);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != LIBRARY_FUNCTION || field.type != DVT_WIRE_BYTES) continue;
    dvt_str *proto = dvt_arena_alloc(&f->arena, sizeof *proto);
    if (!proto) return dvt_error_out_of_memory(sizeof *proto);
    *proto = field.bytes;
    dvt_str name = dvt_freeze_bytes(dvt_freeze_bytes(field.bytes, FUNCTION_SIGNATURE), OP_NAME);
    if (!dvt_map_put(&f->functions, name, proto)) return dvt_error_out_of_memory(sizeof *proto);
  }
  return wire.bad ? damaged() : NULL;
}

// ---- what is kept ----

static dvt_freeze_node *node_of(const dvt_freezer *f, dvt_str ref) {
  if (ref.len && ref.data[0] == '^') ref = dvt_str_drop(ref, 1);
  return dvt_freeze_producer(&f->graph, ref, NULL);
}

static dvt_status mark_wanted(dvt_freezer *f) {
  size_t waiting = 0;
  dvt_freeze_node **stack = dvt_arena_calloc(&f->arena, f->graph.node_count + 1, sizeof *stack);
  if (!stack) return dvt_error_out_of_memory(f->graph.node_count * sizeof *stack);
  for (size_t i = 0; i < f->spec->tensor_count; ++i) {
    dvt_freeze_node *node = node_of(f, f->spec->tensors[i]);
    if (!node)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "the signature names the tensor '" DVT_STR_FMT "', but there is no such node.",
                       DVT_STR_ARG(f->spec->tensors[i]));
    if (!node->is_wanted) stack[waiting++] = node;
    node->is_wanted = true;
  }
  while (waiting) {
    const dvt_freeze_node *node = stack[--waiting];
    for (size_t i = 0; i < node->input_count; ++i) {
      dvt_freeze_node *from = node_of(f, node->inputs[i]);
      if (!from || from->is_wanted) continue;
      from->is_wanted = true;
      stack[waiting++] = from;
    }
  }
  for (size_t i = 0; i < f->spec->asset_count; ++i) {
    const dvt_freeze_node *node = node_of(f, f->spec->assets[i]);
    if (node && node->is_wanted)
      return dvt_error(TF_UNIMPLEMENTED,
                       "the model reads a file of its assets, whose name is in node '" DVT_STR_FMT
                       "'; a GraphDef cannot hold assets.",
                       DVT_STR_ARG(node->name));
  }
  return NULL;
}

// ---- writing ----

static dvt_status write_nodes(dvt_freezer *f, dvt_buf *out) {
  for (size_t i = 0; i < f->graph.node_count; ++i)
    if (f->graph.nodes[i].is_wanted)
      DVT_RETURN_IF_ERROR(dvt_freeze_write_node(f, &f->graph, &f->graph.nodes[i], GRAPH_NODE, out));
  dvt_wire wire = dvt_wire_open(f->graph.proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number != GRAPH_NODE && field.number != GRAPH_LIBRARY) dvt_wire_put_field(&field, out);
  return NULL;
}

static dvt_status write_library(dvt_freezer *f, dvt_buf *out) {
  dvt_buf library = {0};
  dvt_status status = NULL;
  for (dvt_freeze_scope *scope = f->first; scope && !status; scope = scope->next)
    status = dvt_freeze_write_function(f, scope, &library);
  if (library.len) dvt_wire_put_bytes(out, GRAPH_LIBRARY, dvt_buf_str(&library));
  out->failed |= library.failed;
  dvt_buf_deinit(&library);
  return status;
}

static dvt_status freeze(dvt_freezer *f, dvt_buf *out) {
  DVT_RETURN_IF_ERROR(read_library(f, dvt_freeze_bytes(f->graph.proto, GRAPH_LIBRARY)));
  DVT_RETURN_IF_ERROR(dvt_freeze_scope_read(f, &f->graph));
  DVT_RETURN_IF_ERROR(mark_wanted(f));
  DVT_RETURN_IF_ERROR(write_nodes(f, out));
  DVT_RETURN_IF_ERROR(write_library(f, out));
  if (f->refused_count)
    return dvt_error(TF_UNIMPLEMENTED,
                     "what the model keeps between runs cannot become constants: " DVT_STR_FMT ".",
                     DVT_STR_ARG(dvt_buf_str(&f->refused)));
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}

dvt_status dvt_graph_freeze(dvt_str graph_def, const dvt_freeze_spec *spec, dvt_buf *out) {
  dvt_freezer f = {.spec = spec, .graph = {.proto = graph_def}};
  dvt_status status = freeze(&f, out);
  for (dvt_freeze_scope *scope = f.first; scope; scope = scope->next) dvt_map_deinit(&scope->by_name);
  dvt_map_deinit(&f.graph.by_name);
  dvt_map_deinit(&f.functions);
  dvt_map_deinit(&f.variables);
  dvt_buf_deinit(&f.refused);
  dvt_arena_deinit(&f.arena);
  return status;
}
