// dvt_model_kernels: the kernels that a model's nodes find as they are (model_needs.c), and those of the
// plans of its signatures.
#include <stdlib.h>

#include "capi/model.h"

typedef struct kernel_list {
  dvt_kernel_use *uses;  // text belongs to the model, or to `arena`
  size_t count, capacity;
  dvt_arena arena;
} kernel_list;

static dvt_status add(kernel_list *list, dvt_kernel_use use) {
  void *uses = list->uses;
  if (!use.op || !use.kernel_class || !use.plugin ||
      !dvt_grow(&uses, &list->capacity, list->count + 1, sizeof *list->uses))
    return dvt_error_out_of_memory(sizeof use);
  list->uses = uses;
  list->uses[list->count++] = use;
  return NULL;
}

static const char *copy(kernel_list *list, dvt_str s) {
  char *text = dvt_arena_alloc(&list->arena, s.len + 1);
  if (!text) return NULL;
  if (s.len) memcpy(text, s.data, s.len);
  text[s.len] = '\0';
  return text;
}

static dvt_status add_planned(kernel_list *list, dvt_model *model, const char *signature) {
  dvt_plan_report report = {0};
  dvt_status status = dvt_model_explain(model, signature, &report);
  for (size_t i = 0; !status && i < report.count; ++i) {
    const dvt_report_entry *e = &report.entries[i];
    if (e->kernel_class.len)
      status =
          add(list, (dvt_kernel_use){copy(list, e->op), copy(list, e->kernel_class), copy(list, e->plugin)});
  }
  dvt_report_deinit(&report);
  return status;
}

static dvt_status collect(dvt_model *model, kernel_list *list) {
  if (!model)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "dvt_model_kernels: the model is NULL; open one with dvt_model_open.");
  // Looks up what is needed, if that was not done yet.
  for (int i = 0; i < dvt_model_op_count(model); ++i)
    if (dvt_model_op(model, i)->missing)
      return dvt_error(TF_NOT_FOUND, "op %s of the model %s cannot run: %s", dvt_model_op(model, i)->op,
                       model->info.path, dvt_model_op(model, i)->missing);
  for (size_t i = 0; i < model->node_kernel_count; ++i)
    DVT_RETURN_IF_ERROR(add(list, model->node_kernels[i]));
  for (int i = 0; i < model->signature_count; ++i)
    DVT_RETURN_IF_ERROR(add_planned(list, model, model->signatures[i].name));
  return NULL;
}

static int by_op(const void *a, const void *b) {
  const dvt_kernel_use *x = a, *y = b;
  int order = strcmp(x->op, y->op);
  return order ? order : strcmp(x->kernel_class, y->kernel_class);
}

static const char *put(char **at, const char *text) {
  char *start = *at;
  *at = stpcpy(start, text) + 1;
  return start;
}

// One block: the array, then its text.
static dvt_kernel_use *to_block(kernel_list *list) {
  size_t kept = 0, bytes = sizeof *list->uses;
  if (list->count) qsort(list->uses, list->count, sizeof *list->uses, by_op);
  for (size_t i = 0; i < list->count; ++i) {
    if (kept && by_op(&list->uses[kept - 1], &list->uses[i]) == 0) continue;
    const dvt_kernel_use *use = &list->uses[i];
    bytes += sizeof *use + strlen(use->op) + strlen(use->kernel_class) + strlen(use->plugin) + 3;
    list->uses[kept++] = *use;
  }
  list->count = kept;
  dvt_kernel_use *block = dvt_malloc(bytes);
  char *text = block ? (char *)(block + kept) : NULL;
  for (size_t i = 0; block && i < kept; ++i)
    block[i] = (dvt_kernel_use){.op = put(&text, list->uses[i].op),
                                .kernel_class = put(&text, list->uses[i].kernel_class),
                                .plugin = put(&text, list->uses[i].plugin)};
  return block;
}

int dvt_model_kernels(dvt_model *model, dvt_kernel_use **out_uses, TF_Status *status) {
  kernel_list list = {0};
  int count = 0;
  dvt_status failure = collect(model, &list);
  dvt_kernel_use *block = failure ? NULL : to_block(&list);
  if (block) {
    *out_uses = block;
    count = (int)list.count;
  } else if (!failure) {
    failure = dvt_error_out_of_memory(list.count * sizeof *block);
  }
  dvt_free(list.uses);
  dvt_arena_deinit(&list.arena);
  dvt_status_to_tf(failure, status);
  return count;
}

void dvt_kernel_uses_free(dvt_kernel_use *uses) { dvt_free(uses); }
