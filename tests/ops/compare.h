// Comparing a tensor with what stock TensorFlow computed.
#ifndef DOVETAIL_TESTS_OPS_COMPARE_H_
#define DOVETAIL_TESTS_OPS_COMPARE_H_

#include <stdbool.h>
#include <stddef.h>

#include "tensorflow/c/tf_tensor.h"

// |got - expected| <= absolute + relative * |expected| for every element; NaN equals NaN, infinities must be
// equal; integers, bools and strings must be equal. On a difference a sentence goes into `out`.
bool tensors_match(const TF_Tensor *got, const TF_Tensor *expected, double relative, double absolute,
                   char *out, size_t out_bytes);

#endif  // DOVETAIL_TESTS_OPS_COMPARE_H_
