// Values that kernels of one step pass to each other by name. A list of what waits: values that were sent, in
// the order of sending, or receivers, in the order of asking; of one name there are never both.
#include "kernel/step_extras.h"

struct dvt_rendezvous_entry {
  dvt_rendezvous_entry *next;
  dvt_receive_fn receive;  // NULL: a value
  void *arg;
  TF_Tensor value;
  bool is_dead;
  size_t key_len;
  char key[];
};

static dvt_str key_of(const dvt_rendezvous_entry *entry) { return dvt_str_make(entry->key, entry->key_len); }

static void entry_free(dvt_rendezvous_entry *entry) {
  dvt_tensor_reset(&entry->value);
  dvt_free(entry);
}

static dvt_rendezvous_entry *entry_new(dvt_str key) {
  dvt_rendezvous_entry *entry = dvt_calloc(1, sizeof *entry + key.len);
  if (!entry) return NULL;
  entry->key_len = key.len;
  if (key.len) memcpy(entry->key, key.data, key.len);
  return entry;
}

static void append(dvt_step_extras *extras, dvt_rendezvous_entry *entry) {
  dvt_rendezvous_entry **last = &extras->entries;
  while (*last) last = &(*last)->next;
  *last = entry;
}

static dvt_rendezvous_entry *take(dvt_step_extras *extras, dvt_str key, bool is_receiver) {
  for (dvt_rendezvous_entry **link = &extras->entries; *link; link = &(*link)->next) {
    dvt_rendezvous_entry *entry = *link;
    if (!dvt_str_eq(key_of(entry), key) || (entry->receive != NULL) != is_receiver) continue;
    *link = entry->next;
    return entry;
  }
  return NULL;
}

// Finds the receiver of a value, or the value for a receiver; else makes `entry` wait and sets *entry to
// NULL.
static dvt_status match(dvt_step_extras *extras, dvt_str key, dvt_rendezvous_entry **entry,
                        dvt_rendezvous_entry **out_other) {
  dvt_status status = NULL;
  pthread_mutex_lock(&extras->lock);
  if (extras->abort_reason) {
    status = dvt_status_clone(extras->abort_reason);
  } else if (!(*out_other = take(extras, key, !(*entry)->receive))) {
    append(extras, *entry);
    *entry = NULL;
  }
  pthread_mutex_unlock(&extras->lock);
  return status;
}

dvt_status dvt_rendezvous_send(dvt_step *step, dvt_str key, const TF_Tensor *value, bool is_dead) {
  bool is_missing = !value || dvt_tensor_is_empty(value);
  if (is_missing && !is_dead)
    return dvt_error(TF_INVALID_ARGUMENT, "no tensor was given to send under '" DVT_STR_FMT "'",
                     DVT_STR_ARG(key));
  dvt_step_extras *extras = dvt_step_extras_get(dvt_step_outermost(step));
  dvt_rendezvous_entry *entry = extras ? entry_new(key) : NULL, *receiver = NULL;
  if (!entry) return dvt_error_out_of_memory(sizeof *entry + key.len);
  entry->is_dead = is_dead;
  dvt_status status = is_missing ? NULL : dvt_tensor_init_copy(&entry->value, value);
  if (!status) status = match(extras, key, &entry, &receiver);
  if (receiver) {
    receiver->receive(receiver->arg, NULL, is_missing ? NULL : &entry->value, is_dead);
    entry_free(receiver);
  }
  if (entry) entry_free(entry);
  return status;
}

void dvt_rendezvous_receive(dvt_step *step, dvt_str key, dvt_receive_fn fn, void *arg) {
  dvt_step_extras *extras = dvt_step_extras_get(dvt_step_outermost(step));
  dvt_rendezvous_entry *entry = extras ? entry_new(key) : NULL, *value = NULL;
  dvt_status status = entry ? NULL : dvt_error_out_of_memory(sizeof *entry + key.len);
  if (entry) {
    entry->receive = fn;
    entry->arg = arg;
    status = match(extras, key, &entry, &value);
  }
  if (status)
    fn(arg, status, NULL, false);
  else if (value)
    fn(arg, NULL, dvt_tensor_is_empty(&value->value) ? NULL : &value->value, value->is_dead);
  dvt_status_free(status);
  if (value) entry_free(value);
  if (entry) entry_free(entry);
}

static dvt_rendezvous_entry *take_all(dvt_step_extras *extras) {
  dvt_rendezvous_entry *all = extras->entries;
  extras->entries = NULL;
  return all;
}

static void answer(dvt_rendezvous_entry *all, dvt_status reason) {
  while (all) {
    dvt_rendezvous_entry *entry = all;
    all = entry->next;
    if (entry->receive) entry->receive(entry->arg, reason, NULL, false);
    entry_free(entry);
  }
}

// The reason is cloned for the receivers: one of them may end the step, which forgets its reason.
void dvt_rendezvous_abort(dvt_step_extras *extras, dvt_status reason) {
  dvt_status for_receivers = dvt_status_clone(reason);
  pthread_mutex_lock(&extras->lock);
  bool first = !extras->abort_reason;
  if (first) extras->abort_reason = reason;
  dvt_rendezvous_entry *waiting = take_all(extras);
  pthread_mutex_unlock(&extras->lock);
  if (!first) dvt_status_free(reason);
  answer(waiting, for_receivers);
  dvt_status_free(for_receivers);
}

void dvt_rendezvous_abort_step(dvt_step *step, dvt_status reason) {
  dvt_step_extras *extras = dvt_step_extras_get(dvt_step_outermost(step));
  if (extras)
    dvt_rendezvous_abort(extras, reason);
  else
    dvt_status_free(reason);
}

void dvt_rendezvous_end(dvt_step_extras *extras) {
  pthread_mutex_lock(&extras->lock);
  bool is_waiting = extras->entries != NULL;
  pthread_mutex_unlock(&extras->lock);
  if (is_waiting)
    dvt_rendezvous_abort(extras, dvt_error(TF_CANCELLED, "the step ended before anything was sent"));
  pthread_mutex_lock(&extras->lock);
  dvt_status_free(extras->abort_reason);
  extras->abort_reason = NULL;
  pthread_mutex_unlock(&extras->lock);
}
