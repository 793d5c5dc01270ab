// Sharing: nodes that only hand on what they are given are read through, and of nodes that compute the same
// from the same inputs one runs for all. Runs on an expansion, after folding and before fusing.
#ifndef DVT_EXEC_SHARE_H_
#define DVT_EXEC_SHARE_H_

#include "exec/expand.h"

// Stateful nodes, nodes that own handles, and nodes that follow other controls stay apart. Fetched nodes run
// themselves, but their readers may read another. Errors: out of memory only.
dvt_status dvt_share(dvt_expansion *x) DVT_NODISCARD;

#endif  // DVT_EXEC_SHARE_H_
