// One binary, two libraries: measures any library with the TensorFlow C ABI. Linked to empty stand-ins for the stock sonames,
// so LD_LIBRARY_PATH chooses the library. abi_bench NAME prints lines
// "name value unit"; bench/run.py pairs the runs and prints ratios.
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static TF_Status *status;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void print(const char *name, double value, const char *unit) {
  printf("%s %.6g %s\n", name, value, unit);
  fflush(stdout);
}

static void check(const char *what) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s: %s\n", what, TF_Message(status));
  exit(1);
}

static double resident_kib(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  double kib = NAN;
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "VmRSS:", 6) == 0) kib = atof(line + 6);
  if (file) fclose(file);
  return kib;
}

static void load_plugin(void) {
  const char *path = getenv("BENCH_PLUGIN");
  TF_LoadLibrary(path ? path : "bench_plugin.so", status);
  check("TF_LoadLibrary");
}

static TF_Output placeholder(TF_Graph *graph) {
  TF_OperationDescription *d = TF_NewOperation(graph, "Placeholder", "x");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", NULL, 0);
  TF_Output out = {TF_FinishOperation(d, status), 0};
  check("Placeholder");
  return out;
}

static TF_Output chain(TF_Graph *graph, const char *op, int count, TF_Output in) {
  char name[32];
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof name, "n%d", i);
    TF_OperationDescription *d = TF_NewOperation(graph, op, name);
    TF_AddInput(d, in);
    in = (TF_Output){TF_FinishOperation(d, status), 0};
  }
  check(op);
  return in;
}

// RunOptions.inter_op_thread_pool = -1 (the caller's thread) and the ConfigProto of stock's fastest set-up: opt_level L0,
// Grappler off, SINGLE_THREADED_EXECUTOR. Every figure is taken with them, so that stock is measured at its best.
static const unsigned char caller_thread[] = {0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
static const char fast_config[] =
    "\x52\x12\x1a\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x52\x03\x98\x01\x01\x82\x01\x1a\x1a\x18"
    "SINGLE_THREADED_EXECUTOR";

static TF_Session *open_session(TF_Graph *graph) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, fast_config, sizeof fast_config - 1, status);
  check("TF_SetConfig");
  TF_Session *session = TF_NewSession(graph, options, status);
  check("TF_NewSession");
  TF_DeleteSessionOptions(options);
  return session;
}

typedef struct run {
  TF_Graph *graph;
  TF_Session *session;
  TF_Buffer *options;
  TF_Output feed, fetch;
  TF_Tensor *value;
} run;

static float run_once(const run *r) {
  TF_Tensor *out = NULL;
  TF_SessionRun(r->session, r->options, &r->feed, &r->value, 1, &r->fetch, &out, 1, NULL, 0, NULL, status);
  check("TF_SessionRun");
  float result = *(float *)TF_TensorData(out);
  TF_DeleteTensor(out);
  return result;
}

static run new_chain_run(const char *op, int count) {
  TF_Graph *graph = TF_NewGraph();
  run r = {.graph = graph, .feed = placeholder(graph), .options = TF_NewBufferFromString(caller_thread, sizeof caller_thread)};
  r.fetch = chain(graph, op, count, r.feed);
  r.value = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(r.value) = 1;
  return r;
}

// ---- measurements ----

static void bench_start(void) {
  const char *before_exec = getenv("BENCH_T0_NS");
  const char *version = TF_Version();
  double t = now_ns();
  if (before_exec && version) print("start.exec_to_version", (t - atof(before_exec)) / 1e6, "ms");
  print("start.resident", resident_kib() / 1024, "MiB");
}

static void no_compute(void *state, TF_OpKernelContext *ctx) { (void)state, (void)ctx; }
static void unknown_shape(TF_ShapeInferenceContext *ctx, TF_Status *s) {
  TF_ShapeInferenceContextSetUnknownShape(ctx, s);
}

static void bench_register(void) {
  enum { COUNT = 10000 };
  TF_DeleteBuffer(TF_GetAllOpList());  // the registry is up, as when a plugin is loaded
  static char names[COUNT][16];  // made beforehand: printing them takes longer than many a call that is measured
  for (int i = 0; i < COUNT; i++) snprintf(names[i], sizeof names[i], "BenchOp%d", i);
  double resident = resident_kib(), t = now_ns();
  for (int i = 0; i < COUNT; i++) {
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(names[i]);
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "y: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, unknown_shape);
    TF_RegisterOpDefinition(op, status);
  }
  double middle = now_ns();
  for (int i = 0; i < COUNT; i++) {
    TF_KernelBuilder *kernel = TF_NewKernelBuilder(names[i], "CPU", NULL, no_compute, NULL);
    TF_RegisterKernelBuilder(names[i], kernel, status);
  }
  double end = now_ns();
  check("registration");
  print("register.op", (middle - t) / COUNT, "ns");
  print("register.kernel", (end - middle) / COUNT, "ns");
  print("register.bytes_per_op_and_kernel", (resident_kib() - resident) * 1024 / COUNT, "bytes");
}

static void bench_graph(void) {
  enum { COUNT = 10000, IMPORTED = 100000 };
  load_plugin();
  double best = INFINITY;
  for (int rep = 0; rep < 7; rep++) {
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = placeholder(graph);
    double t = now_ns();
    chain(graph, "BenchIncrement", COUNT, x);
    best = fmin(best, now_ns() - t);
    TF_DeleteGraph(graph);
  }
  print("graph.add_node", best / COUNT, "ns");

  TF_Graph *graph = TF_NewGraph();
  chain(graph, "BenchIncrement", IMPORTED, placeholder(graph));
  TF_Buffer *bytes = TF_NewBuffer();
  TF_GraphToGraphDef(graph, bytes, status);
  check("TF_GraphToGraphDef");
  TF_DeleteGraph(graph);
  best = INFINITY;
  for (int rep = 0; rep < 3; rep++) {
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    graph = TF_NewGraph();
    double t = now_ns();
    TF_GraphImportGraphDef(graph, bytes, options, status);
    best = fmin(best, now_ns() - t);
    check("TF_GraphImportGraphDef");
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteGraph(graph);
  }
  print("graph.import_node", best / IMPORTED, "ns");
}

static TF_Output infer_node(TF_Graph *graph, const char *op, int number, TF_Output a, TF_Output b) {
  char name[32];
  snprintf(name, sizeof name, "%s%d", op, number);
  TF_OperationDescription *d = TF_NewOperation(graph, op, name);
  if (strcmp(op, "Pack") == 0) {
    TF_AddInputList(d, (TF_Output[]){a, b}, 2);
  } else {
    TF_AddInput(d, a);
    if (b.oper) TF_AddInput(d, b);
  }
  TF_Output out = {TF_FinishOperation(d, status), 0};
  check(op);
  return out;
}

static TF_Output int_const(TF_Graph *graph, const char *name, int32_t value, int rank) {
  TF_Tensor *t = TF_AllocateTensor(TF_INT32, (int64_t[]){1}, rank, sizeof value);
  *(int32_t *)TF_TensorData(t) = value;
  TF_OperationDescription *d = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(d, "value", t, status);
  TF_SetAttrType(d, "dtype", TF_INT32);
  TF_DeleteTensor(t);
  TF_Output out = {TF_FinishOperation(d, status), 0};
  check("Const");
  return out;
}

// Blocks of eight nodes of a network with an open batch size, which goes through shape arithmetic in each.
static TF_Graph *shape_network(int blocks) {
  TF_Graph *graph = TF_NewGraph();
  TF_OperationDescription *d = TF_NewOperation(graph, "Placeholder", "x");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", (int64_t[]){-1, 64}, 2);
  TF_Output x = {TF_FinishOperation(d, status), 0}, none = {NULL, 0};
  d = TF_NewOperation(graph, "Placeholder", "w");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", (int64_t[]){64, 64}, 2);
  TF_Output w = {TF_FinishOperation(d, status), 0};
  TF_Output zero = int_const(graph, "zero", 0, 1), one = int_const(graph, "one", 1, 1),
            width = int_const(graph, "width", 64, 0);
  for (int i = 0; i < blocks; i++) {
    char name[32];
    TF_Output y = infer_node(graph, "Relu", i, infer_node(graph, "MatMul", i, x, w), none);
    snprintf(name, sizeof name, "StridedSlice%d", i);
    d = TF_NewOperation(graph, "StridedSlice", name);
    TF_AddInput(d, infer_node(graph, "Shape", i, y, none));
    TF_AddInput(d, zero);
    TF_AddInput(d, one);
    TF_AddInput(d, one);
    TF_SetAttrInt(d, "shrink_axis_mask", 1);
    TF_Output batch = {TF_FinishOperation(d, status), 0};
    check("StridedSlice");
    y = infer_node(graph, "Reshape", i, y, infer_node(graph, "Pack", i, batch, width));
    x = infer_node(graph, "Identity", i, infer_node(graph, "AddV2", i, x, y), none);
  }
  return graph;
}

// A graph of 100,000 nodes: taking it in, which infers every node, and inferring it as a whole once more.
static void bench_infer(void) {
  enum { BLOCKS = 12500 };
  void (*refine)(TF_Graph *, TF_Status *);
  void *found = dlsym(RTLD_DEFAULT, "dvt_graph_refine_shapes");
  memcpy(&refine, &found, sizeof refine);
  TF_Graph *graph = shape_network(BLOCKS);
  TF_Buffer *bytes = TF_NewBuffer();
  TF_GraphToGraphDef(graph, bytes, status);
  check("TF_GraphToGraphDef");
  TF_DeleteGraph(graph);
  double import = INFINITY, whole = INFINITY;
  for (int rep = 0; rep < 3; rep++) {
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    graph = TF_NewGraph();
    double t = now_ns();
    TF_GraphImportGraphDef(graph, bytes, options, status);
    import = fmin(import, now_ns() - t);
    check("TF_GraphImportGraphDef");
    if (refine) {
      t = now_ns();
      refine(graph, status);
      whole = fmin(whole, now_ns() - t);
      check("dvt_graph_refine_shapes");
    }
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteGraph(graph);
  }
  TF_DeleteBuffer(bytes);
  print("infer.import_100000_nodes", import * 1e-6, "ms");
  if (refine) print("infer.whole_100000_nodes", whole * 1e-6, "ms");
}

// Calls timed inside a shape function, in ns.
enum { SHAPE_LOOPS = 2000 };
static struct {
  double identity, subshape, with_rank;
} shape_calls;

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *s) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, s);
  if (TF_GetCode(s) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, s);
  TF_DeleteShapeHandle(shape);
}

static void timed_shape(TF_ShapeInferenceContext *ctx, TF_Status *s) {
  TF_ShapeHandle *in = TF_NewShapeHandle(), *out = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, in, s);
  double a = now_ns();
  for (int i = 0; i < SHAPE_LOOPS; i++) same_shape(ctx, s);
  double b = now_ns();
  for (int i = 0; i < SHAPE_LOOPS; i++) TF_ShapeInferenceContextSubshape(ctx, in, 0, 1, out, s);
  double c = now_ns();
  for (int i = 0; i < SHAPE_LOOPS; i++) TF_ShapeInferenceContextWithRank(ctx, in, 2, out, s);
  double d = now_ns();
  shape_calls.identity = fmin(shape_calls.identity, (b - a) / SHAPE_LOOPS);
  shape_calls.subshape = fmin(shape_calls.subshape, (c - b) / SHAPE_LOOPS);
  shape_calls.with_rank = fmin(shape_calls.with_rank, (d - c) / SHAPE_LOOPS);
  TF_ShapeInferenceContextSetOutput(ctx, 0, in, s);
  TF_DeleteShapeHandle(in);
  TF_DeleteShapeHandle(out);
}

static void register_shaped_op(const char *name, void (*shape_fn)(TF_ShapeInferenceContext *, TF_Status *)) {
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, shape_fn);
  TF_RegisterOpDefinition(op, status);
  check("TF_RegisterOpDefinition");
}

static double node_ns(const char *op, int count) {
  double best = INFINITY;
  for (int rep = 0; rep < 41; rep++) {
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = placeholder(graph);
    double t = now_ns();
    chain(graph, op, count, x);
    best = fmin(best, now_ns() - t);
    TF_DeleteGraph(graph);
  }
  return best / count;
}

static void bench_shape(void) {
  enum { COUNT = 2000 };  // a chain that is made many times within the slices of a busy machine
  register_shaped_op("BenchTimedShape", timed_shape);
  register_shaped_op("BenchSameShape", same_shape);
  register_shaped_op("BenchUnknownShape", unknown_shape);
  shape_calls.identity = shape_calls.subshape = shape_calls.with_rank = INFINITY;
  for (int rep = 0; rep < 41; rep++) {
    TF_Graph *graph = TF_NewGraph();
    TF_OperationDescription *d = TF_NewOperation(graph, "Placeholder", "x");
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", (int64_t[]){3, 4}, 2);
    TF_Output x = {TF_FinishOperation(d, status), 0};
    check("TF_FinishOperation");
    chain(graph, "BenchTimedShape", 1, x);
    TF_DeleteGraph(graph);
  }
  print("shape.identity_function", shape_calls.identity, "ns");
  print("shape.subshape", shape_calls.subshape, "ns");
  print("shape.with_rank", shape_calls.with_rank, "ns");
  print("shape.add_node_same_shape", node_ns("BenchSameShape", COUNT), "ns");
  print("shape.add_node_unknown_shape", node_ns("BenchUnknownShape", COUNT), "ns");
}

static void bench_first_run(void) {
  enum { COUNT = 1000 };
  load_plugin();
  double best = INFINITY;
  for (int rep = 0; rep < 5; rep++) {
    run r = new_chain_run("BenchIncrement", COUNT);
    double t = now_ns();
    r.session = open_session(r.graph);
    float result = run_once(&r);
    best = fmin(best, now_ns() - t);
    if (result != COUNT + 1) fprintf(stderr, "wrong result %g\n", result);
    TF_DeleteSession(r.session, status);
    TF_DeleteGraph(r.graph);
  }
  print("run.first_1000_nodes", best / 1e6, "ms");
}

static double steady_ns(const char *op, int count, int times) {
  run r = new_chain_run(op, count);
  r.session = open_session(r.graph);
  for (int i = 0; i < 5; i++) run_once(&r);
  double best = INFINITY;
  for (int rep = 0; rep < 41; rep++) {
    double t = now_ns();
    for (int i = 0; i < times; i++) run_once(&r);
    best = fmin(best, now_ns() - t);
  }
  return best / times;
}

static void bench_steady(void) {
  load_plugin();
  print("run.chain_pass_per_node", steady_ns("BenchPass", 1000, 5) / 1000, "ns");
  print("run.chain_increment_per_node", steady_ns("BenchIncrement", 1000, 5) / 1000, "ns");
  print("run.one_node", steady_ns("BenchIncrement", 1, 2000), "ns");
}

// RunOptions: trace_level FULL_TRACE, in the caller's thread.
static const unsigned char traced_caller_thread[] = {0x08, 0x03, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                     0xff, 0xff, 0xff, 0xff, 0x01};

// A step with RunMetadata, which is what stock can do: recording and writing together.
static double metadata_ns(int count) {
  run r = new_chain_run("BenchPass", count);
  r.session = open_session(r.graph);
  TF_Buffer *options = TF_NewBufferFromString(traced_caller_thread, sizeof traced_caller_thread);
  double best = INFINITY;
  for (int rep = 0; rep < 41; rep++) {
    TF_Tensor *out = NULL;
    TF_Buffer *metadata = TF_NewBuffer();
    double t = now_ns();
    TF_SessionRun(r.session, options, &r.feed, &r.value, 1, &r.fetch, &out, 1, NULL, 0, metadata, status);
    best = fmin(best, now_ns() - t);
    check("TF_SessionRun");
    TF_DeleteTensor(out);
    TF_DeleteBuffer(metadata);
  }
  return best;
}

// Recording alone, by the model API.
typedef struct model_calls {
  void (*open)(const char *path, const void *options, void **out_model, TF_Status *status);
  void (*close)(void *model);
  void (*run)(void *model, const char *signature, const char *const *input_names, TF_Tensor *const *inputs,
              int input_count, const char *const *output_names, TF_Tensor **outputs, int output_count, TF_Status *status);
  void (*set_profiling)(void *model, bool on);
} model_calls;

static bool find_model_calls(model_calls *calls) {
  const char *names[] = {"dvt_model_open", "dvt_model_close", "dvt_model_run", "dvt_model_set_profiling"};
  for (int i = 0; i < 4; i++) {
    void *found = dlsym(RTLD_DEFAULT, names[i]);
    if (!found) return false;
    memcpy((char *)calls + (size_t)i * sizeof found, &found, sizeof found);
  }
  return true;
}

static void write_chain(const char *path, const char *op, int count) {
  TF_Graph *graph = TF_NewGraph();
  chain(graph, op, count, placeholder(graph));
  TF_Buffer *bytes = TF_NewBuffer();
  TF_GraphToGraphDef(graph, bytes, status);
  check("TF_GraphToGraphDef");
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes->data, 1, bytes->length, file) != bytes->length || fclose(file)) exit(1);
  TF_DeleteBuffer(bytes);
  TF_DeleteGraph(graph);
}

static double model_run_ns(const model_calls *calls, void *model, TF_Tensor *value) {
  const char *input = "x";
  double best = INFINITY;
  for (int rep = 0; rep < 201; rep++) {
    TF_Tensor *out = NULL;
    double t = now_ns();
    calls->run(model, NULL, &input, &value, 1, NULL, &out, 1, status);
    best = fmin(best, now_ns() - t);
    check("dvt_model_run");
    TF_DeleteTensor(out);
  }
  return best;
}

static void bench_trace(void) {
  enum { COUNT = 1000 };
  load_plugin();
  print("trace.metadata_per_node", metadata_ns(COUNT) / COUNT, "ns");
  model_calls calls;
  if (!find_model_calls(&calls)) return;
  char path[] = "abi_bench_XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0) return;
  close(fd);
  write_chain(path, "BenchPass", COUNT);
  void *model = NULL;
  calls.open(path, NULL, &model, status);
  check("dvt_model_open");
  unlink(path);
  TF_Tensor *value = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(value) = 1;
  double off = model_run_ns(&calls, model, value);
  calls.set_profiling(model, true);
  double on = model_run_ns(&calls, model, value);
  print("trace.record_per_node", (on - off) / COUNT, "ns");
  TF_DeleteTensor(value);
  calls.close(model);
}

// A SavedModel: argv holds its directory, the input tensor's node, its shape as "1,43844,1", and the output node.
static void bench_model(char **argv) {
  double t = now_ns();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Graph *graph = TF_NewGraph();
  const char *tags[] = {"serve"};
  TF_Session *session = TF_LoadSessionFromSavedModel(options, NULL, argv[0], tags, 1, graph, NULL, status);
  check("TF_LoadSessionFromSavedModel");
  int64_t dims[8], count = 1;
  int rank = 0;
  for (char *part = strtok(argv[2], ","); part && rank < 8; part = strtok(NULL, ",")) {
    dims[rank] = atoll(part);
    count *= dims[rank++];
  }
  run r = {.graph = graph, .session = session, .feed = {TF_GraphOperationByName(graph, argv[1]), 0},
           .fetch = {TF_GraphOperationByName(graph, argv[3]), 0}};
  r.value = TF_AllocateTensor(TF_FLOAT, dims, rank, (size_t)count * sizeof(float));
  float *x = TF_TensorData(r.value);
  for (int64_t i = 0; i < count; i++) x[i] = sinf((float)i * 0.06f) * 0.5f;
  run_once(&r);
  print("model.open_to_first_result", (now_ns() - t) / 1e6, "ms");
  double best = INFINITY;
  for (int rep = 0; rep < 30; rep++) {
    t = now_ns();
    run_once(&r);
    best = fmin(best, now_ns() - t);
  }
  print("model.run", best / 1e6, "ms");
  print("model.resident", resident_kib() / 1024, "MiB");
}

// ---- finding a kernel ----

// Ten kernels, for ten dtypes, of each of `ops` ops.
static void register_many(int ops) {
  static const TF_DataType types[] = {TF_FLOAT, TF_DOUBLE, TF_INT32, TF_UINT8, TF_INT16,
                                      TF_INT8,  TF_INT64,  TF_BOOL,  TF_UINT16, TF_HALF};
  char name[32];
  for (int i = 0; i < ops; i++) {
    snprintf(name, sizeof name, "BenchLookup%d", i);
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddAttr(op, "T: type");
    TF_OpDefinitionBuilderAddInput(op, "x: T");
    TF_OpDefinitionBuilderAddOutput(op, "y: T");
    TF_RegisterOpDefinition(op, status);
    check("TF_RegisterOpDefinition");
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
      TF_KernelBuilder *kernel = TF_NewKernelBuilder(name, "CPU", NULL, no_compute, NULL);
      TF_KernelBuilder_TypeConstraint(kernel, "T", types[k], status);
      TF_RegisterKernelBuilder(name, kernel, status);
      check("TF_RegisterKernelBuilder");
    }
  }
}

// The time of one search: the op is looked up by its name and the kernel by op, device and attributes, for nodes of `count`
// ops in turn.
static double lookup_ns(int ops, int count) {
  TF_AttrBuilder *nodes[512];
  char name[32];
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof name, "BenchLookup%d", (int)((unsigned)i * 2654435761u % (unsigned)ops));
    nodes[i] = TF_NewAttrBuilder(name);
    TF_AttrBuilderSetType(nodes[i], "T", i % 2 ? TF_FLOAT : TF_INT64);
  }
  double best = INFINITY;
  for (int rep = 0; rep < 200; rep++) {
    double t = now_ns();
    for (int i = 0; i < count; i++) TF_AttrBuilderCheckCanRunOnDevice(nodes[i], "CPU", status);
    best = fmin(best, now_ns() - t);
    check("TF_AttrBuilderCheckCanRunOnDevice");
  }
  for (int i = 0; i < count; i++) TF_DeleteAttrBuilder(nodes[i]);
  return best / count;
}

// As many ops as a network has, and so many that their kernels do not stay in the nearest cache.
static void bench_lookup(void) {
  enum { OPS = 5000 };
  register_many(OPS);
  print("lookup.kernel_of_50000", lookup_ns(OPS, 16), "ns");
  print("lookup.kernel_of_50000_many_ops", lookup_ns(OPS, 512), "ns");
}

static const struct {
  const char *name;
  void (*fn)(void);
} benches[] = {{"start", bench_start},         {"register", bench_register}, {"graph", bench_graph},
               {"first_run", bench_first_run}, {"steady", bench_steady},
              {"shape", bench_shape}, {"infer", bench_infer},
              {"lookup", bench_lookup}, {"trace", bench_trace}};

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "start") != 0) status = TF_NewStatus();
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
    if (strcmp(benches[i].name, name) == 0) {
      benches[i].fn();
      return 0;
    }
  if (strcmp(name, "model") == 0 && argc == 6) {
    bench_model(argv + 2);
    return 0;
  }
  fprintf(stderr, "usage: abi_bench start|register|graph|shape|infer|lookup|first_run|steady|trace\n"
                  "       abi_bench model SAVED_MODEL INPUT_NODE DIM,DIM,... OUTPUT_NODE\n");
  return 2;
}
