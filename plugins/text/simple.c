// StringStrip, StringLength and Substr: what needs no tables.
#include <inttypes.h>

#include "text/text.h"
#include "text/utf8.h"

// ---- StringStrip ----

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static const char *strip(const void *arg, dvx_span in, dvx_text *out) {
  (void)arg;
  size_t begin = 0, end = in.bytes;
  while (begin < end && is_space(in.data[begin])) begin++;
  while (end > begin && is_space(in.data[end - 1])) end--;
  dvx_text_add(out, dvx_part(in, begin, end));
  return NULL;
}

DVP_COMPUTE(string_strip_compute) {
  (void)state;
  dvx_map_elements(call, strip, NULL, 50000);
}
DVP_DEFINE_ANY(string_strip, NULL, NULL, string_strip_compute);

// ---- a state that is the attribute `unit` ----

typedef struct unit_state {
  bool characters;
} unit_state;

static void *unit_create(TF_OpKernelConstruction *ctx) {
  char unit[16];
  unit_state *state = dvp_state_new(ctx, sizeof(*state));
  dvp_attr_string(ctx, "unit", unit, sizeof(unit));
  if (state) state->characters = strcmp(unit, "UTF8_CHAR") == 0;
  return state;
}
static void unit_destroy(void *state) { free(state); }

// ---- StringLength ----

DVP_COMPUTE(string_length_compute) {
  const unit_state *unit = state;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  int32_t *out = dvp_output(call, 0, in.dims, in.rank);
  for (int64_t i = 0; out && i < in.count; i++) {
    dvx_span s = dvx_element(&in, i);
    size_t length = unit->characters ? dvx_utf8_count(s) : s.bytes;
    out[i] = (int32_t)DVP_MIN(length, (size_t)INT32_MAX);
  }
}
DVP_DEFINE_ANY(string_length, unit_create, unit_destroy, string_length_compute);

// ---- Substr ----
// Position and length come as int32 or int64; a negative position counts from the end.

// The bytes [*begin, *end) of `s`; false for a position outside of it.
static bool byte_range(dvx_span s, int64_t pos, int64_t len, size_t *begin, size_t *end) {
  if (pos < 0) pos += (int64_t)s.bytes;
  if (pos < 0 || pos > (int64_t)s.bytes) return false;
  *begin = (size_t)pos;
  // A negative length means everything up to the end, as an unsigned number does.
  *end = len < 0 || len > (int64_t)(s.bytes - *begin) ? s.bytes : *begin + (size_t)len;
  return true;
}

// The same counted in characters: bytes that do not continue one.
static bool character_range(dvx_span s, int64_t pos, int64_t len, size_t *begin, size_t *end) {
  if (pos >= 0) {
    *begin = 0;
    if (!dvx_utf8_forward(s, pos, begin)) return false;
    *end = *begin;
    dvx_utf8_forward(s, len, end);
    return true;
  }
  if (pos == INT64_MIN) return false;
  int64_t behind = len > -pos ? 0 : len < 0 && -pos > INT64_MAX + len ? INT64_MAX : -pos - len;
  *end = s.bytes;
  if (!dvx_utf8_back(s, behind, end)) return false;
  *begin = *end;
  return dvx_utf8_back(s, -pos - behind, begin);
}

static int64_t int_at(const dvp_view *v, int64_t i) {
  return v->dtype == TF_INT32 ? ((const int32_t *)v->data)[i] : ((const int64_t *)v->data)[i];
}

typedef struct substr {
  const unit_state *unit;
  dvp_view in, pos, len;
  TF_TString *out;
} substr;

static bool substr_one(dvp_call *call, const substr *op, int64_t in, int64_t position, int64_t out) {
  dvx_span s = dvx_element(&op->in, in);
  size_t begin = 0, end = 0;
  int64_t pos = int_at(&op->pos, position), len = int_at(&op->len, position);
  bool fine = op->unit->characters ? character_range(s, pos, len, &begin, &end)
                                   : byte_range(s, pos, len, &begin, &end);
  if (!fine)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "pos %" PRId64 " out of range for string b'%.*s' at index %" PRId64, pos,
                    (int)DVP_MIN(s.bytes, (size_t)100), s.data, out);
  dvx_store(&op->out[out], dvx_part(s, begin, DVP_MAX(begin, end)));
  return true;
}

// Up to two dimensions, as in stock: both shapes are aligned at the last one, and a size of 1 is repeated.
static void substr_broadcast(dvp_call *call, substr *op) {
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  int rank = DVP_MAX(op->in.rank, op->pos.rank);
  if (rank > 2) {
    dvp_fail(call, TF_UNIMPLEMENTED, "Substr broadcast not implemented for %d dimensions", rank);
    return;
  }
  int64_t a[2] = {1, 1}, b[2] = {1, 1}, dims[2];
  for (int i = 0; i < op->in.rank; i++) a[2 - op->in.rank + i] = op->in.dims[i];
  for (int i = 0; i < op->pos.rank; i++) b[2 - op->pos.rank + i] = op->pos.dims[i];
  for (int i = 0; i < 2; i++) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) {
      dvp_fail(call, TF_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s",
               dvp_shape_text(op->in.dims, op->in.rank, ta), dvp_shape_text(op->pos.dims, op->pos.rank, tb));
      return;
    }
    dims[i] = a[i] == 1 ? b[i] : a[i];
  }
  op->out = dvp_output(call, 0, dims + 2 - rank, rank);
  bool fine = op->out != NULL;
  for (int64_t i = 0; fine && i < dims[0]; i++)
    for (int64_t j = 0; fine && j < dims[1]; j++)
      fine = substr_one(call, op, (a[0] > 1 ? i * a[1] : 0) + (a[1] > 1 ? j : 0),
                        (b[0] > 1 ? i * b[1] : 0) + (b[1] > 1 ? j : 0), i * dims[1] + j);
}

DVP_COMPUTE(substr_compute) {
  substr op = {.unit = state};
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &op.in) || !dvp_input(call, 1, &op.pos) || !dvp_input(call, 2, &op.len)) return;
  if (!dvp_same_shape(&op.pos, &op.len) || op.pos.count == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "pos and len should have the same shape and elements, got: %s vs. %s",
             dvp_shape_text(op.pos.dims, op.pos.rank, ta), dvp_shape_text(op.len.dims, op.len.rank, tb));
    return;
  }
  if (op.pos.rank > 0 && !dvp_same_shape(&op.in, &op.pos)) {
    substr_broadcast(call, &op);
    return;
  }
  op.out = dvp_output(call, 0, op.in.dims, op.in.rank);
  bool fine = op.out != NULL;
  for (int64_t i = 0; fine && i < op.in.count; i++) fine = substr_one(call, &op, i, op.pos.rank ? i : 0, i);
}
static const dvp_kernel substr_rows[] = {DVP_KERNEL(TF_INT32, substr) DVP_KERNEL(TF_INT64, substr)};
DVP_DEFINE_SET(substr, "T", unit_create, unit_destroy, substr_rows);
