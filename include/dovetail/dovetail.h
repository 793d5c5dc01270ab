// Dovetail's own C API: open a trained model, see what it wants and gives, run it. A model is a SavedModel directory, a
// file holding a GraphDef (.pb, .pbtxt), a MetaGraphDef beside its checkpoint (NAME.meta, NAME.index, NAME.data-...), or a
// TensorFlow.js graph model (model.json, or the folder it lies in). It stands on the stock C ABI (tensorflow/c/c_api.h), whose TF_Tensor and TF_Status it uses. Plugins in the standard plugin
// directory are found by themselves.
//
//   TF_Status *status = TF_NewStatus();
//   dvt_model *model = NULL;
//   dvt_model_open("model_dir", NULL, &model, status);
//   const char *names[] = {"x"};
//   TF_Tensor *y = NULL;
//   dvt_model_run(model, NULL, names, &x, 1, NULL, &y, 1, status);
//
// A NULL model is an error where there is a status; elsewhere it has no signatures, inputs, outputs or ops.
//
// Functions that take `signature` accept NULL for the model's default: "serving_default" if there is one, else the only
// one. A graph without signatures has one, named "": its inputs are the placeholders, its outputs those of the nodes that
// nobody consumes. NAME of an input or output is its name in the signature, a tensor name ("node:0" or "node"), or a
// position in the signature written as a number.
#ifndef DOVETAIL_DOVETAIL_H_
#define DOVETAIL_DOVETAIL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dvt_model dvt_model;

// How to open a model. Zero everything, set struct_size, then what is wanted.
typedef struct dvt_model_options {
  size_t struct_size;           // sizeof(dvt_model_options)
  const char *const *tags;      // which graph of a SavedModel; usually {"serve"}
  int tag_count;                // 0: the one tagged "serve", else the only one
  const char *const *plugins;   // plugin files to load first
  int plugin_count;
  int threads;                  // 0: as many as the machine has cores
  bool describe_only;           // read and describe only; ops may be missing, running answers FAILED_PRECONDITION
} dvt_model_options;

// One input or output.
typedef struct dvt_tensor_info {
  const char *name;     // in the signature; the tensor's name where there is none
  const char *tensor;   // "node:0"
  TF_DataType dtype;    // 0: unknown
  int rank;             // -1: unknown
  const int64_t *dims;  // `rank` of them; -1: any size
} dvt_tensor_info;

// What a model consists of.
typedef struct dvt_model_info {
  const char *path;
  const char *format;          // "SavedModel", "GraphDef", "MetaGraphDef" or "TensorFlow.js"
  const char *tags;            // "serve"; "" for what has none
  const char *writer_version;  // of the TensorFlow that wrote it; "" if it does not say
  int64_t graph_def_version;   // producer version
  int64_t node_count;          // of the graph itself
  int64_t function_count;
  int64_t function_node_count;  // nodes in all functions
  int64_t variable_count;       // in the checkpoint
  int64_t variable_bytes;
  int64_t graph_bytes;          // serialised
} dvt_model_info;

// One op type of a model.
typedef struct dvt_op_use {
  const char *op;
  int64_t count;        // nodes of it, in the graph and its functions
  int64_t needed;       // of these, how many the signatures and the loading of variables reach
  const char *plugin;   // that registered its kernel; "" if the runtime itself runs it; NULL if none is known
  const char *missing;  // NULL: nothing is missing to run it; else why it cannot run, and what to do
} dvt_op_use;

// How long one node took in the last profiled run.
typedef struct dvt_op_time {
  const char *node;
  const char *op;
  const char *plugin;  // whose kernel ran; "" for the runtime itself
  int64_t total_ns;    // with the functions it called
  int64_t count;       // executions: more than one in loops
  int64_t own_ns;      // without them: their nodes have times of their own. The sum of all is no more than the run's time
                       // on each thread
} dvt_op_time;

// What becomes of one node when a signature is run.
typedef struct dvt_planned_node {
  const char *node;
  const char *op;
  const char *plugin;   // whose kernel it has; "" for the runtime itself
  const char *fate;     // "runs", "constant", "folded" (computed once), "fused" (another node does its work),
                        // "shared" (another node computes the same) or "unneeded" (nobody reads it any more)
  const char *into;     // of a fused or shared node: the node that does its work; else NULL
  const char *made_of;  // of a node that the model does not have, made for the plan: the ops it stands for, "Conv2D +
                        // BiasAdd + Relu"; else NULL
} dvt_planned_node;

// One registered kernel of a node's op, and how it fared.
typedef struct dvt_kernel_candidate {
  const char *device;       // device type it is registered for: "CPU", "DEFAULT", ...
  const char *constraints;  // "T in {float, double}"; "" for any
  const char *label;        // usually ""
  const char *plugin;       // "" when the program itself registered it
  int priority;
  bool is_taken;
  const char *why;  // "taken", or why not: "T is int8, wanted is float or double"
} dvt_kernel_candidate;

// How the kernel for one node is chosen.
typedef struct dvt_kernel_choice {
  const char *function;  // whose body the node is in; "" for the graph itself
  const char *node;
  const char *op;
  const char *device;   // device type that a kernel is wanted for
  const char *label;    // the node's attribute _kernel; usually ""
  const char *attrs;    // the attributes that kernels constrain: "T = float, Tidx = int32"; "" for none
  bool can_run;         // a kernel is found, or none is needed
  const char *outcome;  // "a kernel of plugin math", "the runtime runs it itself", "calls the function f", or the error
  const dvt_kernel_candidate *candidates;  // in the order of registration
  int candidate_count;
} dvt_kernel_choice;

// A kernel that running a model may take.
typedef struct dvt_kernel_use {
  const char *op;
  const char *kernel_class;  // the name that it was registered under (TF_RegisterKernelBuilder)
  const char *plugin;        // "" when the program itself registered it
} dvt_kernel_use;

// A shape to infer a model's other shapes for.
typedef struct dvt_fed_dims {
  const char *name;     // NAME of an input, or any tensor of the graph
  int rank;
  const int64_t *dims;  // -1: any size
} dvt_fed_dims;

// What is known of one output of a node before anything runs.
typedef struct dvt_inferred_output {
  const char *function;  // whose body the node is in; "" for the graph itself
  const char *node;
  const char *op;
  int output;           // -1: the node has none
  TF_DataType dtype;    // 0 for a node without outputs
  int rank;             // -1: unknown
  const int64_t *dims;  // `rank` of them; -1: unknown
  const char *shape;    // "[N,7,64]"; unknown sizes have names, the same size the same name; "?" for an unknown rank
  const char *error;    // why the op's shape function failed; NULL if it did not
} dvt_inferred_output;

// An argument of an op.
typedef struct dvt_op_arg_info {
  const char *name;
  const char *type;  // "float", "T", "N * T", "Ref(T)"
} dvt_op_arg_info;

// An attribute of an op.
typedef struct dvt_op_attr_info {
  const char *name;
  const char *type;           // "int", "list(type)"
  const char *allowed;        // "float, double"; "" for any
  const char *default_value;  // "DT_FLOAT", "false"; NULL: it must be given
  bool has_minimum;
  int64_t minimum;            // of an int, or of the length of a list
} dvt_op_attr_info;

// A registered op.
typedef struct dvt_op_info {
  const char *name;
  const char *signature;  // "(a: T, b: T) -> (product: T)"
  const char *attrs;      // "T in {float, double}, transpose_a: bool = false"
  const char *plugin;     // "" when the program itself registered it
  int kernel_count;
  bool is_stateful;
  bool has_shape_function;
  const dvt_op_arg_info *inputs, *outputs;
  int input_count, output_count;
  const dvt_op_attr_info *attr_list;
  int attr_count;
  const char *doc;             // summary and description; "" if the plugin gives none
  const char *shape_function;  // "dvt_shape_fn_matmul of libdovetail.so.0", "linalg.so"; "" without one
  const char *deprecation;     // why it should not be used any more; "" if it may
} dvt_op_info;

// A registered kernel.
typedef struct dvt_kernel_info {
  const char *op;
  const char *device;       // "CPU", "DEFAULT", ...
  const char *constraints;  // "T in {float, double}"; "" for any
  const char *label;        // usually ""
  const char *plugin;       // "" when the program itself registered it
  int priority;
  bool is_async;
} dvt_kernel_info;

// The library's version, e.g. "0.1.0".
// Owner: static. Threads: any. Since: dovetail
DVT_EXPORT const char *dvt_version(void);

// ---- models ----

// Opens the model at `path` and makes it ready to run: plugins loaded, graph imported, variables restored, init op run.
// `options` may be NULL. *out_model is left alone on failure.
// Owner: the caller closes the model with dvt_model_close; options are read only during the call. Threads: any.
// Errors: NOT_FOUND no such file, tags or op (all missing ops are listed); INVALID_ARGUMENT damaged or not a model;
// DATA_LOSS damaged variables. Since: dovetail
DVT_EXPORT void dvt_model_open(const char *path, const dvt_model_options *options, dvt_model **out_model,
                               TF_Status *status);

// Closes the model and frees everything it gave out except tensors. NULL is fine.
// Threads: when no other call on the model runs. Since: dovetail
DVT_EXPORT void dvt_model_close(dvt_model *model);

// What the model consists of.
// Owner: the model. Threads: any. Since: dovetail
DVT_EXPORT const dvt_model_info *dvt_model_describe(const dvt_model *model);

// Number of signatures, at least 1 for a GraphDef; 0 for a SavedModel without any.
// Threads: any. Since: dovetail
DVT_EXPORT int dvt_model_signature_count(const dvt_model *model);

// Name of signature `index`, in alphabetical order; NULL out of range.
// Owner: the model. Threads: any. Since: dovetail
DVT_EXPORT const char *dvt_model_signature_name(const dvt_model *model, int index);

// The name that a NULL signature stands for; NULL when there is no default.
// Owner: the model. Threads: any. Since: dovetail
DVT_EXPORT const char *dvt_model_default_signature(const dvt_model *model);

// Number of inputs of a signature; -1 when the model has no such signature.
// Threads: any. Since: dovetail
DVT_EXPORT int dvt_model_input_count(const dvt_model *model, const char *signature);

// Input `index` of a signature, sorted by name (of a graph without signatures in the graph's order); NULL out of range.
// Owner: the model. Threads: any. Since: dovetail
DVT_EXPORT const dvt_tensor_info *dvt_model_input(const dvt_model *model, const char *signature, int index);

// Number of outputs of a signature; -1 when the model has no such signature.
// Threads: any. Since: dovetail
DVT_EXPORT int dvt_model_output_count(const dvt_model *model, const char *signature);

// Output `index` of a signature, ordered as the inputs are; NULL out of range.
// Owner: the model. Threads: any. Since: dovetail
DVT_EXPORT const dvt_tensor_info *dvt_model_output(const dvt_model *model, const char *signature, int index);

// The input that NAME stands for. A tensor name that is in no signature is looked up in the graph.
// Owner: the model. Threads: any. Errors: NOT_FOUND with the names that exist. Since: dovetail
DVT_EXPORT const dvt_tensor_info *dvt_model_find_input(dvt_model *model, const char *signature, const char *name,
                                                       TF_Status *status);

// The output that NAME stands for.
// Owner: the model. Threads: any. Errors: NOT_FOUND with the names that exist. Since: dovetail
DVT_EXPORT const dvt_tensor_info *dvt_model_find_output(dvt_model *model, const char *signature, const char *name,
                                                        TF_Status *status);

// Runs the model once. inputs[i] is the value of the input named input_names[i]; every input of the signature that the
// outputs depend on must be given. outputs[i] receives the value of output_names[i]. output_names NULL stands for all
// outputs of the signature in order; output_count must then be their number. Dtypes and shapes are checked first.
// Owner: inputs stay the caller's; the caller deletes each output with TF_DeleteTensor; outputs are left alone on
// failure. Threads: any number at once on one model. Errors: INVALID_ARGUMENT missing, unknown, doubled or unfitting
// inputs; NOT_FOUND unknown names or no kernel for a node; what a kernel reports, with its node, op and plugin.
// Since: dovetail
DVT_EXPORT void dvt_model_run(dvt_model *model, const char *signature, const char *const *input_names,
                              TF_Tensor *const *inputs, int input_count, const char *const *output_names,
                              TF_Tensor **outputs, int output_count, TF_Status *status);

// Writes the model's graph to a file as a GraphDef that needs nothing else, in text form if `path` ends in ".pbtxt". Ops
// that only web converters write (_FusedConv2D, FusedDepthwiseConv2dNative, _FusedMatMul, Prelu) are replaced by ordinary
// ones; signatures are not kept. Of a SavedModel, what its default signature needs is written (of all signatures when
// there is no default), with the present values of variables as constants. The model may be opened with describe_only; a
// SavedModel is then loaded for this.
// Threads: any. Errors: UNIMPLEMENTED when a SavedModel writes variables, looks up in tables or reads assets; what loading
// and writing report.
// Since: dovetail
DVT_EXPORT void dvt_model_save_graph(const dvt_model *model, const char *path, TF_Status *status);

// ---- what ran, what is missing ----

// Whether runs record what each node does, for dvt_model_profile and dvt_model_trace. Off at first; it costs less than
// 100 ns a node.
// Threads: any; runs that already started keep what they found. Since: dovetail
DVT_EXPORT void dvt_model_set_profiling(dvt_model *model, bool on);

// Times of the nodes of the profiled run that finished last, slowest first. Returns their number; 0 and NULL when no run
// was profiled.
// Owner: the caller frees *out_times with dvt_op_times_free; its text lives as long. Threads: any. Since: dovetail
DVT_EXPORT int dvt_model_profile(dvt_model *model, dvt_op_time **out_times);

// Frees what dvt_model_profile gave. NULL is fine.
// Threads: any. Since: dovetail
DVT_EXPORT void dvt_op_times_free(dvt_op_time *times);

// Writes what the profiled run that finished last did, failed ones included, as JSON in Chrome's trace event format, which
// Perfetto (ui.perfetto.dev) and chrome://tracing show: for each node its thread, times in microseconds from the begin of
// the run, plugin, inputs, dtypes and shapes of its outputs, bytes that it allocated, and the spans that its kernel named
// (dovetail/trace.h).
// Owner: out_json is an empty buffer of the caller's; left alone on failure. Threads: any. Errors: FAILED_PRECONDITION no
// run was profiled; INVALID_ARGUMENT the model is NULL or the buffer not empty. Since: dovetail
DVT_EXPORT void dvt_model_trace(dvt_model *model, TF_Buffer *out_json, TF_Status *status);

// Number of op types in the model. The first call looks up every op and kernel, which may load plugins.
// Threads: any. Since: dovetail
DVT_EXPORT int dvt_model_op_count(dvt_model *model);

// Op type `index`, the most frequent first; NULL out of range.
// Owner: the model. Threads: any. Since: dovetail
DVT_EXPORT const dvt_op_use *dvt_model_op(dvt_model *model, int index);

// Number of op types that the model needs to run and that have no definition or no kernel.
// Threads: any. Since: dovetail
DVT_EXPORT int dvt_model_missing_count(dvt_model *model);

// What the runtime makes of a signature: every node that its outputs need with its fate, then the nodes that were made
// to stand for several. Nothing is run but what depends on constants only. Returns their number, 0 on failure.
// The environment variable DOVETAIL_OPTIMIZE says what may be changed when a model is opened: "all" (the default),
// "none", or some of "fold" (constants), "share" (equal nodes run once), "fuse", "batch_norm" (fusing of normalisations,
// too) and "elementwise" (fusing of element-wise nodes, too) with commas between.
// Owner: the caller frees *out_nodes with dvt_planned_nodes_free; its text lives as long; left alone on failure.
// Threads: any. Errors: NOT_FOUND no such signature; FAILED_PRECONDITION the model was opened with describe_only; what
// dvt_model_run reports of nodes without a kernel. Since: dovetail
DVT_EXPORT int dvt_model_plan(dvt_model *model, const char *signature, dvt_planned_node **out_nodes, TF_Status *status);

// Frees what dvt_model_plan gave. NULL is fine.
// Threads: any. Since: dovetail
DVT_EXPORT void dvt_planned_nodes_free(dvt_planned_node *nodes);

// Explains which kernel is chosen for the nodes of the name `node`, in the graph and in its functions, and why the others of
// the op are not. That is what the graph says; what a plan makes of the node, dvt_model_plan tells. The model may be opened
// with describe_only. Returns the number of nodes found, 0 on failure.
// Owner: the caller frees *out_choices with dvt_kernel_choices_free; left alone on failure. Threads: any; may load plugins.
// Errors: NOT_FOUND no such node, with similar names. Since: dovetail
DVT_EXPORT int dvt_model_explain_kernel(dvt_model *model, const char *node, dvt_kernel_choice **out_choices,
                                        TF_Status *status);

// Frees what dvt_model_explain_kernel gave. NULL is fine.
// Threads: any. Since: dovetail
DVT_EXPORT void dvt_kernel_choices_free(dvt_kernel_choice *choices);

// The kernels that running any of the model's signatures may take, each once, sorted by op and class: those that its nodes
// find, also in functions, and those of the plans that are made of the signatures, in which nodes are fused. Kernels of a
// function whose dtypes only its callers know are those of the calls in the plans. Returns their number, 0 on failure.
// Owner: the caller frees *out_uses with dvt_kernel_uses_free; its text lives as long; left alone on failure.
// Threads: any. Errors: FAILED_PRECONDITION the model was opened with describe_only; NOT_FOUND a node without op or kernel.
// Since: dovetail
DVT_EXPORT int dvt_model_kernels(dvt_model *model, dvt_kernel_use **out_uses, TF_Status *status);

// Frees what dvt_model_kernels gave. NULL is fine.
// Threads: any. Since: dovetail
DVT_EXPORT void dvt_kernel_uses_free(dvt_kernel_use *uses);

// The shapes of all nodes of the model's graph, in its order, and of its functions with what their callers know. Shapes
// in `feeds` count as given. A size that is not known is named N, N1, N2... or by how it is computed from such,
// "(N-3)/2". Returns the number of outputs, 0 on failure. The model may be opened with describe_only.
// Owner: the caller frees *out_outputs with dvt_inferred_outputs_free; left alone on failure. Threads: any.
// Errors: NOT_FOUND an op or a fed name that does not exist; INVALID_ARGUMENT a fed shape that contradicts what the
// graph declares, or a graph that cannot be imported. Since: dovetail
DVT_EXPORT int dvt_model_infer_shapes(dvt_model *model, const dvt_fed_dims *feeds, int feed_count,
                                      dvt_inferred_output **out_outputs, TF_Status *status);

// Frees what dvt_model_infer_shapes gave. NULL is fine.
// Threads: any. Since: dovetail
DVT_EXPORT void dvt_inferred_outputs_free(dvt_inferred_output *outputs);

// ---- graphs of the stock C ABI ----

typedef struct TF_Graph TF_Graph;

// Infers the shapes of all nodes of the graph anew, with what only the whole graph tells: bodies of functions with what
// their callers know, loops to a fixed point, shapes that were set after the nodes that read them were added.
// TF_GraphGetTensorShape answers with them from then on, and nodes that are added later see them. Adding a node alone costs
// its own shape function only.
// Threads: any. Errors: RESOURCE_EXHAUSTED out of memory; the shapes are then as before. Since: dovetail
DVT_EXPORT void dvt_graph_refine_shapes(TF_Graph *graph, TF_Status *status);

// ---- plugins, ops and kernels of the process ----

// Loads a plugin. Loading one again is fine. Returns its name (file name without ".so"), NULL on failure.
// Owner: the library keeps the plugin and its name. Threads: any. Errors: NOT_FOUND no such file or a missing symbol;
// INVALID_ARGUMENT not a plugin for this machine; what its registrations report. Since: dovetail
DVT_EXPORT const char *dvt_load_plugin(const char *path, TF_Status *status);

// Calls visit for every registered op, sorted by name, after loading the standard plugins. `plugin` restricts it to the ops
// of one plugin (then nothing is loaded); NULL for all.
// Owner: what visit sees lives until it returns. Threads: any; visit must not register or load anything.
// Since: dovetail
DVT_EXPORT void dvt_list_ops(const char *plugin, void (*visit)(void *arg, const dvt_op_info *op), void *arg);

// Calls visit for every registered kernel, sorted by op; `op` and `plugin` restrict it, NULL for all.
// Owner: what visit sees lives until it returns. Threads: any; visit must not register or load anything.
// Since: dovetail
DVT_EXPORT void dvt_list_kernels(const char *op, const char *plugin,
                                 void (*visit)(void *arg, const dvt_kernel_info *kernel), void *arg);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_DOVETAIL_H_
