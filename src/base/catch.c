// The frame that ends C++ exceptions, and what can be told of one; see catch.h. The unwinder (libgcc_s) is
// asked for when something is thrown: then it is in the process, while a program of C alone need not have it.
#include "base/catch.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

// Of the C++ ABI for exception handling (Itanium), level 1.
enum { SEARCH_PHASE = 1, HANDLER_FRAME = 4, FORCED_UNWIND = 8 };
enum { HANDLER_FOUND = 6, INSTALL_CONTEXT = 7, CONTINUE_UNWIND = 8 };
enum { FOREIGN_EXCEPTION_CAUGHT = 1 };

struct dvt_exception {  // struct _Unwind_Exception
  uint64_t exception_class;
  void (*cleanup)(int reason, dvt_exception *thrown);
  uint64_t private_1, private_2;
};

static void *unwinder_symbol(const char *name) {
  void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void *symbol = dlsym(library ? library : RTLD_DEFAULT, name);
  dvt_library_close(library);
  return symbol;
}

#if defined(__x86_64__) || defined(__aarch64__)

// Frame of the fixed form "save the frame pointer, call, return"; dvt_catch_landing is where it goes on after
// a throw, the exception in the register of results.
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl dvt_catch_call\n"
    ".hidden dvt_catch_call\n"
    ".hidden dvt_catch_landing\n"
    ".globl dvt_catch_landing\n"
    ".type dvt_catch_call, @function\n"
    ".p2align 4\n"
    "dvt_catch_call:\n"
    ".cfi_startproc\n"
    ".cfi_personality 0x1b, dvt_catch_personality\n"
    "  pushq %rbp\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset %rbp, -16\n"
    "  movq %rsp, %rbp\n"
    ".cfi_def_cfa_register %rbp\n"
    "  movq %rdi, %rax\n"
    "  movq %rsi, %rdi\n"
    "  call *%rax\n"
    "  xorl %eax, %eax\n"
    "dvt_catch_landing:\n"
    "  popq %rbp\n"
    ".cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size dvt_catch_call, .-dvt_catch_call\n");
#else
__asm__(
    ".text\n"
    ".globl dvt_catch_call\n"
    ".hidden dvt_catch_call\n"
    ".hidden dvt_catch_landing\n"
    ".globl dvt_catch_landing\n"
    ".type dvt_catch_call, %function\n"
    ".p2align 4\n"
    "dvt_catch_call:\n"
    ".cfi_startproc\n"
    ".cfi_personality 0x1b, dvt_catch_personality\n"
    "  stp x29, x30, [sp, #-16]!\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset x29, -16\n"
    ".cfi_offset x30, -8\n"
    "  mov x29, sp\n"
    "  mov x2, x0\n"
    "  mov x0, x1\n"
    "  blr x2\n"
    "  mov x0, xzr\n"
    "dvt_catch_landing:\n"
    "  ldp x29, x30, [sp], #16\n"
    ".cfi_def_cfa_offset 0\n"
    ".cfi_restore x29\n"
    ".cfi_restore x30\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size dvt_catch_call, .-dvt_catch_call\n");
#endif
extern const char dvt_catch_landing[] __attribute__((visibility("hidden")));

// Called by the unwinder for the frame of dvt_catch_call: first to ask whether the exception ends here, then
// to arrange for that.
__attribute__((used, visibility("hidden"))) int dvt_catch_personality(int version, int actions,
                                                                      uint64_t exception_class,
                                                                      dvt_exception *thrown, void *context);
int dvt_catch_personality(int version, int actions, uint64_t exception_class, dvt_exception *thrown,
                          void *context) {
  (void)version;
  (void)exception_class;
  if (actions & FORCED_UNWIND) return CONTINUE_UNWIND;
  void *set_gr_symbol = unwinder_symbol("_Unwind_SetGR"), *set_ip_symbol = unwinder_symbol("_Unwind_SetIP");
  void (*set_gr)(void *, int, uintptr_t);
  void (*set_ip)(void *, uintptr_t);
  memcpy(&set_gr, &set_gr_symbol, sizeof set_gr);  // ISO C has no cast between the two kinds of pointer
  memcpy(&set_ip, &set_ip_symbol, sizeof set_ip);
  if (!set_gr || !set_ip) return CONTINUE_UNWIND;
  if (actions & SEARCH_PHASE) return HANDLER_FOUND;
  if (!(actions & HANDLER_FRAME)) return CONTINUE_UNWIND;
  set_gr(context, __builtin_eh_return_data_regno(0), (uintptr_t)thrown);
  set_ip(context, (uintptr_t)dvt_catch_landing);
  return INSTALL_CONTEXT;
}

#else

dvt_exception *dvt_catch_call(void (*fn)(void *), void *arg) {
  fn(arg);
  return NULL;
}

#endif

// The C++ library that made the exception: that of its clean-up function. Plugins bring their own, out of
// sight of RTLD_DEFAULT. NULL when there is none.
static void *cxx_library(const dvt_exception *thrown) {
  void *function;
  Dl_info info;
  memcpy(&function, &thrown->cleanup, sizeof function);
  if (!function || !dladdr(function, &info) || !info.dli_fname) return NULL;
  return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

// Layouts that the C++ ABI fixes: std::type_info, and that of a class with one base at its beginning.
typedef struct type_info {
  void *const *vtable;
  const char *name;
  const struct type_info *base;  // only of such a class
} type_info;

// Is it std::exception, or derived from it through single bases? Then its object begins with one.
static bool is_std_exception(const type_info *type, void *library) {
  char *vtable = dlsym(library, "_ZTVN10__cxxabiv120__si_class_type_infoE");
  enum { DEEPEST = 64, FUNCTIONS_FROM = 2 };
  for (int depth = 0; depth < DEEPEST; depth++) {
    if (strcmp(type->name, "St9exception") == 0) return true;
    if (!vtable || (const void *)type->vtable != vtable + FUNCTIONS_FROM * sizeof(void *)) return false;
    type = type->base;
  }
  return false;
}

// What the exception says of itself; NULL when it cannot be asked. The object follows the unwinder's header.
static const char *what_of(dvt_exception *thrown, const type_info *type, void *library) {
  if (!is_std_exception(type, library)) return NULL;
  void *object = thrown + 1;
  enum { WHAT = 2 };  // after the two destructors
  void *const *vtable = *(void *const **)object;
  const char *(*what)(const void *);
  memcpy(&what, &vtable[WHAT], sizeof what);
  return what(object);
}

// The type's name as C++ writes it, and what() where there is one.
static void describe(dvt_exception *thrown, void *library, char *out_text) {
  void *type_symbol = dlsym(library, "__cxa_current_exception_type");
  void *demangle_symbol = dlsym(library, "__cxa_demangle");
  const type_info *(*current_type)(void);
  char *(*demangle)(const char *, char *, size_t *, int *);
  memcpy(&current_type, &type_symbol, sizeof current_type);
  memcpy(&demangle, &demangle_symbol, sizeof demangle);
  const type_info *type = current_type ? current_type() : NULL;
  if (!type) return;
  const char *name = type->name + (type->name[0] == '*');
  char *readable = demangle ? demangle(name, NULL, NULL, NULL) : NULL;
  const char *what = what_of(thrown, type, library);
  snprintf(out_text, DVT_EXCEPTION_TEXT_BYTES, "%s%s%s", readable ? readable : name, what ? ": " : "",
           what ? what : "");
  free(readable);  // by the C++ library's malloc
}

// The exception's own library ends it, which keeps std::uncaught_exceptions right; false when it cannot.
static bool end_by_library(dvt_exception *thrown, void *library, char *out_text) {
  static const char cxx_class[] = "\0++CCUNG";  // "GNUCC++\0" as a number, least byte first
  void *begin_symbol = library ? dlsym(library, "__cxa_begin_catch") : NULL,
       *end_symbol = library ? dlsym(library, "__cxa_end_catch") : NULL;
  if (!begin_symbol || !end_symbol || memcmp(&thrown->exception_class, cxx_class, 8) != 0) return false;
  void *(*begin)(void *);
  void (*end)(void);
  memcpy(&begin, &begin_symbol, sizeof begin);
  memcpy(&end, &end_symbol, sizeof end);
  begin(thrown);
  describe(thrown, library, out_text);
  end();
  return true;
}

void dvt_exception_end(dvt_exception *thrown, char *out_text) {
  snprintf(out_text, DVT_EXCEPTION_TEXT_BYTES, "of unknown type");
  void *library = cxx_library(thrown);
  if (!end_by_library(thrown, library, out_text) && thrown->cleanup)
    thrown->cleanup(FOREIGN_EXCEPTION_CAUGHT, thrown);
  dvt_library_close(library);
}

dvt_status dvt_exception_status(dvt_exception *thrown, const char *call) {
  if (DVT_LIKELY(!thrown)) return NULL;
  char text[DVT_EXCEPTION_TEXT_BYTES];
  dvt_exception_end(thrown, text);
  return dvt_error(
      TF_INTERNAL,
      "%s threw a C++ exception (%s). Functions that the runtime calls must catch their exceptions "
      "and report them through a status",
      call, text);
}
