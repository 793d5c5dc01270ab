/* Ops whose shape functions do not return, each in another way. */
#include <string.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static volatile int64_t turns;

static void loops_alone(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  (void)ctx, (void)status;
  for (;;) turns++;
}

/* Asks what has no status that could tell it to stop. */
static void loops_asking(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  (void)status;
  for (;;) turns += TF_ShapeInferenceContextNumInputs(ctx);
}

/* Is nearly always in the C library. */
static void loops_filling(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  static char bytes[1 << 14];
  (void)ctx, (void)status;
  for (;;) memset(bytes, (int)(turns++ & 1), sizeof bytes);
}

/* Adds a node that loops to a graph of its own, gets over the error, and then loops itself. */
static void loops_inside(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_Graph *graph = TF_NewGraph();
  TF_OperationDescription *inner = TF_NewOperation(graph, "LoopsAlone", "inner");
  TF_AddInputList(inner, NULL, 0);
  TF_FinishOperation(inner, status);
  TF_DeleteGraph(graph);
  if (TF_GetCode(status) == TF_DEADLINE_EXCEEDED && strstr(TF_Message(status), "{{node inner}}"))
    loops_alone(ctx, status);
}

static void passes(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *scalar = TF_ShapeInferenceContextScalar(ctx);
  TF_ShapeInferenceContextSetOutput(ctx, 0, scalar, status);
  TF_DeleteShapeHandle(scalar);
}

static void add(const char *name, void (*fn)(TF_ShapeInferenceContext *, TF_Status *)) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddAttr(op, "N: int >= 0 = 0");
  TF_OpDefinitionBuilderAddInput(op, "x: N * float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, fn);
  TF_RegisterOpDefinition(op, status);
  TF_DeleteStatus(status);
}

void TF_InitKernel(void) {
  add("LoopsAlone", loops_alone);
  add("LoopsAsking", loops_asking);
  add("LoopsFilling", loops_filling);
  add("LoopsInside", loops_inside);
  add("LoopsNot", passes);
}
