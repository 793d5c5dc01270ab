// The operating system as plugins see it: files, directories, clocks, threads, shared libraries.
#ifndef TENSORFLOW_C_ENV_H_
#define TENSORFLOW_C_ENV_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_file_statistics.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_WritableFileHandle TF_WritableFileHandle;
typedef struct TF_StringStream TF_StringStream;
typedef struct TF_Thread TF_Thread;

typedef struct TF_ThreadOptions {
  size_t stack_size;  // bytes; 0: the system's default
  size_t guard_size;  // bytes of guard area; 0: the system's default
  int numa_node;      // -1: any
} TF_ThreadOptions;

// ---- files and directories ----

// Makes a directory; its parent must exist.
// Threads: any.
// Errors: ALREADY_EXISTS, NOT_FOUND when the parent is missing, or the code of the system's error.
// Since: 2.15
TF_CAPI_EXPORT void TF_CreateDir(const char *dirname, TF_Status *status);

// Removes an empty directory.
// Threads: any.
// Errors: FAILED_PRECONDITION when it is not empty, NOT_FOUND when it is missing, or the code of the
//   system's error.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteDir(const char *dirname, TF_Status *status);

// Removes a directory with all it contains and counts what could not be removed.
// Threads: any.
// Errors: NOT_FOUND when it is missing: then 0 files and 1 directory were not removed.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteRecursively(const char *dirname, int64_t *undeleted_file_count,
                                         int64_t *undeleted_dir_count, TF_Status *status);

// Size, time and kind of a file.
// Threads: any.
// Errors: NOT_FOUND, or the code of the system's error.
// Since: 2.15
TF_CAPI_EXPORT void TF_FileStat(const char *filename, TF_FileStatistics *stats, TF_Status *status);

// Opens a new file for writing; an existing one is emptied.
// Owner: the caller closes `*handle` with TF_CloseWritableFile.
// Threads: any.
// Errors: NOT_FOUND when the directory is missing, or the code of the system's error; `*handle` is
//   then untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_NewWritableFile(const char *filename, TF_WritableFileHandle **handle,
                                       TF_Status *status);

// Writes what is left, closes the file and releases the handle.
// Owner: takes `handle`.
// Errors: the code of the system's error.
// Since: 2.15
TF_CAPI_EXPORT void TF_CloseWritableFile(TF_WritableFileHandle *handle, TF_Status *status);

// Writes what is left through to the disk.
// Errors: the code of the system's error.
// Since: 2.15
TF_CAPI_EXPORT void TF_SyncWritableFile(TF_WritableFileHandle *handle, TF_Status *status);

// Hands what is left to the system.
// Errors: the code of the system's error.
// Since: 2.15
TF_CAPI_EXPORT void TF_FlushWritableFile(TF_WritableFileHandle *handle, TF_Status *status);

// Writes `length` bytes at the end.
// Errors: the code of the system's error.
// Since: 2.15
TF_CAPI_EXPORT void TF_AppendWritableFile(TF_WritableFileHandle *handle, const char *data, size_t length,
                                          TF_Status *status);

// Removes a file.
// Threads: any.
// Errors: NOT_FOUND, or the code of the system's error.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteFile(const char *filename, TF_Status *status);

// The names in a directory, without `.` and `..`.
// Owner: the caller ends the stream with TF_StringStreamDone, also after an error.
// Threads: any.
// Errors: NOT_FOUND, or the code of the system's error.
// Since: 2.15
TF_CAPI_EXPORT TF_StringStream *TF_GetChildren(const char *filename, TF_Status *status);

// Directories for temporary files, the best first.
// Owner: the caller ends the stream with TF_StringStreamDone.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT TF_StringStream *TF_GetLocalTempDirectories(void);

// Sets `*result` to the next string; false and NULL at the end.
// Owner: the stream keeps the text until TF_StringStreamDone.
// Since: 2.15
TF_CAPI_EXPORT bool TF_StringStreamNext(TF_StringStream *list, const char **result);

// Releases the stream and its strings.
// Owner: takes `list`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_StringStreamDone(TF_StringStream *list);

// A name for a file that does not exist yet, with a dot and `extension` at the end.
// Owner: the caller releases it with free().
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT char *TF_GetTempFileName(const char *extension);

// ---- clocks ----

// Nanoseconds since 1970.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT uint64_t TF_NowNanos(void);

// Microseconds since 1970.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT uint64_t TF_NowMicros(void);

// Seconds since 1970.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT uint64_t TF_NowSeconds(void);

// ---- threads ----

// Sets the options to the system's defaults: sizes 0, any NUMA node.
// Since: 2.15
TF_CAPI_EXPORT void TF_DefaultThreadOptions(TF_ThreadOptions *options);

// Starts a thread that runs `work_func(param)`.
// Owner: the caller ends it with TF_JoinThread; `param` stays the caller's.
// Threads: any.
// Errors: NULL and a log line when the system gives no thread.
// Since: 2.15
TF_CAPI_EXPORT TF_Thread *TF_StartThread(const TF_ThreadOptions *options, const char *thread_name,
                                         void (*work_func)(void *), void *param);

// Waits until the thread has ended and releases it.
// Owner: takes `thread`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_JoinThread(TF_Thread *thread);

// ---- shared libraries ----

// Loads a shared library and keeps it loaded.
// Owner: the process keeps the library.
// Threads: any.
// Errors: NOT_FOUND with the loader's text; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT void *TF_LoadSharedLibrary(const char *library_filename, TF_Status *status);

// Address of a symbol in a library from TF_LoadSharedLibrary.
// Threads: any.
// Errors: NOT_FOUND with the loader's text, also for a NULL handle; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT void *TF_GetSymbolFromLibrary(void *handle, const char *symbol_name, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
