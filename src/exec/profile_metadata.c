// A profile as RunMetadata.step_stats. Field numbers are those of the public step_stats.proto, and of
// tensor_description.proto and allocation_description.proto that it includes.
#include "base/wire.h"
#include "exec/plan_names.h"
#include "exec/profile.h"
#include "exec/run.h"

#define ALLOCATOR DVT_STR("cpu")

typedef struct writer {
  const dvt_profile *profile;
  dvt_buf *out;
  dvt_buf name, label;  // of the row that is written; kept for the next
} writer;

// Fields that are 0 are left out, as in all proto3 messages.
static void put_int(dvt_buf *out, uint32_t number, int64_t value) {
  if (value) dvt_wire_put_varint(out, number, (uint64_t)value);
}

static int64_t unix_ns(const dvt_profile *profile, int64_t ns) {
  return profile->start_unix_us * 1000 + (ns - profile->start_ns);
}

static void put_shape(const dvt_profile_output *o, dvt_buf *out) {
  size_t shape = dvt_wire_begin(out, 2);  // TensorDescription.shape
  for (int32_t i = 0; i < o->rank; i++) {
    size_t dim = dvt_wire_begin(out, 2);
    put_int(out, 1, o->dims[i]);
    dvt_wire_end(out, dim);
  }
  dvt_wire_end(out, shape);
}

static void put_output(const dvt_profile_output *o, dvt_buf *out) {
  size_t output = dvt_wire_begin(out, 7);  // NodeExecStats.output
  put_int(out, 1, o->slot);
  size_t tensor = dvt_wire_begin(out, 3);
  put_int(out, 1, o->dtype);
  put_shape(o, out);
  size_t allocation = dvt_wire_begin(out, 4);
  put_int(out, 1, o->bytes);
  put_int(out, 2, o->bytes);
  dvt_wire_put_bytes(out, 3, ALLOCATOR);
  put_int(out, 5, o->has_single_reference);
  put_int(out, 6, (int64_t)o->address);
  dvt_wire_end(out, allocation);
  dvt_wire_end(out, tensor);
  dvt_wire_end(out, output);
}

static void put_record(dvt_buf *out, int64_t ns, int64_t bytes) {
  size_t record = dvt_wire_begin(out, 6);  // AllocatorMemoryUsed.allocation_records
  put_int(out, 1, ns / 1000);
  put_int(out, 2, bytes);
  dvt_wire_end(out, record);
}

// Only the sums were recorded: they count from the node's start, temporaries until its end.
static void put_memory(const writer *w, const dvt_profile_entry *e) {
  int64_t total = e->output_bytes + e->temp_bytes;
  if (!total) return;
  size_t memory = dvt_wire_begin(w->out, 6);  // NodeExecStats.memory
  dvt_wire_put_bytes(w->out, 1, ALLOCATOR);
  put_int(w->out, 2, total);
  put_int(w->out, 3, total);
  put_int(w->out, 4, e->output_bytes);
  put_record(w->out, unix_ns(w->profile, e->start_ns), total);
  if (e->temp_bytes) put_record(w->out, unix_ns(w->profile, e->end_ns), -e->temp_bytes);
  dvt_wire_end(w->out, memory);
}

// The fields that every row has; w->name and w->label are ready.
static void put_head(const writer *w, const dvt_profile_entry *e) {
  int64_t ran_ns = e->end_ns - e->start_ns;
  dvt_wire_put_bytes(w->out, 1, dvt_buf_str(&w->name));
  put_int(w->out, 2, unix_ns(w->profile, e->start_ns) / 1000);  // all_start_micros
  put_int(w->out, 4, ran_ns / 1000);                            // op_end_rel_micros; op_start_rel_micros is 0
  put_int(w->out, 5, ran_ns / 1000);                            // all_end_rel_micros
  dvt_wire_put_bytes(w->out, 8, dvt_buf_str(&w->label));        // timeline_label
  put_int(w->out, 9, unix_ns(w->profile, e->scheduled_ns) / 1000);
  put_int(w->out, 10, e->thread);
  put_int(w->out, 13, unix_ns(w->profile, e->start_ns));
  put_int(w->out, 15, ran_ns);
  put_int(w->out, 16, ran_ns);
  put_int(w->out, 17, unix_ns(w->profile, e->scheduled_ns));
}

static void begin_label(writer *w, dvt_str op) {
  dvt_buf_clear(&w->label);
  dvt_buf_append_str(&w->label, dvt_buf_str(&w->name));
  dvt_buf_append_str(&w->label, DVT_STR(" = "));
  dvt_buf_append_str(&w->label, op);
  dvt_buf_append_byte(&w->label, '(');
}

static void put_entry(writer *w, const dvt_profile_entry *e) {
  dvt_buf_clear(&w->name);
  dvt_plan_node_name(e->plan, e->node, &w->name);
  begin_label(w, dvt_plan_node_def(&e->plan->nodes[e->node])->op->name);
  dvt_plan_input_names(e->plan, e->node, DVT_STR(", "), &w->label);
  dvt_buf_append_byte(&w->label, ')');
  size_t stats = dvt_wire_begin(w->out, 2);  // DeviceStepStats.node_stats
  put_head(w, e);
  put_memory(w, e);
  size_t word = e->first_word;
  for (int32_t i = 0; i < e->output_count; i++) {
    dvt_profile_output o = dvt_profile_next_output(w->profile, &word);
    put_output(&o, w->out);
  }
  size_t memory = dvt_wire_begin(w->out, 12);  // NodeExecStats.memory_stats
  put_int(w->out, 1, e->temp_bytes);
  dvt_wire_end(w->out, memory);
  dvt_wire_end(w->out, stats);
}

// A row for what took no time of its own, at one end of the step; w->name is ready. `input` may be empty,
// `output` NULL.
static void put_moment(writer *w, int64_t ns, dvt_str op, dvt_str input, const dvt_profile_output *output,
                       bool is_constant) {
  dvt_profile_entry at = {.scheduled_ns = ns, .start_ns = ns, .end_ns = ns};
  begin_label(w, op);
  dvt_buf_append_str(&w->label, input);
  dvt_buf_append_byte(&w->label, ')');
  size_t stats = dvt_wire_begin(w->out, 2);
  put_head(w, &at);
  if (output) put_output(output, w->out);
  size_t memory = dvt_wire_begin(w->out, 12);
  if (is_constant) put_int(w->out, 3, output->bytes);  // persistent_memory_size
  dvt_wire_end(w->out, memory);
  dvt_wire_end(w->out, stats);
}

static void put_constant(writer *w, int32_t constant) {
  dvt_profile_output o = dvt_profile_describe(0, w->profile->plan->constants[constant]);
  dvt_buf_clear(&w->name);
  dvt_plan_constant_name(w->profile->plan, constant, &w->name);
  put_moment(w, w->profile->start_ns, DVT_STR("Const"), (dvt_str){0}, &o, true);
}

// Of a folded node its first output stands for all.
static void put_constants(writer *w, const bool *is_in_walk) {
  const dvt_plan *plan = w->profile->plan;
  for (int32_t i = 0; i < plan->constant_count; i++)
    if (!is_in_walk[i] && plan->constant_values[i].output == 0) put_constant(w, i);
}

static void put_feeds(writer *w) {
  size_t word = 0;
  for (int32_t i = 0; i < w->profile->feed_count; i++) {
    dvt_profile_output o = dvt_profile_next_output(w->profile, &word);
    o.slot = 0;
    dvt_buf_clear(&w->name);
    dvt_plan_feed_name(w->profile->plan, i, &w->name);
    put_moment(w, w->profile->start_ns, DVT_STR("_Arg"), (dvt_str){0}, &o, false);
  }
}

static void put_fetches(writer *w) {
  const dvt_plan *plan = w->profile->plan;
  dvt_buf input = {0};
  for (int32_t i = 0; i < plan->fetch_count; i++) {
    dvt_buf_clear(&input);
    dvt_plan_source_name(plan, plan->fetches[i], &input);
    dvt_buf_clear(&w->name);
    dvt_plan_fetch_name(plan, i, &w->name);
    put_moment(w, w->profile->end_ns, DVT_STR("_Retval"), dvt_buf_str(&input), NULL, false);
  }
  w->out->failed |= input.failed;
  dvt_buf_deinit(&input);
}

// The array walk passes over nodes without a kernel; where nothing is dead they all count as run.
static void put_no_ops(writer *w) {
  const dvt_plan *plan = w->profile->plan;
  for (int32_t i = 0; i < plan->node_count; i++) {
    if (dvt_plan_node_kind(&plan->nodes[i]) != DVT_NODE_NOOP) continue;
    put_entry(w, &(dvt_profile_entry){.plan = plan,
                                      .node = i,
                                      .scheduled_ns = w->profile->end_ns,
                                      .start_ns = w->profile->end_ns,
                                      .end_ns = w->profile->end_ns});
  }
}

static void put_thread_names(writer *w) {
  uint64_t seen = 0;
  for (size_t i = 0; i < w->profile->count; i++) {
    int32_t thread = w->profile->entries[i].thread;
    if (thread >= 64 || seen >> thread & 1) continue;
    seen |= UINT64_C(1) << thread;
    dvt_buf_clear(&w->name);
    if (thread)
      dvt_buf_printf(&w->name, "worker %d", (int)thread);
    else
      dvt_buf_append_str(&w->name, DVT_STR("caller"));
    size_t entry = dvt_wire_begin(w->out, 3);  // DeviceStepStats.thread_names
    put_int(w->out, 1, thread);
    dvt_wire_put_bytes(w->out, 2, dvt_buf_str(&w->name));
    dvt_wire_end(w->out, entry);
  }
}

// Does the walk itself report the constant, or a no-op? The dataflow walk does.
static bool walks_by_flow(const dvt_profile *profile) {
  for (size_t i = 0; i < profile->count; i++) {
    const dvt_profile_entry *e = &profile->entries[i];
    if (e->plan == profile->plan && dvt_plan_node_kind(&e->plan->nodes[e->node]) != DVT_NODE_KERNEL)
      return true;
  }
  return !profile->plan->has_array;
}

static void put_device(writer *w) {
  const dvt_profile *profile = w->profile;
  const dvt_plan *plan = profile->plan;
  bool by_flow = walks_by_flow(profile);
  bool *is_in_walk = dvt_calloc((size_t)plan->constant_count + 1, sizeof *is_in_walk);
  if (!is_in_walk) {
    w->out->failed = true;
    return;
  }
  for (int32_t i = 0; by_flow && i < plan->node_count; i++)
    if (plan->nodes[i].constant >= 0) is_in_walk[plan->nodes[i].constant] = true;
  dvt_wire_put_bytes(w->out, 1, plan->session->device->name);
  put_constants(w, is_in_walk);
  put_feeds(w);
  for (size_t i = 0; i < profile->count; i++) put_entry(w, &profile->entries[i]);
  if (!by_flow && !profile->has_failed) put_no_ops(w);
  if (!profile->has_failed) put_fetches(w);
  put_thread_names(w);
  dvt_free(is_in_walk);
}

void dvt_profile_to_run_metadata(const dvt_profile *profile, dvt_buf *out) {
  writer w = {.profile = profile, .out = out};
  size_t step_stats = dvt_wire_begin(out, 1);  // RunMetadata.step_stats
  size_t device_stats = dvt_wire_begin(out, 1);
  if (profile->plan) put_device(&w);
  dvt_wire_end(out, device_stats);
  dvt_wire_end(out, step_stats);
  out->failed |= w.name.failed || w.label.failed;
  dvt_buf_deinit(&w.name);
  dvt_buf_deinit(&w.label);
}
