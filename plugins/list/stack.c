// Stacks of tensors: resources that loops of TensorFlow 1 push to and that their gradients pop from. Nodes
// that no value connects may use one at the same time.
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/plugin.h"
#include "dovetail/object.h"
#include "list/element.h"

typedef struct stack {
  pthread_mutex_t mutex;
  TF_DataType dtype;
  int64_t max_size;  // -1: any
  char *name;
  dvl_item **items;
  int64_t count, capacity;
} stack;

typedef struct stack_state {
  TF_DataType dtype;
  char *name;
} stack_state;

static void drop_items(stack *s) {
  while (s->count > 0) dvl_item_release(s->items[--s->count]);
  free(s->items);
  s->items = NULL;
  s->capacity = 0;
}

static void destroy(void *value) {
  stack *s = value;
  drop_items(s);
  pthread_mutex_destroy(&s->mutex);
  free(s->name);
  free(s);
}

static const dvt_value_type stack_type = {
    sizeof(dvt_value_type), "tensorflow::Stack", destroy, NULL, NULL, NULL};

// ---- making one ----

typedef struct new_stack {
  const stack_state *state;
  int64_t max_size;
} new_stack;

static void *create(TF_OpKernelContext *ctx, void *arg, TF_Status *status) {
  (void)ctx;
  const new_stack *wanted = arg;
  stack *s = calloc(1, sizeof(*s));
  char *name = strdup(wanted->state->name);
  if (s && name) {
    s->dtype = wanted->state->dtype;
    s->max_size = wanted->max_size;
    s->name = name;
    pthread_mutex_init(&s->mutex, NULL);
    return s;
  }
  free(s);
  free(name);
  TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Out of memory for a stack");
  return NULL;
}

static void *stack_create(TF_OpKernelConstruction *ctx) {
  stack_state *state = dvp_state_new(ctx, sizeof(*state));
  size_t bytes = 0;
  if (!state) return NULL;
  state->dtype = dvp_attr_type(ctx, "elem_type");
  state->name = dvp_attr_string_new(ctx, "stack_name", &bytes);
  if (state->name && bytes == 0) {
    TF_StringView node = TF_OpKernelConstruction_GetName(ctx);
    free(state->name);
    state->name = strndup(node.data, node.len);
  }
  return state;
}

static void stack_destroy(void *arg) {
  stack_state *state = arg;
  if (state) free(state->name);
  free(state);
}

DVP_COMPUTE(stack_compute) {
  const stack_state *make = state;
  dvp_view size;
  if (!dvp_input(call, 0, &size)) return;
  if (size.rank != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Stack size must be a scalar, but has rank %d", size.rank);
    return;
  }
  int32_t most = *(const int32_t *)size.data;
  new_stack wanted = {make, most >= 0 ? most : -1};
  TF_Tensor *handle =
      dvt_resource_handle(call->ctx, "", 0, "", 0, &stack_type, create, &wanted, call->status);
  if (dvp_ok(call)) TF_SetOutput(call->ctx, 0, handle, call->status);
  TF_DeleteTensor(handle);
  dvp_ok(call);
}
DVP_DEFINE_ANY(stack_v2, stack_create, stack_destroy, stack_compute);

// ---- using it ----

static stack *stack_input(dvp_call *call) {
  TF_Tensor *handle = NULL;
  TF_GetInput(call->ctx, 0, &handle, call->status);
  if (!dvp_ok(call)) return NULL;
  stack *s = dvt_object_get(handle, 0, &stack_type, call->status);
  TF_DeleteTensor(handle);  // the executor holds the input
  return dvp_ok(call) ? s : NULL;
}

static bool check_dtype(dvp_call *call, const stack *s, TF_DataType dtype) {
  return s->dtype == dtype ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Stack[%s] has elements of dtype %d; the op is for dtype %d",
                  s->name, (int)s->dtype, (int)dtype);
}

static bool push_locked(dvp_call *call, stack *s, dvl_item *item) {
  if (s->max_size >= 0 && s->count >= s->max_size)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Stack[%s] overflowed its max_size (%" PRId64 ")", s->name,
                    s->max_size);
  if (s->count == s->capacity) {
    int64_t capacity = s->capacity ? 2 * s->capacity : 16;
    dvl_item **items = realloc(s->items, (size_t)capacity * sizeof(*items));
    if (!items) return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a stack");
    s->items = items;
    s->capacity = capacity;
  }
  s->items[s->count++] = dvl_item_share(item);
  return true;
}

DVP_COMPUTE(push_compute) {
  (void)state;
  stack *s = stack_input(call);
  TF_Tensor *value = NULL;
  if (s) TF_GetInput(call->ctx, 1, &value, call->status);
  if (!s || !dvp_ok(call)) return;
  bool fine = check_dtype(call, s, TF_TensorType(value));
  TF_DeleteTensor(value);
  dvl_item *item = fine ? dvl_item_input(call, 1) : NULL;
  if (!item) return;
  pthread_mutex_lock(&s->mutex);
  fine = push_locked(call, s, item);
  pthread_mutex_unlock(&s->mutex);
  if (fine) TF_SetOutput(call->ctx, 0, dvl_item_tensor(item), call->status);
  dvl_item_release(item);
  dvp_ok(call);
}
DVP_DEFINE_ANY(stack_push, NULL, NULL, push_compute);

static void *pop_create(TF_OpKernelConstruction *ctx) {
  TF_DataType *dtype = dvp_state_new(ctx, sizeof(*dtype));
  if (dtype) *dtype = dvp_attr_type(ctx, "elem_type");
  return dtype;
}
static void pop_destroy(void *state) { free(state); }

DVP_COMPUTE(pop_compute) {
  stack *s = stack_input(call);
  if (!s || !check_dtype(call, s, *(const TF_DataType *)state)) return;
  pthread_mutex_lock(&s->mutex);
  dvl_item *item = s->count > 0 ? s->items[--s->count] : NULL;
  pthread_mutex_unlock(&s->mutex);
  if (!item) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Stack[%s] is empty when calling Pop().", s->name);
    return;
  }
  TF_SetOutput(call->ctx, 0, dvl_item_tensor(item), call->status);
  dvl_item_release(item);
  dvp_ok(call);
}
DVP_DEFINE_ANY(stack_pop, pop_create, pop_destroy, pop_compute);

DVP_COMPUTE(close_compute) {
  (void)state;
  stack *s = stack_input(call);
  if (!s) return;
  pthread_mutex_lock(&s->mutex);
  drop_items(s);
  pthread_mutex_unlock(&s->mutex);
}
DVP_DEFINE_ANY(stack_close, NULL, NULL, close_compute);
