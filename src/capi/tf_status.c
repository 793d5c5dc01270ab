// TF_Status and its TSL_ twins: the same functions under two names, on the struct of base/status_internal.h.
// Making and deleting a status that carries no error touches only the thread's free list.
#include "tensorflow/c/tf_status.h"

#include "base/alloc.h"
#include "base/errno_code.h"
#include "base/handles.h"
#include "base/log.h"
#include "base/status_internal.h"
#include "base/thread_cache.h"

static TSL_Status *DVT_COLD block_new(void) {
  TSL_Status *status = dvt_malloc(sizeof *status);
  dvt_handle_made(status, DVT_HANDLE_STATUS);
  return status;
}

// In debug mode a deleted status is kept for a while and holds a code that no status has.
static void DVT_COLD block_free(TSL_Status *status) {
  if (!dvt_debug_has(DVT_DEBUG_HANDLES)) {
    dvt_free(status);
    return;
  }
  *status = (TSL_Status){(TF_Code)DVT_DEAD_CODE, "", NULL, NULL};
  dvt_handle_retire(status);
}

static bool DVT_COLD may_delete(const TSL_Status *status) {
  return dvt_handle_may_delete(status, DVT_HANDLE_STATUS, "TF_DeleteStatus");
}

TSL_Status *TSL_NewStatus(void) {
  TSL_Status *status = dvt_cache_pop(DVT_CACHE_STATUS);
  if (DVT_UNLIKELY(!status)) status = block_new();
  if (DVT_UNLIKELY(!status)) return NULL;
  *status = (TSL_Status){TSL_OK, "", NULL, NULL};
  return status;
}

void TSL_DeleteStatus(TSL_Status *status) {
  if (!status || (dvt_cache_is_absent() && !may_delete(status))) return;
  dvt_tf_status_clear(status);
  if (DVT_UNLIKELY(!dvt_cache_push(DVT_CACHE_STATUS, status))) block_free(status);
}

void TSL_SetStatus(TSL_Status *status, TSL_Code code, const char *msg) {
  if (status) dvt_tf_status_set(status, code, dvt_str_from(msg));
}

static dvt_payload *payload_find(const TSL_Status *status, const char *key) {
  for (dvt_payload *payload = status->payloads; payload; payload = payload->next)
    if (strcmp(payload->key, key) == 0) return payload;
  return NULL;
}

static dvt_payload *payload_add(TSL_Status *status, const char *key) {
  size_t key_bytes = strlen(key) + 1;
  dvt_payload *payload = dvt_malloc(sizeof *payload + key_bytes);
  if (!payload) return NULL;
  memcpy(payload->key, key, key_bytes);
  payload->value = NULL;
  payload->next = status->payloads;
  status->payloads = payload;
  return payload;
}

void TSL_SetPayload(TSL_Status *status, const char *key, const char *value) {
  if (!status || !key || status->code == TSL_OK) return;
  char *copy = dvt_strndup(dvt_str_from(value));
  dvt_payload *payload = copy ? payload_find(status, key) : NULL;
  if (copy && !payload) payload = payload_add(status, key);
  if (!payload) {
    dvt_log(DVT_ERROR, "TF_SetPayload: out of memory, the payload %s is lost", key);
    dvt_free(copy);
    return;
  }
  dvt_free(payload->value);
  payload->value = copy;
}

void TSL_ForEachPayload(const TSL_Status *status, TSL_PayloadVisitor visitor, void *capture) {
  if (!status || !visitor) return;
  for (const dvt_payload *payload = status->payloads; payload; payload = payload->next)
    visitor(payload->key, payload->value, capture);
}

void TSL_SetStatusFromIOError(TSL_Status *status, int error_code, const char *context) {
  if (!status) return;
  TF_Code code = dvt_code_from_errno(error_code);
  if (code == TF_OK) {
    dvt_tf_status_clear(status);
    return;
  }
  char reason[128];
  dvt_status error =
      dvt_error(code, "%s; %s", context ? context : "", dvt_errno_text(error_code, reason, sizeof reason));
  dvt_status_to_tf(error, status);
}

static TSL_Code DVT_COLD code_of_dead(const TSL_Status *status) {
  dvt_handle_report_dead(status, DVT_HANDLE_STATUS, "TF_GetCode");
  return TSL_INTERNAL;
}

static inline TSL_Code code_of(const TSL_Status *status) {
  if (!status) return TSL_OK;
  TSL_Code code = status->code;
  return DVT_LIKELY((int)code != DVT_DEAD_CODE) ? code : code_of_dead(status);
}

TSL_Code TSL_GetCode(const TSL_Status *status) { return code_of(status); }
const char *TSL_Message(const TSL_Status *status) { return status ? status->message : ""; }

TF_Status *TF_NewStatus(void) { return TSL_NewStatus(); }
void TF_DeleteStatus(TF_Status *status) { TSL_DeleteStatus(status); }
void TF_SetStatus(TF_Status *status, TF_Code code, const char *msg) { TSL_SetStatus(status, code, msg); }
void TF_SetPayload(TF_Status *status, const char *key, const char *value) {
  TSL_SetPayload(status, key, value);
}
void TF_ForEachPayload(const TF_Status *status, TF_PayloadVisitor visitor, void *capture) {
  TSL_ForEachPayload(status, visitor, capture);
}
void TF_SetStatusFromIOError(TF_Status *status, int error_code, const char *context) {
  TSL_SetStatusFromIOError(status, error_code, context);
}
// Not by a call of the other: it is asked after every call of the ABI.
DVT_CACHE_LINE TF_Code TF_GetCode(const TF_Status *status) { return code_of(status); }
const char *TF_Message(const TF_Status *status) { return TSL_Message(status); }
