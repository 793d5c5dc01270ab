// Debug mode: shape functions of a plugin that do not return are stopped, the error tells where, and the
// thread and the graph go on. The functions never end by themselves, so the limit is only how long the test
// takes.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "graph/graph_test_util.h"
#include "op/shape_watch.h"
#include "tensorflow/c/c_api.h"

#define PLUGIN DVT_BUILD_DIR "/tests/plugins/plug_loops.so"

static char logged[1024];

static void log_sink(void *arg, dvt_log_level level, const char *line) {
  (void)arg, (void)level;
  snprintf(logged, sizeof logged, "%s", line);
}

static TF_Operation *add(TF_Graph *graph, const char *op, const char *name, TF_Output input,
                         TF_Status *status) {
  TF_OperationDescription *desc = TF_NewOperation(graph, op, name);
  TF_AddInputList(desc, &input, input.oper ? 1 : 0);
  return TF_FinishOperation(desc, status);
}

static TF_Output add_good(TF_Graph *graph, const char *name) {
  TF_Status *status = TF_NewStatus();
  TF_Operation *good = add(graph, "LoopsNot", name, (TF_Output){NULL, 0}, status);
  if (!good) print_error("%s\n", TF_Message(status));
  TF_DeleteStatus(status);
  return (TF_Output){good, 0};
}

// Without cmocka's assertions: those belong to the main thread.
static bool is_stopped(const char *op) {
  char wanted[512];
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_Output good = add_good(graph, "good");
  bool refused = good.oper && !add(graph, op, "bad", good, status);
  snprintf(wanted, sizeof wanted,
           "The shape function did not return within 0.05 s (DOVETAIL_SHAPE_FN_SECONDS) and was stopped for "
           "'{{node bad}} = %s[N=1](good)' with input shapes: []. The shape function is that of plugin '",
           op);
  bool told = TF_GetCode(status) == TF_DEADLINE_EXCEEDED && strstr(TF_Message(status), wanted) &&
              strstr(TF_Message(status), "plug_loops");
  if (!told) print_error("%s: %d %s\n", op, (int)TF_GetCode(status), TF_Message(status));
  bool goes_on = !TF_GraphOperationByName(graph, "bad") && add_good(graph, "later").oper;
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return refused && told && goes_on;
}

static const char *const ops[] = {"LoopsAlone", "LoopsAsking", "LoopsFilling", "LoopsInside"};

static void test_functions_that_do_not_return(void **state) {
  (void)state;
  if (DVT_SHAPE_WATCH_OFF) skip();
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++) assert_true(is_stopped(ops[i]));
}

// As a worker thread that blocks all signals; they are blocked afterwards, too.
static void *stop_one(void *arg) {
  const char **op = arg;
  sigset_t all, now;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  if (!is_stopped(*op)) *op = "failed";
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
    if (sigismember(&now, i) != 1) *op = "changed the signal mask";
  return NULL;
}

static void test_threads_are_stopped_each(void **state) {
  pthread_t threads[DVT_COUNT_OF(ops)];
  const char *outcome[DVT_COUNT_OF(ops)];
  (void)state;
  if (DVT_SHAPE_WATCH_OFF) skip();
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++) {
    outcome[i] = ops[i];
    assert_int_equal(pthread_create(&threads[i], NULL, stop_one, &outcome[i]), 0);
  }
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < DVT_COUNT_OF(ops); i++) assert_string_equal(outcome[i], ops[i]);
}

// A limit that is none is told of, and the default taken.
static void test_the_limit_is_checked(void **state) {
  (void)state;
  if (DVT_SHAPE_WATCH_OFF) skip();
  const char *self = DVT_BUILD_DIR "/tests/shape_watch_test";
  char command[sizeof DVT_BUILD_DIR + 128], line[512] = "";
  snprintf(command, sizeof command, "DOVETAIL_SHAPE_FN_SECONDS=never '%s' limit 2>&1", self);
  FILE *out = popen(command, "r");
  assert_non_null(out);
  if (!fgets(line, sizeof line, out)) line[0] = '\0';
  assert_int_equal(pclose(out), 0);
  if (!strstr(line,
              "the environment variable DOVETAIL_SHAPE_FN_SECONDS is 'never', wanted is a number of seconds "
              "from 0.001 to 1000000; 10 is used. Correct or unset it"))
    fail_msg("the log says '%s'", line);
}

static int show_limit(void) {
  TF_Status *status = TF_NewStatus();
  TF_DeleteLibraryHandle(TF_LoadLibrary(PLUGIN, status));
  TF_Graph *graph = TF_NewGraph();
  dvt_log_set_sink(log_sink, NULL);
  TF_Operation *op = add(graph, "LoopsNot", "n", (TF_Output){NULL, 0}, status);
  dvt_log_set_sink(NULL, NULL);
  printf("%s\n", logged);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return op ? 0 : 1;
}

int main(int argc, char **argv) {
  setenv("DOVETAIL_DEBUG", "1", 1);
  if (argc > 1 && strcmp(argv[1], "limit") == 0) return show_limit();
  setenv("DOVETAIL_SHAPE_FN_SECONDS", "0.05", 1);
  TF_Status *status = TF_NewStatus();
  TF_Library *library = TF_LoadLibrary(PLUGIN, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s\n", TF_Message(status));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_that_do_not_return),
      cmocka_unit_test(test_threads_are_stopped_each),
      cmocka_unit_test(test_the_limit_is_checked),
  };
  int result = cmocka_run_group_tests(tests, test_setup, test_teardown);
  TF_DeleteLibraryHandle(library);
  TF_DeleteStatus(status);
  return result;
}
