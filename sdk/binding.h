// The table that a plugin built with the SDK calls its host through. Every public function that the plugin
// uses has a record in section `dvt_bindings` of the plugin (`dvt_own_bindings` where it is Dovetail's own
// function) and a trampoline of the function's own name that jumps to record.address (both generated:
// tools/abi/trampolines.py). bind.c finds the host and fills the records before any other code of the plugin
// runs; missing.c answers for what a host lacks. All of it is hidden in the plugin.
#ifndef DVT_SDK_BINDING_H_
#define DVT_SDK_BINDING_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TF_OpKernelConstruction TF_OpKernelConstruction;
typedef struct TF_OpKernelContext TF_OpKernelContext;

#pragma GCC visibility push(hidden)

// Four pointers, so that records of many files lie in the section like an array.
typedef struct dvt_binding {
  const char *name;
  void *address;   // the host's function, the SDK's replacement or `missing`
  void *polyfill;  // NULL: there is none
  void *missing;   // answers UNIMPLEMENTED; same prototype as the function
} dvt_binding;

// Marks the SDK's replacement of a function that some hosts lack. The generator finds it by this name.
#define DVT_POLYFILL(function) dvt_polyfill_##function
// Says that the file defines trampoline and record of the function itself; functions with `...` must be.
#define DVT_OWN_TRAMPOLINE(function) _Static_assert(sizeof(#function) > 1, "")

typedef enum dvt_host_kind { DVT_HOST_NONE, DVT_HOST_DOVETAIL, DVT_HOST_TENSORFLOW } dvt_host_kind;

typedef struct dvt_host {
  dvt_host_kind kind;
  void *libraries[3];  // dlopen's handles, kept as long as the process
  int library_count;
  bool is_loading;  // Dovetail is loading the plugin; it will call TF_InitKernel
  int64_t bind_ns;  // time that finding the host and filling the records took
} dvt_host;

// The host, bound to. Threads: any.
const dvt_host *dvt_binding_host(void);
// The host's own function of that name; NULL when it has none.
void *dvt_binding_find(const char *name);

// Whether the function is there for the plugin: the host's, or the SDK's for a function that the plugin uses.
bool dvt_binding_has(const char *name);

// How many ops and kernels the plugin has registered with success.
int dvt_registered_count(void);

// What functions do that the host lacks: an UNIMPLEMENTED error with function, host and version goes into
// `status` (a TF_Status or a TSL_Status, which are one type), or into the context of the kernel; else one
// line on stderr.
void dvt_binding_missing(const dvt_binding *binding, void *status);
void dvt_binding_missing_in_compute(const dvt_binding *binding, TF_OpKernelContext *ctx);
void dvt_binding_missing_in_create(const dvt_binding *binding, TF_OpKernelConstruction *ctx);
void dvt_binding_missing_silently(const dvt_binding *binding);

#pragma GCC visibility pop

#endif  // DVT_SDK_BINDING_H_
