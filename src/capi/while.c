// TF_NewWhile to TF_AbortWhile: v1 while loops. The caller fills a condition and a body graph; finishing
// copies both into the graph, between Enter, Merge, LoopCond, Switch, NextIteration and Exit. Gradients are
// not implemented.
#include "base/log.h"
#include "capi/unimplemented.h"
#include "graph/builder.h"
#include "graph/import_names.h"
#include "op/registry.h"
#include "tensor/dtype.h"

static const TF_WhileParams no_params = {0};

// A subgraph with one Placeholder an input, named `prefix` and the input's number.
static dvt_status make_subgraph(TF_Graph *parent, const TF_Output *inputs, int count, const char *prefix,
                                TF_Graph **out_graph, TF_Output *out_inputs) {
  TF_Graph *graph;
  DVT_RETURN_IF_ERROR(dvt_graph_create(&graph));
  dvt_status status = NULL;
  for (int i = 0; !status && i < count; i++) {
    dvt_buf name = {0};
    TF_Operation *node = NULL;
    dvt_buf_printf(&name, "%s%d", prefix, i);
    TF_OperationDescription *desc =
        dvt_builder_create(graph, DVT_STR("Placeholder"), dvt_buf_str(&name), false);
    dvt_buf_deinit(&name);
    if (!desc) {
      status = dvt_error_out_of_memory(sizeof *desc);
      break;
    }
    dvt_attr_put_type(dvt_builder_begin_attr(desc, DVT_STR("dtype")),
                      inputs[i].oper->def.output_types[inputs[i].index]);
    dvt_builder_end_attr(desc);
    status = dvt_builder_finish(desc, false, &node);
    out_inputs[i] = (TF_Output){node, 0};
  }
  if (status) {
    dvt_graph_release(graph);
    return status;
  }
  graph->loop_parent = parent;
  *out_graph = graph;
  return NULL;
}

static dvt_status check_loop_inputs(const TF_Graph *g, const TF_Output *inputs, int count) {
  if (count <= 0) return dvt_error(TF_INVALID_ARGUMENT, "TF_NewWhile() must be passed at least one input");
  for (int i = 0; i < count; i++) {
    const TF_Operation *node = inputs[i].oper;
    if (!node || node->graph != g || inputs[i].index < 0 || inputs[i].index >= node->def.output_count)
      return dvt_error(TF_INVALID_ARGUMENT, "input %d of TF_NewWhile() is not an output in the graph", i);
    if (node->def.output_types[inputs[i].index] > DVT_DTYPE_REF_OFFSET)
      return dvt_error(TF_INVALID_ARGUMENT, "input %d of TF_NewWhile() has a reference type", i);
  }
  return NULL;
}

TF_WhileParams TF_NewWhile(TF_Graph *g, TF_Output *inputs, int ninputs, TF_Status *status) {
  TF_Graph *cond = NULL, *body = NULL;
  dvt_status error = check_loop_inputs(g, inputs, ninputs);
  size_t count = error ? 0 : (size_t)ninputs;
  // The four arrays of the loop in one block, which the condition graph's inputs begin.
  TF_Output *arrays = error ? NULL : dvt_calloc(4 * count, sizeof *arrays);
  if (!error && !arrays) error = dvt_error_out_of_memory(4 * count * sizeof *arrays);
  if (!error) error = make_subgraph(g, inputs, ninputs, "cond_input", &cond, arrays);
  if (!error) error = make_subgraph(g, inputs, ninputs, "body_input", &body, arrays + count);
  if (error) {
    dvt_graph_release(cond);
    dvt_free(arrays);
    dvt_status_to_tf(error, status);
    return no_params;
  }
  memcpy(arrays + 3 * count, inputs, count * sizeof *arrays);
  dvt_status_to_tf(NULL, status);
  return (TF_WhileParams){.ninputs = ninputs,
                          .cond_graph = cond,
                          .cond_inputs = arrays,
                          .body_graph = body,
                          .body_inputs = arrays + count,
                          .body_outputs = arrays + 2 * count};
}

void TF_AbortWhile(const TF_WhileParams *params) {
  if (!params) return;
  dvt_graph_release(params->cond_graph);
  dvt_graph_release(params->body_graph);
  dvt_free((void *)(uintptr_t)params->cond_inputs);
}

typedef struct loop {
  TF_Graph *graph;
  const TF_WhileParams *params;
  const TF_Output *inputs;
  dvt_buf prefix;  // of all its nodes: the name asked for, made unique
  dvt_buf name;    // of the next node
  TF_Operation **merges, **switches;
} loop;

static bool is_set(TF_Output output, const TF_Graph *graph) {
  return output.oper && output.oper->graph == graph && output.index >= 0 &&
         output.index < output.oper->def.output_count;
}

static dvt_status check_params(const TF_WhileParams *p) {
  if (!p || p->ninputs <= 0 || !p->cond_graph || !p->body_graph)
    return dvt_error(TF_INVALID_ARGUMENT, "TF_WhileParams was not made by TF_NewWhile");
  if (!p->name || !*p->name) return dvt_error(TF_INVALID_ARGUMENT, "TF_WhileParams `name` field is null");
  if (!is_set(p->cond_output, p->cond_graph))
    return dvt_error(TF_INVALID_ARGUMENT, "TF_WhileParams `cond_output` field isn't set");
  for (int i = 0; i < p->ninputs; i++)
    if (!is_set(p->body_outputs[i], p->body_graph))
      return dvt_error(TF_INVALID_ARGUMENT, "TF_WhileParams `body_outputs[%d]` field isn't set", i);
  return NULL;
}

// "loop", "loop_1", ...: the first that is neither a node nor a scope of nodes.
static dvt_status choose_prefix(loop *l) {
  for (unsigned count = 0;; count++) {
    dvt_buf_clear(&l->prefix);
    dvt_buf_printf(&l->prefix, "%s", l->params->name);
    if (count) dvt_buf_printf(&l->prefix, "_%u", count);
    if (l->prefix.failed) return dvt_error_out_of_memory(l->prefix.len);
    bool taken;
    DVT_RETURN_IF_ERROR(dvt_graph_name_is_taken(l->graph, dvt_buf_str(&l->prefix), &taken));
    if (!taken) return NULL;
  }
}

// "loop/Enter", "loop/Enter_1", ...: the first that is free.
static dvt_status next_name(loop *l, const char *op) {
  for (unsigned count = 0;; count++) {
    dvt_buf_clear(&l->name);
    dvt_buf_printf(&l->name, DVT_STR_FMT "/%s", DVT_STR_ARG(dvt_buf_str(&l->prefix)), op);
    if (count) dvt_buf_printf(&l->name, "_%u", count);
    if (l->name.failed) return dvt_error_out_of_memory(l->name.len);
    if (!dvt_graph_find(l->graph, dvt_buf_str(&l->name))) return NULL;
  }
}

static dvt_status begin_node(loop *l, const char *op, TF_OperationDescription **out_desc) {
  DVT_RETURN_IF_ERROR(next_name(l, op));
  *out_desc = dvt_builder_create(l->graph, dvt_str_from(op), dvt_buf_str(&l->name), true);
  return *out_desc ? NULL : dvt_error_out_of_memory(sizeof **out_desc);
}

// A node with up to two plain inputs.
static dvt_status add_node(loop *l, const char *op, dvt_edge first, dvt_edge second,
                           TF_Operation **out_node) {
  TF_OperationDescription *desc;
  DVT_RETURN_IF_ERROR(begin_node(l, op, &desc));
  dvt_builder_add_input(desc, first);
  if (second.node) dvt_builder_add_input(desc, second);
  return dvt_builder_finish(desc, true, out_node);
}

static dvt_status add_enter(loop *l, TF_Output input, TF_Operation **out_node) {
  TF_OperationDescription *desc;
  DVT_RETURN_IF_ERROR(begin_node(l, "Enter", &desc));
  dvt_builder_add_input(desc, (dvt_edge){input.oper, input.index});
  dvt_attr_put_string(dvt_builder_begin_attr(desc, DVT_STR("frame_name")), dvt_str_from(l->params->name));
  dvt_builder_end_attr(desc);
  return dvt_builder_finish(desc, true, out_node);
}

// The second input stays open until the NextIteration exists.
static dvt_status add_merge(loop *l, TF_Operation *enter, TF_Operation **out_node) {
  dvt_buf values = {0};
  dvt_str kept, name;
  dvt_new_node node = {.allow_back_edges = true, .input_count = 2, .attr_count = 2};
  dvt_edge inputs[] = {{enter, 0}, {NULL, 0}};
  DVT_RETURN_IF_ERROR(dvt_op_lookup_or_error(DVT_STR("Merge"), &node.op));
  DVT_RETURN_IF_ERROR(next_name(l, "Merge"));
  dvt_attr_put_type(&values, enter->def.output_types[0]);
  size_t split = values.len;
  dvt_attr_put_int(&values, 2);
  bool copied = !values.failed && dvt_arena_copy_str(&l->graph->arena, dvt_buf_str(&values), &kept) &&
                dvt_arena_copy_str(&l->graph->arena, dvt_buf_str(&l->name), &name);
  dvt_buf_deinit(&values);
  if (!copied) return dvt_error_out_of_memory(64);
  dvt_attr attrs[] = {{DVT_STR("T"), dvt_str_make(kept.data, split)},
                      {DVT_STR("N"), dvt_str_drop(kept, split)}};
  node.name = name;
  node.attrs = attrs;
  node.inputs = inputs;
  return dvt_graph_add_node(l->graph, &node, out_node);
}

static bool is_one_of(const TF_Operation *node, const TF_Output *list, int count) {
  for (int i = 0; i < count; i++)
    if (list[i].oper == node) return true;
  return false;
}

// All nodes of `part` but its inputs.
static dvt_status nodes_to_proto(const TF_Graph *part, const TF_Output *part_inputs, int count,
                                 dvt_buf *out) {
  for (size_t i = 0; i < part->node_count; i++) {
    if (is_one_of(part->nodes[i], part_inputs, count)) continue;
    size_t begin = dvt_wire_begin(out, 1);
    dvt_operation_to_proto(part->nodes[i], out);
    dvt_wire_end(out, begin);
  }
  size_t versions = dvt_wire_begin(out, 4);
  dvt_graph_versions_to_proto(part, out);
  dvt_wire_end(out, versions);
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}

// Copies `part` under the loop's name. Its inputs become `output` of the nodes in `sources`; nodes that read
// no input run once an iteration because they wait for the first of these.
static dvt_status copy_part(loop *l, TF_Graph *part, const char *what, const TF_Output *part_inputs,
                            TF_Operation **sources, int output, const TF_Output *wanted, int wanted_count,
                            TF_Output *out_outputs) {
  TF_ImportGraphDefOptions options;
  TF_ImportGraphDefResults results = {0};
  dvt_buf proto = {0}, prefix = {0};
  dvt_import_options_init(&options);
  dvt_buf_printf(&prefix, DVT_STR_FMT "/%s", DVT_STR_ARG(dvt_buf_str(&l->prefix)), what);
  dvt_import_options_set_prefix(&options, dvt_buf_str(&prefix));
  options.uniquify_prefix = true;
  for (int i = 0; i < l->params->ninputs; i++) {
    dvt_str name = part_inputs[i].oper->def.name;
    dvt_import_options_map_input(&options, name, 0, (dvt_edge){sources[i], output});
    dvt_import_options_map_input(&options, name, -1, (dvt_edge){sources[i], -1});
  }
  dvt_import_options_add_control_dependency(&options, sources[0]);
  for (int i = 0; i < wanted_count; i++)
    dvt_import_options_add_return_output(&options, wanted[i].oper->def.name, wanted[i].index);
  pthread_mutex_lock(&part->lock);
  dvt_status status = nodes_to_proto(part, part_inputs, l->params->ninputs, &proto);
  pthread_mutex_unlock(&part->lock);
  if (!status) status = dvt_graph_import(l->graph, dvt_buf_str(&proto), &options, &results);
  if (!status) memcpy(out_outputs, results.return_outputs, sizeof *out_outputs * (size_t)wanted_count);
  dvt_arena_deinit(&results.arena);
  dvt_import_options_deinit(&options);
  dvt_buf_deinit(&proto);
  dvt_buf_deinit(&prefix);
  return status;
}

static dvt_status build_condition(loop *l, TF_Operation **out_loop_cond) {
  const TF_WhileParams *p = l->params;
  TF_Output result;
  for (int i = 0; i < p->ninputs; i++) {
    TF_Operation *enter;
    DVT_RETURN_IF_ERROR(add_enter(l, l->inputs[i], &enter));
    l->switches[i] = enter;  // until the switches exist
  }
  for (int i = 0; i < p->ninputs; i++) DVT_RETURN_IF_ERROR(add_merge(l, l->switches[i], &l->merges[i]));
  DVT_RETURN_IF_ERROR(
      copy_part(l, p->cond_graph, "cond", p->cond_inputs, l->merges, 0, &p->cond_output, 1, &result));
  int dtype = result.oper->def.output_types[result.index];
  if (dtype != TF_BOOL)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "BuildWhileLoop: 'cond' argument must return a boolean output, got %s",
                     dvt_dtype_name(dtype));
  return add_node(l, "LoopCond", (dvt_edge){result.oper, result.index}, (dvt_edge){NULL, 0}, out_loop_cond);
}

static dvt_status build_loop(loop *l, TF_Output *results, TF_Output *outputs) {
  const TF_WhileParams *p = l->params;
  TF_Operation *loop_cond, *node;
  DVT_RETURN_IF_ERROR(choose_prefix(l));
  DVT_RETURN_IF_ERROR(build_condition(l, &loop_cond));
  for (int i = 0; i < p->ninputs; i++)
    DVT_RETURN_IF_ERROR(
        add_node(l, "Switch", (dvt_edge){l->merges[i], 0}, (dvt_edge){loop_cond, 0}, &l->switches[i]));
  DVT_RETURN_IF_ERROR(copy_part(l, p->body_graph, "body", p->body_inputs, l->switches, 1, p->body_outputs,
                                p->ninputs, results));
  for (int i = 0; i < p->ninputs; i++) {
    DVT_RETURN_IF_ERROR(add_node(l, "NextIteration", (dvt_edge){results[i].oper, results[i].index},
                                 (dvt_edge){NULL, 0}, &node));
    DVT_RETURN_IF_ERROR(dvt_graph_set_input(l->merges[i], 1, (dvt_edge){node, 0}));
  }
  for (int i = 0; i < p->ninputs; i++) {
    DVT_RETURN_IF_ERROR(add_node(l, "Exit", (dvt_edge){l->switches[i], 0}, (dvt_edge){NULL, 0}, &node));
    results[i] = (TF_Output){node, 0};
  }
  memcpy(outputs, results, sizeof *outputs * (size_t)p->ninputs);
  return NULL;
}

static dvt_status finish_while(const TF_WhileParams *params, TF_Output *outputs) {
  DVT_RETURN_IF_ERROR(check_params(params));
  size_t count = (size_t)params->ninputs;
  loop l = {
      .graph = params->cond_graph->loop_parent, .params = params, .inputs = params->cond_inputs + 3 * count};
  TF_Output *results = dvt_calloc(count, sizeof *results);
  l.merges = dvt_calloc(2 * count, sizeof *l.merges);
  dvt_status status = results && l.merges ? NULL : dvt_error_out_of_memory(count * sizeof *results);
  if (!status) {
    l.switches = l.merges + count;
    pthread_mutex_lock(&l.graph->lock);
    size_t before = l.graph->node_count;
    status = build_loop(&l, results, outputs);
    if (status) dvt_graph_truncate(l.graph, before);
    pthread_mutex_unlock(&l.graph->lock);
  }
  dvt_buf_deinit(&l.name);
  dvt_buf_deinit(&l.prefix);
  dvt_free(l.merges);
  dvt_free(results);
  return status;
}

void TF_FinishWhile(const TF_WhileParams *params, TF_Status *status, TF_Output *outputs) {
  dvt_status error = finish_while(params, outputs);
  TF_AbortWhile(params);
  dvt_status_to_tf(error, status);
}

static const char gradient_remedy[] = "build the gradient operations before the graph is exported";

void TF_AddGradients(TF_Graph *g, TF_Output *y, int ny, TF_Output *x, int nx, TF_Output *dx,
                     TF_Status *status, TF_Output *dy) {
  (void)g, (void)y, (void)ny, (void)x, (void)nx, (void)dx, (void)dy;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_AddGradients), gradient_remedy, status);
}

void TF_AddGradientsWithPrefix(TF_Graph *g, const char *prefix, TF_Output *y, int ny, TF_Output *x, int nx,
                               TF_Output *dx, TF_Status *status, TF_Output *dy) {
  (void)g, (void)prefix, (void)y, (void)ny, (void)x, (void)nx, (void)dx, (void)dy;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_AddGradientsWithPrefix), gradient_remedy, status);
}
