// The store of kernel definitions: a map from op name to a list, under a read-write lock; ops that were
// looked up once know their list. Definitions are compact copies in one arena and stay valid for the life of
// the process, also when their plugin is gone. match.c chooses among them, registry_text.c lists them.
#include "kernel/registry.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/map.h"
#include "kernel/builder.h"
#include "kernel/registry_internal.h"
#include "tensor/dtype.h"

#define INTERNED_LIMIT 16  // device types kept once; there are few

static struct {
  pthread_rwlock_t lock;
  dvt_map by_op;  // -> dvt_kernel_list
  dvt_arena arena;
  dvt_str device_types[INTERNED_LIMIT];
  int device_type_count;
  bool (*_Atomic autoload)(dvt_str op_name);
} registry = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static bool copy_str(dvt_str s, dvt_str *out) {
  if (s.len == 0) {
    *out = DVT_STR("");
    return true;
  }
  return dvt_arena_copy_str(&registry.arena, s, out);
}

static bool copy_device_type(dvt_str s, dvt_str *out) {
  for (int i = 0; i < registry.device_type_count; i++)
    if (dvt_str_eq(registry.device_types[i], s)) {
      *out = registry.device_types[i];
      return true;
    }
  if (!copy_str(s, out)) return false;
  if (registry.device_type_count < INTERNED_LIMIT) registry.device_types[registry.device_type_count++] = *out;
  return true;
}

// The names of attrs are shared among the kernels of an op, which mostly constrain the same ones.
static bool copy_attr_name(dvt_str name, const dvt_kernel_def *sibling, dvt_str *out) {
  for (int i = 0; sibling && i < sibling->constraint_count; i++)
    if (dvt_str_eq(sibling->constraints[i].attr, name)) {
      *out = sibling->constraints[i].attr;
      return true;
    }
  return copy_str(name, out);
}

static uint64_t bits_of(const uint8_t *dtypes, int count) {
  uint64_t bits = 0;
  for (int i = 0; i < count; i++)
    if (dtypes[i] <= DVT_DTYPE_MAX) bits |= UINT64_C(1) << dtypes[i];
  return bits;
}

static bool copy_constraints(dvt_kernel_def *def, const dvt_kernel_def *sibling) {
  if (def->constraint_count == 0) return true;
  dvt_kernel_constraint *copies =
      dvt_arena_alloc(&registry.arena, (size_t)def->constraint_count * sizeof *copies);
  if (!copies) return false;
  for (int i = 0; i < def->constraint_count; i++) {
    const dvt_kernel_constraint *from = &def->constraints[i];
    copies[i].dtype_count = from->dtype_count;
    copies[i].allowed = bits_of(from->dtypes, from->dtype_count);
    if (!copy_attr_name(from->attr, sibling, &copies[i].attr)) return false;
    if (from->dtype_count == 1) {
      copies[i].dtypes = dvt_dtype_singleton(from->dtypes[0]);
      continue;
    }
    uint8_t *dtypes = dvt_arena_alloc(&registry.arena, (size_t)from->dtype_count);
    if (!dtypes) return false;
    if (from->dtype_count) memcpy(dtypes, from->dtypes, (size_t)from->dtype_count);
    copies[i].dtypes = dtypes;
  }
  def->constraints = copies;
  return true;
}

static bool copy_host_memory(dvt_kernel_def *def) {
  if (def->host_memory_count == 0) return true;
  dvt_str *copies = dvt_arena_alloc(&registry.arena, (size_t)def->host_memory_count * sizeof *copies);
  if (!copies) return false;
  for (int i = 0; i < def->host_memory_count; i++)
    if (!copy_str(def->host_memory_args[i], &copies[i])) return false;
  def->host_memory_args = copies;
  return true;
}

// A copy of `from` whose strings and arrays belong to the registry. The op's name is shared with `sibling`, a
// kernel of the same op, if there is one.
static dvt_kernel_def *copy_def(const dvt_kernel_def *from, dvt_str class_name,
                                const dvt_kernel_def *sibling) {
  dvt_kernel_def *def = dvt_arena_alloc(&registry.arena, sizeof *def);
  if (!def) return NULL;
  *def = *from;
  if (sibling)
    def->op = sibling->op;
  else if (!copy_str(from->op, &def->op))
    return NULL;
  if (!copy_device_type(from->device_type, &def->device_type) || !copy_str(from->label, &def->label))
    return NULL;
  if (dvt_str_eq(class_name, def->op))
    def->class_name = def->op;
  else if (!copy_str(class_name, &def->class_name))
    return NULL;
  if (!copy_constraints(def, sibling) || !copy_host_memory(def)) return NULL;
  return def;
}

static bool same_constraints(const dvt_kernel_def *a, const dvt_kernel_def *b) {
  if (a->constraint_count != b->constraint_count) return false;
  for (int i = 0; i < a->constraint_count; i++) {
    const dvt_kernel_constraint *p = &a->constraints[i], *q = &b->constraints[i];
    if (!dvt_str_eq(p->attr, q->attr) || p->dtype_count != q->dtype_count) return false;
    if (p->dtype_count && memcmp(p->dtypes, q->dtypes, (size_t)p->dtype_count) != 0) return false;
  }
  return true;
}

static bool same_kernel(const dvt_kernel_def *a, const dvt_kernel_def *b) {
  if (a->compute != b->compute || a->compute_async != b->compute_async || a->create != b->create ||
      a->destroy != b->destroy || a->priority != b->priority ||
      a->host_memory_count != b->host_memory_count || !dvt_str_eq(a->device_type, b->device_type) ||
      !dvt_str_eq(a->label, b->label))
    return false;
  for (int i = 0; i < a->host_memory_count; i++)
    if (!dvt_str_eq(a->host_memory_args[i], b->host_memory_args[i])) return false;
  return same_constraints(a, b);
}

// ---- rows ----

static const dvt_kernel_rows no_rows;

static const dvt_kernel_rows *rows_in(const dvt_kernel_list *list) {
  const dvt_kernel_rows *rows = list ? atomic_load_explicit(&list->rows, memory_order_acquire) : NULL;
  return DVT_LIKELY(rows != NULL) ? rows : &no_rows;
}

static dvt_kernel_row row_of(const dvt_kernel_def *def, const dvt_str *attr) {
  const dvt_kernel_constraint *first = def->constraint_count > 0 ? def->constraints : NULL;
  bool told = first && dvt_str_eq(first->attr, *attr);
  return (dvt_kernel_row){def, told ? first->allowed : DVT_KERNEL_UNTOLD};
}

// The rows of `from`, which may be NULL, that are not of the load, in memory of their own. NULL when out of
// memory.
static dvt_kernel_rows *copy_rows(const dvt_kernel_rows *from, const dvt_load *without, const dvt_str *attr,
                                  int32_t capacity) {
  dvt_kernel_rows *copy =
      dvt_arena_alloc(&registry.arena, sizeof *copy + (size_t)capacity * sizeof copy->rows[0]);
  if (!copy) return NULL;
  int32_t count = 0;
  copy->attr = attr;
  copy->capacity = capacity;
  for (int32_t i = 0; from && i < from->count; i++)
    if (!without || from->rows[i].def->load != without) copy->rows[count++] = from->rows[i];
  atomic_init(&copy->count, count);
  return copy;
}

// The rows with room for one more; `attr` counts if no kernel was constrained before.
static dvt_kernel_rows *reserve_row(dvt_kernel_list *list, const dvt_str *attr) {
  dvt_kernel_rows *rows = atomic_load_explicit(&list->rows, memory_order_relaxed);
  if (rows && rows->count < rows->capacity && (rows->attr || !attr)) return rows;
  return copy_rows(rows, NULL, rows && rows->attr ? rows->attr : attr, rows ? rows->count * 2 + 1 : 1);
}

static bool append(dvt_kernel_list *list, const dvt_kernel_def *def) {
  dvt_kernel_rows *rows = reserve_row(list, def->constraint_count > 0 ? &def->constraints[0].attr : NULL);
  if (!rows) return false;
  int32_t count = rows->count;
  rows->rows[count] = row_of(def, rows->attr);
  atomic_store_explicit(&rows->count, count + 1, memory_order_release);
  atomic_store_explicit(&list->rows, rows, memory_order_release);
  return true;
}

static dvt_kernel_list *list_for(const dvt_kernel_def *def) {
  dvt_kernel_list *list = dvt_map_get(&registry.by_op, def->op);
  if (list) return list;
  list = dvt_arena_calloc(&registry.arena, 1, sizeof *list);
  return list && dvt_map_put(&registry.by_op, def->op, list) ? list : NULL;
}

// With the write lock held.
static dvt_status insert(const dvt_kernel_def *from, dvt_str class_name) {
  const dvt_kernel_rows *rows = rows_in(dvt_map_get(&registry.by_op, from->op));
  for (int32_t i = 0; from->plugin && i < rows->count; i++)
    if (same_kernel(rows->rows[i].def, from)) return NULL;
  dvt_kernel_def *def = copy_def(from, class_name, rows->count > 0 ? rows->rows[0].def : NULL);
  dvt_kernel_list *list = def ? list_for(def) : NULL;
  if (!list || !append(list, def)) return dvt_error_out_of_memory(sizeof *def);
  if (def->load) def->load->kernel_count++;
  return NULL;
}

dvt_status dvt_kernel_register(TF_KernelBuilder *builder, dvt_str class_name) {
  if (!builder) return dvt_error(TF_INVALID_ARGUMENT, "a kernel was registered with a NULL builder");
  dvt_status status = NULL;
  if (builder->failed) {
    status = dvt_error_out_of_memory(0);
  } else if (!dvt_str_is(builder->def.op, "_no_register")) {
    dvt_load *load = dvt_load_current();
    builder->def.load = load;
    builder->def.plugin = load ? load->plugin : NULL;
    // Accepted as in stock (rule 96), where nobody learns that the kernel is never chosen.
    if (builder->def.device_type.len == 0)
      dvt_log(DVT_WARNING,
              "a kernel of op '" DVT_STR_FMT
              "' is registered for a device without a name and will never be chosen. Give \"CPU\" to "
              "TF_NewKernelBuilder",
              DVT_STR_ARG(builder->def.op));
    pthread_rwlock_wrlock(&registry.lock);
    status = insert(&builder->def, class_name);
    pthread_rwlock_unlock(&registry.lock);
  }
  dvt_kernel_builder_delete(builder);
  return status;
}

// Without memory the rows stay: what a load that is gone registered is passed by.
static void remove_from_list(dvt_kernel_list *list, const dvt_load *load) {
  const dvt_kernel_rows *rows = rows_in(list);
  for (int32_t i = 0; i < rows->count; i++) {
    if (rows->rows[i].def->load != load) continue;
    dvt_kernel_rows *rest = copy_rows(rows, load, rows->attr, rows->count);
    if (rest) atomic_store_explicit(&list->rows, rest, memory_order_release);
    return;
  }
}

void dvt_kernel_registry_remove_load(dvt_load *load) {
  if (load->kernel_count == 0) return;
  pthread_rwlock_wrlock(&registry.lock);
  size_t cursor = 0;
  dvt_str key;
  void *list;
  while (dvt_map_next(&registry.by_op, &cursor, &key, &list)) remove_from_list(list, load);
  load->kernel_count = 0;
  pthread_rwlock_unlock(&registry.lock);
}

// ---- reading ----

static dvt_kernel_list *find_list(dvt_str op) {
  pthread_rwlock_rdlock(&registry.lock);
  dvt_kernel_list *list = dvt_map_get(&registry.by_op, op);
  pthread_rwlock_unlock(&registry.lock);
  return list;
}

const dvt_kernel_rows *dvt_kernel_rows_of_name(dvt_str op) { return rows_in(find_list(op)); }

const dvt_kernel_rows *dvt_kernel_rows_of(const dvt_op_def *op) {
  dvt_kernel_list *list = op->kernels ? atomic_load_explicit(op->kernels, memory_order_acquire) : NULL;
  if (DVT_LIKELY(list != NULL)) return rows_in(list);
  list = find_list(op->name);
  if (list && op->kernels) atomic_store_explicit(op->kernels, list, memory_order_release);
  return rows_in(list);
}

void dvt_kernel_registry_set_autoload(bool (*hook)(dvt_str op_name)) {
  atomic_store(&registry.autoload, hook);
}

void dvt_kernel_registry_autoload(dvt_str op) {
  bool (*hook)(dvt_str) = atomic_load(&registry.autoload);
  if (hook) hook(op);
}

static int compare_rows(const void *a, const void *b) {
  return dvt_str_compare((*(const dvt_kernel_rows *const *)a)->rows[0].def->op,
                         (*(const dvt_kernel_rows *const *)b)->rows[0].def->op);
}

void dvt_kernel_registry_visit(void (*visit)(void *arg, const dvt_kernel_def *def), void *arg) {
  pthread_rwlock_rdlock(&registry.lock);
  size_t cursor = 0, count = 0;
  const dvt_kernel_rows **all = dvt_calloc(registry.by_op.count + 1, sizeof *all);
  dvt_str key;
  void *value;
  while (all && dvt_map_next(&registry.by_op, &cursor, &key, &value)) {
    all[count] = rows_in(value);
    if (all[count]->count > 0) count++;
  }
  if (all) qsort(all, count, sizeof *all, compare_rows);
  for (size_t i = 0; i < count; i++)
    for (int32_t k = 0; k < all[i]->count; k++)
      if (dvt_load_is_visible(all[i]->rows[k].def->load)) visit(arg, all[i]->rows[k].def);
  pthread_rwlock_unlock(&registry.lock);
  dvt_free(all);
}
