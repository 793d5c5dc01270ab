// Element-wise nodes around each other become one _DovetailElementwise: a node, and those before it that
// nothing else reads and whose results have the same shape, as far as can be told. See fuse.h; the program
// that the node gets is described in docs/ops.
#include "exec/fuse.h"

#define MAX_STEPS 24
#define MAX_INPUTS 8

// Ops that a step can be; `operands` broadcast.
static const struct {
  const char *op, *step;
  int operands;
} steps[] = {
    {"Neg", "Neg", 1},
    {"Abs", "Abs", 1},
    {"Square", "Square", 1},
    {"Sqrt", "Sqrt", 1},
    {"Rsqrt", "Rsqrt", 1},
    {"Reciprocal", "Reciprocal", 1},
    {"Inv", "Reciprocal", 1},
    {"Relu", "Relu", 1},
    {"Relu6", "Relu6", 1},
    {"Softsign", "Softsign", 1},
    {"Exp", "Exp", 1},
    {"Expm1", "Expm1", 1},
    {"Log", "Log", 1},
    {"Log1p", "Log1p", 1},
    {"Sin", "Sin", 1},
    {"Cos", "Cos", 1},
    {"Tanh", "Tanh", 1},
    {"Sigmoid", "Sigmoid", 1},
    {"Erf", "Erf", 1},
    {"Erfc", "Erfc", 1},
    {"AddV2", "AddV2", 2},
    {"Add", "AddV2", 2},
    {"Sub", "Sub", 2},
    {"Mul", "Mul", 2},
    {"RealDiv", "RealDiv", 2},
    {"Div", "RealDiv", 2},
    {"Maximum", "Maximum", 2},
    {"Minimum", "Minimum", 2},
    {"SquaredDifference", "SquaredDifference", 2},
    {"Pow", "Pow", 2},
    {"BiasAdd", "AddV2", 2},
};

// Nodes of the expansion; a member comes after those that it reads.
typedef struct group {
  int32_t members[MAX_STEPS];
  int count;
  dvt_source inputs[MAX_INPUTS];
  int input_count;
} group;

// The row of `steps` for a node that could be part of a group; -1: none.
static int step_of(const dvt_fuser *f, int32_t node) {
  if (node < 0 || (size_t)node >= f->node_count || f->x->nodes[node].is_constant) return -1;
  const dvt_session_node *sn = dvt_fuser_node(f, node);
  const dvt_node_def *def = &sn->op->def;
  if (sn->kind != DVT_NODE_KERNEL || def->output_count != 1 || def->input_count < 1 || def->input_count > 2 ||
      (def->output_types[0] != TF_FLOAT && def->output_types[0] != TF_DOUBLE))
    return -1;
  for (int32_t i = 0; i < def->input_count; i++)
    if (def->input_types[i] != def->output_types[0]) return -1;
  for (int i = 0; i < (int)DVT_COUNT_OF(steps); i++)
    if (steps[i].operands == def->input_count && dvt_fuser_is_plain(f, node, steps[i].op)) return i;
  return -1;
}

// BiasAdd broadcasts only where its vector is along the last dim and fits.
static bool adds_along_last(const dvt_fuser *f, int32_t node) {
  dvt_str value, format = {0};
  const dvt_node_def *def = &dvt_fuser_node(f, node)->op->def;
  dvt_shape x = dvt_shapes_of(&f->shapes, dvt_fuser_input(f, node, 0)),
            bias = dvt_shapes_of(&f->shapes, dvt_fuser_input(f, node, 1));
  if (dvt_node_attr(def, DVT_STR("data_format"), &value))
    dvt_status_free(dvt_attr_get_string(value, &format));
  return dvt_str_is(format, "NHWC") && x && bias && x->rank >= 2 && bias->rank == 1 &&
         dvt_dim_known(bias->dims[0]) && x->dims[x->rank - 1] == bias->dims[0];
}

static bool is_step(const dvt_fuser *f, int32_t node) {
  return step_of(f, node) >= 0 && (!dvt_fuser_is_plain(f, node, "BiasAdd") || adds_along_last(f, node));
}

static int find_member(const group *g, int32_t node) {
  for (int i = 0; i < g->count; i++)
    if (g->members[i] == node) return i;
  return -1;
}

static int reads_within(const dvt_fuser *f, const group *g, int32_t node) {
  int reads = 0;
  for (int i = 0; i < g->count; i++)
    for (int32_t k = 0; k < f->x->nodes[g->members[i]].input_count; k++)
      reads += dvt_fuser_input(f, g->members[i], k).node == node;
  return reads;
}

// Nothing tells two dims apart; a 1 is taken to be repeated unless both are.
static bool may_be_same_dim(dvt_dim a, dvt_dim b) {
  return a == b || (a != 1 && b != 1 && (!dvt_dim_known(a) || !dvt_dim_known(b)));
}

// Results are right whatever the shapes are; but a value smaller than the sink's would be computed over and
// over.
static bool may_be_same_shape(const dvt_fuser *f, dvt_source x, dvt_source y) {
  dvt_shape a = dvt_shapes_of(&f->shapes, x), b = dvt_shapes_of(&f->shapes, y);
  if (!a || !b || a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (!may_be_same_dim(a->dims[i], b->dims[i])) return false;
  return true;
}

// Is it read by a member of one operand? Then it has that one's shape, which is the sink's.
static bool is_read_alone(const dvt_fuser *f, const group *g, int32_t node) {
  for (int i = 0; i < g->count; i++)
    if (f->x->nodes[g->members[i]].input_count == 1 && dvt_fuser_input(f, g->members[i], 0).node == node)
      return true;
  return false;
}

// May the producer join the group of `sink`?
static bool may_join(const dvt_fuser *f, const group *g, int32_t sink, int32_t node) {
  return is_step(f, node) && !f->pinned[node] && f->reader_count[node] == reads_within(f, g, node) &&
         dvt_fuser_may_join(f, sink, node) &&
         (is_read_alone(f, g, node) || may_be_same_shape(f, (dvt_source){node, 0}, (dvt_source){sink, 0}));
}

// The inputs of the members, each once; false when there are too many.
static bool gather_inputs(const dvt_fuser *f, group *g) {
  g->input_count = 0;
  for (int i = 0; i < g->count; i++)
    for (int32_t k = 0; k < f->x->nodes[g->members[i]].input_count; k++) {
      dvt_source source = dvt_fuser_input(f, g->members[i], k);
      int at = 0;
      if (source.node >= 0 && find_member(g, source.node) >= 0) continue;
      while (at < g->input_count && !dvt_source_is(g->inputs[at], source)) at++;
      if (at < g->input_count) continue;
      if (at == MAX_INPUTS) return false;
      g->inputs[g->input_count++] = source;
    }
  return true;
}

// Takes in one more producer; false when there is none. Members are kept with readers first.
static bool grow(const dvt_fuser *f, group *g, int32_t sink) {
  if (g->count == MAX_STEPS) return false;
  for (int i = 0; i < g->count; i++)
    for (int32_t k = 0; k < f->x->nodes[g->members[i]].input_count; k++) {
      int32_t node = dvt_fuser_input(f, g->members[i], k).node;
      if (node < 0 || find_member(g, node) >= 0 || !may_join(f, g, sink, node)) continue;
      g->members[g->count++] = node;
      if (gather_inputs(f, g)) return true;
      g->count--;
    }
  return false;
}

static int value_number(const group *g, dvt_source source) {
  int member = source.node >= 0 ? find_member(g, source.node) : -1;
  if (member >= 0) return g->input_count + member;
  for (int i = 0; i < g->input_count; i++)
    if (dvt_source_is(g->inputs[i], source)) return i;
  return -1;
}

static void write_program(const dvt_fuser *f, const group *g, dvt_buf *out) {
  for (int i = 0; i < g->count; i++) {
    int32_t node = g->members[i];
    dvt_buf_printf(out, "%s%s", i ? ";" : "", steps[step_of(f, node)].step);
    for (int32_t k = 0; k < f->x->nodes[node].input_count; k++)
      dvt_buf_printf(out, " %d", value_number(g, dvt_fuser_input(f, node, k)));
  }
}

static bool make(const dvt_fuser *f, const group *g, dvt_made_node *made) {
  int32_t sink = g->members[g->count - 1];
  dvt_attr_set attrs = {.arena = &f->session->arena};
  dvt_buf program = {0}, value = {0};
  write_program(f, g, &program);
  dvt_attr_put_string(&value, dvt_buf_str(&program));
  attrs.failed = program.failed;
  dvt_made_node_init(f, made, sink);
  dvt_attr_set_copy(&attrs, &dvt_fuser_node(f, sink)->op->def, DVT_STR("T"));
  dvt_attr_set_add_int(&attrs, DVT_STR("N"), g->input_count);
  dvt_attr_set_add(&attrs, DVT_STR("program"), &value);
  dvt_buf_deinit(&program);
  return dvt_made_node_define(f, made, "_DovetailElementwise", &attrs, g->input_count) &&
         dvt_made_node_describe(f, made, g->members, g->count) && dvt_made_node_find_kernel(f, made) &&
         dvt_fuser_is_of_folder(f, sink, &made->node) && dvt_made_node_make_kernel(f, made);
}

// What a member reads is known by the members and by which of the inputs it is.
static size_t make_key(const dvt_fuser *f, const group *g, const void **key) {
  size_t n = 0;
  for (int i = 0; i < g->count; i++) {
    key[n++] = dvt_fuser_node(f, g->members[i]);
    for (int32_t k = 0; k < f->x->nodes[g->members[i]].input_count; k++)
      key[n++] = (const void *)(uintptr_t)value_number(g, dvt_fuser_input(f, g->members[i], k));
  }
  return n;
}

static dvt_status fuse_group(dvt_fuser *f, group *g) {
  const void *key[3 * MAX_STEPS];
  dvt_made_node *made;
  bool is_new;
  size_t count = make_key(f, g, key);
  DVT_RETURN_IF_ERROR(dvt_made_node_find(f, g->members[g->count - 1], key, count, &made, &is_new));
  if (is_new) made->usable = make(f, g, made);
  return made->usable ? dvt_fuser_replace(f, g->members, g->count, g->inputs, g->input_count, made) : NULL;
}

// Puts members behind what they read: in the order of the expansion, in which `position` numbers nodes.
static void sort_members(group *g, const int32_t *position) {
  for (int i = 1; i < g->count; i++)
    for (int k = i; k > 0 && position[g->members[k]] < position[g->members[k - 1]]; k--) {
      int32_t member = g->members[k];
      g->members[k] = g->members[k - 1];
      g->members[k - 1] = member;
    }
}

dvt_status dvt_fuse_elementwise(dvt_fuser *f) {
  int32_t *position = dvt_malloc((f->x->node_count + 1) * sizeof *position);
  if (!position) return dvt_error_out_of_memory(f->x->node_count * sizeof *position);
  for (size_t i = 0; i < f->x->order_count; i++) position[f->x->order[i]] = (int32_t)i;
  dvt_status status = NULL;
  // Backwards, so that groups start at their last nodes.
  for (size_t i = f->x->order_count; i-- > 0 && !status;) {
    group g = {.members = {f->x->order[i]}, .count = 1};
    if (!is_step(f, f->x->order[i]) || !gather_inputs(f, &g)) continue;
    while (grow(f, &g, f->x->order[i])) continue;
    if (g.count < 2) continue;
    sort_members(&g, position);
    gather_inputs(f, &g);
    status = fuse_group(f, &g);
  }
  dvt_free(position);
  return status;
}
