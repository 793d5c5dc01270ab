// TF_OpKernelConstruction_* of the stock headers: what a kernel's create function reads from its node.
// Missing attrs and wrong kinds are reported as stock does, which differs between scalars, most lists, and
// lists of strings and tensors. Dovetail's own additions are in construction_attrs.c and construction_info.c.
#include "base/buf.h"
#include "capi/buffer.h"
#include "capi/construction.h"
#include "op/attr.h"
#include "tensor/tensor_proto.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"

static const dvt_node_def *node_of(const TF_OpKernelConstruction *ctx) { return ctx->kernel->node; }

void dvt_construction_finish(const TF_OpKernelConstruction *ctx, const char *attr_name, dvt_status error,
                             TF_Status *status) {
  dvt_str op = node_of(ctx)->op->name, node = node_of(ctx)->name;
  if (error && !strstr(dvt_status_message(error), "{{node ")) {
    if (attr_name) error = dvt_status_annotate(error, "\n\tfor attr '%s'", attr_name);
    error = dvt_status_annotate(error, "\n\t [[{{node " DVT_STR_FMT "}}]]", DVT_STR_ARG(node));
  }
  dvt_status_to_tf(dvt_status_annotate(error, "\n\t in op '" DVT_STR_FMT "'", DVT_STR_ARG(op)), status);
}

dvt_status dvt_construction_attr(const TF_OpKernelConstruction *ctx, const char *attr_name,
                                 dvt_str *out_value) {
  return dvt_node_attr_or_error(node_of(ctx), dvt_str_from(attr_name), out_value);
}

// The value with the error that graph-level lookups give: INVALID_ARGUMENT.
static dvt_status value_of_operation(const TF_OpKernelConstruction *ctx, const char *attr_name,
                                     dvt_str *out_value) {
  if (dvt_node_attr(node_of(ctx), dvt_str_from(attr_name), out_value)) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "Operation '" DVT_STR_FMT "' has no attr named '%s'.",
                   DVT_STR_ARG(node_of(ctx)->name), attr_name ? attr_name : "");
}

static dvt_status open_list(const TF_OpKernelConstruction *ctx, const char *attr_name, int kind,
                            dvt_attr_list *out_list) {
  dvt_str value;
  dvt_attr_info info;
  DVT_RETURN_IF_ERROR(value_of_operation(ctx, attr_name, &value));
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  if (!info.is_list) return dvt_error(TF_INVALID_ARGUMENT, "Attribute '%s' is not a list.", attr_name);
  return dvt_attr_list_open(value, kind, out_list);
}

void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction *ctx, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, NULL)) return;
  if (!ctx->status) ctx->status = dvt_status_from_tf(status);
}

TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction *ctx) {
  if (dvt_construction_refuses(ctx, __func__, NULL)) return (TF_StringView){"", 0};
  dvt_str name = node_of(ctx)->name;
  return (TF_StringView){name.data, name.len};
}

TF_Buffer *TF_OpKernelConstruction_GetNodeDef(TF_OpKernelConstruction *ctx, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return NULL;
  dvt_buf buf = {0};
  dvt_status error;
  dvt_node_to_proto(node_of(ctx), ctx->kernel->input_names, ctx->kernel->device->name, &buf);
  TF_Buffer *buffer = dvt_buf_hand_out(&buf, &error);
  dvt_status_to_tf(error, status);
  return buffer;
}

bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction *ctx, const char *attr_name, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return false;
  dvt_str value;
  (void)status;  // stock leaves it alone
  return dvt_node_attr(node_of(ctx), dvt_str_from(attr_name), &value);
}

static int32_t clamp_int32(int64_t n) { return (int32_t)DVT_MIN(n, INT32_MAX); }

static dvt_status attr_size(const TF_OpKernelConstruction *ctx, const char *attr_name, int32_t *list_size,
                            int32_t *total_size) {
  dvt_str value;
  dvt_attr_info info;
  DVT_RETURN_IF_ERROR(value_of_operation(ctx, attr_name, &value));
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  // Stock cannot tell an empty list's kind and does not count lists of functions.
  bool is_uncounted = info.is_list && (info.list_size == 0 || info.kind == TF_ATTR_FUNC);
  *list_size = is_uncounted ? 0 : clamp_int32(info.list_size);
  *total_size = is_uncounted ? -1 : clamp_int32(info.total_size);
  return NULL;
}

void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction *ctx, const char *attr_name,
                                         int32_t *list_size, int32_t *total_size, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  int32_t lists = -1, total = -1;
  dvt_str value;
  if (TF_GetCode(status) == TF_OK || !dvt_node_attr(node_of(ctx), dvt_str_from(attr_name), &value)) {
    dvt_status error = attr_size(ctx, attr_name, &lists, &total);
    if (error) dvt_construction_finish(ctx, attr_name, error, status);
  }
  if (list_size) *list_size = lists;
  if (total_size) *total_size = total;
}

void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction *ctx, const char *attr_name,
                                         TF_DataType *val, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value;
  int dtype = 0;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_type(value, &dtype);
  if (!error) *val = (TF_DataType)dtype;
  dvt_construction_finish(ctx, attr_name, error, status);
}

void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction *ctx, const char *attr_name, int32_t *val,
                                          TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value;
  int64_t n = 0;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_int(value, &n);
  if (!error && n != (int32_t)n)
    error = dvt_error(TF_INVALID_ARGUMENT, "Attr %s has value %lld out of range for an int32", attr_name,
                      (long long)n);
  if (!error) *val = (int32_t)n;
  dvt_construction_finish(ctx, attr_name, error, status);
}

void TF_OpKernelConstruction_GetAttrInt64(TF_OpKernelConstruction *ctx, const char *attr_name, int64_t *val,
                                          TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_int(value, val);
  dvt_construction_finish(ctx, attr_name, error, status);
}

void TF_OpKernelConstruction_GetAttrFloat(TF_OpKernelConstruction *ctx, const char *attr_name, float *val,
                                          TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_float(value, val);
  dvt_construction_finish(ctx, attr_name, error, status);
}

void TF_OpKernelConstruction_GetAttrBool(TF_OpKernelConstruction *ctx, const char *attr_name, TF_Bool *val,
                                         TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value;
  bool flag = false;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_bool(value, &flag);
  if (!error) *val = flag;
  dvt_construction_finish(ctx, attr_name, error, status);
}

void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction *ctx, const char *attr_name, char *val,
                                           size_t max_length, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value, text = {0};
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_string(value, &text);
  size_t len = DVT_MIN(text.len, max_length);
  if (!error && len) memcpy(val, text.data, len);
  dvt_construction_finish(ctx, attr_name, error, status);
}

static dvt_status tensor_handle(dvt_str proto, TF_Tensor **out_tensor) {
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return dvt_error_out_of_memory(sizeof *handle);
  dvt_status status = dvt_tensor_from_proto(proto, handle);
  if (status)
    dvt_tensor_handle_delete(handle);
  else
    *out_tensor = handle;
  return status;
}

void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction *ctx, const char *attr_name,
                                           TF_Tensor **val, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value, proto;
  *val = NULL;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_tensor(value, &proto);
  if (!error) error = tensor_handle(proto, val);
  dvt_construction_finish(ctx, attr_name, error, status);
}

TF_Buffer *TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                   TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return NULL;
  dvt_str value, name, list;
  TF_Buffer *buffer = NULL;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_func(value, &name, &list);
  if (!error) {
    dvt_buf buf = {0};
    dvt_buf_append_str(&buf, list);
    buffer = dvt_buf_hand_out(&buf, &error);
  }
  dvt_construction_finish(ctx, attr_name, error, status);
  return buffer;
}

void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                             TF_DataType *vals, int max_vals, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_attr_list list;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_TYPE, &list);
  uint64_t bits;
  for (int i = 0; !error && i < max_vals && dvt_attr_list_next(&list, &bits, NULL); i++)
    vals[i] = (TF_DataType)bits;
  dvt_construction_finish(ctx, attr_name, error, status);
}

// Values beyond int32 are cut off, as in stock; only the scalar getter reports them.
void TF_OpKernelConstruction_GetAttrInt32List(TF_OpKernelConstruction *ctx, const char *attr_name,
                                              int32_t *vals, int max_vals, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_attr_list list;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_INT, &list);
  uint64_t bits;
  for (int i = 0; !error && i < max_vals && dvt_attr_list_next(&list, &bits, NULL); i++)
    vals[i] = (int32_t)bits;
  dvt_construction_finish(ctx, attr_name, error, status);
}

void TF_OpKernelConstruction_GetAttrInt64List(TF_OpKernelConstruction *ctx, const char *attr_name,
                                              int64_t *vals, int max_vals, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_attr_list list;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_INT, &list);
  uint64_t bits;
  for (int i = 0; !error && i < max_vals && dvt_attr_list_next(&list, &bits, NULL); i++)
    vals[i] = (int64_t)bits;
  dvt_construction_finish(ctx, attr_name, error, status);
}

void TF_OpKernelConstruction_GetAttrFloatList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                              float *vals, int max_vals, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_attr_list list;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_FLOAT, &list);
  uint64_t bits;
  for (int i = 0; !error && i < max_vals && dvt_attr_list_next(&list, &bits, NULL); i++)
    vals[i] = dvt_bits_to_float(bits);
  dvt_construction_finish(ctx, attr_name, error, status);
}

void TF_OpKernelConstruction_GetAttrBoolList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                             TF_Bool *vals, int max_vals, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_attr_list list;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_BOOL, &list);
  uint64_t bits;
  for (int i = 0; !error && i < max_vals && dvt_attr_list_next(&list, &bits, NULL); i++) vals[i] = bits != 0;
  dvt_construction_finish(ctx, attr_name, error, status);
}

// Packs the strings one behind the other; entries before a failing one stay written, and so does its length.
static dvt_status pack_strings(dvt_attr_list *list, char **values, size_t *lengths, int max_values,
                               char *storage, size_t storage_size) {
  dvt_str text;
  size_t used = 0;
  for (int i = 0; i < max_values && dvt_attr_list_next(list, NULL, &text); i++) {
    values[i] = storage + used;
    lengths[i] = text.len;
    if (text.len > storage_size - used)
      return dvt_error(
          TF_INVALID_ARGUMENT,
          "Not enough storage to hold the requested list of strings: string %d needs %zu bytes, %zu of "
          "%zu are left; TF_OpKernelConstruction_GetAttrSize tells the total",
          i, text.len, storage_size - used, storage_size);
    if (text.len) memcpy(values[i], text.data, text.len);
    used += text.len;
  }
  return NULL;
}

void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                               char **values, size_t *lengths, int max_values, void *storage,
                                               size_t storage_size, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value;
  dvt_attr_list list;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_list_open(value, TF_ATTR_STRING, &list);
  if (!error) error = pack_strings(&list, values, lengths, max_values, storage, storage_size);
  dvt_construction_finish(ctx, attr_name, error, status);
}

static dvt_status unpack_tensors(dvt_attr_list *list, TF_Tensor **vals, int max_values) {
  dvt_str proto;
  dvt_status error = NULL;
  int done = 0;
  while (!error && done < max_values && dvt_attr_list_next(list, NULL, &proto)) {
    error = tensor_handle(proto, &vals[done]);
    if (!error) done++;
  }
  for (int i = 0; error && i < done; i++) {
    dvt_tensor_handle_delete(vals[i]);
    vals[i] = NULL;
  }
  return error;
}

void TF_OpKernelConstruction_GetAttrTensorList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                               TF_Tensor **vals, int max_values, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_str value;
  dvt_attr_list list;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  if (!error) error = dvt_attr_list_open(value, TF_ATTR_TENSOR, &list);
  if (!error) error = unpack_tensors(&list, vals, max_values);
  dvt_construction_finish(ctx, attr_name, error, status);
}

static dvt_status tensor_shape(const TF_OpKernelConstruction *ctx, const char *attr_name, int64_t *dims,
                               size_t num_dims) {
  dvt_str value, proto;
  int64_t found[DVT_MAX_RANK];
  int rank = -1;
  DVT_RETURN_IF_ERROR(dvt_construction_attr(ctx, attr_name, &value));
  DVT_RETURN_IF_ERROR(dvt_attr_get_shape(value, &proto));
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(proto, found, DVT_MAX_RANK, &rank));
  if (rank < 0) return dvt_error(TF_INVALID_ARGUMENT, "Attr %s is a shape of unknown rank", attr_name);
  if ((size_t)rank != num_dims)
    return dvt_error(TF_INVALID_ARGUMENT, "Expected rank is %zu but actual rank is %d", num_dims, rank);
  for (int i = 0; i < rank; i++)
    if (found[i] < 0)
      return dvt_error(TF_INVALID_ARGUMENT, "Attr %s is a shape whose dimension %d is unknown", attr_name, i);
  if (rank) memcpy(dims, found, (size_t)rank * sizeof *dims);
  return NULL;
}

void TF_OpKernelConstruction_GetAttrTensorShape(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                int64_t *dims, size_t num_dims, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_construction_finish(ctx, attr_name, tensor_shape(ctx, attr_name, dims, num_dims), status);
}
