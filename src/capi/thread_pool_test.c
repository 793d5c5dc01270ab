// dovetail/thread_pool.h inside sessions of one and of several threads: ranges, numbers of threads, tasks
// that outlive their kernel or wait for each other, functions deleted once, and calls that make no sense.
#include <sched.h>
#include <unistd.h>

#include "capi/context_session_test_util.h"
#include "dovetail/thread_pool.h"

enum { COUNT = 5000, SLOW_CYCLES = 300000 };

// ConfigProto.intra_op_parallelism_threads and inter_op_parallelism_threads.
static const char threads_1[] = {0x10, 1, 0x28, 1}, threads_4[] = {0x10, 4, 0x28, 4};

// Runs `what` as a kernel: in one thread and in four, by the array walk and by the dataflow walk.
static void check(void (*what)(TF_OpKernelContext *ctx, TF_Status *status)) {
  body = what;
  for (int i = 0; i < 4; i++) {
    setting s = make("TestBody", i % 2, i < 2 ? threads_1 : threads_4, sizeof threads_1);
    for (int k = 0; k < 3; k++) {
      run_once(&s);
      assert_ok();
    }
    unmake(&s);
  }
}

// ---- loops ----

static atomic_int marks[COUNT], deleted;
static int64_t wanted_block, block_align;

static void clear(void) {
  for (int i = 0; i < COUNT; i++) atomic_store(&marks[i], 0);
  atomic_store(&deleted, 0);
}

static void expect_each_once(int64_t total) {
  for (int64_t i = 0; i < COUNT; i++) assert_int_equal(atomic_load(&marks[i]), i < total);
}

static void mark(int64_t begin, int64_t limit) {
  for (int64_t i = begin; i < limit; i++) atomic_fetch_add(&marks[i], 1);
}

static void mark_wrapped(void *func_ptr, int64_t begin, int64_t limit) {
  if (func_ptr == marks) mark(begin, limit);
}

static void count_delete(void *func_ptr) {
  if (func_ptr == marks) atomic_fetch_add(&deleted, 1);
}

static const TF_RangeFuncWrap range = {marks, mark_wrapped, count_delete};

static void loop_over(TF_OpKernelContext *ctx, TF_Status *status) {
  const int64_t totals[] = {0, 1, 2, 3, 63, COUNT}, costs[] = {-5, 0, 1, SLOW_CYCLES, INT64_MAX};
  for (int i = 0; i < 30; i++) {
    clear();
    TF_ThreadPool_ParallelFor(ctx, totals[i % 6], costs[i / 6], mark);
    expect_each_once(totals[i % 6]);
    clear();
    TF_ThreadPool_ParallelForFunc(ctx, totals[i % 6], costs[i / 6], range);
    expect_each_once(totals[i % 6]);
    assert_int_equal(deleted, 1);
  }
  pass(ctx, status);
}

static void test_loops_run_each_element_once(void **state) {
  (void)state;
  check(loop_over);
}

static atomic_int odd_ranges;

static void look_at_block(void *func_ptr, int64_t begin, int64_t limit) {
  bool is_last = limit == COUNT;
  if (wanted_block ? begin % wanted_block || (!is_last && limit - begin != wanted_block) ||
                         limit - begin > wanted_block
                   : begin % block_align || (!is_last && limit % block_align))
    atomic_fetch_add(&odd_ranges, 1);
  mark_wrapped(func_ptr, begin, limit);
}

static void loop_in_blocks(TF_OpKernelContext *ctx, TF_Status *status) {
  const int64_t sizes[] = {1, 2, 7, 64, COUNT - 1, COUNT, COUNT + 1, INT64_MAX};
  const TF_RangeFuncWrap fn = {marks, look_at_block, count_delete};
  for (int i = 0; i < 8; i++) {
    clear();
    wanted_block = sizes[i];
    TF_ThreadPool_TransformRangeConcurrently(ctx, wanted_block, COUNT, fn);
    expect_each_once(COUNT);
    clear();
    wanted_block = 0;
    block_align = sizes[i];
    TF_ThreadPool_ParallelForAligned(ctx, COUNT, SLOW_CYCLES, block_align, fn);
    expect_each_once(COUNT);
    assert_int_equal(deleted, 1);
    assert_int_equal(odd_ranges, 0);
  }
  pass(ctx, status);
}

static void test_blocks_have_the_size_and_the_alignment(void **state) {
  (void)state;
  check(loop_in_blocks);
}

static atomic_int busy[8], double_used, out_of_range;
static int thread_count;

static void use_worker(int64_t begin, int64_t limit, int worker) {
  if (worker < 0 || worker >= thread_count) {
    atomic_fetch_add(&out_of_range, 1);
    return;
  }
  if (atomic_fetch_add(&busy[worker], 1) != 0) atomic_fetch_add(&double_used, 1);
  mark(begin, limit);
  sched_yield();
  atomic_fetch_sub(&busy[worker], 1);
}

static void use_worker_wrapped(void *func_ptr, int64_t begin, int64_t limit, int worker) {
  (void)func_ptr;
  use_worker(begin, limit, worker);
}

static void loop_with_worker_ids(TF_OpKernelContext *ctx, TF_Status *status) {
  thread_count = TF_ThreadPool_NumThreads(ctx);
  assert_true(thread_count >= 1 && thread_count <= 8);
  int self = TF_ThreadPool_CurrentThreadId(ctx);
  assert_true(self >= -1 && self < thread_count - 1);
  for (int i = 0; i < 20; i++) {
    clear();
    TF_ThreadPool_ParallelForWithWorkerId(ctx, COUNT, SLOW_CYCLES, use_worker);
    expect_each_once(COUNT);
    clear();
    TF_ThreadPool_ParallelForFuncWithWorkerId(
        ctx, COUNT, SLOW_CYCLES, (TF_WorkerRangeFuncWrap){marks, use_worker_wrapped, count_delete});
    expect_each_once(COUNT);
    assert_int_equal(deleted, 1);
  }
  assert_int_equal(double_used, 0);
  assert_int_equal(out_of_range, 0);
  pass(ctx, status);
}

static void test_ranges_at_the_same_time_have_different_worker_ids(void **state) {
  (void)state;
  check(loop_with_worker_ids);
}

// ---- tasks ----

static atomic_int tasks_run;
static TF_OpKernelContext *task_context;

static void count_bare(void) { atomic_fetch_add(&tasks_run, 1); }
static void count_task(void *func_ptr) {
  if (func_ptr == marks) count_bare();
}
static const TF_FuncWrap task = {marks, count_task, count_delete};

static void leave_tasks_behind(TF_OpKernelContext *ctx, TF_Status *status) {
  for (int i = 0; i < 50; i++) {
    TF_ThreadPool_Schedule(ctx, count_bare);
    TF_ThreadPool_ScheduleFunc(ctx, task);
    TF_ThreadPool_ScheduleWithHint(ctx, count_bare, i % 5, i % 5 + 1);
    TF_ThreadPool_ScheduleFuncWithHint(ctx, task, i, 1000000);
  }
  pass(ctx, status);
}

static void test_step_waits_for_its_tasks(void **state) {
  (void)state;
  body = leave_tasks_behind;
  for (int i = 0; i < 4; i++) {
    setting s = make("TestBody", i % 2, i < 2 ? threads_1 : threads_4, sizeof threads_1);
    atomic_store(&tasks_run, 0);
    atomic_store(&deleted, 0);
    run_once(&s);
    assert_ok();
    assert_int_equal(tasks_run, 200);
    assert_int_equal(deleted, 100);
    unmake(&s);
  }
}

// Each waits for one behind it in the queue: no number of workers is enough by itself.
enum { CHAIN = 12 };
static atomic_int chain_done[CHAIN + 1];

static void wait_for_next(void *func_ptr) {
  atomic_int *mine = func_ptr;
  while (!atomic_load(mine + 1)) usleep(100);
  atomic_store(mine, 1);
}

static void chain_of_tasks(TF_OpKernelContext *ctx, TF_Status *status) {
  if (TF_ThreadPool_NumThreads(ctx) > 1) {
    for (int i = 0; i <= CHAIN; i++) atomic_store(&chain_done[i], i == CHAIN);
    for (int i = 0; i < CHAIN; i++)
      TF_ThreadPool_ScheduleFunc(ctx, (TF_FuncWrap){&chain_done[i], wait_for_next, NULL});
    while (!atomic_load(&chain_done[0])) usleep(100);
  }
  pass(ctx, status);
}

static void test_tasks_may_wait_for_tasks(void **state) {
  (void)state;
  check(chain_of_tasks);
}

static void spawn_more(void *func_ptr) {
  (void)func_ptr;
  for (int i = 0; i < 10; i++) TF_ThreadPool_ScheduleFunc(task_context, task);
  TF_ThreadPool_ParallelForFunc(task_context, 100, SLOW_CYCLES, range);
  atomic_fetch_add(&tasks_run, 1);
}

static void *spawn_thread(void *arg) {
  spawn_more(arg);
  return NULL;
}

static void nest(TF_OpKernelContext *ctx, TF_Status *status) {
  pthread_t foreign;
  clear();
  task_context = ctx;
  atomic_store(&tasks_run, 0);
  for (int i = 0; i < 5; i++) TF_ThreadPool_ScheduleFunc(ctx, (TF_FuncWrap){NULL, spawn_more, NULL});
  assert_int_equal(pthread_create(&foreign, NULL, spawn_thread, NULL), 0);
  while (atomic_load(&tasks_run) < 6 * 11) usleep(100);
  pthread_join(foreign, NULL);
  pass(ctx, status);
}

static void test_tasks_schedule_tasks_and_loops_also_from_foreign_threads(void **state) {
  (void)state;
  check(nest);
}

// ---- calls that make no sense ----

static int nonsense;

static void talk_nonsense(TF_OpKernelContext *ctx, TF_Status *status) {
  const TF_RangeFuncWrap no_range = {marks, NULL, count_delete};
  clear();
  switch (nonsense) {
    case 0:
      TF_ThreadPool_ParallelFor(ctx, -1, 1, mark);
      break;
    case 1:
      TF_ThreadPool_ParallelForFunc(ctx, INT64_MIN, 1, range);
      break;
    case 2:
      TF_ThreadPool_ParallelFor(ctx, 10, 1, NULL);
      break;
    case 3:
      TF_ThreadPool_ParallelForFunc(ctx, 10, 1, no_range);
      break;
    case 4:
      TF_ThreadPool_ParallelForWithWorkerId(ctx, 10, 1, NULL);
      break;
    case 5:
      TF_ThreadPool_ParallelForAligned(ctx, 10, 1, 0, range);
      break;
    case 6:
      TF_ThreadPool_TransformRangeConcurrently(ctx, -3, 10, range);
      break;
    case 7:
      TF_ThreadPool_Schedule(ctx, NULL);
      break;
    case 8:
      TF_ThreadPool_ScheduleFunc(ctx, (TF_FuncWrap){marks, NULL, count_delete});
      break;
    case 9:
      TF_ThreadPool_ScheduleFuncWithHint(ctx, task, -1, 3);
      break;
    default:
      TF_ThreadPool_ScheduleFuncWithHint(ctx, task, 2, 2);
      break;
  }
  bool has_delete = nonsense == 1 || nonsense == 3 || nonsense == 5 || nonsense == 6 || nonsense >= 8;
  assert_int_equal(deleted, has_delete);
  expect_each_once(0);
  pass(ctx, status);
}

static void test_calls_that_make_no_sense_fail_the_kernel(void **state) {
  (void)state;
  body = talk_nonsense;
  setting s = make("TestBody", false, threads_4, sizeof threads_4);
  static const char *const messages[] = {"over -1 elements",      "over -9223372036854775808 elements",
                                         "no function",           "no function",
                                         "no function",           "blocks of 0 elements",
                                         "blocks of -3 elements", "no function",
                                         "no function",           "from -1 to before 3",
                                         "from 2 to before 2"};
  for (nonsense = 0; nonsense < 11; nonsense++) {
    run_with_limit(&s, 0);
    assert_int_equal(TF_GetCode(S), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(S), messages[nonsense]));
  }
  unmake(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loops_run_each_element_once),
      cmocka_unit_test(test_blocks_have_the_size_and_the_alignment),
      cmocka_unit_test(test_ranges_at_the_same_time_have_different_worker_ids),
      cmocka_unit_test(test_step_waits_for_its_tasks),
      cmocka_unit_test(test_tasks_may_wait_for_tasks),
      cmocka_unit_test(test_tasks_schedule_tasks_and_loops_also_from_foreign_threads),
      cmocka_unit_test(test_calls_that_make_no_sense_fail_the_kernel),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_ops);
}
