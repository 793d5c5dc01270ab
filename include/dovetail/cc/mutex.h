// mutex, mutex_lock, tf_shared_lock, condition_variable, Notification, BlockingCounter and the annotations of
// clang's thread safety analysis, which are accepted and mean nothing here.
#ifndef DOVETAIL_CC_MUTEX_H_
#define DOVETAIL_CC_MUTEX_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "dovetail/cc/base.h"

#define TF_GUARDED_BY(x)
#define TF_PT_GUARDED_BY(x)
#define TF_ACQUIRED_AFTER(...)
#define TF_ACQUIRED_BEFORE(...)
#define TF_ACQUIRE(...)
#define TF_ACQUIRE_SHARED(...)
#define TF_EXCLUSIVE_LOCKS_REQUIRED(...)
#define TF_SHARED_LOCKS_REQUIRED(...)
#define TF_LOCKS_EXCLUDED(...)
#define TF_LOCK_RETURNED(x)
#define TF_LOCKABLE
#define TF_SCOPED_LOCKABLE
#define TF_CAPABILITY(x)
#define TF_EXCLUSIVE_LOCK_FUNCTION(...)
#define TF_SHARED_LOCK_FUNCTION(...)
#define TF_UNLOCK_FUNCTION(...)
#define TF_EXCLUSIVE_TRYLOCK_FUNCTION(...)
#define TF_SHARED_TRYLOCK_FUNCTION(...)
#define TF_ASSERT_EXCLUSIVE_LOCK(...)
#define TF_ASSERT_SHARED_LOCK(...)
#define TF_NO_THREAD_SAFETY_ANALYSIS
#define TF_TS_UNCHECKED(x) ""
#define TF_TS_UNCHECKED_READ(x) (x)

DVT_CC_BEGIN
namespace tensorflow {

enum ConditionResult { kCond_Timeout, kCond_MaybeNotified };
enum LinkerInitialized { LINKER_INITIALIZED };

class mutex {
 public:
  mutex() = default;
  explicit mutex(LinkerInitialized) {}
  void lock() { mu_.lock(); }
  bool try_lock() { return mu_.try_lock(); }
  void unlock() { mu_.unlock(); }
  void assert_held() const {}
  void lock_shared() { mu_.lock_shared(); }
  bool try_lock_shared() { return mu_.try_lock_shared(); }
  void unlock_shared() { mu_.unlock_shared(); }
  void assert_held_shared() const {}

 private:
  std::shared_mutex mu_;
};

// Holds a mutex for the length of a block.
class mutex_lock {
 public:
  explicit mutex_lock(mutex &mu) : mu_(&mu) { mu.lock(); }
  explicit mutex_lock(mutex *mu) : mu_(mu) { mu->lock(); }
  mutex_lock(mutex &mu, std::try_to_lock_t) : mu_(mu.try_lock() ? &mu : nullptr) {}
  mutex_lock(mutex_lock &&other) noexcept : mu_(other.mu_) { other.mu_ = nullptr; }
  ~mutex_lock() {
    if (mu_ != nullptr) mu_->unlock();
  }
  mutex *mu() { return mu_; }
  explicit operator bool() const { return mu_ != nullptr; }
  void lock() { mu_->lock(); }
  void unlock() { mu_->unlock(); }

 private:
  mutex *mu_;
};

class tf_shared_lock {
 public:
  explicit tf_shared_lock(mutex &mu) : mu_(&mu) { mu.lock_shared(); }
  explicit tf_shared_lock(mutex *mu) : mu_(mu) { mu->lock_shared(); }
  tf_shared_lock(mutex &mu, std::try_to_lock_t) : mu_(mu.try_lock_shared() ? &mu : nullptr) {}
  tf_shared_lock(tf_shared_lock &&other) noexcept : mu_(other.mu_) { other.mu_ = nullptr; }
  ~tf_shared_lock() {
    if (mu_ != nullptr) mu_->unlock_shared();
  }
  mutex *mu() { return mu_; }
  explicit operator bool() const { return mu_ != nullptr; }

 private:
  mutex *mu_;
};

class condition_variable {
 public:
  void wait(mutex_lock &lock) { cv_.wait(lock); }
  template <class Predicate>
  void wait(mutex_lock &lock, Predicate holds) {
    while (!holds()) wait(lock);
  }
  template <class Rep, class Period>
  std::cv_status wait_for(mutex_lock &lock, std::chrono::duration<Rep, Period> time) {
    return cv_.wait_for(lock, time);
  }
  void notify_one() { cv_.notify_one(); }
  void notify_all() { cv_.notify_all(); }

 private:
  std::condition_variable_any cv_;
};

inline ConditionResult WaitForMilliseconds(mutex_lock *lock, condition_variable *cv, int64 ms) {
  return cv->wait_for(*lock, std::chrono::milliseconds(ms)) == std::cv_status::timeout ? kCond_Timeout
                                                                                       : kCond_MaybeNotified;
}

// Happens once.
class Notification {
 public:
  void Notify() {
    std::lock_guard<std::mutex> hold(mu_);
    happened_ = true;
    cv_.notify_all();
  }
  bool HasBeenNotified() const {
    std::lock_guard<std::mutex> hold(mu_);
    return happened_;
  }
  void WaitForNotification() const {
    std::unique_lock<std::mutex> hold(mu_);
    cv_.wait(hold, [this] { return happened_; });
  }

 private:
  mutable std::mutex mu_;
  mutable std::condition_variable cv_;
  bool happened_ = false;
};

// Waits for a number of things.
class BlockingCounter {
 public:
  explicit BlockingCounter(int count) : left_(count) {}
  void DecrementCount() {
    std::lock_guard<std::mutex> hold(mu_);
    if (--left_ <= 0) cv_.notify_all();
  }
  void Wait() {
    std::unique_lock<std::mutex> hold(mu_);
    cv_.wait(hold, [this] { return left_ <= 0; });
  }

 private:
  std::mutex mu_;
  std::condition_variable cv_;
  int left_;
};

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_MUTEX_H_
