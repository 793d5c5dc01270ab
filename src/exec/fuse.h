// Fusing: a convolution or matrix product and the nodes that each read nothing but the one before (bias,
// batch normalisation, residual, activation) become one node of a pre-fused op, _FusedConv2D and its like, as
// stock's remapper makes them. Runs on an expansion, after folding. fuse.c drives it, fuse_match.c finds the
// chains, fuse_operands.c decides what the new node reads, fuse_make.c makes nodes and keeps them in the
// session, fuse_weights.c computes folded filters.
#ifndef DVT_EXEC_FUSE_H_
#define DVT_EXEC_FUSE_H_

#include "exec/infer.h"

// Replaces chains by fused nodes and drops what nobody needs any more. `fetch_count` as dvt_expand's.
dvt_status dvt_fuse(dvt_expansion *x, int fetch_count) DVT_NODISCARD;
void dvt_made_nodes_deinit(dvt_made_node *first);

// ---- between the files of fuse ----

#define DVT_MAX_LINKS 8

// What a node of the chain does to the result of those before it.
typedef enum dvt_link_kind {
  DVT_LINK_BIAS,   // + operand, one element per channel
  DVT_LINK_SCALE,  // * operand, one element per channel
  DVT_LINK_NORM,   // FusedBatchNorm* for inference
  DVT_LINK_SIDE,   // + operand of the result's shape
  DVT_LINK_ACTIVATION
} dvt_link_kind;

typedef struct dvt_link {
  dvt_link_kind kind;
  int32_t node;  // of the expansion
  dvt_source operand;
  dvt_source norm[4];  // scale, offset, mean, variance
  float epsilon, alpha;
  const char *activation;  // name in fused_ops
} dvt_link;

typedef enum dvt_root_kind { DVT_ROOT_CONV, DVT_ROOT_DEPTHWISE, DVT_ROOT_MATMUL } dvt_root_kind;

typedef struct dvt_chain {
  dvt_root_kind root_kind;
  int32_t root, pad;    // nodes of the expansion; pad -1: none
  int64_t paddings[8];  // of pad: before and after for each dim
  dvt_link links[DVT_MAX_LINKS];
  int link_count;
  int dtype, rank, axis;  // axis: of the channels
  int64_t channels;       // -1: unknown
} dvt_chain;

typedef struct dvt_fuser {
  dvt_expansion *x;
  TF_Session *session;
  dvt_shapes shapes;
  // By node of the expansion as it was before fusing.
  int32_t *reader_count, *reader;  // data edges that read it; one of their nodes
  bool *pinned;                    // fetched, a target, or followed by a control edge
  bool *others_read;               // an output other than the first is read or fetched
  bool *taken;                     // part of a chain that was fused
  int32_t *helper;                 // node to run before it, -1: none
  size_t node_count;
} dvt_fuser;

static inline const dvt_session_node *dvt_fuser_node(const dvt_fuser *f, int32_t node) {
  return f->x->nodes[node].session_node;
}
static inline dvt_source dvt_fuser_input(const dvt_fuser *f, int32_t node, int32_t input) {
  return f->x->inputs[f->x->nodes[node].first_input + input];
}
// The value if it is known now, else NULL.
static inline const TF_Tensor *dvt_fuser_constant(const dvt_fuser *f, dvt_source source) {
  if (source.node < 0 || !f->x->nodes[source.node].is_constant) return NULL;
  return &f->x->nodes[source.node].session_node->constants[source.index];
}
// A kernel's node of that op that nothing but its inputs keeps from running.
bool dvt_fuser_is_plain(const dvt_fuser *f, int32_t node, const char *op);

// Finds the longest chain that starts at `root`; false when the node starts none.
bool dvt_chain_find(const dvt_fuser *f, int32_t root, dvt_chain *out_chain);
// Is it one element per channel, so that broadcasting repeats it over everything else?
bool dvt_chain_is_per_channel(const dvt_fuser *f, const dvt_chain *chain, dvt_source source);

// An input of the new node.
typedef enum dvt_operand_kind {
  DVT_OPERAND_SOURCE,
  DVT_OPERAND_VECTOR,  // a constant of another rank as a vector
  DVT_OPERAND_FILTER,  // the folded filter
  DVT_OPERAND_BIAS,    // what folding leaves to add
  DVT_OPERAND_ZEROS,   // one per channel
  DVT_OPERAND_ONES,
  DVT_OPERAND_DIFFERENCE  // operand a - operand b, computed in every step
} dvt_operand_kind;

typedef struct dvt_operand {
  dvt_operand_kind kind;
  dvt_source source;
  int a, b;
} dvt_operand;

#define DVT_MAX_OPERANDS 12

typedef struct dvt_recipe {
  const dvt_chain *chain;
  int link_count;  // of the chain's links, from the first
  dvt_operand operands[DVT_MAX_OPERANDS];
  int operand_count;
  int inputs[8];  // of the new node: indices into operands
  int input_count;
  const char *fused_ops[4];
  int fused_op_count;  // 0: only the padding changes
  float epsilon, alpha;
  bool folds;  // affine links into the filter
} dvt_recipe;

// How the first `link_count` links can be one node; false when they cannot.
bool dvt_recipe_make(const dvt_fuser *f, const dvt_chain *chain, int link_count, dvt_recipe *out_recipe);

// A node that plans run instead of others, with the constants it needs. Kept with the session node of the
// chain's root, so that kernels are made once a session.
struct dvt_made_node {
  dvt_session_node node;
  TF_Operation op;
  bool usable;  // there is a kernel for it
  const void **key;
  size_t key_count;
  dvt_session_node *operands[DVT_MAX_OPERANDS];  // by operand of the recipe; NULL: a source
  dvt_made_node *next;                           // of the same root
};
// The node for the recipe, from the session's cache or made now. Errors: out of memory only.
dvt_status dvt_made_node_get(const dvt_fuser *f, const dvt_recipe *recipe,
                             dvt_made_node **out_made) DVT_NODISCARD;

// The filter times the affine links' factors, and what they add; both new tensors. False when values are not
// finite, or out of memory.
bool dvt_fold_weights(const dvt_fuser *f, const dvt_recipe *recipe, TF_Tensor *out_filter,
                      TF_Tensor *out_bias);

#endif  // DVT_EXEC_FUSE_H_
