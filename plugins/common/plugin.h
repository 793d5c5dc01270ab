// The table a standard plugin is made from: one row per op in `<plugin>_ops.def`, turned into op definitions
// and kernel registrations by dvp_plugin_register. Only public headers are used here and in every plugin;
// names start with dvp_ so that they never meet the host's own dvt_ functions.
//
// A row of the .def file is one of
//   OP(Name, "inputs", "outputs", "attrs", flags, shape_fn, set)        kernels of `set`
//   OP_FAST(Name, ... , set)    kernels that exist twice, for any CPU and for x86-64-v3; chosen when the
//   plugin loads OP_ONLY(Name, "inputs", "outputs", "attrs", flags, shape_fn)        a definition without
//   kernel
// where the specs of TF_OpDefinitionBuilderAdd* are joined by ';'.
#ifndef DOVETAIL_PLUGINS_COMMON_PLUGIN_H_
#define DOVETAIL_PLUGINS_COMMON_PLUGIN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dovetail/selective_registration.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#define DVP_EXPORT __attribute__((visibility("default")))

typedef void (*dvp_compute)(void *state, TF_OpKernelContext *ctx);
typedef void (*dvp_compute_async)(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done);

// One registered kernel: the dtype its set's attr must have (0: any), what computes it, and its class, by
// which it is selected (dovetail/selective_registration.h).
typedef struct dvp_kernel {
  TF_DataType dtype;
  dvp_compute compute;
  const char *class_name;
} dvp_kernel;

// A row of a table of them: the class is the name of the compute function without "_compute".
#define DVP_KERNEL(dtype, name) DVP_KERNEL_ROW(dtype, name, name##_compute)
#define DVP_KERNEL_ROW(dtype, name, compute) DVT_IF_KERNEL(name, {dtype, compute, #name}, )

typedef struct dvp_kernel_set {
  const char *attr;                               // the constrained attr; NULL: none
  void *(*create)(TF_OpKernelConstruction *ctx);  // NULL: kernels without state
  void (*destroy)(void *state);                   // accepts NULL
  int count;
  const dvp_kernel *kernels;
  dvp_compute_async compute_async;  // of asynchronous kernels, instead of the rows' compute; else NULL
} dvp_kernel_set;

enum {
  DVP_PLAIN = 0,
  DVP_COMMUTATIVE = 1,
  DVP_AGGREGATE = 2,
  DVP_STATEFUL = 4,
  DVP_UNINITIALIZED_INPUT = 8,
};

typedef struct dvp_op {
  const char *name, *inputs, *outputs, *attrs;
  int flags;
  void (*shape)(TF_ShapeInferenceContext *ctx, TF_Status *status);
  const dvp_kernel_set *base, *v3;  // v3 NULL: base serves every CPU; both NULL: definition only
} dvp_op;

// Registers every op and its kernels; what the host refuses is logged, and the host itself reports it to
// whoever loads the plugin.
void dvp_plugin_register(const dvp_op *ops, int count);

// ---- the two variants of a kernel set ----
// Files named *_loops.c are compiled once for any CPU and, on x86-64, once more with DVP_ISA_V3 for AVX2, FMA
// and F16C.
#ifdef DVP_ISA_V3
#define DVP_SET(name) dvp_set_##name##_avx2
#else
#define DVP_SET(name) dvp_set_##name
#endif

// Defines a kernel set, constrained by `attr_name`, from an array of dvp_kernel. One whose kernels were all
// left out by selective registration does not mention the functions of their state.
#define DVP_DEFINE_SET(name, attr_name, create_fn, destroy_fn, rows)             \
  extern const dvp_kernel_set DVP_SET(name);                                     \
  const dvp_kernel_set DVP_SET(name) = {attr_name,                               \
                                        DVP_OF_ROWS(rows, create_fn),            \
                                        DVP_OF_ROWS(rows, destroy_fn),           \
                                        (int)(sizeof(rows) / sizeof((rows)[0])), \
                                        rows,                                    \
                                        NULL}
#ifdef SELECTIVE_REGISTRATION
#define DVP_OF_ROWS(rows, function) (sizeof(rows) ? (function) : NULL)
#else
#define DVP_OF_ROWS(rows, function) (function)
#endif

// A set of one kernel for every dtype.
#define DVP_DEFINE_ANY(name, create_fn, destroy_fn, compute_fn)                      \
  static const dvp_kernel name##_any_rows[] = {DVP_KERNEL_ROW(0, name, compute_fn)}; \
  DVP_DEFINE_SET(name, NULL, create_fn, destroy_fn, name##_any_rows)

#endif  // DOVETAIL_PLUGINS_COMMON_PLUGIN_H_
