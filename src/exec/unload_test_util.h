// What the tests of unloading share: a plugin file that several builds are copied to, graphs of its ops, and
// the fixture.
#ifndef DVT_EXEC_UNLOAD_TEST_UTIL_H_
#define DVT_EXEC_UNLOAD_TEST_UTIL_H_

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
#include "base/thread_cache.h"
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

static inline void *symbol(const char *name) {
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

// ---- the fixture ----

static char last_log[256];
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

#endif  // DVT_EXEC_UNLOAD_TEST_UTIL_H_
