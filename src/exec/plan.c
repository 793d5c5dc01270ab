// Making and destroying plans: expansion, folding, fusing, tables, and what is checked of feeds.
#include "exec/plan.h"

#include "exec/fuse.h"
#include "exec/report.h"
#include "exec/run.h"
#include "exec/share.h"
#include "tensor/tensor_proto.h"

#define SCALAR_PLACEHOLDER_VERSION \
  21  // up to this GraphDef version a Placeholder of shape [] takes any shape

// What the placeholder's attr `shape` asks for; other tensors may be fed in any shape.
static dvt_status declared_shape(dvt_plan *plan, const TF_Operation *op, dvt_plan_feed *feed) {
  dvt_str op_name = op->def.op->name, value, proto;
  if (!dvt_str_is(op_name, "Placeholder") && !dvt_str_is(op_name, "PlaceholderV2") &&
      !dvt_str_is(op_name, "PlaceholderWithDefault"))
    return NULL;
  if (!dvt_node_attr(&op->def, DVT_STR("shape"), &value)) return NULL;
  int64_t dims[DVT_MAX_RANK];
  int rank;
  DVT_RETURN_IF_ERROR(dvt_attr_get_shape(value, &proto));
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank));
  if (rank < 0 || (rank == 0 && plan->session->graph_def_version <= SCALAR_PLACEHOLDER_VERSION)) return NULL;
  int64_t *kept = dvt_arena_alloc(&plan->arena, (size_t)rank * sizeof *kept);
  if (!kept) return dvt_error_out_of_memory((size_t)rank * sizeof *kept);
  if (rank) memcpy(kept, dims, (size_t)rank * sizeof *kept);
  feed->rank = rank;
  feed->dims = kept;
  return NULL;
}

static dvt_status describe_feeds(dvt_plan *plan) {
  plan->feeds = dvt_arena_calloc(&plan->arena, (size_t)plan->feed_count, sizeof *plan->feeds);
  if (!plan->feeds) return dvt_error_out_of_memory((size_t)plan->feed_count * sizeof *plan->feeds);
  for (int32_t i = 0; i < plan->feed_count; i++) {
    const TF_Operation *op = plan->feed_keys[i].oper;
    int dtype = op->def.output_types[plan->feed_keys[i].index];
    plan->feeds[i] = (dvt_plan_feed){.dtype = dtype > DVT_DTYPE_REF_OFFSET ? TF_RESOURCE : dtype, .rank = -1};
    DVT_RETURN_IF_ERROR(declared_shape(plan, op, &plan->feeds[i]));
  }
  return NULL;
}

static void *copy(dvt_arena *arena, const void *from, int count, size_t bytes_each) {
  void *to = dvt_arena_alloc(arena, (size_t)count * bytes_each);
  if (to && count) memcpy(to, from, (size_t)count * bytes_each);
  return to;
}

static dvt_status build(TF_Session *session, dvt_instance *root, dvt_plan *plan) {
  dvt_expansion x = {0};
  dvt_status status = dvt_expand(session, root, plan->feed_keys, plan->feed_count, plan->fetch_keys,
                                 plan->fetch_count, plan->target_keys, plan->target_count, &x);
  if (!status && session->report) status = dvt_report_begin(session->report, &x);
  if (!status) status = dvt_fold(&x);
  if (!status) status = dvt_share(&x);
  if (!status) status = dvt_fuse(&x, plan->fetch_count);
  if (!status && session->report) status = dvt_report_end(session->report, &x);
  if (!status) status = dvt_plan_build(session, &x, plan->fetch_count, plan);
  dvt_expansion_deinit(&x);
  DVT_RETURN_IF_ERROR(status);
  DVT_RETURN_IF_ERROR(describe_feeds(plan));
  dvt_plan_mode mode = DVT_PLAN_FLOW;
  if (plan->has_array) {
    DVT_RETURN_IF_ERROR(dvt_plan_build_array(plan));
    mode = session->inter_op_threads > 1 && plan->array.step_count > 2 ? DVT_PLAN_MEASURE : DVT_PLAN_ARRAY;
  } else {
    DVT_RETURN_IF_ERROR(dvt_flow_make(plan));
  }
  atomic_store(&plan->mode, mode);
  return NULL;
}

dvt_status dvt_plan_make(TF_Session *session, dvt_instance *root, bool owns_feeds, const TF_Output *feeds,
                         int feed_count, const TF_Output *fetches, int fetch_count,
                         const TF_Operation *const *targets, int target_count, dvt_plan **out_plan) {
  dvt_plan *plan = dvt_aligned_alloc(_Alignof(dvt_plan), sizeof *plan);
  if (!plan) return dvt_error_out_of_memory(sizeof *plan);
  memset(plan, 0, sizeof *plan);
  plan->session = session;
  plan->owns_feeds = owns_feeds;
  dvt_state_pool_init(&plan->array_states);
  dvt_state_pool_init(&plan->flow_states);
  plan->feed_count = feed_count;
  plan->fetch_count = fetch_count;
  plan->target_count = target_count;
  plan->feed_keys = copy(&plan->arena, feeds, feed_count, sizeof *feeds);
  plan->fetch_keys = copy(&plan->arena, fetches, fetch_count, sizeof *fetches);
  plan->target_keys = copy(&plan->arena, targets, target_count, sizeof *targets);
  dvt_status status = plan->feed_keys && plan->fetch_keys && plan->target_keys
                          ? build(session, root, plan)
                          : dvt_error_out_of_memory((size_t)feed_count * sizeof *feeds);
  if (status)
    dvt_plan_destroy(plan);
  else
    *out_plan = plan;
  return status;
}

void dvt_plan_destroy(dvt_plan *plan) {
  dvt_array_states_deinit(plan);
  dvt_flow_states_deinit(plan);
  dvt_arena_deinit(&plan->arena);
  dvt_free(plan);
}
