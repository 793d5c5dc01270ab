// What the functions of kernels.h do with a TF_OpKernelContext, as statuses. src/capi puts the C ABI's names
// on them. All may be called from any thread while compute runs, for different inputs and outputs.
#ifndef DVT_KERNEL_CONTEXT_H_
#define DVT_KERNEL_CONTEXT_H_

#include "kernel/kernel.h"

// Input i as a new handle; NULL for a dead or missing one. OUT_OF_RANGE, INVALID_ARGUMENT for a reference
// input.
dvt_status dvt_context_input(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) DVT_NODISCARD;
// The variable behind a resource or reference input, borrowed.
dvt_status dvt_context_variable(TF_OpKernelContext *ctx, int i, dvt_variable **out_variable) DVT_NODISCARD;
bool dvt_context_input_is_ref(const TF_OpKernelContext *ctx, int i);

// Output i becomes another reference to the tensor's buffer.
dvt_status dvt_context_set_output(TF_OpKernelContext *ctx, int i, const TF_Tensor *handle) DVT_NODISCARD;
// The same for a tensor that is no handle of a kernel.
dvt_status dvt_context_set_output_value(TF_OpKernelContext *ctx, int i, const TF_Tensor *value) DVT_NODISCARD;
// The following hand out a new handle.
dvt_status dvt_context_mutable_output(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) DVT_NODISCARD;
dvt_status dvt_context_allocate_output(TF_OpKernelContext *ctx, int i, const int64_t *dims, int rank,
                                       TF_Tensor **out_tensor) DVT_NODISCARD;
dvt_status dvt_context_forward_or_allocate(TF_OpKernelContext *ctx, const int *candidates,
                                           int candidate_count, int output, const int64_t *dims, int rank,
                                           int *out_forwarded, TF_Tensor **out_tensor) DVT_NODISCARD;
// *out_tensor becomes NULL, without an error, where input i cannot be forwarded.
dvt_status dvt_context_forward_to_output(TF_OpKernelContext *ctx, int i, int output, const int64_t *dims,
                                         int rank, TF_Tensor **out_tensor) DVT_NODISCARD;
dvt_status dvt_context_forward_input(TF_OpKernelContext *ctx, int i, int dtype, bool on_host,
                                     const int64_t *dims, int rank, TF_Tensor **out_tensor) DVT_NODISCARD;
// The output's reference as a handle; the output may be set again.
dvt_status dvt_context_release_output(TF_OpKernelContext *ctx, int i, TF_Tensor **out_tensor) DVT_NODISCARD;
dvt_status dvt_context_allocate_temp(TF_OpKernelContext *ctx, int dtype, const int64_t *dims, int rank,
                                     TF_Tensor **out_tensor) DVT_NODISCARD;

// Does anybody read output i, which is in range?
bool dvt_context_output_is_read(const TF_OpKernelContext *ctx, int i);

// For what stock answers by ending the process: logs the error, fails the context with it and returns it too,
// so that a kernel that does not look at its status cannot go on as if nothing had happened.
dvt_status dvt_context_misuse(TF_OpKernelContext *ctx, dvt_status status) DVT_NODISCARD DVT_COLD;

#endif  // DVT_KERNEL_CONTEXT_H_
