// Loans: handles that read a tensor through the reference of whoever lends it, so that taking and deleting
// one counts nothing. A walker lends the inputs and outputs of a kernel for the length of its call. A handle
// that is still there when the call ends gets a reference of its own (dvt_lender_settle).
//
// The ledger belongs to the thread that runs the call and keeps returned handles for the next loan. A handle
// that another thread deletes meanwhile is only marked; the lender frees it when it settles. A lent handle's
// content never changes: what would change it makes it own its reference first (dvt_tensor_handle_own).
#ifndef DVT_TENSOR_LOAN_H_
#define DVT_TENSOR_LOAN_H_

#include "tensor/tensor.h"

#define DVT_MAX_LOANS 8  // at a time; further handles count their references

typedef struct dvt_lender {
  TF_Tensor *handles[DVT_MAX_LOANS];  // lent or kept for the next loan; NULL: made then
  int32_t sources[DVT_MAX_LOANS];     // which input it reads; -1: an output
  atomic_uint open;                   // a bit for each handle; written by the lender's thread alone
} dvt_lender;

// The lender that this thread runs a call for; NULL: none.
extern _Thread_local dvt_lender *dvt_lender_current __attribute__((tls_model("initial-exec")));

static inline bool dvt_lender_is_here(const dvt_lender *lender) {
  return lender && lender == dvt_lender_current;
}
static inline bool dvt_lender_has_open(const dvt_lender *lender) {
  return atomic_load_explicit(&lender->open, memory_order_relaxed) != 0;
}

// A handle of an earlier loan, for a view of *from; NULL when there is none, or dvt_lend would give none.
static inline TF_Tensor *dvt_lend_again(dvt_lender *lender, const TF_Tensor *from, int source) {
  if (!dvt_lender_is_here(lender) || DVT_UNLIKELY(from->rank > DVT_INLINE_RANK)) return NULL;
  unsigned open = atomic_load_explicit(&lender->open, memory_order_relaxed);
  int loan = __builtin_ctz(~open);
  if (DVT_UNLIKELY(loan >= DVT_MAX_LOANS)) return NULL;
  TF_Tensor *handle = lender->handles[loan];
  if (DVT_UNLIKELY(!handle)) return NULL;
  dvt_tensor_view(handle, from);
  lender->sources[loan] = source;
  atomic_store_explicit(&lender->open, open | 1u << loan, memory_order_relaxed);
  return handle;
}
// The same for handles[0] and whoever has filled it in, when no loan is open.
static inline void dvt_lender_open_first(dvt_lender *lender, int source) {
  lender->sources[0] = source;
  atomic_store_explicit(&lender->open, 1, memory_order_relaxed);
}
// A handle to *from, whose reference outlives the call; NULL when it must count its own: another thread's
// lender or none, a rank that needs memory, too many loans, out of memory. May be asked when dvt_lend_again
// gave none.
TF_Tensor *dvt_lend(dvt_lender *lender, const TF_Tensor *from, int source) DVT_NODISCARD;
// Does a handle that is out read the buffer? Any thread may ask; another than the lender's is told of any.
bool dvt_lender_has_lent(const dvt_lender *lender, const dvt_buffer *buffer);
// The input that the handle reads; -1: no loan of this lender to this thread, or no input.
static inline int dvt_loan_source(const dvt_lender *lender, const TF_Tensor *handle) {
  if (!dvt_lender_is_here(lender) || atomic_load_explicit(&handle->lender, memory_order_relaxed) != lender)
    return -1;
  return lender->sources[handle->loan];
}
// Ends all loans.
void dvt_lender_settle(dvt_lender *lender) DVT_COLD;
// Frees the handles it keeps; none is lent.
void dvt_lender_deinit(dvt_lender *lender);

// Gives the handle its own reference before its content changes. FAILED_PRECONDITION on another thread
// than the lender's.
dvt_status dvt_tensor_handle_own(TF_Tensor *handle) DVT_NODISCARD;

#endif  // DVT_TENSOR_LOAN_H_
