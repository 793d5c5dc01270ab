// The inputs or outputs of one kernel call as tensors. Up to eight lie in the context itself, without a
// allocation; more get memory together. A slot once filled keeps its place while the context lives, so
// references to it hold.
#ifndef DOVETAIL_CC_TENSOR_SLOTS_H_
#define DOVETAIL_CC_TENSOR_SLOTS_H_

#include <atomic>
#include <memory>

#include "dovetail/cc/base.h"
#include "dovetail/cc/tensor.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace dvt {

class TensorSlots {
 public:
  TensorSlots() = default;
  TensorSlots(const TensorSlots &) = delete;
  ~TensorSlots() {
    if (TF_PREDICT_FALSE(more_.load(std::memory_order_relaxed) != nullptr)) delete[] more_.load();
    uint64 flags;
    static_assert(sizeof filled_ == sizeof flags, "eight flags are one word");
    std::memcpy(&flags, &filled_, sizeof flags);
    for (int i = 0; flags != 0; ++i, flags >>= 8) {
      if (flags & 1) At(i)->~Tensor();
    }
  }

  // The tensor, or NULL while the slot is empty.
  Tensor *Find(int i) {
    if (TF_PREDICT_TRUE(static_cast<unsigned>(i) < kInline)) {
      return filled_[i].load(std::memory_order_acquire) ? At(i) : nullptr;
    }
    More *more = more_.load(std::memory_order_acquire);
    return more != nullptr && more[i - kInline].filled.load(std::memory_order_acquire)
               ? &more[i - kInline].tensor
               : nullptr;
  }
  // Fills an empty slot with a handle, which it takes over. `count` is how many slots there are. One thread
  // at a time for one slot; Fill of slots past the eighth is guarded by the caller.
  Tensor *Fill(int i, int count, TF_Tensor *handle) {
    if (TF_PREDICT_TRUE(static_cast<unsigned>(i) < kInline)) {
      TensorAccess::AdoptAt(rooms_[i], handle);
      filled_[i].store(true, std::memory_order_release);
      return At(i);
    }
    More *more = more_.load(std::memory_order_acquire);
    if (more == nullptr) {
      more = new More[static_cast<size_t>(count - kInline)];
      More *none = nullptr;
      if (!more_.compare_exchange_strong(none, more)) {
        delete[] more;
        more = none;
      }
    }
    more[i - kInline].tensor = TensorAccess::Adopt(handle);
    more[i - kInline].filled.store(true, std::memory_order_release);
    return &more[i - kInline].tensor;
  }
  void Empty(int i) {
    if (static_cast<unsigned>(i) < kInline) {
      if (filled_[i].exchange(false)) At(i)->~Tensor();
    } else if (More *more = more_.load(); more != nullptr && more[i - kInline].filled.exchange(false)) {
      more[i - kInline].tensor = Tensor();
    }
  }

  static constexpr int kInline = 8;

 private:
  struct More {
    Tensor tensor;
    std::atomic<bool> filled{false};
  };
  Tensor *At(int i) { return reinterpret_cast<Tensor *>(rooms_[i]); }

  std::atomic<bool> filled_[kInline] = {};
  std::atomic<More *> more_{nullptr};
  alignas(Tensor) unsigned char rooms_[kInline][sizeof(Tensor)];
};

}  // namespace dvt
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_TENSOR_SLOTS_H_
