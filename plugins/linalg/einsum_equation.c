// The equation of Einsum and the shape of its result: see einsum.h.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dovetail/shape.h"
#include "linalg/einsum.h"

DVP_PRINTF(2, 3) static void invalid(TF_Status *status, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
}

static bool refuse(TF_Status *status, const char *text, size_t len, const char *why) {
  invalid(status, "Einsum equation '%.*s': %s", (int)(len < 200 ? len : 200), text, why);
  return false;
}

static bool has_label(const dvp_einsum_term *term, unsigned char label) {
  return memchr(term->labels, label, (size_t)term->count) != NULL;
}

// NULL when fine, else what is wrong.
static const char *parse_term(const char *text, size_t len, dvp_einsum_term *out) {
  *out = (dvp_einsum_term){.ellipsis = -1};
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '.') {
      if (len - i < 3 || memcmp(text + i, "...", 3) != 0) return "a '.' is not part of an ellipsis";
      if (out->ellipsis >= 0) return "an operand has two ellipses";
      out->ellipsis = out->count;
      i += 2;
    } else if (out->count == DVP_MAX_RANK) {
      return "an operand has too many labels";
    } else {
      out->labels[out->count++] = (unsigned char)text[i];
    }
  }
  return NULL;
}

static size_t find_arrow(const char *text, size_t len, size_t from) {
  for (size_t i = from; i + 2 <= len; i++)
    if (memcmp(text + i, "->", 2) == 0) return i;
  return len;
}

bool dvp_equation_parse(const char *text, size_t len, dvp_equation *out, TF_Status *status) {
  size_t arrow = find_arrow(text, len, 0);
  if (arrow == len || find_arrow(text, len, arrow + 2) != len)
    return refuse(status, text, len, "it must have exactly one '->'");
  const char *wrong = NULL, *at = text, *end = text + arrow;
  *out = (dvp_equation){.input_count = 0};
  for (bool more = true; more && !wrong;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    if (out->input_count == DVP_EINSUM_INPUTS)
      return refuse(status, text, len, "it must have one or two inputs");
    wrong = parse_term(at, (size_t)((comma ? comma : end) - at), &out->inputs[out->input_count++]);
    more = comma != NULL;
    if (comma) at = comma + 1;
  }
  if (!wrong) wrong = parse_term(text + arrow + 2, len - arrow - 2, &out->output);
  for (int i = 0; !wrong && i < out->output.count; i++)
    if (!has_label(&out->inputs[0], out->output.labels[i]) &&
        !(out->input_count > 1 && has_label(&out->inputs[1], out->output.labels[i])))
      wrong = "a label of the output is in no input";
  return !wrong || refuse(status, text, len, wrong);
}

bool dvp_einsum_label(const dvp_einsum_term *term, int rank, int axis, int *out_label) {
  int inner = rank - term->count;  // dimensions of the ellipsis
  if (axis < 0 || axis >= rank || inner < 0 || (term->ellipsis < 0 && inner != 0)) return false;
  int before = term->ellipsis < 0 ? term->count : term->ellipsis;
  if (axis < before)
    *out_label = term->labels[axis];
  else if (axis < before + inner)
    *out_label = axis - before - inner;
  else
    *out_label = term->labels[axis - inner];
  return true;
}

// ---- shape inference ----

// The handles of one inference; NULL where there is no dimension yet.
typedef struct inference {
  TF_ShapeInferenceContext *ctx;
  TF_Status *status;
  TF_DimensionHandle *named[256], *inner[DVP_MAX_RANK + 1];  // inner: by the distance from the ellipsis' end
  int inner_count;                                           // -1: not known
} inference;

static bool fine(const inference *in) { return TF_GetCode(in->status) == TF_OK; }

static int64_t known(TF_DimensionHandle *dim) {
  return TF_DimensionHandleValueKnown(dim) ? TF_DimensionHandleValue(dim) : -1;
}

// What two dimensions that broadcast become, in *at: 1 gives way, a known size wins over an unknown one.
static void broadcast_dim(inference *in, TF_DimensionHandle **at, TF_DimensionHandle *dim) {
  int64_t a = known(*at), b = known(dim);
  TF_DimensionHandle *next = NULL;
  if (a == 1)
    next = dim;
  else if (a >= 0 || b == 1)
    next = *at;
  else if (b >= 0)
    next = dim;
  if (a > 1 && b > 1 && a != b)
    invalid(in->status, "Einsum: dimensions %lld and %lld of an ellipsis do not broadcast", (long long)a,
            (long long)b);
  TF_DimensionHandle *kept = next == dim   ? dim
                             : next == *at ? *at
                                           : TF_ShapeInferenceContext_UnknownDim(in->ctx);
  if (kept != dim) TF_DeleteDimensionHandle(dim);
  if (kept != *at) TF_DeleteDimensionHandle(*at);
  *at = kept;
}

static void add_dim(inference *in, int label, TF_DimensionHandle *dim) {
  TF_DimensionHandle **at = label >= 0 ? &in->named[label] : &in->inner[-label];
  if (!*at) {
    *at = dim;
  } else if (label < 0) {
    broadcast_dim(in, at, dim);
  } else {
    TF_ShapeInferenceContext_MergeDims(in->ctx, *at, dim, *at, in->status);
    TF_DeleteDimensionHandle(dim);
  }
}

// The dimensions of an input whose rank is known.
static void add_dims(inference *in, const dvp_einsum_term *term, TF_ShapeHandle *shape) {
  int64_t rank = TF_ShapeInferenceContextRank(in->ctx, shape);
  if (rank - term->count > DVP_MAX_RANK)
    invalid(in->status, "Einsum: an input has %lld dimensions, more than can be", (long long)rank);
  for (int axis = 0, label; fine(in) && axis < rank; axis++) {
    if (!dvp_einsum_label(term, (int)rank, axis, &label)) return;
    TF_DimensionHandle *dim = TF_NewDimensionHandle();
    TF_ShapeInferenceContextDim(in->ctx, shape, axis, dim);
    add_dim(in, label, dim);
  }
  if (term->ellipsis >= 0 && in->inner_count >= 0 && rank - term->count > in->inner_count)
    in->inner_count = (int)(rank - term->count);
}

static void add_input(inference *in, const dvp_einsum_term *term, int index) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(in->ctx, index, shape, in->status);
  if (!fine(in)) {
  } else if (!TF_ShapeInferenceContextRankKnown(in->ctx, shape)) {
    if (term->ellipsis >= 0) in->inner_count = -1;
  } else {
    if (term->ellipsis < 0)
      TF_ShapeInferenceContextWithRank(in->ctx, shape, term->count, shape, in->status);
    else
      TF_ShapeInferenceContextWithRankAtLeast(in->ctx, shape, term->count, shape, in->status);
    if (fine(in)) add_dims(in, term, shape);
  }
  TF_DeleteShapeHandle(shape);
}

static TF_DimensionHandle *dim_of(inference *in, int label) {
  TF_DimensionHandle **at = label >= 0 ? &in->named[label] : &in->inner[-label];
  if (!*at) *at = TF_ShapeInferenceContext_UnknownDim(in->ctx);
  return *at;
}

static TF_ShapeHandle *result(inference *in, const dvp_einsum_term *output) {
  if (output->ellipsis >= 0 && in->inner_count < 0) return TF_ShapeInferenceContext_UnknownShape(in->ctx);
  TF_DimensionHandle *dims[2 * DVP_MAX_RANK];
  int rank = output->count + (output->ellipsis >= 0 ? in->inner_count : 0), label = 0;
  if (output->ellipsis < 0 && in->inner_count > 0)
    invalid(in->status, "Einsum: the inputs have dimensions of an ellipsis, which the output leaves out");
  for (int i = 0; fine(in) && i < rank; i++)
    if (dvp_einsum_label(output, rank, i, &label)) dims[i] = dim_of(in, label);
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  if (fine(in)) TF_ShapeInferenceContext_MakeShape(in->ctx, dims, rank, shape, in->status);
  return shape;
}

static void infer(inference *in, const dvp_equation *equation) {
  if (TF_ShapeInferenceContextNumInputs(in->ctx) != equation->input_count)
    invalid(in->status, "Einsum: the equation is for %d inputs, the node has %lld", equation->input_count,
            (long long)TF_ShapeInferenceContextNumInputs(in->ctx));
  for (int i = 0; fine(in) && i < equation->input_count; i++) add_input(in, &equation->inputs[i], i);
  if (!fine(in)) return;
  TF_ShapeHandle *shape = result(in, &equation->output);
  if (fine(in)) TF_ShapeInferenceContextSetOutput(in->ctx, 0, shape, in->status);
  TF_DeleteShapeHandle(shape);
}

void dvp_einsum_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  inference in = {.ctx = ctx, .status = status};
  const char *text = NULL;
  size_t len = 0;
  dvp_equation equation;
  TF_ShapeInferenceContext_GetAttrString(ctx, "equation", &text, &len, status);
  if (fine(&in) && dvp_equation_parse(text, len, &equation, status)) infer(&in, &equation);
  for (int i = 0; i < DVP_COUNT_OF(in.named); i++) TF_DeleteDimensionHandle(in.named[i]);
  for (int i = 0; i < DVP_COUNT_OF(in.inner); i++) TF_DeleteDimensionHandle(in.inner[i]);
}
