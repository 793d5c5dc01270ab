// The ops that make queues.
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "dovetail/kernel_construction.h"
#include "queue/queue.h"

typedef struct make_state {
  dvq_options options;  // types and shapes are the state's
  TF_DataType *types;
  dvq_shape *shapes;
  char *container, *name;
  size_t container_bytes, name_bytes;
  _Atomic(TF_Tensor *) handle;  // made by the first run
} make_state;

static bool fine(TF_OpKernelConstruction *ctx, TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return true;
  TF_OpKernelConstruction_Failure(ctx, status);
  return false;
}

static int32_t list_size(TF_OpKernelConstruction *ctx, const char *attr, int32_t *out_total,
                         TF_Status *status) {
  int32_t size = 0;
  TF_OpKernelConstruction_GetAttrSize(ctx, attr, &size, out_total, status);
  return fine(ctx, status) ? DVP_MAX(size, 0) : 0;
}

// Component types behind the `first` that the kind of queue has anyway.
static void get_types(TF_OpKernelConstruction *ctx, make_state *s, int first, TF_Status *status) {
  int32_t total, size = list_size(ctx, "component_types", &total, status);
  s->types = calloc((size_t)size + (size_t)first + 1, sizeof(*s->types));
  if (!s->types) {
    dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for a queue");
    return;
  }
  if (first) s->types[0] = TF_INT64;
  if (size > 0)
    TF_OpKernelConstruction_GetAttrTypeList(ctx, "component_types", s->types + first, size, status);
  fine(ctx, status);
  s->options.types = s->types;
  s->options.count = size + first;
}

static bool read_shapes(TF_OpKernelConstruction *ctx, dvq_shape *shapes, int count, int32_t total,
                        TF_Status *status) {
  int64_t **dims = calloc((size_t)count, sizeof(*dims)),
          *storage = calloc((size_t)total + 1, sizeof(*storage));
  int *ranks = calloc((size_t)count, sizeof(*ranks));
  bool read = dims && storage && ranks;
  if (read)
    TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "shapes", dims, ranks, count, storage, total + 1,
                                                    status);
  else
    dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for the shapes of a queue");
  read = read && fine(ctx, status);
  for (int i = 0; read && i < count; i++) {
    shapes[i].rank = ranks[i];
    if (ranks[i] > 0) memcpy(shapes[i].dims, dims[i], (size_t)ranks[i] * sizeof(*dims[i]));
  }
  free(dims);
  free(storage);
  free(ranks);
  return read;
}

static void check_known(TF_OpKernelConstruction *ctx, const make_state *s) {
  for (int i = 0; i < s->options.count; i++) {
    bool known = s->shapes[i].rank >= 0;
    for (int k = 0; known && !s->options.pads && k < s->shapes[i].rank; k++)
      known = s->shapes[i].dims[k] >= 0;
    if (!known)
      dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "The shape of component %d of a %s must be %s", i,
                      s->options.kind, s->options.pads ? "of known rank" : "known");
  }
}

static void get_shapes(TF_OpKernelConstruction *ctx, make_state *s, int first, TF_Status *status) {
  int32_t total = 0, size = list_size(ctx, "shapes", &total, status);
  if (size == 0 && !(first && s->options.count == first)) return;
  if (size + first != s->options.count) {
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Different number of component types (%d) and shapes (%d)",
                    s->options.count - first, (int)size);
    return;
  }
  s->shapes = calloc((size_t)s->options.count + 1, sizeof(*s->shapes));
  if (!s->shapes) {
    dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for the shapes of a queue");
    return;
  }
  if (size > 0 && !read_shapes(ctx, s->shapes + first, size, DVP_MAX(total, 0), status)) return;
  check_known(ctx, s);
  s->options.shapes = s->shapes;
}

static void get_name(TF_OpKernelConstruction *ctx, make_state *s) {
  s->container = dvp_attr_string_new(ctx, "container", &s->container_bytes);
  s->name = dvp_attr_string_new(ctx, "shared_name", &s->name_bytes);
  if (!s->name || s->name_bytes > 0) return;
  TF_StringView node = TF_OpKernelConstruction_GetName(ctx);
  free(s->name);
  s->name = strndup(node.data, node.len);
  s->name_bytes = s->name ? node.len : 0;
  if (!s->name) dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for the name of a queue");
}

static make_state *new_state(TF_OpKernelConstruction *ctx, const char *kind, dvq_order order, bool pads) {
  make_state *s = dvp_state_new(ctx, sizeof(*s));
  if (!s) return NULL;
  TF_Status *status = TF_NewStatus();
  int first = order == DVQ_BY_PRIORITY;
  int64_t capacity = dvp_attr_int(ctx, "capacity");
  s->options = (dvq_options){
      .kind = kind, .order = order, .pads = pads, .capacity = capacity < 0 ? INT32_MAX : capacity};
  get_types(ctx, s, first, status);
  get_shapes(ctx, s, first, status);
  get_name(ctx, s);
  if (pads && !s->options.shapes)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "A %s needs the shapes of its components", kind);
  TF_DeleteStatus(status);
  return s;
}

static void *fifo_create(TF_OpKernelConstruction *ctx) {
  return new_state(ctx, "FIFOQueue", DVQ_FIRST_IN, false);
}
static void *padding_create(TF_OpKernelConstruction *ctx) {
  return new_state(ctx, "PaddingFIFOQueue", DVQ_FIRST_IN, true);
}
static void *priority_create(TF_OpKernelConstruction *ctx) {
  return new_state(ctx, "PriorityQueue", DVQ_BY_PRIORITY, false);
}
static void *shuffle_create(TF_OpKernelConstruction *ctx) {
  make_state *s = new_state(ctx, "RandomShuffleQueue", DVQ_SHUFFLED, false);
  if (!s) return NULL;
  int64_t *seeds = s->options.seeds;
  seeds[0] = dvp_attr_int(ctx, "seed");
  seeds[1] = dvp_attr_int(ctx, "seed2");
  if (seeds[0] == 0 && seeds[1] == 0 &&
      getrandom(seeds, 2 * sizeof(*seeds), 0) != (ssize_t)(2 * sizeof(*seeds)))
    dvp_create_fail(ctx, TF_INTERNAL, "The system gives no random seed");
  s->options.min_after_dequeue = dvp_attr_int(ctx, "min_after_dequeue");
  if (s->options.min_after_dequeue < 0 || s->options.min_after_dequeue >= s->options.capacity)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "min_after_dequeue %" PRId64 " must be >= 0 and < capacity %" PRId64,
                    s->options.min_after_dequeue, s->options.capacity);
  return s;
}

static void make_destroy(void *arg) {
  make_state *s = arg;
  if (!s) return;
  TF_DeleteTensor(s->handle);
  free(s->types);
  free(s->shapes);
  free(s->container);
  free(s->name);
  free(s);
}

DVP_COMPUTE(make_queue_compute) {
  make_state *s = state;
  TF_Tensor *handle = atomic_load(&s->handle), *none = NULL;
  bool kept = handle != NULL;
  if (!handle) {
    handle = dvq_queue_handle(call, s->container, s->container_bytes, s->name, s->name_bytes, &s->options);
    if (!handle) return;
    kept = atomic_compare_exchange_strong(&s->handle, &none, handle);
  }
  TF_SetOutput(call->ctx, 0, handle, call->status);
  if (!kept) TF_DeleteTensor(handle);
  dvp_ok(call);
}

#define MAKE_OP(name)                                                  \
  static const dvp_kernel name##_rows[] = {DVP_KERNEL(0, make_queue)}; \
  DVP_DEFINE_SET(name##_queue, NULL, name##_create, make_destroy, name##_rows)
MAKE_OP(fifo);
MAKE_OP(padding);
MAKE_OP(priority);
MAKE_OP(shuffle);
