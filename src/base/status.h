// dvt_status: an error as a value. One pointer; NULL is OK, anything else is an owned error object with a code (stock's
// TF_Code values) and a sentence: what was got, what was wanted, where, what to do next. A function that returns a
// dvt_status hands ownership to its caller, who returns it on, converts it at the ABI edge, or frees it.
#ifndef DVT_BASE_STATUS_H_
#define DVT_BASE_STATUS_H_

#include <stdarg.h>

#include "base/base.h"
#include "base/str.h"
#include "tensorflow/c/tf_status.h"

typedef struct dvt_error *dvt_status;

// A new error. `code` is never TF_OK. When memory is short, the shared out-of-memory error is returned instead.
dvt_status dvt_error(TF_Code code, const char *format, ...) DVT_PRINTF(2, 3) DVT_NEVER_NULL DVT_NODISCARD DVT_COLD;
dvt_status dvt_error_v(TF_Code code, const char *format, va_list args) DVT_NEVER_NULL DVT_NODISCARD DVT_COLD;
// The static RESOURCE_EXHAUSTED error for a failed allocation of `bytes` (needs no memory itself).
dvt_status dvt_error_out_of_memory(size_t bytes) DVT_NEVER_NULL DVT_NODISCARD DVT_COLD;

TF_Code dvt_status_code(dvt_status status);        // TF_OK for NULL
const char *dvt_status_message(dvt_status status);  // "" for NULL; owned by the status
void dvt_status_free(dvt_status status);            // NULL is fine
dvt_status dvt_status_clone(dvt_status status) DVT_NODISCARD;
// Appends formatted text to the message (context travelling up: "\n\t [[{{node x}}]]"). Consumes and returns the
// status; NULL stays NULL.
dvt_status dvt_status_annotate(dvt_status status, const char *format, ...) DVT_PRINTF(2, 3) DVT_NODISCARD;

// Edge: stores `status` with its payloads into *out (OK when NULL) and frees it. Payloads that *out had are dropped, as
// TF_SetStatus does.
void dvt_status_to_tf(dvt_status status, TF_Status *out);
// Edge: a copy of *in, payloads included, as a dvt_status; NULL when it is OK. The payloads stay with the error when
// it is cloned or annotated.
dvt_status dvt_status_from_tf(const TF_Status *in) DVT_NODISCARD;

#define DVT_RETURN_IF_ERROR(expr)            \
  do {                                       \
    dvt_status dvt_status_tmp_ = (expr);     \
    if (DVT_UNLIKELY(dvt_status_tmp_ != NULL)) return dvt_status_tmp_; \
  } while (0)

#endif  // DVT_BASE_STATUS_H_
