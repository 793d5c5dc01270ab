// What every header of the C++ layer stands on: hidden visibility, fixed-width names, attributes.
//
// The layer is header-only C++17 over the C interface. Its classes bear the names of TensorFlow's own C++
// classes, in namespace tensorflow, so that sources recompile as they are; all of it is hidden (DVT_CC_BEGIN
// ... DVT_CC_END), so that a process which also holds TensorFlow's own library never mixes the two.
// docs/cc.md tells what is there.
#ifndef DOVETAIL_CC_BASE_H_
#define DOVETAIL_CC_BASE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#define DVT_CC_BEGIN _Pragma("GCC visibility push(hidden)")
#define DVT_CC_END _Pragma("GCC visibility pop")

#if defined(__cpp_exceptions)
#define DVT_CC_EXCEPTIONS 1
#else
#define DVT_CC_EXCEPTIONS 0
#endif

#define TF_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define TF_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define TF_ATTRIBUTE_NOINLINE __attribute__((noinline))
#define TF_ATTRIBUTE_UNUSED __attribute__((unused))
#define TF_ATTRIBUTE_COLD __attribute__((cold))
#define TF_ATTRIBUTE_WEAK __attribute__((weak))
#define TF_PACKED __attribute__((packed))
#define TF_MUST_USE_RESULT __attribute__((warn_unused_result))
#define TF_CONST_INIT
#define TF_PRINTF_ATTRIBUTE(text, first) __attribute__((__format__(__printf__, text, first)))
#define TF_SCANF_ATTRIBUTE(text, first) __attribute__((__format__(__scanf__, text, first)))
#define TF_HAS_CPP_ATTRIBUTE(name) __has_cpp_attribute(name)
#define TF_PREDICT_FALSE(x) (__builtin_expect(static_cast<bool>(x), 0))
#define TF_PREDICT_TRUE(x) (__builtin_expect(static_cast<bool>(x), 1))
#define TF_EXPORT
#define TF_FALLTHROUGH_INTENDED [[fallthrough]]
#define TF_DISALLOW_COPY_AND_ASSIGN(name) \
  name(const name &) = delete;            \
  void operator=(const name &) = delete
#define TF_ARRAYSIZE(array) (sizeof(array) / sizeof((array)[0]))

// A name with the line in it, for objects that macros declare.
#define DVT_CC_JOIN_(a, b) a##b
#define DVT_CC_JOIN(a, b) DVT_CC_JOIN_(a, b)

DVT_CC_BEGIN
namespace tensorflow {

typedef signed char int8;
typedef short int16;
typedef int int32;
typedef ::std::int64_t int64;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef ::std::uint64_t uint64;

using std::string;
using StringPiece = std::string_view;

constexpr uint8 kuint8max = 0xFF;
constexpr uint16 kuint16max = 0xFFFF;
constexpr uint32 kuint32max = 0xFFFFFFFF;
constexpr uint64 kuint64max = ~static_cast<uint64>(0);
constexpr int8 kint8min = -128;
constexpr int8 kint8max = 127;
constexpr int16 kint16min = -32768;
constexpr int16 kint16max = 32767;
constexpr int32 kint32min = std::numeric_limits<int32>::min();
constexpr int32 kint32max = std::numeric_limits<int32>::max();
constexpr int64 kint64min = std::numeric_limits<int64>::min();
constexpr int64 kint64max = std::numeric_limits<int64>::max();

// A reference to unused things, without a warning.
template <class T>
inline void dvt_ignore(const T &) {}

namespace port {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
constexpr bool kLittleEndian = false;
#else
constexpr bool kLittleEndian = true;
#endif
}  // namespace port

}  // namespace tensorflow
DVT_CC_END

#endif  // DOVETAIL_CC_BASE_H_
