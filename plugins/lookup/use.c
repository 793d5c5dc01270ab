// The ops on tables: finding, inserting, removing, counting, importing and exporting, initializing from
// tensors.
#include <inttypes.h>
#include <string.h>

#include "lookup/table.h"

static bool check_key(dvp_call *call, const dvk_options *options, const dvp_view *keys) {
  return keys->dtype == options->key ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Key must be type %d but got %d", options->key, keys->dtype);
}
static bool check_value(dvp_call *call, const dvk_options *options, const dvp_view *values) {
  return values->dtype == options->value ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Value must be type %d but got %d", options->value,
                  values->dtype);
}

// Keys of rank `rank` have a key in the last `key_rank` dimensions; *out_count is how many keys there are.
static bool count_keys(dvp_call *call, const dvk_options *options, const dvp_view *keys, int key_rank,
                       int64_t *out_count) {
  char text[DVP_SHAPE_TEXT];
  if (keys->rank < key_rank || (key_rank == 1 && keys->dims[keys->rank - 1] != options->key_size))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Input key shape must end with that of a key, [%" PRId64 "], but is %s",
                    options->key_size, dvp_shape_text(keys->dims, keys->rank, text));
  *out_count = dvp_product(keys->dims, 0, keys->rank - key_rank);
  return true;
}

// Whether `values` has the dimensions of the keys before that of a key, followed by those of a value.
static bool is_one_a_key(const dvk_options *options, const dvp_view *keys, int key_rank,
                         const dvp_view *values, int value_rank) {
  int prefix = keys->rank - key_rank;
  if (values->rank != prefix + value_rank) return false;
  for (int i = 0; i < prefix; i++)
    if (values->dims[i] != keys->dims[i]) return false;
  return value_rank == 0 || values->dims[prefix] == options->value_size;
}
static bool is_one_value(const dvk_options *options, const dvp_view *value) {
  return value->rank == options->value_rank && (value->rank == 0 || value->dims[0] == options->value_size);
}

// ---- LookupTableFindV2 ----

DVP_COMPUTE(find_compute) {
  (void)state;
  dvp_view keys, defaults;
  dvk_table *table = dvk_table_input(call);
  if (!table || !dvp_input(call, 1, &keys) || !dvp_input(call, 2, &defaults)) return;
  const dvk_options *options = dvk_table_options(table);
  if (!check_key(call, options, &keys) || !check_value(call, options, &defaults)) return;
  int64_t count = 0;
  if (!count_keys(call, options, &keys, options->key_rank, &count)) return;
  bool each = is_one_a_key(options, &keys, options->key_rank, &defaults, options->value_rank);
  char text[DVP_SHAPE_TEXT];
  if (!each && !is_one_value(options, &defaults)) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "A default value must be one value or one for each key, but has shape %s",
             dvp_shape_text(defaults.dims, defaults.rank, text));
    return;
  }
  int64_t dims[DVP_MAX_RANK + 1];
  int prefix = keys.rank - options->key_rank;
  memcpy(dims, keys.dims, (size_t)prefix * sizeof(dims[0]));
  dims[prefix] = options->value_size;
  void *out = dvp_output(call, 0, dims, prefix + options->value_rank);
  // A static table uses the first of many defaults, as in stock.
  each = each && options->kind != DVK_STATIC;
  if (out) dvk_table_find(call, table, keys.data, count, defaults.data, each, out);
}
DVP_DEFINE_ANY(find, NULL, NULL, find_compute);

// ---- changing ----

// The table, and keys and values that fit it; `stored` says that they are as a table exports them.
static dvk_table *input_pairs(dvp_call *call, bool stored, dvk_pairs *out) {
  dvp_view keys, values;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  dvk_table *table = dvk_table_input(call);
  if (!table || !dvp_input(call, 1, &keys) || !dvp_input(call, 2, &values)) return NULL;
  const dvk_options *options = dvk_table_options(table);
  if (!check_key(call, options, &keys) || !check_value(call, options, &values)) return NULL;
  bool matrices = stored && options->kind == DVK_DENSE;
  int key_rank = matrices ? 1 : options->key_rank, value_rank = matrices ? 1 : options->value_rank;
  int64_t count = 0;
  if (!count_keys(call, options, &keys, key_rank, &count)) return NULL;
  if (!is_one_a_key(options, &keys, key_rank, &values, value_rank)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Expected a value for each key, but keys have shape %s and values %s",
             dvp_shape_text(keys.dims, keys.rank, a), dvp_shape_text(values.dims, values.rank, b));
    return NULL;
  }
  *out = (dvk_pairs){count, keys.data, values.data};
  return table;
}

DVP_COMPUTE(insert_compute) {
  (void)state;
  dvk_pairs pairs;
  dvk_table *table = input_pairs(call, false, &pairs);
  if (table) dvk_table_insert(call, table, &pairs, false);
}
DVP_DEFINE_ANY(insert, NULL, NULL, insert_compute);

DVP_COMPUTE(import_compute) {
  (void)state;
  dvk_pairs pairs;
  dvk_table *table = input_pairs(call, true, &pairs);
  if (!table) return;
  if (dvk_table_options(table)->kind == DVK_STATIC)
    dvk_table_fill(call, table, &pairs, NULL);
  else
    dvk_table_insert(call, table, &pairs, true);
}
DVP_DEFINE_ANY(import_all, NULL, NULL, import_compute);

DVP_COMPUTE(initialize_compute) {
  (void)state;
  dvp_view keys;
  dvk_pairs pairs;
  dvk_table *table = input_pairs(call, false, &pairs);
  if (!table || !dvp_input(call, 1, &keys)) return;
  if (keys.rank != 1 || keys.count == 0)
    dvp_fail(call, TF_INVALID_ARGUMENT, "Keys must be a vector that is not empty");
  else
    dvk_table_fill(call, table, &pairs, NULL);
}
DVP_DEFINE_ANY(initialize, NULL, NULL, initialize_compute);

DVP_COMPUTE(remove_compute) {
  (void)state;
  dvp_view keys;
  dvk_table *table = dvk_table_input(call);
  if (!table || !dvp_input(call, 1, &keys)) return;
  int64_t count = 0;
  const dvk_options *options = dvk_table_options(table);
  if (check_key(call, options, &keys) && count_keys(call, options, &keys, options->key_rank, &count))
    dvk_table_remove(call, table, keys.data, count);
}
DVP_DEFINE_ANY(remove, NULL, NULL, remove_compute);

// ---- reading ----

DVP_COMPUTE(size_compute) {
  (void)state;
  dvk_table *table = dvk_table_input(call);
  int64_t *out = table ? dvp_output(call, 0, NULL, 0) : NULL;
  if (out) *out = dvk_table_size(table);
}
DVP_DEFINE_ANY(table_size, NULL, NULL, size_compute);

DVP_COMPUTE(export_compute) {
  (void)state;
  dvk_table *table = dvk_table_input(call);
  if (!table) return;
  const dvk_options *options = dvk_table_options(table);
  if (TF_ExpectedOutputDataType(call->ctx, 0) != options->key ||
      TF_ExpectedOutputDataType(call->ctx, 1) != options->value)
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "The table has keys of dtype %d and values of dtype %d, but %d and %d are wanted", options->key,
             options->value, TF_ExpectedOutputDataType(call->ctx, 0),
             TF_ExpectedOutputDataType(call->ctx, 1));
  else
    dvk_table_export(call, table);
}
DVP_DEFINE_ANY(export_all, NULL, NULL, export_compute);
