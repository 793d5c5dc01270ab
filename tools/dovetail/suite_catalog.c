// What a plugin registered, copied so that it can be used while nodes are made; and the names of dtypes in
// specs of ops and constraints of kernels.
#include <ctype.h>
#include <stdlib.h>

#include "suite.h"

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

static void copy_op(const dvt_op_info *from, suite_op *to) {
  *to = (suite_op){.name = copy(from->name),
                   .is_stateful = from->is_stateful,
                   .has_shape_function = from->has_shape_function,
                   .output_count = from->output_count,
                   .kernel_count = from->kernel_count,
                   .is_too_big = from->input_count > SUITE_MAX_ARGS || from->attr_count > SUITE_MAX_ATTRS};
  if (to->is_too_big) return;
  to->input_count = from->input_count;
  to->attr_count = from->attr_count;
  for (int i = 0; i < from->input_count; i++)
    to->inputs[i] = (suite_arg){copy(from->inputs[i].name), copy(from->inputs[i].type)};
  for (int i = 0; i < from->attr_count; i++) {
    const dvt_op_attr_info *a = &from->attr_list[i];
    to->attrs[i] = (suite_attr){copy(a->name),          copy(a->type),  copy(a->allowed),
                                copy(a->default_value), a->has_minimum, a->minimum};
  }
}

static void add_op(void *arg, const dvt_op_info *op) {
  suite_catalog *catalog = arg;
  suite_op *grown = realloc(catalog->ops, (size_t)(catalog->op_count + 1) * sizeof *grown);
  if (!grown) return;
  catalog->ops = grown;
  copy_op(op, &grown[catalog->op_count++]);
}

static void add_kernel(void *arg, const dvt_kernel_info *kernel) {
  suite_catalog *catalog = arg;
  suite_kernel *grown = realloc(catalog->kernels, (size_t)(catalog->kernel_count + 1) * sizeof *grown);
  if (!grown) return;
  catalog->kernels = grown;
  grown[catalog->kernel_count++] =
      (suite_kernel){copy(kernel->op), copy(kernel->device), copy(kernel->constraints), copy(kernel->label)};
}

bool suite_catalog_load(const cli_options *options, suite_catalog *out, TF_Status *status) {
  *out = (suite_catalog){0};
  for (int i = 0; i < options->plugin_count; i++)
    if (!dvt_load_plugin(options->plugins[i], status)) return false;
  const char *name = dvt_load_plugin(options->positional[0], status);
  if (!name) return false;
  dvt_list_ops(name, add_op, out);
  dvt_list_kernels(NULL, name, add_kernel, out);
  return true;
}

typedef struct op_search {
  const char *name;
  suite_op *out;
  bool found;
} op_search;

static void find_op(void *arg, const dvt_op_info *op) {
  op_search *search = arg;
  if (search->found || strcmp(op->name, search->name) != 0) return;
  copy_op(op, search->out);
  search->found = true;
}

bool suite_catalog_op(const suite_catalog *catalog, const char *name, suite_op *out) {
  for (int i = 0; i < catalog->op_count; i++)
    if (strcmp(catalog->ops[i].name, name) == 0) {
      *out = catalog->ops[i];
      return true;
    }
  op_search search = {name, out, false};
  dvt_list_ops(NULL, find_op, &search);
  return search.found;
}

void suite_catalog_free(suite_catalog *catalog) {
  for (int i = 0; i < catalog->op_count; i++) {
    suite_op *op = &catalog->ops[i];
    free(op->name);
    for (int k = 0; k < op->input_count; k++) {
      free(op->inputs[k].name);
      free(op->inputs[k].type);
    }
    for (int k = 0; k < op->attr_count; k++) {
      free(op->attrs[k].name);
      free(op->attrs[k].type);
      free(op->attrs[k].allowed);
      free(op->attrs[k].default_value);
    }
  }
  for (int i = 0; i < catalog->kernel_count; i++) {
    free(catalog->kernels[i].op);
    free(catalog->kernels[i].device);
    free(catalog->kernels[i].constraints);
    free(catalog->kernels[i].label);
  }
  free(catalog->ops);
  free(catalog->kernels);
  *catalog = (suite_catalog){0};
}

int suite_attr_find(const suite_op *op, const char *name) {
  for (int i = 0; i < op->attr_count; i++)
    if (strcmp(op->attrs[i].name, name) == 0) return i;
  return -1;
}

// ---- dtypes ----

static const struct {
  const char *name;
  TF_DataType dtype;
} dtypes[] = {
    {"float", TF_FLOAT},
    {"double", TF_DOUBLE},
    {"half", TF_HALF},
    {"bfloat16", TF_BFLOAT16},
    {"int8", TF_INT8},
    {"int16", TF_INT16},
    {"int32", TF_INT32},
    {"int64", TF_INT64},
    {"uint8", TF_UINT8},
    {"uint16", TF_UINT16},
    {"uint32", TF_UINT32},
    {"uint64", TF_UINT64},
    {"bool", TF_BOOL},
    {"complex64", TF_COMPLEX64},
    {"complex128", TF_COMPLEX128},
    {"string", TF_STRING},
    {"qint8", TF_QINT8},
    {"quint8", TF_QUINT8},
    {"qint16", TF_QINT16},
    {"quint16", TF_QUINT16},
    {"qint32", TF_QINT32},
    {"resource", TF_RESOURCE},
    {"variant", TF_VARIANT},
    {"float32", TF_FLOAT},
    {"float64", TF_DOUBLE},
    {"float16", TF_HALF},
    {"float8_e5m2", TF_FLOAT8_E5M2},
    {"float8_e4m3fn", TF_FLOAT8_E4M3FN},
};

TF_DataType suite_dtype(const char *name, size_t len) {
  char lower[32];
  if (len > 3 && memcmp(name, "DT_", 3) == 0) {
    name += 3;
    len -= 3;
  }
  if (len >= sizeof lower) return 0;
  for (size_t i = 0; i < len; i++) lower[i] = (char)tolower((unsigned char)name[i]);
  lower[len] = '\0';
  for (size_t i = 0; i < DVT_COUNT_OF(dtypes); i++)
    if (strcmp(dtypes[i].name, lower) == 0) return dtypes[i].dtype;
  return 0;
}

const char *suite_dtype_name(TF_DataType dtype) {
  for (size_t i = 0; i < DVT_COUNT_OF(dtypes); i++)
    if (dtypes[i].dtype == dtype) return dtypes[i].name;
  return "?";
}

int suite_dtype_list(const char *text, TF_DataType out[32]) {
  int count = 0;
  while (*text && count < 32) {
    size_t len = strcspn(text, ", }");
    TF_DataType dtype = suite_dtype(text, len);
    if (dtype) out[count++] = dtype;
    text += len;
    if (*text == '}') break;
    text += strspn(text, ", ");
  }
  return count;
}

int suite_constraint(const char *constraints, const char *attr, TF_DataType out[32]) {
  size_t len = strlen(attr);
  for (const char *at = constraints; (at = strstr(at, attr)); at += len) {
    bool begins = at == constraints || strchr(" ,;}", at[-1]);
    if (begins && strncmp(at + len, " in {", 5) == 0) return suite_dtype_list(at + len + 5, out);
    if (begins && strncmp(at + len, " = ", 3) == 0) return suite_dtype_list(at + len + 3, out) ? 1 : 0;
  }
  return 0;
}
