// Chunks of large pages that long-lived buffers of middle size are cut from, one behind the other. A chunk
// goes when the last of them does; nothing is reused before.
#ifndef DVT_TENSOR_CHUNK_H_
#define DVT_TENSOR_CHUNK_H_

#include "base/base.h"

typedef struct dvt_chunk dvt_chunk;

// 64-byte aligned room and one reference to its chunk. NULL when the size, or what was taken so far in this
// process, does not call for large pages, or when there is no memory: then the heap serves.
void *dvt_chunk_take(size_t bytes, dvt_chunk **out_chunk) DVT_NODISCARD;
void dvt_chunk_release(dvt_chunk *chunk);

#endif  // DVT_TENSOR_CHUNK_H_
