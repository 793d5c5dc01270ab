// TF_GetRendezvous: values that kernels of a step pass to each other by name (kernel/rendezvous.c), behind
// the functions of the thunk. There is one process and one kind of memory, so nothing of `args` matters here.
#include "kernel/checked.h"
#include "kernel/context.h"
#include "tensorflow/c/kernels.h"

static dvt_status key_of(const void *rendezvous, const TF_RendezvousParsedKey *key, dvt_str *out_key) {
  if (!rendezvous)
    return dvt_error(TF_FAILED_PRECONDITION, "the call that the rendezvous was asked of is over");
  if (!key || !key->full_key || key->full_key_size == 0)
    return dvt_error(TF_INVALID_ARGUMENT, "the rendezvous was given no key (NULL or empty)");
  *out_key = dvt_str_make(key->full_key, key->full_key_size);
  return NULL;
}

static void send_value(void *rendezvous, TF_RendezvousSend_Params *params) {
  dvt_str key;
  dvt_status error = key_of(rendezvous, params->key, &key);
  if (!error) error = dvt_rendezvous_send(rendezvous, key, params->tensor, params->is_dead);
  dvt_status_to_tf(error, params->status);
}

typedef struct receiver {
  void *context;
  TF_RendezvousDoneCallbackImpl on_done;
} receiver;

// The kernel sees a handle like any other.
static void report(const receiver *r, dvt_status error, const TF_Tensor *value, bool is_dead) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *handle = value ? dvt_tensor_handle_copy(value) : NULL;
  error = value && !handle ? dvt_error_out_of_memory(sizeof *handle) : dvt_status_clone(error);
  if (status)
    dvt_status_to_tf(error, status);
  else
    dvt_status_free(error);
  TF_RendezvousDoneCallback_Params answer = {
      .context = r->context, .status = status, .tensor = handle, .is_dead = is_dead};
  r->on_done.callback(r->on_done.context, &answer);
  TF_DeleteTensor(handle);
  TF_DeleteStatus(status);
}

static void receive_value(void *arg, dvt_status error, const TF_Tensor *value, bool is_dead) {
  receiver *r = arg;
  report(r, error, value, is_dead);
  dvt_free(r);
}

static void async_receive(void *rendezvous, TF_RendezvousAsyncRecv_Params *params) {
  receiver here = {params->context, params->on_done}, *kept;
  dvt_str key;
  if (!here.on_done.callback) return;  // nobody to tell
  dvt_status error = key_of(rendezvous, params->key, &key);
  if (!error && !(kept = dvt_malloc(sizeof *kept))) error = dvt_error_out_of_memory(sizeof *kept);
  if (error) {
    report(&here, error, NULL, false);
    dvt_status_free(error);
    return;
  }
  *kept = here;
  dvt_rendezvous_receive(rendezvous, key, receive_value, kept);
}

static void start_abort(void *rendezvous, const TF_Status *status) {
  if (!rendezvous) return;
  dvt_status reason = status ? dvt_status_from_tf(status) : NULL;
  if (!reason) reason = dvt_error(TF_CANCELLED, "the rendezvous was aborted without a reason");
  dvt_rendezvous_abort_step(rendezvous, reason);
}

TF_RendezvousThunk TF_GetRendezvous(TF_OpKernelContext *ctx) {
  dvt_step *step = dvt_context_refuses(ctx, __func__, NULL) ? NULL : dvt_step_outermost(ctx->step);
  return (TF_RendezvousThunk){.rendezvous = step,
                              .send_func = send_value,
                              .async_recv_func = async_receive,
                              .start_abort_func = start_abort};
}
