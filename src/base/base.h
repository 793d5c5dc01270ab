// Compiler attributes and the few macros every layer uses. Includes nothing of Dovetail.
#ifndef DVT_BASE_BASE_H_
#define DVT_BASE_BASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DVT_LIKELY(x) __builtin_expect(!!(x), 1)
#define DVT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define DVT_PRINTF(format_index, args_index) __attribute__((format(printf, format_index, args_index)))
#define DVT_NODISCARD __attribute__((warn_unused_result))
#define DVT_COLD __attribute__((cold, noinline))
// An entry point of a few instructions that is called all the time: in one line of the instruction cache.
#define DVT_CACHE_LINE __attribute__((aligned(64)))
#define DVT_NOINLINE __attribute__((noinline))  // keeps what is rarely needed out of a short path
// In a loop of few turns: keeps the compiler from making it a vector loop, whose set-up costs more.
#define DVT_FEW_TURNS() __asm__ volatile("")
// Of functions with several callers of which one is called for every node.
#define DVT_ALWAYS_INLINE inline __attribute__((always_inline))
#define DVT_NEVER_NULL __attribute__((returns_nonnull))
#define DVT_TARGET(isa) __attribute__((target(isa)))  // one function for a later instruction set

#define DVT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define DVT_MIN(a, b) ((a) < (b) ? (a) : (b))
#define DVT_MAX(a, b) ((a) > (b) ? (a) : (b))

// Checked size arithmetic: true when the result fits and was stored.
static inline bool dvt_size_mul(size_t a, size_t b, size_t *out) {
  return !__builtin_mul_overflow(a, b, out);
}
static inline bool dvt_size_add(size_t a, size_t b, size_t *out) {
  return !__builtin_add_overflow(a, b, out);
}

#endif  // DVT_BASE_BASE_H_
