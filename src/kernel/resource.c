// The resource manager: container and name to a reference-counted object, one mutex. Also the scalar tensors
// that carry a reference to an object from node to node. Variables are in variable.c.
#include "kernel/resource.h"

#include <stdlib.h>

#include "base/map.h"

typedef struct entry {
  struct entry *next;  // of those taken out together
  dvt_object *object;
  size_t container_len, key_len;
  char key[];  // container, NUL, name
} entry;

struct dvt_resource_manager {
  pthread_mutex_t mutex;
  dvt_map entries;  // key -> entry
};

dvt_status dvt_resource_manager_create(dvt_resource_manager **out_manager) {
  dvt_resource_manager *manager = dvt_calloc(1, sizeof *manager);
  if (!manager) return dvt_error_out_of_memory(sizeof *manager);
  pthread_mutex_init(&manager->mutex, NULL);
  *out_manager = manager;
  return NULL;
}

static void entry_free(entry *e) {
  dvt_object_release(e->object);
  dvt_free(e);
}

void dvt_resource_manager_destroy(dvt_resource_manager *manager) {
  if (!manager) return;
  size_t cursor = 0;
  dvt_str key;
  void *value;
  while (dvt_map_next(&manager->entries, &cursor, &key, &value)) entry_free(value);
  dvt_map_deinit(&manager->entries);
  pthread_mutex_destroy(&manager->mutex);
  dvt_free(manager);
}

static dvt_str entry_key(const entry *e) { return dvt_str_make(e->key, e->key_len); }

static entry *entry_new(dvt_str container, dvt_str name, dvt_str *out_key) {
  size_t key_bytes, bytes;
  if (!dvt_size_add(container.len, name.len, &key_bytes) ||
      !dvt_size_add(key_bytes, sizeof(entry) + 1, &bytes))
    return NULL;
  entry *e = dvt_malloc(bytes);
  if (!e) return NULL;
  e->object = NULL;
  e->container_len = container.len;
  if (container.len) memcpy(e->key, container.data, container.len);
  e->key[container.len] = '\0';
  if (name.len) memcpy(e->key + container.len + 1, name.data, name.len);
  e->key_len = key_bytes + 1;
  *out_key = entry_key(e);
  return e;
}

static dvt_object *find(dvt_resource_manager *manager, dvt_str key) {
  pthread_mutex_lock(&manager->mutex);
  entry *e = dvt_map_get(&manager->entries, key);
  dvt_object *object = e ? dvt_object_retain(e->object) : NULL;
  pthread_mutex_unlock(&manager->mutex);
  return object;
}

// Hands the object out if it is of the wanted type; takes over the caller's reference.
static dvt_status checked(dvt_object *object, const dvt_object_type *type, dvt_str container, dvt_str name,
                          dvt_object **out_object) {
  if (object->type == type) {
    *out_object = object;
    return NULL;
  }
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT, "Resource " DVT_STR_FMT "/" DVT_STR_FMT " is a %s, wanted was a %s",
                DVT_STR_ARG(container), DVT_STR_ARG(name), object->type->name, type->name);
  dvt_object_release(object);
  return status;
}

// Stores `created` (one reference, taken over) unless another thread was faster; either way *out_object gets
// a reference to what is stored.
static dvt_status insert(dvt_resource_manager *manager, entry **e, dvt_str key, dvt_object *created,
                         dvt_object **out_object) {
  dvt_status status = NULL;
  pthread_mutex_lock(&manager->mutex);
  void **slot = dvt_map_slot_for(&manager->entries, key);
  if (!slot) {
    status = dvt_error_out_of_memory(sizeof(dvt_map_slot));
  } else if (*slot) {
    *out_object = dvt_object_retain(((entry *)*slot)->object);
  } else {
    (*e)->object = dvt_object_retain(created);
    *slot = *e;
    *e = NULL;
    *out_object = created;
    created = NULL;
  }
  pthread_mutex_unlock(&manager->mutex);
  dvt_object_release(created);
  return status;
}

dvt_status dvt_resource_lookup(dvt_resource_manager *manager, dvt_str container, dvt_str name,
                               const dvt_object_type *type,
                               dvt_status (*create)(void *arg, dvt_object **out_object), void *arg,
                               dvt_object **out_object) {
  if (!manager) return dvt_error(TF_INTERNAL, "this step has no resource manager");
  if (container.len == 0) container = DVT_STR(DVT_DEFAULT_CONTAINER);
  dvt_str key;
  entry *e = entry_new(container, name, &key);
  if (!e) return dvt_error_out_of_memory(sizeof(entry));
  dvt_status status = NULL;
  dvt_object *object = find(manager, key);
  if (!object && !create)
    status = dvt_error(TF_NOT_FOUND, "Resource " DVT_STR_FMT "/" DVT_STR_FMT "/%s does not exist.",
                       DVT_STR_ARG(container), DVT_STR_ARG(name), type->name);
  if (!object && !status) {
    dvt_object *created = NULL;
    status = create(arg, &created);
    if (!status) status = insert(manager, &e, key, created, &object);
  }
  dvt_free(e);
  return status ? status : checked(object, type, container, name, out_object);
}

dvt_status dvt_resource_delete(dvt_resource_manager *manager, dvt_str container, dvt_str name) {
  if (!manager) return dvt_error(TF_INTERNAL, "this step has no resource manager");
  if (container.len == 0) container = DVT_STR(DVT_DEFAULT_CONTAINER);
  dvt_str key;
  entry *wanted = entry_new(container, name, &key);
  if (!wanted) return dvt_error_out_of_memory(sizeof(entry));
  pthread_mutex_lock(&manager->mutex);
  entry *e = dvt_map_remove(&manager->entries, key);
  pthread_mutex_unlock(&manager->mutex);
  dvt_free(wanted);
  if (!e)
    return dvt_error(TF_NOT_FOUND, "Resource " DVT_STR_FMT "/" DVT_STR_FMT " does not exist.",
                     DVT_STR_ARG(container), DVT_STR_ARG(name));
  entry_free(e);
  return NULL;
}

dvt_status dvt_resource_delete_object(dvt_resource_manager *manager, const dvt_object *object) {
  size_t cursor = 0;
  dvt_str key;
  void *value;
  entry *found = NULL;
  if (!manager) return dvt_error(TF_INTERNAL, "this step has no resource manager");
  pthread_mutex_lock(&manager->mutex);
  while (!found && dvt_map_next(&manager->entries, &cursor, &key, &value))
    if (((entry *)value)->object == object) found = value;
  if (found) dvt_map_remove(&manager->entries, entry_key(found));
  pthread_mutex_unlock(&manager->mutex);
  if (!found)
    return dvt_error(TF_NOT_FOUND, "the %s that the handle refers to is in no container of the session.",
                     object->type->name);
  entry_free(found);
  return NULL;
}

static bool is_in(const entry *e, dvt_str container) {
  return dvt_str_eq(dvt_str_make(e->key, e->container_len), container);
}

// The entries of the container, taken out of the map.
static entry *take_all(dvt_resource_manager *manager, dvt_str container) {
  entry *taken = NULL;
  size_t cursor = 0;
  dvt_str key;
  void *value;
  pthread_mutex_lock(&manager->mutex);
  while (dvt_map_next(&manager->entries, &cursor, &key, &value)) {
    entry *e = value;
    if (!is_in(e, container)) continue;
    e->next = taken;
    taken = e;
  }
  for (entry *e = taken; e; e = e->next) dvt_map_remove(&manager->entries, entry_key(e));
  pthread_mutex_unlock(&manager->mutex);
  return taken;
}

void dvt_resource_clear(dvt_resource_manager *manager, dvt_str container) {
  // What a resource's end makes of the container is cleared too.
  for (entry *taken; manager && (taken = take_all(manager, container));)
    for (entry *e = taken; e; e = taken) {
      taken = e->next;
      entry_free(e);
    }
}

// ---- snapshots ----

static int compare_names(const void *a, const void *b) {
  dvt_str x = ((const dvt_resource_entry *)a)->name, y = ((const dvt_resource_entry *)b)->name;
  int order = memcmp(x.data, y.data, x.len < y.len ? x.len : y.len);
  return order ? order : (x.len > y.len) - (x.len < y.len);
}

static bool copy_entry(const entry *e, dvt_resource_entry *out) {
  char *text = dvt_malloc(e->key_len + 1);
  if (!text) return false;
  memcpy(text, e->key, e->key_len);
  text[e->key_len] = '\0';
  size_t name_at = e->container_len + 1;
  *out = (dvt_resource_entry){.container = dvt_str_make(text, e->container_len),
                              .name = dvt_str_make(text + name_at, e->key_len - name_at),
                              .object = dvt_object_retain(e->object),
                              .references = atomic_load(&e->object->refs) - 1,
                              .text = text};
  return true;
}

// With the mutex held.
static dvt_status take_snapshot(dvt_resource_manager *manager, dvt_str container,
                                dvt_resource_entry **out_entries, size_t *out_count) {
  size_t cursor = 0, count = 0, taken = 0;
  dvt_str key;
  void *value;
  while (dvt_map_next(&manager->entries, &cursor, &key, &value)) count += is_in(value, container);
  dvt_resource_entry *entries = dvt_calloc(count + 1, sizeof *entries);
  if (!entries) return dvt_error_out_of_memory((count + 1) * sizeof *entries);
  cursor = 0;
  while (dvt_map_next(&manager->entries, &cursor, &key, &value)) {
    if (!is_in(value, container)) continue;
    if (!copy_entry(value, &entries[taken])) break;
    taken++;
  }
  *out_entries = entries;
  *out_count = taken;
  return taken == count ? NULL : dvt_error_out_of_memory(key.len);
}

dvt_status dvt_resource_snapshot(dvt_resource_manager *manager, dvt_str container,
                                 dvt_resource_entry **out_entries, size_t *out_count) {
  dvt_resource_entry *entries = NULL;
  size_t count = 0;
  if (!manager) return dvt_error(TF_INTERNAL, "this step has no resource manager");
  pthread_mutex_lock(&manager->mutex);
  dvt_status status = take_snapshot(manager, container, &entries, &count);
  pthread_mutex_unlock(&manager->mutex);
  if (status) {
    dvt_resource_snapshot_free(entries, count);
    return status;
  }
  qsort(entries, count, sizeof *entries, compare_names);
  *out_entries = entries;
  *out_count = count;
  return NULL;
}

void dvt_resource_snapshot_free(dvt_resource_entry *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    dvt_object_release(entries[i].object);
    dvt_free(entries[i].text);
  }
  dvt_free(entries);
}

// ---- resource tensors ----

dvt_status dvt_resource_tensor(dvt_object *object, TF_Tensor *out) {
  DVT_RETURN_IF_ERROR(dvt_tensor_init_allocate(out, TF_RESOURCE, NULL, 0));
  *(dvt_object **)out->data = dvt_object_retain(object);
  return NULL;
}

dvt_status dvt_resource_from_tensor(const TF_Tensor *t, const dvt_object_type *type,
                                    dvt_object **out_object) {
  if (!t || dvt_tensor_is_empty(t))
    return dvt_error(TF_INVALID_ARGUMENT, "a resource handle was expected but the tensor is missing");
  if (t->dtype != TF_RESOURCE)
    return dvt_error(TF_INVALID_ARGUMENT, "a resource handle was expected, not a tensor of type %s",
                     dvt_dtype_name(t->dtype));
  if (!dvt_tensor_holds_objects(t))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Malformed TF_RESOURCE tensor: its memory is not the runtime's, so it holds no handle. "
                     "Feed what was fetched, or let the graph make the handle");
  dvt_object *object = t->buffer->bytes >= sizeof object ? *(dvt_object *const *)t->data : NULL;
  if (!object) return dvt_error(TF_INVALID_ARGUMENT, "the resource handle refers to no resource");
  if (object->type != type)
    return dvt_error(TF_INVALID_ARGUMENT, "the resource handle refers to a %s, wanted was a %s",
                     object->type->name, type->name);
  *out_object = object;
  return NULL;
}
