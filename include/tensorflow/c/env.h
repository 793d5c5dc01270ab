/* The operating system as plugins see it: files, directories, clocks, threads, shared libraries. */
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
  size_t stack_size; /* bytes; 0: the system's default */
  size_t guard_size; /* bytes of guard area; 0: the system's default */
  int numa_node;     /* -1: any */
} TF_ThreadOptions;

/* ---- files and directories ---- */

TF_CAPI_EXPORT void TF_CreateDir(const char* dirname, TF_Status* status);
TF_CAPI_EXPORT void TF_DeleteDir(const char* dirname, TF_Status* status);
TF_CAPI_EXPORT void TF_DeleteRecursively(const char* dirname, int64_t* undeleted_file_count,
    int64_t* undeleted_dir_count, TF_Status* status);
TF_CAPI_EXPORT void TF_FileStat(const char* filename, TF_FileStatistics* stats, TF_Status* status);
TF_CAPI_EXPORT void TF_NewWritableFile(const char* filename, TF_WritableFileHandle** handle,
    TF_Status* status);
TF_CAPI_EXPORT void TF_CloseWritableFile(TF_WritableFileHandle* handle, TF_Status* status);
TF_CAPI_EXPORT void TF_SyncWritableFile(TF_WritableFileHandle* handle, TF_Status* status);
TF_CAPI_EXPORT void TF_FlushWritableFile(TF_WritableFileHandle* handle, TF_Status* status);
TF_CAPI_EXPORT void TF_AppendWritableFile(TF_WritableFileHandle* handle, const char* data, size_t length,
    TF_Status* status);
TF_CAPI_EXPORT void TF_DeleteFile(const char* filename, TF_Status* status);
TF_CAPI_EXPORT TF_StringStream* TF_GetChildren(const char* filename, TF_Status* status);
TF_CAPI_EXPORT TF_StringStream* TF_GetLocalTempDirectories(void);
TF_CAPI_EXPORT bool TF_StringStreamNext(TF_StringStream* list, const char** result);
TF_CAPI_EXPORT void TF_StringStreamDone(TF_StringStream* list);
TF_CAPI_EXPORT char* TF_GetTempFileName(const char* extension);

/* ---- clocks ---- */

TF_CAPI_EXPORT uint64_t TF_NowNanos(void);
TF_CAPI_EXPORT uint64_t TF_NowMicros(void);
TF_CAPI_EXPORT uint64_t TF_NowSeconds(void);

/* ---- threads ---- */

TF_CAPI_EXPORT void TF_DefaultThreadOptions(TF_ThreadOptions* options);
TF_CAPI_EXPORT TF_Thread* TF_StartThread(const TF_ThreadOptions* options, const char* thread_name,
    void (*work_func)(void*), void* param);
TF_CAPI_EXPORT void TF_JoinThread(TF_Thread* thread);

/* ---- shared libraries ---- */

TF_CAPI_EXPORT void* TF_LoadSharedLibrary(const char* library_filename, TF_Status* status);
TF_CAPI_EXPORT void* TF_GetSymbolFromLibrary(void* handle, const char* symbol_name, TF_Status* status);

#ifdef __cplusplus
}
#endif

#endif
