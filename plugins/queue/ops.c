// The ops on queues: putting elements in one by one or in batches, taking them out, closing, counting.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/async.h"
#include "queue/queue.h"

// ---- elements of inputs ----

static const char *shape_text(const dvq_shape *shape, char text[DVP_SHAPE_TEXT]) {
  return shape->rank < 0 ? "<unknown>" : dvp_shape_text(shape->dims, shape->rank, text);
}

static bool check_component(dvp_call *call, const dvq_options *options, int i, const dvp_view *in, int skip) {
  char wanted[DVP_SHAPE_TEXT], got[DVP_SHAPE_TEXT];
  if (in->dtype != options->types[i])
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Type mismatch in tuple component %d. Expected %d, got %d", i,
                    options->types[i], in->dtype);
  if (!options->shapes) return true;
  const dvq_shape *shape = &options->shapes[i];
  bool fits = shape->rank < 0 || shape->rank == in->rank - skip;
  for (int k = 0; fits && k < shape->rank; k++)
    fits = shape->dims[k] < 0 || shape->dims[k] == in->dims[k + skip];
  return fits ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Shape mismatch in tuple component %d. Expected %s%s, got %s", i,
                  skip ? "a batch of " : "", shape_text(shape, wanted),
                  dvp_shape_text(in->dims, in->rank, got));
}

static bool check_count(dvp_call *call, const dvq_options *options) {
  int components = TF_NumInputs(call->ctx) - 1;
  return components == options->count ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Wrong number of components in tuple. Expected %d, got %d",
                  options->count, components);
}

// The tensors of inputs 1 and on as an element.
static dvq_element *whole_element(dvp_call *call, const dvq_options *options) {
  dvp_view in;
  if (!check_count(call, options)) return NULL;
  dvq_element *e = dvq_element_new(call, options->count);
  for (int i = 0; e && i < options->count; i++) {
    if (dvp_input(call, i + 1, &in) && check_component(call, options, i, &in, 0)) {
      TF_GetInput(call->ctx, i + 1, &e->components[i], call->status);
      if (dvp_ok(call)) continue;
    }
    dvq_element_free(e);
    return NULL;
  }
  return e;
}

static bool can_be_cut(dvp_call *call, TF_DataType dtype) {
  return (dtype != TF_VARIANT && dtype != TF_RESOURCE) ||
         dvp_fail(call, TF_UNIMPLEMENTED, "Batches of queues have no components of dtype %d", dtype);
}

static TF_Tensor *cut(dvp_call *call, const dvp_view *in, int64_t i) {
  TF_Tensor *part = TF_AllocateTemp(call->ctx, in->dtype, in->dims + 1, in->rank - 1, NULL, call->status);
  if (!dvp_ok(call) || !part) return NULL;
  int64_t size = TF_TensorElementCount(part);
  dvp_copy_elements(in->dtype, in->data, i * size, TF_TensorData(part), 0, size,
                    (int64_t)TF_DataTypeSize(in->dtype));
  return part;
}

static bool check_batch(dvp_call *call, const dvq_options *options, dvp_view *views) {
  if (!check_count(call, options)) return false;
  for (int i = 0; i < options->count; i++) {
    if (!dvp_input(call, i + 1, &views[i]) || !can_be_cut(call, views[i].dtype)) return false;
    if (views[i].rank < 1)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Component %d of a batch is a scalar; wanted is a dimension for the elements", i);
    if (!check_component(call, options, i, &views[i], 1)) return false;
    if (views[i].dims[0] != views[0].dims[0])
      return dvp_fail(
          call, TF_INVALID_ARGUMENT,
          "All input tensors must have the same size in the 0th dimension. Component %d has %" PRId64
          ", and should have %" PRId64,
          i, views[i].dims[0], views[0].dims[0]);
  }
  return true;
}

// The batch of inputs 1 and on as elements, in malloc'ed memory; NULL after a failure.
static dvq_element **cut_batch(dvp_call *call, const dvq_options *options, int64_t *out_count) {
  dvp_view *views = malloc((size_t)DVP_MAX(options->count, 1) * sizeof(*views));
  dvq_element **elements = NULL;
  int64_t count = 0, made = 0;
  bool fine =
      views ? check_batch(call, options, views) : dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  if (fine) {
    count = options->count ? views[0].dims[0] : 0;
    elements = calloc((size_t)count + 1, sizeof(*elements));
    fine = elements || dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a batch");
  }
  for (; fine && made < count; made++) {
    dvq_element *e = elements[made] = dvq_element_new(call, options->count);
    fine = e != NULL;
    for (int i = 0; fine && i < options->count; i++)
      fine = (e->components[i] = cut(call, &views[i], made)) != NULL;
  }
  free(views);
  *out_count = count;
  if (fine) return elements;
  for (int64_t i = 0; i < made; i++) dvq_element_free(elements[i]);
  free(elements);
  return NULL;
}

// ---- elements as outputs ----

static void output_one(dvp_call *call, const dvq_options *options, dvq_element *const *elements,
                       int64_t count) {
  (void)count;
  for (int i = 0; i < options->count; i++) {
    TF_SetOutput(call->ctx, i, elements[0]->components[i], call->status);
    if (!dvp_ok(call)) return;
  }
}

// The shape that all elements of a batch get.
static bool common_shape(dvp_call *call, const dvq_options *options, int component,
                         dvq_element *const *elements, int64_t count, dvq_shape *out) {
  *out = options->shapes[component];
  if (out->rank < 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Component %d of the queue has no rank to make a batch of",
                    component);
  for (int k = 0; k < out->rank; k++) {
    if (out->dims[k] >= 0) continue;
    out->dims[k] = 0;
    for (int64_t i = 0; i < count; i++)
      out->dims[k] = DVP_MAX(out->dims[k], TF_Dim(elements[i]->components[component], k));
  }
  return true;
}

// Copies an element into a larger one, row by row.
static void copy_padded(const TF_Tensor *from, const dvq_shape *shape, void *to, int64_t to_first) {
  TF_DataType dtype = TF_TensorType(from);
  int64_t bytes = (int64_t)TF_DataTypeSize(dtype), count = TF_TensorElementCount(from),
          at[DVP_MAX_RANK] = {0};
  int last = shape->rank - 1;
  int64_t row = last < 0 ? 1 : TF_Dim(from, last);
  for (int64_t i = 0; i < count; i += row) {
    int64_t place = 0;
    for (int k = 0; k <= last; k++) place = place * shape->dims[k] + at[k];
    dvp_copy_elements(dtype, TF_TensorData(from), i, to, to_first + place, row, bytes);
    for (int k = last - 1; k >= 0 && ++at[k] == TF_Dim(from, k); k--) at[k] = 0;
  }
}

static void output_batch(dvp_call *call, const dvq_options *options, dvq_element *const *elements,
                         int64_t count) {
  for (int c = 0; c < options->count; c++) {
    dvq_shape shape;
    int64_t dims[DVP_MAX_RANK + 1];
    if (!can_be_cut(call, options->types[c]) || !common_shape(call, options, c, elements, count, &shape))
      return;
    dims[0] = count;
    memcpy(dims + 1, shape.dims, (size_t)shape.rank * sizeof(dims[0]));
    void *out = dvp_output(call, c, dims, shape.rank + 1);
    if (!out) return;
    int64_t size = dvp_product(shape.dims, 0, shape.rank);
    if (options->types[c] != TF_STRING)  // new strings are empty
      memset(out, 0, (size_t)(count * size) * TF_DataTypeSize(options->types[c]));
    for (int64_t i = 0; i < count; i++) copy_padded(elements[i]->components[c], &shape, out, i * size);
  }
}

// ---- kernels ----

static void *wait_create(TF_OpKernelConstruction *ctx) {
  if (dvp_attr_int(ctx, "timeout_ms") != -1)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Timeout not supported yet: set timeout_ms to -1");
  return NULL;
}

DVP_COMPUTE_ASYNC(enqueue_compute) {
  (void)state;
  dvq_queue *queue = dvq_queue_input(call);
  dvq_element *element = queue ? whole_element(call, dvq_queue_options(queue)) : NULL;
  dvq_element **elements = element ? malloc(sizeof(*elements)) : NULL;
  if (elements) {
    elements[0] = element;
    dvq_queue_enqueue(call, done, queue, elements, 1);
    return;
  }
  if (element) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  dvq_element_free(element);
  TF_RunAsyncOpKernelDoneCallback(done);
}
DVP_DEFINE_ASYNC(queue_enqueue, wait_create, NULL, enqueue_compute);

DVP_COMPUTE_ASYNC(enqueue_many_compute) {
  (void)state;
  int64_t count = 0;
  dvq_queue *queue = dvq_queue_input(call);
  dvq_element **elements = queue ? cut_batch(call, dvq_queue_options(queue), &count) : NULL;
  if (elements && count > 0) {
    dvq_queue_enqueue(call, done, queue, elements, count);
    return;
  }
  free(elements);
  TF_RunAsyncOpKernelDoneCallback(done);
}
DVP_DEFINE_ASYNC(queue_enqueue_many, wait_create, NULL, enqueue_many_compute);

// Whether the outputs are what the queue has.
static bool check_outputs(dvp_call *call, const dvq_options *options) {
  int count = TF_NumOutputs(call->ctx);
  bool fits = count == options->count;
  for (int i = 0; fits && i < count; i++) fits = TF_ExpectedOutputDataType(call->ctx, i) == options->types[i];
  return fits || dvp_fail(call, TF_INVALID_ARGUMENT,
                          "The queue has %d components; the %d outputs must be of the same dtypes",
                          options->count, count);
}

DVP_COMPUTE_ASYNC(dequeue_compute) {
  (void)state;
  dvq_queue *queue = dvq_queue_input(call);
  if (queue && check_outputs(call, dvq_queue_options(queue)))
    dvq_queue_dequeue(call, done, queue, 1, false, output_one);
  else
    TF_RunAsyncOpKernelDoneCallback(done);
}
DVP_DEFINE_ASYNC(queue_dequeue, wait_create, NULL, dequeue_compute);

static bool batch_size(dvp_call *call, const dvq_options *options, int64_t *out_count) {
  if (!check_outputs(call, options) || !dvp_input_int(call, 1, "n", out_count)) return false;
  if (*out_count < 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%s requested %" PRId64 " < 0 elements", options->kind,
                    *out_count);
  return options->shapes ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "%s's DequeueMany and DequeueUpTo require the components to have specified "
                  "shapes.",
                  options->kind);
}

static void dequeue_batch(dvp_call *call, TF_AsyncOpKernelDoneCallback *done, bool up_to) {
  int64_t count;
  dvq_queue *queue = dvq_queue_input(call);
  if (queue && batch_size(call, dvq_queue_options(queue), &count)) {
    if (count > 0) {
      dvq_queue_dequeue(call, done, queue, count, up_to, output_batch);
      return;
    }
    output_batch(call, dvq_queue_options(queue), NULL, 0);
  }
  TF_RunAsyncOpKernelDoneCallback(done);
}
DVP_COMPUTE_ASYNC(dequeue_many_compute) {
  (void)state;
  dequeue_batch(call, done, false);
}
DVP_COMPUTE_ASYNC(dequeue_up_to_compute) {
  (void)state;
  dequeue_batch(call, done, true);
}
DVP_DEFINE_ASYNC(queue_dequeue_many, wait_create, NULL, dequeue_many_compute);
DVP_DEFINE_ASYNC(queue_dequeue_up_to, wait_create, NULL, dequeue_up_to_compute);

static void *close_create(TF_OpKernelConstruction *ctx) {
  bool *cancels = dvp_state_new(ctx, sizeof(*cancels));
  if (cancels) *cancels = dvp_attr_bool(ctx, "cancel_pending_enqueues");
  return cancels;
}
static void close_destroy(void *state) { free(state); }

DVP_COMPUTE_ASYNC(close_compute) {
  dvq_queue *queue = dvq_queue_input(call);
  if (queue)
    dvq_queue_close(call, done, queue, *(const bool *)state);
  else
    TF_RunAsyncOpKernelDoneCallback(done);
}
DVP_DEFINE_ASYNC(queue_close, close_create, close_destroy, close_compute);

DVP_COMPUTE(queue_size_compute) {
  (void)state;
  dvq_queue *queue = dvq_queue_input(call);
  int32_t *out = queue ? dvp_output(call, 0, NULL, 0) : NULL;
  if (out) *out = (int32_t)dvq_queue_size(queue);
}
DVP_DEFINE_ANY(queue_size, NULL, NULL, queue_size_compute);

DVP_COMPUTE(queue_is_closed_compute) {
  (void)state;
  dvq_queue *queue = dvq_queue_input(call);
  uint8_t *out = queue ? dvp_output(call, 0, NULL, 0) : NULL;
  if (out) *out = dvq_queue_is_closed(queue);
}
DVP_DEFINE_ANY(queue_is_closed, NULL, NULL, queue_is_closed_compute);
