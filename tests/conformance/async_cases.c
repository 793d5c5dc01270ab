// Asynchronous kernels, rules 179 to 182, and the order that control edges give.
#include <pthread.h>
#include <unistd.h>

#include "conformance.h"

// ---- asynchronous kernels ----

static enum {
  DONE_AT_ONCE,
  DONE_IN_THREAD,
  DONE_LATE,
  DONE_TWICE,
  FAIL_AT_ONCE,
  FAIL_LATE,
  FAIL_SILENTLY
} async_way;

typedef struct late {
  TF_OpKernelContext *ctx;
  TF_AsyncOpKernelDoneCallback *done;
} late;

static void finish_async(late *l) {
  TF_Status *s = TF_NewStatus();
  TF_Tensor *x = NULL;
  TF_GetInput(l->ctx, 0, &x, s);
  if (async_way == FAIL_AT_ONCE || async_way == FAIL_LATE) {
    TF_SetStatus(s, TF_DATA_LOSS, "asynchronous failure");
    TF_OpKernelContext_Failure(l->ctx, s);
  } else if (async_way != FAIL_SILENTLY) {
    TF_SetOutput(l->ctx, 0, x, s);
  }
  TF_DeleteTensor(x);
  TF_DeleteStatus(s);
  TF_RunAsyncOpKernelDoneCallback(l->done);
  if (async_way == DONE_TWICE) TF_RunAsyncOpKernelDoneCallback(l->done);
}

static void *finish_in_thread(void *argument) {
  if (async_way == DONE_LATE || async_way == FAIL_LATE) usleep(50000);
  finish_async(argument);
  free(argument);
  return NULL;
}

static void compute_async(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)kernel;
  late here = {ctx, done}, *there;
  pthread_t thread;
  if (async_way != DONE_IN_THREAD && async_way != DONE_LATE && async_way != FAIL_LATE) {
    finish_async(&here);
    return;
  }
  there = malloc(sizeof *there);
  *there = here;
  pthread_create(&thread, NULL, finish_in_thread, there);
  if (async_way == DONE_IN_THREAD)
    pthread_join(thread, NULL);
  else
    pthread_detach(thread);
}

static void see_async_two(void) {
  define_op("AsyncTwo", shape_unknown, "in x: float|out y: float|out z: float|stateful");
  TF_RegisterKernelBuilder(NULL, TF_NewAsyncKernelBuilder("AsyncTwo", "CPU", NULL, compute_async, NULL), st);
  for (int read = 0; read < 2; read++) {
    const char *label = text("rule-157 second output unset, %s", read ? "read" : "not read");
    ISOLATED(label) {
      async_way = DONE_AT_ONCE;
      TF_Graph *graph = TF_NewGraph();
      TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "AsyncTwo", "y", INPUTS(x)),
                z = node(graph, "Identity", "z", INPUTS((TF_Output){y.oper, read}));
      see_run(label, graph, &x, float_scalar(3), &z, NULL);
    }
  }
}

void case_compute_async(void) {
  see_async_two();
  define_op("Async", shape_first, "in x: float|out y: float|stateful");
  TF_RegisterKernelBuilder(NULL, TF_NewAsyncKernelBuilder("Async", "CPU", NULL, compute_async, NULL), st);
  static const char *const names[] = {
      "rule-179 done at once", "rule-179 done in a thread", "rule-179 done late", "rule-180 done twice",
      "rule-179 failure",      "rule-179 failure late",     "rule-179 no output"};
  for (int i = 0; i < COUNT(names); i++) ISOLATED(names[i]) {
      async_way = i;
      TF_Graph *graph = TF_NewGraph();
      TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "Async", "y", INPUTS(x)),
                z = node(graph, "Async", "z", INPUTS(y)), sum = node(graph, "AddV2", "sum", INPUTS(y, z));
      TF_Session *session = open_session(graph);
      for (int k = 0; k < 3; k++) {
        TF_Tensor *result = run(session, &x, float_scalar(21), &sum);
        see_status(text("%s run %d", names[i], k), NULL);
        see_tensor(text("%s result %d", names[i], k), result);
        TF_DeleteTensor(result);
      }
      close_session(session);
    }
}

// ---- order and control edges ----

static char order[64];
static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;

static void compute_order(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_StringView name = TF_GetOpKernelName(ctx);
  pthread_mutex_lock(&order_lock);
  if (strlen(order) + name.len + 2 < sizeof order)
    sprintf(order + strlen(order), "%.*s ", (int)name.len, name.data);
  pthread_mutex_unlock(&order_lock);
  TF_Status *s = TF_NewStatus();
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, 0, &x, s);
  TF_SetOutput(ctx, 0, x, s);
  TF_DeleteTensor(x);
  TF_DeleteStatus(s);
}

void case_compute_order(void) {
  define_op("Order", shape_first, "in x: float|out y: float|stateful");
  define_kernel("Order", NULL, compute_order, NULL);
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), last = x;
  TF_Operation *chain[5];
  for (int i = 4; i >= 0; i--) {  // added in one order, run in the other
    TF_Output n = node(graph, "Order", text("n%d", i), INPUTS(x));
    chain[i] = n.oper;
    if (i == 4) last = n;
  }
  for (int i = 1; i < 5; i++) TF_AddOperationControlInput(graph, chain[i], chain[i - 1]);
  TF_Output unneeded = node(graph, "Order", "unneeded", INPUTS(x));
  see("unneeded", "%d", unneeded.oper != NULL);
  see_run("run", graph, &x, float_scalar(1), &last, NULL);
  see("order", "%s", order);
  TF_DeleteGraph(graph);
}
