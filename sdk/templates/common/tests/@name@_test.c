// Loads the plugin into Dovetail, runs its op and compares the values. Only functions of TensorFlow's C API are used.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static void require(const TF_Status *status, const char *what) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s: %s\n", what, TF_Message(status));
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: @name@_test PLUGIN\n"), 2;
  TF_Status *status = TF_NewStatus();
  TF_Library *plugin = TF_LoadLibrary(argv[1], status);
  require(status, "loading the plugin");

  TF_Graph *graph = TF_NewGraph();
  TF_OperationDescription *desc = TF_NewOperation(graph, "Placeholder", "x");
  TF_SetAttrType(desc, "dtype", TF_FLOAT);
  TF_Operation *x = TF_FinishOperation(desc, status);
  require(status, "the placeholder");
  desc = TF_NewOperation(graph, "@Op@", "y");
  TF_AddInput(desc, (TF_Output){x, 0});
  TF_SetAttrFloat(desc, "factor", 3);
  TF_Operation *y = TF_FinishOperation(desc, status);
  require(status, "the node of @Op@");

  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, options, status);
  require(status, "the session");
  const int64_t dims[] = {2, 2};
  const float values[] = {1, -2, 0.5f, 0}, wanted[] = {3, -6, 1.5f, 0};
  TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, dims, 2, sizeof values), *output = NULL;
  memcpy(TF_TensorData(input), values, sizeof values);
  TF_SessionRun(session, NULL, &(TF_Output){x, 0}, &input, 1, &(TF_Output){y, 0}, &output, 1, NULL, 0, NULL, status);
  require(status, "the step");
  int failed = TF_TensorByteSize(output) != sizeof wanted || memcmp(TF_TensorData(output), wanted, sizeof wanted) != 0;
  puts(failed ? "the values are wrong" : "the values are right");

  TF_DeleteTensor(output);
  TF_DeleteTensor(input);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteLibraryHandle(plugin);
  TF_DeleteStatus(status);
  return failed;
}
