#!/usr/bin/env python3
"""Inferred shapes beside stock TensorFlow's: for every node of real networks and of random graphs the shape that
`dovetail shapes` tells equals stock's, or says more and is right.

Usage: shapes_test.py DOVETAIL SCRATCH_DIR MODEL_DIR [SEED] [GRAPHS]

Right means: the shapes that stock computes with when it runs fit, a size with a name having one value throughout.
What stock knows and we do not is a failure unless WHY_LESS names a reason."""
import collections
import json
import os
import re
import subprocess
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.core.protobuf import saved_model_pb2  # noqa: E402
from tensorflow.python.framework import function_def_to_graph  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

tf1 = tf.compat.v1
DOVETAIL, SCRATCH, MODELS = sys.argv[1:4]
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else int.from_bytes(os.urandom(4), "little")
GRAPHS = int(sys.argv[5]) if len(sys.argv) > 5 else 12
STEPS = 60

# Ops for which stock may know more, and why. None is known.
WHY_LESS = {}

failures = []
tally = collections.Counter()


def fail(text):
    failures.append(text)
    if len(failures) <= 40:
        print("FAILED", text)


def infer(path, feeds=()):
    """(function or None, node) -> the node as the command tells it."""
    command = [DOVETAIL, "shapes", path, "--json"]
    for feed in feeds:
        command += ["--feed", feed]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("%s: %s" % (" ".join(command), done.stderr))
    return {(n["function"], n["node"]): n for n in json.loads(done.stdout)["nodes"]}


def stock_dims(tensor):
    try:
        return tensor.shape.as_list()
    except ValueError:  # unknown rank
        return None


def compare(where, op, tensor, ours):
    """Known to stock, then known to us."""
    theirs = stock_dims(tensor)
    mine = None if ours["dims"] is None else [None if d < 0 else d for d in ours["dims"]]
    tally["outputs"] += 1
    text = "%s (%s): ours %s, stock %s" % (where, op, ours["shape"], tensor.shape)
    if mine == theirs:
        return
    less = theirs is not None and (mine is None or len(mine) == len(theirs) and
                                   any(m is None and t is not None for m, t in zip(mine, theirs)))
    if mine is not None and theirs is not None:
        if len(mine) != len(theirs) or any(m is not None and t is not None and m != t for m, t in zip(mine, theirs)):
            fail("contradiction: " + text)
            return
    if less:
        tally["less"] += 1
        if op not in WHY_LESS:
            fail("less: " + text)
    else:
        tally["more"] += 1


def compare_graph(name, graph, ours, function=None):
    for op in graph.get_operations():
        node = ours.get((function, op.name))
        if node is None:
            if function is None:
                fail("%s: node %s is missing" % (name, op.name))
            continue
        if node.get("error"):
            fail("%s: %s: %s" % (name, op.name, node["error"]))
        for i, tensor in enumerate(op.outputs):
            compare("%s %s:%d" % (name, op.name, i), op.type, tensor, node["outputs"][i])


def compare_functions(name, graph_def, ours):
    for function in graph_def.library.function:
        try:
            graph = function_def_to_graph.function_def_to_graph(function)
        except Exception:  # functions that only stock's runtime can take in, as those with open attrs
            continue
        compare_graph("%s/%s" % (name, function.signature.name), graph, ours, function.signature.name)


class Sizes:
    """Whether one value for each name makes all shapes come out."""

    def __init__(self, name):
        self.name, self.values, self.later = name, {}, []

    def check(self, where, shape, actual):
        if shape == "?":
            return
        dims = [d for d in split_dims(shape[1:-1])]
        if len(dims) != len(actual):
            fail("wrong: %s %s: %s, but it is %s" % (self.name, where, shape, list(actual)))
            return
        for dim, size in zip(dims, actual):
            if re.fullmatch(r"N\d*", dim):
                if self.values.setdefault(dim, size) != size:
                    fail("wrong: %s %s: %s with %s = %d, but it is %s" %
                         (self.name, where, shape, dim, self.values[dim], list(actual)))
            elif dim.isdigit():
                if int(dim) != size:
                    fail("wrong: %s %s: %s, but it is %s" % (self.name, where, shape, list(actual)))
            else:
                self.later.append((where, shape, dim, size, actual))

    def finish(self):
        for where, shape, dim, size, actual in self.later:
            names = set(re.findall(r"N\d*", dim))
            if not names <= set(self.values):
                continue
            value = eval(dim.replace("/", "//"), {"min": min, "max": max}, dict(self.values))
            if value != size:
                fail("wrong: %s %s: %s with %s, but it is %s" %
                     (self.name, where, shape, {n: self.values[n] for n in names}, list(actual)))


def split_dims(text):
    """At the commas outside of brackets."""
    parts, depth, at = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[at:i])
            at = i + 1
    return parts + [text[at:]] if text else []


def write(name, graph_def):
    path = os.path.join(SCRATCH, name + ".pb")
    with open(path, "wb") as file:
        file.write(graph_def.SerializeToString())
    return path


def import_graph(graph_def):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return graph


def runs_once(op):
    """Not in a branch that is not taken, nor in a loop."""
    scope = re.search(r"(?:^|/)(cond|while)(?:_\d+)?/", op.name)
    return not scope or op.type == {"cond": "Merge", "while": "Exit"}[scope.group(1)]


def run_and_check(name, graph, ours, feeds):
    """Runs every node that can be fetched and holds the shapes against what came out."""
    fed = {tensor.name for tensor in feeds}
    tensors = [t for op in graph.get_operations() if runs_once(op) for t in op.outputs
               if t.dtype not in (tf.resource, tf.variant) and not t.dtype._is_ref_dtype and graph.is_fetchable(t) and
               (op.type != "Placeholder" or t.name in fed)]
    with tf1.Session(graph=graph) as session:
        values = session.run(tensors, feeds)
    sizes = Sizes(name)
    for tensor, value in zip(tensors, values):
        node = ours[None, tensor.op.name]
        sizes.check(tensor.name, node["outputs"][tensor.value_index]["shape"], np.shape(value))
    sizes.finish()


# ---- random graphs ----


class Skip(Exception):
    pass


class Grower:
    """Grows a graph, and beside it the same values eagerly, so that whatever is added can run."""

    def __init__(self, rng):
        self.rng, self.graph, self.pool, self.feeds = rng, tf.Graph(), [], {}
        with self.graph.as_default():
            for _ in range(3):
                self.feed()

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def int(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def some(self):
        return bool(self.rng.integers(2))

    def feed(self):
        rank = self.int(0, 4)
        shape = [self.int(1, 4) for _ in range(rank)]
        value = self.rng.uniform(-1, 1, shape).astype(np.float32)
        known = None if self.int(0, 9) == 0 else [None if self.some() else d for d in shape]
        placeholder = tf1.placeholder(tf.float32, known)
        self.feeds[placeholder] = value
        self.pool.append((placeholder, value))

    def operand(self, wanted=lambda value: True):
        for _ in range(8):
            entry = self.pick(self.pool)
            if wanted(entry[1]):
                return entry
        raise Skip

    def floats(self, rank=None):
        return self.operand(lambda v: v.dtype == np.float32 and (rank is None or v.ndim in rank))

    def apply(self, make, *operands):
        """make(tensors) once with values and once in the graph."""
        with tf.init_scope():
            values = make(*[tf.constant(v) for _, v in operands])
        values = [v.numpy() for v in (values if isinstance(values, (list, tuple)) else [values])]
        if any(v.size > 4096 or v.ndim > 6 for v in values):
            raise Skip
        with self.graph.as_default():
            tensors = make(*[t for t, _ in operands])
        tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        self.pool += list(zip(tensors, values))

    def step(self):
        try:
            self.pick(self.kinds)(self)
        except (Skip, ValueError, TypeError, IndexError, tf.errors.OpError):
            pass

    # Each adds one thing.

    def unary(self):
        f = self.pick([tf.nn.relu, tf.tanh, tf.identity, tf.negative, tf.stop_gradient, tf.zeros_like, tf.ones_like,
                       tf.math.softplus])
        self.apply(f, self.floats())

    def binary(self):
        f = self.pick([tf.add, tf.multiply, tf.maximum, tf.math.squared_difference,
                       lambda a, b: tf.where(a > b, a, b)])
        self.apply(f, self.floats(), self.floats())

    def reduction(self):
        entry = self.floats(range(1, 6))
        axes = [a for a in range(entry[1].ndim) if self.some()] or [-1]
        keep = self.some()
        f = self.pick([tf.reduce_sum, tf.reduce_max, tf.reduce_mean])
        self.apply(lambda x: f(x, axis=axes, keepdims=keep), entry)

    def transpose(self):
        entry = self.floats(range(2, 6))
        order = [int(i) for i in self.rng.permutation(entry[1].ndim)]
        self.apply(lambda x: tf.transpose(x, order), entry)

    def reshape(self):
        """With the first or last dims kept, taken from the shape as a program takes them, and the rest joined."""
        entry = self.floats(range(2, 6))
        kept, first = self.int(1, entry[1].ndim - 1), self.some()
        pieces = self.some()

        def make(x):
            s = tf.shape(x)
            if not first:
                return tf.reshape(x, tf.concat([[-1], s[-kept:]], 0))
            if pieces:
                return tf.reshape(x, tf.stack([s[i] for i in range(kept)] + [-1]))
            return tf.reshape(x, tf.concat([s[:kept], [tf.reduce_prod(s[kept:])]], 0))
        self.apply(make, entry)

    def flatten(self):
        self.apply(lambda x: tf.reshape(x, [-1]), self.floats())

    def split_dim(self):
        entry = self.floats(range(1, 5))
        axis = self.int(0, entry[1].ndim - 1)
        if entry[1].shape[axis] % 2:
            raise Skip

        def make(x):
            s = tf.shape(x)
            return tf.reshape(x, tf.concat([s[:axis], [s[axis] // 2, 2], s[axis + 1:]], 0))
        self.apply(make, entry)

    def joined(self):
        a = self.floats(range(1, 5))
        axis = self.int(0, a[1].ndim - 1)
        b = self.operand(lambda v: v.dtype == np.float32 and v.ndim == a[1].ndim)
        self.apply(lambda x, y: tf.concat([x, y], axis), a, b)
        self.apply(lambda x: tf.concat([x, x], axis), a)

    def stacked(self):
        a = self.floats(range(0, 4))
        axis = self.int(0, a[1].ndim)
        self.apply(lambda x: tf.stack([x, x, x], axis), a)

    def parts(self):
        entry = self.floats(range(1, 5))
        axis = self.int(0, entry[1].ndim - 1)
        self.apply(lambda x: tf.split(x, 2, axis), entry)

    def sliced(self):
        entry = self.floats(range(1, 5))
        index = []
        for d in entry[1].shape:
            kind = self.int(0, 5)
            index.append([slice(None), slice(1, None), slice(None, -1), slice(None, None, 2), self.int(0, d - 1),
                          slice(0, 1)][kind])
        if self.some():
            index.insert(self.int(0, len(index)), tf.newaxis)
        self.apply(lambda x: x[tuple(index)], entry)

    def slice_size(self):
        entry = self.floats(range(1, 5))
        begin = [self.int(0, d - 1) for d in entry[1].shape]
        self.apply(lambda x: tf.slice(x, begin, tf.shape(x) - begin), entry)
        self.apply(lambda x: tf.slice(x, begin, [-1] * len(begin)), entry)

    def padded(self):
        entry = self.floats(range(1, 5))
        paddings = [[self.int(0, 2), self.int(0, 2)] for _ in entry[1].shape]
        self.apply(lambda x: tf.pad(x, paddings), entry)

    def tiled(self):
        entry = self.floats(range(1, 4))
        times = [self.int(1, 2) for _ in entry[1].shape]
        self.apply(lambda x: tf.tile(x, times), entry)

    def expanded(self):
        entry = self.floats(range(0, 5))
        axis = self.int(0, entry[1].ndim)
        self.apply(lambda x: tf.expand_dims(x, axis), entry)

    def squeezed(self):
        entry = self.floats(range(1, 6))
        ones = [i for i, d in enumerate(entry[1].shape) if d == 1]
        if not ones:
            raise Skip
        self.apply(lambda x: tf.squeeze(x, ones[:1]), entry)

    def gathered(self):
        entry = self.floats(range(1, 4))
        axis = self.int(0, entry[1].ndim - 1)
        indices = self.rng.integers(0, entry[1].shape[axis], [self.int(1, 3)] * self.int(0, 2)).astype(np.int32)
        self.apply(lambda x: tf.gather(x, indices, axis=axis), entry)

    def product(self):
        a = self.floats(range(2, 4))
        self.apply(lambda x: tf.matmul(x, x, transpose_b=True), a)
        width = self.int(1, 4)
        shape = [1] * (a[1].ndim - 2) + [a[1].shape[-1], width]
        self.apply(lambda x: tf.matmul(x, tf.ones(shape)), a)

    def convolution(self):
        entry = self.floats([4])
        stride, padding, k = self.int(1, 2), self.pick(["SAME", "VALID"]), self.int(1, 3)
        n = entry[1].shape[3]
        if min(entry[1].shape[1:3]) < k:
            raise Skip
        self.apply(lambda x: tf.nn.conv2d(x, tf.ones([k, k, n, 2]), stride, padding), entry)

    def pooling(self):
        entry = self.floats([4])
        stride, padding = self.int(1, 2), self.pick(["SAME", "VALID"])
        if min(entry[1].shape[1:3]) < 2:  # the kernel makes nothing of it, the shape function an error
            raise Skip
        self.apply(lambda x: tf.nn.max_pool2d(x, 2, stride, padding), entry)

    def filled(self):
        entry = self.floats(range(0, 5))
        kind = self.int(0, 3)
        if kind == 0:
            self.apply(lambda x: tf.fill(tf.shape(x), 1.5), entry)
        elif kind == 1:
            self.apply(lambda x: tf.zeros(tf.shape(x)[:1] * 2), entry)
        elif kind == 2:
            self.apply(lambda x: tf.cast(tf.range(tf.size(x)), tf.float32), entry)
        else:
            self.apply(lambda x: tf.broadcast_to(x, tf.concat([[2], tf.shape(x)], 0)), entry)

    def shape_arithmetic(self):
        entry = self.floats(range(1, 5))
        a, b = self.int(0, entry[1].ndim - 1), self.int(0, entry[1].ndim - 1)
        kind = self.int(0, 6)

        def make(x):
            s = tf.shape(x)
            sizes = [s[a] + s[b], s[a] * s[b], (s[a] + 1) // 2, tf.maximum(s[a], 2), tf.minimum(s[a], s[b]),
                     tf.cast(tf.cast(s[a], tf.float32) * 2.0, tf.int32), tf.gather(s, [b])[0] + 3 - 1]
            return tf.ones(tf.stack([sizes[kind], 2]))
        self.apply(make, entry)

    def ranked(self):
        entry = self.floats(range(1, 4))
        self.apply(lambda x: tf.argmax(x, -1), entry)
        self.apply(lambda x: tf.cumsum(x, 0), entry)

    def conditional(self):
        entry = self.floats(range(1, 4))
        self.apply(lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1), entry)
        self.apply(lambda x: tf.cond(tf.size(x) > 10**6, lambda: x[:1], lambda: x), entry)

    def looped(self):
        entry = self.floats(range(1, 4))
        grows = self.some()

        def make(x):
            invariants = [tf.TensorShape([]), tf.TensorShape([None] * entry[1].ndim) if grows else x.shape]
            return tf.while_loop(lambda i, v: i < 2, lambda i, v: [i + 1, tf.concat([v, v], 0) if grows else v * 2],
                                 [tf.constant(0), x], shape_invariants=invariants)[1]
        self.apply(make, entry)

    kinds = [unary, binary, binary, reduction, transpose, reshape, flatten, split_dim, joined, stacked, parts, sliced,
             sliced, slice_size, padded, tiled, expanded, squeezed, gathered, product, convolution, pooling, filled,
             shape_arithmetic, ranked, conditional, looped]


def check_random(index):
    rng = np.random.default_rng([SEED, index])
    (tf1.enable_control_flow_v2 if index % 2 else tf1.disable_control_flow_v2)()
    grower = Grower(rng)
    for _ in range(STEPS):
        grower.step()
    name = "random %d (seed %d)" % (index, SEED)
    graph_def = grower.graph.as_graph_def()
    path = write("random%d" % index, graph_def)
    ours = infer(path)
    graph = import_graph(graph_def)
    compare_graph(name, graph, ours)
    compare_functions(name, graph_def, ours)
    feeds = {graph.get_tensor_by_name(p.name): v for p, v in grower.feeds.items()}
    run_and_check(name, graph, ours, feeds)
    # With the shapes that are fed nothing but what values decide stays open.
    shapes = ["%s=%s" % (p.op.name, "x".join(map(str, v.shape)) or "scalar") for p, v in grower.feeds.items()]
    run_and_check(name + " fed", graph, infer(path, shapes), feeds)


# ---- networks ----


def check_saved_model(name, path):
    ours = infer(path)
    model = saved_model_pb2.SavedModel()
    with open(os.path.join(path, "saved_model.pb"), "rb") as file:
        model.ParseFromString(file.read())
    graph_def = model.meta_graphs[0].graph_def
    compare_graph(name, import_graph(graph_def), ours)
    compare_functions(name, graph_def, ours)


def keras_networks():
    k = tf.keras
    image = lambda *layers: k.Sequential([k.layers.Input([None, None, 3])] + list(layers))
    yield "convolutions", image(k.layers.Conv2D(8, 3, 2, "same"), k.layers.BatchNormalization(), k.layers.ReLU(),
                                k.layers.DepthwiseConv2D(3), k.layers.MaxPool2D(), k.layers.UpSampling2D(2),
                                k.layers.Conv2DTranspose(4, 3, 2, "same"), k.layers.GlobalAveragePooling2D(),
                                k.layers.Dense(5, "softmax"))
    a = k.layers.Input([16, 16, 3])
    b = k.layers.Conv2D(8, 3, padding="same")(a)
    c = k.layers.Add()([b, k.layers.Conv2D(8, 3, padding="same")(b)])
    c = k.layers.Concatenate()([b, c])
    yield "branches", k.Model(a, k.layers.Dense(3)(k.layers.Flatten()(c)))
    yield "lstm", k.Sequential([k.layers.Input([None, 7]), k.layers.LSTM(5, return_sequences=True), k.layers.LSTM(4)])
    yield "gru", k.Sequential([k.layers.Input([6, 7]), k.layers.Bidirectional(k.layers.GRU(5)), k.layers.Dense(2)])
    t = k.layers.Input([None, 8])
    u = k.layers.LayerNormalization()(t + k.layers.MultiHeadAttention(2, 4)(t, t))
    yield "attention", k.Model(t, k.layers.Dense(8, "gelu")(u))


def check_keras():
    for name, model in keras_networks():
        path = os.path.join(SCRATCH, "keras_" + name)
        model.export(path, verbose=False)
        check_saved_model(name, path)
        spec = [tf.TensorSpec(model.inputs[0].shape, tf.float32)]
        frozen = convert_variables_to_constants_v2(tf.function(model).get_concrete_function(*spec))
        graph_def = frozen.graph.as_graph_def()
        ours = infer(write("frozen_" + name, graph_def))
        graph = import_graph(graph_def)
        compare_graph("frozen " + name, graph, ours)
        compare_functions("frozen " + name, graph_def, ours)
        shape = [3 if i == 0 else d or 9 for i, d in enumerate(model.inputs[0].shape)]
        placeholder = [op for op in graph.get_operations() if op.type == "Placeholder"][0].outputs[0]
        run_and_check("frozen " + name, graph, ours, {placeholder: np.ones(shape, np.float32)})


def read_graph(path):
    graph_def = tf1.GraphDef()
    with open(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    return graph_def


def check_trained():
    """Networks that other tests fetch."""
    for folder, _, files in os.walk(MODELS):
        if "saved_model.pb" in files:
            check_saved_model(os.path.relpath(folder, MODELS), folder)
        for file in files:
            path = os.path.join(folder, file)
            if file == "model.json":
                path = os.path.join(SCRATCH, "web.pb")
                if subprocess.run([DOVETAIL, "convert", os.path.join(folder, file), path], capture_output=True).returncode:
                    continue  # not a graph model
            elif not file.endswith(".pb") or file == "saved_model.pb":
                continue
            try:
                graph_def = read_graph(path)
                graph = import_graph(graph_def)
            except Exception:  # no GraphDef, or ops that stock does not have
                continue
            compare_graph(os.path.relpath(os.path.join(folder, file), MODELS), graph, infer(path))


def main():
    os.makedirs(SCRATCH, exist_ok=True)
    print("seed", SEED)
    for index in range(GRAPHS):
        check_random(index)
    check_keras()
    check_trained()
    print("%(outputs)d outputs: stock knows as much of all but %(more)d, of which it knows less, and %(less)d, of which it "
          "knows more" % {"outputs": tally["outputs"], "more": tally["more"], "less": tally["less"]})
    if failures:
        print("%d failures" % len(failures))
    sys.exit(1 if failures else 0)


main()
