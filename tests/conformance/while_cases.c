// While loops of the C API: what they build, what they compute, what they refuse.
#include "conformance.h"

static void less(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *a = NULL, *b = NULL;
  TF_GetInput(ctx, 0, &a, s);
  TF_GetInput(ctx, 1, &b, s);
  TF_Tensor *out = TF_AllocateOutput(ctx, 0, TF_BOOL, NULL, 0, 1, s);
  *(unsigned char *)TF_TensorData(out) = *(int32_t *)TF_TensorData(a) < *(int32_t *)TF_TensorData(b);
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteTensor(out);
  TF_DeleteStatus(s);
}

// Registers an op of the dataflow loops where the library has none: in Dovetail they come with a plugin.
static void define_missing(const char *name, const char *specs, shape_fn *shape) {
  TF_Graph *graph = TF_NewGraph();
  TF_Buffer *b = TF_NewBuffer();
  TF_GraphGetOpDef(graph, name, b, st);
  bool missing = TF_GetCode(st) != TF_OK;
  TF_SetStatus(st, TF_OK, "");
  TF_DeleteBuffer(b);
  TF_DeleteGraph(graph);
  if (missing) define_op(name, shape, specs);
}

static void define_loop_ops(void) {
  define_missing(
      "Enter",
      "in data: T|out output: T|attr T: type|attr frame_name: string|attr is_constant: bool = false|"
      "attr parallel_iterations: int = 10",
      shape_unknown);
  define_missing("Exit", "in data: T|out output: T|attr T: type", shape_unknown);
  define_missing("NextIteration", "in data: T|out output: T|attr T: type", shape_unknown);
  define_missing("Merge", "in inputs: N*T|out output: T|out value_index: int32|attr T: type|attr N: int >= 1",
                 shape_unknown);
  define_missing("Switch", "in data: T|in pred: bool|out output_false: T|out output_true: T|attr T: type",
                 shape_unknown);
  define_missing("LoopCond", "in input: bool|out output: bool", shape_first);
}

static void define_less(void) {
  define_loop_ops();
  define_op("Below", shape_first, "in a: int32|in b: int32|out y: bool");
  define_kernel("Below", NULL, less, NULL);
}

// while (a < b) a += b over two placeholders; the loop's outputs are in `out`.
static bool add_loop(TF_Graph *graph, TF_Output *in, const char *name, TF_Output *out) {
  TF_WhileParams params = TF_NewWhile(graph, in, 2, st);
  if (TF_GetCode(st) != TF_OK) return false;
  params.name = name;
  params.cond_output =
      node(params.cond_graph, "Below", "below", INPUTS(params.cond_inputs[0], params.cond_inputs[1]));
  params.body_outputs[0] =
      node(params.body_graph, "AddV2", "add", INPUTS(params.body_inputs[0], params.body_inputs[1]));
  params.body_outputs[1] = params.body_inputs[1];
  TF_FinishWhile(&params, st, out);
  return TF_GetCode(st) == TF_OK;
}

static void see_loop(const char *label, TF_Graph *graph, const TF_Output *in, const TF_Output *out, int a,
                     int b) {
  TF_Session *session = open_session(graph);
  TF_Tensor *values[2] = {int_scalar(a), int_scalar(b)}, *results[2] = {0};
  TF_SessionRun(session, NULL, in, values, 2, out, results, 2, NULL, 0, NULL, st);
  see_status(text("%s status", label), NULL);
  see_tensor(text("%s first", label), results[0]);
  see_tensor(text("%s second", label), results[1]);
  for (int i = 0; i < 2; i++) TF_DeleteTensor(values[i]), TF_DeleteTensor(results[i]);
  close_session(session);
}

static void see_graph_def(const char *label, TF_Graph *graph) {
  TF_Buffer *b = TF_NewBuffer();
  TF_GraphToGraphDef(graph, b, st);
  see_buffer(label, "GraphDef", b);
}

void case_while_loop(void) {
  define_less();
  TF_Graph *graph = TF_NewGraph();
  TF_Output in[2] = {placeholder(graph, "a", TF_INT32, 0, NULL), placeholder(graph, "b", TF_INT32, 0, NULL)},
            out[2] = {{0}};
  bool built = add_loop(graph, in, "loop", out);
  see_status("built", NULL);
  if (!built) return;
  for (int i = 0; i < 2; i++) see(text("output %d", i), "%s:%d", TF_OperationName(out[i].oper), out[i].index);
  see_graph_def("graph", graph);
  see_loop("run", graph, in, out, -9, 2);
  see_loop("run no turn", graph, in, out, 5, 2);
  see_loop("run many turns", graph, in, out, -1000, 1);
  TF_Output more[2];
  add_loop(graph, out, "second", more);
  see_status("loop after loop", NULL);
  if (more[0].oper) see_loop("run two loops", graph, in, more, -9, 2);
  TF_DeleteGraph(graph);
}

// A loop whose turn runs a loop.
void case_while_nested(void) {
  define_less();
  TF_Graph *graph = TF_NewGraph();
  TF_Output in[2] = {feed_point(graph, "a", TF_INT32), feed_point(graph, "b", TF_INT32)}, out[2] = {{0}};
  TF_WhileParams params = TF_NewWhile(graph, in, 2, st);
  see_status("new", NULL);
  params.name = "outer";
  params.cond_output =
      node(params.cond_graph, "Below", "below", INPUTS(params.cond_inputs[0], params.cond_inputs[1]));
  TF_Output inner[2] = {params.body_inputs[0], params.body_inputs[1]}, inner_out[2] = {{0}};
  add_loop(params.body_graph, inner, "inner", inner_out);
  see_status("inner", NULL);
  if (inner_out[0].oper) {
    params.body_outputs[0] = node(params.body_graph, "AddV2", "more", INPUTS(inner_out[0], inner_out[1]));
    params.body_outputs[1] = inner_out[1];
  }
  TF_FinishWhile(&params, st, out);
  see_status("outer", NULL);
  if (out[0].oper) {
    see_graph_def("graph", graph);
    see_loop("run", graph, in, out, -9, 2);
  }
  TF_DeleteGraph(graph);
}

// ---- what is refused ----

typedef void spoil_fn(TF_WhileParams *params);

static void no_cond(TF_WhileParams *p) { p->cond_output.oper = NULL; }
static void bad_cond_index(TF_WhileParams *p) { p->cond_output.index = 7; }
static void cond_not_bool(TF_WhileParams *p) { p->cond_output = p->cond_inputs[0]; }
static void cond_of_body(TF_WhileParams *p) { p->cond_output = p->body_inputs[0]; }
static void no_body(TF_WhileParams *p) { p->body_outputs[1].oper = NULL; }
static void bad_body_index(TF_WhileParams *p) { p->body_outputs[1].index = 3; }
static void body_type(TF_WhileParams *p) {
  p->body_outputs[0] = node(p->body_graph, "Below", "b", INPUTS(p->body_inputs[0], p->body_inputs[1]));
}
static void body_of_cond(TF_WhileParams *p) { p->body_outputs[0] = p->cond_inputs[0]; }
static void no_name(TF_WhileParams *p) { p->name = NULL; }
static void bad_name(TF_WhileParams *p) { p->name = "a b"; }
static void taken_name(TF_WhileParams *p) { p->name = "a"; }
static void nothing(TF_WhileParams *p) { (void)p; }
static void same_output(TF_WhileParams *p) { p->body_outputs[1] = p->body_outputs[0]; }
static void constant_body(TF_WhileParams *p) {
  p->body_outputs[0] = constant(p->body_graph, "c", int_scalar(99));
}
static void shape_changes(TF_WhileParams *p) {
  p->body_outputs[0] = constant(p->body_graph, "c", int_vector(2, (int32_t[]){1, 2}));
}

void case_while_errors(void) {
  define_less();
  static const struct {
    const char *name;
    spoil_fn *spoil;
  } tries[] = {{"fine", nothing},
               {"no condition", no_cond},
               {"condition index", bad_cond_index},
               {"condition not bool", cond_not_bool},
               {"condition from body", cond_of_body},
               {"no body output", no_body},
               {"body index", bad_body_index},
               {"body type", body_type},
               {"body from condition", body_of_cond},
               {"no name", no_name},
               {"bad name", bad_name},
               {"taken name", taken_name},
               {"same output", same_output},
               {"constant body", constant_body},
               {"shape changes", shape_changes}};
  for (int i = 0; i < COUNT(tries); i++) {
    const char *label = tries[i].name;
    ISOLATED(label) {
      TF_Graph *graph = TF_NewGraph();
      TF_Output in[2] = {placeholder(graph, "a", TF_INT32, 0, NULL),
                         placeholder(graph, "b", TF_INT32, 0, NULL)},
                out[2] = {{0}};
      TF_WhileParams params = TF_NewWhile(graph, in, 2, st);
      params.name = "loop";
      params.cond_output =
          node(params.cond_graph, "Below", "below", INPUTS(params.cond_inputs[0], params.cond_inputs[1]));
      params.body_outputs[0] =
          node(params.body_graph, "AddV2", "add", INPUTS(params.body_inputs[0], params.body_inputs[1]));
      params.body_outputs[1] = params.body_inputs[1];
      tries[i].spoil(&params);
      TF_FinishWhile(&params, st, out);
      see_status(text("%s status", label), NULL);
      see(text("%s output", label), "%s", out[0].oper ? TF_OperationName(out[0].oper) : "untouched");
    }
  }
  ISOLATED("same name twice") {
    TF_Graph *graph = TF_NewGraph();
    TF_Output in[2] = {placeholder(graph, "a", TF_INT32, 0, NULL),
                       placeholder(graph, "b", TF_INT32, 0, NULL)},
              out[2] = {{0}}, more[2] = {{0}};
    add_loop(graph, in, "loop", out);
    see_status("same name twice first", NULL);
    add_loop(graph, out, "loop", more);
    see_status("same name twice second", NULL);
    see_graph_def("same name twice graph", graph);
    if (more[0].oper) see_loop("same name twice run", graph, in, more, -9, 2);
  }
  ISOLATED("no inputs") {
    TF_Graph *graph = TF_NewGraph();
    TF_NewWhile(graph, NULL, 0, st);
    see_status("no inputs", NULL);
  }
  ISOLATED("input without node") {
    TF_Graph *graph = TF_NewGraph();
    TF_Output in[1] = {{NULL, 0}};
    TF_NewWhile(graph, in, 1, st);
    see_status("input without node", NULL);
  }
  ISOLATED("input index") {
    TF_Graph *graph = TF_NewGraph();
    TF_Output in[1] = {{feed_point(graph, "a", TF_INT32).oper, 5}};
    TF_NewWhile(graph, in, 1, st);
    see_status("input index", NULL);
  }
  ISOLATED("aborted") {
    TF_Graph *graph = TF_NewGraph();
    TF_Output in[1] = {feed_point(graph, "a", TF_INT32)};
    TF_WhileParams params = TF_NewWhile(graph, in, 1, st);
    see("aborted params", "inputs %d name %d cond %d", params.ninputs, params.name != NULL,
        params.cond_output.oper != NULL);
    see_graph_def("aborted condition", params.cond_graph);
    see_graph_def("aborted body", params.body_graph);
    TF_AbortWhile(&params);
    see_graph_def("aborted", graph);
  }
}
