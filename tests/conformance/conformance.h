// Harness of the conformance test: one binary that runs on stock TensorFlow and on Dovetail and prints what
// it sees.
//
// A case is a function in one of the *_cases.c files, listed in cases.h. It prints observations: a label, a
// tab, a value. compare.py runs every case in its own process on both libraries and compares the values label
// by label, so a value must hold nothing that differs from run to run (addresses, times, whole messages).
// What may end the process runs in a child (ISOLATED), whose end is an observation too. Nothing here states
// what is right: stock does.
#ifndef DVT_TESTS_CONFORMANCE_CONFORMANCE_H_
#define DVT_TESTS_CONFORMANCE_CONFORMANCE_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

// Status that the helpers below use; see_status resets it to OK.
extern TF_Status *st;

// ---- observations ----

// Prints one observation.
__attribute__((format(printf, 2, 3))) void see(const char *label, const char *format, ...);

// Prints the code of `st` and which of the phrases (divided by `|`, may be NULL) its message lacks; then
// resets `st`.
void see_status(const char *label, const char *phrases);

// As see_status, for a status of the caller.
void see_other_status(const char *label, TF_Status *status, const char *phrases);

// Prints type, shape and elements of a tensor, or "NULL".
void see_tensor(const char *label, const TF_Tensor *tensor);

// Prints serialized bytes for compare.py to decode as the named message; the order of map entries is then
// irrelevant.
void see_proto(const char *label, const char *message, const void *data, size_t length);

// As see_proto; deletes the buffer. NULL is accepted.
void see_buffer(const char *label, const char *message, TF_Buffer *buffer);

// Runs the block in a child process and prints how the child ended: "returns", "exits N" or "dies".
#define ISOLATED(label) for (bool in_child_ = isolate_begin(label); in_child_; in_child_ = isolate_end())
bool isolate_begin(const char *label);
bool isolate_end(void);  // ends the child

// A text for a label, valid for the next 60 calls.
__attribute__((format(printf, 1, 2))) const char *text(const char *format, ...);

const char *code_name(TF_Code code);

// ---- building blocks ----

typedef void shape_fn(TF_ShapeInferenceContext *ctx, TF_Status *status);

// Registers an op. `specs` is divided by `|`: "in x: T", "out y: T", "attr T: type", "stateful". Without a
// shape function there are none in the graph, see rule 72; shape_unknown and shape_first are the usual ones.
void define_op(const char *name, shape_fn *shape, const char *specs);
void shape_unknown(TF_ShapeInferenceContext *ctx, TF_Status *status);
void shape_first(TF_ShapeInferenceContext *ctx, TF_Status *status);  // every output has the shape of input 0

typedef void *create_fn(TF_OpKernelConstruction *ctx);
typedef void compute_fn(void *kernel, TF_OpKernelContext *ctx);
typedef void delete_fn(void *kernel);

// Registers a kernel for the CPU.
void define_kernel(const char *op, create_fn *create, compute_fn *compute, delete_fn *destroy);

// Nodes. They print an observation and return {NULL, 0} when the graph refuses the node.
TF_Output placeholder(TF_Graph *graph, const char *name, TF_DataType type, int rank, const int64_t *dims);
TF_Output feed_point(TF_Graph *graph, const char *name, TF_DataType type);  // a placeholder of unknown shape
TF_Output constant(TF_Graph *graph, const char *name, TF_Tensor *value);    // deletes `value`
TF_Output node(TF_Graph *graph, const char *op, const char *name, int input_count, const TF_Output *inputs);
TF_Output finish(TF_OperationDescription *desc);
#define INPUTS(...) \
  (int)(sizeof((TF_Output[]){__VA_ARGS__}) / sizeof(TF_Output)), (TF_Output[]) { __VA_ARGS__ }

// Tensors.
TF_Tensor *float_scalar(float value);
TF_Tensor *int_scalar(int32_t value);
TF_Tensor *float_vector(int count, const float *values);
TF_Tensor *int_vector(int count, const int32_t *values);
TF_Tensor *string_scalar(const char *value);

// A session on the graph with default options; NULL and an observation when there is none.
TF_Session *open_session(TF_Graph *graph);
void close_session(TF_Session *session);

// Runs one step and leaves its status in `st`. Returns the first fetched tensor. Deletes `value`.
TF_Tensor *run(TF_Session *session, const TF_Output *feed, TF_Tensor *value, const TF_Output *fetch);

// Opens a session, runs one step, prints status (with `phrases`) and result under `label`.
void see_run(const char *label, TF_Graph *graph, const TF_Output *feed, TF_Tensor *value,
             const TF_Output *fetch, const char *phrases);

// Path of a plugin that was built for this test, by file name; valid until the next call.
const char *plugin_path(const char *file);

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
