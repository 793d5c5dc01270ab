// Eigen::ThreadPoolDevice, whose loops run on the host's threads. It takes the place of Eigen's own class of
// that name, which can only hand single tasks to a pool and wait for them.
//
// Included by eigen.h between Eigen's thread pool and its tensors. Where a source has included Eigen by
// itself before, Eigen's own device stays, and gets the same pool.
#ifndef DOVETAIL_CC_EIGEN_DEVICE_H_
#define DOVETAIL_CC_EIGEN_DEVICE_H_

#include "dovetail/cc/threadpool.h"

namespace tensorflow {
namespace dvt {

// A pool of this layer in the form that Eigen wants.
class EigenPool : public Eigen::ThreadPoolInterface {
 public:
  explicit EigenPool(const thread::ThreadPool *pool) : pool_(pool) {}
  void Schedule(std::function<void()> fn) override { pool_->threads()->Add(std::move(fn)); }
  int NumThreads() const override { return pool_->NumThreads(); }
  int CurrentThreadId() const override { return pool_->threads()->CurrentId(); }
  const thread::ThreadPool *pool() const { return pool_; }

 private:
  const thread::ThreadPool *pool_;
};

}  // namespace dvt

inline Eigen::ThreadPoolInterface *thread::ThreadPool::AsEigenThreadPool() const {
  if (eigen_ == nullptr) eigen_ = std::make_shared<dvt::EigenPool>(this);
  return eigen_.get();
}

}  // namespace tensorflow

#ifndef EIGEN_CXX11_TENSOR_TENSOR_DEVICE_THREAD_POOL_H
#define EIGEN_CXX11_TENSOR_TENSOR_DEVICE_THREAD_POOL_H

namespace Eigen {

template <typename Device>
class TensorCostModel;

template <typename Function, typename... Args>
struct FunctionWrapperWithNotification {
  static void run(Notification *n, Function f, Args... args) {
    f(args...);
    if (n != nullptr) n->Notify();
  }
};

template <typename Function, typename... Args>
struct FunctionWrapperWithBarrier {
  static void run(Barrier *b, Function f, Args... args) {
    f(args...);
    if (b != nullptr) b->Notify();
  }
};

template <typename SyncType>
void wait_until_ready(SyncType *n) {
  if (n != nullptr) n->Wait();
}

class Allocator {
 public:
  virtual ~Allocator() {}
  virtual void *allocate(size_t num_bytes) const = 0;
  virtual void deallocate(void *buffer) const = 0;
};

struct ThreadPoolDevice {
  ThreadPoolDevice(ThreadPoolInterface *pool, int num_cores, Allocator *allocator = nullptr)
      : pool_(pool), num_threads_(std::max(1, num_cores)), allocator_(allocator) {
    auto *ours = dynamic_cast<tensorflow::dvt::EigenPool *>(pool);
    if (ours != nullptr && ours->pool()->is_host()) host_ = ours->pool();
  }

  void *allocate(size_t bytes) const {
    return allocator_ != nullptr ? allocator_->allocate(bytes) : internal::aligned_malloc(bytes);
  }
  void deallocate(void *buffer) const {
    allocator_ != nullptr ? allocator_->deallocate(buffer) : internal::aligned_free(buffer);
  }
  void *allocate_temp(size_t bytes) const { return allocate(bytes); }
  void deallocate_temp(void *buffer) const { deallocate(buffer); }
  template <typename Type>
  Type get(Type data) const {
    return data;
  }
  void memcpy(void *to, const void *from, size_t bytes) const { ::memcpy(to, from, bytes); }
  void memcpyHostToDevice(void *to, const void *from, size_t bytes) const { ::memcpy(to, from, bytes); }
  void memcpyDeviceToHost(void *to, const void *from, size_t bytes) const { ::memcpy(to, from, bytes); }
  void memset(void *buffer, int c, size_t bytes) const { ::memset(buffer, c, bytes); }
  template <typename T>
  void fill(T *begin, T *end, const T &value) const {
    std::fill(begin, end, value);
  }
  int numThreads() const { return num_threads_; }
  int numThreadsInPool() const { return pool_->NumThreads(); }
  size_t firstLevelCacheSize() const { return static_cast<size_t>(l1CacheSize()); }
  size_t lastLevelCacheSize() const {
    return static_cast<size_t>(l3CacheSize()) / static_cast<size_t>(num_threads_);
  }
  int majorDeviceVersion() const { return 1; }
  void synchronize() const {}
  int currentThreadId() const { return pool_->CurrentThreadId(); }
  ThreadPoolInterface *getPool() const { return pool_; }
  Allocator *allocator() const { return allocator_; }

  template <class Function, class... Args>
  Notification *enqueue(Function &&f, Args &&...args) const {
    auto *n = new Notification();
    pool_->Schedule([n, f, args...]() mutable {
      f(args...);
      n->Notify();
    });
    return n;
  }
  template <class Function, class... Args>
  void enqueue_with_barrier(Barrier *b, Function &&f, Args &&...args) const {
    pool_->Schedule([b, f, args...]() mutable {
      f(args...);
      b->Notify();
    });
  }
  template <class Function, class... Args>
  void enqueueNoNotification(Function &&f, Args &&...args) const {
    pool_->Schedule([f, args...]() mutable { f(args...); });
  }

  // f(first, last) over [0, n) and back when all is done; `block_align` rounds the size of blocks. `cost` is
  // a TensorOpCost, which Eigen declares later.
  template <class Cost, class Model = ThreadPoolDevice>
  void parallelFor(Index n, const Cost &cost, std::function<Index(Index)> block_align,
                   std::function<void(Index, Index)> f) const {
    if (n <= 0) return;
    using CostModel = TensorCostModel<Model>;
    if (n == 1 || num_threads_ == 1 ||
        CostModel::numThreads(static_cast<double>(n), cost, num_threads_) == 1) {
      return f(0, n);
    }
    // Blocks of about as many cycles as a thread is worth waking for, enough of them for every thread.
    constexpr double kBlockCycles = 20000;
    double each = std::max(1e-3, CostModel::totalCost(1, cost));
    Index size =
        static_cast<Index>(std::min<double>(static_cast<double>(n), std::max(1.0, kBlockCycles / each)));
    size = std::min(size, std::max<Index>(1, n / (4 * num_threads_)));
    if (block_align) size = block_align(size);
    size = std::max<Index>(1, std::min(size, n));
    Index blocks = (n + size - 1) / size;
    auto run = [&](Index begin, Index end) { f(begin * size, std::min(n, end * size)); };
    if (host_ != nullptr) {
      // A cycle counts as half a nanosecond; a loop that gets here is worth more than one thread.
      auto ns = static_cast<tensorflow::int64>(std::max(10000.0, each * static_cast<double>(size) / 2));
      tensorflow::dvt::HostLoop(host_->host_context(), blocks, ns, run);
    } else {
      tensorflow::dvt::TaskLoop(
          num_threads_ - 1, [this](std::function<void()> task) { pool_->Schedule(std::move(task)); }, blocks,
          [&](Index b) { run(b, b + 1); });
    }
  }
  template <class Cost>
  void parallelFor(Index n, const Cost &cost, std::function<void(Index, Index)> f) const {
    parallelFor(n, cost, nullptr, std::move(f));
  }
  template <class Cost>
  void parallelForAsync(Index n, const Cost &cost, std::function<Index(Index)> block_align,
                        std::function<void(Index, Index)> f, std::function<void()> done) const {
    parallelFor(n, cost, std::move(block_align), std::move(f));
    done();
  }
  template <class Cost>
  void parallelForAsync(Index n, const Cost &cost, std::function<void(Index, Index)> f,
                        std::function<void()> done) const {
    parallelForAsync(n, cost, nullptr, std::move(f), std::move(done));
  }

 private:
  ThreadPoolInterface *pool_;
  int num_threads_;
  Allocator *allocator_;
  const tensorflow::thread::ThreadPool *host_ = nullptr;
};

}  // namespace Eigen

#endif  // EIGEN_CXX11_TENSOR_TENSOR_DEVICE_THREAD_POOL_H

#endif  // DOVETAIL_CC_EIGEN_DEVICE_H_
