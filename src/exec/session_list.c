// The list is a plain one under a mutex: sessions come and go rarely. Calls that meet a held session step
// back and wait for one condition that all sessions share.
#include "exec/session_list.h"

#include "exec/run.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;  // also: a closer is gone
static TF_Session *newest;                                // under the mutex, as the next
static int64_t last_number;
static atomic_int ending;

void dvt_session_list_lock(void) { pthread_mutex_lock(&mutex); }

void dvt_session_list_unlock(void) { pthread_mutex_unlock(&mutex); }

// Calls that wait for the session to be let go learn that it is closed.
void dvt_session_begin_closing(TF_Session *session) {
  pthread_mutex_lock(&mutex);
  session->closers++;
  pthread_cond_broadcast(&let_go);
  pthread_mutex_unlock(&mutex);
}

void dvt_session_end_closing(TF_Session *session) {
  pthread_mutex_lock(&mutex);
  session->closers--;
  pthread_cond_broadcast(&let_go);
  pthread_mutex_unlock(&mutex);
}

void dvt_session_list_lock_plans(TF_Session *session) {
  pthread_mutex_lock(&mutex);
  while (session->closers > 0) pthread_cond_wait(&let_go, &mutex);
}

TF_Session *dvt_session_list_first(void) { return newest; }

void dvt_session_list_add(TF_Session *session) {
  pthread_mutex_lock(&mutex);
  session->number = ++last_number;
  session->older = newest;
  if (newest) newest->newer = session;
  newest = session;
  pthread_mutex_unlock(&mutex);
}

void dvt_session_list_remove(TF_Session *session) {
  if (session->number == 0) return;
  pthread_mutex_lock(&mutex);
  if (session->newer)
    session->newer->older = session->older;
  else
    newest = session->older;
  if (session->older) session->older->newer = session->newer;
  atomic_fetch_add(&ending, 1);
  pthread_mutex_unlock(&mutex);
}

void dvt_session_list_ended(const TF_Session *session) {
  if (session->number > 0) atomic_fetch_sub(&ending, 1);
}

bool dvt_session_list_is_one_ending(void) { return atomic_load(&ending) > 0; }

// False for a session whose last reference is gone: it waits for the mutex to leave the list.
static bool retain(TF_Session *session) {
  int refs = atomic_load(&session->refs);
  while (refs > 0)
    if (atomic_compare_exchange_weak(&session->refs, &refs, refs + 1)) return true;
  return false;
}

bool dvt_session_list_snapshot(TF_Session ***out_sessions, size_t *out_count) {
  size_t count = 0, kept = 0;
  pthread_mutex_lock(&mutex);
  for (TF_Session *session = newest; session; session = session->older) count++;
  TF_Session **sessions = dvt_calloc(count + 1, sizeof *sessions);
  for (TF_Session *session = newest; sessions && session; session = session->older)
    if (retain(session)) sessions[kept++] = session;
  pthread_mutex_unlock(&mutex);
  if (!sessions) return false;
  for (size_t i = 0; i < kept / 2; i++) {
    TF_Session *swapped = sessions[i];
    sessions[i] = sessions[kept - 1 - i];
    sessions[kept - 1 - i] = swapped;
  }
  *out_sessions = sessions;
  *out_count = kept;
  return true;
}

void dvt_session_hold(TF_Session *session) { atomic_fetch_or(&session->gate, DVT_GATE_HELD); }

void dvt_session_let_go(TF_Session *session) {
  pthread_mutex_lock(&mutex);
  atomic_fetch_and(&session->gate, ~DVT_GATE_HELD);
  pthread_cond_broadcast(&let_go);
  pthread_mutex_unlock(&mutex);
}

// A parked call is counted as such before it no longer counts as active, and the other way round afterwards,
// so that who frees the session always sees it.
dvt_status dvt_session_begin_at_gate(TF_Session *session, atomic_int **entered) {
  for (;;) {
    int gate = atomic_load(&session->gate);
    if (gate == 0) return NULL;
    if (gate & DVT_GATE_CLOSED) {
      dvt_session_leave(*entered);
      return dvt_closed_error();
    }
    atomic_fetch_add(&session->parked, 1);
    dvt_session_leave(*entered);
    pthread_mutex_lock(&mutex);
    while (atomic_load(&session->gate) == DVT_GATE_HELD) pthread_cond_wait(&let_go, &mutex);
    pthread_mutex_unlock(&mutex);
    *entered = dvt_session_enter(session);
    atomic_fetch_sub(&session->parked, 1);
  }
}

bool dvt_session_is_quiet(TF_Session *session, int own_refs) {
  if (dvt_session_is_active(session)) return false;
  int owner = atomic_load(&session->is_released) ? 0 : 1;
  return atomic_load(&session->refs) <= own_refs + owner;
}
