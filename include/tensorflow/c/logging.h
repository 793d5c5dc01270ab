// Log lines from plugins. Stock TensorFlow dropped this header in 2.21; Dovetail keeps it.
// Format strings are those of printf.
#ifndef TENSORFLOW_C_LOGGING_H_
#define TENSORFLOW_C_LOGGING_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TF_LogLevel { TF_INFO = 0, TF_WARNING = 1, TF_ERROR = 2, TF_FATAL = 3 } TF_LogLevel;

// Writes a log line of the given level; TF_FATAL is an error line and does not end the process.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT void TF_Log(TF_LogLevel level, const char *fmt, ...);

// Writes a log line when the verbosity, TF_CPP_MAX_VLOG_LEVEL, is at least `level`.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT void TF_VLog(int level, const char *fmt, ...);

// As TF_VLog, in debug builds of the library only.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT void TF_DVLog(int level, const char *fmt, ...);

#ifdef __cplusplus
}
#endif

#endif
