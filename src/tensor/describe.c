// Tensors as text for messages and listings: dtype and shape, and the first values when asked.
#include "base/number.h"
#include "tensor/half.h"
#include "tensor/tensor.h"
#include "tensor/tensor_proto.h"
#include "tensor/tstring.h"

static void put_real(dvt_buf *out, double value, bool is_float) {
  char text[DVT_NUMBER_CHARS];
  size_t len = is_float ? dvt_number_format_float((float)value, text) : dvt_number_format_double(value, text);
  dvt_buf_append(out, text, len);
}

static void put_complex(dvt_buf *out, double re, double im, bool is_float) {
  dvt_buf_append_byte(out, '(');
  put_real(out, re, is_float);
  dvt_buf_append_byte(out, ',');
  put_real(out, im, is_float);
  dvt_buf_append_byte(out, ')');
}

#define LONGEST_STRING 64  // characters shown of one element

static void put_string(dvt_buf *out, dvt_str s) {
  dvt_buf_append_byte(out, '"');
  for (size_t i = 0; i < s.len && i < LONGEST_STRING; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c == '"' || c == '\\')
      dvt_buf_printf(out, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      dvt_buf_printf(out, "\\x%02x", c);
    else
      dvt_buf_append_byte(out, (char)c);
  }
  if (s.len > LONGEST_STRING) dvt_buf_append_str(out, DVT_STR("..."));
  dvt_buf_append_byte(out, '"');
}

static void put_element(const TF_Tensor *t, int64_t i, dvt_buf *out) {
  switch (t->dtype) {
    case TF_FLOAT:
      put_real(out, ((const float *)t->data)[i], true);
      break;
    case TF_DOUBLE:
      put_real(out, ((const double *)t->data)[i], false);
      break;
    case TF_HALF:
      put_real(out, dvt_half_to_float(((const uint16_t *)t->data)[i]), true);
      break;
    case TF_BFLOAT16:
      put_real(out, dvt_bfloat16_to_float(((const uint16_t *)t->data)[i]), true);
      break;
    case TF_COMPLEX64: {
      const float *pair = (const float *)t->data + 2 * i;
      put_complex(out, pair[0], pair[1], true);
      break;
    }
    case TF_COMPLEX128: {
      const double *pair = (const double *)t->data + 2 * i;
      put_complex(out, pair[0], pair[1], false);
      break;
    }
    case TF_BOOL:
      dvt_buf_printf(out, "%s", ((const uint8_t *)t->data)[i] ? "true" : "false");
      break;
    case TF_INT8:
    case TF_QINT8:
    case TF_INT4:
    case TF_INT2:
      dvt_buf_printf(out, "%d", ((const int8_t *)t->data)[i]);
      break;
    case TF_UINT8:
    case TF_QUINT8:
    case TF_UINT4:
    case TF_UINT2:
      dvt_buf_printf(out, "%u", ((const uint8_t *)t->data)[i]);
      break;
    case TF_INT16:
    case TF_QINT16:
      dvt_buf_printf(out, "%d", ((const int16_t *)t->data)[i]);
      break;
    case TF_UINT16:
    case TF_QUINT16:
      dvt_buf_printf(out, "%u", ((const uint16_t *)t->data)[i]);
      break;
    case TF_INT32:
    case TF_QINT32:
      dvt_buf_printf(out, "%ld", (long)((const int32_t *)t->data)[i]);
      break;
    case TF_UINT32:
      dvt_buf_printf(out, "%lu", (unsigned long)((const uint32_t *)t->data)[i]);
      break;
    case TF_INT64:
      dvt_buf_printf(out, "%lld", (long long)((const int64_t *)t->data)[i]);
      break;
    case TF_UINT64:
      dvt_buf_printf(out, "%llu", (unsigned long long)((const uint64_t *)t->data)[i]);
      break;
    case TF_STRING:
      put_string(out, dvt_tstring_view((const TF_TString *)t->data + i));
      break;
    case TF_RESOURCE:
    case TF_VARIANT:
      dvt_buf_printf(out, "<%s>", dvt_dtype_name(t->dtype));
      break;
    default:
      dvt_buf_printf(out, "0x%02x", ((const uint8_t *)t->data)[i]);
      break;  // 8-bit floats, as their bits
  }
}

static bool can_read_values(const TF_Tensor *t) {
  dvt_status status = t->buffer ? dvt_tensor_check_size(t) : NULL;
  bool ok = t->buffer && !status;
  dvt_status_free(status);
  return ok;
}

void dvt_tensor_describe(const TF_Tensor *t, int max_values, dvt_buf *out) {
  dvt_buf_printf(out, "%s", dvt_dtype_name(t->dtype));
  dvt_shape_describe(dvt_tensor_dims(t), t->rank, out);
  if (max_values <= 0 || !can_read_values(t)) return;
  int64_t count = dvt_tensor_count(t);
  dvt_buf_append_byte(out, '{');
  for (int64_t i = 0; i < count && i < max_values; i++) {
    if (i) dvt_buf_append_str(out, DVT_STR(", "));
    put_element(t, i, out);
  }
  if (count > max_values) dvt_buf_append_str(out, DVT_STR(", ..."));
  dvt_buf_append_byte(out, '}');
}
