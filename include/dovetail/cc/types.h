// Element types: the enumeration DataType, the C++ type of each, sets of them, memory and device types.
#ifndef DOVETAIL_CC_TYPES_H_
#define DOVETAIL_CC_TYPES_H_

#include <complex>
#include <string>

#include "dovetail/cc/base.h"
#include "dovetail/cc/eigen.h"
#include "dovetail/cc/logging.h"
#include "dovetail/cc/span.h"
#include "dovetail/cc/tstring.h"
#include "tensorflow/c/tf_datatype.h"

DVT_CC_BEGIN
namespace tensorflow {

class ResourceHandle;
class Variant;

typedef std::complex<float> complex64;
typedef std::complex<double> complex128;
typedef Eigen::bfloat16 bfloat16;
typedef Eigen::half half;
typedef Eigen::QInt8 qint8;
typedef Eigen::QUInt8 quint8;
typedef Eigen::QInt16 qint16;
typedef Eigen::QUInt16 quint16;
typedef Eigen::QInt32 qint32;

// Numbers of a byte or less, for kernels that move them; the layer does no arithmetic on them.
#define DVT_CC_BYTE_TYPE(Name)                                                                             \
  struct Name {                                                                                            \
    uint8 bits = 0;                                                                                        \
    friend bool operator==(Name a, Name b) { return a.bits == b.bits; }                                    \
    friend bool operator!=(Name a, Name b) { return a.bits != b.bits; }                                    \
    friend std::ostream &operator<<(std::ostream &out, Name v) { return out << static_cast<int>(v.bits); } \
  }
DVT_CC_BYTE_TYPE(float8_e5m2);
DVT_CC_BYTE_TYPE(float8_e4m3fn);
DVT_CC_BYTE_TYPE(float8_e4m3fnuz);
DVT_CC_BYTE_TYPE(float8_e4m3b11fnuz);
DVT_CC_BYTE_TYPE(float8_e5m2fnuz);
DVT_CC_BYTE_TYPE(float4_e2m1fn);
DVT_CC_BYTE_TYPE(int4);
DVT_CC_BYTE_TYPE(uint4);
DVT_CC_BYTE_TYPE(int2);
DVT_CC_BYTE_TYPE(uint2);
#undef DVT_CC_BYTE_TYPE

// clang-format off
// Every element type once: name in DT_..., C++ type, name in texts, number.
#define DVT_CC_FOR_ALL_TYPES(m)                                                                              \
  m(FLOAT, float, "float", 1) m(DOUBLE, double, "double", 2) m(INT32, ::tensorflow::int32, "int32", 3)       \
  m(UINT8, ::tensorflow::uint8, "uint8", 4) m(INT16, ::tensorflow::int16, "int16", 5)                        \
  m(INT8, ::tensorflow::int8, "int8", 6) m(STRING, ::tensorflow::tstring, "string", 7)                       \
  m(COMPLEX64, ::tensorflow::complex64, "complex64", 8) m(INT64, ::tensorflow::int64, "int64", 9)            \
  m(BOOL, bool, "bool", 10) m(QINT8, ::tensorflow::qint8, "qint8", 11)                                       \
  m(QUINT8, ::tensorflow::quint8, "quint8", 12) m(QINT32, ::tensorflow::qint32, "qint32", 13)                \
  m(BFLOAT16, ::tensorflow::bfloat16, "bfloat16", 14) m(QINT16, ::tensorflow::qint16, "qint16", 15)          \
  m(QUINT16, ::tensorflow::quint16, "quint16", 16) m(UINT16, ::tensorflow::uint16, "uint16", 17)             \
  m(COMPLEX128, ::tensorflow::complex128, "complex128", 18) m(HALF, Eigen::half, "half", 19)                 \
  m(RESOURCE, ::tensorflow::ResourceHandle, "resource", 20) m(VARIANT, ::tensorflow::Variant, "variant", 21) \
  m(UINT32, ::tensorflow::uint32, "uint32", 22) m(UINT64, ::tensorflow::uint64, "uint64", 23)                \
  m(FLOAT8_E5M2, ::tensorflow::float8_e5m2, "float8_e5m2", 24)                                               \
  m(FLOAT8_E4M3FN, ::tensorflow::float8_e4m3fn, "float8_e4m3fn", 25)                                         \
  m(FLOAT8_E4M3FNUZ, ::tensorflow::float8_e4m3fnuz, "float8_e4m3fnuz", 26)                                   \
  m(FLOAT8_E4M3B11FNUZ, ::tensorflow::float8_e4m3b11fnuz, "float8_e4m3b11fnuz", 27)                          \
  m(FLOAT8_E5M2FNUZ, ::tensorflow::float8_e5m2fnuz, "float8_e5m2fnuz", 28)                                   \
  m(INT4, ::tensorflow::int4, "int4", 29) m(UINT4, ::tensorflow::uint4, "uint4", 30)                         \
  m(INT2, ::tensorflow::int2, "int2", 31) m(UINT2, ::tensorflow::uint2, "uint2", 32)                         \
  m(FLOAT4_E2M1FN, ::tensorflow::float4_e2m1fn, "float4_e2m1fn", 33)
// clang-format on

enum DataType : int {
  DT_INVALID = 0,
#define DVT_CC_ENUM(NAME, type, text, number) DT_##NAME = number, DT_##NAME##_REF = number + 100,
  DVT_CC_FOR_ALL_TYPES(DVT_CC_ENUM)
#undef DVT_CC_ENUM
};
constexpr DataType DataType_MIN = DT_INVALID;
constexpr DataType DataType_MAX = DT_FLOAT4_E2M1FN_REF;

enum { kDataTypeRefOffset = 100 };
inline bool IsRefType(DataType dtype) { return dtype > static_cast<DataType>(kDataTypeRefOffset); }
inline DataType MakeRefType(DataType dtype) { return static_cast<DataType>(dtype + kDataTypeRefOffset); }
inline DataType RemoveRefType(DataType dtype) { return static_cast<DataType>(dtype - kDataTypeRefOffset); }
inline DataType BaseType(DataType dtype) { return IsRefType(dtype) ? RemoveRefType(dtype) : dtype; }
inline bool TypesCompatible(DataType expected, DataType actual) {
  return expected == actual || expected == BaseType(actual);
}

template <class T>
struct IsValidDataType {
  static constexpr bool value = false;
};
template <class T>
struct DataTypeToEnum {
  static_assert(IsValidDataType<T>::value, "Specified Data Type not supported");
};
template <DataType VALUE>
struct EnumToDataType {};

namespace dvt {
template <DataType ENUM>
struct ElementType {
  static constexpr DataType value = ENUM;
  static constexpr DataType v() { return ENUM; }
  static DataType ref() { return MakeRefType(ENUM); }
};
}  // namespace dvt

#define DVT_CC_TRAITS(NAME, type, text, number)                 \
  template <>                                                   \
  struct IsValidDataType<type> {                                \
    static constexpr bool value = true;                         \
  };                                                            \
  template <>                                                   \
  struct DataTypeToEnum<type> : dvt::ElementType<DT_##NAME> {}; \
  template <>                                                   \
  struct EnumToDataType<DT_##NAME> {                            \
    typedef type Type;                                          \
  };
DVT_CC_FOR_ALL_TYPES(DVT_CC_TRAITS)
#undef DVT_CC_TRAITS
// long and long long are both 64 bits wide; int64 is one of them.
typedef std::conditional_t<std::is_same_v<int64, long>, long long, long> OtherInt64;
typedef std::make_unsigned_t<OtherInt64> OtherUint64;
template <>
struct IsValidDataType<OtherInt64> : IsValidDataType<int64> {};
template <>
struct IsValidDataType<OtherUint64> : IsValidDataType<uint64> {};
template <>
struct DataTypeToEnum<OtherInt64> : dvt::ElementType<DT_INT64> {};
template <>
struct DataTypeToEnum<OtherUint64> : dvt::ElementType<DT_UINT64> {};

inline string DataTypeString(DataType dtype) {
  string ref = IsRefType(dtype) ? "_ref" : "";
  switch (BaseType(dtype)) {
#define DVT_CC_TEXT(NAME, type, text, number) \
  case DT_##NAME:                             \
    return text + ref;
    DVT_CC_FOR_ALL_TYPES(DVT_CC_TEXT)
#undef DVT_CC_TEXT
    default:
      return strings::StrCat("unknown dtype enum (", static_cast<int>(dtype), ")");
  }
}
inline string DataType_Name(DataType dtype) {
  string ref = IsRefType(dtype) ? "_REF" : "";
  switch (BaseType(dtype)) {
#define DVT_CC_TEXT(NAME, type, text, number) \
  case DT_##NAME:                             \
    return "DT_" #NAME + ref;
    DVT_CC_FOR_ALL_TYPES(DVT_CC_TEXT)
#undef DVT_CC_TEXT
    default:
      return "DT_INVALID";
  }
}
inline bool DataTypeFromString(StringPiece text, DataType *dtype) {
  int offset = 0;
  constexpr StringPiece ref = "_ref";
  if (text.size() > ref.size() && text.substr(text.size() - ref.size()) == ref) {
    text.remove_suffix(ref.size());
    offset = kDataTypeRefOffset;
  }
  static constexpr struct {
    StringPiece text;
    int number;
  } names[] = {
#define DVT_CC_TEXT(NAME, type, text, number) {text, number},
      DVT_CC_FOR_ALL_TYPES(DVT_CC_TEXT)
#undef DVT_CC_TEXT
          {"float32", 1},
      {"float64", 2},
      {"float16", 19}};
  for (const auto &name : names) {
    if (name.text != text) continue;
    *dtype = static_cast<DataType>(name.number + offset);
    return true;
  }
  return false;
}

// A set of element types; iterating it goes by number.
class DataTypeSet {
 public:
  explicit constexpr DataTypeSet(uint64 mask) : mask_(mask) {}
  constexpr bool Contains(DataType dt) const {
    return static_cast<uint64>(dt) < 64 && ((mask_ >> static_cast<uint64>(dt)) & 1) != 0;
  }
  constexpr DataTypeSet operator|(const DataTypeSet &other) const { return DataTypeSet(mask_ | other.mask_); }
  std::size_t size() const { return static_cast<std::size_t>(__builtin_popcountll(mask_)); }

  class Iterator {
   public:
    explicit Iterator(uint64 rest) : rest_(rest) {}
    DataType operator*() const { return static_cast<DataType>(__builtin_ctzll(rest_)); }
    Iterator &operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return rest_ != other.rest_; }
    bool operator==(const Iterator &other) const { return rest_ == other.rest_; }

   private:
    uint64 rest_;
  };
  Iterator begin() const { return Iterator(mask_); }
  Iterator end() const { return Iterator(0); }

 private:
  uint64 mask_;
};
constexpr DataTypeSet ToSet(DataType dt) { return DataTypeSet(uint64{1} << static_cast<uint64>(dt)); }

#define DVT_CC_ADD(NAME, type, text, number) | ToSet(DT_##NAME)
constexpr DataTypeSet kAllTypes = DataTypeSet(0) DVT_CC_FOR_ALL_TYPES(DVT_CC_ADD);
#undef DVT_CC_ADD
constexpr DataTypeSet kQuantizedTypes =
    ToSet(DT_QINT8) | ToSet(DT_QUINT8) | ToSet(DT_QINT16) | ToSet(DT_QUINT16) | ToSet(DT_QINT32);
constexpr DataTypeSet kDataTypeIsComplex = ToSet(DT_COMPLEX64) | ToSet(DT_COMPLEX128);
constexpr DataTypeSet kRealNumberTypes = ToSet(DT_FLOAT) | ToSet(DT_DOUBLE) | ToSet(DT_INT32) |
                                         ToSet(DT_INT64) | ToSet(DT_UINT8) | ToSet(DT_INT16) |
                                         ToSet(DT_INT8) | ToSet(DT_UINT16) | ToSet(DT_HALF) |
                                         ToSet(DT_UINT32) | ToSet(DT_UINT64) | ToSet(DT_BFLOAT16);
constexpr DataTypeSet kNumberTypes = kRealNumberTypes | kDataTypeIsComplex | kQuantizedTypes;
constexpr DataTypeSet kRealAndQuantizedTypes = kQuantizedTypes | ToSet(DT_FLOAT) | ToSet(DT_DOUBLE) |
                                               ToSet(DT_INT32) | ToSet(DT_INT64) | ToSet(DT_UINT8) |
                                               ToSet(DT_UINT16) | ToSet(DT_INT16) | ToSet(DT_INT8) |
                                               ToSet(DT_HALF) | ToSet(DT_BFLOAT16);
constexpr DataTypeSet kDataTypeIsFloating =
    ToSet(DT_HALF) | ToSet(DT_BFLOAT16) | ToSet(DT_FLOAT) | ToSet(DT_DOUBLE) | ToSet(DT_FLOAT8_E5M2) |
    ToSet(DT_FLOAT8_E4M3FN) | ToSet(DT_FLOAT8_E4M3FNUZ) | ToSet(DT_FLOAT8_E4M3B11FNUZ) |
    ToSet(DT_FLOAT8_E5M2FNUZ) | ToSet(DT_FLOAT4_E2M1FN);
constexpr DataTypeSet kDataTypeIsSigned =
    ToSet(DT_INT2) | ToSet(DT_INT4) | ToSet(DT_INT8) | ToSet(DT_INT16) | ToSet(DT_INT32) | ToSet(DT_INT64);
constexpr DataTypeSet kDataTypeIsUnsigned = ToSet(DT_UINT2) | ToSet(DT_UINT4) | ToSet(DT_UINT8) |
                                            ToSet(DT_UINT16) | ToSet(DT_UINT32) | ToSet(DT_UINT64);
constexpr DataTypeSet kDataTypeIsInteger = kDataTypeIsSigned | kDataTypeIsUnsigned;
inline const DataTypeSet &AllTypes() { return kAllTypes; }
inline const DataTypeSet &RealNumberTypes() { return kRealNumberTypes; }
inline const DataTypeSet &NumberTypes() { return kNumberTypes; }
inline const DataTypeSet &QuantizedTypes() { return kQuantizedTypes; }
inline const DataTypeSet &RealAndQuantizedTypes() { return kRealAndQuantizedTypes; }

constexpr bool DataTypeCanUseMemcpy(DataType dt) {
  return kAllTypes.Contains(dt) && dt != DT_STRING && dt != DT_RESOURCE && dt != DT_VARIANT;
}
inline bool DataTypeIsFloating(DataType dt) { return kDataTypeIsFloating.Contains(dt); }
inline bool DataTypeIsNumeric(DataType dt) { return kNumberTypes.Contains(dt); }
inline bool DataTypeIsComplex(DataType dt) { return kDataTypeIsComplex.Contains(dt); }
inline bool DataTypeIsQuantized(DataType dt) { return kQuantizedTypes.Contains(dt); }
inline bool DataTypeIsInteger(DataType dt) { return kDataTypeIsInteger.Contains(dt); }
inline bool DataTypeIsSigned(DataType dt) { return kDataTypeIsSigned.Contains(dt); }
inline bool DataTypeIsUnsigned(DataType dt) { return kDataTypeIsUnsigned.Contains(dt); }

// Bytes of one element; 0 for string, resource and variant.
inline int DataTypeSize(DataType dt) {
  return static_cast<int>(TF_DataTypeSize(static_cast<TF_DataType>(BaseType(dt))));
}

typedef gtl::InlinedVector<DataType, 4> DataTypeVector;
typedef gtl::ArraySlice<DataType> DataTypeSlice;
inline string DataTypeSliceString(DataTypeSlice types) {
  string out;
  for (DataType dt : types) strings::StrAppend(&out, out.empty() ? "" : ", ", DataTypeString(dt));
  return out;
}
inline string DataTypeVectorString(const DataTypeVector &types) { return DataTypeSliceString(types); }

enum MemoryType { DEVICE_MEMORY = 0, HOST_MEMORY = 1 };
typedef gtl::InlinedVector<MemoryType, 4> MemoryTypeVector;
typedef gtl::ArraySlice<MemoryType> MemoryTypeSlice;
inline bool DataTypeAlwaysOnHost(DataType dt) {
  dt = BaseType(dt);
  return dt == DT_STRING || dt == DT_RESOURCE;
}
inline MemoryType MTypeFromDType(DataType dt) {
  return dt == DT_INT32 || DataTypeAlwaysOnHost(dt) ? HOST_MEMORY : DEVICE_MEMORY;
}

inline constexpr const char *const DEVICE_DEFAULT = "DEFAULT";
inline constexpr const char *const DEVICE_CPU = "CPU";
inline constexpr const char *const DEVICE_GPU = "GPU";
inline constexpr const char *const DEVICE_TPU = "TPU";
inline constexpr const char *const DEVICE_TPU_SYSTEM = "TPU_SYSTEM";

class DeviceType {
 public:
  DeviceType(const char *type) : type_(type) {}
  explicit DeviceType(StringPiece type) : type_(type) {}
  const char *type() const { return type_.c_str(); }
  const string &type_string() const { return type_; }
  bool operator<(const DeviceType &other) const { return type_ < other.type_; }
  bool operator==(const DeviceType &other) const { return type_ == other.type_; }
  bool operator!=(const DeviceType &other) const { return type_ != other.type_; }

 private:
  string type_;
};
inline std::ostream &operator<<(std::ostream &out, const DeviceType &d) { return out << d.type(); }
inline string DeviceTypeString(const DeviceType &d) { return d.type_string(); }

template <class Device>
struct DeviceName {};
template <>
struct DeviceName<Eigen::ThreadPoolDevice> {
  static inline const string value = DEVICE_CPU;
};
#if (defined(GOOGLE_CUDA) && GOOGLE_CUDA) || (defined(TENSORFLOW_USE_ROCM) && TENSORFLOW_USE_ROCM)
template <>
struct DeviceName<Eigen::GpuDevice> {
  static inline const string value = DEVICE_GPU;
};
#endif

}  // namespace tensorflow

// What Eigen asks of the element of a map; strings are no numbers, but are assigned, compared and added.
namespace Eigen {
template <>
struct NumTraits<tensorflow::tstring> : GenericNumTraits<tensorflow::tstring> {
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
  static inline tensorflow::tstring dummy_precision() { return tensorflow::tstring(); }
};
}  // namespace Eigen
DVT_CC_END

#endif  // DOVETAIL_CC_TYPES_H_
