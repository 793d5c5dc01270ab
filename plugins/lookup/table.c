// See table.h. Entries lie in two arrays; the index holds entry numbers plus one, 0 for a free place, and is
// at most half full. A removed entry is replaced by the last one.
#include "lookup/table.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/tf_tstring.h"

#define RESERVED 2  // the empty key, the deleted key

struct dvk_table {
  pthread_rwlock_t lock;
  dvk_options options;
  bool is_filled;  // of a static table
  int64_t count, capacity;
  char *keys, *values;
  int64_t *index;
  uint64_t index_size;  // a power of two, or 0
  char *reserved;       // keys that no entry may have; NULL: there are none
};

const dvk_options *dvk_table_options(const dvk_table *table) { return &table->options; }

// ---- elements ----

static size_t bytes_of(TF_DataType dtype) {
  return dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
}
static size_t key_bytes(const dvk_table *t) { return bytes_of(t->options.key) * (size_t)t->options.key_size; }
static size_t value_bytes(const dvk_table *t) {
  return bytes_of(t->options.value) * (size_t)t->options.value_size;
}

// Copies elements over others that are valid.
static void copy_elements(TF_DataType dtype, void *to, const void *from, int64_t count) {
  dvp_copy_elements(dtype, from, 0, to, 0, count, (int64_t)bytes_of(dtype));
}
static void init_elements(TF_DataType dtype, void *at, int64_t count) {
  for (int64_t i = 0; dtype == TF_STRING && i < count; i++) TF_StringInit((TF_TString *)at + i);
}
static void end_elements(TF_DataType dtype, void *at, int64_t count) {
  for (int64_t i = 0; dtype == TF_STRING && i < count; i++) TF_StringDealloc((TF_TString *)at + i);
}

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 32) * 0x9E3779B97F4A7C15;
  x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9;
  return x ^ x >> 32;
}

static uint64_t hash_element(TF_DataType dtype, const void *key) {
  if (dtype == TF_INT32) return mix((uint64_t) * (const int32_t *)key);
  if (dtype == TF_INT64) return mix((uint64_t) * (const int64_t *)key);
  const char *text = TF_StringGetDataPointer(key);
  uint64_t h = 0xCBF29CE484222325;
  for (size_t i = 0, n = TF_StringGetSize(key); i < n; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001B3;
  return mix(h);
}

static uint64_t hash_key(const dvk_options *options, const char *key) {
  uint64_t h = hash_element(options->key, key);
  for (int64_t i = 1; i < options->key_size; i++)
    h = mix(h + 1) ^ hash_element(options->key, key + (size_t)i * bytes_of(options->key));
  return h;
}

bool dvk_same_elements(TF_DataType dtype, const void *a, const void *b, int64_t count) {
  if (dtype != TF_STRING) return memcmp(a, b, bytes_of(dtype) * (size_t)count) == 0;
  for (int64_t i = 0; i < count; i++) {
    const TF_TString *x = (const TF_TString *)a + i, *y = (const TF_TString *)b + i;
    size_t bytes = TF_StringGetSize(x);
    if (bytes != TF_StringGetSize(y) ||
        memcmp(TF_StringGetDataPointer(x), TF_StringGetDataPointer(y), bytes) != 0)
      return false;
  }
  return true;
}

// ---- life ----

static void drop_entries(dvk_table *t) {
  end_elements(t->options.key, t->keys, t->count * t->options.key_size);
  end_elements(t->options.value, t->values, t->count * t->options.value_size);
  t->count = 0;
  if (t->index_size) memset(t->index, 0, t->index_size * sizeof(*t->index));
}

static void destroy(void *value) {
  dvk_table *t = value;
  drop_entries(t);
  if (t->reserved) end_elements(t->options.key, t->reserved, RESERVED * t->options.key_size);
  free(t->reserved);
  free(t->keys);
  free(t->values);
  free(t->index);
  pthread_rwlock_destroy(&t->lock);
  free(t);
}

// Tables of all kinds are one type, as in stock: a handle to one may be made by an op for another.
static const dvt_value_type table_type = {
    sizeof(dvt_value_type), "tensorflow::lookup::LookupInterface", destroy, NULL, NULL, NULL};

// Copies of the keys that no entry may have.
static bool keep_reserved(dvk_table *t) {
  const void *const keys[RESERVED] = {t->options.empty_key, t->options.deleted_key};
  if (!keys[0]) return true;
  t->reserved = calloc(RESERVED, DVP_MAX(key_bytes(t), (size_t)1));
  if (!t->reserved) return false;
  init_elements(t->options.key, t->reserved, RESERVED * t->options.key_size);
  for (int i = 0; i < RESERVED; i++)
    copy_elements(t->options.key, t->reserved + (size_t)i * key_bytes(t), keys[i], t->options.key_size);
  return true;
}

static void *create(TF_OpKernelContext *ctx, void *arg, TF_Status *status) {
  (void)ctx;
  dvk_table *t = calloc(1, sizeof(*t));
  if (!t) {
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Out of memory for a table");
    return NULL;
  }
  t->options = *(const dvk_options *)arg;
  pthread_rwlock_init(&t->lock, NULL);
  if (keep_reserved(t)) return t;
  destroy(t);
  TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Out of memory for a table");
  return NULL;
}

TF_Tensor *dvk_table_handle(dvp_call *call, const char *container, size_t container_bytes, const char *name,
                            size_t name_bytes, const dvk_options *options) {
  dvk_options wanted = *options;
  TF_Tensor *handle = dvt_resource_handle(call->ctx, container, container_bytes, name, name_bytes,
                                          &table_type, create, &wanted, call->status);
  if (!dvp_ok(call)) return NULL;
  const dvk_table *t = dvt_object_get(handle, 0, &table_type, call->status);
  if (t && t->options.key == options->key && t->options.value == options->value) return handle;
  if (t)
    dvp_fail(call, TF_INVALID_ARGUMENT, "Conflicting key/value dtypes %d->%d with %d->%d for table %.*s",
             options->key, options->value, t->options.key, t->options.value,
             (int)DVP_MIN(name_bytes, (size_t)200), name);
  else
    dvp_ok(call);
  TF_DeleteTensor(handle);
  return NULL;
}

dvk_table *dvk_table_input(dvp_call *call) {
  dvk_table *table = dvt_resource_get(call->ctx, 0, &table_type, call->status);
  return dvp_ok(call) ? table : NULL;
}

// ---- finding and adding, under the lock ----

// The place in the index where the key is, or a free one. The index has free places.
static uint64_t place_of(const dvk_table *t, const void *key) {
  uint64_t place = hash_key(&t->options, key) & (t->index_size - 1);
  while (t->index[place] &&
         !dvk_same_elements(t->options.key, t->keys + (size_t)(t->index[place] - 1) * key_bytes(t), key,
                            t->options.key_size))
    place = (place + 1) & (t->index_size - 1);
  return place;
}

// The entry of the key, or -1.
static int64_t entry_of(const dvk_table *t, const void *key) {
  return t->index_size ? t->index[place_of(t, key)] - 1 : -1;
}

static void reindex(dvk_table *t) {
  memset(t->index, 0, t->index_size * sizeof(*t->index));
  for (int64_t i = 0; i < t->count; i++) t->index[place_of(t, t->keys + (size_t)i * key_bytes(t))] = i + 1;
}

static bool reserve(dvp_call *call, dvk_table *t, int64_t more) {
  int64_t wanted;
  bool fine = !__builtin_add_overflow(t->count, more, &wanted) && wanted < INT64_MAX / 8;
  if (fine && wanted > t->capacity) {
    int64_t capacity = DVP_MAX(wanted, t->capacity + t->capacity / 2 + 8);
    size_t keys, values;
    fine = !__builtin_mul_overflow((size_t)capacity, DVP_MAX(key_bytes(t), (size_t)1), &keys) &&
           !__builtin_mul_overflow((size_t)capacity, DVP_MAX(value_bytes(t), (size_t)1), &values);
    // Small strings and pointers to large ones may move.
    char *new_keys = fine ? realloc(t->keys, keys) : NULL;
    if (new_keys) t->keys = new_keys;
    char *new_values = new_keys ? realloc(t->values, values) : NULL;
    if (new_values) t->values = new_values;
    fine = new_values != NULL;
    if (fine) t->capacity = capacity;
  }
  if (fine && (uint64_t)t->capacity * 2 > t->index_size) {
    uint64_t size = 16;
    while (size < (uint64_t)t->capacity * 2) size *= 2;
    int64_t *index = realloc(t->index, size * sizeof(*index));
    fine = index != NULL;
    if (index) {
      t->index = index;
      t->index_size = size;
      reindex(t);
    }
  }
  return fine ||
         dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a table of %" PRId64 " entries", t->count);
}

typedef enum conflict { REPLACE, REFUSE } conflict;

// Adds the pair; a key that is there gets the new value, or with REFUSE must have that value already.
static bool put(dvp_call *call, dvk_table *t, const char *key, const char *value, conflict policy) {
  uint64_t place = place_of(t, key);
  int64_t entry = t->index[place] - 1, size = t->options.value_size;
  if (entry >= 0) {
    char *present = t->values + (size_t)entry * value_bytes(t);
    if (policy == REPLACE)
      copy_elements(t->options.value, present, value, size);
    else if (!dvk_same_elements(t->options.value, present, value, size))
      return dvp_fail(call, TF_FAILED_PRECONDITION, "HashTable has different value for same key");
    return true;
  }
  char *new_key = t->keys + (size_t)t->count * key_bytes(t),
       *new_value = t->values + (size_t)t->count * value_bytes(t);
  init_elements(t->options.key, new_key, t->options.key_size);
  init_elements(t->options.value, new_value, size);
  copy_elements(t->options.key, new_key, key, t->options.key_size);
  copy_elements(t->options.value, new_value, value, size);
  t->index[place] = ++t->count;
  return true;
}

// Whether the key is one that no entry may have: 0 no, 1 the empty key, 2 the deleted key.
static int reserved_as(const dvk_table *t, const char *key) {
  for (int i = 0; t->reserved && i < RESERVED; i++)
    if (dvk_same_elements(t->options.key, t->reserved + (size_t)i * key_bytes(t), key, t->options.key_size))
      return i + 1;
  return 0;
}

static bool check_keys(dvp_call *call, const dvk_table *t, const char *keys, int64_t count) {
  for (int64_t i = 0; t->reserved && i < count; i++) {
    int which = reserved_as(t, keys + (size_t)i * key_bytes(t));
    if (which)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Using the %s as a table key is not allowed, but key %" PRId64 " is it",
                      which == 1 ? "empty_key" : "deleted_key", i);
  }
  return true;
}

static bool put_all(dvp_call *call, dvk_table *t, const dvk_pairs *pairs, conflict policy) {
  bool fine = reserve(call, t, pairs->count);
  for (int64_t i = 0; fine && i < pairs->count; i++) {
    const char *key = (const char *)pairs->keys + (size_t)i * key_bytes(t);
    if (!reserved_as(t, key))
      fine = put(call, t, key, (const char *)pairs->values + (size_t)i * value_bytes(t), policy);
  }
  return fine;
}

// ---- what the ops call ----

bool dvk_table_fill(dvp_call *call, dvk_table *t, const dvk_pairs *pairs, bool *out_was_filled) {
  bool fine = true, was_filled = false;
  pthread_rwlock_wrlock(&t->lock);
  if (t->options.kind != DVK_STATIC) {
    fine =
        dvp_fail(call, TF_INVALID_ARGUMENT, "The table is not initializable: it can be changed at any time");
  } else if (t->is_filled) {
    was_filled = pairs->count != t->count;
    if (was_filled && !out_was_filled)
      fine = dvp_fail(call, TF_FAILED_PRECONDITION,
                      "Table was already initialized with different data: %" PRId64 " entries, now %" PRId64,
                      t->count, pairs->count);
  } else {
    fine = put_all(call, t, pairs, REFUSE);
    t->is_filled = fine;
    if (!fine) drop_entries(t);
  }
  pthread_rwlock_unlock(&t->lock);
  if (out_was_filled) *out_was_filled = was_filled;
  return fine;
}

static bool check_mutable(dvp_call *call, const dvk_table *t, const char *what) {
  return t->options.kind != DVK_STATIC ||
         dvp_fail(call, TF_UNIMPLEMENTED, "%s is not supported by a table that is initialized once", what);
}

bool dvk_table_insert(dvp_call *call, dvk_table *t, const dvk_pairs *pairs, bool clear) {
  if (!check_mutable(call, t, "Insert")) return false;
  if (!clear && !check_keys(call, t, pairs->keys, pairs->count)) return false;
  pthread_rwlock_wrlock(&t->lock);
  if (clear) drop_entries(t);
  bool fine = put_all(call, t, pairs, REPLACE);
  pthread_rwlock_unlock(&t->lock);
  return fine;
}

// The last entry moves to the place of a removed one. The index has no marks for removed entries: the run of
// places behind it is entered anew.
static void remove_entry(dvk_table *t, uint64_t place) {
  int64_t entry = t->index[place] - 1, last = --t->count, size = t->options.value_size;
  char *key = t->keys + (size_t)entry * key_bytes(t), *value = t->values + (size_t)entry * value_bytes(t);
  if (entry != last) t->index[place_of(t, t->keys + (size_t)last * key_bytes(t))] = entry + 1;
  end_elements(t->options.key, key, t->options.key_size);
  end_elements(t->options.value, value, size);
  if (entry != last) {
    memcpy(key, t->keys + (size_t)last * key_bytes(t), key_bytes(t));
    memcpy(value, t->values + (size_t)last * value_bytes(t), value_bytes(t));
  }
  t->index[place] = 0;
  for (uint64_t i = (place + 1) & (t->index_size - 1); t->index[i]; i = (i + 1) & (t->index_size - 1)) {
    int64_t moved = t->index[i];
    t->index[i] = 0;
    t->index[place_of(t, t->keys + (size_t)(moved - 1) * key_bytes(t))] = moved;
  }
}

bool dvk_table_remove(dvp_call *call, dvk_table *t, const void *keys, int64_t count) {
  if (!check_mutable(call, t, "Remove") || !check_keys(call, t, keys, count)) return false;
  pthread_rwlock_wrlock(&t->lock);
  for (int64_t i = 0; i < count && t->index_size; i++) {
    uint64_t place = place_of(t, (const char *)keys + (size_t)i * key_bytes(t));
    if (t->index[place]) remove_entry(t, place);
  }
  pthread_rwlock_unlock(&t->lock);
  return true;
}

bool dvk_table_find(dvp_call *call, dvk_table *t, const void *keys, int64_t count, const void *defaults,
                    bool each, void *out) {
  if (!check_keys(call, t, keys, count)) return false;
  pthread_rwlock_rdlock(&t->lock);
  bool fine = t->options.kind != DVK_STATIC || t->is_filled;
  for (int64_t i = 0; fine && i < count; i++) {
    int64_t entry = entry_of(t, (const char *)keys + (size_t)i * key_bytes(t));
    const char *value = entry >= 0 ? t->values + (size_t)entry * value_bytes(t)
                                   : (const char *)defaults + (each ? (size_t)i * value_bytes(t) : 0);
    copy_elements(t->options.value, (char *)out + (size_t)i * value_bytes(t), value, t->options.value_size);
  }
  pthread_rwlock_unlock(&t->lock);
  return fine || dvp_fail(call, TF_FAILED_PRECONDITION, "Table not initialized.");
}

int64_t dvk_table_size(dvk_table *t) {
  pthread_rwlock_rdlock(&t->lock);
  int64_t count = t->count;
  pthread_rwlock_unlock(&t->lock);
  return count;
}

bool dvk_table_export(dvp_call *call, dvk_table *t) {
  pthread_rwlock_rdlock(&t->lock);
  const dvk_options *o = &t->options;
  // A dense table exports matrices, also of scalars, as in stock.
  int more_dims = o->kind == DVK_DENSE;
  const int64_t key_dims[2] = {t->count, o->key_size}, dims[2] = {t->count, o->value_size};
  void *keys = dvp_output(call, 0, key_dims, 1 + more_dims);
  void *values = keys ? dvp_output(call, 1, dims, 1 + DVP_MAX(more_dims, o->value_rank)) : NULL;
  if (values) {
    copy_elements(t->options.key, keys, t->keys, t->count * o->key_size);
    copy_elements(t->options.value, values, t->values, t->count * t->options.value_size);
  }
  pthread_rwlock_unlock(&t->lock);
  return values != NULL;
}
