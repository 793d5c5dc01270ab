// TF_Library: loading plugins through the C ABI, and the ops they brought.
#include "base/log.h"
#include "dovetail/plugin_life.h"
#include "exec/unload.h"
#include "plugin/elf.h"
#include "plugin/plugin.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"

struct TF_Library {
  dvt_plugin *plugin;
};

static dvt_status load(const char *path, TF_Library **out_library) {
  dvt_plugin *plugin;
  TF_Library *library = dvt_malloc(sizeof *library);
  if (!library) return dvt_error_out_of_memory(sizeof *library);
  dvt_plugin_autoload_init();
  dvt_status status = dvt_plugin_load(path, &plugin);
  if (status) {
    dvt_free(library);
    return status;
  }
  library->plugin = plugin;
  *out_library = library;
  return NULL;
}

TF_Library *TF_LoadLibrary(const char *library_filename, TF_Status *status) {
  TF_Library *library = NULL;
  dvt_status_to_tf(load(library_filename, &library), status);
  return library;
}

// The bytes belong to the plugin, whose record outlives its unloading: nobody frees them.
TF_Buffer TF_GetOpList(TF_Library *lib_handle) {
  if (!lib_handle) return (TF_Buffer){0};
  return (TF_Buffer){lib_handle->plugin->op_list, lib_handle->plugin->op_list_bytes, NULL};
}

void dvt_unload_library(TF_Library *library, int64_t wait_ms, TF_Status *status) {
  dvt_status_to_tf(library ? dvt_unload(library->plugin, wait_ms)
                           : dvt_error(TF_INVALID_ARGUMENT, "dvt_unload_library: the library is NULL"),
                   status);
}

void TF_DeleteLibraryHandle(TF_Library *lib_handle) { dvt_free(lib_handle); }

// A plugin that brings a device needs it before its kernels make sense; one that only rewrites graphs or
// profiles can do without.
static dvt_status refuse_device(const char *path) {
  dvt_elf elf;
  dvt_status status = path ? dvt_elf_open(path, &elf) : NULL;
  if (!path || status) {
    dvt_status_free(status);  // loading reports it, with the loader's search for bare names
    return NULL;
  }
  if (dvt_elf_defines(&elf, "SE_InitPlugin"))
    status = dvt_error(
        TF_UNIMPLEMENTED,
        "plugin %s brings a device (it defines SE_InitPlugin); SE_InitPlugin is not implemented, nothing "
        "of the plugin was loaded. Kernels for the CPU load with TF_LoadLibrary",
        path);
  else if (dvt_elf_defines(&elf, "TF_InitGraph") || dvt_elf_defines(&elf, "TF_InitProfiler"))
    dvt_log(DVT_WARNING, "plugin %s: TF_InitGraph and TF_InitProfiler are not called; its kernels are loaded",
            path);
  dvt_elf_close(&elf);
  return status;
}

TF_Library *TF_LoadPluggableDeviceLibrary(const char *library_filename, TF_Status *status) {
  TF_Library *library = NULL;
  dvt_status error = refuse_device(library_filename);
  if (!error) error = load(library_filename, &library);
  dvt_status_to_tf(error, status);
  return library;
}

void TF_DeletePluggableDeviceLibraryHandle(TF_Library *lib_handle) { dvt_free(lib_handle); }

void TF_RegisterLogListener(void (*listener)(const char *message)) { dvt_log_set_listener(listener); }
