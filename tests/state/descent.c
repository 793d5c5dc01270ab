// descent PLUGIN            trains a linear model through the stock C API and prints the loss of every step
// and
//                           the weights; descent_test.py does the same in NumPy and compares.
// descent PLUGIN together   several threads step the same variables at once; no step may be lost.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

#define EXAMPLES 32
#define FEATURES 3
#define STEPS 150

static TF_Status *status;
static TF_Graph *graph;

static void check(const char *what) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s: %s\n", what, TF_Message(status));
  exit(1);
}

// ---- nodes ----

static TF_Tensor *floats(const int64_t *dims, int rank, const float *values) {
  size_t count = 1;
  for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, rank, count * sizeof(float));
  memcpy(TF_TensorData(t), values, count * sizeof(float));
  return t;
}

static TF_Operation *node(const char *op, const char *name, const TF_Output *inputs, int count) {
  TF_OperationDescription *d = TF_NewOperation(graph, op, name);
  for (int i = 0; i < count; i++) TF_AddInput(d, inputs[i]);
  TF_Operation *made = TF_FinishOperation(d, status);
  check(name);
  return made;
}
#define NODE(op, name, ...)                        \
  node(op, name, (const TF_Output[]){__VA_ARGS__}, \
       sizeof((const TF_Output[]){__VA_ARGS__}) / sizeof(TF_Output))

static TF_Output constant(const char *name, const int64_t *dims, int rank, const float *values) {
  TF_Tensor *t = floats(dims, rank, values);
  TF_OperationDescription *d = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(d, "value", t, status);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_DeleteTensor(t);
  TF_Output out = {TF_FinishOperation(d, status), 0};
  check(name);
  return out;
}
static TF_Output number(const char *name, float value) { return constant(name, NULL, 0, &value); }

static TF_Output placeholder(const char *name) {
  TF_OperationDescription *d = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_Output out = {TF_FinishOperation(d, status), 0};
  check(name);
  return out;
}

static TF_Output variable(const char *name, const int64_t *dims, int rank) {
  TF_OperationDescription *d = TF_NewOperation(graph, "VarHandleOp", name);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", dims, rank);
  TF_SetAttrString(d, "shared_name", name, strlen(name));
  TF_Output out = {TF_FinishOperation(d, status), 0};
  check(name);
  return out;
}

static TF_Session *session(void) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *made = TF_NewSession(graph, options, status);
  check("session");
  TF_DeleteSessionOptions(options);
  return made;
}

static void close_session(TF_Session *s) {
  TF_CloseSession(s, status);
  TF_DeleteSession(s, status);
  check("closing the session");
}

static void run_target(TF_Session *s, TF_Operation *target) {
  const TF_Operation *targets[] = {target};
  TF_SessionRun(s, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  check("running");
}

// ---- one thread, a model ----

typedef struct model {
  TF_Output x, y, loss, w, b;
  TF_Operation *starts[3], *steps[2];
} model;

static model build(void) {
  const int64_t dims[] = {FEATURES};
  const float zeros[FEATURES] = {0};
  TF_Output w = variable("w", dims, 1), velocity = variable("velocity", dims, 1), b = variable("b", NULL, 0);
  TF_Output none = constant("zeros", dims, 1, zeros);
  model m = {.x = placeholder("x"), .y = placeholder("y")};
  m.starts[0] = NODE("DescentAssign", "start_w", w, none);
  m.starts[1] = NODE("DescentAssign", "start_velocity", velocity, none);
  m.starts[2] = NODE("DescentAssign", "start_b", b, number("zero", 0));
  m.w = (TF_Output){NODE("DescentRead", "read_w", w), 0};
  m.b = (TF_Output){NODE("DescentRead", "read_b", b), 0};
  TF_Operation *gradient = NODE("DescentGradient", "gradient", m.w, m.b, m.x, m.y);
  m.loss = (TF_Output){gradient, 0};
  TF_Output dw = {gradient, 1}, db = {gradient, 2}, rate = number("rate", 0.05f);
  m.steps[0] = NODE("DescentMomentum", "step_w", w, velocity, dw, rate, number("momentum", 0.8f));
  m.steps[1] = NODE("DescentStep", "step_b", b, db, rate);
  return m;
}

// Numbers that NumPy makes exactly the same: small fractions of integers.
static void data(TF_Tensor **out_x, TF_Tensor **out_y) {
  float x[EXAMPLES * FEATURES], y[EXAMPLES];
  const float truth[FEATURES] = {1.5f, -2, 0.5f};
  for (int i = 0; i < EXAMPLES; i++) {
    y[i] = 0.25f + (float)(5 * i % 7 - 3) / 16;
    for (int k = 0; k < FEATURES; k++) {
      x[i * FEATURES + k] = (float)((7 * i + 3 * k * k + i * k) % 11 - 5) / 4;
      y[i] += x[i * FEATURES + k] * truth[k];
    }
  }
  *out_x = floats((const int64_t[]){EXAMPLES, FEATURES}, 2, x);
  *out_y = floats((const int64_t[]){EXAMPLES}, 1, y);
}

static void print_floats(const char *what, TF_Tensor *tensor) {
  const float *values = TF_TensorData(tensor);
  printf("%s", what);
  for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) printf(" %.9g", (double)values[i]);
  printf("\n");
  TF_DeleteTensor(tensor);
}

static void train(void) {
  model m = build();
  TF_Session *s = session();
  TF_Tensor *values[2], *loss = NULL, *weights[2] = {NULL, NULL};
  const TF_Output feeds[] = {m.x, m.y}, fetches[] = {m.w, m.b};
  data(&values[0], &values[1]);
  for (int i = 0; i < 3; i++) run_target(s, m.starts[i]);
  for (int i = 0; i < STEPS; i++) {
    TF_SessionRun(s, NULL, feeds, values, 2, &m.loss, &loss, 1, (const TF_Operation *const *)m.steps, 2, NULL,
                  status);
    check("a step");
    print_floats("loss", loss);
  }
  TF_SessionRun(s, NULL, NULL, NULL, 0, fetches, weights, 2, NULL, 0, NULL, status);
  check("reading the weights");
  print_floats("w", weights[0]);
  print_floats("b", weights[1]);
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(values[1]);
  close_session(s);
}

// ---- many threads ----

#define THREADS 4
#define TURNS 60

typedef struct worker {
  TF_Session *session;
  const TF_Operation *step, *other_way;
  TF_Output read;
  int failures;
} worker;

// Steps of both orders of the variables, and reads, which see each element of a value from one step.
static void *work(void *arg) {
  worker *w = arg;
  TF_Status *own = TF_NewStatus();
  for (int i = 0; i < TURNS; i++) {
    TF_Tensor *value = NULL;
    TF_SessionRun(w->session, NULL, NULL, NULL, 0, NULL, NULL, 0, i % 2 ? &w->step : &w->other_way, 1, NULL,
                  own);
    if (TF_GetCode(own) != TF_OK) w->failures++;
    TF_SessionRun(w->session, NULL, NULL, NULL, 0, &w->read, &value, 1, NULL, 0, NULL, own);
    if (TF_GetCode(own) != TF_OK) {
      w->failures++;
      continue;
    }
    const float *v = TF_TensorData(value);
    w->failures += v[0] != v[1] || v[1] != v[2];
    TF_DeleteTensor(value);
  }
  TF_DeleteStatus(own);
  return NULL;
}

static int together(void) {
  const int64_t dims[] = {FEATURES};
  const float zeros[FEATURES] = {0}, ones[FEATURES] = {1, 1, 1};
  TF_Output a = variable("a", dims, 1), b = variable("b", dims, 1), none = constant("zeros", dims, 1, zeros),
            gradient = constant("ones", dims, 1, ones), rate = number("rate", -1),
            momentum = number("none", 0);
  TF_Operation *starts[] = {NODE("DescentAssign", "start_a", a, none),
                            NODE("DescentAssign", "start_b", b, none)};
  worker w = {.session = session()};
  // With momentum 0 the second variable becomes the gradient and the first grows by one.
  w.step = NODE("DescentMomentum", "ab", a, b, gradient, rate, momentum);
  w.other_way = NODE("DescentStep", "only_a", a, gradient, rate);
  w.read = (TF_Output){NODE("DescentRead", "read", a), 0};
  for (int i = 0; i < 2; i++) run_target(w.session, starts[i]);
  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = w;
    if (pthread_create(&threads[i], NULL, work, &workers[i])) return 1;
  }
  int failures = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    failures += workers[i].failures;
  }
  TF_Tensor *value = NULL;
  TF_SessionRun(w.session, NULL, NULL, NULL, 0, &w.read, &value, 1, NULL, 0, NULL, status);
  check("reading the sum");
  float sum = *(const float *)TF_TensorData(value);
  TF_DeleteTensor(value);
  close_session(w.session);
  printf("%g steps of %d, %d failures\n", (double)sum, THREADS * TURNS, failures);
  return failures || sum != THREADS * TURNS;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: descent PLUGIN [together]\n");
    return 2;
  }
  status = TF_NewStatus();
  graph = TF_NewGraph();
  TF_Library *plugin = TF_LoadLibrary(argv[1], status);
  check("loading the plugin");
  int failed = 0;
  if (argc > 2)
    failed = together();
  else
    train();
  TF_DeleteGraph(graph);
  TF_DeleteLibraryHandle(plugin);
  TF_DeleteStatus(status);
  return failed;
}
