// REGISTER_OP: ops as C++ sources declare them, registered through the C interface while the plugin is
// loaded.
//
// The C interface knows a shape function by its address alone; a C++ one may be any callable. Each
// REGISTER_OP therefore has a type of its own, and with it a function whose address finds the callable again.
// What no C interface takes (texts, control outputs, full types) is accepted and left out.
#ifndef DOVETAIL_CC_OP_H_
#define DOVETAIL_CC_OP_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/cc/shape_inference.h"
#include "dovetail/cc/status.h"
#include "dovetail/cc/thread_state.h"
#include "dovetail/selective_registration.h"
#include "tensorflow/c/ops.h"

DVT_CC_BEGIN
namespace tensorflow {

using OpShapeInferenceFn = std::function<Status(shape_inference::InferenceContext *c)>;
using OpTypeConstructor = std::function<Status(OpDef *op_def)>;

namespace dvt {

// What a shape function needs to know of its op. Lives as long as the process, as the host may call it until
// the end.
struct OpRecord {
  OpArgs args;
  OpShapeInferenceFn shape_fn;
};

inline void InferShapes(const OpRecord &record, TF_ShapeInferenceContext *ctx, TF_Status *status) {
  Status result;
  Guard(
      [&] {
        shape_inference::InferenceContext context(ctx, record.args);
        result = context.Run(record.shape_fn);
      },
      [&result](const Status &failure) { result = failure; });
  StoreStatus(result, status);
}

// The record of one REGISTER_OP; `Tag` is a type of that place alone.
template <class Tag>
struct OpSlot {
  static inline const OpRecord *record = nullptr;
  static void Infer(TF_ShapeInferenceContext *ctx, TF_Status *status) { InferShapes(*record, ctx, status); }
};

// What is said of the op between REGISTER_OP(name) and the semicolon.
class OpSpec {
 public:
  explicit OpSpec(const char *name) : name_(name), builder_(TF_NewOpDefinitionBuilder(name)) {}
  OpSpec(const OpSpec &) = delete;
  ~OpSpec() { TF_DeleteOpDefinitionBuilder(builder_); }

  OpSpec &Attr(const std::string &spec) {
    TF_OpDefinitionBuilderAddAttr(builder_, spec.c_str());
    record_->args.AddAttr(spec);
    return *this;
  }
  OpSpec &Input(const std::string &spec) {
    TF_OpDefinitionBuilderAddInput(builder_, spec.c_str());
    record_->args.AddInput(spec);
    return *this;
  }
  OpSpec &Output(const std::string &spec) {
    TF_OpDefinitionBuilderAddOutput(builder_, spec.c_str());
    record_->args.AddOutput(spec);
    return *this;
  }
  OpSpec &ControlOutput(const std::string &) { return *this; }
  OpSpec &SetIsCommutative() {
    TF_OpDefinitionBuilderSetIsCommutative(builder_, true);
    return *this;
  }
  OpSpec &SetIsAggregate() {
    TF_OpDefinitionBuilderSetIsAggregate(builder_, true);
    return *this;
  }
  OpSpec &SetIsStateful() {
    TF_OpDefinitionBuilderSetIsStateful(builder_, true);
    return *this;
  }
  OpSpec &SetDoNotOptimize() { return SetIsStateful(); }
  OpSpec &SetAllowsUninitializedInput() {
    TF_OpDefinitionBuilderSetAllowsUninitializedInput(builder_, true);
    return *this;
  }
  OpSpec &SetIsDistributedCommunication() { return *this; }
  OpSpec &Deprecated(int version, const std::string &explanation) {
    TF_OpDefinitionBuilderDeprecated(builder_, version, explanation.c_str());
    return *this;
  }
  OpSpec &Doc(const std::string &) { return *this; }
  OpSpec &SetShapeFn(OpShapeInferenceFn fn) {
    record_->shape_fn = std::move(fn);
    return *this;
  }
  template <class Fn>
  OpSpec &SetTypeConstructor(const Fn &) {
    return *this;
  }
  template <class Fn>
  OpSpec &SetForwardTypeFn(const Fn &) {
    return *this;
  }
  template <class Fn>
  OpSpec &SetReverseTypeFn(int, const Fn &) {
    return *this;
  }

  // Hands the op to the host. `infer` finds the record that is returned.
  const OpRecord *Register(void (*infer)(TF_ShapeInferenceContext *ctx, TF_Status *status)) const {
    if (record_->shape_fn) TF_OpDefinitionBuilderSetShapeInferenceFunction(builder_, infer);
    TF_RegisterOpDefinition(std::exchange(builder_, nullptr), ScratchStatus());
    const Status status = TakeStatus(ScratchStatus());
    if (!status.ok()) LOG(ERROR) << "Op " << name_ << " is not registered: " << status.error_message();
    (*OwnOps())[name_] = &record_->args;
    return record_.release();
  }

 private:
  const char *name_;
  mutable TF_OpDefinitionBuilder *builder_;
  mutable std::unique_ptr<OpRecord> record_ = std::make_unique<OpRecord>();
};

// Takes a finished OpSpec with the type of its place.
template <class Tag, bool kSelected>
struct OpRegistration {
  OpRegistration(const OpSpec &spec) {
    if constexpr (kSelected) {
      OpSlot<Tag>::record = spec.Register(&OpSlot<Tag>::Infer);
    } else {
      ignore(spec);
    }
  }

 private:
  static void ignore(const OpSpec &) {}
};

}  // namespace dvt

namespace register_op {
using OpDefBuilderWrapper = dvt::OpSpec;
}  // namespace register_op

}  // namespace tensorflow
DVT_CC_END

#define REGISTER_OP(name) DVT_CC_REGISTER_OP(__COUNTER__, name, SHOULD_REGISTER_OP(name))
#define REGISTER_SYSTEM_OP(name) DVT_CC_REGISTER_OP(__COUNTER__, name, true)
#define DVT_CC_REGISTER_OP(id, name, selected) DVT_CC_REGISTER_OP_(id, name, selected)
#define DVT_CC_REGISTER_OP_(id, name, selected)                                                    \
  namespace {                                                                                      \
  struct DvtOpTag##id;                                                                             \
  }                                                                                                \
  static const ::tensorflow::dvt::OpRegistration<DvtOpTag##id, (selected)> dvt_op_registration##id \
      __attribute__((unused)) = ::tensorflow::dvt::OpSpec(name)

#endif  // DOVETAIL_CC_OP_H_
