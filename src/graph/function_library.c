// Libraries of functions: adding, finding, removing, and the serialised FunctionDefLibrary.
#include "graph/function.h"

#include "op/registry.h"

enum { LIBRARY_FUNCTION = 1, LIBRARY_GRADIENT = 2 };

dvt_status dvt_function_library_create(dvt_function_library **out_library) {
  dvt_function_library *library = dvt_calloc(1, sizeof *library);
  if (!library) return dvt_error_out_of_memory(sizeof *library);
  atomic_init(&library->refs, 1);
  pthread_mutex_init(&library->lock, NULL);
  *out_library = library;
  return NULL;
}

dvt_function_library *dvt_function_library_retain(dvt_function_library *library) {
  atomic_fetch_add_explicit(&library->refs, 1, memory_order_relaxed);
  return library;
}

void dvt_function_library_release(dvt_function_library *library) {
  if (!library || atomic_fetch_sub_explicit(&library->refs, 1, memory_order_acq_rel) != 1) return;
  for (size_t i = 0; i < library->count; i++) dvt_function_release(library->functions[i]);
  for (size_t i = 0; i < library->removed_count; i++) dvt_function_release(library->removed[i]);
  dvt_free(library->functions);
  dvt_free(library->removed);
  dvt_free(library->gradients);
  dvt_map_deinit(&library->by_name);
  dvt_map_deinit(&library->gradient_of);
  dvt_arena_deinit(&library->arena);
  pthread_mutex_destroy(&library->lock);
  dvt_free(library);
}

static pthread_mutex_t *lock_of(const dvt_function_library *library) {
  return &((dvt_function_library *)(uintptr_t)library)->lock;
}

static void publish(dvt_function_library *library) {
  atomic_store_explicit(&library->published_count, library->count, memory_order_release);
}

static dvt_status add_locked(dvt_function_library *library, TF_Function *function) {
  const TF_Function *same = dvt_map_get(&library->by_name, function->name);
  if (same) {
    if (same == function || dvt_function_equal(same, function)) return NULL;
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Cannot add function '" DVT_STR_FMT
                     "' because a different function with the same name already exists.",
                     DVT_STR_ARG(function->name));
  }
  if (dvt_op_lookup_loaded(function->name))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Cannot add function '" DVT_STR_FMT "' because an op with the same name already exists.",
                     DVT_STR_ARG(function->name));
  if (!dvt_grow((void **)&library->functions, &library->capacity, library->count + 1,
                sizeof *library->functions) ||
      !dvt_map_put(&library->by_name, function->name, function))
    return dvt_error_out_of_memory(sizeof *library->functions);
  library->functions[library->count++] = dvt_function_retain(function);
  publish(library);
  return NULL;
}

dvt_status dvt_function_library_add(dvt_function_library *library, TF_Function *function) {
  pthread_mutex_lock(&library->lock);
  dvt_status status = add_locked(library, function);
  pthread_mutex_unlock(&library->lock);
  return status;
}

static dvt_status add_gradient_locked(dvt_function_library *library, dvt_str function, dvt_str gradient) {
  const dvt_gradient *known = dvt_map_get(&library->gradient_of, function);
  if (known && dvt_str_eq(known->gradient, gradient)) return NULL;
  if (known)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Cannot assign gradient function '" DVT_STR_FMT "' to '" DVT_STR_FMT
                     "' because it already has gradient function '" DVT_STR_FMT "'",
                     DVT_STR_ARG(gradient), DVT_STR_ARG(function), DVT_STR_ARG(known->gradient));
  dvt_gradient *entry = dvt_arena_alloc(&library->arena, sizeof *entry);
  if (!entry || !dvt_arena_copy_str(&library->arena, function, &entry->function) ||
      !dvt_arena_copy_str(&library->arena, gradient, &entry->gradient) ||
      !dvt_grow((void **)&library->gradients, &library->gradient_capacity, library->gradient_count + 1,
                sizeof *library->gradients) ||
      !dvt_map_put(&library->gradient_of, entry->function, entry))
    return dvt_error_out_of_memory(sizeof *entry);
  library->gradients[library->gradient_count++] = entry;
  return NULL;
}

dvt_status dvt_function_library_add_gradient(dvt_function_library *library, dvt_str function,
                                             dvt_str gradient) {
  pthread_mutex_lock(&library->lock);
  dvt_status status = add_gradient_locked(library, function, gradient);
  pthread_mutex_unlock(&library->lock);
  return status;
}

static dvt_status add_function_proto(dvt_function_library *library, dvt_str proto) {
  TF_Function *function;
  DVT_RETURN_IF_ERROR(dvt_function_from_proto(proto, &function));
  dvt_status status = dvt_function_library_add(library, function);
  dvt_function_release(function);
  return status;
}

static dvt_status add_gradient_proto(dvt_function_library *library, dvt_str proto) {
  dvt_field function, gradient;
  if (!dvt_wire_find(proto, 1, DVT_WIRE_BYTES, &function) ||
      !dvt_wire_find(proto, 2, DVT_WIRE_BYTES, &gradient))
    return dvt_error(TF_INVALID_ARGUMENT, "Invalid FunctionDefLibrary: a gradient lacks its function");
  return dvt_function_library_add_gradient(library, function.bytes, gradient.bytes);
}

dvt_status dvt_function_library_add_proto(dvt_function_library *library, dvt_str proto) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == LIBRARY_FUNCTION) DVT_RETURN_IF_ERROR(add_function_proto(library, field.bytes));
    if (field.number == LIBRARY_GRADIENT) DVT_RETURN_IF_ERROR(add_gradient_proto(library, field.bytes));
  }
  if (!wire.bad) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "Invalid FunctionDefLibrary: the bytes are malformed or cut short");
}

static void drop_gradient_of(dvt_function_library *library, dvt_str function) {
  const dvt_gradient *entry = dvt_map_remove(&library->gradient_of, function);
  if (!entry) return;
  size_t i = 0;
  while (library->gradients[i] != entry) i++;
  memmove(library->gradients + i, library->gradients + i + 1,
          sizeof *library->gradients * (library->gradient_count - i - 1));
  library->gradient_count--;
}

static dvt_status remove_locked(dvt_function_library *library, dvt_str name) {
  if (!dvt_map_get(&library->by_name, name))
    return dvt_error(TF_INVALID_ARGUMENT, "Tried to remove non-existent function '" DVT_STR_FMT "'.",
                     DVT_STR_ARG(name));
  if (!dvt_grow((void **)&library->removed, &library->removed_capacity, library->removed_count + 1,
                sizeof *library->removed))
    return dvt_error_out_of_memory(sizeof *library->removed);
  TF_Function *function = dvt_map_remove(&library->by_name, name);
  size_t i = 0;
  while (library->functions[i] != function) i++;
  memmove(library->functions + i, library->functions + i + 1,
          sizeof *library->functions * (library->count - i - 1));
  library->count--;
  library->removed[library->removed_count++] = function;
  drop_gradient_of(library, function->name);
  publish(library);
  return NULL;
}

dvt_status dvt_function_library_remove(dvt_function_library *library, dvt_str name) {
  pthread_mutex_lock(&library->lock);
  dvt_status status = remove_locked(library, name);
  pthread_mutex_unlock(&library->lock);
  return status;
}

void dvt_function_library_truncate(dvt_function_library *library, size_t count, size_t gradient_count) {
  pthread_mutex_lock(&library->lock);
  while (library->gradient_count > gradient_count)
    dvt_map_remove(&library->gradient_of, library->gradients[--library->gradient_count]->function);
  while (library->count > count) {
    TF_Function *function = library->functions[--library->count];
    dvt_map_remove(&library->by_name, function->name);
    dvt_function_release(function);
  }
  publish(library);
  pthread_mutex_unlock(&library->lock);
}

TF_Function *dvt_function_library_find(const dvt_function_library *library, dvt_str name) {
  if (atomic_load_explicit(&library->published_count, memory_order_acquire) == 0) return NULL;
  pthread_mutex_lock(lock_of(library));
  TF_Function *function = dvt_map_get(&library->by_name, name);
  pthread_mutex_unlock(lock_of(library));
  return function;
}

TF_Function *dvt_function_library_at(const dvt_function_library *library, size_t i) {
  pthread_mutex_lock(lock_of(library));
  TF_Function *function = i < library->count ? library->functions[i] : NULL;
  pthread_mutex_unlock(lock_of(library));
  return function;
}

void dvt_function_library_to_proto(const dvt_function_library *library, dvt_buf *out) {
  pthread_mutex_lock(lock_of(library));
  for (size_t i = 0; i < library->count; i++)
    dvt_wire_put_bytes(out, LIBRARY_FUNCTION, library->functions[i]->proto);
  for (size_t i = 0; i < library->gradient_count; i++) {
    size_t begin = dvt_wire_begin(out, LIBRARY_GRADIENT);
    dvt_wire_put_bytes(out, 1, library->gradients[i]->function);
    dvt_wire_put_bytes(out, 2, library->gradients[i]->gradient);
    dvt_wire_end(out, begin);
  }
  pthread_mutex_unlock(lock_of(library));
}
