// Loading plugins into a process, the hostile ones included: rules 45 to 47, 194, 195; and finding the
// standard ones.
#include "kernel/kernel_test_util.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/library.h"
#include "plugin/plugin.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"

#define PLUGIN(name) DVT_BUILD_DIR "/tests/plugins/" name ".so"

static bool has_op(const char *name) { return dvt_op_lookup_loaded(dvt_str_from(name)) != NULL; }

static bool has_kernel(const char *op) {
  dvt_buf text = {0};
  dvt_kernel_list_proto(dvt_str_from(op), &text);
  bool has = text.len > 0;
  dvt_buf_deinit(&text);
  return has;
}

static int plugin_count(void) {
  int count = 0;
  for (const dvt_plugin *plugin = dvt_plugin_first(); plugin; plugin = plugin->next) count++;
  return count;
}

static dvt_status load(const char *path) {
  dvt_plugin *plugin = NULL;
  int before = plugin_count();
  dvt_status status = dvt_plugin_load(path, &plugin);
  assert_int_equal(status == NULL, plugin != NULL);
  assert_int_equal(plugin_count(), before + (status == NULL));
  return status;
}

static void check_good(const char *path, const char *first, const char *second) {
  dvt_plugin *plugin = NULL, *again = NULL;
  assert_ok(dvt_plugin_load(path, &plugin));
  assert_int_equal(plugin->op_count, 2);
  assert_int_equal(plugin->kernel_count, 2);
  assert_true(has_op(first) && has_op(second) && has_kernel(first) && has_kernel(second));
  assert_ptr_equal(dvt_op_lookup_loaded(dvt_str_from(first))->plugin, plugin);
  assert_non_null(memmem(plugin->op_list, plugin->op_list_bytes, first, strlen(first)));
  // Rule 47.
  int before = plugin_count();
  assert_ok(dvt_plugin_load(path, &again));
  assert_ptr_equal(again, plugin);
  assert_int_equal(plugin_count(), before);
  assert_null(dvt_load_current());
}

static void test_entry_points(void **state) {
  (void)state;
  check_good(PLUGIN("plug_constructor"), "CtorOne", "CtorTwo");
  check_good(PLUGIN("plug_init_kernel"), "InitOne", "InitTwo");
  check_good(PLUGIN("plug_init_plugin"), "DocOne", "DocTwo");
}

// Stock's advice is to register from a constructor and from TF_InitKernel.
static void test_rules_046_047_registering_twice(void **state) {
  (void)state;
  check_good(PLUGIN("plug_good"), "GoodOne", "GoodTwo");
  test_node t;
  test_node_init(&t, "GoodOne", "n");
  test_node_type(&t, "T", TF_FLOAT);
  assert_ok(test_node_create(&t));
  test_node_floats(&t, 0, (float[]){4}, 1);
  assert_ok(test_node_run(&t));
  assert_true(*(float *)t.outputs[0].tensor.data == 4.0f);
  test_node_deinit(&t);
}

static void test_same_file_by_another_name(void **state) {
  (void)state;
  dvt_plugin *plugin = NULL, *again = NULL;
  assert_ok(dvt_plugin_load(PLUGIN("plug_good"), &plugin));
  assert_string_equal(plugin->name, "plug_good");
  char path[] = DVT_BUILD_DIR "/tests/links_XXXXXX", link_path[sizeof path + 16];
  assert_non_null(mkdtemp(path));
  snprintf(link_path, sizeof link_path, "%s/other.so", path);
  assert_int_equal(symlink(PLUGIN("plug_good"), link_path), 0);
  assert_ok(dvt_plugin_load(link_path, &again));
  assert_ptr_equal(again, plugin);
  unlink(link_path);
  if (link(PLUGIN("plug_good"), link_path) == 0) {
    assert_ok(dvt_plugin_load(link_path, &again));
    assert_ptr_equal(again, plugin);
    unlink(link_path);
  }
  rmdir(path);
}

static void test_rule_194_empty_library(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Library *library = TF_LoadLibrary(PLUGIN("plug_empty"), status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_GetOpList(library).length, 0);
  TF_DeleteLibraryHandle(library);
  TF_DeleteLibraryHandle(NULL);
  assert_int_equal(TF_GetOpList(NULL).length, 0);
  TF_DeleteStatus(status);
}

static void test_rule_194_missing_file(void **state) {
  (void)state;
  assert_status(load("/nonexistent/plugin.so"), TF_NOT_FOUND,
                "/nonexistent/plugin.so: cannot open shared object file");
  assert_status(load("no_such_plugin_anywhere.so"), TF_NOT_FOUND, "no_such_plugin_anywhere.so");
  assert_status(load(""), TF_NOT_FOUND, "empty");
  assert_status(load(NULL), TF_NOT_FOUND, "empty");
  TF_Status *status = TF_NewStatus();
  assert_null(TF_LoadLibrary("/nonexistent/plugin.so", status));
  assert_tf_status(status, TF_NOT_FOUND, "");
  assert_null(TF_LoadPluggableDeviceLibrary(NULL, status));
  assert_tf_status(status, TF_NOT_FOUND, "");
  TF_DeleteStatus(status);
}

static void test_rule_194_missing_symbols(void **state) {
  (void)state;
  const char *path = PLUGIN("plug_missing");
  assert_status(load(path), TF_NOT_FOUND, path);
  assert_status(load(path), TF_NOT_FOUND, "undefined symbol");
  assert_status(load(path), TF_NOT_FOUND, "Functions that this Dovetail does not have: TF_");
  assert_status(load(path), TF_NOT_FOUND, "TF_AnotherOfTomorrow");
  assert_status(load(path), TF_NOT_FOUND, "TF_FunctionOfTomorrow");
  assert_false(has_op("MissingOp"));
  assert_status(load(PLUGIN("plug_missing_cpp")), TF_NOT_FOUND,
                "C++ symbols: _ZN10tensorflow14OpKernelNoSuchEv");
  assert_status(load(PLUGIN("plug_missing_other")), TF_NOT_FOUND, "Link the plugin to the library");
}

static void test_needed_library_missing(void **state) {
  (void)state;
  assert_status(load(PLUGIN("plug_needs_absent")), TF_NOT_FOUND, "libdovetail_absent.so.1");
  assert_status(load(PLUGIN("plug_needs_absent")), TF_NOT_FOUND, "Install the library it needs");
}

static void test_sanitizer_that_the_process_runs_without(void **state) {
  (void)state;
  const char *path = PLUGIN("plug_hwasan");
  assert_status(load(path), TF_FAILED_PRECONDITION, path);
  assert_status(load(path), TF_FAILED_PRECONDITION,
                "was built with HWAddressSanitizer (it needs __hwasan_init)");
  assert_status(load(path), TF_FAILED_PRECONDITION, "without -fsanitize=hwaddress");
}

static void test_all_or_nothing(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    assert_status(load(PLUGIN("plug_half")), TF_INVALID_ARGUMENT, "its registration failed");
    assert_false(has_op("HalfGood") || has_op("HalfBad") || has_op("HalfAfter") || has_kernel("HalfGood"));
  }
}

static void test_rule_045_one_name_two_definitions(void **state) {
  (void)state;
  assert_status(load(PLUGIN("plug_twice")), TF_ALREADY_EXISTS, "Op with name TwiceOp");
  assert_false(has_op("TwiceOp"));
}

static void test_rule_046_existing_op(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  test_op("HostOp", SPECS("i:x: float"));
  TF_Library *library = TF_LoadLibrary(PLUGIN("plug_existing"), status);
  assert_tf_status(status, TF_OK, "");
  TF_Buffer list = TF_GetOpList(library);
  assert_non_null(memmem(list.data, list.length, "ExistingOwn", 11));
  assert_null(memmem(list.data, list.length, "HostOp", 6));
  assert_null(dvt_op_lookup_loaded(DVT_STR("HostOp"))->plugin);
  TF_DeleteLibraryHandle(library);
  TF_DeleteStatus(status);
}

static void test_rules_195_196_device_plugins(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  assert_null(TF_LoadPluggableDeviceLibrary(PLUGIN("plug_device"), status));
  assert_tf_status(status, TF_UNIMPLEMENTED, "SE_InitPlugin");
  assert_false(has_op("DeviceOp") || has_kernel("DeviceKernel"));
  TF_Library *library = TF_LoadPluggableDeviceLibrary(PLUGIN("plug_optimizer"), status);
  assert_tf_status(status, TF_OK, "");
  assert_true(has_op("OptimizerOp"));
  assert_non_null(strstr(test_last_log, "TF_InitGraph"));
  TF_DeletePluggableDeviceLibraryHandle(library);
  library = TF_LoadPluggableDeviceLibrary(PLUGIN("plug_empty"), status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_GetOpList(library).length, 0);
  TF_DeletePluggableDeviceLibraryHandle(library);
  TF_DeleteStatus(status);
}

static char heard[128];
static void hear(const char *message) { snprintf(heard, sizeof heard, "%s", message); }

static void test_log_listener(void **state) {
  (void)state;
  TF_RegisterLogListener(hear);
  dvt_log(DVT_ERROR, "said %d", 1);
  assert_string_equal(heard, "said 1");
  assert_string_equal(test_last_log, "said 1");
  TF_RegisterLogListener(NULL);
  dvt_log(DVT_ERROR, "said %d", 2);
  assert_string_equal(heard, "said 1");
}

// ---- threads ----

static void *load_one(void *arg) {
  dvt_plugin *plugin = NULL;
  dvt_status status = dvt_plugin_load(arg, &plugin);
  dvt_status_free(status);
  return plugin;
}

static void test_many_threads_one_plugin(void **state) {
  (void)state;
  pthread_t threads[6];
  void *found[6];
  for (int i = 0; i < 6; i++)
    pthread_create(&threads[i], NULL, load_one, i % 2 ? PLUGIN("plug_good") : PLUGIN("plug_half"));
  for (int i = 0; i < 6; i++) pthread_join(threads[i], &found[i]);
  assert_non_null(found[1]);
  assert_true(found[1] == found[3] && found[3] == found[5]);
  assert_true(!found[0] && !found[2] && !found[4]);
}

static atomic_bool loads_are_over;

// Ops and kernels of plug_half, which has a kernel of the test's own HostOp. Neither look loads a plugin.
static void *use_what_is_found(void *arg) {
  size_t found = 0;
  while (!atomic_load(&loads_are_over)) {
    if (dvt_op_lookup_loaded(DVT_STR("HalfGood"))) found++;
    dvt_buf kernels = {0};
    dvt_kernel_list_text(DVT_STR("HostOp"), &kernels);
    if (!memmem(kernels.data, kernels.len, "no registered kernels", 21)) found++;
    dvt_buf_deinit(&kernels);
  }
  (void)arg;
  return (void *)found;
}

static void test_a_load_that_fails_is_never_seen_by_other_threads(void **state) {
  (void)state;
  pthread_t threads[2];
  void *found[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use_what_is_found, NULL);
  for (int i = 0; i < 20; i++)
    assert_status(load(PLUGIN("plug_half")), TF_INVALID_ARGUMENT, "its registration failed");
  atomic_store(&loads_are_over, true);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], &found[i]);
    assert_null(found[i]);
  }
}

// ---- the standard directories: DOVETAIL_PLUGIN_PATH, set by main before anything is looked up ----

static char index_dir[] = DVT_BUILD_DIR "/tests/index_XXXXXX",
            whole_dir[] = DVT_BUILD_DIR "/tests/whole_XXXXXX";

static void link_into(const char *dir, const char *target, const char *name) {
  char path[2 * sizeof index_dir + 64];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  if (symlink(target, path) != 0) abort();
}

static void make_directories(void) {
  static const char text[] =
      "# ops of the standard plugins\n"
      "AutoOne auto.so\n"
      "AutoTwo\tauto.so\r\n"
      "\n"
      "Broken broken.so\n"
      "StaleOp stale.so\n"
      "ClaimOne claim.so\n"
      "ClaimTwo claim.so\n"
      "Escape ../../etc/passwd\n"
      "NoFile\n";
  char path[2 * sizeof index_dir + 64];
  if (!mkdtemp(index_dir) || !mkdtemp(whole_dir)) abort();
  snprintf(path, sizeof path, "%s/plugins.index", index_dir);
  dvt_status_free(dvt_file_write(path, dvt_str_make(text, sizeof text - 1)));
  link_into(index_dir, PLUGIN("plug_auto"), "auto.so");
  link_into(index_dir, PLUGIN("plug_claim"), "claim.so");
  link_into(index_dir, PLUGIN("plug_stale"), "stale.so");
  link_into(index_dir, PLUGIN("plug_late"), "late.so");
  link_into(whole_dir, PLUGIN("plug_auto_whole"), "whole.so");
  link_into(whole_dir, "/nonexistent", "not_a_plugin.txt");
  snprintf(path, sizeof path, "%s:%s:%s:/nonexistent", index_dir, whole_dir, index_dir);
  setenv("DOVETAIL_PLUGIN_PATH", path, 1);
  unsetenv("DOVETAIL_NO_STANDARD_PLUGINS");
}

static int remove_directories(void **state) {
  (void)state;
  const char *const files[] = {"plugins.index", "auto.so",  "claim.so",        "stale.so",
                               "late.so",       "whole.so", "not_a_plugin.txt"};
  char path[2 * sizeof index_dir + 64];
  for (size_t i = 0; i < DVT_COUNT_OF(files); i++) {
    snprintf(path, sizeof path, "%s/%s", i < 5 ? index_dir : whole_dir, files[i]);
    unlink(path);
  }
  rmdir(index_dir);
  rmdir(whole_dir);
  return 0;
}

static void *look_up(void *arg) { return (void *)(uintptr_t)dvt_op_lookup(dvt_str_from(arg)); }

static void test_autoload(void **state) {
  (void)state;
  pthread_t threads[4];
  void *found[4];
  dvt_plugin_autoload_init();
  dvt_plugin_autoload_init();
  assert_false(has_op("AutoOne"));
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, look_up, i % 2 ? "AutoOne" : "AutoTwo");
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], &found[i]);
    assert_non_null(found[i]);
  }
  assert_true(has_op("WholeOne"));  // a directory without an index is loaded at the first miss
  assert_false(has_op("LateOne"));  // beside an index that does not name its file
  assert_non_null(dvt_op_lookup(DVT_STR("LateOne")));
  assert_null(dvt_op_lookup(DVT_STR("StaleOp")));
  assert_non_null(strstr(test_last_log, "plugins.index beside"));
  assert_non_null(strstr(test_last_log, "op 'StaleOp', which it does not register"));
  assert_true(has_op("StaleOne"));
  assert_null(dvt_op_lookup(DVT_STR("Broken")));
  assert_non_null(strstr(test_last_log, "broken.so"));
  test_last_log[0] = '\0';
  assert_null(dvt_op_lookup(DVT_STR("Broken")));
  assert_string_equal(test_last_log, "");  // said once
  assert_null(dvt_op_lookup(DVT_STR("Escape")));
  assert_null(dvt_op_lookup(DVT_STR("NoSuchOpAtAll")));
  // The standard directory is searched too, after those of the environment.
  const dvt_op_def *op = dvt_op_lookup(DVT_STR("NoOp"));
  assert_non_null(op);
  assert_non_null(strstr(op->plugin->path, "lib/dovetail/plugins"));
  dvt_op_registry_load_all();
}

static TF_Code register_op(const char *name, const char *input) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddInput(builder, input);
  TF_RegisterOpDefinition(builder, status);
  TF_Code code = TF_GetCode(status);
  TF_DeleteStatus(status);
  return code;
}

// In stock the standard ops are there before anybody can register one of the same name: here the plugin that
// has it is loaded at that moment, and stays whole.
static void test_rule_044_op_of_a_plugin_not_loaded_yet(void **state) {
  (void)state;
  dvt_plugin_autoload_init();
  assert_null(dvt_op_lookup_loaded(DVT_STR("ClaimOne")));
  assert_int_equal(register_op("ClaimOne", "other: string"), TF_ALREADY_EXISTS);
  const dvt_op_def *op = dvt_op_lookup_loaded(DVT_STR("ClaimOne"));
  assert_non_null(op);
  assert_string_equal(op->plugin->name, "plug_claim");
  assert_true(has_op("ClaimTwo") && has_kernel("ClaimOne") && has_kernel("ClaimTwo"));
  assert_int_equal(register_op("ClaimOfTheHost", "x: float"), TF_OK);
}

static void blank_compute(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }

// Rule 96: taken, as in stock, but not silently.
static void test_rule_096_device_without_a_name(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder("k", TF_NewKernelBuilder("BlankDevice", "", NULL, blank_compute, NULL), status);
  assert_tf_status(status, TF_OK, "");
  assert_non_null(strstr(test_last_log, "'BlankDevice' is registered for a device without a name"));
  TF_DeleteStatus(status);
}

static void test_plugin_that_loads_itself(void **state) {
  (void)state;
  dvt_plugin *plugin = NULL;
  setenv("DOVETAIL_TEST_SELF", PLUGIN("plug_self"), 1);
  assert_ok(dvt_plugin_load(PLUGIN("plug_self"), &plugin));
  assert_true(has_op("SelfOp"));
  assert_string_equal(getenv("DOVETAIL_TEST_SELF"), "9");  // FAILED_PRECONDITION
  unsetenv("DOVETAIL_TEST_SELF");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_entry_points),
      cmocka_unit_test(test_rules_046_047_registering_twice),
      cmocka_unit_test(test_same_file_by_another_name),
      cmocka_unit_test(test_rule_194_empty_library),
      cmocka_unit_test(test_rule_194_missing_file),
      cmocka_unit_test(test_rule_194_missing_symbols),
      cmocka_unit_test(test_needed_library_missing),
      cmocka_unit_test(test_sanitizer_that_the_process_runs_without),
      cmocka_unit_test(test_all_or_nothing),
      cmocka_unit_test(test_rule_045_one_name_two_definitions),
      cmocka_unit_test(test_rule_046_existing_op),
      cmocka_unit_test(test_rules_195_196_device_plugins),
      cmocka_unit_test(test_log_listener),
      cmocka_unit_test(test_many_threads_one_plugin),
      cmocka_unit_test(test_a_load_that_fails_is_never_seen_by_other_threads),
      cmocka_unit_test(test_rule_044_op_of_a_plugin_not_loaded_yet),
      cmocka_unit_test(test_plugin_that_loads_itself),
      cmocka_unit_test(test_rule_096_device_without_a_name),
      cmocka_unit_test(test_autoload),
  };
  make_directories();
  return cmocka_run_group_tests(tests, test_setup, remove_directories);
}
