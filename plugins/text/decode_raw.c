// DecodeRaw and DecodePaddedRaw: the bytes of strings as numbers, in either byte order.
#include <inttypes.h>

#include "common/dtype.h"
#include "text/text.h"

static void *order_create(TF_OpKernelConstruction *ctx) {
  bool *little = dvp_state_new(ctx, sizeof(*little));
  if (little) *little = dvp_attr_bool(ctx, "little_endian");
  return little;
}
static void order_destroy(void *state) { free(state); }

static bool host_is_little(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 1;
}

// The two numbers of a complex one are swapped each by itself.
static size_t word_bytes(TF_DataType dtype) {
  size_t bytes = TF_DataTypeSize(dtype);
  return dtype == TF_COMPLEX64 || dtype == TF_COMPLEX128 ? bytes / 2 : bytes;
}

// Copies the bytes of `s`, which fit into `out`, and zeros what is left.
static void decode(dvx_span s, size_t row_bytes, size_t word, bool swap, char *out) {
  size_t used = DVP_MIN(s.bytes, row_bytes);
  if (used) memcpy(out, s.data, used);
  if (used < row_bytes) memset(out + used, 0, row_bytes - used);
  for (size_t i = 0; swap && i < row_bytes; i += word) {
    for (size_t k = 0; k < word / 2; k++) {
      char c = out[i + k];
      out[i + k] = out[i + word - 1 - k];
      out[i + word - 1 - k] = c;
    }
  }
}

// Output [..., row_bytes / size of the dtype].
static void decode_all(dvp_call *call, const dvp_view *in, int64_t row_bytes, bool little) {
  int64_t dims[DVP_MAX_RANK + 1];
  TF_DataType dtype = TF_ExpectedOutputDataType(call->ctx, 0);
  for (int i = 0; i < in->rank; i++) dims[i] = in->dims[i];
  dims[in->rank] = row_bytes / (int64_t)TF_DataTypeSize(dtype);
  char *out = dvp_output(call, 0, dims, in->rank + 1);
  for (int64_t i = 0; out && i < in->count; i++)
    decode(dvx_element(in, i), (size_t)row_bytes, word_bytes(dtype), little != host_is_little(),
           out + i * row_bytes);
}

DVP_COMPUTE(decode_raw_compute) {
  const bool *little = state;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  size_t bytes = in.count ? dvx_element(&in, 0).bytes : 0,
         size = TF_DataTypeSize(TF_ExpectedOutputDataType(call->ctx, 0));
  for (int64_t i = 1; i < in.count; i++) {
    if (dvx_element(&in, i).bytes == bytes) continue;
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "DecodeRaw requires input strings to all be the same size, but element %" PRId64
             " has size %zu != %zu",
             i, dvx_element(&in, i).bytes, bytes);
    return;
  }
  if (bytes % size) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Input to DecodeRaw has length %zu that is not a multiple of %zu, the size of its elements",
             bytes, size);
    return;
  }
  decode_all(call, &in, (int64_t)bytes, *little);
}
#define PADDED_TYPES(X, ...) \
  DVP_FLOATS(X, __VA_ARGS__) DVP_SIGNED(X, __VA_ARGS__) X(u8, __VA_ARGS__) X(u16, __VA_ARGS__)
static const dvp_kernel decode_raw_rows[] = {PADDED_TYPES(DVP_SHARED_ROW, decode_raw) DVP_COMPLEX(
    DVP_SHARED_ROW, decode_raw) DVP_SHARED_ROW(b, decode_raw)};
DVP_DEFINE_SET(decode_raw, "out_type", order_create, order_destroy, decode_raw_rows);

DVP_COMPUTE(decode_padded_raw_compute) {
  const bool *little = state;
  dvp_view in, length;
  if (!dvp_input(call, 0, &in) || !dvp_input_scalar(call, 1, "fixed_length", &length)) return;
  int64_t bytes = *(const int32_t *)length.data,
          size = (int64_t)TF_DataTypeSize(TF_ExpectedOutputDataType(call->ctx, 0));
  if (bytes <= 0 || bytes % size) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "fixed_length (%" PRId64
             ") must be greater than zero and a multiple of the size of out_type (%" PRId64 ")",
             bytes, size);
    return;
  }
  decode_all(call, &in, bytes, *little);
}
static const dvp_kernel decode_padded_raw_rows[] = {PADDED_TYPES(DVP_SHARED_ROW, decode_padded_raw)};
DVP_DEFINE_SET(decode_padded_raw, "out_type", order_create, order_destroy, decode_padded_raw_rows);
