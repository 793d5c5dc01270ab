// embed MODEL NUMBER...: opens a model, gives its first input the numbers, prints what comes out.
#include <stdio.h>
#include <stdlib.h>

#include "dovetail/dovetail.h"

static void print(const char *name, const TF_Tensor *t) {
  const float *values = TF_TensorType(t) == TF_FLOAT ? TF_TensorData(t) : NULL;
  printf("%s =", name);
  for (int64_t i = 0; values && i < TF_TensorElementCount(t); ++i) printf(" %g", values[i]);
  puts(values ? "" : " (not float)");
}

int main(int argc, char **argv) {
  TF_Status *status = TF_NewStatus();
  dvt_model *model = NULL;
  if (argc > 1) dvt_model_open(argv[1], NULL, &model, status);
  if (!model) {
    fprintf(stderr, "%s\n", argc > 1 ? TF_Message(status) : "usage: embed MODEL NUMBER...");
    return 1;
  }
  int64_t count = argc - 2;
  TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, &count, 1, (size_t)count * sizeof(float));
  for (int64_t i = 0; i < count; ++i) ((float *)TF_TensorData(x))[i] = strtof(argv[i + 2], NULL);

  const char *first[] = {"0"};  // inputs and outputs go by name or by position
  TF_Tensor *y = NULL;
  dvt_model_run(model, NULL, first, &x, 1, first, &y, 1, status);
  if (TF_GetCode(status) == TF_OK)
    print(dvt_model_output(model, NULL, 0)->name, y);
  else
    fprintf(stderr, "%s\n", TF_Message(status));
  int code = TF_GetCode(status) == TF_OK ? 0 : 1;
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  dvt_model_close(model);
  TF_DeleteStatus(status);
  return code;
}
