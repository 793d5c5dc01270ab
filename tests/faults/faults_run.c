// Loads a hostile plugin, makes a node of its op "Fault" and runs it twice, and prints how each of that
// ended, a line each: "load 0", "node 0", "run 13 <message>"; at the end "alive". One binary for Dovetail and
// for stock TensorFlow: LD_LIBRARY_PATH chooses.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static TF_Status *status;

static int tell(const char *what) {
  printf("%s %d ", what, (int)TF_GetCode(status));
  for (const char *p = TF_Message(status); *p; p++) putchar(*p == '\n' ? ' ' : *p);
  putchar('\n');
  fflush(stdout);
  return TF_GetCode(status) == TF_OK;
}

static TF_Operation *node(TF_Graph *graph, const char *op, const char *name, TF_Operation *input) {
  TF_OperationDescription *desc = TF_NewOperation(graph, op, name);
  if (input) TF_AddInput(desc, (TF_Output){input, 0});
  return TF_FinishOperation(desc, status);
}

static void run(TF_Session *session, TF_Operation *fault, const TF_Buffer *options) {
  TF_Tensor *result = NULL;
  TF_SessionRun(session, options, NULL, NULL, 0, &(TF_Output){fault, 0}, &result, 1, NULL, 0, NULL, status);
  tell("run");
  TF_DeleteTensor(result);
}

static void run_session(TF_Graph *graph, TF_Operation *fault, const TF_Buffer *options) {
  TF_SessionOptions *session_options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, session_options, status);
  run(session, fault, options);
  run(session, fault, options);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(session_options);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: faults_run PLUGIN TIMEOUT_IN_MS\n");
    return 2;
  }
  status = TF_NewStatus();
  TF_Library *library = TF_LoadLibrary(argv[1], status);
  if (tell("load")) {
    // RunOptions.timeout_in_ms: field 2, a varint below 128.
    unsigned char bytes[] = {0x10, (unsigned char)atoi(argv[2])};
    TF_Buffer options = {bytes, sizeof bytes, NULL};
    TF_Graph *graph = TF_NewGraph();
    TF_Operation *source = node(graph, "FaultSource", "source", NULL);
    TF_Operation *fault = source ? node(graph, "Fault", "fault", source) : NULL;
    if (tell("node")) run_session(graph, fault, bytes[1] ? &options : NULL);
    TF_DeleteGraph(graph);
  }
  if (library) TF_DeleteLibraryHandle(library);
  TF_DeleteStatus(status);
  puts("alive");
  fflush(stdout);
  return 0;
}
