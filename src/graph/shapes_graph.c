// Graphs as nets for the shape engine, and the shapes of a graph for given feeds.
#include "graph/shapes_internal.h"
#include "tensor/tensor_proto.h"

static bool is_back_edge(const TF_Operation *node) {
  return dvt_str_is(node->def.op->name, "Merge") || dvt_str_is(node->def.op->name, "RefMerge");
}

// Nodes follow their producers as they were added; edges that were moved since, and those of loops, do not.
static bool is_in_order(const TF_Graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    const TF_Operation *node = graph->nodes[i];
    for (int32_t k = 0; k < node->def.input_count; k++)
      if (node->inputs[k].node && node->inputs[k].node->id >= node->id && !is_back_edge(node)) return false;
  }
  return true;
}

// Producers first; nodes in cycles without a Merge are left out.
static dvt_status sort(const TF_Graph *graph, int32_t *order, size_t *out_count) {
  int32_t *missing = dvt_calloc(graph->node_count + 1, sizeof *missing);
  size_t count = 0;
  if (!missing) return dvt_error_out_of_memory(graph->node_count * sizeof *missing);
  for (size_t i = 0; i < graph->node_count; i++) {
    const TF_Operation *node = graph->nodes[i];
    for (int32_t k = 0; k < node->def.input_count; k++) {
      const TF_Operation *producer = node->inputs[k].node;
      missing[i] += producer && !dvt_str_is(producer->def.op->name, "NextIteration");
    }
    if (!missing[i]) order[count++] = (int32_t)i;
  }
  for (size_t i = 0; i < count; i++) {
    const TF_Operation *node = graph->nodes[order[i]];
    if (dvt_str_is(node->def.op->name, "NextIteration")) continue;
    for (const dvt_consumer *c = node->consumers; c; c = c->next)
      if (c->input >= 0 && --missing[c->node->id] == 0) order[count++] = c->node->id;
  }
  dvt_free(missing);
  *out_count = count;
  return NULL;
}

static void fill(dvt_graph_net *out, const TF_Graph *graph) {
  int32_t at = 0;
  for (size_t i = 0; i < graph->node_count; i++) {
    const TF_Operation *node = graph->nodes[i];
    out->defs[i] = &node->def;
    out->hints[i] = node->output_shapes;
    out->first_input[i] = at;
    for (int32_t k = 0; k < node->def.input_count; k++)
      out->sources[at++] = node->inputs[k].node
                               ? (dvt_source){node->inputs[k].node->id, node->inputs[k].index}
                               : (dvt_source){DVT_SOURCE_UNKNOWN, 0};
  }
}

dvt_status dvt_graph_net_init(dvt_graph_net *out, const TF_Graph *graph) {
  size_t count = graph->node_count, inputs = 0;
  for (size_t i = 0; i < count; i++) inputs += (size_t)graph->nodes[i]->def.input_count;
  *out = (dvt_graph_net){.defs = dvt_calloc(count + 1, sizeof *out->defs),
                         .hints = dvt_calloc(count + 1, sizeof *out->hints),
                         .first_input = dvt_calloc(count + 1, sizeof *out->first_input),
                         .sources = dvt_calloc(inputs + 1, sizeof *out->sources)};
  if (!out->defs || !out->hints || !out->first_input || !out->sources)
    return dvt_error_out_of_memory(count * 20 + inputs * sizeof *out->sources);
  fill(out, graph);
  out->net = (dvt_net){.node_count = count,
                       .defs = out->defs,
                       .hints = out->hints,
                       .first_input = out->first_input,
                       .sources = out->sources,
                       .functions = graph->functions,
                       .graph_def_version = graph->producer_version};
  if (is_in_order(graph)) return NULL;
  out->order = dvt_calloc(count + 1, sizeof *out->order);
  if (!out->order) return dvt_error_out_of_memory(count * sizeof *out->order);
  out->net.order = out->order;
  return sort(graph, out->order, &out->net.order_count);
}

void dvt_graph_net_deinit(dvt_graph_net *net) {
  dvt_free(net->defs);
  dvt_free(net->hints);
  dvt_free(net->first_input);
  dvt_free(net->sources);
  dvt_free(net->order);
}

// Readers of the output read the feed instead.
static void redirect(dvt_graph_net *net, const TF_Operation *node, int output, int feed) {
  for (const dvt_consumer *c = node->consumers; c; c = c->next)
    if (c->output == output && c->input >= 0)
      net->sources[net->first_input[c->node->id] + c->input] = (dvt_source){DVT_SOURCE_FEED, feed};
}

static dvt_status check_feed(const TF_Graph *graph, const dvt_fed_shape *feed) {
  dvt_str name = feed->output.oper->def.name;
  if (feed->output.oper->graph != graph || feed->output.index < 0 ||
      feed->output.index >= feed->output.oper->def.output_count)
    return dvt_error(TF_INVALID_ARGUMENT, "'" DVT_STR_FMT ":%d' is no output of the graph", DVT_STR_ARG(name),
                     feed->output.index);
  if (feed->rank > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "'" DVT_STR_FMT "' is fed a shape of rank %d; the highest is %d",
                     DVT_STR_ARG(name), feed->rank, DVT_MAX_RANK);
  return NULL;
}

// What is fed, and what is known of the output besides.
static dvt_status feed(dvt_graph_net *net, dvt_shapes *shapes, const dvt_fed_shape *fed, int index) {
  const TF_Operation *node = fed->output.oper;
  dvt_shape given = NULL, declared = node->output_shapes[fed->output.index], mine = NULL;
  if (fed->rank >= 0) DVT_RETURN_IF_ERROR(dvt_shape_make(shapes->arena, fed->dims, fed->rank, true, &given));
  if (declared)
    DVT_RETURN_IF_ERROR(dvt_shape_make(shapes->arena, declared->dims, declared->rank, true, &mine));
  dvt_status status = dvt_shape_merge(shapes->arena, given, mine, &shapes->feeds[index]);
  if (!status) {
    shapes->outputs[shapes->first_output[node->id] + fed->output.index] = shapes->feeds[index];
    redirect(net, node, fed->output.index, index);
    return NULL;
  }
  dvt_buf text = {0};
  dvt_shape_print(given, &text);
  dvt_buf_append(&text, ", but the graph declares ", 25);
  dvt_shape_print(mine, &text);
  dvt_status_free(status);
  status = dvt_error(TF_INVALID_ARGUMENT, "'" DVT_STR_FMT ":%d' is fed the shape %s",
                     DVT_STR_ARG(node->def.name), fed->output.index, text.data ? text.data : "");
  dvt_buf_deinit(&text);
  return status;
}

// The outputs of fed nodes are what is fed.
static void show_feeds(dvt_shapes *shapes, const dvt_fed_shape *feeds, int count) {
  for (int i = 0; i < count; i++)
    shapes->outputs[shapes->first_output[feeds[i].output.oper->id] + feeds[i].output.index] =
        shapes->feeds[i];
}

dvt_status dvt_graph_infer_shapes(TF_Graph *graph, const dvt_fed_shape *feeds, int feed_count,
                                  const dvt_shapes_listener *listener, dvt_shapes *out) {
  dvt_graph_net net = {0};
  for (int i = 0; i < feed_count; i++) DVT_RETURN_IF_ERROR(check_feed(graph, &feeds[i]));
  dvt_status status = dvt_graph_net_init(&net, graph);
  net.net.listener = listener;
  if (!status) status = dvt_shapes_begin(&net.net, feed_count, out);
  for (int i = 0; i < feed_count && !status; i++) {
    // Shapes that were inferred from another value than the one fed say nothing.
    if (!dvt_str_is(feeds[i].output.oper->def.op->name, "Placeholder")) net.net.hints = NULL;
    status = feed(&net, out, &feeds[i], i);
  }
  if (!status) status = dvt_shapes_run(&net.net, out);
  if (!status) show_feeds(out, feeds, feed_count);
  dvt_graph_net_deinit(&net);
  return status;
}

static void take_shapes(TF_Graph *graph, const dvt_shapes *shapes) {
  for (size_t i = 0; i < graph->node_count; i++) {
    TF_Operation *node = graph->nodes[i];
    for (int32_t k = 0; k < node->def.output_count; k++) {
      int32_t at = shapes->first_output[i] + k;
      node->output_shapes[k] = shapes->outputs[at];
      if (node->handles) node->handles[k] = shapes->handles[at];
    }
  }
}

dvt_status dvt_graph_refine(TF_Graph *graph) {
  dvt_graph_net net = {0};
  dvt_shapes shapes = {0};
  dvt_status status = dvt_graph_net_init(&net, graph);
  if (!status) status = dvt_shapes_begin(&net.net, 0, &shapes);
  shapes.arena = &graph->shapes;
  if (!status) status = dvt_shapes_run(&net.net, &shapes);
  if (!status) take_shapes(graph, &shapes);
  dvt_shapes_deinit(&shapes);
  dvt_graph_net_deinit(&net);
  return status;
}
