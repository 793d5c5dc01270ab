// See scopes.h. Scope 0 is the root, which has no name; keys are the bytes of a dvt_map key: four of the
// outer scope's number, then the component.
#include "graph/scopes.h"

enum { SHORT_KEY = 64 };

typedef struct scope_key {
  dvt_str bytes;
  char *heap;
  char inline_bytes[SHORT_KEY];
} scope_key;

static bool key_make(scope_key *key, uint32_t outer, dvt_str component) {
  size_t len = sizeof outer + component.len;
  key->heap = len > SHORT_KEY ? dvt_malloc(len) : NULL;
  if (len > SHORT_KEY && !key->heap) return false;
  char *at = key->heap ? key->heap : key->inline_bytes;
  memcpy(at, &outer, sizeof outer);
  if (component.len) memcpy(at + sizeof outer, component.data, component.len);
  key->bytes = dvt_str_make(at, len);
  return true;
}

void dvt_scopes_deinit(dvt_scopes *scopes) {
  dvt_map_deinit(&scopes->children);
  dvt_arena_deinit(&scopes->keys);
}

void dvt_scopes_clear(dvt_scopes *scopes) {
  dvt_map_clear(&scopes->children);
  dvt_arena_reset(&scopes->keys);
  scopes->count = 0;
}

// The scope's number in *inout_scope; 0 when it is not there and not to be made.
static bool enter(dvt_scopes *scopes, dvt_str component, uint32_t *inout_scope) {
  scope_key key;
  dvt_str kept;
  if (!key_make(&key, *inout_scope, component)) return false;
  void *known = dvt_map_get(&scopes->children, key.bytes);
  bool ok = true;
  if (!known) {
    ok = dvt_arena_copy_str(&scopes->keys, key.bytes, &kept) &&
         dvt_map_put(&scopes->children, kept, (void *)(uintptr_t)(scopes->count + 1));
    if (ok) known = (void *)(uintptr_t)++scopes->count;
  }
  dvt_free(key.heap);
  *inout_scope = (uint32_t)(uintptr_t)known;
  return ok;
}

bool dvt_scopes_add(dvt_scopes *scopes, dvt_str name) {
  uint32_t scope = 0;
  for (size_t slash; (slash = dvt_str_find(name, '/')) < name.len; name = dvt_str_drop(name, slash + 1))
    if (!enter(scopes, dvt_str_make(name.data, slash), &scope)) return false;
  return true;
}

// Without memory for a long key the scope counts as there: a name made unique needlessly does no harm.
bool dvt_scopes_has(const dvt_scopes *scopes, dvt_str name) {
  uint32_t scope = 0;
  if (scopes->count == 0) return false;
  for (bool last = false; !last;) {
    size_t slash = dvt_str_find(name, '/');
    scope_key key;
    last = slash >= name.len;
    if (!key_make(&key, scope, dvt_str_make(name.data, slash))) return true;
    scope = (uint32_t)(uintptr_t)dvt_map_get(&scopes->children, key.bytes);
    dvt_free(key.heap);
    if (scope == 0) return false;
    if (!last) name = dvt_str_drop(name, slash + 1);
  }
  return true;
}
