// Files and directories of env.h on POSIX. Errors read "<path>; <the system's reason>" with the code of
// TF_SetStatusFromIOError. A listing (TF_StringStream) is read whole when it is opened.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/errno_code.h"
#include "base/log.h"
#include "base/status.h"
#include "tensorflow/c/env.h"

// Sets `status` from errno when `failed`, else OK.
static void set_io_status(TF_Status *status, bool failed, const char *path) {
  if (failed)
    TF_SetStatusFromIOError(status, errno, path);
  else
    TF_SetStatus(status, TF_OK, "");
}

static bool have_path(const char *path, TF_Status *status) {
  if (path) return true;
  TF_SetStatus(status, TF_INVALID_ARGUMENT, "the path is NULL");
  return false;
}

void TF_CreateDir(const char *dirname, TF_Status *status) {
  if (have_path(dirname, status)) set_io_status(status, mkdir(dirname, 0755) != 0, dirname);
}

void TF_DeleteDir(const char *dirname, TF_Status *status) {
  if (have_path(dirname, status)) set_io_status(status, rmdir(dirname) != 0, dirname);
}

void TF_DeleteFile(const char *filename, TF_Status *status) {
  if (have_path(filename, status)) set_io_status(status, unlink(filename) != 0, filename);
}

void TF_FileStat(const char *filename, TF_FileStatistics *stats, TF_Status *status) {
  struct stat info;
  if (!have_path(filename, status)) return;
  bool failed = stat(filename, &info) != 0;
  set_io_status(status, failed, filename);
  if (failed) return;
  stats->length = info.st_size;
  stats->mtime_nsec = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
  stats->is_directory = S_ISDIR(info.st_mode);
}

/* ---- writable files ---- */

struct TF_WritableFileHandle {
  FILE *file;
  char path[];
};

void TF_NewWritableFile(const char *filename, TF_WritableFileHandle **handle, TF_Status *status) {
  if (!have_path(filename, status)) return;
  size_t path_bytes = strlen(filename) + 1;
  TF_WritableFileHandle *made = dvt_malloc(sizeof *made + path_bytes);
  if (!made) {
    dvt_status_to_tf(dvt_error_out_of_memory(sizeof *made + path_bytes), status);
    return;
  }
  memcpy(made->path, filename, path_bytes);
  made->file = fopen(filename, "we");
  set_io_status(status, !made->file, filename);
  if (made->file)
    *handle = made;
  else
    dvt_free(made);
}

static bool have_file(const TF_WritableFileHandle *handle, TF_Status *status) {
  if (handle) return true;
  TF_SetStatus(status, TF_INVALID_ARGUMENT, "the file handle is NULL");
  return false;
}

void TF_CloseWritableFile(TF_WritableFileHandle *handle, TF_Status *status) {
  if (!have_file(handle, status)) return;
  set_io_status(status, fclose(handle->file) != 0, handle->path);
  dvt_free(handle);
}

void TF_FlushWritableFile(TF_WritableFileHandle *handle, TF_Status *status) {
  if (have_file(handle, status)) set_io_status(status, fflush(handle->file) != 0, handle->path);
}

void TF_SyncWritableFile(TF_WritableFileHandle *handle, TF_Status *status) {
  if (!have_file(handle, status)) return;
  set_io_status(status, fflush(handle->file) != 0 || fsync(fileno(handle->file)) != 0, handle->path);
}

void TF_AppendWritableFile(TF_WritableFileHandle *handle, const char *data, size_t length,
                           TF_Status *status) {
  if (!have_file(handle, status)) return;
  set_io_status(status, length && fwrite(data, 1, length, handle->file) != length, handle->path);
}

/* ---- listings ---- */

struct TF_StringStream {
  dvt_buf names;  // each with its NUL
  size_t next;
};

static TF_StringStream *stream_new(void) { return dvt_calloc(1, sizeof(TF_StringStream)); }

static void stream_add(TF_StringStream *stream, const char *name) {
  dvt_buf_append(&stream->names, name, strlen(name) + 1);
}

static bool is_dot_entry(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

static void read_children(TF_StringStream *stream, const char *dirname, TF_Status *status) {
  DIR *dir = opendir(dirname);
  set_io_status(status, !dir, dirname);
  if (!dir) return;
  for (struct dirent *entry; errno = 0, (entry = readdir(dir)) != NULL;)
    if (!is_dot_entry(entry->d_name)) stream_add(stream, entry->d_name);
  set_io_status(status, errno != 0, dirname);  // the end and a failure look alike
  closedir(dir);
  if (stream->names.failed) {
    dvt_buf_clear(&stream->names);
    dvt_status_to_tf(dvt_error_out_of_memory(0), status);
  }
}

// A stream comes back also for a directory that cannot be read: an empty one.
TF_StringStream *TF_GetChildren(const char *filename, TF_Status *status) {
  TF_StringStream *stream = stream_new();
  if (!stream)
    dvt_status_to_tf(dvt_error_out_of_memory(sizeof *stream), status);
  else if (have_path(filename, status))
    read_children(stream, filename, status);
  return stream;
}

static bool is_writable_dir(const char *path) {
  struct stat info;
  return path && *path && stat(path, &info) == 0 && S_ISDIR(info.st_mode) && access(path, W_OK | X_OK) == 0;
}

// The first of the usual places that is a writable directory, "" if none is.
static const char *temp_dir(void) {
  const char *candidates[] = {getenv("TEST_TMPDIR"), getenv("TMPDIR"), getenv("TMP"), P_tmpdir};
  for (size_t i = 0; i < DVT_COUNT_OF(candidates); i++)
    if (is_writable_dir(candidates[i])) return candidates[i];
  return "";
}

// As stock: at most one directory, ending in a slash.
TF_StringStream *TF_GetLocalTempDirectories(void) {
  TF_StringStream *stream = stream_new();
  const char *dir = temp_dir();
  size_t len = strlen(dir);
  if (!stream || !len) return stream;
  dvt_buf_printf(&stream->names, "%s%s", dir, dir[len - 1] == '/' ? "" : "/");
  dvt_buf_append_byte(&stream->names, '\0');
  return stream;
}

bool TF_StringStreamNext(TF_StringStream *list, const char **result) {
  if (!list || list->names.failed || list->next >= list->names.len) {
    *result = NULL;
    return false;
  }
  *result = list->names.data + list->next;
  list->next += strlen(*result) + 1;
  return true;
}

void TF_StringStreamDone(TF_StringStream *list) {
  if (!list) return;
  dvt_buf_deinit(&list->names);
  dvt_free(list);
}

// Makes an empty file of a name that nobody else has. The extension goes behind a dot of its own, so ".tmp"
// gives
// "..tmp", as in stock. The block is malloc's, because the caller passes it to free().
char *TF_GetTempFileName(const char *extension) {
  const char *suffix = extension ? extension : "", *dir = temp_dir();
  const char *dot = *suffix ? "." : "";
  dvt_buf name = {0};
  dvt_buf_printf(&name, "%s/tmp_file_tensorflow_%ld_XXXXXX%s%s", dir, (long)getpid(), dot, suffix);
  size_t suffix_len = strlen(dot) + strlen(suffix);
  int fd = name.failed || suffix_len > NAME_MAX ? -1 : mkstemps(name.data, (int)suffix_len);
  if (fd < 0) {
    dvt_log(DVT_ERROR, "TF_GetTempFileName: no file with extension %s could be made in %s", suffix, dir);
    dvt_buf_deinit(&name);
    return NULL;
  }
  close(fd);
  return dvt_buf_release(&name);
}

/* ---- recursive deletion ---- */

typedef struct deletion {
  int64_t undeleted_files, undeleted_dirs;
  int first_errno;
} deletion;

static void note_failure(deletion *run, int64_t *counter) {
  if (!run->first_errno) run->first_errno = errno;
  ++*counter;
}

// Deletes what `name` in the directory `parent` is; symbolic links go, what they point to stays.
static void delete_tree(deletion *run, int parent, const char *name) {
  struct stat info;
  if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    note_failure(run, &run->undeleted_files);
    return;
  }
  if (!S_ISDIR(info.st_mode)) {
    if (unlinkat(parent, name, 0) != 0) note_failure(run, &run->undeleted_files);
    return;
  }
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  if (!dir) {
    note_failure(run, &run->undeleted_dirs);
    if (fd >= 0) close(fd);
    return;
  }
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
    if (!is_dot_entry(entry->d_name)) delete_tree(run, fd, entry->d_name);
  closedir(dir);
  if (unlinkat(parent, name, AT_REMOVEDIR) != 0) note_failure(run, &run->undeleted_dirs);
}

void TF_DeleteRecursively(const char *dirname, int64_t *undeleted_file_count, int64_t *undeleted_dir_count,
                          TF_Status *status) {
  struct stat info;
  deletion run = {0};
  if (!have_path(dirname, status)) return;
  if (lstat(dirname, &info) != 0)
    note_failure(&run, &run.undeleted_dirs);
  else
    delete_tree(&run, AT_FDCWD, dirname);
  if (undeleted_file_count) *undeleted_file_count = run.undeleted_files;
  if (undeleted_dir_count) *undeleted_dir_count = run.undeleted_dirs;
  TF_SetStatusFromIOError(status, run.first_errno, dirname);
}
