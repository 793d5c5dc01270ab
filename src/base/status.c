// dvt_status errors and the bridge to the ABI's TF_Status. An error is one heap block that ends in its
// message; the out-of-memory error is static, so that it can always be told.
#include "base/status.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/handles.h"
#include "base/status_internal.h"

struct dvt_error {
  TF_Code code;
  bool is_static;
  size_t len;             // of the message
  const char *message;    // behind the struct, in the same block
  dvt_payload *payloads;  // what a kernel attached with TF_SetPayload; mostly none
};

#define OUT_OF_MEMORY_TEXT "out of memory: an allocation failed; free memory and try again"
static struct dvt_error out_of_memory = {.code = TF_RESOURCE_EXHAUSTED,
                                         .is_static = true,
                                         .len = sizeof OUT_OF_MEMORY_TEXT - 1,
                                         .message = OUT_OF_MEMORY_TEXT};

TF_Code dvt_code_normalize(int code) {
  return code < (int)TF_OK || code > (int)TF_UNAUTHENTICATED ? TF_UNKNOWN : (TF_Code)code;
}

const char *dvt_code_name(TF_Code code) {
  static const char *const names[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return names[dvt_code_normalize((int)code)];
}

// *out_room: where the caller writes the message, `len` bytes and a NUL that is there already.
static dvt_status error_new(TF_Code code, size_t len, char **out_room) {
  size_t bytes;
  if (!dvt_size_add(sizeof(struct dvt_error) + 1, len, &bytes)) return NULL;
  dvt_status error = dvt_malloc(bytes);
  if (!error) return NULL;
  error->code = code == TF_OK ? TF_INTERNAL : dvt_code_normalize((int)code);
  error->is_static = false;
  error->len = len;
  error->payloads = NULL;
  char *room = (char *)(error + 1);
  room[len] = '\0';
  error->message = room;
  *out_room = room;
  return error;
}

dvt_status dvt_error_v(TF_Code code, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *room;
  dvt_status error = error_new(code, len < 0 ? 0 : (size_t)len, &room);
  if (!error) return &out_of_memory;
  if (len > 0) vsnprintf(room, (size_t)len + 1, format, args);
  return error;
}

dvt_status dvt_error(TF_Code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dvt_status error = dvt_error_v(code, format, args);
  va_end(args);
  return error;
}

dvt_status dvt_error_out_of_memory(size_t bytes) {
  // Small failures mean the heap is exhausted: naming the size would need memory that is not there.
  if (bytes < 4096) return &out_of_memory;
  return dvt_error(TF_RESOURCE_EXHAUSTED,
                   "out of memory: %zu bytes could not be allocated; free memory or make the "
                   "tensors smaller",
                   bytes);
}

TF_Code dvt_status_code(dvt_status status) { return status ? status->code : TF_OK; }
const char *dvt_status_message(dvt_status status) { return status ? status->message : ""; }

static void payloads_free(dvt_payload *payload) {
  while (payload) {
    dvt_payload *next = payload->next;
    dvt_free(payload->value);
    dvt_free(payload);
    payload = next;
  }
}

// A copy in the same order; what memory is too short for is left out.
static dvt_payload *payloads_copy(const dvt_payload *from) {
  dvt_payload *copies = NULL, **last = &copies;
  for (; from; from = from->next) {
    size_t key_bytes = strlen(from->key) + 1;
    dvt_payload *copy = dvt_malloc(sizeof *copy + key_bytes);
    char *value = copy ? dvt_strndup(dvt_str_from(from->value)) : NULL;
    if (!value) {
      dvt_free(copy);
      break;
    }
    memcpy(copy->key, from->key, key_bytes);
    copy->value = value;
    copy->next = NULL;
    *last = copy;
    last = &copy->next;
  }
  return copies;
}

void dvt_status_free(dvt_status status) {
  if (!status || status->is_static) return;
  payloads_free(status->payloads);
  dvt_free(status);
}

dvt_status dvt_status_clone(dvt_status status) {
  if (!status || status->is_static) return status;
  char *room;
  dvt_status copy = error_new(status->code, status->len, &room);
  if (!copy) return &out_of_memory;
  memcpy(room, status->message, status->len);
  copy->payloads = payloads_copy(status->payloads);
  return copy;
}

dvt_status dvt_status_annotate(dvt_status status, const char *format, ...) {
  if (!status) return NULL;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int extra = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *room;
  dvt_status grown = extra > 0 ? error_new(status->code, status->len + (size_t)extra, &room) : NULL;
  if (grown) {
    memcpy(room, status->message, status->len);
    vsnprintf(room + status->len, (size_t)extra + 1, format, args);
    grown->payloads = status->payloads;
    status->payloads = NULL;
    dvt_status_free(status);
  }
  va_end(args);
  return grown ? grown : status;
}

void dvt_tf_status_clear_slow(TF_Status *status) {
  if (DVT_UNLIKELY((int)status->code == DVT_DEAD_CODE)) {
    dvt_handle_report_dead(status, DVT_HANDLE_STATUS, "a function that sets a TF_Status");
    return;
  }
  payloads_free(status->payloads);
  dvt_free(status->owned);
  *status = (TF_Status){TF_OK, "", NULL, NULL};
}

void dvt_tf_status_set(TF_Status *status, TF_Code code, dvt_str message) {
  if (code == TF_OK) {
    dvt_tf_status_clear(status);
    return;
  }
  char *copy = message.len ? dvt_strndup(message) : NULL;
  dvt_tf_status_clear(status);
  if (DVT_UNLIKELY((int)status->code == DVT_DEAD_CODE)) {
    dvt_free(copy);
    return;
  }
  status->code = dvt_code_normalize((int)code);
  status->owned = copy;
  if (copy)
    status->message = copy;
  else
    status->message = message.len ? "out of memory: the text of this error could not be kept" : "";
}

// Apart from the entry point, which with it would save and restore registers at every call that goes well.
DVT_COLD static void store_error(dvt_status status, TF_Status *out) {
  if (out && (int)out->code != DVT_DEAD_CODE) {
    dvt_tf_status_set(out, status->code, dvt_str_from(dvt_status_message(status)));
    out->payloads = status->payloads;
    if (status->payloads) status->payloads = NULL;  // the static error is not written to
  }
  dvt_status_free(status);
}

void dvt_status_to_tf(dvt_status status, TF_Status *out) {
  if (DVT_UNLIKELY(status))
    store_error(status, out);
  else if (out)
    dvt_tf_status_clear(out);
}

dvt_status dvt_status_from_tf(const TF_Status *in) {
  if (!in || in->code == TF_OK) return NULL;
  dvt_status status = dvt_error(in->code, "%s", in->message);
  if (!status->is_static) status->payloads = payloads_copy(in->payloads);
  return status;
}
