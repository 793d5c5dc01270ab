// Calls in kernels what hosts lack and the SDK brings, and puts out as text what came of it:
//   SdkShapes   what polyfill_shapes.c wrote down
//   SdkAttrs    attributes at construction that stock cannot read
//   SdkInputs   inputs by name, and questions with one answer
//   SdkLoops    loops on many threads, loops in loops, strings
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dovetail/kernel_construction.h"
#include "dovetail/kernel_context.h"
#include "dovetail/plugin.h"
#include "dovetail/sdk.h"
#include "dovetail/trace.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_tstring.h"

void collect_shapes(TF_ShapeInferenceContext *ctx, TF_Status *status);
extern char shapes_text[65536];

typedef struct text {
  size_t used;
  char data[4096];
} text;

static void say(text *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  out->used += (size_t)vsnprintf(out->data + out->used, sizeof out->data - out->used, format, args);
  va_end(args);
}

static void put_out(TF_OpKernelContext *ctx, const char *data) {
  TF_Status *status = TF_NewStatus();
  int64_t length = (int64_t)strlen(data);
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_UINT8, &length, 1, (size_t)length, status);
  if (y)
    memcpy(TF_TensorData(y), data, (size_t)length);
  else
    TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void shapes(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  put_out(ctx, shapes_text);
}

// ---- attributes ----

static void say_dims(text *out, const int64_t *dims, int rank) {
  say(out, " %d:", rank);
  for (int i = 0; i < rank; i++) say(out, " %lld", (long long)dims[i]);
}

static void *make_attrs(TF_OpKernelConstruction *ctx) {
  static const char *const names[] = {"full",   "part",  "unknown", "scalar",
                                      "shapes", "parts", "number",  "nothing"};
  text *out = calloc(1, sizeof *out);
  TF_Status *status = TF_NewStatus();
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    int64_t dims[4] = {-7, -7, -7, -7}, storage[8];
    int rank = -7, ranks[4];
    int64_t *lists[4];
    TF_OpKernelConstruction_GetAttrTensorShape(ctx, names[i], dims, 2, status);
    say(out, "%s: whole %d,%lld", names[i], (int)TF_GetCode(status), (long long)dims[0]);
    for (int room = 1; room < 3; room++) {
      TF_OpKernelConstruction_GetAttrPartialShape(ctx, names[i], dims, room, &rank, status);
      say(out, "; part %d", (int)TF_GetCode(status));
      if (TF_GetCode(status) == TF_OK) say_dims(out, dims, rank);
    }
    for (int known = 0; known < 2; known++) {
      (known ? TF_OpKernelConstruction_GetAttrTensorShapeList
             : TF_OpKernelConstruction_GetAttrPartialShapeList)(ctx, names[i], lists, ranks, 4, storage, 8,
                                                                status);
      say(out, "; list %d", (int)TF_GetCode(status));
      for (int k = 0; TF_GetCode(status) == TF_OK && k < 2; k++) say_dims(out, lists[k], ranks[k]);
    }
    TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, names[i], lists, ranks, 4, storage, 2, status);
    TF_Code small = TF_GetCode(status);
    TF_Buffer *value = TF_OpKernelConstruction_GetAttrValueProto(ctx, names[i], status);
    say(out, "; small %d; value %d:", (int)small, (int)TF_GetCode(status));
    for (size_t k = 0; value && k < value->length; k++)
      say(out, "%02x", ((const unsigned char *)value->data)[k]);
    if (value) TF_DeleteBuffer(value);
    TF_Buffer *functions[2] = {NULL, NULL};
    TF_OpKernelConstruction_GetAttrFunctionList(ctx, names[i], functions, 2, status);
    say(out, "; functions %d\n", (int)TF_GetCode(status));
  }
  TF_DeleteStatus(status);
  return out;
}

static void attrs(void *kernel, TF_OpKernelContext *ctx) { put_out(ctx, ((text *)kernel)->data); }

// ---- inputs ----

static void inputs(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  static const char *const names[] = {"x", "list", "none"};
  text out = {0};
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < 3; i++) {
    TF_Tensor *tensor = NULL;
    TF_GetInputByName(ctx, names[i], &tensor, status);
    say(&out, "%s: %d %d", names[i], (int)TF_GetCode(status), tensor ? (int)TF_TensorByteSize(tensor) : -1);
    TF_DeleteTensor(tensor);
    int type = (int)TF_OpKernelContext_InputDatatypeByName(ctx, names[i], status);
    say(&out, "; %d type %d\n", (int)TF_GetCode(status), type);
  }
  for (int i = -1; i < 2; i++) {
    bool is_ref = TF_IsRefInput(ctx, i, status);
    say(&out, "%d %d ref %d\n", i, (int)TF_GetCode(status), is_ref);
  }
  bool required = TF_OpKernelContext_OutputRequired(ctx, 0, status);
  say(&out, "%d %d %d %d\n", TF_OpKernelContext_IsInputDead(ctx), required,
      TF_OpKernelContext_IsCancelled(ctx), dvt_trace_is_on(ctx));
  dvt_trace_span span = dvt_trace_begin(ctx, "span");
  dvt_trace_number(ctx, span, "number", 1);
  dvt_trace_end(ctx, span);
  TF_Tensor *lasting = dvt_allocate_lasting(100);
  say(&out, "lasting %d %d\n", (int)TF_TensorByteSize(lasting), (int)TF_TensorType(lasting));
  TF_DeleteTensor(lasting);
  put_out(ctx, out.data);
  TF_DeleteStatus(status);
}

// ---- loops ----

typedef struct sums {
  TF_OpKernelContext *ctx;
  atomic_llong sum, calls;
  atomic_uchar seen[1 << 14];
} sums;

static void add_range(void *arg, int64_t begin, int64_t end) {
  sums *s = arg;
  for (int64_t i = begin; i < end; i++) {
    atomic_fetch_add(&s->sum, i);
    atomic_fetch_add(&s->seen[i], 1);
  }
}

static void nest(void *arg, int64_t begin, int64_t end) {
  sums *outer = arg;
  for (int64_t i = begin; i < end; i++) {
    sums *inner = calloc(1, sizeof *inner);
    dvt_parallel_for(outer->ctx, 1 << 10, 1000, add_range, inner);
    atomic_fetch_add(&outer->sum, atomic_load(&inner->sum));
    free(inner);
  }
}

static void loops(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  static const int64_t totals[] = {-1, 0, 1, 7, 1000, 1 << 14};
  static const int64_t costs[] = {-5, 0, 1, 100, 1000000};
  text out = {0};
  say(&out, "threads %d\n", dvt_num_threads(ctx) >= 1);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 5; k++) {
      sums *s = calloc(1, sizeof *s);
      dvt_parallel_for(ctx, totals[i], costs[k], add_range, s);
      int64_t once = 0;
      for (int64_t at = 0; at < totals[i]; at++) once += s->seen[at] == 1;
      say(&out, "%lld at %lld: %lld %d\n", (long long)totals[i], (long long)costs[k], (long long)s->sum,
          totals[i] < 0 || once == totals[i]);
      free(s);
    }
  sums *outer = calloc(1, sizeof *outer);
  outer->ctx = ctx;
  dvt_parallel_for(ctx, 64, 1000000, nest, outer);
  say(&out, "nested %lld\n", (long long)outer->sum);
  free(outer);
  TF_TString string;
  TF_StringInit(&string);
  TF_StringCopy(&string, "a string that is longer than what fits into the bytes", 53);
  say(&out, "%s %d %d\n", TF_StringGetDataPointer(&string), (int)TF_StringGetSize(&string),
      (int)TF_StringGetType(&string));
  TF_StringAssignView(&string, "view", 4);
  say(&out, "%.4s %d %d %d\n", TF_StringGetDataPointer(&string), (int)TF_StringGetSize(&string),
      (int)TF_StringGetType(&string), (int)TF_StringGetCapacity(&string));
  TF_StringDealloc(&string);
  put_out(ctx, out.data);
}

// ---- registration ----

static void add_op(const char *name, const char *const *attr_specs, const char *const *input_specs,
                   void (*shape)(TF_ShapeInferenceContext *, TF_Status *),
                   void *(*create)(TF_OpKernelConstruction *),
                   void (*compute)(void *, TF_OpKernelContext *)) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  for (; attr_specs && *attr_specs; attr_specs++) TF_OpDefinitionBuilderAddAttr(op, *attr_specs);
  for (; input_specs && *input_specs; input_specs++) TF_OpDefinitionBuilderAddInput(op, *input_specs);
  TF_OpDefinitionBuilderAddOutput(op, "y: uint8");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, shape);
  TF_OpDefinitionBuilderSetIsStateful(op, true);
  TF_RegisterOpDefinition(op, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s\n", TF_Message(status));
  TF_RegisterKernelBuilder(name, TF_NewKernelBuilder(name, "CPU", create, compute, create ? free : NULL),
                           status);
  TF_DeleteStatus(status);
}

static void register_all(void) {
  static const char *const attr_specs[] = {
      "full: shape = { dim { size: 2 } dim { size: 3 } }",
      "part: shape = { dim { size: -1 } dim { size: 300 } }",
      "unknown: shape = { unknown_rank: true }",
      "scalar: shape = { }",
      "shapes: list(shape) = [{ dim { size: 4 } }, { dim { size: 5 } dim { size: 6 } }]",
      "parts: list(shape) = [{ dim { size: -1 } }, { unknown_rank: true }]",
      "number: int = 5",
      NULL};
  static const char *const input_specs[] = {"x: float", "list: N * float", NULL};
  static const char *const input_attrs[] = {"N: int >= 0", NULL};
  add_op("SdkShapes", NULL, NULL, collect_shapes, NULL, shapes);
  add_op("SdkAttrs", attr_specs, NULL, TF_ShapeInferenceContextSetUnknownShape, make_attrs, attrs);
  add_op("SdkInputs", input_attrs, input_specs, TF_ShapeInferenceContextSetUnknownShape, NULL, inputs);
  add_op("SdkLoops", NULL, NULL, TF_ShapeInferenceContextSetUnknownShape, NULL, loops);
}

DVT_PLUGIN("polyfills", "1.0", "Apache-2.0", "", register_all)
