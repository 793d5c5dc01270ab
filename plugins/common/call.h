// What a kernel writes its compute function with: one dvp_call per compute, views of inputs, outputs by
// pointer, failure with a sentence. Every helper that can fail reports to the context itself and returns
// false or NULL, so a body only returns.
#ifndef DOVETAIL_PLUGINS_COMMON_CALL_H_
#define DOVETAIL_PLUGINS_COMMON_CALL_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dovetail/plugin.h"
#include "tensorflow/c/kernels.h"

#define DVP_MAX_RANK 254
#define DVP_PRINTF(format_index, args_index) __attribute__((format(printf, format_index, args_index)))
#define DVP_MIN(a, b) ((a) < (b) ? (a) : (b))
#define DVP_MAX(a, b) ((a) > (b) ? (a) : (b))
#define DVP_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Where part i of `parts` begins, into which `total` things are divided as evenly as can be.
static inline int64_t dvp_part(int64_t total, int64_t parts, int64_t i) {
  int64_t longer = total % parts;
  return total / parts * i + DVP_MIN(i, longer);
}

typedef struct dvp_call {
  TF_OpKernelContext *ctx;
  TF_Status *status;
} dvp_call;

// Defines `name` as a compute function around the body that follows.
#define DVP_COMPUTE(name)                                  \
  static void name##_body(dvp_call *call, void *state);    \
  static void name(void *state, TF_OpKernelContext *ctx) { \
    dvp_call call = {ctx, TF_NewStatus()};                 \
    name##_body(&call, state);                             \
    TF_DeleteStatus(call.status);                          \
  }                                                        \
  static void name##_body(dvp_call *call, void *state)

// An input's data and shape. The data stays valid until compute returns; the executor holds it.
typedef struct dvp_view {
  void *data;
  TF_DataType dtype;
  int rank;
  int64_t count;  // elements
  int64_t dims[DVP_MAX_RANK];
} dvp_view;

// Fails the kernel and returns false.
bool dvp_fail(dvp_call *call, TF_Code code, const char *format, ...) DVP_PRINTF(3, 4);
// Fails the kernel with what call->status holds, if it holds an error; returns whether it was fine.
bool dvp_ok(dvp_call *call);

// Fills the view of input `index`. No handle is kept, so the input may still be forwarded.
bool dvp_input(dvp_call *call, int index, dvp_view *out);
// All inputs of list argument `name`: *out_start and *out_count.
bool dvp_input_range(dvp_call *call, const char *name, int *out_start, int *out_count);
// An int8/16/32/64 scalar (*rank 0) or vector as int64. INVALID_ARGUMENT, naming `what`, for other ranks and
// for more than `max` elements.
bool dvp_input_ints(dvp_call *call, int index, const char *what, int64_t *out, int max, int *out_rank,
                    int *out_count);
// All elements of an int8/16/32/64 tensor of any rank.
bool dvp_input_flat_ints(dvp_call *call, int index, const char *what, int64_t *out, int max, int *out_count);
// The view of an input that must be a scalar. INVALID_ARGUMENT, naming `what`, for other ranks.
bool dvp_input_scalar(dvp_call *call, int index, const char *what, dvp_view *out);
// An int8/16/32/64 scalar, or a vector of one element.
bool dvp_input_int(dvp_call *call, int index, const char *what, int64_t *out);

// The data of output `index` with this shape; NULL after a failure. Never NULL for zero elements.
void *dvp_output(dvp_call *call, int index, const int64_t *dims, int rank);
// The same; reuses the memory of one of inputs a, b (-1: none) when the host allows. Then input and output
// share memory.
void *dvp_output_over(dvp_call *call, int a, int b, int index, const int64_t *dims, int rank);
// Output `index` becomes input `input` with another shape of as many elements; no copy.
bool dvp_output_reshaped(dvp_call *call, int input, int index, const int64_t *dims, int rank);
// Scratch memory, freed with dvp_free_temp. NULL after a failure.
void *dvp_temp(dvp_call *call, size_t bytes, TF_Tensor **out_tensor);
static inline void dvp_free_temp(TF_Tensor *tensor) { TF_DeleteTensor(tensor); }

// Product of dims, checked: INVALID_ARGUMENT when negative or beyond int64.
bool dvp_count(dvp_call *call, const int64_t *dims, int rank, int64_t *out_count);
// Elements between two axes; dims are those of a tensor, so the product fits.
static inline int64_t dvp_product(const int64_t *dims, int begin, int end) {
  int64_t n = 1;
  for (int i = begin; i < end; i++) n *= dims[i];
  return n;
}
static inline bool dvp_same_shape(const dvp_view *a, const dvp_view *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}
// Element `i` of indices of dtype int16, uint16, int32 or int64.
static inline int64_t dvp_index_at(const dvp_view *indices, int64_t i) {
  switch (indices->dtype) {
    case TF_INT16:
      return ((const int16_t *)indices->data)[i];
    case TF_UINT16:
      return ((const uint16_t *)indices->data)[i];
    case TF_INT32:
      return ((const int32_t *)indices->data)[i];
    default:
      return ((const int64_t *)indices->data)[i];
  }
}

// Copies `count` elements of `bytes` each over others that are valid; strings deeply.
void dvp_copy_strings(const void *from, int64_t first, void *to, int64_t to_first, int64_t count);
static inline void dvp_copy_elements(TF_DataType dtype, const void *from, int64_t first, void *to,
                                     int64_t to_first, int64_t count, int64_t bytes) {
  if (dtype == TF_STRING)
    dvp_copy_strings(from, first, to, to_first, count);
  else if (count > 0)
    memcpy((char *)to + to_first * bytes, (const char *)from + first * bytes, (size_t)(count * bytes));
}

// "[2,3]" into `out`, cut short when it does not fit; returns out.
#define DVP_SHAPE_TEXT 96
const char *dvp_shape_text(const int64_t *dims, int rank, char out[DVP_SHAPE_TEXT]);

// Runs fn over [0, count) in the host's pool when count units of `cost_ps` picoseconds are worth it.
void dvp_parallel(dvp_call *call, int64_t count, int64_t cost_ps,
                  void (*fn)(void *arg, int64_t begin, int64_t end), void *arg);

// ---- construction: attributes ----
// A missing or wrong attribute fails the construction; the value is then 0, so create may go on.
int64_t dvp_attr_int(TF_OpKernelConstruction *ctx, const char *name);
float dvp_attr_float(TF_OpKernelConstruction *ctx, const char *name);
bool dvp_attr_bool(TF_OpKernelConstruction *ctx, const char *name);
TF_DataType dvp_attr_type(TF_OpKernelConstruction *ctx, const char *name);
// NUL-terminated, cut at bytes - 1.
void dvp_attr_string(TF_OpKernelConstruction *ctx, const char *name, char *out, size_t bytes);
// A string of any length; *out is malloc'ed, NUL-terminated; NULL after a failure.
char *dvp_attr_string_new(TF_OpKernelConstruction *ctx, const char *name, size_t *out_bytes);
// Number of values written, at most max.
int dvp_attr_ints(TF_OpKernelConstruction *ctx, const char *name, int64_t *out, int max);
void dvp_create_fail(TF_OpKernelConstruction *ctx, TF_Code code, const char *format, ...) DVP_PRINTF(3, 4);

// malloc'ed, zeroed state; fails the construction and returns NULL when out of memory. Freed with free.
void *dvp_state_new(TF_OpKernelConstruction *ctx, size_t bytes);

#endif  // DOVETAIL_PLUGINS_COMMON_CALL_H_
