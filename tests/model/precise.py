"""A SavedModel's signature as one plain graph with every f32 replaced by f64.

It tells what the network computes when nothing is rounded; both libraries are measured against it.
Made for networks whose signature calls one function of variables and constants, with batch normalisation for inference.
"""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function_def_to_graph
from tensorflow.python.ops import resource_variable_ops

FLOAT, DOUBLE = tf.float32.as_datatype_enum, tf.float64.as_datatype_enum


def _captured(graph, session, body, sources):
    """The values of the function's arguments: constants and what the variables hold."""
    values = {}
    for argument, source in sources.items():
        tensor = graph.get_tensor_by_name(source if ":" in source else source + ":0")
        if tensor.op.type == "Placeholder":
            continue
        if tensor.dtype == tf.resource:
            dtype = next(n.attr["dtype"].type for n in body.node
                         if n.op == "ReadVariableOp" and n.input[0].split(":")[0] == argument)
            with graph.as_default():
                tensor = resource_variable_ops.read_variable_op(tensor, tf.as_dtype(dtype))
        values[argument] = session.run(tensor)
    return values


def _constant(node, value):
    name = node.name
    node.Clear()
    node.name, node.op = name, "Const"
    node.attr["dtype"].type = tf.as_dtype(value.dtype).as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))


def _add(graph_def, name, op, inputs):
    node = graph_def.node.add(name=name, op=op, input=inputs)
    node.attr["T"].type = FLOAT
    return name


def _plain_normalisation(graph_def, node):
    """FusedBatchNormV3, which stock has for f32 results only, as the ops it stands for."""
    name, (x, scale, offset, mean, variance) = node.name, node.input[:5]
    epsilon = np.float32(node.attr["epsilon"].f)
    _constant(graph_def.node.add(name=name + "/epsilon"), epsilon)
    root = _add(graph_def, name + "/root", "Sqrt",
                [_add(graph_def, name + "/sum", "AddV2", [variance, name + "/epsilon"])])
    quotient = _add(graph_def, name + "/quotient", "RealDiv", [_add(graph_def, name + "/centred", "Sub", [x, mean]), root])
    product = _add(graph_def, name + "/product", "Mul", [quotient, scale])
    node.Clear()
    node.name, node.op = name, "AddV2"
    node.input.extend([product, offset])
    node.attr["T"].type = FLOAT


def _widen(graph_def):
    for node in graph_def.node:
        for attr in node.attr.values():
            if attr.WhichOneof("value") == "type" and attr.type == FLOAT:
                attr.type = DOUBLE
            if attr.WhichOneof("value") == "tensor" and attr.tensor.dtype == FLOAT:
                attr.tensor.CopyFrom(tf.make_tensor_proto(tf.make_ndarray(attr.tensor).astype(np.float64)))


def graph_of(graph, session, caller):
    """The f64 graph of the function that node `caller` calls, through a wrapper that only hands arguments on.

    Returns the GraphDef and the names of the function's results."""
    functions = {f.signature.name: f for f in graph.as_graph_def().library.function}
    outer = graph.get_operation_by_name(caller).node_def
    wrapper = functions[outer.attr["f"].func.name]
    call = next(n for n in wrapper.node_def if n.op == "StatefulPartitionedCall")
    function = functions[call.attr["f"].func.name]
    given = [a.name for a in wrapper.signature.input_arg]
    sources = {a.name: outer.input[given.index(i)] for a, i in zip(function.signature.input_arg, call.input)}
    body, names = function_def_to_graph.function_def_to_graph_def(function)
    values = _captured(graph, session, body, sources)
    for node in list(body.node):
        if node.name in values:
            _constant(node, values[node.name])
        elif node.op == "ReadVariableOp":
            source = node.input[0].split(":")[0]
            name, dtype = node.name, tf.as_dtype(values[source].dtype).as_datatype_enum
            node.Clear()
            node.name, node.op = name, "Identity"
            node.input.append(source)
            node.attr["T"].type = dtype
        elif node.op == "Assert":
            name = node.name
            node.Clear()
            node.name, node.op = name, "NoOp"
        elif node.op == "FusedBatchNormV3":
            _plain_normalisation(body, node)
        for attr in [a for a in node.attr if a.startswith("_")]:
            del node.attr[attr]
    _widen(body)
    return body, [names[function.ret[a.name]] for a in function.signature.output_arg]
