// include/dovetail/kernel_context.h: allocation with attributes, forwarding, and who shares memory with whom.
#include "capi/context_error.h"
#include "dovetail/kernel_context.h"
#include "kernel/context.h"

typedef TF_OpKernelContext_AllocatorAttributes attributes_t;

static dvt_status check_struct(const attributes_t *attributes) {
  if (attributes && attributes->struct_size >= TF_OPKERNELCONTEXT_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE)
    return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "the allocator attributes are NULL, or their struct_size is %zu and not "
                   "TF_OPKERNELCONTEXT_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE (%zu)",
                   attributes ? attributes->struct_size : 0,
                   (size_t)TF_OPKERNELCONTEXT_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE);
}

static dvt_status check_attributes(const attributes_t *attributes) {
  if (!attributes) return NULL;
  DVT_RETURN_IF_ERROR(check_struct(attributes));
  if (attributes->scope_id == 0) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "allocator attributes with scope_id %d: there are no scoped allocators, leave it 0",
                   (int)attributes->scope_id);
}

// Memory of inputs is never pinned or registered.
static bool asks_for_more_than_host(const attributes_t *attributes) {
  return attributes && (attributes->nic_compatible || attributes->gpu_compatible);
}

static bool wants_host(const attributes_t *attributes) { return attributes && attributes->on_host; }

static dvt_status fill(const uint8_t *host_flags, const char *what, int index, int count,
                       attributes_t *attributes) {
  DVT_RETURN_IF_ERROR(check_struct(attributes));
  if (index < 0 || index >= count)
    return dvt_error(TF_OUT_OF_RANGE, "%s index out of range: %d, the node has %d %ss", what, index, count,
                     what);
  attributes->on_host = host_flags && host_flags[index];
  attributes->nic_compatible = attributes->gpu_compatible = 0;
  attributes->scope_id = 0;
  return NULL;
}

void TF_OpKernelContext_InputAllocatorAttributes(TF_OpKernelContext *ctx, int index, attributes_t *attributes,
                                                 TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_context_answer(ctx, fill(ctx->kernel->host_memory_inputs, "input", index, ctx->input_count, attributes),
                     status);
}

void TF_OpKernelContext_OutputAllocatorAttributes(TF_OpKernelContext *ctx, int index,
                                                  attributes_t *attributes, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_context_answer(
      ctx, fill(ctx->kernel->host_memory_outputs, "output", index, ctx->output_count, attributes), status);
}

TF_Tensor *TF_OpKernelContext_AllocateOutput(TF_OpKernelContext *ctx, int index, const int64_t *dims,
                                             int num_dims, const attributes_t *attributes,
                                             TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_status error = check_attributes(attributes);
  if (!error) error = dvt_context_allocate_output(ctx, index, dims, num_dims, &handle);
  dvt_context_answer(ctx, error, status);
  return handle;
}

TF_Tensor *TF_OpKernelContext_AllocateTemp(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims,
                                           int num_dims, const attributes_t *attributes, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_status error = check_attributes(attributes);
  if (!error) error = dvt_context_allocate_temp(ctx, (int)dtype, dims, num_dims, &handle);
  dvt_context_answer(ctx, error, status);
  return handle;
}

static dvt_status allocate_raw(const attributes_t *attributes, size_t alignment, size_t bytes,
                               void **out_memory) {
  DVT_RETURN_IF_ERROR(check_attributes(attributes));
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > SIZE_MAX / 4)
    return dvt_error(TF_INVALID_ARGUMENT, "an alignment of %zu bytes is no power of two", alignment);
  *out_memory = dvt_aligned_alloc(DVT_MAX(alignment, (size_t)64), DVT_MAX(bytes, (size_t)1));
  return *out_memory ? NULL : dvt_error_out_of_memory(bytes);
}

void *TF_OpKernelContext_AllocateRaw(TF_OpKernelContext *ctx, const attributes_t *attributes,
                                     size_t alignment, size_t bytes, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  void *memory = NULL;
  dvt_context_answer(ctx, allocate_raw(attributes, alignment, bytes, &memory), status);
  return memory;
}

void TF_OpKernelContext_DeallocateRaw(void *memory) { dvt_free(memory); }

// ---- forwarding ----

static dvt_status forward(TF_OpKernelContext *ctx, int index, TF_DataType dtype, const int64_t *dims,
                          int num_dims, const attributes_t *attributes, TF_Tensor **out_tensor) {
  DVT_RETURN_IF_ERROR(check_attributes(attributes));
  if (!asks_for_more_than_host(attributes))
    return dvt_context_forward_input(ctx, index, (int)dtype, wants_host(attributes), dims, num_dims,
                                     out_tensor);
  *out_tensor = NULL;
  return NULL;
}

TF_Tensor *TF_OpKernelContext_ForwardInput(TF_OpKernelContext *ctx, int index, TF_DataType dtype,
                                           const int64_t *dims, int num_dims, const attributes_t *attributes,
                                           TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_context_answer(ctx, forward(ctx, index, dtype, dims, num_dims, attributes, &handle), status);
  return handle;
}

TF_Tensor *TF_OpKernelContext_ForwardInputToOutputWithShape(TF_OpKernelContext *ctx, int input_index,
                                                            int output_index, const int64_t *dims,
                                                            int num_dims, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  dvt_context_answer(
      ctx, dvt_context_forward_to_output(ctx, input_index, output_index, dims, num_dims, &handle), status);
  return handle;
}

static dvt_status forward_or_allocate(TF_OpKernelContext *ctx, const int *candidates, int candidate_count,
                                      TF_DataType dtype, const int64_t *dims, int num_dims,
                                      const attributes_t *attributes, int *out_forwarded,
                                      TF_Tensor **out_tensor) {
  if (candidate_count < 0 || (candidate_count > 0 && !candidates))
    return dvt_error(TF_INVALID_ARGUMENT, "%d candidate inputs were given as %s", candidate_count,
                     candidates ? "an array" : "NULL");
  for (int k = 0; k < candidate_count; k++) {
    DVT_RETURN_IF_ERROR(forward(ctx, candidates[k], dtype, dims, num_dims, attributes, out_tensor));
    if (!*out_tensor) continue;
    *out_forwarded = candidates[k];
    return NULL;
  }
  DVT_RETURN_IF_ERROR(check_attributes(attributes));
  DVT_RETURN_IF_ERROR(dvt_context_allocate_temp(ctx, (int)dtype, dims, num_dims, out_tensor));
  *out_forwarded = -1;
  return NULL;
}

TF_Tensor *TF_OpKernelContext_ForwardInputOrAllocateTemp(TF_OpKernelContext *ctx,
                                                         const int *candidate_input_indices,
                                                         int num_candidate_input_indices, TF_DataType dtype,
                                                         const int64_t *dims, int num_dims,
                                                         const attributes_t *attributes, int *forwarded_input,
                                                         TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  TF_Tensor *handle = NULL;
  int forwarded = -1;
  dvt_status error = forward_or_allocate(ctx, candidate_input_indices, num_candidate_input_indices, dtype,
                                         dims, num_dims, attributes, &forwarded, &handle);
  if (!error && forwarded_input) *forwarded_input = forwarded;
  dvt_context_answer(ctx, error, status);
  return handle;
}

// The attribute is a list of pairs: input, output.
static bool expects_forwarding(const dvt_node_def *node, int output) {
  dvt_str value;
  dvt_attr_list list;
  if (!dvt_node_attr(node, DVT_STR("_forward_input"), &value)) return false;
  dvt_status error = dvt_attr_list_open(value, TF_ATTR_INT, &list);
  dvt_status_free(error);
  uint64_t n;
  for (int64_t i = 0; !error && dvt_attr_list_next(&list, &n, NULL); i++)
    if (i % 2 == 1 && (int64_t)n == output) return true;
  return false;
}

bool TF_OpKernelContext_OutputExpectsForwarding(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  dvt_status error = NULL;
  if (index < 0 || index >= ctx->output_count)
    error = dvt_error(TF_OUT_OF_RANGE, "output index out of range: %d, the node has %d outputs", index,
                      (int)ctx->output_count);
  bool expected = !error && expects_forwarding(ctx->kernel->node, index);
  dvt_context_answer(ctx, error, status);
  return expected;
}

// ---- who shares memory ----

static bool share(const TF_Tensor *a, const TF_Tensor *b) {
  return a && b && a->buffer && a->buffer == b->buffer;
}

static dvt_status check_pair(int index, int other, int count) {
  int bad = index < 0 || index >= count ? index : other;
  if (bad >= 0 && bad < count) return NULL;
  return dvt_error(TF_OUT_OF_RANGE, "input index out of range: %d, the node has %d inputs", bad, count);
}

bool TF_OpKernelContext_InputsShareMemory(TF_OpKernelContext *ctx, int index, int other_index,
                                          TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  dvt_status error = check_pair(index, other_index, ctx->input_count);
  bool shared = !error && share(ctx->inputs[index], ctx->inputs[other_index]);
  dvt_context_answer(ctx, error, status);
  return shared;
}

static dvt_status check_output_and_input(const TF_OpKernelContext *ctx, int output, int input) {
  if (output < 0 || output >= ctx->output_count)
    return dvt_error(TF_OUT_OF_RANGE, "output index out of range: %d, the node has %d outputs", output,
                     (int)ctx->output_count);
  DVT_RETURN_IF_ERROR(check_pair(input, input, ctx->input_count));
  if (ctx->outputs[output].is_set) return NULL;
  return dvt_error(TF_FAILED_PRECONDITION, "output %d is not set yet, so it lies nowhere", output);
}

bool TF_OpKernelContext_OutputSharesInput(TF_OpKernelContext *ctx, int output_index, int input_index,
                                          TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return false;
  dvt_status error = check_output_and_input(ctx, output_index, input_index);
  bool shared = !error && share(&ctx->outputs[output_index].tensor, ctx->inputs[input_index]);
  dvt_context_answer(ctx, error, status);
  return shared;
}
