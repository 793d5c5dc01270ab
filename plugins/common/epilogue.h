// What pre-fused ops do to the result of a convolution or product before it leaves the cache: a bias or a
// batch normalisation per channel, a residual, an activation, in this order. A node's `fused_ops` name them;
// their operands are the node's inputs after the first two.
#ifndef DOVETAIL_PLUGINS_COMMON_EPILOGUE_H_
#define DOVETAIL_PLUGINS_COMMON_EPILOGUE_H_

#include "common/kept.h"

#ifdef DVP_ISA_V3
#define DVP_EPILOGUE(t) dvp_epilogue_##t##_avx2
#else
#define DVP_EPILOGUE(t) dvp_epilogue_##t
#endif

typedef enum dvp_activation {
  DVP_ACT_NONE,
  DVP_ACT_RELU,
  DVP_ACT_RELU6,
  DVP_ACT_ELU,
  DVP_ACT_LEAKY_RELU,
  DVP_ACT_TANH,
  DVP_ACT_SIGMOID,
  DVP_ACT_GELU_EXACT,
  DVP_ACT_GELU_APPROXIMATE,
  DVP_ACT_HARD_SWISH,
  DVP_ACT_SWISH,
  DVP_ACT_PRELU,
} dvp_activation;

// The attributes fused_ops, epsilon and leakyrelu_alpha of a node.
typedef struct dvp_fusion {
  bool bias, batch_norm, add;
  dvp_activation activation;
  float epsilon, alpha;
  int args;  // inputs that they take
} dvp_fusion;

// UNIMPLEMENTED for names or an order that no kernel has, INVALID_ARGUMENT when `args` attr num_args does not
// fit.
void dvp_fusion_read(TF_OpKernelConstruction *ctx, dvp_fusion *out);
// The input that is added, -1 without one.
int dvp_fusion_add_input(const dvp_fusion *fusion);

// The operands for one result of `channels` last: vectors have one element per channel in the arithmetic type
// (float for halves); NULL leaves the step out.
typedef struct dvp_epilogue {
  dvp_activation activation;
  float alpha;
  int64_t channels;
  const void *scale, *shift;
  const void *side;   // the result's dtype and shape
  const void *slope;  // for results below 0, repeated along the result
  int64_t slope_count;
  TF_Tensor *scratch;
  dvp_kept *kept;
} dvp_epilogue;

// Reads the operands for a result of this dtype and shape, given channels last, and checks them; `side` keeps
// the order that the input has. What a batch normalisation by unchanged inputs comes to is kept in `keeper`
// (NULL: it is not).
// False after the call has failed; close is then not needed.
bool dvp_epilogue_open(dvp_call *call, const dvp_fusion *fusion, TF_DataType dtype, const int64_t *dims,
                       int rank, const int64_t *side_dims, dvp_keeper *keeper, dvp_epilogue *out);
void dvp_epilogue_close(dvp_epilogue *epilogue);

// Applies it in place to rows [row0, row1) and channels [c0, c1) of the result, of which `out` is the start.
typedef void (*dvp_epilogue_apply)(const dvp_epilogue *e, void *out, int64_t row0, int64_t row1, int64_t c0,
                                   int64_t c1);
void DVP_EPILOGUE(f16)(const dvp_epilogue *e, void *out, int64_t row0, int64_t row1, int64_t c0, int64_t c1);
void DVP_EPILOGUE(bf16)(const dvp_epilogue *e, void *out, int64_t row0, int64_t row1, int64_t c0, int64_t c1);
void DVP_EPILOGUE(f32)(const dvp_epilogue *e, void *out, int64_t row0, int64_t row1, int64_t c0, int64_t c1);
void DVP_EPILOGUE(f64)(const dvp_epilogue *e, void *out, int64_t row0, int64_t row1, int64_t c0, int64_t c1);

// Applies it to all rows over the pool.
void dvp_epilogue_run(dvp_call *call, const dvp_epilogue *e, dvp_epilogue_apply apply, void *out,
                      int64_t rows);

#endif  // DOVETAIL_PLUGINS_COMMON_EPILOGUE_H_
