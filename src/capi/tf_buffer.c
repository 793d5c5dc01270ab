// TF_Buffer: bytes with the function that frees them.
#include "tensorflow/c/tf_buffer.h"

#include "base/alloc.h"
#include "base/handles.h"
#include "capi/buffer.h"

static void free_bytes(void *data, size_t length) {
  (void)length;
  dvt_free(data);
}

TF_Buffer *TF_NewBuffer(void) {
  TF_Buffer *buffer = dvt_calloc(1, sizeof(TF_Buffer));
  dvt_handle_made(buffer, DVT_HANDLE_BUFFER);
  return buffer;
}

TF_Buffer *TF_NewBufferFromString(const void *proto, size_t proto_len) {
  TF_Buffer *buffer = TF_NewBuffer();
  size_t room;
  void *copy = buffer ? dvt_large_alloc(1, proto_len, &room) : NULL;
  if (!copy) {
    TF_DeleteBuffer(buffer);
    return NULL;
  }
  if (proto_len) memcpy(copy, proto, proto_len);
  *buffer = (TF_Buffer){copy, proto_len, free_bytes};
  return buffer;
}

void TF_DeleteBuffer(TF_Buffer *buffer) {
  if (!buffer || !dvt_handle_may_delete(buffer, DVT_HANDLE_BUFFER, "TF_DeleteBuffer")) return;
  if (buffer->data_deallocator) buffer->data_deallocator((void *)(uintptr_t)buffer->data, buffer->length);
  dvt_free(buffer);
}

TF_Buffer TF_GetBuffer(TF_Buffer *buffer) { return buffer ? *buffer : (TF_Buffer){0}; }

dvt_status dvt_buf_to_tf_buffer(dvt_buf *buf, TF_Buffer *out_buffer) {
  if (!buf->failed && !buf->data) dvt_buf_append(buf, "", 0);
  size_t len = buf->len;
  if (buf->failed) {
    dvt_buf_deinit(buf);
    return dvt_error_out_of_memory(len);
  }
  if (out_buffer->data) {
    dvt_buf_deinit(buf);
    return dvt_error(TF_INVALID_ARGUMENT,
                     "the TF_Buffer for the result already holds data; pass one fresh from TF_NewBuffer");
  }
  *out_buffer = (TF_Buffer){dvt_buf_release(buf), len, free_bytes};
  return NULL;
}

TF_Buffer *dvt_buf_hand_out(dvt_buf *buf, dvt_status *out_error) {
  TF_Buffer *buffer = TF_NewBuffer();
  if (!buffer) {
    dvt_buf_deinit(buf);
    *out_error = dvt_error_out_of_memory(sizeof *buffer);
    return NULL;
  }
  *out_error = dvt_buf_to_tf_buffer(buf, buffer);
  if (!*out_error) return buffer;
  TF_DeleteBuffer(buffer);
  return NULL;
}
