// The ledger of handles (see handles.h): a hash table from addresses to entries under one lock. Deleted
// handles stay listed, and their memory unused, until as many others as RETIRED were deleted.
#include "base/handles.h"

#include <pthread.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/log.h"

#define BUCKETS 4096
#define RETIRED 4096

typedef struct entry {
  const void *handle;
  const dvt_debug_origin *origin;  // who made it; NULL: no function of a plugin
  uint8_t kind;
  bool is_dead, is_told;
  const dvt_debug_origin *deleted_by;
  struct entry *next;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *buckets[BUCKETS];
static void *retired[RETIRED];  // a ring
static size_t retired_next;

static const char *const kind_names[DVT_HANDLE_KINDS] = {"TF_Tensor",          "TF_Status",
                                                         "TF_Graph",           "TF_Session",
                                                         "TF_Buffer",          "TF_SessionOptions",
                                                         "TF_KernelBuilder",   "TF_OpDefinitionBuilder",
                                                         "TF_OpKernelContext", "TF_OpKernelConstruction"};

static entry **link_of(const void *handle) {
  entry **link = &buckets[((uintptr_t)handle >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 52];
  while (*link && (*link)->handle != handle) link = &(*link)->next;
  return link;
}

// Does the function that is running own what is made? Graphs and sessions are also made and kept by the
// runtime, while a kernel is made that calls functions.
static bool is_callers(dvt_handle_kind kind) {
  return kind != DVT_HANDLE_GRAPH && kind != DVT_HANDLE_SESSION && kind < DVT_HANDLE_CONTEXT;
}

void dvt_ledger_add(const void *handle, dvt_handle_kind kind) {
  if (!handle || !dvt_debug_has(DVT_DEBUG_HANDLES | DVT_DEBUG_LEAKS)) return;
  const dvt_debug_call *call = dvt_debug_current;
  pthread_mutex_lock(&lock);
  entry **link = link_of(handle), *e = *link;
  if (!e) e = *link = dvt_calloc(1, sizeof *e);
  if (e) {
    entry *next = e->next;
    *e = (entry){.handle = handle, .kind = (uint8_t)kind, .next = next};
    e->origin = call && is_callers(kind) ? call->origin : NULL;
  }
  pthread_mutex_unlock(&lock);
}

static bool is_registered(dvt_handle_kind kind) {
  return kind == DVT_HANDLE_KERNEL_BUILDER || kind == DVT_HANDLE_OP_BUILDER;
}

static void report(const entry *found, const void *handle, dvt_handle_kind kind, const char *function) {
  const char *name = kind_names[kind];
  char made[256], deleted[256];
  if (!found->handle) {
    dvt_debug_report(function, "%p is no %s that the runtime made, or one that was deleted long ago", handle,
                     name);
    return;
  }
  dvt_debug_origin_text(found->origin, made, sizeof made);
  dvt_debug_origin_text(found->deleted_by, deleted, sizeof deleted);
  if (found->kind != kind)
    dvt_debug_report(function, "%p is a %s made in %s, where a %s is wanted", handle, kind_names[found->kind],
                     made, name);
  else
    dvt_debug_report(function, "the %s at %p was %s before, in %s; it was made in %s", name, handle,
                     is_registered(kind) ? "registered or deleted" : "deleted", deleted, made);
}

// The entry as it was, all zero when there is none.
static entry look(const void *handle, dvt_handle_kind kind, bool remove) {
  const dvt_debug_call *call = dvt_debug_current;
  entry was = {0};
  pthread_mutex_lock(&lock);
  entry *e = *link_of(handle);
  if (e) {
    was = *e;
    if (remove && !e->is_dead && e->kind == kind) {
      e->is_dead = true;
      e->deleted_by = call ? call->origin : NULL;
    }
  }
  pthread_mutex_unlock(&lock);
  return was;
}

static bool check(const void *handle, dvt_handle_kind kind, const char *function, bool remove) {
  entry was = look(handle, kind, remove);
  if (was.handle && !was.is_dead && was.kind == kind) return true;
  report(&was, handle, kind, function);
  return false;
}

bool dvt_ledger_remove(const void *handle, dvt_handle_kind kind, const char *function) {
  return !dvt_debug_has(DVT_DEBUG_HANDLES | DVT_DEBUG_LEAKS) || check(handle, kind, function, true);
}

bool dvt_ledger_lacks(const void *handle, dvt_handle_kind kind, const char *function) {
  return dvt_debug_has(DVT_DEBUG_HANDLES) && !check(handle, kind, function, false);
}

bool dvt_ledger_knows(const void *handle, dvt_handle_kind kind, const char *function) {
  if (!dvt_debug_has(DVT_DEBUG_HANDLES)) return true;
  entry was = look(handle, kind, false);
  if (was.handle && was.kind == kind) return true;
  report(&was, handle, kind, function);
  return false;
}

void dvt_handle_report_dead(const void *handle, dvt_handle_kind kind, const char *function) {
  (void)dvt_ledger_lacks(handle, kind, function);
}

static void forget(const void *handle) {
  entry **link = link_of(handle), *e = *link;
  if (!e || !e->is_dead) return;
  *link = e->next;
  dvt_free(e);
}

void dvt_handle_retire(void *block) {
  pthread_mutex_lock(&lock);
  void *old = retired[retired_next];
  retired[retired_next] = block;
  retired_next = (retired_next + 1) % RETIRED;
  if (old) forget(old);
  pthread_mutex_unlock(&lock);
  dvt_free(old);
}

// One line for each op whose kernels leak and each kind of handle.
static void tell(const entry *first, int handles) {
  const dvt_debug_origin *o = first->origin;
  if (!*o->op)
    dvt_log(DVT_ERROR, "DOVETAIL_DEBUG: %d %s that plugin %s made while it was loaded were never deleted",
            handles, kind_names[first->kind], o->plugin);
  else
    dvt_log(
        DVT_ERROR,
        "DOVETAIL_DEBUG: %d %s that kernels of op '%s'%s%s made were never deleted, the first in node '%s'",
        handles, kind_names[first->kind], o->op, *o->plugin ? " of plugin " : "", o->plugin, o->node);
}

static bool is_like(const entry *e, const entry *like) {
  return !e->is_dead && !e->is_told && e->origin && e->kind == like->kind &&
         strcmp(e->origin->op, like->origin->op) == 0 && strcmp(e->origin->plugin, like->origin->plugin) == 0;
}

static int mark_like(const entry *like) {
  int handles = 0;
  for (size_t i = 0; i < BUCKETS; i++)
    for (entry *e = buckets[i]; e; e = e->next)
      if (is_like(e, like)) e->is_told = ++handles > 0;
  return handles;
}

// The first handle of a group that was not told yet, and how many there are; 0: no more.
static int next_group(entry *out_first) {
  int handles = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < BUCKETS && !handles; i++)
    for (entry *e = buckets[i]; e && !handles; e = e->next) {
      if (e->is_dead || e->is_told || !e->origin) continue;
      *out_first = *e;
      handles = mark_like(out_first);
    }
  pthread_mutex_unlock(&lock);
  return handles;
}

void dvt_leaks_report(void) {
  entry first;
  int handles;
  if (!dvt_debug_has(DVT_DEBUG_LEAKS)) return;
  while ((handles = next_group(&first)) > 0) tell(&first, handles);
}

__attribute__((destructor)) static void report_at_end(void) { dvt_leaks_report(); }
