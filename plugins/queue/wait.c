// See queue.h. Attempts are in the lines under the queue's lock. Whoever takes one out of its line finishes
// it, with no lock held: takes back its cancellation, makes the outputs, runs done. So each is finished once.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dovetail/kernel_context.h"
#include "dovetail/object.h"
#include "queue/queue.h"

typedef void (*output_function)(dvp_call *call, const dvq_options *options, dvq_element *const *elements,
                                int64_t count);

typedef enum attempt_kind { ENQUEUE, CLOSE, DEQUEUE } attempt_kind;

typedef struct attempt {
  struct attempt *next;
  attempt_kind kind;
  dvq_queue *queue;
  dvp_call call;
  TF_AsyncOpKernelDoneCallback *done;
  int64_t token;
  bool is_waiting;  // in a line
  bool up_to;
  output_function output;
  // Elements to put, or taken; `at` of them are put or taken already.
  dvq_element **elements;
  int64_t at, count;
} attempt;

typedef struct line {
  attempt *first, *last;
} line;

struct dvq_queue {
  pthread_mutex_t lock;
  dvq_options options;  // with memory of its own
  char *name;
  bool closed;
  dvq_store store;
  line enqueues, dequeues;
};

const dvq_options *dvq_queue_options(const dvq_queue *q) { return &q->options; }

// ---- life ----

static void destroy(void *value) {
  dvq_queue *q = value;
  dvq_store_deinit(&q->store);
  pthread_mutex_destroy(&q->lock);
  free((void *)q->options.types);
  free((void *)q->options.shapes);
  free(q->name);
  free(q);
}

static const dvt_value_type queue_type = {
    sizeof(dvt_value_type), "tensorflow::QueueInterface", destroy, NULL, NULL, NULL};

typedef struct wanted {
  const dvq_options *options;
  const char *name;
  size_t name_bytes;
} wanted;

static void *copy_of(const void *from, size_t bytes) {
  void *copy = from ? malloc(bytes ? bytes : 1) : NULL;
  if (copy) memcpy(copy, from, bytes);
  return copy;
}

static void *create(TF_OpKernelContext *ctx, void *arg, TF_Status *status) {
  (void)ctx;
  const wanted *w = arg;
  dvq_queue *q = calloc(1, sizeof(*q));
  if (q) {
    size_t count = (size_t)w->options->count;
    pthread_mutex_init(&q->lock, NULL);
    q->options = *w->options;
    q->options.types = copy_of(w->options->types, count * sizeof(*w->options->types));
    q->options.shapes = copy_of(w->options->shapes, count * sizeof(*w->options->shapes));
    q->name = strndup(w->name, w->name_bytes);
    q->store.order = w->options->order;
    q->store.random = dvp_philox_stream_of(
        dvp_philox_of((uint64_t)w->options->seeds[0], 0, (uint64_t)w->options->seeds[1]));
    if (q->options.types && q->name && (q->options.shapes || !w->options->shapes)) return q;
    destroy(q);
  }
  TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Out of memory for a queue");
  return NULL;
}

static bool same_shapes(const dvq_options *a, const dvq_options *b) {
  if (!a->shapes || !b->shapes) return a->shapes == b->shapes;
  for (int i = 0; i < a->count; i++) {
    const dvq_shape *x = &a->shapes[i], *y = &b->shapes[i];
    if (x->rank != y->rank || (x->rank > 0 && memcmp(x->dims, y->dims, (size_t)x->rank * sizeof(x->dims[0]))))
      return false;
  }
  return true;
}

static bool check_like(dvp_call *call, const dvq_queue *q, const dvq_options *options) {
  const char *what =
      strcmp(q->options.kind, options->kind) != 0                  ? "type"
      : q->options.capacity != options->capacity                   ? "capacity"
      : q->options.min_after_dequeue != options->min_after_dequeue ? "min_after_dequeue"
      : q->options.count != options->count ||
              memcmp(q->options.types, options->types, (size_t)options->count * sizeof(*options->types)) != 0
          ? "component types"
      : !same_shapes(&q->options, options) ? "component shapes"
                                           : NULL;
  return !what || dvp_fail(call, TF_INVALID_ARGUMENT,
                           "Shared queue '%s' is a %s whose %s differs from what the node asks for", q->name,
                           q->options.kind, what);
}

TF_Tensor *dvq_queue_handle(dvp_call *call, const char *container, size_t container_bytes, const char *name,
                            size_t name_bytes, const dvq_options *options) {
  wanted w = {options, name, name_bytes};
  TF_Tensor *handle = dvt_resource_handle(call->ctx, container, container_bytes, name, name_bytes,
                                          &queue_type, create, &w, call->status);
  if (!dvp_ok(call)) return NULL;
  const dvq_queue *q = dvt_object_get(handle, 0, &queue_type, call->status);
  if (dvp_ok(call) && check_like(call, q, options)) return handle;
  TF_DeleteTensor(handle);
  return NULL;
}

dvq_queue *dvq_queue_input(dvp_call *call) {
  dvq_queue *queue = dvt_resource_get(call->ctx, 0, &queue_type, call->status);
  return dvp_ok(call) ? queue : NULL;
}

int64_t dvq_queue_size(dvq_queue *q) {
  pthread_mutex_lock(&q->lock);
  int64_t count = q->store.count;
  pthread_mutex_unlock(&q->lock);
  return count;
}

bool dvq_queue_is_closed(dvq_queue *q) {
  pthread_mutex_lock(&q->lock);
  bool closed = q->closed;
  pthread_mutex_unlock(&q->lock);
  return closed;
}

// ---- attempts ----

static void attempt_free(attempt *a) {
  int64_t held = a->kind == DEQUEUE ? a->at : a->count;
  for (int64_t i = 0; a->elements && i < held; i++) dvq_element_free(a->elements[i]);
  free(a->elements);
  TF_DeleteStatus(a->call.status);
  free(a);
}

static void report_done(attempt *a) {
  TF_AsyncOpKernelDoneCallback *done = a->done;
  attempt_free(a);
  TF_RunAsyncOpKernelDoneCallback(done);
}

// Of an attempt that left its line by itself; `call.status` says how. No lock is held.
static void finish(attempt *a) {
  if (a->token) TF_OpKernelContext_DeregisterCancellation(a->call.ctx, a->token);
  if (dvp_ok(&a->call) && a->kind == DEQUEUE) a->output(&a->call, &a->queue->options, a->elements, a->at);
  report_done(a);
}

static void line_add(line *l, attempt *a) {
  a->next = NULL;
  if (l->last)
    l->last->next = a;
  else
    l->first = a;
  l->last = a;
}

static void line_remove(line *l, attempt *a) {
  attempt *before = NULL;
  for (attempt *i = l->first; i != a; i = i->next) before = i;
  if (before)
    before->next = a->next;
  else
    l->first = a->next;
  if (l->last == a) l->last = before;
}

static void fail_attempt(attempt *a, TF_Code code, const char *text) {
  TF_SetStatus(a->call.status, code, text);
}

// The rest of a step: each tries to go on with the lock held, and answers what came of it.
typedef enum outcome { NOTHING, PROGRESS, COMPLETE } outcome;

static outcome try_close(attempt *a) {
  char text[300];
  dvq_queue *q = a->queue;
  if (q->closed) {
    snprintf(text, sizeof(text), "Queue '%.200s' is already closed.", q->name);
    fail_attempt(a, TF_ABORTED, text);
  }
  q->closed = true;
  return COMPLETE;
}

static outcome try_enqueue(attempt *a) {
  char text[300];
  dvq_queue *q = a->queue;
  if (q->closed) {
    snprintf(text, sizeof(text), "%s '%.200s' is closed.", q->options.kind, q->name);
    fail_attempt(a, TF_CANCELLED, text);
    return COMPLETE;
  }
  outcome came = NOTHING;
  for (; a->at < a->count && q->store.count < q->options.capacity; a->at++, came = PROGRESS) {
    if (!dvq_store_put(&q->store, a->elements[a->at])) {
      fail_attempt(a, TF_RESOURCE_EXHAUSTED, "Out of memory for an element of a queue");
      return COMPLETE;
    }
    a->elements[a->at] = NULL;
  }
  return a->at == a->count ? COMPLETE : came;
}

// Gives back what the attempt has taken.
static void put_back(attempt *a) {
  while (a->at > 0) {
    if (!dvq_store_put_back(&a->queue->store, a->elements[a->at - 1])) {
      fail_attempt(a, TF_DATA_LOSS,
                   "Out of memory: elements of a queue that were taken could not be put back");
      return;
    }
    a->elements[--a->at] = NULL;
  }
}

// Of a closed queue that has too little.
static outcome too_few(attempt *a) {
  char text[400];
  dvq_queue *q = a->queue;
  if (a->up_to && q->enqueues.first) return NOTHING;  // they will be refused first
  int64_t wanted_count = a->count - a->at, present = q->store.count;
  if (a->up_to && a->at + present > 0) {
    a->count = a->at + present;
    return PROGRESS;
  }
  put_back(a);
  snprintf(text, sizeof(text),
           "%s '%.200s' is closed and has insufficient elements (requested %" PRId64 ", current size %" PRId64
           ")",
           q->options.kind, q->name, wanted_count, present);
  if (TF_GetCode(a->call.status) == TF_OK) fail_attempt(a, TF_OUT_OF_RANGE, text);
  return COMPLETE;
}

static outcome try_dequeue(attempt *a) {
  dvq_queue *q = a->queue;
  if (q->closed && q->store.count < a->count - a->at) {
    outcome came = too_few(a);
    if (came != PROGRESS) return came;
  }
  outcome came = NOTHING;
  int64_t stays = q->closed ? 0 : q->options.min_after_dequeue;
  for (; a->at < a->count && q->store.count > stays; came = PROGRESS)
    a->elements[a->at++] = dvq_store_take(&q->store);
  return a->at == a->count ? COMPLETE : came;
}

static bool advance(line *l, line *out_finished) {
  bool progress = false;
  while (l->first) {
    attempt *a = l->first;
    outcome came = a->kind == DEQUEUE ? try_dequeue(a) : a->kind == CLOSE ? try_close(a) : try_enqueue(a);
    progress |= came != NOTHING;
    if (came != COMPLETE) break;
    line_remove(l, a);
    a->is_waiting = false;
    line_add(out_finished, a);
  }
  return progress;
}

// With the lock held; what is finished is for finish_all, without it.
static void advance_all(dvq_queue *q, line *out_finished) {
  bool progress = true;
  while (progress) {
    progress = advance(&q->enqueues, out_finished);
    progress |= advance(&q->dequeues, out_finished);
  }
}

// Afterwards the queue may be gone: handles to it are the steps'.
static void finish_all(line *finished) {
  for (attempt *a = finished->first, *next; a; a = next) {
    next = a->next;
    finish(a);
  }
}

// ---- cancellation ----

// Runs in the thread that cancels the step, unless the attempt has taken it back.
static void cancel(void *arg) {
  attempt *a = arg;
  dvq_queue *q = a->queue;
  line finished = {NULL, NULL};
  pthread_mutex_lock(&q->lock);
  bool mine = a->is_waiting;
  if (mine) {
    line_remove(a->kind == DEQUEUE ? &q->dequeues : &q->enqueues, a);
    a->is_waiting = false;
    if (a->kind == DEQUEUE) put_back(a);
    advance_all(q, &finished);
  }
  pthread_mutex_unlock(&q->lock);
  finish_all(&finished);
  if (!mine) return;
  dvp_fail(&a->call, TF_CANCELLED, "%s operation was cancelled", a->kind == DEQUEUE ? "Dequeue" : "Enqueue");
  report_done(a);
}

// Puts the attempt at the end of its line and goes on with what can go on.
static void start(attempt *a) {
  dvq_queue *q = a->queue;
  line finished = {NULL, NULL};
  pthread_mutex_lock(&q->lock);
  if (a->kind != CLOSE)
    a->token = TF_OpKernelContext_RegisterCancellation(a->call.ctx, cancel, a, a->call.status);
  bool registered = TF_GetCode(a->call.status) == TF_OK;
  if (registered) {
    a->is_waiting = true;
    line_add(a->kind == DEQUEUE ? &q->dequeues : &q->enqueues, a);
    advance_all(q, &finished);
  }
  pthread_mutex_unlock(&q->lock);
  finish_all(&finished);
  if (registered) return;
  dvp_ok(&a->call);
  report_done(a);
}

// NULL, after the failure was reported and done has run, when out of memory.
static attempt *attempt_new(dvp_call *call, TF_AsyncOpKernelDoneCallback *done, dvq_queue *queue,
                            attempt_kind kind) {
  attempt *a = calloc(1, sizeof(*a));
  TF_Status *status = a ? TF_NewStatus() : NULL;
  if (!status) {
    free(a);
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for an operation on a queue");
    TF_RunAsyncOpKernelDoneCallback(done);
    return NULL;
  }
  a->kind = kind;
  a->queue = queue;
  a->done = done;
  a->call = (dvp_call){call->ctx, status};
  return a;
}

void dvq_queue_enqueue(dvp_call *call, TF_AsyncOpKernelDoneCallback *done, dvq_queue *queue,
                       dvq_element **elements, int64_t count) {
  attempt *a = attempt_new(call, done, queue, ENQUEUE);
  if (!a) {
    for (int64_t i = 0; i < count; i++) dvq_element_free(elements[i]);
    free(elements);
    return;
  }
  a->elements = elements;
  a->count = count;
  start(a);
}

void dvq_queue_dequeue(dvp_call *call, TF_AsyncOpKernelDoneCallback *done, dvq_queue *queue, int64_t count,
                       bool up_to, output_function output) {
  attempt *a = attempt_new(call, done, queue, DEQUEUE);
  if (!a) return;
  a->count = count;
  a->up_to = up_to;
  a->output = output;
  a->elements = calloc((size_t)count + 1, sizeof(*a->elements));
  if (a->elements) {
    start(a);
    return;
  }
  dvp_fail(&a->call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " elements of a queue", count);
  report_done(a);
}

// Takes every enqueue out of the line.
static attempt *take_enqueues(dvq_queue *q) {
  attempt *taken = q->enqueues.first;
  for (attempt *a = taken; a; a = a->next) a->is_waiting = false;
  q->enqueues = (line){NULL, NULL};
  return taken;
}

static void close_at_once(dvq_queue *q) {
  line finished = {NULL, NULL};
  pthread_mutex_lock(&q->lock);
  q->closed = true;
  attempt *taken = take_enqueues(q);
  advance_all(q, &finished);
  pthread_mutex_unlock(&q->lock);
  for (attempt *a = taken, *next; a; a = next) {
    next = a->next;
    if (a->kind == ENQUEUE) fail_attempt(a, TF_CANCELLED, "Enqueue operation was cancelled");
    finish(a);
  }
  finish_all(&finished);
}

void dvq_queue_close(dvp_call *call, TF_AsyncOpKernelDoneCallback *done, dvq_queue *queue, bool cancels) {
  if (cancels) {
    close_at_once(queue);
    TF_RunAsyncOpKernelDoneCallback(done);
    return;
  }
  attempt *a = attempt_new(call, done, queue, CLOSE);
  if (a) start(a);
}
