// What sources register for the types that they put into Variants: how to read them back, zeros and sums.
// Copies between devices are accepted and left out: variants stay on the CPU.
#ifndef DOVETAIL_CC_VARIANT_OP_REGISTRY_H_
#define DOVETAIL_CC_VARIANT_OP_REGISTRY_H_

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "dovetail/cc/object_elements.h"
#include "dovetail/cc/op_kernel.h"
#include "dovetail/cc/variant.h"

DVT_CC_BEGIN
namespace tensorflow {

enum VariantUnaryOp {
  INVALID_VARIANT_UNARY_OP = 0,
  ZEROS_LIKE_VARIANT_UNARY_OP = 1,
  CONJ_VARIANT_UNARY_OP = 2
};
enum VariantBinaryOp { INVALID_VARIANT_BINARY_OP = 0, ADD_VARIANT_BINARY_OP = 1 };
enum class VariantDeviceCopyDirection { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3 };

class UnaryVariantOpRegistry {
 public:
  using Unary = std::function<Status(OpKernelContext *, const Variant &, Variant *)>;
  using Binary = std::function<Status(OpKernelContext *, const Variant &, const Variant &, Variant *)>;
  using Decode = std::function<bool(Variant *)>;

  static UnaryVariantOpRegistry *Global() {
    static auto *const registry = new UnaryVariantOpRegistry();
    return registry;
  }
  std::map<std::string, Decode> decodes;
  std::map<std::pair<int, uint64_t>, Unary> unary;
  std::map<std::pair<int, uint64_t>, Binary> binary;
};

inline Status UnaryOpVariant(OpKernelContext *ctx, VariantUnaryOp op, const Variant &value, Variant *result) {
  const auto &fns = UnaryVariantOpRegistry::Global()->unary;
  const auto found = fns.find({op, value.TypeId().hash_code()});
  if (found != fns.end()) return found->second(ctx, value, result);
  return errors::Internal("No unary variant unary_op function found for op ", static_cast<int>(op),
                          " and Variant type_name: ", value.TypeName());
}
template <class Device>
Status UnaryOpVariant(OpKernelContext *ctx, VariantUnaryOp op, const Variant &value, Variant *result) {
  return UnaryOpVariant(ctx, op, value, result);
}

inline Status BinaryOpVariants(OpKernelContext *ctx, VariantBinaryOp op, const Variant &a, const Variant &b,
                               Variant *result) {
  if (a.TypeId() != b.TypeId()) {
    return errors::Internal("BinaryOpVariants: Variants a and b have different type ids.  Type names: '",
                            a.TypeName(), "' vs. '", b.TypeName(), "'");
  }
  const auto &fns = UnaryVariantOpRegistry::Global()->binary;
  const auto found = fns.find({op, a.TypeId().hash_code()});
  if (found != fns.end()) return found->second(ctx, a, b, result);
  return errors::Internal("No unary variant binary_op function found for op ", static_cast<int>(op),
                          " and Variant type_name: ", a.TypeName());
}
template <class Device>
Status BinaryOpVariants(OpKernelContext *ctx, VariantBinaryOp op, const Variant &a, const Variant &b,
                        Variant *result) {
  return BinaryOpVariants(ctx, op, a, b, result);
}

// Replaces what was taken apart by the value of the type that is registered under its name.
inline bool DecodeUnaryVariant(Variant *variant) {
  const VariantTensorData *data = variant->get<VariantTensorData>();
  if (data == nullptr) return false;
  const auto &decodes = UnaryVariantOpRegistry::Global()->decodes;
  const auto found = decodes.find(data->type_name());
  return found != decodes.end() && found->second(variant);
}

namespace variant_op_registry_fn_registration {

template <class T>
struct DecodeRegistration {
  explicit DecodeRegistration(const std::string &type_name) {
    UnaryVariantOpRegistry::Global()->decodes[type_name] = [](Variant *variant) {
      VariantTensorData data = *variant->get<VariantTensorData>();
      T value;
      if (!DecodeVariant(&data, &value)) return false;
      *variant = std::move(value);
      return true;
    };
  }
};

template <class T>
struct UnaryRegistration {
  template <class Fn>
  UnaryRegistration(VariantUnaryOp op, const std::string &device, Fn fn) {
    if (device != DEVICE_CPU) return;
    UnaryVariantOpRegistry::Global()->unary[{op, TypeIndex::Make<T>().hash_code()}] =
        [fn](OpKernelContext *ctx, const Variant &value, Variant *result) -> Status {
      T made;
      TF_RETURN_IF_ERROR(fn(ctx, *value.get<T>(), &made));
      *result = std::move(made);
      return Status();
    };
    dvt::TheVariantMath()->zeros_like = [](TF_OpKernelContext *ctx, const Variant &value, Variant *result) {
      OpKernelContext context(ctx, nullptr, 0);
      return UnaryOpVariant(&context, ZEROS_LIKE_VARIANT_UNARY_OP, value, result);
    };
  }
};

template <class T>
struct BinaryRegistration {
  template <class Fn>
  BinaryRegistration(VariantBinaryOp op, const std::string &device, Fn fn) {
    if (device != DEVICE_CPU) return;
    UnaryVariantOpRegistry::Global()->binary[{op, TypeIndex::Make<T>().hash_code()}] =
        [fn](OpKernelContext *ctx, const Variant &a, const Variant &b, Variant *result) -> Status {
      T made;
      TF_RETURN_IF_ERROR(fn(ctx, *a.get<T>(), *b.get<T>(), &made));
      *result = std::move(made);
      return Status();
    };
    dvt::TheVariantMath()->add = [](TF_OpKernelContext *ctx, const Variant &a, const Variant &b,
                                    Variant *result) {
      OpKernelContext context(ctx, nullptr, 0);
      return BinaryOpVariants(&context, ADD_VARIANT_BINARY_OP, a, b, result);
    };
  }
};

}  // namespace variant_op_registry_fn_registration

#define REGISTER_UNARY_VARIANT_DECODE_FUNCTION(T, type_name)                                         \
  static const ::tensorflow::variant_op_registry_fn_registration::DecodeRegistration<T> DVT_CC_JOIN( \
      dvt_variant_decode_, __COUNTER__) __attribute__((unused)) (type_name)
#define REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(op, device, T, function)                           \
  static const ::tensorflow::variant_op_registry_fn_registration::UnaryRegistration<T> DVT_CC_JOIN( \
      dvt_variant_unary_, __COUNTER__) __attribute__((unused)) (op, device, function)
#define REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(op, device, T, function)                           \
  static const ::tensorflow::variant_op_registry_fn_registration::BinaryRegistration<T> DVT_CC_JOIN( \
      dvt_variant_binary_, __COUNTER__) __attribute__((unused)) (op, device, function)
#define INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(T, direction, function) \
  static_assert(true, "variants stay on the CPU")

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_VARIANT_OP_REGISTRY_H_
