// Debug mode (DOVETAIL_DEBUG): the parts of the list, and handles that programs delete twice, use after their
// end or take for others. What kernels do is in tests/faults.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
#include <cmocka.h>
// clang-format on

#include "base/debug.h"
#include "base/log.h"
#include "tensorflow/c/c_api.h"

static char logged[4096];

static void keep(void *arg, dvt_log_level level, const char *line) {
  (void)arg;
  (void)level;
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof logged - used, "%s\n", line);
}

static int set_up(void **state) {
  (void)state;
  logged[0] = '\0';
  return 0;
}

#define assert_logged(part) assert_non_null(strstr(logged, part))

static int parts_of(const char *text) {
  setenv("DOVETAIL_DEBUG", text, 1);
  int before = atomic_exchange(&dvt_debug_state, -1), parts = dvt_debug_read();
  atomic_store(&dvt_debug_state, before);
  return parts;
}

static void test_parts(void **state) {
  (void)state;
  assert_int_equal(parts_of(""), 0);
  assert_int_equal(parts_of("0"), 0);
  assert_int_equal(parts_of("1"), DVT_DEBUG_ALL);
  assert_int_equal(parts_of("all"), DVT_DEBUG_ALL);
  assert_int_equal(parts_of("shapes"), DVT_DEBUG_SHAPES);
  assert_int_equal(parts_of("handles,memory,"), DVT_DEBUG_HANDLES | DVT_DEBUG_MEMORY);
  assert_string_equal(logged, "");
  assert_int_equal(parts_of("inputs,nonsense,leaks"), DVT_DEBUG_INPUTS | DVT_DEBUG_LEAKS);
  assert_logged("unknown part 'nonsense'");
}

static void test_tensors(void **state) {
  (void)state;
  int64_t n = 4;
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, &n, 1, 16);
  TF_DeleteTensor(t);
  assert_string_equal(logged, "");
  TF_DeleteTensor(t);
  assert_logged("TF_DeleteTensor: the TF_Tensor at");
  assert_logged("was deleted before, in the program; it was made in the program [in the program]");
  assert_null(TF_TensorData(t));
  assert_int_equal(TF_NumDims(t), 0);
  assert_int_equal(TF_Dim(t, 0), -1);
  assert_int_equal(TF_TensorByteSize(t), 0);
  assert_int_equal(TF_TensorElementCount(t), 0);
  assert_int_equal(TF_TensorType(t), 0);
  assert_null(TF_TensorMaybeMove(t));
  TF_SetShape(t, &n, 1);
  static const char *const functions[] = {
      "TF_TensorData",         "TF_NumDims",    "TF_Dim: ",           "TF_TensorByteSize",
      "TF_TensorElementCount", "TF_TensorType", "TF_TensorMaybeMove", "TF_SetShape"};
  for (size_t i = 0; i < DVT_COUNT_OF(functions); i++) assert_logged(functions[i]);
}

static void test_statuses(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_SetStatus(status, TF_ABORTED, "why");
  TF_DeleteStatus(status);
  assert_string_equal(logged, "");
  assert_int_equal(TF_GetCode(status), TF_INTERNAL);
  assert_logged("TF_GetCode: the TF_Status at");
  TF_SetStatus(status, TF_ABORTED, "why");
  assert_logged("a function that sets a TF_Status: the TF_Status at");
  TF_DeleteStatus(status);
  assert_logged("TF_DeleteStatus: the TF_Status at");
}

static void test_others(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *buffer = TF_NewBufferFromString("x", 1);
  TF_DeleteBuffer(buffer);
  TF_Graph *graph = TF_NewGraph();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, options, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_DeleteSession((TF_Session *)graph, status);
  assert_logged("TF_DeleteSession: ");
  assert_logged("is a TF_Graph made in the program, where a TF_Session is wanted");
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  char local[64] = {0};
  TF_DeleteStatus((TF_Status *)local);
  assert_logged("is no TF_Status that the runtime made");
  logged[0] = '\0';
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, status);
  assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  assert_null(TF_NewOperation(graph, "NoOp", "n"));
  TF_DeleteGraph(graph);
  static const char *const functions[] = {"TF_SessionRun: the TF_Session", "TF_DeleteSession: the TF_Session",
                                          "TF_DeleteSessionOptions: the", "TF_NewOperation: the TF_Graph",
                                          "TF_DeleteGraph: the TF_Graph"};
  for (size_t i = 0; i < DVT_COUNT_OF(functions); i++) assert_logged(functions[i]);
  TF_DeleteStatus(status);
}

int main(void) {
  setenv("DOVETAIL_DEBUG", "1", 1);
  if (dvt_debug_read() != DVT_DEBUG_ALL) return 1;
  dvt_log_set_sink(keep, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_parts, set_up),
      cmocka_unit_test_setup(test_tensors, set_up),
      cmocka_unit_test_setup(test_statuses, set_up),
      cmocka_unit_test_setup(test_others, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
