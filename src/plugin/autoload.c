// The standard plugins and those on DOVETAIL_PLUGIN_PATH: which files there are, which ops they have
// (plugins.index), and loading a file when one of its ops is first needed. The tables are made once and then
// only read; what was loaded is guarded by the plugin lock.
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/library.h"
#include "base/log.h"
#include "base/map.h"
#include "plugin/plugin.h"

typedef enum file_state { NOT_TRIED, LOADING, LOADED, FAILED } file_state;

typedef struct plugin_file {
  char *path;
  file_state state;
  const dvt_plugin *plugin;  // LOADED: what it became
  // Whether an index names it. Else only the file knows its ops: it is loaded at the first miss, or late,
  // when nothing else has the op, if there is an index that says nothing of it or is older.
  bool is_indexed, is_late;
} plugin_file;

// Files that are loaded together.
typedef struct file_group {
  bool begun;        // they are being tried or were; under the plugin lock
  atomic_bool done;  // they were
} file_group;

// An op's files; most ops have one.
typedef struct op_entry {
  plugin_file *file;
  struct op_entry *next;
} op_entry;

static struct {
  dvt_arena arena;
  plugin_file **files;
  size_t count, capacity;
  dvt_map by_path;      // -> plugin_file
  dvt_map by_op;        // -> op_entry
  dvt_map directories;  // read ones, by canonical path
  file_group whole, late;
} table;

static pthread_once_t table_once = PTHREAD_ONCE_INIT;
static atomic_int reloading;  // that many reloads

static plugin_file *add_file(dvt_str dir, dvt_str name, bool is_indexed) {
  size_t bytes = dir.len + 1 + name.len + 1;
  char *path = dvt_arena_alloc(&table.arena, bytes);
  if (!path) return NULL;
  snprintf(path, bytes, DVT_STR_FMT "/" DVT_STR_FMT, DVT_STR_ARG(dir), DVT_STR_ARG(name));
  plugin_file *file = dvt_map_get(&table.by_path, dvt_str_from(path));
  if (file) return file;
  file = dvt_arena_alloc(&table.arena, sizeof *file);
  void *files = table.files;
  if (!file || !dvt_grow(&files, &table.capacity, table.count + 1, sizeof *table.files)) return NULL;
  table.files = files;
  if (!dvt_map_put(&table.by_path, dvt_str_from(path), file)) return NULL;
  *file = (plugin_file){.path = path, .is_indexed = is_indexed};
  table.files[table.count++] = file;
  return file;
}

static void add_op(dvt_str op, plugin_file *file) {
  op_entry *entry = dvt_arena_alloc(&table.arena, sizeof *entry);
  dvt_str key;
  if (!file || !entry || !dvt_arena_copy_str(&table.arena, op, &key)) return;
  void **slot = dvt_map_slot_for(&table.by_op, key);
  if (!slot) return;
  *entry = (op_entry){file, NULL};
  op_entry *last = *slot;
  while (last && last->next) last = last->next;
  if (last)
    last->next = entry;
  else
    *slot = entry;
}

static dvt_str next_word(dvt_str *line) {
  size_t begin = 0;
  while (begin < line->len && (line->data[begin] == ' ' || line->data[begin] == '\t')) begin++;
  size_t end = begin;
  while (end < line->len && line->data[end] != ' ' && line->data[end] != '\t' && line->data[end] != '\r')
    end++;
  dvt_str word = dvt_str_make(line->data + begin, end - begin);
  *line = dvt_str_drop(*line, end);
  return word;
}

// Lines "Op file.so"; '#' starts a comment line. Files must lie in the directory itself.
static void read_index(dvt_str dir, const char *index_path, dvt_str text) {
  int number = 0;
  plugin_file *file = NULL;
  dvt_str last_name = {0};
  while (text.len) {
    size_t len = dvt_str_find(text, '\n');
    dvt_str line = dvt_str_make(text.data, len);
    text = dvt_str_drop(text, DVT_MIN(len + 1, text.len));
    number++;
    dvt_str op = next_word(&line), name = next_word(&line);
    if (op.len == 0 || op.data[0] == '#') continue;
    if (name.len == 0 || dvt_str_find(name, '/') < name.len) {
      dvt_log(DVT_WARNING, "%s, line %d: wanted \"Op file.so\" with a file of this directory; line ignored",
              index_path, number);
      continue;
    }
    if (!file || !dvt_str_eq(name, last_name)) file = add_file(dir, name, true);
    last_name = name;
    add_op(op, file);
  }
}

static int is_library(const struct dirent *entry) {
  size_t len = strlen(entry->d_name);
  return len > 3 && strcmp(entry->d_name + len - 3, ".so") == 0;
}

// Copying a folder writes its files one after the other: only clearly newer ones were built after the index.
#define INDEX_TOLERANCE_S 10

static bool is_newer(const char *path, const struct stat *index) {
  struct stat file;
  return stat(path, &file) == 0 && file.st_mtime > index->st_mtime + INDEX_TOLERANCE_S;
}

// Files that the index does not name or that were built after it may have ops that it does not know.
static void note_late_files(dvt_str dir, const char *path, const char *index_path) {
  struct stat index;
  struct dirent **entries = NULL;
  if (stat(index_path, &index) != 0) return;
  int count = scandir(path, &entries, is_library, alphasort);
  for (int i = 0; i < count; i++) {
    size_t before = table.count;
    plugin_file *file = add_file(dir, dvt_str_from(entries[i]->d_name), true);
    if (file && (table.count > before || is_newer(file->path, &index))) file->is_late = true;
    free(entries[i]);
  }
  free(entries);
}

// With the canonical path of a directory; one that was read before is left out.
static void read_directory(dvt_str dir) {
  char path[PATH_MAX], index_path[PATH_MAX];
  dvt_str key;
  if (dvt_map_get(&table.directories, dir) || !dvt_arena_copy_str(&table.arena, dir, &key) ||
      !dvt_map_put(&table.directories, key, &table))
    return;
  if (snprintf(index_path, sizeof index_path, DVT_STR_FMT "/plugins.index", DVT_STR_ARG(dir)) >=
      (int)sizeof index_path)
    return;
  memcpy(path, index_path, dir.len);
  path[dir.len] = '\0';
  dvt_mapped_file index;
  dvt_status status = dvt_file_map(index_path, &index);
  if (!status) {
    read_index(dir, index_path, index.bytes);
    dvt_file_unmap(&index);
    note_late_files(dir, path, index_path);
    return;
  }
  dvt_status_free(status);
  struct dirent **entries = NULL;
  int count = scandir(path, &entries, is_library, alphasort);
  for (int i = 0; i < count; i++) {
    add_file(dir, dvt_str_from(entries[i]->d_name), false);
    free(entries[i]);
  }
  free(entries);
}

static bool scan_directory(const char *path) {
  char *found = realpath(path, NULL);
  if (found) read_directory(dvt_str_from(found));
  free(found);
  return found != NULL;
}

// Beside the real file of this library (compat names are links to it), in the build tree and installed.
static void scan_own_directories(void) {
  char library[PATH_MAX], real[PATH_MAX], dir[PATH_MAX + 32];
  if (!dvt_library_path_of(&table, library, sizeof library) || !realpath(library, real)) return;
  char *slash = strrchr(real, '/');
  if (!slash) return;
  *slash = '\0';
  static const char *const places[] = {"dovetail/plugins", "../lib/dovetail/plugins"};
  for (size_t i = 0; i < DVT_COUNT_OF(places); i++) {
    snprintf(dir, sizeof dir, "%s/%s", real, places[i]);
    if (scan_directory(dir)) return;
  }
}

static void scan_path(dvt_str path) {
  while (path.len) {
    char dir[PATH_MAX];
    size_t len = dvt_str_find(path, ':');
    if (len && len < sizeof dir) {
      snprintf(dir, sizeof dir, DVT_STR_FMT, (int)len, path.data);
      if (!scan_directory(dir)) dvt_log(DVT_WARNING, "DOVETAIL_PLUGIN_PATH: there is no directory %s", dir);
    }
    path = dvt_str_drop(path, DVT_MIN(len + 1, path.len));
  }
}

static void make_table(void) {
  const char *path = getenv("DOVETAIL_PLUGIN_PATH"), *none = getenv("DOVETAIL_NO_STANDARD_PLUGINS");
  if (path) scan_path(dvt_str_from(path));
  if (!none || !*none || strcmp(none, "0") == 0) scan_own_directories();
}

// With the plugin lock held. A file that is being loaded further up on this thread does not count.
static bool load_file(plugin_file *file) {
  if (file->state != NOT_TRIED) return file->state == LOADED;
  if (dvt_plugin_is_loading(file->path)) return false;
  file->state = LOADING;
  dvt_plugin *plugin;
  dvt_status status = dvt_plugin_load(file->path, &plugin);
  file->state = status ? FAILED : LOADED;
  if (!status) file->plugin = plugin;
  if (status) dvt_log(DVT_ERROR, "standard plugin: %s", dvt_status_message(status));
  dvt_status_free(status);
  return file->state == LOADED;
}

static bool load_group(file_group *group) {
  if (atomic_load_explicit(&group->done, memory_order_acquire)) return false;
  bool loaded = false;
  dvt_plugin_lock();
  // A plugin that looks up an op while it is loaded comes here again: only the outer call may tell the other
  // threads that there is nothing left to wait for.
  bool outer = !group->begun;
  group->begun = true;
  for (size_t i = 0; outer && i < table.count; i++) {
    plugin_file *file = table.files[i];
    if ((group == &table.late ? file->is_late : !file->is_indexed) && load_file(file)) loaded = true;
  }
  if (outer) atomic_store_explicit(&group->done, true, memory_order_release);
  dvt_plugin_unlock();
  return loaded;
}

// Said once, since the file is loaded once.
static void check_entry(dvt_str op_name, const plugin_file *file) {
  if (dvt_op_lookup_loaded(op_name)) return;
  dvt_log(DVT_WARNING,
          "the plugins.index beside %s is stale: it says that the file has op '" DVT_STR_FMT
          "', which it does not register. Write the index anew, or delete it to have the folder loaded whole",
          file->path, DVT_STR_ARG(op_name));
}

static bool load_indexed(dvt_str op_name) {
  pthread_once(&table_once, make_table);
  const op_entry *entry = dvt_map_get(&table.by_op, op_name);
  if (!entry) return false;
  bool loaded = false;
  dvt_plugin_lock();
  for (; entry; entry = entry->next)
    if (load_file(entry->file)) {
      loaded = true;
      check_entry(op_name, entry->file);
    }
  dvt_plugin_unlock();
  return loaded;
}

bool dvt_plugin_autoload(dvt_str op_name) {
  pthread_once(&table_once, make_table);
  if (DVT_UNLIKELY(atomic_load(&reloading))) {
    dvt_plugin_lock();
    dvt_plugin_unlock();
  }
  bool was_there = dvt_op_lookup_loaded(op_name) != NULL;
  bool whole = load_group(&table.whole), indexed = load_indexed(op_name);
  if (!was_there && dvt_op_lookup_loaded(op_name)) return true;
  return load_group(&table.late) || indexed || whole;
}

void dvt_plugin_autoload_again(const dvt_plugin *plugin) {
  for (size_t i = 0; i < table.count; i++) {
    plugin_file *file = table.files[i];
    if (file->state != LOADED || file->plugin != plugin) continue;
    file->state = NOT_TRIED;
    if (file->is_indexed && !file->is_late) continue;
    file_group *group = file->is_late ? &table.late : &table.whole;
    group->begun = false;
    atomic_store_explicit(&group->done, false, memory_order_release);
  }
}

void dvt_plugin_set_reloading(bool is_reloading) { atomic_fetch_add(&reloading, is_reloading ? 1 : -1); }

static void load_all(void) {
  pthread_once(&table_once, make_table);
  dvt_plugin_lock();
  for (size_t i = 0; i < table.count; i++) load_file(table.files[i]);
  dvt_plugin_unlock();
}

static void install_hooks(void) {
  dvt_op_registry_set_autoload(dvt_plugin_autoload, load_all, load_indexed);
  dvt_kernel_registry_set_autoload(dvt_plugin_autoload);
}

void dvt_plugin_autoload_init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install_hooks);
}
