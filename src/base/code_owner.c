// The table is a sorted array that is replaced whole when a plugin comes or goes. Old arrays are kept: they
// are small, plugins come rarely, and a reader may be in the middle of one.
#include "base/code_owner.h"

#include <pthread.h>
#include <stdlib.h>

struct dvt_code_owner {
  uintptr_t begin;
  atomic_uintptr_t end;
  _Atomic(dvt_owned_kind *) kinds;  // pushed, never removed
  dvt_code_owner *older;            // all owners ever
};

typedef struct owner_table {
  struct owner_table *older;
  size_t count;
  dvt_code_owner *owners[];  // by address
} owner_table;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(owner_table *) current;
static dvt_code_owner *last_owner;  // under the mutex

dvt_code_owner *dvt_code_owner_find(const void *address) {
  const owner_table *table = atomic_load_explicit(&current, memory_order_acquire);
  uintptr_t at = (uintptr_t)address;
  size_t low = 0, high = table ? table->count : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    dvt_code_owner *owner = table->owners[middle];
    if (at < owner->begin)
      high = middle;
    else if (at >= atomic_load_explicit(&owner->end, memory_order_relaxed))
      low = middle + 1;
    else
      return owner;
  }
  return NULL;
}

bool dvt_code_owner_has(const dvt_code_owner *owner, const void *address) {
  return owner && (uintptr_t)address >= owner->begin &&
         (uintptr_t)address < atomic_load_explicit(&owner->end, memory_order_relaxed);
}

// With the mutex: the table with `add` put in, or without `leave_out`.
static bool replace(dvt_code_owner *add, const dvt_code_owner *leave_out) {
  owner_table *old = atomic_load_explicit(&current, memory_order_relaxed);
  size_t room = (old ? old->count : 0) + 1;
  owner_table *table = dvt_malloc(sizeof *table + room * sizeof table->owners[0]);
  if (!table) return false;
  table->older = old;
  table->count = 0;
  for (size_t i = 0; old && i < old->count; i++) {
    if (old->owners[i] == leave_out) continue;
    if (add && add->begin < old->owners[i]->begin) {
      table->owners[table->count++] = add;
      add = NULL;
    }
    table->owners[table->count++] = old->owners[i];
  }
  if (add) table->owners[table->count++] = add;
  atomic_store_explicit(&current, table, memory_order_release);
  return true;
}

dvt_code_owner *dvt_code_owner_add(const void *begin, const void *end) {
  dvt_code_owner *owner = dvt_calloc(1, sizeof *owner);
  if (!owner) return NULL;
  owner->begin = (uintptr_t)begin;
  atomic_init(&owner->end, (uintptr_t)end);
  pthread_mutex_lock(&mutex);
  bool added = replace(owner, NULL);
  if (added) {
    owner->older = last_owner;
    last_owner = owner;
  }
  pthread_mutex_unlock(&mutex);
  if (added) return owner;
  dvt_free(owner);
  return NULL;
}

// Without memory for a smaller table the owner stays in it with a range that holds no address.
void dvt_code_owner_remove(dvt_code_owner *owner) {
  if (!owner) return;
  pthread_mutex_lock(&mutex);
  if (!replace(NULL, owner)) atomic_store_explicit(&owner->end, owner->begin, memory_order_relaxed);
  pthread_mutex_unlock(&mutex);
}

dvt_owned_kind *dvt_owned_find(dvt_code_owner *owner, const void *key) {
  dvt_owned_kind *kind = owner ? atomic_load_explicit(&owner->kinds, memory_order_acquire) : NULL;
  while (kind && kind->key != key) kind = kind->next;
  return kind;
}

static char *kind_text(const char *what, const char *type) {
  dvt_buf text = {0};
  dvt_buf_printf(&text, type ? "%s of type '%s'" : "%s", what, type);
  dvt_buf_append_byte(&text, '\0');
  if (!text.failed) return dvt_buf_release(&text);
  dvt_buf_deinit(&text);
  return NULL;
}

static dvt_owned_kind *add_kind(dvt_code_owner *owner, const void *key, const char *what, const char *type) {
  pthread_mutex_lock(&mutex);
  dvt_owned_kind *kind = dvt_owned_find(owner, key);
  if (!kind) {
    kind = dvt_calloc(1, sizeof *kind);
    char *text = kind ? kind_text(what, type) : NULL;
    if (text) {
      kind->key = key;
      kind->what = text;
      kind->next = atomic_load_explicit(&owner->kinds, memory_order_relaxed);
      atomic_store_explicit(&owner->kinds, kind, memory_order_release);
    } else {
      dvt_free(kind);
      kind = NULL;
    }
  }
  pthread_mutex_unlock(&mutex);
  return kind;
}

dvt_owned_kind *dvt_owned_take(dvt_code_owner *owner, const void *key, const char *what, const char *type) {
  if (DVT_LIKELY(!owner)) return NULL;
  dvt_owned_kind *kind = dvt_owned_find(owner, key);
  if (DVT_UNLIKELY(!kind)) kind = add_kind(owner, key, what, type);
  if (kind) atomic_fetch_add_explicit(&kind->live, 1, memory_order_relaxed);
  return kind;
}

long long dvt_code_owner_live(const dvt_code_owner *owner, dvt_buf *out) {
  long long total = 0;
  if (!owner) return 0;
  for (dvt_owned_kind *kind = atomic_load(&owner->kinds); kind; kind = kind->next) {
    long long live = atomic_load_explicit(&kind->live, memory_order_acquire);
    if (live <= 0) continue;
    if (out) dvt_buf_printf(out, "%s%lld %s", total ? ", " : "", live, kind->what);
    total += live;
  }
  return total;
}
