// See json_read.h. Strings are kept as UTF-8; \u escapes of the Basic Multilingual Plane are read.
#include "json_read.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32 };

typedef struct reader {
  const char *start, *at, *end;
  int depth;
  TF_Status *status;
} reader;

static bool fail(reader *r, const char *what) {
  int line = 1, column = 1;
  for (const char *p = r->start; p < r->at; p++) {
    column = *p == '\n' ? 1 : column + 1;
    line += *p == '\n';
  }
  return cli_fail(r->status, TF_INVALID_ARGUMENT, "line %d, column %d: %s", line, column, what);
}

static char peek(reader *r) {
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
  return r->at < r->end ? *r->at : '\0';
}

static void put_utf8(char **out, unsigned code) {
  if (code < 0x80) {
    *(*out)++ = (char)code;
  } else if (code < 0x800) {
    *(*out)++ = (char)(0xc0 | code >> 6);
    *(*out)++ = (char)(0x80 | (code & 0x3f));
  } else {
    *(*out)++ = (char)(0xe0 | code >> 12);
    *(*out)++ = (char)(0x80 | (code >> 6 & 0x3f));
    *(*out)++ = (char)(0x80 | (code & 0x3f));
  }
}

static bool read_escape(reader *r, char **out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *found = r->at < r->end && *r->at ? strchr(from, *r->at) : NULL;
  unsigned code = 0;
  if (found) {
    r->at++;
    *(*out)++ = to[found - from];
    return true;
  }
  if (r->end - r->at < 5 || *r->at != 'u') return fail(r, "no such escape in a string");
  for (int i = 1; i <= 4; i++) {
    char c = r->at[i];
    if (!isxdigit((unsigned char)c)) return fail(r, "\\u wants four hexadecimal digits");
    code = code * 16 + (unsigned)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
  }
  r->at += 5;
  put_utf8(out, code);
  return true;
}

// NULL after an error. What comes out is never longer than what is read.
static char *read_string(reader *r) {
  char *text = malloc((size_t)(r->end - r->at) + 1), *out = text;
  if (!text) return fail(r, "out of memory"), NULL;
  r->at++;
  while (r->at < r->end && *r->at != '"') {
    bool good = true;
    if (*r->at == '\\') {
      r->at++;
      good = read_escape(r, &out);
    } else if ((unsigned char)*r->at < 32) {
      good = fail(r, "a string ends with '\"' on its own line");
    } else {
      *out++ = *r->at++;
    }
    if (!good) return free(text), NULL;
  }
  if (r->at == r->end) return fail(r, "a string has no end"), free(text), NULL;
  r->at++;
  *out = '\0';
  return text;
}

static bool read_value(reader *r, json_value *out);

static bool read_items(reader *r, json_value *out, char close) {
  json_value **last = &out->first;
  if (++r->depth > MAX_DEPTH) return fail(r, "brackets are nested too deep");
  r->at++;
  while (peek(r) != close) {
    if (out->count && (*r->at != ',' || (r->at++, peek(r) == close)))
      return fail(r,
                  close == ']' ? "',' and a value, or ']' is wanted" : "',' and a member, or '}' is wanted");
    json_value *item = *last = calloc(1, sizeof *item);
    if (!item) return fail(r, "out of memory");
    last = &item->next;
    out->count++;
    if (close == '}') {
      if (peek(r) != '"') return fail(r, "the name of a member is wanted");
      if (!(item->key = read_string(r))) return false;
      if (peek(r) != ':') return fail(r, "':' is wanted");
      r->at++;
    }
    if (!read_value(r, item)) return false;
    peek(r);
  }
  r->at++;
  r->depth--;
  return true;
}

static bool read_number(reader *r, json_value *out) {
  size_t len = 0, left = (size_t)(r->end - r->at);
  char text[64], *end;
  while (len < left && len < sizeof text - 1 && r->at[len] && strchr("+-.0123456789eE", r->at[len])) len++;
  memcpy(text, r->at, len);
  text[len] = '\0';
  out->number = strtod(text, &end);
  if (len == 0 || *end != '\0') return fail(r, "a value is wanted");
  bool whole = strpbrk(text, ".eE") == NULL;
  out->integer = whole ? strtoll(text, NULL, 10) : 0;
  out->text = strdup(text);
  out->kind = JSON_NUMBER;
  r->at += len;
  return true;
}

static bool take_word(reader *r, const char *word) {
  size_t len = strlen(word);
  if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0) return false;
  r->at += len;
  return true;
}

static bool read_value(reader *r, json_value *out) {
  char c = peek(r);
  if (c == '{' || c == '[') {
    out->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
    return read_items(r, out, c == '{' ? '}' : ']');
  }
  if (c == '"') {
    out->kind = JSON_STRING;
    return (out->text = read_string(r)) != NULL;
  }
  out->truth = take_word(r, "true");
  if (out->truth || take_word(r, "false")) {
    out->kind = JSON_BOOL;
    return true;
  }
  return take_word(r, "null") || read_number(r, out);
}

json_value *json_parse(const char *text, size_t len, TF_Status *status) {
  reader r = {text, text, text + len, 0, status};
  json_value *value = calloc(1, sizeof *value);
  bool good = value && read_value(&r, value);
  if (good && peek(&r) != '\0') good = fail(&r, "something follows the value");
  if (good) return value;
  json_free(value);
  return NULL;
}

static void free_items(json_value *item) {
  while (item) {
    json_value *next = item->next;
    free_items(item->first);
    free(item->key);
    free(item->text);
    free(item);
    item = next;
  }
}

void json_free(json_value *value) { free_items(value); }

const json_value *json_member(const json_value *object, const char *key) {
  const json_value *item = object && object->kind == JSON_OBJECT ? object->first : NULL;
  while (item && strcmp(item->key, key) != 0) item = item->next;
  return item;
}
