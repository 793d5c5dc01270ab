// TF_GetRendezvous inside sessions: kernels of one step pass tensors to each other. The mechanism by itself
// is tested in kernel/rendezvous_test.c.
#include "capi/context_session_test_util.h"

static const char *key_text = "edge_1";
static atomic_int received;

static TF_RendezvousParsedKey make_key(void) {
  return (TF_RendezvousParsedKey){(char *)key_text, (uint32_t)strlen(key_text)};
}

static void finish_receive(void *context, TF_RendezvousDoneCallback_Params *params) {
  async_wait *w = context;
  TF_Status *status = TF_NewStatus();
  if (TF_GetCode(params->status) != TF_OK)
    TF_OpKernelContext_Failure(w->ctx, (TF_Status *)params->status);
  else
    TF_SetOutput(w->ctx, 0, params->tensor, status);
  TF_DeleteStatus(status);
  TF_AsyncOpKernelDoneCallback *done = w->done;
  free(w);
  atomic_fetch_add(&received, 1);
  TF_RunAsyncOpKernelDoneCallback(done);
}

static void receive_async(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
  TF_RendezvousParsedKey key = make_key();
  async_wait *w = malloc(sizeof *w);
  *w = (async_wait){ctx, done};
  TF_RendezvousAsyncRecv_Params params = {.context = w, .key = &key, .on_done = {w, finish_receive}};
  thunk.async_recv_func(thunk.rendezvous, &params);
}

static void send(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
  TF_RendezvousParsedKey key = make_key();
  TF_Tensor *value = make_scalar(42);
  TF_RendezvousSend_Params params = {.key = &key, .tensor = value, .status = status};
  thunk.send_func(thunk.rendezvous, &params);
  TF_DeleteTensor(value);
  pass(ctx, status);
}

static void test_send_meets_receive(void **state) {
  (void)state;
  body = send;
  async_body = receive_async;
  for (int sender_first = 0; sender_first < 2; sender_first++) {
    TF_Graph *g = TF_NewGraph();
    TF_Output x = placeholder(g, "x", TF_FLOAT);
    TF_Operation *sender = node(g, "TestBody", "send", x, NONE, NULL);
    TF_Output r = OUT(node(g, "TestBodyAsync", "receive", x, NONE, sender_first ? sender : NULL));
    TF_Output sum = OUT(node(g, "TestAdd", "sum", r, OUT(sender), NULL));
    TF_Session *session = new_session(g, NULL, 0);
    for (int i = 0; i < 30; i++) assert_true(run_float(session, x, make_scalar(3), sum) == 45);
    end_session(session);
    TF_DeleteGraph(g);
  }
}

static void test_receive_without_send_ends_with_the_time_limit(void **state) {
  (void)state;
  async_body = receive_async;
  setting s = make("TestBodyAsync", false, NULL, 0);
  atomic_store(&received, 0);
  run_with_limit(&s, 5);
  assert_error(TF_DEADLINE_EXCEEDED, "time limit");
  assert_int_equal(received, 1);
  unmake(&s);
}

static void abort_step(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
  TF_SetStatus(status, TF_UNAVAILABLE, "the peer is gone");
  thunk.start_abort_func(thunk.rendezvous, status);
  TF_SetStatus(status, TF_OK, "");
  pass(ctx, status);
}

static void test_abort_reaches_the_receiver(void **state) {
  (void)state;
  body = abort_step;
  async_body = receive_async;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Output r = OUT(node(g, "TestBodyAsync", "receive", x, NONE, NULL)),
            a = OUT(node(g, "TestBody", "abort", x, NONE, NULL)),
            sum = OUT(node(g, "TestAdd", "sum", r, a, NULL));
  TF_Session *session = new_session(g, NULL, 0);
  TF_DeleteTensor(run1(session, x, make_scalar(1), sum));
  assert_error(TF_UNAVAILABLE, "the peer is gone");
  end_session(session);
  TF_DeleteGraph(g);
}

static TF_Code answered;
static void note_answer(void *context, TF_RendezvousDoneCallback_Params *params) {
  assert_null(context);
  answered = TF_GetCode(params->status);
}

static void misuse_rendezvous(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_RendezvousThunk thunk = TF_GetRendezvous(ctx);
  TF_RendezvousParsedKey key = make_key(), empty = {NULL, 0};
  TF_RendezvousSend_Params send_params = {.status = status};
  thunk.send_func(thunk.rendezvous, &send_params);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_non_null(strstr(TF_Message(status), "no key"));
  send_params.key = &key;
  thunk.send_func(thunk.rendezvous, &send_params);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_non_null(strstr(TF_Message(status), "no tensor was given to send under 'edge_1'"));
  TF_RendezvousAsyncRecv_Params receive_params = {.key = &empty, .on_done = {NULL, note_answer}};
  answered = TF_OK;
  thunk.async_recv_func(thunk.rendezvous, &receive_params);
  assert_int_equal(answered, TF_INVALID_ARGUMENT);
  receive_params.on_done.callback = NULL;
  thunk.async_recv_func(thunk.rendezvous, &receive_params);
  thunk.start_abort_func(thunk.rendezvous, NULL);
  TF_SetStatus(status, TF_OK, "");
  pass(ctx, status);
}

static void test_misuse_of_the_rendezvous_is_answered(void **state) {
  (void)state;
  body = misuse_rendezvous;
  setting s = make("TestBody", false, NULL, 0);
  run_once(&s);
  run_once(&s);  // the abort ended with its step
  unmake(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_send_meets_receive),
      cmocka_unit_test(test_receive_without_send_ends_with_the_time_limit),
      cmocka_unit_test(test_abort_reaches_the_receiver),
      cmocka_unit_test(test_misuse_of_the_rendezvous_is_answered),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
