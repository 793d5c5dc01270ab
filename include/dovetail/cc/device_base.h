// DeviceBase: the device as a kernel sees it; its name, its threads, its memory.
#ifndef DOVETAIL_CC_DEVICE_BASE_H_
#define DOVETAIL_CC_DEVICE_BASE_H_

#include <memory>
#include <string>

#include "dovetail/cc/allocator.h"
#include "dovetail/cc/base.h"
#include "dovetail/cc/threadpool.h"
#include "dovetail/cc/types.h"

DVT_CC_BEGIN
namespace tensorflow {

namespace dvt {

// Eigen's device is complete only where EIGEN_USE_THREADS is defined. A file that has it so sets this
// function, for the others of the plugin, which just pass the device on.
typedef std::shared_ptr<void> (*EigenDeviceMaker)(thread::ThreadPool *pool);
inline EigenDeviceMaker eigen_device_maker = nullptr;

#ifdef EIGEN_USE_THREADS
inline std::shared_ptr<void> MakeEigenDevice(thread::ThreadPool *pool) {
  return std::make_shared<Eigen::ThreadPoolDevice>(pool->AsEigenThreadPool(), pool->NumThreads());
}
[[maybe_unused]] static const bool eigen_device_known = (eigen_device_maker = MakeEigenDevice) != nullptr;
#endif

}  // namespace dvt

class DeviceContext {
 public:
  virtual ~DeviceContext() = default;
};

class DeviceBase {
 public:
  struct CpuWorkerThreads {
    int num_threads = 0;
    thread::ThreadPool *workers = nullptr;
  };

  // `ctx` is NULL for a device that is asked outside of a kernel call.
  DeviceBase(TF_OpKernelContext *ctx, string name, string type)
      : name_(std::move(name)), type_(std::move(type)), pool_(ctx) {
    workers_.num_threads = pool_.NumThreads();
    workers_.workers = &pool_;
  }

  const string &name() const { return name_; }
  const string &device_type() const { return type_; }
  const CpuWorkerThreads *tensorflow_cpu_worker_threads() const { return &workers_; }
  Allocator *GetAllocator(AllocatorAttributes) const { return cpu_allocator(); }
  thread::ThreadPool *tensorflow_device_thread_pool() { return &pool_; }
  bool has_eigen_cpu_device() const { return true; }
  const Eigen::ThreadPoolDevice *eigen_cpu_device() {
    if (eigen_ == nullptr && dvt::eigen_device_maker != nullptr) eigen_ = dvt::eigen_device_maker(&pool_);
    // No file of the plugin can look into the device: any address serves.
    return static_cast<const Eigen::ThreadPoolDevice *>(eigen_ == nullptr ? static_cast<const void *>(this)
                                                                          : eigen_.get());
  }

 private:
  string name_;
  string type_;
  thread::ThreadPool pool_;
  CpuWorkerThreads workers_;
  std::shared_ptr<void> eigen_;
};

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_DEVICE_BASE_H_
