// Random graphs, run by the array walk, by the dataflow walk in one thread and by the dataflow walk on
// several threads, against an interpreter in this file. Kernels forward buffers, share them, and keep handles
// beyond their call; fetched tensors are kept over later steps. No value that somebody still reads may
// change.
#include "exec/exec_test_util.h"
#include "exec/plan.h"

enum { MAX_NODES = 60, MAX_LENGTH = 40, GRAPHS = 120, RUNS = 8, MAX_FETCHES = 6 };

typedef enum kind { INPUT, CONSTANT, ADD, DOUBLE, SHARE, HALVES, KEEP, SUM, ASYNC } kind;

typedef struct spec {
  kind kind;
  int in[3], out[3];  // producers and which of their outputs
  int in_count;
} spec;

typedef struct value {
  int length;
  float data[MAX_LENGTH];
} value;

typedef struct random_graph {
  spec nodes[MAX_NODES];
  int count;
  TF_Graph *graph;
  TF_Operation *ops[MAX_NODES];
  TF_Output x, fetches[MAX_FETCHES];
  int fetch_node[MAX_FETCHES], fetch_out[MAX_FETCHES], fetch_count;
} random_graph;

static uint32_t seed = 1;
static int pick(int n) {
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (uint32_t)n);
}

// ---- a kernel that keeps its input, and looks at the next call whether it has changed ----

typedef struct kept {
  pthread_mutex_t lock;
  TF_Tensor *handle;
  float copy[MAX_LENGTH];
} kept;
static atomic_int corruptions;

static void *keep_create(TF_OpKernelConstruction *ctx) {
  (void)ctx;
  kept *k = calloc(1, sizeof *k);
  pthread_mutex_init(&k->lock, NULL);
  return k;
}
static void check_kept(kept *k) {
  if (!k->handle) return;
  if (memcmp(k->copy, TF_TensorData(k->handle), TF_TensorByteSize(k->handle)))
    atomic_fetch_add(&corruptions, 1);
  TF_DeleteTensor(k->handle);
  k->handle = NULL;
}
static void keep_compute(void *state, TF_OpKernelContext *ctx) {
  kept *k = state;
  TF_Status *status = TF_NewStatus();
  pthread_mutex_lock(&k->lock);
  check_kept(k);
  TF_GetInput(ctx, 0, &k->handle, status);
  memcpy(k->copy, TF_TensorData(k->handle), TF_TensorByteSize(k->handle));
  pthread_mutex_unlock(&k->lock);
  report(ctx, status);
  double_compute(NULL, ctx);
}
static void keep_delete(void *state) {
  check_kept(state);
  pthread_mutex_destroy(&((kept *)state)->lock);
  free(state);
}

// ---- making graphs ----

static int outputs_of(kind k) { return k == HALVES ? 2 : 1; }

static void make_spec(random_graph *r, bool with_async) {
  static const kind kinds[] = {ADD, ADD, ADD, DOUBLE, DOUBLE, SHARE, SHARE, HALVES, KEEP, SUM, CONSTANT};
  r->count = 5 + pick(MAX_NODES - 5);
  for (int i = 0; i < r->count; i++) {
    spec *n = &r->nodes[i];
    n->kind = i == 0 ? INPUT : kinds[pick(DVT_COUNT_OF(kinds))];
    if (with_async && i == 1) n->kind = ASYNC;
    n->in_count = n->kind == INPUT || n->kind == CONSTANT ? 0 : n->kind == ADD ? 2 : n->kind == SUM ? 3 : 1;
    for (int k = 0; k < n->in_count; k++) {
      int near = i - 1 - pick(4);
      n->in[k] = pick(2) || near < 0 ? pick(i) : near;
      n->out[k] = pick(outputs_of(r->nodes[n->in[k]].kind));
    }
  }
}

static TF_Output input_of(const random_graph *r, const spec *n, int k) {
  return (TF_Output){r->ops[n->in[k]], n->out[k]};
}

static TF_Operation *add_node(random_graph *r, int i) {
  static const char *const names[] = {"",           "",         "TestAdd", "TestDouble",  "TestIdentity",
                                      "TestHalves", "TestKeep", "",        "TestAsyncNow"};
  const spec *n = &r->nodes[i];
  char name[16];
  snprintf(name, sizeof name, "n%d", i);
  if (n->kind == INPUT) return placeholder(r->graph, name, TF_FLOAT).oper;
  if (n->kind == CONSTANT) return constant(r->graph, name, make_vector(1 + i % 7, (float)i)).oper;
  if (n->kind == SUM) {
    TF_OperationDescription *d = TF_NewOperation(r->graph, "TestSum", name);
    TF_AddInputList(d, (TF_Output[]){input_of(r, n, 0), input_of(r, n, 1), input_of(r, n, 2)}, 3);
    return finish(d);
  }
  return node(r->graph, names[n->kind], name, input_of(r, n, 0), n->in_count > 1 ? input_of(r, n, 1) : NONE,
              NULL);
}

// ---- the interpreter: the same arithmetic in the same order ----

static const value *read(value values[][2], const spec *n, int k) { return &values[n->in[k]][n->out[k]]; }

static bool evaluate(const random_graph *r, const value *x, value values[][2]) {
  for (int i = 0; i < r->count; i++) {
    const spec *n = &r->nodes[i];
    value *v = values[i];
    const value *a = n->in_count > 0 ? read(values, n, 0) : x,
                *b = n->in_count > 1 ? read(values, n, 1) : NULL;
    v[0].length = n->kind == CONSTANT ? 1 + i % 7 : n->kind == SUM ? 1 : a->length;
    switch (n->kind) {
      case CONSTANT:
        for (int k = 0; k < v->length; k++) v->data[k] = (float)i + (float)k;
        break;
      case ADD:
        if (b->length != a->length && b->length < 1) return false;
        for (int k = 0; k < v->length; k++) v->data[k] = a->data[k] + b->data[b->length == a->length ? k : 0];
        break;
      case DOUBLE:
      case KEEP:
        for (int k = 0; k < v->length; k++) v->data[k] = 2 * a->data[k];
        break;
      case HALVES:
        if (a->length < 2) return false;
        v[0].length = a->length / 2;
        v[1].length = a->length - a->length / 2;
        memcpy(v[0].data, a->data, sizeof(float) * (size_t)v[0].length);
        memcpy(v[1].data, a->data + v[0].length, sizeof(float) * (size_t)v[1].length);
        break;
      case SUM:
        v->data[0] = 0;
        for (int k = 0; k < 3; k++) v->data[0] += read(values, n, k)->data[0];
        break;
      default:
        memcpy(v->data, a->data, sizeof v->data);
    }
  }
  return true;
}

// ---- running ----

static value random_input(void) {
  value x = {.length = 24 + pick(16)};
  for (int k = 0; k < x.length; k++) x.data[k] = (float)pick(1000);
  return x;
}

static TF_Tensor *to_tensor(const value *x) {
  int64_t n = x->length;
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, &n, 1, sizeof(float) * (size_t)n);
  memcpy(TF_TensorData(t), x->data, sizeof(float) * (size_t)n);
  return t;
}

static void check_value(const TF_Tensor *got, const value *wanted) {
  assert_int_equal(TF_TensorByteSize(got), sizeof(float) * (size_t)wanted->length);
  assert_memory_equal(TF_TensorData(got), wanted->data, sizeof(float) * (size_t)wanted->length);
}

typedef struct result {
  TF_Tensor *tensors[MAX_FETCHES];
  value values[MAX_FETCHES];
} result;

static void run_and_check(random_graph *r, TF_Session *s, result *out) {
  static value values[MAX_NODES][2];
  value x = random_input();
  assert_true(evaluate(r, &x, values));
  TF_Tensor *feed = to_tensor(&x);
  TF_SessionRun(s, NULL, &r->x, &feed, 1, r->fetches, out->tensors, r->fetch_count, NULL, 0, NULL, S);
  assert_ok();
  check_value(feed, &x);
  TF_DeleteTensor(feed);
  for (int k = 0; k < r->fetch_count; k++) {
    out->values[k] = values[r->fetch_node[k]][r->fetch_out[k]];
    check_value(out->tensors[k], &out->values[k]);
  }
}

static void check_and_drop(random_graph *r, result *kept_result) {
  for (int k = 0; k < r->fetch_count; k++) {
    check_value(kept_result->tensors[k], &kept_result->values[k]);
    TF_DeleteTensor(kept_result->tensors[k]);
  }
}

// Makes the session's plans run by dataflow on several threads, as if all nodes were expensive.
static void force_parallel(TF_Session *s) {
  for (int b = 0; b < DVT_PLAN_BUCKETS; b++)
    for (dvt_plan *plan = atomic_load(&s->buckets[b]); plan; plan = plan->next) {
      if (atomic_load(&plan->mode) != DVT_PLAN_FLOW) atomic_store(&plan->mode, DVT_PLAN_PARALLEL);
      for (int i = 0; i < plan->node_count; i++) atomic_store(&plan->nodes[i].cost_ns, 1000000);
    }
}

static bool build(random_graph *r, bool with_async) {
  static value values[MAX_NODES][2];
  value x = {.length = 24};
  make_spec(r, with_async);
  if (!evaluate(r, &x, values)) return false;
  r->graph = TF_NewGraph();
  for (int i = 0; i < r->count; i++) r->ops[i] = add_node(r, i);
  r->x = OUT(r->ops[0]);
  r->fetch_count = 1 + pick(MAX_FETCHES);
  for (int k = 0; k < r->fetch_count; k++) {
    r->fetch_node[k] = k == 0 ? r->count - 1 : pick(r->count);
    r->fetch_out[k] = pick(outputs_of(r->nodes[r->fetch_node[k]].kind));
    r->fetches[k] = (TF_Output){r->ops[r->fetch_node[k]], r->fetch_out[k]};
  }
  return true;
}

static void run_many(random_graph *r, bool parallel) {
  static const unsigned char four_threads[] = {0x10, 4, 0x28, 4};
  result kept_results[RUNS];
  TF_Session *s = new_session(r->graph, four_threads, sizeof four_threads);
  for (int i = 0; i < RUNS; i++) {
    run_and_check(r, s, &kept_results[i]);
    if (parallel) force_parallel(s);
    if (i >= 3) check_and_drop(r, &kept_results[i - 3]);
  }
  for (int i = RUNS - 3; i < RUNS; i++) check_and_drop(r, &kept_results[i]);
  end_session(s);
}

static void run_graphs(bool with_async, bool parallel) {
  atomic_store(&corruptions, 0);
  for (int i = 0, made = 0; made < GRAPHS; i++) {
    random_graph r = {0};
    if (!build(&r, with_async)) continue;
    made++;
    run_many(&r, parallel);
    TF_DeleteGraph(r.graph);
  }
  assert_int_equal(atomic_load(&corruptions), 0);
}

static void test_array_walk(void **state) {
  (void)state;
  run_graphs(false, false);
}
static void test_dataflow_walk(void **state) {
  (void)state;
  run_graphs(true, false);
}
static void test_parallel_walk(void **state) {
  (void)state;
  run_graphs(false, true);
  run_graphs(true, true);
}

// ---- one session from many threads ----

typedef struct worker {
  TF_Session *session;
  random_graph *graph;
  uint32_t seed;
  bool ok;
} worker;

static void *run_in_thread(void *arg) {
  worker *w = arg;
  TF_Status *status = TF_NewStatus();
  w->ok = true;
  for (int i = 0; i < 60 && w->ok; i++) {
    value(*values)[2] = calloc(MAX_NODES, sizeof *values);
    value x = {.length = 30};
    for (int k = 0; k < x.length; k++) x.data[k] = (float)((w->seed + (uint32_t)i * 7 + (uint32_t)k) % 1000);
    evaluate(w->graph, &x, values);
    TF_Tensor *feed = to_tensor(&x), *got[MAX_FETCHES];
    TF_SessionRun(w->session, NULL, &w->graph->x, &feed, 1, w->graph->fetches, got, w->graph->fetch_count,
                  NULL, 0, NULL, status);
    w->ok = TF_GetCode(status) == TF_OK;
    for (int k = 0; w->ok && k < w->graph->fetch_count; k++) {
      const value *wanted = &values[w->graph->fetch_node[k]][w->graph->fetch_out[k]];
      w->ok = memcmp(TF_TensorData(got[k]), wanted->data, sizeof(float) * (size_t)wanted->length) == 0;
      TF_DeleteTensor(got[k]);
    }
    TF_DeleteTensor(feed);
    free(values);
  }
  TF_DeleteStatus(status);
  return NULL;
}

static void run_threads(bool with_async, bool parallel) {
  enum { THREADS = 8 };
  random_graph r = {0};
  while (!build(&r, with_async)) {
  }
  static const unsigned char two_threads[] = {0x10, 2, 0x28, 2};
  TF_Session *s = new_session(r.graph, two_threads, sizeof two_threads);
  if (parallel) {
    result first;
    run_and_check(&r, s, &first);
    force_parallel(s);
    check_and_drop(&r, &first);
  }
  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){.session = s, .graph = &r, .seed = (uint32_t)i * 100};
    pthread_create(&threads[i], NULL, run_in_thread, &workers[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_true(workers[i].ok);
  }
  end_session(s);
  TF_DeleteGraph(r.graph);
}

static void test_rule_135_one_session_from_many_threads(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    run_threads(false, false);
    run_threads(true, false);
    run_threads(false, true);
  }
}

static int set_up(void **state) {
  set_up_ops(state);
  register_op("TestKeep", "x: float -> y: float", false);
  add_kernel("TestKeep", keep_create, keep_compute, keep_delete);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_array_walk),
      cmocka_unit_test(test_dataflow_walk),
      cmocka_unit_test(test_parallel_walk),
      cmocka_unit_test(test_rule_135_one_session_from_many_threads),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
