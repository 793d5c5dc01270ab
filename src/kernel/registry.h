// The kernel registry: what TF_RegisterKernelBuilder stores, and finding the kernel for a node (document
// 003's FindKernelRegistration): key op + device type + label, then type constraints, then priority, then
// DEFAULT device. Thread-safe; lookups are cheap and do not block each other.
#ifndef DVT_KERNEL_REGISTRY_H_
#define DVT_KERNEL_REGISTRY_H_

#include "op/load_record.h"
#include "op/node_def.h"
#include "tensorflow/c/kernels.h"

typedef struct dvt_kernel_constraint {
  dvt_str attr;
  const uint8_t *dtypes;  // allowed values
  int32_t dtype_count;
  uint64_t allowed;  // the same, a bit for each dtype; of registered kernels only
} dvt_kernel_constraint;

typedef struct dvt_kernel_def {
  dvt_load *load;  // in which load of the plugin; NULL = registered by the host program
  dvt_str device_type, label;
  const dvt_kernel_constraint *constraints;
  int32_t priority;
  int16_t constraint_count, host_memory_count;
  dvt_str op;
  dvt_str class_name;  // the name given at registration; may be empty
  const dvt_str *host_memory_args;
  void *(*create)(TF_OpKernelConstruction *);     // may be NULL
  void (*compute)(void *, TF_OpKernelContext *);  // exactly one of compute and compute_async is set
  void (*compute_async)(void *, TF_OpKernelContext *, TF_AsyncOpKernelDoneCallback *);
  void (*destroy)(void *);  // may be NULL
  dvt_plugin *plugin;       // who registered it; NULL = host program
} dvt_kernel_def;

// Consumes the builder (TF_KernelBuilder, kernel/builder.h). `class_name` may be empty. A kernel of the op
// "_no_register", which selective registration leaves out (document 003), is passed over. The plugin being
// loaded on this thread (dvt_load_begin) owns the kernel and others do not see it until that has ended; while
// there is one, a kernel that equals a registered one in everything, functions included, is ignored: plugins
// register from a constructor and again from TF_InitKernel.
dvt_status dvt_kernel_register(TF_KernelBuilder *builder, dvt_str class_name) DVT_NODISCARD;

// The kernel for the node on a device of `device_type`. Errors as rules 99-110: NOT_FOUND "No registered 'X'
// OpKernel for CPU devices compatible with node {{node n}} ... Registered: ..." and "(OpKernel was found, but
// attributes didn't match)"; INVALID_ARGUMENT for ties and bad constraints. Autoloads like dvt_op_lookup.
dvt_status dvt_kernel_find(const dvt_node_def *node, dvt_str device_type,
                           const dvt_kernel_def **out_def) DVT_NODISCARD;

// Why a kernel of the node's op was taken, or why not.
typedef enum dvt_kernel_fit {
  DVT_KERNEL_TAKEN,
  DVT_KERNEL_OTHER_DEVICE,
  DVT_KERNEL_OTHER_LABEL,
  DVT_KERNEL_ATTR_MISMATCH,   // `constraint` does not hold for `value`
  DVT_KERNEL_BAD_CONSTRAINT,  // `constraint` names no attr of the node, or one that holds no dtypes
  DVT_KERNEL_LOWER_PRIORITY,  // it fits, as does one of higher priority
  DVT_KERNEL_TIED,            // it fits, as does another with the same right: an error
  DVT_KERNEL_DEFAULT_UNUSED,  // for the device DEFAULT, which is asked for only when no other kernel fits
} dvt_kernel_fit;
typedef struct dvt_kernel_candidate_fit {
  const dvt_kernel_def *def;
  dvt_kernel_fit fit;
  const dvt_kernel_constraint *constraint;  // the first that does not hold; else NULL
  dvt_str value;                            // the node's serialised AttrValue for it; empty: no such attr
} dvt_kernel_candidate_fit;
// Finds as dvt_kernel_find does, with its result, and tells what became of every kernel of the op, in the
// order of registration.
dvt_status dvt_kernel_explain(const dvt_node_def *node, dvt_str device_type,
                              void (*visit)(void *arg, const dvt_kernel_candidate_fit *candidate), void *arg,
                              const dvt_kernel_def **out_def) DVT_NODISCARD;

// "  device='CPU'; T in [DT_FLOAT]\n" for every kernel of the op, or "  <no registered kernels>\n".
void dvt_kernel_list_text(dvt_str op, dvt_buf *out);
// Serialised KernelList (op.len 0: all kernels).
void dvt_kernel_list_proto(dvt_str op, dvt_buf *out);
void dvt_kernel_registry_visit(void (*visit)(void *arg, const dvt_kernel_def *def), void *arg);
// Asked once for an op that has no kernel when one is looked for; may load a plugin that registers some.
// NULL: none.
void dvt_kernel_registry_set_autoload(bool (*hook)(dvt_str op_name));
// Removes every kernel of a load that fails, on its thread.
void dvt_kernel_registry_remove_load(dvt_load *load);

#endif  // DVT_KERNEL_REGISTRY_H_
