// The op registry. Lookups probe an immutable-once-published hash table without a lock; registration takes
// the mutex, parses into a scratch arena and copies the definition into the registry's arena. A table that
// became too small is replaced by a larger one; the old ones stay allocated, since readers may still walk
// them (together they are smaller than the current one).
#include "op/registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "op/op_def_builder.h"

typedef struct slot {
  uint32_t hash;                   // written before `op` is published, then constant
  _Atomic(const dvt_op_def *) op;  // NULL = free, &removed = was removed (the probe goes on)
} slot;

typedef struct table {
  struct table *older;
  uint32_t mask;
  uint32_t used;  // slots that are not free, removed ones included
  slot slots[];
} table;

enum { FIRST_CAPACITY = 256 };

static const dvt_op_def removed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(table *) current;
static size_t op_count;  // under the mutex, as all below
static dvt_arena arena, scratch_arena;
static dvt_buf scratch, scratch_errors;
static _Atomic(bool (*)(dvt_str)) autoload_hook;
static _Atomic(void (*)(void)) load_all_hook;
static _Atomic(bool (*)(dvt_str)) claim_hook;

static uint32_t hash_of(dvt_str name) {
  uint64_t h = dvt_str_hash(name);
  return (uint32_t)(h ^ h >> 32);
}

static slot *find_slot(table *t, dvt_str name, uint32_t hash) {
  for (uint32_t i = hash & t->mask;; i = (i + 1) & t->mask) {
    const dvt_op_def *op = atomic_load_explicit(&t->slots[i].op, memory_order_acquire);
    if (!op) return NULL;
    if (op != &removed && t->slots[i].hash == hash && dvt_str_eq(op->name, name)) return &t->slots[i];
  }
}

const dvt_op_def *dvt_op_lookup_loaded(dvt_str name) {
  table *t = atomic_load_explicit(&current, memory_order_acquire);
  slot *s = t ? find_slot(t, name, hash_of(name)) : NULL;
  if (!s) return NULL;
  const dvt_op_def *op = atomic_load_explicit(&s->op, memory_order_acquire);
  return op == &removed || !dvt_load_is_visible(op->load) ? NULL : op;
}

const dvt_op_def *dvt_op_lookup(dvt_str name) {
  const dvt_op_def *op = dvt_op_lookup_loaded(name);
  if (DVT_LIKELY(op != NULL)) return op;
  bool (*hook)(dvt_str) = atomic_load_explicit(&autoload_hook, memory_order_acquire);
  if (!hook) return NULL;
  hook(name);  // whatever it answers: it may have waited for another thread that loads the op
  return dvt_op_lookup_loaded(name);
}

void dvt_op_registry_set_autoload(bool (*hook)(dvt_str op_name), void (*load_all)(void),
                                  bool (*claim)(dvt_str op_name)) {
  atomic_store(&autoload_hook, hook);
  atomic_store(&load_all_hook, load_all);
  atomic_store(&claim_hook, claim);
}

void dvt_op_registry_load_all(void) {
  void (*load_all)(void) = atomic_load(&load_all_hook);
  if (load_all) load_all();
}

// A slot from which an op of the same hash was removed serves again, so that unloading and loading a plugin
// many times needs no larger table; others keep their hash for readers that are at them.
static void place(table *t, const dvt_op_def *op, uint32_t hash) {
  uint32_t i = hash & t->mask;
  const dvt_op_def *there;
  while ((there = atomic_load_explicit(&t->slots[i].op, memory_order_relaxed)) != NULL &&
         (there != &removed || t->slots[i].hash != hash))
    i = (i + 1) & t->mask;
  if (!there) {
    t->slots[i].hash = hash;
    t->used++;
  }
  atomic_store_explicit(&t->slots[i].op, op, memory_order_release);
}

// Makes room for one more op: at most three quarters of the slots are in use.
static dvt_status reserve(void) {
  table *old = atomic_load_explicit(&current, memory_order_relaxed);
  if (old && old->used + 1 <= (old->mask + 1) / 4 * 3) return NULL;
  size_t capacity = FIRST_CAPACITY;
  while (capacity / 4 * 3 < op_count + 1 + (old ? op_count / 2 : 0)) capacity *= 2;
  table *t = dvt_calloc(1, sizeof *t + capacity * sizeof t->slots[0]);
  if (!t) return dvt_error_out_of_memory(sizeof *t + capacity * sizeof t->slots[0]);
  t->mask = (uint32_t)capacity - 1;
  t->older = old;
  for (uint32_t i = 0; old && i <= old->mask; i++) {
    const dvt_op_def *op = atomic_load_explicit(&old->slots[i].op, memory_order_relaxed);
    if (op && op != &removed) place(t, op, old->slots[i].hash);
  }
  atomic_store_explicit(&current, t, memory_order_release);
  return NULL;
}

static bool same_definition(const dvt_op_def *a, const dvt_op_def *b) {
  dvt_buf x = {0}, y = {0};
  dvt_op_def_to_proto(a, &x);
  dvt_op_def_to_proto(b, &y);
  bool same = !x.failed && !y.failed && dvt_str_eq(dvt_buf_str(&x), dvt_buf_str(&y));
  dvt_buf_deinit(&x);
  dvt_buf_deinit(&y);
  return same;
}

static dvt_status already_exists(const dvt_op_def *existing, const dvt_op_def *op) {
  dvt_buf a = {0}, b = {0};
  dvt_op_def_describe(existing, &a);
  dvt_op_def_describe(op, &b);
  dvt_status status = dvt_error(TF_ALREADY_EXISTS,
                                "Op with name " DVT_STR_FMT
                                " is already registered as %s; this registration says %s. "
                                "Give the op another name or leave out one of the two",
                                DVT_STR_ARG(op->name), a.data ? a.data : "", b.data ? b.data : "");
  dvt_buf_deinit(&a);
  dvt_buf_deinit(&b);
  return status;
}

// The load on another thread that has registered an op of that name; with the mutex held.
static dvt_load *rival_of(dvt_str name) {
  table *t = atomic_load_explicit(&current, memory_order_relaxed);
  slot *existing = t ? find_slot(t, name, hash_of(name)) : NULL;
  const dvt_op_def *op = existing ? atomic_load_explicit(&existing->op, memory_order_relaxed) : NULL;
  return op && !dvt_load_is_visible(op->load) ? op->load : NULL;
}

static dvt_status add(const dvt_op_def *op) {
  uint32_t hash = hash_of(op->name);
  table *t = atomic_load_explicit(&current, memory_order_relaxed);
  slot *existing = t ? find_slot(t, op->name, hash) : NULL;
  dvt_load *load = dvt_load_current();
  if (existing) {
    const dvt_op_def *other = atomic_load_explicit(&existing->op, memory_order_relaxed);
    // A plugin may bring along an op that was there before it was loaded (rule 46), or register one from its
    // constructor and again from TF_InitKernel, if it means the same op.
    if (load && same_definition(other, op)) return NULL;
    return already_exists(other, op);
  }
  DVT_RETURN_IF_ERROR(reserve());
  dvt_op_def *copy = (dvt_op_def *)dvt_op_def_clone(op, &arena);
  if (!copy) return dvt_error_out_of_memory(sizeof *op);
  copy->load = load;
  copy->plugin = load ? load->plugin : NULL;
  if (load) {
    copy->older_of_load = load->last_op;
    load->last_op = copy;
    load->op_count++;
  }
  place(atomic_load_explicit(&current, memory_order_relaxed), copy, hash);
  op_count++;
  return NULL;
}

dvt_status dvt_op_register(TF_OpDefinitionBuilder *builder) {
  if (!builder) return dvt_error(TF_INVALID_ARGUMENT, "TF_RegisterOpDefinition: the builder is NULL");
  bool (*claim)(dvt_str) = atomic_load_explicit(&claim_hook, memory_order_acquire);
  dvt_str name = dvt_str_make(builder->text, builder->name_len);
  if (claim) claim(name);
  pthread_mutex_lock(&mutex);
  for (dvt_load *rival; (rival = rival_of(name)) != NULL;) {
    pthread_mutex_unlock(&mutex);
    dvt_load_wait(rival);
    pthread_mutex_lock(&mutex);
  }
  const dvt_op_def *op;
  dvt_status status = dvt_op_builder_finish(builder, &scratch_arena, &scratch_errors, &scratch, &op);
  if (!status) status = add(op);
  dvt_arena_reset(&scratch_arena);
  pthread_mutex_unlock(&mutex);
  dvt_op_builder_delete(builder);
  return status;
}

size_t dvt_op_registry_count(void) {
  pthread_mutex_lock(&mutex);
  size_t count = op_count;
  pthread_mutex_unlock(&mutex);
  return count;
}

static int compare_ops(const void *a, const void *b) {
  return dvt_str_compare((*(const dvt_op_def *const *)a)->name, (*(const dvt_op_def *const *)b)->name);
}

// Calls visit for every op in name order while the mutex is held. Without memory for the order: in table
// order.
void dvt_op_registry_visit(void (*visit)(void *arg, const dvt_op_def *op), void *arg) {
  pthread_mutex_lock(&mutex);
  table *t = atomic_load_explicit(&current, memory_order_relaxed);
  const dvt_op_def **ops = dvt_malloc(DVT_MAX(op_count, 1) * sizeof *ops);
  size_t n = 0;
  for (uint32_t i = 0; t && i <= t->mask; i++) {
    const dvt_op_def *op = atomic_load_explicit(&t->slots[i].op, memory_order_relaxed);
    if (!op || op == &removed || !dvt_load_is_visible(op->load)) continue;
    if (ops)
      ops[n++] = op;
    else
      visit(arg, op);
  }
  if (n) qsort(ops, n, sizeof *ops, compare_ops);
  for (size_t i = 0; i < n; i++) visit(arg, ops[i]);
  dvt_free(ops);
  pthread_mutex_unlock(&mutex);
}

static void list_op(void *arg, const dvt_op_def *op) {
  dvt_buf *out = arg;
  size_t begin = dvt_wire_begin(out, 1);
  dvt_op_def_to_proto(op, out);
  dvt_wire_end(out, begin);
}

void dvt_op_registry_list(dvt_buf *out) { dvt_op_registry_visit(list_op, out); }

void dvt_op_registry_list_load(const dvt_load *load, dvt_buf *out) {
  const dvt_op_def **ops = dvt_malloc(DVT_MAX((size_t)load->op_count, 1) * sizeof *ops);
  if (!ops) {
    out->failed = true;
    return;
  }
  size_t n = 0;
  for (const dvt_op_def *op = load->last_op; op; op = op->older_of_load) ops[n++] = op;
  if (n) qsort(ops, n, sizeof *ops, compare_ops);
  for (size_t i = 0; i < n; i++) list_op(out, ops[i]);
  dvt_free(ops);
}

void dvt_op_registry_remove_load(dvt_load *load) {
  pthread_mutex_lock(&mutex);
  table *t = atomic_load_explicit(&current, memory_order_relaxed);
  for (const dvt_op_def *op = load->last_op; op; op = op->older_of_load) {
    slot *s = find_slot(t, op->name, hash_of(op->name));
    if (!s) continue;
    atomic_store_explicit(&s->op, &removed, memory_order_release);
    op_count--;
  }
  load->last_op = NULL;
  load->op_count = 0;
  pthread_mutex_unlock(&mutex);
}

static void offer(void *arg, const dvt_op_def *op) { dvt_nearest_offer(arg, op->name); }

dvt_status dvt_op_lookup_or_error(dvt_str name, const dvt_op_def **out_op) {
  const dvt_op_def *op = dvt_op_lookup(name);
  if (DVT_LIKELY(op != NULL)) {
    *out_op = op;
    return NULL;
  }
  dvt_nearest nearest = {.wanted = name};
  dvt_op_registry_visit(offer, &nearest);
  dvt_buf hint = {0};
  dvt_nearest_print(&nearest, &hint);
  dvt_status status =
      dvt_error(TF_NOT_FOUND,
                "Op type not registered '" DVT_STR_FMT
                "' in this process.%s Load the plugin that defines the op (TF_LoadLibrary, dvt_load_plugin, "
                "--plugin FILE) before the graph is built",
                DVT_STR_ARG(name), hint.data ? hint.data : "");
  dvt_buf_deinit(&hint);
  return status;
}

dvt_status dvt_op_check_current(const dvt_op_def *op) {
  if (dvt_load_is_visible(op->load)) return NULL;
  const dvt_op_def *now = dvt_op_lookup(op->name);
  if (!now)
    return dvt_error(TF_NOT_FOUND,
                     "Op type '" DVT_STR_FMT
                     "' was unloaded with plugin %s. Load the plugin again, or one that has the op",
                     DVT_STR_ARG(op->name), op->load->plugin_name ? op->load->plugin_name : "");
  if (same_definition(now, op)) return NULL;
  dvt_buf before = {0}, after = {0};
  dvt_op_def_describe(op, &before);
  dvt_op_def_describe(now, &after);
  dvt_status status =
      dvt_error(TF_FAILED_PRECONDITION,
                "op '" DVT_STR_FMT
                "' was loaded again with another definition than the graph was built with: %s instead of %s. "
                "Build the graph anew",
                DVT_STR_ARG(op->name), after.data ? after.data : "", before.data ? before.data : "");
  dvt_buf_deinit(&before);
  dvt_buf_deinit(&after);
  return status;
}

dvt_shape_fn dvt_op_enter_shape_fn(const dvt_op_def *op, dvt_load **out_user) {
  *out_user = NULL;
  if (!op->shape_fn) return NULL;
  if (DVT_UNLIKELY(!dvt_load_enter(op->load))) {
    const dvt_op_def *now = dvt_op_lookup(op->name);
    if (!now || !now->shape_fn || !same_definition(now, op) || !dvt_load_enter(now->load)) return NULL;
    op = now;
  }
  *out_user = op->load;
  return op->shape_fn;
}
