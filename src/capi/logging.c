// TF_Log, TF_VLog and TF_DVLog over base/log.h.
#include "tensorflow/c/logging.h"

#include <stdarg.h>

#include "base/log.h"

void TF_Log(TF_LogLevel level, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  dvt_log_v((dvt_log_level)level, fmt, args);
  va_end(args);
}

void TF_VLog(int level, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  dvt_vlog_v(level, fmt, args);
  va_end(args);
}

// The debug variant speaks in debug builds of the library only.
void TF_DVLog(int level, const char *fmt, ...) {
#ifdef NDEBUG
  (void)level;
  (void)fmt;
#else
  va_list args;
  va_start(args, fmt);
  dvt_vlog_v(level, fmt, args);
  va_end(args);
#endif
}
