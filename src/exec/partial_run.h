// Partial runs: one step of a plan whose feeds arrive, and whose fetches are taken, over several calls.
#ifndef DVT_EXEC_PARTIAL_RUN_H_
#define DVT_EXEC_PARTIAL_RUN_H_

#include "exec/session_state.h"

void dvt_partial_runs_deinit(TF_Session *session);

#endif  // DVT_EXEC_PARTIAL_RUN_H_
