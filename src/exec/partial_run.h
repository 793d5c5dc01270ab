// Partial runs: one step of a plan whose feeds arrive, and whose fetches are taken, over several calls.
#ifndef DVT_EXEC_PARTIAL_RUN_H_
#define DVT_EXEC_PARTIAL_RUN_H_

#include "exec/session_state.h"

void dvt_partial_runs_deinit(TF_Session *session);
void dvt_partial_runs_cancel(TF_Session *session);  // those with a call inside; takes the build lock
// The handle of a partial run that is not over; NULL when there is none. With the build lock.
const char *dvt_partial_runs_first(TF_Session *session);

#endif  // DVT_EXEC_PARTIAL_RUN_H_
