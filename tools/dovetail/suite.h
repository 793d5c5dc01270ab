// `dovetail check --suite`: what its files share. suite.c starts a process for each kernel and tells what
// came of it; suite_child.c is that process: it walks the cases of one kernel; suite_case.c runs one case in
// all ways; suite_node.c builds the graph of a case; suite_values.c makes tensors and compares them;
// suite_catalog.c copies what the plugin registered.
#ifndef DVT_TOOLS_SUITE_H_
#define DVT_TOOLS_SUITE_H_

#include "check.h"
#include "json_read.h"

// ---- what the plugin registered ----

typedef struct suite_attr {
  char *name, *type, *allowed, *default_value;  // as dvt_op_attr_info
  bool has_minimum;
  int64_t minimum;
} suite_attr;

typedef struct suite_arg {
  char *name, *type;
} suite_arg;

enum { SUITE_MAX_ATTRS = 32, SUITE_MAX_ARGS = 32, SUITE_MAX_SLOTS = 64, SUITE_MAX_RANK = 8 };

typedef struct suite_op {
  char *name;
  suite_arg inputs[SUITE_MAX_ARGS];
  suite_attr attrs[SUITE_MAX_ATTRS];
  int input_count, output_count, attr_count, kernel_count;
  bool is_stateful, has_shape_function, is_too_big;
} suite_op;

typedef struct suite_kernel {
  char *op, *device, *constraints, *label;
} suite_kernel;

typedef struct suite_catalog {
  suite_op *ops;
  suite_kernel *kernels;
  int op_count, kernel_count;
} suite_catalog;

// Loads the plugin (and what is given with --plugin) and copies what it registered. False with *status set.
bool suite_catalog_load(const cli_options *options, suite_catalog *out, TF_Status *status);
// The op of a kernel, which may be another plugin's; false when there is none.
bool suite_catalog_op(const suite_catalog *catalog, const char *name, suite_op *out);
void suite_catalog_free(suite_catalog *catalog);
int suite_attr_find(const suite_op *op, const char *name);  // -1: none

// "float", "DT_FLOAT" or "float32" -> TF_FLOAT; 0 for what is none. `len` bytes.
TF_DataType suite_dtype(const char *name, size_t len);
const char *suite_dtype_name(TF_DataType dtype);
// Reads "float, double"; returns how many.
int suite_dtype_list(const char *text, TF_DataType out[32]);
// The types that a kernel's constraints ("T in {float, double}; ...") leave the attribute; 0: says nothing.
int suite_constraint(const char *constraints, const char *attr, TF_DataType out[32]);

// ---- values ----

typedef struct suite_shape {
  int rank;
  int64_t dims[SUITE_MAX_RANK];
} suite_shape;

typedef enum suite_mode {
  SUITE_ORDINARY,  // small numbers; integers from 0 on, as sizes and indices are
  SUITE_EXTREME,   // NaN, infinities, the least and greatest, negative sizes
  SUITE_ONES,
} suite_mode;

// NULL when the dtype is none that can be made up (resources, variants) or memory is out. `spec` is what the
// inputs file says of the input, NULL for nothing: values, min, max.
TF_Tensor *suite_value(TF_DataType dtype, const suite_shape *shape, suite_mode mode, uint32_t seed,
                       const json_value *spec);
// The same values in memory of the caller's that begins behind an odd offset; NULL for strings.
TF_Tensor *suite_value_elsewhere(const TF_Tensor *tensor);
bool suite_value_can_be_made(TF_DataType dtype);
// Equal bit by bit, with all NaN alike. Resources and variants are not compared.
bool suite_value_equal(const TF_Tensor *a, const TF_Tensor *b);
// Shape from the inputs file: "shape", or that of "values". False when it says nothing.
bool suite_spec_shape(const json_value *spec, suite_shape *out);
void suite_shape_print(const suite_shape *shape, FILE *out);

// ---- one case ----

// A tensor that goes into the node.
typedef struct suite_slot {
  int arg;
  TF_DataType dtype;
  suite_shape shape;
  const json_value *spec;
} suite_slot;

typedef struct suite_case {
  const suite_op *op;
  const suite_kernel *kernel;
  TF_DataType types[SUITE_MAX_ATTRS];        // of type attributes; 0: left to the op
  const json_value *given[SUITE_MAX_ATTRS];  // values of others; NULL: the default, or a plain value
  suite_slot slots[SUITE_MAX_SLOTS];
  int slot_count, arg_sizes[SUITE_MAX_ARGS];  // tensors of each argument
  suite_mode mode;
} suite_case;

typedef struct suite_graph {
  TF_Graph *graph;
  TF_Operation *node;
  TF_Output feeds[SUITE_MAX_SLOTS];
} suite_graph;

typedef enum suite_wiring {
  SUITE_KNOWN,    // inputs whose shapes the shape function sees
  SUITE_UNKNOWN,  // inputs of unknown shape
  SUITE_SAME,     // one input for all arguments
  SUITE_FRESH,    // inputs that nobody else holds, whose memory may be taken over
} suite_wiring;

// Fills the slots for the types chosen; shapes are zero. False with the reason (static) when it cannot be
// fed.
bool suite_case_slots(suite_case *c, const char **out_reason);
// False with *status set when the graph cannot be built; its shape function may refuse it.
bool suite_graph_build(const suite_case *c, suite_wiring wiring, suite_graph *out, TF_Status *status);
void suite_graph_free(suite_graph *graph);

// ---- findings of a case ----

typedef struct suite_tally {
  int cases, accepted;  // accepted: computed without an error
  int hangs;            // steps that were ended by their time limit
  FILE *out;            // lines to the parent: "finding LEVEL CODE TEXT", "refused TEXT"
} suite_tally;

void suite_tell(suite_tally *tally, check_level level, const char *code, const suite_case *c,
                const char *format, ...) DVT_PRINTF(5, 6);
// The case in words, on one line: op, types, shapes, attributes.
void suite_case_print(const suite_case *c, FILE *out);
// Runs the case in all ways.
void suite_case_run(const suite_case *c, suite_tally *tally, bool with_threads);

// The process of kernel `index`: starts at case `first`. Ends with exit.
_Noreturn void suite_child(const cli_options *options, const json_value *inputs, int index, int first,
                           FILE *out);

#endif  // DVT_TOOLS_SUITE_H_
