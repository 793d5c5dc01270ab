// Eigen from the distribution, hidden like the rest of the layer: TensorFlow's own library holds other
// versions of it.
//
// The standard headers come first, outside the hidden part, since they declare functions that other libraries
// define. Define EIGEN_USE_THREADS before the first include to get Eigen::ThreadPoolDevice, as with stock
// headers.
#ifndef DOVETAIL_CC_EIGEN_H_
#define DOVETAIL_CC_EIGEN_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <new>
#include <ostream>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef EIGEN_USE_THREADS
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#endif
#include <unistd.h>

#include "dovetail/cc/base.h"
#ifdef EIGEN_USE_THREADS
#include "dovetail/cc/threadpool.h"
#endif

// DVT_CC_EIGEN(Tensor): where the distribution keeps that header.
#if __has_include(<unsupported/Eigen/CXX11/Tensor>)
#define DVT_CC_EIGEN(name) <unsupported/Eigen/CXX11/name>
#else
#define DVT_CC_EIGEN(name) <eigen3/unsupported/Eigen/CXX11/name>
#endif

DVT_CC_BEGIN
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#ifdef EIGEN_USE_THREADS
#include DVT_CC_EIGEN(ThreadPool)
#include "dovetail/cc/eigen_device.h"
#endif
#include DVT_CC_EIGEN(Tensor)
#pragma GCC diagnostic pop

namespace Eigen {

// Quantised integers: a plain integer whose meaning lies in tensors beside it.
#define DVT_CC_QUANTISED(Name, Integer)                                                                  \
  struct Name {                                                                                          \
    Name() : value(0) {}                                                                                 \
    Name(Integer v) : value(v) {}                                                                        \
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, Integer>>> \
    explicit Name(T v) : value(static_cast<Integer>(v)) {}                                               \
    operator int() const { return static_cast<int>(value); }                                             \
    Integer value;                                                                                       \
  };                                                                                                     \
  template <>                                                                                            \
  struct NumTraits<Name> : GenericNumTraits<Integer> {                                                   \
    typedef Name Real;                                                                                   \
    typedef Name NonInteger;                                                                             \
    static inline Name epsilon() { return Name(Integer(0)); }                                            \
    static inline Name dummy_precision() { return Name(Integer(0)); }                                    \
    static inline Name lowest() { return Name(std::numeric_limits<Integer>::min()); }                    \
    static inline Name highest() { return Name(std::numeric_limits<Integer>::max()); }                   \
  };                                                                                                     \
  inline std::ostream &operator<<(std::ostream &out, Name v) { return out << +v.value; }                 \
  inline bool operator==(Name a, Name b) { return a.value == b.value; }                                  \
  inline bool operator!=(Name a, Name b) { return a.value != b.value; }                                  \
  inline bool operator<(Name a, Name b) { return a.value < b.value; }                                    \
  inline bool operator>(Name a, Name b) { return a.value > b.value; }                                    \
  inline bool operator<=(Name a, Name b) { return a.value <= b.value; }                                  \
  inline bool operator>=(Name a, Name b) { return a.value >= b.value; }
DVT_CC_QUANTISED(QInt8, int8_t)
DVT_CC_QUANTISED(QUInt8, uint8_t)
DVT_CC_QUANTISED(QInt16, int16_t)
DVT_CC_QUANTISED(QUInt16, uint16_t)
#undef DVT_CC_QUANTISED

struct QInt32 {
  QInt32() : value(0) {}
  QInt32(int32_t v) : value(v) {}
  QInt32(int8_t v) : value(v) {}
  QInt32(uint8_t v) : value(v) {}
  QInt32(QInt8 v) : value(v.value) {}
  QInt32(QUInt8 v) : value(v.value) {}
  QInt32(QInt16 v) : value(v.value) {}
  QInt32(QUInt16 v) : value(v.value) {}
  explicit QInt32(float v) : value(static_cast<int32_t>(v)) {}
  explicit QInt32(double v) : value(static_cast<int32_t>(v)) {}
  operator float() const { return static_cast<float>(value); }
  operator int() const { return value; }
  int32_t value;
};
template <>
struct NumTraits<QInt32> : GenericNumTraits<int32_t> {
  typedef QInt32 Real;
  typedef QInt32 NonInteger;
  static inline QInt32 epsilon() { return QInt32(int32_t{0}); }
  static inline QInt32 dummy_precision() { return QInt32(int32_t{0}); }
  static inline QInt32 lowest() { return QInt32(std::numeric_limits<int32_t>::min()); }
  static inline QInt32 highest() { return QInt32(std::numeric_limits<int32_t>::max()); }
};
inline std::ostream &operator<<(std::ostream &out, QInt32 v) { return out << v.value; }
inline bool operator==(QInt32 a, QInt32 b) { return a.value == b.value; }
inline bool operator!=(QInt32 a, QInt32 b) { return a.value != b.value; }
inline bool operator<(QInt32 a, QInt32 b) { return a.value < b.value; }
inline bool operator>(QInt32 a, QInt32 b) { return a.value > b.value; }

}  // namespace Eigen
DVT_CC_END

#endif  // DOVETAIL_CC_EIGEN_H_
