// consumer PLUGIN GRAPH: loads the plugin through the stock C ABI, runs the graph through the model API, prints output z.
#include <stdio.h>

#include "dovetail/dovetail.h"
#include "tensorflow/c/c_api.h"

static int fail(const char *what, const TF_Status *status) {
  fprintf(stderr, "%s: %s\n", what, TF_Message(status));
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  TF_Status *status = TF_NewStatus();
  TF_Library *library = TF_LoadLibrary(argv[1], status);
  if (TF_GetCode(status) != TF_OK) return fail("TF_LoadLibrary", status);

  dvt_model *model = NULL;
  dvt_model_open(argv[2], NULL, &model, status);
  if (TF_GetCode(status) != TF_OK) return fail("dvt_model_open", status);
  const char *output = "z";
  TF_Tensor *z = NULL;
  dvt_model_run(model, NULL, NULL, NULL, 0, &output, &z, 1, status);
  if (TF_GetCode(status) != TF_OK) return fail("dvt_model_run", status);
  const float *values = TF_TensorData(z);
  for (int64_t i = 0; i < TF_TensorElementCount(z); ++i) printf("%g ", values[i]);
  printf("%s\n", dvt_version());

  TF_DeleteTensor(z);
  dvt_model_close(model);
  TF_DeleteLibraryHandle(library);
  TF_DeleteStatus(status);
  return 0;
}
