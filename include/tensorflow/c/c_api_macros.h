// Macros shared by every header of the C ABI: visibility, the one-byte boolean, struct-size arithmetic.
//
// All function declarations under include/ carry TF_CAPI_EXPORT and a comment block with fixed lines, read by
// tools/abi/generate.py: the first sentence says what the function does, then, where they apply,
// - Owner: who owns each pointer afterwards
// - Threads: what may run at the same time (without the line: no call that changes the same object)
// - Errors: status codes and when they occur
// - Since: first of the stock releases 2.15, 2.17, 2.19, 2.20, 2.21 that declares it, or `dovetail`.
#ifndef TENSORFLOW_C_C_API_MACROS_H_
#define TENSORFLOW_C_C_API_MACROS_H_

#include <stddef.h>

// TF_CAPI_EXPORT marks what the library exports. With TF_CAPI_WEAK every reference is weak, so that a program
// can test `if (TF_Function)` before it calls a function the loaded library may not have.
#if defined(SWIG)
#define TF_CAPI_EXPORT
#elif defined(_WIN32) && defined(TF_COMPILE_LIBRARY)
#define TF_CAPI_EXPORT __declspec(dllexport)
#elif defined(_WIN32)
#define TF_CAPI_EXPORT __declspec(dllimport)
#elif defined(TF_CAPI_WEAK)
#define TF_CAPI_EXPORT __attribute__((visibility("default"), weak))
#else
#define TF_CAPI_EXPORT __attribute__((visibility("default")))
#endif

// Marks the entry points that a plugin defines and the host looks up: visible even under -fvisibility=hidden.
#if defined(SWIG)
#define TF_CAPI_PLUGIN_ENTRY
#elif defined(_WIN32)
#define TF_CAPI_PLUGIN_ENTRY __declspec(dllexport)
#else
#define TF_CAPI_PLUGIN_ENTRY __attribute__((visibility("default")))
#endif

// One byte, 0 or 1, in structs and attribute arrays that cross the ABI.
#ifndef TF_Bool
#define TF_Bool unsigned char
#endif

// Offset of the first byte behind MEMBER: the `struct_size` of a struct whose last field is MEMBER.
#ifndef TF_OFFSET_OF_END
#define TF_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))
#endif

#endif
