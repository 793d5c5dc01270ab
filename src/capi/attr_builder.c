// TF_AttrBuilder: an op name and some type attributes, to ask whether a device type has a kernel for such a
// node.
#include "base/alloc.h"
#include "base/arena.h"
#include "base/log.h"
#include "kernel/registry.h"
#include "op/registry.h"
#include "plugin/plugin.h"
#include "tensorflow/c/c_api_experimental.h"

enum { MAX_ATTRS = 64 };

struct TF_AttrBuilder {
  dvt_arena arena;
  dvt_str op_name;
  dvt_attr attrs[MAX_ATTRS];
  int32_t attr_count;
};

TF_AttrBuilder *TF_NewAttrBuilder(const char *op_name) {
  TF_AttrBuilder *builder = dvt_calloc(1, sizeof *builder);
  if (!builder) return NULL;
  if (dvt_arena_copy_str(&builder->arena, dvt_str_from(op_name), &builder->op_name)) return builder;
  TF_DeleteAttrBuilder(builder);
  return NULL;
}

void TF_DeleteAttrBuilder(TF_AttrBuilder *builder) {
  if (!builder) return;
  dvt_arena_deinit(&builder->arena);
  dvt_free(builder);
}

// Moves the written value into the builder, over an earlier value of that name.
static void set_attr(TF_AttrBuilder *builder, const char *attr_name, dvt_buf *value) {
  dvt_str name = dvt_str_from(attr_name), kept_name, kept_value;
  int32_t i = 0;
  while (i < builder->attr_count && !dvt_str_eq(builder->attrs[i].name, name)) i++;
  bool copied = !value->failed && i < MAX_ATTRS && dvt_arena_copy_str(&builder->arena, name, &kept_name) &&
                dvt_arena_copy_str(&builder->arena, dvt_buf_str(value), &kept_value);
  dvt_buf_deinit(value);
  if (!copied) {
    dvt_log(DVT_ERROR, "TF_AttrBuilder for %.*s: attr '%s' not set: out of memory or more than %d attrs",
            DVT_STR_ARG(builder->op_name), attr_name, MAX_ATTRS);
    return;
  }
  builder->attrs[i] = (dvt_attr){kept_name, kept_value};
  if (i == builder->attr_count) builder->attr_count++;
}

void TF_AttrBuilderSetType(TF_AttrBuilder *builder, const char *attr_name, TF_DataType value) {
  dvt_buf buf = {0};
  dvt_attr_put_type(&buf, value);
  set_attr(builder, attr_name, &buf);
}

void TF_AttrBuilderSetTypeList(TF_AttrBuilder *builder, const char *attr_name, const TF_DataType *values,
                               int num_values) {
  dvt_buf buf = {0};
  dvt_attr_put_type_list(&buf, (const int *)values, num_values > 0 ? (size_t)num_values : 0);
  set_attr(builder, attr_name, &buf);
}

void TF_AttrBuilderCheckCanRunOnDevice(TF_AttrBuilder *builder, const char *device_type, TF_Status *status) {
  dvt_node_def node = {.name = builder->op_name, .attrs = builder->attrs, .attr_count = builder->attr_count};
  dvt_plugin_autoload_init();
  dvt_status error = dvt_op_lookup_or_error(builder->op_name, &node.op);
  const dvt_kernel_def *def;
  if (!error) error = dvt_kernel_find(&node, dvt_str_from(device_type), &def);
  dvt_status_to_tf(error, status);
}
