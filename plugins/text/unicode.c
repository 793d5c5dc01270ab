// UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode and UnicodeTranscode. What is no character in its
// encoding, and control characters if asked for, is replaced, left out or an error, as attribute `errors`
// says.
#include <inttypes.h>

#include "text/codec.h"

typedef enum policy { REPLACE, IGNORE, STRICT } policy;

typedef struct unicode_state {
  policy errors;
  int32_t replacement;
  bool replace_control;
  dvx_encoding in, out;
} unicode_state;

static unicode_state *create(TF_OpKernelConstruction *ctx) {
  char errors[16];
  unicode_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  dvp_attr_string(ctx, "errors", errors, sizeof(errors));
  state->errors = strcmp(errors, "strict") == 0 ? STRICT : strcmp(errors, "ignore") == 0 ? IGNORE : REPLACE;
  int64_t replacement = dvp_attr_int(ctx, "replacement_char");
  if (replacement < 0 || replacement > DVX_MAX_CODE_POINT)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "replacement_char out of unicode codepoint range");
  else
    state->replacement = (int32_t)replacement;
  return state;
}

static void get_input(TF_OpKernelConstruction *ctx, unicode_state *state) {
  dvx_attr name = dvx_attr_get(ctx, "input_encoding");
  if (state && name.data) {
    state->replace_control = dvp_attr_bool(ctx, "replace_control_characters");
    state->in = dvx_encoding_named(name.data);
    if (state->in == DVX_UNKNOWN)
      dvp_create_fail(
          ctx, TF_UNIMPLEMENTED,
          "Cannot decode input encoding '%s'; there are UTF-8, UTF-16, UTF-32 (each also -BE and -LE), "
          "US-ASCII and ISO-8859-1",
          name.data);
  }
  free(name.data);
}

static void get_output(TF_OpKernelConstruction *ctx, unicode_state *state) {
  char name[16];
  dvp_attr_string(ctx, "output_encoding", name, sizeof(name));
  if (state) state->out = dvx_encoding_named(name);
}

static void *decode_create(TF_OpKernelConstruction *ctx) {
  unicode_state *state = create(ctx);
  get_input(ctx, state);
  return state;
}
static void *encode_create(TF_OpKernelConstruction *ctx) {
  unicode_state *state = create(ctx);
  get_output(ctx, state);
  return state;
}
static void *transcode_create(TF_OpKernelConstruction *ctx) {
  unicode_state *state = decode_create(ctx);
  get_output(ctx, state);
  return state;
}
static void unicode_destroy(void *state) { free(state); }

static int64_t split_at(const dvp_view *splits, int64_t i) {
  return splits->dtype == TF_INT32 ? ((const int32_t *)splits->data)[i] : ((const int64_t *)splits->data)[i];
}

// ---- walking over the characters of a string ----

typedef struct cursor {
  const unicode_state *state;
  dvx_encoding encoding;
  dvx_span rest;
  size_t mark;  // bytes of a byte order mark, which count to the first character
} cursor;

static cursor begin(const unicode_state *state, dvx_span s) {
  cursor c = {.state = state};
  c.encoding = dvx_skip_mark(state->in, s, &c.mark);
  c.rest = dvx_part(s, c.mark, s.bytes);
  return c;
}

static bool more(const cursor *c) { return c->rest.bytes > 0 || c->mark > 0; }

typedef enum found { CHARACTER, LEFT_OUT, ILL_FORMED, CONTROL_ERROR } found;

// The next character, or what stands for it, and the bytes it took.
static found next(cursor *c, int32_t *out, size_t *out_bytes) {
  if (c->rest.bytes == 0) {
    // Stock reads a byte order mark without text behind it as U+FFFF.
    *out = 0xFFFF;
    *out_bytes = c->mark;
    c->mark = 0;
    return CHARACTER;
  }
  size_t bytes = dvx_decode(c->encoding, c->rest, out);
  c->rest = dvx_part(c->rest, bytes, c->rest.bytes);
  *out_bytes = bytes + c->mark;
  c->mark = 0;
  bool control = c->state->replace_control && *out >= 0 && *out <= 0x1F, ill = *out < 0;
  if (!control && !ill) return CHARACTER;
  *out = c->state->replacement;
  if (c->state->errors == STRICT) return ill ? ILL_FORMED : CONTROL_ERROR;
  return c->state->errors == IGNORE ? LEFT_OUT : CHARACTER;
}

// ---- UnicodeDecode ----

typedef struct decoded {
  int32_t *values;
  int64_t *offsets;
  int64_t count;
} decoded;

// Decodes one string; counts only where `out` has no memory. False when the policy is strict and it is
// ill-formed.
static bool decode_one(const unicode_state *state, dvx_span s, decoded *out) {
  cursor c = begin(state, s);
  int64_t offset = 0;
  while (more(&c)) {
    int32_t value;
    size_t bytes;
    found kind = next(&c, &value, &bytes);
    if (kind == ILL_FORMED) return false;
    if (kind != LEFT_OUT) {
      if (out->values) out->values[out->count] = value;
      if (out->offsets) out->offsets[out->count] = offset;
      out->count++;
    }
    offset += (int64_t)bytes;
  }
  return true;
}

static void decode_all(dvp_call *call, const unicode_state *state, bool with_offsets) {
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  int64_t splits = in.count + 1;
  bool narrow = TF_ExpectedOutputDataType(call->ctx, 0) == TF_INT32;
  void *out_splits = dvp_output(call, 0, &splits, 1);
  decoded out = {0};
  for (int64_t i = 0; out_splits && i <= in.count; i++) {
    if (narrow)
      ((int32_t *)out_splits)[i] = (int32_t)out.count;
    else
      ((int64_t *)out_splits)[i] = out.count;
    if (i < in.count && !decode_one(state, dvx_element(&in, i), &out)) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Invalid formatting on input string");
      return;
    }
  }
  if (out_splits && narrow && out.count > INT32_MAX) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The characters are too many for row_splits of dtype int32");
    return;
  }
  out.values = out_splits ? dvp_output(call, 1, &out.count, 1) : NULL;
  if (out.values && with_offsets) out.offsets = dvp_output(call, 2, &out.count, 1);
  if (!out.values || (with_offsets && !out.offsets)) return;
  out.count = 0;
  for (int64_t i = 0; i < in.count; i++) decode_one(state, dvx_element(&in, i), &out);
}

DVP_COMPUTE(unicode_decode_compute) { decode_all(call, state, false); }
static const dvp_kernel unicode_decode_rows[] = {DVP_KERNEL(TF_INT32, unicode_decode)
                                                     DVP_KERNEL(TF_INT64, unicode_decode)};
DVP_DEFINE_SET(unicode_decode, "Tsplits", decode_create, unicode_destroy, unicode_decode_rows);

DVP_COMPUTE(unicode_decode_offsets_compute) { decode_all(call, state, true); }
static const dvp_kernel unicode_decode_offsets_rows[] = {DVP_KERNEL(TF_INT32, unicode_decode_offsets)
                                                             DVP_KERNEL(TF_INT64, unicode_decode_offsets)};
DVP_DEFINE_SET(unicode_decode_offsets, "Tsplits", decode_create, unicode_destroy,
               unicode_decode_offsets_rows);

// ---- UnicodeEncode ----

static bool check_splits(dvp_call *call, const dvp_view *values, const dvp_view *splits) {
  if (values->rank != 1 || splits->rank != 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Both the input_values and input_splits should be of rank 1");
  if (splits->count == 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "input_splits should contain elements");
  if (split_at(splits, 0) != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "First value in input_splits must be zero");
  if (split_at(splits, splits->count - 1) != values->count)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Last value in input_splits must be equal to length of input_values");
  for (int64_t i = 1; i < splits->count; i++)
    if (split_at(splits, i) < split_at(splits, i - 1))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Values in input_splits must be equal or in ascending order");
  return true;
}

DVP_COMPUTE(unicode_encode_compute) {
  const unicode_state *u = state;
  dvp_view values, splits;
  if (!dvp_input(call, 0, &values) || !dvp_input(call, 1, &splits) || !check_splits(call, &values, &splits))
    return;
  int64_t count = splits.count - 1;
  TF_TString *out = dvp_output(call, 0, &count, 1);
  const int32_t *in = values.data;
  dvx_text text = {0};
  bool fine = out != NULL;
  for (int64_t row = 0; fine && row < count; row++) {
    text.bytes = 0;
    for (int64_t i = split_at(&splits, row); fine && i < split_at(&splits, row + 1); i++) {
      bool ill = !dvx_is_scalar_value(in[i]);
      fine = !ill || u->errors != STRICT;
      if (fine && !(ill && u->errors == IGNORE)) dvx_encode(u->out, ill ? u->replacement : in[i], &text);
    }
    if (fine) dvx_store(&out[row], dvx_text_span(&text));
  }
  if (!fine && out)
    dvp_fail(call, TF_INVALID_ARGUMENT, "Code point is out of range for Unicode, or is a surrogate.");
  else if (text.failed)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY);
  dvx_text_free(&text);
}
static const dvp_kernel unicode_encode_rows[] = {DVP_KERNEL(TF_INT32, unicode_encode)
                                                     DVP_KERNEL(TF_INT64, unicode_encode)};
DVP_DEFINE_SET(unicode_encode, "Tsplits", encode_create, unicode_destroy, unicode_encode_rows);

// ---- UnicodeTranscode ----

static const char *transcode(const void *arg, dvx_span in, dvx_text *out) {
  const unicode_state *state = arg;
  cursor c = begin(state, in);
  while (more(&c)) {
    int32_t value;
    size_t bytes;
    found kind = next(&c, &value, &bytes);
    // Here a control character is an error, too.
    if (kind == ILL_FORMED || kind == CONTROL_ERROR) return "Invalid formatting on input string";
    if (kind == CHARACTER) dvx_encode(state->out, value, out);
  }
  return NULL;
}

DVP_COMPUTE(unicode_transcode_compute) { dvx_map_elements(call, transcode, state, 500000); }
DVP_DEFINE_ANY(unicode_transcode, transcode_create, unicode_destroy, unicode_transcode_compute);
