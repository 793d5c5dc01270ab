// Attribute values. A value is kept as the bytes of its serialised AttrValue proto and decoded where it is
// read: import and export copy bytes, constants are not unpacked twice, and there is one representation
// everywhere. AttrValue fields: 1 list, 2 s, 3 i, 4 f, 5 b, 6 type, 7 shape, 8 tensor, 9 placeholder, 10
// func; ListValue fields: 2 s, 3 i, 4 f, 5 b, 6 type, 7 shape, 8 tensor, 9 func (numbers may be packed).
#ifndef DVT_OP_ATTR_H_
#define DVT_OP_ATTR_H_

#include "base/wire.h"
#include "tensor/tensor.h"
#include "tensorflow/c/tf_attrtype.h"

typedef struct dvt_attr {
  dvt_str name;
  dvt_str value;  // serialised AttrValue
} dvt_attr;

// What a value holds. Kinds use TF_AttrType numbers; `kind` is -1 for a value with no field set.
typedef struct dvt_attr_info {
  int kind;  // TF_ATTR_STRING .. TF_ATTR_FUNC; for a list the element kind, -1 for an empty list
  bool is_list;
  int64_t list_size;  // -1 for scalars
  int64_t
      total_size;  // as TF_AttrMetadata.total_size: bytes of strings, sum of ranks of shapes; -1 otherwise
} dvt_attr_info;
dvt_status dvt_attr_inspect(dvt_str value, dvt_attr_info *out_info) DVT_NODISCARD;
const char *dvt_attr_kind_name(int kind);  // "string", "int", ... as in "AttrValue had value with type 'int'"

// Scalars. INVALID_ARGUMENT "AttrValue had value with type 'x' when 'y' expected" for another kind; *out
// untouched.
dvt_status dvt_attr_get_string(dvt_str value, dvt_str *out) DVT_NODISCARD;
dvt_status dvt_attr_get_int(dvt_str value, int64_t *out) DVT_NODISCARD;
dvt_status dvt_attr_get_float(dvt_str value, float *out) DVT_NODISCARD;
dvt_status dvt_attr_get_bool(dvt_str value, bool *out) DVT_NODISCARD;
dvt_status dvt_attr_get_type(dvt_str value, int *out) DVT_NODISCARD;
dvt_status dvt_attr_get_shape(dvt_str value, dvt_str *out_shape_proto) DVT_NODISCARD;
dvt_status dvt_attr_get_tensor(dvt_str value, dvt_str *out_tensor_proto) DVT_NODISCARD;
dvt_status dvt_attr_get_func(dvt_str value, dvt_str *out_name, dvt_str *out_name_attr_list) DVT_NODISCARD;
dvt_status dvt_attr_get_placeholder(dvt_str value,
                                    dvt_str *out_name) DVT_NODISCARD;  // "T" of a function's "$T"

// Lists. The iterator walks the elements of one kind in order; an empty list satisfies every kind (rule 124).
typedef struct dvt_attr_list {
  dvt_wire wire;
  dvt_wire_packed packed;
  dvt_field field;
  bool in_packed;
  int kind;
} dvt_attr_list;
dvt_status dvt_attr_list_open(dvt_str value, int kind, dvt_attr_list *out_list) DVT_NODISCARD;
// Next element: `out_bits` for int/float/bool/type (raw bits), `out_bytes` for the others (payload or nested
// proto). False at the end. Either out pointer may be NULL.
bool dvt_attr_list_next(dvt_attr_list *list, uint64_t *out_bits, dvt_str *out_bytes);

// Writers: append a serialised AttrValue to *out.
void dvt_attr_put_string(dvt_buf *out, dvt_str value);
void dvt_attr_put_int(dvt_buf *out, int64_t value);
void dvt_attr_put_float(dvt_buf *out, float value);
void dvt_attr_put_bool(dvt_buf *out, bool value);
void dvt_attr_put_type(dvt_buf *out, int dtype);
void dvt_attr_put_shape(dvt_buf *out, const int64_t *dims, int rank);  // rank -1: unknown
void dvt_attr_put_tensor_proto(dvt_buf *out, dvt_str tensor_proto);
void dvt_attr_put_placeholder(dvt_buf *out, dvt_str name);
void dvt_attr_put_func_name(dvt_buf *out, dvt_str name);
void dvt_attr_put_string_list(dvt_buf *out, const dvt_str *values, size_t count);
void dvt_attr_put_int_list(dvt_buf *out, const int64_t *values, size_t count);
void dvt_attr_put_float_list(dvt_buf *out, const float *values, size_t count);
void dvt_attr_put_bool_list(dvt_buf *out, const unsigned char *values, size_t count);
void dvt_attr_put_type_list(dvt_buf *out, const int *dtypes, size_t count);
void dvt_attr_put_shape_list(dvt_buf *out, const int64_t *const *dims, const int *ranks, size_t count);

// Same meaning? (bytes equal, or equal after decoding: field order and packing may differ.)
bool dvt_attr_equal(dvt_str a, dvt_str b);
// Readable form for messages: "DT_FLOAT", "[1, 2]", "\"text\"", "Tensor<type: float shape: [2]>".
void dvt_attr_describe(dvt_str value, dvt_buf *out);

#endif  // DVT_OP_ATTR_H_
