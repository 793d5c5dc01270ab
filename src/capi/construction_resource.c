// include/dovetail/kernel_construction.h: resources of the session that a create function finds, makes or
// removes. object_resource.c does the same for compute.
#include "capi/construction.h"
#include "capi/object.h"
#include "dovetail/kernel_construction.h"
#include "exec/session.h"

static dvt_status manager_of(const TF_OpKernelConstruction *ctx, dvt_resource_manager **out_manager) {
  if (!ctx->session)
    return dvt_error(TF_FAILED_PRECONDITION,
                     "only kernels of a session's graph have resources; this one is made without a session");
  *out_manager = dvt_session_resources(ctx->session);
  return NULL;
}

// A create function with the context that it is called with.
typedef struct maker {
  TF_OpKernelConstruction *ctx;
  TF_OpKernelConstruction_CreateResource create;
  void *arg;
} maker;

static void *make_in_create(void *arg, TF_Status *status) {
  const maker *m = arg;
  return m->create(m->ctx, m->arg, status);
}

TF_Tensor *TF_OpKernelConstruction_ResourceHandle(TF_OpKernelConstruction *ctx, const char *container,
                                                  size_t container_bytes, const char *name, size_t name_bytes,
                                                  const dvt_value_type *type,
                                                  TF_OpKernelConstruction_CreateResource create, void *arg,
                                                  TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return NULL;
  maker m = {ctx, create, arg};
  dvt_wanted_resource wanted = {.container = dvt_str_make(container, container_bytes),
                                .name = dvt_str_make(name, name_bytes),
                                .type = type,
                                .create = create ? make_in_create : NULL,
                                .maker = &m};
  TF_Tensor *handle = NULL;
  dvt_status error = manager_of(ctx, &wanted.manager);
  if (!error) error = dvt_wanted_resource_handle(&wanted, &handle);
  dvt_construction_finish(ctx, NULL, error, status);
  return handle;
}

TF_Tensor *TF_OpKernelConstruction_VariableHandle(TF_OpKernelConstruction *ctx, const char *container,
                                                  size_t container_bytes, const char *name, size_t name_bytes,
                                                  TF_DataType dtype, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return NULL;
  dvt_resource_manager *manager = NULL;
  TF_Tensor *handle = NULL;
  dvt_status error = manager_of(ctx, &manager);
  if (!error)
    error = dvt_wanted_variable_handle(manager, dvt_str_make(container, container_bytes),
                                       dvt_str_make(name, name_bytes), (int)dtype, &handle);
  dvt_construction_finish(ctx, NULL, error, status);
  return handle;
}

void TF_OpKernelConstruction_RemoveResource(TF_OpKernelConstruction *ctx, const char *container,
                                            size_t container_bytes, const char *name, size_t name_bytes,
                                            TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_resource_manager *manager = NULL;
  dvt_status error = manager_of(ctx, &manager);
  if (!error)
    error = dvt_resource_delete(manager, dvt_str_make(container, container_bytes),
                                dvt_str_make(name, name_bytes));
  dvt_construction_finish(ctx, NULL, error, status);
}

TF_StringView TF_OpKernelConstruction_GetResourceMgrDefaultContainerName(TF_OpKernelConstruction *ctx) {
  if (dvt_construction_refuses(ctx, __func__, NULL)) return (TF_StringView){"", 0};
  (void)ctx;
  return (TF_StringView){DVT_DEFAULT_CONTAINER, strlen(DVT_DEFAULT_CONTAINER)};
}
