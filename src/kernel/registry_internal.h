// What the two halves of the kernel registry share: registry.c keeps the definitions, match.c chooses among
// them.
#ifndef DVT_KERNEL_REGISTRY_INTERNAL_H_
#define DVT_KERNEL_REGISTRY_INTERNAL_H_

#include "kernel/registry.h"

// Kernels of one op in order of registration.
typedef struct dvt_kernel_list {
  dvt_kernel_def *first, *last;
} dvt_kernel_list;

// First kernel of the op or NULL; callers pass by what dvt_load_is_visible hides. The registry stays locked
// for reading until dvt_kernel_registry_unlock.
const dvt_kernel_def *dvt_kernel_registry_lock_op(dvt_str op);
void dvt_kernel_registry_unlock(void);
// Lets the autoload hook look for kernels of the op, or wait for a thread that loads them. Not while locked.
void dvt_kernel_registry_autoload(dvt_str op);
// "device='CPU'; T in [DT_FLOAT]"
void dvt_kernel_def_describe(const dvt_kernel_def *def, dvt_buf *out);

#endif  // DVT_KERNEL_REGISTRY_INTERNAL_H_
