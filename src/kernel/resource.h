// Resources: named, reference-counted state that outlives a step (variables, tables). A resource tensor's
// elements are dvt_object pointers (tensor/object.h); the manager maps container/name to objects.
#ifndef DVT_KERNEL_RESOURCE_H_
#define DVT_KERNEL_RESOURCE_H_

#include <pthread.h>

#include "tensor/object.h"
#include "tensor/tensor.h"

typedef struct dvt_resource_manager dvt_resource_manager;
dvt_status dvt_resource_manager_create(dvt_resource_manager **out_manager) DVT_NODISCARD;
void dvt_resource_manager_destroy(dvt_resource_manager *manager);  // releases its references
// Finds container/name of `type`, or makes it with `create` (may be NULL: then NOT_FOUND). The result carries
// a reference for the caller. INVALID_ARGUMENT when the name holds another type.
dvt_status dvt_resource_lookup(dvt_resource_manager *manager, dvt_str container, dvt_str name,
                               const dvt_object_type *type,
                               dvt_status (*create)(void *arg, dvt_object **out_object), void *arg,
                               dvt_object **out_object) DVT_NODISCARD;
dvt_status dvt_resource_delete(dvt_resource_manager *manager, dvt_str container, dvt_str name) DVT_NODISCARD;
// Removes it wherever it is stored. NOT_FOUND when it is nowhere.
dvt_status dvt_resource_delete_object(dvt_resource_manager *manager, const dvt_object *object) DVT_NODISCARD;
#define DVT_DEFAULT_CONTAINER "localhost"
// Drops every resource of the container (end of a step: its temporary variables).
void dvt_resource_clear(dvt_resource_manager *manager, dvt_str container);

// What a container holds at one moment, sorted by name.
typedef struct dvt_resource_entry {
  dvt_str container, name;
  dvt_object *object;  // a reference of the snapshot's
  int references;      // others than the snapshot's, the container's among them
  char *text;          // memory of the names
} dvt_resource_entry;
dvt_status dvt_resource_snapshot(dvt_resource_manager *manager, dvt_str container,
                                 dvt_resource_entry **out_entries, size_t *out_count) DVT_NODISCARD;
void dvt_resource_snapshot_free(dvt_resource_entry *entries, size_t count);

// A variable: a tensor under two locks. `value` is empty until first assigned. Copy-on-write: readers share
// the buffer, an update in place needs a unique buffer. `lock` is the variable's mutex as kernels see it:
// held for writing while a kernel updates the memory in place, for reading by kernels that asked for no
// exclusion. `value_lock` guards the struct `value` for the few instructions of reading or replacing it;
// whoever takes it holds `lock` for reading or writing.
typedef struct dvt_variable {
  dvt_object object;
  pthread_rwlock_t lock;
  pthread_mutex_t value_lock;
  TF_Tensor value;
  int32_t dtype;  // declared dtype of the handle, 0 when any
  char *name;     // for messages: "container/name"
} dvt_variable;
// Takes `lock`. False when this thread holds it for writing already (a kernel between
// TF_MaybeLockVariableInputMutexesInOrder and the release): there is nothing to take and nothing to unlock.
bool dvt_variable_lock(dvt_variable *variable, bool exclusive) DVT_NODISCARD;
static inline void dvt_variable_unlock(dvt_variable *variable, bool locked) {
  if (locked) pthread_rwlock_unlock(&variable->lock);
}
extern const dvt_object_type dvt_variable_type;
dvt_status dvt_variable_create(dvt_str name, int dtype, dvt_object **out_object) DVT_NODISCARD;
// Current value as another reference to its buffer; FAILED_PRECONDITION "variable x is uninitialized" when
// empty.
dvt_status dvt_variable_read(dvt_variable *variable, TF_Tensor *out) DVT_NODISCARD;
// Stores a reference to `value`'s buffer (copied first when the buffer is not the runtime's own). With
// `validate_shape`, INVALID_ARGUMENT when the shape differs from an already assigned value's (rule 187).
dvt_status dvt_variable_assign(dvt_variable *variable, const TF_Tensor *value,
                               bool validate_shape) DVT_NODISCARD;

bool dvt_variable_has_value(dvt_variable *variable);
static inline bool dvt_same_shape(const TF_Tensor *a, const TF_Tensor *b) {
  return a->rank == b->rank && (a->rank == 0 || memcmp(dvt_tensor_dims(a), dvt_tensor_dims(b),
                                                       (size_t)a->rank * sizeof(int64_t)) == 0);
}
// Forgets the value; memory lives on with its readers.
void dvt_variable_clear(dvt_variable *variable);
// Copies one tensor into another of the same dtype and shape where that takes more than memcpy (a device).
typedef void (*dvt_copy_fn)(void *arg, TF_Tensor *from, TF_Tensor *to);
// Makes the value's buffer this variable's own, and hands out another reference to it for writing in place.
// The caller holds `lock`. `copy` may be NULL: a deep copy in host memory. FAILED_PRECONDITION when there is
// no value.
dvt_status dvt_variable_unshare(dvt_variable *variable, dvt_copy_fn copy, void *arg,
                                TF_Tensor *out) DVT_NODISCARD;

// Scalar resource tensors.
dvt_status dvt_resource_tensor(dvt_object *object, TF_Tensor *out) DVT_NODISCARD;  // takes its own reference
// The object in a scalar resource tensor (borrowed), checked against `type`; INVALID_ARGUMENT otherwise.
dvt_status dvt_resource_from_tensor(const TF_Tensor *t, const dvt_object_type *type,
                                    dvt_object **out_object) DVT_NODISCARD;

#endif  // DVT_KERNEL_RESOURCE_H_
