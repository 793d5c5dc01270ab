// Buffers of debug mode (DVT_DEBUG_MEMORY): the data lies between two guard zones of known bytes. What a
// kernel writes beside its tensor is found when its call ends or the buffer is freed; freed memory is kept a
// while, filled with known bytes as well, and what is written into it is found when it goes.
#ifndef DVT_TENSOR_GUARD_H_
#define DVT_TENSOR_GUARD_H_

#include "tensor/buffer.h"

#define DVT_GUARD_BYTES ((size_t)256)  // each zone

// As dvt_buffer_allocate.
dvt_buffer *dvt_guarded_new(size_t bytes, int dtype) DVT_NODISCARD DVT_COLD;
// Reports what was written beside the data, and mends it so that it is told once. Nothing for other buffers.
// `function`: what found it. False when there was something.
bool dvt_guard_check(dvt_buffer *buffer, const char *function);
void dvt_guarded_free(dvt_buffer *buffer) DVT_COLD;

#endif  // DVT_TENSOR_GUARD_H_
