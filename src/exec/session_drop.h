// What a session keeps of a plugin: looking for it, and dropping plans and kernels so that the plugin can go.
// The next run plans anew with the kernels there are then.
#ifndef DVT_EXEC_SESSION_DROP_H_
#define DVT_EXEC_SESSION_DROP_H_

#include "exec/session_state.h"

// Has a node of the session a kernel of the plugin? The caller holds the build lock, or the session is quiet.
bool dvt_session_uses(TF_Session *session, const dvt_plugin *plugin);
// "'a' (AddOne), 'f/b' (AddOne) and 3 more"
void dvt_session_list_users(TF_Session *session, const dvt_plugin *plugin, dvt_buf *out);
// Drops all plans, what was computed for them (folded constants, fused nodes), and the plugin's kernels.
// Kernels of other plugins stay, with their state. The session is held and quiet.
void dvt_session_drop(TF_Session *session, const dvt_plugin *plugin);

#endif  // DVT_EXEC_SESSION_DROP_H_
