// Sessions, which run graphs, their options and their devices.
// Part of c_api.h, which user code includes; the graph itself is in c_api_graph.h.
#ifndef TENSORFLOW_C_C_API_SESSION_H_
#define TENSORFLOW_C_C_API_SESSION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_graph.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_SessionOptions TF_SessionOptions;
typedef struct TF_Session TF_Session;
typedef struct TF_DeprecatedSession TF_DeprecatedSession;
typedef struct TF_DeviceList TF_DeviceList;

// ---- session options ----

// Options with their defaults.
// Owner: the caller releases them with TF_DeleteSessionOptions.
// Since: 2.15
TF_CAPI_EXPORT TF_SessionOptions *TF_NewSessionOptions(void);

// Sets the execution engine to connect to: empty or `local` for this process.
// Owner: copies `target`.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetTarget(TF_SessionOptions *options, const char *target);

// Sets the options from a serialized ConfigProto.
// Owner: copies the bytes.
// Errors: INVALID_ARGUMENT when the bytes are no ConfigProto.
// Since: 2.15
TF_CAPI_EXPORT void TF_SetConfig(TF_SessionOptions *options, const void *proto, size_t proto_len,
                                 TF_Status *status);

// Releases the options.
// Owner: takes `options`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteSessionOptions(TF_SessionOptions *options);

// ---- sessions ----

// A session that runs `graph`; operations added to the graph later can be run too.
// Owner: the caller ends it with TF_DeleteSession and may delete the graph before; copies `opts`,
//   which may be NULL.
// Errors: INVALID_ARGUMENT for options that cannot be met; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Session *TF_NewSession(TF_Graph *graph, const TF_SessionOptions *opts, TF_Status *status);

// Loads the part of a SavedModel directory that has exactly the given tags: fills the empty `graph`,
// restores the variables, returns a session on it.
// Owner: the caller keeps `graph` and ends the session with TF_DeleteSession; `meta_graph_def` may be
//   NULL, else it is an empty buffer that receives the MetaGraphDef.
// Errors: NOT_FOUND without such a directory or such tags, INVALID_ARGUMENT when `graph` is not empty
//   or the graph is wrong, DATA_LOSS for a damaged checkpoint; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_Session *TF_LoadSessionFromSavedModel(const TF_SessionOptions *session_options,
                                                        const TF_Buffer *run_options, const char *export_dir,
                                                        const char *const *tags, int tags_len,
                                                        TF_Graph *graph, TF_Buffer *meta_graph_def,
                                                        TF_Status *status);

// Ends the session: runs that go on are cancelled, later ones fail.
// Threads: any.
// Since: 2.15
TF_CAPI_EXPORT void TF_CloseSession(TF_Session *session, TF_Status *status);

// Closes the session and releases it.
// Owner: takes `session`, also on failure; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteSession(TF_Session *session, TF_Status *status);

// Runs what `outputs` and `target_opers` need, with `inputs` fed by `input_values`, and writes a
// tensor for each output; `run_options` and `run_metadata` may be NULL.
// Owner: the caller keeps the fed tensors and deletes the fetched ones; `run_metadata` is an empty
//   buffer.
// Threads: any number of runs of one session at once.
// Errors: INVALID_ARGUMENT for missing, repeated or wrong feeds and unknown outputs;
//   DEADLINE_EXCEEDED, CANCELLED; else the first error of a node, with its name. `output_values` are
//   then all NULL.
// Since: 2.15
TF_CAPI_EXPORT void TF_SessionRun(TF_Session *session, const TF_Buffer *run_options, const TF_Output *inputs,
                                  TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                                  TF_Tensor **output_values, int noutputs,
                                  const TF_Operation *const *target_opers, int ntargets,
                                  TF_Buffer *run_metadata, TF_Status *status);

// Prepares a run in several parts: names all feeds, outputs and targets the parts may use.
// Owner: the caller releases `*handle` with TF_DeletePRunHandle.
// Errors: INVALID_ARGUMENT for unknown feeds or outputs; `*handle` is then NULL.
// Since: 2.15
TF_CAPI_EXPORT void TF_SessionPRunSetup(TF_Session *session, const TF_Output *inputs, int ninputs,
                                        const TF_Output *outputs, int noutputs,
                                        const TF_Operation *const *target_opers, int ntargets,
                                        const char **handle, TF_Status *status);

// Runs a part: feeds some inputs and fetches outputs that depend on what was fed so far.
// Owner: the caller keeps the fed tensors and deletes the fetched ones.
// Errors: INVALID_ARGUMENT for a feed given twice or an output that needs more feeds.
// Since: 2.15
TF_CAPI_EXPORT void TF_SessionPRun(TF_Session *session, const char *handle, const TF_Output *inputs,
                                   TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                                   TF_Tensor **output_values, int noutputs,
                                   const TF_Operation *const *target_opers, int ntargets, TF_Status *status);

// Releases a handle from TF_SessionPRunSetup.
// Owner: takes `handle`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeletePRunHandle(const char *handle);

// Shows the session the operations added to its graph since; after the first call TF_SessionRun no
// longer does so itself.
// Errors: INVALID_ARGUMENT when an operation that was run has been changed.
// Since: 2.15
TF_CAPI_EXPORT void TF_ExtendSession(TF_Session *session, TF_Status *status);

// ---- sessions of the first C API: the graph belongs to the session, tensors have names ----

// A session of the first C API, with an empty graph.
// Owner: the caller ends it with TF_DeleteDeprecatedSession; copies `options`.
// Errors: INVALID_ARGUMENT for options that cannot be met; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT TF_DeprecatedSession *TF_NewDeprecatedSession(const TF_SessionOptions *options,
                                                             TF_Status *status);

// Ends the session.
// Since: 2.15
TF_CAPI_EXPORT void TF_CloseDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status);

// Closes the session and releases it.
// Owner: takes `session`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status);

// Clears the named containers of variables on the engine that the options name; none named clears the
// default one.
// Errors: INVALID_ARGUMENT for an unknown target.
// Since: 2.15
TF_CAPI_EXPORT void TF_Reset(const TF_SessionOptions *opt, const char **containers, int ncontainers,
                             TF_Status *status);

// Adds the nodes of a serialized GraphDef to the session's graph.
// Errors: as TF_GraphImportGraphDef.
// Since: 2.15
TF_CAPI_EXPORT void TF_ExtendGraph(TF_DeprecatedSession *session, const void *proto, size_t proto_len,
                                   TF_Status *status);

// As TF_SessionRun, with tensors by name, as in `node:0`.
// Owner: takes the fed tensors, also on failure; the caller deletes the fetched ones.
// Threads: any number of runs of one session at once.
// Errors: as TF_SessionRun.
// Since: 2.15
TF_CAPI_EXPORT void TF_Run(TF_DeprecatedSession *session, const TF_Buffer *run_options,
                           const char **input_names, TF_Tensor **inputs, int ninputs,
                           const char **output_names, TF_Tensor **outputs, int noutputs,
                           const char **target_oper_names, int ntargets, TF_Buffer *run_metadata,
                           TF_Status *status);

// As TF_SessionPRunSetup, with tensors by name.
// Owner: the caller releases `*handle` with TF_DeletePRunHandle.
// Errors: as TF_SessionPRunSetup.
// Since: 2.15
TF_CAPI_EXPORT void TF_PRunSetup(TF_DeprecatedSession *session, const char **input_names, int ninputs,
                                 const char **output_names, int noutputs, const char **target_oper_names,
                                 int ntargets, const char **handle, TF_Status *status);

// As TF_SessionPRun, with tensors by name.
// Owner: takes the fed tensors, also on failure; the caller deletes the fetched ones.
// Errors: as TF_SessionPRun.
// Since: 2.15
TF_CAPI_EXPORT void TF_PRun(TF_DeprecatedSession *session, const char *handle, const char **input_names,
                            TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs,
                            int noutputs, const char **target_oper_names, int ntargets, TF_Status *status);

// ---- devices ----

// The devices the session can use.
// Owner: the caller releases the list with TF_DeleteDeviceList.
// Since: 2.15
TF_CAPI_EXPORT TF_DeviceList *TF_SessionListDevices(TF_Session *session, TF_Status *status);

// The devices the session can use.
// Owner: the caller releases the list with TF_DeleteDeviceList.
// Since: 2.15
TF_CAPI_EXPORT TF_DeviceList *TF_DeprecatedSessionListDevices(TF_DeprecatedSession *session,
                                                              TF_Status *status);

// Releases the list.
// Owner: takes `list`; NULL is accepted.
// Since: 2.15
TF_CAPI_EXPORT void TF_DeleteDeviceList(TF_DeviceList *list);

// Number of devices.
// Since: 2.15
TF_CAPI_EXPORT int TF_DeviceListCount(const TF_DeviceList *list);

// Full name of a device.
// Owner: the list keeps the text.
// Errors: INVALID_ARGUMENT when the index is out of range; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_DeviceListName(const TF_DeviceList *list, int index, TF_Status *status);

// Type of a device, as in CPU.
// Owner: the list keeps the text.
// Errors: INVALID_ARGUMENT when the index is out of range; NULL is then returned.
// Since: 2.15
TF_CAPI_EXPORT const char *TF_DeviceListType(const TF_DeviceList *list, int index, TF_Status *status);

// Memory of a device in bytes.
// Errors: INVALID_ARGUMENT when the index is out of range; -1 is then returned.
// Since: 2.15
TF_CAPI_EXPORT int64_t TF_DeviceListMemoryBytes(const TF_DeviceList *list, int index, TF_Status *status);

// A number that changes when the device is made anew.
// Errors: INVALID_ARGUMENT when the index is out of range; 0 is then returned.
// Since: 2.15
TF_CAPI_EXPORT uint64_t TF_DeviceListIncarnation(const TF_DeviceList *list, int index, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
