// When nodes are fused and when not, how that is switched off, and what errors of fused nodes say. The
// kernels are the test's own: plain ones compute, the fused one fails, so that a run tells which was made.
// tests/model/fuse_test.py compares what fused nodes compute with stock.
#include "exec/exec_test_util.h"

static int set_up(void **state) {
  if (set_up_ops(state) != 0) return 1;
  register_op("MatMul",
              "a: T, b: T -> product: T | transpose_a: bool = false | transpose_b: bool = false | T: type",
              false);
  register_op("Relu", "features: T -> activations: T | T: type", false);
  register_op(
      "_FusedMatMul",
      "a: T, b: T, args: num_args * T -> product: T | transpose_a: bool = false | transpose_b: bool = "
      "false | T: type | num_args: int >= 0 | fused_ops: list(string) = [] | epsilon: float = 0.0001 | "
      "leakyrelu_alpha: float = 0.2",
      false);
  add_kernel("MatMul", NULL, add_compute, NULL);
  add_kernel("Relu", NULL, identity_compute, NULL);
  add_kernel("_FusedMatMul", NULL, fail_compute, NULL);
  return 0;
}

typedef struct net {
  TF_Graph *graph;
  TF_Output x, w;
  TF_Operation *product, *relu;
} net;

static net make_net(TF_Operation *(*between)(TF_Graph *graph, TF_Operation *product)) {
  net n = {.graph = TF_NewGraph()};
  n.x = placeholder(n.graph, "x", TF_FLOAT);
  n.w = constant(n.graph, "w", make_vector(3, 1));
  n.product = node(n.graph, "MatMul", "product", n.x, n.w, NULL);
  n.relu = node(n.graph, "Relu", "relu", OUT(n.product), NONE, between ? between(n.graph, n.product) : NULL);
  return n;
}

// Is a fused node run for x -> relu? It fails, and must say of what it was made.
static bool is_fused(const net *n, const void *config, size_t config_bytes) {
  TF_Session *session = new_session(n->graph, config, config_bytes);
  TF_DeleteTensor(run1(session, n->x, make_vector(3, 0), OUT(n->relu)));
  bool fused = TF_GetCode(S) != TF_OK;
  if (fused)
    assert_error(TF_FAILED_PRECONDITION,
                 "[[{{node relu}}]]\n\t in op '_FusedMatMul', fused from 'product', 'relu', given ");
  end_session(session);
  return fused;
}

static void test_chain_is_fused(void **state) {
  (void)state;
  net n = make_net(NULL);
  assert_true(is_fused(&n, NULL, 0));
  TF_DeleteGraph(n.graph);
}

static void test_config_switches_off(void **state) {
  (void)state;
  net n = make_net(NULL);
  // graph_options { optimizer_options { opt_level: L0 } }
  const unsigned char level[] = {0x52, 13, 0x1a, 11, 0x18, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1};
  // graph_options { rewrite_options { remapping: OFF } }, { disable_meta_optimizer: true }, {
  // constant_folding: OFF }
  const unsigned char remapping[] = {0x52, 4, 0x52, 2, 0x70, 2}, meta[] = {0x52, 5, 0x52, 3, 0x98, 1, 1},
                      folding[] = {0x52, 4, 0x52, 2, 0x18, 2};
  assert_false(is_fused(&n, level, sizeof level));
  assert_false(is_fused(&n, remapping, sizeof remapping));
  assert_false(is_fused(&n, meta, sizeof meta));
  assert_true(is_fused(&n, folding, sizeof folding));
  TF_DeleteGraph(n.graph);
}

static void test_environment_switches_off(void **state) {
  (void)state;
  net n = make_net(NULL);
  static const struct {
    const char *text;
    bool fused;
  } rows[] = {{"none", false},           {"fold", false}, {"fuse", true},
              {"fold,batch_norm", true}, {"all", true},   {"", true}};
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    setenv("DOVETAIL_OPTIMIZE", rows[i].text, 1);
    assert_int_equal(is_fused(&n, NULL, 0), rows[i].fused);
  }
  setenv("DOVETAIL_OPTIMIZE", "fold,everything", 1);
  TF_SessionOptions *options = TF_NewSessionOptions();
  assert_null(TF_NewSession(n.graph, options, S));
  assert_error(TF_INVALID_ARGUMENT, "'everything' is no optimisation");
  TF_DeleteSessionOptions(options);
  unsetenv("DOVETAIL_OPTIMIZE");
  TF_DeleteGraph(n.graph);
}

static TF_Operation *identity_control(TF_Graph *graph, TF_Operation *product) {
  (void)product;
  TF_Output c = float_constant(graph, "c", 1);
  return node(graph, "TestIdentity", "other", c, NONE, node(graph, "NoOp", "wait", NONE, NONE, NULL));
}
static TF_Operation *after_product(TF_Graph *graph, TF_Operation *product) {
  return node(graph, "NoOp", "wait", NONE, NONE, product);
}

static void test_control_edges_prevent(void **state) {
  (void)state;
  net in = make_net(identity_control), out = make_net(after_product);
  assert_false(is_fused(&in, NULL, 0));
  assert_false(is_fused(&out, NULL, 0));
  TF_DeleteGraph(in.graph);
  TF_DeleteGraph(out.graph);
}

// Fetched, fed, a target, read by another: the first node's own value is needed.
static void test_other_uses_prevent(void **state) {
  (void)state;
  net n = make_net(NULL);
  TF_Operation *other = node(n.graph, "TestIdentity", "other", OUT(n.product), NONE, NULL);
  TF_Session *session = new_session(n.graph, NULL, 0);
  TF_Tensor *x = make_vector(3, 0), *values[2] = {0};
  TF_Output both[2] = {OUT(n.relu), OUT(n.product)}, product = OUT(n.product);
  const TF_Operation *targets[] = {n.product};
  for (int i = 0; i < 4; i++) {
    if (i == 1) both[1] = OUT(other);
    TF_SessionRun(session, NULL, i == 2 ? &product : &n.x, &x, 1, both, values, i < 2 ? 2 : 1, targets,
                  i == 3, NULL, S);
    assert_ok();
    for (int k = 0; k < (i < 2 ? 2 : 1); k++) TF_DeleteTensor(values[k]);
  }
  TF_DeleteTensor(x);
  // The plan that needs no more than the end of the chain has it fused all the same.
  TF_DeleteTensor(run1(session, n.x, make_vector(3, 0), OUT(n.relu)));
  assert_error(TF_FAILED_PRECONDITION, "fused from");
  end_session(session);
  TF_DeleteGraph(n.graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain_is_fused),           cmocka_unit_test(test_config_switches_off),
      cmocka_unit_test(test_environment_switches_off), cmocka_unit_test(test_control_edges_prevent),
      cmocka_unit_test(test_other_uses_prevent),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
