// struct TSL_Status (= TF_Status): a code, a message and a list of payloads. Only base/status.c,
// capi/tf_status.c and the hottest calls of capi/shape_inference.c look inside.
#ifndef DVT_BASE_STATUS_INTERNAL_H_
#define DVT_BASE_STATUS_INTERNAL_H_

#include "base/status.h"

typedef struct dvt_payload {
  struct dvt_payload *next;
  char *value;
  char key[];
} dvt_payload;

struct TSL_Status {
  TF_Code code;
  const char *message;  // never NULL; "" whenever the code is TF_OK
  char *owned;          // the heap copy behind `message`, if there is one
  dvt_payload *payloads;
};

// The code of a deleted status, in debug mode.
#define DVT_DEAD_CODE (-0x0dead)
// Drops message and payloads and leaves the code OK.
void dvt_tf_status_clear_slow(TF_Status *status) DVT_COLD;
static inline void dvt_tf_status_clear(TF_Status *status) {
  if (DVT_UNLIKELY(status->code != TF_OK)) dvt_tf_status_clear_slow(status);
}
// As TF_SetStatus; `message` may be the status' own text.
void dvt_tf_status_set(TF_Status *status, TF_Code code, dvt_str message);
// The code as stock reads it back: numbers outside 0..16 are UNKNOWN.
TF_Code dvt_code_normalize(int code);
// "NOT_FOUND", for messages and tables.
const char *dvt_code_name(TF_Code code);

#endif  // DVT_BASE_STATUS_INTERNAL_H_
