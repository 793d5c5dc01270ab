// dvt_map: hash map from byte strings to pointers. Keys are borrowed: they must outlive the entry. Open addressing, 24
// bytes a slot. Not thread-safe.
#ifndef DVT_BASE_MAP_H_
#define DVT_BASE_MAP_H_

#include "base/alloc.h"

typedef struct dvt_map_slot {
  const char *key;
  void *value;  // NULL marks an empty slot
  uint32_t key_len, hash;
} dvt_map_slot;

typedef struct dvt_map {
  dvt_map_slot *slots;
  size_t count, capacity;  // capacity is a power of two or 0
} dvt_map;

// A zero-initialised dvt_map is ready to use.
void dvt_map_deinit(dvt_map *map);
void dvt_map_clear(dvt_map *map);
void *dvt_map_get(const dvt_map *map, dvt_str key);  // NULL when absent
// Inserts or replaces; `value` must not be NULL. False when out of memory (map unchanged).
bool dvt_map_put(dvt_map *map, dvt_str key, void *value) DVT_NODISCARD;
// The value slot for `key`, created (holding NULL) if absent; the caller must store a non-NULL value into a new slot
// before any other call. NULL when out of memory.
void **dvt_map_slot_for(dvt_map *map, dvt_str key) DVT_NODISCARD;
void *dvt_map_remove(dvt_map *map, dvt_str key);  // the old value or NULL
bool dvt_map_reserve(dvt_map *map, size_t count) DVT_NODISCARD;
// Iteration in table order: start with *cursor = 0; false at the end.
bool dvt_map_next(const dvt_map *map, size_t *cursor, dvt_str *out_key, void **out_value);

#endif  // DVT_BASE_MAP_H_
