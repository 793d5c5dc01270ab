// Runs the op "Fault" of a plugin in two steps of one session at the same time. Built with ThreadSanitizer,
// as the plugin is; what that reports is the test (docs/debugging.md).
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/c/c_api.h"

#define THREADS 2

static TF_Session *session;
static TF_Operation *fault;

static void *run(void *arg) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *result = NULL;
  (void)arg;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &(TF_Output){fault, 0}, &result, 1, NULL, 0, NULL, status);
  printf("run %d %s\n", (int)TF_GetCode(status), TF_Message(status));
  TF_DeleteTensor(result);
  TF_DeleteStatus(status);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  setenv("FAULT_THREADS", "2", 1);
  TF_Status *status = TF_NewStatus();
  TF_DeleteLibraryHandle(TF_LoadLibrary(argv[1], status));
  TF_Graph *graph = TF_NewGraph();
  TF_OperationDescription *desc = TF_NewOperation(graph, "FaultSource", "source");
  TF_Output source = {TF_FinishOperation(desc, status), 0};
  desc = TF_NewOperation(graph, "Fault", "fault");
  TF_AddInput(desc, source);
  fault = TF_FinishOperation(desc, status);
  TF_SessionOptions *options = TF_NewSessionOptions();
  session = TF_NewSession(graph, options, status);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
