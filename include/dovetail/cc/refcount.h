// Objects that count who refers to them: core::RefCounted, and the pointers that hold a reference for a scope
// (ScopedUnref), as long as they live (RefCountPtr, IntrusivePtr), or not at all (WeakPtr).
#ifndef DOVETAIL_CC_REFCOUNT_H_
#define DOVETAIL_CC_REFCOUNT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "dovetail/cc/base.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace core {

// Begins with one reference, which belongs to who made it.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted &) = delete;
  void operator=(const RefCounted &) = delete;

  void Ref() const { count_.fetch_add(1, std::memory_order_relaxed); }
  // True when that was the last reference, and the object is gone.
  bool Unref() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    NotifyDeleted();
    delete this;
    return true;
  }
  int_fast32_t RefCount() const { return count_.load(std::memory_order_acquire); }
  bool RefCountIsOne() const { return RefCount() == 1; }

 protected:
  virtual ~RefCounted() = default;
  // Called before the object is destroyed.
  virtual void NotifyDeleted() const {}
  // A reference, unless there is none left to copy.
  bool TryRef() const {
    int_fast32_t count = count_.load(std::memory_order_acquire);
    while (count != 0) {
      if (count_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

 private:
  mutable std::atomic<int_fast32_t> count_{1};
};

struct RefCountDeleter {
  void operator()(const RefCounted *object) const { object->Unref(); }
};

// Owns one reference.
template <class T>
class RefCountPtr : public std::unique_ptr<T, RefCountDeleter> {
 public:
  using std::unique_ptr<T, RefCountDeleter>::unique_ptr;
  RefCountPtr() = default;
  TF_MUST_USE_RESULT RefCountPtr GetNewRef() const {
    if (this->get() != nullptr) this->get()->Ref();
    return RefCountPtr(this->get());
  }
};

// A new reference to what a pointer holds.
template <class T>
RefCountPtr<T> GetNewRef(T *object) {
  if (object != nullptr) object->Ref();
  return RefCountPtr<T>(object);
}

// Gives up one reference at the end of the scope.
class ScopedUnref {
 public:
  explicit ScopedUnref(const RefCounted *object) : object_(object) {}
  ScopedUnref(const ScopedUnref &) = delete;
  void operator=(const ScopedUnref &) = delete;
  ~ScopedUnref() {
    if (object_ != nullptr) object_->Unref();
  }

 private:
  const RefCounted *object_;
};

// What weak pointers to one object share: the object while it lives.
struct WeakTarget {
  std::mutex mu;
  const RefCounted *object;
};

class WeakRefCounted : public RefCounted {
 public:
  std::shared_ptr<WeakTarget> weak_target() const { return target_; }
  // For WeakPtr, which holds the target's lock.
  bool TryRefFromWeak() const { return TryRef(); }

 protected:
  void NotifyDeleted() const override {
    std::lock_guard<std::mutex> lock(target_->mu);
    target_->object = nullptr;
  }

 private:
  static std::shared_ptr<WeakTarget> NewTarget(const RefCounted *object) {
    auto target = std::make_shared<WeakTarget>();
    target->object = object;
    return target;
  }

  const std::shared_ptr<WeakTarget> target_ = NewTarget(this);
};

// Finds the object again as long as others keep it.
template <class T>
class WeakPtr {
 public:
  explicit WeakPtr(T *object = nullptr) : object_(object) {
    if (object != nullptr) target_ = object->weak_target();
  }
  RefCountPtr<T> GetNewRef() const {
    if (!target_) return RefCountPtr<T>();
    std::lock_guard<std::mutex> lock(target_->mu);
    // An object whose last reference has just gone waits for this lock before it is destroyed.
    if (target_->object == nullptr || !object_->TryRefFromWeak()) return RefCountPtr<T>();
    return RefCountPtr<T>(object_);
  }
  bool operator==(const WeakPtr &other) const { return target_ == other.target_; }

 private:
  T *object_ = nullptr;
  std::shared_ptr<WeakTarget> target_;
};

// Shares a reference with its copies.
template <class T>
class IntrusivePtr {
 public:
  IntrusivePtr() = default;
  explicit IntrusivePtr(T *object, bool add_ref = true) : object_(object) {
    if (object != nullptr && add_ref) object->Ref();
  }
  IntrusivePtr(const IntrusivePtr &other) : IntrusivePtr(other.object_) {}
  IntrusivePtr(IntrusivePtr &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  IntrusivePtr &operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~IntrusivePtr() {
    if (object_ != nullptr) object_->Unref();
  }
  void reset(T *object, bool add_ref) { *this = IntrusivePtr(object, add_ref); }
  T *get() const { return object_; }
  T &operator*() const { return *object_; }
  T *operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T *object_ = nullptr;
};

}  // namespace core
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_REFCOUNT_H_
