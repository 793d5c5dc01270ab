// Shared libraries and files, with errors as statuses.
#ifndef DVT_BASE_LIBRARY_H_
#define DVT_BASE_LIBRARY_H_

#include "base/buf.h"
#include "base/status.h"

// dlopen(RTLD_NOW | RTLD_LOCAL). NOT_FOUND with the loader's text when the file is missing or a symbol unresolved.
dvt_status dvt_library_open(const char *path, void **out_handle) DVT_NODISCARD;
void dvt_library_close(void *handle);
void *dvt_library_symbol(void *handle, const char *name);  // NULL when absent
// Path of the shared object that holds `address` (dladdr), NULL-safe; false when unknown.
bool dvt_library_path_of(const void *address, char *out_path, size_t capacity);

// The whole file, appended to *out. What is cut off the file meanwhile is missing from *out. RESOURCE_EXHAUSTED for
// files larger than a protocol buffer can be.
#define DVT_FILE_READ_MAX INT32_MAX
dvt_status dvt_file_read(const char *path, dvt_buf *out) DVT_NODISCARD;
// Parts of a file that stays open; the caller closes the descriptor. Reading past the end is DATA_LOSS.
dvt_status dvt_file_open(const char *path, int *out_fd, uint64_t *out_bytes) DVT_NODISCARD;
dvt_status dvt_file_read_at(int fd, const char *path, uint64_t offset, void *to, size_t len) DVT_NODISCARD;

// A whole file in memory (mmap, read-only). Zero-length files are legal. Release with dvt_file_unmap. Only for
// files that the loader maps as well: who cuts a mapped file short ends the process.
typedef struct dvt_mapped_file {
  dvt_str bytes;
} dvt_mapped_file;
dvt_status dvt_file_map(const char *path, dvt_mapped_file *out_file) DVT_NODISCARD;
void dvt_file_unmap(dvt_mapped_file *file);
dvt_status dvt_file_write(const char *path, dvt_str bytes) DVT_NODISCARD;  // replaces atomically (rename)
// A new, empty file beside `path`, to be written and renamed; *out_name (empty before) becomes its path.
dvt_status dvt_file_create_beside(const char *path, dvt_buf *out_name, int *out_fd) DVT_NODISCARD;

#endif  // DVT_BASE_LIBRARY_H_
