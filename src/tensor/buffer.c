// Making and destroying reference-counted buffers. An owned buffer is one block: the header in its first 64
// bytes, the data behind it. Blocks for up to 4 KiB of data come in four sizes from the thread's free lists.
#include "tensor/buffer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/code_owner.h"
#include "base/debug.h"
#include "base/thread_cache.h"
#include "tensor/chunk.h"
#include "tensor/dtype.h"
#include "tensor/guard.h"
#include "tensor/object.h"
#include "tensorflow/c/tf_tstring.h"

#define HEADER_BYTES ((size_t)DVT_TENSOR_ALIGNMENT)
_Static_assert(sizeof(dvt_buffer) <= HEADER_BYTES, "data starts behind the header");

// What dvt_buffer.data points to when an adopted buffer has none.
static _Alignas(DVT_TENSOR_ALIGNMENT) char no_data[DVT_TENSOR_ALIGNMENT];

static const struct {
  size_t capacity;
  dvt_cache_kind kind;
} block_sizes[] = {{64, DVT_CACHE_BLOCK_64},
                   {256, DVT_CACHE_BLOCK_256},
                   {1024, DVT_CACHE_BLOCK_1024},
                   {4096, DVT_CACHE_BLOCK_4096}};

// A block from the free lists; else NULL and how much a new one should hold.
static inline dvt_buffer *block_pop(size_t bytes, size_t *out_capacity) {
  *out_capacity = bytes;
  for (size_t i = 0; i < DVT_COUNT_OF(block_sizes) && !DVT_CACHE_OFF; i++) {
    if (bytes > block_sizes[i].capacity) continue;
    *out_capacity = block_sizes[i].capacity;
    return dvt_cache_pop(block_sizes[i].kind);
  }
  return NULL;
}

// A block whose data has room for *capacity bytes: whole large pages where that wastes little, else exactly
// as many.
static dvt_buffer *block_new(size_t *capacity) {
  size_t total;
  if (!dvt_size_add(*capacity, HEADER_BYTES, &total)) return NULL;
  dvt_buffer *buffer = dvt_large_alloc(DVT_TENSOR_ALIGNMENT, total, &total);
  *capacity = total - HEADER_BYTES;
  return buffer;
}

static void block_free(dvt_buffer *buffer) {
  if (buffer->deallocator_arg) {
    if (DVT_UNLIKELY(buffer->guarded))
      dvt_guarded_free(buffer);
    else
      dvt_chunk_release(buffer->deallocator_arg);
    return;
  }
  for (size_t i = 0; i < DVT_COUNT_OF(block_sizes); i++) {
    if (buffer->capacity != block_sizes[i].capacity) continue;
    if (dvt_cache_push(block_sizes[i].kind, buffer)) return;
    break;
  }
  dvt_free(buffer);
}

static bool elements_own_memory(int dtype) {
  return dtype == TF_STRING || dtype == TF_RESOURCE || dtype == TF_VARIANT;
}

dvt_buffer *dvt_buffer_allocate(size_t bytes, int dtype) {
  size_t capacity;
  dvt_buffer *buffer = block_pop(bytes, &capacity);
  if (!buffer) {
    if (dvt_debug_has(DVT_DEBUG_MEMORY)) return dvt_guarded_new(bytes, dtype);
    buffer = block_new(&capacity);
    if (!buffer) return NULL;
  }
  void *data = (char *)buffer + HEADER_BYTES;
  *buffer = (dvt_buffer){.data = data, .bytes = bytes, .capacity = capacity, .owned = true};
  atomic_init(&buffer->refs, 1);
  if (elements_own_memory(dtype)) {
    buffer->element_dtype = (uint8_t)dtype;
    memset(data, 0, capacity);
  }
  return buffer;
}

dvt_buffer *dvt_buffer_allocate_lasting(size_t bytes) {
  dvt_chunk *chunk;
  size_t total;
  if (!dvt_size_add(bytes, HEADER_BYTES, &total)) return NULL;
  dvt_buffer *buffer = dvt_debug_has(DVT_DEBUG_MEMORY) ? NULL : dvt_chunk_take(total, &chunk);
  if (!buffer) return dvt_buffer_allocate(bytes, 0);
  *buffer = (dvt_buffer){.data = (char *)buffer + HEADER_BYTES,
                         .bytes = bytes,
                         .capacity = bytes,
                         .owned = true,
                         .deallocator_arg = chunk};
  atomic_init(&buffer->refs, 1);
  return buffer;
}

static const char accounted[] = "tensors with its deallocator";

// A plugin stays as long as tensors will call it.
static bool account(dvt_deallocator deallocator) {
  const void *code;
  DVT_CODE_ADDRESS(deallocator, &code);
  return dvt_owned_take(dvt_code_owner_find(code), accounted, accounted, NULL) != NULL;
}

static void run_deallocator(const dvt_buffer *buffer, void *data) {
  const void *code;
  buffer->deallocator(data, buffer->bytes, buffer->deallocator_arg);
  if (DVT_LIKELY(!buffer->is_accounted)) return;
  DVT_CODE_ADDRESS(buffer->deallocator, &code);
  dvt_owned_drop(dvt_owned_find(dvt_code_owner_find(code), accounted));
}

dvt_buffer *dvt_buffer_adopt(void *data, size_t bytes, dvt_deallocator deallocator, void *arg) {
  dvt_buffer *buffer = dvt_cache_pop(DVT_CACHE_BUFFER);
  if (!buffer) buffer = dvt_malloc(sizeof *buffer);
  if (!buffer) {
    if (deallocator) deallocator(data, bytes, arg);
    return NULL;
  }
  *buffer = (dvt_buffer){.data = data ? data : no_data,
                         .bytes = bytes,
                         .capacity = bytes,
                         .is_accounted = deallocator && account(deallocator),
                         .deallocator = deallocator,
                         .deallocator_arg = arg};
  atomic_init(&buffer->refs, 1);
  return buffer;
}

// All elements that fit into the block are destroyed: those beyond `bytes` are zero, which is the empty
// element.
static void destroy_elements(dvt_buffer *buffer) {
  if (buffer->element_dtype == TF_STRING) {
    TF_TString *strings = buffer->data;
    for (size_t i = 0; i < buffer->capacity / sizeof *strings; i++) TF_TString_Dealloc(&strings[i]);
    return;
  }
  dvt_object **objects = buffer->data;
  for (size_t i = 0; i < buffer->capacity / sizeof *objects; i++) dvt_object_release(objects[i]);
}

void dvt_buffer_destroy(dvt_buffer *buffer) {
  if (buffer->owned) {
    if (buffer->element_dtype) destroy_elements(buffer);
    block_free(buffer);
    return;
  }
  void *data = buffer->data == no_data ? NULL : buffer->data;
  if (buffer->deallocator) run_deallocator(buffer, data);
  if (!dvt_cache_push(DVT_CACHE_BUFFER, buffer)) dvt_free(buffer);
}

dvt_buffer *dvt_slot_acquire(dvt_slot *slot, size_t bytes) {
  dvt_buffer *kept = slot->buffer;
  if (kept && atomic_load_explicit(&kept->refs, memory_order_acquire) == 1 && kept->capacity >= bytes) {
    kept->bytes = bytes;
    return dvt_buffer_retain_unique(kept);
  }
  dvt_buffer *fresh = dvt_buffer_allocate(bytes, 0);
  if (!fresh) return NULL;
  dvt_slot_deinit(slot);
  atomic_store_explicit(&fresh->slot_refs, 1, memory_order_relaxed);
  slot->buffer = fresh;
  return dvt_buffer_retain(fresh);
}

void dvt_slot_deinit(dvt_slot *slot) {
  if (!slot->buffer) return;
  // Before the reference goes: a reader that sees both old values counts one user too many, never one too
  // few.
  atomic_store_explicit(&slot->buffer->slot_refs, 0, memory_order_relaxed);
  dvt_buffer_release(slot->buffer);
  slot->buffer = NULL;
}
