// Reading JSON files that people write by hand: the whole text as a tree. json.h writes.
#ifndef DVT_TOOLS_JSON_READ_H_
#define DVT_TOOLS_JSON_READ_H_

#include "cli.h"

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json_value {
  json_kind kind;
  char *key;   // of an object's member
  char *text;  // of a string; the digits of a number
  double number;
  int64_t integer;  // the number if it is whole, else 0
  bool truth;
  int count;  // of items
  struct json_value *first, *next;
} json_value;

// NULL with *status set: "line 3, column 7: ...". Free with json_free.
json_value *json_parse(const char *text, size_t len, TF_Status *status);
void json_free(json_value *value);
const json_value *json_member(const json_value *object, const char *key);  // NULL when there is none

#endif  // DVT_TOOLS_JSON_READ_H_
