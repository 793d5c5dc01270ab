// JSON output. Text that is not UTF-8 gets its stray bytes as \u00XX.
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void indent(json *j) {
  fputc('\n', j->file);
  for (int i = 0; i < j->depth; ++i) fputs("  ", j->file);
}

// Length of the UTF-8 sequence at p, 0 when it is none.
static int sequence(const unsigned char *p) {
  int len = p[0] < 0x80                   ? 1
            : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
            : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
            : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                          : 0;
  for (int i = 1; i < len; ++i)
    if ((p[i] & 0xc0) != 0x80) return 0;
  return len;
}

static void put_text(json *j, const char *text) {
  fputc('"', j->file);
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    int len = sequence(p);
    if (*p == '"' || *p == '\\')
      fprintf(j->file, "\\%c", *p);
    else if (*p == '\n')
      fputs("\\n", j->file);
    else if (*p < 32 || *p == 127 || len == 0)
      fprintf(j->file, "\\u%04x", *p);
    else
      fwrite(p, 1, (size_t)len, j->file);
    p += len ? len : 1;
  }
  fputc('"', j->file);
}

static void begin(json *j, const char *key) {
  if (j->has_items[j->depth]) fputc(',', j->file);
  j->has_items[j->depth] = true;
  if (j->depth > 0) indent(j);
  if (!key) return;
  put_text(j, key);
  fputs(": ", j->file);
}

void json_open(json *j, const char *key, char bracket) {
  begin(j, key);
  fputc(bracket, j->file);
  j->has_items[++j->depth] = false;
}

void json_close(json *j, char bracket) {
  bool had = j->has_items[j->depth--];
  if (had) indent(j);
  fputc(bracket, j->file);
  if (j->depth == 0) fputc('\n', j->file);
}

void json_string(json *j, const char *key, const char *value) {
  begin(j, key);
  if (value)
    put_text(j, value);
  else
    fputs("null", j->file);
}

void json_int(json *j, const char *key, int64_t value) {
  begin(j, key);
  fprintf(j->file, "%" PRId64, value);
}

void json_number(json *j, const char *key, double value) {
  begin(j, key);
  if (isfinite(value))
    fprintf(j->file, "%.9g", value);
  else
    fputs("null", j->file);
}

void json_bool(json *j, const char *key, bool value) {
  begin(j, key);
  fputs(value ? "true" : "false", j->file);
}

void json_shape(json *j, const char *key, const int64_t *dims, int rank) {
  begin(j, key);
  if (rank < 0) {
    fputs("null", j->file);
    return;
  }
  fputc('[', j->file);
  for (int i = 0; i < rank; ++i) fprintf(j->file, "%s%" PRId64, i ? ", " : "", dims[i]);
  fputc(']', j->file);
}
