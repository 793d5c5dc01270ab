// Driving the fusing of an expansion: who reads what, which chains become one node, and dropping what nobody
// needs any more. See fuse.h.
#include <string.h>

#include "exec/fuse.h"

// ---- who reads what ----

static void pin(dvt_fuser *f, int32_t node) {
  if ((size_t)node < f->node_count) f->pinned[node] = true;
}

static void note_reader(dvt_fuser *f, dvt_source source, int32_t reader) {
  if (source.node < 0 || (size_t)source.node >= f->node_count) return;
  f->reader_count[source.node]++;
  f->reader[source.node] = reader;
  f->others_read[source.node] |= source.index != 0;
}

static dvt_status allocate(dvt_fuser *f) {
  size_t n = f->x->node_count + 1;
  f->node_count = f->x->node_count;
  f->reader_count = dvt_calloc(4 * n, sizeof *f->reader_count);
  f->pinned = dvt_calloc(3 * n, sizeof *f->pinned);
  if (!f->reader_count || !f->pinned) return dvt_error_out_of_memory(4 * n * sizeof *f->reader_count);
  f->reader = f->reader_count + n;
  f->helper = f->reader + n;
  f->sink = f->helper + n;
  f->others_read = f->pinned + n;
  f->taken = f->others_read + n;
  for (size_t i = 0; i < n; i++) f->helper[i] = f->sink[i] = -1;
  return NULL;
}

// Nodes that were made since the start do not count but as readers.
static void survey(dvt_fuser *f, int fetch_count) {
  const dvt_expansion *x = f->x;
  memset(f->reader_count, 0, f->node_count * sizeof *f->reader_count);
  memset(f->pinned, 0, f->node_count * sizeof *f->pinned);
  memset(f->others_read, 0, f->node_count * sizeof *f->others_read);
  for (size_t i = 0; i < x->order_count; i++) {
    const dvt_expanded_node *node = &x->nodes[x->order[i]];
    for (int32_t k = 0; k < node->input_count; k++)
      note_reader(f, x->inputs[node->first_input + k], x->order[i]);
    for (int32_t k = 0; k < node->control_count; k++) pin(f, x->controls[node->first_control + k]);
  }
  for (size_t i = 0; i < x->root_count; i++) pin(f, x->roots[i]);
  for (int i = 0; i < fetch_count; i++)
    if (x->fetches[i].node >= 0 && x->fetches[i].index != 0) f->others_read[x->fetches[i].node] = true;
}

static void fuser_deinit(dvt_fuser *f) {
  dvt_shapes_deinit(&f->shapes);
  dvt_free(f->reader_count);
  dvt_free(f->pinned);
}

const TF_Tensor *dvt_fuser_constant(const dvt_fuser *f, dvt_source source) {
  const TF_Tensor *known = dvt_fuser_known(f, source);
  if (!known || known->buffer) return known;
  dvt_status status = dvt_session_node_complete_constant(f->x->nodes[source.node].session_node);
  dvt_status_free(status);
  return status ? NULL : known;
}

// ---- replacing a chain ----

static dvt_status add_node(dvt_expansion *x, dvt_session_node *sn, int32_t *out_index) {
  if (!dvt_array_reserve(&x->nodes, &x->node_capacity, x->node_count + 1, sizeof *x->nodes))
    return dvt_error_out_of_memory(sizeof *x->nodes);
  *out_index = (int32_t)x->node_count;
  x->nodes[x->node_count++] = (dvt_expanded_node){
      .session_node = sn, .is_constant = sn->kind == DVT_NODE_CONST, .fused_into = -1, .shared_with = -1};
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

dvt_status dvt_fuser_replace(dvt_fuser *f, const int32_t *parts, int part_count, const dvt_source *inputs,
                             int input_count, dvt_made_node *made) {
  int32_t last = parts[part_count - 1];
  DVT_RETURN_IF_ERROR(set_inputs(f->x, last, inputs, input_count));
  DVT_RETURN_IF_ERROR(gather_controls(f->x, last, parts, part_count));
  f->x->nodes[last].session_node = &made->node;
  for (int i = 0; i < part_count; i++) {
    f->taken[parts[i]] = true;
    f->x->nodes[parts[i]].fused_into = last;
  }
  return NULL;
}

static dvt_status replace(dvt_fuser *f, const dvt_recipe *r, dvt_made_node *made) {
  int32_t parts[DVT_MAX_PARTS];
  int part_count = dvt_recipe_parts(r, parts);
  dvt_source sources[DVT_MAX_OPERANDS], inputs[DVT_COUNT_OF(r->inputs)];
  DVT_RETURN_IF_ERROR(place_operands(f, r, made, parts[part_count - 1], sources));
  for (int i = 0; i < r->input_count; i++) inputs[i] = sources[r->inputs[i]];
  return dvt_fuser_replace(f, parts, part_count, inputs, r->input_count, made);
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

static bool is_worth_a_look(const dvt_expansion *x) {
  static const char *const roots[] = {"Conv2D", "DepthwiseConv2dNative", "MatMul"};
  for (size_t i = 0; i < x->order_count; i++) {
    const dvt_session_node *sn = x->nodes[x->order[i]].session_node;
    if (x->session->config.fuse_elementwise && sn->kind == DVT_NODE_KERNEL) return true;
    for (size_t k = 0; k < DVT_COUNT_OF(roots); k++)
      if (dvt_str_is(sn->op->def.op->name, roots[k])) return true;
  }
  return false;
}

static dvt_status fuse_chains(dvt_fuser *f) {
  for (size_t i = 0; i < f->x->order_count; i++) {
    dvt_chain chain;
    if (dvt_chain_find(f, f->x->order[i], &chain)) DVT_RETURN_IF_ERROR(fuse_chain(f, &chain));
  }
  return NULL;
}

// What is left after a kind of fusing, for the next.
static dvt_status settle(dvt_fuser *f, int fetch_count) {
  DVT_RETURN_IF_ERROR(dvt_expansion_sweep(f->x, f->helper));
  for (size_t i = 0; i < f->node_count; i++) f->helper[i] = -1;
  survey(f, fetch_count);
  return NULL;
}

static dvt_status fuse(dvt_fuser *f, int fetch_count) {
  bool elementwise = f->session->config.fuse_elementwise;
  DVT_RETURN_IF_ERROR(allocate(f));
  survey(f, fetch_count);
  DVT_RETURN_IF_ERROR(dvt_shapes_infer(f->x, &f->shapes));
  if (elementwise) dvt_composites_find(f);
  DVT_RETURN_IF_ERROR(fuse_chains(f));
  DVT_RETURN_IF_ERROR(settle(f, fetch_count));
  if (!elementwise) return NULL;
  DVT_RETURN_IF_ERROR(dvt_fuse_layer_norms(f));
  DVT_RETURN_IF_ERROR(settle(f, fetch_count));
  DVT_RETURN_IF_ERROR(dvt_fuse_elementwise(f));
  return dvt_expansion_sweep(f->x, NULL);
}

dvt_status dvt_fuse(dvt_expansion *x, int fetch_count) {
  if (!x->session->config.fuse || !is_worth_a_look(x)) return NULL;
  dvt_fuser f = {.x = x, .session = x->session};
  dvt_status status = fuse(&f, fetch_count);
  fuser_deinit(&f);
  return status;
}
