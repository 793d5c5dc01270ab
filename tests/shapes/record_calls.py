"""Asks stock TensorFlow what its shape functions answer to the calls in src/op/shape_fn_cases.txt.

A line is one call, "function|outputs|attrs in text form|inputs|answer", as shape_fn_test.c describes. The answer is
stock's: the op that stands for the function is added to a graph with inputs of those shapes, constants where a value
is known. To add a call, add its line with an empty answer and write.

  record_calls.py FILE            tells of every line whose answer is not stock's; exit code 1 if there is one
  record_calls.py FILE --write    puts stock's answers into the file
  record_calls.py FILE --grow 500 --seed 1 --out OTHER
                                  writes 500 new calls, those of the file with other sizes and values, with answers;
                                  with --run PROGRAM, shape_fn_test, it compares Dovetail's
"""

import argparse
import os
import random
import re
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import attr_value_pb2, node_def_pb2, types_pb2
from tensorflow.python.framework import op_def_registry, ops

# Functions and the ops that have them in stock, where the op's name is not the function's in capitals. Of several,
# the first that has the attributes and the number of inputs and outputs of a call is asked.
OPS = {
    "arg_extremum": ["ArgMax"],
    "avg_pool3d_grad": ["AvgPool3DGrad"],
    "batch_matmul": ["BatchMatMulV2"],
    "batch_matmul_v1": ["BatchMatMul"],
    "batch_to_space_nd": ["BatchToSpaceND"],
    "broadcast_binary": ["Equal", "AddV2"],
    "concat": ["ConcatV2"],
    "conv2d": ["Conv2D", "_FusedConv2D"],
    "conv2d_backprop_filter": ["Conv2DBackpropFilter"],
    "conv2d_backprop_input": ["Conv2DBackpropInput"],
    "conv3d": ["Conv3D"],
    "conv3d_backprop_filter": ["Conv3DBackpropFilterV2"],
    "conv3d_backprop_input": ["Conv3DBackpropInputV2"],
    "depthwise_conv2d": ["DepthwiseConv2dNative"],
    "depthwise_conv2d_backprop_filter": ["DepthwiseConv2dNativeBackpropFilter"],
    "depthwise_conv2d_backprop_input": ["DepthwiseConv2dNativeBackpropInput"],
    "fused_batch_norm": ["FusedBatchNormV3"],
    "fused_batch_norm_grad": ["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"],
    "gather": ["GatherV2"],
    "irfft": ["IRFFT"],
    "irfft2d": ["IRFFT2D"],
    "irfft3d": ["IRFFT3D"],
    "matmul": ["MatMul"],
    "matrix_diag": ["MatrixDiagV3"],
    "matrix_diag_part": ["MatrixDiagPartV3"],
    "matrix_set_diag": ["MatrixSetDiagV3"],
    "max_pool3d_grad": ["MaxPool3DGrad"],
    "max_pool_v2": ["MaxPoolV2"],
    "merge_inputs": ["AddN"],
    "non_max_suppression": ["NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5"],
    "pool": ["AvgPool", "MaxPool"],
    "pool3d": ["MaxPool3D"],
    "quantize": ["QuantizeV2"],
    "quantized_binary": ["QuantizedAdd"],
    "quantized_conv2d": ["QuantizedConv2D"],
    "quantized_matmul": ["QuantizedMatMul"],
    "quantized_pool": ["QuantizedMaxPool"],
    "quantized_unchanged": ["QuantizedRelu"],
    "random": ["RandomUniformInt"],
    "reduce_scatter": ["XlaReduceScatter"],
    "reduction": ["Sum"],
    "resize": ["ResizeBilinear"],
    "restore": ["RestoreV2"],
    "reverse_v2": ["ReverseV2"],
    "rfft": ["RFFT"],
    "rfft2d": ["RFFT2D"],
    "rfft3d": ["RFFT3D"],
    "scatter_nd_update": ["TensorScatterUpdate"],
    "segment_reduction": ["SegmentMax"],
    "segment_reduction_with_num_segments": ["UnsortedSegmentSum"],
    "select_v2": ["SelectV2"],
    "shape": ["Shape", "ShapeN"],
    "space_to_batch_nd": ["SpaceToBatchND"],
    "sparse_reduce": ["SparseReduceSum"],
    "sparse_segment_reduction": ["SparseSegmentSum"],
    "sparse_segment_reduction_grad": ["SparseSegmentSumGrad", "SparseSegmentMeanGrad"],
    "sparse_segment_reduction_grad_v2": ["SparseSegmentSumGradV2"],
    "sparse_segment_reduction_with_num_segments": ["SparseSegmentSumWithNumSegments"],
    "stateless_random": ["StatelessRandomUniform"],
    "top_k": ["TopKV2"],
    "unchanged_rank_at_least_1": ["FFT", "Softmax"],
    "unchanged_rank_at_least_2": ["FFT2D"],
    "unchanged_rank_at_least_3": ["FFT3D"],
}
DTYPES = {"i32": tf.int32, "i64": tf.int64, "f32": tf.float32, "f64": tf.float64, "str": tf.string}


class Call:
    def __init__(self, line):
        self.function, outputs, self.attr_text, inputs, self.answer = line.rstrip("\n").split("|")
        self.outputs = int(outputs)
        self.inputs = [read_input(text) for text in inputs.split(";")] if inputs else []
        self.attrs = text_format.Parse(self.attr_text, node_def_pb2.NodeDef()).attr

    def line(self):
        inputs = ";".join(write_input(*given) for given in self.inputs)
        return f"{self.function}|{self.outputs}|{self.attr_text}|{inputs}|{self.answer}\n"


def read_dims(text):
    return None if text == "?" else [None if d == "?" else int(d) for d in text.strip("[]").split(",") if d]


def write_dims(dims):
    return "?" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def read_input(text):
    """(dims, dtype or None, values)"""
    if "=" not in text:
        return read_dims(text), None, None
    head, values = text.split("=", 1)
    dtype = head[:3]
    if dtype == "str":
        return read_dims(head[3:]), dtype, [values]
    return read_dims(head[3:]), dtype, [v for v in values.split(",") if v]


def write_input(dims, dtype, values):
    return (dtype or "") + write_dims(dims) + ("=" + ",".join(values) if dtype else "")


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def lengths(op_def, given, count):
    """How many of `count` values each argument stands for; None when it cannot be."""
    fixed = sum(1 for arg in given if not arg.number_attr and not arg.type_list_attr)
    lists = len(given) - fixed
    if count < fixed or (lists == 0 and count != fixed) or (lists and (count - fixed) % lists):
        return None
    each = (count - fixed) // lists if lists else 0
    return [each if arg.number_attr or arg.type_list_attr else 1 for arg in given]


def op_of(call):
    for name in OPS.get(call.function, [camel(call.function)]):
        op_def = op_def_registry.get(name)
        if (op_def and set(call.attrs) <= {attr.name for attr in op_def.attr}
                and lengths(op_def, op_def.input_arg, len(call.inputs))
                and lengths(op_def, op_def.output_arg, call.outputs)):
            return op_def
    raise SystemExit(f"no op of stock's has the inputs, outputs and attributes of: {call.line()}")


def choose_type(attr, wanted):
    allowed = list(attr.allowed_values.list.type)
    if wanted is not None:
        return wanted
    if attr.HasField("default_value") and attr.default_value.type:
        return attr.default_value.type
    for choice in (types_pb2.DT_FLOAT, types_pb2.DT_INT32, types_pb2.DT_INT64):
        if not allowed or choice in allowed:
            return choice
    return allowed[0]


def fill_attrs(call, op_def):
    """The attributes of the call and those that follow from its inputs and outputs."""
    types, counts, lists = {}, {}, {}
    at = 0
    for arg, count in zip(op_def.input_arg, lengths(op_def, op_def.input_arg, len(call.inputs))):
        if arg.number_attr:
            counts[arg.number_attr] = count
        if arg.type_list_attr:
            lists[arg.type_list_attr] = count
        for _, dtype, _ in call.inputs[at:at + count]:
            if arg.type_attr and dtype:
                types[arg.type_attr] = DTYPES[dtype].as_datatype_enum
        at += count
    for arg, count in zip(op_def.output_arg, lengths(op_def, op_def.output_arg, call.outputs)):
        if arg.number_attr:
            counts[arg.number_attr] = count
    attrs = {}
    for attr in op_def.attr:
        value = attr_value_pb2.AttrValue()
        if attr.name in call.attrs:
            value.CopyFrom(call.attrs[attr.name])
        elif attr.type == "type":
            value.type = choose_type(attr, types.get(attr.name))
        elif attr.name in counts:
            value.i = counts[attr.name]
        elif attr.name in lists:
            value.list.type.extend([types_pb2.DT_FLOAT] * lists[attr.name])
        elif attr.has_minimum and not attr.HasField("default_value"):
            value.i = attr.minimum
        elif attr.HasField("default_value"):
            value.CopyFrom(attr.default_value)
        else:
            raise SystemExit(f"attribute {attr.name} of {op_def.name} is not given in: {call.line()}")
        attrs[attr.name] = value
    return attrs


def make_input(given, dtype):
    dims, known, values = given
    if known is None:
        return tf.compat.v1.placeholder(dtype.base_dtype, dims)
    dtype = DTYPES[known]
    if dtype == tf.string:
        return tf.constant(values[0], shape=dims)
    return tf.constant(np.array([dtype.as_numpy_dtype(v) for v in values], dtype.as_numpy_dtype).reshape(dims))


def ask(call):
    op_def = op_of(call)
    attrs = fill_attrs(call, op_def)
    with tf.Graph().as_default() as graph:
        tensors = []
        for arg, count in zip(op_def.input_arg, lengths(op_def, op_def.input_arg, len(call.inputs))):
            for _ in range(count):
                if arg.type_list_attr:
                    dtype = tf.float32
                else:
                    dtype = tf.dtypes.as_dtype(attrs[arg.type_attr].type if arg.type_attr else arg.type)
                tensors.append(make_input(call.inputs[len(tensors)], dtype))
        node = node_def_pb2.NodeDef(name="asked", op=op_def.name, input=[t.name for t in tensors])
        for name, value in attrs.items():
            node.attr[name].CopyFrom(value)
        try:  # an import would refuse ops whose names begin with an underscore
            outputs = ops.Operation.from_node_def(node, graph, tensors, output_types=None).outputs
        except (ValueError, tf.errors.OpError) as error:
            if "incompatible" in str(error) and "passed" in str(error):
                raise SystemExit(f"{error}\nin: {call.line()}") from error
            return "error"
        try:
            return ";".join(write_dims(t.shape.as_list() if t.shape.rank is not None else None) for t in outputs)
        except ValueError:
            return None  # a negative size, which stock's functions come to in some places


# ---- new calls ----


def ints(call, index):
    dtype, values = call.inputs[index][1:]
    return [int(v) for v in values] if dtype in ("i32", "i64") else None


def rank(call, index):
    dims = call.inputs[index][0]
    return None if dims is None else len(dims)


def passes_the_end(call):
    dims, begin, size = call.inputs[0][0], ints(call, 1), ints(call, 2)
    return bool(dims and begin and size) and any(
        d is not None and s >= 0 and b + s > d for d, b, s in zip(dims, begin, size))


def negative(call, index):
    return any(v < 0 for v in ints(call, index) or ())


def out_of_range(axes, dims):
    return axes is not None and dims is not None and any(not -dims <= a < dims for a in axes)


def is_backwards(band):
    return bool(band) and band[0] > band[-1]


# What stock lets pass though the op can only fail when it runs; Dovetail refuses the node.
CANNOT_RUN = {
    "max_pool_v2": lambda c: any(v <= 0 for v in ints(c, 1) or ()),
    "one_hot": lambda c: any(rank(c, i) for i in (1, 2, 3)) or (rank(c, 0) is not None and c.attrs["axis"].i > rank(c, 0)),
    "reduce_scatter": lambda c: negative(c, 2) or out_of_range(ints(c, 2), rank(c, 0)),
    "slice": passes_the_end,
    "top_k": lambda c: rank(c, 1),
    "gather": lambda c: ints(c, 2) and ints(c, 2)[0] < c.attrs["batch_dims"].i,
    "sparse_reduce": lambda c: negative(c, 2) or out_of_range(ints(c, 3), len(c.inputs[2][2] or ())),
    "matrix_diag": lambda c: is_backwards(ints(c, 1)),
    "matrix_diag_part": lambda c: is_backwards(ints(c, 1)),
    "matrix_set_diag": lambda c: is_backwards(ints(c, 2)),
} | {name: lambda c: negative(c, 1) for name in ("rfft", "rfft2d", "rfft3d", "irfft", "irfft2d", "irfft3d")}


def some_band(call, index):
    band = ints(call, index)
    return band is None or band[0] != band[-1]


def has_empty(call):
    return 0 in (call.inputs[0][0] or ())


def has_open_vector(call, index):
    dims = call.inputs[index][0]
    return call.attrs["data_format"].s == b"NCHW_VECT_C" and (dims is None or dims[-1:] == [None])


# Where stock claims what need not be, or refuses what runs.
STOCK_IS_WRONG = {
    # unknown sizes count as not given
    "matrix_diag": lambda c: c.inputs[0][0] is None or c.inputs[0][0][-1:] == [None] or None in (ints(c, 2), ints(c, 3)),
    # the diagonals count as single ones where the matrices are not known
    "matrix_set_diag": lambda c: some_band(c, 2) and (c.inputs[0][0] is None or None in c.inputs[0][0]),
    # added to the ranks as it is
    "gather": lambda c: c.attrs["batch_dims"].i < 0,
    # an axis that is not known counts as the last one
    "split_v": lambda c: ints(c, 2) is None,
    # the number of blocks must be known
    "batch_to_space_nd": lambda c: c.inputs[1][0] in (None, [None]),
    "space_to_batch_nd": lambda c: c.inputs[1][0] in (None, [None]),
    # the groups must be known
    "reduce_scatter": lambda c: c.inputs[1][0] is None,
    # no axis is smaller than an unknown rank
    "dequantize": lambda c: c.inputs[0][0] is None,
    # an inner dimension that is not known is neither 4 nor 32; no window of one element in an empty dimension
    "conv2d": lambda c: has_open_vector(c, 0) or has_open_vector(c, 1),
    "pool": lambda c: has_empty(c) or has_open_vector(c, 0),
    "max_pool_v2": lambda c: has_empty(c) or has_open_vector(c, 0),
    "conv": has_empty,
    "pool3d": has_empty,
    "quantized_conv2d": has_empty,
    # the op that is asked checks two inputs that the function does not know of
    "random": lambda c: [] != c.inputs[1][0] or [] != c.inputs[2][0],
}


def is_told(call):
    """Whether the call shows something about Dovetail's function."""
    return not any(table.get(call.function, lambda c: False)(call) for table in (CANNOT_RUN, STOCK_IS_WRONG))


def other_value(rng, text):
    return str(max(-4, int(text) + rng.choice((-2, -1, 1, 2)))) if re.fullmatch(r"-?\d+", text) else text


def other_input(rng, given):
    """Another size, an unknown one, or another value; ranks seldom, since most answers would be errors."""
    dims, dtype, values = given
    if dtype:
        if rng.random() < 0.2 and dtype != "str":
            return dims, None, None
        return dims, dtype, [other_value(rng, v) if rng.random() < 0.4 else v for v in values]
    if dims is None:
        return dims, None, None
    dims = [rng.choice((None, 0, 1, 2, 3, 4, 5, 6, 8)) if rng.random() < 0.3 else d for d in dims]
    if rng.random() < 0.05:
        dims = dims[:-1] if rng.random() < 0.5 else dims + [rng.choice((None, 1, 3))]
    return (None if rng.random() < 0.05 else dims), None, None


def grow(calls, count, seed):
    rng = random.Random(seed)
    by_function = {}
    for call in calls:
        by_function.setdefault(call.function, []).append(call)
    names, grown = sorted(by_function), []
    while len(grown) < count:
        call = Call(rng.choice(by_function[names[len(grown) % len(names)]]).line())
        call.inputs = [other_input(rng, given) for given in call.inputs]
        if is_told(call):
            call.answer = ask(call)
            grown += [call] if call.answer is not None else []
    return grown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--grow", type=int, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="/dev/stdout")
    parser.add_argument("--run", metavar="PROGRAM")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        calls = [Call(line) for line in file]
    if options.grow:
        with open(options.out, "w", encoding="utf-8") as file:
            file.writelines(call.line() for call in grow(calls, options.grow, options.seed))
        return subprocess.run([options.run, options.out]).returncode if options.run else 0
    wrong = 0
    for number, call in enumerate(calls, 1):
        answer = ask(call)
        if answer != call.answer and not options.write:
            print(f"{options.file}:{number}: {call.line().strip()}\n   stock says {answer}")
        wrong += answer != call.answer
        call.answer = answer
    if options.write:
        with open(options.file, "w", encoding="utf-8") as file:
            file.writelines(call.line() for call in calls)
        return 0
    print(f"{len(calls)} calls, {wrong} of them with another answer than stock's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
