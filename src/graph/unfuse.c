// See unfuse.h. Works on the bytes of a GraphDef. In a function a node's output is referred to by its name in
// the op's definition, "node:activations:0", so whoever reads a node that is taken apart is written anew,
// too.
#include "graph/unfuse.h"

#include "base/map.h"
#include "base/wire.h"
#include "tensorflow/c/tf_datatype.h"

// Field numbers of the public graph.proto, node_def.proto, attr_value.proto.
enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, LIBRARY_FUNCTION = 1, FUNCTION_NODE = 3, FUNCTION_RET = 4 };
enum { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_DEVICE = 4, NODE_ATTR = 5 };
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2, ATTR_LIST = 1, ATTR_TYPE = 6, LIST_TEXT = 2 };
enum { MAX_INPUTS = 16, MAX_STEPS = 4 };

typedef struct fused_op {
  const char *op, *plain;
  const char *attrs[8];  // of the plain op, besides T
} fused_op;

static const fused_op fused_ops[] = {
    {"_FusedConv2D",
     "Conv2D",
     {"strides", "use_cudnn_on_gpu", "padding", "explicit_paddings", "data_format", "dilations"}},
    {"FusedDepthwiseConv2dNative",
     "DepthwiseConv2dNative",
     {"strides", "padding", "explicit_paddings", "data_format", "dilations"}},
    {"_FusedMatMul", "MatMul", {"transpose_a", "transpose_b"}},
    {"Prelu", NULL, {0}},
};

// What may follow, and how many inputs it takes of the node.
static const struct {
  const char *name;
  int inputs;
} steps[] = {{"BiasAdd", 1}, {"Relu", 0}, {"Relu6", 0},     {"Elu", 0},
             {"Sigmoid", 0}, {"Tanh", 0}, {"LeakyRelu", 0}, {"Prelu", 1}};

// The output of each op that is written.
static const struct {
  const char *op, *output;
} outputs[] = {{"Conv2D", "output"},
               {"DepthwiseConv2dNative", "output"},
               {"MatMul", "product"},
               {"BiasAdd", "output"},
               {"Relu", "activations"},
               {"Relu6", "activations"},
               {"Elu", "activations"},
               {"LeakyRelu", "activations"},
               {"Sigmoid", "y"},
               {"Tanh", "y"},
               {"Neg", "y"},
               {"Mul", "z"},
               {"Sub", "z"}};

typedef struct node {
  dvt_str name, op, device, proto;
  dvt_str inputs[MAX_INPUTS];
  int input_count;  // data inputs; more than MAX_INPUTS are in no fused node that is known
  int steps[MAX_STEPS];
  int step_count;
} node;

// ---- reading ----

static dvt_str bytes_of(dvt_str message, uint32_t number) {
  dvt_field field;
  return dvt_wire_find(message, number, DVT_WIRE_BYTES, &field) ? field.bytes : (dvt_str){0};
}

static const fused_op *fused_op_of(dvt_str op, bool (*wanted)(dvt_str op)) {
  for (size_t i = 0; i < DVT_COUNT_OF(fused_ops); ++i)
    if (dvt_str_is(op, fused_ops[i].op)) return !wanted || wanted(op) ? &fused_ops[i] : NULL;
  return NULL;
}

// The attr's whole entry (key and value); empty when it is absent.
static dvt_str attr_entry(dvt_str proto, const char *name) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number == NODE_ATTR && dvt_str_is(bytes_of(field.bytes, ENTRY_KEY), name)) return field.bytes;
  return (dvt_str){0};
}

static bool is_control(dvt_str input) { return input.len > 0 && input.data[0] == '^'; }

static bool read_steps(node *n, int *inputs) {
  dvt_wire wire =
      dvt_wire_open(bytes_of(bytes_of(attr_entry(n->proto, "fused_ops"), ENTRY_VALUE), ATTR_LIST));
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != LIST_TEXT) continue;
    int step = 0;
    while (step < (int)DVT_COUNT_OF(steps) && !dvt_str_is(field.bytes, steps[step].name)) ++step;
    if (step == (int)DVT_COUNT_OF(steps) || n->step_count == MAX_STEPS) return false;
    n->steps[n->step_count++] = step;
    *inputs += steps[step].inputs;
  }
  return n->step_count > 0 && !wire.bad;
}

// Fills *n; false when it is fused in a way that is not known.
static bool read_node(dvt_str proto, const fused_op *fused, node *n) {
  int wanted = 2;
  *n = (node){.name = bytes_of(proto, NODE_NAME),
              .op = bytes_of(proto, NODE_OP),
              .device = bytes_of(proto, NODE_DEVICE),
              .proto = proto};
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != NODE_INPUT || is_control(field.bytes)) continue;
    if (n->input_count == MAX_INPUTS) return false;
    n->inputs[n->input_count++] = field.bytes;
  }
  if (fused->plain && !read_steps(n, &wanted)) return false;
  return n->input_count == wanted;
}

// ---- writing ----

static const char *output_of(const char *op) {
  for (size_t i = 0; i < DVT_COUNT_OF(outputs); ++i)
    if (strcmp(outputs[i].op, op) == 0) return outputs[i].output;
  return "output";
}

// What the nodes of one graph or function are written with.
typedef struct place {
  bool (*wanted)(dvt_str op);
  uint32_t node_number;
  bool is_function;
  dvt_map new_outputs;  // of functions: name of a node that is taken apart -> its output's name from now on
  dvt_buf *out;
} place;

typedef struct writer {
  const node *node;
  const place *place;
  dvt_buf *out;
  dvt_buf name, last;  // of the node being written; what it reads next
  const char *output;  // of the node being written
  size_t begin;
  bool has_controls;  // the first node waits for what the fused one waited for
} writer;

// A reference to an output, by the name that the output has now.
static void put_ref(const place *p, uint32_t number, dvt_str ref) {
  size_t colon = dvt_str_find(ref, ':');
  const char *output = colon < ref.len ? dvt_map_get(&p->new_outputs, dvt_str_make(ref.data, colon)) : NULL;
  if (!output) {
    dvt_wire_put_bytes(p->out, number, ref);
    return;
  }
  dvt_buf changed = {0};
  dvt_buf_printf(&changed, DVT_STR_FMT ":%s:0", DVT_STR_ARG(dvt_str_make(ref.data, colon)), output);
  dvt_wire_put_bytes(p->out, number, dvt_buf_str(&changed));
  p->out->failed |= changed.failed;
  dvt_buf_deinit(&changed);
}

static void put_copied_attr(const writer *w, const char *name) {
  dvt_str entry = attr_entry(w->node->proto, name);
  if (entry.len) dvt_wire_put_bytes(w->out, NODE_ATTR, entry);
}

// The converter leaves T out of its own ops where it is the default.
static void put_dtype(const writer *w) {
  if (attr_entry(w->node->proto, "T").len) {
    put_copied_attr(w, "T");
    return;
  }
  size_t attr = dvt_wire_begin(w->out, NODE_ATTR);
  dvt_wire_put_bytes(w->out, ENTRY_KEY, DVT_STR("T"));
  size_t value = dvt_wire_begin(w->out, ENTRY_VALUE);
  dvt_wire_put_varint(w->out, ATTR_TYPE, TF_FLOAT);
  dvt_wire_end(w->out, value);
  dvt_wire_end(w->out, attr);
}

// `suffix` NULL: the node that keeps the name.
static void begin_node(writer *w, const char *suffix, const char *op) {
  dvt_buf_clear(&w->name);
  dvt_buf_append_str(&w->name, w->node->name);
  if (suffix) dvt_buf_printf(&w->name, "/unfused/%s", suffix);
  w->output = output_of(op);
  w->begin = dvt_wire_begin(w->out, w->place->node_number);
  dvt_wire_put_bytes(w->out, NODE_NAME, dvt_buf_str(&w->name));
  dvt_wire_put_bytes(w->out, NODE_OP, dvt_str_from(op));
  if (w->node->device.len) dvt_wire_put_bytes(w->out, NODE_DEVICE, w->node->device);
}

static void put_input(const writer *w, dvt_str input) { put_ref(w->place, NODE_INPUT, input); }

static void put_controls(const writer *w) {
  dvt_wire wire = dvt_wire_open(w->node->proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number == NODE_INPUT && is_control(field.bytes)) put_input(w, field.bytes);
}

static void end_node(writer *w) {
  if (!w->has_controls) put_controls(w);
  w->has_controls = true;
  dvt_wire_end(w->out, w->begin);
  if (w->place->is_function) dvt_buf_printf(&w->name, ":%s:0", w->output);
  dvt_buf swap = w->last;
  w->last = w->name;
  w->name = swap;
}

// One node of one or two inputs and the attr T; "" reads the node before.
static void put_simple(writer *w, const char *suffix, const char *op, dvt_str a, dvt_str b) {
  begin_node(w, suffix, op);
  put_input(w, a.len ? a : dvt_buf_str(&w->last));
  if (b.len) put_input(w, b);
  put_dtype(w);
  end_node(w);
}

// max(x, 0) - alpha * max(-x, 0)
static void put_prelu(writer *w, const char *suffix, dvt_str x, dvt_str alpha) {
  dvt_buf positive = {0};
  put_simple(w, "positive", "Relu", x, (dvt_str){0});
  dvt_buf_append_str(&positive, dvt_buf_str(&w->last));
  put_simple(w, "turned", "Neg", x, (dvt_str){0});
  put_simple(w, "negative", "Relu", (dvt_str){0}, (dvt_str){0});
  put_simple(w, "scaled", "Mul", (dvt_str){0}, alpha);
  begin_node(w, suffix, "Sub");
  put_input(w, dvt_buf_str(&positive));
  put_input(w, dvt_buf_str(&w->last));
  put_dtype(w);
  end_node(w);
  w->out->failed |= positive.failed;
  dvt_buf_deinit(&positive);
}

static void put_leaky_alpha(const writer *w) {
  dvt_str value = bytes_of(attr_entry(w->node->proto, "leakyrelu_alpha"), ENTRY_VALUE);
  if (!value.len) return;
  size_t attr = dvt_wire_begin(w->out, NODE_ATTR);
  dvt_wire_put_bytes(w->out, ENTRY_KEY, DVT_STR("alpha"));
  dvt_wire_put_bytes(w->out, ENTRY_VALUE, value);
  dvt_wire_end(w->out, attr);
}

static void put_step(writer *w, int step, bool is_last, int *next_input) {
  const char *op = steps[step].name, *suffix = is_last ? NULL : op;
  if (strcmp(op, "Prelu") == 0) {
    dvt_buf x = {0};
    dvt_buf_append_str(&x, dvt_buf_str(&w->last));
    put_prelu(w, suffix, dvt_buf_str(&x), w->node->inputs[(*next_input)++]);
    w->out->failed |= x.failed;
    dvt_buf_deinit(&x);
    return;
  }
  begin_node(w, suffix, op);
  put_input(w, dvt_buf_str(&w->last));
  for (int i = 0; i < steps[step].inputs; ++i) put_input(w, w->node->inputs[(*next_input)++]);
  put_dtype(w);
  if (strcmp(op, "BiasAdd") == 0) put_copied_attr(w, "data_format");
  if (strcmp(op, "LeakyRelu") == 0) put_leaky_alpha(w);
  end_node(w);
}

static void put_apart(const node *n, const fused_op *fused, const place *p) {
  writer w = {.node = n, .place = p, .out = p->out};
  int next_input = 2;
  if (!fused->plain) {
    put_prelu(&w, NULL, n->inputs[0], n->inputs[1]);
  } else {
    begin_node(&w, fused->plain, fused->plain);
    put_input(&w, n->inputs[0]);
    put_input(&w, n->inputs[1]);
    put_dtype(&w);
    for (size_t i = 0; i < DVT_COUNT_OF(fused->attrs) && fused->attrs[i]; ++i)
      put_copied_attr(&w, fused->attrs[i]);
    end_node(&w);
    for (int i = 0; i < n->step_count; ++i) put_step(&w, n->steps[i], i + 1 == n->step_count, &next_input);
  }
  p->out->failed |= w.name.failed || w.last.failed;
  dvt_buf_deinit(&w.name);
  dvt_buf_deinit(&w.last);
}

// ---- the graph and its functions ----

static bool has_fused(dvt_str graph, uint32_t node_number, bool (*wanted)(dvt_str op)) {
  dvt_wire wire = dvt_wire_open(graph);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number == node_number && fused_op_of(bytes_of(field.bytes, NODE_OP), wanted)) return true;
  return false;
}

bool dvt_graph_has_fused(dvt_str graph_def, bool (*wanted)(dvt_str op)) {
  if (has_fused(graph_def, GRAPH_NODE, wanted)) return true;
  dvt_wire wire = dvt_wire_open(bytes_of(graph_def, GRAPH_LIBRARY));
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number == LIBRARY_FUNCTION && has_fused(field.bytes, FUNCTION_NODE, wanted)) return true;
  return false;
}

static void put_node(const place *p, dvt_str proto) {
  const fused_op *fused = fused_op_of(bytes_of(proto, NODE_OP), p->wanted);
  node n;
  if (fused && read_node(proto, fused, &n)) {
    put_apart(&n, fused, p);
    return;
  }
  if (!p->new_outputs.count) {
    dvt_wire_put_bytes(p->out, p->node_number, proto);
    return;
  }
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  size_t at = dvt_wire_begin(p->out, p->node_number);
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == NODE_INPUT && field.type == DVT_WIRE_BYTES)
      put_ref(p, NODE_INPUT, field.bytes);
    else
      dvt_wire_put_field(&field, p->out);
  }
  dvt_wire_end(p->out, at);
}

static bool find_new_outputs(place *p, dvt_str function) {
  dvt_wire wire = dvt_wire_open(function);
  dvt_field field;
  node n;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != FUNCTION_NODE || field.type != DVT_WIRE_BYTES) continue;
    const fused_op *fused = fused_op_of(bytes_of(field.bytes, NODE_OP), p->wanted);
    if (!fused || !read_node(field.bytes, fused, &n)) continue;
    const char *last = n.step_count ? steps[n.steps[n.step_count - 1]].name : "Prelu";
    const char *output = strcmp(last, "Prelu") == 0 ? output_of("Sub") : output_of(last);
    if (!dvt_map_put(&p->new_outputs, n.name, (void *)(uintptr_t)output)) return false;
  }
  return true;
}

static void put_function(dvt_str function, bool (*wanted)(dvt_str op), dvt_buf *out) {
  place p = {.wanted = wanted, .node_number = FUNCTION_NODE, .is_function = true, .out = out};
  dvt_wire wire = dvt_wire_open(function);
  dvt_field field;
  if (!find_new_outputs(&p, function)) out->failed = true;
  size_t at = dvt_wire_begin(out, LIBRARY_FUNCTION);
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == FUNCTION_NODE && field.type == DVT_WIRE_BYTES) {
      put_node(&p, field.bytes);
    } else if (field.number == FUNCTION_RET && field.type == DVT_WIRE_BYTES) {
      size_t entry = dvt_wire_begin(out, FUNCTION_RET);
      dvt_wire_put_bytes(out, ENTRY_KEY, bytes_of(field.bytes, ENTRY_KEY));
      put_ref(&p, ENTRY_VALUE, bytes_of(field.bytes, ENTRY_VALUE));
      dvt_wire_end(out, entry);
    } else {
      dvt_wire_put_field(&field, out);
    }
  }
  dvt_wire_end(out, at);
  dvt_map_deinit(&p.new_outputs);
}

static bool put_library(dvt_str library, bool (*wanted)(dvt_str op), dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(library);
  dvt_field field;
  size_t at = dvt_wire_begin(out, GRAPH_LIBRARY);
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == LIBRARY_FUNCTION && has_fused(field.bytes, FUNCTION_NODE, wanted))
      put_function(field.bytes, wanted, out);
    else
      dvt_wire_put_field(&field, out);
  }
  dvt_wire_end(out, at);
  return !wire.bad;
}

dvt_status dvt_graph_unfuse(dvt_str graph_def, bool (*wanted)(dvt_str op), dvt_buf *out) {
  const place p = {.wanted = wanted, .node_number = GRAPH_NODE, .out = out};
  dvt_wire wire = dvt_wire_open(graph_def);
  dvt_field field;
  bool bad = false;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == GRAPH_NODE && field.type == DVT_WIRE_BYTES)
      put_node(&p, field.bytes);
    else if (field.number == GRAPH_LIBRARY && field.type == DVT_WIRE_BYTES)
      bad |= !put_library(field.bytes, wanted, out);
    else
      dvt_wire_put_field(&field, out);
  }
  if (wire.bad || bad)
    return dvt_error(TF_INVALID_ARGUMENT, "the graph is damaged: its bytes are no GraphDef.");
  return out->failed ? dvt_error_out_of_memory(out->len) : NULL;
}
