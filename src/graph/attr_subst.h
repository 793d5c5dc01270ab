// Placeholders in attr values of a function's body: "T" of the body's nodes stands for attr T of the call.
#ifndef DVT_GRAPH_ATTR_SUBST_H_
#define DVT_GRAPH_ATTR_SUBST_H_

#include "op/attr.h"

typedef struct dvt_attr_values {
  const dvt_attr *attrs;
  int count;
} dvt_attr_values;

// Does the value contain a placeholder, itself or in the attrs of a function it names?
bool dvt_attr_has_placeholder(dvt_str value);
// Appends `value` with every placeholder replaced. INVALID_ARGUMENT naming the placeholder that has no value.
dvt_status dvt_attr_substitute(dvt_str value, const dvt_attr_values *values, dvt_buf *out) DVT_NODISCARD;

#endif  // DVT_GRAPH_ATTR_SUBST_H_
