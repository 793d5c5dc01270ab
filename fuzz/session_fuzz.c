// The executor on random graphs: every three bytes add a node (branches, loops, plain and asynchronous
// kernels) with inputs picked from what is there, or bend an edge, so that most graphs are malformed in some
// way. Running them must end, with a value or an error, and leave nothing behind. Endless loops are ended by
// a time limit.
#include <stdio.h>

#include "exec/session.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { MAX_NODES = 64, TIME_LIMIT_MS = 20 };

static const struct {
  const char *name;
  const char *attrs[4], *inputs[2], *outputs[2];
  bool stateful;
} ops[] = {
    {"Placeholder", {"dtype: type"}, {0}, {"output: dtype"}, false},
    {"Const", {"value: tensor", "dtype: type"}, {0}, {"output: dtype"}, false},
    {"NoOp", {0}, {0}, {0}, false},
    {"Switch", {"T: type"}, {"data: T", "pred: bool"}, {"output_false: T", "output_true: T"}, false},
    {"Merge", {"N: int >= 1", "T: type"}, {"inputs: N * T"}, {"output: T", "value_index: int32"}, false},
    {"Enter",
     {"T: type", "frame_name: string", "is_constant: bool = false", "parallel_iterations: int = 10"},
     {"data: T"},
     {"output: T"},
     false},
    {"Exit", {"T: type"}, {"data: T"}, {"output: T"}, false},
    {"NextIteration", {"T: type"}, {"data: T"}, {"output: T"}, false},
    {"LoopCond", {0}, {"input: bool"}, {"output: bool"}, false},
    {"FuzzGrow", {0}, {"x: float"}, {"y: float"}, false},
    {"FuzzAsync", {0}, {"x: float"}, {"y: float"}, false},
    {"FuzzAdd", {0}, {"x: float", "y: float"}, {"z: float"}, false},
    {"FuzzSmall", {0}, {"x: float"}, {"y: bool"}, false},
    {"FuzzFail", {0}, {"x: float"}, {"y: float"}, false},
    {"FuzzSource", {0}, {0}, {"y: float"}, true},
};

static float read_input(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, i, &x, status);
  float value = x ? *(const float *)TF_TensorData(x) : 0;
  TF_DeleteTensor(x);
  return value;
}

static void write_output(TF_OpKernelContext *ctx, TF_DataType dtype, float value, TF_Status *status) {
  TF_Tensor *y = TF_ForwardInputOrAllocateOutput(ctx, (int[]){0}, dtype == TF_FLOAT && TF_NumInputs(ctx) > 0,
                                                 0, NULL, 0, NULL, status);
  if (y && dtype == TF_FLOAT) *(float *)TF_TensorData(y) = value;
  if (y && dtype == TF_BOOL) *(unsigned char *)TF_TensorData(y) = value != 0;
  TF_DeleteTensor(y);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteStatus(status);
}

static void grow(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  write_output(ctx, TF_FLOAT, read_input(ctx, 0, status) + 1, status);
}
static void grow_async(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  grow(state, ctx);
  TF_RunAsyncOpKernelDoneCallback(done);
}
static void add(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  float sum = read_input(ctx, 0, status) + read_input(ctx, 1, status);
  write_output(ctx, TF_FLOAT, sum, status);
}
static void is_small(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  write_output(ctx, TF_BOOL, read_input(ctx, 0, status) < 8, status);
}
static void source(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  write_output(ctx, TF_FLOAT, 1, TF_NewStatus());
}
static void unset(void *state, TF_OpKernelContext *ctx) { (void)state, (void)ctx; }

static void register_op(size_t i) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder(ops[i].name);
  for (int k = 0; k < 4 && ops[i].attrs[k]; k++) TF_OpDefinitionBuilderAddAttr(b, ops[i].attrs[k]);
  for (int k = 0; k < 2 && ops[i].inputs[k]; k++) TF_OpDefinitionBuilderAddInput(b, ops[i].inputs[k]);
  for (int k = 0; k < 2 && ops[i].outputs[k]; k++) TF_OpDefinitionBuilderAddOutput(b, ops[i].outputs[k]);
  TF_OpDefinitionBuilderSetIsStateful(b, ops[i].stateful);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(b, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(b, status);
  TF_DeleteStatus(status);
}

static void register_all(void) {
  static const struct {
    const char *op;
    void (*compute)(void *, TF_OpKernelContext *);
  } kernels[] = {{"FuzzGrow", grow},
                 {"FuzzAdd", add},
                 {"FuzzSmall", is_small},
                 {"FuzzFail", unset},
                 {"FuzzSource", source}};
  TF_Status *status = TF_NewStatus();
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++) register_op(i);
  for (size_t i = 0; i < DVT_COUNT_OF(kernels); i++)
    TF_RegisterKernelBuilder(
        kernels[i].op, TF_NewKernelBuilder(kernels[i].op, "CPU", NULL, kernels[i].compute, NULL), status);
  TF_RegisterKernelBuilder("FuzzAsync", TF_NewAsyncKernelBuilder("FuzzAsync", "CPU", NULL, grow_async, NULL),
                           status);
  TF_DeleteStatus(status);
}

// ---- building ----

typedef struct builder {
  TF_Graph *graph;
  TF_Status *status;
  TF_Output floats[2 * MAX_NODES], bools[2 * MAX_NODES];
  int float_count, bool_count;
  TF_Operation *nodes[MAX_NODES];
  int node_count;
} builder;

static TF_Output pick(const TF_Output *from, int count, uint8_t byte) { return from[byte % count]; }

static void keep(builder *b, TF_Operation *op) {
  if (!op) return;
  b->nodes[b->node_count++] = op;
  for (int i = 0; i < TF_OperationNumOutputs(op); i++) {
    TF_Output out = {op, i};
    if (TF_OperationOutputType(out) == TF_FLOAT) b->floats[b->float_count++] = out;
    if (TF_OperationOutputType(out) == TF_BOOL) b->bools[b->bool_count++] = out;
  }
}

static TF_OperationDescription *begin(const builder *b, const char *op) {
  char name[16];
  snprintf(name, sizeof name, "n%d", b->node_count);
  return TF_NewOperation(b->graph, op, name);
}

static void set_constant(builder *b, TF_OperationDescription *d, TF_DataType dtype, uint8_t byte) {
  TF_Tensor *t = TF_AllocateTensor(dtype, NULL, 0, dtype == TF_FLOAT ? 4 : 1);
  if (dtype == TF_FLOAT)
    *(float *)TF_TensorData(t) = byte;
  else
    *(unsigned char *)TF_TensorData(t) = byte & 1;
  TF_SetAttrTensor(d, "value", t, b->status);
  TF_SetAttrType(d, "dtype", dtype);
  TF_DeleteTensor(t);
}

// Kind, then two operands; operands beyond what the op has may give a control input.
static void add_node(builder *b, uint8_t kind, uint8_t x, uint8_t y) {
  static const char *const unary[] = {"FuzzGrow",      "FuzzGrow", "FuzzAsync", "Exit",
                                      "NextIteration", "FuzzFail", "FuzzSmall"};
  TF_OperationDescription *d;
  TF_Output a = pick(b->floats, b->float_count, x), c = pick(b->floats, b->float_count, y);
  switch (kind % 16) {
    case 0:
      set_constant(b, d = begin(b, "Const"), TF_FLOAT, x);
      break;
    case 1:
      set_constant(b, d = begin(b, "Const"), TF_BOOL, x);
      break;
    case 2:
    case 3:
      TF_AddInput(d = begin(b, "Switch"), a);
      TF_AddInput(d, pick(b->bools, b->bool_count, y));
      break;
    case 4:
    case 5:
      TF_AddInputList(d = begin(b, "Merge"), (TF_Output[]){a, c}, 2);
      break;
    case 6:
    case 7:
      TF_AddInput(d = begin(b, "Enter"), a);
      TF_SetAttrString(d, "frame_name", y & 1 ? "f" : "g", 1);
      TF_SetAttrBool(d, "is_constant", (y >> 1) & 1);
      TF_SetAttrInt(d, "parallel_iterations", 1 + (y >> 2) % 4);
      break;
    case 8:
      TF_AddInput(d = begin(b, "LoopCond"), pick(b->bools, b->bool_count, x));
      break;
    case 9:
      TF_AddInput(d = begin(b, "FuzzAdd"), a);
      TF_AddInput(d, c);
      break;
    case 10:
      TF_AddControlInput(d = begin(b, y & 1 ? "FuzzSource" : "NoOp"), a.oper);
      break;
    default:
      TF_AddInput(d = begin(b, unary[(kind % 16 - 11 + (y & 3)) % 7]), a);
      if (y & 128) TF_AddControlInput(d, c.oper);
  }
  keep(b, TF_FinishOperation(d, b->status));
}

// Leads an input of some node to another producer: this is how loops are closed, and how graphs are broken.
static void bend_edge(builder *b, uint8_t x, uint8_t y) {
  TF_Operation *op = b->nodes[x % b->node_count];
  int inputs = TF_OperationNumInputs(op);
  if (inputs == 0) return;
  TF_Input input = {op, y % inputs};
  bool is_bool = TF_OperationInputType(input) == TF_BOOL;
  TF_UpdateEdge(
      b->graph,
      is_bool ? pick(b->bools, b->bool_count, y) : pick(b->floats, b->float_count, (uint8_t)(y / 2)), input,
      b->status);
}

static void build(builder *b, const uint8_t *bytes, size_t len) {
  TF_OperationDescription *d = begin(b, "Placeholder");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  keep(b, TF_FinishOperation(d, b->status));
  TF_AddInput(d = begin(b, "FuzzSmall"), b->floats[0]);
  keep(b, TF_FinishOperation(d, b->status));
  for (size_t i = 0; i + 2 < len && b->node_count < MAX_NODES; i += 3) {
    if (bytes[i] >= 208)
      bend_edge(b, bytes[i + 1], bytes[i + 2]);
    else
      add_node(b, bytes[i], bytes[i + 1], bytes[i + 2]);
  }
}

// The newest float, twice, so that a state is used again after whatever happened to it.
static void run(const builder *b) {
  TF_Session *session = NULL;
  dvt_run_options options = {.timeout_ms = TIME_LIMIT_MS};
  dvt_status status = dvt_session_create(b->graph, NULL, &session);
  for (int i = 0; i < 2 && !status; i++) {
    TF_Tensor *feed = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4), *got = NULL;
    *(float *)TF_TensorData(feed) = (float)i;
    status = dvt_session_run(session, &options, b->floats, &feed, 1, &b->floats[b->float_count - 1], &got, 1,
                             NULL, 0, NULL);
    if (!status != (got != NULL)) __builtin_trap();
    dvt_status_free(status);
    status = NULL;
    TF_DeleteTensor(got);
    TF_DeleteTensor(feed);
  }
  dvt_status_free(status);
  dvt_session_destroy(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
  static bool registered;
  if (!registered) register_all();
  registered = true;
  builder b = {.graph = TF_NewGraph(), .status = TF_NewStatus()};
  build(&b, bytes, len);
  run(&b);
  TF_DeleteGraph(b.graph);
  TF_DeleteStatus(b.status);
  return 0;
}
