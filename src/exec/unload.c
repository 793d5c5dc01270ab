// An unload tries, again and again until its time is up: hold the sessions that use the plugin, wait until
// they are quiet, drop what they made of it; then close the plugin's load and look, without waiting for
// anything, whether something uses it after all. docs/decisions/0017 tells why.
#include "exec/unload.h"

#include <stdio.h>
#include <time.h>

#include "base/log.h"
#include "exec/partial_run.h"
#include "exec/run.h"
#include "exec/session_drop.h"
#include "exec/session_list.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

typedef struct attempt {
  dvt_plugin *plugin;
  int64_t wait_ms, deadline_ns;  // monotonic; INT64_MAX: none
  TF_Session **held;             // sessions that use the plugin, with a reference to each
  size_t held_count;
} attempt;

typedef enum outcome { DONE, BUSY, REFUSED } outcome;

static bool is_over(const attempt *a) { return dvt_now_ns() >= a->deadline_ns; }

static void pause_briefly(void) { nanosleep(&(struct timespec){0, 200000}, NULL); }

static dvt_status refuse(const attempt *a, const char *what, dvt_buf *list) {
  dvt_status status = dvt_error(TF_FAILED_PRECONDITION, "plugin %s was not unloaded: %s" DVT_STR_FMT,
                                a->plugin->name, what, DVT_STR_ARG(dvt_buf_str(list)));
  dvt_buf_deinit(list);
  return status;
}

// ---- sessions ----

static void let_all_go(attempt *a) {
  for (size_t i = 0; i < a->held_count; i++) {
    dvt_session_let_go(a->held[i]);
    dvt_session_unref(a->held[i]);
  }
  dvt_free(a->held);
  a->held = NULL;
  a->held_count = 0;
}

static bool lock_plans(const attempt *a, TF_Session *session) {
  while (pthread_mutex_trylock(&session->build_lock) != 0) {
    if (is_over(a)) return false;
    pause_briefly();
  }
  return true;
}

// A session that makes a plan for longer than there is time counts as one that uses the plugin.
static bool hold_if_user(const attempt *a, TF_Session *session) {
  bool locked = lock_plans(a, session);
  bool uses = !locked || dvt_session_uses(session, a->plugin);
  if (uses) dvt_session_hold(session);
  if (locked) pthread_mutex_unlock(&session->build_lock);
  return uses;
}

static dvt_status hold_users(attempt *a) {
  size_t count;
  if (!dvt_session_list_snapshot(&a->held, &count)) return dvt_error_out_of_memory(sizeof *a->held);
  for (size_t i = 0; i < count; i++) {
    if (hold_if_user(a, a->held[i]))
      a->held[a->held_count++] = a->held[i];
    else
      dvt_session_unref(a->held[i]);
  }
  return NULL;
}

static void describe_session(const attempt *a, TF_Session *session, dvt_buf *out) {
  dvt_buf_printf(out, "%ssession %lld", out->len ? "; " : "", (long long)session->number);
  if (pthread_mutex_trylock(&session->build_lock) != 0) {
    dvt_buf_append_str(out, DVT_STR(" makes a plan"));
    return;
  }
  dvt_buf_append_str(out, DVT_STR(" with its kernels at nodes "));
  dvt_session_list_users(session, a->plugin, out);
  pthread_mutex_unlock(&session->build_lock);
}

static dvt_status still_running(const attempt *a) {
  dvt_buf list = {0};
  char what[128];
  for (size_t i = 0; i < a->held_count; i++)
    if (!dvt_session_is_quiet(a->held[i], 1)) describe_session(a, a->held[i], &list);
  snprintf(what, sizeof what, "after %lld ms steps were still running in ", (long long)a->wait_ms);
  return refuse(a, what, &list);
}

static dvt_status wait_until_quiet(const attempt *a) {
  for (size_t i = 0; i < a->held_count; i++)
    while (!dvt_session_is_quiet(a->held[i], 1)) {
      if (is_over(a)) return still_running(a);
      pause_briefly();
    }
  return NULL;
}

// They hold on to their plan between two calls.
static dvt_status check_partial_runs(const attempt *a) {
  dvt_buf list = {0};
  for (size_t i = 0; i < a->held_count; i++) {
    const char *handle = dvt_partial_runs_first(a->held[i]);
    if (handle)
      dvt_buf_printf(&list, "%s'%s' of session %lld", list.len ? ", " : "", handle,
                     (long long)a->held[i]->number);
  }
  return list.len ? refuse(a, "partial runs are not over: ", &list) : NULL;
}

static dvt_status empty_sessions(attempt *a) {
  DVT_RETURN_IF_ERROR(hold_users(a));
  DVT_RETURN_IF_ERROR(wait_until_quiet(a));
  DVT_RETURN_IF_ERROR(check_partial_runs(a));
  size_t kept = 0;
  for (size_t i = 0; i < a->held_count; i++) {
    TF_Session *session = a->held[i];
    dvt_session_drop(session, a->plugin);
    // One whose owner has gone ends here, with all it holds.
    if (atomic_load(&session->is_released))
      dvt_session_unref(session);
    else
      a->held[kept++] = session;
  }
  a->held_count = kept;
  return NULL;
}

// ---- the look ----

// Nothing here waits: others may wait for this thread with locks in hand.
static bool is_unused(const attempt *a) {
  const dvt_load *load = a->plugin->load;
  dvt_session_list_lock();
  bool unused = atomic_load(&load->users) == 0 && !dvt_session_list_is_one_ending();
  for (TF_Session *session = dvt_session_list_first(); session && unused; session = session->older) {
    unused = pthread_mutex_trylock(&session->build_lock) == 0;
    if (!unused) break;
    unused = !dvt_session_uses(session, a->plugin);
    pthread_mutex_unlock(&session->build_lock);
  }
  dvt_session_list_unlock();
  return unused;
}

static bool has_live_objects(const attempt *a, dvt_buf *out) {
  int kernels = atomic_load(&a->plugin->load->instances);
  long long objects = dvt_code_owner_live(a->plugin->code, out);
  if (kernels > 0) dvt_buf_printf(out, "%s%d kernels", objects ? ", " : "", kernels);
  return kernels > 0 || objects > 0;
}

// With the plugin lock, which the caller keeps when the answer is DONE.
static outcome look(const attempt *a, dvt_buf *live) {
  dvt_load_close(a->plugin->load);
  outcome result = !is_unused(a) ? BUSY : has_live_objects(a, live) ? REFUSED : DONE;
  dvt_load_settle(a->plugin->load, result == DONE);
  return result;
}

static dvt_status try_once(attempt *a, outcome *out_outcome) {
  dvt_buf live = {0};
  DVT_RETURN_IF_ERROR(empty_sessions(a));
  *out_outcome = BUSY;
  if (!dvt_plugin_try_lock()) return NULL;
  dvt_log_listener listener = dvt_log_take_listener(a->plugin->code);
  *out_outcome = look(a, &live);
  if (*out_outcome == DONE) return NULL;
  dvt_log_give_back_listener(listener);
  dvt_plugin_unlock();
  if (*out_outcome == BUSY) return NULL;
  dvt_status status = refuse(a, "alive are ", &live);
  return dvt_status_annotate(status, ". Delete them first; the sessions have dropped their plans");
}

// On success with the plugin lock held.
static dvt_status unload_locked(attempt *a) {
  dvt_status status = NULL;
  outcome result = BUSY;
  do {
    status = try_once(a, &result);
    if (!status && result == DONE) dvt_plugin_remove(a->plugin);
    let_all_go(a);
    if (status || result == DONE) return status;
    pause_briefly();
  } while (!is_over(a));
  dvt_buf none = {0};
  return refuse(a,
                "all the time plans were made with its kernels, its shape functions run, sessions ended, or "
                "plugins loaded",
                &none);
}

static dvt_status check_caller(const dvt_plugin *plugin) {
  if (!dvt_load_current()) return NULL;
  return dvt_error(TF_FAILED_PRECONDITION,
                   "plugin %s was not unloaded: a plugin is being loaded on this thread. Unload from outside",
                   plugin->name);
}

static bool take_turn(const attempt *a) {
  while (pthread_mutex_trylock(&one_at_a_time) != 0) {
    if (is_over(a)) return false;
    pause_briefly();
  }
  return true;
}

static dvt_status unload(dvt_plugin *plugin, int64_t wait_ms) {
  attempt a = {.plugin = plugin, .wait_ms = wait_ms, .deadline_ns = INT64_MAX};
  dvt_buf none = {0};
  if (wait_ms >= 0) a.deadline_ns = dvt_now_ns() + DVT_MIN(wait_ms, INT64_MAX / 4000000) * 1000000;
  DVT_RETURN_IF_ERROR(check_caller(plugin));
  if (!take_turn(&a)) return refuse(&a, "another plugin is being unloaded", &none);
  dvt_status status = dvt_plugin_is_gone(plugin)
                          ? dvt_error(TF_NOT_FOUND, "plugin %s was unloaded before", plugin->name)
                          : unload_locked(&a);
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}

dvt_status dvt_unload(dvt_plugin *plugin, int64_t wait_ms) {
  DVT_RETURN_IF_ERROR(unload(plugin, wait_ms));
  dvt_plugin_unlock();
  return NULL;
}

dvt_status dvt_reload(dvt_plugin *plugin, int64_t wait_ms, dvt_plugin **out_plugin) {
  dvt_plugin_set_reloading(true);
  dvt_status status = unload(plugin, wait_ms);
  if (!status) {
    status = dvt_plugin_load(plugin->path, out_plugin);
    dvt_plugin_unlock();
  }
  dvt_plugin_set_reloading(false);
  return status;
}
