// Shapes and dimensions as a shape function handles them. They are objects of this layer, computed with here;
// each keeps where the host knows it from, so that it finds its way back when it becomes part of an output:
// what was one unknown dimension for the function is then one for the host. Made and owned by an
// InferenceContext (shape_inference.h).
#ifndef DOVETAIL_CC_SHAPE_HANDLE_H_
#define DOVETAIL_CC_SHAPE_HANDLE_H_

#include <utility>
#include <vector>

#include "dovetail/cc/base.h"
#include "dovetail/cc/types.h"
#include "tensorflow/c/ops.h"

DVT_CC_BEGIN
namespace tensorflow {

// The full type of a value, which no C interface tells or takes.
class FullTypeDef {};

namespace shape_inference {

class InferenceContext;

class Dimension {
 public:
  explicit Dimension(int64_t value) : value_(value) {}
  Dimension(const Dimension &) = delete;
  void operator=(const Dimension &) = delete;

 private:
  const int64_t value_;
  // The host knows it as dimension `origin_index_` of this shape; as the other, if it was computed there.
  mutable TF_ShapeHandle *origin_ = nullptr;
  mutable int64_t origin_index_ = 0;
  mutable TF_DimensionHandle *host_ = nullptr;

  friend class InferenceContext;
};

class DimensionHandle {
 public:
  DimensionHandle() = default;
  bool SameHandle(DimensionHandle other) const { return ptr_ == other.ptr_; }
  std::size_t Handle() const { return reinterpret_cast<std::size_t>(ptr_); }

 private:
  explicit DimensionHandle(const Dimension *dim) : ptr_(dim) {}
  const Dimension *operator->() const { return ptr_; }
  bool IsSet() const { return ptr_ != nullptr; }

  const Dimension *ptr_ = nullptr;

  friend struct DimensionOrConstant;
  friend class InferenceContext;
};

class Shape {
 public:
  Shape(int32_t rank, std::vector<DimensionHandle> dims) : rank_(rank), dims_(std::move(dims)) {}
  Shape(const Shape &) = delete;
  void operator=(const Shape &) = delete;

 private:
  const int32_t rank_;
  const std::vector<DimensionHandle> dims_;
  mutable TF_ShapeHandle *host_ = nullptr;

  friend class InferenceContext;
};

class ShapeHandle {
 public:
  ShapeHandle() = default;
  bool SameHandle(ShapeHandle other) const { return ptr_ == other.ptr_; }
  std::size_t Handle() const { return reinterpret_cast<std::size_t>(ptr_); }

 private:
  explicit ShapeHandle(const Shape *shape) : ptr_(shape) {}
  const Shape *operator->() const { return ptr_; }
  bool IsSet() const { return ptr_ != nullptr; }

  const Shape *ptr_ = nullptr;

  friend class InferenceContext;
};

// A dimension, or a size; -1 is a new unknown dimension.
struct DimensionOrConstant {
  DimensionOrConstant(DimensionHandle dimension) : dim(dimension), val(-1) {}
  DimensionOrConstant(int64_t value) : val(value) {}

  DimensionHandle dim;
  int64_t val;
};

// What is known of a value behind a resource or a variant.
struct ShapeAndType {
  ShapeAndType() = default;
  ShapeAndType(ShapeHandle s, DataType t) : shape(s), dtype(t) {}
  ShapeAndType(ShapeHandle s, DataType t, FullTypeDef full_type) : shape(s), dtype(t), type(full_type) {}

  ShapeHandle shape;
  DataType dtype = DT_INVALID;
  FullTypeDef type;
};

}  // namespace shape_inference
}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_SHAPE_HANDLE_H_
