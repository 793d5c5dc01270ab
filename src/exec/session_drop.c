// Walks over everything a session has made: its graph's nodes, those of inlined bodies and of callables, and
// the fused nodes that hang at them. Plans are dropped whole, since they share folded values.
#include "exec/session_drop.h"

#include "exec/callable.h"
#include "exec/fuse.h"
#include "exec/session_list.h"

typedef void (*node_visitor)(void *arg, dvt_session_node *node);

static void visit_nodes(dvt_instance *instance, node_visitor visit, void *arg) {
  for (size_t i = 0; i < instance->capacity; i++)
    if (instance->nodes[i]) visit(arg, instance->nodes[i]);
}

// Inner bodies first, as dvt_instances_deinit does: their kernels may look at what outer ones hold.
static void visit_all(TF_Session *session, node_visitor visit, void *arg) {
  for (dvt_instance *i = session->instances; i; i = i->next) visit_nodes(i, visit, arg);
  visit_nodes(&session->root, visit, arg);
  for (dvt_callable *c = atomic_load(&session->callables); c; c = c->next)
    if (c->has_body) visit_nodes(&c->body, visit, arg);
}

typedef struct user_search {
  const dvt_plugin *plugin;
  int count;
  dvt_buf *out;  // NULL: only counted
} user_search;

enum { LISTED_USERS = 8 };

static void look_at(user_search *search, const dvt_session_node *node) {
  if (!node->kernel_def || node->kernel_def->plugin != search->plugin) return;
  if (search->count++ >= LISTED_USERS || !search->out) return;
  dvt_buf_printf(search->out, "%s'", search->count > 1 ? ", " : "");
  dvt_session_node_name(node, search->out);
  dvt_buf_printf(search->out, "' (" DVT_STR_FMT ")", DVT_STR_ARG(node->op->def.op->name));
}

static void find_user(void *arg, dvt_session_node *node) {
  look_at(arg, node);
  for (const dvt_made_node *made = node->made; made; made = made->next) {
    if (made->node.op) look_at(arg, &made->node);
    for (int i = 0; i < DVT_MAX_OPERANDS; i++)
      if (made->operands[i]) look_at(arg, made->operands[i]);
  }
}

bool dvt_session_uses(TF_Session *session, const dvt_plugin *plugin) {
  user_search search = {.plugin = plugin};
  visit_all(session, find_user, &search);
  return search.count > 0;
}

void dvt_session_list_users(TF_Session *session, const dvt_plugin *plugin, dvt_buf *out) {
  user_search search = {plugin, 0, out};
  visit_all(session, find_user, &search);
  if (search.count > LISTED_USERS) dvt_buf_printf(out, " and %d more", search.count - LISTED_USERS);
}

static void destroy_plans(dvt_plan *plan) {
  while (plan) {
    dvt_plan *next = plan->next;
    dvt_plan_destroy(plan);
    plan = next;
  }
}

static void drop_plans(TF_Session *session) {
  dvt_plan *taken = NULL;
  dvt_session_list_lock_plans(session);
  for (size_t i = 0; i < DVT_PLAN_BUCKETS; i++) {
    dvt_plan *plan = atomic_exchange(&session->buckets[i], NULL);
    while (plan) {
      dvt_plan *next = plan->next;
      plan->next = taken;
      taken = plan;
      plan = next;
    }
  }
  for (dvt_callable *c = atomic_load(&session->callables); c; c = c->next)
    for (size_t i = 0; i < DVT_COUNT_OF(c->plans); i++) {
      dvt_plan *plan = atomic_exchange(&c->plans[i], NULL);
      if (!plan) continue;
      plan->next = taken;
      taken = plan;
    }
  dvt_session_list_unlock();
  destroy_plans(taken);
}

static void drop_from_node(void *arg, dvt_session_node *node) {
  const dvt_plugin *plugin = arg;
  dvt_made_nodes_deinit(node->made);
  node->made = NULL;
  if (node->kind == DVT_NODE_KERNEL) {
    for (int32_t i = 0; node->constants && i < node->op->def.output_count; i++)
      dvt_tensor_reset(&node->constants[i]);
    node->constants = NULL;
    node->repeats = NULL;
    node->fold = DVT_FOLD_UNKNOWN;
  }
  if (!node->kernel_def || node->kernel_def->plugin != plugin) return;
  if (node->has_kernel) dvt_kernel_destroy(&node->kernel);
  node->has_kernel = false;
  node->kernel_def = NULL;
}

void dvt_session_drop(TF_Session *session, const dvt_plugin *plugin) {
  drop_plans(session);
  visit_all(session, drop_from_node, (void *)plugin);
}
