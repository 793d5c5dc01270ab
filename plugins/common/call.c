// The helpers of call.h over the C API.
#include "common/call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/tf_tstring.h"

// Loops cheaper than this run in the calling thread without asking the pool.
#define SERIAL_PS (20 * 1000 * 1000)

bool dvp_fail(dvp_call *call, TF_Code code, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  TF_SetStatus(call->status, code, text);
  TF_OpKernelContext_Failure(call->ctx, call->status);
  return false;
}

bool dvp_ok(dvp_call *call) {
  if (TF_GetCode(call->status) == TF_OK) return true;
  TF_OpKernelContext_Failure(call->ctx, call->status);
  return false;
}

void dvp_copy_strings(const void *from, int64_t first, void *to, int64_t to_first, int64_t count) {
  const TF_TString *source = (const TF_TString *)from + first;
  TF_TString *target = (TF_TString *)to + to_first;
  for (int64_t i = 0; i < count; i++)
    TF_StringCopy(&target[i], TF_StringGetDataPointer(&source[i]), TF_StringGetSize(&source[i]));
}

bool dvp_input(dvp_call *call, int index, dvp_view *out) {
  TF_Tensor *tensor = NULL;
  TF_GetInput(call->ctx, index, &tensor, call->status);
  if (!dvp_ok(call)) return false;
  if (!tensor) return dvp_fail(call, TF_FAILED_PRECONDITION, "Input %d has no value", index);
  out->data = TF_TensorData(tensor);
  out->dtype = TF_TensorType(tensor);
  out->rank = TF_NumDims(tensor);
  out->count = 1;
  for (int i = 0; i < out->rank; i++) {
    out->dims[i] = TF_Dim(tensor, i);
    out->count *= out->dims[i];
  }
  TF_DeleteTensor(tensor);
  return true;
}

bool dvp_input_range(dvp_call *call, const char *name, int *out_start, int *out_count) {
  TF_InputRange_Args args = {.struct_size = TF_InputRange_Args_STRUCT_SIZE, .status = call->status};
  TF_InputRange(call->ctx, name, &args);
  if (!dvp_ok(call)) return false;
  *out_start = args.start;
  *out_count = args.stop - args.start;
  return true;
}

static bool read_ints(dvp_call *call, const dvp_view *view, const char *what, int64_t *out, int max) {
  if (view->count > max)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "%s has %" PRId64 " elements, more than the %d that can be used", what, view->count, max);
  for (int64_t i = 0; i < view->count; i++) {
    switch (view->dtype) {
      case TF_INT8:
        out[i] = ((const int8_t *)view->data)[i];
        break;
      case TF_INT16:
        out[i] = ((const int16_t *)view->data)[i];
        break;
      case TF_INT32:
        out[i] = ((const int32_t *)view->data)[i];
        break;
      case TF_INT64:
        out[i] = ((const int64_t *)view->data)[i];
        break;
      default:
        return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must hold integers, but has dtype %d", what,
                        view->dtype);
    }
  }
  return true;
}

bool dvp_input_flat_ints(dvp_call *call, int index, const char *what, int64_t *out, int max, int *out_count) {
  dvp_view view;
  if (!dvp_input(call, index, &view) || !read_ints(call, &view, what, out, max)) return false;
  *out_count = (int)view.count;
  return true;
}

bool dvp_input_ints(dvp_call *call, int index, const char *what, int64_t *out, int max, int *out_rank,
                    int *out_count) {
  dvp_view view;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, index, &view)) return false;
  if (view.rank > 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be a scalar or a vector, but has shape %s", what,
                    dvp_shape_text(view.dims, view.rank, text));
  if (!read_ints(call, &view, what, out, max)) return false;
  *out_rank = view.rank;
  *out_count = (int)view.count;
  return true;
}

bool dvp_input_scalar(dvp_call *call, int index, const char *what, dvp_view *out) {
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, index, out)) return false;
  return out->rank == 0 || dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be 0-D, got shape %s", what,
                                    dvp_shape_text(out->dims, out->rank, text));
}

bool dvp_input_int(dvp_call *call, int index, const char *what, int64_t *out) {
  int64_t value = 0;
  dvp_view view;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, index, &view)) return false;
  if (view.count != 1 || view.rank > 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be a scalar, but has shape %s", what,
                    dvp_shape_text(view.dims, view.rank, text));
  if (!read_ints(call, &view, what, &value, 1)) return false;
  *out = value;
  return true;
}

bool dvp_count(dvp_call *call, const int64_t *dims, int rank, int64_t *out_count) {
  int64_t n = 1;
  char text[DVP_SHAPE_TEXT];
  if (rank > DVP_MAX_RANK)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "A shape of rank %d exceeds the highest rank, %d", rank,
                    DVP_MAX_RANK);
  for (int i = 0; i < rank; i++)
    if (dims[i] < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Dimension %d of shape %s is negative", i,
                      dvp_shape_text(dims, rank, text));
  for (int i = 0; i < rank; i++)
    if (__builtin_mul_overflow(n, dims[i], &n))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Shape %s has more elements than an int64 can count",
                      dvp_shape_text(dims, rank, text));
  *out_count = n;
  return true;
}

static void *take(dvp_call *call, TF_Tensor *tensor) {
  if (!tensor) {
    if (TF_GetCode(call->status) == TF_OK) TF_SetStatus(call->status, TF_RESOURCE_EXHAUSTED, "Out of memory");
    dvp_ok(call);
    return NULL;
  }
  void *data = TF_TensorData(tensor);
  TF_DeleteTensor(tensor);  // the context keeps the output
  return data;
}

void *dvp_output(dvp_call *call, int index, const int64_t *dims, int rank) {
  int64_t count;
  if (!dvp_count(call, dims, rank, &count)) return NULL;
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, index);
  size_t bytes;
  if (__builtin_mul_overflow((size_t)count, TF_DataTypeSize(dtype), &bytes)) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "An output of %" PRId64 " elements does not fit the address space",
             count);
    return NULL;
  }
  return take(call, TF_AllocateOutput(call->ctx, index, dtype, dims, rank, bytes, call->status));
}

void *dvp_output_over(dvp_call *call, int a, int b, int index, const int64_t *dims, int rank) {
  int candidates[2], count = 0, forwarded;
  int64_t elements;
  if (!dvp_count(call, dims, rank, &elements)) return NULL;
  if (a >= 0) candidates[count++] = a;
  if (b >= 0) candidates[count++] = b;
  return take(call, TF_ForwardInputOrAllocateOutput(call->ctx, candidates, count, index, dims, rank,
                                                    &forwarded, call->status));
}

bool dvp_output_reshaped(dvp_call *call, int input, int index, const int64_t *dims, int rank) {
  TF_Tensor *tensor = NULL;
  int64_t count;
  if (!dvp_count(call, dims, rank, &count)) return false;
  TF_GetInput(call->ctx, input, &tensor, call->status);
  if (!dvp_ok(call)) return false;
  if (!tensor) return dvp_fail(call, TF_FAILED_PRECONDITION, "Input %d has no value", input);
  TF_SetShape(tensor, dims, rank);
  TF_SetOutput(call->ctx, index, tensor, call->status);
  TF_DeleteTensor(tensor);
  return dvp_ok(call);
}

void *dvp_temp(dvp_call *call, size_t bytes, TF_Tensor **out_tensor) {
  int64_t dim = (int64_t)bytes;
  TF_Tensor *tensor = TF_AllocateTemp(call->ctx, TF_UINT8, &dim, 1, NULL, call->status);
  if (!tensor) {
    if (TF_GetCode(call->status) == TF_OK) TF_SetStatus(call->status, TF_RESOURCE_EXHAUSTED, "Out of memory");
    dvp_ok(call);
    return NULL;
  }
  *out_tensor = tensor;
  return TF_TensorData(tensor);
}

const char *dvp_shape_text(const int64_t *dims, int rank, char out[DVP_SHAPE_TEXT]) {
  size_t used = (size_t)snprintf(out, DVP_SHAPE_TEXT, "[");
  for (int i = 0; i < rank && used < DVP_SHAPE_TEXT - 24; i++)
    used += (size_t)snprintf(out + used, DVP_SHAPE_TEXT - used, i ? ",%" PRId64 : "%" PRId64, dims[i]);
  snprintf(out + used, DVP_SHAPE_TEXT - used, "]");
  return out;
}

void dvp_parallel(dvp_call *call, int64_t count, int64_t cost_ps,
                  void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
  if (count <= 0) return;
  int64_t total_ps;
  if (!__builtin_mul_overflow(count, cost_ps, &total_ps) && total_ps < SERIAL_PS) {
    fn(arg, 0, count);
    return;
  }
  dvt_parallel_for(call->ctx, count, DVP_MAX(1, cost_ps / 1000), fn, arg);
}

// ---- construction ----

static void check(TF_OpKernelConstruction *ctx, TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
}

void dvp_create_fail(TF_OpKernelConstruction *ctx, TF_Code code, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  TF_Status *status = TF_NewStatus();
  TF_SetStatus(status, code, text);
  check(ctx, status);
}

int64_t dvp_attr_int(TF_OpKernelConstruction *ctx, const char *name) {
  TF_Status *status = TF_NewStatus();
  int64_t value = 0;
  TF_OpKernelConstruction_GetAttrInt64(ctx, name, &value, status);
  check(ctx, status);
  return value;
}

float dvp_attr_float(TF_OpKernelConstruction *ctx, const char *name) {
  TF_Status *status = TF_NewStatus();
  float value = 0;
  TF_OpKernelConstruction_GetAttrFloat(ctx, name, &value, status);
  check(ctx, status);
  return value;
}

bool dvp_attr_bool(TF_OpKernelConstruction *ctx, const char *name) {
  TF_Status *status = TF_NewStatus();
  TF_Bool value = 0;
  TF_OpKernelConstruction_GetAttrBool(ctx, name, &value, status);
  check(ctx, status);
  return value != 0;
}

TF_DataType dvp_attr_type(TF_OpKernelConstruction *ctx, const char *name) {
  TF_Status *status = TF_NewStatus();
  TF_DataType value = 0;
  TF_OpKernelConstruction_GetAttrType(ctx, name, &value, status);
  check(ctx, status);
  return value;
}

void dvp_attr_string(TF_OpKernelConstruction *ctx, const char *name, char *out, size_t bytes) {
  TF_Status *status = TF_NewStatus();
  memset(out, 0, bytes);
  TF_OpKernelConstruction_GetAttrString(ctx, name, out, bytes - 1, status);
  check(ctx, status);
}

char *dvp_attr_string_new(TF_OpKernelConstruction *ctx, const char *name, size_t *out_bytes) {
  TF_Status *status = TF_NewStatus();
  int32_t list_size, bytes = 0;
  char *value = NULL;
  TF_OpKernelConstruction_GetAttrSize(ctx, name, &list_size, &bytes, status);
  if (TF_GetCode(status) == TF_OK && bytes >= 0) {
    value = calloc(1, (size_t)bytes + 1);
    if (value)
      TF_OpKernelConstruction_GetAttrString(ctx, name, value, (size_t)bytes, status);
    else
      TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Out of memory for an attribute");
    *out_bytes = (size_t)bytes;
  }
  check(ctx, status);
  return value;
}

int dvp_attr_ints(TF_OpKernelConstruction *ctx, const char *name, int64_t *out, int max) {
  TF_Status *status = TF_NewStatus();
  int32_t list_size = 0, total;
  TF_OpKernelConstruction_GetAttrSize(ctx, name, &list_size, &total, status);
  if (TF_GetCode(status) == TF_OK && list_size > 0)
    TF_OpKernelConstruction_GetAttrInt64List(ctx, name, out, max, status);
  bool fine = TF_GetCode(status) == TF_OK;
  check(ctx, status);
  return fine ? DVP_MAX(0, DVP_MIN(list_size, max)) : 0;
}

void *dvp_state_new(TF_OpKernelConstruction *ctx, size_t bytes) {
  void *state = calloc(1, bytes);
  if (!state)
    dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for a kernel's state (%zu bytes)", bytes);
  return state;
}
