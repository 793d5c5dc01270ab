// TF_Log, TF_VLog and TF_DVLog. Their variable arguments cannot be passed on, so they are formatted here, and
// the host gets the text. Hosts that have no such functions (TensorFlow from 2.21 on) write to stderr in this
// form as well.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "binding.h"
#include "tensorflow/c/logging.h"

DVT_OWN_TRAMPOLINE(TF_Log);
DVT_OWN_TRAMPOLINE(TF_VLog);
DVT_OWN_TRAMPOLINE(TF_DVLog);

#define RECORD(function)                                         \
  __attribute__((section("dvt_bindings"), visibility("hidden"))) \
  dvt_binding dvt_binding_##function = {#function, NULL, NULL, NULL}
RECORD(TF_Log);
RECORD(TF_VLog);
RECORD(TF_DVLog);

static int level_of_environment(const char *name) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : 0;
}

static void write_stderr(int level, const char *text) {
  struct timespec now;
  struct tm parts;
  char stamp[32] = "";
  clock_gettime(CLOCK_REALTIME, &now);
  if (localtime_r(&now.tv_sec, &parts)) strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &parts);
  fprintf(stderr, "%s.%06ld: %c %s\n", stamp, now.tv_nsec / 1000, "IWEE"[level & 3], text);
}

// Calls `use` with the formatted text; a long one is cut off where there is no memory for it.
static void with_text(void (*use)(int level, const char *text), int level, const char *format, va_list args) {
  char small[512];
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(small, sizeof small, format, args);
  char *large = length >= (int)sizeof small ? malloc((size_t)length + 1) : NULL;
  if (large) vsnprintf(large, (size_t)length + 1, format, again);
  va_end(again);
  use(level, large ? large : length < 0 ? "(a message that could not be formatted)" : small);
  free(large);
}

static void log_text(int level, const char *text) {
  if (dvt_binding_TF_Log.address)
    ((void (*)(TF_LogLevel, const char *, ...))dvt_binding_TF_Log.address)((TF_LogLevel)level, "%s", text);
  else if (level >= level_of_environment("TF_CPP_MIN_LOG_LEVEL"))
    write_stderr(level, text);
}

static void vlog_text(int level, const char *text) {
  if (dvt_binding_TF_VLog.address)
    ((void (*)(int, const char *, ...))dvt_binding_TF_VLog.address)(level, "%s", text);
  else if (level <= level_of_environment("TF_CPP_MAX_VLOG_LEVEL"))
    write_stderr(TF_INFO, text);
}

// Whether it speaks is for the host to know: it does where it was built for debugging.
static void dvlog_text(int level, const char *text) {
  if (dvt_binding_TF_DVLog.address)
    ((void (*)(int, const char *, ...))dvt_binding_TF_DVLog.address)(level, "%s", text);
}

void TF_Log(TF_LogLevel level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  with_text(log_text, (int)level, format, args);
  va_end(args);
}

void TF_VLog(int level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  with_text(vlog_text, level, format, args);
  va_end(args);
}

void TF_DVLog(int level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  with_text(dvlog_text, level, format, args);
  va_end(args);
}
