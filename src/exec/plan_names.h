// What the nodes and values of a plan are called towards the outside: in RunMetadata, in traces and in graphs
// written of plans. Names are those of stock: nodes of inlined functions are "call/inner", what is fed and
// fetched goes through nodes "_arg_x_0_0" and "_retval_y_0_0" of their own.
#ifndef DVT_EXEC_PLAN_NAMES_H_
#define DVT_EXEC_PLAN_NAMES_H_

#include "exec/plan.h"

// Each appends to `out`.
void dvt_plan_node_name(const dvt_plan *plan, int32_t node, dvt_buf *out);
void dvt_plan_feed_name(const dvt_plan *plan, int32_t feed, dvt_buf *out);
void dvt_plan_fetch_name(const dvt_plan *plan, int32_t fetch, dvt_buf *out);
void dvt_plan_constant_name(const dvt_plan *plan, int32_t constant, dvt_buf *out);
// As an input of a NodeDef: the producer, and ":1" for an output other than the first.
void dvt_plan_source_name(const dvt_plan *plan, dvt_source source, dvt_buf *out);
// All inputs of a node but control inputs, with `between` between them.
void dvt_plan_input_names(const dvt_plan *plan, int32_t node, dvt_str between, dvt_buf *out);

#endif  // DVT_EXEC_PLAN_NAMES_H_
