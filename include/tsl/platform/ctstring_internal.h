// TF_TString: the 24-byte string that is the element of a TF_STRING tensor, and its inline helpers.
//
// The two low bits of byte 0 say which form the bytes have; 24 zero bytes are a valid empty string.
// - SMALL: byte 0 = size << 2, then up to 22 characters and a NUL
// - LARGE: word 0 = size << 2 | 1, word 1 = capacity without the NUL, word 2 = NUL-terminated block from
// malloc
// - OFFSET: u32 size << 2 | 2, u32 distance of the characters from the TF_TString itself, u32 count
// - VIEW: word 0 = size << 2 | 3, word 1 = characters that somebody else owns, word 2 = see below
//
// The helpers are compiled into plugins and into the host, so LARGE blocks move between both: one malloc
// serves all. Word 2 of a VIEW is an owner pointer for headers since release 2.21 and leftover bytes for
// older ones. Nobody can tell which, so nothing here ever calls through it: views made here have it zero, and
// a view whose word 2 is not zero is copied where a second reference to its owner would be needed.
//
// Where memory cannot be had, or a size cannot be represented, the string stays as it was and the helpers
// that return a pointer return NULL.
#ifndef TENSORFLOW_TSL_PLATFORM_CTSTRING_INTERNAL_H_
#define TENSORFLOW_TSL_PLATFORM_CTSTRING_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define TF_TSTRING_LITTLE_ENDIAN 1
#elif defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TF_TSTRING_LITTLE_ENDIAN 1
#elif defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TF_TSTRING_LITTLE_ENDIAN 0
#else
#error "TF_TString needs a little- or big-endian machine"
#endif

// Reverses the bytes of a 32-bit number.
static inline uint32_t TF_swap32(uint32_t host_int) {
  return (host_int >> 24) | ((host_int >> 8) & 0xff00u) | ((host_int << 8) & 0xff0000u) | (host_int << 24);
}

#if TF_TSTRING_LITTLE_ENDIAN
#define TF_le32toh(x) (x)
#else
#define TF_le32toh(x) TF_swap32(x)
#endif

// Rounds up to a multiple of 16.
static inline size_t TF_align16(size_t i) { return (i + 15) & ~(size_t)15; }
static inline size_t TF_max(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t TF_min(size_t a, size_t b) { return a < b ? a : b; }

typedef enum TF_TString_Type {
  TF_TSTR_SMALL = 0x00,
  TF_TSTR_LARGE = 0x01,
  TF_TSTR_OFFSET = 0x02,
  TF_TSTR_VIEW = 0x03,
  TF_TSTR_TYPE_MASK = 0x03
} TF_TString_Type;

struct TStringOwnerCApi;
typedef void (*tstring_owner_ref_t)(struct TStringOwnerCApi *self);
typedef bool (*tstring_owner_unref_t)(struct TStringOwnerCApi *self);

// Keeps the characters of a view alive, for callers of TF_TString_AssignViewWithOwner.
typedef struct TStringOwnerCApi {
  tstring_owner_ref_t ref;
  tstring_owner_unref_t unref;
  void *obj;
} TStringOwnerCApi;

typedef struct TF_TString_Large {
  size_t size;
  size_t cap;
  char *ptr;
} TF_TString_Large;

typedef struct TF_TString_Offset {
  uint32_t size;
  uint32_t offset;
  uint32_t count;
} TF_TString_Offset;

typedef struct TF_TString_View {
  size_t size;
  const char *ptr;
  TStringOwnerCApi *owner_ref;  // never followed; see the head of this file
} TF_TString_View;

typedef struct TF_TString_Raw {
  uint8_t raw[24];
} TF_TString_Raw;

typedef union TF_TString_Union {
  TF_TString_Large large;
  TF_TString_Offset offset;
  TF_TString_View view;
  TF_TString_Raw raw;
} TF_TString_Union;

// Characters a SMALL string holds: all bytes but the size byte and the NUL.
enum { TF_TString_SmallCapacity = sizeof(TF_TString_Union) - 2 };

typedef struct TF_TString_Small {
  uint8_t size;
  char str[TF_TString_SmallCapacity + 1];
} TF_TString_Small;

typedef struct TF_TString {
  union {
    TF_TString_Small smll;
    TF_TString_Large large;
    TF_TString_Offset offset;
    TF_TString_View view;
    TF_TString_Raw raw;
  } u;
} TF_TString;

// The form of the string.
static inline TF_TString_Type TF_TString_GetType(const TF_TString *str) {
  return (TF_TString_Type)(str->u.raw.raw[0] & TF_TSTR_TYPE_MASK);
}

// From the stored size word to the number of characters. On big-endian machines byte 0 is the most
// significant one, so its six upper bits stay where they are and the type sits below them.
static inline size_t TF_TString_ToActualSizeT(size_t size) {
#if TF_TSTRING_LITTLE_ENDIAN
  return size >> 2;
#else
  const size_t low = ~(size_t)0 >> 8;
  return ((size & ~low & (~low << 2)) >> 2) | (size & low);
#endif
}

// From the number of characters to the stored size word.
static inline size_t TF_TString_ToInternalSizeT(size_t size, TF_TString_Type type) {
#if TF_TSTRING_LITTLE_ENDIAN
  return (size << 2) | (size_t)type;
#else
  const size_t low = ~(size_t)0 >> 8;
  return ((size << 2) & ~low) | (size & low) | ((size_t)type << ((sizeof(size_t) - 1) * 8));
#endif
}

// Makes an empty string out of 24 bytes of any content; frees nothing.
static inline void TF_TString_Init(TF_TString *str) { memset(str->u.raw.raw, 0, sizeof str->u.raw.raw); }

// Frees what the string owns. A SMALL string and a view keep their bytes, a LARGE one becomes empty.
static inline void TF_TString_Dealloc(TF_TString *str) {
  if (TF_TString_GetType(str) == TF_TSTR_LARGE) {
    free(str->u.large.ptr);
    TF_TString_Init(str);
  }
}

// Number of characters, without the NUL.
static inline size_t TF_TString_GetSize(const TF_TString *str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_LARGE:
      return TF_TString_ToActualSizeT(str->u.large.size);
    case TF_TSTR_OFFSET:
      return (size_t)TF_le32toh(str->u.offset.size) >> 2;
    case TF_TSTR_VIEW:
      return TF_TString_ToActualSizeT(str->u.view.size);
    case TF_TSTR_SMALL:
    default:
      return (size_t)(str->u.smll.size >> 2);
  }
}

// Characters that fit without a new block; 0 for the forms that do not own their characters.
static inline size_t TF_TString_GetCapacity(const TF_TString *str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL:
      return TF_TString_SmallCapacity;
    case TF_TSTR_LARGE:
      return str->u.large.cap;
    case TF_TSTR_OFFSET:
    case TF_TSTR_VIEW:
    default:
      return 0;
  }
}

// The characters. NUL-terminated for SMALL and LARGE only.
static inline const char *TF_TString_GetDataPointer(const TF_TString *str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_LARGE:
      return str->u.large.ptr;
    case TF_TSTR_OFFSET:
      return (const char *)str + TF_le32toh(str->u.offset.offset);
    case TF_TSTR_VIEW:
      return str->u.view.ptr;
    case TF_TSTR_SMALL:
    default:
      return str->u.smll.str;
  }
}

// Gives the string `new_size` characters, SMALL or LARGE by size. The first min(old, new) stay, the rest is
// undefined, a NUL follows. A LARGE block is kept while it fits and halved when less than half of it is used.
static inline char *TF_TString_ResizeUninitialized(TF_TString *str, size_t new_size) {
  const TF_TString_Type type = TF_TString_GetType(str);
  const size_t old_size = TF_TString_GetSize(str);
  const size_t old_cap = TF_TString_GetCapacity(str);
  const size_t keep = TF_min(new_size, old_size);
  const char *const old_data = TF_TString_GetDataPointer(str);

  if (new_size <= TF_TString_SmallCapacity) {
    char kept[TF_TString_SmallCapacity];
    if (type == TF_TSTR_SMALL) {
      str->u.smll.size = (uint8_t)(new_size << 2);
      str->u.smll.str[new_size] = '\0';
      return str->u.smll.str;
    }
    if (keep > 0) memcpy(kept, old_data, keep);
    TF_TString_Dealloc(str);
    TF_TString_Init(str);
    if (keep > 0) memcpy(str->u.smll.str, kept, keep);
    str->u.smll.size = (uint8_t)(new_size << 2);
    return str->u.smll.str;
  }

  if (new_size > ((size_t)-1 >> 2) - 16) return NULL;
  {
    size_t new_cap = old_cap;
    char *block = type == TF_TSTR_LARGE ? str->u.large.ptr : NULL;
    if (new_size > old_cap) {
      new_cap = TF_align16(new_size + 1) - 1;
    } else if (new_size < old_size && new_size < old_cap / 2) {
      new_cap = TF_align16(old_cap / 2 + 1) - 1;
    }
    if (block == NULL || new_cap != old_cap) {
      char *const grown = (char *)realloc(block, new_cap + 1);
      if (grown == NULL) return NULL;
      if (type != TF_TSTR_LARGE && keep > 0) memcpy(grown, old_data, keep);
      block = grown;
    }
    block[new_size] = '\0';
    str->u.large.size = TF_TString_ToInternalSizeT(new_size, TF_TSTR_LARGE);
    str->u.large.cap = new_cap;
    str->u.large.ptr = block;
    return block;
  }
}

// As TF_TString_ResizeUninitialized, with new characters set to `c`.
static inline char *TF_TString_Resize(TF_TString *str, size_t new_size, char c) {
  const size_t old_size = TF_TString_GetSize(str);
  char *const data = TF_TString_ResizeUninitialized(str, new_size);
  if (data != NULL && new_size > old_size) memset(data + old_size, c, new_size - old_size);
  return data;
}

// The characters for writing; a view or offset string first becomes a copy of its own.
static inline char *TF_TString_GetMutableDataPointer(TF_TString *str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_LARGE:
      return str->u.large.ptr;
    case TF_TSTR_OFFSET:
    case TF_TSTR_VIEW:
      return TF_TString_ResizeUninitialized(str, TF_TString_GetSize(str));
    case TF_TSTR_SMALL:
    default:
      return str->u.smll.str;
  }
}

// Makes room for `new_cap` characters; the string's value does not change. Never shrinks.
static inline void TF_TString_Reserve(TF_TString *str, size_t new_cap) {
  const TF_TString_Type type = TF_TString_GetType(str);
  const size_t size = TF_TString_GetSize(str);
  char *block;
  if (new_cap <= TF_TString_SmallCapacity) return;
  if (type == TF_TSTR_LARGE && new_cap <= str->u.large.cap) return;
  if (new_cap > ((size_t)-1 >> 2) - 16) return;

  new_cap = TF_align16(TF_max(new_cap, size) + 1) - 1;
  block = (char *)realloc(type == TF_TSTR_LARGE ? str->u.large.ptr : NULL, new_cap + 1);
  if (block == NULL) return;
  if (type != TF_TSTR_LARGE) {
    if (size > 0) memcpy(block, TF_TString_GetDataPointer(str), size);
    block[size] = '\0';
    str->u.large.size = TF_TString_ToInternalSizeT(size, TF_TSTR_LARGE);
  }
  str->u.large.cap = new_cap;
  str->u.large.ptr = block;
}

// As TF_TString_Reserve, but at least doubles the capacity when it has to grow.
static inline void TF_TString_ReserveAmortized(TF_TString *str, size_t new_cap) {
  const size_t old_cap = TF_TString_GetCapacity(str);
  if (new_cap > old_cap) TF_TString_Reserve(str, TF_max(new_cap, 2 * old_cap));
}

// Points the string at characters of the caller, who keeps them alive as long as the string.
static inline void TF_TString_AssignView(TF_TString *dst, const char *src, size_t size) {
  TF_TString_Dealloc(dst);
  TF_TString_Init(dst);
  dst->u.view.size = TF_TString_ToInternalSizeT(size, TF_TSTR_VIEW);
  dst->u.view.ptr = src;
}

// Offset of `p` inside the characters that `str` itself holds; -1 where it points elsewhere.
static inline ptrdiff_t TF_TString_OwnOffset(const TF_TString *str, const char *p) {
  const TF_TString_Type type = TF_TString_GetType(str);
  const uintptr_t begin = (uintptr_t)TF_TString_GetDataPointer(str);
  const uintptr_t at = (uintptr_t)p;
  if (type != TF_TSTR_SMALL && type != TF_TSTR_LARGE) return -1;
  if (at < begin || at > begin + TF_TString_GetSize(str)) return -1;
  return (ptrdiff_t)(at - begin);
}

// Copies `size` characters into the string; `src` may lie inside the string itself.
static inline void TF_TString_Copy(TF_TString *dst, const char *src, size_t size) {
  const ptrdiff_t own = size > 0 ? TF_TString_OwnOffset(dst, src) : -1;
  char *data;
  if (own > 0) memmove(TF_TString_GetMutableDataPointer(dst), src, size);
  data = TF_TString_ResizeUninitialized(dst, size);
  if (data != NULL && size > 0 && own < 0) memcpy(data, src, size);
}

// Adds `src_size` characters at the end; `src` may lie inside the string itself.
static inline void TF_TString_AppendN(TF_TString *dst, const char *src, size_t src_size) {
  const size_t old_size = TF_TString_GetSize(dst);
  char *data;
  if (src_size == 0 || src_size > (size_t)-1 - old_size) return;
  {
    const ptrdiff_t own = TF_TString_OwnOffset(dst, src);
    TF_TString_ReserveAmortized(dst, old_size + src_size);
    data = TF_TString_ResizeUninitialized(dst, old_size + src_size);
    if (data != NULL) memcpy(data + old_size, own >= 0 ? data + own : src, src_size);
  }
}

// Adds the characters of `src` at the end of `dst`; both may be the same string.
static inline void TF_TString_Append(TF_TString *dst, const TF_TString *src) {
  TF_TString_AppendN(dst, TF_TString_GetDataPointer(src), TF_TString_GetSize(src));
}

// As TF_TString_AssignView without an owner. With one the characters are copied: the string then needs
// neither the owner nor word 2 of a view, whoever reads it; no reference is taken.
static inline void TF_TString_AssignViewWithOwner(TF_TString *dst, const char *src, size_t size,
                                                  TStringOwnerCApi *owner_ref) {
  if (owner_ref != NULL) {
    TF_TString_Copy(dst, src, size);
  } else {
    TF_TString_AssignView(dst, src, size);
  }
}

// Makes `dst` equal to `src`: a copy of what `src` owns, a view of what it only points to.
static inline void TF_TString_Assign(TF_TString *dst, const TF_TString *src) {
  if (dst == src) return;
  switch (TF_TString_GetType(src)) {
    case TF_TSTR_LARGE:
      TF_TString_Copy(dst, src->u.large.ptr, TF_TString_GetSize(src));
      return;
    case TF_TSTR_VIEW:
      if (src->u.view.owner_ref != NULL) {
        TF_TString_Copy(dst, src->u.view.ptr, TF_TString_GetSize(src));
        return;
      }
      TF_TString_AssignView(dst, src->u.view.ptr, TF_TString_GetSize(src));
      return;
    case TF_TSTR_OFFSET:
      TF_TString_AssignView(dst, TF_TString_GetDataPointer(src), TF_TString_GetSize(src));
      return;
    case TF_TSTR_SMALL:
    default:
      TF_TString_Dealloc(dst);
      *dst = *src;
      return;
  }
}

// Hands the value of `src` to `dst`. A LARGE string or a view leaves `src` empty, a SMALL or OFFSET one as it
// was.
static inline void TF_TString_Move(TF_TString *dst, TF_TString *src) {
  if (dst == src) return;
  switch (TF_TString_GetType(src)) {
    case TF_TSTR_OFFSET:
      TF_TString_AssignView(dst, TF_TString_GetDataPointer(src), TF_TString_GetSize(src));
      return;
    case TF_TSTR_LARGE:
    case TF_TSTR_VIEW:
      TF_TString_Dealloc(dst);
      *dst = *src;
      TF_TString_Init(src);
      return;
    case TF_TSTR_SMALL:
    default:
      TF_TString_Dealloc(dst);
      *dst = *src;
      return;
  }
}

#endif
