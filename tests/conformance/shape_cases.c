// Shape inference through the C functions: rules 72 to 93. Each shape function prints what it sees.
#include <limits.h>

#include "conformance.h"

// A shape as text: "?" for unknown rank, else "[2,?,5]".
static const char *shape_text(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape) {
  if (!TF_ShapeInferenceContextRankKnown(ctx, shape))
    return text("? (rank %lld)", (long long)TF_ShapeInferenceContextRank(ctx, shape));
  char out[400] = "[";
  int64_t rank = TF_ShapeInferenceContextRank(ctx, shape);
  for (int64_t i = 0; i < rank && strlen(out) < 300; i++) {
    TF_DimensionHandle *dim = TF_NewDimensionHandle();
    TF_ShapeInferenceContextDim(ctx, shape, i, dim);
    if (TF_DimensionHandleValueKnown(dim))
      sprintf(out + strlen(out), "%s%lld", i ? "," : "", (long long)TF_DimensionHandleValue(dim));
    else
      sprintf(out + strlen(out), "%s?", i ? "," : "");
    TF_DeleteDimensionHandle(dim);
  }
  return text("%s]", out);
}

static void see_shape(const char *label, TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape) {
  see(label, "%s", shape_text(ctx, shape));
}

static void see_outputs(const char *label, TF_Graph *graph, TF_Operation *oper) {
  for (int i = 0; oper && i < TF_OperationNumOutputs(oper); i++) {
    int64_t dims[16] = {0};
    int rank = TF_GraphGetTensorNumDims(graph, (TF_Output){oper, i}, st);
    if (rank > 0) TF_GraphGetTensorShape(graph, (TF_Output){oper, i}, dims, rank, st);
    char out[200] = "";
    for (int k = 0; k < rank; k++) sprintf(out + strlen(out), "%lld ", (long long)dims[k]);
    see(text("%s output %d", label, i), "rank %d: %s", rank, out);
  }
}

// ---- one shape function, one fact after the other ----

static TF_ShapeHandle *input(TF_ShapeInferenceContext *ctx, int i, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, i, shape, status);
  return shape;
}

static void see_with_rank(TF_ShapeInferenceContext *ctx, const char *which, TF_ShapeHandle *shape,
                          int64_t rank, TF_Status *status) {
  TF_ShapeHandle *result = TF_NewShapeHandle();
  const char *label = text("%s rank %lld", which, (long long)rank);
  TF_ShapeInferenceContextWithRank(ctx, shape, rank, result, status);
  bool fine = TF_GetCode(status) == TF_OK;
  see_other_status(text("rule-082 with %s", label), status,
                   fine || rank > INT_MAX ? NULL : text("%lld", (long long)rank));
  see_shape(text("rule-082 result %s", label), ctx, result);
  TF_ShapeInferenceContextWithRankAtLeast(ctx, shape, rank, result, status);
  see_other_status(text("rule-083 at least %s", label), status, NULL);
  see_shape(text("rule-083 at least result %s", label), ctx, result);
  TF_ShapeInferenceContextWithRankAtMost(ctx, shape, rank, result, status);
  see_other_status(text("rule-083 at most %s", label), status, NULL);
  see_shape(text("rule-083 at most result %s", label), ctx, result);
  TF_DeleteShapeHandle(result);
}

static void see_dim(TF_ShapeInferenceContext *ctx, const char *label, TF_ShapeHandle *shape, int64_t i) {
  TF_DimensionHandle *dim = TF_NewDimensionHandle();
  TF_ShapeInferenceContextDim(ctx, shape, i, dim);
  see(text("%s %lld", label, (long long)i), "known %d value %lld", TF_DimensionHandleValueKnown(dim),
      (long long)TF_DimensionHandleValue(dim));
  TF_DeleteDimensionHandle(dim);
}

static void see_subshape(TF_ShapeInferenceContext *ctx, const char *which, TF_ShapeHandle *shape,
                         int64_t start, int64_t end, TF_Status *status) {
  TF_ShapeHandle *result = TF_NewShapeHandle();
  const char *label = text("rule-085 subshape of %s %lld to %lld", which, (long long)start, (long long)end);
  TF_ShapeInferenceContextSubshape(ctx, shape, start, end, result, status);
  see_other_status(text("%s status", label), status, NULL);
  see_shape(label, ctx, result);
  TF_DeleteShapeHandle(result);
}

static void probe_basics(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  see_other_status("rule-074 status on entry", status, NULL);
  see("rule-093 inputs", "%lld", (long long)TF_ShapeInferenceContextNumInputs(ctx));
  TF_ShapeHandle *unset = TF_NewShapeHandle();
  see("rule-078 new shape", "known %d rank %lld", TF_ShapeInferenceContextRankKnown(ctx, unset),
      (long long)TF_ShapeInferenceContextRank(ctx, unset));
  TF_DimensionHandle *dim = TF_NewDimensionHandle();
  see("rule-078 new dimension", "known %d value %lld", TF_DimensionHandleValueKnown(dim),
      (long long)TF_DimensionHandleValue(dim));
  TF_DeleteDimensionHandle(dim);
  static const int indices[] = {-1, 0, 1, 2, 3, 99};
  for (int i = 0; i < COUNT(indices); i++) {
    TF_ShapeInferenceContextGetInput(ctx, indices[i], unset, status);
    see_other_status(text("rule-076 input %d", indices[i]), status, NULL);
    see_shape(text("rule-076 input %d shape", indices[i]), ctx, unset);
    TF_ShapeHandle *vector = TF_ShapeInferenceContextVectorFromSize(ctx, 4);
    if (indices[i] != 1) TF_ShapeInferenceContextSetOutput(ctx, indices[i], vector, status);
    see_other_status(text("rule-076 output %d", indices[i]), status, NULL);
    TF_DeleteShapeHandle(vector);
  }
  TF_DeleteShapeHandle(unset);
  TF_SetStatus(status, TF_ABORTED, "left over");
  unset = input(ctx, 0, status);
  see_other_status("rule-077 status after success", status, NULL);
  TF_DeleteShapeHandle(unset);
}

static void probe_ranks(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *known = input(ctx, 0, status), *unknown = input(ctx, 1, status),
                 *partial = input(ctx, 2, status);
  see("rule-079 unknown rank", "%lld", (long long)TF_ShapeInferenceContextRank(ctx, unknown));
  static const int64_t ranks[] = {-1, 0, 1, 2, 3, 4, INT_MAX, (int64_t)INT_MAX + 1, INT64_MAX};
  for (int i = 0; i < COUNT(ranks); i++) {
    see_with_rank(ctx, "known", known, ranks[i], status);
    if (ranks[i] < INT_MAX && ranks[i] >= 0) see_with_rank(ctx, "unknown", unknown, ranks[i], status);
    see_with_rank(ctx, "partial", partial, ranks[i], status);
  }
  for (int i = -5; i <= 5; i++) {
    see_dim(ctx, "rule-080 dimension", known, i);
    see_dim(ctx, "rule-079 partial dimension", partial, i);
    see_dim(ctx, "rule-081 dimension of unknown", unknown, i);
  }
  see_dim(ctx, "rule-080 dimension far", known, INT64_MAX);
  see_dim(ctx, "rule-080 dimension far", known, INT64_MIN);
  TF_SetStatus(status, TF_OK, "");
  TF_DeleteShapeHandle(known);
  TF_DeleteShapeHandle(unknown);
  TF_DeleteShapeHandle(partial);
}

static void probe_subshapes(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *known = input(ctx, 0, status), *unknown = input(ctx, 1, status),
                 *partial = input(ctx, 2, status);
  static const int64_t ends[] = {INT64_MIN, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, INT64_MAX};
  for (int i = 0; i < COUNT(ends); i++)
    for (int k = 0; k < COUNT(ends); k++) {
      see_subshape(ctx, "known", known, ends[i], ends[k], status);
      if (i > 3 && k > 3) see_subshape(ctx, "partial", partial, ends[i], ends[k], status);
      see_subshape(ctx, "unknown", unknown, ends[i], ends[k], status);
    }
  TF_ShapeInferenceContextSubshape(ctx, known, 1, INT64_MAX, known, status);
  see_shape("rule-088 into itself", ctx, known);
  TF_ShapeInferenceContextWithRank(ctx, partial, 3, partial, status);
  see_shape("rule-088 with rank into itself", ctx, partial);
  TF_ShapeInferenceContextConcatenateShapes(ctx, known, partial, known, status);
  see_shape("rule-088 concatenated into itself", ctx, known);
  TF_SetStatus(status, TF_OK, "");
  TF_DeleteShapeHandle(known);
  TF_DeleteShapeHandle(unknown);
  TF_DeleteShapeHandle(partial);
}

static void probe_made(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *inputs[3] = {input(ctx, 0, status), input(ctx, 1, status), input(ctx, 2, status)};
  TF_ShapeHandle *scalar = TF_ShapeInferenceContextScalar(ctx),
                 *made = TF_ShapeInferenceContextVectorFromSize(ctx, 43);
  see_shape("rule-089 scalar", ctx, scalar);
  see_shape("rule-089 vector", ctx, made);
  see_dim(ctx, "rule-089 vector dimension", made, 0);
  TF_ShapeHandle *open = TF_ShapeInferenceContextVectorFromSize(ctx, (size_t)-1);
  see_shape("rule-089 open vector", ctx, open);
  see_dim(ctx, "rule-089 open vector dimension", open, 0);
  TF_ShapeHandle *zero = TF_ShapeInferenceContextVectorFromSize(ctx, 0), *result = TF_NewShapeHandle();
  see_shape("rule-089 empty vector", ctx, zero);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      TF_ShapeInferenceContextConcatenateShapes(ctx, inputs[i], inputs[k], result, status);
      see_other_status(text("rule-087 concatenate %d %d status", i, k), status, NULL);
      see_shape(text("rule-087 concatenate %d %d", i, k), ctx, result);
    }
  TF_ShapeInferenceContextConcatenateShapes(ctx, scalar, made, result, status);
  see_shape("rule-087 scalar and vector", ctx, result);
  TF_DataType type = (TF_DataType)-7;
  static const char *const attrs[] = {"T", "I", "L", "zz", "S"};
  for (int i = 0; i < COUNT(attrs); i++) {
    type = (TF_DataType)-7;
    TF_ShapeInferenceContext_GetAttrType(ctx, attrs[i], &type, status);
    see_other_status(text("rule-090 attr %s", attrs[i]), status, i == 3 ? "zz" : NULL);
    see(text("rule-090 attr %s value", attrs[i]), "%d", (int)type);
  }
  TF_SetStatus(status, TF_OK, "");
  TF_ShapeInferenceContextSetOutput(ctx, 0, made, status);
  TF_DeleteShapeHandle(result);
  TF_DeleteShapeHandle(zero);
  TF_DeleteShapeHandle(open);
  TF_DeleteShapeHandle(made);
  TF_DeleteShapeHandle(scalar);
  for (int i = 0; i < 3; i++) TF_DeleteShapeHandle(inputs[i]);
}

static TF_Operation *probe_node(const char *op) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output a = placeholder(graph, "a", TF_FLOAT, 3, (int64_t[]){2, 3, 5}),
            b = feed_point(graph, "b", TF_FLOAT),
            c = placeholder(graph, "c", TF_FLOAT, 3, (int64_t[]){-1, 4, -1});
  TF_OperationDescription *desc = TF_NewOperation(graph, op, "n");
  TF_AddInput(desc, a);
  TF_AddInputList(desc, (TF_Output[]){b, c}, 2);
  TF_Operation *oper = TF_FinishOperation(desc, st);
  see_status(text("%s status", op), NULL);
  see_outputs(op, graph, oper);
  return oper;
}

void case_shape_functions(void) {
  static const struct {
    const char *op;
    shape_fn *shape;
  } probes[] = {{"ProbeBasics", probe_basics},
                {"ProbeRanks", probe_ranks},
                {"ProbeSubshapes", probe_subshapes},
                {"ProbeMade", probe_made}};
  for (int i = 0; i < COUNT(probes); i++)
    define_op(probes[i].op, probes[i].shape,
              "in a: float|in rest: N*T|out y: float|out z: float|attr N: int|attr T: type|attr I: int = 3|"
              "attr L: list(type) = [DT_FLOAT]|attr S: shape = {}");
  for (int i = 0; i < COUNT(probes); i++) ISOLATED(probes[i].op) probe_node(probes[i].op);
}

// ---- what a graph makes of a shape function ----

static int runs;

static void count_runs(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  runs++;
  shape_first(ctx, status);
}

static void fail_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  (void)ctx;
  TF_SetStatus(status, TF_DATA_LOSS, "shapes are no good");
}

static void leave_error(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = input(ctx, 0, status);
  TF_ShapeInferenceContextWithRank(ctx, shape, 17, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void forget_error(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  leave_error(ctx, status);
  TF_SetStatus(status, TF_OK, "");
}

static void set_unset(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *unset = TF_NewShapeHandle();
  TF_ShapeInferenceContextSetOutput(ctx, 0, unset, status);
  TF_DeleteShapeHandle(unset);
}

static void set_second_only(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *scalar = TF_ShapeInferenceContextScalar(ctx);
  TF_ShapeInferenceContextSetOutput(ctx, 1, scalar, status);
  TF_DeleteShapeHandle(scalar);
}

static void set_then_unknown(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  shape_first(ctx, status);
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

void case_shape_in_graph(void) {
  static const struct {
    const char *op;
    shape_fn *shape;
    const char *phrases;
  } ops[] = {{"ShapeNone", NULL, "ShapeNone"},
             {"ShapeCount", count_runs, NULL},
             {"ShapeFail", fail_shape, "shapes are no good|{{node n}}|ShapeFail|[2,?,5]"},
             {"ShapeLeave", leave_error, "17|{{node n}}"},
             {"ShapeForget", forget_error, NULL},
             {"ShapeUnset", set_unset, NULL},
             {"ShapeSecond", set_second_only, NULL},
             {"ShapeUnknown", shape_unknown, NULL},
             {"ShapeSetUnknown", set_then_unknown, NULL}};
  for (int i = 0; i < COUNT(ops); i++)
    define_op(ops[i].op, ops[i].shape, "in x: float|out y: float|out z: float");
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = placeholder(graph, "x", TF_FLOAT, 3, (int64_t[]){2, -1, 5});
  for (int i = 0; i < COUNT(ops); i++) {
    TF_OperationDescription *desc = TF_NewOperation(graph, ops[i].op, i ? text("n%d", i) : "n");
    if (strstr(ops[i].phrases ? ops[i].phrases : "", "{{node n}}")) {
      TF_SetDevice(desc, "");
    }
    TF_AddInput(desc, x);
    TF_Operation *oper = TF_FinishOperation(desc, st);
    see_status(text("rule-072 %s", ops[i].op), ops[i].phrases && strstr(ops[i].phrases, "{{node n}}")
                                                   ? text("{{node n%d}}|%s", i, ops[i].op)
                                                   : ops[i].phrases);
    see_outputs(text("rule-075 %s", ops[i].op), graph, oper);
  }
  see("rule-073 runs", "%d", runs);
  TF_Output more = node(graph, "ShapeCount", "after", INPUTS(x));
  see("rule-074 graph usable", "%s, runs %d", more.oper ? "yes" : "no", runs);

  // A shape that was narrowed by hand, and what contradicts it.
  static const int64_t narrowed[] = {2, 3, 5}, wrong[] = {3, 3, 5}, open[] = {-1, -1, -1};
  TF_GraphSetTensorShape(graph, x, narrowed, 3, st);
  see_status("shape set", NULL);
  see_outputs("shape set", graph, x.oper);
  TF_GraphSetTensorShape(graph, x, wrong, 3, st);
  see_status("shape contradicts", NULL);
  TF_GraphSetTensorShape(graph, x, wrong, 2, st);
  see_status("rank contradicts", NULL);
  TF_GraphSetTensorShape(graph, x, open, 3, st);
  see_status("shape open", NULL);
  TF_GraphSetTensorShape(graph, x, NULL, -1, st);
  see_status("shape unknown", NULL);
  see_outputs("shape after all", graph, x.oper);
  TF_Output y = feed_point(graph, "y", TF_FLOAT);
  see_outputs("unknown shape", graph, y.oper);
  TF_GraphSetTensorShape(graph, y, NULL, 0, st);
  see_status("unknown to scalar", NULL);
  see_outputs("unknown to scalar", graph, y.oper);
  int64_t dims[4] = {-9, -9, -9, -9};
  TF_GraphGetTensorShape(graph, x, dims, 2, st);
  see_status("wrong rank asked", NULL);
  see("wrong rank asked dims", "%lld %lld", (long long)dims[0], (long long)dims[1]);
  ISOLATED("output of no node") {
    TF_GraphGetTensorNumDims(graph, (TF_Output){x.oper, 5}, st);
    see_status("output of no node", NULL);
  }
  TF_Graph *other = TF_NewGraph();
  see("output of another graph", "%d", TF_GraphGetTensorNumDims(other, x, st));
  see_status("output of another graph status", NULL);
  TF_GraphSetTensorShape(other, x, narrowed, 3, st);
  see_status("set on another graph", NULL);
  TF_DeleteGraph(other);
  TF_DeleteGraph(graph);
}

// ---- many random calls on a pool of handles ----

static uint32_t state;

static uint32_t roll(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

static int round_number;

static void probe_random(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  enum { POOL = 5 };
  TF_ShapeHandle *pool[POOL];
  for (int i = 0; i < POOL; i++) {
    pool[i] = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, i % 2, pool[i], status);
  }
  for (int step = 0; step < 24; step++) {
    TF_ShapeHandle *a = pool[roll(POOL)], *b = pool[roll(POOL)], *to = pool[roll(POOL)];
    int64_t p = (int64_t)roll(9) - 4, q = (int64_t)roll(9) - 4;
    const char *name = "";
    bool skip = false;
    TF_SetStatus(status, TF_OK, "");
    switch (roll(6)) {
      case 0:
        name = text("with rank %lld", (long long)p);
        skip = p < 0 && !TF_ShapeInferenceContextRankKnown(ctx, a);
        if (!skip) TF_ShapeInferenceContextWithRank(ctx, a, p, to, status);
        break;
      case 1:
        name = text("at least %lld", (long long)p);
        TF_ShapeInferenceContextWithRankAtLeast(ctx, a, p, to, status);
        break;
      case 2:
        name = text("at most %lld", (long long)p);
        TF_ShapeInferenceContextWithRankAtMost(ctx, a, p, to, status);
        break;
      case 3:
        name = text("subshape %lld %lld", (long long)p, (long long)q);
        TF_ShapeInferenceContextSubshape(ctx, a, p, q, to, status);
        break;
      case 4:
        name = "concatenate";
        skip = TF_ShapeInferenceContextRank(ctx, a) + TF_ShapeInferenceContextRank(ctx, b) > 12;
        if (!skip) TF_ShapeInferenceContextConcatenateShapes(ctx, a, b, to, status);
        break;
      default:
        name = "input";
        TF_ShapeInferenceContextGetInput(ctx, (int)roll(3), to, status);
    }
    see(text("random %d.%d %s", round_number, step, name), "%s %s", code_name(TF_GetCode(status)),
        shape_text(ctx, to));
  }
  TF_SetStatus(status, TF_OK, "");
  for (int i = 0; i < POOL; i++) {
    if (i < 2) TF_ShapeInferenceContextSetOutput(ctx, i, pool[i], status);
    TF_DeleteShapeHandle(pool[i]);
  }
}

void case_shape_random(void) {
  define_op("ProbeRandom", probe_random, "in a: float|in b: float|out y: float|out z: float");
  TF_Graph *graph = TF_NewGraph();
  state = 2021;
  for (round_number = 0; round_number < 60; round_number++) {
    TF_Output in[2];
    for (int i = 0; i < 2; i++) {
      int64_t dims[5];
      int rank = (int)roll(6) - 1;
      for (int k = 0; k < rank; k++) dims[k] = (int64_t)roll(5) - 1;
      in[i] = placeholder(graph, text("p%d_%d", round_number, i), TF_FLOAT, rank, dims);
      see_outputs(text("random %d input %d", round_number, i), graph, in[i].oper);
    }
    TF_Output y = node(graph, "ProbeRandom", text("n%d", round_number), 2, in);
    see_outputs(text("random %d", round_number), graph, y.oper);
  }
  TF_DeleteGraph(graph);
}
