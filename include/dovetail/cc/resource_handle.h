// ResourceBase, what a resource derives from, and ResourceHandle, how a tensor of dtype resource names one.
#ifndef DOVETAIL_CC_RESOURCE_HANDLE_H_
#define DOVETAIL_CC_RESOURCE_HANDLE_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/cc/refcount.h"
#include "dovetail/cc/status.h"
#include "dovetail/cc/tensor_shape.h"
#include "dovetail/cc/type_index.h"
#include "dovetail/cc/types.h"
#include "dovetail/cc/wire.h"

DVT_CC_BEGIN
namespace tensorflow {

class GraphDefBuilder;
class Node;

// State that nodes share. It guards itself against use by several threads.
class ResourceBase : public core::WeakRefCounted {
 public:
  virtual std::string DebugString() const = 0;
  virtual std::string MakeRefCountingHandleName(int64_t resource_id) const {
    return strings::StrCat("Resource-", resource_id, "-at-", strings::Hex(reinterpret_cast<uintptr_t>(this)));
  }
  virtual int64_t MemoryUsed() const { return 0; }
  virtual Status AsGraphDef(GraphDefBuilder *, Node **) const {
    return errors::Unimplemented("AsGraphDef not implemented for resource ", DebugString());
  }
  virtual void Finalize() {}
};

namespace dvt {
// Under a name of its own: what the standard library instantiates for it is not hidden by all compilers.
struct HandleValue {
  DataType dtype;
  PartialTensorShape shape;
};
}  // namespace dvt
using DtypeAndPartialTensorShape = dvt::HandleValue;

// Names a resource by container, name and type; or holds it, if it counts references.
class ResourceHandle {
 public:
  static constexpr const char *ANONYMOUS_NAME = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

  const std::string &device() const { return device_; }
  void set_device(const std::string &device) { device_ = device; }
  const std::string &container() const { return container_; }
  void set_container(const std::string &container) { container_ = container; }
  const std::string &name() const { return name_; }
  void set_name(const std::string &name) { name_ = name; }
  uint64_t hash_code() const { return hash_code_; }
  void set_hash_code(uint64_t hash_code) { hash_code_ = hash_code; }
  const std::string &maybe_type_name() const { return maybe_type_name_; }
  void set_maybe_type_name(const std::string &value) { maybe_type_name_ = value; }
  const std::vector<DtypeAndPartialTensorShape> &dtypes_and_shapes() const { return dtypes_and_shapes_; }
  void set_dtypes_and_shapes(const std::vector<DtypeAndPartialTensorShape> &value) {
    dtypes_and_shapes_ = value;
  }

  // A handle that keeps its resource alive and needs no container. Takes over one reference.
  template <class T>
  static ResourceHandle MakeRefCountingHandle(
      T *resource, const std::string &device_name,
      const std::vector<DtypeAndPartialTensorShape> &dtypes_and_shapes = {}) {
    return MakeRefCountingHandle(resource, device_name, TypeIndex::Make<T>(), dtypes_and_shapes);
  }
  static ResourceHandle MakeRefCountingHandle(
      ResourceBase *resource, const std::string &device_name, const TypeIndex &type,
      const std::vector<DtypeAndPartialTensorShape> &dtypes_and_shapes = {}) {
    ResourceHandle handle;
    handle.resource_ = core::IntrusivePtr<ResourceBase>(resource, false);
    handle.device_ = device_name;
    handle.container_ = "Anonymous";
    handle.name_ = resource->MakeRefCountingHandleName(GenerateUniqueId());
    handle.hash_code_ = type.hash_code();
    handle.maybe_type_name_ = type.name();
    handle.dtypes_and_shapes_ = dtypes_and_shapes;
    return handle;
  }
  const core::IntrusivePtr<ResourceBase> &resource() const { return resource_; }
  bool IsRefCounting() const { return resource_.get() != nullptr; }
  template <class T>
  StatusOr<T *> GetResource() const {
    TF_RETURN_IF_ERROR(ValidateType<T>());
    return static_cast<T *>(resource_.get());
  }

  template <class T>
  Status ValidateType() const {
    return ValidateType(TypeIndex::Make<T>());
  }
  Status ValidateType(const TypeIndex &type) const {
    if (type.hash_code() == hash_code_) return Status();
    return errors::InvalidArgument(
        "Trying to access a handle's resource using the wrong type. The handle points to a "
        "resource (name '",
        name_, "') of type '", maybe_type_name_, "' but you are trying to access the resource as type '",
        type.name(), "'");
  }

  std::string DebugString() const {
    return strings::StrCat("device: ", device_, " container: ", container_, " name: ", name_,
                           " hash_code: ", hash_code_, " maybe_type_name: ", maybe_type_name_);
  }
  std::string SummarizeValue() const { return strings::StrCat("ResourceHandle(name=\"", name_, "\")"); }

  // The handle as a serialised ResourceHandleProto; the resource itself is not in it.
  std::string SerializeAsString() const {
    dvt::WireWriter writer;
    writer.Bytes(1, device_);
    writer.Bytes(2, container_);
    writer.Bytes(3, name_);
    writer.Varint(4, hash_code_);
    writer.Bytes(5, maybe_type_name_);
    return writer.Take();
  }
  bool ParseFromString(StringPiece bytes) {
    dvt::WireReader reader(bytes);
    while (reader.Next()) {
      if (reader.field() == 1) device_ = reader.str();
      if (reader.field() == 2) container_ = reader.str();
      if (reader.field() == 3) name_ = reader.str();
      if (reader.field() == 4) hash_code_ = reader.number();
      if (reader.field() == 5) maybe_type_name_ = reader.str();
    }
    return reader.ok();
  }

  static int64_t GenerateUniqueId() {
    static std::atomic<int64_t> next{0};
    return next.fetch_add(1);
  }

 private:
  std::string device_;
  std::string container_;
  std::string name_;
  uint64_t hash_code_ = 0;
  std::string maybe_type_name_;
  std::vector<DtypeAndPartialTensorShape> dtypes_and_shapes_;
  core::IntrusivePtr<ResourceBase> resource_;
};

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_RESOURCE_HANDLE_H_
