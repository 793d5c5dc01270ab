// The ops that make tables: HashTable, MutableHashTable, MutableHashTableOfTensors in their versions,
// MutableDenseHashTableV2, and the anonymous forms. A reference to a table is its handle, too.
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dovetail/kernel_construction.h"
#include "lookup/table.h"

typedef struct make_state {
  dvk_options options;
  char *container, *name;  // no name: a table of its own for every run
  size_t container_bytes, name_bytes;
  _Atomic(TF_Tensor *) handle;  // made by the first run, if there is a name
} make_state;

static bool is_key(TF_DataType t) { return t == TF_INT32 || t == TF_INT64 || t == TF_STRING; }
static bool is_value(TF_DataType t) { return is_key(t) || t == TF_FLOAT || t == TF_DOUBLE || t == TF_BOOL; }

static make_state *new_state(TF_OpKernelConstruction *ctx, dvk_kind kind) {
  make_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->options = (dvk_options){.kind = kind,
                                 .key = dvp_attr_type(ctx, "key_dtype"),
                                 .value = dvp_attr_type(ctx, "value_dtype"),
                                 .key_size = 1,
                                 .value_size = 1};
  if (!is_key(state->options.key) || !is_value(state->options.value))
    dvp_create_fail(
        ctx, TF_UNIMPLEMENTED,
        "There are no tables from dtype %d to dtype %d: keys are int32, int64 or string, values these, "
        "float, double or bool",
        state->options.key, state->options.value);
  return state;
}

// Values of a table of tensors are vectors, those of a dense one may be.
static void get_value_shape(TF_OpKernelConstruction *ctx, make_state *state, bool may_be_scalar) {
  int64_t dims[1] = {0};
  int rank = -1;
  TF_Status *status = TF_NewStatus();
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "value_shape", dims, 1, &rank, status);
  bool fine = TF_GetCode(status) == TF_OK && ((rank == 1 && dims[0] >= 0) || (rank == 0 && may_be_scalar));
  TF_DeleteStatus(status);
  if (!fine)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "Attribute value_shape must be that of %sa vector of known size",
                    may_be_scalar ? "a scalar or " : "");
  else if (state && rank == 1) {
    state->options.value_rank = 1;
    state->options.value_size = dims[0];
  }
}

// The name of the table; a node without one has a table of its own under its own name.
static void get_name(TF_OpKernelConstruction *ctx, make_state *state) {
  if (!state) return;
  state->container = dvp_attr_string_new(ctx, "container", &state->container_bytes);
  state->name = dvp_attr_string_new(ctx, "shared_name", &state->name_bytes);
  if (!state->name || state->name_bytes > 0) return;
  bool by_node = dvp_attr_bool(ctx, "use_node_name_sharing");
  const char *prefix = by_node ? "" : "_own/";
  TF_StringView node = TF_OpKernelConstruction_GetName(ctx);
  char *name = malloc(node.len + strlen(prefix) + 1);
  if (!name) {
    dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for the name of a table");
    return;
  }
  memcpy(name, prefix, strlen(prefix));
  memcpy(name + strlen(prefix), node.data, node.len);
  free(state->name);
  state->name = name;
  state->name_bytes = strlen(prefix) + node.len;
}

static void *hash_table_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_STATIC);
  get_name(ctx, state);
  return state;
}
static void *mutable_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_MUTABLE);
  get_name(ctx, state);
  return state;
}
static void *of_tensors_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_OF_TENSORS);
  get_value_shape(ctx, state, false);
  get_name(ctx, state);
  return state;
}
static void *anonymous_create(TF_OpKernelConstruction *ctx) { return new_state(ctx, DVK_STATIC); }
static void *anonymous_mutable_create(TF_OpKernelConstruction *ctx) { return new_state(ctx, DVK_MUTABLE); }
static void *anonymous_of_tensors_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_OF_TENSORS);
  get_value_shape(ctx, state, false);
  return state;
}

// Sizes of a dense table are checked as stock does; the table has its own.
static make_state *new_dense(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_DENSE);
  get_value_shape(ctx, state, true);
  int64_t buckets = dvp_attr_int(ctx, "initial_num_buckets");
  float load = dvp_attr_float(ctx, "max_load_factor");
  if (buckets < 4 || (buckets & (buckets - 1)) != 0)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "Number of buckets must be at least 4 and a power of 2, got: %" PRId64, buckets);
  if (!(load > 0 && load < 1))
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "max_load_factor must be between 0 and 1, got: %g",
                    (double)load);
  return state;
}
static void *dense_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_dense(ctx);
  get_name(ctx, state);
  return state;
}
static void *anonymous_dense_create(TF_OpKernelConstruction *ctx) { return new_dense(ctx); }

static void make_destroy(void *arg) {
  make_state *state = arg;
  if (!state) return;
  TF_DeleteTensor(state->handle);
  free(state->container);
  free(state->name);
  free(state);
}

// The keys that no entry may have, from inputs 0 and 1; a key is what they are.
static bool reserve_keys(dvp_call *call, dvp_view keys[2], dvk_options *options) {
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &keys[0]) || !dvp_input(call, 1, &keys[1])) return false;
  if (keys[0].rank > 1 || !dvp_same_shape(&keys[0], &keys[1]))
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "empty_key and deleted_key must be scalars, or vectors of one size, but have shapes %s "
                    "and %s",
                    dvp_shape_text(keys[0].dims, keys[0].rank, a),
                    dvp_shape_text(keys[1].dims, keys[1].rank, b));
  options->key_rank = keys[0].rank;
  options->key_size = keys[0].count;
  options->empty_key = keys[0].data;
  options->deleted_key = keys[1].data;
  return !dvk_same_elements(options->key, keys[0].data, keys[1].data, keys[0].count) ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "Empty and deleted keys cannot be equal");
}

static TF_Tensor *new_handle(dvp_call *call, const make_state *make) {
  dvk_options options = make->options;
  dvp_view keys[2];
  if (options.kind == DVK_DENSE && !reserve_keys(call, keys, &options)) return NULL;
  return dvk_table_handle(call, make->container, make->container_bytes, make->name, make->name_bytes,
                          &options);
}

DVP_COMPUTE(make_table_compute) {
  make_state *make = state;
  TF_Tensor *handle = atomic_load(&make->handle), *none = NULL;
  bool keep = false;
  if (!handle) {
    handle = new_handle(call, make);
    if (!handle) return;
    keep = make->name_bytes > 0 && atomic_compare_exchange_strong(&make->handle, &none, handle);
  } else {
    keep = true;
  }
  TF_SetOutput(call->ctx, 0, handle, call->status);
  if (!keep) TF_DeleteTensor(handle);
  dvp_ok(call);
}

#define MAKE_OP(name)                                                  \
  static const dvp_kernel name##_rows[] = {DVP_KERNEL(0, make_table)}; \
  DVP_DEFINE_SET(name, NULL, name##_create, make_destroy, name##_rows)
MAKE_OP(hash_table);
MAKE_OP(mutable);
MAKE_OP(of_tensors);
MAKE_OP(anonymous);
MAKE_OP(anonymous_mutable);
MAKE_OP(anonymous_of_tensors);
MAKE_OP(dense);
MAKE_OP(anonymous_dense);
