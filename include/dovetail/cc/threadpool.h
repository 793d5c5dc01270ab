// thread::ThreadPool and Shard.
//
// A pool is one of two kinds. The host's, which kernels get from their device: loops (ParallelFor, Shard) run
// on the host's threads by dvt_parallel_for, the calling thread among them. And a pool with threads of its
// own, which a source makes; single tasks for the host's pool (Schedule) run in one such pool of the plugin,
// so that a kernel may wait for them.
//
// A task or a part of a loop that throws fails the loop in the thread that called it.
#ifndef DOVETAIL_CC_THREADPOOL_H_
#define DOVETAIL_CC_THREADPOOL_H_

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dovetail/cc/base.h"
#include "dovetail/cc/logging.h"
#include "dovetail/cc/thread_state.h"
#include "dovetail/plugin.h"

namespace Eigen {
class ThreadPoolInterface;
}

// There with the SDK (dovetail/sdk.h).
extern "C" bool dvt_host_supports(const char *feature) __attribute__((weak, visibility("hidden")));

DVT_CC_BEGIN
namespace tensorflow {

class Env;
struct ThreadOptions {
  size_t stack_size = 0;
  size_t guard_size = 0;
  int numa_node = -1;
};

namespace dvt {

// A queue and the threads that empty it; joined in the end, with the queue emptied.
class TaskThreads {
 public:
  explicit TaskThreads(int count) : count_(count < 1 ? 1 : count) {}
  ~TaskThreads() {
    {
      std::lock_guard<std::mutex> hold(mu_);
      stop_ = true;
    }
    cv_.notify_all();
    for (std::thread &t : threads_) t.join();
  }
  void Add(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> hold(mu_);
      tasks_.push_back(std::move(task));
      if (tasks_.size() > idle_ && threads_.size() < static_cast<size_t>(count_)) {
        int id = static_cast<int>(threads_.size());
        threads_.emplace_back([this, id] { Work(id); });
      }
    }
    cv_.notify_one();
  }
  int count() const { return count_; }
  // The number of the calling thread among these threads, or -1.
  int CurrentId() const { return Current().owner == this ? Current().id : -1; }

 private:
  struct Place {
    const TaskThreads *owner = nullptr;
    int id = -1;
  };
  static Place &Current() {
    static thread_local Place place;
    return place;
  }
  void Work(int id) {
    Current() = Place{this, id};
    std::unique_lock<std::mutex> hold(mu_);
    while (true) {
      ++idle_;
      cv_.wait(hold, [this] { return stop_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      hold.unlock();
      Guard([&] { task(); },
            [](const Status &s) { LOG(ERROR) << "A scheduled task failed: " << s.ToString(); });
      task = nullptr;
      hold.lock();
    }
  }

  const int count_;
  std::mutex mu_;
  std::condition_variable cv_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool stop_ = false;
};

// Whether the host, or the SDK in its place, runs loops on threads.
inline bool HostHasLoops() {
  static const bool has = dvt_host_supports == nullptr || dvt_host_supports("dvt_parallel_for");
  return has;
}

inline int HardwareThreads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// The threads for tasks of the host's pools; started when first used.
inline TaskThreads *SharedThreads() {
  static TaskThreads threads(HardwareThreads());
  return &threads;
}

// A loop whose parts may throw: the first exception is kept, and thrown again where the loop was called.
class LoopGuard {
 public:
  template <class F>
  void Run(const F &part) {
#if DVT_CC_EXCEPTIONS
    try {
      if (!failed_.load(std::memory_order_relaxed)) part();
    } catch (...) {
      std::lock_guard<std::mutex> hold(mu_);
      if (error_ == nullptr) error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
#else
    part();
#endif
  }
  void Rethrow() {
#if DVT_CC_EXCEPTIONS
    if (error_ != nullptr) std::rethrow_exception(error_);
#endif
  }

 private:
  std::atomic<bool> failed_{false};
  std::mutex mu_;
  std::exception_ptr error_;
};

// fn(block) for each of `blocks` blocks in the calling thread, which works until nothing is left, and in up
// to `helpers` tasks that `add` starts elsewhere.
template <class Add, class F>
void TaskLoop(int64 helpers, const Add &add, int64 blocks, const F &fn) {
  struct Loop {
    std::atomic<int64> next{0};
    std::atomic<int64> done{0};
    std::mutex mu;
    std::condition_variable cv;
    LoopGuard guard;
    int64 blocks;
    const F *fn;
    void Work() {
      for (int64 b; (b = next.fetch_add(1)) < blocks;) {
        guard.Run([&] { (*fn)(b); });
        if (done.fetch_add(1) + 1 < blocks) continue;
        std::lock_guard<std::mutex> hold(mu);
        cv.notify_all();
      }
    }
  };
  // A helper may start when all is done; then it touches the loop, but not fn.
  auto loop = std::make_shared<Loop>();
  loop->blocks = blocks;
  loop->fn = &fn;
  for (int64 i = 0; i < std::min(helpers, blocks - 1); ++i) add([loop] { loop->Work(); });
  loop->Work();
  std::unique_lock<std::mutex> hold(loop->mu);
  loop->cv.wait(hold, [&] { return loop->done.load() >= blocks; });
  loop->guard.Rethrow();
}

// fn(begin, end) over [0, total) on the host's threads; in the calling thread when no kernel computes.
template <class F>
void HostLoop(TF_OpKernelContext *ctx, int64 total, int64 cost_ns, const F &fn) {
  if (total <= 0) return;
  if (ctx == nullptr) ctx = This()->c_computing;
  if (ctx == nullptr || total == 1) return fn(0, total);
  if (!HostHasLoops()) {
    // A host without such loops: threads of this plugin do it, in blocks of some ten microseconds.
    int64 size =
        std::max<int64>(1, std::max(10000 / std::max<int64>(cost_ns, 1), total / (4 * HardwareThreads())));
    TaskThreads *threads = SharedThreads();
    return TaskLoop(
        threads->count(), [threads](std::function<void()> task) { threads->Add(std::move(task)); },
        (total + size - 1) / size, [&](int64 b) { fn(b * size, std::min(total, (b + 1) * size)); });
  }
  struct Call {
    const F *fn;
    LoopGuard guard;
  } call{&fn, {}};
  dvt_parallel_for(
      ctx, total, std::max<int64>(cost_ns, 1),
      [](void *arg, int64_t begin, int64_t end) {
        auto *c = static_cast<Call *>(arg);
        c->guard.Run([&] { (*c->fn)(begin, end); });
      },
      &call);
  call.guard.Rethrow();
}

}  // namespace dvt

namespace thread {

class ThreadPool {
 public:
  enum class SchedulingStrategy { kAdaptive, kFixedBlockSize };
  class SchedulingParams {
   public:
    SchedulingParams(SchedulingStrategy strategy, std::optional<int64> cost_per_unit,
                     std::optional<int64> block_size)
        : strategy_(strategy), cost_per_unit_(cost_per_unit), block_size_(block_size) {}
    static SchedulingParams Fixed(int64 block_size) {
      return {SchedulingStrategy::kFixedBlockSize, std::nullopt, block_size};
    }
    static SchedulingParams Adaptive(int64 cost_per_unit) {
      return {SchedulingStrategy::kAdaptive, cost_per_unit, std::nullopt};
    }
    SchedulingStrategy strategy() const { return strategy_; }
    std::optional<int64> cost_per_unit() const { return cost_per_unit_; }
    std::optional<int64> block_size() const { return block_size_; }

   private:
    SchedulingStrategy strategy_;
    std::optional<int64> cost_per_unit_;
    std::optional<int64> block_size_;
  };

  // Threads of its own.
  ThreadPool(Env *, const string &, int num_threads)
      : own_(std::make_unique<dvt::TaskThreads>(num_threads)) {}
  ThreadPool(Env *, const ThreadOptions &, const string &, int num_threads, bool = true)
      : own_(std::make_unique<dvt::TaskThreads>(num_threads)) {}
  // The host's threads during the kernel call `ctx`; NULL: during whatever call the calling thread is in.
  explicit ThreadPool(TF_OpKernelContext *ctx) : ctx_(ctx) {}
  ThreadPool(const ThreadPool &) = delete;
  void operator=(const ThreadPool &) = delete;

  void Schedule(std::function<void()> fn) { threads()->Add(std::move(fn)); }
  void ScheduleWithHint(std::function<void()> fn, int, int) { Schedule(std::move(fn)); }
  int NumThreads() const {
    if (own_ != nullptr) return own_->count();
    TF_OpKernelContext *ctx = ctx_ != nullptr ? ctx_ : dvt::This()->c_computing;
    return ctx == nullptr || !dvt::HostHasLoops() ? dvt::HardwareThreads() : dvt_num_threads(ctx);
  }
  int CurrentThreadId() const { return threads()->CurrentId(); }

  // Blocks of a size that suits the cost, in nanoseconds, of one unit.
  void ParallelFor(int64 total, int64 cost_per_unit, const std::function<void(int64_t, int64_t)> &fn) {
    if (total <= 0) return;
    if (own_ == nullptr) return dvt::HostLoop(ctx_, total, cost_per_unit, fn);
    constexpr double kBlockNs = 10000;
    double cost = static_cast<double>(std::max<int64>(cost_per_unit, 1));
    double blocks = std::min(
        {static_cast<double>(total), 4.0 * NumThreads(), cost * static_cast<double>(total) / kBlockNs});
    int64 count = std::max<int64>(1, static_cast<int64>(blocks));
    Blocks((total + count - 1) / count, total, fn);
  }
  void ParallelFor(int64 total, const SchedulingParams &params,
                   const std::function<void(int64_t, int64_t)> &fn) {
    if (params.strategy() == SchedulingStrategy::kFixedBlockSize) {
      Blocks(params.block_size().value_or(1), total, fn);
    } else {
      ParallelFor(total, params.cost_per_unit().value_or(1), fn);
    }
  }
  void ParallelFor(int64 total, const std::function<void(int64_t, int64_t)> &fn) { Blocks(1, total, fn); }
  void TransformRangeConcurrently(int64 block_size, int64 total,
                                  const std::function<void(int64_t, int64_t)> &fn) {
    Blocks(block_size, total, fn);
  }
  int NumShardsUsedByFixedBlockSizeScheduling(int64 total, int64 block_size) {
    return total <= 0 ? 0 : static_cast<int>((total + block_size - 1) / block_size);
  }
  int NumShardsUsedByTransformRangeConcurrently(int64 block_size, int64 total) {
    return NumShardsUsedByFixedBlockSizeScheduling(total, block_size);
  }
  // fn(begin, end, worker) with a number below NumThreads() + 1 that no two parts have at the same time.
  void ParallelForWithWorkerId(int64 total, int64 cost_per_unit,
                               const std::function<void(int64_t, int64_t, int)> &fn) {
    std::mutex mu;
    std::vector<int> free_ids;
    for (int id = NumThreads(); id >= 0; --id) free_ids.push_back(id);
    ParallelFor(total, cost_per_unit, [&](int64_t begin, int64_t end) {
      std::unique_lock<std::mutex> hold(mu);
      int id = free_ids.back();
      free_ids.pop_back();
      hold.unlock();
      struct Return {
        std::mutex *mu;
        std::vector<int> *ids;
        int id;
        ~Return() {
          std::lock_guard<std::mutex> again(*mu);
          ids->push_back(id);
        }
      } give_back{&mu, &free_ids, id};
      fn(begin, end, id);
    });
  }
  void ParallelForWithWorkerId(int64 total, const SchedulingParams &params,
                               const std::function<void(int64_t, int64_t, int)> &fn) {
    ParallelForWithWorkerId(total, params.cost_per_unit().value_or(1), fn);
  }
  // For an Eigen::ThreadPoolDevice of the source's own; defined with EIGEN_USE_THREADS only (eigen_device.h).
  Eigen::ThreadPoolInterface *AsEigenThreadPool() const;

  dvt::TaskThreads *threads() const { return own_ != nullptr ? own_.get() : dvt::SharedThreads(); }
  TF_OpKernelContext *host_context() const { return ctx_; }
  bool is_host() const { return own_ == nullptr; }

 private:
  void Blocks(int64 size, int64 total, const std::function<void(int64_t, int64_t)> &fn) {
    if (total <= 0) return;
    size = std::max<int64>(size, 1);
    auto block = [&](int64 b) { fn(b * size, std::min(total, (b + 1) * size)); };
    int64 count = (total + size - 1) / size;
    if (count == 1) return fn(0, total);
    if (own_ != nullptr) {
      return dvt::TaskLoop(
          own_->count(), [this](std::function<void()> task) { own_->Add(std::move(task)); }, count, block);
    }
    // Each block is worth a thread, the caller says by its size.
    constexpr int64 kBlockNs = 100000;
    dvt::HostLoop(ctx_, count, kBlockNs, [&](int64 begin, int64 end) {
      for (int64 b = begin; b < end; ++b) block(b);
    });
  }

  TF_OpKernelContext *ctx_ = nullptr;
  std::unique_ptr<dvt::TaskThreads> own_;
  mutable std::shared_ptr<Eigen::ThreadPoolInterface> eigen_;
};

}  // namespace thread

// work(begin, end) over [0, total) on at most `max_parallelism` of the pool's threads.
template <class Work>
void Shard(int max_parallelism, thread::ThreadPool *workers, int64 total, int64 cost_per_unit, Work &&work) {
  if (total <= 0) return;
  if (max_parallelism <= 1 || total == 1) {
    work(static_cast<int64_t>(0), static_cast<int64_t>(total));
  } else if (workers->is_host() && max_parallelism >= workers->NumThreads()) {
    dvt::HostLoop(workers->host_context(), total, cost_per_unit,
                  [&](int64 begin, int64 end) { work(begin, end); });
  } else if (max_parallelism >= workers->NumThreads()) {
    workers->ParallelFor(total, cost_per_unit, [&](int64_t begin, int64_t end) { work(begin, end); });
  } else {
    int64 size = (total + max_parallelism - 1) / max_parallelism;
    workers->TransformRangeConcurrently(size, total, [&](int64_t begin, int64_t end) { work(begin, end); });
  }
}

class Sharder {
 public:
  typedef std::function<void()> Closure;
  typedef std::function<void(Closure)> Runner;
  typedef std::function<void(int64_t, int64_t)> Work;
  static void Do(int64 total, int64, const Work &work, const Runner &, int) {
    if (total > 0) work(0, total);
  }
};

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_THREADPOOL_H_
