// Says which kind of platform this is; kernels.h of stock TensorFlow includes it.
// Dovetail runs on POSIX systems and is never the reduced mobile build, so IS_MOBILE_PLATFORM stays
// undefined.
#ifndef TENSORFLOW_TSL_PLATFORM_PLATFORM_H_
#define TENSORFLOW_TSL_PLATFORM_PLATFORM_H_

#if !defined(PLATFORM_POSIX) && !defined(_WIN32)
#define PLATFORM_POSIX
#endif

#endif
