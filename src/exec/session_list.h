// All sessions of the process, and holding some of them back: what unloading a plugin needs, whose kernels
// any session may have. A session that is held lets running steps finish and makes new calls wait.
#ifndef DVT_EXEC_SESSION_LIST_H_
#define DVT_EXEC_SESSION_LIST_H_

#include "exec/session_state.h"

void dvt_session_list_add(TF_Session *session);
// When freeing begins and when all that the session held is gone; fine for one that was never added.
void dvt_session_list_remove(TF_Session *session);
void dvt_session_list_ended(const TF_Session *session);
bool dvt_session_list_is_one_ending(void);  // a session that is in no list any more may still hold kernels
void dvt_session_list_lock(void);
void dvt_session_list_unlock(void);
// Between the two the session's plans stay, also without the lock: what a cancelled step wakes may take any
// lock itself. Who takes plans out of the session has the lock and waits for closers to be gone.
void dvt_session_begin_closing(TF_Session *session);
void dvt_session_end_closing(TF_Session *session);
void dvt_session_list_lock_plans(TF_Session *session);
// With the lock: the newest session, linked by `older`.
TF_Session *dvt_session_list_first(void);

// Another reference to each session, oldest first, in an array for dvt_free. Sessions that are being freed
// are left out. False when out of memory.
bool dvt_session_list_snapshot(TF_Session ***out_sessions, size_t *out_count) DVT_NODISCARD;

// New calls wait from now on, until dvt_session_let_go.
void dvt_session_hold(TF_Session *session);
void dvt_session_let_go(TF_Session *session);
// Is a call inside? dvt_session_begin of others and this are ordered: who enters sees that the session is
// held, or is seen here.
bool dvt_session_is_active(TF_Session *session);
// Nothing runs, and but for `own_refs` references of the caller only the owner, if it still has it, holds it.
bool dvt_session_is_quiet(TF_Session *session, int own_refs);

#endif  // DVT_EXEC_SESSION_LIST_H_
