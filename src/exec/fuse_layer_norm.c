// Layer normalisation over the last dim as Keras writes it out, with means, becomes _DovetailLayerNorm. With
// mean = Mean(x), variance = Mean(SquaredDifference(x, mean)) and factor = Rsqrt(variance + epsilon) * scale,
// the graph computes x * factor + shift, shift being offset - mean * factor in one form or another. See
// fuse.h.
#include <math.h>

#include "exec/fuse.h"

typedef struct norm {
  dvt_source x, mean, factor, scale, offset;
  double epsilon;
  int32_t parts[16];  // the last one's result is the normalisation's
  int part_count;
} norm;

static void add_part(norm *n, dvt_source source) { n->parts[n->part_count++] = source.node; }

// Finds a binary node of that op one of whose inputs `wanted` accepts; the other input is *out_other.
static bool either(const dvt_fuser *f, norm *n, dvt_source source, const char *op,
                   bool (*wanted)(const dvt_fuser *f, norm *n, dvt_source source), dvt_source *out_other) {
  dvt_source in[2];
  if (!dvt_fuser_binary(f, source, op, &in[0], &in[1])) return false;
  norm before = *n;
  for (int i = 0; i < 2; i++) {
    *out_other = in[1 - i];
    if (wanted(f, n, in[i])) {
      add_part(n, source);
      return true;
    }
    *n = before;
  }
  return false;
}

static bool is_last_axis(const TF_Tensor *axes, int rank) {
  if (!axes || dvt_tensor_count(axes) != 1 || (axes->dtype != TF_INT32 && axes->dtype != TF_INT64))
    return false;
  int64_t axis = axes->dtype == TF_INT32 ? *(const int32_t *)axes->data : *(const int64_t *)axes->data;
  return axis == -1 || axis == rank - 1;
}

// Mean over the last dim, which is kept; *out_of is what it is of.
static bool match_mean(const dvt_fuser *f, norm *n, dvt_source source, dvt_source *out_of) {
  dvt_source axes;
  dvt_str value;
  bool keeps = false;
  if (!dvt_fuser_binary(f, source, "Mean", out_of, &axes)) return false;
  dvt_shape shape = dvt_shapes_of(&f->shapes, *out_of);
  if (dvt_node_attr(&dvt_fuser_node(f, source.node)->op->def, DVT_STR("keep_dims"), &value))
    dvt_status_free(dvt_attr_get_bool(value, &keeps));
  if (!keeps || !shape || shape->rank < 1 || !is_last_axis(dvt_fuser_constant(f, axes), shape->rank))
    return false;
  add_part(n, source);
  return true;
}

// Mean(SquaredDifference(x, Mean(x)))
static bool match_variance(const dvt_fuser *f, norm *n, dvt_source source) {
  dvt_source squares, in[2], of;
  if (!match_mean(f, n, source, &squares) ||
      !dvt_fuser_binary(f, squares, "SquaredDifference", &in[0], &in[1]))
    return false;
  add_part(n, squares);
  norm before = *n;
  for (int i = 0; i < 2; i++) {
    if (match_mean(f, n, in[i], &of) && dvt_source_is(of, in[1 - i])) {
      n->mean = in[i];
      n->x = of;
      return true;
    }
    *n = before;
  }
  return false;
}

static bool match_epsilon(const dvt_fuser *f, norm *n, dvt_source source) {
  return dvt_fuser_number(f, source, &n->epsilon) && n->epsilon > 0 && isfinite(n->epsilon);
}

static bool match_rsqrt(const dvt_fuser *f, norm *n, dvt_source source) {
  dvt_source variance;
  if (source.node < 0 || !dvt_fuser_is_plain(f, source.node, "Rsqrt")) return false;
  add_part(n, source);
  return either(f, n, dvt_fuser_input(f, source.node, 0), "AddV2", match_epsilon, &variance) &&
         match_variance(f, n, variance);
}

// x * factor
static bool match_scaled(const dvt_fuser *f, norm *n, dvt_source source) {
  dvt_source in[2];
  if (!dvt_fuser_binary(f, source, "Mul", &in[0], &in[1])) return false;
  norm before = *n;
  for (int i = 0; i < 2; i++) {
    n->factor = in[i];
    if (either(f, n, in[i], "Mul", match_rsqrt, &n->scale) && dvt_source_is(n->x, in[1 - i])) {
      add_part(n, source);
      return true;
    }
    *n = before;
  }
  return false;
}

static bool is_factor(const dvt_fuser *f, norm *n, dvt_source source) {
  (void)f;
  return dvt_source_is(source, n->factor);
}

// -mean * factor
static bool match_negative(const dvt_fuser *f, norm *n, dvt_source source) {
  dvt_source negative;
  if (!either(f, n, source, "Mul", is_factor, &negative) || negative.node < 0 ||
      !dvt_fuser_is_plain(f, negative.node, "Neg") ||
      !dvt_source_is(dvt_fuser_input(f, negative.node, 0), n->mean))
    return false;
  add_part(n, negative);
  return true;
}

// offset - mean * factor, or (-mean) * factor + offset
static bool match_shift(const dvt_fuser *f, norm *n, dvt_source source) {
  dvt_source product, mean;
  if (either(f, n, source, "AddV2", match_negative, &n->offset)) return true;
  if (!dvt_fuser_binary(f, source, "Sub", &n->offset, &product) ||
      !either(f, n, product, "Mul", is_factor, &mean) || !dvt_source_is(mean, n->mean))
    return false;
  add_part(n, source);
  return true;
}

// One element for each of the last dim of x, along it.
static bool is_along_last(const dvt_fuser *f, dvt_source source, dvt_source x) {
  dvt_shape shape = dvt_shapes_of(&f->shapes, source), of = dvt_shapes_of(&f->shapes, x);
  if (!shape || !of || shape->rank < 1 || shape->rank > of->rank || !dvt_dim_known(of->dims[of->rank - 1]))
    return false;
  for (int i = 0; i + 1 < shape->rank; i++)
    if (shape->dims[i] != 1) return false;
  return shape->dims[shape->rank - 1] == of->dims[of->rank - 1];
}

// The node's epsilon is a float, too few digits for doubles.
static bool is_float(const dvt_fuser *f, int32_t node) {
  const dvt_node_def *def = &dvt_fuser_node(f, node)->op->def;
  return def->output_count == 1 && def->output_types[0] == TF_FLOAT;
}

static bool match_norm(const dvt_fuser *f, int32_t node, norm *n) {
  dvt_source shift;
  *n = (norm){.part_count = 0};
  if ((size_t)node >= f->node_count || f->x->nodes[node].is_constant || !is_float(f, node) ||
      !either(f, n, (dvt_source){node, 0}, "AddV2", match_scaled, &shift))
    return false;
  int32_t sum = n->parts[--n->part_count];  // goes to the end
  if (!match_shift(f, n, shift)) return false;
  n->parts[n->part_count++] = sum;
  for (int i = 0; i < n->part_count; i++)
    if (!dvt_fuser_may_join(f, node, n->parts[i])) return false;
  return is_along_last(f, n->scale, n->x) && is_along_last(f, n->offset, n->x);
}

// The parts that nobody else needs, the last one among them: the others go on running.
static int keep_closed(const dvt_fuser *f, norm *n) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (int i = 0; i + 1 < n->part_count; i++) {
      int reads = 0;
      for (int k = 0; k < n->part_count; k++)
        for (int32_t j = 0; j < f->x->nodes[n->parts[k]].input_count; j++)
          reads += dvt_fuser_input(f, n->parts[k], j).node == n->parts[i];
      if (reads == f->reader_count[n->parts[i]] && !f->pinned[n->parts[i]]) continue;
      for (int k = i; k + 1 < n->part_count; k++) n->parts[k] = n->parts[k + 1];
      n->part_count--;
      changed = true;
    }
  }
  return n->part_count;
}

static bool make(const dvt_fuser *f, const norm *n, dvt_made_node *made) {
  int32_t last = n->parts[n->part_count - 1];
  dvt_attr_set attrs = {.arena = &f->session->arena};
  dvt_made_node_init(f, made, last);
  dvt_attr_set_copy(&attrs, &dvt_fuser_node(f, last)->op->def, DVT_STR("T"));
  dvt_attr_set_add_float(&attrs, DVT_STR("epsilon"), (float)n->epsilon);
  return dvt_made_node_define(f, made, "_DovetailLayerNorm", &attrs, 3) &&
         dvt_made_node_describe(f, made, n->parts, n->part_count) && dvt_made_node_find_kernel(f, made) &&
         dvt_fuser_is_of_folder(f, last, &made->node) && dvt_made_node_make_kernel(f, made);
}

static dvt_status fuse_norm(dvt_fuser *f, norm *n) {
  const void *key[1 + DVT_COUNT_OF(n->parts)];
  dvt_made_node *made;
  bool is_new;
  int count = keep_closed(f, n);
  uint32_t bits;
  float epsilon = (float)n->epsilon;
  memcpy(&bits, &epsilon, sizeof bits);
  for (int i = 0; i < count; i++) key[i] = dvt_fuser_node(f, n->parts[i]);
  key[count] = (const void *)(uintptr_t)bits;
  DVT_RETURN_IF_ERROR(dvt_made_node_find(f, n->parts[count - 1], key, (size_t)count + 1, &made, &is_new));
  if (is_new) made->usable = make(f, n, made);
  if (!made->usable) return NULL;
  dvt_source inputs[] = {n->x, n->scale, n->offset};
  return dvt_fuser_replace(f, n->parts, count, inputs, 3, made);
}

dvt_status dvt_fuse_layer_norms(dvt_fuser *f) {
  for (size_t i = 0; i < f->x->order_count; i++) {
    norm n;
    if (match_norm(f, f->x->order[i], &n)) DVT_RETURN_IF_ERROR(fuse_norm(f, &n));
  }
  return NULL;
}
