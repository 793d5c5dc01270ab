// Opens a host library privately, loads a plugin into it with TF_LoadLibrary and runs ops of the plugin:
//
//   run_in_host LIBRARY PLUGIN[,PLUGIN...] "OP [name=value ...] [| OP ...]" ...
//
// An argument is a chain of ops: the first has no inputs, each other one takes the first output of the one
// before. Attribute values are integers, floats with a point, or text; "+2" adds a list of the input twice.
// For each chain a line goes to stdout: the shape that the graph infers for the last op, then dtype, shape
// and bytes of what it computes, or the code and message of the error.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static void *host;

static void *find(const char *name) {
  void *symbol = dlsym(host, name);
  if (!symbol) {
    fprintf(stderr, "the host has no %s\n", name);
    exit(2);
  }
  return symbol;
}

// The host's function; stock's library is not linked.
#define HOST(function) ((__typeof__(&function))find(#function))

static void print_shape(const int64_t *dims, int rank) {
  if (rank < 0) printf(" ?");
  for (int i = 0; i < rank; i++) printf("%c%lld", i ? ',' : '[', (long long)dims[i]);
  printf(rank > 0 ? "]" : rank == 0 ? "[]" : "");
}

static void set_attr(TF_OperationDescription *node, char *word) {
  char *value = strchr(word, '=');
  if (!value) return;
  *value++ = '\0';
  char *end;
  long long integer = strtoll(value, &end, 10);
  if (*value && !*end) {
    HOST(TF_SetAttrInt)(node, word, integer);
    return;
  }
  float number = strtof(value, &end);
  if (*value && !*end)
    HOST(TF_SetAttrFloat)(node, word, number);
  else
    HOST(TF_SetAttrString)(node, word, value, strlen(value));
}

static TF_Operation *add_op(TF_Graph *graph, char *text, TF_Operation *input, int index, TF_Status *status) {
  char *rest, name[16], *op = strtok_r(text, " ", &rest);
  snprintf(name, sizeof name, "n%d", index);
  TF_OperationDescription *node = HOST(TF_NewOperation)(graph, op, name);
  if (input) HOST(TF_AddInput)(node, (TF_Output){input, 0});
  for (char *word; (word = strtok_r(NULL, " ", &rest));) {
    if (strcmp(word, "+2") == 0)
      HOST(TF_AddInputList)(node, (TF_Output[]){{input, 0}, {input, 0}}, 2);
    else
      set_attr(node, word);
  }
  return HOST(TF_FinishOperation)(node, status);
}

static void run(TF_Graph *graph, TF_Operation *op, TF_Status *status) {
  int64_t dims[16];
  TF_Output output = {op, 0};
  int rank = HOST(TF_GraphGetTensorNumDims)(graph, output, status);
  HOST(TF_GraphGetTensorShape)(graph, output, dims, rank < 0 ? 0 : rank, status);
  print_shape(dims, rank);
  TF_SessionOptions *options = HOST(TF_NewSessionOptions)();
  TF_Session *session = HOST(TF_NewSession)(graph, options, status);
  TF_Tensor *result = NULL;
  HOST(TF_SessionRun)(session, NULL, NULL, NULL, 0, &output, &result, 1, NULL, 0, NULL, status);
  if (result) {
    printf(" -> %d ", (int)HOST(TF_TensorType)(result));
    int result_rank = HOST(TF_NumDims)(result);
    for (int i = 0; i < result_rank && i < 16; i++) dims[i] = HOST(TF_Dim)(result, i);
    print_shape(dims, result_rank);
    const unsigned char *bytes = HOST(TF_TensorData)(result);
    size_t count = HOST(TF_TensorByteSize)(result);
    if (HOST(TF_TensorType)(result) == TF_UINT8)
      printf("\n%.*s", (int)count, (const char *)bytes);
    else
      for (size_t i = 0; i < count; i++) printf("%s%02x", i % 8 ? "" : " ", bytes[i]);
    HOST(TF_DeleteTensor)(result);
  }
  TF_Status *ignored = HOST(TF_NewStatus)();
  HOST(TF_DeleteSession)(session, ignored);
  HOST(TF_DeleteStatus)(ignored);
  HOST(TF_DeleteSessionOptions)(options);
}

static void run_chain(char *text) {
  TF_Status *status = HOST(TF_NewStatus)();
  TF_Graph *graph = HOST(TF_NewGraph)();
  TF_Operation *op = NULL;
  char *rest, *part = strtok_r(text, "|", &rest);
  for (int i = 0; part && HOST(TF_GetCode)(status) == TF_OK; i++, part = strtok_r(NULL, "|", &rest))
    op = add_op(graph, part, op, i, status);
  if (op && HOST(TF_GetCode)(status) == TF_OK) run(graph, op, status);
  if (HOST(TF_GetCode)(status) != TF_OK)
    printf(" error %d %s", (int)HOST(TF_GetCode)(status), HOST(TF_Message)(status));
  printf("\n");
  HOST(TF_DeleteGraph)(graph);
  HOST(TF_DeleteStatus)(status);
}

static void load(const char *path) {
  const char *loader = getenv("RUN_LOADER");
  TF_Status *status = HOST(TF_NewStatus)();
  TF_Library *library = ((__typeof__(&TF_LoadLibrary))find(loader ? loader : "TF_LoadLibrary"))(path, status);
  if (HOST(TF_GetCode)(status) != TF_OK)
    printf("load: error %d %s\n", (int)HOST(TF_GetCode)(status), HOST(TF_Message)(status));
  HOST(TF_DeleteStatus)(status);
  HOST(TF_DeleteLibraryHandle)(library);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  host = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!host) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  char *rest;
  for (char *path = strtok_r(argv[2], ",", &rest); path; path = strtok_r(NULL, ",", &rest)) load(path);
  for (int i = 3; i < argc; i++) {
    printf("%s:", argv[i]);
    run_chain(argv[i]);
  }
  return 0;
}
