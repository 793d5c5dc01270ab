// OpKernelContext: one call of a kernel; its inputs, outputs, memory, device and step.
//
// It lies on the stack of the function that the host calls (an asynchronous kernel's on the heap) and asks
// the host when it is asked. Inputs stay handles without a copy; a kernel's usual inputs are fetched before
// it runs.
#ifndef DOVETAIL_CC_OP_KERNEL_CONTEXT_H_
#define DOVETAIL_CC_OP_KERNEL_CONTEXT_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dovetail/cc/allocator.h"
#include "dovetail/cc/base.h"
#include "dovetail/cc/cancellation.h"
#include "dovetail/cc/device_base.h"
#include "dovetail/cc/mutex.h"
#include "dovetail/cc/op_requires.h"
#include "dovetail/cc/tensor.h"
#include "dovetail/cc/tensor_slots.h"
#include "dovetail/cc/thread_state.h"
#include "dovetail/kernel_context.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"

DVT_CC_BEGIN
namespace tensorflow {

class Env;
class OpKernel;
class OpKernelContext;
class OpInputList;
class OpMutableInputList;
class OpOutputList;
class ResourceMgr;

struct FrameAndIter {
  uint64 frame_id = kuint64max;
  int64 iter_id = -1;
};

// A resource container that lives as long as the step.
class ScopedStepContainer {
 public:
  explicit ScopedStepContainer(string name) : name_(std::move(name)) {}
  const string &name() const { return name_; }

 private:
  string name_;
};

struct TensorValue {
  TensorValue() = default;
  explicit TensorValue(Tensor *t) : tensor(t) {}
  TensorValue(mutex *mu, Tensor *t) : mutex_if_ref(mu), tensor(t) {}
  Tensor *operator->() const { return tensor; }
  bool is_ref() const { return mutex_if_ref != nullptr; }
  mutex *mutex_if_ref = nullptr;
  Tensor *tensor = nullptr;
};

namespace dvt {
// How a handle of a resource becomes an output where tensors of the host cannot hold it (resource_mgr.h); false: as it is.
inline bool (*set_handle_tensor)(OpKernelContext *ctx, int index, const Tensor &tensor) = nullptr;
}  // namespace dvt

class OpKernelContext {
 public:
  // `fetch`: a bit for each of the first inputs that the kernel is known to ask for.
  OpKernelContext(TF_OpKernelContext *ctx, const OpKernel *kernel, uint32 fetch)
      : ctx_(ctx), kernel_(kernel) {
    if (fetch != 0) Fetch(fetch);
  }
  ~OpKernelContext();
  OpKernelContext(const OpKernelContext &) = delete;
  void operator=(const OpKernelContext &) = delete;

  TF_OpKernelContext *c_context() const { return ctx_; }
  const OpKernel &op_kernel() const { return *kernel_; }

  // ---- inputs ----

  int num_inputs() const { return TF_NumInputs(ctx_); }
  const Tensor &input(int i) {
    Tensor *found = inputs_.Find(i);
    return TF_PREDICT_TRUE(found != nullptr) ? *found : *LoadInput(i);
  }
  Status input(StringPiece name, const Tensor **tensor) {
    int i = 0;
    *tensor = nullptr;
    TF_RETURN_IF_ERROR(SingleInput(name, &i));
    *tensor = &input(i);
    return Status();
  }
  inline Status input_list(StringPiece name, OpInputList *list);
  inline Status mutable_input_list(StringPiece name, OpMutableInputList *list);
  inline Status output_list(StringPiece name, OpOutputList *list);
  Status input_range(StringPiece name, int *start, int *stop) const {
    TF_InputRange_Args args = {};
    args.struct_size = TF_InputRange_Args_STRUCT_SIZE;
    args.status = dvt::ScratchStatus();
    TF_InputRange(ctx_, string(name).c_str(), &args);
    TF_RETURN_IF_ERROR(dvt::TakeStatus(args.status));
    *start = args.start;
    *stop = args.stop;
    return Status();
  }
  bool has_input(int i) {
    bool has = TF_OpKernelContext_HasInput(ctx_, i, Scratch());
    return Took().ok() ? has : true;
  }
  DataType input_dtype(int i) const { return static_cast<DataType>(TF_InputDatatype(ctx_, i)); }
  Status input_dtype(StringPiece name, DataType *dtype) const {
    int i = 0;
    TF_RETURN_IF_ERROR(SingleInput(name, &i));
    *dtype = input_dtype(i);
    return Status();
  }
  MemoryType input_memory_type(int i) const {
    bool host = TF_IsHostMemoryInput(ctx_, i, Scratch());
    dvt_ignore(Took());
    return host ? HOST_MEMORY : DEVICE_MEMORY;
  }
  bool input_is_ref(int i) const { return IsRefType(input_dtype(i)); }
  bool is_input_dead() const { return TF_OpKernelContext_IsInputDead(ctx_); }
  bool ValidateInputsAreSameShape(OpKernel * = nullptr) {
    for (int i = 1; i < num_inputs(); ++i) {
      if (input(0).IsSameSize(input(i))) continue;
      SetStatus(errors::InvalidArgument(
          "Inputs to operation ", OpText(), " must have the same size and shape.  Input 0: ",
          input(0).shape().DebugString(), " != input ", i, ": ", input(i).shape().DebugString()));
      return false;
    }
    return true;
  }
  Status MatchSignature(DataTypeSlice inputs, DataTypeSlice outputs) {
    bool same =
        static_cast<int>(inputs.size()) == num_inputs() && static_cast<int>(outputs.size()) == num_outputs();
    for (size_t i = 0; same && i < inputs.size(); ++i)
      same = TypesCompatible(inputs[i], input_dtype(static_cast<int>(i)));
    for (size_t i = 0; same && i < outputs.size(); ++i) {
      same = TypesCompatible(outputs[i], expected_output_dtype(static_cast<int>(i)));
    }
    if (same) return Status();
    return errors::InvalidArgument("Signature mismatch: expected ", DataTypeSliceString(inputs), "->",
                                   DataTypeSliceString(outputs));
  }

  // ---- references to variables ----

  Tensor mutable_input(int i, bool lock_held);
  Status mutable_input(StringPiece name, Tensor *tensor, bool lock_held) {
    int i = 0;
    TF_RETURN_IF_ERROR(SingleInput(name, &i));
    *tensor = mutable_input(i, lock_held);
    return Status();
  }
  // The host locks the variable itself; this one orders the kernel's own threads.
  mutex *input_ref_mutex(int) { return &More()->ref_mutex; }
  void replace_ref_input(int i, const Tensor &tensor, bool) {
    WithHandle(tensor, [&](TF_Tensor *t) { TF_OpKernelContext_ReplaceRefInput(ctx_, i, t, Scratch()); });
  }
  void delete_ref_input(int i, bool) {
    TF_OpKernelContext_DeleteRefInput(ctx_, i, Scratch());
    SetStatus(Took());
  }
  void forward_ref_input_to_ref_output(int input_index, int output_index) {
    TF_OpKernelContext_ForwardRefInputToRefOutput(ctx_, input_index, output_index);
  }

  // ---- outputs ----

  int num_outputs() const { return TF_NumOutputs(ctx_); }
  DataType expected_output_dtype(int i) const {
    return static_cast<DataType>(TF_ExpectedOutputDataType(ctx_, i));
  }
  MemoryType output_memory_type(int i) const {
    bool host = TF_IsHostMemoryOutput(ctx_, i, Scratch());
    dvt_ignore(Took());
    return host ? HOST_MEMORY : DEVICE_MEMORY;
  }
  Status allocate_output(int i, const TensorShape &shape, Tensor **tensor) {
    TF_Status *s = Scratch();
    TF_Tensor *t = TF_AllocateOutput(ctx_, i, TF_FLOAT, shape.data(), shape.dims(), 0, s);
    if (TF_PREDICT_FALSE(t == nullptr)) return dvt::TakeStatus(s);
    *tensor = FillOutput(i, t);
    return Status();
  }
  Status allocate_output(StringPiece name, const TensorShape &shape, Tensor **tensor) {
    int i = 0;
    TF_RETURN_IF_ERROR(SingleOutput(name, &i));
    return allocate_output(i, shape, tensor);
  }
  Status allocate_output(int i, const TensorShape &shape, Tensor **tensor, AllocatorAttributes attributes) {
    if (attributes.value == 0) return allocate_output(i, shape, tensor);
    auto c = CAttributes(attributes);
    TF_Status *s = Scratch();
    TF_Tensor *t = TF_OpKernelContext_AllocateOutput(ctx_, i, shape.data(), shape.dims(), &c, s);
    if (t == nullptr) {
      Status status = dvt::TakeStatus(s);
      return errors::IsUnimplemented(status) ? allocate_output(i, shape, tensor) : status;
    }
    *tensor = FillOutput(i, t);
    return Status();
  }
  Status allocate_output(StringPiece name, const TensorShape &shape, Tensor **tensor,
                         AllocatorAttributes attributes) {
    int i = 0;
    TF_RETURN_IF_ERROR(SingleOutput(name, &i));
    return allocate_output(i, shape, tensor, attributes);
  }
  void set_output(int i, const Tensor &tensor) {
    if (TF_PREDICT_FALSE(dvt::set_handle_tensor != nullptr && tensor.dtype() == DT_RESOURCE) &&
        dvt::set_handle_tensor(this, i, tensor)) {
      return;
    }
    WithHandle(tensor, [&](TF_Tensor *t) { TF_SetOutput(ctx_, i, t, Scratch()); });
  }
  Status set_output(StringPiece name, const Tensor &tensor) {
    int i = 0;
    TF_RETURN_IF_ERROR(SingleOutput(name, &i));
    set_output(i, tensor);
    return status_;
  }
  void set_output_ref(int i, mutex *, Tensor *variable) {
    WithHandle(*variable, [&](TF_Tensor *t) { TF_OpKernelContext_SetOutputRef(ctx_, i, t, Scratch()); });
  }
  // NULL when the output is not there yet.
  Tensor *mutable_output(int i) {
    Tensor *found = outputs_.Find(i);
    if (found != nullptr) return found;
    TF_Tensor *t = TF_GetMutableOutput(ctx_, i, Scratch());
    dvt_ignore(Took());
    return t == nullptr ? nullptr : FillOutput(i, t);
  }
  Status mutable_output(StringPiece name, Tensor **tensor) {
    int i = 0;
    TF_RETURN_IF_ERROR(SingleOutput(name, &i));
    *tensor = mutable_output(i);
    return Status();
  }
  // The output becomes unset; the caller deletes the tensor.
  TensorValue release_output(int i) {
    outputs_.Empty(i);
    TF_Tensor *t = TF_OpKernelContext_ReleaseOutput(ctx_, i, Scratch());
    dvt_ignore(Took());
    return t == nullptr ? TensorValue() : TensorValue(new Tensor(dvt::TensorAccess::Adopt(t)));
  }
  bool output_required(int i) const {
    bool required = TF_OpKernelContext_OutputRequired(ctx_, i, Scratch());
    return Took().ok() ? required : true;
  }

  // ---- memory ----

  Status allocate_temp(DataType type, const TensorShape &shape, Tensor *out, AllocatorAttributes attributes) {
    TF_AllocatorAttributes c = {};
    c.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
    c.on_host = attributes.on_host();
    TF_Status *s = Scratch();
    TF_Tensor *t = TF_AllocateTemp(ctx_, static_cast<TF_DataType>(type), shape.data(), shape.dims(), &c, s);
    if (TF_PREDICT_FALSE(t == nullptr)) return dvt::TakeStatus(s);
    *out = dvt::TensorAccess::Adopt(t);
    return Status();
  }
  Status allocate_temp(DataType type, const TensorShape &shape, Tensor *out) {
    return allocate_temp(type, shape, out, AllocatorAttributes());
  }
  Status allocate_temp(DataType type, const TensorShape &shape, Tensor *out, AllocatorAttributes attributes,
                       const AllocationAttributes &) {
    return allocate_temp(type, shape, out, attributes);
  }
  AllocatorAttributes input_alloc_attr(int) const { return AllocatorAttributes(); }
  AllocatorAttributes output_alloc_attr(int) const { return AllocatorAttributes(); }
  Allocator *get_allocator(AllocatorAttributes) { return cpu_allocator(); }
  bool track_allocations() const { return false; }
  void record_temp_memory_allocation(int64, const Tensor &) {}
  void record_persistent_memory_allocation(int64, int64 = -1) {}

  // ---- forwarding ----

  Status forward_input_or_allocate_output(gtl::ArraySlice<int> candidates, int output_index,
                                          const TensorShape &output_shape, Tensor **output,
                                          int *forwarded_input = nullptr);
  Status forward_input_or_allocate_output(gtl::ArraySlice<StringPiece> candidates, StringPiece output_name,
                                          const TensorShape &output_shape, Tensor **output) {
    int output_index = 0;
    TF_RETURN_IF_ERROR(SingleOutput(output_name, &output_index));
    std::vector<int> inputs(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) TF_RETURN_IF_ERROR(SingleInput(candidates[i], &inputs[i]));
    return forward_input_or_allocate_output(inputs, output_index, output_shape, output);
  }
  bool forward_input_to_output_with_shape(int input_index, int output_index, const TensorShape &output_shape,
                                          Tensor **output);
  Status forward_input_or_allocate_temp(gtl::ArraySlice<int> candidates, DataType type,
                                        const TensorShape &shape, const AllocatorAttributes &attributes,
                                        Tensor *out) {
    for (int i : candidates) {
      std::unique_ptr<Tensor> forwarded = forward_input(i, -1, type, shape, DEVICE_MEMORY, attributes);
      if (forwarded == nullptr) continue;
      *out = std::move(*forwarded);
      return Status();
    }
    return allocate_temp(type, shape, out, attributes);
  }
  // The input's memory as a tensor of that type and shape if nobody else needs it, else NULL.
  std::unique_ptr<Tensor> forward_input(int input_index, int output_index, DataType type,
                                        const TensorShape &shape, MemoryType memory_type,
                                        const AllocatorAttributes &attributes);

  // ---- step, device, surroundings ----

  int64 step_id() const { return TF_GetStepId(ctx_); }
  FrameAndIter frame_iter() const {
    FrameAndIter at;
    at.frame_id = TF_GetFrameId(ctx_);
    at.iter_id = TF_GetIterId(ctx_);
    return at;
  }
  int64 start_time_usecs() const { return TF_OpKernelContext_StartTime(ctx_); }
  bool run_all_kernels_inline() const { return TF_OpKernelContext_RunAllKernelsInline(ctx_); }
  string session_handle() const { return Text(TF_OpKernelContext_SessionHandle(ctx_)); }
  DeviceBase *device() {
    std::unique_ptr<DeviceBase> &device = More()->device;
    if (device == nullptr) {
      string name = Text(TF_GetDeviceName(ctx_));
      // The type is the part of "/job:localhost/replica:0/task:0/device:CPU:0" between the last two colons.
      size_t last = name.rfind(':'),
             first = last == string::npos || last == 0 ? last : name.rfind(':', last - 1);
      device = std::make_unique<DeviceBase>(
          ctx_, name, first == string::npos ? "CPU" : name.substr(first + 1, last - first - 1));
    }
    return device.get();
  }
  const Eigen::ThreadPoolDevice &eigen_cpu_device() const {
    return *const_cast<OpKernelContext *>(this)->device()->eigen_cpu_device();
  }
  template <class EigenDevice>
  const EigenDevice &eigen_device() const {
    static_assert(std::is_same_v<EigenDevice, Eigen::ThreadPoolDevice>,
                  "only the CPU has an Eigen device here");
    return eigen_cpu_device();
  }
  DeviceContext *op_device_context() { return nullptr; }
  template <class T>
  T *op_device_context() {
    return nullptr;
  }
  CancellationManager *cancellation_manager() {
    std::unique_ptr<CancellationManager> &manager = More()->cancellation;
    if (manager == nullptr) manager = std::make_unique<CancellationManager>(ctx_);
    return manager.get();
  }
  // Runs functions on the threads that nodes run on.
  std::function<void(std::function<void()>)> *runner() {
    std::function<void(std::function<void()>)> &runner = More()->runner;
    if (!runner) {
      runner = [ctx = ctx_](std::function<void()> fn) {
        auto *task = new std::function<void()>(std::move(fn));
        TF_Status *s = dvt::ScratchStatus();
        TF_OpKernelContext_Run(
            ctx,
            [](void *arg) {
              std::unique_ptr<std::function<void()>> run(static_cast<std::function<void()> *>(arg));
              dvt::Guard([&] { (*run)(); }, [](const Status &e) { LOG(ERROR) << "A task failed: " << e; });
            },
            task, s);
        if (dvt::TakeStatus(s).ok()) return;
        dvt::SharedThreads()->Add(std::move(*task));
        delete task;
      };
    }
    return &runner;
  }
  ResourceMgr *resource_manager() const;
  ScopedStepContainer *step_container() {
    std::unique_ptr<ScopedStepContainer> &container = More()->step_container;
    if (container == nullptr) {
      container = std::make_unique<ScopedStepContainer>(Text(TF_OpKernelContext_StepContainer(ctx_)));
    }
    return container.get();
  }
  Env *env() const;
  std::function<void()> inc_num_deferred_ops_function() {
    return [ctx = ctx_] { TF_IncNumDeferredOps(ctx); };
  }
  std::function<void()> dec_num_deferred_ops_function() {
    return [ctx = ctx_] { TF_DecNumDeferredOps(ctx); };
  }

  // ---- errors ----

  // The error that counts is the first.
  void SetStatus(const Status &status) {
    if (TF_PREDICT_TRUE(status.ok())) return;
    Report(status);
  }
  const Status &status() const { return status_; }
  void CtxFailure(const Status &s) { SetStatus(s); }
  void CtxFailure(const char *file, int line, const Status &s) {
    VLOG(1) << "OP_REQUIRES failed at " << file << ":" << line << " : " << s;
    SetStatus(s);
  }
  void CtxFailureWithWarning(const Status &s) { SetStatus(s); }
  void CtxFailureWithWarning(const char *file, int line, const Status &s) { CtxFailure(file, line, s); }

  // What others keep with a call (resource managers).
  std::shared_ptr<void> &attachment() const { return More()->attachment; }

 private:
  // What few kernels ask for.
  struct Extras {
    std::unique_ptr<DeviceBase> device;
    std::unique_ptr<CancellationManager> cancellation;
    std::function<void(std::function<void()>)> runner;
    std::unique_ptr<ScopedStepContainer> step_container;
    std::shared_ptr<void> attachment;
    mutex ref_mutex;
  };
  Extras *More() const {
    static std::mutex guard;
    if (extras_ == nullptr) {
      std::lock_guard<std::mutex> hold(guard);
      if (extras_ == nullptr) extras_ = std::make_unique<Extras>();
    }
    return extras_.get();
  }

  static TF_Status *Scratch() { return dvt::ScratchStatus(); }
  static Status Took() { return dvt::TakeStatus(dvt::ScratchStatus()); }
  static string Text(TF_StringView view) { return string(view.data, view.len); }
  static TF_OpKernelContext_AllocatorAttributes CAttributes(const AllocatorAttributes &a) {
    TF_OpKernelContext_AllocatorAttributes c = {};
    c.struct_size = TF_OPKERNELCONTEXT_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
    c.on_host = a.on_host();
    c.nic_compatible = a.nic_compatible();
    c.gpu_compatible = a.gpu_compatible();
    return c;
  }
  string OpText() const;
  Status SingleInput(StringPiece name, int *i) const {
    int stop = 0;
    TF_RETURN_IF_ERROR(input_range(name, i, &stop));
    return stop == *i + 1 ? Status()
                          : errors::InvalidArgument("OpKernel used list-valued input name '", name,
                                                    "' when single-valued input was expected");
  }
  Status output_range(StringPiece name, int *start, int *stop) const;
  Status SingleOutput(StringPiece name, int *i) const {
    int stop = 0;
    TF_RETURN_IF_ERROR(output_range(name, i, &stop));
    return stop == *i + 1 ? Status()
                          : errors::InvalidArgument("OpKernel used list-valued output name '", name,
                                                    "' when single-valued output was expected");
  }

  void Fetch(uint32 which) {
    TF_Status *s = Scratch();
    for (int i = 0; which != 0; ++i, which >>= 1) {
      TF_Tensor *t = nullptr;
      if (which & 1) TF_GetInput(ctx_, i, &t, s);
      // What fails here fails again, with its error, when the kernel asks.
      if (t != nullptr) inputs_.Fill(i, 0, t);
      if (TF_PREDICT_FALSE(TF_GetCode(s) != TF_OK)) TF_SetStatus(s, TF_OK, "");
    }
  }
  Tensor *LoadInput(int i);
  Tensor *FillOutput(int i, TF_Tensor *t) {
    if (TF_PREDICT_FALSE(i >= dvt::TensorSlots::kInline)) return outputs_.Fill(i, num_outputs(), t);
    return outputs_.Fill(i, 0, t);
  }
  template <class F>
  void WithHandle(const Tensor &tensor, const F &call) {
    TF_Tensor *handle = dvt::TensorAccess::Handle(tensor), *exported = nullptr;
    if (handle == nullptr) {
      handle = exported = dvt::TensorAccess::Export(tensor);
      if (handle == nullptr) return SetStatus(errors::ResourceExhausted("no memory to pass a tensor on"));
    }
    call(handle);
    TF_DeleteTensor(exported);
    SetStatus(Took());
  }
  // The handles of inputs keep the host from forwarding them: they are let go before and taken again
  // afterwards.
  std::vector<int> LetGo(gtl::ArraySlice<int> inputs) {
    std::vector<int> gone;
    for (int i : inputs) {
      if (i < 0 || inputs_.Find(i) == nullptr) continue;
      inputs_.Empty(i);
      gone.push_back(i);
    }
    return gone;
  }
  void TakeAgain(const std::vector<int> &gone, int forwarded, const Tensor *output,
                 const TensorShape &input_shape);
  TF_ATTRIBUTE_NOINLINE void Report(const Status &status) {
    if (!status_.ok()) return;
    status_ = status;
    TF_Status *s = Scratch();
    dvt::StoreStatus(status, s);
    TF_OpKernelContext_Failure(ctx_, s);
    TF_SetStatus(s, TF_OK, "");
  }

  TF_OpKernelContext *ctx_;
  const OpKernel *kernel_;
  Status status_;
  std::atomic_flag loading_ = ATOMIC_FLAG_INIT;
  dvt::TensorSlots inputs_;
  dvt::TensorSlots outputs_;
  mutable std::unique_ptr<Extras> extras_;
};

// Goes over an argument list element by element.
template <class List, class Element>
class OpArgIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Element;
  using pointer = Element *;
  using reference = Element &;
  using difference_type = ptrdiff_t;
  OpArgIterator(const List *list, int i) : list_(list), i_(i) {}
  bool operator==(const OpArgIterator &other) const { return i_ == other.i_; }
  bool operator!=(const OpArgIterator &other) const { return i_ != other.i_; }
  OpArgIterator &operator++() {
    ++i_;
    return *this;
  }
  OpArgIterator operator++(int) {
    OpArgIterator old = *this;
    ++i_;
    return old;
  }
  Element &operator*() const { return (*list_)[i_]; }
  Element *operator->() const { return &(*list_)[i_]; }

 private:
  const List *list_;
  int i_;
};

class OpInputList {
 public:
  typedef OpArgIterator<OpInputList, const Tensor> Iterator;
  OpInputList() = default;
  OpInputList(OpKernelContext *ctx, int start, int stop) : ctx_(ctx), start_(start), stop_(stop) {}
  const Tensor &operator[](int i) const { return ctx_->input(start_ + i); }
  int size() const { return stop_ - start_; }
  Iterator begin() const { return Iterator(this, 0); }
  Iterator end() const { return Iterator(this, size()); }

 private:
  OpKernelContext *ctx_ = nullptr;
  int start_ = 0;
  int stop_ = 0;
};

class OpMutableInputList {
 public:
  OpMutableInputList() = default;
  OpMutableInputList(OpKernelContext *ctx, int start, int stop) : ctx_(ctx), start_(start), stop_(stop) {}
  Tensor at(int i, bool lock_held) { return ctx_->mutable_input(start_ + i, lock_held); }
  mutex *ref_mutex(int i) { return ctx_->input_ref_mutex(start_ + i); }
  int size() const { return stop_ - start_; }

 private:
  OpKernelContext *ctx_ = nullptr;
  int start_ = 0;
  int stop_ = 0;
};

class OpOutputList {
 public:
  OpOutputList() = default;
  OpOutputList(OpKernelContext *ctx, int start, int stop) : ctx_(ctx), start_(start), stop_(stop) {}
  Tensor *operator[](int i) { return ctx_->mutable_output(start_ + i); }
  bool required(int i) const { return ctx_->output_required(start_ + i); }
  DataType expected_output_dtype(int i) const { return ctx_->expected_output_dtype(start_ + i); }
  Status allocate(int i, const TensorShape &shape, Tensor **output) {
    return ctx_->allocate_output(start_ + i, shape, output);
  }
  void set(int i, const Tensor &tensor) { ctx_->set_output(start_ + i, tensor); }
  void set_ref(int i, mutex *mu, Tensor *variable) { ctx_->set_output_ref(start_ + i, mu, variable); }
  int size() const { return stop_ - start_; }

 private:
  OpKernelContext *ctx_ = nullptr;
  int start_ = 0;
  int stop_ = 0;
};

inline Status OpKernelContext::input_list(StringPiece name, OpInputList *list) {
  int start = 0, stop = 0;
  TF_RETURN_IF_ERROR(input_range(name, &start, &stop));
  *list = OpInputList(this, start, stop);
  return Status();
}
inline Status OpKernelContext::mutable_input_list(StringPiece name, OpMutableInputList *list) {
  int start = 0, stop = 0;
  TF_RETURN_IF_ERROR(input_range(name, &start, &stop));
  *list = OpMutableInputList(this, start, stop);
  return Status();
}
inline Status OpKernelContext::output_list(StringPiece name, OpOutputList *list) {
  int start = 0, stop = 0;
  TF_RETURN_IF_ERROR(output_range(name, &start, &stop));
  *list = OpOutputList(this, start, stop);
  return Status();
}

inline Tensor OpKernelContext::mutable_input(int i, bool lock_held) {
  TF_Tensor *t = nullptr;
  TF_GetInputTensorFromVariable(
      ctx_, i, lock_held, false, false,
      [](TF_OpKernelContext *, TF_Tensor *from, TF_Tensor *to) {
        std::memcpy(TF_TensorData(to), TF_TensorData(from), TF_TensorByteSize(from));
      },
      &t, Scratch());
  Status status = Took();
  if (!status.ok()) dvt::Fail(status);
  return dvt::TensorAccess::Adopt(t);
}

inline void OpKernelContext::TakeAgain(const std::vector<int> &gone, int forwarded, const Tensor *output,
                                       const TensorShape &input_shape) {
  for (int i : gone) {
    TF_Tensor *t = nullptr;
    TF_GetInput(ctx_, i, &t, Scratch());
    bool there = Took().ok() && t != nullptr;
    Tensor *slot = inputs_.Fill(i, num_inputs(), there ? t : nullptr);
    if (!there && i == forwarded && output != nullptr) dvt_ignore(slot->CopyFrom(*output, input_shape));
  }
}

inline Status OpKernelContext::forward_input_or_allocate_output(gtl::ArraySlice<int> candidates,
                                                                int output_index,
                                                                const TensorShape &output_shape,
                                                                Tensor **output, int *forwarded_input) {
  // The shape may be that of an input, whose slot is emptied.
  TensorShape shape = output_shape;
  std::vector<int> gone = LetGo(candidates);
  int forwarded = -1;
  TF_Status *s = Scratch();
  TF_Tensor *t = TF_ForwardInputOrAllocateOutput(ctx_, candidates.data(), static_cast<int>(candidates.size()),
                                                 output_index, shape.data(), shape.dims(), &forwarded, s);
  Status status = dvt::TakeStatus(s);
  Tensor *filled = t == nullptr ? nullptr : FillOutput(output_index, t);
  TakeAgain(gone, forwarded, filled, shape);
  if (filled == nullptr) return status;
  *output = filled;
  if (forwarded_input != nullptr) *forwarded_input = forwarded;
  return Status();
}

inline bool OpKernelContext::forward_input_to_output_with_shape(int input_index, int output_index,
                                                                const TensorShape &output_shape,
                                                                Tensor **output) {
  TensorShape shape = output_shape;
  std::vector<int> gone = LetGo({input_index});
  TF_Tensor *t = TF_OpKernelContext_ForwardInputToOutputWithShape(ctx_, input_index, output_index,
                                                                  shape.data(), shape.dims(), Scratch());
  dvt_ignore(Took());
  Tensor *filled = t == nullptr ? nullptr : FillOutput(output_index, t);
  TakeAgain(gone, t == nullptr ? -1 : input_index, filled, shape);
  if (filled != nullptr) *output = filled;
  return filled != nullptr;
}

inline std::unique_ptr<Tensor> OpKernelContext::forward_input(int input_index, int, DataType type,
                                                              const TensorShape &wanted, MemoryType,
                                                              const AllocatorAttributes &attributes) {
  TensorShape shape = wanted;
  std::vector<int> gone = LetGo({input_index});
  auto c = CAttributes(attributes);
  TF_Tensor *t = TF_OpKernelContext_ForwardInput(ctx_, input_index, static_cast<TF_DataType>(type),
                                                 shape.data(), shape.dims(), &c, Scratch());
  dvt_ignore(Took());
  std::unique_ptr<Tensor> result;
  if (t != nullptr) result = std::make_unique<Tensor>(dvt::TensorAccess::Adopt(t));
  TakeAgain(gone, t == nullptr ? -1 : input_index, result.get(), shape);
  return result;
}

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_OP_KERNEL_CONTEXT_H_
