// include/dovetail/object.h: plugins' own values as elements of variant and resource tensors. What variants
// add to that is in object_variant.c, what resources add in object_resource.c.
#include "base/code_owner.h"
#include "capi/object.h"

static void plugin_object_destroy(dvt_object *object) {
  dvt_plugin_object *o = (dvt_plugin_object *)object;
  dvt_value_destroy(o->type, o->value);
  dvt_owned_drop(o->accounted);
  dvt_free(o);
}

const dvt_object_type dvt_plugin_object_type = {"plugin's object", plugin_object_destroy};

dvt_status dvt_value_type_check(const dvt_value_type *type) {
  if (type && type->name && type->struct_size >= offsetof(dvt_value_type, zeros_like)) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "the dvt_value_type is NULL, has no name, or its struct_size is not set");
}

static bool holds_objects(int dtype) { return dtype == TF_VARIANT || dtype == TF_RESOURCE; }

dvt_status dvt_object_element(const TF_Tensor *tensor, int64_t index, dvt_object ***out_element) {
  if (!tensor || dvt_tensor_is_empty(tensor))
    return dvt_error(TF_INVALID_ARGUMENT, "there is no tensor to look for an object in (NULL)");
  if (!holds_objects(tensor->dtype))
    return dvt_error(TF_INVALID_ARGUMENT, "a tensor of type %s holds no objects; variant and resource do",
                     dvt_dtype_name(tensor->dtype));
  if (!dvt_tensor_holds_objects(tensor))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "the memory of a %s tensor is not the runtime's, so it holds no objects; make it with "
                     "TF_AllocateTensor or TF_AllocateOutput",
                     dvt_dtype_name(tensor->dtype));
  int64_t count = dvt_tensor_count(tensor);
  if (index < 0 || index >= count)
    return dvt_error(TF_OUT_OF_RANGE, "element %lld of a tensor of %lld elements was asked for",
                     (long long)index, (long long)count);
  DVT_RETURN_IF_ERROR(dvt_tensor_check_size(tensor));
  *out_element = (dvt_object **)tensor->data + index;
  return NULL;
}

dvt_status dvt_plugin_object_new(const dvt_value_type *type, void *value, dvt_object **out_object) {
  DVT_RETURN_IF_ERROR(dvt_value_type_check(type));
  dvt_plugin_object *o = dvt_malloc(sizeof *o);
  if (!o) {
    dvt_value_destroy(type, value);
    return dvt_error_out_of_memory(sizeof *o);
  }
  dvt_object_init(&o->object, &dvt_plugin_object_type);
  o->type = type;
  o->value = value;
  o->accounted = dvt_owned_take(dvt_code_owner_find(type), type, "values", type->name);
  *out_object = &o->object;
  return NULL;
}

void dvt_object_set(TF_Tensor *tensor, int64_t index, const dvt_value_type *type, void *value,
                    TF_Status *status) {
  dvt_object **at = NULL, *object = NULL;
  dvt_status error = dvt_plugin_object_new(type, value, &object);
  if (!error) error = dvt_object_element(tensor, index, &at);
  if (error) {
    dvt_object_release(object);
  } else {
    dvt_object_release(*at);
    *at = object;
  }
  dvt_status_to_tf(error, status);
}

const char *dvt_object_kind(const dvt_object *object) {
  return object->type == &dvt_plugin_object_type ? ((const dvt_plugin_object *)object)->type->name
                                                 : object->type->name;
}

dvt_status dvt_plugin_object_value(const dvt_object *object, const dvt_value_type *type, void **out_value) {
  if (!object)
    return dvt_error(TF_INVALID_ARGUMENT, "the element holds no object; wanted was a %s", type->name);
  if (object->type != &dvt_plugin_object_type ||
      !dvt_value_type_is(((const dvt_plugin_object *)object)->type, type))
    return dvt_error(TF_INVALID_ARGUMENT, "the element holds a %s; wanted was a %s", dvt_object_kind(object),
                     type->name);
  *out_value = ((const dvt_plugin_object *)object)->value;
  return NULL;
}

void *dvt_object_get(const TF_Tensor *tensor, int64_t index, const dvt_value_type *type, TF_Status *status) {
  dvt_object **at = NULL;
  void *value = NULL;
  dvt_status error = dvt_value_type_check(type);
  if (!error) error = dvt_object_element(tensor, index, &at);
  if (!error) error = dvt_plugin_object_value(*at, type, &value);
  dvt_status_to_tf(error, status);
  return value;
}

const char *dvt_object_type_name(const TF_Tensor *tensor, int64_t index) {
  dvt_object **at = NULL;
  dvt_status error = dvt_object_element(tensor, index, &at);
  dvt_status_free(error);
  return error || !*at ? NULL : dvt_object_kind(*at);
}

bool dvt_object_is_shared(const TF_Tensor *tensor, int64_t index) {
  dvt_object **at = NULL;
  dvt_status error = dvt_object_element(tensor, index, &at);
  dvt_status_free(error);
  return !error && *at && atomic_load_explicit(&(*at)->refs, memory_order_acquire) > 1;
}

void dvt_object_share(TF_Tensor *to, int64_t index, const TF_Tensor *from, int64_t from_index,
                      TF_Status *status) {
  dvt_object **target = NULL, **source = NULL;
  dvt_status error = dvt_object_element(to, index, &target);
  if (!error) error = dvt_object_element(from, from_index, &source);
  if (!error && to->dtype != from->dtype)
    error = dvt_error(TF_INVALID_ARGUMENT, "an object of a %s tensor cannot be shared with a %s tensor",
                      dvt_dtype_name(from->dtype), dvt_dtype_name(to->dtype));
  if (!error) {
    dvt_object *shared = dvt_object_retain(*source);
    dvt_object_release(*target);
    *target = shared;
  }
  dvt_status_to_tf(error, status);
}
