// include/dovetail/function.h: kernels find and call functions of the graph.
#include "dovetail/function.h"

#include "capi/construction.h"
#include "exec/callable.h"
#include "exec/run.h"
#include "kernel/context.h"
#include "op/attr.h"

static dvt_status functions_of(const TF_OpKernelConstruction *ctx, const char *attr_name, dvt_str *out_value,
                               dvt_attr_info *out_info) {
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(ctx->kernel->node, dvt_str_from(attr_name), out_value));
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(*out_value, out_info));
  if (out_info->kind == TF_ATTR_FUNC || (out_info->is_list && out_info->list_size == 0)) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "attr '%s' holds no function", attr_name);
}

int dvt_callable_count(TF_OpKernelConstruction *ctx, const char *attr_name, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return 0;
  dvt_str value;
  dvt_attr_info info = {0};
  dvt_status error = functions_of(ctx, attr_name, &value, &info);
  int count = error ? 0 : info.is_list ? (int)info.list_size : 1;
  dvt_construction_finish(ctx, attr_name, error, status);
  return count;
}

// The NameAttrList `index` of the attr.
static dvt_status name_attr_list(dvt_str value, bool is_list, int index, dvt_str *out_list) {
  dvt_str name;
  dvt_attr_list list;
  if (!is_list) return dvt_attr_get_func(value, &name, out_list);
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_FUNC, &list));
  while (dvt_attr_list_next(&list, NULL, out_list) && index > 0) index--;
  return NULL;
}

static dvt_status find(TF_OpKernelConstruction *ctx, const char *attr_name, int index, dvt_callable **out) {
  dvt_str value, list;
  dvt_attr_info info = {0};
  DVT_RETURN_IF_ERROR(functions_of(ctx, attr_name, &value, &info));
  int64_t count = info.is_list ? info.list_size : 1;
  if (index < 0 || index >= count)
    return dvt_error(TF_OUT_OF_RANGE, "function %d of attr '%s' was asked for, which has %lld", index,
                     attr_name, (long long)count);
  if (!ctx->session)
    return dvt_error(TF_FAILED_PRECONDITION, "functions can be called by kernels of a session's graph only");
  DVT_RETURN_IF_ERROR(name_attr_list(value, info.is_list, index, &list));
  DVT_RETURN_IF_ERROR(dvt_session_callable(ctx->session, list, out));
  ctx->kernel->calls_functions = true;
  return NULL;
}

const dvt_callable *dvt_callable_find(TF_OpKernelConstruction *ctx, const char *attr_name, int index,
                                      TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return NULL;
  dvt_callable *callable = NULL;
  dvt_construction_finish(ctx, attr_name, find(ctx, attr_name, index, &callable), status);
  return callable;
}

static dvt_status check_args(const dvt_callable *callable, TF_Tensor **args, int arg_count,
                             TF_Tensor **results, int result_count) {
  if (!callable) return dvt_error(TF_INVALID_ARGUMENT, "the function to run is NULL");
  if (arg_count < 0 || result_count < 0 || (arg_count > 0 && !args) || (result_count > 0 && !results))
    return dvt_error(TF_INVALID_ARGUMENT, "%d arguments or %d results are negative, or their array is NULL",
                     arg_count, result_count);
  return NULL;
}

void dvt_callable_run(TF_OpKernelContext *ctx, const dvt_callable *callable, dvt_callable_args mode,
                      TF_Tensor **args, int arg_count, TF_Tensor **results, int result_count,
                      TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_status error = check_args(callable, args, arg_count, results, result_count);
  // The threads of an asynchronous kernel may be in the middle of another node.
  bool counts = DVT_UNLIKELY(ctx->step->profile != NULL) && ctx->kernel->def->compute;
  int64_t start = counts ? dvt_now_ns() : 0;
  if (!error)
    error =
        dvt_callable_call((dvt_callable *)callable, mode, ctx->step, args, arg_count, results, result_count);
  if (counts) dvt_called_add(dvt_now_ns() - start);
  dvt_status_to_tf(error, status);
}
