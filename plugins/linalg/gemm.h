// C = A * B for one dtype: what the typed loops and the oneDNN path have in common.
#ifndef DOVETAIL_PLUGINS_LINALG_GEMM_H_
#define DOVETAIL_PLUGINS_LINALG_GEMM_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/epilogue.h"
#include "tensorflow/c/kernels.h"

// A is m x k, B k x n, both walked by strides in elements, so that a transposed matrix is only other strides;
// in C columns lie side by side.
typedef struct dvp_gemm {
  int64_t m, n, k;
  int64_t a_row, a_col, b_row, b_col, c_row;
  bool conj_a, conj_b;  // complex only
} dvp_gemm;

// Computes rows [m0, m1) and columns [n0, n1) of C. False when out of memory.
typedef bool (*dvp_gemm_tile)(const dvp_gemm *g, const void *a, const void *b, void *c, int64_t m0,
                              int64_t m1, int64_t n0, int64_t n1);

// Products by a B whose columns were brought together before; n0 of a tile is a multiple of 16.
typedef struct dvp_gemm_packing {
  size_t (*bytes)(const dvp_gemm *g);
  void (*pack)(const dvp_gemm *g, const void *b, void *out);
  dvp_gemm_tile tile;  // takes the packed form as its b
} dvp_gemm_packing;

typedef struct dvp_gemm_kernel {
  dvp_gemm_tile tile;
  int bytes;                        // of an element
  int ps_per_mac;                   // estimated picoseconds of one multiplication and addition
  dvp_epilogue_apply apply;         // for _FusedMatMul; NULL where it has no kernel
  const dvp_gemm_packing *packing;  // NULL: none
} dvp_gemm_kernel;

// By oneDNN, if it is there.
bool dvp_gemm_f32_is_there(void);
bool dvp_gemm_f32(const dvp_gemm *g, const void *a, const void *b, void *c, int64_t m0, int64_t m1,
                  int64_t n0, int64_t n1);

#ifdef DVP_ISA_V3
extern const dvp_gemm_packing dvp_gemm_packing_f32;
#endif

void dvp_mat_mul_run(void *state, TF_OpKernelContext *ctx, const dvp_gemm_kernel *kernel);
void dvp_batch_mat_mul_run(void *state, TF_OpKernelContext *ctx, const dvp_gemm_kernel *kernel,
                           bool broadcast);
void *dvp_mat_mul_create(TF_OpKernelConstruction *ctx);
void *dvp_fused_mat_mul_create(TF_OpKernelConstruction *ctx);
void *dvp_batch_mat_mul_create(TF_OpKernelConstruction *ctx);
void *dvp_batch_mat_mul_v3_create(TF_OpKernelConstruction *ctx);
void dvp_mat_mul_destroy(void *state);

#endif  // DOVETAIL_PLUGINS_LINALG_GEMM_H_
