// What the parts of the regular expression engine share: the tree of a pattern, its classes, its program.
#ifndef DOVETAIL_PLUGINS_TEXT_REGEX_INTERNAL_H_
#define DOVETAIL_PLUGINS_TEXT_REGEX_INTERNAL_H_

#include "text/regex.h"

#define DVX_REGEX_NO_MEMORY "Out of memory for a regular expression"

// ---- classes of characters ----

typedef struct dvx_range {
  int32_t first, last;
} dvx_range;

// Ranges in ascending order that do not touch, once dvx_class_finish was called.
typedef struct dvx_class {
  dvx_range *ranges;
  int count, capacity;
  bool failed;
} dvx_class;

void dvx_class_add(dvx_class *c, int32_t first, int32_t last);
// Adds the characters that differ from those in the class by case only.
void dvx_class_fold(dvx_class *c);
// Sorts and joins the ranges; then, if asked for, turns them into all other characters.
void dvx_class_finish(dvx_class *c, bool negate);
bool dvx_class_has(const dvx_class *c, int32_t character);
// The classes of \d, \s, \w (and capitals), false for another letter; of [:name:], false for an unknown name.
bool dvx_class_add_perl(dvx_class *c, char letter);
bool dvx_class_add_posix(dvx_class *c, dvx_span name);

// ---- the tree ----

typedef enum dvx_node_kind {
  NODE_EMPTY,   // matches the empty text
  NODE_CLASS,   // one character of class `index`
  NODE_ASSERT,  // an empty text at a place of kind `index`
  NODE_GROUP,   // its child, kept as group `index`
  NODE_REPEAT,  // its child min to max times (-1: any number)
  NODE_LIST,    // all children one after the other
  NODE_CHOICE,  // one of the children, the first that fits preferred
} dvx_node_kind;

enum { ASSERT_TEXT_BEGIN, ASSERT_TEXT_END, ASSERT_LINE_BEGIN, ASSERT_LINE_END, ASSERT_WORD, ASSERT_NO_WORD };

typedef struct dvx_node {
  dvx_node_kind kind;
  int index, min, max;
  bool greedy;
  int child, last_child, next;  // -1: none
} dvx_node;

// ---- the program ----

typedef enum dvx_step_kind {
  STEP_CLASS,
  STEP_ASSERT,
  STEP_SAVE,
  STEP_SPLIT,
  STEP_JUMP,
  STEP_MATCH
} dvx_step_kind;

typedef struct dvx_step {
  dvx_step_kind kind;
  int index;         // class, kind of assertion or slot to save into
  int next, second;  // a split prefers `next`
} dvx_step;

struct dvx_regex {
  dvx_node *nodes;
  int node_count, node_capacity;
  dvx_class *classes;
  int class_count, class_capacity;
  dvx_step *steps;
  int step_count, step_capacity;
  int groups;  // without group 0
};

// Parses into regex->nodes and gives the root; -1 with code and sentence.
int dvx_regex_parse(dvx_regex *regex, dvx_span pattern, TF_Code *out_code, const char **out_problem);
// Writes the program of the tree under `root`; false when it would be too large or memory runs out.
bool dvx_regex_emit(dvx_regex *regex, int root);

#endif  // DOVETAIL_PLUGINS_TEXT_REGEX_INTERNAL_H_
