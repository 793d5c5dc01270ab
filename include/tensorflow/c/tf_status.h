// The status object under its TF_ names.
// Every function that can fail takes a TF_Status*: it is set to TF_OK on success and to a code and a sentence
// on failure. The struct is the one of xla/tsl/c/tsl_status.h, so both families work on the same pointer.
#ifndef TENSORFLOW_C_TF_STATUS_H_
#define TENSORFLOW_C_TF_STATUS_H_

#include "tensorflow/c/c_api_macros.h"
#include "xla/tsl/c/tsl_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TSL_Status TF_Status;
typedef TSL_Code TF_Code;

#define TF_OK TSL_OK
#define TF_CANCELLED TSL_CANCELLED
#define TF_UNKNOWN TSL_UNKNOWN
#define TF_INVALID_ARGUMENT TSL_INVALID_ARGUMENT
#define TF_DEADLINE_EXCEEDED TSL_DEADLINE_EXCEEDED
#define TF_NOT_FOUND TSL_NOT_FOUND
#define TF_ALREADY_EXISTS TSL_ALREADY_EXISTS
#define TF_PERMISSION_DENIED TSL_PERMISSION_DENIED
#define TF_RESOURCE_EXHAUSTED TSL_RESOURCE_EXHAUSTED
#define TF_FAILED_PRECONDITION TSL_FAILED_PRECONDITION
#define TF_ABORTED TSL_ABORTED
#define TF_OUT_OF_RANGE TSL_OUT_OF_RANGE
#define TF_UNIMPLEMENTED TSL_UNIMPLEMENTED
#define TF_INTERNAL TSL_INTERNAL
#define TF_UNAVAILABLE TSL_UNAVAILABLE
#define TF_DATA_LOSS TSL_DATA_LOSS
#define TF_UNAUTHENTICATED TSL_UNAUTHENTICATED

#define TF_PayloadVisitor TSL_PayloadVisitor

// A new status with code OK and an empty message.
// Owner: the caller releases it with TF_DeleteStatus.
// Since: 2.15
TF_CAPI_EXPORT TF_Status *TF_NewStatus(void);

// Releases a status.
// Owner: takes `status`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteStatus(TF_Status *status);

// Sets code and message and drops all payloads; with code OK the message becomes empty, a code outside
// 0..16 is stored as UNKNOWN.
// Owner: copies `msg`; NULL means an empty message.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetStatus(TF_Status *status, TF_Code code, const char *msg);

// Attaches a value to a status that is not OK; the same key again replaces its value, and on an OK
// status nothing happens.
// Owner: copies both strings.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetPayload(TF_Status *status, const char *key, const char *value);

// Calls `visitor` once for each payload and hands it `capture`.
// Owner: the strings passed to `visitor` are valid during its call.
// Since: 2.15
TF_CAPI_EXPORT void TF_ForEachPayload(const TF_Status *status, TF_PayloadVisitor visitor, void *capture);

// Sets code and message from an errno value; the message is `context` and the system's text for the
// error.
// Owner: copies `context`.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetStatusFromIOError(TF_Status *status, int error_code, const char *context);

// The code.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT TF_Code TF_GetCode(const TF_Status *status);

// The message; empty when the code is OK.
// Owner: the status keeps the text, valid until the status changes or goes.
// Threads: any number of readers.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_Message(const TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
