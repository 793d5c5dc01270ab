// Between flow_run.c, which decides what runs when and where, and flow_node.c, which runs a node.
#ifndef DVT_EXEC_FLOW_RUN_H_
#define DVT_EXEC_FLOW_RUN_H_

#include "exec/flow.h"

dvt_execution *dvt_execution_new(dvt_flow_state *state);  // NULL when out of memory
void dvt_execution_free(dvt_execution *e);
// Points inputs and outputs of e->task's node to where they are.
void dvt_execution_begin(dvt_execution *e);
// Runs the node. For an asynchronous kernel returns when compute_async has; e->ctx.done must be set.
dvt_status dvt_execution_run(dvt_execution *e) DVT_NODISCARD;
void dvt_execution_drop_inputs(dvt_execution *e);
void dvt_execution_drop_outputs(dvt_execution *e);

#endif  // DVT_EXEC_FLOW_RUN_H_
