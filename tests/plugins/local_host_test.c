// A host that opened the library RTLD_LOCAL, as ctypes does, loads a plugin without needed libraries. Stock
// cannot.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "tensorflow/c/c_api.h"

// The function `name` of the library, through a union: ISO C has no cast from object to function pointers.
typedef union function {
  void *symbol;
  TF_Status *(*new_status)(void);
  TF_Library *(*load_library)(const char *, TF_Status *);
  TF_Buffer (*get_op_list)(TF_Library *);
  const char *(*message)(const TF_Status *);
  void (*delete_library)(TF_Library *);
  void (*delete_status)(TF_Status *);
} function;

static function find(void *library, const char *name) {
  function f = {.symbol = dlsym(library, name)};
  assert_non_null(f.symbol);
  return f;
}

static void test_library_opened_locally(void **state) {
  (void)state;
  void *host = dlopen(DVT_BUILD_DIR "/lib/libdovetail.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!host) print_error("%s\n", dlerror());
  assert_non_null(host);
  assert_null(dlsym(RTLD_DEFAULT, "TF_LoadLibrary"));
  TF_Status *status = find(host, "TF_NewStatus").new_status();
  const char *const plugins[] = {DVT_BUILD_DIR "/tests/plugins/plug_good.so",
                                 DVT_BUILD_DIR "/tests/plugins/plug_fw.so"};
  for (int i = 0; i < 2; i++) {
    TF_Library *library = find(host, "TF_LoadLibrary").load_library(plugins[i], status);
    if (!library) print_error("%s\n", find(host, "TF_Message").message(status));
    assert_non_null(library);
    assert_true(find(host, "TF_GetOpList").get_op_list(library).length > 0);
    find(host, "TF_DeleteLibraryHandle").delete_library(library);
  }
  find(host, "TF_DeleteStatus").delete_status(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_library_opened_locally)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
