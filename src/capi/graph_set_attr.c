// TF_SetAttr*: attributes of an operation under construction, encoded into its description. The colocation
// groups
// ("_class") are kept apart, since TF_ColocateWith adds to them.
#include "graph/builder.h"
#include "tensor/tensor_proto.h"

enum { VALUE_LIST = 1, VALUE_SHAPE = 7, VALUE_TENSOR = 8, LIST_STRING = 2, LIST_SHAPE = 7, LIST_TENSOR = 8 };

static dvt_buf *begin(TF_OperationDescription *desc, const char *name) {
  return dvt_builder_begin_attr(desc, dvt_str_from(name));
}

static size_t count_of(int n) { return n > 0 ? (size_t)n : 0; }

static bool is_class(const char *attr_name) { return dvt_str_is(DVT_STR("_class"), attr_name); }

void TF_SetAttrString(TF_OperationDescription *desc, const char *attr_name, const void *value,
                      size_t length) {
  dvt_attr_put_string(begin(desc, attr_name), dvt_str_make(value, length));
  dvt_builder_end_attr(desc);
}

static void put_strings(dvt_buf *out, const void *const *values, const size_t *lengths, int count) {
  size_t list = dvt_wire_begin(out, VALUE_LIST);
  for (int i = 0; i < count; i++) dvt_wire_put_bytes(out, LIST_STRING, dvt_str_make(values[i], lengths[i]));
  dvt_wire_end(out, list);
}

void TF_SetAttrStringList(TF_OperationDescription *desc, const char *attr_name, const void *const *values,
                          const size_t *lengths, int num_values) {
  if (is_class(attr_name)) {
    dvt_builder_clear_colocations(desc);
    for (int i = 0; i < num_values; i++)
      dvt_builder_add_colocation(desc, DVT_STR(""), dvt_str_make(values[i], lengths[i]));
    return;
  }
  put_strings(begin(desc, attr_name), values, lengths, num_values);
  dvt_builder_end_attr(desc);
}

void TF_SetAttrInt(TF_OperationDescription *desc, const char *attr_name, int64_t value) {
  dvt_attr_put_int(begin(desc, attr_name), value);
  dvt_builder_end_attr(desc);
}

void TF_SetAttrIntList(TF_OperationDescription *desc, const char *attr_name, const int64_t *values,
                       int num_values) {
  dvt_attr_put_int_list(begin(desc, attr_name), values, count_of(num_values));
  dvt_builder_end_attr(desc);
}

void TF_SetAttrFloat(TF_OperationDescription *desc, const char *attr_name, float value) {
  dvt_attr_put_float(begin(desc, attr_name), value);
  dvt_builder_end_attr(desc);
}

void TF_SetAttrFloatList(TF_OperationDescription *desc, const char *attr_name, const float *values,
                         int num_values) {
  dvt_attr_put_float_list(begin(desc, attr_name), values, count_of(num_values));
  dvt_builder_end_attr(desc);
}

void TF_SetAttrBool(TF_OperationDescription *desc, const char *attr_name, unsigned char value) {
  dvt_attr_put_bool(begin(desc, attr_name), value != 0);
  dvt_builder_end_attr(desc);
}

void TF_SetAttrBoolList(TF_OperationDescription *desc, const char *attr_name, const unsigned char *values,
                        int num_values) {
  dvt_attr_put_bool_list(begin(desc, attr_name), values, count_of(num_values));
  dvt_builder_end_attr(desc);
}

void TF_SetAttrType(TF_OperationDescription *desc, const char *attr_name, TF_DataType value) {
  dvt_attr_put_type(begin(desc, attr_name), (int)value);
  dvt_builder_end_attr(desc);
}

_Static_assert(sizeof(TF_DataType) == sizeof(int), "a list of TF_DataType is read as a list of int");

void TF_SetAttrTypeList(TF_OperationDescription *desc, const char *attr_name, const TF_DataType *values,
                        int num_values) {
  dvt_attr_put_type_list(begin(desc, attr_name), (const int *)values, count_of(num_values));
  dvt_builder_end_attr(desc);
}

void TF_SetAttrPlaceholder(TF_OperationDescription *desc, const char *attr_name, const char *placeholder) {
  dvt_attr_put_placeholder(begin(desc, attr_name), dvt_str_from(placeholder));
  dvt_builder_end_attr(desc);
}

void TF_SetAttrFuncName(TF_OperationDescription *desc, const char *attr_name, const char *value,
                        size_t length) {
  dvt_attr_put_func_name(begin(desc, attr_name), dvt_str_make(value, length));
  dvt_builder_end_attr(desc);
}

void TF_SetAttrShape(TF_OperationDescription *desc, const char *attr_name, const int64_t *dims,
                     int num_dims) {
  dvt_attr_put_shape(begin(desc, attr_name), dims, num_dims < 0 ? -1 : num_dims);
  dvt_builder_end_attr(desc);
}

void TF_SetAttrShapeList(TF_OperationDescription *desc, const char *attr_name, const int64_t *const *dims,
                         const int *num_dims, int num_shapes) {
  dvt_attr_put_shape_list(begin(desc, attr_name), dims, num_dims, count_of(num_shapes));
  dvt_builder_end_attr(desc);
}

static dvt_status check_shape_proto(dvt_str proto) {
  int64_t dims[DVT_MAX_RANK];
  int rank;
  dvt_status status = dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank);
  if (!status) return NULL;
  dvt_status_free(status);
  return dvt_error(TF_INVALID_ARGUMENT, "Unparseable TensorShapeProto");
}

void TF_SetAttrTensorShapeProto(TF_OperationDescription *desc, const char *attr_name, const void *proto,
                                size_t proto_len, TF_Status *status) {
  dvt_str shape = dvt_str_make(proto, proto_len);
  dvt_status error = check_shape_proto(shape);
  if (!error) {
    dvt_wire_put_bytes(begin(desc, attr_name), VALUE_SHAPE, shape);
    dvt_builder_end_attr(desc);
  }
  dvt_status_to_tf(error, status);
}

void TF_SetAttrTensorShapeProtoList(TF_OperationDescription *desc, const char *attr_name,
                                    const void *const *protos, const size_t *proto_lens, int num_shapes,
                                    TF_Status *status) {
  dvt_status error = NULL;
  for (int i = 0; !error && i < num_shapes; i++) {
    error = check_shape_proto(dvt_str_make(protos[i], proto_lens[i]));
    error = dvt_status_annotate(error, " at index %d", i);
  }
  if (!error) {
    dvt_buf *out = begin(desc, attr_name);
    size_t list = dvt_wire_begin(out, VALUE_LIST);
    for (int i = 0; i < num_shapes; i++)
      dvt_wire_put_bytes(out, LIST_SHAPE, dvt_str_make(protos[i], proto_lens[i]));
    dvt_wire_end(out, list);
    dvt_builder_end_attr(desc);
  }
  dvt_status_to_tf(error, status);
}

// An attr that was begun and not ended does not exist.
void TF_SetAttrTensor(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *value,
                      TF_Status *status) {
  if (!value) {
    dvt_status_to_tf(dvt_error(TF_INVALID_ARGUMENT, "the tensor for attr '%s' is NULL", attr_name), status);
    return;
  }
  dvt_buf *out = begin(desc, attr_name);
  size_t tensor = dvt_wire_begin(out, VALUE_TENSOR);
  dvt_status error = dvt_tensor_to_proto(value, out);
  dvt_wire_end(out, tensor);
  if (!error) dvt_builder_end_attr(desc);
  dvt_status_to_tf(error, status);
}

void TF_SetAttrTensorList(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *const *values,
                          int num_values, TF_Status *status) {
  dvt_buf *out = begin(desc, attr_name);
  size_t list = dvt_wire_begin(out, VALUE_LIST);
  dvt_status error = NULL;
  for (int i = 0; !error && i < num_values; i++) {
    size_t tensor = dvt_wire_begin(out, LIST_TENSOR);
    error = values[i] ? dvt_tensor_to_proto(values[i], out)
                      : dvt_error(TF_INVALID_ARGUMENT, "tensor %d for attr '%s' is NULL", i, attr_name);
    dvt_wire_end(out, tensor);
  }
  dvt_wire_end(out, list);
  if (!error) dvt_builder_end_attr(desc);
  dvt_status_to_tf(error, status);
}

static dvt_status set_class(TF_OperationDescription *desc, dvt_str value) {
  dvt_attr_info info;
  dvt_attr_list list;
  dvt_str group;
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  if (!info.is_list && info.kind >= 0)
    return dvt_error(TF_INVALID_ARGUMENT, "Expected \"list\" field for \"_class\" attribute, got %s",
                     dvt_attr_kind_name(info.kind));
  dvt_builder_clear_colocations(desc);
  if (!info.is_list) return NULL;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_STRING, &list));
  while (dvt_attr_list_next(&list, NULL, &group)) dvt_builder_add_colocation(desc, DVT_STR(""), group);
  return NULL;
}

void TF_SetAttrValueProto(TF_OperationDescription *desc, const char *attr_name, const void *proto,
                          size_t proto_len, TF_Status *status) {
  dvt_str value = dvt_str_make(proto, proto_len);
  dvt_attr_info info;
  dvt_status error = dvt_attr_inspect(value, &info);
  if (error) {
    dvt_status_free(error);
    error = dvt_error(TF_INVALID_ARGUMENT, "Unparseable AttrValue proto");
  } else if (is_class(attr_name)) {
    error = set_class(desc, value);
  } else {
    dvt_buf_append_str(begin(desc, attr_name), value);
    dvt_builder_end_attr(desc);
  }
  dvt_status_to_tf(error, status);
}
