// Tensor: shared memory with an element type and a shape, over a handle of the C interface (TF_Tensor).
//
// A copy shares the memory. A tensor that comes from the host asks its handle when it is asked; slices,
// reshaped and bit-cast tensors are views with a type, a shape and a place of their own. dvt::TensorAccess
// goes from and to handles.
//
// A map asks for more than the tensor has (another type, another rank, memory that is not aligned):
// dvt::Failure, which fails the op. Reading tensors is safe from several threads at once, copying them
// included.
#ifndef DOVETAIL_CC_TENSOR_H_
#define DOVETAIL_CC_TENSOR_H_

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <ostream>
#include <utility>

#include "dovetail/cc/allocator.h"
#include "dovetail/cc/base.h"
#include "dovetail/cc/logging.h"
#include "dovetail/cc/status.h"
#include "dovetail/cc/tensor_shape.h"
#include "dovetail/cc/tensor_types.h"
#include "dovetail/cc/types.h"
#include "tensorflow/c/tf_tensor.h"

DVT_CC_BEGIN
namespace tensorflow {

class Tensor;
class TensorProto;

namespace dvt {

// The handle behind tensors that share memory; deleted with the last of them.
struct SharedHandle {
  explicit SharedHandle(TF_Tensor *t) : tensor(t) {}
  ~SharedHandle() { TF_DeleteTensor(tensor); }
  std::atomic<int> references{1};
  TF_Tensor *tensor;
};

inline void Unref(SharedHandle *shared) {
  if (shared->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
}

// Where the elements of a tensor lie as C++ objects. Types whose tensors hold something else specialise it.
template <class T>
struct Elements {
  static T *Of(const Tensor &tensor);
};

class TensorAccess;

}  // namespace dvt

class Tensor {
 public:
  // No elements, float.
  Tensor() : Tensor(DT_FLOAT) {}
  explicit Tensor(DataType type) : direct_(false), dtype_(type) {
    shape_.SetRank(1);
    shape_.inline_[0] = 0;
    shape_.num_elements_ = 0;
  }
  // New memory, numbers not set, strings empty.
  Tensor(DataType type, const TensorShape &shape) : Tensor(type) {
    Status status = Allocate(type, shape);
    if (TF_PREDICT_FALSE(!status.ok())) dvt::Fail(status);
  }
  Tensor(Allocator *, DataType type, const TensorShape &shape) : Tensor(type, shape) {}
  Tensor(Allocator *, DataType type, const TensorShape &shape, const AllocationAttributes &)
      : Tensor(type, shape) {}
  static Status BuildTensor(DataType type, const TensorShape &shape, Tensor *out) {
    Tensor tensor(type);
    TF_RETURN_IF_ERROR(tensor.Allocate(type, shape));
    *out = std::move(tensor);
    return Status();
  }

  // A scalar.
  template <class T, class = std::enable_if_t<IsValidDataType<T>::value>>
  explicit Tensor(T value) : Tensor(DataTypeToEnum<T>::value, TensorShape()) {
    *dvt::Elements<T>::Of(*this) = std::move(value);
  }
  explicit Tensor(const char *text) : Tensor(tstring(text)) {}
  template <class T, class = std::enable_if_t<!std::is_same_v<T, char> && !std::is_same_v<T, const char>>>
  explicit Tensor(T *) = delete;

  Tensor(const Tensor &other) : Tensor(DT_FLOAT) { Share(other); }
  Tensor(Tensor &&other) noexcept : Tensor(DT_FLOAT) { Steal(&other); }
  ~Tensor() { Release(); }
  Tensor &operator=(const Tensor &other) {
    if (this != &other) {
      Tensor copy(other);
      Release();
      Steal(&copy);
    }
    return *this;
  }
  Tensor &operator=(Tensor &&other) noexcept {
    if (this != &other) {
      Release();
      Steal(&other);
    }
    return *this;
  }

  DataType dtype() const { return direct_ ? static_cast<DataType>(TF_TensorType(handle_)) : dtype_; }
  const TensorShape &shape() const {
    if (TF_PREDICT_FALSE(shape_state_.load(std::memory_order_acquire) != kFilled)) FillShape();
    return shape_;
  }
  int dims() const { return shape().dims(); }
  int64 dim_size(int d) const { return shape().dim_size(d); }
  int64 NumElements() const {
    return direct_ && shape_state_.load(std::memory_order_acquire) != kFilled ? TF_TensorElementCount(handle_)
                                                                              : shape_.num_elements();
  }
  bool IsSameSize(const Tensor &b) const { return shape().IsSameSize(b.shape()); }
  bool SharesBufferWith(const Tensor &b) const {
    return handle_ != nullptr && b.handle_ != nullptr &&
           (handle_ == b.handle_ || TF_TensorData(handle_) == TF_TensorData(b.handle_));
  }
  bool IsInitialized() const { return handle_ != nullptr || shape().num_elements() == 0; }
  size_t TotalBytes() const {
    size_t bytes = static_cast<size_t>(NumElements()) * ElementBytes(dtype());
    if (dtype() == DT_STRING) {
      for (int64 i = 0; i < NumElements(); ++i) bytes += static_cast<const tstring *>(data())[i].size();
    }
    return bytes;
  }
  size_t AllocatedBytes() const { return TotalBytes(); }
  size_t GetBufferSize() const { return handle_ == nullptr ? 0 : TF_TensorByteSize(handle_); }
  bool IsAligned() const {
#if EIGEN_MAX_ALIGN_BYTES == 0
    return true;
#else
    return reinterpret_cast<uintptr_t>(data()) % EIGEN_MAX_ALIGN_BYTES == 0 || dtype() == DT_STRING ||
           NumElements() == 0;
#endif
  }
  void *data() const { return direct_ ? TF_TensorData(handle_) : data_; }
  StringPiece tensor_data() const {
    return StringPiece(static_cast<const char *>(data()),
                       static_cast<size_t>(NumElements()) * ElementBytes(dtype()));
  }
  // Whether nobody else refers to the memory.
  bool RefCountIsOne() const {
    dvt::SharedHandle *shared = shared_.load(std::memory_order_acquire);
    return handle_ != nullptr && (shared == nullptr || shared->references.load() == 1) &&
           TF_TensorMaybeMove(handle_) != nullptr;
  }

  // The memory of `other` under another shape of as many elements; false if it has not as many.
  TF_MUST_USE_RESULT bool CopyFrom(const Tensor &other, const TensorShape &shape) {
    if (other.NumElements() != shape.num_elements()) return false;
    SetView(other, other.dtype(), shape, 0);
    return true;
  }
  // The memory of `other` under another type and shape of as many bytes.
  Status BitcastFrom(const Tensor &other, DataType dtype, const TensorShape &shape) {
    int from = DataTypeSize(other.dtype()), to = DataTypeSize(dtype);
    if (from == 0 || to == 0) return errors::InvalidArgument("Bitcast needs types of a fixed size");
    if (other.NumElements() * from != shape.num_elements() * to) {
      return errors::InvalidArgument("Bitcast from ", DataTypeString(other.dtype()), " ",
                                     other.shape().DebugString(), " to ", DataTypeString(dtype), " ",
                                     shape.DebugString(), ": the bytes differ");
    }
    SetView(other, dtype, shape, 0);
    return Status();
  }
  void UnsafeCopyFromInternal(const Tensor &other, DataType dtype, const TensorShape &shape) {
    TF_CHECK_OK(BitcastFrom(other, dtype, shape));
  }
  // Rows [start, limit), without copying; they may be unaligned.
  Tensor Slice(int64 start, int64 limit) const {
    CHECK_GE(dims(), 1);
    CHECK_LE(0, start);
    CHECK_LE(start, limit);
    CHECK_LE(limit, dim_size(0));
    if (start == 0 && limit == dim_size(0)) return *this;
    TensorShape rows = shape();
    rows.set_dim(0, limit - start);
    return Rows(start, rows);
  }
  // Row `index`, one dimension less.
  Tensor SubSlice(int64 index) const {
    CHECK_GE(dims(), 1);
    CHECK_LE(0, index);
    CHECK_LT(index, dim_size(0));
    TensorShape row = shape();
    row.RemoveDim(0);
    return Rows(index, row);
  }

  // Each map comes in two forms: for writing, and const.
#define DVT_CC_MAPS(Const, constness)                                                                    \
  template <class T>                                                                                     \
  typename TTypes<T>::Const##Vec vec() constness {                                                       \
    return tensor<T, 1>();                                                                               \
  }                                                                                                      \
  template <class T>                                                                                     \
  typename TTypes<T>::Const##Matrix matrix() constness {                                                 \
    return tensor<T, 2>();                                                                               \
  }                                                                                                      \
  template <class T, size_t NDIMS>                                                                       \
  typename TTypes<T, NDIMS>::Const##Tensor tensor() constness {                                          \
    CheckType(DataTypeToEnum<T>::v());                                                                   \
    return {AlignedBase<T>(), shape().AsEigenDSizes<NDIMS>()};                                           \
  }                                                                                                      \
  template <class T>                                                                                     \
  typename TTypes<T>::Const##Flat flat() constness {                                                     \
    CheckType(DataTypeToEnum<T>::v());                                                                   \
    return {AlignedBase<T>(), NumElements()};                                                            \
  }                                                                                                      \
  template <class T>                                                                                     \
  typename TTypes<T>::Unaligned##Const##Flat unaligned_flat() constness {                                \
    CheckType(DataTypeToEnum<T>::v());                                                                   \
    return {dvt::Elements<T>::Of(*this), NumElements()};                                                 \
  }                                                                                                      \
  template <class T>                                                                                     \
  typename TTypes<T>::Const##Scalar scalar() constness {                                                 \
    CheckType(DataTypeToEnum<T>::v());                                                                   \
    if (TF_PREDICT_FALSE(NumElements() != 1)) NotOneElement();                                           \
    return typename TTypes<T>::Const##Scalar(AlignedBase<T>());                                          \
  }                                                                                                      \
  template <class T, size_t NDIMS>                                                                       \
  typename TTypes<T, NDIMS>::Const##Tensor shaped(gtl::ArraySlice<int64_t> sizes) constness {            \
    CheckType(DataTypeToEnum<T>::v());                                                                   \
    return {AlignedBase<T>(), Sizes<NDIMS>(sizes, NumElements())};                                       \
  }                                                                                                      \
  template <class T, size_t NDIMS>                                                                       \
  typename TTypes<T, NDIMS>::Unaligned##Const##Tensor unaligned_shaped(gtl::ArraySlice<int64_t> sizes)   \
      constness {                                                                                        \
    CheckType(DataTypeToEnum<T>::v());                                                                   \
    return {dvt::Elements<T>::Of(*this), Sizes<NDIMS>(sizes, NumElements())};                            \
  }                                                                                                      \
  template <class T, size_t NDIMS>                                                                       \
  typename TTypes<T, NDIMS>::Const##Tensor bit_casted_shaped(gtl::ArraySlice<int64_t> sizes) constness { \
    return {BitCastBase<T>(), Sizes<NDIMS>(sizes, BitCastCount<T>())};                                   \
  }                                                                                                      \
  template <class T, size_t NDIMS>                                                                       \
  typename TTypes<T, NDIMS>::Const##Tensor bit_casted_tensor() constness {                               \
    return {BitCastBase<T>(), shape().AsEigenDSizes<NDIMS>()};                                           \
  }                                                                                                      \
  template <class T, size_t NDIMS>                                                                       \
  typename TTypes<T, NDIMS>::Const##Tensor reinterpret_last_dimension() constness {                      \
    if (dims() == static_cast<int>(NDIMS)) return tensor<T, NDIMS>();                                    \
    CHECK_EQ(static_cast<int>(NDIMS) + 1, dims());                                                       \
    CHECK_EQ(static_cast<int64>(sizeof(T)), dim_size(NDIMS) * DataTypeSize(dtype()));                    \
    return {BitCastBase<T>(), Sizes<NDIMS>({shape().data(), NDIMS}, BitCastCount<T>())};                 \
  }                                                                                                      \
  template <class T, size_t NDIMS = 2>                                                                   \
  typename TTypes<T, NDIMS>::Const##Tensor flat_inner_dims() constness {                                 \
    int64_t sizes[NDIMS];                                                                                \
    InnerDims(shape().data(), dims(), sizes, NDIMS);                                                     \
    return shaped<T, NDIMS>({sizes, NDIMS});                                                             \
  }                                                                                                      \
  template <class T, size_t NDIMS = 2>                                                                   \
  typename TTypes<T, NDIMS>::Const##Tensor flat_outer_dims() constness {                                 \
    int64_t sizes[NDIMS];                                                                                \
    OuterDims(shape().data(), dims(), sizes, NDIMS);                                                     \
    return shaped<T, NDIMS>({sizes, NDIMS});                                                             \
  }                                                                                                      \
  template <class T, size_t NDIMS = 3>                                                                   \
  typename TTypes<T, NDIMS>::Const##Tensor flat_inner_outer_dims(int64 begin) constness {                \
    int outer_rank = static_cast<int>(begin) + static_cast<int>(NDIMS);                                  \
    CHECK_GT(outer_rank, 0);                                                                             \
    std::vector<int64_t> outer(static_cast<size_t>(outer_rank));                                         \
    OuterDims(shape().data(), dims(), outer.data(), outer_rank);                                         \
    int64_t sizes[NDIMS];                                                                                \
    InnerDims(outer.data(), outer_rank, sizes, NDIMS);                                                   \
    return shaped<T, NDIMS>({sizes, NDIMS});                                                             \
  }
  DVT_CC_MAPS(, )
  DVT_CC_MAPS(Const, const)
#undef DVT_CC_MAPS

  // The first values as text, nested in brackets by dimension.
  string SummarizeValue(int64 max_entries, bool print_v2 = false) const;
  string DebugString(int num_values) const {
    return strings::StrCat("Tensor<type: ", DataTypeString(dtype()), " shape: ", shape().DebugString(),
                           " values: ", SummarizeValue(num_values), ">");
  }
  string DebugString() const { return DebugString(3); }
  string DeviceSafeDebugString() const {
    return strings::StrCat("Tensor<type: ", DataTypeString(dtype()), " shape: ", shape().DebugString(), ">");
  }

 private:
  friend class dvt::TensorAccess;
  enum ShapeState : unsigned char { kUnfilled, kFilling, kFilled };

  struct Direct {};
  // Takes over a handle.
  Tensor(TF_Tensor *handle, Direct)
      : handle_(handle), shape_state_(kUnfilled), direct_(true), dtype_(DT_INVALID) {}

  static size_t ElementBytes(DataType type) {
    return type == DT_STRING ? sizeof(tstring) : static_cast<size_t>(DataTypeSize(type));
  }

  Status Allocate(DataType type, const TensorShape &shape);
  static void FreeStrings(void *data, size_t bytes, void *) {
    for (size_t i = 0; i < bytes / sizeof(tstring); ++i) static_cast<tstring *>(data)[i].~tstring();
    ::operator delete(data);
  }

  // Reads the handle's shape once; other threads wait for the one that does.
  TF_ATTRIBUTE_NOINLINE void FillShape() const {
    unsigned char expected = kUnfilled;
    if (!shape_state_.compare_exchange_strong(expected, kFilling)) {
      while (shape_state_.load(std::memory_order_acquire) != kFilled) {
      }
      return;
    }
    int rank = TF_NumDims(handle_);
    shape_.SetRank(rank);
    int64_t *sizes = shape_.mutable_data();
    for (int d = 0; d < rank; ++d) sizes[d] = TF_Dim(handle_, d);
    shape_.num_elements_ = TF_TensorElementCount(handle_);
    shape_state_.store(kFilled, std::memory_order_release);
  }

  // The shared handle, made when a tensor is first copied.
  dvt::SharedHandle *Shared() const {
    dvt::SharedHandle *shared = shared_.load(std::memory_order_acquire);
    if (shared != nullptr || handle_ == nullptr) return shared;
    auto *fresh = new dvt::SharedHandle(handle_);
    if (shared_.compare_exchange_strong(shared, fresh)) return fresh;
    fresh->tensor = nullptr;
    delete fresh;
    return shared;
  }
  void Release() {
    dvt::SharedHandle *shared = shared_.load(std::memory_order_acquire);
    if (shared != nullptr) {
      dvt::Unref(shared);
    } else if (handle_ != nullptr) {
      TF_DeleteTensor(handle_);
    }
  }
  // This tensor holds nothing before.
  void Share(const Tensor &other) {
    dvt::SharedHandle *shared = other.Shared();
    if (shared != nullptr) shared->references.fetch_add(1, std::memory_order_relaxed);
    shared_.store(shared, std::memory_order_relaxed);
    handle_ = other.handle_;
    direct_ = other.direct_;
    dtype_ = other.dtype_;
    data_ = other.data_;
    bool filled = other.shape_state_.load(std::memory_order_acquire) == kFilled;
    if (filled) shape_ = other.shape_;
    shape_state_.store(filled ? kFilled : kUnfilled, std::memory_order_relaxed);
  }
  // What this tensor held is released before.
  void Steal(Tensor *other) noexcept {
    handle_ = std::exchange(other->handle_, nullptr);
    shared_.store(other->shared_.exchange(nullptr), std::memory_order_relaxed);
    dtype_ = other->dtype_;
    data_ = std::exchange(other->data_, nullptr);
    direct_ = std::exchange(other->direct_, false);
    shape_ = std::move(other->shape_);
    shape_state_.store(other->shape_state_.load(), std::memory_order_relaxed);
    other->dtype_ = DT_FLOAT;
    other->shape_.SetRank(1);
    other->shape_.inline_[0] = 0;
    other->shape_.num_elements_ = 0;
    other->shape_state_.store(kFilled, std::memory_order_relaxed);
  }
  void SetView(const Tensor &other, DataType dtype, const TensorShape &shape, size_t offset) {
    Tensor view(other);
    view.data_ = static_cast<char *>(other.data()) + offset;
    view.dtype_ = dtype;
    view.shape_ = shape;
    view.shape_state_.store(kFilled, std::memory_order_relaxed);
    view.direct_ = false;
    *this = std::move(view);
  }
  Tensor Rows(int64 start, const TensorShape &rows) const {
    int64 row = dim_size(0) == 0 ? 0 : NumElements() / dim_size(0);
    Tensor out;
    out.SetView(*this, dtype(), rows, static_cast<size_t>(start * row) * ElementBytes(dtype()));
    return out;
  }

  void CheckType(DataType expected) const {
    if (TF_PREDICT_FALSE(dtype() != expected)) WrongType(expected);
  }
  template <class T>
  T *AlignedBase() const {
    T *base = dvt::Elements<T>::Of(*this);
    if constexpr (std::is_trivially_copyable_v<T>) CheckAligned(base);
    return base;
  }
  template <class T>
  T *BitCastBase() const {
    CheckAligned(data());
    return static_cast<T *>(data());
  }
  template <class T>
  int64 BitCastCount() const {
    int64 bytes = NumElements() * DataTypeSize(dtype());
    return DataTypeSize(dtype()) == 0                   ? NumElements()
           : bytes % static_cast<int64>(sizeof(T)) != 0 ? -1
                                                        : bytes / static_cast<int64>(sizeof(T));
  }
  void CheckAligned(const void *base) const {
#if EIGEN_MAX_ALIGN_BYTES != 0
    if (TF_PREDICT_FALSE(reinterpret_cast<uintptr_t>(base) % EIGEN_MAX_ALIGN_BYTES != 0) &&
        NumElements() != 0) {
      NotAligned(base);
    }
#else
    dvt_ignore(base);
#endif
  }
  template <size_t NDIMS>
  static Eigen::array<Eigen::DenseIndex, NDIMS> Sizes(gtl::ArraySlice<int64_t> sizes, int64 elements) {
    Eigen::array<Eigen::DenseIndex, NDIMS> out;
    int64 count = 1;
    if (TF_PREDICT_FALSE(sizes.size() != NDIMS)) WrongSizes(sizes, elements);
    for (size_t d = 0; d < NDIMS; ++d) {
      out[d] = sizes[d];
      count *= sizes[d];
    }
    if (TF_PREDICT_FALSE(count != elements)) WrongSizes(sizes, elements);
    return out;
  }
  static void InnerDims(const int64_t *in, int rank, int64_t *out, int n) {
    for (int i = 0; i < n; ++i) out[i] = i + rank - n < 0 ? 1 : in[i + rank - n];
    for (int i = 0; i < rank - n; ++i) out[0] *= in[i];
  }
  static void OuterDims(const int64_t *in, int rank, int64_t *out, int n) {
    for (int i = 0; i < n; ++i) out[i] = i < rank ? in[i] : 1;
    for (int i = n; i < rank; ++i) out[n - 1] *= in[i];
  }

  [[noreturn]] TF_ATTRIBUTE_NOINLINE void WrongType(DataType expected) const {
    dvt::Fail(errors::Internal("A tensor of type ", DataTypeString(dtype()), " is used as one of type ",
                               DataTypeString(expected)));
  }
  [[noreturn]] TF_ATTRIBUTE_NOINLINE void NotOneElement() const {
    dvt::Fail(errors::Internal("A scalar is asked for, but the tensor has shape ", shape().DebugString()));
  }
  [[noreturn]] TF_ATTRIBUTE_NOINLINE static void NotAligned(const void *base) {
    dvt::Fail(errors::Internal("Memory at ", strings::Hex(reinterpret_cast<uintptr_t>(base)),
                               " is not aligned; use unaligned_flat or unaligned_shaped for slices"));
  }
  [[noreturn]] TF_ATTRIBUTE_NOINLINE static void WrongSizes(gtl::ArraySlice<int64_t> sizes, int64 elements) {
    string text;
    for (int64_t size : sizes) strings::StrAppend(&text, text.empty() ? "" : ",", size);
    dvt::Fail(errors::Internal("A tensor of ", elements, " elements cannot be seen as [", text, "]"));
  }

  TF_Tensor *handle_ = nullptr;
  mutable std::atomic<dvt::SharedHandle *> shared_{nullptr};
  mutable std::atomic<unsigned char> shape_state_{kFilled};
  bool direct_;     // type, data and shape are those of the handle
  DataType dtype_;  // unless direct_
  void *data_ = nullptr;
  mutable TensorShape shape_;
};

namespace dvt {

template <class T>
T *Elements<T>::Of(const Tensor &tensor) {
  return static_cast<T *>(tensor.data());
}

// From and to the handles of the C interface.
class TensorAccess {
 public:
  // A tensor over a handle, which it takes over; NULL gives a tensor without memory.
  static Tensor Adopt(TF_Tensor *handle) {
    return handle == nullptr ? Tensor() : Tensor(handle, Tensor::Direct{});
  }
  // The same in place, in raw memory.
  static Tensor *AdoptAt(void *place, TF_Tensor *handle) {
    return handle == nullptr ? new (place) Tensor() : new (place) Tensor(handle, Tensor::Direct{});
  }
  // The handle that shows just this tensor, or NULL when it is a view and Export is needed.
  static TF_Tensor *Handle(const Tensor &t) { return t.direct_ ? t.handle_ : nullptr; }
  // A new handle that shows this tensor, which the caller deletes. It shares the memory where the host allows
  // it (a view that is not aligned is copied). NULL when memory is out.
  static TF_Tensor *Export(const Tensor &t);

 private:
  static void DropShared(void *, size_t, void *shared) { Unref(static_cast<SharedHandle *>(shared)); }
};

inline TF_Tensor *TensorAccess::Export(const Tensor &t) {
  const TensorShape &shape = t.shape();
  size_t bytes = static_cast<size_t>(t.NumElements()) * Tensor::ElementBytes(t.dtype());
  auto type = static_cast<TF_DataType>(t.dtype());
  if (t.handle_ == nullptr) return TF_AllocateTensor(type, shape.data(), shape.dims(), bytes);
  SharedHandle *shared = t.Shared();
  shared->references.fetch_add(1, std::memory_order_relaxed);
  return TF_NewTensor(type, shape.data(), shape.dims(), t.data(), bytes, DropShared, shared);
}

}  // namespace dvt

inline Status Tensor::Allocate(DataType type, const TensorShape &shape) {
  size_t bytes, count = static_cast<size_t>(shape.num_elements());
  TF_Tensor *handle = nullptr;
  auto c_type = static_cast<TF_DataType>(type);
  if (!__builtin_mul_overflow(count, ElementBytes(type), &bytes)) {
    if (type == DT_STRING) {
      // Hosts differ in who destroys the strings of TF_AllocateTensor, so the tensor brings its own memory.
      void *strings = ::operator new(bytes + 1, std::nothrow);
      if (strings != nullptr) {
        for (size_t i = 0; i < count; ++i) new (static_cast<tstring *>(strings) + i) tstring();
        handle = TF_NewTensor(c_type, shape.data(), shape.dims(), strings, bytes, FreeStrings, nullptr);
      }
    } else {
      handle = TF_AllocateTensor(c_type, shape.data(), shape.dims(), bytes);
    }
  }
  if (handle == nullptr) {
    return errors::ResourceExhausted("OOM when allocating tensor with shape", shape.DebugString(),
                                     " and type ", DataTypeString(type));
  }
  *this = Tensor(handle, Direct{});
  return Status();
}

namespace dvt {

template <class T>
void AppendValue(const Tensor &t, int64 i, string *out) {
  if constexpr (std::is_same_v<T, ResourceHandle> || std::is_same_v<T, Variant>) {
    *out += '?';
  } else {
    const T &value = static_cast<const T *>(t.data())[i];
    if constexpr (std::is_same_v<T, bool>) {
      *out += value ? "True" : "False";
    } else if constexpr (std::is_same_v<T, Eigen::half> || std::is_same_v<T, bfloat16>) {
      strings::StrAppend(out, static_cast<float>(value));
    } else {
      strings::StrAppend(out, value);
    }
  }
}

// Writes element `i` of a tensor of any type.
inline void AppendElement(const Tensor &t, int64 i, string *out) {
  switch (t.dtype()) {
#define DVT_CC_ELEMENT(NAME, type, text, number) \
  case DT_##NAME:                                \
    return AppendValue<type>(t, i, out);
    DVT_CC_FOR_ALL_TYPES(DVT_CC_ELEMENT)
#undef DVT_CC_ELEMENT
    default:
      *out += '?';
  }
}

}  // namespace dvt

inline string Tensor::SummarizeValue(int64 max_entries, bool) const {
  if (!IsInitialized()) return strings::StrCat("uninitialized Tensor of ", NumElements(), " elements");
  int64 total = NumElements(), shown = max_entries < 0 ? total : std::min(max_entries, total);
  string out;
  for (int64 i = 0; i < shown; ++i) {
    // A bracket opens before the first and closes behind the last element of each row that element i lies in.
    int64 row = 1, opened = 0, closed = 0;
    for (int d = dims() - 1; d >= 0; --d) {
      row *= dim_size(d);
      opened += i % row == 0;
      closed += (i + 1) % row == 0;
    }
    if (i > 0) out += opened > 0 ? "" : " ";
    if (dims() > 1) out.append(static_cast<size_t>(opened), '[');
    dvt::AppendElement(*this, i, &out);
    if (dims() > 1) out.append(static_cast<size_t>(closed), ']');
  }
  return shown < total ? out + "..." : out;
}

inline std::ostream &operator<<(std::ostream &out, const Tensor &t) { return out << t.DebugString(); }

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_TENSOR_H_
