// Sessions: feeds, fetches, targets, errors, options, devices; rules 172, 173, 185, 186.
#include <pthread.h>
#include <unistd.h>

#include "conformance.h"

static int computed;

static void count_twice(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  computed++;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, 0, &x, s);
  int64_t dims[8];
  for (int i = 0; i < TF_NumDims(x); i++) dims[i] = TF_Dim(x, i);
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), s);
  for (int64_t i = 0; i < TF_TensorElementCount(x); i++)
    ((float *)TF_TensorData(y))[i] = 2 * ((float *)TF_TensorData(x))[i];
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(s);
}

static void fail(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  TF_SetStatus(s, TF_DATA_LOSS, "it went wrong");
  TF_SetPayload(s, "key", "value");
  TF_OpKernelContext_Failure(ctx, s);
  TF_DeleteStatus(s);
}

static void sleep_long(void *kernel, TF_OpKernelContext *ctx) {
  usleep(400000);
  count_twice(kernel, ctx);
}

static void define_session_ops(void) {
  define_op("Counted", shape_first, "in x: float|out y: float|stateful");
  define_kernel("Counted", NULL, count_twice, NULL);
  define_op("Pure", shape_first, "in x: float|out y: float");
  define_kernel("Pure", NULL, count_twice, NULL);
  define_op("Failing", shape_first, "in x: float|out y: float");
  define_kernel("Failing", NULL, fail, NULL);
  define_op("Slow", shape_first, "in x: float|out y: float|stateful");
  define_kernel("Slow", NULL, sleep_long, NULL);
  define_op("Kernelless", shape_first, "in x: float|out y: float");
}

typedef struct setting {
  TF_Graph *graph;
  TF_Session *session;
  TF_Output x, shaped, y, z, sum, failing, late;
  TF_Operation *done;
} setting;

static setting new_setting(void) {
  setting s = {.graph = TF_NewGraph()};
  s.x = feed_point(s.graph, "x", TF_FLOAT);
  s.shaped = placeholder(s.graph, "shaped", TF_FLOAT, 2, (int64_t[]){2, -1});
  s.y = node(s.graph, "Counted", "y", INPUTS(s.x));
  s.z = node(s.graph, "Counted", "z", INPUTS(s.shaped));
  s.sum = node(s.graph, "AddV2", "sum", INPUTS(s.x, s.y));
  s.failing = node(s.graph, "Failing", "failing", INPUTS(s.x));
  s.late = node(s.graph, "Counted", "late", INPUTS(s.failing));
  TF_OperationDescription *desc = TF_NewOperation(s.graph, "NoOp", "done");
  TF_AddControlInput(desc, s.y.oper);
  s.done = finish(desc).oper;
  s.session = open_session(s.graph);
  return s;
}

#define MANY 4

// One step with arrays of feeds, fetches and targets; feeds get the float vector {1, 2} unless `values` are
// given.
static void see_step(const char *label, TF_Session *session, int feeds, const TF_Output *feed,
                     TF_Tensor **values, int fetches, const TF_Output *fetch, int targets,
                     const TF_Operation *const *target, const char *phrases) {
  TF_Tensor *made[MANY] = {0}, *results[MANY] = {0};
  for (int i = 0; i < feeds; i++) made[i] = values ? values[i] : float_vector(2, (float[]){1, 2});
  computed = 0;
  TF_SessionRun(session, NULL, feed, made, feeds, fetch, results, fetches, target, targets, NULL, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s status", label), fine ? "" : phrases);
  if (fine)
    see(text("%s computed", label), "%d", computed);  // how much ran before a failure is left to chance
  for (int i = 0; i < fetches; i++) {
    see_tensor(text("%s result %d", label, i), results[i]);
    TF_DeleteTensor(results[i]);
  }
  for (int i = 0; i < feeds; i++) TF_DeleteTensor(made[i]);
}

#define FEED(...) INPUTS(__VA_ARGS__)
#define STEP(label, phrases, feeds, values, fetches, targets)             \
  ISOLATED(label) {                                                       \
    setting s = new_setting();                                            \
    see_step(label, s.session, feeds, values, fetches, targets, phrases); \
    close_session(s.session);                                             \
  }
#define NO_TARGET 0, NULL
#define TARGET(...)                                                           \
  (int)(sizeof((const TF_Operation *const[]){__VA_ARGS__}) / sizeof(void *)), \
      (const TF_Operation *const[]) {                                         \
    __VA_ARGS__                                                               \
  }
#define NO_OUTPUT 0, NULL
#define VALUES(...) \
  (TF_Tensor *[]) { __VA_ARGS__ }

void case_session_steps(void) {
  define_session_ops();
  STEP("one", NULL, FEED(s.x), NULL, FEED(s.y), NO_TARGET)
  STEP("two fetches", NULL, FEED(s.x), NULL, FEED(s.y, s.sum), NO_TARGET)
  STEP("same fetch twice", NULL, FEED(s.x), NULL, FEED(s.y, s.y), NO_TARGET)
  STEP("fetch the feed", NULL, FEED(s.x), NULL, FEED(s.x), NO_TARGET)
  STEP("fetch and target", NULL, FEED(s.x), NULL, FEED(s.sum), TARGET(s.done))
  STEP("target only", NULL, FEED(s.x), NULL, NO_OUTPUT, TARGET(s.done))
  STEP("target with output", NULL, FEED(s.x), NULL, NO_OUTPUT, TARGET(s.y.oper))
  STEP("target twice", NULL, FEED(s.x), NULL, NO_OUTPUT, TARGET(s.done, s.done))
  STEP("nothing asked", NULL, FEED(s.x), NULL, NO_OUTPUT, NO_TARGET)
  STEP("nothing at all", NULL, NO_OUTPUT, NULL, NO_OUTPUT, NO_TARGET)
  STEP("missing feed", "x", NO_OUTPUT, NULL, FEED(s.y), NO_TARGET)
  STEP("missing one feed of two", "shaped", FEED(s.x), NULL, FEED(s.y, s.z), NO_TARGET)
  STEP("unneeded feed", NULL, FEED(s.x, s.shaped), NULL, FEED(s.y), NO_TARGET)
  STEP("feed twice", "x:0", FEED(s.x, s.x), NULL, FEED(s.y), NO_TARGET)
  STEP("feed an inner node", NULL, FEED(s.y), NULL, FEED(s.y), NO_TARGET)
  STEP("feed an inner node and its input", NULL, FEED(s.x, s.y), NULL, FEED(s.sum), NO_TARGET)
  STEP("feed with index", NULL, FEED((TF_Output){s.x.oper, 1}), NULL, FEED(s.y), NO_TARGET)
  STEP("feed without node", NULL, FEED((TF_Output){NULL, 0}), NULL, FEED(s.y), NO_TARGET)
  STEP("fetch with index", NULL, FEED(s.x), NULL, FEED((TF_Output){s.y.oper, 1}), NO_TARGET)
  STEP("fetch with negative index", NULL, FEED(s.x), NULL, FEED((TF_Output){s.y.oper, -1}), NO_TARGET)
  STEP("fetch without node", NULL, FEED(s.x), NULL, FEED((TF_Output){NULL, 0}), NO_TARGET)
  STEP("fetch no output", NULL, FEED(s.x), NULL, FEED((TF_Output){s.done, 0}), NO_TARGET)
  STEP("wrong type", NULL, FEED(s.x), VALUES(int_scalar(3)), FEED(s.y), NO_TARGET)
  STEP("string for float", NULL, FEED(s.x), VALUES(string_scalar("x")), FEED(s.y), NO_TARGET)
  STEP("wrong rank", NULL, FEED(s.shaped), NULL, FEED(s.z), NO_TARGET)
  STEP("scalar for matrix", NULL, FEED(s.shaped), VALUES(float_scalar(1)), FEED(s.z), NO_TARGET)
  STEP("zero elements", NULL, FEED(s.x), VALUES(float_vector(0, NULL)), FEED(s.y), NO_TARGET)
  STEP("rule-172 failing", "it went wrong", FEED(s.x), NULL, FEED(s.failing), NO_TARGET)
  STEP("rule-173 failing", "{{node failing}}", FEED(s.x), NULL, FEED(s.failing), NO_TARGET)
  STEP("failing before another", "it went wrong", FEED(s.x), NULL, FEED(s.late), NO_TARGET)
  STEP("failing and a good one", "it went wrong", FEED(s.x), NULL, FEED(s.y, s.failing), NO_TARGET)
  STEP("failing not needed", NULL, FEED(s.failing), NULL, FEED(s.late), NO_TARGET)
  STEP("matrix", NULL, FEED(s.shaped), VALUES(TF_AllocateTensor(TF_FLOAT, (int64_t[]){2, 0}, 2, 0)),
       FEED(s.z), NO_TARGET)
}

void case_session_grow(void) {
  define_session_ops();
  TF_Graph *graph = TF_NewGraph();
  TF_Session *session = open_session(graph);
  TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "Counted", "y", INPUTS(x));
  see_step("added after the session", session, FEED(x), NULL, FEED(y), NO_TARGET, NULL);
  TF_Output z = node(graph, "Counted", "z", INPUTS(y));
  see_step("added after a run", session, FEED(x), NULL, FEED(z), NO_TARGET, NULL);
  TF_Output none = node(graph, "Kernelless", "none", INPUTS(y));
  see_step("rule-108 without kernel", session, FEED(x), NULL, FEED(none), NO_TARGET, "Kernelless|none");
  see_step("beside a node without kernel", session, FEED(x), NULL, FEED(y), NO_TARGET, NULL);
  TF_UpdateEdge(graph, x, (TF_Input){z.oper, 0}, st);
  see_status("edge of a node that ran", NULL);
  see_step("after a change", session, FEED(x), NULL, FEED(z), NO_TARGET, NULL);
  TF_CloseSession(session, st);
  see_status("closed", NULL);
  see_step("closed", session, FEED(x), NULL, FEED(y), NO_TARGET, NULL);
  TF_CloseSession(session, st);
  see_status("closed twice", NULL);
  TF_DeleteSession(session, st);
  see_status("deleted", NULL);

  // The graph may go before the session.
  session = open_session(graph);
  TF_DeleteGraph(graph);
  TF_DeviceList *devices = TF_SessionListDevices(session, st);
  see_status("devices after the graph", NULL);
  TF_DeleteDeviceList(devices);
  close_session(session);
}

// Folding and merging of stateless nodes (rules 185, 186).
void case_session_folding(void) {
  define_session_ops();
  static const char *const ops[] = {"Pure", "Counted"};
  for (int i = 0; i < 2; i++) {
    TF_Graph *graph = TF_NewGraph();
    TF_Output c = constant(graph, "c", float_vector(2, (float[]){1, 2})),
              a = node(graph, ops[i], "a", INPUTS(c)), b = node(graph, ops[i], "b", INPUTS(c));
    TF_Session *session = open_session(graph);
    computed = 0;
    for (int step = 0; step < 3; step++) {
      TF_Tensor *results[2] = {0};
      TF_SessionRun(session, NULL, NULL, NULL, 0, (TF_Output[]){a, b}, results, 2, NULL, 0, NULL, st);
      see_status(text("rule-185 %s step %d", ops[i], step), NULL);
      see_tensor(text("rule-185 %s step %d result", ops[i], step), results[1]);
      TF_DeleteTensor(results[0]);
      TF_DeleteTensor(results[1]);
    }
    see(text("rule-185 %s runs", ops[i]), "%s",
        computed <= 1   ? "folded and merged"
        : computed == 6 ? "every time"
                        : "in between");
    close_session(session);
    TF_DeleteGraph(graph);
  }
  for (int i = 0; i < 2; i++) {
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = feed_point(graph, "x", TF_FLOAT), a = node(graph, ops[i], "a", INPUTS(x)),
              b = node(graph, ops[i], "b", INPUTS(x)), sum = node(graph, "AddV2", "sum", INPUTS(a, b));
    computed = 0;
    see_run(text("rule-186 %s", ops[i]), graph, &x, float_scalar(3), &sum, NULL);
    see(text("rule-186 %s runs", ops[i]), "%d", computed);
    TF_DeleteGraph(graph);
  }
}

// ---- options ----

static void see_target(const char *target) {
  TF_Graph *graph = TF_NewGraph();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetTarget(options, target);
  TF_Session *session = TF_NewSession(graph, options, st);
  see(text("target '%s'", target), "%s", session ? "session" : "NULL");
  see_status(text("target '%s' status", target), NULL);
  if (session) close_session(session);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
}

void case_session_options(void) {
  define_session_ops();
  see_target("");
  see_target("local");
  see_target("bogus");
  see_target("bogus://x");
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, "", 0, st);
  see_status("empty config", NULL);
  TF_SetConfig(options, "\xff\xff", 2, st);
  see_status("garbage config", NULL);
  TF_SetConfig(options,
               "\x0a\x09\x0a\x03"
               "CPU\x10\x03",
               10, st);
  see_status("three CPUs", NULL);
  TF_Graph *graph = TF_NewGraph();
  TF_Session *session = TF_NewSession(graph, options, st);
  see_status("session with three CPUs", NULL);
  TF_DeviceList *devices = session ? TF_SessionListDevices(session, st) : NULL;
  if (devices) {
    int count = TF_DeviceListCount(devices);
    see("devices", "%d", count);
    for (int i = 0; i < count; i++) {
      const char *name = TF_DeviceListName(devices, i, st), *type = TF_DeviceListType(devices, i, st);
      see(text("device %d", i), "%s %s memory %d incarnation %d", name, type,
          TF_DeviceListMemoryBytes(devices, i, st) > 0, TF_DeviceListIncarnation(devices, i, st) != 0);
      see_status(text("device %d status", i), NULL);
    }
    static const int bad[] = {-1, 99};
    for (int i = 0; i < 2; i++) {
      see(text("device name %d", bad[i]), "%s", TF_DeviceListName(devices, bad[i], st) ? "text" : "NULL");
      see_status(text("device name %d status", bad[i]), NULL);
      see(text("device type %d", bad[i]), "%s", TF_DeviceListType(devices, bad[i], st) ? "text" : "NULL");
      see_status(text("device type %d status", bad[i]), NULL);
      see(text("device memory %d", bad[i]), "%lld", (long long)TF_DeviceListMemoryBytes(devices, bad[i], st));
      see_status(text("device memory %d status", bad[i]), NULL);
      see(text("device incarnation %d", bad[i]), "%llu",
          (unsigned long long)TF_DeviceListIncarnation(devices, bad[i], st));
      see_status(text("device incarnation %d status", bad[i]), NULL);
    }
    TF_DeleteDeviceList(devices);
  }
  if (session) close_session(session);
  TF_DeleteSessionOptions(options);

  ISOLATED("NULL options") {
    session = TF_NewSession(graph, NULL, st);
    see_status("NULL options", NULL);
  }
  static const char *const asked[] = {"/device:CPU:0",      "/cpu:0",  "/device:GPU:0", "/device:CPU:3",
                                      "/job:worker/task:0", "nonsense"};
  for (int i = 0; i < COUNT(asked); i++) {
    TF_Graph *placed = TF_NewGraph();
    TF_Output x = feed_point(placed, "x", TF_FLOAT);
    TF_OperationDescription *desc = TF_NewOperation(placed, "Counted", "y");
    TF_AddInput(desc, x);
    TF_SetDevice(desc, asked[i]);
    TF_Output y = finish(desc);
    if (y.oper) see_run(text("placed on %s", asked[i]), placed, &x, float_scalar(1), &y, NULL);
    TF_DeleteGraph(placed);
  }
  TF_DeleteGraph(graph);
}

void case_session_run_options(void) {
  define_session_ops();
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "Counted", "y", INPUTS(x)),
            slow = node(graph, "Slow", "slow", INPUTS(x)),
            after = node(graph, "Counted", "after", INPUTS(slow));
  TF_Session *session = open_session(graph);
  static const struct {
    const char *name, *bytes;
    size_t length;
  } options[] = {{"empty", "", 0},
                 {"garbage", "\xff\xff", 2},
                 {"long timeout", "\x10\xe0\xd4\x03", 4},
                 {"caller's thread", "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
                 {"pool 7", "\x18\x07", 2},
                 {"full trace", "\x08\x03", 2}};
  for (int i = 0; i < COUNT(options); i++) {
    TF_Buffer *b = TF_NewBufferFromString(options[i].bytes, options[i].length), *metadata = TF_NewBuffer();
    TF_Tensor *value = float_scalar(2), *result = NULL;
    TF_SessionRun(session, b, &x, &value, 1, &y, &result, 1, NULL, 0, metadata, st);
    see_status(text("options %s", options[i].name), NULL);
    see_tensor(text("options %s result", options[i].name), result);
    TF_DeleteTensor(value);
    TF_DeleteTensor(result);
    TF_DeleteBuffer(b);
    TF_DeleteBuffer(metadata);
  }
  TF_Buffer *b = TF_NewBufferFromString("\x10\x32", 2);  // 50 ms
  TF_Tensor *value = float_scalar(2), *result = NULL;
  TF_SessionRun(session, b, &x, &value, 1, &after, &result, 1, NULL, 0, NULL, st);
  see_status("timeout", NULL);
  see_tensor("timeout result", result);
  TF_DeleteTensor(result);
  result = NULL;
  usleep(600000);
  TF_SessionRun(session, NULL, &x, &value, 1, &after, &result, 1, NULL, 0, NULL, st);
  see_status("after a timeout", NULL);
  see_tensor("after a timeout result", result);
  TF_DeleteTensor(result);
  TF_DeleteTensor(value);
  TF_DeleteBuffer(b);
  TF_Buffer *metadata = TF_NewBuffer();
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, metadata, st);
  see_status("metadata without fetches", NULL);
  TF_DeleteBuffer(metadata);
  ISOLATED("full metadata") {
    metadata = TF_NewBufferFromString("x", 1);
    value = float_scalar(2);
    TF_SessionRun(session, NULL, &x, &value, 1, &y, &result, 1, NULL, 0, metadata, st);
    see_status("full metadata", NULL);
  }
  close_session(session);
  TF_DeleteGraph(graph);
}

// ---- steps in parts ----

void case_session_partial(void) {
  define_session_ops();
  TF_Graph *graph = TF_NewGraph();
  TF_Output a = feed_point(graph, "a", TF_FLOAT), b = feed_point(graph, "b", TF_FLOAT),
            two = constant(graph, "two", float_scalar(2)),
            plus2 = node(graph, "AddV2", "plus2", INPUTS(a, two)),
            plusb = node(graph, "AddV2", "plusb", INPUTS(plus2, b));
  TF_Session *session = open_session(graph);
  const char *handle = NULL;
  TF_SessionPRunSetup(session, (TF_Output[]){a, b}, 2, (TF_Output[]){plus2, plusb}, 2, NULL, 0, &handle, st);
  see_status("setup", NULL);
  see("setup handle", "%s", handle ? "handle" : "NULL");
  if (handle) {
    TF_Tensor *value = float_scalar(1), *result = NULL;
    TF_SessionPRun(session, handle, &a, &value, 1, &plus2, &result, 1, NULL, 0, st);
    see_status("first part", NULL);
    see_tensor("first part result", result);
    TF_DeleteTensor(result);
    result = NULL;
    TF_SessionPRun(session, handle, &a, &value, 1, &plusb, &result, 1, NULL, 0, st);
    see_status("feed again", NULL);
    TF_DeleteTensor(value);
    value = float_scalar(4);
    result = NULL;
    TF_SessionPRun(session, handle, &b, &value, 1, &plusb, &result, 1, NULL, 0, st);
    see_status("second part", NULL);
    see_tensor("second part result", result);
    TF_DeleteTensor(result);
    TF_DeleteTensor(value);
    TF_DeletePRunHandle(handle);
  }
  handle = NULL;
  TF_SessionPRunSetup(session, (TF_Output[]){a, b}, 2, (TF_Output[]){plus2, plusb}, 2, NULL, 0, &handle, st);
  if (handle) {
    TF_Tensor *value = float_scalar(1), *result = NULL;
    TF_SessionPRun(session, handle, &a, &value, 1, &plusb, &result, 1, NULL, 0, st);
    see_status("needs more feeds", NULL);
    see_tensor("needs more feeds result", result);
    TF_DeleteTensor(value);
    TF_DeletePRunHandle(handle);
  }
  TF_Tensor *value = float_scalar(1), *result = NULL;
  TF_SessionPRun(session, "no handle", &a, &value, 1, &plus2, &result, 1, NULL, 0, st);
  see_status("unknown handle", NULL);
  TF_DeleteTensor(value);
  handle = NULL;
  TF_SessionPRunSetup(session, NULL, 0, NULL, 0, NULL, 0, &handle, st);
  see_status("empty setup", NULL);
  TF_DeletePRunHandle(handle);
  close_session(session);
  TF_DeleteGraph(graph);
}

// ---- the first C API ----

void case_session_deprecated(void) {
  define_session_ops();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_DeprecatedSession *session = TF_NewDeprecatedSession(options, st);
  see_status("new", NULL);
  TF_Buffer *empty = TF_NewBufferFromString("", 0), *metadata = TF_NewBuffer();
  TF_Run(session, empty, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, metadata, st);
  see_status("run without graph", NULL);
  TF_DeleteBuffer(empty);
  TF_DeleteBuffer(metadata);
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "Counted", "y", INPUTS(x));
  TF_OperationDescription *desc = TF_NewOperation(graph, "NoOp", "done");
  TF_AddControlInput(desc, y.oper);
  finish(desc);
  TF_Buffer *def = TF_NewBuffer();
  TF_GraphToGraphDef(graph, def, st);
  TF_ExtendGraph(session, def->data, def->length, st);
  see_status("extend", NULL);
  TF_ExtendGraph(session, def->data, def->length, st);
  see_status("extend again", NULL);
  TF_ExtendGraph(session, "\xff\xff", 2, st);
  see_status("extend with garbage", NULL);
  static const struct {
    const char *name, *feed, *fetch, *target;
  } runs[] = {{"plain", "x:0", "y:0", NULL},         {"short names", "x", "y", NULL},
              {"target", "x:0", "y:0", "done"},      {"no fetch", "x:0", NULL, "done"},
              {"unknown feed", "q:0", "y:0", NULL},  {"unknown fetch", "x:0", "q:0", NULL},
              {"unknown target", "x:0", "y:0", "q"}, {"bad index", "x:0", "y:7", NULL},
              {"no feed", NULL, "y:0", NULL},        {"nothing", NULL, NULL, NULL}};
  for (int i = 0; i < COUNT(runs); i++) {
    TF_Tensor *value = runs[i].feed ? float_scalar(3) : NULL, *result = NULL;
    const char *feed = runs[i].feed, *fetch = runs[i].fetch, *target = runs[i].target;
    TF_Run(session, NULL, &feed, &value, feed ? 1 : 0, &fetch, &result, fetch ? 1 : 0, &target,
           target ? 1 : 0, NULL, st);
    see_status(text("run %s", runs[i].name), NULL);
    see_tensor(text("run %s result", runs[i].name), result);
    TF_DeleteTensor(result);
  }
  TF_DeviceList *devices = TF_DeprecatedSessionListDevices(session, st);
  see_status("devices status", NULL);
  see("devices", "%d", devices ? TF_DeviceListCount(devices) : -1);
  TF_DeleteDeviceList(devices);
  TF_CloseDeprecatedSession(session, st);
  see_status("close", NULL);
  TF_DeleteDeprecatedSession(session, st);
  see_status("delete", NULL);
  TF_Reset(options, NULL, 0, st);
  see_status("reset", NULL);
  TF_DeleteBuffer(def);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
}

// ---- threads ----

typedef struct shared {
  TF_Session *session;
  TF_Output x, y;
  int wrong;
} shared;

static void *run_many(void *argument) {
  shared *s = argument;
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < 50; i++) {
    TF_Tensor *value = float_scalar((float)i), *result = NULL;
    TF_SessionRun(s->session, NULL, &s->x, &value, 1, &s->y, &result, 1, NULL, 0, NULL, status);
    if (TF_GetCode(status) != TF_OK || *(float *)TF_TensorData(result) != 4 * (float)i)
      __atomic_fetch_add(&s->wrong, 1, __ATOMIC_RELAXED);
    TF_DeleteTensor(value);
    TF_DeleteTensor(result);
  }
  TF_DeleteStatus(status);
  return NULL;
}

void case_session_threads(void) {
  define_session_ops();
  TF_Graph *graph = TF_NewGraph();
  shared s = {.x = feed_point(graph, "x", TF_FLOAT)};
  s.y = node(graph, "Pure", "y", INPUTS(node(graph, "Pure", "a", INPUTS(s.x))));
  s.session = open_session(graph);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run_many, &s);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  see("rule-135 wrong results of four threads", "%d", s.wrong);
  close_session(s.session);
  TF_DeleteGraph(graph);
}

// A fed tensor stays the caller's; who shares its memory afterwards.
void case_session_memory(void) {
  define_session_ops();
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), same = node(graph, "Identity", "same", INPUTS(x)),
            y = node(graph, "Pure", "y", INPUTS(x)),
            kept = constant(graph, "kept", float_vector(2, (float[]){5, 6}));
  TF_Session *session = open_session(graph);
  TF_Tensor *value = float_vector(2, (float[]){1, 2}), *results[3] = {0};
  TF_SessionRun(session, NULL, &x, &value, 1, (TF_Output[]){same, y, kept}, results, 3, NULL, 0, NULL, st);
  see_status("run", NULL);
  for (int i = 0; i < 3; i++) see(text("result %d", i), "aligned %d", TF_TensorIsAligned(results[i]));
  see("computed result", "%s", TF_TensorMaybeMove(results[1]) ? "unique" : "shared");
  see_tensor("fed tensor", value);
  for (int i = 0; i < 3; i++) TF_DeleteTensor(results[i]);
  TF_DeleteTensor(value);

  // Elements of a fed string tensor.
  TF_Output s = feed_point(graph, "s", TF_STRING), t = node(graph, "Identity", "t", INPUTS(s));
  TF_Tensor *strings = TF_AllocateTensor(TF_STRING, (int64_t[]){2}, 1, 2 * sizeof(TF_TString));
  for (int i = 0; i < 2; i++) TF_StringInit((TF_TString *)TF_TensorData(strings) + i);
  TF_StringCopy(TF_TensorData(strings), "short", 5);
  TF_StringCopy((TF_TString *)TF_TensorData(strings) + 1, "a string that is longer than twenty-two bytes",
                45);
  TF_Tensor *out = NULL;
  TF_SessionRun(session, NULL, &s, &strings, 1, &t, &out, 1, NULL, 0, NULL, st);
  see_status("strings", NULL);
  see_tensor("strings result", out);
  TF_DeleteTensor(out);
  TF_DeleteTensor(strings);
  close_session(session);
  TF_DeleteGraph(graph);
}

void case_session_saved_model(void) {
  TF_Graph *graph = TF_NewGraph();
  TF_SessionOptions *options = TF_NewSessionOptions();
  const char *tags[] = {"serve"};
  static const char *const folders[] = {"/nowhere", "", "/proc/self"};
  for (int i = 0; i < COUNT(folders); i++) {
    TF_Session *session = TF_LoadSessionFromSavedModel(options, NULL, folders[i], tags, 1, graph, NULL, st);
    see_status(text("saved model '%s'", folders[i]), NULL);
    see(text("saved model '%s' session", folders[i]), "%s", session ? "session" : "NULL");
  }
  feed_point(graph, "x", TF_FLOAT);
  TF_LoadSessionFromSavedModel(options, NULL, "/nowhere", tags, 1, graph, NULL, st);
  see_status("graph not empty", NULL);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
}
