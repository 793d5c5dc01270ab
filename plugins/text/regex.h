// Regular expressions in the syntax of RE2, matched in time linear in the text: the pattern becomes a small
// program (regex_parse.c, regex_class.c, regex_emit.c) that regex_run.c follows along all its paths at once.
// Text is UTF-8; bytes that are none match nothing. Not there: classes of Unicode, \p{...}, and single bytes,
// \C, which answer UNIMPLEMENTED.
#ifndef DOVETAIL_PLUGINS_TEXT_REGEX_H_
#define DOVETAIL_PLUGINS_TEXT_REGEX_H_

#include "text/text.h"

// \0 to \9 can be named in a rewrite; groups beyond are matched, but not told.
#define DVX_REGEX_GROUPS 10

typedef struct dvx_regex dvx_regex;

// NULL and a code and sentence for a pattern that is wrong.
dvx_regex *dvx_regex_new(dvx_span pattern, TF_Code *out_code, const char **out_problem);
void dvx_regex_free(dvx_regex *regex);
int dvx_regex_groups(const dvx_regex *regex);

// What one thread needs to match; made for one regex.
typedef struct dvx_matcher dvx_matcher;
dvx_matcher *dvx_matcher_new(const dvx_regex *regex);
void dvx_matcher_free(dvx_matcher *matcher);

// Whether all of `text` matches.
bool dvx_matches_whole(dvx_matcher *matcher, dvx_span text);
// Finds the first match that begins at or after `from`. Groups that took no part are {NULL, 0}; group 0 is
// the match.
bool dvx_find(dvx_matcher *matcher, dvx_span text, size_t from, dvx_span groups[DVX_REGEX_GROUPS]);

#endif  // DOVETAIL_PLUGINS_TEXT_REGEX_H_
