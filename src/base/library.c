// dlopen, mmap and whole-file writing, with the operating system's reason in every error.
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/errno_code.h"

dvt_status dvt_library_open(const char *path, void **out_handle) {
  if (!path) return dvt_error(TF_NOT_FOUND, "a library was to be opened but its path is NULL");
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

static dvt_status map_descriptor(int fd, const char *path, dvt_mapped_file *out_file) {
  struct stat info;
  if (fstat(fd, &info) != 0) return io_error(path, "its size could not be read");
  if (S_ISDIR(info.st_mode))
    return dvt_error(TF_FAILED_PRECONDITION, "%s is a directory, a file is needed", path);
  if (!S_ISREG(info.st_mode)) return dvt_error(TF_FAILED_PRECONDITION, "%s is not a regular file", path);
  if (info.st_size == 0) {
    out_file->bytes = dvt_str_make("", 0);
    return NULL;
  }
  void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) return io_error(path, "the file could not be mapped into memory");
  out_file->bytes = dvt_str_make(bytes, (size_t)info.st_size);
  return NULL;
}

dvt_status dvt_file_map(const char *path, dvt_mapped_file *out_file) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return io_error(path, "the file could not be opened");
  dvt_status status = map_descriptor(fd, path, out_file);
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

// mkstemp makes files private; a written file gets what open() would give it.
static void set_usual_mode(int fd) {
  mode_t mask = umask(0);
  umask(mask);
  (void)!fchmod(fd, 0666 & ~mask);
}

static dvt_status write_and_rename(char *temporary, const char *path, dvt_str bytes) {
  int fd = mkstemp(temporary);
  if (fd < 0) return io_error(path, "the file could not be created");
  set_usual_mode(fd);
  dvt_status status = write_all(fd, path, bytes);
  if (close(fd) != 0 && !status) status = io_error(path, "writing failed");
  if (!status && rename(temporary, path) != 0)
    status = io_error(path, "the finished file could not be put in place");
  if (status) unlink(temporary);
  return status;
}

dvt_status dvt_file_write(const char *path, dvt_str bytes) {
  size_t len = strlen(path);
  char *temporary = dvt_malloc(len + sizeof ".XXXXXX");
  if (!temporary) return dvt_error_out_of_memory(len + 8);
  memcpy(temporary, path, len);
  memcpy(temporary + len, ".XXXXXX", sizeof ".XXXXXX");
  dvt_status status = write_and_rename(temporary, path, bytes);
  dvt_free(temporary);
  return status;
}
