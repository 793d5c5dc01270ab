// env.h on a directory of its own: semantics rules 203 to 208, and the ways each function fails.
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/testing.h"
#include "tensorflow/c/env.h"

static TF_Status *status;
static char root[] = P_tmpdir "/dovetail_env_test_XXXXXX";
static char path_room[512];

static const char *in_root(const char *name) {
  snprintf(path_room, sizeof path_room, "%s/%s", root, name);
  return path_room;
}

static int setup(void **state) {
  (void)state;
  status = TF_NewStatus();
  return mkdtemp(root) ? 0 : -1;
}
static int teardown(void **state) {
  (void)state;
  int64_t files, dirs;
  TF_DeleteRecursively(root, &files, &dirs, status);
  TF_DeleteStatus(status);
  return 0;
}

static void expect_ok(void) {
  if (TF_GetCode(status) != TF_OK) fail_msg("%s", TF_Message(status));
}
static void expect_code(TF_Code code, const char *part) {
  if (TF_GetCode(status) != code || !strstr(TF_Message(status), part))
    fail_msg("got %d \"%s\", wanted %d with \"%s\"", (int)TF_GetCode(status), TF_Message(status), (int)code,
             part);
}

static void write_file(const char *name, const char *text) {
  TF_WritableFileHandle *file = NULL;
  TF_NewWritableFile(in_root(name), &file, status);
  expect_ok();
  TF_AppendWritableFile(file, text, strlen(text), status);
  expect_ok();
  TF_CloseWritableFile(file, status);
  expect_ok();
}

static void test_rule_203_directories_and_files(void **state) {
  (void)state;
  TF_CreateDir(in_root("dir"), status);
  expect_ok();
  TF_CreateDir(in_root("dir"), status);
  expect_code(TF_ALREADY_EXISTS, "dir; File exists");
  TF_CreateDir(in_root("no/dir"), status);
  expect_code(TF_NOT_FOUND, "no/dir; No such file or directory");
  write_file("dir/file", "x");
  TF_DeleteDir(in_root("dir"), status);
  expect_code(TF_FAILED_PRECONDITION, "dir; Directory not empty");
  TF_DeleteFile(in_root("dir"), status);
  expect_code(TF_FAILED_PRECONDITION, "Is a directory");
  TF_DeleteFile(in_root("dir/file"), status);
  expect_ok();
  TF_DeleteFile(in_root("dir/file"), status);
  expect_code(TF_NOT_FOUND, "dir/file; No such file or directory");
  TF_DeleteDir(in_root("dir"), status);
  expect_ok();
  TF_DeleteDir(in_root("dir"), status);
  expect_code(TF_NOT_FOUND, "dir; No such file");
  TF_FileStatistics stats = {-5, -5, true};
  TF_FileStat(in_root("missing"), &stats, status);
  expect_code(TF_NOT_FOUND, "missing; No such file or directory");
  assert_int_equal(stats.length, -5);
  TF_WritableFileHandle *file = NULL;
  TF_NewWritableFile(in_root("no/file"), &file, status);
  expect_code(TF_NOT_FOUND, "no/file; No such file or directory");
  assert_null(file);
  TF_CreateDir(NULL, status);
  expect_code(TF_INVALID_ARGUMENT, "NULL");
}

static void test_writing_and_statistics(void **state) {
  (void)state;
  TF_WritableFileHandle *file = NULL;
  TF_FileStatistics stats;
  TF_NewWritableFile(in_root("file"), &file, status);
  expect_ok();
  TF_AppendWritableFile(file, "hello", 5, status);
  TF_AppendWritableFile(file, NULL, 0, status);
  expect_ok();
  TF_FlushWritableFile(file, status);
  expect_ok();
  TF_FileStat(in_root("file"), &stats, status);
  expect_ok();
  assert_int_equal(stats.length, 5);
  assert_false(stats.is_directory);
  assert_true(llabs(stats.mtime_nsec / 1000000000 - (int64_t)time(NULL)) < 3600);
  TF_AppendWritableFile(file, " world", 6, status);
  TF_SyncWritableFile(file, status);
  expect_ok();
  TF_CloseWritableFile(file, status);
  expect_ok();
  TF_FileStat(in_root("file"), &stats, status);
  assert_int_equal(stats.length, 11);
  TF_FileStat(root, &stats, status);
  assert_true(stats.is_directory);
  write_file("file", "cut");  // opening for writing empties the file
  TF_FileStat(in_root("file"), &stats, status);
  assert_int_equal(stats.length, 3);
  TF_AppendWritableFile(NULL, "x", 1, status);
  expect_code(TF_INVALID_ARGUMENT, "NULL");
  TF_CloseWritableFile(NULL, status);
  expect_code(TF_INVALID_ARGUMENT, "NULL");
}

static void test_full_disk_is_reported(void **state) {
  (void)state;
  TF_WritableFileHandle *file = NULL;
  TF_NewWritableFile("/dev/full", &file, status);
  if (TF_GetCode(status) != TF_OK) skip();
  TF_AppendWritableFile(file, "x", 1, status);
  TF_FlushWritableFile(file, status);
  expect_code(TF_RESOURCE_EXHAUSTED, "/dev/full; No space left");
  TF_CloseWritableFile(file, status);
}

static void test_rule_204_delete_recursively(void **state) {
  (void)state;
  int64_t files = 7, dirs = 7;
  TF_DeleteRecursively(in_root("missing"), &files, &dirs, status);
  expect_code(TF_NOT_FOUND, "missing");
  assert_int_equal(files, 0);
  assert_int_equal(dirs, 1);
  TF_CreateDir(in_root("outside"), status);
  write_file("outside/kept", "x");
  TF_CreateDir(in_root("tree"), status);
  TF_CreateDir(in_root("tree/a"), status);
  TF_CreateDir(in_root("tree/a/b"), status);
  write_file("tree/a/b/file", "x");
  write_file("tree/file", "x");
  char target[600];
  snprintf(target, sizeof target, "%s", in_root("outside"));
  assert_int_equal(symlink(target, in_root("tree/link")), 0);
  TF_DeleteRecursively(in_root("tree"), &files, &dirs, status);
  expect_ok();
  assert_int_equal(files, 0);
  assert_int_equal(dirs, 0);
  TF_FileStatistics stats;
  TF_FileStat(in_root("tree"), &stats, status);
  expect_code(TF_NOT_FOUND, "tree");
  TF_FileStat(in_root("outside/kept"), &stats, status);
  expect_ok();
}

static void test_rule_205_children(void **state) {
  (void)state;
  const char *name = "untouched";
  TF_StringStream *list = TF_GetChildren(in_root("missing"), status);
  expect_code(TF_NOT_FOUND, "missing");
  assert_non_null(list);
  assert_false(TF_StringStreamNext(list, &name));
  assert_null(name);
  TF_StringStreamDone(list);
  TF_CreateDir(in_root("children"), status);
  write_file("children/a", "x");
  write_file("children/.hidden", "x");
  list = TF_GetChildren(in_root("children"), status);
  expect_ok();
  int met = 0;
  while (TF_StringStreamNext(list, &name))
    met += strcmp(name, "a") == 0 ? 1 : strcmp(name, ".hidden") == 0 ? 10 : 100;
  assert_int_equal(met, 11);
  assert_null(name);
  TF_StringStreamDone(list);
  TF_StringStreamDone(NULL);
  assert_false(TF_StringStreamNext(NULL, &name));
}

static void test_rule_206_temporary_names(void **state) {
  (void)state;
  char *name = TF_GetTempFileName(".tmp"), *other = TF_GetTempFileName(".tmp"),
       *bare = TF_GetTempFileName(NULL);
  assert_string_equal(name + strlen(name) - 5, "..tmp");
  assert_string_not_equal(name, other);
  assert_null(strchr(strrchr(bare, '/'), '.'));
  struct stat info;
  assert_int_equal(stat(name, &info), 0);
  unlink(name);
  unlink(other);
  unlink(bare);
  free(name);
  free(other);
  free(bare);
}

static void test_local_temp_directories(void **state) {
  (void)state;
  const char *name, *first = NULL;
  setenv("TEST_TMPDIR", root, 1);
  TF_StringStream *list = TF_GetLocalTempDirectories();
  assert_true(TF_StringStreamNext(list, &first));
  assert_true(strncmp(first, root, strlen(root)) == 0 && strcmp(first + strlen(root), "/") == 0);
  assert_false(TF_StringStreamNext(list, &name));
  TF_StringStreamDone(list);
  unsetenv("TEST_TMPDIR");
}

static void test_clocks(void **state) {
  (void)state;
  uint64_t nanos = TF_NowNanos(), micros = TF_NowMicros(), seconds = TF_NowSeconds();
  assert_true(micros >= nanos / 1000 && seconds >= micros / 1000000);
  assert_true(seconds > 1600000000u);
}

static int ran;
static void work(void *param) { ran += *(int *)param; }

static void test_rule_207_threads(void **state) {
  (void)state;
  TF_ThreadOptions options = {1, 1, 1};
  TF_DefaultThreadOptions(&options);
  assert_int_equal(options.stack_size, 0);
  assert_int_equal(options.guard_size, 0);
  assert_int_equal(options.numa_node, -1);
  int add = 5;
  TF_JoinThread(TF_StartThread(&options, "name", work, &add));
  assert_int_equal(ran, 5);
  options.stack_size = 1;  // below the system's least
  options.guard_size = 8192;
  TF_JoinThread(TF_StartThread(&options, "a name longer than the system takes", work, &add));
  assert_int_equal(ran, 10);
  TF_JoinThread(TF_StartThread(NULL, NULL, work, &add));
  assert_int_equal(ran, 15);
  assert_null(TF_StartThread(&options, "x", NULL, NULL));
  TF_JoinThread(NULL);
}

static void test_rule_208_libraries(void **state) {
  (void)state;
  assert_null(TF_LoadSharedLibrary("/no/such/library.so", status));
  expect_code(TF_NOT_FOUND, "/no/such/library.so: cannot open shared object file");
  void *library = TF_LoadSharedLibrary("libm.so.6", status);
  expect_ok();
  assert_non_null(TF_GetSymbolFromLibrary(library, "cos", status));
  expect_ok();
  assert_null(TF_GetSymbolFromLibrary(library, "no_such_symbol", status));
  expect_code(TF_NOT_FOUND, "undefined symbol: no_such_symbol");
  assert_null(TF_GetSymbolFromLibrary(NULL, "cos", status));
  expect_code(TF_NOT_FOUND, "NULL");
  assert_null(TF_GetSymbolFromLibrary(library, NULL, status));
  expect_code(TF_NOT_FOUND, "NULL");
}

static bool env_attempt(void *arg) {
  (void)arg;
  dvt_test_log log;
  dvt_test_log_start(&log);
  TF_WritableFileHandle *file = NULL;
  TF_NewWritableFile(in_root("faults"), &file, status);
  bool ok = file != NULL;
  if (file) TF_CloseWritableFile(file, status);
  const char *name;
  TF_StringStream *list = TF_GetChildren(root, status);
  ok = ok && list && TF_GetCode(status) == TF_OK;
  TF_StringStreamNext(list, &name);
  TF_StringStreamDone(list);
  list = TF_GetLocalTempDirectories();
  ok = ok && TF_StringStreamNext(list, &name);
  TF_StringStreamDone(list);
  char *temporary = TF_GetTempFileName("x");
  ok = ok && temporary;
  if (temporary) unlink(temporary);
  free(temporary);
  int add = 0;
  TF_Thread *thread = TF_StartThread(NULL, NULL, work, &add);
  ok = ok && thread;
  TF_JoinThread(thread);
  dvt_test_log_stop();
  return ok;
}
static void test_survives_allocation_failures(void **state) {
  (void)state;
  dvt_test_fail_each_allocation(env_attempt, NULL, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_203_directories_and_files),
      cmocka_unit_test(test_writing_and_statistics),
      cmocka_unit_test(test_full_disk_is_reported),
      cmocka_unit_test(test_rule_204_delete_recursively),
      cmocka_unit_test(test_rule_205_children),
      cmocka_unit_test(test_rule_206_temporary_names),
      cmocka_unit_test(test_local_temp_directories),
      cmocka_unit_test(test_clocks),
      cmocka_unit_test(test_rule_207_threads),
      cmocka_unit_test(test_rule_208_libraries),
      cmocka_unit_test(test_survives_allocation_failures),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
