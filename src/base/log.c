// One line a message, "2025-01-31 12:00:00.000000: W text", written with one call so that threads do not mix.
#include "base/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/code_owner.h"

typedef void (*log_sink)(void *arg, dvt_log_level level, const char *line);

static pthread_mutex_t sink_mutex = PTHREAD_MUTEX_INITIALIZER;
static log_sink sink;
static void *sink_arg;
static dvt_log_listener listener;

static int level_from_environment(const char *name, int fallback) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : fallback;
}

// The environment is read once; -1000 marks "not yet".
#define UNREAD (-1000)
static atomic_int min_level = UNREAD, max_vlog_level = UNREAD;

static int cached_level(atomic_int *level, const char *name, int fallback) {
  int value = atomic_load_explicit(level, memory_order_relaxed);
  if (value == UNREAD) {
    value = level_from_environment(name, fallback);
    atomic_store_explicit(level, value, memory_order_relaxed);
  }
  return value;
}

bool dvt_vlog_is_on(int level) { return level <= cached_level(&max_vlog_level, "TF_CPP_MAX_VLOG_LEVEL", 0); }

static void write_stderr(dvt_log_level level, const char *line) {
  struct timespec now;
  struct tm parts;
  char stamp[32] = "";
  clock_gettime(CLOCK_REALTIME, &now);
  if (localtime_r(&now.tv_sec, &parts)) strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &parts);
  fprintf(stderr, "%s.%06ld: %c %s\n", stamp, now.tv_nsec / 1000, "IWEF"[level], line);
}

// A plugin whose listener hears a message stays until it has.
static dvt_owned_kind *account(void (*listen)(const char *line)) {
  static const char messages[] = "messages that its log listener is hearing";
  const void *code;
  DVT_CODE_ADDRESS(listen, &code);
  return dvt_owned_take(dvt_code_owner_find(code), messages, messages, NULL);
}

static void emit(dvt_log_level level, const char *format, va_list args) {
  char small[512];
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(small, sizeof small, format, args);
  char *large = len >= (int)sizeof small ? dvt_malloc((size_t)len + 1) : NULL;
  if (large) vsnprintf(large, (size_t)len + 1, format, again);
  va_end(again);
  const char *line = large ? large : len < 0 ? "(a message that could not be formatted)" : small;

  pthread_mutex_lock(&sink_mutex);
  log_sink to = sink;
  void *arg = sink_arg;
  void (*listen)(const char *) = listener;
  dvt_owned_kind *accounted = listen ? account(listen) : NULL;
  pthread_mutex_unlock(&sink_mutex);
  if (listen) listen(line);
  dvt_owned_drop(accounted);
  if (to)
    to(arg, level, line);
  else
    write_stderr(level, line);
  dvt_free(large);
}

void dvt_log_v(dvt_log_level level, const char *format, va_list args) {
  if (level < DVT_INFO) level = DVT_INFO;
  if (level > DVT_FATAL) level = DVT_FATAL;
  if ((int)level >= cached_level(&min_level, "TF_CPP_MIN_LOG_LEVEL", DVT_WARNING)) emit(level, format, args);
}

void dvt_log(dvt_log_level level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dvt_log_v(level, format, args);
  va_end(args);
}

void dvt_vlog_v(int level, const char *format, va_list args) {
  if (dvt_vlog_is_on(level)) emit(DVT_INFO, format, args);
}

void dvt_vlog(int level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dvt_vlog_v(level, format, args);
  va_end(args);
}

void dvt_log_set_sink(void (*new_sink)(void *arg, dvt_log_level level, const char *line), void *arg) {
  pthread_mutex_lock(&sink_mutex);
  sink = new_sink;
  sink_arg = arg;
  pthread_mutex_unlock(&sink_mutex);
}

void dvt_log_set_listener(void (*new_listener)(const char *line)) {
  pthread_mutex_lock(&sink_mutex);
  listener = new_listener;
  pthread_mutex_unlock(&sink_mutex);
}

dvt_log_listener dvt_log_take_listener(const dvt_code_owner *owner) {
  const void *code;
  pthread_mutex_lock(&sink_mutex);
  dvt_log_listener taken = listener;
  DVT_CODE_ADDRESS(taken, &code);
  if (dvt_code_owner_has(owner, code))
    listener = NULL;
  else
    taken = NULL;
  pthread_mutex_unlock(&sink_mutex);
  return taken;
}

void dvt_log_give_back_listener(dvt_log_listener taken) {
  pthread_mutex_lock(&sink_mutex);
  if (!listener) listener = taken;
  pthread_mutex_unlock(&sink_mutex);
}
