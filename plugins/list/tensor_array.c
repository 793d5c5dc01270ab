// TensorArrays as resources: writing and reading elements.
#include "list/tensor_array.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  dvl_item *item;  // NULL: not written, cleared, or zeros of `dims`
  bool is_written, is_read, is_cleared;
  int rank;
  int64_t *dims;  // of an element that was written and is not there; NULL when it is a scalar, too
} entry;

typedef struct gradient {
  char *source;
  TF_Tensor *handle;
} gradient;

struct dvl_array {
  pthread_mutex_t mutex;
  dvl_array_options options;
  char *name;
  bool is_closed;
  gradient *gradients;
  int gradient_count;
  int64_t count, capacity;
  entry *entries;
};

// ---- life ----

static void drop_entries(dvl_array *array) {
  for (int64_t i = 0; i < array->count; i++) {
    dvl_item_release(array->entries[i].item);
    free(array->entries[i].dims);
  }
  free(array->entries);
  array->entries = NULL;
  array->count = array->capacity = 0;
}

static void destroy(void *value) {
  dvl_array *array = value;
  drop_entries(array);
  for (int i = 0; i < array->gradient_count; i++) {
    free(array->gradients[i].source);
    TF_DeleteTensor(array->gradients[i].handle);
  }
  free(array->gradients);
  pthread_mutex_destroy(&array->mutex);
  free(array->name);
  free(array);
}

static const dvt_value_type array_type = {
    sizeof(dvt_value_type), "tensorflow::TensorArray", destroy, NULL, NULL, NULL};

typedef struct new_array {
  const dvl_array_options *options;
  int64_t count;
} new_array;

static void *create(TF_OpKernelContext *ctx, void *arg, TF_Status *status) {
  (void)ctx;
  const new_array *wanted = arg;
  dvl_array *array = calloc(1, sizeof(*array));
  if (array) {
    array->options = *wanted->options;
    array->name = strdup(wanted->options->name);
    array->options.name = array->name;
    array->entries = (uint64_t)wanted->count < SIZE_MAX / sizeof(entry)
                         ? calloc((size_t)wanted->count + 1, sizeof(entry))
                         : NULL;
    array->count = array->capacity = array->entries ? wanted->count : 0;
    pthread_mutex_init(&array->mutex, NULL);
    if (array->name && array->entries) return array;
    destroy(array);
  }
  TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Out of memory for a TensorArray");
  return NULL;
}

TF_Tensor *dvl_array_handle(dvp_call *call, const dvl_array_options *options, int64_t count) {
  new_array wanted = {options, count};
  TF_Tensor *handle =
      dvt_resource_handle(call->ctx, "", 0, "", 0, &array_type, create, &wanted, call->status);
  return dvp_ok(call) ? handle : NULL;
}

dvl_array *dvl_array_input(dvp_call *call) {
  TF_Tensor *handle = NULL;
  TF_GetInput(call->ctx, 0, &handle, call->status);
  if (!dvp_ok(call)) return NULL;
  dvl_array *array = dvt_object_get(handle, 0, &array_type, call->status);
  TF_DeleteTensor(handle);  // the executor holds the input
  return dvp_ok(call) ? array : NULL;
}

dvl_array *dvl_array_input_of(dvp_call *call, TF_DataType dtype) {
  dvl_array *array = dvl_array_input(call);
  if (!array || array->options.dtype == dtype) return array;
  dvp_fail(call, TF_INVALID_ARGUMENT, "TensorArray dtype is %d but Op is for dtype %d.",
           (int)array->options.dtype, (int)dtype);
  return NULL;
}

TF_DataType dvl_array_dtype(const dvl_array *array) { return array->options.dtype; }
bool dvl_array_is_dynamic(const dvl_array *array) { return array->options.is_dynamic; }

void dvl_array_close(dvl_array *array) {
  pthread_mutex_lock(&array->mutex);
  drop_entries(array);
  array->is_closed = true;
  pthread_mutex_unlock(&array->mutex);
}

// ---- under the mutex ----

static bool check_open(dvp_call *call, const dvl_array *array) {
  return !array->is_closed ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "TensorArray %s has already been closed.", array->name);
}

// Entries from `count` on are zero. New memory comes zeroed, so that an array of a size that only a damaged
// graph asks for takes no memory before it is used.
static bool grow(dvp_call *call, dvl_array *array, int64_t count) {
  if (count > array->capacity) {
    int64_t capacity = DVP_MAX(count, 2 * array->capacity);
    entry *entries =
        (uint64_t)capacity < SIZE_MAX / sizeof(entry) ? calloc((size_t)capacity, sizeof(entry)) : NULL;
    if (!entries)
      return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a TensorArray of %" PRId64 " elements",
                      count);
    memcpy(entries, array->entries, (size_t)array->count * sizeof(entry));
    free(array->entries);
    array->entries = entries;
    array->capacity = capacity;
  }
  array->count = DVP_MAX(count, array->count);
  return true;
}

static bool check_shape(dvp_call *call, dvl_array *array, int64_t index, const dvl_item *item) {
  dvl_shape own;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  dvl_shape_of(dvl_item_tensor((dvl_item *)item), &own);
  if (!dvl_shape_fits(&array->options.shape, own.dims, own.rank))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "TensorArray %s: Could not write to index %" PRId64
                    " because the value shape is %s which is incompatible with the element shape %s.",
                    array->name, index, dvl_shape_text(&own, a), dvl_shape_text(&array->options.shape, b));
  if (array->options.identical) array->options.shape = own;
  return true;
}

static void entry_shape(const entry *e, dvl_shape *out) {
  if (e->item) {
    dvl_shape_of(dvl_item_tensor(e->item), out);
    return;
  }
  out->rank = e->rank;
  if (e->rank) memcpy(out->dims, e->dims, (size_t)e->rank * sizeof(*e->dims));
}

static bool set_entry_shape(dvp_call *call, entry *e, const dvl_shape *shape) {
  int64_t *dims = shape->rank ? malloc((size_t)shape->rank * sizeof(*dims)) : NULL;
  if (shape->rank && !dims) return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  if (dims) memcpy(dims, shape->dims, (size_t)shape->rank * sizeof(*dims));
  free(e->dims);
  e->dims = dims;
  e->rank = shape->rank;
  return true;
}

// An element that was written before gets the sum. Of zeros only the shape was kept, so the value takes their
// place.
static bool add_locked(dvp_call *call, dvl_array *array, int64_t index, dvl_item *item) {
  entry *e = &array->entries[index];
  dvl_shape old, new;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  entry_shape(e, &old);
  dvl_shape_of(dvl_item_tensor(item), &new);
  if (old.rank != new.rank ||
      (old.rank && memcmp(old.dims, new.dims, (size_t)old.rank * sizeof(*old.dims)) != 0))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "TensorArray %s: Could not aggregate to TensorArray index %" PRId64
                    " because the existing shape is %s but the new input shape is %s.",
                    array->name, index, dvl_shape_text(&old, a), dvl_shape_text(&new, b));
  if (!e->item) {
    e->item = dvl_item_share(item);
    return true;
  }
  TF_Tensor *sum = dvl_add_fn(call->ctx, NULL, dvl_item_tensor(e->item), dvl_item_tensor(item), call->status);
  dvl_item *added = dvp_ok(call) ? dvl_item_new(call, sum) : NULL;
  if (!added) return false;
  dvl_item_release(e->item);
  e->item = added;
  return true;
}

static bool write_locked(dvp_call *call, dvl_array *array, int64_t index, dvl_item *item) {
  if (!check_open(call, array)) return false;
  if (index < 0 || (index >= array->count && !array->options.is_dynamic))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "TensorArray %s: Tried to write to index %" PRId64
                    " but array is not resizeable and size is: %" PRId64,
                    array->name, index, array->count);
  entry *e = index < array->count ? &array->entries[index] : NULL;
  if (e && (e->is_read || (e->is_written && !array->options.adds_up)))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "TensorArray %s: Could not write to TensorArray index %" PRId64
                    " because it has already been %s.",
                    array->name, index, e->is_read ? "read" : "written to");
  if (!check_shape(call, array, index, item) || !grow(call, array, index + 1)) return false;
  if (e && e->is_written) return add_locked(call, array, index, item);
  array->entries[index] = (entry){.item = dvl_item_share(item), .is_written = true};
  return true;
}

// Puts zeros where nothing was written, or nothing but a shape, if the elements' shape is known.
static bool fill(dvp_call *call, dvl_array *array, int64_t index) {
  char text[DVP_SHAPE_TEXT];
  dvl_shape own;
  const dvl_shape *shape = &array->options.shape;
  if (array->entries[index].is_written) {
    entry_shape(&array->entries[index], &own);
    shape = &own;
  }
  if (!dvl_shape_is_full(shape))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "TensorArray %s: Could not read from index %" PRId64
                    ": it was not written to, and the element shape is not fully defined: %s",
                    array->name, index, dvl_shape_text(shape, text));
  entry *e = &array->entries[index];
  e->item = dvl_item_new(call, dvl_zeros(call, array->options.dtype, shape->dims, shape->rank));
  return e->item != NULL;
}

static bool read_locked(dvp_call *call, dvl_array *array, int64_t index, dvl_item **out) {
  if (!check_open(call, array)) return false;
  if (index < 0 || index >= array->count)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Tried to read from index %" PRId64 " but array size is: %" PRId64, index, array->count);
  entry *e = &array->entries[index];
  if (e->is_cleared)
    return dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "TensorArray %s: Could not read index %" PRId64
        " twice because it was cleared after a previous read (perhaps try setting clear_after_read = "
        "false?).",
        array->name, index);
  dvl_shape shape;
  if (!e->item && !fill(call, array, index)) return false;
  if (array->options.clears && e->is_written && !array->options.adds_up) {
    entry_shape(e, &shape);
    if (!set_entry_shape(call, e, &shape)) return false;
  }
  e->is_read = true;
  e->is_cleared = array->options.clears;
  *out = e->is_cleared ? e->item : dvl_item_share(e->item);
  if (e->is_cleared) e->item = NULL;
  return true;
}

// ---- what the ops call ----

bool dvl_array_size(dvp_call *call, dvl_array *array, int64_t *out_count) {
  pthread_mutex_lock(&array->mutex);
  *out_count = array->count;
  bool fine = check_open(call, array);
  pthread_mutex_unlock(&array->mutex);
  return fine;
}

bool dvl_array_shape(dvp_call *call, dvl_array *array, const dvl_shape *more, dvl_shape *out) {
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  pthread_mutex_lock(&array->mutex);
  bool fine = dvl_shape_merge(&array->options.shape, more->dims, more->rank);
  *out = array->options.shape;
  pthread_mutex_unlock(&array->mutex);
  return fine || dvp_fail(call, TF_INVALID_ARGUMENT,
                          "TensorArray %s has elements of shape %s; the op is for elements of shape %s",
                          array->name, dvl_shape_text(out, a), dvl_shape_text(more, b));
}

bool dvl_array_write(dvp_call *call, dvl_array *array, int64_t index, dvl_item *item) {
  if (!item) return false;
  pthread_mutex_lock(&array->mutex);
  bool fine = write_locked(call, array, index, item);
  pthread_mutex_unlock(&array->mutex);
  dvl_item_release(item);
  return fine;
}

bool dvl_array_read(dvp_call *call, dvl_array *array, const int32_t *indices, int64_t count, dvl_item **out) {
  bool fine = true;
  int64_t done = 0;
  pthread_mutex_lock(&array->mutex);
  for (; fine && done < count; done += fine)
    fine = read_locked(call, array, indices ? indices[done] : done, &out[done]);
  pthread_mutex_unlock(&array->mutex);
  while (!fine && done > 0) dvl_item_release(out[--done]);
  return fine;
}

// ---- gradients ----

static TF_Tensor *find_gradient(const dvl_array *array, const char *source) {
  for (int i = 0; i < array->gradient_count; i++)
    if (strcmp(array->gradients[i].source, source) == 0) return array->gradients[i].handle;
  return NULL;
}

static bool join_shapes(dvp_call *call, const dvl_shape *leading, const dvl_shape *rest, dvl_shape *out) {
  *out = *rest;
  if (rest->rank < 0 || leading->rank <= 0) return true;
  if (leading->rank + rest->rank > DVP_MAX_RANK)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "A TensorArray of elements with more than %d dimensions",
                    DVP_MAX_RANK);
  memcpy(out->dims, leading->dims, (size_t)leading->rank * sizeof(*out->dims));
  memcpy(out->dims + leading->rank, rest->dims, (size_t)rest->rank * sizeof(*out->dims));
  out->rank = leading->rank + rest->rank;
  return true;
}

// Elements that were written are zeros in the new array until something is added to them.
static bool copy_shapes(dvp_call *call, const dvl_array *from, const dvl_shape *leading, dvl_array *to) {
  dvl_shape own, whole;
  bool fine = true;
  for (int64_t i = 0; fine && i < from->count; i++) {
    if (!from->entries[i].is_written) continue;
    entry_shape(&from->entries[i], &own);
    fine = join_shapes(call, leading, &own, &whole) && set_entry_shape(call, &to->entries[i], &whole);
    to->entries[i].is_written = fine;
  }
  return fine;
}

static TF_Tensor *make_gradient(dvp_call *call, dvl_array *array, const char *source,
                                const dvl_shape *leading) {
  dvl_array_options options = array->options;
  size_t bytes = strlen(array->name) + strlen(source) + 2;
  char *name = malloc(bytes);
  options.is_dynamic = false;
  options.clears = options.adds_up = true;
  options.name = name;
  TF_Tensor *handle = NULL;
  if (!name) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  } else if (join_shapes(call, leading, &array->options.shape, &options.shape)) {
    snprintf(name, bytes, "%s@%s", array->name, source);
    handle = dvl_array_handle(call, &options, array->count);
  }
  free(name);
  dvl_array *made = handle ? dvt_object_get(handle, 0, &array_type, call->status) : NULL;
  if (made && copy_shapes(call, array, leading, made)) return handle;
  TF_DeleteTensor(handle);
  return NULL;
}

// Takes the handle over, also on failure.
static TF_Tensor *keep_gradient(dvp_call *call, dvl_array *array, const char *source, TF_Tensor *handle) {
  gradient *more = realloc(array->gradients, ((size_t)array->gradient_count + 1) * sizeof(*array->gradients));
  if (more) array->gradients = more;
  char *name = strdup(source);
  if (!more || !name) {
    free(name);
    TF_DeleteTensor(handle);
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
    return NULL;
  }
  array->gradients[array->gradient_count++] = (gradient){name, handle};
  return handle;
}

static TF_Tensor *gradient_locked(dvp_call *call, dvl_array *array, const char *source,
                                  const dvl_shape *leading) {
  if (!check_open(call, array)) return NULL;
  if (array->options.adds_up) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "TensorArray %s holds gradients, and has no gradient itself.",
             array->name);
    return NULL;
  }
  array->options.is_dynamic = false;
  TF_Tensor *handle = find_gradient(array, source);
  if (handle) return handle;
  handle = make_gradient(call, array, source, leading);
  return handle ? keep_gradient(call, array, source, handle) : NULL;
}

TF_Tensor *dvl_array_gradient(dvp_call *call, dvl_array *array, const char *source,
                              const dvl_shape *leading) {
  pthread_mutex_lock(&array->mutex);
  TF_Tensor *handle = gradient_locked(call, array, source, leading);
  pthread_mutex_unlock(&array->mutex);
  return handle;
}
