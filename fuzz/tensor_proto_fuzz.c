// Any bytes as a TensorProto. A tensor that is read must be written and read again to the same dtype, shape
// and bytes.
#include <stdlib.h>

#include "tensor/tensor.h"
#include "tensor/tensor_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LARGEST ((size_t)1 << 22)

// Shapes that take long to fill are not interesting; shapes too large for any machine are.
static bool is_slow(dvt_str proto) {
  int64_t dims[DVT_MAX_RANK];
  int dtype, rank;
  size_t bytes = 0;
  dvt_status status = dvt_tensor_proto_header(proto, &dtype, dims, DVT_MAX_RANK, &rank);
  if (!status) status = dvt_shape_bytes(dtype, dims, rank, &bytes);
  dvt_status_free(status);
  return bytes > LARGEST && bytes < (size_t)1 << 50;
}

static void write_and_read(const TF_Tensor *t) {
  TF_Tensor back = {0};
  dvt_buf proto = {0};
  dvt_status status = dvt_tensor_to_proto(t, &proto);
  if (!status) {
    if (dvt_tensor_from_proto(dvt_buf_str(&proto), &back)) abort();
    if (back.dtype != t->dtype || back.rank != t->rank) abort();
    if (memcmp(dvt_tensor_dims(t), dvt_tensor_dims(&back), (size_t)t->rank * sizeof(int64_t)) != 0) abort();
    size_t bytes = (size_t)dvt_tensor_count(t) * dvt_dtype_size(t->dtype);
    if (memcmp(t->data, back.data, bytes) != 0) abort();
  } else if (t->dtype != TF_RESOURCE && t->dtype != TF_VARIANT) {
    abort();
  }
  dvt_status_free(status);
  dvt_tensor_reset(&back);
  dvt_buf_deinit(&proto);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dvt_str proto = dvt_str_make((const char *)data, size);
  TF_Tensor t = {0};
  dvt_buf text = {0};
  if (is_slow(proto)) return 0;
  dvt_status status = dvt_tensor_from_proto(proto, &t);
  if (!status) {
    dvt_tensor_describe(&t, 10, &text);
    write_and_read(&t);
  }
  dvt_status_free(status);
  dvt_tensor_reset(&t);
  dvt_buf_deinit(&text);
  return 0;
}
