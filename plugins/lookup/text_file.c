// InitializeTableFromTextFileV2: a pair from each line of a file. Key and value are each the line (-2), its
// number (-1) or a column.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lookup/table.h"
#include "tensorflow/c/tf_tstring.h"

enum { WHOLE_LINE = -2, LINE_NUMBER = -1 };

typedef struct file_state {
  int64_t key_index, value_index, vocab_size, offset;
  char delimiter;
} file_state;

static void *file_create(TF_OpKernelConstruction *ctx) {
  file_state *state = dvp_state_new(ctx, sizeof(*state));
  size_t bytes = 0;
  char *delimiter = dvp_attr_string_new(ctx, "delimiter", &bytes);
  if (state) {
    state->key_index = dvp_attr_int(ctx, "key_index");
    state->value_index = dvp_attr_int(ctx, "value_index");
    state->vocab_size = dvp_attr_int(ctx, "vocab_size");
    state->offset = dvp_attr_int(ctx, "offset");
    if (delimiter && bytes != 1)
      dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "delimiter should be only 1 char");
    else if (delimiter)
      state->delimiter = delimiter[0];
  }
  free(delimiter);
  return state;
}
static void file_destroy(void *state) { free(state); }

// Pairs as they are read, in arrays that grow.
typedef struct reader {
  dvp_call *call;
  const file_state *state;
  const char *path;
  TF_DataType key, value;
  char *keys, *values;
  int64_t count, capacity;
} reader;

static size_t bytes_of(TF_DataType dtype) {
  return dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
}

static bool grow(reader *r) {
  if (r->count < r->capacity) return true;
  int64_t capacity = r->capacity * 2 + 256;
  char *keys = realloc(r->keys, (size_t)capacity * bytes_of(r->key));
  if (keys) r->keys = keys;
  char *values = keys ? realloc(r->values, (size_t)capacity * bytes_of(r->value)) : NULL;
  if (values) r->values = values;
  if (!values) return dvp_fail(r->call, TF_RESOURCE_EXHAUSTED, "Out of memory while reading %s", r->path);
  r->capacity = capacity;
  return true;
}

static void free_strings(TF_DataType dtype, char *at, int64_t count) {
  for (int64_t i = 0; dtype == TF_STRING && i < count; i++) TF_StringDealloc((TF_TString *)at + i);
}

// ---- one field ----

static bool only_spaces(const char *text) { return text[strspn(text, " \t\n\v\f\r")] == 0; }

static bool parse_integer(const char *text, int64_t low, int64_t high, int64_t *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return end != text && errno == 0 && only_spaces(end) && *out >= low && *out <= high;
}
static bool parse_real(const char *text, bool is_float, double *out) {
  char *end;
  *out = is_float ? (double)strtof(text, &end) : strtod(text, &end);
  return end != text && only_spaces(end);
}

// Stores a field as an element of `dtype`; a string element is made.
static bool store(reader *r, TF_DataType dtype, const char *text, size_t bytes, void *out) {
  int64_t integer;
  double real;
  bool fine = true;
  switch (dtype) {
    case TF_STRING:
      TF_StringInit(out);
      TF_StringCopy(out, text, bytes);
      return true;
    case TF_INT32:
      // Stock adds the offset to fields of this dtype, too.
      if ((fine = parse_integer(text, INT32_MIN, INT32_MAX, &integer)))
        *(int32_t *)out = (int32_t)((uint32_t)integer + (uint32_t)r->state->offset);
      break;
    case TF_INT64:
      if ((fine = parse_integer(text, INT64_MIN, INT64_MAX, &integer))) *(int64_t *)out = integer;
      break;
    case TF_FLOAT:
      if ((fine = parse_real(text, true, &real))) *(float *)out = (float)real;
      break;
    case TF_DOUBLE:
      if ((fine = parse_real(text, false, &real))) *(double *)out = real;
      break;
    default:
      return dvp_fail(r->call, TF_INVALID_ARGUMENT, "A file has no values of dtype %d", dtype);
  }
  return fine ||
         dvp_fail(r->call, TF_INVALID_ARGUMENT,
                  "Field %.100s in line %" PRId64 " of %s is not a valid number", text, r->count, r->path);
}

// What `index` tells of the line.
static bool store_part(reader *r, const char *line, size_t bytes, int64_t index, TF_DataType dtype,
                       void *out) {
  if (index == LINE_NUMBER) {
    *(int64_t *)out = (int64_t)((uint64_t)r->count + (uint64_t)r->state->offset);
    return true;
  }
  if (index == WHOLE_LINE) return store(r, dtype, line, bytes, out);
  const char *at = line, *end = line + bytes;
  for (int64_t i = 0; at; i++) {
    const char *next = memchr(at, r->state->delimiter, (size_t)(end - at));
    size_t length = (size_t)((next ? next : end) - at);
    if (i == index) {
      char *field = strndup(at, length);
      bool fine = field ? store(r, dtype, field, length, out)
                        : dvp_fail(r->call, TF_RESOURCE_EXHAUSTED, "Out of memory while reading %s", r->path);
      free(field);
      return fine;
    }
    at = next ? next + 1 : NULL;
  }
  return dvp_fail(r->call, TF_INVALID_ARGUMENT,
                  "Invalid number of columns in %s line %" PRId64 " (%.100s): expected at least %" PRId64,
                  r->path, r->count, line, index + 1);
}

// ---- lines ----

// Without the end of the line, and without carriage returns.
static size_t clean(char *line, size_t bytes) {
  size_t kept = 0;
  if (bytes > 0 && line[bytes - 1] == '\n') bytes--;
  for (size_t i = 0; i < bytes; i++)
    if (line[i] != '\r') line[kept++] = line[i];
  line[kept] = 0;
  return kept;
}

static bool read_line(reader *r, char *line, size_t bytes) {
  const file_state *s = r->state;
  if (bytes == 0)
    return dvp_fail(r->call, TF_INVALID_ARGUMENT, "Invalid content in %s: line %" PRId64 " is empty", r->path,
                    r->count);
  if (!grow(r)) return false;
  char *key = r->keys + (size_t)r->count * bytes_of(r->key),
       *value = r->values + (size_t)r->count * bytes_of(r->value);
  if (!store_part(r, line, bytes, s->key_index, r->key, key)) return false;
  if (!store_part(r, line, bytes, s->value_index, r->value, value)) {
    free_strings(r->key, key, 1);
    return false;
  }
  r->count++;
  return true;
}

static bool read_lines(reader *r, FILE *file) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t bytes;
  int64_t size = r->state->vocab_size;
  bool fine = true;
  while (fine && (size < 0 || r->count < size) && (bytes = getline(&line, &capacity, file)) >= 0) {
    size_t cleaned = clean(line, (size_t)bytes);
    // What follows the last end of a line is a line only if there is something.
    if (cleaned == 0 && bytes > 0 && feof(file)) break;
    fine = read_line(r, line, cleaned);
  }
  free(line);
  if (fine && ferror(file)) fine = dvp_fail(r->call, TF_UNAVAILABLE, "Reading %s failed", r->path);
  if (fine && size >= 0 && r->count < size)
    fine =
        dvp_fail(r->call, TF_INVALID_ARGUMENT,
                 "Invalid vocab_size in %s: expected %" PRId64 " but got %" PRId64, r->path, size, r->count);
  if (fine && r->count == 0) fine = dvp_fail(r->call, TF_OUT_OF_RANGE, "There are no lines in %s", r->path);
  return fine;
}

static bool check_index(dvp_call *call, const char *what, int64_t index, TF_DataType dtype) {
  if (index == LINE_NUMBER && dtype != TF_INT64)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%s index for line number requires dtype int64, got %d", what,
                    dtype);
  if (index == WHOLE_LINE && dtype != TF_STRING && dtype != TF_INT32 && dtype != TF_INT64)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "%s index for whole line requires a string or an integer, got dtype %d", what, dtype);
  return true;
}

static void initialize_from(dvp_call *call, const file_state *state, dvk_table *table, const char *path) {
  const dvk_options *options = dvk_table_options(table);
  if (!check_index(call, "Key", state->key_index, options->key) ||
      !check_index(call, "Value", state->value_index, options->value))
    return;
  if (options->value_rank > 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "A table of tensors is not initialized from a file");
    return;
  }
  FILE *file = fopen(path, "re");
  if (!file) {
    dvp_fail(call, errno == ENOENT ? TF_NOT_FOUND : TF_PERMISSION_DENIED, "%s; %s", path, strerror(errno));
    return;
  }
  reader r = {.call = call, .state = state, .path = path, .key = options->key, .value = options->value};
  // Another filling of a table that is filled is passed over: the name of a table is to say what file it is
  // from.
  bool was_filled;
  if (read_lines(&r, file)) dvk_table_fill(call, table, &(dvk_pairs){r.count, r.keys, r.values}, &was_filled);
  fclose(file);
  free_strings(r.key, r.keys, r.count);
  free_strings(r.value, r.values, r.count);
  free(r.keys);
  free(r.values);
}

DVP_COMPUTE(initialize_from_file_compute) {
  dvp_view name;
  char text[DVP_SHAPE_TEXT];
  dvk_table *table = dvk_table_input(call);
  if (!table || !dvp_input(call, 1, &name)) return;
  if (name.count != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "filename should be a single string, but got %s",
             dvp_shape_text(name.dims, name.rank, text));
    return;
  }
  const TF_TString *s = name.data;
  char *path = strndup(TF_StringGetDataPointer(s), TF_StringGetSize(s));
  if (path)
    initialize_from(call, state, table, path);
  else
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  free(path);
}
DVP_DEFINE_ANY(initialize_from_file, file_create, file_destroy, initialize_from_file_compute);
