// Writing JSON to a stream: values with commas and indentation put in by themselves. Numbers that JSON does
// not have (NaN, infinities) are written as null.
#ifndef DVT_TOOLS_JSON_H_
#define DVT_TOOLS_JSON_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
  FILE *file;
  int depth;
  bool has_items[16];  // of the open container at each depth
} json;

// `key` is NULL inside of arrays and at the top.
void json_open(json *j, const char *key, char bracket);  // '{' or '['
void json_close(json *j, char bracket);                  // '}' or ']'
void json_string(json *j, const char *key, const char *value);
void json_int(json *j, const char *key, int64_t value);
void json_number(json *j, const char *key, double value);
void json_bool(json *j, const char *key, bool value);
void json_shape(json *j, const char *key, const int64_t *dims, int rank);  // on one line; null for rank -1

#endif  // DVT_TOOLS_JSON_H_
