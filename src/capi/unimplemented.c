// The entry points of the stock ABI that Dovetail declares and does not implement yet. Each answers
// UNIMPLEMENTED with its name and what to do instead, so that a program which needs one links, starts and
// learns why it fails. An entry point leaves this file when it is implemented; docs/reference/matrix.md lists
// what is left.
#include "capi/unimplemented.h"

#include "base/log.h"
#include "base/status.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"

static const char k_no_servers[] =
    "Dovetail runs graphs in the calling process: make a session with TF_NewSession";
static const char k_no_eager[] = "build a graph with the op and run it with TF_SessionRun";
static const char k_no_peers[] = "a Dovetail process has no peers: run the graph without collective ops";

void dvt_answer_unimplemented(const char *function, const char *remedy, TF_Status *status) {
  dvt_log(DVT_WARNING, "%s is not implemented; %s", function, remedy);
  if (status)
    dvt_status_to_tf(dvt_error(TF_UNIMPLEMENTED, "%s is not implemented; %s", function, remedy), status);
}

TF_Server *TF_NewServer(const void *proto, size_t proto_len, TF_Status *status) {
  (void)proto, (void)proto_len;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_NewServer), k_no_servers, status);
  return NULL;
}

void TF_ServerStart(TF_Server *server, TF_Status *status) {
  (void)server;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_ServerStart), k_no_servers, status);
}

void TF_ServerStop(TF_Server *server, TF_Status *status) {
  (void)server;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_ServerStop), k_no_servers, status);
}

void TF_ServerJoin(TF_Server *server, TF_Status *status) {
  (void)server;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_ServerJoin), k_no_servers, status);
}

const char *TF_ServerTarget(TF_Server *server) {
  (void)server;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_ServerTarget), k_no_servers, NULL);
  return NULL;
}

void TF_DeleteServer(TF_Server *server) {
  if (server) dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_DeleteServer), k_no_servers, NULL);
}

void TF_RegisterFilesystemPlugin(const char *plugin_filename, TF_Status *status) {
  (void)plugin_filename;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_RegisterFilesystemPlugin),
                           "mount what the plugin serves, so that files have ordinary paths", status);
}

TF_Buffer *TFE_GetServerDef(const char *text_proto, TF_Status *status) {
  (void)text_proto;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TFE_GetServerDef), k_no_servers, status);
  return NULL;
}

TFE_TensorHandle *TFE_NewTensorHandleFromScalar(TF_DataType data_type, void *data, size_t len,
                                                TF_Status *status) {
  (void)data_type, (void)data, (void)len;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TFE_NewTensorHandleFromScalar), k_no_eager, status);
  return NULL;
}

void TFE_InferShapes(TFE_Op *op, TF_ShapeAndTypeList *input_shapes, TF_Tensor **input_tensors,
                     TF_ShapeAndTypeList *input_tensor_as_shapes,
                     TF_ShapeAndTypeList **input_resource_shapes_and_types,
                     TF_ShapeAndTypeList **output_shapes,
                     TF_ShapeAndTypeList ***output_resource_shapes_and_types, TF_Status *status) {
  (void)op, (void)input_shapes, (void)input_tensors, (void)input_tensor_as_shapes;
  (void)input_resource_shapes_and_types, (void)output_shapes, (void)output_resource_shapes_and_types;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TFE_InferShapes),
                           "add the op to a graph and ask TF_GraphGetTensorShape", status);
}

void TFE_EnableCollectiveOps(TFE_Context *ctx, const void *proto, size_t proto_len, TF_Status *status) {
  (void)ctx, (void)proto, (void)proto_len;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TFE_EnableCollectiveOps), k_no_peers, status);
}

// `status` is the reason that the caller gives, not where errors go.
void TFE_AbortCollectiveOps(TFE_Context *ctx, TF_Status *status) {
  (void)ctx, (void)status;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TFE_AbortCollectiveOps), k_no_peers, NULL);
}

void TFE_CollectiveOpsCheckPeerHealth(TFE_Context *ctx, const char *task, int64_t timeout_in_ms,
                                      TF_Status *status) {
  (void)ctx, (void)task, (void)timeout_in_ms;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TFE_CollectiveOpsCheckPeerHealth), k_no_peers, status);
}
