// Unloading plugins while sessions are open, loading them again after they were built anew, and doing so
// while threads run sessions.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// clang-format off
#include <cmocka.h>
// clang-format on

#include "base/library.h"
#include "base/log.h"
#include "dovetail/dlpack.h"
#include "dovetail/dovetail.h"
#include "dovetail/plugin_life.h"
#include "op/registry.h"
#include "plugin/plugin.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/env.h"
#include "tensorflow/c/ops.h"

#define BUILT(name) DVT_BUILD_DIR "/tests/plugins/" name ".so"

static char dir[] = DVT_BUILD_DIR "/tests/life_XXXXXX";
static char path[sizeof dir + 16];  // where every build of the plugin goes
static char auto_dir[] = DVT_BUILD_DIR "/tests/life_auto_XXXXXX", auto_path[sizeof auto_dir + 16];
static TF_Status *S;

static void check_at(TF_Code code, const char *part, const char *file, int line) {
  if (TF_GetCode(S) == code && strstr(TF_Message(S), part)) return;
  print_error("%s:%d: wanted code %d and '%s', got code %d: %s\n", file, line, code, part, TF_GetCode(S),
              TF_Message(S));
  fail();
}
#define assert_ok() check_at(TF_OK, "", __FILE__, __LINE__)
#define assert_error(code, part) check_at(code, part, __FILE__, __LINE__)

// ---- building, loading ----

// Puts another build at the path: in place, or as the linker does, in a new file.
static void build(const char *built, bool in_place) {
  dvt_buf bytes = {0};
  assert_null(dvt_file_read(built, &bytes));
  if (in_place) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.len, file), bytes.len);
    fclose(file);
  } else {
    assert_null(dvt_file_write(path, dvt_buf_str(&bytes)));
  }
  dvt_buf_deinit(&bytes);
}

static void load(const char *built) {
  build(built, false);
  assert_non_null(dvt_load_plugin(path, S));
  assert_ok();
}

static void unload(void) {
  dvt_unload_plugin("life", 10000, S);
  assert_ok();
  assert_null(dvt_op_lookup_loaded(DVT_STR("LifeAdd")));
}

static void *symbol(const char *name) {
  dvt_plugin *plugin = NULL;
  assert_null(dvt_plugin_find("life", &plugin));
  void *address = dvt_plugin_symbol(plugin, name);
  assert_non_null(address);
  return address;
}

// ---- graphs ----

typedef struct model {
  TF_Graph *graph;
  TF_Session *session;
  TF_Output x, y;
} model;

static TF_Output node(TF_Graph *graph, const char *op, const char *name, const TF_Output *x) {
  TF_OperationDescription *description = TF_NewOperation(graph, op, name);
  if (x) TF_AddInput(description, *x);
  TF_Operation *made = TF_FinishOperation(description, S);
  assert_ok();
  return (TF_Output){made, 0};
}

static void open_session(model *m) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  m->session = TF_NewSession(m->graph, options, S);
  TF_DeleteSessionOptions(options);
  assert_ok();
}

// y = op(x), or op() where it takes nothing.
static model make_model(const char *op) {
  model m = {.graph = TF_NewGraph()};
  m.x = node(m.graph, "LifeInput", "x", NULL);
  m.y = node(m.graph, op, "y", strcmp(op, "LifeAdd") == 0 ? &m.x : NULL);
  open_session(&m);
  return m;
}

static void close_model(model *m) {
  TF_CloseSession(m->session, S);
  assert_ok();
  TF_DeleteSession(m->session, S);
  assert_ok();
  TF_DeleteGraph(m->graph);
}

static TF_Tensor *run(const model *m, float x, TF_Status *status) {
  TF_Tensor *fed = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof x), *y = NULL;
  *(float *)TF_TensorData(fed) = x;
  TF_SessionRun(m->session, NULL, &m->x, &fed, 1, &m->y, &y, 1, NULL, 0, NULL, status);
  TF_DeleteTensor(fed);
  return y;
}

static float value_of(TF_Tensor *t) {
  assert_non_null(t);
  float value = *(const float *)TF_TensorData(t);
  TF_DeleteTensor(t);
  return value;
}

static float run_value(const model *m, float x) {
  TF_Tensor *y = run(m, x, S);
  assert_ok();
  return value_of(y);
}

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

static char last_log[256];

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

// ---- under load ----

enum { RUNNERS = 4, RELOADS = 40 };

typedef struct runner {
  model *m;
  atomic_bool *over;
  int right, told, wrong;
} runner;

static void *run_all_the_time(void *arg) {
  runner *r = arg;
  TF_Status *status = TF_NewStatus();
  for (int i = 0; !atomic_load(r->over); i++) {
    TF_Tensor *y = run(r->m, (float)i, status);
    if (TF_GetCode(status) == TF_OK) {
      float got = *(const float *)TF_TensorData(y) - (float)i;
      r->right += got == 1 || got == 2;
      r->wrong += got != 1 && got != 2;
    } else {
      bool clear = TF_GetCode(status) == TF_NOT_FOUND && strstr(TF_Message(status), "LifeAdd");
      if (!clear && r->wrong++ == 0) print_error("%d: %s\n", TF_GetCode(status), TF_Message(status));
      r->told += clear;
    }
    TF_DeleteTensor(y);
  }
  TF_DeleteStatus(status);
  return NULL;
}

// One session of its own and one that is shared; graphs are built meanwhile too.
static void *build_graphs_all_the_time(void *arg) {
  runner *r = arg;
  TF_Status *status = TF_NewStatus();
  while (!atomic_load(r->over)) {
    TF_Graph *graph = TF_NewGraph();
    TF_Operation *x = TF_FinishOperation(TF_NewOperation(graph, "LifeInput", "x"), status);
    TF_OperationDescription *description = TF_NewOperation(graph, "LifeAdd", "y");
    TF_AddInput(description, (TF_Output){x, 0});
    TF_Operation *y = TF_FinishOperation(description, status);
    r->right += y != NULL;
    r->told += !y;
    if (!y && !strstr(TF_Message(status), "'LifeAdd'") && r->wrong++ == 0)
      print_error("%s\n", TF_Message(status));
    TF_DeleteGraph(graph);
  }
  TF_DeleteStatus(status);
  return NULL;
}

static void test_unload_and_reload_under_load(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model shared = make_model("LifeAdd"), own = make_model("LifeAdd");
  atomic_bool over = false;
  pthread_t threads[RUNNERS];
  runner runners[RUNNERS] = {{.m = &shared}, {.m = &shared}, {.m = &own}, {.m = NULL}};
  for (int i = 0; i < RUNNERS; i++) {
    runners[i].over = &over;
    pthread_create(&threads[i], NULL, runners[i].m ? run_all_the_time : build_graphs_all_the_time,
                   &runners[i]);
  }
  for (int i = 0; i < RELOADS; i++) {
    build(i % 2 ? BUILT("plug_life_1") : BUILT("plug_life_2"), false);
    if (i % 4 < 2) {
      assert_non_null(dvt_reload_plugin("life", 60000, S));
      assert_ok();
      continue;
    }
    dvt_unload_plugin("life", 60000, S);
    assert_ok();
    assert_non_null(dvt_load_plugin(path, S));
    assert_ok();
  }
  atomic_store(&over, true);
  for (int i = 0; i < RUNNERS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(runners[i].wrong, 0);
    assert_true(runners[i].right + runners[i].told > 0);
  }
  assert_true(run_value(&shared, 1) == 2);
  close_model(&shared);
  close_model(&own);
  unload();
}

// Sessions end while the plugin is being unloaded.
static void *open_and_close_all_the_time(void *arg) {
  runner *r = arg;
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  while (!atomic_load(r->over)) {
    model m = *r->m;
    m.session = TF_NewSession(m.graph, options, status);
    TF_DeleteTensor(run(&m, 0, status));
    if (TF_GetCode(status) != TF_OK && TF_GetCode(status) != TF_NOT_FOUND && r->wrong++ == 0)
      print_error("%s\n", TF_Message(status));
    TF_CloseSession(m.session, status);
    TF_DeleteSession(m.session, status);
  }
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  return NULL;
}

static void test_sessions_end_meanwhile(void **state) {
  (void)state;
  load(BUILT("plug_life_1"));
  model m = make_model("LifeAdd");
  atomic_bool over = false;
  pthread_t threads[2];
  runner runners[2] = {{&m, &over, 0, 0, 0}, {&m, &over, 0, 0, 0}};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, open_and_close_all_the_time, &runners[i]);
  for (int i = 0; i < RELOADS / 2; i++) {
    assert_non_null(dvt_reload_plugin("life", 60000, S));
    assert_ok();
  }
  atomic_store(&over, true);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(runners[i].wrong, 0);
  }
  close_model(&m);
  unload();
}

static void keep_log(void *arg, dvt_log_level level, const char *line) {
  (void)arg;
  (void)level;
  snprintf(last_log, sizeof last_log, "%s", line);
}

static void no_shapes(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

static void register_host_op(const char *name, const char *const *attrs, int attr_count, const char *output) {
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  for (int i = 0; i < attr_count; i++) TF_OpDefinitionBuilderAddAttr(op, attrs[i]);
  TF_OpDefinitionBuilderAddOutput(op, output);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, no_shapes);
  TF_RegisterOpDefinition(op, S);
  assert_ok();
}

static int set_up(void **state) {
  (void)state;
  S = TF_NewStatus();
  dvt_log_set_sink(keep_log, NULL);
  if (!mkdtemp(dir)) return -1;
  snprintf(path, sizeof path, "%s/life.so", dir);
  if (!mkdtemp(auto_dir)) return -1;
  snprintf(auto_path, sizeof auto_path, "%s/auto.so", auto_dir);
  if (symlink(BUILT("plug_auto"), auto_path) != 0) return -1;
  setenv("DOVETAIL_PLUGIN_PATH", auto_dir, 1);
  setenv("DOVETAIL_NO_STANDARD_PLUGINS", "1", 1);
  register_host_op("LifeInput", NULL, 0, "y: float");
  const char *const attrs[] = {"value: tensor", "dtype: type"};
  register_host_op("Const", attrs, 2, "output: dtype");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(path);
  rmdir(dir);
  unlink(auto_path);
  rmdir(auto_dir);
  TF_DeleteStatus(S);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open_session_answers_not_found_and_then_finds_the_plugin_again),
      cmocka_unit_test(test_library_handle),
      cmocka_unit_test(test_by_path_and_never_loaded),
      cmocka_unit_test(test_running_step_is_waited_for_or_named),
      cmocka_unit_test(test_live_tensors_and_values_are_listed),
      cmocka_unit_test(test_resources_of_open_sessions_are_listed),
      cmocka_unit_test(test_partial_run_is_in_the_way),
      cmocka_unit_test(test_log_listener_goes_with_the_plugin),
      cmocka_unit_test(test_threads_and_dlpack_tensors_are_listed),
      cmocka_unit_test(test_plugins_of_directories_load_again_when_needed),
      cmocka_unit_test(test_outdated_plugin_is_told),
      cmocka_unit_test(test_rebuilt_file_is_new_code),
      cmocka_unit_test(test_code_that_cannot_leave_the_process),
      cmocka_unit_test(test_reload_in_one_call),
      cmocka_unit_test(test_another_definition_is_told),
      cmocka_unit_test(test_folded_constants_are_computed_anew),
      cmocka_unit_test(test_shapes_of_old_nodes),
      cmocka_unit_test(test_structs_of_other_headers),
      cmocka_unit_test(test_unload_and_reload_under_load),
      cmocka_unit_test(test_sessions_end_meanwhile),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
