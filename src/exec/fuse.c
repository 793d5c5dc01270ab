// Driving the fusing of an expansion: who reads what, which chains become one node, and dropping what nobody
// needs any more. See fuse.h.
#include "exec/fuse.h"

// ---- who reads what ----

static void note_reader(dvt_fuser *f, dvt_source source, int32_t reader) {
  if (source.node < 0) return;
  f->reader_count[source.node]++;
  f->reader[source.node] = reader;
  f->others_read[source.node] |= source.index != 0;
}

static dvt_status survey(dvt_fuser *f, int fetch_count) {
  const dvt_expansion *x = f->x;
  size_t n = x->node_count + 1;
  f->node_count = x->node_count;
  f->reader_count = dvt_calloc(3 * n, sizeof *f->reader_count);
  f->pinned = dvt_calloc(3 * n, sizeof *f->pinned);
  if (!f->reader_count || !f->pinned) return dvt_error_out_of_memory(3 * n * sizeof *f->reader_count);
  f->reader = f->reader_count + n;
  f->helper = f->reader + n;
  f->others_read = f->pinned + n;
  f->taken = f->others_read + n;
  for (size_t i = 0; i < n; i++) f->helper[i] = -1;
  for (size_t i = 0; i < x->order_count; i++) {
    const dvt_expanded_node *node = &x->nodes[x->order[i]];
    for (int32_t k = 0; k < node->input_count; k++)
      note_reader(f, x->inputs[node->first_input + k], x->order[i]);
    for (int32_t k = 0; k < node->control_count; k++) f->pinned[x->controls[node->first_control + k]] = true;
  }
  for (size_t i = 0; i < x->root_count; i++) f->pinned[x->roots[i]] = true;
  for (int i = 0; i < fetch_count; i++)
    if (x->fetches[i].node >= 0 && x->fetches[i].index != 0) f->others_read[x->fetches[i].node] = true;
  return NULL;
}

static void fuser_deinit(dvt_fuser *f) {
  dvt_shapes_deinit(&f->shapes);
  dvt_free(f->reader_count);
  dvt_free(f->pinned);
}

// ---- replacing a chain ----

static dvt_status add_node(dvt_expansion *x, dvt_session_node *sn, int32_t *out_index) {
  if (!dvt_array_reserve(&x->nodes, &x->node_capacity, x->node_count + 1, sizeof *x->nodes))
    return dvt_error_out_of_memory(sizeof *x->nodes);
  *out_index = (int32_t)x->node_count;
  x->nodes[x->node_count++] =
      (dvt_expanded_node){.session_node = sn, .is_constant = sn->kind == DVT_NODE_CONST, .fused_into = -1};
  return NULL;
}

// Inputs of one node lie side by side: the new ones go behind all others.
static dvt_status set_inputs(dvt_expansion *x, int32_t node, const dvt_source *sources, int count) {
  if (!dvt_array_reserve(&x->inputs, &x->input_capacity, x->input_count + (size_t)count, sizeof *x->inputs))
    return dvt_error_out_of_memory((size_t)count * sizeof *x->inputs);
  x->nodes[node].first_input = (int32_t)x->input_count;
  x->nodes[node].input_count = count;
  for (int i = 0; i < count; i++) x->inputs[x->input_count++] = sources[i];
  return NULL;
}

// Where the operands come from, after nodes for those that were made.
static dvt_status place_operands(dvt_fuser *f, const dvt_recipe *r, const dvt_made_node *made, int32_t last,
                                 dvt_source *sources) {
  for (int i = 0; i < r->operand_count; i++) {
    const dvt_operand *operand = &r->operands[i];
    sources[i] = operand->source;
    if (operand->kind == DVT_OPERAND_SOURCE) continue;
    int32_t index;
    DVT_RETURN_IF_ERROR(add_node(f->x, made->operands[i], &index));
    sources[i] = (dvt_source){index, 0};
    if (operand->kind != DVT_OPERAND_DIFFERENCE) continue;
    DVT_RETURN_IF_ERROR(set_inputs(f->x, index, (dvt_source[]){sources[operand->a], sources[operand->b]}, 2));
    f->helper[last] = index;
  }
  return NULL;
}

// What the parts waited for (the start of calls), each once. Reads the parts' controls while adding some.
static dvt_status gather_controls(dvt_expansion *x, int32_t last, const int32_t *parts, int part_count) {
  size_t first = x->control_count;
  for (int i = 0; i < part_count; i++) {
    const dvt_expanded_node *n = &x->nodes[parts[i]];
    for (int32_t k = 0; k < n->control_count; k++) {
      size_t at = first;
      int32_t control = x->controls[n->first_control + k];
      while (at < x->control_count && x->controls[at] != control) at++;
      if (at < x->control_count) continue;
      if (!dvt_array_reserve(&x->controls, &x->control_capacity, x->control_count + 1, sizeof *x->controls))
        return dvt_error_out_of_memory(sizeof *x->controls);
      x->controls[x->control_count++] = control;
    }
  }
  x->nodes[last].first_control = (int32_t)first;
  x->nodes[last].control_count = (int32_t)(x->control_count - first);
  return NULL;
}

// The fused node takes the place of the chain's last, so that its readers need not change.
static dvt_status replace(dvt_fuser *f, const dvt_recipe *r, dvt_made_node *made) {
  const dvt_chain *chain = r->chain;
  int32_t parts[DVT_MAX_LINKS + 2];
  int part_count = 0;
  if (chain->pad >= 0) parts[part_count++] = chain->pad;
  parts[part_count++] = chain->root;
  for (int i = 0; i < r->link_count; i++) parts[part_count++] = chain->links[i].node;
  int32_t last = parts[part_count - 1];
  dvt_source sources[DVT_MAX_OPERANDS], inputs[DVT_COUNT_OF(r->inputs)];
  DVT_RETURN_IF_ERROR(place_operands(f, r, made, last, sources));
  for (int i = 0; i < r->input_count; i++) inputs[i] = sources[r->inputs[i]];
  DVT_RETURN_IF_ERROR(set_inputs(f->x, last, inputs, r->input_count));
  DVT_RETURN_IF_ERROR(gather_controls(f->x, last, parts, part_count));
  f->x->nodes[last].session_node = &made->node;
  for (int i = 0; i < part_count; i++) {
    f->taken[parts[i]] = true;
    f->x->nodes[parts[i]].fused_into = last;
  }
  return NULL;
}

// The longest part of the chain that can be one node.
static dvt_status fuse_chain(dvt_fuser *f, dvt_chain *chain) {
  for (int count = chain->link_count; count >= 0; count--) {
    dvt_recipe recipe;
    dvt_made_node *made;
    if (count == 0 && chain->pad < 0) return NULL;
    if (!dvt_recipe_make(f, chain, count, &recipe)) continue;
    DVT_RETURN_IF_ERROR(dvt_made_node_get(f, &recipe, &made));
    if (made->usable) return replace(f, &recipe, made);
  }
  return NULL;
}

// ---- dropping ----

static void mark(int32_t *stack, size_t *depth, int32_t node, bool *live) {
  if (node < 0 || live[node]) return;
  live[node] = true;
  stack[(*depth)++] = node;
}

static void mark_all(dvt_expansion *x, int32_t *stack, bool *live) {
  size_t depth = 0;
  for (size_t i = 0; i < x->root_count; i++) mark(stack, &depth, x->roots[i], live);
  while (depth > 0) {
    const dvt_expanded_node *n = &x->nodes[stack[--depth]];
    for (int32_t k = 0; k < n->input_count; k++)
      mark(stack, &depth, x->inputs[n->first_input + k].node, live);
    for (int32_t k = 0; k < n->control_count; k++)
      mark(stack, &depth, x->controls[n->first_control + k], live);
  }
}

// The nodes that are still needed, in their order, with helpers before what reads them.
static dvt_status sweep(dvt_fuser *f) {
  dvt_expansion *x = f->x;
  int32_t *stack = dvt_malloc((x->node_count + 1) * sizeof *stack);
  int32_t *order = dvt_malloc((x->node_count + 1) * sizeof *order);
  bool *live = dvt_calloc(x->node_count + 1, sizeof *live);
  bool fine = stack && order && live;
  if (fine) {
    size_t count = 0;
    mark_all(x, stack, live);
    for (size_t i = 0; i < x->order_count; i++) {
      int32_t node = x->order[i];
      if (!live[node]) continue;
      if (f->helper[node] >= 0) order[count++] = f->helper[node];
      order[count++] = node;
    }
    dvt_free(x->order);
    x->order = order;
    x->order_count = count;
    x->order_capacity = x->node_count + 1;
  } else {
    dvt_free(order);
  }
  dvt_free(stack);
  dvt_free(live);
  return fine ? NULL : dvt_error_out_of_memory(x->node_count * sizeof *stack);
}

static bool may_start_chain(const dvt_session_node *sn) {
  static const char *const roots[] = {"Conv2D", "DepthwiseConv2dNative", "MatMul"};
  for (size_t i = 0; i < DVT_COUNT_OF(roots); i++)
    if (dvt_str_is(sn->op->def.op->name, roots[i])) return true;
  return false;
}

static dvt_status fuse(dvt_fuser *f, int fetch_count) {
  dvt_expansion *x = f->x;
  DVT_RETURN_IF_ERROR(survey(f, fetch_count));
  DVT_RETURN_IF_ERROR(dvt_shapes_infer(x, &f->shapes));
  for (size_t i = 0; i < x->order_count; i++) {
    dvt_chain chain;
    if (dvt_chain_find(f, x->order[i], &chain)) DVT_RETURN_IF_ERROR(fuse_chain(f, &chain));
  }
  return sweep(f);
}

dvt_status dvt_fuse(dvt_expansion *x, int fetch_count) {
  bool wanted = false;
  for (size_t i = 0; i < x->order_count && !wanted; i++)
    wanted = may_start_chain(x->nodes[x->order[i]].session_node);
  if (!wanted || !x->session->config.fuse) return NULL;
  dvt_fuser f = {.x = x, .session = x->session};
  dvt_status status = fuse(&f, fetch_count);
  fuser_deinit(&f);
  return status;
}
