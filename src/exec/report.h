// dvt_plan_report: what became of the nodes of an expansion, for dvt_model_plan.
#ifndef DVT_EXEC_REPORT_H_
#define DVT_EXEC_REPORT_H_

#include "exec/expand.h"

typedef enum dvt_fate {
  DVT_FATE_RUNS,
  DVT_FATE_CONSTANT,  // a constant of the graph
  DVT_FATE_FOLDED,    // computed once, when the plan was made
  DVT_FATE_FUSED,     // another node does its work
  DVT_FATE_SHARED,    // another node computes the same
  DVT_FATE_UNNEEDED   // nobody reads it any more
} dvt_fate;

typedef struct dvt_report_entry {
  dvt_fate fate;
  dvt_str node, op, plugin;
  dvt_str kernel_class;  // empty: the runtime itself runs the op
  dvt_str into;          // FUSED, SHARED: the node that does its work
  dvt_str made_of;       // not empty: a node that the graph does not have
} dvt_report_entry;

// Zero-initialise before use; text belongs to `arena`.
typedef struct dvt_plan_report {
  dvt_report_entry *entries;  // the graph's nodes in the order of the expansion, then the made ones
  size_t count;
  dvt_session_node **before;  // by node of the expansion
  int32_t *order;
  size_t before_count;
  dvt_arena arena;
} dvt_plan_report;

// Before folding and after fusing.
dvt_status dvt_report_begin(dvt_plan_report *report, const dvt_expansion *x) DVT_NODISCARD;
dvt_status dvt_report_end(dvt_plan_report *report, const dvt_expansion *x) DVT_NODISCARD;
void dvt_report_deinit(dvt_plan_report *report);

// Makes the plan for these ends, tells what became of its nodes, and forgets it. Kernels stay with the
// session.
dvt_status dvt_session_explain(TF_Session *session, const TF_Output *feeds, int feed_count,
                               const TF_Output *fetches, int fetch_count,
                               dvt_plan_report *report) DVT_NODISCARD;

#endif  // DVT_EXEC_REPORT_H_
