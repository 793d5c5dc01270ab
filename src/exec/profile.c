// Recording when nodes ran, and writing it as RunMetadata.step_stats. Field numbers are those of the public
// step_stats.proto.
#include "exec/profile.h"

#include "base/wire.h"
#include "exec/run.h"

void dvt_profile_deinit(dvt_profile *profile) {
  dvt_free(profile->entries);
  dvt_arena_deinit(&profile->arena);
  *profile = (dvt_profile){0};
}

// Steps that run functions add to one profile from several threads.
static pthread_mutex_t profile_mutex = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local int64_t called_ns;

int64_t dvt_called_enter(void) {
  int64_t around_ns = called_ns;
  called_ns = 0;
  return around_ns;
}

int64_t dvt_called_leave(int64_t around_ns) {
  int64_t own_ns = called_ns;
  called_ns = around_ns;
  return own_ns;
}

void dvt_called_add(int64_t ns) { called_ns += ns; }

void dvt_profile_add(dvt_profile *profile, const dvt_session_node *node, int64_t start_ns, int64_t end_ns,
                     int64_t called, int thread) {
  dvt_profile_entry entry = {.start_ns = start_ns, .end_ns = end_ns, .called_ns = called, .thread = thread};
  dvt_buf name = {0};
  dvt_session_node_name(node, &name);
  pthread_mutex_lock(&profile_mutex);
  bool ok = !name.failed && dvt_arena_copy_str(&profile->arena, dvt_buf_str(&name), &entry.node) &&
            dvt_arena_copy_str(&profile->arena, node->op->def.op->name, &entry.op) &&
            dvt_arena_copy_str(&profile->arena, dvt_session_node_plugin(node), &entry.plugin) &&
            dvt_array_reserve(&profile->entries, &profile->capacity, profile->count + 1, sizeof entry);
  if (ok) profile->entries[profile->count++] = entry;
  pthread_mutex_unlock(&profile_mutex);
  dvt_buf_deinit(&name);
}

static void put_int(dvt_buf *out, uint32_t number, int64_t value) {
  dvt_wire_put_varint(out, number, (uint64_t)value);
}

static void put_node(const dvt_profile *profile, const dvt_profile_entry *e, dvt_buf *label, dvt_buf *out) {
  int64_t ran_ns = e->end_ns - e->start_ns, offset_ns = e->start_ns - profile->start_ns;
  dvt_buf_clear(label);
  dvt_buf_printf(label, DVT_STR_FMT " = " DVT_STR_FMT, DVT_STR_ARG(e->node), DVT_STR_ARG(e->op));
  if (e->plugin.len) dvt_buf_printf(label, " @ " DVT_STR_FMT, DVT_STR_ARG(e->plugin));
  size_t stats = dvt_wire_begin(out, 2);  // DeviceStepStats.node_stats
  dvt_wire_put_bytes(out, 1, e->node);
  put_int(out, 2, profile->start_unix_us + offset_ns / 1000);  // all_start_micros
  put_int(out, 4, ran_ns / 1000);                              // op_end_rel_micros; op_start_rel_micros is 0
  put_int(out, 5, ran_ns / 1000);                              // all_end_rel_micros
  dvt_wire_put_bytes(out, 8, dvt_buf_str(label));              // timeline_label
  put_int(out, 9, profile->start_unix_us + offset_ns / 1000);  // scheduled_micros
  put_int(out, 10, e->thread);
  put_int(out, 13, profile->start_unix_us * 1000 + offset_ns);  // all_start_nanos
  put_int(out, 15, ran_ns);                                     // op_end_rel_nanos
  put_int(out, 16, ran_ns);                                     // all_end_rel_nanos
  put_int(out, 17, profile->start_unix_us * 1000 + offset_ns);  // scheduled_nanos
  dvt_wire_end(out, stats);
}

void dvt_profile_to_run_metadata(const dvt_profile *profile, dvt_str device, dvt_buf *out) {
  dvt_buf label = {0};
  size_t step_stats = dvt_wire_begin(out, 1);  // RunMetadata.step_stats
  size_t device_stats = dvt_wire_begin(out, 1);
  dvt_wire_put_bytes(out, 1, device);
  for (size_t i = 0; i < profile->count; i++) put_node(profile, &profile->entries[i], &label, out);
  dvt_wire_end(out, device_stats);
  dvt_wire_end(out, step_stats);
  out->failed |= label.failed;
  dvt_buf_deinit(&label);
}
