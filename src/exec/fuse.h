// Fusing: nodes that belong together become one. Runs on an expansion, after folding and sharing; fuse.c
// drives it, fuse_node.c makes the new nodes and keeps them in the session. There are three kinds:
// - A convolution or matrix product and the nodes that each read nothing but the one before (bias, batch
//   normalisation, residual, activation) become a node of a pre-fused op, _FusedConv2D and its like, as
//   stock's remapper makes them. fuse_match.c finds the chains, fuse_activation.c activations that are
//   written out, fuse_operands.c decides what the new node reads, fuse_make.c makes it, fuse_weights.c
//   computes folded filters.
// - Layer normalisation written out becomes _DovetailLayerNorm: fuse_layer_norm.c.
// - Element-wise nodes around each other become _DovetailElementwise: fuse_elementwise.c.
#ifndef DVT_EXEC_FUSE_H_
#define DVT_EXEC_FUSE_H_

#include "base/buf.h"
#include "exec/infer.h"

// Replaces chains by fused nodes and drops what nobody needs any more. `fetch_count` as dvt_expand's.
dvt_status dvt_fuse(dvt_expansion *x, int fetch_count) DVT_NODISCARD;
void dvt_made_nodes_deinit(dvt_made_node *first);

// ---- between the files of fuse ----

#define DVT_MAX_LINKS 8
#define DVT_MAX_COMPOSITE 10
#define DVT_MAX_PARTS (2 + DVT_MAX_LINKS + DVT_MAX_COMPOSITE)  // nodes that one node stands for

// What a node of the chain does to the result of those before it.
typedef enum dvt_link_kind {
  DVT_LINK_BIAS,   // + operand, one element per channel
  DVT_LINK_SCALE,  // * operand, one element per channel
  DVT_LINK_NORM,   // FusedBatchNorm* for inference
  DVT_LINK_SIDE,   // + operand of the result's shape
  DVT_LINK_ACTIVATION
} dvt_link_kind;

// An activation that the graph writes out as several nodes over one value.
typedef struct dvt_composite {
  const char *name;  // in fused_ops
  dvt_source x;
  int32_t parts[DVT_MAX_COMPOSITE];  // nodes of the expansion; the last one's result is the activation's
  int part_count, x_reads;           // edges from x into the parts
} dvt_composite;

typedef struct dvt_link {
  dvt_link_kind kind;
  int32_t node;  // of the expansion
  dvt_source operand;
  dvt_source norm[4];  // scale, offset, mean, variance
  float epsilon, alpha;
  const char *activation;   // name in fused_ops
  dvt_composite composite;  // of an ACTIVATION that is written out; no parts otherwise
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
  int32_t *sink;                   // last node of the activation written out that reads it, -1: none
  size_t node_count;
} dvt_fuser;

static inline const dvt_session_node *dvt_fuser_node(const dvt_fuser *f, int32_t node) {
  return f->x->nodes[node].session_node;
}
static inline dvt_source dvt_fuser_input(const dvt_fuser *f, int32_t node, int32_t input) {
  return f->x->inputs[f->x->nodes[node].first_input + input];
}
// The constant that the source is, maybe without its values yet; NULL when it is none.
static inline const TF_Tensor *dvt_fuser_known(const dvt_fuser *f, dvt_source source) {
  if (source.node < 0 || !f->x->nodes[source.node].is_constant) return NULL;
  return &f->x->nodes[source.node].session_node->constants[source.index];
}
// The same with its values; NULL also when out of memory.
const TF_Tensor *dvt_fuser_constant(const dvt_fuser *f, dvt_source source);
static inline bool dvt_source_is(dvt_source a, dvt_source b) {
  return a.node == b.node && a.index == b.index;
}
// A kernel's node of that op that nothing but its inputs keeps from running.
bool dvt_fuser_is_plain(const dvt_fuser *f, int32_t node, const char *op);
// Same body, device and folder of plugins, so that one node may do the work of both.
bool dvt_fuser_may_join(const dvt_fuser *f, int32_t a, int32_t b);
// Is it a kernel of the folder of plugins that the node's kernel is of? What another one overrides stays its
// own.
bool dvt_fuser_is_of_folder(const dvt_fuser *f, int32_t node, const dvt_session_node *other);
bool dvt_fuser_same_shape(const dvt_fuser *f, dvt_source a, dvt_source b);
// A constant of one element that is this number, within float rounding.
bool dvt_fuser_is_number(const dvt_fuser *f, dvt_source source, double number);
// The constant of one element as a number; false when it is none.
bool dvt_fuser_number(const dvt_fuser *f, dvt_source source, double *out_number);
// The inputs of a plain node of that op; false when it is no such node.
bool dvt_fuser_binary(const dvt_fuser *f, dvt_source source, const char *op, dvt_source *out_a,
                      dvt_source *out_b);
// A new node takes the place of the last part, so that its readers need not change. Parts follow each other.
dvt_status dvt_fuser_replace(dvt_fuser *f, const int32_t *parts, int part_count, const dvt_source *inputs,
                             int input_count, dvt_made_node *made) DVT_NODISCARD;

// Finds the activations that are written out, for chains: f->sink.
void dvt_composites_find(dvt_fuser *f);
// The activation whose result `node` is; false when there is none.
bool dvt_composite_match(const dvt_fuser *f, int32_t node, dvt_composite *out_composite);

dvt_status dvt_fuse_layer_norms(dvt_fuser *f) DVT_NODISCARD;
dvt_status dvt_fuse_elementwise(dvt_fuser *f) DVT_NODISCARD;

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

// The nodes that the recipe's stands for, in their order; returns their number.
int dvt_recipe_parts(const dvt_recipe *recipe, int32_t parts[DVT_MAX_PARTS]);

// A node that plans run instead of others, with the constants it needs. Kept with the session node of one of
// those, so that kernels are made once a session.
struct dvt_made_node {
  dvt_session_node node;
  TF_Operation op;
  bool usable;  // there is a kernel for it
  const void **key;
  size_t key_count;
  dvt_session_node *operands[DVT_MAX_OPERANDS];  // by operand of the recipe; NULL: a source
  dvt_made_node *next;                           // of the same root
};
// The node with that key among those kept with node `owner`; a new one, zeroed but for the key, when there is
// none. Errors: out of memory only.
dvt_status dvt_made_node_find(const dvt_fuser *f, int32_t owner, const void *const *key, size_t key_count,
                              dvt_made_node **out_made, bool *out_is_new) DVT_NODISCARD;

typedef struct dvt_attr_set {
  dvt_arena *arena;
  dvt_attr attrs[16];
  int count;
  bool failed;
} dvt_attr_set;
// Takes what `value` holds.
void dvt_attr_set_add(dvt_attr_set *set, dvt_str name, dvt_buf *value);
void dvt_attr_set_add_int(dvt_attr_set *set, dvt_str name, int64_t value);
void dvt_attr_set_add_float(dvt_attr_set *set, dvt_str name, float value);
void dvt_attr_set_copy(dvt_attr_set *set, const dvt_node_def *from, dvt_str name);

// The steps of making a node: like node `last`, which it replaces; its op and attributes; its texts; its
// kernel. False when there is no such op or kernel, or memory is short.
void dvt_made_node_init(const dvt_fuser *f, dvt_made_node *made, int32_t last);
bool dvt_made_node_define(const dvt_fuser *f, dvt_made_node *made, const char *op, const dvt_attr_set *attrs,
                          int input_count);
bool dvt_made_node_describe(const dvt_fuser *f, dvt_made_node *made, const int32_t *parts, int part_count);
bool dvt_made_node_find_kernel(const dvt_fuser *f, dvt_made_node *made);
bool dvt_made_node_make_kernel(const dvt_fuser *f, dvt_made_node *made);

// The node for the recipe, from the session's cache or made now. Errors: out of memory only.
dvt_status dvt_made_node_get(const dvt_fuser *f, const dvt_recipe *recipe,
                             dvt_made_node **out_made) DVT_NODISCARD;

// The filter times the affine links' factors, and what they add; both new tensors. False when values are not
// finite, or out of memory.
bool dvt_fold_weights(const dvt_fuser *f, const dvt_recipe *recipe, TF_Tensor *out_filter,
                      TF_Tensor *out_bias);

#endif  // DVT_EXEC_FUSE_H_
