// Answers for functions that the host lacks and that have no replacement. The host's own status functions are
// looked up here, when they are needed, and not through trampolines: they could be missing themselves.
#include <stdatomic.h>
#include <stdio.h>

#include "binding.h"
#include "dovetail/sdk.h"
#include "tensorflow/c/tf_status.h"

typedef union function {
  void *symbol;
  TF_Status *(*new_status)(void);
  void (*set_status)(TF_Status *, TF_Code, const char *);
  void (*delete_status)(TF_Status *);
  void (*fail)(void *context, TF_Status *);
} function;

static void explain(const dvt_binding *binding, char *text, size_t bytes) {
  const char *version = dvt_host_version();
  snprintf(text, bytes,
           "%s is not there: %s%s%s does not have this function, and the SDK that the plugin was built with "
           "cannot replace "
           "it. Ask dvt_host_supports(\"%s\") before the call, or run the plugin in another host",
           binding->name, dvt_host_name(), *version ? " " : "", version, binding->name);
}

void dvt_binding_missing(const dvt_binding *binding, void *status) {
  function set_status = {.symbol = dvt_binding_find("TF_SetStatus")};
  if (!status || !set_status.symbol) {
    dvt_binding_missing_silently(binding);
    return;
  }
  char text[512];
  explain(binding, text, sizeof text);
  set_status.set_status(status, TF_UNIMPLEMENTED, text);
}

static void fail_context(const dvt_binding *binding, const char *fail_name, void *ctx) {
  function new_status = {.symbol = dvt_binding_find("TF_NewStatus")};
  function delete_status = {.symbol = dvt_binding_find("TF_DeleteStatus")};
  function fail = {.symbol = dvt_binding_find(fail_name)};
  TF_Status *status =
      ctx && fail.symbol && delete_status.symbol && new_status.symbol ? new_status.new_status() : NULL;
  if (!status) {
    dvt_binding_missing_silently(binding);
    return;
  }
  dvt_binding_missing(binding, status);
  fail.fail(ctx, status);
  delete_status.delete_status(status);
}

void dvt_binding_missing_in_compute(const dvt_binding *binding, TF_OpKernelContext *ctx) {
  fail_context(binding, "TF_OpKernelContext_Failure", ctx);
}

void dvt_binding_missing_in_create(const dvt_binding *binding, TF_OpKernelConstruction *ctx) {
  fail_context(binding, "TF_OpKernelConstruction_Failure", ctx);
}

// True the first time that it is asked about `name`, which lives as long as the plugin. Past the end of the
// list: false.
static bool is_first_time(const char *name) {
  static _Atomic(const char *) said[64];
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
    const char *expected = NULL;
    if (atomic_compare_exchange_strong(&said[i], &expected, name)) return true;
    if (expected == name) return false;
  }
  return false;
}

// A plugin without any host has said so already.
void dvt_binding_missing_silently(const dvt_binding *binding) {
  if (dvt_binding_host()->kind == DVT_HOST_NONE || !is_first_time(binding->name)) return;
  char text[512];
  explain(binding, text, sizeof text);
  fprintf(stderr, "%s\n", text);
}
