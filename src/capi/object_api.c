// include/dovetail/object.h: plugins' own values as elements of variant and resource tensors.
#include "dovetail/object.h"

#include "kernel/context.h"

// What an element points to: the reference count, and the plugin's value with its type.
typedef struct plugin_object {
  dvt_object object;
  const dvt_value_type *type;
  void *value;
} plugin_object;

static void destroy_value(const dvt_value_type *type, void *value) {
  if (type && type->destroy && value) type->destroy(value);
}

static void plugin_object_destroy(dvt_object *object) {
  plugin_object *o = (plugin_object *)object;
  destroy_value(o->type, o->value);
  dvt_free(o);
}

static const dvt_object_type plugin_object_type = {"plugin's object", plugin_object_destroy};

static bool same_type(const dvt_value_type *a, const dvt_value_type *b) {
  return a == b || strcmp(a->name, b->name) == 0;
}

static dvt_status check_type(const dvt_value_type *type) {
  if (type && type->name && type->struct_size >= offsetof(dvt_value_type, zeros_like)) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "the dvt_value_type is NULL, has no name, or its struct_size is not set");
}

static bool holds_objects(int dtype) { return dtype == TF_VARIANT || dtype == TF_RESOURCE; }

static dvt_status element(const TF_Tensor *tensor, int64_t index, dvt_object ***out_element) {
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

// Takes over the value.
static dvt_status object_new(const dvt_value_type *type, void *value, dvt_object **out_object) {
  DVT_RETURN_IF_ERROR(check_type(type));
  plugin_object *o = dvt_malloc(sizeof *o);
  if (!o) {
    destroy_value(type, value);
    return dvt_error_out_of_memory(sizeof *o);
  }
  dvt_object_init(&o->object, &plugin_object_type);
  o->type = type;
  o->value = value;
  *out_object = &o->object;
  return NULL;
}

void dvt_object_set(TF_Tensor *tensor, int64_t index, const dvt_value_type *type, void *value,
                    TF_Status *status) {
  dvt_object **at = NULL, *object = NULL;
  dvt_status error = object_new(type, value, &object);
  if (!error) error = element(tensor, index, &at);
  if (error) {
    dvt_object_release(object);
  } else {
    dvt_object_release(*at);
    *at = object;
  }
  dvt_status_to_tf(error, status);
}

static const char *type_name(const dvt_object *object) {
  return object->type == &plugin_object_type ? ((const plugin_object *)object)->type->name
                                             : object->type->name;
}

static dvt_status value_in(const dvt_object *object, const dvt_value_type *type, void **out_value) {
  if (!object)
    return dvt_error(TF_INVALID_ARGUMENT, "the element holds no object; wanted was a %s", type->name);
  if (object->type != &plugin_object_type || !same_type(((const plugin_object *)object)->type, type))
    return dvt_error(TF_INVALID_ARGUMENT, "the element holds a %s; wanted was a %s", type_name(object),
                     type->name);
  *out_value = ((const plugin_object *)object)->value;
  return NULL;
}

void *dvt_object_get(const TF_Tensor *tensor, int64_t index, const dvt_value_type *type, TF_Status *status) {
  dvt_object **at = NULL;
  void *value = NULL;
  dvt_status error = check_type(type);
  if (!error) error = element(tensor, index, &at);
  if (!error) error = value_in(*at, type, &value);
  dvt_status_to_tf(error, status);
  return value;
}

const char *dvt_object_type_name(const TF_Tensor *tensor, int64_t index) {
  dvt_object **at = NULL;
  dvt_status error = element(tensor, index, &at);
  dvt_status_free(error);
  return error || !*at ? NULL : type_name(*at);
}

bool dvt_object_is_shared(const TF_Tensor *tensor, int64_t index) {
  dvt_object **at = NULL;
  dvt_status error = element(tensor, index, &at);
  dvt_status_free(error);
  return !error && *at && atomic_load_explicit(&(*at)->refs, memory_order_acquire) > 1;
}

void dvt_object_share(TF_Tensor *to, int64_t index, const TF_Tensor *from, int64_t from_index,
                      TF_Status *status) {
  dvt_object **target = NULL, **source = NULL;
  dvt_status error = element(to, index, &target);
  if (!error) error = element(from, from_index, &source);
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

// ---- zeros and sums ----

// A plugin may be built for a shorter struct.
#define HAS_CALLBACK(type, field) \
  ((type)->struct_size >= offsetof(dvt_value_type, field) + sizeof(type)->field && (type)->field)

// Element `index` of a tensor of variants, as a plugin's object; NULL for one that holds nothing.
static dvt_status variant(const TF_Tensor *tensor, int64_t index, plugin_object **out_object) {
  dvt_object **at = NULL;
  DVT_RETURN_IF_ERROR(element(tensor, index, &at));
  if (tensor->dtype != TF_VARIANT)
    return dvt_error(TF_INVALID_ARGUMENT, "a tensor of type %s has no zeros and sums; variant has",
                     dvt_dtype_name(tensor->dtype));
  if (*at && (*at)->type != &plugin_object_type)
    return dvt_error(TF_UNIMPLEMENTED, "a %s has no zeros and sums", type_name(*at));
  *out_object = (plugin_object *)*at;
  return NULL;
}

// Puts a new value, or the error in `result`, where it belongs; takes over both.
static dvt_status put_result(TF_Tensor *to, int64_t index, const dvt_value_type *type, void *value,
                             TF_Status *result) {
  dvt_status error = dvt_status_from_tf(result);
  if (!error && !value) error = dvt_error(TF_INTERNAL, "a %s was to be made, but is NULL", type->name);
  if (error) {
    destroy_value(type, value);
    return error;
  }
  dvt_object_set(to, index, type, value, result);
  return dvt_status_from_tf(result);
}

static dvt_status make_zeros(TF_OpKernelContext *ctx, TF_Tensor *to, int64_t index, const TF_Tensor *from,
                             int64_t from_index, TF_Status *result) {
  plugin_object *target, *source;
  DVT_RETURN_IF_ERROR(variant(to, index, &target));
  DVT_RETURN_IF_ERROR(variant(from, from_index, &source));
  if (!source) {
    dvt_object **at = (dvt_object **)to->data + index;
    dvt_object_release(*at);
    *at = NULL;
    return NULL;
  }
  if (!HAS_CALLBACK(source->type, zeros_like))
    return dvt_error(TF_UNIMPLEMENTED, "objects of type %s have no zeros", source->type->name);
  void *value = source->type->zeros_like(ctx, source->value, result);
  return put_result(to, index, source->type, value, result);
}

void dvt_object_zeros_like(TF_OpKernelContext *ctx, TF_Tensor *to, int64_t index, const TF_Tensor *from,
                           int64_t from_index, TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  dvt_status_to_tf(make_zeros(ctx, to, index, from, from_index, status), status);
}

static dvt_status make_sum(TF_OpKernelContext *ctx, TF_Tensor *to, int64_t index, const TF_Tensor *a,
                           int64_t a_index, const TF_Tensor *b, int64_t b_index, TF_Status *result) {
  plugin_object *target, *left, *right;
  DVT_RETURN_IF_ERROR(variant(to, index, &target));
  DVT_RETURN_IF_ERROR(variant(a, a_index, &left));
  DVT_RETURN_IF_ERROR(variant(b, b_index, &right));
  if (!left || !right)
    return dvt_error(TF_INVALID_ARGUMENT, "an element that holds no object cannot be added");
  if (!same_type(left->type, right->type))
    return dvt_error(TF_INVALID_ARGUMENT, "a %s and a %s cannot be added", left->type->name,
                     right->type->name);
  if (!HAS_CALLBACK(left->type, add))
    return dvt_error(TF_UNIMPLEMENTED, "objects of type %s cannot be added", left->type->name);
  void *value = left->type->add(ctx, left->value, right->value, result);
  return put_result(to, index, left->type, value, result);
}

void dvt_object_add(TF_OpKernelContext *ctx, TF_Tensor *to, int64_t index, const TF_Tensor *a,
                    int64_t a_index, const TF_Tensor *b, int64_t b_index, TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  dvt_status_to_tf(make_sum(ctx, to, index, a, a_index, b, b_index, status), status);
}

// ---- resources ----

typedef struct new_resource {
  TF_OpKernelContext *ctx;
  const dvt_value_type *type;
  dvt_resource_create create;
  void *arg;
} new_resource;

static dvt_status make_resource(void *arg, dvt_object **out_object) {
  const new_resource *wanted = arg;
  TF_Status *status = TF_NewStatus();
  if (!status) return dvt_error_out_of_memory(64);
  void *value = wanted->create(wanted->ctx, wanted->arg, status);
  dvt_status error = dvt_status_from_tf(status);
  TF_DeleteStatus(status);
  if (!error) return object_new(wanted->type, value, out_object);
  destroy_value(wanted->type, value);
  return error;
}

// Its own object for an empty name, else the container's.
static dvt_status find_resource(new_resource *wanted, dvt_str container, dvt_str name,
                                dvt_object **out_object) {
  DVT_RETURN_IF_ERROR(check_type(wanted->type));
  if (name.len == 0 && wanted->create) return make_resource(wanted, out_object);
  dvt_object *object = NULL;
  void *value;
  DVT_RETURN_IF_ERROR(dvt_resource_lookup(wanted->ctx->step->resources, container, name, &plugin_object_type,
                                          wanted->create ? make_resource : NULL, wanted, &object));
  dvt_status status = value_in(object, wanted->type, &value);
  if (status) {
    dvt_object_release(object);
    return dvt_status_annotate(status, " (resource " DVT_STR_FMT "/" DVT_STR_FMT ")", DVT_STR_ARG(container),
                               DVT_STR_ARG(name));
  }
  *out_object = object;
  return NULL;
}

TF_Tensor *dvt_resource_handle(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                               const char *name, size_t name_bytes, const dvt_value_type *type,
                               dvt_resource_create create, void *arg, TF_Status *status) {
  new_resource wanted = {ctx, type, create, arg};
  dvt_object *object = NULL;
  TF_Tensor *handle = NULL;
  dvt_status error = find_resource(&wanted, dvt_str_make(container, container_bytes),
                                   dvt_str_make(name, name_bytes), &object);
  if (!error) {
    handle = dvt_tensor_handle_new();
    error = handle ? dvt_resource_tensor(object, handle) : dvt_error_out_of_memory(sizeof *handle);
    dvt_object_release(object);
  }
  if (error) {
    dvt_tensor_handle_delete(handle);
    handle = NULL;
  }
  dvt_status_to_tf(error, status);
  return handle;
}

void dvt_resource_remove(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                         const char *name, size_t name_bytes, TF_Status *status) {
  dvt_status_to_tf(dvt_resource_delete(ctx->step->resources, dvt_str_make(container, container_bytes),
                                       dvt_str_make(name, name_bytes)),
                   status);
}

static dvt_status destroy_resource(TF_OpKernelContext *ctx, int index) {
  if (index < 0 || index >= ctx->input_count)
    return dvt_error(TF_OUT_OF_RANGE, "input %d was asked for; the node has %d", index, ctx->input_count);
  const TF_Tensor *handle = ctx->inputs[index];
  dvt_object *const *objects = handle && handle->dtype == TF_RESOURCE && dvt_tensor_holds_objects(handle) &&
                                       dvt_tensor_count(handle) == 1
                                   ? handle->data
                                   : NULL;
  if (!objects || !*objects)
    return dvt_error(TF_INVALID_ARGUMENT, "input %d is no handle of a resource.", index);
  dvt_object *object = *objects;
  dvt_status status = dvt_resource_delete_object(ctx->step->resources, object);
  if (!status && object->type == &dvt_variable_type) dvt_variable_clear((dvt_variable *)object);
  return status;
}

void dvt_resource_destroy(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  dvt_status_to_tf(destroy_resource(ctx, index), status);
}
