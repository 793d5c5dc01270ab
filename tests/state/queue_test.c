// Queues between steps that run at the same time: who waits is woken by room, by elements, by the end of the
// queue, by the end of its session.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "tensorflow/c/c_api.h"

static TF_Status *status;
static TF_Graph *graph;
static TF_Session *session;
static TF_Output queue, value, taken, size, batch;
static TF_Operation *enqueue, *enqueue_many, *close_queue, *close_and_cancel;

static void check(void) {
  if (TF_GetCode(status) != TF_OK) fail_msg("%s", TF_Message(status));
}

static TF_Operation *finish(TF_OperationDescription *d) {
  TF_Operation *operation = TF_FinishOperation(d, status);
  check();
  return operation;
}

static TF_Output placeholder(const char *name, TF_DataType dtype) {
  TF_OperationDescription *d = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(d, "dtype", dtype);
  return (TF_Output){finish(d), 0};
}

static TF_Output int_constant(const char *name, int32_t n) {
  TF_Tensor *t = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
  memcpy(TF_TensorData(t), &n, 4);
  TF_OperationDescription *d = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(d, "value", t, status);
  TF_SetAttrType(d, "dtype", TF_INT32);
  TF_DeleteTensor(t);
  return (TF_Output){finish(d), 0};
}

static TF_Operation *put_node(const char *op, const char *name) {
  TF_OperationDescription *d = TF_NewOperation(graph, op, name);
  TF_AddInput(d, queue);
  TF_AddInputList(d, &value, 1);
  return finish(d);
}

static TF_Output take_node(const char *op, const char *name, const TF_Output *n) {
  static const TF_DataType types[] = {TF_INT64};
  TF_OperationDescription *d = TF_NewOperation(graph, op, name);
  TF_AddInput(d, queue);
  if (n) TF_AddInput(d, *n);
  TF_SetAttrTypeList(d, "component_types", types, 1);
  return (TF_Output){finish(d), 0};
}

static TF_Operation *close_node(const char *name, bool cancels) {
  TF_OperationDescription *d = TF_NewOperation(graph, "QueueCloseV2", name);
  TF_AddInput(d, queue);
  TF_SetAttrBool(d, "cancel_pending_enqueues", cancels);
  return finish(d);
}

// A queue of scalars with room for two.
static int setup(void **state) {
  (void)state;
  static const TF_DataType types[] = {TF_INT64};
  const int64_t *no_dims[] = {NULL};
  const int scalar = 0;
  status = TF_NewStatus();
  graph = TF_NewGraph();
  TF_OperationDescription *d = TF_NewOperation(graph, "FIFOQueueV2", "line");
  TF_SetAttrTypeList(d, "component_types", types, 1);
  TF_SetAttrShapeList(d, "shapes", no_dims, &scalar, 1);
  TF_SetAttrInt(d, "capacity", 2);
  queue = (TF_Output){finish(d), 0};
  value = placeholder("value", TF_INT64);
  enqueue = put_node("QueueEnqueueV2", "put");
  enqueue_many = put_node("QueueEnqueueManyV2", "put_many");
  taken = take_node("QueueDequeueV2", "take", NULL);
  TF_Output three = int_constant("three", 3);
  batch = take_node("QueueDequeueManyV2", "take_three", &three);
  d = TF_NewOperation(graph, "QueueSizeV2", "size");
  TF_AddInput(d, queue);
  size = (TF_Output){finish(d), 0};
  close_queue = close_node("close", false);
  close_and_cancel = close_node("cancel", true);
  TF_SessionOptions *options = TF_NewSessionOptions();
  session = TF_NewSession(graph, options, status);
  check();
  TF_DeleteSessionOptions(options);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}

// ---- steps ----

static void put(int64_t n, TF_Status *s) {
  TF_Tensor *t = TF_AllocateTensor(TF_INT64, NULL, 0, 8);
  memcpy(TF_TensorData(t), &n, 8);
  TF_SessionRun(session, NULL, &value, &t, 1, NULL, NULL, 0, (const TF_Operation *const *)&enqueue, 1, NULL,
                s);
  TF_DeleteTensor(t);
}

static void put_many(const int64_t *numbers, int64_t count, TF_Status *s) {
  TF_Tensor *t = TF_AllocateTensor(TF_INT64, &count, 1, (size_t)count * 8);
  memcpy(TF_TensorData(t), numbers, (size_t)count * 8);
  TF_SessionRun(session, NULL, &value, &t, 1, NULL, NULL, 0, (const TF_Operation *const *)&enqueue_many, 1,
                NULL, s);
  TF_DeleteTensor(t);
}

static TF_Tensor *fetch(TF_Output output, TF_Status *s) {
  TF_Tensor *t = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &output, &t, 1, NULL, 0, NULL, s);
  return TF_GetCode(s) == TF_OK ? t : NULL;
}

static int64_t take(TF_Status *s) {
  TF_Tensor *t = fetch(taken, s);
  int64_t n = t ? *(const int64_t *)TF_TensorData(t) : -1;
  TF_DeleteTensor(t);
  return n;
}

static void target(TF_Operation *operation) {
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, (const TF_Operation *const *)&operation, 1, NULL,
                status);
  check();
}

static int32_t current_size(void) {
  TF_Tensor *t = fetch(size, status);
  check();
  int32_t n = *(const int32_t *)TF_TensorData(t);
  TF_DeleteTensor(t);
  return n;
}

// ---- other threads ----

typedef struct worker {
  pthread_t thread;
  int64_t first, count, sum;
  TF_Code code;
  char message[400];
} worker;

static void note(worker *w, TF_Status *s) {
  w->code = TF_GetCode(s);
  strncpy(w->message, TF_Message(s), sizeof(w->message) - 1);
  TF_DeleteStatus(s);
}

static void *put_numbers(void *arg) {
  worker *w = arg;
  TF_Status *s = TF_NewStatus();
  for (int64_t i = 0; i < w->count && TF_GetCode(s) == TF_OK; i++) put(w->first + i, s);
  note(w, s);
  return NULL;
}
static void *take_numbers(void *arg) {
  worker *w = arg;
  TF_Status *s = TF_NewStatus();
  for (int64_t i = 0; i < w->count && TF_GetCode(s) == TF_OK; i++) w->sum += take(s);
  note(w, s);
  return NULL;
}
static void *take_batch(void *arg) {
  worker *w = arg;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *t = fetch(batch, s);
  for (int i = 0; t && i < 3; i++) w->sum = w->sum * 10 + ((const int64_t *)TF_TensorData(t))[i];
  TF_DeleteTensor(t);
  note(w, s);
  return NULL;
}

static worker *start(worker *w, void *(*work)(void *), int64_t first, int64_t count) {
  *w = (worker){.first = first, .count = count};
  assert_int_equal(pthread_create(&w->thread, NULL, work, w), 0);
  return w;
}
static void join(worker *w, TF_Code code, const char *part) {
  pthread_join(w->thread, NULL);
  if (w->code != code || !strstr(w->message, part)) fail_msg("code %d: %s", w->code, w->message);
}

// ---- tests ----

static void test_room_and_elements(void **state) {
  (void)state;
  worker w, r;
  start(&w, put_numbers, 1, 5);  // more than there is room for
  for (int64_t i = 1; i <= 5; i++) assert_int_equal(take(status), i);
  check();
  join(&w, TF_OK, "");
  start(&r, take_batch, 0, 0);
  put_many((const int64_t[]){7, 8, 9, 6}, 4, status);
  check();
  join(&r, TF_OK, "");
  assert_int_equal(r.sum, 789);
  assert_int_equal(take(status), 6);
  assert_int_equal(current_size(), 0);
}

static void test_many_producers_and_consumers(void **state) {
  (void)state;
  enum { EACH = 40, PAIRS = 3 };
  worker p[PAIRS], c[PAIRS];
  int64_t sum = 0, wanted = 0;
  for (int i = 0; i < PAIRS; i++) start(&p[i], put_numbers, 1000 * i, EACH);
  for (int i = 0; i < PAIRS; i++) start(&c[i], take_numbers, 0, EACH);
  for (int i = 0; i < PAIRS; i++) {
    join(&p[i], TF_OK, "");
    join(&c[i], TF_OK, "");
    sum += c[i].sum;
    wanted += EACH * (1000 * i) + EACH * (EACH - 1) / 2;
  }
  assert_int_equal(sum, wanted);
  assert_int_equal(current_size(), 0);
}

static void test_close(void **state) {
  (void)state;
  worker r, b;
  start(&r, take_numbers, 0, 1);
  start(&b, take_batch, 0, 0);
  target(close_queue);
  join(&r, TF_OUT_OF_RANGE,
       "FIFOQueue 'line' is closed and has insufficient elements (requested 1, current size 0)");
  assert_non_null(strstr(r.message, "{{node take}}"));
  join(&b, TF_OUT_OF_RANGE, "(requested 3, current size 0)");
  put(1, status);
  assert_int_equal(TF_GetCode(status), TF_CANCELLED);
  assert_non_null(strstr(TF_Message(status), "FIFOQueue 'line' is closed."));
}

// What is in may be taken from a closed queue; an enqueue that waits in front of the end still comes in.
static void test_close_behind_elements(void **state) {
  (void)state;
  put_many((const int64_t[]){4, 5}, 2, status);
  target(close_queue);
  assert_int_equal(take(status), 4);
  worker b;
  start(&b, take_batch, 0, 0);
  join(&b, TF_OUT_OF_RANGE, "current size 1");
  assert_int_equal(take(status), 5);
  check();
}

static void test_close_cancels_enqueues(void **state) {
  (void)state;
  put_many((const int64_t[]){1, 2}, 2, status);
  check();
  worker w;
  start(&w, put_numbers, 3, 1);
  target(close_and_cancel);
  join(&w, TF_CANCELLED, "");
  assert_int_equal(take(status), 1);
  assert_int_equal(take(status), 2);
  check();
}

// A session that is closed takes back who waits; so does a time limit.
static void test_cancellation(void **state) {
  (void)state;
  static const unsigned char limit[] = {0x10, 20};  // RunOptions.timeout_in_ms = 20
  TF_Buffer *options = TF_NewBufferFromString(limit, sizeof(limit));
  TF_Tensor *t = NULL;
  TF_SessionRun(session, options, NULL, NULL, 0, &taken, &t, 1, NULL, 0, NULL, status);
  assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
  TF_DeleteBuffer(options);
  put(5, status);  // the step that gave up does not take it
  check();
  assert_int_equal(take(status), 5);
  worker r, b;
  start(&r, take_numbers, 0, 1);
  start(&b, take_batch, 0, 0);
  TF_CloseSession(session, status);
  check();
  pthread_join(r.thread, NULL);
  pthread_join(b.thread, NULL);
  assert_int_not_equal(r.code, TF_OK);
  assert_int_not_equal(b.code, TF_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_room_and_elements),     TEST(test_many_producers_and_consumers), TEST(test_close),
      TEST(test_close_behind_elements), TEST(test_close_cancels_enqueues),       TEST(test_cancellation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
