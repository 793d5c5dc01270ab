// CancellationManager: callbacks for the case that the step is cancelled.
#ifndef DOVETAIL_CC_CANCELLATION_H_
#define DOVETAIL_CC_CANCELLATION_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "dovetail/cc/base.h"
#include "dovetail/cc/thread_state.h"
#include "dovetail/kernel_context.h"

DVT_CC_BEGIN
namespace tensorflow {

typedef int64 CancellationToken;
typedef std::function<void()> CancelCallback;

// Belongs to one kernel call. It hands out tokens of its own, which stand for those of the host.
class CancellationManager {
 public:
  static const CancellationToken kInvalidToken = -1;
  explicit CancellationManager(TF_OpKernelContext *ctx) : ctx_(ctx) {}

  CancellationToken get_cancellation_token() { return next_.fetch_add(1); }
  bool IsCancelled() { return TF_OpKernelContext_IsCancelled(ctx_); }
  bool IsCancelling() { return IsCancelled(); }

  // False, and the callback will not run, when the step is cancelled already.
  bool RegisterCallback(CancellationToken token, CancelCallback callback) {
    auto *call = new CancelCallback(std::move(callback));
    TF_Status *s = dvt::ScratchStatus();
    int64_t host = TF_OpKernelContext_RegisterCancellation(
        ctx_,
        [](void *arg) {
          std::unique_ptr<CancelCallback> run(static_cast<CancelCallback *>(arg));
          dvt::Guard([&] { (*run)(); }, [](const Status &) {});
        },
        call, s);
    if (!dvt::TakeStatus(s).ok()) {
      delete call;
      return false;
    }
    std::lock_guard<std::mutex> hold(mu_);
    callbacks_[token] = {host, call};
    return true;
  }
  // True: it has not run and will not. Waits for one that runs.
  bool DeregisterCallback(CancellationToken token) {
    return Remove(token, TF_OpKernelContext_DeregisterCancellation);
  }
  bool TryDeregisterCallback(CancellationToken token) {
    return Remove(token, TF_OpKernelContext_TryDeregisterCancellation);
  }

 private:
  struct Callback {
    int64_t host;
    CancelCallback *call;
  };
  template <class F>
  bool Remove(CancellationToken token, F remove) {
    Callback found;
    {
      std::lock_guard<std::mutex> hold(mu_);
      auto it = callbacks_.find(token);
      if (it == callbacks_.end()) return false;
      found = it->second;
      callbacks_.erase(it);
    }
    if (!remove(ctx_, found.host)) return false;
    delete found.call;
    return true;
  }

  TF_OpKernelContext *ctx_;
  std::atomic<CancellationToken> next_{1};
  std::mutex mu_;
  std::map<CancellationToken, Callback> callbacks_;
};

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_CANCELLATION_H_
