// Functions: TF_GraphToFunction in its variants, copies, gradients, import; and what calling them computes.
#include "conformance.h"

typedef struct body {
  TF_Graph *graph;
  TF_Output feed, other, sum, negative, pair;
  TF_Operation *effect, *constant;
} body;

static void define_function_ops(void) {
  define_op("Negate", shape_first, "in x: T|out y: T|attr T: type");
  define_op("Pair", shape_unknown, "in x: T|out a: T|out b: N*T|attr T: type|attr N: int = 2");
  define_op("Effect", shape_unknown, "in x: float|out y: float|stateful");
  define_op("Indexed", shape_unknown, "out y: float|attr index: int");
}

static body new_body(void) {
  body b = {.graph = TF_NewGraph()};
  b.feed = feed_point(b.graph, "feed", TF_FLOAT);
  b.other = feed_point(b.graph, "other", TF_FLOAT);
  b.sum = node(b.graph, "AddV2", "sum", INPUTS(b.feed, b.other));
  b.negative = node(b.graph, "Negate", "neg", INPUTS(b.sum));
  b.pair = node(b.graph, "Pair", "pair", INPUTS(b.feed));
  b.effect = node(b.graph, "Effect", "effect", INPUTS(b.feed)).oper;
  b.constant = constant(b.graph, "ten", float_scalar(10)).oper;
  return b;
}

static void see_function(const char *label, TF_Function *f, const char *phrases) {
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s status", label), fine ? "" : phrases);
  see(text("%s function", label), "%s", f ? TF_FunctionName(f) : "NULL");
  if (!f) return;
  TF_Buffer *b = TF_NewBuffer();
  TF_FunctionToFunctionDef(f, b, st);
  see_status(text("%s serialized", label), NULL);
  see_buffer(text("%s proto", label), "FunctionDef", b);
  TF_Graph *host = TF_NewGraph();
  TF_GraphCopyFunction(host, f, NULL, st);
  see_status(text("%s copied", label), NULL);
  b = TF_NewBuffer();
  TF_GraphGetOpDef(host, TF_FunctionName(f), b, st);
  see_status(text("%s op def status", label), NULL);
  see_buffer(text("%s op def", label), "OpDef", b);
  TF_DeleteGraph(host);
  TF_DeleteFunction(f);
}

#define OPERS(...)                                                            \
  (int)(sizeof((const TF_Operation *const[]){__VA_ARGS__}) / sizeof(void *)), \
      (const TF_Operation *const[]) {                                         \
    __VA_ARGS__                                                               \
  }
#define OUTS(...) INPUTS(__VA_ARGS__)
#define NAMES(...) \
  (const char *const[]) { __VA_ARGS__ }
#define ALL -1, NULL
#define NONE 0, NULL

// One call of TF_GraphToFunction on a fresh body `b`.
#define MAKE(label, phrases, name, hash, opers, inputs, outputs, names)                                      \
  ISOLATED(label) {                                                                                          \
    body b = new_body();                                                                                     \
    TF_Function *f = TF_GraphToFunction(b.graph, name, hash, opers, inputs, outputs, names, NULL, NULL, st); \
    see_function(label, f, phrases);                                                                         \
    TF_DeleteGraph(b.graph);                                                                                 \
  }

void case_function_make(void) {
  define_function_ops();
  MAKE("whole graph", NULL, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative), NULL)
  MAKE("output names", NULL, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative), NAMES("result"))
  MAKE("output named as input", NULL, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative), NAMES("feed"))
  MAKE("output named as node", NULL, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative), NAMES("sum"))
  MAKE("duplicate output names", "out", "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative, b.sum),
       NAMES("out", "out"))
  MAKE("bad output name", NULL, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative), NAMES("Bad name"))
  MAKE("no inputs", NULL, "F", 0, OPERS(b.constant), NONE, OUTS((TF_Output){b.constant, 0}), NULL)
  MAKE("no outputs", NULL, "F", 0, ALL, OUTS(b.feed, b.other), NONE, NULL)
  MAKE("identity", NULL, "F", 0, NONE, OUTS(b.feed), OUTS(b.feed), NULL)
  MAKE("identity of all", NULL, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.feed), NULL)
  MAKE("permutation", NULL, "F", 0, NONE, OUTS(b.feed, b.other), OUTS(b.other, b.feed), NULL)
  MAKE("permutation with names", NULL, "F", 0, NONE, OUTS(b.feed, b.other), OUTS(b.other, b.feed),
       NAMES("first", "second"))
  MAKE("duplicate outputs", NULL, "F", 0, OPERS(b.sum.oper), OUTS(b.feed, b.other), OUTS(b.sum, b.sum), NULL)
  MAKE("duplicate outputs with names", NULL, "F", 0, OPERS(b.sum.oper), OUTS(b.feed, b.other),
       OUTS(b.sum, b.sum), NAMES("o1", "o2"))
  MAKE("duplicate inputs", "feed", "F", 0, OPERS(b.sum.oper), OUTS(b.feed, b.feed), OUTS(b.sum), NULL)
  MAKE("subset", NULL, "F", 0, OPERS(b.negative.oper), OUTS(b.sum), OUTS(b.negative), NULL)
  MAKE("subset of two", NULL, "F", 0, OPERS(b.negative.oper, b.sum.oper), OUTS(b.feed, b.other),
       OUTS(b.negative, b.sum), NULL)
  MAKE("subset missing an input", "other", "F", 0, OPERS(b.sum.oper), OUTS(b.feed), OUTS(b.sum), NULL)
  MAKE("all missing an input", NULL, "F", 0, ALL, OUTS(b.feed), OUTS(b.sum), NULL)
  MAKE("output not in body", "ten", "F", 0, OPERS(b.sum.oper), OUTS(b.feed, b.other),
       OUTS(b.sum, (TF_Output){b.constant, 0}), NULL)
  MAKE("list output", NULL, "F", 0, OPERS(b.pair.oper), OUTS(b.feed),
       OUTS((TF_Output){b.pair.oper, 0}, (TF_Output){b.pair.oper, 2}), NULL)
  MAKE("list outputs as inputs", NULL, "F", 0, NONE,
       OUTS((TF_Output){b.pair.oper, 1}, (TF_Output){b.pair.oper, 2}), OUTS((TF_Output){b.pair.oper, 2}),
       NULL)
  MAKE("all with input of many outputs", "pair", "F", 0, ALL, OUTS((TF_Output){b.pair.oper, 1}),
       OUTS((TF_Output){b.pair.oper, 1}), NULL)
  MAKE("input index too high", NULL, "F", 0, ALL, OUTS(b.feed, (TF_Output){b.other.oper, 2}), OUTS(b.sum),
       NULL)
  MAKE("input without node", NULL, "F", 0, ALL, OUTS(b.feed, (TF_Output){NULL, 0}), OUTS(b.sum), NULL)
  MAKE("output index too high", NULL, "F", 0, ALL, OUTS(b.feed, b.other), OUTS((TF_Output){b.sum.oper, 3}),
       NULL)
  MAKE("output without node", NULL, "F", 0, ALL, OUTS(b.feed, b.other), OUTS((TF_Output){NULL, 3}), NULL)
  MAKE("input is body output", NULL, "F", 0, OPERS(b.sum.oper), OUTS(b.sum), OUTS(b.sum), NULL)
  MAKE("lower-case name", NULL, "lower_case", 0, OPERS(b.sum.oper), OUTS(b.feed, b.other), OUTS(b.sum), NULL)
  MAKE("odd name", NULL, "__inference 2-x", 0, OPERS(b.sum.oper), OUTS(b.feed, b.other), OUTS(b.sum), NULL)
  MAKE("empty name", NULL, "", 0, OPERS(b.sum.oper), OUTS(b.feed, b.other), OUTS(b.sum), NULL)
  MAKE("stateful body", NULL, "F", 0, OPERS(b.effect), OUTS(b.feed), OUTS((TF_Output){b.effect, 0}), NULL)
  ISOLATED("description") {
    body b = new_body();
    TF_Function *f = TF_GraphToFunction(b.graph, "F", 0, OPERS(b.negative.oper), OUTS(b.sum),
                                        OUTS(b.negative), NULL, NULL, "What it does", st);
    see_function("description", f, NULL);
  }
  ISOLATED("appended hash") {
    body b = new_body();
    TF_Function *f = TF_GraphToFunction(b.graph, "base", 1, OPERS(b.negative.oper), OUTS(b.sum),
                                        OUTS(b.negative), NULL, NULL, NULL, st);
    TF_Function *again = TF_GraphToFunction(b.graph, "base", 1, OPERS(b.negative.oper), OUTS(b.sum),
                                            OUTS(b.negative), NULL, NULL, NULL, st);
    TF_Function *another = TF_GraphToFunction(b.graph, "base", 1, OPERS(b.sum.oper), OUTS(b.feed, b.other),
                                              OUTS(b.sum), NULL, NULL, NULL, st);
    see("appended hash", "prefix %d length %zu same %d different %d",
        !strncmp(TF_FunctionName(f), "base_", 5), strlen(TF_FunctionName(f)),
        !strcmp(TF_FunctionName(f), TF_FunctionName(again)),
        strcmp(TF_FunctionName(f), TF_FunctionName(another)) != 0);
  }
}

// Names that clash after they were made lower case and free of odd characters.
void case_function_names(void) {
  define_function_ops();
  static const char *const names[] = {"A",      "aB",     "a/b",   "a/b/c", "A-1", "x.y",
                                      "_under", "9lives", "Ab_Cd", "ab",    "AB"};
  for (int i = 0; i < COUNT(names); i++) {
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = feed_point(graph, names[i], TF_FLOAT),
              y = node(graph, "Negate", text("Sub/%s", names[i]), INPUTS(x)),
              z = node(graph, "Negate", text("%sz", names[i]), INPUTS(y));
    TF_Function *f =
        TF_GraphToFunction(graph, "F", 0, -1, NULL, 1, &x, 2, (TF_Output[]){y, z}, NULL, NULL, NULL, st);
    see_function(text("named %s", names[i]), f, NULL);
    TF_DeleteGraph(graph);
  }
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "In", TF_FLOAT), y = feed_point(graph, "in", TF_FLOAT),
            z = node(graph, "AddV2", "iN", INPUTS(x, y));
  TF_Function *f =
      TF_GraphToFunction(graph, "F", 0, -1, NULL, 2, (TF_Output[]){x, y}, 1, &z, NULL, NULL, NULL, st);
  see_function("clashing", f, NULL);
  TF_DeleteGraph(graph);
}

void case_function_control(void) {
  define_function_ops();
  ISOLATED("control edge in body") {
    body b = new_body();
    TF_AddOperationControlInput(b.graph, b.negative.oper, b.constant);
    see_function("control edge in body",
                 TF_GraphToFunction(b.graph, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative), NULL, NULL,
                                    NULL, st),
                 NULL);
  }
  ISOLATED("control edge from outside") {
    body b = new_body();
    TF_AddOperationControlInput(b.graph, b.negative.oper, b.constant);
    see_function("control edge from outside",
                 TF_GraphToFunction(b.graph, "F", 0, OPERS(b.negative.oper), OUTS(b.sum), OUTS(b.negative),
                                    NULL, NULL, NULL, st),
                 "ten");
  }
  ISOLATED("control edge from input") {
    body b = new_body();
    TF_AddOperationControlInput(b.graph, b.negative.oper, b.feed.oper);
    see_function("control edge from input",
                 TF_GraphToFunction(b.graph, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative), NULL, NULL,
                                    NULL, st),
                 NULL);
  }
  ISOLATED("control outputs") {
    body b = new_body();
    const TF_Operation *controls[] = {b.effect, b.constant};
    see_function(
        "control outputs",
        TF_GraphToFunctionWithControlOutputs(b.graph, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative),
                                             NULL, 2, controls, NULL, NULL, NULL, st),
        NULL);
  }
  ISOLATED("named control outputs") {
    body b = new_body();
    const TF_Operation *controls[] = {b.effect, b.constant};
    see_function(
        "named control outputs",
        TF_GraphToFunctionWithControlOutputs(b.graph, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative),
                                             NULL, 2, controls, NAMES("c1", "c2"), NULL, NULL, st),
        NULL);
  }
  ISOLATED("duplicate control names") {
    body b = new_body();
    const TF_Operation *controls[] = {b.effect, b.constant};
    see_function(
        "duplicate control names",
        TF_GraphToFunctionWithControlOutputs(b.graph, "F", 0, ALL, OUTS(b.feed, b.other), OUTS(b.negative),
                                             NULL, 2, controls, NAMES("c1", "c1"), NULL, NULL, st),
        NULL);
  }
  ISOLATED("control output outside") {
    body b = new_body();
    const TF_Operation *controls[] = {b.constant};
    see_function(
        "control output outside",
        TF_GraphToFunctionWithControlOutputs(b.graph, "F", 0, OPERS(b.negative.oper), OUTS(b.sum),
                                             OUTS(b.negative), NULL, 1, controls, NULL, NULL, NULL, st),
        NULL);
  }
  ISOLATED("colocation") {
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = feed_point(graph, "x", TF_FLOAT);
    TF_OperationDescription *desc = TF_NewOperation(graph, "Negate", "n");
    TF_AddInput(desc, x);
    TF_ColocateWith(desc, x.oper);
    TF_SetDevice(desc, "/device:CPU:0");
    TF_Output n = finish(desc);
    see_function("colocation",
                 TF_GraphToFunction(graph, "F", 0, -1, NULL, 1, &x, 1, &n, NULL, NULL, NULL, st), NULL);
  }
  ISOLATED("placeholder attr") {
    TF_Graph *graph = TF_NewGraph();
    TF_Output out[3];
    for (int i = 0; i < 3; i++) {
      TF_OperationDescription *desc = TF_NewOperation(graph, "Indexed", text("node%d", i));
      TF_SetAttrPlaceholder(desc, "index", i < 2 ? "v1" : "v2");
      out[i] = finish(desc);
    }
    if (out[0].oper)
      see_function("placeholder attr",
                   TF_GraphToFunction(graph, "F", 0, -1, NULL, 0, NULL, 3, out, NULL, NULL, NULL, st), NULL);
  }
  ISOLATED("arg attr") {
    TF_Graph *graph = TF_NewGraph();
    TF_OperationDescription *desc = TF_NewOperation(graph, "Placeholder", "node");
    TF_SetAttrType(desc, "dtype", TF_INT32);
    TF_SetAttrShape(desc, "shape", (int64_t[]){2, -1}, 2);
    TF_SetAttrString(desc, "_test_attr", "value", 5);
    TF_Output x = finish(desc);
    see_function("arg attr",
                 TF_GraphToFunction(graph, "F", 0, -1, NULL, 1, &x, 0, NULL, NULL, NULL, NULL, st), NULL);
  }
}

// ---- functions in a graph ----

static TF_Function *simple_function(const char *name) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "AddV2", "y", INPUTS(x, x));
  TF_Function *f = TF_GraphToFunction(graph, name, 0, -1, NULL, 1, &x, 1, &y, NULL, NULL, NULL, st);
  TF_DeleteGraph(graph);
  return f;
}

static void see_library(const char *label, TF_Graph *graph) {
  see(text("%s functions", label), "%d", TF_GraphNumFunctions(graph));
  TF_Buffer *b = TF_NewBuffer();
  TF_GraphToGraphDef(graph, b, st);
  see_buffer(text("%s graph", label), "GraphDef", b);
}

void case_function_library(void) {
  define_function_ops();
  TF_Graph *host = TF_NewGraph();
  TF_Function *f = simple_function("Foo"), *g = simple_function("Grad"), *g2 = simple_function("Grad2"),
              *h = simple_function("Hoo");
  TF_Function *got[4] = {0};
  see("none", "%d %d", TF_GraphNumFunctions(host), TF_GraphGetFunctions(host, got, 4, st));
  TF_GraphCopyFunction(host, f, NULL, st);
  see_status("copied", NULL);
  see_library("one", host);
  TF_GraphCopyFunction(host, f, NULL, st);
  see_status("copied again", NULL);
  TF_GraphCopyFunction(host, f, g, st);
  see_status("copied with gradient", NULL);
  see_library("gradient", host);
  TF_GraphCopyFunction(host, f, g, st);
  see_status("gradient again", NULL);
  TF_GraphCopyFunction(host, f, g2, st);
  see_status("another gradient", "Grad");
  TF_GraphCopyFunction(host, h, g, st);
  see_status("same gradient for another", NULL);
  see_library("all", host);
  ISOLATED("NULL function") {
    TF_GraphCopyFunction(host, NULL, f, st);
    see_status("NULL function", NULL);
  }
  for (int room = 0; room <= 4; room++) {
    memset(got, 0, sizeof got);
    int count = TF_GraphGetFunctions(host, got, room, st);
    char names[100] = "";
    for (int i = 0; i < count; i++)
      sprintf(names + strlen(names), "%s ", TF_FunctionName(got[i])), TF_DeleteFunction(got[i]);
    see_status(text("get %d status", room), NULL);
    see(text("get %d", room), "%d", count);
    if (room == 4) see("get names length", "%zu", strlen(names));
  }
  TF_GraphRemoveFunction(host, "Hoo", st);
  see_status("removed", NULL);
  TF_GraphRemoveFunction(host, "Nope", st);
  see_status("removed unknown", NULL);
  see_library("after removal", host);

  // Another definition of a known name; a name that an op has.
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "Negate", "y", INPUTS(x));
  TF_Function *clash = TF_GraphToFunction(graph, "Foo", 0, -1, NULL, 1, &x, 1, &y, NULL, NULL, NULL, st);
  TF_GraphCopyFunction(host, clash, NULL, st);
  see_status("same name, another body", "Foo");
  TF_Function *op = TF_GraphToFunction(graph, "Identity", 0, -1, NULL, 1, &x, 1, &y, NULL, NULL, NULL, st);
  see_status("function named as an op", NULL);
  if (op) TF_GraphCopyFunction(host, op, NULL, st);
  see_status("copied function named as an op", NULL);
  TF_DeleteFunction(op);
  TF_DeleteFunction(clash);

  // Attributes of functions.
  TF_Buffer *value = TF_NewBuffer();
  TF_FunctionGetAttrValueProto(f, "foo", value, st);
  see_status("function attr unknown", "foo");
  TF_DeleteBuffer(value);
  TF_FunctionSetAttrValueProto(f, "foo",
                               "\x12\x03"
                               "bar",
                               5, st);
  see_status("function attr set", NULL);
  value = TF_NewBuffer();
  TF_FunctionGetAttrValueProto(f, "foo", value, st);
  see_status("function attr status", NULL);
  see_buffer("function attr", "AttrValue", value);
  TF_FunctionSetAttrValueProto(f, "foo", "\x12", 1, st);
  see_status("function attr from bad bytes", NULL);

  // Serialized and back.
  value = TF_NewBuffer();
  TF_FunctionToFunctionDef(f, value, st);
  TF_Function *copy = TF_FunctionImportFunctionDef(value->data, value->length, st);
  see_function("imported", copy, NULL);
  TF_DeleteBuffer(value);
  copy = TF_FunctionImportFunctionDef("\0\0\0\0", 4, st);
  see_function("imported zeros", copy, NULL);
  copy = TF_FunctionImportFunctionDef("", 0, st);
  see_status("imported nothing", NULL);
  see("imported nothing", "%s", copy ? "function" : "NULL");
  TF_DeleteFunction(f);
  TF_DeleteFunction(g);
  TF_DeleteFunction(g2);
  TF_DeleteFunction(h);
  TF_DeleteGraph(graph);
  TF_DeleteGraph(host);
}

// ---- calling ----

static void twice(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, 0, &x, s);
  int64_t dims[4];
  for (int i = 0; i < TF_NumDims(x); i++) dims[i] = TF_Dim(x, i);
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), s);
  for (int64_t i = 0; i < TF_TensorElementCount(x); i++)
    ((float *)TF_TensorData(y))[i] = 2 * ((float *)TF_TensorData(x))[i];
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(s);
}

void case_function_call(void) {
  define_op("TimesTwo", shape_first, "in x: float|out y: float");
  define_kernel("TimesTwo", NULL, twice, NULL);
  TF_Graph *graph = TF_NewGraph(), *inner = TF_NewGraph(), *host = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), t = node(graph, "TimesTwo", "t", INPUTS(x)),
            s = node(graph, "AddV2", "s", INPUTS(t, x));
  TF_Function *three = TF_GraphToFunction(graph, "TimesThree", 0, -1, NULL, 1, &x, 2, (TF_Output[]){s, t},
                                          NULL, NULL, NULL, st);
  TF_GraphCopyFunction(inner, three, NULL, st);
  TF_Output ix = feed_point(inner, "x", TF_FLOAT), iy = node(inner, "TimesThree", "call", INPUTS(ix));
  see("function node", "outputs %d", iy.oper ? TF_OperationNumOutputs(iy.oper) : -1);
  TF_Output iz = node(inner, "TimesThree", "call2", INPUTS(iy));
  TF_Function *nine =
      TF_GraphToFunction(inner, "TimesNine", 0, -1, NULL, 1, &ix, 1, &iz, NULL, NULL, NULL, st);
  see_status("nested function", NULL);
  TF_GraphCopyFunction(host, three, NULL, st);
  TF_GraphCopyFunction(host, nine, NULL, st);
  TF_Output hx = feed_point(host, "x", TF_FLOAT), h3 = node(host, "TimesThree", "h3", INPUTS(hx)),
            h9 = node(host, "TimesNine", "h9", INPUTS(hx));
  see_run("call", host, &hx, float_vector(2, (float[]){1, -2}), &h3, NULL);
  see_run("call second output", host, &hx, float_vector(2, (float[]){1, -2}), &(TF_Output){h3.oper, 1}, NULL);
  see_run("call nested", host, &hx, float_vector(2, (float[]){1, -2}), &h9, NULL);
  TF_Output twice9 = node(host, "TimesNine", "again", INPUTS(h9));
  see_run("call of call", host, &hx, float_scalar(1), &twice9, NULL);

  // Through PartitionedCall, and a call of a function that nobody defined.
  static const char *const called[] = {"TimesThree", "Nope"};
  for (int i = 0; i < 2; i++) {
    TF_OperationDescription *desc =
        TF_NewOperation(host, i ? "StatefulPartitionedCall" : "PartitionedCall", text("partitioned%d", i));
    TF_AddInputList(desc, &hx, 1);
    TF_SetAttrTypeList(desc, "Tout", (TF_DataType[]){TF_FLOAT, TF_FLOAT}, 2);
    TF_SetAttrFuncName(desc, "f", called[i], strlen(called[i]));
    TF_Operation *oper = TF_FinishOperation(desc, st);
    see_status(text("partitioned call of %s", called[i]), NULL);
    if (oper && i == 0) see_run("partitioned call", host, &hx, float_scalar(4), &(TF_Output){oper, 0}, NULL);
  }
  TF_DeleteFunction(three);
  TF_DeleteFunction(nine);
  TF_DeleteGraph(graph);
  TF_DeleteGraph(inner);
  TF_DeleteGraph(host);
}
