// One search for a node's kernel: what dvt_kernel_find and dvt_kernel_explain share.
#ifndef DVT_KERNEL_MATCH_H_
#define DVT_KERNEL_MATCH_H_

#include "kernel/registry_internal.h"

#define DVT_MATCH_ATTRS 4                           // more are rare, and decoded again and again
#define DVT_MATCH_UNKNOWN_TYPE (UINT64_C(1) << 63)  // a dtype that no kernel can allow
#define DVT_MATCH_NO_TYPE UINT64_MAX                // no dtypes at all, or no attr

// A node's value of an attr that some kernel constrains.
typedef struct dvt_match_attr {
  dvt_str name;
  dvt_str value;   // serialised AttrValue
  uint64_t types;  // a bit for each dtype in it
  bool is_there;
} dvt_match_attr;

typedef struct dvt_match {
  const dvt_node_def *node;
  dvt_str device_type, label;
  int attr_count;
  dvt_match_attr attrs[DVT_MATCH_ATTRS];
} dvt_match;

// Reads the node's label. INVALID_ARGUMENT when its attr "_kernel" is no string.
dvt_status dvt_match_begin(dvt_match *m, const dvt_node_def *node, dvt_str device_type) DVT_NODISCARD;
// TAKEN when all constraints hold, else ATTR_MISMATCH or BAD_CONSTRAINT with the first that does not.
// *out_attr is valid until the next call.
dvt_kernel_fit dvt_match_constraints(dvt_match *m, const dvt_kernel_def *def,
                                     const dvt_kernel_constraint **out_constraint,
                                     const dvt_match_attr **out_attr);
// The kernel to take; NULL when none fits. INVALID_ARGUMENT for ties and constraints that fit no node.
dvt_status dvt_match_find(dvt_match *m, const dvt_kernel_rows *rows,
                          const dvt_kernel_def **out_def) DVT_NODISCARD;
// The error when none fits: NOT_FOUND.
dvt_status dvt_match_not_found(const dvt_match *m) DVT_NODISCARD;

#endif  // DVT_KERNEL_MATCH_H_
