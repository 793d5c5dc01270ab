// RE2 behind the C functions of regex.h. No exception leaves this file: memory that runs out is an answer.
#include <re2/re2.h>

#include <new>
#include <string>

#include "text/regex.h"

struct dvx_regex {
  RE2 re2;
};

static re2::StringPiece piece(dvx_span s) { return re2::StringPiece(s.data, s.bytes); }
static void add(dvx_text *out, const std::string &s) { dvx_text_add(out, {s.data(), s.size()}); }

dvx_regex *dvx_regex_new(dvx_span pattern, dvx_text *out_problem) {
  RE2::Options options;
  options.set_log_errors(false);
  try {
    dvx_regex *regex = new dvx_regex{{piece(pattern), options}};
    if (regex->re2.ok()) return regex;
    add(out_problem, regex->re2.error());
    delete regex;
  } catch (const std::bad_alloc &) {
    add(out_problem, "out of memory");
  }
  return nullptr;
}

void dvx_regex_free(dvx_regex *regex) { delete regex; }

bool dvx_regex_matches(const dvx_regex *regex, dvx_span text) {
  return regex->re2.Match(piece(text), 0, text.bytes, RE2::ANCHOR_BOTH, nullptr, 0);
}

bool dvx_regex_check_rewrite(const dvx_regex *regex, dvx_span rewrite, dvx_text *out_problem) {
  try {
    std::string problem;
    if (regex->re2.CheckRewriteString(piece(rewrite), &problem)) return true;
    add(out_problem, problem);
  } catch (const std::bad_alloc &) {
    add(out_problem, "out of memory");
  }
  return false;
}

void dvx_regex_replace(const dvx_regex *regex, dvx_span text, dvx_span rewrite, bool all, dvx_text *out) {
  try {
    std::string changed(text.data, text.bytes);
    if (all)
      RE2::GlobalReplace(&changed, regex->re2, piece(rewrite));
    else
      RE2::Replace(&changed, regex->re2, piece(rewrite));
    add(out, changed);
  } catch (const std::bad_alloc &) {
    out->failed = true;
  }
}
