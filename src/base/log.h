// Log lines to stderr. Levels follow logging.h (0 INFO .. 3 FATAL; FATAL does not end the process). TF_CPP_MIN_LOG_LEVEL
// hides levels below it (default 1: warnings and errors), TF_CPP_MAX_VLOG_LEVEL enables dvt_vlog.
#ifndef DVT_BASE_LOG_H_
#define DVT_BASE_LOG_H_

#include <stdarg.h>

#include "base/base.h"

typedef enum dvt_log_level { DVT_INFO, DVT_WARNING, DVT_ERROR, DVT_FATAL } dvt_log_level;

void dvt_log(dvt_log_level level, const char *format, ...) DVT_PRINTF(2, 3) DVT_COLD;
void dvt_log_v(dvt_log_level level, const char *format, va_list args);
bool dvt_vlog_is_on(int level);
// Shown as INFO, and shown whenever dvt_vlog_is_on(level), also where INFO is hidden.
void dvt_vlog(int level, const char *format, ...) DVT_PRINTF(2, 3) DVT_COLD;
void dvt_vlog_v(int level, const char *format, va_list args);
// Tests and embedders: replaces stderr as the sink; NULL restores it. `line` has no newline.
void dvt_log_set_sink(void (*sink)(void *arg, dvt_log_level level, const char *line), void *arg);
// Gets every line as well, beside the sink; NULL removes it.
typedef void (*dvt_log_listener)(const char *line);
void dvt_log_set_listener(dvt_log_listener listener);
// Takes away the listener if it lies in the owner's code, and puts it back if nobody has set another. NULL is fine.
struct dvt_code_owner;
dvt_log_listener dvt_log_take_listener(const struct dvt_code_owner *owner);
void dvt_log_give_back_listener(dvt_log_listener taken);

#endif  // DVT_BASE_LOG_H_
