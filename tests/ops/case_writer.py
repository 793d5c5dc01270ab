"""Makes one test case: an op with inputs and attributes becomes a graph, stock TensorFlow runs it, and graph, feeds and
answer are written in the format that case_file.h reads."""

import os
import struct

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')

import ml_dtypes
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import types_pb2

tf1 = tf.compat.v1

FLOATS = ['float16', 'bfloat16', 'float32', 'float64']
SINGLES = ['float32', 'float64']
SIGNED = ['int8', 'int16', 'int32', 'int64']
UNSIGNED = ['uint8', 'uint16', 'uint32', 'uint64']
INTS = SIGNED + UNSIGNED
COMPLEX = ['complex64', 'complex128']
REALS = FLOATS + INTS
NUMBERS = REALS + COMPLEX

# relative, absolute: a handful of units in the last place of each type
TOLERANCE = {
    'float16': (2e-3, 1e-6),
    'bfloat16': (1.6e-2, 1e-6),
    'float32': (3e-6, 1e-6),
    'float64': (1e-12, 1e-12),
    'complex64': (1e-5, 1e-5),
    'complex128': (1e-11, 1e-11),
}


def np_type(dtype):
    return ml_dtypes.bfloat16 if dtype == 'bfloat16' else np.dtype(dtype)


def name_of(dtype):
    return tf.as_dtype(dtype).name


def set_attr(attr, value):
    """Sets an AttrValue from a Python value; types are tf.DType."""
    kinds = ((bool, 'b'), (int, 'i'), (float, 'f'), (str, 's'), (tf.DType, 'type'))
    encode = lambda v: v.encode() if isinstance(v, str) else v.as_datatype_enum if isinstance(v, tf.DType) else v
    if isinstance(value, list):
        attr.list.SetInParent()
        for item in value:
            field = next(f for t, f in kinds if isinstance(item, t))
            getattr(attr.list, field).append(encode(item))
    else:
        setattr(attr, next(f for t, f in kinds if isinstance(value, t)), encode(value))


class Refused(Exception):
    """Stock does not even build the graph."""


class Writer:
    def __init__(self, path):
        self.count = self.skipped = self.refused = self.beyond = 0
        # (op, attr, dtype) that a case computes something with, and that stock lacks a kernel for; attr '': the op itself
        self.covered, self.lacking = set(), set()
        self.path = path
        self.file = open(path, 'wb')
        self.file.write(b'DVTCASES1\n' + struct.pack('<I', 0))

    def close(self):
        self.file.seek(len(b'DVTCASES1\n'))
        self.file.write(struct.pack('<I', self.count))
        self.file.close()

    # ---- encoding ----
    def _string(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.file.write(struct.pack('<I', len(data)) + data)

    def _tensor(self, value):
        # A scalar string as an object: NumPy's own strings lose NULs at the end.
        value = np.asarray(value, dtype=object) if isinstance(value, bytes) else np.asarray(value)
        enum = 7 if value.dtype.kind in 'OSU' else tf.as_dtype(value.dtype).as_datatype_enum
        self.file.write(struct.pack('<II', enum, value.ndim) + struct.pack('<%dq' % value.ndim, *value.shape))
        if enum == 7:
            self.file.write(struct.pack('<Q', 0))
            for item in value.reshape(-1):
                self._string(item if isinstance(item, (bytes, str)) else bytes(item))
        else:
            data = np.ascontiguousarray(value).tobytes()
            self.file.write(struct.pack('<Q', len(data)) + data)

    # ---- building and running ----
    def _build(self, op, inputs, attrs, constants, shapes_known):
        """(graph, feeds {tensor name: value}, list of output tensors)"""
        graph, feeds = tf.Graph(), {}
        with graph.as_default():

            def source(value, name):
                value = np.asarray(value)
                if name in constants:
                    return tf.constant(value, name=name)
                dtype = tf.string if value.dtype.kind in 'OSU' else value.dtype
                shape = list(value.shape) if shapes_known is True else None
                if shapes_known == 'partly':
                    shape = [d if i % 2 else None for i, d in enumerate(value.shape)]
                holder = tf1.placeholder(dtype, shape, name=name)
                feeds[holder.name] = value
                return holder

            arguments = {}
            for name, value in inputs.items():
                if isinstance(value, list):
                    arguments[name] = [source(v, '%s_%d' % (name, i)) for i, v in enumerate(value)]
                else:
                    arguments[name] = source(value, name)
            try:
                result = getattr(tf.raw_ops, op)(name='op', **arguments, **attrs)
            except (ValueError, TypeError, tf.errors.OpError) as error:
                raise Refused(str(error))
            outputs = tf.nest.flatten(result)
        return graph, feeds, [t for t in outputs if isinstance(t, tf.Tensor)]

    def add(
        self,
        op,
        inputs,
        attrs=None,
        constants=(),
        shapes_known=True,
        tolerance=None,
        label='',
        must_fail=False,
        fetch=None,
    ):
        attrs = attrs or {}
        try:
            graph, feeds, outputs = self._build(op, inputs, attrs, constants, shapes_known)
        except Refused:
            # Without static knowledge the kernel itself must refuse.
            try:
                graph, feeds, outputs = self._build(op, inputs, attrs, (), False)
            except Refused as error:
                self.skipped += 1
                if os.environ.get('CASES_VERBOSE'):
                    print('skipped', op, attrs, error)
                return
        outputs = outputs if fetch is None else [outputs[i] for i in fetch]
        self._run(
            op,
            attrs,
            graph,
            graph.as_graph_def(),
            feeds,
            outputs,
            [t.name for t in outputs],
            tolerance,
            label,
            must_fail,
        )

    def add_by(self, op, inputs, attrs, reference, constants=(), tolerance=None, label='', fresh=()):
        """A node that stock does not have, or does not run on a CPU: what `reference`, given the input tensors, computes
        with other ops is the expected answer; None: the node must be refused. `attrs` are all that the node has, types
        included. Inputs named in `fresh` come from an op, so that the node may take over their memory."""
        graph, feeds = tf.Graph(), {}
        with graph.as_default():

            def source(value, name):
                value = np.asarray(value)
                if name in constants:
                    return tf.constant(value, name=name)
                holder = tf1.placeholder(value.dtype, value.shape, name=name)
                feeds[holder.name] = value
                return tf.negative(holder, name=name + '_fresh') if name in fresh else holder

            tensors = [
                (
                    [source(v, '%s_%d' % (name, i)) for i, v in enumerate(value)]
                    if isinstance(value, list)
                    else source(value, name)
                )
                for name, value in inputs.items()
            ]
            graph_def = graph.as_graph_def()
            node = graph_def.node.add(name='op', op=op)
            node.input.extend(t.op.name for t in tf.nest.flatten(tensors))
            for name, value in attrs.items():
                set_attr(node.attr[name], value)
            results = tf.nest.flatten(reference(*tensors)) if reference else []
        names = ['op:%d' % i for i in range(len(results))]
        self._run(op, attrs, graph, graph_def, feeds, results, names, tolerance, label, reference is None)

    def add_graph(self, name, build, inputs=None, tolerance=None, must_fail=False):
        """A case of many nodes: build(*placeholders) returns the tensors to fetch; `inputs` are the values fed."""
        graph, feeds = tf.Graph(), {}
        with graph.as_default():
            holders = []
            for i, value in enumerate(inputs or []):
                value = np.asarray(value)
                dtype = tf.string if value.dtype.kind in 'OSU' else value.dtype
                holders.append(tf1.placeholder(dtype, value.shape, name='in%d' % i))
                feeds[holders[-1].name] = value
            try:
                outputs = [tf.identity(t) for t in tf.nest.flatten(build(*holders))]
            except (ValueError, TypeError, tf.errors.OpError) as error:
                self.skipped += 1
                if os.environ.get('CASES_VERBOSE'):
                    print('skipped', name, error)
                return
        names = [t.name for t in outputs]
        self._run(name, {}, graph, graph.as_graph_def(), feeds, outputs, names, tolerance, '', must_fail, False)

    def _cover(self, graph_def, rows):
        functions = [node for function in graph_def.library.function for node in function.node_def]
        for node in list(graph_def.node) + functions:
            rows.add((node.op, '', ''))
            for name, attr in node.attr.items():
                if attr.WhichOneof('value') == 'type':
                    rows.add((node.op, name, types_pb2.DataType.Name(attr.type)))

    def _run(self, op, attrs, graph, graph_def, feeds, outputs, names, tolerance, label, must_fail, static=True):
        """Runs the outputs with stock and writes graph_def, feeds and answers; `names` are the outputs in graph_def. Their
        static shapes are compared, too, if `static`."""
        config = tf1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        config.graph_options.optimizer_options.opt_level = -1
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        fails, values = must_fail and not outputs, [None] * len(outputs)
        try:
            if fails:
                raise tf.errors.InvalidArgumentError(None, None, 'by definition')
            with tf1.Session(graph=graph, config=config) as session:
                values = session.run(outputs if outputs else [graph.get_operation_by_name('op')], feeds)
        except tf.errors.OpError as error:
            fails = True
            if isinstance(error, tf.errors.UnimplementedError) or 'No OpKernel was registered' in str(error):
                self.beyond += 1  # what stock does not have is not compared
                self._cover(graph_def, self.lacking)
                return
            if not must_fail and os.environ.get('CASES_VERBOSE'):
                print(
                    'stock refuses',
                    op,
                    attrs,
                    {k: np.asarray(v).shape for k, v in feeds.items()},
                    str(error)[:300],
                )
        except UnicodeDecodeError:
            fails = True  # stock's sentence quotes bytes that are no text
        self.count += 1
        self.refused += fails
        if not fails:
            self._cover(graph_def, self.covered)
        kinds = ','.join(
            '%s%s'
            % (
                name_of(v.dtype) if np.asarray(v).dtype.kind not in 'OSU' else 'string',
                list(np.asarray(v).shape),
            )
            for v in map(np.asarray, feeds.values())
        )
        self._string('%s(%s)%s%s' % (op, kinds, attrs if attrs else '', ' ' + label if label else ''))
        self._string(graph_def.SerializeToString())
        self.file.write(struct.pack('<BI', fails, len(feeds)))
        for name, value in feeds.items():
            node, index = name.split(':')
            self._string(node)
            self.file.write(struct.pack('<I', int(index)))
            self._tensor(value)
        self.file.write(struct.pack('<I', len(outputs)))
        for tensor, name, value in zip(outputs, names, values):
            node, index = name.split(':')
            dtype = tensor.dtype.name
            relative, absolute = tolerance or TOLERANCE.get(dtype, (0, 0))
            if dtype not in TOLERANCE:
                relative = absolute = 0
            self._string(node)
            self.file.write(struct.pack('<Idd', int(index), relative, absolute))
            shape = tensor.shape
            if shape.rank is None or not static:
                self.file.write(struct.pack('<i', -1))
            else:
                dims = [-1 if d is None else d for d in shape.as_list()]
                self.file.write(struct.pack('<i', len(dims)) + struct.pack('<%dq' % len(dims), *dims))
            if not fails:
                self._tensor(value)
