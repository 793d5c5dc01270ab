// ResourceMgr and what kernels do with resources: make handles, look up, create, delete.
//
// In Dovetail the manager belongs to the session, as one resource of it, and handles are objects of this
// layer in tensors of dtype resource. On stock TensorFlow the manager belongs to the process, and handles are
// made and read in serialised form. On both, resources are shared among the kernels of one plugin; what the
// host itself keeps is not seen.
#ifndef DOVETAIL_CC_RESOURCE_MGR_H_
#define DOVETAIL_CC_RESOURCE_MGR_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "dovetail/cc/mutex.h"
#include "dovetail/cc/node_def.h"
#include "dovetail/cc/node_def_util.h"
#include "dovetail/cc/object_elements.h"
#include "dovetail/cc/op.h"
#include "dovetail/cc/op_kernel.h"
#include "dovetail/cc/resource_handle.h"
#include "dovetail/cc/type_index.h"
#include "dovetail/kernel_construction.h"
#include "dovetail/object.h"

DVT_CC_BEGIN
namespace tensorflow {

class ResourceMgr {
 public:
  ResourceMgr() : ResourceMgr("localhost") {}
  explicit ResourceMgr(const std::string &default_container) : default_container_(default_container) {}
  ResourceMgr(const ResourceMgr &) = delete;
  void operator=(const ResourceMgr &) = delete;

  const std::string &default_container() const { return default_container_; }

  // Takes over one reference to the resource, also on failure.
  template <class T>
  Status Create(const std::string &container, const std::string &name, T *resource) {
    CheckType<T>();
    mutex_lock lock(mu_);
    return Insert(container, TypeIndex::Make<T>(), name, resource);
  }
  // The caller gets a reference of its own.
  template <class T, bool use_dynamic_cast = false>
  Status Lookup(const std::string &container, const std::string &name, T **resource) const {
    CheckType<T>();
    mutex_lock lock(mu_);
    return Find<T>(container, name, resource);
  }
  Status Lookup(const ResourceHandle &handle, ResourceBase **resource) const {
    mutex_lock lock(mu_);
    return FindBase(handle.container(), handle.hash_code(), handle.maybe_type_name(), handle.name(),
                    resource);
  }
  // Made with `creator` if it is not there; no other resource is looked up meanwhile.
  template <class T, bool use_dynamic_cast = false>
  Status LookupOrCreate(const std::string &container, const std::string &name, T **resource,
                        std::function<Status(T **)> creator) {
    CheckType<T>();
    *resource = nullptr;
    mutex_lock lock(mu_);
    if (Find<T>(container, name, resource).ok()) return Status();
    TF_RETURN_IF_ERROR(creator(resource));
    (*resource)->Ref();
    return Insert(container, TypeIndex::Make<T>(), name, *resource);
  }
  template <class T>
  Status Delete(const std::string &container, const std::string &name) {
    CheckType<T>();
    return Remove(container, TypeIndex::Make<T>().hash_code(), TypeIndex::Make<T>().name(), name);
  }
  Status Delete(const ResourceHandle &handle) {
    return Remove(handle.container(), handle.hash_code(), handle.maybe_type_name(), handle.name());
  }
  // Deletes all of a container.
  Status Cleanup(const std::string &container) {
    Container gone;
    mutex_lock lock(mu_);
    const auto found = containers_.find(container);
    if (found == containers_.end()) return Status();
    gone.swap(found->second);
    containers_.erase(found);
    return Status();
  }
  void Clear() {
    std::map<std::string, Container> gone;
    mutex_lock lock(mu_);
    gone.swap(containers_);
  }
  std::string DebugString() const {
    std::string text;
    mutex_lock lock(mu_);
    for (const auto &container : containers_) {
      for (const auto &entry : container.second) {
        strings::StrAppend(&text, text.empty() ? "" : "\n", container.first, " | ", entry.second.type, " | ",
                           entry.first.second, " | ", entry.second.resource->DebugString());
      }
    }
    return text;
  }

 private:
  struct Entry {
    std::string type;
    core::RefCountPtr<ResourceBase> resource;
  };
  using Container = std::map<std::pair<uint64_t, std::string>, Entry>;

  template <class T>
  static void CheckType() {
    static_assert(std::is_base_of_v<ResourceBase, T>, "a resource derives from ResourceBase");
  }

  Status Insert(const std::string &container, const TypeIndex &type, const std::string &name,
                ResourceBase *resource) {
    core::RefCountPtr<ResourceBase> owned(resource);
    Entry &entry = containers_[container][{type.hash_code(), name}];
    if (entry.resource) return errors::AlreadyExists("Resource ", container, "/", name, "/", type.name());
    entry.type = type.name();
    entry.resource = std::move(owned);
    return Status();
  }
  template <class T>
  Status Find(const std::string &container, const std::string &name, T **resource) const {
    ResourceBase *base = nullptr;
    TF_RETURN_IF_ERROR(
        FindBase(container, TypeIndex::Make<T>().hash_code(), TypeIndex::Make<T>().name(), name, &base));
    *resource = static_cast<T *>(base);
    return Status();
  }
  Status FindBase(const std::string &container, uint64_t type, const std::string &type_name,
                  const std::string &name, ResourceBase **resource) const {
    const auto found = containers_.find(container);
    if (found == containers_.end()) {
      return errors::NotFound("Container ", container,
                              " does not exist. (Could not find resource: ", container, "/", name, ")");
    }
    const auto entry = found->second.find({type, name});
    if (entry == found->second.end()) {
      return errors::NotFound("Resource ", container, "/", name, "/", type_name, " does not exist.");
    }
    *resource = entry->second.resource.get();
    (*resource)->Ref();
    return Status();
  }
  Status Remove(const std::string &container, uint64_t type, const std::string &type_name,
                const std::string &name) {
    core::RefCountPtr<ResourceBase> gone;
    mutex_lock lock(mu_);
    const auto found = containers_.find(container);
    if (found == containers_.end()) return errors::NotFound("Container ", container, " does not exist.");
    const auto entry = found->second.find({type, name});
    if (entry == found->second.end()) {
      return errors::NotFound("Resource ", container, "/", name, "/", type_name, " does not exist.");
    }
    gone = std::move(entry->second.resource);
    found->second.erase(entry);
    return Status();
  }

  const std::string default_container_;
  mutable mutex mu_;
  std::map<std::string, Container> containers_;
};

namespace dvt {

inline const dvt_value_type *ManagerType() {
  static const dvt_value_type *const type = [] {
    static const std::string name = strings::StrCat(
        "tensorflow::ResourceMgr@", strings::Hex(reinterpret_cast<uintptr_t>(&TheVariantMath)));
    auto *made = new dvt_value_type();
    made->struct_size = sizeof *made;
    made->name = name.c_str();
    made->destroy = [](void *value) { delete static_cast<std::shared_ptr<ResourceMgr> *>(value); };
    return made;
  }();
  return type;
}

inline std::string ContainerName(TF_StringView name) {
  return name.len == 0 ? "localhost" : std::string(name.data, name.len);
}

// Where the session keeps nothing for plugins.
inline std::shared_ptr<ResourceMgr> ProcessManager(const std::string &default_container) {
  static auto *const manager =
      new std::shared_ptr<ResourceMgr>(std::make_shared<ResourceMgr>(default_container));
  return *manager;
}

// The manager behind a handle that the host made. Owner: takes the handle.
inline std::shared_ptr<ResourceMgr> ManagerIn(TF_Tensor *handle) {
  const void *value = dvt_object_get(handle, 0, ManagerType(), ScratchStatus());
  const Status status = TakeStatus(ScratchStatus());
  std::shared_ptr<ResourceMgr> manager;
  if (value != nullptr) manager = *static_cast<const std::shared_ptr<ResourceMgr> *>(value);
  TF_DeleteTensor(handle);
  if (!manager) Fail(status);
  return manager;
}

inline std::shared_ptr<ResourceMgr> ManagerOf(TF_OpKernelContext *ctx) {
  const char *name = ManagerType()->name;
  TF_Tensor *handle = dvt_resource_handle(
      ctx, nullptr, 0, name, std::strlen(name), ManagerType(),
      [](TF_OpKernelContext *at, void *, TF_Status *) -> void * {
        return new std::shared_ptr<ResourceMgr>(
            std::make_shared<ResourceMgr>(ContainerName(TF_GetResourceMgrDefaultContainerName(at))));
      },
      nullptr, ScratchStatus());
  const Status status = TakeStatus(ScratchStatus());
  if (handle != nullptr) return ManagerIn(handle);
  if (status.code() != error::UNIMPLEMENTED) Fail(status);
  return ProcessManager(ContainerName(TF_GetResourceMgrDefaultContainerName(ctx)));
}

inline std::shared_ptr<ResourceMgr> ManagerOf(TF_OpKernelConstruction *ctx) {
  const char *name = ManagerType()->name;
  TF_Tensor *handle = TF_OpKernelConstruction_ResourceHandle(
      ctx, nullptr, 0, name, std::strlen(name), ManagerType(),
      [](TF_OpKernelConstruction *at, void *, TF_Status *) -> void * {
        return new std::shared_ptr<ResourceMgr>(std::make_shared<ResourceMgr>(
            ContainerName(TF_OpKernelConstruction_GetResourceMgrDefaultContainerName(at))));
      },
      nullptr, ScratchStatus());
  const Status status = TakeStatus(ScratchStatus());
  if (handle != nullptr) return ManagerIn(handle);
  if (status.code() != error::UNIMPLEMENTED) Fail(status);
  return ProcessManager("localhost");
}

// What a kernel's call keeps of resources.
struct ResourceCall {
  std::shared_ptr<ResourceMgr> manager;
  // Handles of a host that shows them in serialised form only: those of inputs, and new ones until they
  // become outputs.
  std::map<const void *, ResourceHandle> handles;
};

inline ResourceCall *CallOf(const OpKernelContext *ctx) {
  std::shared_ptr<void> &attachment = ctx->attachment();
  if (!attachment) attachment = std::make_shared<ResourceCall>();
  return static_cast<ResourceCall *>(attachment.get());
}

inline ResourceHandle *SerialisedHandle(const Tensor &tensor) {
  OpKernelContext *ctx = This()->computing;
  if (ctx == nullptr) return nullptr;
  std::map<const void *, ResourceHandle> &handles = CallOf(ctx)->handles;
  const auto known = handles.find(TensorAccess::Handle(tensor));
  if (known != handles.end()) return &known->second;
  ResourceHandle *handle = &handles[TensorAccess::Handle(tensor)];
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    if (BaseType(ctx->input_dtype(i)) != DT_RESOURCE || ctx->input(i).data() != tensor.data()) continue;
    TF_Buffer *buffer = TF_NewBuffer();
    TF_GetSerializedResourceHandleProto(ctx->c_context(), i, buffer, ScratchStatus());
    const Status status = TakeStatus(ScratchStatus());
    handle->ParseFromString(StringPiece(static_cast<const char *>(buffer->data), buffer->length));
    TF_DeleteBuffer(buffer);
    if (!status.ok()) Fail(status);
    break;
  }
  return handle;
}

}  // namespace dvt

inline ResourceMgr *OpKernelContext::resource_manager() const {
  dvt::ResourceCall *call = dvt::CallOf(this);
  if (!call->manager) call->manager = dvt::ManagerOf(ctx_);
  return call->manager.get();
}

inline ResourceMgr *OpKernelConstruction::resource_manager() const {
  if (!resource_manager_) resource_manager_ = dvt::ManagerOf(ctx_);
  return static_cast<ResourceMgr *>(resource_manager_.get());
}

// ---- handles ----

inline ResourceHandle MakeResourceHandle(
    const std::string &container, const std::string &name, const DeviceBase &device, const TypeIndex &type,
    const std::vector<DtypeAndPartialTensorShape> &dtypes_and_shapes = {}) {
  ResourceHandle handle;
  handle.set_device(device.name());
  handle.set_container(container);
  handle.set_name(name == ResourceHandle::ANONYMOUS_NAME
                      ? strings::StrCat("_AnonymousVar", ResourceHandle::GenerateUniqueId())
                      : name);
  handle.set_hash_code(type.hash_code());
  handle.set_maybe_type_name(type.name());
  handle.set_dtypes_and_shapes(dtypes_and_shapes);
  return handle;
}

template <class T>
ResourceHandle MakeResourceHandle(OpKernelContext *ctx, const std::string &container, const std::string &name,
                                  const std::vector<DtypeAndPartialTensorShape> &dtypes_and_shapes = {}) {
  return MakeResourceHandle(container.empty() ? ctx->resource_manager()->default_container() : container,
                            name, *ctx->device(), TypeIndex::Make<T>(), dtypes_and_shapes);
}

namespace dvt {

// Makes a scalar output of a handle, on either kind of host.
inline Status SetHandleOutput(OpKernelContext *ctx, int index, const ResourceHandle &handle) {
  TF_Tensor *tensor = TF_AllocateTensor(TF_RESOURCE, nullptr, 0, 0);
  Status status = errors::Unimplemented("");
  if (tensor != nullptr) {
    auto block = std::make_shared<std::vector<ResourceHandle>>(1, handle);
    dvt_object_set(tensor, 0, ObjectType<ResourceHandle>(), new ObjectRef<ResourceHandle>{block, 0},
                   ScratchStatus());
    status = TakeStatus(ScratchStatus());
  }
  if (status.code() == error::UNIMPLEMENTED) {
    TF_DeleteTensor(tensor);
    if (handle.IsRefCounting())
      return errors::Unimplemented("This host keeps no handles that count references");
    // A TensorProto: the dtype, a scalar's shape, and the handle.
    WireWriter proto;
    proto.Varint(1, DT_RESOURCE);
    proto.Bytes(2, "");
    proto.Bytes(14, handle.SerializeAsString());
    const std::string bytes = proto.Take();
    TF_Buffer *buffer = TF_NewBufferFromString(bytes.data(), bytes.size());
    tensor = TF_AllocateTensor(TF_FLOAT, nullptr, 0, sizeof(float));
    TF_TensorFromProto(buffer, tensor, ScratchStatus());
    status = TakeStatus(ScratchStatus());
    TF_DeleteBuffer(buffer);
  }
  if (status.ok()) {
    TF_SetOutput(ctx->c_context(), index, tensor, ScratchStatus());
    status = TakeStatus(ScratchStatus());
  }
  TF_DeleteTensor(tensor);
  return status;
}

// A tensor that holds a handle of this layer on a host that takes none as an object becomes an output by way
// of the handle.
inline bool SetHandleTensor(OpKernelContext *ctx, int index, const Tensor &tensor) {
  std::map<const void *, ResourceHandle> &handles = CallOf(ctx)->handles;
  const auto known = handles.find(TensorAccess::Handle(tensor));
  if (known == handles.end()) return false;
  ctx->SetStatus(SetHandleOutput(ctx, index, known->second));
  return true;
}

[[maybe_unused]] static const bool handles_are_serialised = [] {
  serialised_handle = SerialisedHandle;
  set_handle_tensor = SetHandleTensor;
  return true;
}();

}  // namespace dvt

inline Status MakeResourceHandleToOutput(OpKernelContext *ctx, int output_index, const std::string &container,
                                         const std::string &name, const TypeIndex &type) {
  return dvt::SetHandleOutput(ctx, output_index, MakeResourceHandle(container, name, *ctx->device(), type));
}

inline const ResourceHandle &HandleFromInput(OpKernelContext *ctx, int input) {
  return ctx->input(input).flat<ResourceHandle>()(0);
}
inline Status HandleFromInput(OpKernelContext *ctx, int input, ResourceHandle *handle) {
  *handle = HandleFromInput(ctx, input);
  return Status();
}
inline Status HandleFromInput(OpKernelContext *ctx, StringPiece input, ResourceHandle *handle) {
  const Tensor *tensor = nullptr;
  TF_RETURN_IF_ERROR(ctx->input(input, &tensor));
  *handle = tensor->flat<ResourceHandle>()(0);
  return Status();
}

// ---- resources ----

template <class T>
Status CreateResource(OpKernelContext *ctx, const ResourceHandle &handle, T *value) {
  TF_RETURN_IF_ERROR(handle.ValidateType<T>());
  return ctx->resource_manager()->Create(handle.container(), handle.name(), value);
}

template <class T, bool use_dynamic_cast = false>
Status LookupResource(OpKernelContext *ctx, const ResourceHandle &handle, T **value) {
  if constexpr (std::is_same_v<T, ResourceBase>) {
    if (!handle.IsRefCounting()) return ctx->resource_manager()->Lookup(handle, value);
    *value = handle.resource().get();
    (*value)->Ref();
    return Status();
  } else {
    TF_RETURN_IF_ERROR(handle.ValidateType<T>());
    if (!handle.IsRefCounting())
      return ctx->resource_manager()->Lookup(handle.container(), handle.name(), value);
    TF_ASSIGN_OR_RETURN(*value, handle.GetResource<T>());
    (*value)->Ref();
    return Status();
  }
}

template <class T>
Status LookupResource(OpKernelContext *ctx, const ResourceHandle &handle, core::RefCountPtr<T> *value) {
  T *raw = nullptr;
  TF_RETURN_IF_ERROR(LookupResource(ctx, handle, &raw));
  value->reset(raw);
  return Status();
}

template <class T>
Status LookupOrCreateResource(OpKernelContext *ctx, const ResourceHandle &handle, T **value,
                              std::function<Status(T **)> creator) {
  TF_RETURN_IF_ERROR(handle.ValidateType<T>());
  return ctx->resource_manager()->LookupOrCreate(handle.container(), handle.name(), value,
                                                 std::move(creator));
}

template <class T>
Status LookupOrCreateResource(OpKernelContext *ctx, const ResourceHandle &handle, core::RefCountPtr<T> *value,
                              std::function<Status(T **)> creator) {
  T *raw = nullptr;
  TF_RETURN_IF_ERROR(LookupOrCreateResource<T>(ctx, handle, &raw, std::move(creator)));
  value->reset(raw);
  return Status();
}

template <class T>
Status DeleteResource(OpKernelContext *ctx, const ResourceHandle &handle) {
  TF_RETURN_IF_ERROR(handle.ValidateType<T>());
  if (handle.IsRefCounting()) return Status();
  return ctx->resource_manager()->Delete<T>(handle.container(), handle.name());
}
inline Status DeleteResource(OpKernelContext *ctx, const ResourceHandle &handle) {
  if (handle.IsRefCounting()) return Status();
  return ctx->resource_manager()->Delete(handle);
}

// By a handle, or by container and name in a vector of two strings.
template <class T>
Status GetResourceFromContext(OpKernelContext *ctx, const std::string &input_name, T **resource) {
  const Tensor *tensor = nullptr;
  TF_RETURN_IF_ERROR(ctx->input(input_name, &tensor));
  if (tensor->dtype() == DT_RESOURCE) return LookupResource(ctx, tensor->flat<ResourceHandle>()(0), resource);
  if (tensor->NumElements() != 2) {
    return errors::InvalidArgument("Resource handle must have 2 elements, but had shape: ",
                                   tensor->shape().DebugString());
  }
  const auto names = tensor->flat<tstring>();
  return ctx->resource_manager()->Lookup(std::string(names(0)), std::string(names(1)), resource);
}

// Where a node's resource lies, by its attributes `container` and `shared_name`.
class ContainerInfo {
 public:
  Status Init(ResourceMgr *manager, const NodeDef &node, bool use_node_name_as_default = false) {
    std::string container, shared_name;
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "container", &container));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "shared_name", &shared_name));
    for (size_t i = 0; i < container.size(); ++i) {
      const char c = container[i];
      const bool letter =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
      if (letter || (i > 0 && (c == '_' || c == '-' || c == '/'))) continue;
      return errors::InvalidArgument("container contains invalid characters: ", container);
    }
    if (!shared_name.empty() && shared_name[0] == '_') {
      return errors::InvalidArgument("shared_name cannot start with '_':", shared_name);
    }
    manager_ = manager;
    container_ = container.empty() ? manager->default_container() : container;
    private_ = shared_name.empty() && !use_node_name_as_default;
    name_ = !shared_name.empty() ? shared_name
            : private_           ? strings::StrCat("_", ResourceHandle::GenerateUniqueId(), "_", node.name())
                                 : node.name();
    return Status();
  }
  ResourceMgr *resource_manager() const { return manager_; }
  const std::string &container() const { return container_; }
  const std::string &name() const { return name_; }
  bool resource_is_private_to_kernel() const { return private_; }
  std::string DebugString() const {
    return strings::StrCat("[", container_, ",", name_, ",", private_ ? "private" : "public", "]");
  }

 private:
  ResourceMgr *manager_ = nullptr;
  std::string container_;
  std::string name_;
  bool private_ = false;
};

// ---- kernels ----

// Whether the resource that input 0 names exists.
template <class T>
class IsResourceInitialized : public OpKernel {
 public:
  explicit IsResourceInitialized(OpKernelConstruction *ctx) : OpKernel(ctx) {}
  void Compute(OpKernelContext *ctx) override {
    Tensor *output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &output));
    core::RefCountPtr<T> found;
    output->flat<bool>()(0) = LookupResource(ctx, HandleFromInput(ctx, 0), &found).ok();
  }
};

// Hands out the handle of one resource, which others create.
template <class T>
class ResourceHandleOp : public OpKernel {
 public:
  explicit ResourceHandleOp(OpKernelConstruction *ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("container", &container_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shared_name", &name_));
  }
  void Compute(OpKernelContext *ctx) override {
    OP_REQUIRES_OK(ctx, dvt::SetHandleOutput(ctx, 0, MakeResourceHandle<T>(ctx, container_, name_)));
  }
  bool IsExpensive() override { return false; }

 private:
  std::string container_;
  std::string name_;
};

// Makes its resource when it first runs and hands out the handle.
template <class T>
class ResourceOpKernel : public OpKernel {
 public:
  explicit ResourceOpKernel(OpKernelConstruction *ctx)
      : OpKernel(ctx), has_resource_type_(ctx->output_type(0) == DT_RESOURCE) {
    if (has_resource_type_) return;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_STRING, TensorShape({2}), &tensor_));
  }
  ~ResourceOpKernel() override {
    if (!cinfo_.resource_is_private_to_kernel() || !manager_) return;
    manager_->template Delete<T>(cinfo_.container(), cinfo_.name()).IgnoreError();
  }
  void Compute(OpKernelContext *ctx) override {
    mutex_lock lock(mu_);
    if (weak_resource_.GetNewRef() == nullptr) {
      ResourceMgr *manager = ctx->resource_manager();
      manager_ = dvt::CallOf(ctx)->manager;
      if (cinfo_.resource_manager() == nullptr) OP_REQUIRES_OK(ctx, cinfo_.Init(manager, def()));
      T *resource = nullptr;
      OP_REQUIRES_OK(ctx, manager->template LookupOrCreate<T>(cinfo_.container(), cinfo_.name(), &resource,
                                                              [this](T **made) {
                                                                const Status status = CreateResource(made);
                                                                if (!status.ok() && *made != nullptr)
                                                                  (*made)->Unref();
                                                                return status;
                                                              }));
      core::ScopedUnref unref(resource);
      OP_REQUIRES_OK(ctx, VerifyResource(resource));
      weak_resource_ = core::WeakPtr<T>(resource);
      resource_ = resource;
      if (!has_resource_type_) {
        auto names = tensor_.flat<tstring>();
        names(0) = cinfo_.container();
        names(1) = cinfo_.name();
      }
    }
    if (has_resource_type_) {
      OP_REQUIRES_OK(
          ctx, MakeResourceHandleToOutput(ctx, 0, cinfo_.container(), cinfo_.name(), TypeIndex::Make<T>()));
    } else {
      ctx->set_output_ref(0, &mu_, &tensor_);
    }
  }

 protected:
  core::RefCountPtr<T> get_resource() {
    mutex_lock lock(mu_);
    return weak_resource_.GetNewRef();
  }
  mutex mu_;
  ContainerInfo cinfo_;
  T *resource_ = nullptr;

 private:
  virtual Status CreateResource(T **resource) = 0;
  virtual Status VerifyResource(T *) { return Status(); }

  core::WeakPtr<T> weak_resource_{nullptr};
  // The manager outlives the kernel that deletes from it.
  std::shared_ptr<ResourceMgr> manager_;
  Tensor tensor_;
  bool has_resource_type_;
};

#define REGISTER_RESOURCE_HANDLE_OP(Type) \
  REGISTER_OP(#Type "HandleOp")           \
      .Attr("container: string = ''")     \
      .Attr("shared_name: string = ''")   \
      .Output("resource: resource")       \
      .SetIsStateful()                    \
      .SetShapeFn(::tensorflow::shape_inference::ScalarShape)

#define REGISTER_RESOURCE_HANDLE_KERNEL(Type) \
  REGISTER_KERNEL_BUILDER(Name(#Type "HandleOp").Device(DEVICE_CPU), ResourceHandleOp<Type>)

}  // namespace tensorflow
DVT_CC_END

#include "dovetail/cc/common_shape_fns.h"

#endif  // DOVETAIL_CC_RESOURCE_MGR_H_
