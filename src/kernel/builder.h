// TF_KernelBuilder: a kernel definition while a plugin fills it. Builders are kept for reuse together with
// their arena, so that registering many kernels allocates nothing but what the registry keeps.
#ifndef DVT_KERNEL_BUILDER_H_
#define DVT_KERNEL_BUILDER_H_

#include "base/arena.h"
#include "kernel/registry.h"

struct TF_KernelBuilder {
  dvt_kernel_def def;  // arrays and strings point into `arena`
  dvt_kernel_constraint *constraints;
  dvt_str *host_memory_args;
  int32_t constraint_capacity, host_memory_capacity;
  dvt_arena arena;
  bool failed;  // an argument could not be kept: out of memory; registration reports it
  struct TF_KernelBuilder *next;
};

// Copies both names. NULL when out of memory.
TF_KernelBuilder *dvt_kernel_builder_new(dvt_str op, dvt_str device_type) DVT_NODISCARD;
void dvt_kernel_builder_delete(TF_KernelBuilder *builder);  // NULL is fine
void dvt_kernel_builder_add_constraint(TF_KernelBuilder *builder, dvt_str attr, const uint8_t *dtypes,
                                       int count);
void dvt_kernel_builder_add_host_memory(TF_KernelBuilder *builder, dvt_str arg);
void dvt_kernel_builder_set_label(TF_KernelBuilder *builder, dvt_str label);
// Replaces everything but the functions by a serialised KernelDef. INVALID_ARGUMENT when it does not parse.
dvt_status dvt_kernel_builder_set_proto(TF_KernelBuilder *builder, dvt_str kernel_def) DVT_NODISCARD;

// A one-element dtype list for `dtype` in static memory; dtype in 0..255.
const uint8_t *dvt_dtype_singleton(int dtype);

#endif  // DVT_KERNEL_BUILDER_H_
