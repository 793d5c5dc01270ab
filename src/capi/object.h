// What the files behind include/dovetail/object.h share: a plugin's value as a reference-counted object, and
// the elements of tensors that refer to one.
#ifndef DVT_CAPI_OBJECT_H_
#define DVT_CAPI_OBJECT_H_

#include <string.h>

#include "dovetail/object.h"
#include "kernel/context.h"

// What an element points to when it is not the runtime's own: the plugin's value with its type.
typedef struct dvt_plugin_object {
  dvt_object object;
  const dvt_value_type *type;
  void *value;
  struct dvt_owned_kind *accounted;  // of the plugin that the type belongs to; base/code_owner.h
} dvt_plugin_object;
extern const dvt_object_type dvt_plugin_object_type;

// A plugin may be built for a shorter struct.
#define DVT_VALUE_TYPE_HAS(type, field) \
  ((type)->struct_size >= offsetof(dvt_value_type, field) + sizeof(type)->field && (type)->field)

// INVALID_ARGUMENT when the description lacks what every value needs.
dvt_status dvt_value_type_check(const dvt_value_type *type) DVT_NODISCARD;
static inline bool dvt_value_type_is(const dvt_value_type *a, const dvt_value_type *b) {
  return a == b || strcmp(a->name, b->name) == 0;
}
static inline void dvt_value_destroy(const dvt_value_type *type, void *value) {
  if (type && type->destroy && value) type->destroy(value);
}

// Takes over the value, also on failure.
dvt_status dvt_plugin_object_new(const dvt_value_type *type, void *value,
                                 dvt_object **out_object) DVT_NODISCARD;
// The value of an object (NULL: an element that holds nothing), which must be of `type`.
dvt_status dvt_plugin_object_value(const dvt_object *object, const dvt_value_type *type,
                                   void **out_value) DVT_NODISCARD;
// The name of an object's type, a plugin's or the runtime's.
const char *dvt_object_kind(const dvt_object *object);

// Element `index` of a tensor of dtype variant or resource, checked.
dvt_status dvt_object_element(const TF_Tensor *tensor, int64_t index,
                              dvt_object ***out_element) DVT_NODISCARD;

// A new handle of a resource; consumes the reference to `object`.
dvt_status dvt_object_hand_out(dvt_object *object, TF_Tensor **out_handle) DVT_NODISCARD;

// A plugin's resource as a kernel asks for it, in create or in compute.
typedef struct dvt_wanted_resource {
  dvt_resource_manager *manager;
  dvt_str container, name;  // an empty name: one of its own
  const dvt_value_type *type;
  void *(*create)(void *maker, TF_Status *status);  // NULL: it must exist
  void *maker;
} dvt_wanted_resource;
// A new handle to it. Errors as dvt_resource_handle's.
dvt_status dvt_wanted_resource_handle(const dvt_wanted_resource *wanted,
                                      TF_Tensor **out_handle) DVT_NODISCARD;
// A new handle to a variable. Errors as dvt_variable_handle's.
dvt_status dvt_wanted_variable_handle(dvt_resource_manager *manager, dvt_str container, dvt_str name,
                                      int dtype, TF_Tensor **out_handle) DVT_NODISCARD;

#endif  // DVT_CAPI_OBJECT_H_
