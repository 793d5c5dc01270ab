// Finding chains: from a convolution or matrix product along nodes that each are the only reader of the one
// before. See fuse.h.
#include <string.h>

#include "exec/fuse.h"
#include "plugin/plugin.h"

static bool is_op(const dvt_session_node *sn, const char *op) { return dvt_str_is(sn->op->def.op->name, op); }

// The enter node of an inlined body is no reason to wait: the chain's first node follows it anyway.
static bool waits(const dvt_fuser *f, int32_t node) {
  const dvt_expanded_node *n = &f->x->nodes[node];
  for (int32_t i = 0; i < n->control_count; i++)
    if (dvt_fuser_node(f, f->x->controls[n->first_control + i])->kind != DVT_NODE_CALL_ENTER) return true;
  return false;
}

bool dvt_fuser_is_plain(const dvt_fuser *f, int32_t node, const char *op) {
  if (node < 0 || (size_t)node >= f->node_count || f->taken[node]) return false;
  const dvt_session_node *sn = dvt_fuser_node(f, node);
  return sn->kind == DVT_NODE_KERNEL && is_op(sn, op) && !waits(f, node);
}

// ---- attributes ----

static dvt_str string_attr(const dvt_session_node *sn, const char *name) {
  dvt_str value, text = {0};
  if (dvt_node_attr(&sn->op->def, dvt_str_from(name), &value))
    dvt_status_free(dvt_attr_get_string(value, &text));
  return text;
}

static float float_attr(const dvt_session_node *sn, const char *name, float otherwise) {
  dvt_str value;
  if (dvt_node_attr(&sn->op->def, dvt_str_from(name), &value))
    dvt_status_free(dvt_attr_get_float(value, &otherwise));
  return otherwise;
}

static bool bool_attr(const dvt_session_node *sn, const char *name, bool otherwise) {
  dvt_str value;
  if (dvt_node_attr(&sn->op->def, dvt_str_from(name), &value))
    dvt_status_free(dvt_attr_get_bool(value, &otherwise));
  return otherwise;
}

static bool is_nhwc(const dvt_session_node *sn) {
  dvt_str format = string_attr(sn, "data_format");
  return format.len == 0 || dvt_str_is(format, "NHWC");
}

// ---- shapes ----

bool dvt_chain_is_per_channel(const dvt_fuser *f, const dvt_chain *chain, dvt_source source) {
  dvt_shape shape = dvt_shapes_of(&f->shapes, source);
  if (!shape || chain->channels < 0 || shape->rank < 1 || shape->rank > chain->rank) return false;
  int at = chain->axis - (chain->rank - shape->rank);
  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] != (i == at ? chain->channels : 1)) return false;
  return at >= 0;
}

bool dvt_fuser_same_shape(const dvt_fuser *f, dvt_source x, dvt_source y) {
  dvt_shape a = dvt_shapes_of(&f->shapes, x), b = dvt_shapes_of(&f->shapes, y);
  if (!a || !b || a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}

// ---- links ----

static const struct {
  const char *op, *fused;
} activations[] = {{"Relu", "Relu"}, {"Relu6", "Relu6"},     {"Elu", "Elu"},
                   {"Tanh", "Tanh"}, {"Sigmoid", "Sigmoid"}, {"LeakyRelu", "LeakyRelu"}};

static bool match_activation(const dvt_session_node *sn, dvt_link *link) {
  for (size_t i = 0; i < DVT_COUNT_OF(activations); i++) {
    if (!is_op(sn, activations[i].op)) continue;
    link->kind = DVT_LINK_ACTIVATION;
    link->activation = activations[i].fused;
    link->alpha = float_attr(sn, "alpha", 0.2f);
    return true;
  }
  return false;
}

static bool match_norm(const dvt_fuser *f, const dvt_chain *chain, const dvt_session_node *sn,
                       dvt_link *link) {
  if (!is_op(sn, "FusedBatchNorm") && !is_op(sn, "FusedBatchNormV2") && !is_op(sn, "FusedBatchNormV3"))
    return false;
  if (chain->rank != 4 || chain->dtype != TF_FLOAT || sn->op->def.input_count != 5 ||
      bool_attr(sn, "is_training", true) || is_nhwc(sn) != (chain->axis == 3) ||
      (chain->axis != 3 && !dvt_str_is(string_attr(sn, "data_format"), "NCHW")))
    return false;
  link->kind = DVT_LINK_NORM;
  link->epsilon = float_attr(sn, "epsilon", 0.0001f);
  for (int i = 0; i < 4; i++) {
    if (sn->op->def.input_types[1 + i] != TF_FLOAT) return false;
    link->norm[i] = dvt_fuser_input(f, link->node, 1 + i);
  }
  return true;
}

static bool match_binary(const dvt_fuser *f, const dvt_chain *chain, const dvt_session_node *sn,
                         dvt_source tail, dvt_link *link) {
  bool add = is_op(sn, "AddV2") || is_op(sn, "Add"), bias = is_op(sn, "BiasAdd") || is_op(sn, "BiasAddV1");
  if ((!add && !bias && !is_op(sn, "Mul")) || sn->op->def.input_count != 2) return false;
  int position = dvt_fuser_input(f, link->node, 0).node == tail.node ? 0 : 1;
  link->operand = dvt_fuser_input(f, link->node, 1 - position);
  if (bias) {
    link->kind = DVT_LINK_BIAS;
    return position == 0 && is_nhwc(sn) == (chain->axis == chain->rank - 1);
  }
  if (dvt_chain_is_per_channel(f, chain, link->operand)) {
    link->kind = add ? DVT_LINK_BIAS : DVT_LINK_SCALE;
    return true;
  }
  link->kind = DVT_LINK_SIDE;
  return add && dvt_fuser_same_shape(f, link->operand, tail);
}

static bool same_folder(const dvt_session_node *a, const dvt_session_node *b) {
  const dvt_plugin *p = a->kernel_def->plugin, *q = b->kernel_def->plugin;
  if (p == q) return true;
  if (!p || !q) return false;
  const char *p_end = strrchr(p->path, '/'), *q_end = strrchr(q->path, '/');
  return p_end && q_end && p_end - p->path == q_end - q->path &&
         memcmp(p->path, q->path, (size_t)(p_end - p->path)) == 0;
}

bool dvt_fuser_is_of_folder(const dvt_fuser *f, int32_t node, const dvt_session_node *other) {
  return same_folder(dvt_fuser_node(f, node), other);
}

bool dvt_fuser_may_join(const dvt_fuser *f, int32_t a, int32_t b) {
  const dvt_session_node *m = dvt_fuser_node(f, a), *n = dvt_fuser_node(f, b);
  return m->kind == DVT_NODE_KERNEL && n->kind == DVT_NODE_KERNEL && m->owner == n->owner &&
         dvt_str_eq(m->op->def.device, n->op->def.device) && same_folder(m, n);
}

// One result of the chain's dtype.
static bool belongs(const dvt_fuser *f, const dvt_chain *chain, int32_t node) {
  if ((size_t)node >= f->node_count || f->taken[node] || waits(f, node)) return false;
  const dvt_node_def *def = &dvt_fuser_node(f, node)->op->def;
  return dvt_fuser_may_join(f, node, chain->root) && def->output_count > 0 &&
         def->output_types[0] == chain->dtype;
}

// May `node` take the place of what `before`, the last link, does? Adding ends what is per channel, an
// activation ends the chain.
static bool match_link(const dvt_fuser *f, const dvt_chain *chain, int32_t tail, int32_t node,
                       dvt_link *link) {
  const dvt_session_node *sn = dvt_fuser_node(f, node);
  const dvt_link *before = chain->link_count ? &chain->links[chain->link_count - 1] : NULL;
  *link = (dvt_link){.node = node};
  if (match_activation(sn, link)) return true;
  if (before && before->kind == DVT_LINK_SIDE) return false;
  if (!match_norm(f, chain, sn, link) && !match_binary(f, chain, sn, (dvt_source){tail, 0}, link))
    return false;
  bool scales = link->kind == DVT_LINK_NORM || link->kind == DVT_LINK_SCALE;
  return !scales || f->session->config.fuse_batch_norm;
}

// An activation that is written out, if the tail is read by nothing else.
static bool follow_composite(const dvt_fuser *f, dvt_chain *chain, int32_t tail) {
  dvt_link *link = &chain->links[chain->link_count];
  int32_t sink = f->sink[tail];
  *link = (dvt_link){.kind = DVT_LINK_ACTIVATION, .node = sink, .alpha = 0.2f};
  if (sink < 0 || !dvt_composite_match(f, sink, &link->composite) || link->composite.x.node != tail ||
      link->composite.x_reads != f->reader_count[tail])
    return false;
  for (int i = 0; i < link->composite.part_count; i++)
    if (!belongs(f, chain, link->composite.parts[i])) return false;
  link->activation = link->composite.name;
  chain->link_count++;
  return true;
}

static void follow(const dvt_fuser *f, dvt_chain *chain) {
  int32_t tail = chain->root;
  while (chain->link_count < DVT_MAX_LINKS) {
    if (f->pinned[tail] || follow_composite(f, chain, tail) || f->reader_count[tail] != 1) return;
    int32_t node = f->reader[tail];
    dvt_link *link = &chain->links[chain->link_count];
    if (!belongs(f, chain, node) || !match_link(f, chain, tail, node, link)) return;
    // Other results of a batch normalisation have no place in a fused node.
    if (f->others_read[node]) return;
    chain->link_count++;
    if (link->kind == DVT_LINK_ACTIVATION) return;
    tail = node;
  }
}

// ---- padding ----

static int64_t integer_at(const TF_Tensor *t, int i) {
  return t->dtype == TF_INT32 ? ((const int32_t *)t->data)[i] : ((const int64_t *)t->data)[i];
}

// Constant padding by zeros of height and width, not beyond the filter's reach.
static bool read_paddings(const dvt_fuser *f, const dvt_chain *chain, dvt_source source, int64_t *out) {
  const TF_Tensor *t = dvt_fuser_constant(f, source);
  dvt_shape filter = dvt_shapes_of(&f->shapes, dvt_fuser_input(f, chain->root, 1));
  if (!t || (t->dtype != TF_INT32 && t->dtype != TF_INT64) || dvt_tensor_count(t) != 8 || !filter ||
      filter->rank != 4)
    return false;
  int height = chain->axis == 3 ? 1 : 2;
  for (int i = 0; i < 8; i++) {
    int at = i / 2 - height;
    out[i] = integer_at(t, i);
    if (out[i] < 0 || (out[i] > 0 && (at < 0 || at > 1 || out[i] >= filter->dims[at]))) return false;
  }
  return true;
}

static void find_padding(const dvt_fuser *f, dvt_chain *chain) {
  int32_t pad = dvt_fuser_input(f, chain->root, 0).node;
  if (!dvt_str_is(string_attr(dvt_fuser_node(f, chain->root), "padding"), "VALID") ||
      !dvt_fuser_is_plain(f, pad, "Pad") || f->reader_count[pad] != 1 || f->pinned[pad] ||
      !belongs(f, chain, pad) || !read_paddings(f, chain, dvt_fuser_input(f, pad, 1), chain->paddings))
    return;
  chain->pad = pad;
}

bool dvt_chain_find(const dvt_fuser *f, int32_t root, dvt_chain *out_chain) {
  static const char *const roots[] = {"Conv2D", "DepthwiseConv2dNative", "MatMul"};
  int kind = 0;
  while (kind < (int)DVT_COUNT_OF(roots) && !dvt_fuser_is_plain(f, root, roots[kind])) kind++;
  if (kind == (int)DVT_COUNT_OF(roots) || f->x->nodes[root].is_constant) return false;
  const dvt_session_node *sn = dvt_fuser_node(f, root);
  if (sn->op->def.input_count != 2) return false;
  *out_chain = (dvt_chain){.root_kind = (dvt_root_kind)kind, .root = root, .pad = -1, .channels = -1};
  out_chain->dtype = sn->op->def.output_types[0];
  out_chain->rank = kind == DVT_ROOT_MATMUL ? 2 : 4;
  out_chain->axis = kind == DVT_ROOT_MATMUL ? 1 : is_nhwc(sn) ? 3 : 1;
  dvt_shape shape = dvt_shapes_of(&f->shapes, (dvt_source){root, 0});
  if (shape && shape->rank == out_chain->rank && dvt_dim_known(shape->dims[out_chain->axis]))
    out_chain->channels = shape->dims[out_chain->axis];
  if (kind != DVT_ROOT_MATMUL) find_padding(f, out_chain);
  follow(f, out_chain);
  return out_chain->link_count > 0 || out_chain->pad >= 0;
}
