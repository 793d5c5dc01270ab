// Comparing the dtypes of a node's inputs and outputs with what a kernel is written for: the MatchSignature
// of construction and of compute.
#ifndef DVT_KERNEL_SIGNATURE_H_
#define DVT_KERNEL_SIGNATURE_H_

#include "op/node_def.h"
#include "tensorflow/c/tf_datatype.h"

// A reference (dtype + 100) fits where its value's dtype is expected, and only a reference where one is.
// INVALID_ARGUMENT "Signature mismatch, have: float->float expected: int32->int32"; also for a negative count
// and for a NULL array of one that is not 0.
dvt_status dvt_node_match_signature(const dvt_node_def *node, const TF_DataType *inputs, int input_count,
                                    const TF_DataType *outputs, int output_count) DVT_NODISCARD;

#endif  // DVT_KERNEL_SIGNATURE_H_
