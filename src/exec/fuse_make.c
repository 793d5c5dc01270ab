// Making the nodes that stand for chains: the attributes of the fused op, constants that replace folded ones.
// What is the same for all made nodes is in fuse_node.c. See fuse.h.
#include <string.h>

#include "exec/fuse.h"
#include "kernel/kernel.h"
#include "op/registry.h"

static int32_t last_node(const dvt_recipe *r) {
  return r->link_count ? r->chain->links[r->link_count - 1].node : r->chain->root;
}

int dvt_recipe_parts(const dvt_recipe *r, int32_t parts[DVT_MAX_PARTS]) {
  int count = 0;
  if (r->chain->pad >= 0) parts[count++] = r->chain->pad;
  parts[count++] = r->chain->root;
  for (int i = 0; i < r->link_count; i++) {
    const dvt_link *link = &r->chain->links[i];
    for (int k = 0; k + 1 < link->composite.part_count; k++) parts[count++] = link->composite.parts[k];
    parts[count++] = link->node;
  }
  return count;
}

// ---- attributes ----

static void add_fusion(dvt_attr_set *list, const dvt_recipe *r) {
  dvt_buf b = {0};
  dvt_str names[DVT_COUNT_OF(r->fused_ops)];
  for (int i = 0; i < r->fused_op_count; i++) names[i] = dvt_str_from(r->fused_ops[i]);
  dvt_attr_put_string_list(&b, names, (size_t)r->fused_op_count);
  dvt_attr_set_add(list, DVT_STR("fused_ops"), &b);
  if (r->chain->root_kind == DVT_ROOT_CONV) {
    int types[DVT_COUNT_OF(r->inputs)];
    for (int i = 0; i < r->input_count; i++) types[i] = r->chain->dtype;
    b = (dvt_buf){0};
    dvt_attr_put_type_list(&b, types, (size_t)r->input_count - 2);
    dvt_attr_set_add(list, DVT_STR("TArgs"), &b);
  }
  dvt_attr_set_add_int(list, DVT_STR("num_args"), r->input_count - 2);
  dvt_attr_set_add_float(list, DVT_STR("epsilon"), r->epsilon);
  dvt_attr_set_add_float(list, DVT_STR("leakyrelu_alpha"), r->alpha);
}

static bool is_explicit(const dvt_node_def *root) {
  dvt_str value, padding = {0};
  if (dvt_node_attr(root, DVT_STR("padding"), &value)) dvt_status_free(dvt_attr_get_string(value, &padding));
  return dvt_str_is(padding, "EXPLICIT");
}

static void add_padding(dvt_attr_set *list, const dvt_chain *chain, const dvt_node_def *root) {
  dvt_buf b = {0};
  if (chain->pad >= 0) {
    dvt_attr_put_string(&b, DVT_STR("EXPLICIT"));
    dvt_attr_set_add(list, DVT_STR("padding"), &b);
    b = (dvt_buf){0};
    dvt_attr_put_int_list(&b, chain->paddings, 8);
    dvt_attr_set_add(list, DVT_STR("explicit_paddings"), &b);
    return;
  }
  dvt_attr_set_copy(list, root, DVT_STR("padding"));
  if (is_explicit(root)) dvt_attr_set_copy(list, root, DVT_STR("explicit_paddings"));
}

static const char *op_name(const dvt_recipe *r, const dvt_node_def *root, char *buffer, size_t bytes) {
  if (r->fused_op_count == 0) {
    size_t length = DVT_MIN(root->op->name.len, bytes - 1);
    memcpy(buffer, root->op->name.data, length);
    buffer[length] = '\0';
    return buffer;
  }
  if (r->chain->root_kind == DVT_ROOT_CONV) return "_FusedConv2D";
  if (r->chain->root_kind == DVT_ROOT_MATMUL) return "_FusedMatMul";
  // Only the op of that other name takes explicit paddings.
  return r->chain->pad >= 0 || is_explicit(root) ? "FusedDepthwiseConv2dNative"
                                                 : "_FusedDepthwiseConv2dNative";
}

// False when there is no such op, or memory is short.
static bool define(const dvt_fuser *f, const dvt_recipe *r, dvt_made_node *made) {
  const dvt_node_def *root = &dvt_fuser_node(f, r->chain->root)->op->def;
  dvt_attr_set list = {.arena = &f->session->arena};
  char buffer[64];
  dvt_attr_set_copy(&list, root, DVT_STR("T"));
  if (r->chain->root_kind == DVT_ROOT_MATMUL) {
    dvt_attr_set_copy(&list, root, DVT_STR("transpose_a"));
    dvt_attr_set_copy(&list, root, DVT_STR("transpose_b"));
  } else {
    dvt_attr_set_copy(&list, root, DVT_STR("strides"));
    dvt_attr_set_copy(&list, root, DVT_STR("data_format"));
    dvt_attr_set_copy(&list, root, DVT_STR("dilations"));
    add_padding(&list, r->chain, root);
  }
  if (r->fused_op_count) add_fusion(&list, r);
  return dvt_made_node_define(f, made, op_name(r, root, buffer, sizeof buffer), &list, r->input_count);
}

// ---- operands ----

// A session node for an operand: `op` is Const or Sub. NULL when memory is short or the op is unknown.
static dvt_session_node *operand_node(const dvt_fuser *f, const dvt_recipe *r, const char *op,
                                      dvt_node_kind kind) {
  dvt_buf name = {0};
  struct {
    dvt_session_node node;
    TF_Operation op;
    int16_t types[3];
    dvt_attr attr;
  } *block = dvt_arena_calloc(&f->session->arena, 1, sizeof *block);
  const dvt_session_node *last = dvt_fuser_node(f, last_node(r));
  if (!block) return NULL;
  for (int i = 0; i < 3; i++) block->types[i] = (int16_t)r->chain->dtype;
  block->op = (TF_Operation){.graph = last->op->graph, .id = -1};
  dvt_buf_printf(&name, DVT_STR_FMT "/fused/%s", DVT_STR_ARG(last->op->def.name), op);
  bool fine = !name.failed && dvt_arena_copy_str(&f->session->arena, dvt_buf_str(&name), &block->op.def.name);
  dvt_buf_deinit(&name);
  block->op.def = (dvt_node_def){.name = block->op.def.name,
                                 .device = last->op->def.device,
                                 .op = dvt_op_lookup(dvt_str_from(op)),
                                 .input_count = kind == DVT_NODE_CONST ? 0 : 2,
                                 .output_count = 1,
                                 .input_types = block->types,
                                 .output_types = block->types + 2};
  block->node = (dvt_session_node){.op = &block->op,
                                   .owner = last->owner,
                                   .kind = kind,
                                   .arg_index = -1,
                                   .fused_ops = block->op.def.op ? block->op.def.op->name : (dvt_str){0},
                                   .fused_names = block->op.def.name};
  return fine && block->op.def.op ? &block->node : NULL;
}

// Takes over *value.
static dvt_session_node *constant_node(const dvt_fuser *f, const dvt_recipe *r, TF_Tensor *value) {
  dvt_session_node *node = operand_node(f, r, "Const", DVT_NODE_CONST);
  if (node) node->constants = dvt_arena_calloc(&f->session->arena, 1, sizeof *node->constants);
  if (!node || !node->constants) {
    dvt_tensor_reset(value);
    return NULL;
  }
  dvt_tensor_move(node->constants, value);
  node->fold = DVT_FOLD_CONSTANT;
  return node;
}

static bool fill(TF_Tensor *out, const dvt_chain *chain, double value) {
  if ((chain->dtype != TF_FLOAT && chain->dtype != TF_DOUBLE) || chain->channels < 0) return false;
  dvt_status status = dvt_tensor_init_allocate(out, chain->dtype, &chain->channels, 1);
  for (int64_t i = 0; !status && i < chain->channels; i++) {
    if (chain->dtype == TF_DOUBLE)
      ((double *)out->data)[i] = value;
    else
      ((float *)out->data)[i] = (float)value;
  }
  bool fine = !status;
  dvt_status_free(status);
  return fine;
}

static bool reshape(const dvt_fuser *f, const dvt_recipe *r, dvt_source source, TF_Tensor *out) {
  const TF_Tensor *value = dvt_fuser_constant(f, source);
  if (!value) return false;
  dvt_status status = dvt_tensor_init_copy(out, value);
  if (!status) status = dvt_tensor_set_shape(out, &r->chain->channels, 1);
  bool fine = !status;
  dvt_status_free(status);
  if (!fine) dvt_tensor_reset(out);
  return fine;
}

static bool make_difference(const dvt_fuser *f, const dvt_recipe *r, dvt_session_node **out) {
  dvt_session_node *node = operand_node(f, r, "Sub", DVT_NODE_KERNEL);
  dvt_attr *attr = dvt_arena_calloc(&f->session->arena, 1, sizeof *attr);
  dvt_buf type = {0};
  if (!node || !attr) return false;
  attr->name = DVT_STR("T");
  dvt_attr_put_type(&type, r->chain->dtype);
  bool fine = !type.failed && dvt_arena_copy_str(&f->session->arena, dvt_buf_str(&type), &attr->value);
  dvt_buf_deinit(&type);
  node->op->def.attrs = attr;
  node->op->def.attr_count = 1;
  if (fine) {
    dvt_status status = dvt_session_node_make_kernel(f->session, node);
    fine = !status;
    dvt_status_free(status);
  }
  if (fine) *out = node;
  return fine;
}

static bool make_operand(const dvt_fuser *f, const dvt_recipe *r, int i, TF_Tensor *filter, TF_Tensor *bias,
                         dvt_session_node **out) {
  TF_Tensor value = {0};
  switch (r->operands[i].kind) {
    case DVT_OPERAND_SOURCE:
      return true;
    case DVT_OPERAND_DIFFERENCE:
      return make_difference(f, r, out);
    case DVT_OPERAND_FILTER:
      *out = constant_node(f, r, filter);
      break;
    case DVT_OPERAND_BIAS:
      *out = constant_node(f, r, bias);
      break;
    case DVT_OPERAND_VECTOR:
      if (reshape(f, r, r->operands[i].source, &value)) *out = constant_node(f, r, &value);
      break;
    default:
      if (fill(&value, r->chain, r->operands[i].kind == DVT_OPERAND_ONES)) *out = constant_node(f, r, &value);
  }
  return *out != NULL;
}

static bool make_operands(const dvt_fuser *f, const dvt_recipe *r, dvt_made_node *made) {
  TF_Tensor filter = {0}, bias = {0};
  bool fine = !r->folds || dvt_fold_weights(f, r, &filter, &bias);
  for (int i = 0; i < r->operand_count && fine; i++)
    fine = make_operand(f, r, i, &filter, &bias, &made->operands[i]);
  dvt_tensor_reset(&filter);
  dvt_tensor_reset(&bias);
  return fine;
}

// ---- the cache ----

enum { MAX_KEY = 4 + DVT_MAX_LINKS * 6 + DVT_MAX_OPERANDS * 2 };

// What the made node depends on: the nodes it stands for, the constants folded into it, its form.
static size_t make_key(const dvt_fuser *f, const dvt_recipe *r, const void **key) {
  const dvt_chain *chain = r->chain;
  size_t n = 0;
  key[n++] = chain->pad >= 0 ? dvt_fuser_node(f, chain->pad) : NULL;
  key[n++] = dvt_fuser_node(f, last_node(r));
  key[n++] = r->folds ? dvt_fuser_known(f, dvt_fuser_input(f, chain->root, 1)) : NULL;
  for (int i = 0; i < r->link_count; i++) {
    key[n++] = dvt_fuser_node(f, chain->links[i].node);
    if (!r->folds || chain->links[i].kind > DVT_LINK_NORM) continue;
    bool norm = chain->links[i].kind == DVT_LINK_NORM;
    for (int k = 0; k < (norm ? 4 : 1); k++)
      key[n++] = dvt_fuser_known(f, norm ? chain->links[i].norm[k] : chain->links[i].operand);
  }
  for (int i = 0; i < r->operand_count; i++) {
    bool reshaped = r->operands[i].kind == DVT_OPERAND_VECTOR;
    key[n++] = (const void *)(uintptr_t)r->operands[i].kind;
    key[n++] = reshaped ? dvt_fuser_known(f, r->operands[i].source) : NULL;
  }
  return n;
}

static bool make(const dvt_fuser *f, const dvt_recipe *r, dvt_made_node *made) {
  const dvt_session_node *root = dvt_fuser_node(f, r->chain->root);
  int32_t parts[DVT_MAX_PARTS];
  int count = dvt_recipe_parts(r, parts);
  dvt_made_node_init(f, made, last_node(r));
  if (!define(f, r, made) || !dvt_made_node_describe(f, made, parts, count) || !make_operands(f, r, made) ||
      !dvt_made_node_find_kernel(f, made))
    return false;
  // A plugin that brings its own convolution keeps it.
  return made->node.kernel_def->plugin == root->kernel_def->plugin && dvt_made_node_make_kernel(f, made);
}

dvt_status dvt_made_node_get(const dvt_fuser *f, const dvt_recipe *recipe, dvt_made_node **out_made) {
  const void *key[MAX_KEY];
  size_t count = make_key(f, recipe, key);
  bool is_new;
  DVT_RETURN_IF_ERROR(dvt_made_node_find(f, recipe->chain->root, key, count, out_made, &is_new));
  if (is_new) (*out_made)->usable = make(f, recipe, *out_made);
  return NULL;
}
