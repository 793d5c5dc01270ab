// dlopen, and reading, mapping and writing of files, with the operating system's reason in every error.
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/errno_code.h"

dvt_status dvt_library_open(const char *path, void **out_handle) {
  if (!path) return dvt_error(TF_NOT_FOUND, "a library was to be opened but its path is NULL");
#ifdef DVT_LINKED_PLUGINS
  return dvt_error(TF_UNIMPLEMENTED,
                   "%s was not opened: this program is linked statically and opens no libraries", path);
#endif
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return dvt_error(TF_NOT_FOUND, "%s", reason ? reason : path);
  }
  *out_handle = handle;
  return NULL;
}

void dvt_library_close(void *handle) {
  if (handle) dlclose(handle);
}

void *dvt_library_symbol(void *handle, const char *name) {
  if (!handle || !name) return NULL;
  void *symbol = dlsym(handle, name);
  if (!symbol) dlerror();
  return symbol;
}

bool dvt_library_path_of(const void *address, char *out_path, size_t capacity) {
  Dl_info info;
  if (!address || !dladdr(address, &info) || !info.dli_fname) return false;
  size_t len = strlen(info.dli_fname);
  if (len >= capacity) return false;
  memcpy(out_path, info.dli_fname, len + 1);
  return true;
}

static dvt_status io_error(const char *path, const char *what) {
  int code = errno;
  char reason[128];
  return dvt_error(dvt_code_from_errno(code), "%s: %s: %s", path, what,
                   dvt_errno_text(code, reason, sizeof reason));
}

// Opens a regular file for reading; a pipe of that name is not waited for.
static dvt_status open_file(const char *path, int *out_fd, struct stat *out_info) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return io_error(path, "the file could not be opened");
  dvt_status status = NULL;
  if (fstat(fd, out_info) != 0)
    status = io_error(path, "its size could not be read");
  else if (S_ISDIR(out_info->st_mode))
    status = dvt_error(TF_FAILED_PRECONDITION, "%s is a directory, a file is needed", path);
  else if (!S_ISREG(out_info->st_mode))
    status = dvt_error(TF_FAILED_PRECONDITION, "%s is not a regular file", path);
  if (status)
    close(fd);
  else
    *out_fd = fd;
  return status;
}

dvt_status dvt_file_open(const char *path, int *out_fd, uint64_t *out_bytes) {
  struct stat info;
  DVT_RETURN_IF_ERROR(open_file(path, out_fd, &info));
  *out_bytes = (uint64_t)info.st_size;
  return NULL;
}

// Up to `len` bytes; *out_len is less than that only at the end of the file.
static dvt_status read_some(int fd, const char *path, uint64_t offset, char *to, size_t len,
                            size_t *out_len) {
  size_t done = 0;
  while (done < len) {
    ssize_t n = pread(fd, to + done, len - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(path, "reading failed");
    if (n == 0) break;
    done += (size_t)n;
  }
  *out_len = done;
  return NULL;
}

dvt_status dvt_file_read_at(int fd, const char *path, uint64_t offset, void *to, size_t len) {
  size_t got;
  DVT_RETURN_IF_ERROR(read_some(fd, path, offset, to, len, &got));
  if (got == len) return NULL;
  return dvt_error(TF_DATA_LOSS, "%s was cut short while it was open: %zu bytes are missing", path,
                   len - got);
}

// Room for `bytes` more; of an empty buffer in whole large pages where it takes some.
static char *extend(dvt_buf *out, size_t bytes) {
  if (!out->data && !out->failed && bytes >= DVT_LARGE_BYTES && bytes <= DVT_FILE_READ_MAX) {
    out->data = dvt_large_alloc(1, bytes + 1, &out->capacity);  // with the closing NUL
    if (!out->data) out->capacity = 0;
  }
  return dvt_buf_extend(out, bytes);
}

dvt_status dvt_file_read(const char *path, dvt_buf *out) {
  int fd;
  uint64_t bytes;
  size_t before = out->len, got = 0;
  DVT_RETURN_IF_ERROR(dvt_file_open(path, &fd, &bytes));
  dvt_status status = NULL;
  if (bytes > DVT_FILE_READ_MAX)
    status = dvt_error(TF_RESOURCE_EXHAUSTED, "%s has %llu bytes; files of up to %d can be read", path,
                       (unsigned long long)bytes, DVT_FILE_READ_MAX);
  char *to = status ? NULL : extend(out, (size_t)bytes);
  if (to) status = read_some(fd, path, 0, to, (size_t)bytes, &got);
  close(fd);
  if (!to) return status ? status : dvt_error_out_of_memory((size_t)bytes);
  out->len = before + got;
  out->data[out->len] = '\0';
  return status;
}

dvt_status dvt_file_map(const char *path, dvt_mapped_file *out_file) {
  int fd;
  struct stat info;
  DVT_RETURN_IF_ERROR(open_file(path, &fd, &info));
  dvt_status status = NULL;
  size_t len = (size_t)info.st_size;
  void *bytes = len ? mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0) : "";
  if (bytes == MAP_FAILED)
    status = io_error(path, "the file could not be mapped into memory");
  else
    out_file->bytes = dvt_str_make(bytes, len);
  close(fd);
  return status;
}

void dvt_file_unmap(dvt_mapped_file *file) {
  if (!file) return;
  if (file->bytes.len) munmap((void *)(uintptr_t)file->bytes.data, file->bytes.len);
  file->bytes = (dvt_str){0};
}

static dvt_status write_all(int fd, const char *path, dvt_str bytes) {
  while (bytes.len) {
    ssize_t n = write(fd, bytes.data, bytes.len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(path, "writing failed");
    bytes = dvt_str_drop(bytes, (size_t)n);
  }
  return NULL;
}

// Names differ by process and by call, so that two writers of one path do not meet.
dvt_status dvt_file_create_beside(const char *path, dvt_buf *out_name, int *out_fd) {
  static atomic_uint calls;
  int fd;
  do {
    dvt_buf_clear(out_name);
    dvt_buf_printf(out_name, "%s.tmp%ld.%u", path, (long)getpid(),
                   atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed));
    if (out_name->failed) return dvt_error_out_of_memory(strlen(path));
    fd = open(out_name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EEXIST);
  if (fd < 0) return io_error(path, "the file could not be created");
  *out_fd = fd;
  return NULL;
}

static dvt_status write_and_rename(dvt_buf *temporary, const char *path, dvt_str bytes) {
  int fd;
  DVT_RETURN_IF_ERROR(dvt_file_create_beside(path, temporary, &fd));
  dvt_status status = write_all(fd, path, bytes);
  if (close(fd) != 0 && !status) status = io_error(path, "writing failed");
  if (!status && rename(temporary->data, path) != 0)
    status = io_error(path, "the finished file could not be put in place");
  if (status) unlink(temporary->data);
  return status;
}

dvt_status dvt_file_write(const char *path, dvt_str bytes) {
  dvt_buf temporary = {0};
  dvt_status status = write_and_rename(&temporary, path, bytes);
  dvt_buf_deinit(&temporary);
  return status;
}
