// Elements of tensors of dtype variant and resource as C++ objects.
//
// The host keeps an object an element (dovetail/object.h); this layer puts the C++ objects of a tensor side
// by side in a block, so that flat<Variant>() is an array, and gives the host a reference to the block for
// each. What another plugin or the host itself put into a tensor is of another type and looks like an empty
// Variant.
//
// Stock TensorFlow offers no access to variants: an op that uses them fails there with UNIMPLEMENTED. Handles
// of resources are read and made there through their serialised form (resource_mgr.h).
#ifndef DOVETAIL_CC_OBJECT_ELEMENTS_H_
#define DOVETAIL_CC_OBJECT_ELEMENTS_H_

#include <memory>
#include <string>
#include <vector>

#include "dovetail/cc/resource_handle.h"
#include "dovetail/cc/status.h"
#include "dovetail/cc/tensor.h"
#include "dovetail/cc/thread_state.h"
#include "dovetail/cc/variant.h"
#include "dovetail/object.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace dvt {

// One element: object `index` of a block that the elements of a tensor share.
template <class T>
struct ObjectRef {
  std::shared_ptr<std::vector<T>> block;
  size_t index;
};

// Objects of variants may be zeroed and added, by functions that sources register (variant_op_registry.h).
struct VariantMath {
  Status (*zeros_like)(TF_OpKernelContext *ctx, const Variant &value, Variant *result) = nullptr;
  Status (*add)(TF_OpKernelContext *ctx, const Variant &a, const Variant &b, Variant *result) = nullptr;
};
inline VariantMath *TheVariantMath() {
  static VariantMath math;
  return &math;
}

template <class T>
const dvt_value_type *ObjectType() {
  static const dvt_value_type *const type = [] {
    // The layout is this plugin's own, and so is the name.
    static const std::string name = strings::StrCat(
        TypeIndex::Make<T>().name(), "@", strings::Hex(reinterpret_cast<uintptr_t>(&TheVariantMath)));
    auto *made = new dvt_value_type();
    made->struct_size = sizeof *made;
    made->name = name.c_str();
    made->destroy = [](void *value) { delete static_cast<ObjectRef<T> *>(value); };
    return made;
  }();
  return type;
}

template <>
inline const dvt_value_type *ObjectType<Variant>() {
  static const dvt_value_type *const type = [] {
    static const std::string name =
        strings::StrCat("tensorflow::Variant@", strings::Hex(reinterpret_cast<uintptr_t>(&TheVariantMath)));
    static const auto at = [](const void *value) -> const Variant & {
      const auto *ref = static_cast<const ObjectRef<Variant> *>(value);
      return (*ref->block)[ref->index];
    };
    static const auto result = [](const Status &made, Variant value, TF_Status *status) -> void * {
      StoreStatus(made, status);
      if (!made.ok()) return nullptr;
      auto block = std::make_shared<std::vector<Variant>>();
      block->push_back(std::move(value));
      return new ObjectRef<Variant>{std::move(block), 0};
    };
    auto *made = new dvt_value_type();
    made->struct_size = sizeof *made;
    made->name = name.c_str();
    made->destroy = [](void *value) { delete static_cast<ObjectRef<Variant> *>(value); };
    made->zeros_like = [](TF_OpKernelContext *ctx, const void *value, TF_Status *status) -> void * {
      Variant zeros;
      const auto fn = TheVariantMath()->zeros_like;
      return result(fn == nullptr
                        ? errors::Unimplemented("no zeros of ", at(value).TypeName(), " are registered")
                        : fn(ctx, at(value), &zeros),
                    std::move(zeros), status);
    };
    made->add = [](TF_OpKernelContext *ctx, const void *a, const void *b, TF_Status *status) -> void * {
      Variant sum;
      const auto fn = TheVariantMath()->add;
      return result(fn == nullptr ? errors::Unimplemented("no sum of ", at(a).TypeName(), " is registered")
                                  : fn(ctx, at(a), at(b), &sum),
                    std::move(sum), status);
    };
    return made;
  }();
  return type;
}

// The elements of a tensor as an array. A tensor that holds nothing yet gets objects; one whose elements come
// from several tensors has no array and fails.
template <class T>
Status FindElements(const Tensor &tensor, T **elements) {
  TF_Tensor *handle = TensorAccess::Handle(tensor);
  const int64 count = tensor.NumElements();
  *elements = nullptr;
  if (count == 0) return Status();
  if (handle == nullptr)
    return errors::Unimplemented("A part of a tensor of ", DataTypeString(tensor.dtype()));
  const auto *first =
      static_cast<ObjectRef<T> *>(dvt_object_get(handle, 0, ObjectType<T>(), ScratchStatus()));
  const Status status = TakeStatus(ScratchStatus());
  if (status.code() == error::UNIMPLEMENTED) return status;
  if (first == nullptr && dvt_object_type_name(handle, 0) == nullptr) {
    auto block = std::make_shared<std::vector<T>>(static_cast<size_t>(count));
    for (int64 i = 0; i < count; ++i) {
      auto *ref = new ObjectRef<T>{block, static_cast<size_t>(i)};
      dvt_object_set(handle, i, ObjectType<T>(), ref, ScratchStatus());
      TF_RETURN_IF_ERROR(TakeStatus(ScratchStatus()));
    }
    *elements = block->data();
    return Status();
  }
  if (first == nullptr)
    return errors::InvalidArgument("The element is of type ", dvt_object_type_name(handle, 0));
  for (int64 i = 1; i < count; ++i) {
    const auto *ref =
        static_cast<ObjectRef<T> *>(dvt_object_get(handle, i, ObjectType<T>(), ScratchStatus()));
    TakeStatus(ScratchStatus()).IgnoreError();
    if (ref == nullptr || ref->block != first->block || ref->index != first->index + static_cast<size_t>(i)) {
      return errors::Unimplemented("The elements of a tensor of ", DataTypeString(tensor.dtype()),
                                   " come from several tensors; take them one by one");
    }
  }
  *elements = first->block->data() + first->index;
  return Status();
}

template <>
struct Elements<Variant> {
  static Variant *Of(const Tensor &tensor) {
    Variant *elements = nullptr;
    const Status status = FindElements(tensor, &elements);
    if (status.code() == error::INVALID_ARGUMENT && tensor.NumElements() == 1) {
      static thread_local Variant empty;
      empty.clear();
      return &empty;
    }
    if (!status.ok()) Fail(status);
    return elements;
  }
};

// Where handles lie on a host that shows them in serialised form only; resource_mgr.h sets it.
inline ResourceHandle *(*serialised_handle)(const Tensor &tensor) = nullptr;

template <>
struct Elements<ResourceHandle> {
  static ResourceHandle *Of(const Tensor &tensor) {
    ResourceHandle *elements = nullptr;
    const Status status = FindElements(tensor, &elements);
    if (status.code() == error::UNIMPLEMENTED && serialised_handle != nullptr && tensor.NumElements() == 1) {
      elements = serialised_handle(tensor);
      if (elements != nullptr) return elements;
    }
    if (!status.ok()) Fail(status);
    return elements;
  }
};

}  // namespace dvt
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_OBJECT_ELEMENTS_H_
