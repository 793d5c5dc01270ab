// Helpers for tests: failure injection at every allocation of a constructor, and counting log lines.
#ifndef DVT_BASE_TESTING_H_
#define DVT_BASE_TESTING_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// cmocka.h needs the headers above.
#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/status.h"
#include "base/thread_cache.h"

// Calls `attempt` with the first allocation failing, then with the second, ... until it reports success. It
// must clean up after itself either way. At least `least` allocations have to be reached.
static inline void dvt_test_fail_each_allocation(bool (*attempt)(void *arg), void *arg, int64_t least) {
  for (int64_t nth = 1; nth < 10000; nth++) {
    dvt_cache_drain();
    dvt_alloc_fail_at(nth);
    bool ok = attempt(arg);
    dvt_alloc_fail_at(0);
    if (!ok) continue;
    assert_true(nth > least);
    return;
  }
  fail_msg("no success after 10000 injected failures");
}

// Log lines since dvt_test_log_start, and the last of them.
typedef struct dvt_test_log {
  int lines;
  dvt_log_level level;
  char last[1024];
} dvt_test_log;

static inline void dvt_test_log_line(void *arg, dvt_log_level level, const char *line) {
  dvt_test_log *log = arg;
  log->lines++;
  log->level = level;
  snprintf(log->last, sizeof log->last, "%s", line);
}
static inline void dvt_test_log_start(dvt_test_log *log) {
  *log = (dvt_test_log){0};
  dvt_log_set_sink(dvt_test_log_line, log);
}
static inline void dvt_test_log_stop(void) { dvt_log_set_sink(NULL, NULL); }

// The status must be an error of `code` whose message holds `part`; it is freed.
static inline void dvt_test_expect_error(dvt_status status, TF_Code code, const char *part) {
  assert_non_null(status);
  if (dvt_status_code(status) != code || !strstr(dvt_status_message(status), part))
    fail_msg("got error %d \"%s\", wanted %d with \"%s\"", (int)dvt_status_code(status),
             dvt_status_message(status), (int)code, part);
  dvt_status_free(status);
}
static inline void dvt_test_expect_ok(dvt_status status) {
  if (status) fail_msg("unexpected error: %s", dvt_status_message(status));
}

#endif  // DVT_BASE_TESTING_H_
