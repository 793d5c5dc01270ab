// What nodes that stand for others have in common: attributes, definition, texts, kernel, and the cache of
// them, which hangs at a session node. See fuse.h.
#include <string.h>

#include "exec/fuse.h"
#include "kernel/kernel.h"
#include "op/registry.h"

// ---- attributes ----

void dvt_attr_set_add(dvt_attr_set *set, dvt_str name, dvt_buf *value) {
  dvt_attr *attr = &set->attrs[set->count++];
  attr->name = name;
  set->failed |= value->failed || !dvt_arena_copy_str(set->arena, dvt_buf_str(value), &attr->value);
  dvt_buf_deinit(value);
}

void dvt_attr_set_copy(dvt_attr_set *set, const dvt_node_def *from, dvt_str name) {
  dvt_str value;
  if (dvt_node_attr(from, name, &value)) set->attrs[set->count++] = (dvt_attr){name, value};
}

void dvt_attr_set_add_int(dvt_attr_set *set, dvt_str name, int64_t value) {
  dvt_buf b = {0};
  dvt_attr_put_int(&b, value);
  dvt_attr_set_add(set, name, &b);
}

void dvt_attr_set_add_float(dvt_attr_set *set, dvt_str name, float value) {
  dvt_buf b = {0};
  dvt_attr_put_float(&b, value);
  dvt_attr_set_add(set, name, &b);
}

// ---- the node ----

void dvt_made_node_init(const dvt_fuser *f, dvt_made_node *made, int32_t last) {
  const dvt_session_node *sn = dvt_fuser_node(f, last);
  made->op = (TF_Operation){.graph = sn->op->graph, .id = -1, .output_shapes = sn->op->output_shapes};
  made->op.def = (dvt_node_def){.name = sn->op->def.name, .device = sn->op->def.device};
  made->node =
      (dvt_session_node){.op = &made->op, .owner = sn->owner, .kind = DVT_NODE_KERNEL, .arg_index = -1};
}

bool dvt_made_node_define(const dvt_fuser *f, dvt_made_node *made, const char *op, const dvt_attr_set *attrs,
                          int input_count) {
  dvt_node_def *def = &made->op.def;
  size_t bytes = (size_t)attrs->count * sizeof *def->attrs;
  def->op = dvt_op_lookup(dvt_str_from(op));
  def->attr_count = attrs->count;
  def->attrs = dvt_arena_alloc(&f->session->arena, bytes);
  if (attrs->failed || !def->attrs || !def->op) return false;
  memcpy(def->attrs, attrs->attrs, bytes);
  dvt_status status = dvt_node_resolve(def, &f->session->arena);
  bool fine = !status && def->input_count == input_count && def->output_count == 1;
  dvt_status_free(status);
  return fine;
}

static void describe_part(const dvt_fuser *f, int32_t node, dvt_buf *ops, dvt_buf *names) {
  const dvt_node_def *def = &dvt_fuser_node(f, node)->op->def;
  dvt_buf_printf(ops, "%s" DVT_STR_FMT, ops->len ? " + " : "", DVT_STR_ARG(def->op->name));
  dvt_buf_printf(names, "%s'" DVT_STR_FMT "'", names->len ? ", " : "", DVT_STR_ARG(def->name));
}

bool dvt_made_node_describe(const dvt_fuser *f, dvt_made_node *made, const int32_t *parts, int count) {
  dvt_buf ops = {0}, names = {0};
  for (int i = 0; i < count; i++) describe_part(f, parts[i], &ops, &names);
  bool fine = !ops.failed && !names.failed &&
              dvt_arena_copy_str(&f->session->arena, dvt_buf_str(&ops), &made->node.fused_ops) &&
              dvt_arena_copy_str(&f->session->arena, dvt_buf_str(&names), &made->node.fused_names);
  dvt_buf_deinit(&ops);
  dvt_buf_deinit(&names);
  return fine;
}

bool dvt_made_node_find_kernel(const dvt_fuser *f, dvt_made_node *made) {
  dvt_status status = dvt_session_node_find_kernel(f->session, &made->node);
  bool fine = !status && made->node.kernel_def->compute;
  dvt_status_free(status);
  return fine;
}

bool dvt_made_node_make_kernel(const dvt_fuser *f, dvt_made_node *made) {
  dvt_status status = dvt_session_node_make_kernel(f->session, &made->node);
  bool fine = !status;
  dvt_status_free(status);
  return fine;
}

// ---- the cache ----

dvt_status dvt_made_node_find(const dvt_fuser *f, int32_t owner, const void *const *key, size_t count,
                              dvt_made_node **out_made, bool *out_is_new) {
  dvt_session_node *sn = f->x->nodes[owner].session_node;
  *out_is_new = false;
  for (dvt_made_node *made = sn->made; made; made = made->next)
    if (made->key_count == count && memcmp(made->key, key, count * sizeof *key) == 0) {
      *out_made = made;
      return NULL;
    }
  dvt_made_node *made = dvt_arena_calloc(&f->session->arena, 1, sizeof *made);
  if (made) made->key = dvt_arena_alloc(&f->session->arena, count * sizeof *key);
  if (!made || !made->key) return dvt_error_out_of_memory(sizeof *made);
  memcpy(made->key, key, count * sizeof *key);
  made->key_count = count;
  made->next = sn->made;
  sn->made = made;
  *out_made = made;
  *out_is_new = true;
  return NULL;
}

static void node_deinit(dvt_session_node *node) {
  if (node->has_kernel) dvt_kernel_destroy(&node->kernel);
  if (node->constants) dvt_tensor_reset(node->constants);
}

void dvt_made_nodes_deinit(dvt_made_node *first) {
  for (dvt_made_node *made = first; made; made = made->next) {
    node_deinit(&made->node);
    for (int i = 0; i < DVT_MAX_OPERANDS; i++)
      if (made->operands[i]) node_deinit(made->operands[i]);
  }
}
