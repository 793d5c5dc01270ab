// What the two halves of the kernel registry share: registry.c keeps the definitions, match.c chooses among
// them.
#ifndef DVT_KERNEL_REGISTRY_INTERNAL_H_
#define DVT_KERNEL_REGISTRY_INTERNAL_H_

#include "kernel/registry.h"

// What a search reads of most kernels of an op, side by side.
typedef struct dvt_kernel_row {
  const dvt_kernel_def *def;
  uint64_t allowed;  // of its first constraint, if that is on the rows' attr; else DVT_KERNEL_UNTOLD
} dvt_kernel_row;
#define DVT_KERNEL_UNTOLD UINT64_MAX

// Kernels of one op in order of registration; callers pass by what dvt_load_is_visible hides. Readers take no
// lock: rows are added behind `count`, any other change makes new rows, and old ones stay allocated.
typedef struct dvt_kernel_rows {
  const dvt_str *attr;  // what most of them constrain first; NULL: none is constrained
  int32_t capacity;
  _Atomic int32_t count;
  dvt_kernel_row rows[];
} dvt_kernel_rows;

// Of an op's name, for the life of the process.
typedef struct dvt_kernel_list {
  _Atomic(dvt_kernel_rows *) rows;
} dvt_kernel_list;

const dvt_kernel_rows *dvt_kernel_rows_of_name(dvt_str op);  // without rows when the op has no kernels
const dvt_kernel_rows *dvt_kernel_rows_of(const dvt_op_def *op);
static inline int32_t dvt_kernel_rows_count(const dvt_kernel_rows *rows) {
  return atomic_load_explicit(&rows->count, memory_order_acquire);
}
// Lets the autoload hook look for kernels of the op, or wait for a thread that loads them. Not while locked.
void dvt_kernel_registry_autoload(dvt_str op);
// "device='CPU'; T in [DT_FLOAT]"
void dvt_kernel_def_describe(const dvt_kernel_def *def, dvt_buf *out);

#endif  // DVT_KERNEL_REGISTRY_INTERNAL_H_
