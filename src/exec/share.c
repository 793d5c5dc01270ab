// See share.h. Nodes are visited in order, so that the inputs of a node already read the one node that is
// left of several; a hash table finds the first node of each kind.
#include "exec/share.h"

#include "exec/plan.h"

#define MAX_CONSTANT_BYTES 256  // constants that are compared by their values

typedef struct sharer {
  dvt_expansion *x;
  int32_t *table;  // nodes by hash; -1: free
  size_t mask;
  int32_t *stands_for;  // by node: the node that its readers read; itself at first
} sharer;

static const dvt_session_node *node_at(const sharer *s, int32_t node) {
  return s->x->nodes[node].session_node;
}

// ---- what may be shared ----

// Handles, sequences and other things whose identity matters are left alone.
static bool has_plain_values(const dvt_node_def *def) {
  for (int32_t i = 0; i < def->output_count; i++)
    if (!dvt_dtype_in_slot(def->output_types[i]) && def->output_types[i] != TF_STRING) return false;
  for (int32_t i = 0; i < def->input_count; i++)
    if (def->input_types[i] > DVT_DTYPE_REF_OFFSET) return false;
  return def->output_count > 0;
}

static bool is_pure(const sharer *s, int32_t node) {
  const dvt_session_node *sn = node_at(s, node);
  return sn->kind == DVT_NODE_KERNEL && !s->x->nodes[node].is_constant && sn->op->def.input_count > 0 &&
         !sn->op->def.op->is_stateful && has_plain_values(&sn->op->def);
}

static const TF_Tensor *small_constant(const sharer *s, dvt_source source) {
  if (source.node < 0 || !s->x->nodes[source.node].is_constant) return NULL;
  const TF_Tensor *t = &node_at(s, source.node)->constants[source.index];
  return dvt_dtype_in_slot(t->dtype) && t->buffer && t->buffer->bytes <= MAX_CONSTANT_BYTES ? t : NULL;
}

// ---- comparing ----

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static size_t value_bytes(const TF_Tensor *t) {
  return (size_t)dvt_tensor_count(t) * dvt_dtype_size(t->dtype);
}

static uint64_t hash_source(const sharer *s, dvt_source source, uint64_t hash) {
  const TF_Tensor *t = small_constant(s, source);
  if (!t) return mix(hash, (uint64_t)(uint32_t)source.node << 32 | (uint32_t)source.index);
  const unsigned char *bytes = t->data;
  hash = mix(hash, (uint64_t)t->dtype << 8 | (uint64_t)t->rank);
  for (size_t i = 0; i < value_bytes(t); i++) hash = mix(hash, bytes[i]);
  return hash;
}

static uint64_t hash_node(const sharer *s, int32_t node) {
  const dvt_expanded_node *n = &s->x->nodes[node];
  uint64_t hash = mix(0, (uintptr_t)n->session_node->op->def.op);
  for (int32_t i = 0; i < n->input_count; i++) hash = hash_source(s, s->x->inputs[n->first_input + i], hash);
  return hash;
}

static bool same_source(const sharer *s, dvt_source a, dvt_source b) {
  if (a.node == b.node && a.index == b.index) return true;
  const TF_Tensor *t = small_constant(s, a), *u = small_constant(s, b);
  if (!t || !u || t->dtype != u->dtype || t->rank != u->rank || value_bytes(t) != value_bytes(u))
    return false;
  return memcmp(dvt_tensor_dims(t), dvt_tensor_dims(u), (size_t)t->rank * sizeof(int64_t)) == 0 &&
         memcmp(t->data, u->data, value_bytes(t)) == 0;
}

// Attributes with a leading underscore are notes of tools.
static bool has_attrs_of(const dvt_node_def *a, const dvt_node_def *b) {
  for (int32_t i = 0; i < a->attr_count; i++) {
    dvt_str value, name = a->attrs[i].name;
    if (name.len > 0 && name.data[0] == '_') continue;
    if (!dvt_node_attr(b, name, &value) || !dvt_str_eq(value, a->attrs[i].value)) return false;
  }
  return true;
}

static bool same_node(const sharer *s, int32_t a, int32_t b) {
  const dvt_expanded_node *m = &s->x->nodes[a], *n = &s->x->nodes[b];
  const dvt_node_def *c = &m->session_node->op->def, *d = &n->session_node->op->def;
  if (c->op != d->op || m->session_node->kernel_def != n->session_node->kernel_def ||
      m->input_count != n->input_count || m->control_count != n->control_count ||
      !dvt_str_eq(c->device, d->device))
    return false;
  for (int32_t i = 0; i < m->input_count; i++)
    if (!same_source(s, s->x->inputs[m->first_input + i], s->x->inputs[n->first_input + i])) return false;
  for (int32_t i = 0; i < m->control_count; i++)
    if (s->x->controls[m->first_control + i] != s->x->controls[n->first_control + i]) return false;
  return has_attrs_of(c, d) && has_attrs_of(d, c);
}

// The first node that is the same, or the node itself, which is kept then.
static int32_t find_same(sharer *s, int32_t node) {
  size_t at = hash_node(s, node) & s->mask;
  for (; s->table[at] >= 0; at = (at + 1) & s->mask)
    if (same_node(s, s->table[at], node)) return s->table[at];
  s->table[at] = node;
  return node;
}

// ---- reading others ----

static bool hands_on(const sharer *s, int32_t node) {
  static const char *const ops[] = {"Identity", "IdentityN", "StopGradient", "PreventGradient", "Snapshot"};
  const dvt_expanded_node *n = &s->x->nodes[node];
  const dvt_node_def *def = &n->session_node->op->def;
  if (n->session_node->kind != DVT_NODE_KERNEL || n->is_constant || n->control_count > 0 ||
      n->input_count != def->output_count || def->op->is_stateful)
    return false;
  for (int32_t i = 0; i < n->input_count; i++)
    if (def->input_types[i] != def->output_types[i]) return false;
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++)
    if (dvt_str_is(def->op->name, ops[i])) return true;
  return false;
}

static dvt_source read_through(const sharer *s, dvt_source source) {
  while (source.node >= 0) {
    if (hands_on(s, source.node)) {
      source = s->x->inputs[s->x->nodes[source.node].first_input + source.index];
    } else if (s->stands_for[source.node] != source.node) {
      source.node = s->stands_for[source.node];
    } else {
      break;
    }
  }
  return source;
}

static void visit(sharer *s, int32_t node) {
  dvt_expanded_node *n = &s->x->nodes[node];
  // What branches and loops read is part of their own bookkeeping.
  if (n->session_node->kind != DVT_NODE_KERNEL) return;
  for (int32_t i = 0; i < n->input_count; i++) {
    dvt_source *source = &s->x->inputs[n->first_input + i];
    *source = read_through(s, *source);
  }
  if (!is_pure(s, node)) return;
  s->stands_for[node] = find_same(s, node);
  if (s->stands_for[node] != node) n->shared_with = s->stands_for[node];
}

dvt_status dvt_share(dvt_expansion *x) {
  if (!x->session->config.share) return NULL;
  size_t slots = 16;
  while (slots < 2 * x->order_count) slots *= 2;
  int32_t *numbers = dvt_malloc((slots + x->node_count) * sizeof *numbers);
  if (!numbers) return dvt_error_out_of_memory((slots + x->node_count) * sizeof *numbers);
  sharer s = {.x = x, .table = numbers, .mask = slots - 1, .stands_for = numbers + slots};
  for (size_t i = 0; i < slots; i++) s.table[i] = -1;
  for (size_t i = 0; i < x->node_count; i++) s.stands_for[i] = (int32_t)i;
  for (size_t i = 0; i < x->order_count; i++) visit(&s, x->order[i]);
  dvt_free(numbers);
  return dvt_expansion_sweep(x, NULL);
}
