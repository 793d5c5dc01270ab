// Unloading plugins while sessions are open, and loading them again after they were built anew.
#include "exec/unload_test_util.h"

// ---- unloading ----

static void test_open_session_answers_not_found_and_then_finds_the_plugin_again(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeAdd");
  assert_true(run_value(&m, 10) == 11);
  unload();
  assert_null(run(&m, 10, S));
  assert_error(TF_NOT_FOUND, "Op type 'LifeAdd' was unloaded with plugin life");
  assert_error(TF_NOT_FOUND, "{{node y}}");
  dvt_unload_plugin("life", 0, S);
  assert_error(TF_NOT_FOUND, "no plugin 'life' is loaded");
  load(BUILT("plug_life_1"));
  assert_true(run_value(&m, 20) == 21);
  close_model(&m);
  unload();
}

static void test_library_handle(void **state) {
  (void)state;
  build(BUILT("plug_life_1"), false);
  TF_Library *library = TF_LoadLibrary(path, S);
  assert_ok();
  dvt_unload_library(library, 0, S);
  assert_ok();
  assert_non_null(memmem(TF_GetOpList(library).data, TF_GetOpList(library).length, "LifeAdd", 7));
  dvt_unload_library(library, 0, S);
  assert_error(TF_NOT_FOUND, "was unloaded before");
  TF_DeleteLibraryHandle(library);
  dvt_unload_library(NULL, 0, S);
  assert_error(TF_INVALID_ARGUMENT, "NULL");
}

static void test_by_path_and_never_loaded(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  dvt_unload_plugin(path, 0, S);
  assert_ok();
  dvt_unload_plugin("/no/such.so", 0, S);
  assert_error(TF_NOT_FOUND, "no plugin '/no/such.so' is loaded");
  dvt_unload_plugin(NULL, 0, S);
  assert_error(TF_NOT_FOUND, "");
  assert_null(dvt_reload_plugin("life", 0, S));
  assert_error(TF_NOT_FOUND, "no plugin 'life'");
}

static void *run_and_delete(void *arg) {
  TF_Status *status = TF_NewStatus();
  TF_DeleteTensor(run(arg, 0, status));
  TF_Code code = TF_GetCode(status);
  TF_DeleteStatus(status);
  return (void *)(intptr_t)code;
}

static void test_running_step_is_waited_for_or_named(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeHold");
  pthread_t thread, unloader;
  atomic_int *hold = symbol("life_hold"), *holding = symbol("life_holding");
  atomic_store(hold, 1);
  pthread_create(&thread, NULL, run_and_delete, &m);
  while (!atomic_load(holding)) nanosleep(&(struct timespec){0, 100000}, NULL);
  dvt_unload_plugin("life", 20, S);
  assert_error(TF_FAILED_PRECONDITION, "after 20 ms steps were still running in session");
  assert_error(TF_FAILED_PRECONDITION, "'y' (LifeHold)");
  assert_non_null(dvt_op_lookup_loaded(DVT_STR("LifeHold")));
  // A call that comes while the session is held waits, and runs afterwards.
  pthread_create(&unloader, NULL, run_and_delete, &m);
  atomic_store(hold, 0);
  void *code;
  pthread_join(thread, &code);
  assert_int_equal((intptr_t)code, TF_OK);
  pthread_join(unloader, &code);
  assert_int_equal((intptr_t)code, TF_OK);
  unload();
  close_model(&m);
}

// A step that was given up, whose asynchronous kernel has not reported; also after its session was deleted.
static void check_given_up(bool delete_session) {
  load(BUILT("plug_life_1"));
  model m = make_model("LifeAsync");
  static const unsigned char in_50_ms[] = {0x10, 50};  // RunOptions.timeout_in_ms
  TF_Buffer options = {in_50_ms, sizeof in_50_ms, NULL};
  TF_Tensor *y = NULL;
  TF_SessionRun(m.session, &options, NULL, NULL, 0, &m.y, &y, 1, NULL, 0, NULL, S);
  assert_error(TF_DEADLINE_EXCEEDED, "");
  if (delete_session) close_model(&m);
  dvt_unload_plugin("life", 20, S);
  assert_error(TF_FAILED_PRECONDITION, "after 20 ms steps were still running in session");
  assert_error(TF_FAILED_PRECONDITION, "'y' (LifeAsync)");
  TF_AsyncOpKernelDoneCallback *_Atomic *done = symbol("life_done");
  TF_RunAsyncOpKernelDoneCallback(atomic_load(done));
  unload();
  if (!delete_session) close_model(&m);
}

static void test_asynchronous_kernel_of_a_step_that_was_given_up(void **state) {
  (void)state;
  check_given_up(false);
  check_given_up(true);
}

// Refuses, and unloads when the tensor is gone.
static void check_refused(const char *op, const char *what) {
  model m = make_model(op);
  TF_Tensor *y = run(&m, 0, S);
  assert_ok();
  dvt_unload_plugin("life", 0, S);
  assert_error(TF_FAILED_PRECONDITION, what);
  assert_non_null(dvt_op_lookup_loaded(DVT_STR("LifeAdd")));
  TF_Tensor *again = run(&m, 0, S);
  assert_ok();
  TF_DeleteTensor(again);
  TF_DeleteTensor(y);
  unload();
  close_model(&m);
}

static void test_live_tensors_and_values_are_listed(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  check_refused("LifeMemory", "1 tensors with its deallocator");
  load(BUILT("plug_life_1"));
  check_refused("LifeValue", "1 values of type 'life::Box'");
}

static void test_resources_of_open_sessions_are_listed(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeResource");
  run_value(&m, 0);
  dvt_unload_plugin("life", 0, S);
  assert_error(TF_FAILED_PRECONDITION, "1 values of type 'life::Box'");
  close_model(&m);
  unload();
}

static void test_partial_run_is_in_the_way(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeAdd");
  const char *handle = NULL;
  TF_SessionPRunSetup(m.session, &m.x, 1, &m.y, 1, NULL, 0, &handle, S);
  assert_ok();
  dvt_unload_plugin("life", 0, S);
  assert_error(TF_FAILED_PRECONDITION, "partial runs are not over: 'partial_run_1' of session");
  TF_DeletePRunHandle(handle);
  close_model(&m);
  unload();
}

static void test_log_listener_goes_with_the_plugin(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  void (*listen)(void);
  void *address = symbol("life_listen");
  memcpy(&listen, &address, sizeof listen);
  atomic_int *heard = symbol("life_heard");
  listen();
  dvt_log(DVT_ERROR, "said by the test");
  assert_int_equal(atomic_load(heard), 1);
  unload();
  dvt_log(DVT_ERROR, "said by the test, to nobody");
}

static void refused(const char *what) {
  dvt_unload_plugin("life", 0, S);
  assert_error(TF_FAILED_PRECONDITION, what);
}

static void test_threads_and_dlpack_tensors_are_listed(void **state) {
  (void)state;
  static _Alignas(64) float data[16];
  int64_t shape = 16;
  int called = 0;
  load(BUILT("plug_life_1"));
  void (*work)(void *), (*deleter)(dvt_dl_managed *), *address = symbol("life_work");
  memcpy(&work, &address, sizeof work);
  address = symbol("life_delete");
  memcpy(&deleter, &address, sizeof deleter);

  TF_Thread *thread = TF_StartThread(NULL, "life", work, &called);
  refused("1 threads that were not joined");
  TF_JoinThread(thread);

  dvt_dl_managed managed = {.manager_ctx = &called, .deleter = deleter};
  managed.tensor =
      (dvt_dl_tensor){.data = data, .device = {1, 0}, .ndim = 1, .dtype = {2, 32, 1}, .shape = &shape};
  TF_Tensor *tensor = dvt_dlpack_import(&managed, S);
  assert_ok();
  refused("1 DLPack tensors with its deleter");
  TF_DeleteTensor(tensor);
  assert_int_equal(called, 2);
  unload();
}

static void test_out_of_memory(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeAdd");
  for (int64_t nth = 1;; nth++) {
    assert_true(nth < 100 && run_value(&m, 10) == 11);
    dvt_cache_drain();
    dvt_alloc_fail_at(nth);
    dvt_unload_plugin("life", 0, S);
    dvt_alloc_fail_at(0);
    if (TF_GetCode(S) == TF_OK) break;
    assert_error(TF_RESOURCE_EXHAUSTED, "");
  }
  close_model(&m);
}

// ---- the plugin directories ----

static void test_plugins_of_directories_load_again_when_needed(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    const dvt_op_def *op = dvt_op_lookup(DVT_STR("AutoOne"));
    assert_non_null(op);
    assert_string_equal(op->plugin->name, "plug_auto");
    dvt_unload_plugin("plug_auto", 0, S);
    assert_ok();
    assert_null(dvt_op_lookup_loaded(DVT_STR("AutoOne")));
  }
}

// ---- loading again ----

static void test_outdated_plugin_is_told(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  last_log[0] = '\0';
  assert_non_null(dvt_load_plugin(path, S));
  assert_string_equal(last_log, "");
  load(BUILT("plug_life_2"));
  assert_non_null(strstr(last_log, "is loaded as it was before its file was built anew"));
  unload();
}

static void check_reload(const char *first, const char *second, bool in_place) {
  load(first);
  model m = make_model("LifeAdd");
  assert_true(run_value(&m, 10) == 11);
  unload();
  build(second, in_place);
  assert_non_null(dvt_load_plugin(path, S));
  assert_ok();
  assert_true(run_value(&m, 10) == 12);
  model fresh = make_model("LifeAdd");
  assert_true(run_value(&fresh, 10) == 12);
  close_model(&fresh);
  close_model(&m);
  unload();
}

static void test_rebuilt_file_is_new_code(void **state) {
  (void)state;
  check_reload(BUILT("plug_life_1"), BUILT("plug_life_2"), false);
  check_reload(BUILT("plug_life_1"), BUILT("plug_life_2"), true);
}

static void test_code_that_cannot_leave_the_process(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) check_reload(BUILT("plug_life_stays_1"), BUILT("plug_life_stays_2"), false);
}

static void test_reload_in_one_call(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeAdd");
  assert_true(run_value(&m, 10) == 11);
  build(BUILT("plug_life_2"), false);
  assert_string_equal(dvt_reload_plugin("life", 1000, S), "life");
  assert_ok();
  assert_true(run_value(&m, 10) == 12);
  build(BUILT("plug_missing"), false);
  assert_null(dvt_reload_plugin("life", 1000, S));
  assert_error(TF_NOT_FOUND, "undefined symbol");
  assert_null(run(&m, 10, S));
  assert_error(TF_NOT_FOUND, "was unloaded");
  close_model(&m);
}

static void test_another_definition_is_told(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeAdd");
  assert_true(run_value(&m, 10) == 11);
  unload();
  load(BUILT("plug_life_3"));
  assert_null(run(&m, 10, S));
  assert_error(TF_FAILED_PRECONDITION, "loaded again with another definition");
  close_model(&m);
  model fresh = make_model("LifeAdd");
  assert_true(run_value(&fresh, 10) == 13);
  close_model(&fresh);
  unload();
}

// A folded constant is computed by the kernels there are.
static void test_folded_constants_are_computed_anew(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = {.graph = TF_NewGraph()};
  TF_Tensor *five = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(five) = 5;
  TF_OperationDescription *description = TF_NewOperation(m.graph, "Const", "five");
  TF_SetAttrTensor(description, "value", five, S);
  assert_ok();
  TF_SetAttrType(description, "dtype", TF_FLOAT);
  TF_Output constant = {TF_FinishOperation(description, S), 0};
  assert_ok();
  TF_DeleteTensor(five);
  m.x = node(m.graph, "LifeInput", "x", NULL);
  m.y = node(m.graph, "LifeAdd", "y", &constant);
  open_session(&m);
  assert_true(run_value(&m, 0) == 6);
  build(BUILT("plug_life_2"), false);
  assert_non_null(dvt_reload_plugin("life", 1000, S));
  assert_true(run_value(&m, 0) == 7);
  close_model(&m);
  unload();
}

static void test_shapes_of_old_nodes(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeAdd");
  unload();
  dvt_graph_refine_shapes(m.graph, S);
  assert_ok();
  load(BUILT("plug_life_2"));
  dvt_graph_refine_shapes(m.graph, S);
  assert_ok();
  assert_int_equal(TF_GraphGetTensorNumDims(m.graph, m.y, S), 0);
  close_model(&m);
  unload();
}

// A plugin whose structs are larger or smaller than this library's: what it has is used.
static void test_structs_of_other_headers(void **state) {
  (void)state;
  const char *const builds[] = {BUILT("plug_life_larger"), BUILT("plug_life_smaller")};
  for (size_t i = 0; i < DVT_COUNT_OF(builds); i++) {
    load(builds[i]);
    model m = make_model("LifeValue");
    TF_Tensor *y = run(&m, 0, S);
    assert_ok();
    TF_DeleteTensor(y);
    close_model(&m);
    unload();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open_session_answers_not_found_and_then_finds_the_plugin_again),
      cmocka_unit_test(test_library_handle),
      cmocka_unit_test(test_by_path_and_never_loaded),
      cmocka_unit_test(test_running_step_is_waited_for_or_named),
      cmocka_unit_test(test_asynchronous_kernel_of_a_step_that_was_given_up),
      cmocka_unit_test(test_live_tensors_and_values_are_listed),
      cmocka_unit_test(test_resources_of_open_sessions_are_listed),
      cmocka_unit_test(test_partial_run_is_in_the_way),
      cmocka_unit_test(test_log_listener_goes_with_the_plugin),
      cmocka_unit_test(test_threads_and_dlpack_tensors_are_listed),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_plugins_of_directories_load_again_when_needed),
      cmocka_unit_test(test_outdated_plugin_is_told),
      cmocka_unit_test(test_rebuilt_file_is_new_code),
      cmocka_unit_test(test_code_that_cannot_leave_the_process),
      cmocka_unit_test(test_reload_in_one_call),
      cmocka_unit_test(test_another_definition_is_told),
      cmocka_unit_test(test_folded_constants_are_computed_anew),
      cmocka_unit_test(test_shapes_of_old_nodes),
      cmocka_unit_test(test_structs_of_other_headers),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
