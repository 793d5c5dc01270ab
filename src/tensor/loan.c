// Lending tensors to the kernel that runs; see loan.h. A handle is deleted in tensor.c, which asks here for
// lent ones.
#include "tensor/loan.h"

#include "base/handles.h"
#include "base/thread_cache.h"

_Thread_local dvt_lender *dvt_lender_current __attribute__((tls_model("initial-exec")));

// What the lender of a handle becomes that another thread deleted.
static dvt_lender returned;

static bool handle_new(dvt_lender *lender, int loan) {
  TF_Tensor *handle = dvt_tensor_handle_new();
  if (!handle) return false;
  atomic_store_explicit(&handle->lender, lender, memory_order_relaxed);
  handle->loan = loan;
  lender->handles[loan] = handle;
  return true;
}

TF_Tensor *dvt_lend(dvt_lender *lender, const TF_Tensor *from, int source) {
  if (!dvt_lender_is_here(lender)) return NULL;
  int loan = __builtin_ctz(~atomic_load_explicit(&lender->open, memory_order_relaxed));
  if (loan < DVT_MAX_LOANS && !lender->handles[loan] && !handle_new(lender, loan)) return NULL;
  return dvt_lend_again(lender, from, source);
}

bool dvt_lender_has_lent(const dvt_lender *lender, const dvt_buffer *buffer) {
  unsigned open = atomic_load_explicit(&lender->open, memory_order_relaxed);
  if (DVT_LIKELY(!open)) return false;
  if (!dvt_lender_is_here(lender)) return true;
  for (; open; open &= open - 1)
    if (lender->handles[__builtin_ctz(open)]->buffer == buffer) return true;
  return false;
}

static inline void close(dvt_lender *lender, const TF_Tensor *handle) {
  unsigned open = atomic_load_explicit(&lender->open, memory_order_relaxed);
  atomic_store_explicit(&lender->open, open & ~(1u << handle->loan), memory_order_relaxed);
}

bool dvt_loan_end(TF_Tensor *handle, dvt_lender *lender) {
  if (DVT_LIKELY(lender == dvt_lender_current)) {
    close(lender, handle);
    // Sanitizers see the use of a deleted handle only when it is freed.
    if (DVT_CACHE_OFF) lender->handles[handle->loan] = NULL;
    return DVT_CACHE_OFF;
  }
  if (atomic_compare_exchange_strong(&handle->lender, &lender, &returned)) return false;
  dvt_buffer_release(handle->buffer);  // settled meanwhile: the reference is its own
  return true;
}

void dvt_lender_settle(dvt_lender *lender) {
  for (unsigned open = atomic_load_explicit(&lender->open, memory_order_relaxed); open; open &= open - 1) {
    int loan = __builtin_ctz(open);
    TF_Tensor *handle = lender->handles[loan];
    dvt_lender *expected = lender;
    lender->handles[loan] = NULL;
    dvt_buffer_retain(handle->buffer);
    if (atomic_compare_exchange_strong(&handle->lender, &expected, NULL)) continue;
    atomic_store_explicit(&handle->lender, NULL, memory_order_relaxed);
    dvt_tensor_handle_delete(handle);
  }
  atomic_store_explicit(&lender->open, 0, memory_order_relaxed);
}

void dvt_lender_deinit(dvt_lender *lender) {
  for (int i = 0; i < DVT_MAX_LOANS; i++) {
    TF_Tensor *handle = lender->handles[i];
    if (!handle) continue;
    lender->handles[i] = NULL;
    atomic_store_explicit(&handle->lender, NULL, memory_order_relaxed);
    handle->buffer = NULL;
    dvt_tensor_handle_delete(handle);
  }
}

dvt_status dvt_tensor_handle_own(TF_Tensor *handle) {
  dvt_lender *lender = atomic_load_explicit(&handle->lender, memory_order_relaxed);
  if (!lender) return NULL;
  if (lender != dvt_lender_current)
    return dvt_error(TF_FAILED_PRECONDITION,
                     "an input or output of a running kernel can be given another tensor only by the thread "
                     "that runs the kernel; make a handle of your own with TF_AllocateTensor");
  dvt_buffer_retain(handle->buffer);
  close(lender, handle);
  lender->handles[handle->loan] = NULL;
  atomic_store_explicit(&handle->lender, NULL, memory_order_relaxed);
  return NULL;
}
