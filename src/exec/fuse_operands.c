// What a fused node reads, and which fused_ops it names: see fuse.h. A chain's links up to the residual are
// affine per channel. Constants go into the filter and one bias; values that change (variables) become the
// operands of the op's BiasAdd or FusedBatchNorm.
#include "exec/fuse.h"

static int add_operand(dvt_recipe *r, dvt_operand operand) {
  if (r->operand_count == DVT_MAX_OPERANDS) return -1;
  r->operands[r->operand_count] = operand;
  return r->operand_count++;
}
static int add_source(dvt_recipe *r, dvt_source source) {
  return add_operand(r, (dvt_operand){.kind = DVT_OPERAND_SOURCE, .source = source});
}
static int add_kind(dvt_recipe *r, dvt_operand_kind kind) {
  return add_operand(r, (dvt_operand){.kind = kind});
}
static bool add_input(dvt_recipe *r, int operand) {
  if (operand < 0 || r->input_count == (int)DVT_COUNT_OF(r->inputs)) return false;
  r->inputs[r->input_count++] = operand;
  return true;
}

// Ops that change nothing but the shape.
static bool is_reshape(const dvt_fuser *f, int32_t node) {
  return dvt_fuser_is_plain(f, node, "Reshape") || dvt_fuser_is_plain(f, node, "Squeeze") ||
         dvt_fuser_is_plain(f, node, "ExpandDims") || dvt_fuser_is_plain(f, node, "Identity");
}

static bool is_vector(const dvt_fuser *f, const dvt_chain *chain, dvt_source source) {
  dvt_shape shape = dvt_shapes_of(&f->shapes, source);
  return shape && shape->rank == 1 && chain->channels >= 0 && shape->dims[0] == chain->channels;
}

// Kernels of fused ops want vectors: the operand for one element per channel of any rank, -1 when there is
// none. A value that was only reshaped on its way is read where it is a vector.
static int vector_operand(const dvt_fuser *f, dvt_recipe *r, dvt_source source) {
  enum { MAX_HOPS = 8 };
  dvt_source at = source, vector = {0};
  bool found = false;
  if (!dvt_chain_is_per_channel(f, r->chain, source) && !is_vector(f, r->chain, source)) return -1;
  for (int i = 0; i < MAX_HOPS; i++) {
    if (is_vector(f, r->chain, at)) {
      vector = at;
      found = true;
    }
    if (!is_reshape(f, at.node)) break;
    at = dvt_fuser_input(f, at.node, 0);
  }
  if (found) return add_source(r, vector);
  if (!dvt_fuser_known(f, source)) return -1;
  return add_operand(r, (dvt_operand){.kind = DVT_OPERAND_VECTOR, .source = source});
}

// ---- batch normalisation written out ----

typedef struct pair {
  dvt_source a, b;
} pair;

static bool binary(const dvt_fuser *f, dvt_source source, const char *op, pair *out) {
  return dvt_fuser_binary(f, source, op, &out->a, &out->b);
}

// Rsqrt(variance + epsilon), epsilon a float that is known.
static bool match_rsqrt(const dvt_fuser *f, dvt_source source, dvt_source *out_variance, float *out_epsilon) {
  pair sum;
  if (!dvt_fuser_is_plain(f, source.node, "Rsqrt") ||
      !binary(f, dvt_fuser_input(f, source.node, 0), "AddV2", &sum))
    return false;
  for (int i = 0; i < 2; i++) {
    const TF_Tensor *t = dvt_fuser_constant(f, i ? sum.a : sum.b);
    if (!t || t->dtype != TF_FLOAT || dvt_tensor_count(t) != 1) continue;
    *out_variance = i ? sum.b : sum.a;
    *out_epsilon = *(const float *)t->data;
    return true;
  }
  return false;
}

typedef struct norm {
  dvt_source scale, offset, mean, variance;
  bool has_scale;
  float epsilon;
} norm;

// factor = Rsqrt(variance + epsilon) [* scale]; shift = offset - mean * factor.
static bool match_norm(const dvt_fuser *f, dvt_source factor, dvt_source shift, norm *out) {
  pair product, difference;
  bool found = match_rsqrt(f, factor, &out->variance, &out->epsilon);
  if (!found && binary(f, factor, "Mul", &product)) {
    found = match_rsqrt(f, product.a, &out->variance, &out->epsilon);
    out->scale = found ? product.b : product.a;
    found = found || match_rsqrt(f, product.b, &out->variance, &out->epsilon);
    out->has_scale = true;
  }
  if (!found || !binary(f, shift, "Sub", &difference) || !binary(f, difference.b, "Mul", &product))
    return false;
  out->offset = difference.a;
  out->mean = dvt_source_is(product.a, factor) ? product.b : product.a;
  return dvt_source_is(product.a, factor) || dvt_source_is(product.b, factor);
}

// The four vectors after `mean` was lessened by a bias that is added first (-1: none).
static bool add_norm_inputs(dvt_recipe *r, int scale, int offset, int mean, int variance, int bias) {
  if (bias >= 0) mean = add_operand(r, (dvt_operand){.kind = DVT_OPERAND_DIFFERENCE, .a = mean, .b = bias});
  r->fused_ops[r->fused_op_count++] = "FusedBatchNorm";
  return add_input(r, scale) && add_input(r, offset) && add_input(r, mean) && add_input(r, variance);
}

static bool add_written_out(const dvt_fuser *f, dvt_recipe *r, const norm *n, int bias) {
  int scale = n->has_scale ? vector_operand(f, r, n->scale) : add_kind(r, DVT_OPERAND_ONES);
  int offset = vector_operand(f, r, n->offset), mean = vector_operand(f, r, n->mean),
      variance = vector_operand(f, r, n->variance);
  r->epsilon = n->epsilon;
  return scale >= 0 && offset >= 0 && mean >= 0 && variance >= 0 &&
         add_norm_inputs(r, scale, offset, mean, variance, bias);
}

// Any factor and summand: a normalisation with mean 0 and variance 1.
static bool add_scale(const dvt_fuser *f, dvt_recipe *r, const dvt_link *scale, const dvt_link *shift,
                      int bias) {
  norm n = {.has_scale = false};
  if (shift && r->chain->dtype == TF_FLOAT && match_norm(f, scale->operand, shift->operand, &n)) {
    dvt_recipe before = *r;
    if (add_written_out(f, r, &n, bias)) return true;
    *r = before;
  }
  int factor = vector_operand(f, r, scale->operand);
  int summand = shift ? vector_operand(f, r, shift->operand) : add_kind(r, DVT_OPERAND_ZEROS);
  int zeros = add_kind(r, DVT_OPERAND_ZEROS), ones = add_kind(r, DVT_OPERAND_ONES);
  r->epsilon = 0;
  return factor >= 0 && summand >= 0 && add_norm_inputs(r, factor, summand, zeros, ones, bias);
}

// ---- the affine links ----

static bool is_affine(const dvt_link *link) { return link->kind <= DVT_LINK_NORM; }

static bool is_constant_link(const dvt_fuser *f, const dvt_link *link) {
  if (link->kind != DVT_LINK_NORM) return dvt_fuser_known(f, link->operand) != NULL;
  for (int i = 0; i < 4; i++)
    if (!dvt_fuser_known(f, link->norm[i])) return false;
  return true;
}

// Everything constant: one filter, one bias. Halves would lose digits twice.
static bool may_fold(const dvt_fuser *f, const dvt_chain *chain, int affine) {
  if (chain->dtype != TF_FLOAT && chain->dtype != TF_DOUBLE) return false;
  for (int i = 0; i < affine; i++)
    if (!is_constant_link(f, &chain->links[i])) return false;
  return chain->channels > 0 && dvt_fuser_known(f, dvt_fuser_input(f, chain->root, 1));
}

static bool add_folded(dvt_recipe *r) {
  r->inputs[1] = add_kind(r, DVT_OPERAND_FILTER);
  r->folds = true;
  r->fused_ops[r->fused_op_count++] = "BiasAdd";
  return r->inputs[1] >= 0 && add_input(r, add_kind(r, DVT_OPERAND_BIAS));
}

static bool add_bias(const dvt_fuser *f, dvt_recipe *r, const dvt_link *link) {
  // BiasAdd itself checks that it is a vector.
  int operand = dvt_str_is(dvt_fuser_node(f, link->node)->op->def.op->name, "BiasAdd") &&
                        !is_vector(f, r->chain, link->operand)
                    ? add_source(r, link->operand)
                    : vector_operand(f, r, link->operand);
  r->fused_ops[r->fused_op_count++] = "BiasAdd";
  return add_input(r, operand);
}

// [bias] [scale [bias] | norm]
static bool add_changing(const dvt_fuser *f, dvt_recipe *r, int affine) {
  const dvt_link *links = r->chain->links;
  if (affine == 1 && links[0].kind == DVT_LINK_BIAS) return add_bias(f, r, &links[0]);
  int at = 0, bias = -1;
  if (links[0].kind == DVT_LINK_BIAS) {
    if ((bias = vector_operand(f, r, links[at++].operand)) < 0) return false;
  }
  const dvt_link *main = &links[at++];
  if (main->kind == DVT_LINK_SCALE) {
    const dvt_link *shift = at < affine && links[at].kind == DVT_LINK_BIAS ? &links[at++] : NULL;
    return at == affine && add_scale(f, r, main, shift, bias);
  }
  if (main->kind != DVT_LINK_NORM || at != affine) return false;
  int v[4];
  for (int i = 0; i < 4; i++)
    if ((v[i] = add_source(r, main->norm[i])) < 0) return false;
  r->epsilon = main->epsilon;
  return add_norm_inputs(r, v[0], v[1], v[2], v[3], bias);
}

static bool add_affine(const dvt_fuser *f, dvt_recipe *r, int affine) {
  if (affine == 0) return true;
  bool only_bias = affine == 1 && r->chain->links[0].kind == DVT_LINK_BIAS;
  if (!only_bias && may_fold(f, r->chain, affine)) return add_folded(r);
  return add_changing(f, r, affine);
}

bool dvt_recipe_make(const dvt_fuser *f, const dvt_chain *chain, int link_count, dvt_recipe *out_recipe) {
  *out_recipe = (dvt_recipe){.chain = chain, .link_count = link_count, .epsilon = 0.0001f, .alpha = 0.2f};
  dvt_recipe *r = out_recipe;
  int32_t first = chain->pad >= 0 ? chain->pad : chain->root;
  int affine = 0;
  while (affine < link_count && is_affine(&chain->links[affine])) affine++;
  if (!add_input(r, add_source(r, dvt_fuser_input(f, first, 0))) ||
      !add_input(r, add_source(r, dvt_fuser_input(f, chain->root, 1))) || !add_affine(f, r, affine))
    return false;
  for (int i = affine; i < link_count; i++) {
    const dvt_link *link = &chain->links[i];
    r->fused_ops[r->fused_op_count++] = link->kind == DVT_LINK_SIDE ? "Add" : link->activation;
    r->alpha = link->alpha;
    if (link->kind == DVT_LINK_SIDE && !add_input(r, add_source(r, link->operand))) return false;
  }
  return true;
}
