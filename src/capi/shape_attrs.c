// dovetail/shape.h: attributes in shape functions. Every getter leaves its outputs untouched on failure.
#include "capi/buffer.h"
#include "capi/shape_handles.h"
#include "dovetail/shape.h"
#include "tensor/tensor_proto.h"

static dvt_status find(TF_ShapeInferenceContext *ctx, const char *name, dvt_str *out_value) {
  return dvt_node_attr_or_error(ctx->node, dvt_str_from(name), out_value);
}

bool TF_ShapeInferenceContext_HasAttr(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                      TF_Status *status) {
  dvt_str value;
  dvt_status_to_tf(NULL, status);
  return dvt_node_attr(ctx->node, dvt_str_from(attr_name), &value);
}

void TF_ShapeInferenceContext_GetAttrSize(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                          int32_t *list_size, int32_t *total_size, TF_Status *status) {
  dvt_str value;
  dvt_attr_info info;
  dvt_status error = find(ctx, attr_name, &value);
  if (!error) error = dvt_attr_inspect(value, &info);
  if (!error && (info.list_size > INT32_MAX || info.total_size > INT32_MAX))
    error = dvt_error(TF_INVALID_ARGUMENT, "attr '%s' is larger than 31 bits can tell", attr_name);
  if (!error) {
    *list_size = (int32_t)info.list_size;
    *total_size = (int32_t)info.total_size;
  }
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrInt(TF_ShapeInferenceContext *ctx, const char *attr_name, int64_t *val,
                                         TF_Status *status) {
  dvt_str value;
  dvt_status error = find(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_int(value, val);
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrFloat(TF_ShapeInferenceContext *ctx, const char *attr_name, float *val,
                                           TF_Status *status) {
  dvt_str value;
  dvt_status error = find(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_float(value, val);
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrBool(TF_ShapeInferenceContext *ctx, const char *attr_name, bool *val,
                                          TF_Status *status) {
  dvt_str value;
  dvt_status error = find(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_bool(value, val);
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrString(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                            const char **val, size_t *length, TF_Status *status) {
  dvt_str value, text;
  dvt_status error = find(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_string(value, &text);
  if (!error) {
    *val = text.data;
    *length = text.len;
  }
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrShape(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                           TF_ShapeHandle *result, TF_Status *status) {
  dvt_str value, proto;
  dvt_shape shape = NULL;
  dvt_status error = find(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_shape(value, &proto);
  if (!error) error = dvt_shape_of_proto(ctx->arena, proto, &shape);
  dvt_shape_store(ctx, error, shape, result, status);
}

TF_Tensor *TF_ShapeInferenceContext_GetAttrTensor(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                  TF_Status *status) {
  dvt_str value, proto;
  TF_Tensor *tensor = NULL;
  dvt_status error = find(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_tensor(value, &proto);
  if (!error && !(tensor = dvt_tensor_handle_new())) error = dvt_error_out_of_memory(sizeof *tensor);
  if (!error) error = dvt_tensor_from_proto(proto, tensor);
  if (error) {
    dvt_tensor_handle_delete(tensor);
    tensor = NULL;
  }
  dvt_status_to_tf(error, status);
  return tensor;
}

static TF_Buffer *hand_out_str(dvt_str bytes, dvt_status *out_error) {
  dvt_buf buf = {0};
  dvt_buf_append_str(&buf, bytes);
  return dvt_buf_hand_out(&buf, out_error);
}

TF_Buffer *TF_ShapeInferenceContext_GetAttrValueProto(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                      TF_Status *status) {
  dvt_str value;
  dvt_status error = find(ctx, attr_name, &value);
  TF_Buffer *buffer = error ? NULL : hand_out_str(value, &error);
  dvt_status_to_tf(error, status);
  return buffer;
}

TF_Buffer *TF_ShapeInferenceContext_GetAttrFunction(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                    TF_Status *status) {
  dvt_str value, name, list;
  dvt_status error = find(ctx, attr_name, &value);
  if (!error) error = dvt_attr_get_func(value, &name, &list);
  TF_Buffer *buffer = error ? NULL : hand_out_str(list, &error);
  dvt_status_to_tf(error, status);
  return buffer;
}

// Opens a list for the getters below, and says in *out_count how many elements they store.
static dvt_status open_list(TF_ShapeInferenceContext *ctx, const char *name, int kind, int max_vals,
                            dvt_attr_list *out_list, int *out_count) {
  dvt_str value;
  dvt_attr_info info;
  DVT_RETURN_IF_ERROR(find(ctx, name, &value));
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, kind, out_list));
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  *out_count = (int)DVT_MIN(info.list_size, (int64_t)DVT_MAX(max_vals, 0));
  return NULL;
}

void TF_ShapeInferenceContext_GetAttrIntList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                             int64_t *vals, int max_vals, TF_Status *status) {
  dvt_attr_list list;
  uint64_t bits;
  int count = 0;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_INT, max_vals, &list, &count);
  for (int i = 0; i < count && dvt_attr_list_next(&list, &bits, NULL); i++) vals[i] = (int64_t)bits;
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrFloatList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                               float *vals, int max_vals, TF_Status *status) {
  dvt_attr_list list;
  uint64_t bits;
  int count = 0;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_FLOAT, max_vals, &list, &count);
  for (int i = 0; i < count && dvt_attr_list_next(&list, &bits, NULL); i++) vals[i] = dvt_bits_to_float(bits);
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrBoolList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                              bool *vals, int max_vals, TF_Status *status) {
  dvt_attr_list list;
  uint64_t bits;
  int count = 0;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_BOOL, max_vals, &list, &count);
  for (int i = 0; i < count && dvt_attr_list_next(&list, &bits, NULL); i++) vals[i] = bits != 0;
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrTypeList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                              TF_DataType *vals, int max_vals, TF_Status *status) {
  dvt_attr_list list;
  uint64_t bits;
  int count = 0;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_TYPE, max_vals, &list, &count);
  for (int i = 0; i < count && dvt_attr_list_next(&list, &bits, NULL); i++) vals[i] = (TF_DataType)bits;
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrStringList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                const char **vals, size_t *lengths, int max_vals,
                                                TF_Status *status) {
  dvt_attr_list list;
  dvt_str text;
  int count = 0;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_STRING, max_vals, &list, &count);
  for (int i = 0; i < count && dvt_attr_list_next(&list, NULL, &text); i++) {
    vals[i] = text.data;
    lengths[i] = text.len;
  }
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrShapeList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                               TF_ShapeHandle *const *results, int max_vals,
                                               TF_Status *status) {
  dvt_attr_list list;
  dvt_str proto;
  int count = 0;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_SHAPE, max_vals, &list, &count);
  for (int i = 0; i < count && !error && dvt_attr_list_next(&list, NULL, &proto); i++) {
    dvt_shape shape = NULL;
    error = dvt_shape_of_proto(ctx->arena, proto, &shape);
    if (!error && results[i]) *results[i] = dvt_shape_handle_of(ctx, shape);
  }
  dvt_status_to_tf(error, status);
}

// The two getters below hand out objects: all or none.

void TF_ShapeInferenceContext_GetAttrFunctionList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                  TF_Buffer **vals, int max_vals, TF_Status *status) {
  dvt_attr_list list;
  dvt_str bytes;
  int count = 0, made = 0;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_FUNC, max_vals, &list, &count);
  size_t size = sizeof *vals * (size_t)count;
  TF_Buffer **buffers = error || count == 0 ? NULL : dvt_malloc(size);
  if (!error && count && !buffers) error = dvt_error_out_of_memory(size);
  while (!error && made < count && dvt_attr_list_next(&list, NULL, &bytes)) {
    buffers[made] = hand_out_str(bytes, &error);
    if (buffers[made]) made++;
  }
  if (!error && made) memcpy(vals, buffers, sizeof *vals * (size_t)made);
  for (int i = 0; error && i < made; i++) TF_DeleteBuffer(buffers[i]);
  dvt_free(buffers);
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetAttrTensorList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                                TF_Tensor **vals, int max_vals, TF_Status *status) {
  dvt_attr_list list;
  dvt_str proto;
  int count = 0, made = 0;
  dvt_status error = open_list(ctx, attr_name, TF_ATTR_TENSOR, max_vals, &list, &count);
  size_t size = sizeof *vals * (size_t)count;
  TF_Tensor **tensors = error || count == 0 ? NULL : dvt_malloc(size);
  if (!error && count && !tensors) error = dvt_error_out_of_memory(size);
  while (!error && made < count && dvt_attr_list_next(&list, NULL, &proto)) {
    tensors[made] = dvt_tensor_handle_new();
    if (!tensors[made]) {
      error = dvt_error_out_of_memory(sizeof *tensors[made]);
      break;
    }
    error = dvt_tensor_from_proto(proto, tensors[made++]);
  }
  if (!error && made) memcpy(vals, tensors, sizeof *vals * (size_t)made);
  for (int i = 0; error && i < made; i++) dvt_tensor_handle_delete(tensors[i]);
  dvt_free(tensors);
  dvt_status_to_tf(error, status);
}
