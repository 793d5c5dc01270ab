// Regular expressions by RE2, the library whose syntax these ops are defined by. re2.cc is all the C++ there
// is.
#ifndef DOVETAIL_PLUGINS_TEXT_REGEX_H_
#define DOVETAIL_PLUGINS_TEXT_REGEX_H_

#include "text/text_buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

// May be used by many threads at once.
typedef struct dvx_regex dvx_regex;

// NULL and a sentence in *out_problem for a pattern that is wrong or takes too much memory.
dvx_regex *dvx_regex_new(dvx_span pattern, dvx_text *out_problem);
void dvx_regex_free(dvx_regex *regex);

// Whether all of `text` matches.
bool dvx_regex_matches(const dvx_regex *regex, dvx_span text);
// Whether the groups that `rewrite` names exist; else a sentence in *out_problem.
bool dvx_regex_check_rewrite(const dvx_regex *regex, dvx_span rewrite, dvx_text *out_problem);
// Appends `text` with its first match, or all of them, replaced. out->failed when memory runs out.
void dvx_regex_replace(const dvx_regex *regex, dvx_span text, dvx_span rewrite, bool all, dvx_text *out);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_PLUGINS_TEXT_REGEX_H_
