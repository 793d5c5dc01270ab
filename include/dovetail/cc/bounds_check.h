// Checks of indices that come from data.
#ifndef DOVETAIL_CC_BOUNDS_CHECK_H_
#define DOVETAIL_CC_BOUNDS_CHECK_H_

#include <type_traits>

#include "dovetail/cc/base.h"

#if defined(__CUDACC__)
#define DVT_CC_ANYWHERE __host__ __device__
#else
#define DVT_CC_ANYWHERE
#endif

DVT_CC_BEGIN
namespace tensorflow {

// 0 <= index < limit, in one comparison; `limit` must not be negative.
template <class A, class B>
DVT_CC_ANYWHERE inline bool FastBoundsCheck(const A index, const B limit) {
  static_assert(std::is_integral_v<A> && std::is_integral_v<B>, "FastBoundsCheck compares integers");
  using Unsigned = std::make_unsigned_t<decltype(index + limit)>;
  return TF_PREDICT_TRUE(static_cast<Unsigned>(index) < static_cast<Unsigned>(limit));
}

namespace internal {

// A copy that is read once, so that what was checked is what is used although another thread may write to
// `x`.
template <class T>
DVT_CC_ANYWHERE inline T SubtleMustCopy(const T &x) {
  static_assert(std::is_integral_v<T>, "SubtleMustCopy copies integers");
  return *reinterpret_cast<const volatile T *>(&x);
}

template <class T>
inline std::enable_if_t<std::is_integral_v<T>, T> SubtleMustCopyIfIntegral(const T &x) {
  return SubtleMustCopy(x);
}
template <class T>
inline std::enable_if_t<!std::is_integral_v<T>, const T &> SubtleMustCopyIfIntegral(const T &x) {
  return x;
}

}  // namespace internal
}  // namespace tensorflow
DVT_CC_END

#undef DVT_CC_ANYWHERE

#endif  // DOVETAIL_CC_BOUNDS_CHECK_H_
