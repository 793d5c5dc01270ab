// Open addressing with linear probing; at most three quarters of the slots are used. Removal shifts the
// following run back, so that there are no tombstones.
#include "base/map.h"

static uint32_t hash_of(dvt_str key) {
  uint64_t h = dvt_str_hash(key);
  return (uint32_t)(h ^ (h >> 32));
}

void dvt_map_deinit(dvt_map *map) {
  dvt_free(map->slots);
  *map = (dvt_map){0};
}

void dvt_map_clear(dvt_map *map) {
  if (map->slots) memset(map->slots, 0, map->capacity * sizeof *map->slots);
  map->count = 0;
}

// The slot that holds `key`, or the empty slot where it belongs. The map has at least one empty slot.
static dvt_map_slot *probe(const dvt_map *map, dvt_str key, uint32_t hash) {
  size_t mask = map->capacity - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    dvt_map_slot *slot = &map->slots[i];
    if (!slot->value) return slot;
    if (slot->hash == hash && slot->key_len == key.len &&
        (key.len == 0 || memcmp(slot->key, key.data, key.len) == 0))
      return slot;
  }
}

static bool resize(dvt_map *map, size_t capacity) {
  dvt_map_slot *slots = dvt_calloc(capacity, sizeof *slots);
  if (!slots) return false;
  dvt_advise_large(slots, capacity * sizeof *slots);
  size_t mask = capacity - 1;
  for (size_t i = 0; i < map->capacity; i++) {
    const dvt_map_slot *old = &map->slots[i];
    if (!old->value) continue;
    size_t at = old->hash & mask;
    while (slots[at].value) at = (at + 1) & mask;
    slots[at] = *old;
  }
  dvt_free(map->slots);
  map->slots = slots;
  map->capacity = capacity;
  return true;
}

bool dvt_map_reserve(dvt_map *map, size_t count) {
  if (count > SIZE_MAX / 64) return false;
  size_t capacity = map->capacity ? map->capacity : 8;
  while (count > capacity - capacity / 4) capacity *= 2;
  return capacity == map->capacity || resize(map, capacity);
}

void *dvt_map_get(const dvt_map *map, dvt_str key) {
  return map->count ? probe(map, key, hash_of(key))->value : NULL;
}

void **dvt_map_slot_for(dvt_map *map, dvt_str key) {
  if (key.len > UINT32_MAX) return NULL;
  uint32_t hash = hash_of(key);
  if (map->count) {
    dvt_map_slot *slot = probe(map, key, hash);
    if (slot->value) return &slot->value;
  }
  if (!dvt_map_reserve(map, map->count + 1)) return NULL;
  dvt_map_slot *slot = probe(map, key, hash);
  slot->key = key.data;
  slot->key_len = (uint32_t)key.len;
  slot->hash = hash;
  map->count++;
  return &slot->value;
}

bool dvt_map_put(dvt_map *map, dvt_str key, void *value) {
  void **slot = dvt_map_slot_for(map, key);
  if (!slot) return false;
  *slot = value;
  return true;
}

void *dvt_map_remove(dvt_map *map, dvt_str key) {
  if (!map->count) return NULL;
  dvt_map_slot *slot = probe(map, key, hash_of(key));
  void *value = slot->value;
  if (!value) return NULL;
  size_t mask = map->capacity - 1;
  size_t hole = (size_t)(slot - map->slots);
  for (size_t i = (hole + 1) & mask; map->slots[i].value; i = (i + 1) & mask) {
    // An entry may fill the hole only if its home does not lie between the hole and itself.
    size_t home = map->slots[i].hash & mask;
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      map->slots[hole] = map->slots[i];
      hole = i;
    }
  }
  map->slots[hole] = (dvt_map_slot){0};
  map->count--;
  return value;
}

bool dvt_map_next(const dvt_map *map, size_t *cursor, dvt_str *out_key, void **out_value) {
  while (*cursor < map->capacity) {
    const dvt_map_slot *slot = &map->slots[(*cursor)++];
    if (!slot->value) continue;
    *out_key = dvt_str_make(slot->key, slot->key_len);
    *out_value = slot->value;
    return true;
  }
  return false;
}
