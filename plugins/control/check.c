// NoOp, ControlTrigger and Assert.
#include <complex.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "tensorflow/c/tf_tstring.h"

static void no_op_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  (void)ctx;
}
DVP_DEFINE_ANY(no_op, NULL, NULL, no_op_compute);

typedef struct assert_state {
  int64_t summarize;
} assert_state;

static void *assert_create(TF_OpKernelConstruction *ctx) {
  assert_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->summarize = dvp_attr_int(ctx, "summarize");
  return state;
}
static void assert_destroy(void *state) { free(state); }

// A text that silently stops growing when it is full.
typedef struct text {
  char bytes[1024];
  size_t used;
} text;

static void add(text *out, const char *format, ...) DVP_PRINTF(2, 3);
static void add(text *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(out->bytes + out->used, sizeof(out->bytes) - out->used, format, args);
  va_end(args);
  if (n > 0) out->used = DVP_MIN(out->used + (size_t)n, sizeof(out->bytes) - 1);
}

#define REAL_CASE(t, unused)                                                \
  case DVP_TYPE_##t:                                                        \
    add(out, "%.9g", (double)DVP_LOAD_##t(((const dvp_##t *)in->data)[i])); \
    break;
#define INT_CASE(t, unused)                                        \
  case DVP_TYPE_##t:                                               \
    add(out, "%" PRId64, (int64_t)((const dvp_##t *)in->data)[i]); \
    break;
#define COMPLEX_CASE(t, unused)                                  \
  case DVP_TYPE_##t: {                                           \
    dvp_##t z = ((const dvp_##t *)in->data)[i];                  \
    add(out, "(%.9g,%.9g)", (double)creal(z), (double)cimag(z)); \
    break;                                                       \
  }
static void add_value(text *out, const dvp_view *in, int64_t i) {
  switch (in->dtype) {
    DVP_FLOATS(REAL_CASE, )
    DVP_SIGNED(INT_CASE, )
    DVP_UNSIGNED(INT_CASE, )
    DVP_COMPLEX(COMPLEX_CASE, )
    case TF_BOOL:
      add(out, "%d", ((const uint8_t *)in->data)[i] != 0);
      break;
    case TF_STRING: {
      const TF_TString *s = (const TF_TString *)in->data + i;
      add(out, "%.*s", (int)TF_StringGetSize(s), TF_StringGetDataPointer(s));
      break;
    }
    default:
      add(out, "?");
  }
}

DVP_COMPUTE(assert_compute) {
  const assert_state *options = state;
  dvp_view condition, in;
  if (!dvp_input(call, 0, &condition)) return;
  if (condition.rank != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "In[0] should be a scalar, but has rank %d", condition.rank);
    return;
  }
  if (*(const uint8_t *)condition.data) return;
  text message = {.used = 0};
  add(&message, "assertion failed:");
  int64_t most = options->summarize < 0 ? INT64_MAX : options->summarize;
  for (int i = 1; i < TF_NumInputs(call->ctx); i++) {
    if (!dvp_input(call, i, &in)) return;
    add(&message, " [");
    for (int64_t k = 0; k < in.count && k < most && message.used < sizeof(message.bytes) - 1; k++) {
      if (k) add(&message, " ");
      add_value(&message, &in, k);
    }
    add(&message, in.count > most ? "...]" : "]");
  }
  dvp_fail(call, TF_INVALID_ARGUMENT, "%s", message.bytes);
}
DVP_DEFINE_ANY(assert, assert_create, assert_destroy, assert_compute);
