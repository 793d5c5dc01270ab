// OpKernel and AsyncOpKernel, the base classes of kernels, and REGISTER_KERNEL_BUILDER.
//
// For each class the host gets three functions, made of templates: create, compute and delete. What a kernel
// throws, a failed CHECK included, stops there and becomes the op's error.
#ifndef DOVETAIL_CC_OP_KERNEL_H_
#define DOVETAIL_CC_OP_KERNEL_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dovetail/cc/base.h"
#include "dovetail/cc/kernel_def_builder.h"
#include "dovetail/cc/op_kernel_construction.h"
#include "dovetail/cc/op_kernel_context.h"
#include "dovetail/cc/output_range.h"
#include "dovetail/cc/register_types.h"

// There with the SDK (dovetail/sdk.h), and in Dovetail.
extern "C" const char *dvt_host_name(void) __attribute__((weak, visibility("hidden")));
extern "C" bool dvt_input_is_stable(TF_OpKernelContext *ctx, int index) __attribute__((weak));

DVT_CC_BEGIN
namespace tensorflow {

class AsyncOpKernel;

class OpKernel {
 public:
  explicit OpKernel(OpKernelConstruction *ctx)
      : serialized_def_(ctx->serialized_def()), names_(dvt::ReadNodeNames(serialized_def_)) {}
  OpKernel(OpKernelConstruction *ctx, bool is_deferred) : OpKernel(ctx) { is_deferred_ = is_deferred; }
  OpKernel(const OpKernel &) = delete;
  void operator=(const OpKernel &) = delete;
  virtual ~OpKernel() = default;

  virtual void Compute(OpKernelContext *ctx) = 0;
  virtual AsyncOpKernel *AsAsync() { return nullptr; }
  virtual bool IsExpensive() { return true; }
  virtual const Tensor *const_tensor() const { return nullptr; }
  virtual string TraceString(const OpKernelContext &, bool) const { return name() + ":" + type_string(); }

  const string &name() const { return names_.name; }
  StringPiece name_view() const { return names_.name; }
  const string &type_string() const { return names_.op; }
  StringPiece type_string_view() const { return names_.op; }
  const string &requested_device() const { return names_.device; }
  const string &requested_input(int i) const { return names_.inputs.at(static_cast<size_t>(i)); }
  StringPiece serialized_def() const { return serialized_def_; }
  const NodeDef &def() const;
  bool is_deferred() const { return is_deferred_; }

  // Types of inputs and outputs, known in the constructor and while the kernel computes.
  int num_inputs() const {
    TF_OpKernelConstruction *making = dvt::This()->constructing;
    return making != nullptr ? TF_OpKernelConstruction_NumInputs(making) : TF_NumInputs(Computing());
  }
  int num_outputs() const {
    TF_OpKernelConstruction *making = dvt::This()->constructing;
    return making != nullptr ? TF_OpKernelConstruction_NumOutputs(making) : TF_NumOutputs(Computing());
  }
  DataType input_type(int i) const {
    TF_OpKernelConstruction *making = dvt::This()->constructing;
    if (making != nullptr) return OpKernelConstruction(making).input_type(i);
    return static_cast<DataType>(TF_InputDatatype(Computing(), i));
  }
  DataType output_type(int i) const {
    TF_OpKernelConstruction *making = dvt::This()->constructing;
    if (making != nullptr) return OpKernelConstruction(making).output_type(i);
    return static_cast<DataType>(TF_ExpectedOutputDataType(Computing(), i));
  }
  DataTypeVector input_types() const {
    DataTypeVector types;
    for (int i = 0; i < num_inputs(); ++i) types.push_back(input_type(i));
    return types;
  }
  DataTypeVector output_types() const {
    DataTypeVector types;
    for (int i = 0; i < num_outputs(); ++i) types.push_back(output_type(i));
    return types;
  }

  // Where the named output lies, by the op's definition.
  Status OutputRange(StringPiece output, int *start, int *stop) const {
    std::call_once(ranges_once_, [this] { ranges_ = dvt::OutputRanges(type_string(), serialized_def_); });
    auto found = ranges_.find(output);
    if (found == ranges_.end()) return errors::InvalidArgument("Unknown output name: ", output);
    *start = found->second.first;
    *stop = found->second.second;
    return Status();
  }

  // A bit for each of the first inputs that this kernel has asked for so far: they are fetched before it runs
  // again.
  uint32 usual_inputs() const { return usual_inputs_.load(std::memory_order_relaxed); }
  void AddUsualInput(int i) const {
    if (i < dvt::TensorSlots::kInline) usual_inputs_.fetch_or(1u << i, std::memory_order_relaxed);
  }

 private:
  static TF_OpKernelContext *Computing() {
    TF_OpKernelContext *ctx = dvt::This()->c_computing;
    if (ctx == nullptr)
      dvt::Fail(errors::FailedPrecondition("types of inputs and outputs are asked outside of a call"));
    return ctx;
  }

  const string serialized_def_;
  const dvt::NodeNames names_;
  bool is_deferred_ = false;
  mutable std::once_flag ranges_once_;
  mutable dvt::NameRanges ranges_;
  mutable std::atomic<uint32> usual_inputs_{0};
  mutable std::shared_ptr<void> parsed_def_;
  friend struct OpKernelGlue;
};

class AsyncOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  typedef std::function<void()> DoneCallback;
  virtual void ComputeAsync(OpKernelContext *ctx, DoneCallback done) = 0;
  AsyncOpKernel *AsAsync() override { return this; }
  void Compute(OpKernelContext *ctx) override {
    Notification finished;
    ComputeAsync(ctx, [&finished] { finished.Notify(); });
    finished.WaitForNotification();
  }
};

inline OpKernelContext::~OpKernelContext() = default;

inline Status OpKernelContext::output_range(StringPiece name, int *start, int *stop) const {
  TF_Status *s = Scratch();
  TF_OpKernelContext_OutputRange(ctx_, string(name).c_str(), start, stop, s);
  Status status = dvt::TakeStatus(s);
  return errors::IsUnimplemented(status) ? kernel_->OutputRange(name, start, stop) : status;
}

inline string OpKernelContext::OpText() const { return kernel_->type_string(); }

TF_ATTRIBUTE_NOINLINE inline Tensor *OpKernelContext::LoadInput(int i) {
  while (loading_.test_and_set(std::memory_order_acquire)) {
  }
  Tensor *found = inputs_.Find(i);
  Status status;
  if (found == nullptr) {
    TF_Tensor *t = nullptr;
    TF_Status *s = Scratch();
    TF_GetInput(ctx_, i, &t, s);
    status = dvt::TakeStatus(s);
    if (status.ok()) found = inputs_.Fill(i, num_inputs(), t);
  }
  loading_.clear(std::memory_order_release);
  if (found == nullptr) dvt::Fail(status);
  kernel_->AddUsualInput(i);
  return found;
}

inline DeviceBase *OpKernelConstruction::device() const {
  if (device_ == nullptr) {
    device_ =
        std::make_shared<DeviceBase>(nullptr, dvt::Text(TF_OpKernelConstruction_GetDeviceName(ctx_)), "CPU");
  }
  return static_cast<DeviceBase *>(device_.get());
}

namespace dvt {

// Says to the functions below which call a thread is in, for as long as one of these lives.
class Computing {
 public:
  Computing(OpKernelContext *ctx, TF_OpKernelContext *c_ctx)
      : state_(This()), ctx_(state_->computing), c_ctx_(state_->c_computing) {
    state_->computing = ctx;
    state_->c_computing = c_ctx;
  }
  ~Computing() {
    state_->computing = ctx_;
    state_->c_computing = c_ctx_;
  }

 private:
  ThreadState *state_;
  OpKernelContext *ctx_;
  TF_OpKernelContext *c_ctx_;
};

template <class Kernel>
void *CreateKernel(TF_OpKernelConstruction *c_ctx) noexcept {
  OpKernel *kernel = nullptr;
  TF_OpKernelConstruction *before = std::exchange(This()->constructing, c_ctx);
  {
    OpKernelConstruction ctx(c_ctx);
    Guard([&] { kernel = new Kernel(&ctx); }, [&](const Status &s) { ctx.SetStatus(s); });
    if (!ctx.status().ok()) {
      delete kernel;
      kernel = nullptr;
    }
  }
  This()->constructing = before;
  return kernel;
}

inline void DeleteKernel(void *kernel) noexcept {
  Guard([&] { delete static_cast<OpKernel *>(kernel); }, [](const Status &) {});
}

inline void ComputeKernel(void *arg, TF_OpKernelContext *c_ctx) noexcept {
  auto *kernel = static_cast<OpKernel *>(arg);
  OpKernelContext ctx(c_ctx, kernel, kernel->usual_inputs());
  Computing now(&ctx, c_ctx);
  Guard([&] { kernel->Compute(&ctx); }, [&](const Status &s) { ctx.SetStatus(s); });
}

// One call of an asynchronous kernel, alive until it is done.
struct AsyncCall {
  AsyncCall(TF_OpKernelContext *c_ctx, const OpKernel *kernel, TF_AsyncOpKernelDoneCallback *done_callback)
      : ctx(std::make_unique<OpKernelContext>(c_ctx, kernel, kernel->usual_inputs())), done(done_callback) {}
  void Finish() {
    if (finished.exchange(true)) return;
    ctx = nullptr;
    TF_RunAsyncOpKernelDoneCallback(done);
    ended.Notify();
  }
  std::unique_ptr<OpKernelContext> ctx;
  TF_AsyncOpKernelDoneCallback *done;
  std::atomic<bool> finished{false};
  Notification ended;
};

// Whether `done` of an asynchronous kernel may be used after compute_async has returned: not in stock
// TensorFlow, which keeps it on the stack of the caller.
inline bool DoneOutlivesCall() {
  if (dvt_host_name != nullptr) return StringPiece(dvt_host_name()) == "Dovetail";
  return dvt_input_is_stable != nullptr;
}

inline void ComputeKernelAsync(void *arg, TF_OpKernelContext *c_ctx,
                               TF_AsyncOpKernelDoneCallback *done) noexcept {
  auto *kernel = static_cast<AsyncOpKernel *>(static_cast<OpKernel *>(arg));
  auto call = std::make_shared<AsyncCall>(c_ctx, kernel, done);
  {
    OpKernelContext *ctx = call->ctx.get();
    Computing now(ctx, c_ctx);
    Guard([&] { kernel->ComputeAsync(ctx, [call] { call->Finish(); }); },
          [&](const Status &s) {
            if (call->finished.load()) return;
            call->ctx->SetStatus(s);
            call->Finish();
          });
  }
  if (!DoneOutlivesCall()) call->ended.WaitForNotification();
}

inline bool RegisterKernel(const KernelDefBuilder &def, const char *class_name,
                           TF_KernelBuilder *builder) noexcept {
  TF_Status *s = TF_NewStatus();
  Guard(
      [&] {
        if (def.IsPlain()) {
          for (const auto &list : def.types()) {
            TF_KernelBuilder_TypeConstraint(builder, list.attr.c_str(),
                                            static_cast<TF_DataType>(list.allowed[0]), s);
          }
          for (const string &arg : def.host_memory()) TF_KernelBuilder_HostMemory(builder, arg.c_str());
          if (!def.label().empty()) TF_KernelBuilder_Label(builder, def.label().c_str());
          if (def.priority() != 0) TF_KernelBuilder_Priority(builder, def.priority());
          if (TF_GetCode(s) == TF_OK) {
            TF_RegisterKernelBuilder(class_name, std::exchange(builder, nullptr), s);
          }
        } else {
          string text = def.Serialized();
          TF_RegisterKernelBuilderWithKernelDef(text.c_str(), class_name, std::exchange(builder, nullptr), s);
        }
      },
      [&](const Status &e) { StoreStatus(e, s); });
  if (builder != nullptr) TF_DeleteKernelBuilder(builder);
  bool ok = TF_GetCode(s) == TF_OK;
  if (!ok) TF_Log(TF_ERROR, "kernel %s is not registered: %s", class_name, TF_Message(s));
  TF_DeleteStatus(s);
  return ok;
}

// The kernel class `Kernel` for the nodes that `def` describes.
template <class Kernel>
bool Register(const KernelDefBuilder &def, const char *class_name) noexcept {
  TF_KernelBuilder *builder;
  if constexpr (std::is_base_of_v<AsyncOpKernel, Kernel>) {
    builder = TF_NewAsyncKernelBuilder(def.op().c_str(), def.device().c_str(), CreateKernel<Kernel>,
                                       ComputeKernelAsync, DeleteKernel);
  } else {
    builder = TF_NewKernelBuilder(def.op().c_str(), def.device().c_str(), CreateKernel<Kernel>, ComputeKernel,
                                  DeleteKernel);
  }
  return RegisterKernel(def, class_name, builder);
}

}  // namespace dvt
}  // namespace tensorflow
DVT_CC_END

// Ends with a semicolon of its own: sources leave theirs out as often as not.
#define DVT_CC_REGISTER_KERNEL(counter, builder, ...)                                  \
  [[maybe_unused]] static const bool DVT_CC_JOIN(dvt_register_kernel_, counter) = [] { \
    using ::tensorflow::register_kernel::Name;                                         \
    return ::tensorflow::dvt::Register<__VA_ARGS__>((builder), #__VA_ARGS__);          \
  }();
#define REGISTER_KERNEL_BUILDER(builder, ...) DVT_CC_REGISTER_KERNEL(__COUNTER__, builder, __VA_ARGS__)
#define REGISTER_SYSTEM_KERNEL_BUILDER(builder, ...) DVT_CC_REGISTER_KERNEL(__COUNTER__, builder, __VA_ARGS__)

#include "dovetail/cc/node_def.h"

#endif  // DOVETAIL_CC_OP_KERNEL_H_
