// Inputs, outputs and memory of a running kernel. The paths of a kernel that gets inputs and sets or
// allocates outputs take no lock and, thanks to free lists and slots, no malloc.
#include "kernel/context.h"

#include "base/buf.h"
#include "base/handles.h"
#include "base/log.h"
#include "kernel/checked.h"
#include "tensor/loan.h"

dvt_status dvt_context_misuse(TF_OpKernelContext *ctx, dvt_status status) {
  dvt_log(DVT_ERROR, "kernel of {{node " DVT_STR_FMT "}}: %s", DVT_STR_ARG(ctx->kernel->node->name),
          dvt_status_message(status));
  dvt_context_fail(ctx, dvt_status_clone(status));
  return status;
}

static dvt_status DVT_COLD out_of_range(const TF_OpKernelContext *ctx, const char *what, int i, int count) {
  return dvt_error(TF_OUT_OF_RANGE, "%s index out of range: %d, op '" DVT_STR_FMT "' has %d here", what, i,
                   DVT_STR_ARG(ctx->kernel->def->op), count);
}

static bool in_range(int i, int count) { return i >= 0 && i < count; }

bool dvt_context_input_is_ref(const TF_OpKernelContext *ctx, int i) {
  return dvt_kernel_input_type(ctx->kernel, i) > DVT_DTYPE_REF_OFFSET;
}

// Copies a tensor value; the buffer's reference is counted by the caller. Shapes of usual rank lie in the
// struct.
static inline dvt_status copy_value(TF_Tensor *out, const TF_Tensor *from) {
  if (DVT_LIKELY(from->rank <= DVT_INLINE_RANK)) {
    dvt_tensor_view(out, from);
    return NULL;
  }
  return dvt_tensor_init_with_buffer(out, from->dtype, dvt_tensor_dims(from), from->rank, from->buffer);
}

static dvt_status new_counted_handle(const TF_Tensor *from, TF_Tensor **out_tensor) {
  TF_Tensor *handle = dvt_tensor_handle_copy(from);
  if (DVT_UNLIKELY(!handle)) return dvt_error_out_of_memory(sizeof *handle);
  *out_tensor = handle;
  return NULL;
}

// `source` as in loan.h.
static inline dvt_status new_handle(TF_OpKernelContext *ctx, const TF_Tensor *from, int source,
                                    TF_Tensor **out_tensor) {
  TF_Tensor *handle = dvt_lend_again(ctx->lender, from, source);
  if (DVT_UNLIKELY(!handle)) handle = dvt_lend(ctx->lender, from, source);
  if (DVT_LIKELY(handle != NULL)) {
    *out_tensor = handle;
    return NULL;
  }
  return new_counted_handle(from, out_tensor);
}

// Makes the output's tensor visible and hands out a handle to it; on failure it is dropped.
static dvt_status publish_output(TF_OpKernelContext *ctx, dvt_kernel_output *output, TF_Tensor **out_tensor) {
  dvt_status status = new_handle(ctx, &output->tensor, -1, out_tensor);
  if (DVT_LIKELY(!status))
    output->is_set = true;
  else
    dvt_tensor_reset(&output->tensor);
  return status;
}

// The executor's value behind an input that is last used here and lent: its reference can be passed on to an
// output. NULL: it cannot.
static inline dvt_kernel_output *passable_input(const TF_OpKernelContext *ctx, int i) {
  if (!dvt_lender_is_here(ctx->lender) || !ctx->last_use || !ctx->last_use[i]) return NULL;
  dvt_kernel_output *value = (dvt_kernel_output *)ctx->inputs[i];
  return value->is_passed_on ? NULL : value;
}

// The reference for an output that becomes what the handle reads.
static void retain_for_output(TF_OpKernelContext *ctx, const TF_Tensor *handle) {
  int i = dvt_loan_source(ctx->lender, handle);
  dvt_kernel_output *value = i >= 0 ? passable_input(ctx, i) : NULL;
  if (value)
    value->is_passed_on = true;
  else
    dvt_buffer_retain(handle->buffer);
}

static dvt_status DVT_COLD ref_input(TF_OpKernelContext *ctx, int i) {
  return dvt_context_misuse(
      ctx,
      dvt_error(TF_INVALID_ARGUMENT,
                "input %d is a reference, TF_GetInput reads values only; ask TF_IsRefInput first and use "
                "TF_GetInputTensorFromVariable",
                i));
}

// A value input that is fed by a reference edge: what the variable holds now.
static dvt_status DVT_COLD read_through_ref(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) {
  dvt_object *object;
  TF_Tensor value = {0};
  DVT_RETURN_IF_ERROR(dvt_resource_from_tensor(ctx->inputs[i], &dvt_variable_type, &object));
  DVT_RETURN_IF_ERROR(dvt_variable_read((dvt_variable *)object, &value));
  dvt_status status = new_counted_handle(&value, out_tensor);
  dvt_tensor_reset(&value);
  return status;
}

static dvt_status DVT_NOINLINE input_slowly(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) {
  if (DVT_UNLIKELY(!in_range(i, ctx->input_count))) return out_of_range(ctx, "input", i, ctx->input_count);
  const TF_Tensor *input = ctx->inputs[i];
  if (DVT_UNLIKELY(!input || dvt_tensor_is_empty(input))) {
    *out_tensor = NULL;
    return NULL;
  }
  if (DVT_UNLIKELY(input->dtype == TF_RESOURCE)) {
    int declared = dvt_kernel_input_type(ctx->kernel, i);
    if (declared > DVT_DTYPE_REF_OFFSET) return ref_input(ctx, i);
    if (declared != TF_RESOURCE) return read_through_ref(ctx, i, out_tensor);
  }
  return new_handle(ctx, input, i, out_tensor);
}

// What nearly every kernel asks for, without a call: a tensor that a handle at hand is lent for.
dvt_status dvt_context_input(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) {
  if (DVT_LIKELY(in_range(i, ctx->input_count))) {
    const TF_Tensor *input = ctx->inputs[i];
    if (DVT_LIKELY(input && !dvt_tensor_is_empty(input) && input->dtype != TF_RESOURCE)) {
      TF_Tensor *handle = dvt_lend_again(ctx->lender, input, i);
      if (DVT_LIKELY(handle != NULL)) {
        *out_tensor = handle;
        return NULL;
      }
    }
  }
  return input_slowly(ctx, i, out_tensor);
}

dvt_status dvt_context_variable(TF_OpKernelContext *ctx, int i, dvt_variable **out_variable) {
  if (!in_range(i, ctx->input_count)) return out_of_range(ctx, "input", i, ctx->input_count);
  dvt_object *object;
  dvt_status status = dvt_resource_from_tensor(ctx->inputs[i], &dvt_variable_type, &object);
  if (status)
    return dvt_status_annotate(status, " (input %d of {{node " DVT_STR_FMT "}})", i,
                               DVT_STR_ARG(ctx->kernel->node->name));
  *out_variable = (dvt_variable *)object;
  return NULL;
}

static dvt_status DVT_COLD set_twice(TF_OpKernelContext *ctx, int i) {
  return dvt_context_misuse(
      ctx, dvt_error(TF_FAILED_PRECONDITION,
                     "output %d is set already; set, allocate or forward each output once", i));
}

static dvt_status DVT_COLD foreign(int i) {
  return dvt_error(TF_INVALID_ARGUMENT, "output %d was set to what is no tensor", i);
}

static DVT_ALWAYS_INLINE dvt_status set_output(TF_OpKernelContext *ctx, int i, const TF_Tensor *tensor,
                                               bool is_handle) {
  if (DVT_UNLIKELY(!in_range(i, ctx->output_count))) return out_of_range(ctx, "output", i, ctx->output_count);
  if (is_handle && tensor && dvt_handle_is_bad(tensor, DVT_HANDLE_TENSOR, "TF_SetOutput")) return foreign(i);
  if (DVT_UNLIKELY(!tensor || dvt_tensor_is_empty(tensor))) {
    return dvt_context_misuse(ctx, dvt_error(TF_INVALID_ARGUMENT, "output %d was set to no tensor", i));
  }
  dvt_kernel_output *output = &ctx->outputs[i];
  if (DVT_UNLIKELY(output->is_set)) return set_twice(ctx, i);
  if (!dvt_tensor_is_lent(tensor)) DVT_RETURN_IF_ERROR(dvt_tensor_check_size(tensor));
  retain_for_output(ctx, tensor);
  DVT_RETURN_IF_ERROR(copy_value(&output->tensor, tensor));
  output->is_set = true;
  return NULL;
}

dvt_status dvt_context_set_output(TF_OpKernelContext *ctx, int i, const TF_Tensor *handle) {
  return set_output(ctx, i, handle, true);
}

dvt_status dvt_context_set_output_value(TF_OpKernelContext *ctx, int i, const TF_Tensor *value) {
  return set_output(ctx, i, value, false);
}

dvt_status dvt_context_mutable_output(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) {
  if (!in_range(i, ctx->output_count)) return out_of_range(ctx, "output", i, ctx->output_count);
  if (!ctx->outputs[i].is_set)
    return dvt_context_misuse(
        ctx, dvt_error(TF_FAILED_PRECONDITION,
                       "output %d is not set yet; allocate it before TF_GetMutableOutput", i));
  return new_handle(ctx, &ctx->outputs[i].tensor, -1, out_tensor);
}

// Shape errors end the process in stock; running out of memory is reported with shape and type.
static dvt_status DVT_COLD allocation_error(TF_OpKernelContext *ctx, dvt_status status, int dtype,
                                            const int64_t *dims, int rank) {
  if (dvt_status_code(status) != TF_RESOURCE_EXHAUSTED) return dvt_context_misuse(ctx, status);
  dvt_buf shape = {0};
  for (int i = 0; i < rank; i++) dvt_buf_printf(&shape, "%s%lld", i ? "," : "", (long long)dims[i]);
  dvt_status_free(status);
  status = dvt_error(TF_RESOURCE_EXHAUSTED,
                     "OOM when allocating tensor with shape[" DVT_STR_FMT "] and type %s on " DVT_STR_FMT
                     " by allocator cpu",
                     DVT_STR_ARG(dvt_buf_str(&shape)), dvt_dtype_name(dtype),
                     DVT_STR_ARG(ctx->kernel->device->name));
  dvt_buf_deinit(&shape);
  return status;
}

static dvt_status DVT_COLD no_dims(TF_OpKernelContext *ctx, int rank) {
  return dvt_context_misuse(
      ctx, dvt_error(TF_INVALID_ARGUMENT, "rank %d was given without dimensions (NULL)", rank));
}

// Checks of TF_AllocateOutput (rule 159); *out_dtype is what the op's signature declares.
static dvt_status DVT_COLD bad_output(TF_OpKernelContext *ctx, int i) {
  if (!in_range(i, ctx->output_count))
    return dvt_error(TF_INTERNAL, "allocate_output with bad index=%d num_outputs=%d kernel=" DVT_STR_FMT, i,
                     (int)ctx->output_count, DVT_STR_ARG(ctx->kernel->node->name));
  if (ctx->outputs[i].is_set)
    return dvt_error(TF_INTERNAL, "allocate_output on same index multiple times. Index %d", i);
  return dvt_error(TF_INTERNAL, "allocate_output with ref type. index=%d type=%s", i,
                   dvt_dtype_name(dvt_kernel_output_type(ctx->kernel, i)));
}

static inline bool may_allocate(const TF_OpKernelContext *ctx, int i) {
  return in_range(i, ctx->output_count) && !ctx->outputs[i].is_set &&
         dvt_kernel_output_type(ctx->kernel, i) < DVT_DTYPE_REF_OFFSET;
}

static void DVT_COLD count_bytes(atomic_llong *bytes, const TF_Tensor *tensor) {
  atomic_fetch_add_explicit(bytes, (long long)tensor->buffer->bytes, memory_order_relaxed);
}

dvt_status dvt_context_allocate_output(TF_OpKernelContext *ctx, int i, const int64_t *dims, int rank,
                                       TF_Tensor **out_tensor) {
  if (DVT_UNLIKELY(!may_allocate(ctx, i))) return bad_output(ctx, i);
  if (DVT_UNLIKELY(rank > 0 && !dims)) return no_dims(ctx, rank);
  dvt_kernel_output *output = &ctx->outputs[i];
  int dtype = dvt_kernel_output_type(ctx->kernel, i);
  dvt_status status = dvt_tensor_init_in_slot(&output->tensor, dtype, dims, rank, output->slot);
  if (DVT_UNLIKELY(status != NULL)) return allocation_error(ctx, status, dtype, dims, rank);
  if (DVT_UNLIKELY(ctx->trace != NULL)) count_bytes(&ctx->trace->output_bytes, &output->tensor);
  return publish_output(ctx, output, out_tensor);
}

static inline bool same_dims(const TF_Tensor *t, const int64_t *dims, int rank) {
  if (t->rank != rank) return false;
  const int64_t *own = dvt_tensor_dims(t);
  for (int i = 0; i < rank; i++)
    if (own[i] != dims[i]) return false;
  return true;
}

// Another shape of the same number of elements, which the buffer really holds.
static bool can_reshape(const TF_Tensor *t, const int64_t *dims, int rank) {
  int64_t count;
  dvt_status status = dvt_shape_count(dims, rank, &count);
  dvt_status_free(status);
  if (status || count != dvt_tensor_count(t)) return false;
  status = dvt_tensor_check_size(t);
  dvt_status_free(status);
  return !status;
}

// Does another input of the node have the buffer of input i?
static inline bool is_input_twice(const TF_OpKernelContext *ctx, int i) {
  for (int k = 0; k < ctx->input_count; k++)
    if (k != i && ctx->inputs[k] && ctx->inputs[k]->buffer == ctx->inputs[i]->buffer) return true;
  return false;
}

static bool is_host(const uint8_t *flags, int i) { return flags && flags[i]; }

// May the buffer of input i become a tensor like this one (rule 168)? The executor must be done with it and
// nobody else may see it: no handle, no other input of this node.
static DVT_ALWAYS_INLINE bool may_take_over(const TF_OpKernelContext *ctx, int i, int dtype, bool on_host,
                                            const int64_t *dims, int rank) {
  const TF_Tensor *input = ctx->inputs[i];
  if (!ctx->last_use || !ctx->last_use[i] || !input || dvt_tensor_is_empty(input)) return false;
  const dvt_kernel *kernel = ctx->kernel;
  if (input->dtype != dtype || dvt_kernel_input_type(kernel, i) != input->dtype) return false;
  if (!input->buffer->owned || !dvt_buffer_is_unique(input->buffer)) return false;
  if (ctx->lender &&
      (((const dvt_kernel_output *)input)->is_passed_on || dvt_lender_has_lent(ctx->lender, input->buffer)))
    return false;
  if (is_host(kernel->host_memory_inputs, i) != on_host) return false;
  if (is_input_twice(ctx, i)) return false;
  return same_dims(input, dims, rank) || can_reshape(input, dims, rank);
}

static DVT_ALWAYS_INLINE bool may_forward(const TF_OpKernelContext *ctx, int i, int o, const int64_t *dims,
                                          int rank) {
  const dvt_kernel *kernel = ctx->kernel;
  return may_take_over(ctx, i, dvt_kernel_output_type(kernel, o), is_host(kernel->host_memory_outputs, o),
                       dims, rank);
}

static DVT_ALWAYS_INLINE dvt_status forward(TF_OpKernelContext *ctx, int i, int o, const int64_t *dims,
                                            int rank, TF_Tensor **out_tensor) {
  const TF_Tensor *input = ctx->inputs[i];
  dvt_kernel_output *output = &ctx->outputs[o];
  dvt_buffer *buffer = input->buffer;
  dvt_kernel_output *value = rank <= DVT_INLINE_RANK ? passable_input(ctx, i) : NULL;
  if (value)
    value->is_passed_on = true;
  else
    dvt_buffer_retain_unique(buffer);
  DVT_RETURN_IF_ERROR(dvt_tensor_init_with_buffer(&output->tensor, input->dtype, dims, rank, buffer));
  return publish_output(ctx, output, out_tensor);
}

static dvt_status DVT_NOINLINE forward_or_allocate(TF_OpKernelContext *ctx, const int *candidates,
                                                   int candidate_count, int output, const int64_t *dims,
                                                   int rank, int *out_forwarded, TF_Tensor **out_tensor) {
  if (DVT_UNLIKELY(!may_allocate(ctx, output))) return bad_output(ctx, output);
  if (DVT_UNLIKELY(rank > 0 && !dims)) return no_dims(ctx, rank);
  for (int k = 0; k < candidate_count; k++) {
    int i = candidates[k];
    if (DVT_UNLIKELY(!in_range(i, ctx->input_count)))
      return dvt_context_misuse(ctx, out_of_range(ctx, "candidate input", i, ctx->input_count));
    if (!may_forward(ctx, i, output, dims, rank)) continue;
    DVT_RETURN_IF_ERROR(forward(ctx, i, output, dims, rank, out_tensor));
    if (out_forwarded) *out_forwarded = i;
    return NULL;
  }
  DVT_RETURN_IF_ERROR(dvt_context_allocate_output(ctx, output, dims, rank, out_tensor));
  if (out_forwarded) *out_forwarded = -1;
  return NULL;
}

// What the kernels of a chain ask for, without a call: input i passes its reference to output o, unchanged in
// dtype and shape, while no handle is out. NULL: look closer. The checks are those of may_forward.
static inline TF_Tensor *forward_at_once(TF_OpKernelContext *ctx, int i, int o, const int64_t *dims,
                                         int rank) {
  dvt_lender *lender = ctx->lender;
  if (!dvt_lender_is_here(lender) || dvt_lender_has_open(lender) || !ctx->last_use) return NULL;
  if ((unsigned)i >= (unsigned)DVT_MIN(ctx->input_count, DVT_KERNEL_NEAR_TYPES) ||
      (unsigned)o >= (unsigned)DVT_MIN(ctx->output_count, DVT_KERNEL_NEAR_TYPES) || !ctx->last_use[i])
    return NULL;
  const dvt_kernel *kernel = ctx->kernel;
  dvt_kernel_output *value = (dvt_kernel_output *)ctx->inputs[i], *output = &ctx->outputs[o];
  TF_Tensor *t = &value->tensor, *handle = lender->handles[0];
  dvt_buffer *buffer = t->buffer;
  int dtype = kernel->near_output_types[o];
  uint64_t kind = dvt_tensor_kind_word(dtype, rank);
  if (!handle || !buffer || value->is_passed_on || output->is_set) return NULL;
  if (dvt_tensor_get_kind(t) != kind || kernel->near_input_types[i] != dtype || rank > DVT_INLINE_RANK)
    return NULL;
  if (kernel->host_memory_inputs || kernel->host_memory_outputs) return NULL;
  if (!buffer->owned || !dvt_buffer_is_unique(buffer)) return NULL;
  if (ctx->input_count > 1 && is_input_twice(ctx, i)) return NULL;
  for (int k = 0; k < rank; k++)
    if (t->shape.inline_dims[k] != dims[k]) return NULL;
  value->is_passed_on = output->is_set = true;
  output->tensor.buffer = handle->buffer = buffer;
  output->tensor.data = handle->data = buffer->data;
  dvt_tensor_set_kind(&output->tensor, kind);
  dvt_tensor_set_kind(handle, kind);
  for (int k = 0; k < rank; k++) {
    output->tensor.shape.inline_dims[k] = handle->shape.inline_dims[k] = dims[k];
    DVT_FEW_TURNS();
  }
  dvt_lender_open_first(lender, -1);
  return handle;
}

dvt_status dvt_context_forward_or_allocate(TF_OpKernelContext *ctx, const int *candidates,
                                           int candidate_count, int output, const int64_t *dims, int rank,
                                           int *out_forwarded, TF_Tensor **out_tensor) {
  if (DVT_LIKELY(candidate_count > 0 && (rank <= 0 || dims))) {
    TF_Tensor *handle = forward_at_once(ctx, candidates[0], output, dims, rank);
    if (DVT_LIKELY(handle != NULL)) {
      if (out_forwarded) *out_forwarded = candidates[0];
      *out_tensor = handle;
      return NULL;
    }
  }
  return forward_or_allocate(ctx, candidates, candidate_count, output, dims, rank, out_forwarded, out_tensor);
}

static dvt_status check_shape(TF_OpKernelContext *ctx, const int64_t *dims, int rank) {
  int64_t count;
  return DVT_UNLIKELY(rank > 0 && !dims) ? no_dims(ctx, rank) : dvt_shape_count(dims, rank, &count);
}

dvt_status dvt_context_forward_to_output(TF_OpKernelContext *ctx, int i, int output, const int64_t *dims,
                                         int rank, TF_Tensor **out_tensor) {
  if (!may_allocate(ctx, output)) return bad_output(ctx, output);
  if (!in_range(i, ctx->input_count)) return out_of_range(ctx, "input", i, ctx->input_count);
  DVT_RETURN_IF_ERROR(check_shape(ctx, dims, rank));
  *out_tensor = NULL;
  return may_forward(ctx, i, output, dims, rank) ? forward(ctx, i, output, dims, rank, out_tensor) : NULL;
}

dvt_status dvt_context_forward_input(TF_OpKernelContext *ctx, int i, int dtype, bool on_host,
                                     const int64_t *dims, int rank, TF_Tensor **out_tensor) {
  if (!in_range(i, ctx->input_count)) return out_of_range(ctx, "input", i, ctx->input_count);
  DVT_RETURN_IF_ERROR(check_shape(ctx, dims, rank));
  *out_tensor = NULL;
  if (!may_take_over(ctx, i, dtype, on_host, dims, rank)) return NULL;
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return dvt_error_out_of_memory(sizeof *handle);
  dvt_buffer *buffer = ctx->inputs[i]->buffer;
  dvt_buffer_retain(buffer);
  if (ctx->checked) dvt_checked_note_forward(ctx, buffer);
  dvt_status status = dvt_tensor_init_with_buffer(handle, dtype, dims, rank, buffer);
  if (status)
    dvt_tensor_handle_delete(handle);
  else
    *out_tensor = handle;
  return status;
}

dvt_status dvt_context_release_output(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) {
  if (!in_range(i, ctx->output_count)) return out_of_range(ctx, "output", i, ctx->output_count);
  dvt_kernel_output *output = &ctx->outputs[i];
  if (!output->is_set)
    return dvt_error(TF_FAILED_PRECONDITION, "output %d is not set, so there is nothing to take back", i);
  // Handles may read through the reference that the output gives up.
  if (ctx->lender && dvt_lender_has_open(ctx->lender)) {
    if (!dvt_lender_is_here(ctx->lender))
      return dvt_error(TF_FAILED_PRECONDITION,
                       "output %d can be taken back only by the thread that runs the kernel, as long as it "
                       "holds handles of inputs or outputs",
                       i);
    dvt_lender_settle(ctx->lender);
  }
  DVT_RETURN_IF_ERROR(new_counted_handle(&output->tensor, out_tensor));
  if (ctx->checked) dvt_checked_note_forward(ctx, output->tensor.buffer);
  dvt_tensor_reset(&output->tensor);
  output->is_set = false;
  return NULL;
}

bool dvt_context_output_is_read(const TF_OpKernelContext *ctx, int i) {
  const bool *unread = ctx->unread_outputs;
  if (!unread && ctx->view) unread = ctx->view->unread_outputs(ctx);
  return !unread || !unread[i];
}

static dvt_slot *next_temp_slot(TF_OpKernelContext *ctx) {
  if (!ctx->temp_slots) return NULL;
  int i = atomic_fetch_add_explicit(&ctx->temp_slots_used, 1, memory_order_relaxed);
  return i < ctx->temp_slot_count ? &ctx->temp_slots[i] : NULL;
}

dvt_status dvt_context_allocate_temp(TF_OpKernelContext *ctx, int dtype, const int64_t *dims, int rank,
                                     TF_Tensor **out_tensor) {
  if (!dvt_dtype_is_valid(dtype))
    return dvt_context_misuse(
        ctx, dvt_error(TF_INVALID_ARGUMENT, "a temporary tensor of unknown type %d was asked for", dtype));
  if (DVT_UNLIKELY(rank > 0 && !dims)) return no_dims(ctx, rank);
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return dvt_error_out_of_memory(sizeof *handle);
  dvt_status status = dvt_tensor_init_in_slot(handle, dtype, dims, rank, next_temp_slot(ctx));
  if (DVT_UNLIKELY(status != NULL)) {
    dvt_tensor_handle_delete(handle);
    return allocation_error(ctx, status, dtype, dims, rank);
  }
  if (DVT_UNLIKELY(ctx->trace != NULL)) count_bytes(&ctx->trace->temp_bytes, handle);
  *out_tensor = handle;
  return NULL;
}
