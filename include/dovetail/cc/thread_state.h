// What this layer keeps for each thread: a status for C calls, and the kernel call or construction that the
// thread runs.
#ifndef DOVETAIL_CC_THREAD_STATE_H_
#define DOVETAIL_CC_THREAD_STATE_H_

#include "dovetail/cc/base.h"
#include "dovetail/cc/status.h"
#include "tensorflow/c/kernels.h"

DVT_CC_BEGIN
namespace tensorflow {

class OpKernelContext;

namespace dvt {

struct ThreadState {
  TF_Status *scratch = nullptr;
  OpKernelContext *computing = nullptr;
  TF_OpKernelContext *c_computing = nullptr;
  TF_OpKernelConstruction *constructing = nullptr;
  ~ThreadState() { TF_DeleteStatus(scratch); }
};

inline ThreadState *This() {
  static thread_local ThreadState state;
  return &state;
}

// A TF_Status of this thread for one C call after another, OK whenever nobody uses it: a call costs no
// allocation.
inline TF_Status *ScratchStatus(ThreadState *state) {
  if (TF_PREDICT_FALSE(state->scratch == nullptr)) state->scratch = TF_NewStatus();
  return state->scratch;
}
inline TF_Status *ScratchStatus() { return ScratchStatus(This()); }

// What a C call reported; the scratch status is OK again afterwards.
inline Status TakeStatus(TF_Status *status) {
  if (TF_PREDICT_TRUE(TF_GetCode(status) == TF_OK)) return Status();
  Status result(static_cast<error::Code>(TF_GetCode(status)), TF_Message(status));
  TF_SetStatus(status, TF_OK, "");
  return result;
}

inline void StoreStatus(const Status &from, TF_Status *to) {
  TF_SetStatus(to, static_cast<TF_Code>(from.code()), from.error_message().c_str());
}

// Runs what a source brings; an exception becomes the error that `report` gets. Nothing passes.
template <class Run, class Report>
void Guard(const Run &run, const Report &report) noexcept {
#if DVT_CC_EXCEPTIONS
  try {
    run();
  } catch (const Failure &failure) {
    report(failure.status);
  } catch (const std::bad_alloc &) {
    report(Status(error::RESOURCE_EXHAUSTED, "out of memory"));
  } catch (const std::exception &e) {
    report(errors::Internal("exception: ", e.what()));
  } catch (...) {
    report(Status(error::INTERNAL, "exception of an unknown type"));
  }
#else
  run();
  dvt_ignore(report);
#endif
}

}  // namespace dvt
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_THREAD_STATE_H_
