// The core of the C ABI; user code includes this header for all of it.
// Graphs are in c_api_graph.h, import and functions in c_api_function.h, sessions in c_api_session.h; what is
// left here concerns the library as a whole: version, plugins, lists of ops and kernels, servers, log.
#ifndef TENSORFLOW_C_C_API_H_
#define TENSORFLOW_C_C_API_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_function.h"
#include "tensorflow/c/c_api_graph.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/c_api_session.h"
#include "tensorflow/c/tf_attrtype.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

#ifdef __cplusplus
extern "C" {
#endif

// Characters that somebody else owns; not NUL-terminated.
typedef struct TF_StringView {
  const char *data;
  size_t len;  // bytes
} TF_StringView;

typedef struct TF_Library TF_Library;
typedef struct TF_ApiDefMap TF_ApiDefMap;
typedef struct TF_Server TF_Server;

// ---- the library ----

// The release of stock TensorFlow whose ABI this library offers, as in "2.21.0".
// Owner: static text.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_Version(void);

// Fills `to` from a serialized TensorProto.
// Errors: INVALID_ARGUMENT when the bytes are no TensorProto or contradict themselves; `to` is then
//   untouched.
// Since: 2.15
TF_CAPI_EXPORT void TF_TensorFromProto(const TF_Buffer *from, TF_Tensor *to, TF_Status *status);

// ---- plugin libraries, op and kernel lists ----

// Loads a plugin and registers its ops and kernels, all or none of them.
// Owner: the caller releases the handle with TF_DeleteLibraryHandle; the process keeps the library.
// Threads: any; loads are serialized.
// Errors: NOT_FOUND for a missing file or an undefined symbol, INVALID_ARGUMENT for a file that is no
//   plugin for this machine or a wrong registration; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Library *TF_LoadLibrary(const char *library_filename, TF_Status *status);

// The ops that the plugin registered, as a serialized OpList.
// Owner: the handle keeps the bytes.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer TF_GetOpList(TF_Library *lib_handle);

// Releases the handle; the plugin stays loaded.
// Owner: takes `lib_handle`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteLibraryHandle(TF_Library *lib_handle);

// All registered ops as a serialized OpList.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_GetAllOpList(void);

// All registered kernels as a serialized KernelList.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status);

// The kernels of one op as a serialized KernelList, empty when there are none.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status);

// ---- API definitions ----

// A map from the ops of a serialized OpList to their ApiDefs.
// Owner: the caller releases it with TF_DeleteApiDefMap; copies the list.
// Errors: INVALID_ARGUMENT when the bytes are no OpList; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_ApiDefMap *TF_NewApiDefMap(TF_Buffer *op_list_buffer, TF_Status *status);

// Releases the map.
// Owner: takes `apimap`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteApiDefMap(TF_ApiDefMap *apimap);

// Adds ApiDefs in text form, later ones over earlier ones.
// Owner: copies the text.
// Errors: INVALID_ARGUMENT for text that is no ApiDefs, FAILED_PRECONDITION when it names an argument
//   or attribute that the op has not.
// Since: 2.15
TF_CAPI_EXPORT void TF_ApiDefMapPut(TF_ApiDefMap *api_def_map, const char *text, size_t text_len,
                                    TF_Status *status);

// The serialized ApiDef of an op.
// Owner: the caller releases the buffer with TF_DeleteBuffer.
// Errors: none: NULL with an OK status for an unknown op.
// Since: 2.15
TF_CAPI_EXPORT TF_Buffer *TF_ApiDefMapGet(TF_ApiDefMap *api_def_map, const char *name, size_t name_len,
                                          TF_Status *status);

// ---- servers ----

// A server in this process, described by a serialized ServerDef.
// Owner: the caller releases it with TF_DeleteServer.
// Errors: INVALID_ARGUMENT when the bytes are no ServerDef.
// Since: 2.15
TF_CAPI_EXPORT TF_Server *TF_NewServer(const void *proto, size_t proto_len, TF_Status *status);

// Starts the server.
// Since: 2.15
TF_CAPI_EXPORT void TF_ServerStart(TF_Server *server, TF_Status *status);

// Stops the server.
// Since: 2.15
TF_CAPI_EXPORT void TF_ServerStop(TF_Server *server, TF_Status *status);

// Waits until the server has stopped.
// Since: 2.15
TF_CAPI_EXPORT void TF_ServerJoin(TF_Server *server, TF_Status *status);

// The target that TF_SetTarget takes to reach the server.
// Owner: the server keeps the text.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_ServerTarget(TF_Server *server);

// Stops the server and releases it.
// Owner: takes `server`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteServer(TF_Server *server);

// ---- log and file systems ----

// Sets a function that receives every log line as well; NULL removes it.
// Owner: the text is valid during the call.
// Threads: any; `listener` may be called from several threads at once.
// Since: 2.15
TF_CAPI_EXPORT void TF_RegisterLogListener(void (*listener)(const char *message));

// Loads a plugin that serves file systems and registers its schemes.
// Errors: NOT_FOUND for a missing file or entry point, or what the plugin reports.
// Since: 2.15
TF_CAPI_EXPORT void TF_RegisterFilesystemPlugin(const char *plugin_filename, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
