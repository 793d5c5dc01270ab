// Resources of plugins (include/dovetail/object.h): values that nodes find by name or by a handle, in the
// containers of the session's resource manager (kernel/resource.h).
#include "capi/object.h"
#include "kernel/checked.h"

// ---- found or made ----

static dvt_status make_resource(void *arg, dvt_object **out_object) {
  const dvt_wanted_resource *wanted = arg;
  TF_Status *status = TF_NewStatus();
  if (!status) return dvt_error_out_of_memory(64);
  void *value = wanted->create(wanted->maker, status);
  dvt_status error = dvt_status_from_tf(status);
  TF_DeleteStatus(status);
  if (!error) return dvt_plugin_object_new(wanted->type, value, out_object);
  dvt_value_destroy(wanted->type, value);
  return error;
}

// Its own object for an empty name, else the container's.
static dvt_status find_resource(const dvt_wanted_resource *wanted, dvt_object **out_object) {
  void *arg = (void *)(uintptr_t)wanted;
  DVT_RETURN_IF_ERROR(dvt_value_type_check(wanted->type));
  if (wanted->name.len == 0 && wanted->create) return make_resource(arg, out_object);
  dvt_object *object = NULL;
  void *value;
  DVT_RETURN_IF_ERROR(dvt_resource_lookup(wanted->manager, wanted->container, wanted->name,
                                          &dvt_plugin_object_type, wanted->create ? make_resource : NULL, arg,
                                          &object));
  dvt_status status = dvt_plugin_object_value(object, wanted->type, &value);
  if (status) {
    dvt_object_release(object);
    return dvt_status_annotate(status, " (resource " DVT_STR_FMT "/" DVT_STR_FMT ")",
                               DVT_STR_ARG(wanted->container), DVT_STR_ARG(wanted->name));
  }
  *out_object = object;
  return NULL;
}

dvt_status dvt_object_hand_out(dvt_object *object, TF_Tensor **out_handle) {
  TF_Tensor *handle = dvt_tensor_handle_new();
  dvt_status error = handle ? dvt_resource_tensor(object, handle) : dvt_error_out_of_memory(sizeof *handle);
  dvt_object_release(object);
  if (error)
    dvt_tensor_handle_delete(handle);
  else
    *out_handle = handle;
  return error;
}

dvt_status dvt_wanted_resource_handle(const dvt_wanted_resource *wanted, TF_Tensor **out_handle) {
  dvt_object *object = NULL;
  DVT_RETURN_IF_ERROR(find_resource(wanted, &object));
  return dvt_object_hand_out(object, out_handle);
}

// A create function with the context that it is called with.
typedef struct maker {
  TF_OpKernelContext *ctx;
  dvt_resource_create create;
  void *arg;
} maker;

static void *make_in_compute(void *arg, TF_Status *status) {
  const maker *m = arg;
  return m->create(m->ctx, m->arg, status);
}

TF_Tensor *dvt_resource_handle(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                               const char *name, size_t name_bytes, const dvt_value_type *type,
                               dvt_resource_create create, void *arg, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  maker m = {ctx, create, arg};
  dvt_wanted_resource wanted = {.manager = ctx->step->resources,
                                .container = dvt_str_make(container, container_bytes),
                                .name = dvt_str_make(name, name_bytes),
                                .type = type,
                                .create = create ? make_in_compute : NULL,
                                .maker = &m};
  TF_Tensor *handle = NULL;
  dvt_status_to_tf(dvt_wanted_resource_handle(&wanted, &handle), status);
  return handle;
}

// ---- found by a handle ----

// The object that input `index` is a handle of, borrowed from the input.
static dvt_status object_input(TF_OpKernelContext *ctx, int index, dvt_object **out_object) {
  if (index < 0 || index >= ctx->input_count)
    return dvt_error(TF_OUT_OF_RANGE, "input %d was asked for; the node has %d", index, ctx->input_count);
  const TF_Tensor *handle = ctx->inputs[index];
  dvt_object *const *objects = handle && handle->dtype == TF_RESOURCE && dvt_tensor_holds_objects(handle) &&
                                       dvt_tensor_count(handle) == 1
                                   ? handle->data
                                   : NULL;
  if (!objects || !*objects)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "input %d of {{node " DVT_STR_FMT
                     "}} is no handle of a resource. Connect the node that makes the resource",
                     index, DVT_STR_ARG(ctx->kernel->node->name));
  *out_object = *objects;
  return NULL;
}

void *dvt_resource_get(TF_OpKernelContext *ctx, int index, const dvt_value_type *type, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return NULL;
  dvt_object *object = NULL;
  void *value = NULL;
  dvt_status error = dvt_value_type_check(type);
  if (!error) error = object_input(ctx, index, &object);
  if (!error) error = dvt_plugin_object_value(object, type, &value);
  if (error && object)
    error = dvt_status_annotate(error, " (input %d of {{node " DVT_STR_FMT "}})", index,
                                DVT_STR_ARG(ctx->kernel->node->name));
  dvt_status_to_tf(error, status);
  return value;
}

// ---- the end of resources ----

void dvt_resource_remove(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                         const char *name, size_t name_bytes, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_status_to_tf(dvt_resource_delete(ctx->step->resources, dvt_str_make(container, container_bytes),
                                       dvt_str_make(name, name_bytes)),
                   status);
}

static dvt_status destroy_resource(TF_OpKernelContext *ctx, int index) {
  dvt_object *object = NULL;
  DVT_RETURN_IF_ERROR(object_input(ctx, index, &object));
  dvt_status status = dvt_resource_delete_object(ctx->step->resources, object);
  if (!status && object->type == &dvt_variable_type) dvt_variable_clear((dvt_variable *)object);
  return status;
}

void dvt_resource_destroy(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_status_to_tf(destroy_resource(ctx, index), status);
}

static dvt_str container_named(const char *container, size_t bytes) {
  return bytes ? dvt_str_make(container, bytes) : DVT_STR(DVT_DEFAULT_CONTAINER);
}

void dvt_resource_remove_all(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                             TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_resource_manager *manager = ctx->step->resources;
  dvt_resource_clear(manager, container_named(container, container_bytes));
  dvt_status_to_tf(manager ? NULL : dvt_error(TF_INTERNAL, "this step has no resource manager"), status);
}

// ---- what there is ----

void dvt_resource_list(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                       void (*visit)(void *arg, const dvt_resource_info *info), void *arg,
                       TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_resource_entry *entries = NULL;
  size_t count = 0;
  dvt_status error = dvt_resource_snapshot(ctx->step->resources, container_named(container, container_bytes),
                                           &entries, &count);
  for (size_t i = 0; i < count; i++) {
    const dvt_resource_entry *e = &entries[i];
    dvt_resource_info info = {sizeof info, e->container.data,          e->container.len, e->name.data,
                              e->name.len, dvt_object_kind(e->object), e->references};
    visit(arg, &info);
  }
  dvt_resource_snapshot_free(entries, count);
  dvt_status_to_tf(error, status);
}
