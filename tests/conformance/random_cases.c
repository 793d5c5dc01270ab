// Random graphs: what is built, what a step computes, what becomes of a random part as a function. The random
// numbers are the same on both libraries.
#include "conformance.h"

static uint32_t state;

static int roll(int below) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (uint32_t)below);
}

static TF_Tensor *input_of(TF_OpKernelContext *ctx, int i, TF_Status *s) {
  TF_Tensor *t = NULL;
  TF_GetInput(ctx, i, &t, s);
  return t;
}

static float *output_of(TF_OpKernelContext *ctx, int i, TF_Status *s) {
  TF_Tensor *t = TF_AllocateOutput(ctx, i, TF_FLOAT, (int64_t[]){2}, 1, 8, s);
  float *data = TF_TensorData(t);
  TF_DeleteTensor(t);
  return data;
}

// y = a + 2 b, z = a - b.
static void compute_mix(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *a = input_of(ctx, 0, s), *b = input_of(ctx, 1, s);
  const float *x = TF_TensorData(a), *w = TF_TensorData(b);
  float *y = output_of(ctx, 0, s), *z = output_of(ctx, 1, s);
  for (int i = 0; i < 2; i++) y[i] = x[i] + 2 * w[i], z[i] = x[i] - w[i];
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteStatus(s);
}

// The sum of a list, in the input's own memory where it is free.
static void compute_total(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  float sum[2] = {0, 0};
  for (int i = 0; i < TF_NumInputs(ctx); i++) {
    TF_Tensor *t = input_of(ctx, i, s);
    for (int k = 0; k < 2; k++) sum[k] += ((float *)TF_TensorData(t))[k];
    TF_DeleteTensor(t);
  }
  int forwarded, first = 0;
  TF_Tensor *y = TF_ForwardInputOrAllocateOutput(ctx, &first, 1, 0, (int64_t[]){2}, 1, &forwarded, s);
  memcpy(TF_TensorData(y), sum, sizeof sum);
  TF_DeleteTensor(y);
  TF_DeleteStatus(s);
}

static void define_random_ops(void) {
  define_op("Mix", shape_first, "in a: float|in b: float|out y: float|out z: float");
  define_kernel("Mix", NULL, compute_mix, NULL);
  define_op("Total", shape_first, "in x: N*float|out y: float|attr N: int");
  define_kernel("Total", NULL, compute_total, NULL);
  define_op("StatefulMix", shape_first, "in a: float|in b: float|out y: float|out z: float|stateful");
  define_kernel("StatefulMix", NULL, compute_mix, NULL);
}

enum { NODES = 14 };

typedef struct random_graph {
  TF_Graph *graph;
  TF_Output nodes[NODES];
  int count;
} random_graph;

static TF_Output any_output(const random_graph *r) {
  TF_Output out = r->nodes[roll(r->count)];
  out.index = roll(TF_OperationNumOutputs(out.oper));
  return out;
}

static random_graph new_random_graph(void) {
  static const char *const ops[] = {"Mix", "StatefulMix", "Total", "AddV2", "Identity"};
  random_graph r = {.graph = TF_NewGraph()};
  for (int i = 0; i < 2; i++)
    r.nodes[r.count++] = placeholder(r.graph, text("in%d", i), TF_FLOAT, 1, (int64_t[]){2});
  r.nodes[r.count++] = constant(r.graph, "c", float_vector(2, (float[]){3, 5}));
  while (r.count < NODES) {
    const char *op = ops[roll(COUNT(ops))];
    TF_OperationDescription *desc =
        TF_NewOperation(r.graph, op, text("%s%d", roll(3) ? "n" : "scope/n", r.count));
    if (!strcmp(op, "Total")) {
      TF_Output list[3];
      int count = 1 + roll(3);
      for (int i = 0; i < count; i++) list[i] = any_output(&r);
      TF_AddInputList(desc, list, count);
    } else {
      TF_AddInput(desc, any_output(&r));
      if (strcmp(op, "Identity")) TF_AddInput(desc, any_output(&r));
    }
    if (!roll(4)) TF_AddControlInput(desc, r.nodes[roll(r.count)].oper);
    r.nodes[r.count++] = finish(desc);
  }
  return r;
}

void case_random_graphs(void) {
  define_random_ops();
  for (int seed = 0; seed < 40; seed++) {
    state = (uint32_t)seed * 7919u + 17u;
    random_graph r = new_random_graph();
    TF_Buffer *b = TF_NewBuffer();
    TF_GraphToGraphDef(r.graph, b, st);
    see_buffer(text("graph %d", seed), "GraphDef", b);
    TF_Session *session = open_session(r.graph);
    for (int step = 0; step < 3; step++) {
      TF_Output fetches[3];
      for (int i = 0; i < 3; i++) fetches[i] = (TF_Output){r.nodes[3 + roll(NODES - 3)].oper, 0};
      TF_Tensor *values[2] = {float_vector(2, (float[]){1, (float)step}),
                              float_vector(2, (float[]){-2, 0.5f})},
                *results[3] = {0};
      TF_SessionRun(session, NULL, r.nodes, values, 2, fetches, results, 3, NULL, 0, NULL, st);
      see_status(text("graph %d step %d", seed, step), NULL);
      for (int i = 0; i < 3; i++) {
        see_tensor(text("graph %d step %d result %d", seed, step, i), results[i]);
        TF_DeleteTensor(results[i]);
      }
      TF_DeleteTensor(values[0]);
      TF_DeleteTensor(values[1]);
    }
    close_session(session);
    TF_DeleteGraph(r.graph);
  }
}

void case_random_functions(void) {
  define_random_ops();
  for (int seed = 0; seed < 60; seed++) {
    state = (uint32_t)seed * 104729u + 3u;
    random_graph r = new_random_graph();
    const TF_Operation *body[NODES];
    int body_count = 0;
    for (int i = 2; i < NODES; i++)
      if (roll(4)) body[body_count++] = r.nodes[i].oper;
    TF_Output inputs[4], outputs[3];
    int input_count = 1 + roll(4), output_count = 1 + roll(3);
    for (int i = 0; i < input_count; i++) inputs[i] = any_output(&r);
    for (int i = 0; i < output_count; i++) outputs[i] = any_output(&r);
    bool all = !roll(3);
    if (all) input_count = 2, inputs[0] = r.nodes[0], inputs[1] = r.nodes[1];
    TF_Function *f = TF_GraphToFunction(r.graph, "F", 0, all ? -1 : body_count, all ? NULL : body,
                                        input_count, inputs, output_count, outputs, NULL, NULL, NULL, st);
    see_status(text("function %d", seed), NULL);
    if (f) {
      TF_Buffer *b = TF_NewBuffer();
      TF_FunctionToFunctionDef(f, b, st);
      see_buffer(text("function %d definition", seed), "FunctionDef", b);
      TF_Graph *host = TF_NewGraph();
      TF_GraphCopyFunction(host, f, NULL, st);
      TF_Output feeds[4], call;
      TF_Tensor *values[4], *results[3] = {0};
      TF_OperationDescription *desc = TF_NewOperation(host, "F", "call");
      for (int i = 0; i < input_count; i++) {
        feeds[i] = feed_point(host, text("x%d", i), TF_FLOAT);
        values[i] = float_vector(2, (float[]){(float)i, 2});
        TF_AddInput(desc, feeds[i]);
      }
      call = finish(desc);
      TF_Session *session = open_session(host);
      TF_Output fetches[3] = {{call.oper, 0}, {call.oper, 1}, {call.oper, 2}};
      TF_SessionRun(session, NULL, feeds, values, input_count, fetches, results, output_count, NULL, 0, NULL,
                    st);
      see_status(text("function %d call", seed), NULL);
      for (int i = 0; i < output_count; i++) {
        see_tensor(text("function %d result %d", seed, i), results[i]);
        TF_DeleteTensor(results[i]);
      }
      for (int i = 0; i < input_count; i++) TF_DeleteTensor(values[i]);
      close_session(session);
      TF_DeleteGraph(host);
      TF_DeleteFunction(f);
    }
    TF_DeleteGraph(r.graph);
  }
}

// Ops and kernels registered after graphs ran (rules 69, 112).
void case_late_registration(void) {
  define_random_ops();
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = placeholder(graph, "x", TF_FLOAT, 1, (int64_t[]){2}),
            y = node(graph, "Mix", "y", INPUTS(x, x));
  see_run("before", graph, &x, float_vector(2, (float[]){1, 2}), &y, NULL);
  define_op("Late", shape_first, "in a: float|in b: float|out y: float|out z: float");
  TF_Output late = node(graph, "Late", "late", INPUTS(y, x));
  see_run("rule-112 op without kernel", graph, &x, float_vector(2, (float[]){1, 2}), &late, NULL);
  define_kernel("Late", NULL, compute_mix, NULL);
  see_run("rule-112 kernel added", graph, &x, float_vector(2, (float[]){1, 2}), &late, NULL);
  TF_DeleteGraph(graph);
}
