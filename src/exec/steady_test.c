// The steady state allocates nothing for a node: a session that has run some steps takes as many allocations
// for a step of 200 nodes as for one of 10, and none at all where no asynchronous kernel is.
#include "base/thread_cache.h"
#include "exec/exec_test_util.h"

// y = x by way of a temporary tensor, neither in place nor forwarded.
static void copy_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *x = input(ctx, 0, status), *y = NULL, *between = NULL;
  if (x) {
    int64_t dims[8];
    int rank = dims_of(x, dims);
    TF_AllocatorAttributes attributes = {.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE};
    y = output(ctx, 0, TF_FLOAT, dims, rank, status);
    between = y ? TF_AllocateTemp(ctx, TF_FLOAT, dims, rank, &attributes, status) : NULL;
  }
  if (between) {
    memcpy(TF_TensorData(between), TF_TensorData(x), TF_TensorByteSize(x));
    memcpy(TF_TensorData(y), TF_TensorData(between), TF_TensorByteSize(x));
  }
  TF_DeleteTensor(between);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  report(ctx, status);
}

static TF_Output chain(TF_Graph *g, TF_Output x, int count) {
  static const char *const ops[] = {"TestIdentity", "TestDouble", "TestCopy", "TestCopy"};
  for (int i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    x = OUT(node(g, ops[i % 4], name, x, NONE, NULL));
  }
  return x;
}

// Allocations of ten steps, after those that find out where memory is kept.
static int64_t allocations(int count, bool by_flow) {
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = chain(g, x, count);
  if (by_flow) y = OUT(node(g, "TestAsyncNow", "async", y, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  TF_Tensor *feed = make_vector(4, 1), *got = NULL;
  int64_t before = 0;
  for (int i = 0; i < 30; i++) {
    if (i == 20) before = dvt_alloc_attempts();
    TF_SessionRun(s, NULL, &x, &feed, 1, &y, &got, 1, NULL, 0, NULL, S);
    assert_ok();
    TF_DeleteTensor(got);
  }
  int64_t after = dvt_alloc_attempts();
  TF_DeleteTensor(feed);
  end_session(s);
  TF_DeleteGraph(g);
  return after - before;
}

static void test_no_allocation_for_a_node(void **state) {
  (void)state;
  if (DVT_CACHE_OFF) skip();  // sanitizers are to see every object come and go
  register_op("TestCopy", "x: float -> y: float", false);
  add_kernel("TestCopy", NULL, copy_compute, NULL);
  assert_int_equal(allocations(200, false), 0);
  assert_int_equal(allocations(200, true), allocations(10, true));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation_for_a_node)};
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
