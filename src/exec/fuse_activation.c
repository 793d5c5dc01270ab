// Activations that a graph writes out: SiLU, hard swish, GELU, as formulas over one value. Patterns are
// written as the graph's nodes are, with x for the value; factors and summands may come in either order. See
// fuse.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/fuse.h"

// ---- what patterns are made of ----

bool dvt_fuser_number(const dvt_fuser *f, dvt_source source, double *out_number) {
  const TF_Tensor *t = dvt_fuser_constant(f, source);
  if (!t || dvt_tensor_count(t) != 1 || (t->dtype != TF_FLOAT && t->dtype != TF_DOUBLE)) return false;
  *out_number = t->dtype == TF_FLOAT ? (double)*(const float *)t->data : *(const double *)t->data;
  return true;
}

bool dvt_fuser_is_number(const dvt_fuser *f, dvt_source source, double number) {
  double found;
  if (!dvt_fuser_number(f, source, &found)) return false;
  double rounding = dvt_fuser_constant(f, source)->dtype == TF_FLOAT ? 1.2e-7 : 4.5e-16;
  return fabs(found - number) <= rounding * fabs(number);
}

bool dvt_fuser_binary(const dvt_fuser *f, dvt_source source, const char *op, dvt_source *out_a,
                      dvt_source *out_b) {
  if (source.node < 0 || source.index != 0 || !dvt_fuser_is_plain(f, source.node, op) ||
      f->x->nodes[source.node].input_count != 2)
    return false;
  *out_a = dvt_fuser_input(f, source.node, 0);
  *out_b = dvt_fuser_input(f, source.node, 1);
  return true;
}

// "Op(a)" or "Op(a,b)", x, or a number.
static const struct {
  const char *name, *pattern;
} patterns[] = {
    {"_DovetailSwish", "Mul(x,Sigmoid(x))"},
    {"_DovetailSwish", "Mul(x,Sigmoid(Mul(1,x)))"},
    {"_FusedHardSwish", "Mul(x,Mul(Relu6(AddV2(x,3)),0.16666666666666667))"},
    {"_FusedHardSwish", "Mul(x,RealDiv(Relu6(AddV2(x,3)),6))"},
    {"_FusedHardSwish", "Mul(Mul(x,Relu6(AddV2(x,3))),0.16666666666666667)"},
    {"_FusedHardSwish", "RealDiv(Mul(x,Relu6(AddV2(x,3))),6)"},
    {"GeluExact", "Mul(Mul(0.5,x),AddV2(1,Erf(RealDiv(x,1.4142135623730951))))"},
    {"GeluExact", "Mul(Mul(0.5,x),AddV2(1,Erf(Mul(x,0.7071067811865476))))"},
    {"GeluExact", "Mul(x,Mul(0.5,AddV2(1,Erf(RealDiv(x,1.4142135623730951)))))"},
    {"GeluExact", "Mul(x,Mul(0.5,AddV2(1,Erf(Mul(x,0.7071067811865476)))))"},
    {"GeluExact", "Mul(Mul(0.5,x),Erfc(Mul(Neg(x),0.7071067811865476)))"},
    {"GeluApproximate",
     "Mul(Mul(0.5,x),AddV2(1,Tanh(Mul(0.7978845608028654,AddV2(x,Mul(0.044715,Pow(x,3)))))))"},
    {"GeluApproximate",
     "Mul(x,Mul(0.5,AddV2(1,Tanh(Mul(0.7978845608028654,AddV2(x,Mul(0.044715,Pow(x,3))))))))"},
};

// ---- matching ----

typedef struct match {
  const dvt_fuser *f;
  dvt_composite *to;
  bool has_x;
} match;

// The end of the part of a pattern that starts at `p`.
static const char *skip(const char *p) {
  int depth = 0;
  for (; *p && (depth > 0 || (*p != ',' && *p != ')')); p++) depth += (*p == '(') - (*p == ')');
  return p;
}

static bool match_x(match *m, dvt_source source) {
  double number;
  if (m->has_x && !dvt_source_is(m->to->x, source)) return false;
  if (dvt_fuser_number(m->f, source, &number)) return false;
  m->to->x = source;
  m->has_x = true;
  m->to->x_reads++;
  return true;
}

static bool match_source(match *m, dvt_source source, const char *p);

// What a part is read by outside of the pattern would lack it.
static bool add_part(match *m, int32_t node) {
  if (m->to->part_count == DVT_MAX_COMPOSITE) return false;
  m->to->parts[m->to->part_count++] = node;
  return true;
}

static bool match_inputs(match *m, int32_t node, const char *first, const char *second, bool swapped) {
  match before = *m;
  dvt_composite to = *m->to;
  if (match_source(m, dvt_fuser_input(m->f, node, swapped), first) &&
      (!second || match_source(m, dvt_fuser_input(m->f, node, !swapped), second)))
    return true;
  *m = before;
  *m->to = to;
  return false;
}

static bool match_op(match *m, dvt_source source, const char *p) {
  char op[16];
  size_t length = strcspn(p, "(");
  memcpy(op, p, length);
  op[length] = '\0';
  if (source.index != 0 || !dvt_fuser_is_plain(m->f, source.node, op)) return false;
  const char *first = p + length + 1, *second = skip(first);
  second = *second == ',' ? second + 1 : NULL;
  bool commutes = strcmp(op, "Mul") == 0 || strcmp(op, "AddV2") == 0;
  if (m->f->x->nodes[source.node].input_count != (second ? 2 : 1)) return false;
  return (match_inputs(m, source.node, first, second, false) ||
          (commutes && match_inputs(m, source.node, first, second, true))) &&
         add_part(m, source.node);
}

static bool match_source(match *m, dvt_source source, const char *p) {
  if (*p == 'x') return match_x(m, source);
  if (*p >= '0' && *p <= '9') return dvt_fuser_is_number(m->f, source, strtod(p, NULL));
  return source.node >= 0 && match_op(m, source, p);
}

// Nobody but the activation reads its parts.
static bool is_closed(const dvt_fuser *f, const dvt_composite *c) {
  for (int i = 0; i + 1 < c->part_count; i++)
    if (f->reader_count[c->parts[i]] != 1 || f->pinned[c->parts[i]]) return false;
  return true;
}

bool dvt_composite_match(const dvt_fuser *f, int32_t node, dvt_composite *out_composite) {
  if (node < 0 || (size_t)node >= f->node_count || f->x->nodes[node].is_constant) return false;
  if (!dvt_fuser_is_plain(f, node, "Mul") && !dvt_fuser_is_plain(f, node, "RealDiv")) return false;
  for (size_t i = 0; i < DVT_COUNT_OF(patterns); i++) {
    *out_composite = (dvt_composite){.name = patterns[i].name};
    match m = {.f = f, .to = out_composite};
    if (match_op(&m, (dvt_source){node, 0}, patterns[i].pattern) && m.has_x && is_closed(f, out_composite))
      return true;
  }
  return false;
}

void dvt_composites_find(dvt_fuser *f) {
  for (size_t i = 0; i < f->x->order_count; i++) {
    dvt_composite c;
    int32_t node = f->x->order[i];
    if (dvt_composite_match(f, node, &c) && c.x.node >= 0 && c.x.index == 0) f->sink[c.x.node] = node;
  }
}
