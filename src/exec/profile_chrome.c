// A profile as JSON in Chrome's trace event format: complete events ("X") for the step, its nodes and the
// spans of their kernels, by thread; asynchronous kernels, which overlap with what else runs on their thread,
// as pairs of events
// ("b", "e"). Times are microseconds from the begin of the step.
#include <inttypes.h>

#include "exec/plan_names.h"
#include "exec/profile.h"
#include "exec/run.h"
#include "tensor/tensor_proto.h"

enum { PID = 1 };

typedef struct writer {
  const dvt_profile *profile;
  dvt_buf *out;
  dvt_buf text;  // of the value that is written; kept for the next
  bool needs_comma;
} writer;

static void put_string(dvt_buf *out, dvt_str s) {
  dvt_buf_append_byte(out, '"');
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c == '"' || c == '\\') dvt_buf_append_byte(out, '\\');
    if (c < 0x20)
      dvt_buf_printf(out, "\\u%04x", c);
    else
      dvt_buf_append_byte(out, (char)c);
  }
  dvt_buf_append_byte(out, '"');
}

static void put_time(dvt_buf *out, const char *key, int64_t ns) {
  dvt_buf_printf(out, ",\"%s\":%s%" PRId64 ".%03d", key, ns < 0 ? "-" : "", (ns < 0 ? -ns : ns) / 1000,
                 (int)((ns < 0 ? -ns : ns) % 1000));
}

static void begin_event(writer *w, const char *phase, const char *category, dvt_str name, int32_t thread) {
  if (w->needs_comma) dvt_buf_append_byte(w->out, ',');
  w->needs_comma = true;
  dvt_buf_printf(w->out, "\n{\"ph\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"name\":", phase, category,
                 PID, (int)thread);
  put_string(w->out, name);
}

static void put_metadata(writer *w, const char *what, int32_t thread, dvt_str name) {
  begin_event(w, "M", "__metadata", dvt_str_from(what), thread);
  dvt_buf_append_str(w->out, DVT_STR(",\"args\":{\"name\":"));
  put_string(w->out, name);
  dvt_buf_append_str(w->out, DVT_STR("}}"));
}

static void put_span_of_time(writer *w, int64_t start_ns, int64_t end_ns) {
  put_time(w->out, "ts", start_ns - w->profile->start_ns);
  put_time(w->out, "dur", end_ns - start_ns);
}

static int32_t last_thread(const dvt_profile *profile) {
  int32_t last = 0;
  for (size_t i = 0; i < profile->count; i++) last = DVT_MAX(last, profile->entries[i].thread);
  for (size_t i = 0; i < profile->span_count; i++) last = DVT_MAX(last, profile->spans[i].thread);
  return last;
}

static void put_threads(writer *w) {
  put_metadata(w, "process_name", 0, w->profile->plan->session->device->name);
  int32_t last = last_thread(w->profile);
  for (int32_t i = 0; i <= last; i++) {
    dvt_buf_clear(&w->text);
    if (i)
      dvt_buf_printf(&w->text, "worker %d", (int)i);
    else
      dvt_buf_append_str(&w->text, DVT_STR("caller"));
    put_metadata(w, "thread_name", i, dvt_buf_str(&w->text));
  }
}

static void put_step(writer *w) {
  const dvt_profile *profile = w->profile;
  begin_event(w, "X", "step", DVT_STR("step"), 0);
  put_span_of_time(w, profile->start_ns, profile->end_ns);
  dvt_buf_printf(w->out, ",\"args\":{\"start_unix_us\":%" PRId64 ",\"nodes\":%zu", profile->start_unix_us,
                 profile->count);
  if (profile->lost) dvt_buf_printf(w->out, ",\"nodes_lost\":%zu", profile->lost);
  dvt_buf_printf(w->out, ",\"failed\":%s}}", profile->has_failed ? "true" : "false");
}

static void put_inputs(writer *w, const dvt_profile_entry *e) {
  const dvt_plan_node *node = &e->plan->nodes[e->node];
  dvt_buf_append_str(w->out, DVT_STR(",\"inputs\":["));
  for (int32_t i = 0; i < node->input_count; i++) {
    dvt_buf_clear(&w->text);
    dvt_plan_source_name(e->plan, e->plan->inputs[node->first_input + i], &w->text);
    if (i) dvt_buf_append_byte(w->out, ',');
    put_string(w->out, dvt_buf_str(&w->text));
  }
  dvt_buf_append_byte(w->out, ']');
}

// "float[2,3]"; null for an output without a value.
static void put_outputs(writer *w, const dvt_profile_entry *e) {
  size_t word = e->first_word;
  int32_t slot = 0;
  dvt_buf_append_str(w->out, DVT_STR(",\"outputs\":["));
  for (int32_t i = 0; i < e->output_count; i++, slot++) {
    dvt_profile_output o = dvt_profile_next_output(w->profile, &word);
    for (; slot < o.slot; slot++) dvt_buf_append_str(w->out, DVT_STR("null,"));
    dvt_buf_printf(w->out, "\"%s", dvt_dtype_name(o.dtype));
    dvt_shape_describe(o.dims, o.rank, w->out);
    dvt_buf_append_str(w->out, i + 1 < e->output_count ? DVT_STR("\",") : DVT_STR("\""));
  }
  dvt_buf_append_byte(w->out, ']');
}

static void put_text(writer *w, const char *key, dvt_str value) {
  if (value.len == 0) return;
  dvt_buf_printf(w->out, ",\"%s\":", key);
  put_string(w->out, value);
}

static void put_node_name(writer *w, const dvt_plan *plan, int32_t node) {
  dvt_buf_clear(&w->text);
  dvt_plan_node_name(plan, node, &w->text);
  dvt_buf_append_str(w->out, DVT_STR(",\"args\":{\"node\":"));
  put_string(w->out, dvt_buf_str(&w->text));
}

static void put_node_args(writer *w, const dvt_profile_entry *e) {
  const dvt_session_node *node = e->plan->nodes[e->node].session_node;
  put_node_name(w, e->plan, e->node);
  put_text(w, "plugin", dvt_session_node_plugin(node));
  put_text(w, "made_of", node->fused_ops);
  put_text(w, "stands_for", node->fused_names);
  put_inputs(w, e);
  put_outputs(w, e);
  dvt_buf_printf(w->out, ",\"output_bytes\":%" PRId64 ",\"temp_bytes\":%" PRId64, e->output_bytes,
                 e->temp_bytes);
  if (e->called_ns) put_time(w->out, "in_functions_us", e->called_ns);
  if (e->has_failed) dvt_buf_append_str(w->out, DVT_STR(",\"failed\":true"));
  if (e->is_unfinished) dvt_buf_append_str(w->out, DVT_STR(",\"unfinished\":true"));
  dvt_buf_append_str(w->out, DVT_STR("}}"));
}

static void put_entry(writer *w, size_t i) {
  const dvt_profile_entry *e = &w->profile->entries[i];
  dvt_str op = dvt_plan_node_def(&e->plan->nodes[e->node])->op->name;
  if (!e->is_async) {
    begin_event(w, "X", "op", op, e->thread);
    put_span_of_time(w, e->start_ns, e->end_ns);
    put_node_args(w, e);
    return;
  }
  begin_event(w, "b", "async op", op, e->thread);
  dvt_buf_printf(w->out, ",\"id\":%zu", i + 1);
  put_time(w->out, "ts", e->start_ns - w->profile->start_ns);
  put_node_args(w, e);
  begin_event(w, "e", "async op", op, e->thread);
  dvt_buf_printf(w->out, ",\"id\":%zu", i + 1);
  put_time(w->out, "ts", e->end_ns - w->profile->start_ns);
  dvt_buf_append_byte(w->out, '}');
}

static void put_span(writer *w, const dvt_profile_span *span) {
  begin_event(w, "X", "kernel", span->name, span->thread);
  put_span_of_time(w, span->start_ns, span->end_ns ? span->end_ns : w->profile->end_ns);
  put_node_name(w, span->plan, span->node);
  for (int32_t i = 0; i < span->number_count; i++) {
    dvt_buf_append_byte(w->out, ',');
    put_string(w->out, span->numbers[i].name);
    dvt_buf_printf(w->out, ":%" PRId64, span->numbers[i].value);
  }
  if (!span->end_ns) dvt_buf_append_str(w->out, DVT_STR(",\"unfinished\":true"));
  dvt_buf_append_str(w->out, DVT_STR("}}"));
}

void dvt_profile_to_chrome(const dvt_profile *profile, dvt_buf *out) {
  writer w = {.profile = profile, .out = out};
  dvt_buf_append_str(out, DVT_STR("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
  if (profile->plan) {
    put_threads(&w);
    put_step(&w);
  }
  for (size_t i = 0; i < profile->count; i++) put_entry(&w, i);
  for (size_t i = 0; i < profile->span_count; i++) put_span(&w, &profile->spans[i]);
  dvt_buf_append_str(out, DVT_STR("\n]}\n"));
  out->failed |= w.text.failed;
  dvt_buf_deinit(&w.text);
}
