// TF_OperationGetAttr*: attributes of an operation in a graph, with the op's defaults. A missing attribute is
// NOT_FOUND where one value or a list of shapes or tensors is asked for, INVALID_ARGUMENT elsewhere, as in
// stock.
#include "capi/buffer.h"
#include "graph/graph.h"
#include "tensor/tensor_proto.h"

// Attributes may change after an operation was made (TF_SetAttr): they are looked up under the graph's lock.
// Their bytes stay where they are as long as the graph.
static dvt_status find(TF_Operation *oper, const char *name, dvt_str *out_value) {
  pthread_mutex_lock(&oper->graph->lock);
  bool found = dvt_node_attr(&oper->def, dvt_str_from(name), out_value);
  pthread_mutex_unlock(&oper->graph->lock);
  if (found) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "Operation '" DVT_STR_FMT "' has no attr named '%s'.",
                   DVT_STR_ARG(oper->def.name), name);
}

static dvt_status find_one(TF_Operation *oper, const char *name, dvt_str *out_value) {
  pthread_mutex_lock(&oper->graph->lock);
  dvt_status status = dvt_node_attr_or_error(&oper->def, dvt_str_from(name), out_value);
  pthread_mutex_unlock(&oper->graph->lock);
  return status;
}

// Opens a list attr of the kind; *out_info tells its length.
static dvt_status find_list(TF_Operation *oper, const char *name, int kind, dvt_attr_list *out_list,
                            dvt_attr_info *out_info) {
  dvt_str value;
  DVT_RETURN_IF_ERROR(find(oper, name, &value));
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, out_info));
  if (!out_info->is_list) return dvt_error(TF_INVALID_ARGUMENT, "Value for '%s' is not a list.", name);
  return dvt_attr_list_open(value, kind, out_list);
}

// As find_list, NOT_FOUND for a missing attribute.
static dvt_status find_list_like_one(TF_Operation *oper, const char *name, int kind, dvt_attr_list *out_list,
                                     dvt_attr_info *out_info) {
  dvt_str value;
  DVT_RETURN_IF_ERROR(find_one(oper, name, &value));
  return find_list(oper, name, kind, out_list, out_info);
}

// The kind of an empty list is known from the op only.
static int declared_kind(const TF_Operation *oper, const char *name) {
  int i = dvt_op_def_find_attr(oper->def.op, dvt_str_from(name));
  return i < 0 ? TF_ATTR_STRING : oper->def.op->attrs[i].kind;
}

TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation *oper, const char *attr_name, TF_Status *status) {
  TF_AttrMetadata metadata = {0};
  dvt_str value;
  dvt_attr_info info = {0};
  dvt_status error = find(oper, attr_name, &value);
  if (!error) error = dvt_attr_inspect(value, &info);
  if (!error && !info.is_list && info.kind < 0)
    error = dvt_error(TF_INTERNAL, "Attribute '%s' has no value set", attr_name);
  if (!error) {
    metadata.is_list = info.is_list;
    metadata.list_size = info.list_size;
    metadata.type = (TF_AttrType)(info.kind >= 0 ? info.kind : declared_kind(oper, attr_name));
    metadata.total_size = info.is_list && info.list_size == 0 ? -1 : info.total_size;
  }
  dvt_status_to_tf(error, status);
  return metadata;
}

void TF_OperationGetAttrString(TF_Operation *oper, const char *attr_name, void *value, size_t max_length,
                               TF_Status *status) {
  dvt_str bytes, text;
  dvt_attr_info info;
  dvt_status error = find(oper, attr_name, &bytes);
  if (!error) error = dvt_attr_inspect(bytes, &info);
  if (!error && (info.is_list || info.kind != TF_ATTR_STRING))
    error = dvt_error(TF_INVALID_ARGUMENT, "Attribute '%s' is not a string", attr_name);
  if (!error) error = dvt_attr_get_string(bytes, &text);
  if (!error && max_length && text.len) memcpy(value, text.data, DVT_MIN(text.len, max_length));
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrStringList(TF_Operation *oper, const char *attr_name, void **values, size_t *lengths,
                                   int max_values, void *storage, size_t storage_size, TF_Status *status) {
  dvt_attr_list list;
  dvt_attr_info info;
  dvt_str text;
  char *at = storage;
  dvt_status error = find_list(oper, attr_name, TF_ATTR_STRING, &list, &info);
  for (int i = 0; !error && i < max_values && dvt_attr_list_next(&list, NULL, &text); i++) {
    if (text.len > storage_size) {
      error = dvt_error(TF_INVALID_ARGUMENT, "Not enough storage to hold the requested list of strings");
      break;
    }
    values[i] = at;
    lengths[i] = text.len;
    if (text.len) memcpy(at, text.data, text.len);
    at += text.len;
    storage_size -= text.len;
  }
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrInt(TF_Operation *oper, const char *attr_name, int64_t *value, TF_Status *status) {
  dvt_str bytes;
  dvt_status error = find_one(oper, attr_name, &bytes);
  if (!error) error = dvt_attr_get_int(bytes, value);
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrFloat(TF_Operation *oper, const char *attr_name, float *value, TF_Status *status) {
  dvt_str bytes;
  dvt_status error = find_one(oper, attr_name, &bytes);
  if (!error) error = dvt_attr_get_float(bytes, value);
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrBool(TF_Operation *oper, const char *attr_name, unsigned char *value,
                             TF_Status *status) {
  dvt_str bytes;
  bool flag = false;
  dvt_status error = find_one(oper, attr_name, &bytes);
  if (!error) error = dvt_attr_get_bool(bytes, &flag);
  if (!error) *value = flag;
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrType(TF_Operation *oper, const char *attr_name, TF_DataType *value,
                             TF_Status *status) {
  dvt_str bytes;
  int dtype = 0;
  dvt_status error = find_one(oper, attr_name, &bytes);
  if (!error) error = dvt_attr_get_type(bytes, &dtype);
  if (!error) *value = (TF_DataType)dtype;
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrIntList(TF_Operation *oper, const char *attr_name, int64_t *values, int max_values,
                                TF_Status *status) {
  dvt_attr_list list;
  dvt_attr_info info;
  uint64_t bits;
  dvt_status error = find_list(oper, attr_name, TF_ATTR_INT, &list, &info);
  for (int i = 0; !error && i < max_values && dvt_attr_list_next(&list, &bits, NULL); i++)
    values[i] = (int64_t)bits;
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrFloatList(TF_Operation *oper, const char *attr_name, float *values, int max_values,
                                  TF_Status *status) {
  dvt_attr_list list;
  dvt_attr_info info;
  uint64_t bits;
  dvt_status error = find_list(oper, attr_name, TF_ATTR_FLOAT, &list, &info);
  for (int i = 0; !error && i < max_values && dvt_attr_list_next(&list, &bits, NULL); i++)
    values[i] = dvt_bits_to_float(bits);
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrBoolList(TF_Operation *oper, const char *attr_name, unsigned char *values,
                                 int max_values, TF_Status *status) {
  dvt_attr_list list;
  dvt_attr_info info;
  uint64_t bits;
  dvt_status error = find_list(oper, attr_name, TF_ATTR_BOOL, &list, &info);
  for (int i = 0; !error && i < max_values && dvt_attr_list_next(&list, &bits, NULL); i++)
    values[i] = bits != 0;
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrTypeList(TF_Operation *oper, const char *attr_name, TF_DataType *values,
                                 int max_values, TF_Status *status) {
  dvt_attr_list list;
  dvt_attr_info info;
  uint64_t bits;
  dvt_status error = find_list(oper, attr_name, TF_ATTR_TYPE, &list, &info);
  for (int i = 0; !error && i < max_values && dvt_attr_list_next(&list, &bits, NULL); i++)
    values[i] = (TF_DataType)bits;
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrShape(TF_Operation *oper, const char *attr_name, int64_t *value, int num_dims,
                              TF_Status *status) {
  int64_t dims[DVT_MAX_RANK];
  dvt_str bytes, proto;
  int rank = -1;
  dvt_status error = find_one(oper, attr_name, &bytes);
  if (!error) error = dvt_attr_get_shape(bytes, &proto);
  if (!error) error = dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank);
  for (int i = 0; !error && i < rank && i < num_dims; i++) value[i] = dims[i];
  dvt_status_to_tf(error, status);
}

static dvt_status store_shape(dvt_str proto, int64_t **out_dims, int *out_rank, int64_t **storage,
                              int *room) {
  int64_t dims[DVT_MAX_RANK];
  int rank;
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank));
  if (rank > *room)
    return dvt_error(TF_INVALID_ARGUMENT, "Not enough storage to hold the requested list of shapes");
  *out_dims = *storage;
  *out_rank = rank;
  if (rank <= 0) return NULL;
  memcpy(*storage, dims, sizeof *dims * (size_t)rank);
  *storage += rank;
  *room -= rank;
  return NULL;
}

void TF_OperationGetAttrShapeList(TF_Operation *oper, const char *attr_name, int64_t **dims, int *num_dims,
                                  int num_shapes, int64_t *storage, int storage_size, TF_Status *status) {
  dvt_attr_list list;
  dvt_attr_info info;
  dvt_str proto;
  dvt_status error = find_list_like_one(oper, attr_name, TF_ATTR_SHAPE, &list, &info);
  for (int i = 0; !error && i < num_shapes && dvt_attr_list_next(&list, NULL, &proto); i++)
    error = store_shape(proto, &dims[i], &num_dims[i], &storage, &storage_size);
  dvt_status_to_tf(error, status);
}

static dvt_status fill_buffer(dvt_str bytes, TF_Buffer *buffer) {
  dvt_buf copy = {0};
  dvt_buf_append_str(&copy, bytes);
  return dvt_buf_to_tf_buffer(&copy, buffer);
}

void TF_OperationGetAttrTensorShapeProto(TF_Operation *oper, const char *attr_name, TF_Buffer *value,
                                         TF_Status *status) {
  dvt_str bytes, proto;
  dvt_status error = find(oper, attr_name, &bytes);
  if (!error) error = dvt_attr_get_shape(bytes, &proto);
  if (!error) error = fill_buffer(proto, value);
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrTensorShapeProtoList(TF_Operation *oper, const char *attr_name, TF_Buffer **values,
                                             int max_values, TF_Status *status) {
  dvt_attr_list list;
  dvt_attr_info info;
  dvt_str proto;
  int count = 0;
  dvt_status error = find_list(oper, attr_name, TF_ATTR_SHAPE, &list, &info);
  for (; !error && count < max_values && dvt_attr_list_next(&list, NULL, &proto); count++) {
    values[count] = TF_NewBufferFromString(proto.len ? proto.data : "", proto.len);
    if (!values[count]) error = dvt_error_out_of_memory(proto.len);
  }
  for (int i = 0; error && i < count; i++) {  // on failure the caller gets nothing to release
    TF_DeleteBuffer(values[i]);
    values[i] = NULL;
  }
  dvt_status_to_tf(error, status);
}

static dvt_status make_tensor(dvt_str proto, TF_Tensor **out_tensor) {
  TF_Tensor *tensor = dvt_tensor_handle_new();
  if (!tensor) return dvt_error_out_of_memory(sizeof *tensor);
  dvt_status status = dvt_tensor_from_proto(proto, tensor);
  if (status)
    dvt_tensor_handle_delete(tensor);
  else
    *out_tensor = tensor;
  return status;
}

void TF_OperationGetAttrTensor(TF_Operation *oper, const char *attr_name, TF_Tensor **value,
                               TF_Status *status) {
  dvt_str bytes, proto;
  *value = NULL;
  dvt_status error = find_one(oper, attr_name, &bytes);
  if (!error) error = dvt_attr_get_tensor(bytes, &proto);
  if (!error) error = make_tensor(proto, value);
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrTensorList(TF_Operation *oper, const char *attr_name, TF_Tensor **values,
                                   int max_values, TF_Status *status) {
  dvt_attr_list list;
  dvt_attr_info info;
  dvt_str proto;
  int count = 0;
  dvt_status error = find_list_like_one(oper, attr_name, TF_ATTR_TENSOR, &list, &info);
  for (; !error && count < max_values && dvt_attr_list_next(&list, NULL, &proto); count++) {
    values[count] = NULL;
    error = make_tensor(proto, &values[count]);
  }
  for (int i = 0; error && i < count; i++) {
    dvt_tensor_handle_delete(values[i]);
    values[i] = NULL;
  }
  dvt_status_to_tf(error, status);
}

void TF_OperationGetAttrValueProto(TF_Operation *oper, const char *attr_name, TF_Buffer *output_attr_value,
                                   TF_Status *status) {
  dvt_str bytes;
  dvt_status error = find(oper, attr_name, &bytes);
  if (!error) error = fill_buffer(bytes, output_attr_value);
  dvt_status_to_tf(error, status);
}

static bool is_given(const TF_Operation *oper, dvt_str name) {
  for (int32_t i = 0; i < oper->def.attr_count; i++)
    if (dvt_str_eq(oper->def.attrs[i].name, name)) return true;
  return false;
}

// The i-th attribute: those given, then the op's others that have a default. *out_count is their number when
// i is past the end.
static bool nth_attr_locked(const TF_Operation *oper, int i, dvt_str *out_name, int *out_count) {
  int count = oper->def.attr_count;
  if (i >= 0 && i < count) {
    *out_name = oper->def.attrs[i].name;
    return true;
  }
  for (int k = 0; k < oper->def.op->attr_count; k++) {
    const dvt_attr_def *attr = &oper->def.op->attrs[k];
    if (!attr->has_default || is_given(oper, attr->name)) continue;
    if (count++ != i) continue;
    *out_name = attr->name;
    return true;
  }
  *out_count = count;
  return false;
}

static bool nth_attr(TF_Operation *oper, int i, dvt_str *out_name, int *out_count) {
  pthread_mutex_lock(&oper->graph->lock);
  bool found = nth_attr_locked(oper, i, out_name, out_count);
  pthread_mutex_unlock(&oper->graph->lock);
  return found;
}

int TF_OperationGetNumAttrs(TF_Operation *oper) {
  dvt_str name;
  int count = 0;
  if (oper) nth_attr(oper, -1, &name, &count);
  return count;
}

int TF_OperationGetAttrNameLength(TF_Operation *oper, int i) {
  dvt_str name;
  int count;
  return oper && nth_attr(oper, i, &name, &count) ? (int)name.len : -1;
}

void TF_OperationGetAttrName(TF_Operation *oper, int i, char *output, TF_Status *status) {
  dvt_str name;
  int count;
  dvt_status error = NULL;
  if (nth_attr(oper, i, &name, &count))
    memcpy(output, name.data, name.len);
  else
    error = dvt_error(TF_OUT_OF_RANGE, "Operation only has %d attributes, can't get the %dth", count, i);
  dvt_status_to_tf(error, status);
}
