// What the entry points that fill a caller's TF_Buffer share.
#ifndef DVT_CAPI_BUFFER_H_
#define DVT_CAPI_BUFFER_H_

#include "base/buf.h"
#include "base/status.h"
#include "tensorflow/c/tf_buffer.h"

// Moves the bytes of *buf (emptied, also on failure) into *out_buffer. RESOURCE_EXHAUSTED when composing them
// failed, INVALID_ARGUMENT when *out_buffer is not fresh.
dvt_status dvt_buf_to_tf_buffer(dvt_buf *buf, TF_Buffer *out_buffer) DVT_NODISCARD;
// The same into a new buffer that the caller hands out; NULL beside an error.
TF_Buffer *dvt_buf_hand_out(dvt_buf *buf, dvt_status *out_error) DVT_NODISCARD;
static inline dvt_str dvt_tf_buffer_str(const TF_Buffer *buffer) {
  return dvt_str_make((const char *)buffer->data, buffer->length);
}

#endif  // DVT_CAPI_BUFFER_H_
