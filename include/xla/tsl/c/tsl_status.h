// The status object: a code and a sentence, plus optional key/value payloads.
// tensorflow/c/tf_status.h gives the same objects their TF_ names; TSL_X and TF_X do the same on the same
// struct.
#ifndef XLA_TSL_C_TSL_STATUS_H_
#define XLA_TSL_C_TSL_STATUS_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TSL_Status TSL_Status;

typedef enum TSL_Code {
  TSL_OK = 0,
  TSL_CANCELLED = 1,
  TSL_UNKNOWN = 2,
  TSL_INVALID_ARGUMENT = 3,
  TSL_DEADLINE_EXCEEDED = 4,
  TSL_NOT_FOUND = 5,
  TSL_ALREADY_EXISTS = 6,
  TSL_PERMISSION_DENIED = 7,
  TSL_RESOURCE_EXHAUSTED = 8,
  TSL_FAILED_PRECONDITION = 9,
  TSL_ABORTED = 10,
  TSL_OUT_OF_RANGE = 11,
  TSL_UNIMPLEMENTED = 12,
  TSL_INTERNAL = 13,
  TSL_UNAVAILABLE = 14,
  TSL_DATA_LOSS = 15,
  TSL_UNAUTHENTICATED = 16
} TSL_Code;

// Called once per payload; the strings are valid during the call only.
typedef void (*TSL_PayloadVisitor)(const char *key, const char *value, void *capture);

// A new status with code OK and an empty message.
// Owner: the caller releases it with TSL_DeleteStatus or TF_DeleteStatus.
// Since: 2.15
TF_CAPI_EXPORT TSL_Status *TSL_NewStatus(void);

// Releases a status.
// Owner: takes `status`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TSL_DeleteStatus(TSL_Status *status);

// Sets code and message and drops all payloads; with code OK the message becomes empty, a code outside
// 0..16 is stored as UNKNOWN.
// Owner: copies `msg`; NULL means an empty message.
// Since: 2.15
TF_CAPI_EXPORT void TSL_SetStatus(TSL_Status *status, TSL_Code code, const char *msg);

// Attaches a value to a status that is not OK; the same key again replaces its value, and on an OK
// status nothing happens.
// Owner: copies both strings.
// Since: 2.15
TF_CAPI_EXPORT void TSL_SetPayload(TSL_Status *status, const char *key, const char *value);

// Calls `visitor` once for each payload and hands it `capture`.
// Owner: the strings passed to `visitor` are valid during its call.
// Since: 2.15
TF_CAPI_EXPORT void TSL_ForEachPayload(const TSL_Status *status, TSL_PayloadVisitor visitor, void *capture);

// Sets code and message from an errno value; the message is `context` and the system's text for the
// error.
// Owner: copies `context`.
// Since: 2.15
TF_CAPI_EXPORT void TSL_SetStatusFromIOError(TSL_Status *status, int error_code, const char *context);

// The code.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT TSL_Code TSL_GetCode(const TSL_Status *status);

// The message; empty when the code is OK.
// Owner: the status keeps the text, valid until the status changes or goes.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT const char *TSL_Message(const TSL_Status *status);

#ifdef __cplusplus
}
#endif

#endif
