// Objects in tensors: values of dtype variant (lists, optionals, anything a kernel wants to pass on) and resources (state
// that nodes refer to by a handle). Stock's C ABI shows such tensors as opaque; a kernel that uses these functions runs in
// Dovetail only.
//
// An object is a pointer of yours with a type. Objects are reference-counted: copying a tensor shares its objects. Treat an
// object that others may see as immutable; dvt_object_is_shared says whether they can.
#ifndef DOVETAIL_OBJECT_H_
#define DOVETAIL_OBJECT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes one tensor of a new value from one tensor of an existing value (`b` is NULL), or from two that belong together.
// Owner: the caller deletes the result; NULL after a failure. Threads: the one that calls. Since: dovetail
typedef TF_Tensor *(*dvt_tensor_fn)(TF_OpKernelContext *ctx, void *arg, const TF_Tensor *a, const TF_Tensor *b,
                                    TF_Status *status);

// A kind of object, declared by the plugin as a static constant. Two descriptions with the same name are the same type.
typedef struct dvt_value_type {
  size_t struct_size;            // sizeof(dvt_value_type)
  const char *name;              // for checks and messages, such as "tensorflow::TensorList"
  void (*destroy)(void *value);  // frees it when the last reference is gone; any thread; may be NULL
  // The following serve ops on variants (ZerosLike, AddN; see dvt_object_zeros_like, dvt_object_add); NULL: such an op
  // answers UNIMPLEMENTED. They return a new value, or NULL with an error in status.
  void *(*zeros_like)(TF_OpKernelContext *ctx, const void *value, TF_Status *status);
  void *(*add)(TF_OpKernelContext *ctx, const void *a, const void *b, TF_Status *status);
  // A new value whose tensors are what `fn` makes of those of `a` (`b` is NULL) or of those of `a` and `b`, which must
  // have the same structure. For kernels that bring their own arithmetic (TF_AddNVariant, TF_ZerosLikeVariant of
  // tensorflow/c/kernels_experimental.h); NULL: such kernels get what zeros_like and add make.
  void *(*map_tensors)(TF_OpKernelContext *ctx, const void *a, const void *b, dvt_tensor_fn fn, void *arg,
                       TF_Status *status);
} dvt_value_type;

// Puts `value` into element `index` of a tensor of dtype variant or resource; what was there loses a reference.
// Owner: the tensor takes over the value; on failure it is destroyed. Threads: one at a time for one tensor.
// Errors: INVALID_ARGUMENT (dtype), OUT_OF_RANGE (index), RESOURCE_EXHAUSTED. Since: dovetail
DVT_EXPORT void dvt_object_set(TF_Tensor *tensor, int64_t index, const dvt_value_type *type, void *value,
                               TF_Status *status);

// The value in element `index`, which must be of `type`. NULL after a failure.
// Owner: the tensor; valid while the tensor, or another that shares the object, holds it. Threads: any.
// Errors: INVALID_ARGUMENT (dtype, another type, or an element that holds nothing), OUT_OF_RANGE (index). Since: dovetail
DVT_EXPORT void *dvt_object_get(const TF_Tensor *tensor, int64_t index, const dvt_value_type *type, TF_Status *status);

// The name of the type of the object in element `index`; NULL when it holds nothing or the tensor cannot hold objects.
// Owner: the runtime, as long as the object lives. Threads: any. Since: dovetail
DVT_EXPORT const char *dvt_object_type_name(const TF_Tensor *tensor, int64_t index);

// Whether anything but element `index` of this tensor's memory refers to the object. A kernel whose input was forwarded
// to its output (TF_ForwardInputOrAllocateOutput) may change an object that is not shared in place.
// Threads: any. Since: dovetail
DVT_EXPORT bool dvt_object_is_shared(const TF_Tensor *tensor, int64_t index);

// Makes element `index` of `to` refer to the object in element `from_index` of `from`, or to nothing.
// Threads: one at a time for `to`. Errors: INVALID_ARGUMENT (dtypes), OUT_OF_RANGE. Since: dovetail
DVT_EXPORT void dvt_object_share(TF_Tensor *to, int64_t index, const TF_Tensor *from, int64_t from_index,
                                 TF_Status *status);

// Puts what zeros_like of its type makes of the object in element `from_index` of `from` into element `index` of `to`; an
// element that holds nothing gives nothing. Both tensors have dtype variant.
// Threads: from compute; one at a time for `to`.
// Errors: INVALID_ARGUMENT (dtypes), OUT_OF_RANGE, UNIMPLEMENTED (the type has no zeros_like), what zeros_like reports.
// Since: dovetail
DVT_EXPORT void dvt_object_zeros_like(TF_OpKernelContext *ctx, TF_Tensor *to, int64_t index, const TF_Tensor *from,
                                      int64_t from_index, TF_Status *status);

// Puts the sum of two objects of one type, as their type's `add` makes it, into element `index` of `to`. All tensors have
// dtype variant.
// Threads: from compute; one at a time for `to`.
// Errors: INVALID_ARGUMENT (dtypes, types that differ, an element that holds nothing), OUT_OF_RANGE, UNIMPLEMENTED (the type
// has no add), what add reports. Since: dovetail
DVT_EXPORT void dvt_object_add(TF_OpKernelContext *ctx, TF_Tensor *to, int64_t index, const TF_Tensor *a, int64_t a_index,
                               const TF_Tensor *b, int64_t b_index, TF_Status *status);

// How dvt_resource_handle makes the value of a resource that does not exist yet: returns it, or NULL with an error in
// `status`.
typedef void *(*dvt_resource_create)(TF_OpKernelContext *ctx, void *arg, TF_Status *status);

// A scalar TF_RESOURCE tensor that refers to the resource container/name of the session; made with `create` if it does not
// exist (NULL: NOT_FOUND). An empty container is the session's default one; an empty name makes a resource of its own that
// lives as long as handles to it.
// Owner: the caller deletes the tensor. Threads: any while compute runs; of two threads that both make the value one
// wins, and the other's is destroyed.
// Errors: INVALID_ARGUMENT when the name holds another type, NOT_FOUND, what create reports. Since: dovetail
DVT_EXPORT TF_Tensor *dvt_resource_handle(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                                          const char *name, size_t name_bytes, const dvt_value_type *type,
                                          dvt_resource_create create, void *arg, TF_Status *status);

// The value of the resource that input `index`, a handle, refers to. NULL after a failure.
// Owner: the resource; valid until compute returns, or until `done` of an asynchronous kernel. Threads: any while compute
// runs; the value is shared with all that have a handle, so it guards itself.
// Errors: OUT_OF_RANGE (index), INVALID_ARGUMENT (no handle, another type). Since: dovetail
DVT_EXPORT void *dvt_resource_get(TF_OpKernelContext *ctx, int index, const dvt_value_type *type, TF_Status *status);

// Removes the resource from its container; handles to it keep it alive.
// Threads: any while compute runs. Errors: NOT_FOUND. Since: dovetail
DVT_EXPORT void dvt_resource_remove(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                                    const char *name, size_t name_bytes, TF_Status *status);

// Removes the resource that input `index` refers to from its container, so that the next handle of its name makes a new
// one. A variable loses its value; other resources live on with the handles to them.
// Threads: any while compute runs.
// Errors: NOT_FOUND (it is in no container, or no more), INVALID_ARGUMENT (no resource), OUT_OF_RANGE (index). Since: dovetail
DVT_EXPORT void dvt_resource_destroy(TF_OpKernelContext *ctx, int index, TF_Status *status);

// Removes every resource from a container (empty: the session's default one); handles keep theirs alive.
// Threads: any while compute runs. Errors: INTERNAL (the step has no resources). Since: dovetail
DVT_EXPORT void dvt_resource_remove_all(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                                        TF_Status *status);

// What dvt_resource_list tells of one resource; the texts are valid during the call and end with a NUL.
typedef struct dvt_resource_info {
  size_t struct_size;  // sizeof(dvt_resource_info) of the host
  const char *container;
  size_t container_bytes;
  const char *name;
  size_t name_bytes;
  const char *type;    // of the value: "Variable", or the name in the dvt_value_type
  int64_t references;  // the container's and those of handles
} dvt_resource_info;

// Calls `visit` for each resource of a container (empty: the session's default one) that there was at one moment, sorted by
// name. For looking into a session while debugging: others may add and remove resources meanwhile.
// Threads: any while compute runs; `visit` runs in this thread and may use resources.
// Errors: RESOURCE_EXHAUSTED, INTERNAL (the step has no resources); `visit` is then not called. Since: dovetail
DVT_EXPORT void dvt_resource_list(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                                  void (*visit)(void *arg, const dvt_resource_info *info), void *arg,
                                  TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_OBJECT_H_
