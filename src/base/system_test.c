// The parts of base that touch the process and the file system: log, libraries, mapped files, free lists of
// threads.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/library.h"
#include "base/testing.h"

static void test_log_levels_and_sink(void **state) {
  (void)state;
  dvt_test_log log;
  dvt_test_log_start(&log);
  dvt_log(DVT_INFO, "hidden by default");
  assert_int_equal(log.lines, 0);
  dvt_log(DVT_WARNING, "seen %d", 1);
  assert_int_equal(log.lines, 1);
  assert_int_equal(log.level, DVT_WARNING);
  assert_string_equal(log.last, "seen 1");
  dvt_log(DVT_FATAL, "%0900d", 5);  // longer than the line on the stack; and the process lives
  assert_int_equal(strlen(log.last), 900);
  assert_int_equal(log.level, DVT_FATAL);
  assert_true(dvt_vlog_is_on(0));
  assert_false(dvt_vlog_is_on(1));
  dvt_vlog(5, "not on");
  assert_int_equal(log.lines, 2);
  dvt_alloc_fail_at(1);
  dvt_log(DVT_ERROR, "%0900d", 5);
  dvt_alloc_fail_at(0);
  assert_int_equal(log.lines, 3);
  dvt_test_log_stop();
}

static void test_library_errors_name_the_file(void **state) {
  (void)state;
  void *handle = &handle;
  dvt_test_expect_error(dvt_library_open("no_such_library.so", &handle), TF_NOT_FOUND, "no_such_library.so");
  assert_ptr_equal(handle, &handle);
  dvt_test_expect_error(dvt_library_open(NULL, &handle), TF_NOT_FOUND, "NULL");
  dvt_test_expect_error(dvt_library_open(DVT_SOURCE_DIR "/CMakeLists.txt", &handle), TF_NOT_FOUND,
                        "CMakeLists.txt");
  dvt_test_expect_ok(dvt_library_open("libm.so.6", &handle));
  assert_non_null(dvt_library_symbol(handle, "cos"));
  assert_null(dvt_library_symbol(handle, "no_such_symbol"));
  assert_null(dvt_library_symbol(NULL, "cos"));
  char path[4096], tiny[2];
  assert_true(dvt_library_path_of(dvt_library_symbol(handle, "cos"), path, sizeof path));
  assert_non_null(strstr(path, "libm"));
  assert_false(dvt_library_path_of(dvt_library_symbol(handle, "cos"), tiny, sizeof tiny));
  assert_false(dvt_library_path_of(NULL, path, sizeof path));
  dvt_library_close(handle);
  dvt_library_close(NULL);
}

static void test_files_are_written_whole_and_mapped(void **state) {
  (void)state;
  char dir[] = P_tmpdir "/dovetail_system_test_XXXXXX", path[128];
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/file", dir);
  dvt_mapped_file file;
  dvt_test_expect_error(dvt_file_map(path, &file), TF_NOT_FOUND, path);
  dvt_test_expect_error(dvt_file_map(dir, &file), TF_FAILED_PRECONDITION, "directory");
  dvt_test_expect_ok(dvt_file_write(path, (dvt_str){0}));
  dvt_test_expect_ok(dvt_file_map(path, &file));
  assert_int_equal(file.bytes.len, 0);
  assert_non_null(file.bytes.data);
  dvt_file_unmap(&file);
  dvt_test_expect_ok(dvt_file_write(path, DVT_STR("first")));
  dvt_test_expect_ok(dvt_file_map(path, &file));
  dvt_test_expect_ok(dvt_file_write(path, DVT_STR("second, longer")));
  assert_true(dvt_str_is(file.bytes, "first"));  // the old file lives on for its reader
  dvt_file_unmap(&file);
  dvt_file_unmap(&file);
  dvt_file_unmap(NULL);
  dvt_test_expect_ok(dvt_file_map(path, &file));
  assert_true(dvt_str_is(file.bytes, "second, longer"));
  dvt_file_unmap(&file);
  dvt_test_expect_error(dvt_file_write("/no/such/dir/file", DVT_STR("x")), TF_NOT_FOUND, "/no/such/dir/file");
  dvt_test_expect_error(dvt_file_write(dir, DVT_STR("x")), TF_FAILED_PRECONDITION, "put in place");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(dir), 0);  // and nothing temporary was left behind
}

static void test_files_are_read_whole_and_in_parts(void **state) {
  (void)state;
  char dir[] = P_tmpdir "/dovetail_system_test_XXXXXX", path[128], part[8];
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/file", dir);
  dvt_buf bytes = {0};
  int fd = -1;
  uint64_t size = 0;
  dvt_test_expect_error(dvt_file_read(path, &bytes), TF_NOT_FOUND, path);
  dvt_test_expect_error(dvt_file_read(dir, &bytes), TF_FAILED_PRECONDITION, "directory");
  assert_int_equal(mkfifo(path, 0600), 0);
  dvt_test_expect_error(dvt_file_read(path, &bytes), TF_FAILED_PRECONDITION, "not a regular file");
  assert_int_equal(unlink(path), 0);
  dvt_test_expect_ok(dvt_file_write(path, (dvt_str){0}));
  dvt_test_expect_ok(dvt_file_read(path, &bytes));
  assert_int_equal(bytes.len, 0);
  dvt_test_expect_ok(dvt_file_write(path, DVT_STR("0123456789")));
  dvt_test_expect_ok(dvt_file_read(path, &bytes));
  assert_true(dvt_str_is(dvt_buf_str(&bytes), "0123456789"));
  dvt_test_expect_ok(dvt_file_open(path, &fd, &size));
  assert_int_equal(size, 10);
  dvt_test_expect_ok(dvt_file_read_at(fd, path, 2, part, 8));
  assert_memory_equal(part, "23456789", 8);
  assert_int_equal(truncate(path, 4), 0);
  dvt_test_expect_error(dvt_file_read_at(fd, path, 2, part, 8), TF_DATA_LOSS, "cut short");
  close(fd);
  assert_int_equal(truncate(path, (off_t)DVT_FILE_READ_MAX + 1), 0);  // takes no room on the disk
  dvt_test_expect_error(dvt_file_read(path, &bytes), TF_RESOURCE_EXHAUSTED, "2147483648");
  assert_int_equal(truncate(path, 4), 0);
  dvt_alloc_fail_at(1);
  dvt_buf_deinit(&bytes);
  dvt_test_expect_error(dvt_file_read(path, &bytes), TF_RESOURCE_EXHAUSTED, "memory");
  dvt_alloc_fail_at(0);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(dir), 0);
}

static void *watch_the_mask(void *arg) {
  for (atomic_bool *stop = arg; !atomic_load(stop);) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[128];
    while (status && fgets(line, sizeof line, status))
      if (strncmp(line, "Umask:", 6) == 0 && strtol(line + 6, NULL, 8) == 0) atomic_store(stop, true);
    if (status) fclose(status);
  }
  return NULL;
}

// The mask belongs to the whole process: other threads make files meanwhile.
static void test_writing_leaves_the_mask_of_the_process_alone(void **state) {
  (void)state;
  char dir[] = P_tmpdir "/dovetail_system_test_XXXXXX", path[128];
  struct stat info;
  atomic_bool stop = false;
  pthread_t thread;
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/file", dir);
  mode_t before = umask(027);
  assert_int_equal(pthread_create(&thread, NULL, watch_the_mask, &stop), 0);
  for (int i = 0; i < 300; i++) dvt_test_expect_ok(dvt_file_write(path, DVT_STR("x")));
  bool was_open = atomic_exchange(&stop, true);
  pthread_join(thread, NULL);
  umask(before);
  assert_false(was_open);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(dir), 0);
}

static void *use_cache(void *arg) {
  (void)arg;
  for (int i = 0; i < 200; i++) {
    void *block = dvt_malloc(64);
    if (!dvt_cache_push(DVT_CACHE_STATUS, block)) dvt_free(block);
  }
  return NULL;
}

static void test_free_lists_are_bounded_and_end_with_their_thread(void **state) {
  (void)state;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, use_cache, NULL), 0);
  pthread_join(thread, NULL);
  dvt_cache_drain();
  assert_null(dvt_cache_pop(DVT_CACHE_STATUS));
  use_cache(NULL);
  int n = 0;
  for (void *block; (block = dvt_cache_pop(DVT_CACHE_STATUS)); n++) dvt_free(block);
  assert_int_equal(n, DVT_CACHE_OFF ? 0 : DVT_CACHE_LIMIT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_log_levels_and_sink),
      cmocka_unit_test(test_library_errors_name_the_file),
      cmocka_unit_test(test_files_are_written_whole_and_mapped),
      cmocka_unit_test(test_files_are_read_whole_and_in_parts),
      cmocka_unit_test(test_writing_leaves_the_mask_of_the_process_alone),
      cmocka_unit_test(test_free_lists_are_bounded_and_end_with_their_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
