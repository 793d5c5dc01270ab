// 16-bit floats to float and back: IEEE binary16 (half) and bfloat16, rounding to nearest even.
#ifndef DVT_TENSOR_HALF_H_
#define DVT_TENSOR_HALF_H_

#include <string.h>

#include "base/base.h"

static inline float dvt_bfloat16_to_float(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static inline uint16_t dvt_float_to_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(bits >> 16 | 0x40u);  // NaN stays NaN
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static inline float dvt_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 1023u,
           bits;
  float value;
  if (exponent == 31u) {
    bits = sign | 0x7f800000u | fraction << 13;
  } else if (exponent) {
    bits = sign | (exponent + 112u) << 23 | fraction << 13;
  } else {
    value = (float)fraction * 0x1p-24f;  // zero and subnormals, exact
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint16_t dvt_float_to_half(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 1023u));
  if (magnitude >= 0x47800000u) return (uint16_t)(sign | 0x7c00u);  // 65536 and more
  if (magnitude >= 0x38800000u) {  // normal halves; a carry may reach infinity
    uint32_t rebased = magnitude - (112u << 23);
    return (uint16_t)(sign | (rebased + 0xfffu + (rebased >> 13 & 1u)) >> 13);
  }
  // Adding 0.5 puts the half's last bit at the float's last bit, so the float unit does the rounding.
  float absolute, shifted;
  memcpy(&absolute, &magnitude, sizeof absolute);
  shifted = absolute + 0.5f;
  memcpy(&bits, &shifted, sizeof bits);
  return (uint16_t)(sign | (bits - 0x3f000000u));
}

#endif  // DVT_TENSOR_HALF_H_
