// dvt_buffer: reference-counted bytes behind tensors. Either allocated by the runtime (header and data in one
// block, data 64-byte aligned) or adopted from a user with a deallocator. The bytes of elements that own
// memory (strings, resources, variants) are destroyed by an owned buffer at its last release.
#ifndef DVT_TENSOR_BUFFER_H_
#define DVT_TENSOR_BUFFER_H_

#include <stdatomic.h>

#include "base/base.h"

#define DVT_TENSOR_ALIGNMENT 64

typedef void (*dvt_deallocator)(void *data, size_t bytes, void *arg);

typedef struct dvt_buffer {
  atomic_int refs;
  // 1 while a dvt_slot holds one of the references: a tensor is the only user when refs == 1 + slot_refs.
  atomic_int slot_refs;
  void *data;             // never NULL; a private byte for zero bytes
  size_t bytes;           // what TF_TensorByteSize reports
  size_t capacity;        // bytes that may be used (slots reuse buffers for smaller tensors)
  bool owned;             // allocated by the runtime; may be moved and forwarded
  bool is_accounted;      // adopted memory whose deallocator is a plugin's
  uint8_t element_dtype;  // TF_STRING/TF_RESOURCE/TF_VARIANT when owned elements must be destroyed, else 0
  bool guarded;           // of debug mode (guard.h)
  dvt_deallocator deallocator;  // adopted memory; may be NULL
  void *deallocator_arg;        // of an owned buffer: the chunk that it lies in, NULL, or itself if guarded
} dvt_buffer;

// Runtime-owned, uninitialised (zeroed when element_dtype is one that owns memory: every element is valid and
// empty). NULL when out of memory.
dvt_buffer *dvt_buffer_allocate(size_t bytes, int dtype) DVT_NODISCARD;
// The same, for a value that is there for as long as a session or a variable: those of middle size share
// large pages, which come in a small fraction of the time that first touching small ones takes. Each keeps
// its whole chunk alive, so it is not for what comes and goes. Dtypes whose elements own no memory.
dvt_buffer *dvt_buffer_allocate_lasting(size_t bytes) DVT_NODISCARD;
// Takes over `data`; `deallocator` runs at the last release. NULL when out of memory (then it has run
// already).
dvt_buffer *dvt_buffer_adopt(void *data, size_t bytes, dvt_deallocator deallocator, void *arg) DVT_NODISCARD;

static inline dvt_buffer *dvt_buffer_retain(dvt_buffer *buffer) {
  atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
  return buffer;
}
void dvt_buffer_destroy(dvt_buffer *buffer);  // internal to release
static inline void dvt_buffer_release(dvt_buffer *buffer) {
  if (!buffer) return;
  // The only holder needs no atomic read-modify-write.
  if (atomic_load_explicit(&buffer->refs, memory_order_acquire) == 1 ||
      atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) == 1)
    dvt_buffer_destroy(buffer);
}
// One more reference to a buffer that nobody but the caller can reach: no atomic read-modify-write is needed.
static inline dvt_buffer *dvt_buffer_retain_unique(dvt_buffer *buffer) {
  int refs = atomic_load_explicit(&buffer->refs, memory_order_relaxed);
  atomic_store_explicit(&buffer->refs, refs + 1, memory_order_relaxed);
  return buffer;
}
// Is the caller's reference the only one, apart from a slot's?
static inline bool dvt_buffer_is_unique(const dvt_buffer *buffer) {
  int slot = atomic_load_explicit(&buffer->slot_refs, memory_order_relaxed);
  return atomic_load_explicit(&buffer->refs, memory_order_acquire) == 1 + slot;
}

// A slot keeps one runtime-owned buffer for reuse across steps of a plan: no malloc in the steady state. If
// the buffer is still in use (a kernel or user kept a handle) or too small, acquire replaces it and the old
// one lives on with its users. A slot belongs to one running step at a time.
typedef struct dvt_slot {
  dvt_buffer *buffer;
} dvt_slot;
// A buffer with one reference for the caller; bytes set. NULL when out of memory. Only for dtypes without
// owned elements (others: dvt_buffer_allocate).
dvt_buffer *dvt_slot_acquire(dvt_slot *slot, size_t bytes) DVT_NODISCARD;
// Takes back a value's reference to the slot's buffer when the two are its only holders, so that nobody else
// can count at the same time; false when it must be released as any other. Only the slot's running step may
// call.
static inline bool dvt_slot_take_back(const dvt_slot *slot, dvt_buffer *buffer) {
  if (!slot || !buffer || slot->buffer != buffer) return false;
  if (atomic_load_explicit(&buffer->refs, memory_order_acquire) != 2) return false;
  atomic_store_explicit(&buffer->refs, 1, memory_order_relaxed);
  return true;
}
void dvt_slot_deinit(dvt_slot *slot);

#endif  // DVT_TENSOR_BUFFER_H_
