// The name scopes of a set of nodes: "a" and "a/b" of "a/b/c". A tree of components in one map, so that the
// time for a name is that of reading it, however many scopes it has.
#ifndef DVT_GRAPH_SCOPES_H_
#define DVT_GRAPH_SCOPES_H_

#include "base/arena.h"
#include "base/map.h"

// A zero-initialised one is empty.
typedef struct dvt_scopes {
  dvt_map children;  // number of the outer scope and component -> number of the scope
  dvt_arena keys;
  uint32_t count;
} dvt_scopes;

void dvt_scopes_deinit(dvt_scopes *scopes);
void dvt_scopes_clear(dvt_scopes *scopes);
// Enters all scopes of a node's name. False when out of memory.
bool dvt_scopes_add(dvt_scopes *scopes, dvt_str name) DVT_NODISCARD;
bool dvt_scopes_has(const dvt_scopes *scopes, dvt_str scope);

#endif  // DVT_GRAPH_SCOPES_H_
