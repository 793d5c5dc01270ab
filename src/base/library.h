// Shared libraries and files, with errors as statuses.
#ifndef DVT_BASE_LIBRARY_H_
#define DVT_BASE_LIBRARY_H_

#include "base/status.h"

// dlopen(RTLD_NOW | RTLD_LOCAL). NOT_FOUND with the loader's text when the file is missing or a symbol unresolved.
dvt_status dvt_library_open(const char *path, void **out_handle) DVT_NODISCARD;
void dvt_library_close(void *handle);
void *dvt_library_symbol(void *handle, const char *name);  // NULL when absent
// Path of the shared object that holds `address` (dladdr), NULL-safe; false when unknown.
bool dvt_library_path_of(const void *address, char *out_path, size_t capacity);

// A whole file in memory (mmap, read-only). Zero-length files are legal. Release with dvt_file_unmap.
typedef struct dvt_mapped_file {
  dvt_str bytes;
} dvt_mapped_file;
dvt_status dvt_file_map(const char *path, dvt_mapped_file *out_file) DVT_NODISCARD;
void dvt_file_unmap(dvt_mapped_file *file);
dvt_status dvt_file_write(const char *path, dvt_str bytes) DVT_NODISCARD;  // replaces atomically (rename)

#endif  // DVT_BASE_LIBRARY_H_
