// Runs case files through the C API of the library it is linked with and compares with what stock TensorFlow
// answered.
//   run_cases [--verbose] FILE...      exit status 1 when a case differs
//   run_cases --op-list PLUGIN...      the serialised OpList of the plugins to stdout, for check_op_defs.py
//   run_cases --kernel-list PLUGIN...  the serialised KernelList of the plugins to stdout, for
//   check_op_defs.py
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_file.h"
#include "compare.h"

typedef struct totals {
  int run, failed, static_differences;
} totals;

static bool find(TF_Graph *graph, const case_tensor *t, TF_Output *out, char *why, size_t bytes) {
  out->oper = TF_GraphOperationByName(graph, t->node);
  out->index = t->index;
  if (!out->oper) snprintf(why, bytes, "no operation %s", t->node);
  return out->oper != NULL;
}

// The static shape must say what stock's says; knowing more is no mistake.
static bool static_shape_fits(TF_Graph *graph, TF_Output output, const case_tensor *t, TF_Status *status,
                              char *why, size_t bytes) {
  int64_t dims[256];
  if (t->static_rank == -2) return true;
  int rank = TF_GraphGetTensorNumDims(graph, output, status);
  bool fits = TF_GetCode(status) == TF_OK && (t->static_rank == -1 || rank == t->static_rank);
  if (fits && rank > 0) TF_GraphGetTensorShape(graph, output, dims, rank, status);
  for (int i = 0; fits && i < t->static_rank; i++)
    fits = t->static_dims[i] == -1 || t->static_dims[i] == dims[i];
  if (!fits) {
    size_t used =
        (size_t)snprintf(why, bytes, "static shape: rank %d instead of %d, dims", rank, t->static_rank);
    for (int i = 0; i < rank && i < t->static_rank && used + 64 < bytes; i++)
      used += (size_t)snprintf(why + used, bytes - used, " %" PRId64 "/%" PRId64, dims[i], t->static_dims[i]);
  }
  return fits;
}

static bool run_session(TF_Graph *graph, test_case *c, totals *sums, TF_Status *status, char *why,
                        size_t bytes) {
  TF_Output feeds[MAX_TENSORS], fetches[MAX_TENSORS];
  TF_Tensor *inputs[MAX_TENSORS], *outputs[MAX_TENSORS] = {NULL};
  for (int i = 0; i < c->feed_count; i++) {
    if (!find(graph, &c->feeds[i], &feeds[i], why, bytes)) return false;
    inputs[i] = c->feeds[i].value;
  }
  for (int i = 0; i < c->fetch_count; i++) {
    if (!find(graph, &c->fetches[i], &fetches[i], why, bytes)) return false;
    if (static_shape_fits(graph, fetches[i], &c->fetches[i], status, why, bytes)) continue;
    sums->static_differences++;
    return false;
  }
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, options, status);
  TF_DeleteSessionOptions(options);
  bool fine = TF_GetCode(status) == TF_OK;
  if (fine) {
    // An op without outputs is run for what it does.
    const TF_Operation *target = TF_GraphOperationByName(graph, "op");
    TF_SessionRun(session, NULL, feeds, inputs, c->feed_count, fetches, outputs, c->fetch_count, &target,
                  c->fetch_count == 0, NULL, status);
    fine = (TF_GetCode(status) != TF_OK) == c->fails;
    if (!fine) snprintf(why, bytes, c->fails ? "no error, where stock has one" : "%s", TF_Message(status));
    for (int i = 0; fine && !c->fails && i < c->fetch_count; i++)
      fine = tensors_match(outputs[i], c->fetches[i].value, c->fetches[i].relative, c->fetches[i].absolute,
                           why, bytes);
    for (int i = 0; i < c->fetch_count; i++) TF_DeleteTensor(outputs[i]);
    TF_Status *ignored = TF_NewStatus();
    TF_DeleteSession(session, ignored);
    TF_DeleteStatus(ignored);
  } else {
    snprintf(why, bytes, "%s", TF_Message(status));
  }
  return fine;
}

static bool run_case(test_case *c, totals *sums, bool verbose) {
  char why[2048] = "";
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(graph, c->graph, options, status);
  bool fine;
  if (TF_GetCode(status) != TF_OK) {
    // Refusing while the graph is built is as good as refusing to run it.
    fine = c->fails;
    snprintf(why, sizeof(why), "import: %s", TF_Message(status));
  } else {
    fine = run_session(graph, c, sums, status, why, sizeof(why));
  }
  if (!fine) printf("DIFFERS %s: %s\n", c->name, why);
  if (fine && verbose)
    printf("%s %s%s%s\n", c->fails ? "refused" : "same", c->name, c->fails ? ": " : "",
           c->fails ? TF_Message(status) : "");
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return fine;
}

static bool run_file(const char *path, totals *sums, bool verbose) {
  FILE *file;
  int count = case_file_open(path, &file);
  if (count < 0) {
    fprintf(stderr, "%s is not a case file\n", path);
    return false;
  }
  test_case *c = malloc(sizeof(*c));
  bool fine = c != NULL;
  for (int i = 0; fine && i < count; i++) {
    if (!(fine = case_read(file, c))) fprintf(stderr, "%s: case %d is damaged\n", path, i);
    if (fine) {
      sums->run++;
      sums->failed += !run_case(c, sums, verbose);
    }
    case_free(c);
  }
  free(c);
  fclose(file);
  return fine;
}

// Serialised lists may be joined by writing one after the other.
static int write_lists(char **plugins, int count, bool kernels) {
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < count && TF_GetCode(status) == TF_OK; i++) {
    TF_Library *library = TF_LoadLibrary(plugins[i], status);
    if (TF_GetCode(status) != TF_OK) break;
    TF_Buffer list = TF_GetOpList(library);
    if (!kernels) fwrite(list.data, 1, list.length, stdout);
    TF_DeleteLibraryHandle(library);
  }
  TF_Buffer *all = kernels && TF_GetCode(status) == TF_OK ? TF_GetAllRegisteredKernels(status) : NULL;
  if (all) fwrite(all->data, 1, all->length, stdout);
  TF_DeleteBuffer(all);
  int result = TF_GetCode(status) != TF_OK;
  if (result) fprintf(stderr, "%s\n", TF_Message(status));
  TF_DeleteStatus(status);
  return result;
}

int main(int argc, char **argv) {
  totals sums = {0};
  bool verbose = false, fine = true;
  if (argc > 1 && strcmp(argv[1], "--op-list") == 0) return write_lists(argv + 2, argc - 2, false);
  if (argc > 1 && strcmp(argv[1], "--kernel-list") == 0) return write_lists(argv + 2, argc - 2, true);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--verbose") == 0)
      verbose = true;
    else
      fine = run_file(argv[i], &sums, verbose) && fine;
  }
  printf("%d cases, %d differ (%d of them in the static shape)\n", sums.run, sums.failed,
         sums.static_differences);
  return !fine || sums.failed > 0 || sums.run == 0;
}
