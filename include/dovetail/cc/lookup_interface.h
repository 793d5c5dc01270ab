// LookupInterface: tables from keys to values, as a resource that kernels look up.
#ifndef DOVETAIL_CC_LOOKUP_INTERFACE_H_
#define DOVETAIL_CC_LOOKUP_INTERFACE_H_

#include <string>

#include "dovetail/cc/resource_mgr.h"

DVT_CC_BEGIN
namespace tensorflow {
namespace lookup {

class InitializableLookupTable;

class LookupInterface : public ResourceBase {
 public:
  // `values` has the shape of `keys`, less that of a key, plus that of a value; what is not found gets the
  // default.
  virtual Status Find(OpKernelContext *ctx, const Tensor &keys, Tensor *values,
                      const Tensor &default_value) = 0;
  virtual Status Insert(OpKernelContext *ctx, const Tensor &keys, const Tensor &values) = 0;
  virtual Status Remove(OpKernelContext *ctx, const Tensor &keys) = 0;
  virtual size_t size() const = 0;
  virtual Status ExportValues(OpKernelContext *ctx) = 0;
  virtual Status ImportValues(OpKernelContext *ctx, const Tensor &keys, const Tensor &values) = 0;
  virtual DataType key_dtype() const = 0;
  virtual DataType value_dtype() const = 0;
  virtual TensorShape key_shape() const = 0;
  virtual TensorShape value_shape() const = 0;

  virtual Status CheckKeyAndValueTensorsForInsert(const Tensor &keys, const Tensor &values) {
    return CheckTensors(keys, values);
  }
  virtual Status CheckKeyAndValueTensorsForImport(const Tensor &keys, const Tensor &values) {
    return CheckTensors(keys, values);
  }
  virtual Status CheckKeyTensorForRemove(const Tensor &keys) {
    if (keys.dtype() != key_dtype()) {
      return errors::InvalidArgument("Key must be type ", DataTypeString(key_dtype()), " but got ",
                                     DataTypeString(keys.dtype()));
    }
    return CheckKeyShape(keys.shape());
  }
  Status CheckFindArguments(const Tensor &keys, const Tensor &default_value) {
    TF_RETURN_IF_ERROR(CheckKeyAndValueTypes(keys, default_value));
    TF_RETURN_IF_ERROR(CheckKeyShape(keys.shape()));
    if (default_value.shape() == value_shape()) return Status();
    // One default for each key.
    TensorShape wanted = keys.shape();
    wanted.RemoveLastDims(key_shape().dims());
    wanted.AppendShape(value_shape());
    if (default_value.shape() == wanted) return Status();
    return errors::InvalidArgument("Expected shape ", value_shape().DebugString(), " or ",
                                   wanted.DebugString(), " for default value, got ",
                                   default_value.shape().DebugString());
  }
  std::string DebugString() const override { return strings::StrCat("A lookup table of size: ", size()); }
  virtual InitializableLookupTable *GetInitializableLookupTable() { return nullptr; }

 protected:
  ~LookupInterface() override = default;

  Status CheckKeyAndValueTypes(const Tensor &keys, const Tensor &values) {
    if (keys.dtype() != key_dtype()) {
      return errors::InvalidArgument("Key must be type ", DataTypeString(key_dtype()), " but got ",
                                     DataTypeString(keys.dtype()));
    }
    if (values.dtype() != value_dtype()) {
      return errors::InvalidArgument("Value must be type ", DataTypeString(value_dtype()), " but got ",
                                     DataTypeString(values.dtype()));
    }
    return Status();
  }
  Status CheckKeyShape(const TensorShape &shape) {
    if (TensorShapeUtils::EndsWith(shape, key_shape())) return Status();
    return errors::InvalidArgument("Input key shape ", shape.DebugString(),
                                   " must end with the table's key shape ", key_shape().DebugString());
  }

 private:
  Status CheckTensors(const Tensor &keys, const Tensor &values) {
    TF_RETURN_IF_ERROR(CheckKeyAndValueTypes(keys, values));
    TF_RETURN_IF_ERROR(CheckKeyShape(keys.shape()));
    TensorShape wanted = keys.shape();
    wanted.RemoveLastDims(key_shape().dims());
    wanted.AppendShape(value_shape());
    if (values.shape() == wanted) return Status();
    return errors::InvalidArgument("Expected shape ", wanted.DebugString(), " for value, got ",
                                   values.shape().DebugString());
  }
};

}  // namespace lookup
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_LOOKUP_INTERFACE_H_
