// Pruning and inlining: an iterative depth-first search from the fetches and targets. Edges are followed
// through calls: the output of a call is what its body returns, an argument inside the body is what the call
// is given, so that neither costs anything at run time. What a body does besides (stateful nodes) is needed
// whenever the call is.
#include "exec/expand.h"

#include <stdlib.h>

#include "base/buf.h"
#include "tensor/tensor_proto.h"

#define MAX_NODES ((size_t)1 << 22)
// Feeds, outputs, edges and fetches together: what is counted and summed later fits in an int32_t, twice.
#define MAX_VALUES ((size_t)1 << 29)

typedef struct dvt_sorted_feed {
  TF_Output tensor;
  int32_t feed;
} dvt_sorted_feed;

enum { NEW, OPEN, DONE };  // dvt_expanded_node.state

static bool push_i32(int32_t **items, size_t *count, size_t *capacity, int32_t value) {
  if (!dvt_array_reserve(items, capacity, *count + 1, sizeof **items)) return false;
  (*items)[(*count)++] = value;
  return true;
}

static dvt_status push_control(dvt_expansion *x, int32_t node) {
  if (!push_i32(&x->controls, &x->control_count, &x->control_capacity, node))
    return dvt_error_out_of_memory(4);
  return NULL;
}

static dvt_status push_root(dvt_expansion *x, int32_t node) {
  if (!push_i32(&x->roots, &x->root_count, &x->root_capacity, node)) return dvt_error_out_of_memory(4);
  return NULL;
}

// The expansion's node for `sn`, added on first use.
static dvt_status touch(dvt_expansion *x, dvt_session_node *sn, int32_t *out_index) {
  if (sn->plan_epoch == x->session->epoch) {
    *out_index = sn->plan_index;
    return NULL;
  }
  if (x->node_count >= MAX_NODES)
    return dvt_error(TF_RESOURCE_EXHAUSTED,
                     "the graph needs more than %zu nodes once its function calls are inlined", MAX_NODES);
  if (!dvt_array_reserve(&x->nodes, &x->node_capacity, x->node_count + 1, sizeof *x->nodes))
    return dvt_error_out_of_memory(sizeof *x->nodes);
  sn->plan_epoch = x->session->epoch;
  sn->plan_index = *out_index = (int32_t)x->node_count;
  x->nodes[x->node_count++] = (dvt_expanded_node){.session_node = sn, .fused_into = -1, .shared_with = -1};
  return NULL;
}

static dvt_status session_node(dvt_expansion *x, dvt_instance *instance, TF_Operation *op,
                               dvt_session_node **out) {
  *out = dvt_instance_node(x->session, instance, op);
  return *out ? NULL : dvt_error_out_of_memory(sizeof **out);
}

static int compare_tensors(const void *a, const void *b) {
  const TF_Output *x = &((const dvt_sorted_feed *)a)->tensor, *y = &((const dvt_sorted_feed *)b)->tensor;
  if (x->oper != y->oper) return (uintptr_t)x->oper < (uintptr_t)y->oper ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static bool is_fed(const dvt_expansion *x, const dvt_session_node *sn, int index, int *out_feed) {
  if (sn->feed_epoch != x->session->epoch) return false;
  const dvt_sorted_feed wanted = {{sn->op, index}, 0};
  const dvt_sorted_feed *found =
      bsearch(&wanted, x->sorted_feeds, (size_t)x->feed_count, sizeof wanted, compare_tensors);
  if (found) *out_feed = found->feed;
  return found != NULL;
}

static bool is_fed_placeholder(const dvt_expansion *x, const dvt_session_node *sn) {
  return sn->kind == DVT_NODE_PLACEHOLDER && sn->feed_epoch == x->session->epoch;
}

// A call is needed: makes its body, and has its effects run.
static dvt_status need_call(dvt_expansion *x, dvt_session_node *call) {
  DVT_RETURN_IF_ERROR(dvt_instance_of_call(x->session, call));
  if (call->callee->plan_epoch == x->session->epoch) return NULL;
  call->callee->plan_epoch = x->session->epoch;
  if (!call->callee->has_effects) return NULL;
  int32_t index;
  DVT_RETURN_IF_ERROR(touch(x, call, &index));
  return push_root(x, index);
}

// Follows an edge to the node or feed that makes the value. Passing through an argument of a body that has an
// enter node adds it to the reader's controls.
static dvt_status resolve(dvt_expansion *x, dvt_instance *instance, dvt_edge edge, dvt_source *out_source) {
  for (size_t hops = 0; hops < MAX_NODES; hops++) {
    dvt_session_node *sn;
    int32_t enter;
    int feed;
    DVT_RETURN_IF_ERROR(session_node(x, instance, edge.node, &sn));
    if (is_fed(x, sn, edge.index, &feed)) {
      *out_source = (dvt_source){DVT_SOURCE_FEED, feed};
      return NULL;
    }
    if (sn->kind == DVT_NODE_ARG && instance->call) {
      if (instance->has_enter) {
        DVT_RETURN_IF_ERROR(touch(x, &instance->enter, &enter));
        DVT_RETURN_IF_ERROR(push_control(x, enter));
      }
      edge = instance->call->inputs[sn->arg_index];
      instance = instance->call->owner;
    } else if (sn->kind == DVT_NODE_CALL) {
      DVT_RETURN_IF_ERROR(need_call(x, sn));
      instance = sn->callee;
      edge = instance->body.rets[edge.index]->inputs[0];
    } else {
      out_source->index = edge.index;
      return touch(x, sn, &out_source->node);
    }
  }
  return dvt_error(
      TF_INVALID_ARGUMENT,
      "Graph is invalid, contains a cycle: calls return what they are given, and are given their own "
      "results, at '" DVT_STR_FMT "'",
      DVT_STR_ARG(edge.node->def.name));
}

static dvt_status add_input(dvt_expansion *x, dvt_instance *instance, dvt_edge edge) {
  dvt_source source;
  DVT_RETURN_IF_ERROR(resolve(x, instance, edge, &source));
  if (!dvt_array_reserve(&x->inputs, &x->input_capacity, x->input_count + 1, sizeof source))
    return dvt_error_out_of_memory(sizeof source);
  x->inputs[x->input_count++] = source;
  return NULL;
}

// What must be done before something that has a control edge from a value's maker may start.
static dvt_status add_control_on_value(dvt_expansion *x, dvt_instance *instance, dvt_edge edge) {
  dvt_source source;
  DVT_RETURN_IF_ERROR(resolve(x, instance, edge, &source));
  return source.node >= 0 ? push_control(x, source.node) : NULL;
}

static dvt_status add_control(dvt_expansion *x, dvt_instance *instance, TF_Operation *op) {
  dvt_session_node *sn;
  int32_t index;
  DVT_RETURN_IF_ERROR(session_node(x, instance, op, &sn));
  if (is_fed_placeholder(x, sn)) return NULL;
  if (instance->call && sn->kind == DVT_NODE_ARG) return add_control_on_value(x, instance, (dvt_edge){op, 0});
  if (sn->kind == DVT_NODE_RETVAL) return add_control_on_value(x, instance, op->inputs[0]);
  if (sn->kind == DVT_NODE_CALL) DVT_RETURN_IF_ERROR(need_call(x, sn));
  DVT_RETURN_IF_ERROR(touch(x, sn, &index));
  return push_control(x, index);
}

// Does the node follow another node of its body, and so, in the end, the body's enter node?
static bool has_producer_in_body(const dvt_instance *instance, const TF_Operation *op) {
  for (int32_t i = 0; i < op->def.input_count; i++) {
    const dvt_session_node *sn = instance->nodes[op->inputs[i].node->id];
    if (!sn || sn->kind != DVT_NODE_ARG) return true;
  }
  for (int32_t i = 0; i < op->control_input_count; i++) {
    const dvt_session_node *sn = instance->nodes[op->control_inputs[i]->id];
    if (!sn || sn->kind != DVT_NODE_ARG) return true;
  }
  return false;
}

static dvt_status add_enter(dvt_expansion *x, dvt_instance *instance) {
  int32_t enter;
  DVT_RETURN_IF_ERROR(touch(x, &instance->enter, &enter));
  return push_control(x, enter);
}

static dvt_status expand_plain(dvt_expansion *x, const dvt_session_node *sn) {
  for (int32_t i = 0; i < sn->input_count; i++) DVT_RETURN_IF_ERROR(add_input(x, sn->owner, sn->inputs[i]));
  for (int32_t i = 0; i < sn->control_input_count; i++)
    DVT_RETURN_IF_ERROR(add_control(x, sn->owner, sn->control_inputs[i]));
  if (sn->owner->has_enter && !has_producer_in_body(sn->owner, sn->op)) return add_enter(x, sn->owner);
  return NULL;
}

// Does the node of a body do anything besides making values?
static dvt_status ask_for_effect(dvt_expansion *x, dvt_instance *body, TF_Operation *op,
                                 bool *out_has_effect) {
  dvt_session_node *sn;
  DVT_RETURN_IF_ERROR(session_node(x, body, op, &sn));
  *out_has_effect = op->def.op->is_stateful && sn->kind == DVT_NODE_KERNEL;
  if (sn->kind != DVT_NODE_CALL) return NULL;
  DVT_RETURN_IF_ERROR(dvt_instance_of_call(x->session, sn));
  *out_has_effect = sn->callee->has_effects;
  return NULL;
}

static dvt_status add_controls_on_effects(dvt_expansion *x, dvt_instance *body) {
  bool has_effect;
  for (size_t i = 0; i < body->graph->node_count; i++) {
    DVT_RETURN_IF_ERROR(ask_for_effect(x, body, body->graph->nodes[i], &has_effect));
    if (has_effect) DVT_RETURN_IF_ERROR(add_control(x, body, body->graph->nodes[i]));
  }
  for (int32_t i = 0; i < body->body.control_ret_count; i++)
    DVT_RETURN_IF_ERROR(add_control(x, body, body->body.control_rets[i]));
  return NULL;
}

// As a node of the plan, a call stands for the end of everything its body does besides making values.
static dvt_status expand_call(dvt_expansion *x, const dvt_session_node *sn) {
  dvt_instance *body = sn->callee;
  DVT_RETURN_IF_ERROR(add_controls_on_effects(x, body));
  if (body->has_enter) return add_enter(x, body);
  return NULL;
}

// In a graph with branches or loops the body runs in the branch and iteration that the call's inputs come
// from.
static dvt_status expand_enter(dvt_expansion *x, const dvt_session_node *sn) {
  dvt_instance *caller = sn->owner;
  if (dvt_instance_has_control_flow(caller))
    for (int32_t i = 0; i < sn->input_count; i++) DVT_RETURN_IF_ERROR(add_input(x, caller, sn->inputs[i]));
  for (int32_t i = 0; i < sn->control_input_count; i++)
    DVT_RETURN_IF_ERROR(add_control(x, caller, sn->control_inputs[i]));
  if (caller->has_enter) return add_enter(x, caller);
  return NULL;
}

static dvt_status expand_node(dvt_expansion *x, int32_t index) {
  dvt_session_node *sn = x->nodes[index].session_node;
  x->nodes[index].first_input = (int32_t)x->input_count;
  x->nodes[index].first_control = (int32_t)x->control_count;
  if (sn->kind == DVT_NODE_CALL)
    DVT_RETURN_IF_ERROR(expand_call(x, sn));
  else if (sn->kind == DVT_NODE_CALL_ENTER)
    DVT_RETURN_IF_ERROR(expand_enter(x, sn));
  else
    DVT_RETURN_IF_ERROR(expand_plain(x, sn));
  if (sn->kind != DVT_NODE_CALL && sn->kind != DVT_NODE_CALL_ENTER)
    x->value_count += (size_t)sn->op->def.output_count;
  if (x->value_count + x->input_count + x->control_count > MAX_VALUES)
    return dvt_error(TF_RESOURCE_EXHAUSTED,
                     "the graph needs more than %zu values and edges once its function calls are inlined",
                     MAX_VALUES);
  x->nodes[index].input_count = (int32_t)x->input_count - x->nodes[index].first_input;
  x->nodes[index].control_count = (int32_t)x->control_count - x->nodes[index].first_control;
  return NULL;
}

static dvt_status cycle_error(const dvt_expansion *x, int32_t node) {
  dvt_buf path = {0};
  size_t first = x->stack_count;
  while (first > 0 && x->stack[first - 2] != node) first -= 2;
  size_t nodes = (x->stack_count - first) / 2 + 1, shown = 0;
  for (size_t i = first ? first - 2 : 0; i < x->stack_count && shown < 10; i += 2, shown++) {
    dvt_buf_append_str(&path, shown ? DVT_STR(" <- ") : DVT_STR(""));
    dvt_session_node_name(x->nodes[x->stack[i]].session_node, &path);
  }
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT,
                                "Graph is invalid, contains a cycle with %zu nodes, including: " DVT_STR_FMT
                                "; only NextIteration may lead back to a Merge",
                                nodes, DVT_STR_ARG(dvt_buf_str(&path)));
  dvt_buf_deinit(&path);
  return status;
}

// `position` counts the reader's data inputs, then its controls. A control edge orders two nodes wherever it
// leads, so it is never one of the edges that close a loop.
static bool is_back_edge(const dvt_expansion *x, int32_t reader, int32_t position, int32_t producer) {
  const dvt_expanded_node *n = &x->nodes[reader];
  return position < n->input_count && n->session_node->kind == DVT_NODE_MERGE &&
         x->nodes[producer].session_node->kind == DVT_NODE_NEXT_ITERATION;
}

// The next producer of the node that the search stands on, or -1 when all were seen.
static int32_t next_producer(const dvt_expansion *x, int32_t node, int32_t position) {
  const dvt_expanded_node *n = &x->nodes[node];
  if (position < n->input_count) return x->inputs[n->first_input + position].node;
  if (position < n->input_count + n->control_count)
    return x->controls[n->first_control + position - n->input_count];
  return -1;
}

static dvt_status open_node(dvt_expansion *x, int32_t node) {
  x->nodes[node].state = OPEN;
  DVT_RETURN_IF_ERROR(expand_node(x, node));
  if (!dvt_array_reserve(&x->stack, &x->stack_capacity, x->stack_count + 2, sizeof *x->stack))
    return dvt_error_out_of_memory(2 * sizeof *x->stack);
  x->stack[x->stack_count++] = node;
  x->stack[x->stack_count++] = 0;
  return NULL;
}

static dvt_status close_node(dvt_expansion *x, int32_t node) {
  x->nodes[node].state = DONE;
  x->stack_count -= 2;
  if (!push_i32(&x->order, &x->order_count, &x->order_capacity, node))
    return dvt_error_out_of_memory(sizeof node);
  return NULL;
}

static dvt_status visit(dvt_expansion *x, int32_t root) {
  if (x->nodes[root].state != NEW) return NULL;
  DVT_RETURN_IF_ERROR(open_node(x, root));
  while (x->stack_count > 0) {
    int32_t node = x->stack[x->stack_count - 2], position = x->stack[x->stack_count - 1]++;
    const dvt_expanded_node *n = &x->nodes[node];
    if (position >= n->input_count + n->control_count) {
      DVT_RETURN_IF_ERROR(close_node(x, node));
      continue;
    }
    int32_t producer = next_producer(x, node, position);
    if (producer < 0 || x->nodes[producer].state == DONE) continue;
    if (is_back_edge(x, node, position, producer)) {
      DVT_RETURN_IF_ERROR(push_root(x, producer));
      continue;
    }
    if (x->nodes[producer].state == OPEN) return cycle_error(x, producer);
    DVT_RETURN_IF_ERROR(open_node(x, producer));
  }
  return NULL;
}

static dvt_status check_tensor(const dvt_expansion *x, const char *what, int position, TF_Output t) {
  if (!t.oper) return dvt_error(TF_INVALID_ARGUMENT, "%s %d has no operation (NULL)", what, position);
  if (t.oper->graph != x->root->graph)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "%s %d, '" DVT_STR_FMT "', belongs to another graph than the session", what, position,
                     DVT_STR_ARG(t.oper->def.name));
  if (t.index < 0 || t.index >= t.oper->def.output_count)
    return dvt_error(TF_OUT_OF_RANGE, "%s %d asks for output %d of '" DVT_STR_FMT "', which has %d outputs",
                     what, position, t.index, DVT_STR_ARG(t.oper->def.name), t.oper->def.output_count);
  return NULL;
}

static dvt_status sort_feeds(dvt_expansion *x) {
  size_t count = (size_t)x->feed_count;
  x->sorted_feeds = dvt_malloc((count + 1) * sizeof *x->sorted_feeds);
  if (!x->sorted_feeds) return dvt_error_out_of_memory(count * sizeof *x->sorted_feeds);
  for (int i = 0; i < x->feed_count; i++) x->sorted_feeds[i] = (dvt_sorted_feed){x->feeds[i], i};
  if (count > 1) qsort(x->sorted_feeds, count, sizeof *x->sorted_feeds, compare_tensors);
  for (size_t i = 1; i < count; i++) {
    const dvt_sorted_feed *a = &x->sorted_feeds[i - 1], *b = &x->sorted_feeds[i];
    if (compare_tensors(a, b) == 0)
      return dvt_error(TF_INVALID_ARGUMENT, "'" DVT_STR_FMT ":%d' is fed more than once (feeds %d and %d)",
                       DVT_STR_ARG(a->tensor.oper->def.name), a->tensor.index, DVT_MIN(a->feed, b->feed),
                       DVT_MAX(a->feed, b->feed));
  }
  return NULL;
}

static dvt_status mark_feeds(dvt_expansion *x) {
  for (int i = 0; i < x->feed_count; i++) {
    dvt_session_node *sn;
    DVT_RETURN_IF_ERROR(check_tensor(x, "feed", i, x->feeds[i]));
    DVT_RETURN_IF_ERROR(session_node(x, x->root, x->feeds[i].oper, &sn));
    sn->feed_epoch = x->session->epoch;
  }
  return sort_feeds(x);
}

// The whole body runs when the call is a target: values nobody asked for, too.
static dvt_status add_target_call(dvt_expansion *x, dvt_session_node *sn) {
  DVT_RETURN_IF_ERROR(need_call(x, sn));
  for (int32_t i = 0; i < sn->callee->body.ret_count; i++) {
    dvt_source source;
    DVT_RETURN_IF_ERROR(resolve(x, x->root, (dvt_edge){sn->op, i}, &source));
    if (source.node >= 0) DVT_RETURN_IF_ERROR(push_root(x, source.node));
  }
  return NULL;
}

static dvt_status add_target(dvt_expansion *x, const TF_Operation *target, int position) {
  if (!target) return dvt_error(TF_INVALID_ARGUMENT, "target %d is NULL", position);
  if (target->graph != x->root->graph)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "target %d, '" DVT_STR_FMT "', belongs to another graph than the session", position,
                     DVT_STR_ARG(target->def.name));
  dvt_session_node *sn;
  int32_t index;
  DVT_RETURN_IF_ERROR(session_node(x, x->root, x->root->graph->nodes[target->id], &sn));
  if (is_fed_placeholder(x, sn)) return NULL;
  if (sn->kind == DVT_NODE_CALL) DVT_RETURN_IF_ERROR(add_target_call(x, sn));
  DVT_RETURN_IF_ERROR(touch(x, sn, &index));
  return push_root(x, index);
}

// What a body does besides making values is needed whenever it is called.
static dvt_status add_effects(dvt_expansion *x) {
  size_t first = x->control_count;
  DVT_RETURN_IF_ERROR(add_controls_on_effects(x, x->root));
  for (size_t i = first; i < x->control_count; i++) DVT_RETURN_IF_ERROR(push_root(x, x->controls[i]));
  return NULL;
}

static dvt_status missing_feeds(const dvt_session_node *first, int others, const dvt_buf *names) {
  const dvt_node_def *def = &first->op->def;
  dvt_buf text = {0};
  dvt_str value, proto;
  int64_t dims[DVT_MAX_RANK];
  int rank = -1;
  if (dvt_node_attr(def, DVT_STR("shape"), &value)) {
    dvt_status status = dvt_attr_get_shape(value, &proto);
    if (!status) status = dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank);
    dvt_status_free(status);
  }
  dvt_shape_describe(dims, rank, &text);
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT,
                "You must feed a value for placeholder tensor '" DVT_STR_FMT
                "' with dtype %s and shape " DVT_STR_FMT "%s" DVT_STR_FMT "\n\t [[{{node " DVT_STR_FMT "}}]]",
                DVT_STR_ARG(def->name), dvt_dtype_name(def->output_types[0]), DVT_STR_ARG(dvt_buf_str(&text)),
                others ? "; also for " : "", DVT_STR_ARG(dvt_buf_str(names)), DVT_STR_ARG(def->name));
  dvt_buf_deinit(&text);
  return status;
}

static dvt_status check_placeholders(const dvt_expansion *x) {
  const dvt_session_node *first = NULL;
  dvt_buf others = {0};
  int count = 0;
  for (size_t i = 0; i < x->order_count; i++) {
    const dvt_session_node *sn = x->nodes[x->order[i]].session_node;
    if (sn->kind != DVT_NODE_PLACEHOLDER) continue;
    if (first && count++ < 10)
      dvt_buf_printf(&others, "%s'" DVT_STR_FMT "'", count > 1 ? ", " : "", DVT_STR_ARG(sn->op->def.name));
    if (!first) first = sn;
  }
  dvt_status status = first ? missing_feeds(first, count, &others) : NULL;
  dvt_buf_deinit(&others);
  return status;
}

static dvt_status search(dvt_expansion *x, const TF_Output *fetches, int fetch_count,
                         const TF_Operation *const *targets, int target_count) {
  DVT_RETURN_IF_ERROR(mark_feeds(x));
  for (int i = 0; i < fetch_count; i++) {
    DVT_RETURN_IF_ERROR(check_tensor(x, "fetch", i, fetches[i]));
    DVT_RETURN_IF_ERROR(resolve(x, x->root, (dvt_edge){fetches[i].oper, fetches[i].index}, &x->fetches[i]));
    if (x->fetches[i].node >= 0) DVT_RETURN_IF_ERROR(push_root(x, x->fetches[i].node));
  }
  for (int i = 0; i < target_count; i++) DVT_RETURN_IF_ERROR(add_target(x, targets[i], i));
  if (x->root->body.graph) DVT_RETURN_IF_ERROR(add_effects(x));
  x->control_count = 0;  // of the roots themselves
  for (size_t i = 0; i < x->root_count; i++) DVT_RETURN_IF_ERROR(visit(x, x->roots[i]));
  return check_placeholders(x);
}

dvt_status dvt_expand(TF_Session *session, dvt_instance *root, const TF_Output *feeds, int feed_count,
                      const TF_Output *fetches, int fetch_count, const TF_Operation *const *targets,
                      int target_count, dvt_expansion *x) {
  x->session = session;
  x->root = root;
  x->feeds = feeds;
  x->feed_count = feed_count;
  x->value_count = (size_t)feed_count + (size_t)fetch_count;
  x->fetches = dvt_calloc((size_t)fetch_count + 1, sizeof *x->fetches);
  if (!x->fetches) return dvt_error_out_of_memory((size_t)fetch_count * sizeof *x->fetches);
  session->epoch++;
  pthread_mutex_lock(&session->graph->lock);
  session->graph_def_version = session->graph->producer_version;
  dvt_status status = search(x, fetches, fetch_count, targets, target_count);
  pthread_mutex_unlock(&session->graph->lock);
  return status;
}

void dvt_expansion_deinit(dvt_expansion *x) {
  dvt_free(x->nodes);
  dvt_free(x->sorted_feeds);
  dvt_free(x->inputs);
  dvt_free(x->controls);
  dvt_free(x->order);
  dvt_free(x->roots);
  dvt_free(x->stack);
  dvt_free(x->fetches);
}
