// Graphs and nodes to GraphDef and NodeDef bytes. Nodes come in creation order and control inputs sorted by
// name, so that equal graphs give equal bytes; attrs that were left to their default are written out, as
// stock does.
#include "graph/function.h"

#include <stdlib.h>

enum { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_DEVICE = 4, NODE_ATTR = 5 };
enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, GRAPH_VERSIONS = 4 };

static void put_attr(dvt_str name, dvt_str value, dvt_buf *out) {
  size_t begin = dvt_wire_begin(out, NODE_ATTR);
  dvt_wire_put_bytes(out, 1, name);
  dvt_wire_put_bytes(out, 2, value);
  dvt_wire_end(out, begin);
}

static bool has_attr(const dvt_node_def *def, dvt_str name) {
  for (int32_t i = 0; i < def->attr_count; i++)
    if (dvt_str_eq(def->attrs[i].name, name)) return true;
  return false;
}

static void put_attrs(const dvt_node_def *def, dvt_buf *out) {
  for (int32_t i = 0; i < def->attr_count; i++) put_attr(def->attrs[i].name, def->attrs[i].value, out);
  for (int i = 0; i < def->op->attr_count; i++) {
    const dvt_attr_def *attr = &def->op->attrs[i];
    if (attr->has_default && !has_attr(def, attr->name)) put_attr(attr->name, attr->default_value, out);
  }
}

static void put_input(dvt_edge input, dvt_buf *out) {
  size_t begin = dvt_wire_begin(out, NODE_INPUT);
  dvt_buf_append_str(out, input.node->def.name);
  if (input.index > 0) dvt_buf_printf(out, ":%d", input.index);
  dvt_wire_end(out, begin);
}

static int by_name(const void *a, const void *b) {
  const TF_Operation *x = *(TF_Operation *const *)a, *y = *(TF_Operation *const *)b;
  return dvt_str_compare(x->def.name, y->def.name);
}

static void put_controls(const TF_Operation *node, dvt_buf *out) {
  enum { FEW = 32 };
  TF_Operation *few[FEW], **sorted = few;
  size_t count = (size_t)node->control_input_count, bytes = count * sizeof *sorted;
  if (count == 0) return;
  if (count > FEW && !(sorted = dvt_malloc(bytes))) {
    out->failed = true;
    return;
  }
  memcpy(sorted, node->control_inputs, bytes);
  if (count > 1) qsort(sorted, count, sizeof *sorted, by_name);
  for (size_t i = 0; i < count; i++) {
    size_t begin = dvt_wire_begin(out, NODE_INPUT);
    dvt_buf_append_byte(out, '^');
    dvt_buf_append_str(out, sorted[i]->def.name);
    dvt_wire_end(out, begin);
  }
  if (sorted != few) dvt_free(sorted);
}

void dvt_operation_to_proto(const TF_Operation *node, dvt_buf *out) {
  const dvt_node_def *def = &node->def;
  dvt_wire_put_bytes(out, NODE_NAME, def->name);
  dvt_wire_put_bytes(out, NODE_OP, def->op->name);
  for (int32_t i = 0; i < def->input_count; i++) put_input(node->inputs[i], out);
  put_controls(node, out);
  if (def->device.len) dvt_wire_put_bytes(out, NODE_DEVICE, def->device);
  put_attrs(def, out);
  dvt_buf_append_str(out, node->extra);
}

dvt_status dvt_graph_to_proto(TF_Graph *graph, dvt_buf *out) {
  for (size_t i = 0; i < graph->node_count; i++) {
    size_t begin = dvt_wire_begin(out, GRAPH_NODE);
    dvt_operation_to_proto(graph->nodes[i], out);
    dvt_wire_end(out, begin);
  }
  size_t library = dvt_wire_begin(out, GRAPH_LIBRARY);
  dvt_function_library_to_proto(graph->functions, out);
  dvt_wire_end(out, library);
  size_t versions = dvt_wire_begin(out, GRAPH_VERSIONS);
  dvt_graph_versions_to_proto(graph, out);
  dvt_wire_end(out, versions);
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}
