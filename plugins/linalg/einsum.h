// Einsum's equation, "abc,cd->abd" or "...ij->...ji": parsed once a kernel, and for shape inference.
#ifndef DOVETAIL_PLUGINS_LINALG_EINSUM_H_
#define DOVETAIL_PLUGINS_LINALG_EINSUM_H_

#include "common/call.h"
#include "linalg/gemm.h"
#include "tensorflow/c/ops.h"

#define DVP_EINSUM_INPUTS 2

// The labels of one operand; any byte but '.' and ',' is one.
typedef struct dvp_einsum_term {
  int count;     // of labels, the ellipsis not among them
  int ellipsis;  // labels before it; -1 without one
  unsigned char labels[DVP_MAX_RANK];
} dvp_einsum_term;

typedef struct dvp_equation {
  int input_count;
  dvp_einsum_term inputs[DVP_EINSUM_INPUTS], output;
} dvp_equation;

// False, with a sentence, when the text is no equation of one or two inputs.
bool dvp_equation_parse(const char *text, size_t len, dvp_equation *out, TF_Status *status);

// The label of dimension `axis` of an operand with this rank, or, for one of the ellipsis, minus its distance
// from the last of them (-1, -2, ...). False when axis or rank do not fit the term.
bool dvp_einsum_label(const dvp_einsum_term *term, int rank, int axis, int *out_label);

void dvp_einsum_shape(TF_ShapeInferenceContext *ctx, TF_Status *status);

// ---- the kernel ----

// out[i] = sum of in[i * n .. i * n + n)
typedef void (*dvp_sum_rows)(const void *in, void *out, int64_t rows, int64_t n);

void *dvp_einsum_create(TF_OpKernelConstruction *ctx);
void dvp_einsum_destroy(void *state);
void dvp_einsum_run(void *state, TF_OpKernelContext *ctx, const dvp_gemm_kernel *kernel,
                    dvp_sum_rows sum_rows);

#endif  // DOVETAIL_PLUGINS_LINALG_EINSUM_H_
