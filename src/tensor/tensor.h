// struct TF_Tensor: a dtype, a shape and a reference to a buffer. The same struct serves as the public handle
// and, by value, as what flows between nodes of a running plan. Handles come from a free list.
#ifndef DVT_TENSOR_TENSOR_H_
#define DVT_TENSOR_TENSOR_H_

#include "base/buf.h"
#include "base/status.h"
#include "tensor/buffer.h"
#include "tensor/dtype.h"
#include "tensorflow/c/tf_tensor.h"

#define DVT_MAX_RANK 254  // stock's limit
#define DVT_INLINE_RANK 8

struct TF_Tensor {
  dvt_buffer *buffer;  // NULL: empty value (no tensor)
  void *data;          // == buffer->data
  int32_t dtype;       // with rank one word, see dvt_tensor_kind_word
  int32_t rank;
  union {
    int64_t inline_dims[DVT_INLINE_RANK];
    int64_t *heap_dims;  // rank > DVT_INLINE_RANK
  } shape;
  // Handles only: whose reference it reads through (loan.h), and under which number. NULL: its own.
  _Atomic(struct dvt_lender *) lender;
  int32_t loan;
};

static inline const int64_t *dvt_tensor_dims(const TF_Tensor *t) {
  return t->rank <= DVT_INLINE_RANK ? t->shape.inline_dims : t->shape.heap_dims;
}

// dtype and rank as one word. They are copied and compared together, and a load of both that follows a store
// of each waits until the stores have left the processor's queue, so they are stored together too.
typedef struct dvt_tensor_kind {
  _Alignas(8) int32_t dtype;
  int32_t rank;
} dvt_tensor_kind;
static inline uint64_t dvt_tensor_kind_word(int dtype, int rank) {
  dvt_tensor_kind kind = {dtype, rank};
  uint64_t word;
  memcpy(&word, &kind, sizeof word);
  return word;
}
static inline uint64_t dvt_tensor_get_kind(const TF_Tensor *t) {
  uint64_t word;
  memcpy(&word, &t->dtype, sizeof word);
  return word;
}
static inline void dvt_tensor_set_kind(TF_Tensor *t, uint64_t word) { memcpy(&t->dtype, &word, sizeof word); }

// *out becomes a second view of *from, whose rank is DVT_INLINE_RANK at most; references are the caller's to
// count. Copies the dims that there are, not the room for them: wide loads of what was just written stall.
static inline void dvt_tensor_view(TF_Tensor *out, const TF_Tensor *from) {
  int32_t rank = from->rank;
  out->buffer = from->buffer;
  out->data = from->data;
  dvt_tensor_set_kind(out, dvt_tensor_get_kind(from));
  for (int32_t i = 0; i < rank; i++) {
    out->shape.inline_dims[i] = from->shape.inline_dims[i];
    DVT_FEW_TURNS();
  }
}

// Number of elements and bytes of a shape, checked. Errors: INVALID_ARGUMENT for negative dims, rank out of
// 0..254, products that overflow int64/size_t; messages name the shape.
dvt_status dvt_shape_count(const int64_t *dims, int rank, int64_t *out_count) DVT_NODISCARD;
dvt_status dvt_shape_bytes(int dtype, const int64_t *dims, int rank, size_t *out_bytes) DVT_NODISCARD;
int64_t dvt_tensor_count(const TF_Tensor *t);  // elements; product of dims

// By-value tensors. *out must be empty (zeroed or reset).
dvt_status dvt_tensor_init_allocate(TF_Tensor *out, int dtype, const int64_t *dims, int rank) DVT_NODISCARD;
// As above for a value that stays (dvt_buffer_allocate_lasting).
dvt_status dvt_tensor_init_lasting(TF_Tensor *out, int dtype, const int64_t *dims, int rank) DVT_NODISCARD;
// As above but the storage comes from `slot` where the dtype allows (NULL slot: heap).
dvt_status dvt_tensor_init_in_slot(TF_Tensor *out, int dtype, const int64_t *dims, int rank,
                                   dvt_slot *slot) DVT_NODISCARD;
// Takes over one reference to `buffer`, also on failure (rank > 8 may need memory).
dvt_status dvt_tensor_init_with_buffer(TF_Tensor *out, int dtype, const int64_t *dims, int rank,
                                       dvt_buffer *buffer) DVT_NODISCARD;
// *out becomes another reference to src's buffer. Cannot fail for rank <= 8; RESOURCE_EXHAUSTED otherwise.
dvt_status dvt_tensor_init_copy(TF_Tensor *out, const TF_Tensor *src) DVT_NODISCARD;
void dvt_tensor_move(TF_Tensor *out, TF_Tensor *src);  // *out must be empty; *src becomes empty
void dvt_tensor_reset(TF_Tensor *t);                   // drops the reference; t becomes empty
dvt_status dvt_tensor_set_shape(TF_Tensor *t, const int64_t *dims, int rank) DVT_NODISCARD;  // no size check
// Does the buffer hold as many bytes as dtype and shape ask for? Tensors from users need not (TF_SetShape,
// TF_NewTensor with strings); check before elements are read. INVALID_ARGUMENT otherwise, also for unknown
// dtypes.
dvt_status dvt_tensor_check_size(const TF_Tensor *t) DVT_NODISCARD;
static inline bool dvt_tensor_is_empty(const TF_Tensor *t) { return t->buffer == NULL; }
// Are its elements references to objects? Not in memory that a program gave (TF_NewTensor), whose bytes are
// no pointers to follow whatever the dtype says.
static inline bool dvt_tensor_holds_objects(const TF_Tensor *t) {
  return (t->dtype == TF_RESOURCE || t->dtype == TF_VARIANT) && t->buffer && t->buffer->owned &&
         t->buffer->element_dtype == t->dtype;
}

// A view of a tensor that the runtime made and checked.
static inline bool dvt_tensor_is_lent(const TF_Tensor *t) {
  return atomic_load_explicit(&t->lender, memory_order_relaxed) != NULL;
}

// Handles on the heap (free list). NULL when out of memory.
TF_Tensor *dvt_tensor_handle_new(void) DVT_NODISCARD;                   // an empty value in a handle
TF_Tensor *dvt_tensor_handle_copy(const TF_Tensor *src) DVT_NODISCARD;  // shares the buffer
void dvt_tensor_handle_delete(TF_Tensor *handle);                       // resets and frees; NULL is fine
// Ends a loan (loan.h); false when the handle stays for its lender to free. Internal to delete.
bool dvt_loan_end(TF_Tensor *handle, struct dvt_lender *lender);

// A deep copy in fresh, runtime-owned memory (strings copied, objects retained).
dvt_status dvt_tensor_clone(const TF_Tensor *src, TF_Tensor *out) DVT_NODISCARD;

// "float[2,3]" into *out; with values when max_values > 0 ("float[3]{1, 2, 3}").
void dvt_tensor_describe(const TF_Tensor *t, int max_values, dvt_buf *out);

#endif  // DVT_TENSOR_TENSOR_H_
