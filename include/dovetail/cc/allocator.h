// Wishes for the memory of tensors. Memory itself is the host's: an Allocator here is only a name to pass on.
#ifndef DOVETAIL_CC_ALLOCATOR_H_
#define DOVETAIL_CC_ALLOCATOR_H_

#include <cstdlib>

#include "dovetail/cc/base.h"
#include "dovetail/cc/status.h"

DVT_CC_BEGIN
namespace tensorflow {

struct AllocationAttributes {
  AllocationAttributes() = default;
  AllocationAttributes(bool retry, bool logged, void *)
      : retry_on_failure(retry), allocation_will_be_logged(logged) {}
  bool no_retry_on_failure = false;
  bool retry_on_failure = true;
  bool allocation_will_be_logged = false;
};

struct AllocatorAttributes {
  void set_on_host(bool v) { SetBit(0, v); }
  bool on_host() const { return value & 1; }
  void set_nic_compatible(bool v) { SetBit(1, v); }
  bool nic_compatible() const { return (value >> 1) & 1; }
  void set_gpu_compatible(bool v) { SetBit(2, v); }
  bool gpu_compatible() const { return (value >> 2) & 1; }
  void Merge(AllocatorAttributes other) { value |= other.value; }
  bool IsEqualOrLessRestrictiveThan(const AllocatorAttributes &other) const {
    return (value | other.value) == other.value;
  }

  uint32 value = 0;
  int32 scope_id = 0;

 private:
  void SetBit(int bit, bool v) { value = (value & ~(1u << bit)) | (static_cast<uint32>(v) << bit); }
};

// Host memory for data that is no tensor.
class Allocator {
 public:
  static constexpr size_t kAllocatorAlignment = 64;
  virtual ~Allocator() = default;
  virtual string Name() { return "cpu"; }
  virtual void *AllocateRaw(size_t alignment, size_t bytes) {
    size_t step = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return std::aligned_alloc(step, (bytes + step - 1) / step * step);
  }
  virtual void *AllocateRaw(size_t alignment, size_t bytes, const AllocationAttributes &) {
    return AllocateRaw(alignment, bytes);
  }
  virtual void DeallocateRaw(void *p) { std::free(p); }
};

inline Allocator *cpu_allocator(int /*numa_node*/ = -1) {
  static Allocator allocator;
  return &allocator;
}

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_ALLOCATOR_H_
