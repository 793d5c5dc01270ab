// AsString: numbers by a printf format that the attributes spell.
#include <inttypes.h>
#include <stdio.h>

#include "common/dtype.h"
#include "text/text.h"

typedef struct as_string_state {
  char number[64];           // printf format of one number: a long long, an unsigned long long or a double
  bool pad_left;             // strings are cut and padded here, as they may hold any byte
  int64_t width, precision;  // of strings; -1: none
} as_string_state;

static bool is_floating(TF_DataType t) {
  return t == TF_FLOAT || t == TF_DOUBLE || t == TF_HALF || t == TF_BFLOAT16 || t == TF_COMPLEX64 ||
         t == TF_COMPLEX128;
}
static bool is_unsigned(TF_DataType t) {
  return t == TF_UINT8 || t == TF_UINT16 || t == TF_UINT32 || t == TF_UINT64;
}

static void *as_string_create(TF_OpKernelConstruction *ctx) {
  as_string_state *state = dvp_state_new(ctx, sizeof(*state));
  TF_DataType dtype = dvp_attr_type(ctx, "T");
  int64_t precision = dvp_attr_int(ctx, "precision"), width = dvp_attr_int(ctx, "width");
  bool scientific = dvp_attr_bool(ctx, "scientific"), shortest = dvp_attr_bool(ctx, "shortest");
  dvx_attr fill = dvx_attr_get(ctx, "fill");
  if (!state || !fill.data) return state;
  char flag[2] = {fill.bytes == 1 ? fill.data[0] : 0, 0}, size[24] = "", digits[24] = "";
  if (!is_floating(dtype) && dtype != TF_STRING && (scientific || shortest || precision >= 0))
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "precision, scientific and shortest format not supported for datatype %d", dtype);
  else if (fill.bytes > 1)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Fill string must be one or fewer characters");
  else if (scientific && shortest)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Cannot select both scientific and shortest notation");
  else if (fill.bytes == 1 && (!flag[0] || !strchr(" +-0#", flag[0])))
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Fill argument not supported: \"%s\"", flag);
  if (width > -1) snprintf(size, sizeof(size), "%s%" PRId64, flag, width);
  if (precision > -1) snprintf(digits, sizeof(digits), ".%" PRId64, precision);
  snprintf(state->number, sizeof(state->number), "%%%s%s%s", size, digits,
           is_floating(dtype)   ? shortest     ? "g"
                                  : scientific ? "e"
                                               : "f"
           : is_unsigned(dtype) ? "llu"
                                : "lld");
  state->pad_left = flag[0] != '-';
  state->width = width;
  state->precision = width > 0 ? precision : -1;
  free(fill.data);
  return state;
}
static void as_string_destroy(void *state) { free(state); }

// The format is made above of a width, a precision and a conversion that fits the argument.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void add_real(const as_string_state *s, dvx_text *out, double x) {
  dvx_text_printf(out, s->number, x);
}
static void add_complex(const as_string_state *s, dvx_text *out, double real, double imaginary) {
  dvx_text_add_char(out, '(');
  add_real(s, out, real);
  dvx_text_add_char(out, ',');
  add_real(s, out, imaginary);
  dvx_text_add_char(out, ')');
}
static void add_signed(const as_string_state *s, dvx_text *out, long long x) {
  dvx_text_printf(out, s->number, x);
}
static void add_unsigned(const as_string_state *s, dvx_text *out, unsigned long long x) {
  dvx_text_printf(out, s->number, x);
}
#pragma GCC diagnostic pop

static void add_bool(dvx_text *out, bool x) {
  dvx_text_add(out, x ? (dvx_span){"true", 4} : (dvx_span){"false", 5});
}

static void add_string(const as_string_state *s, dvx_text *out, dvx_span in) {
  if (s->precision >= 0) in.bytes = DVP_MIN(in.bytes, (size_t)s->precision);
  int64_t missing = s->width - (int64_t)in.bytes;
  if (!s->pad_left) dvx_text_add(out, in);
  for (int64_t i = 0; i < missing && !out->failed; i++) dvx_text_add_char(out, ' ');
  if (s->pad_left) dvx_text_add(out, in);
}

#define AS_STRING(t, ADD)                                                  \
  DVP_COMPUTE(as_string_##t##_compute) {                                   \
    const as_string_state *s = state;                                      \
    dvp_view view;                                                         \
    if (!dvp_input(call, 0, &view)) return;                                \
    TF_TString *strings = dvp_output(call, 0, view.dims, view.rank);       \
    const dvp_##t *in = view.data;                                         \
    dvx_text text = {0}, *out = &text;                                     \
    for (int64_t i = 0; strings && i < view.count; i++) {                  \
      text.bytes = 0;                                                      \
      const DVP_ARITH_##t x = DVP_LOAD_##t(in[i]);                         \
      ADD;                                                                 \
      dvx_store(&strings[i], dvx_text_span(&text));                        \
    }                                                                      \
    if (text.failed) dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY); \
    dvx_text_free(&text);                                                  \
    (void)s;                                                               \
  }
#define AS_REAL(t, unused) AS_STRING(t, add_real(s, out, (double)x))
#define AS_SIGNED(t, unused) AS_STRING(t, add_signed(s, out, x))
#define AS_UNSIGNED(t, unused) AS_STRING(t, add_unsigned(s, out, x))
DVP_FLOATS(AS_REAL, )
DVP_SIGNED(AS_SIGNED, )
DVP_UNSIGNED(AS_UNSIGNED, )
AS_STRING(c64, add_complex(s, out, (double)crealf(x), (double)cimagf(x)))
AS_STRING(c128, add_complex(s, out, creal(x), cimag(x)))
AS_STRING(b, add_bool(out, x != 0))

typedef TF_TString dvp_str;
#define DVP_ARITH_str TF_TString *
#define DVP_LOAD_str(x) &(x)
#define DVP_TYPE_str TF_STRING
AS_STRING(str, add_string(s, out, dvx_span_of(x)))

static const dvp_kernel as_string_rows[] = {DVP_NUMBERS(DVP_ROW, as_string) DVP_ROW(b, as_string)
                                                DVP_ROW(str, as_string)};
DVP_DEFINE_SET(as_string, "T", as_string_create, as_string_destroy, as_string_rows);
