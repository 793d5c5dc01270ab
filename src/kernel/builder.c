// TF_KernelBuilder: filling it from the C ABI's setters or from a serialised KernelDef, and the list of idle
// builders.
#include "kernel/builder.h"

#include <pthread.h>

#include "base/handles.h"
#include "base/wire.h"
#include "tensor/dtype.h"

#define IDLE_LIMIT 8  // builders kept for reuse

static pthread_mutex_t idle_mutex = PTHREAD_MUTEX_INITIALIZER;
static TF_KernelBuilder *idle;
static int idle_count;

#define ROW4(n) n, n + 1, n + 2, n + 3
#define ROW16(n) ROW4(n), ROW4(n + 4), ROW4(n + 8), ROW4(n + 12)
#define ROW64(n) ROW16(n), ROW16(n + 16), ROW16(n + 32), ROW16(n + 48)

const uint8_t *dvt_dtype_singleton(int dtype) {
  static const uint8_t bytes[256] = {ROW64(0), ROW64(64), ROW64(128), ROW64(192)};
  return &bytes[dtype & 255];
}

static TF_KernelBuilder *take_idle(void) {
  pthread_mutex_lock(&idle_mutex);
  TF_KernelBuilder *builder = idle;
  if (builder) {
    idle = builder->next;
    idle_count--;
  }
  pthread_mutex_unlock(&idle_mutex);
  return builder;
}

TF_KernelBuilder *dvt_kernel_builder_new(dvt_str op, dvt_str device_type) {
  TF_KernelBuilder *builder = take_idle();
  if (!builder) builder = dvt_calloc(1, sizeof *builder);
  if (!builder) return NULL;
  if (!dvt_arena_copy_str(&builder->arena, op, &builder->def.op) ||
      !dvt_arena_copy_str(&builder->arena, device_type, &builder->def.device_type)) {
    dvt_kernel_builder_delete(builder);
    return NULL;
  }
  return builder;
}

void dvt_kernel_builder_delete(TF_KernelBuilder *builder) {
  if (!builder) return;
  dvt_arena arena = builder->arena;
  dvt_arena_reset(&arena);
  *builder = (TF_KernelBuilder){.arena = arena};
  pthread_mutex_lock(&idle_mutex);
  bool keep = idle_count < IDLE_LIMIT && !dvt_debug_has(DVT_DEBUG_HANDLES);
  if (keep) {
    builder->next = idle;
    idle = builder;
    idle_count++;
  }
  pthread_mutex_unlock(&idle_mutex);
  if (keep) return;
  dvt_arena_deinit(&builder->arena);
  if (dvt_debug_has(DVT_DEBUG_HANDLES))
    dvt_handle_retire(builder);
  else
    dvt_free(builder);
}

// Room for one more element in an array that lives in the builder's arena; `items` is its address, old
// storage is left to the arena. False (and builder->failed) when out of memory, or when the definition's
// int16_t cannot count one more.
static bool grow(TF_KernelBuilder *builder, void **items, int32_t *capacity, int32_t count,
                 size_t bytes_each) {
  if (count < *capacity && count < INT16_MAX) return true;
  int32_t wanted = *capacity ? *capacity * 2 : 4;
  size_t bytes;
  void *grown = count < INT16_MAX && dvt_size_mul((size_t)wanted, bytes_each, &bytes)
                    ? dvt_arena_alloc(&builder->arena, bytes)
                    : NULL;
  if (!grown) {
    builder->failed = true;
    return false;
  }
  if (count) memcpy(grown, *items, (size_t)count * bytes_each);
  *items = grown;
  *capacity = wanted;
  return true;
}

void dvt_kernel_builder_add_constraint(TF_KernelBuilder *builder, dvt_str attr, const uint8_t *dtypes,
                                       int count) {
  void *items = builder->constraints;
  if (!grow(builder, &items, &builder->constraint_capacity, builder->def.constraint_count,
            sizeof *builder->constraints))
    return;
  builder->def.constraints = builder->constraints = items;
  dvt_kernel_constraint constraint = {.dtype_count = count};
  uint8_t *copy = count == 1 ? NULL : dvt_arena_alloc(&builder->arena, (size_t)count);
  if (!dvt_arena_copy_str(&builder->arena, attr, &constraint.attr) || (count != 1 && !copy)) {
    builder->failed = true;
    return;
  }
  if (copy && count) memcpy(copy, dtypes, (size_t)count);
  constraint.dtypes = copy ? copy : dvt_dtype_singleton(dtypes[0]);
  builder->constraints[builder->def.constraint_count++] = constraint;
}

void dvt_kernel_builder_add_host_memory(TF_KernelBuilder *builder, dvt_str arg) {
  void *items = builder->host_memory_args;
  if (!grow(builder, &items, &builder->host_memory_capacity, builder->def.host_memory_count, sizeof(dvt_str)))
    return;
  builder->def.host_memory_args = builder->host_memory_args = items;
  if (dvt_arena_copy_str(&builder->arena, arg, &builder->host_memory_args[builder->def.host_memory_count]))
    builder->def.host_memory_count++;
  else
    builder->failed = true;
}

void dvt_kernel_builder_set_label(TF_KernelBuilder *builder, dvt_str label) {
  if (!dvt_arena_copy_str(&builder->arena, label, &builder->def.label)) builder->failed = true;
}

// The dtypes in an AttrValue that holds list(type) (field 1, in it field 6), as bytes in the arena.
static bool parse_allowed(dvt_arena *arena, dvt_str value, uint8_t **out_dtypes, int *out_count) {
  uint8_t *dtypes = dvt_arena_alloc(arena, value.len);  // every dtype takes at least one byte of the message
  int count = 0;
  if (!dtypes) return false;
  dvt_wire outer = dvt_wire_open(value);
  for (dvt_field list; dvt_wire_next(&outer, &list);) {
    if (list.number != 1 || list.type != DVT_WIRE_BYTES) continue;
    dvt_wire inner = dvt_wire_open(list.bytes);
    for (dvt_field field; dvt_wire_next(&inner, &field);) {
      if (field.number != 6) continue;
      dvt_wire_packed packed = {0};
      bool bad = false;
      for (uint64_t bits; dvt_wire_packed_next(&packed, &field, DVT_WIRE_VARINT, &bits, &bad);)
        dtypes[count++] = bits <= DVT_DTYPE_MAX ? (uint8_t)bits : 0;
      if (bad) return false;
    }
    if (inner.bad) return false;
  }
  *out_dtypes = dtypes;
  *out_count = count;
  return !outer.bad;
}

static bool parse_constraint(TF_KernelBuilder *builder, dvt_str constraint) {
  dvt_field name = {0}, allowed = {0};
  uint8_t *dtypes = NULL;
  int count = 0;
  if (!dvt_wire_valid(constraint)) return false;
  dvt_wire_find(constraint, 1, DVT_WIRE_BYTES, &name);
  if (dvt_wire_find(constraint, 2, DVT_WIRE_BYTES, &allowed) &&
      !parse_allowed(&builder->arena, allowed.bytes, &dtypes, &count))
    return false;
  dvt_kernel_builder_add_constraint(builder, name.bytes, dtypes, count);
  return true;
}

dvt_status dvt_kernel_builder_set_proto(TF_KernelBuilder *builder, dvt_str kernel_def) {
  dvt_kernel_def *def = &builder->def;
  def->op = def->device_type = def->label = DVT_STR("");
  def->priority = 0;
  def->constraint_count = def->host_memory_count = 0;
  dvt_wire wire = dvt_wire_open(kernel_def);
  bool good = true;
  for (dvt_field field; good && dvt_wire_next(&wire, &field);) {
    bool is_bytes = field.type == DVT_WIRE_BYTES;
    if (field.number == 1 && is_bytes)
      good = dvt_arena_copy_str(&builder->arena, field.bytes, &def->op);
    else if (field.number == 2 && is_bytes)
      good = dvt_arena_copy_str(&builder->arena, field.bytes, &def->device_type);
    else if (field.number == 3 && is_bytes)
      good = parse_constraint(builder, field.bytes);
    else if (field.number == 4 && is_bytes)
      dvt_kernel_builder_add_host_memory(builder, field.bytes);
    else if (field.number == 5 && is_bytes)
      dvt_kernel_builder_set_label(builder, field.bytes);
    else if (field.number == 6 && field.type == DVT_WIRE_VARINT)
      def->priority = (int32_t)field.value;
  }
  if (wire.bad || !good)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "Error parsing serialized KernelDef. The %zu bytes are not a KernelDef message; pass NULL to "
        "register what the builder holds",
        kernel_def.len);
  return NULL;
}
