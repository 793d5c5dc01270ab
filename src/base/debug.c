// Debug mode (see debug.h). The environment is read once: a mode that changed half-way would find misuse
// where there is none.
#include "base/debug.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

atomic_int dvt_debug_state = -1;
_Thread_local dvt_debug_call *dvt_debug_current;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define BUCKETS 4096
static dvt_debug_origin *origins[BUCKETS];  // by node

static const struct {
  const char *name;
  int parts;
} words[] = {{"0", 0},
             {"1", DVT_DEBUG_ALL},
             {"all", DVT_DEBUG_ALL},
             {"shapes", DVT_DEBUG_SHAPES},
             {"handles", DVT_DEBUG_HANDLES},
             {"memory", DVT_DEBUG_MEMORY},
             {"inputs", DVT_DEBUG_INPUTS},
             {"leaks", DVT_DEBUG_LEAKS}};

static int parse(const char *text) {
  int parts = 0;
  while (*text) {
    size_t len = strcspn(text, ","), i = 0;
    while (i < DVT_COUNT_OF(words) && !dvt_str_eq(dvt_str_make(text, len), dvt_str_from(words[i].name))) i++;
    if (i < DVT_COUNT_OF(words))
      parts |= words[i].parts;
    else if (len)
      dvt_log(
          DVT_WARNING,
          "DOVETAIL_DEBUG: unknown part '%.*s'; there are shapes, handles, memory, inputs, leaks, and 1 for "
          "all",
          (int)len, text);
    text += len + (text[len] == ',');
  }
  return parts;
}

int dvt_debug_read(void) {
  int state = atomic_load_explicit(&dvt_debug_state, memory_order_relaxed);
  if (DVT_LIKELY(state >= 0)) return state;
  const char *text = getenv("DOVETAIL_DEBUG");
  int parts = text ? parse(text) : 0;
  // The first of two threads decides.
  if (!atomic_compare_exchange_strong(&dvt_debug_state, &state, parts)) return state;
  return parts;
}

static bool same(const dvt_debug_origin *o, dvt_str plugin, dvt_str op, dvt_str node) {
  return dvt_str_eq(dvt_str_from(o->node), node) && dvt_str_eq(dvt_str_from(o->op), op) &&
         dvt_str_eq(dvt_str_from(o->plugin), plugin);
}

static dvt_debug_origin **bucket_of(dvt_str node) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < node.len; i++) hash = (hash ^ (uint8_t)node.data[i]) * 16777619u;
  return &origins[hash % BUCKETS];
}

static dvt_debug_origin *origin_new(dvt_str plugin, dvt_str op, dvt_str node) {
  dvt_debug_origin *o = dvt_calloc(1, sizeof *o);
  char *texts[] = {dvt_strndup(plugin), dvt_strndup(op), dvt_strndup(node)};
  if (o && texts[0] && texts[1] && texts[2]) {
    dvt_debug_origin **bucket = bucket_of(node);
    *o = (dvt_debug_origin){.plugin = texts[0], .op = texts[1], .node = texts[2], .next = *bucket};
    return *bucket = o;
  }
  for (size_t i = 0; i < DVT_COUNT_OF(texts); i++) dvt_free(texts[i]);
  dvt_free(o);
  return NULL;
}

const dvt_debug_origin *dvt_debug_origin_of(dvt_str plugin, dvt_str op, dvt_str node) {
  pthread_mutex_lock(&lock);
  dvt_debug_origin *o = *bucket_of(node);
  while (o && !same(o, plugin, op, node)) o = o->next;
  if (!o) o = origin_new(plugin, op, node);
  pthread_mutex_unlock(&lock);
  return o;
}

void dvt_debug_origin_text(const dvt_debug_origin *origin, char *out, size_t capacity) {
  if (!origin)
    snprintf(out, capacity, "the program");
  else if (!*origin->op)
    snprintf(out, capacity, "the loading of plugin %s", origin->plugin);
  else
    snprintf(out, capacity, "node '%s' (op '%s'%s%s)", origin->node, origin->op,
             *origin->plugin ? " of plugin " : "", origin->plugin);
}

void dvt_debug_report(const char *function, const char *format, ...) {
  char what[1024], where[256];
  int used = snprintf(what, sizeof what, "%s: ", function);
  va_list args;
  va_start(args, format);
  vsnprintf(what + used, sizeof what - (size_t)used, format, args);
  va_end(args);
  const dvt_debug_call *call = dvt_debug_current;
  dvt_debug_origin_text(call ? call->origin : NULL, where, sizeof where);
  dvt_log(DVT_ERROR, "DOVETAIL_DEBUG: %s [in %s]", what, where);
  if (call && call->fail) call->fail(call->arg, what);
}
