// EncodeBase64 and DecodeBase64 in the alphabet that is safe in URLs, with padding or without.
#include "text/text.h"

static const char alphabet[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const char *encode(const void *arg, dvx_span in, dvx_text *out) {
  const bool *pad = arg;
  const unsigned char *p = (const unsigned char *)in.data;
  if (!dvx_text_reserve(out, in.bytes / 3 * 4 + 4)) return NULL;
  for (size_t i = 0; i < in.bytes; i += 3) {
    size_t left = in.bytes - i;
    uint32_t bits =
        (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
    for (size_t k = 0; k < 4; k++) {
      if (k <= left)
        dvx_text_add_char(out, alphabet[bits >> (18 - 6 * k) & 63]);
      else if (*pad)
        dvx_text_add_char(out, '=');
    }
  }
  return NULL;
}

static int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '-' ? 62 : c == '_' ? 63 : -1;
}

static const char *decode(const void *arg, dvx_span in, dvx_text *out) {
  (void)arg;
  // One or two '=' may fill the last group of four.
  size_t digits = in.bytes;
  if (in.bytes % 4 == 0)
    while (digits > 0 && in.bytes - digits < 2 && in.data[digits - 1] == '=') digits--;
  if (digits % 4 == 1) return "Base64 string length cannot be 1 modulo 4";
  uint32_t bits = 0;
  for (size_t i = 0; i < digits; i++) {
    int digit = digit_of(in.data[i]);
    if (digit < 0) return "Invalid character found in base64";
    bits = bits << 6 | (uint32_t)digit;
    if (i % 4 == 3) {
      dvx_text_add_char(out, (char)(bits >> 16));
      dvx_text_add_char(out, (char)(bits >> 8));
      dvx_text_add_char(out, (char)bits);
    }
  }
  if (digits % 4 == 2) dvx_text_add_char(out, (char)(bits >> 4));
  if (digits % 4 == 3) {
    dvx_text_add_char(out, (char)(bits >> 10));
    dvx_text_add_char(out, (char)(bits >> 2));
  }
  return NULL;
}

static void *pad_create(TF_OpKernelConstruction *ctx) {
  bool *pad = dvp_state_new(ctx, sizeof(*pad));
  if (pad) *pad = dvp_attr_bool(ctx, "pad");
  return pad;
}
static void pad_destroy(void *state) { free(state); }

DVP_COMPUTE(encode_base64_compute) { dvx_map_elements(call, encode, state, 200000); }
DVP_DEFINE_ANY(encode_base64, pad_create, pad_destroy, encode_base64_compute);

DVP_COMPUTE(decode_base64_compute) {
  (void)state;
  dvx_map_elements(call, decode, NULL, 200000);
}
DVP_DEFINE_ANY(decode_base64, NULL, NULL, decode_base64_compute);
