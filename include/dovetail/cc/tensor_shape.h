// TensorShape (all dimensions known) and PartialTensorShape (rank or dimensions may be unknown, written -1).
//
// Sizes that are negative or whose product overflows are refused: with a status by the ...WithStatus
// functions, else with dvt::Failure. Up to eight dimensions take no memory of their own.
#ifndef DOVETAIL_CC_TENSOR_SHAPE_H_
#define DOVETAIL_CC_TENSOR_SHAPE_H_

#include <cstring>
#include <memory>
#include <ostream>
#include <string>

#include "dovetail/cc/base.h"
#include "dovetail/cc/eigen.h"
#include "dovetail/cc/logging.h"
#include "dovetail/cc/span.h"
#include "dovetail/cc/status.h"
#include "dovetail/cc/types.h"

DVT_CC_BEGIN
namespace tensorflow {

class TensorShape;
class PartialTensorShape;
class TensorShapeProto;

struct TensorShapeDim {
  explicit TensorShapeDim(int64 s) : size(s) {}
  int64 size;
};

template <class Shape>
class TensorShapeIter {
 public:
  TensorShapeIter(const Shape *shape, int d) : shape_(shape), d_(d) {}
  bool operator==(const TensorShapeIter &other) const { return d_ == other.d_; }
  bool operator!=(const TensorShapeIter &other) const { return d_ != other.d_; }
  void operator++() { ++d_; }
  TensorShapeDim operator*() const { return TensorShapeDim(shape_->dim_size(d_)); }

 private:
  const Shape *shape_;
  int d_;
};

// What both kinds of shape have in common.
class TensorShapeRep {
 public:
  static constexpr int MaxDimensions() { return 254; }

  TensorShapeRep() = default;
  TensorShapeRep(const TensorShapeRep &other) { CopyRep(other); }
  TensorShapeRep(TensorShapeRep &&other) noexcept { MoveRep(&other); }
  TensorShapeRep &operator=(const TensorShapeRep &other) {
    if (this != &other) CopyRep(other);
    return *this;
  }
  TensorShapeRep &operator=(TensorShapeRep &&other) noexcept {
    if (this != &other) MoveRep(&other);
    return *this;
  }

  // -1 for an unknown rank.
  int dims() const { return rank_; }
  // -1 for an unknown size.
  int64 dim_size(int d) const {
    if (TF_PREDICT_FALSE(d < 0 || d >= rank_)) BadDim(d);
    return data()[d];
  }
  gtl::InlinedVector<int64, 4> dim_sizes() const {
    return gtl::InlinedVector<int64, 4>(data(), data() + (rank_ < 0 ? 0 : rank_));
  }
  // -1 when something is unknown.
  int64 num_elements() const { return num_elements_; }
  bool unknown_rank() const { return rank_ < 0; }
  bool IsFullyDefined() const { return num_elements_ >= 0; }
  bool IsValid() const { return true; }
  void Clear() {
    rank_ = 0;
    num_elements_ = 1;
  }

  string DebugString() const {
    if (rank_ < 0) return "<unknown>";
    string out = "[";
    for (int d = 0; d < rank_; ++d) {
      if (d > 0) out += ',';
      if (data()[d] < 0) {
        out += '?';
      } else {
        strings::StrAppend(&out, data()[d]);
      }
    }
    return out + "]";
  }

  // For calls of the C interface: rank times a size.
  const int64_t *data() const { return rank_ <= kInline ? inline_ : large_.get(); }

 protected:
  static constexpr int kInline = 8;

  int64_t *mutable_data() { return rank_ <= kInline ? inline_ : large_.get(); }

  // Room for `rank` dimensions; the sizes are left as they come.
  void SetRank(int rank) {
    if (rank > kInline && (large_ == nullptr || rank_ != rank)) large_ = std::make_unique<int64_t[]>(rank);
    rank_ = rank;
  }

  bool SameDims(const TensorShapeRep &other) const {
    return rank_ == other.rank_ &&
           (rank_ <= 0 ||
            std::memcmp(data(), other.data(), sizeof(int64_t) * static_cast<size_t>(rank_)) == 0);
  }

  // Sizes become those given; unchanged on failure.
  Status Assign(const int64_t *sizes, int64 n, bool partial) {
    if (TF_PREDICT_FALSE(n > MaxDimensions())) {
      return errors::InvalidArgument("Too many dimensions: a shape has at most 254, got ", n);
    }
    int64 count = 1;
    bool unknown = false;
    for (int64 d = 0; d < n; ++d) {
      if (sizes[d] < 0) {
        if (!partial || sizes[d] < -1) {
          return errors::InvalidArgument("Expected shape dimensions to be non-negative, got ", sizes[d],
                                         " for dimension ", d);
        }
        unknown = true;
      } else if (TF_PREDICT_FALSE(__builtin_mul_overflow(count, sizes[d], &count))) {
        if (!partial) return Overflow(sizes, n);
        count = kint64max;
      }
    }
    // `sizes` may be this shape's own.
    int64_t kept[kInline];
    std::unique_ptr<int64_t[]> many;
    int64_t *to = n <= kInline ? kept : (many = std::make_unique<int64_t[]>(static_cast<size_t>(n))).get();
    for (int64 d = 0; d < n; ++d) to[d] = sizes[d];
    rank_ = static_cast<int>(n);
    if (many != nullptr) {
      large_ = std::move(many);
    } else {
      for (int64 d = 0; d < n; ++d) inline_[d] = kept[d];
    }
    num_elements_ = unknown ? -1 : count;
    return Status();
  }

  void SetUnknownRank() {
    rank_ = -1;
    num_elements_ = -1;
  }

 private:
  void CopyRep(const TensorShapeRep &other) {
    SetRank(other.rank_);
    num_elements_ = other.num_elements_;
    for (int d = 0; d < rank_; ++d) mutable_data()[d] = other.data()[d];
  }
  void MoveRep(TensorShapeRep *other) {
    rank_ = other->rank_;
    num_elements_ = other->num_elements_;
    large_ = std::move(other->large_);
    for (int d = 0; d < rank_ && rank_ <= kInline; ++d) inline_[d] = other->inline_[d];
    if (rank_ > kInline) other->Clear();
  }
  static Status Overflow(const int64_t *sizes, int64 n) {
    string text;
    for (int64 d = 0; d < n; ++d) strings::StrAppend(&text, d == 0 ? "" : ",", sizes[d]);
    return errors::InvalidArgument("Shape [", text, "] would have more than 2**63 - 1 elements");
  }
  [[noreturn]] TF_ATTRIBUTE_NOINLINE void BadDim(int d) const {
    dvt::Fail(errors::Internal("Shape ", DebugString(), " has no dimension ", d));
  }

  friend class Tensor;
  int rank_ = 0;
  int64 num_elements_ = 1;
  int64_t inline_[kInline];
  std::unique_ptr<int64_t[]> large_;
};

template <class Shape>
class TensorShapeBase : public TensorShapeRep {
 public:
  // A scalar; of a partial shape: unknown rank.
  TensorShapeBase() {
    if (kIsPartial) SetUnknownRank();
  }
  explicit TensorShapeBase(gtl::ArraySlice<int64_t> sizes) {
    Require(Assign(sizes.data(), static_cast<int64>(sizes.size()), kIsPartial));
  }
  TensorShapeBase(std::initializer_list<int64_t> sizes) : TensorShapeBase(gtl::ArraySlice<int64_t>(sizes)) {}

  static Status BuildTensorShapeBase(gtl::ArraySlice<int64_t> sizes, TensorShapeBase *out) {
    return out->Assign(sizes.data(), static_cast<int64>(sizes.size()), kIsPartial);
  }

  void AddDim(int64 size) { Require(AddDimWithStatus(size)); }
  Status AddDimWithStatus(int64 size) {
    if (unknown_rank()) return Status();
    return InsertDimWithStatus(dims(), size);
  }
  void AppendShape(const TensorShapeBase &shape) { Require(AppendShapeWithStatus(shape)); }
  Status AppendShapeWithStatus(const TensorShapeBase &shape) {
    if (unknown_rank()) return Status();
    if (shape.unknown_rank()) {
      SetUnknownRank();
      return Status();
    }
    auto sizes = dim_sizes();
    sizes.insert(sizes.end(), shape.data(), shape.data() + shape.dims());
    return Assign(sizes.data(), static_cast<int64>(sizes.size()), kIsPartial);
  }
  void InsertDim(int d, int64 size) { Require(InsertDimWithStatus(d, size)); }
  Status InsertDimWithStatus(int d, int64 size) {
    if (d < 0 || d > dims()) return NoSuchDim(d);
    auto sizes = dim_sizes();
    sizes.insert(sizes.begin() + d, size);
    return Assign(sizes.data(), static_cast<int64>(sizes.size()), kIsPartial);
  }
  void set_dim(int d, int64 size) { Require(SetDimWithStatus(d, size)); }
  Status SetDimWithStatus(int d, int64 size) {
    if (d < 0 || d >= dims()) return NoSuchDim(d);
    auto sizes = dim_sizes();
    sizes[static_cast<size_t>(d)] = size;
    return Assign(sizes.data(), static_cast<int64>(sizes.size()), kIsPartial);
  }
  void RemoveDim(int d) { RemoveDimRange(d, d + 1); }
  Status RemoveDimWithStatus(int64 d) {
    if (d < 0 || d >= dims()) return NoSuchDim(static_cast<int>(d));
    return RemoveDimRangeWithStatus(static_cast<int>(d), static_cast<int>(d) + 1);
  }
  void RemoveLastDims(int n) { RemoveDimRange(dims() - n, dims()); }
  Status RemoveLastDimsWithStatus(int64 n) {
    return RemoveDimRangeWithStatus(dims() - static_cast<int>(n), dims());
  }
  void RemoveDimRange(int begin, int end) { Require(RemoveDimRangeWithStatus(begin, end)); }
  // Negative positions count from the end, -1 being the end itself.
  Status RemoveDimRangeWithStatus(int begin, int end) {
    if (unknown_rank()) return Status();
    if (begin < 0) begin = dims() + begin + 1;
    if (end < 0) end = dims() + end + 1;
    if (begin < 0 || begin > dims()) return NoSuchDim(begin);
    if (end < 0 || end > dims()) return NoSuchDim(end);
    if (begin >= end) return Status();
    auto sizes = dim_sizes();
    sizes.erase(sizes.begin() + begin, sizes.begin() + end);
    return Assign(sizes.data(), static_cast<int64>(sizes.size()), kIsPartial);
  }

  TensorShapeIter<Shape> begin() const { return TensorShapeIter<Shape>(static_cast<const Shape *>(this), 0); }
  TensorShapeIter<Shape> end() const {
    return TensorShapeIter<Shape>(static_cast<const Shape *>(this), unknown_rank() ? 0 : dims());
  }

 protected:
  static constexpr bool kIsPartial = std::is_same_v<Shape, PartialTensorShape>;
  static void Require(const Status &status) {
    if (TF_PREDICT_FALSE(!status.ok())) dvt::Fail(status);
  }

 private:
  Status NoSuchDim(int d) const {
    return errors::Internal("Shape ", DebugString(), " has no dimension ", d, " to change");
  }
};

class TensorShape : public TensorShapeBase<TensorShape> {
 public:
  using TensorShapeBase<TensorShape>::TensorShapeBase;
  TensorShape() = default;

  static Status BuildTensorShape(gtl::ArraySlice<int64_t> sizes, TensorShape *out) {
    return BuildTensorShapeBase(sizes, out);
  }

  bool IsSameSize(const TensorShape &b) const { return SameDims(b); }
  bool operator==(const TensorShape &b) const { return SameDims(b); }
  bool operator!=(const TensorShape &b) const { return !SameDims(b); }

  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  Eigen::DSizes<IndexType, NDIMS> AsEigenDSizes() const {
    if (TF_PREDICT_FALSE(dims() != NDIMS)) WrongRank(NDIMS, "");
    return AsEigenDSizesWithPadding<NDIMS, IndexType>();
  }
  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  Eigen::DSizes<IndexType, NDIMS> AsEigenDSizesWithPadding() const {
    if (TF_PREDICT_FALSE(dims() > NDIMS)) WrongRank(NDIMS, "at most ");
    Eigen::DSizes<IndexType, NDIMS> sizes;
    for (int d = 0; d < NDIMS; ++d) sizes[d] = d < dims() ? static_cast<IndexType>(data()[d]) : 1;
    return sizes;
  }
  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  Status AsEigenDSizesWithStatus(Eigen::DSizes<IndexType, NDIMS> *out) const {
    if (dims() != NDIMS) return RankError(NDIMS, "");
    *out = AsEigenDSizesWithPadding<NDIMS, IndexType>();
    return Status();
  }
  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  Status AsEigenDSizesWithPaddingWithStatus(Eigen::DSizes<IndexType, NDIMS> *out) const {
    if (dims() > NDIMS) return RankError(NDIMS, "at most ");
    *out = AsEigenDSizesWithPadding<NDIMS, IndexType>();
    return Status();
  }

 private:
  Status RankError(int wanted, const char *bound) const {
    return errors::Internal("Asking for tensor of ", bound, wanted, " dimensions from a tensor of ", dims(),
                            " dimensions");
  }
  [[noreturn]] TF_ATTRIBUTE_NOINLINE void WrongRank(int wanted, const char *bound) const {
    dvt::Fail(RankError(wanted, bound));
  }
};

class PartialTensorShape : public TensorShapeBase<PartialTensorShape> {
 public:
  using TensorShapeBase<PartialTensorShape>::TensorShapeBase;
  PartialTensorShape() = default;
  PartialTensorShape(const TensorShape &shape) { static_cast<TensorShapeRep &>(*this) = shape; }

  static Status BuildPartialTensorShape(gtl::ArraySlice<int64_t> sizes, PartialTensorShape *out) {
    return BuildTensorShapeBase(sizes, out);
  }
  template <class T>
  static Status MakePartialShape(const T *dims, int n, PartialTensorShape *out);

  PartialTensorShape Concatenate(int64 size) const {
    PartialTensorShape out;
    Require(ConcatenateWithStatus(size, &out));
    return out;
  }
  Status ConcatenateWithStatus(int64 size, PartialTensorShape *out) const {
    *out = *this;
    return out->AddDimWithStatus(size);
  }
  PartialTensorShape Concatenate(const PartialTensorShape &shape) const {
    PartialTensorShape out;
    Require(ConcatenateWithStatus(shape, &out));
    return out;
  }
  Status ConcatenateWithStatus(const PartialTensorShape &shape, PartialTensorShape *out) const {
    *out = *this;
    return out->AppendShapeWithStatus(shape);
  }
  // What both shapes know together; INVALID_ARGUMENT when they contradict each other.
  Status MergeWith(const PartialTensorShape &shape, PartialTensorShape *result) const {
    if (unknown_rank() || shape.unknown_rank()) {
      *result = unknown_rank() ? shape : *this;
      return Status();
    }
    if (!IsCompatibleWith(shape)) {
      return errors::InvalidArgument("Incompatible shapes during merge: ", DebugString(), " vs. ",
                                     shape.DebugString());
    }
    auto sizes = dim_sizes();
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] < 0) sizes[d] = shape.data()[d];
    }
    return BuildTensorShapeBase(sizes, result);
  }
  bool IsIdenticalTo(const PartialTensorShape &shape) const { return SameDims(shape); }
  bool operator==(const PartialTensorShape &shape) const { return SameDims(shape); }
  bool operator!=(const PartialTensorShape &shape) const { return !SameDims(shape); }
  bool IsCompatibleWith(const PartialTensorShape &shape) const {
    if (unknown_rank() || shape.unknown_rank()) return true;
    if (dims() != shape.dims()) return false;
    for (int d = 0; d < dims(); ++d) {
      if (data()[d] >= 0 && shape.data()[d] >= 0 && data()[d] != shape.data()[d]) return false;
    }
    return true;
  }
  // False, and *shape as it was, when something is unknown.
  bool AsTensorShape(TensorShape *shape) const {
    return IsFullyDefined() &&
           TensorShape::BuildTensorShape({data(), static_cast<size_t>(dims())}, shape).ok();
  }
};

inline std::ostream &operator<<(std::ostream &out, const TensorShapeRep &shape) {
  return out << shape.DebugString();
}

class TensorShapeUtils {
 public:
  static bool IsScalar(const TensorShape &shape) { return shape.dims() == 0; }
  static bool IsVector(const TensorShape &shape) { return shape.dims() == 1; }
  static bool IsVectorOrHigher(const TensorShape &shape) { return shape.dims() >= 1; }
  static bool IsMatrix(const TensorShape &shape) { return shape.dims() == 2; }
  static bool IsSquareMatrix(const TensorShape &shape) {
    return shape.dims() == 2 && shape.dim_size(0) == shape.dim_size(1);
  }
  static bool IsMatrixOrHigher(const TensorShape &shape) { return shape.dims() >= 2; }

  template <class T, class Shape>
  static Status MakeShape(const T *dims, int64 n, Shape *out) {
    std::vector<int64_t> sizes(dims, dims + n);
    return Shape::BuildTensorShapeBase(gtl::ArraySlice<int64_t>(sizes), out);
  }
  template <class Sizes, class Shape, class = decltype(std::declval<const Sizes &>().size())>
  static Status MakeShape(const Sizes &sizes, Shape *out) {
    return MakeShape(sizes.data(), static_cast<int64>(sizes.size()), out);
  }
  template <class Shape>
  static Status MakeShape(std::initializer_list<int64_t> sizes, Shape *out) {
    return Shape::BuildTensorShapeBase(gtl::ArraySlice<int64_t>(sizes), out);
  }

  static string ShapeListString(gtl::ArraySlice<TensorShape> shapes) {
    string out = "[";
    for (size_t i = 0; i < shapes.size(); ++i)
      strings::StrAppend(&out, i == 0 ? "" : ", ", shapes[i].DebugString());
    return out + "]";
  }
  static bool StartsWith(const TensorShape &shape, const TensorShape &prefix) {
    return shape.dims() >= prefix.dims() &&
           std::equal(prefix.data(), prefix.data() + prefix.dims(), shape.data());
  }
  static bool EndsWith(const TensorShape &shape, const TensorShape &suffix) {
    return shape.dims() >= suffix.dims() && std::equal(suffix.data(), suffix.data() + suffix.dims(),
                                                       shape.data() + shape.dims() - suffix.dims());
  }
  static Status NumElements(gtl::ArraySlice<int64_t> sizes, int64 *num_elements) {
    TensorShape shape;
    TF_RETURN_IF_ERROR(TensorShape::BuildTensorShape(sizes, &shape));
    *num_elements = shape.num_elements();
    return Status();
  }
};

template <class T>
Status PartialTensorShape::MakePartialShape(const T *dims, int n, PartialTensorShape *out) {
  return TensorShapeUtils::MakeShape(dims, n, out);
}

class PartialTensorShapeUtils {
 public:
  static string PartialShapeListString(gtl::ArraySlice<PartialTensorShape> shapes) {
    string out = "[";
    for (size_t i = 0; i < shapes.size(); ++i)
      strings::StrAppend(&out, i == 0 ? "" : ", ", shapes[i].DebugString());
    return out + "]";
  }
  static bool AreIdentical(gtl::ArraySlice<PartialTensorShape> a, gtl::ArraySlice<PartialTensorShape> b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }
  static bool AreCompatible(gtl::ArraySlice<PartialTensorShape> a, gtl::ArraySlice<PartialTensorShape> b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                              [](const PartialTensorShape &x, const PartialTensorShape &y) {
                                                return x.IsCompatibleWith(y);
                                              });
  }
};

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_TENSOR_SHAPE_H_
