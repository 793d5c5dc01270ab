// Unloading and loading a plugin again while threads run sessions, build graphs, and open and close sessions.
// Meant for ThreadSanitizer.
#include "exec/unload_test_util.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unload_and_reload_under_load),
      cmocka_unit_test(test_sessions_end_meanwhile),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
