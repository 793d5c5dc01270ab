#!/usr/bin/env python3
"""Fused plans compute what the graph says: random graphs of the fusible patterns, and of patterns that must not be
fused, run with every switch of DOVETAIL_OPTIMIZE and compared with stock TensorFlow.

Usage: fuse_test.py DOVETAIL SCRATCH_DIR [SEED] [GRAPHS]
Tolerance: 1e-5 of the largest magnitude of the result (float32), 1e-12 (float64)."""
import json
import os
import subprocess
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

tf1 = tf.compat.v1
SWITCHES = ["all", "none", "fold", "share", "fuse", "fold,fuse", "fuse,batch_norm", "elementwise", "share,fuse,elementwise"]


class Builder:
    """A graph of many small patterns, each under its own scope."""

    def __init__(self, rng, dtype):
        self.rng, self.dtype, self.feeds, self.expected, self.made, self.outputs = rng, dtype, {}, {}, {}, []

    def values(self, shape, low=-1.0, high=1.0):
        return self.rng.uniform(low, high, shape).astype(self.dtype)

    def value(self, shape, constant, low=-1.0, high=1.0):
        """A constant, or a value that is fed."""
        v = self.values(shape, low, high)
        if constant:
            return tf.identity(tf.constant(v)) if self.some() else tf.constant(v)
        p = tf1.placeholder(self.dtype, shape)
        self.feeds[p] = v
        return p

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def some(self):
        return bool(self.rng.integers(2))

    def root(self, kind, constant=True):
        """The first node and its number of channels."""
        batch, size, inputs = self.pick(1, 2), self.pick(5, 8, 13), self.pick(1, 3, 16, 40)
        channels = self.pick(4, 16, 17)
        if kind == "matmul":
            x = self.value([batch * 3, inputs], False)
            transpose = self.some()
            w = self.value([channels, inputs] if transpose else [inputs, channels], constant)
            return tf.linalg.matmul(x, w, transpose_b=transpose, name="root"), channels
        x = self.value([batch, size, size, inputs], False)
        k, stride, padding = self.pick(1, 3), self.pick(1, 2), self.pick("SAME", "VALID")
        if padding == "VALID" and self.some():
            x = tf.pad(x, self.pick([[0, 0], [1, 1], [1, 1], [0, 0]], [[0, 0], [0, 1], [2, 0], [0, 0]]), name="pad")
        if kind == "depthwise":
            multiplier = self.pick(4, 5)
            w = self.value([k, k, inputs, multiplier], constant)
            return tf1.nn.depthwise_conv2d_native(x, w, [1, stride, stride, 1], padding, name="root"), inputs * multiplier
        w = self.value([k, k, inputs, channels], constant)
        return tf1.nn.conv2d(x, w, [1, stride, stride, 1], padding, name="root"), channels

    def activation(self, y):
        f = self.pick(None, tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.tanh, tf.sigmoid, lambda v: tf.nn.leaky_relu(v, 0.3))
        return f(y) if f else y


# ---- patterns that become one node ----


def bias(b, kind):
    y, c = b.root(kind, b.some())
    v = b.value([c], b.some())
    shaped = tf.reshape(v, [1, c] if kind == "matmul" else [1, 1, 1, c])
    y = b.pick(lambda: tf.nn.bias_add(y, v), lambda: y + v, lambda: v + y, lambda: y + shaped)()
    return b.activation(y)


def batch_norm(b, kind):
    y, c = b.root(kind, b.some())
    constant = b.some()
    gamma, beta, mean = (b.value([c], constant) for _ in range(3))
    variance = b.value([c], constant, 0.1, 2)
    if b.some():
        y = tf.nn.bias_add(y, b.value([c], constant))
    if kind != "matmul" and b.dtype == np.float32 and b.some():
        y = tf1.nn.fused_batch_norm(y, gamma, beta, mean, variance, epsilon=0.01, is_training=False)[0]
    else:
        if kind != "matmul" and b.some():
            gamma, beta, mean, variance = (tf.reshape(v, [1, 1, 1, c]) for v in (gamma, beta, mean, variance))
        y = tf.nn.batch_normalization(y, mean, variance, beta, b.pick(gamma, None), 0.001)
    return b.activation(y)


def scale(b, kind):
    y, c = b.root(kind, b.some())
    y = y * b.value([c], b.some())
    if b.some():
        y = y + b.value([c], b.some())
    return b.activation(y)


def residual(b, kind):
    y, c = b.root(kind)
    y = tf.nn.bias_add(y, b.value([c], b.some()))
    if b.some():
        y = y * b.value([c], b.some()) + b.value([c], b.some())
    side = tf.nn.relu(b.value(y.shape, False))
    return b.activation(y + side if b.some() else side + y)


# ---- patterns whose first node must stay ----


def read_twice(b, kind):
    y, c = b.root(kind)
    return tf.reduce_sum(y) + tf.nn.relu(tf.nn.bias_add(y, b.value([c], True)))


def broadcasting(b, kind):
    y, c = b.root(kind)
    rows = [int(y.shape[0])] + [1] * (y.shape.rank - 1)
    return y + b.value(b.pick([1], rows, []), True)


def wider(b, kind):
    y, c = b.root(kind)
    return y + b.value([2] + y.shape.as_list(), False)


def control_edge(b, kind):
    y, c = b.root(kind)
    value = b.value([c], False)
    with tf.control_dependencies([y]):
        other = tf.identity(value)
    return tf.nn.relu(tf.nn.bias_add(y, other))


def not_finite(b, kind):
    y, c = b.root(kind)
    v = b.values([c])
    v[0] = b.pick(np.inf, -np.inf, np.nan)
    return tf.abs(y) * tf.constant(v)


def training(b, kind):
    y, c = b.root(kind)
    if kind == "matmul" or b.dtype != np.float32:
        return tf.exp(y)
    return tf1.nn.fused_batch_norm(y, b.value([c], True), b.value([c], True), is_training=True)[0]


# ---- patterns made of element-wise nodes, and the op that stands for them ----


def formulas(v):
    """Activations as Keras and others write them out."""
    c = lambda x: tf.constant(x, v.dtype)
    third = lambda: tf.pow(v, c(3))
    gelu_inner = lambda: c((2 / np.pi) ** 0.5) * (v + c(0.044715) * third())
    return [
        lambda: v * tf.sigmoid(v),
        lambda: tf.sigmoid(c(1) * v) * v,
        lambda: v * (tf.nn.relu6(v + c(3)) * c(1 / 6)),
        lambda: v * (tf.nn.relu6(v + c(3)) / c(6)),
        lambda: (v * tf.nn.relu6(c(3) + v)) * c(1 / 6),
        lambda: c(0.5) * v * (c(1) + tf.math.erf(v / c(2**0.5))),
        lambda: c(0.5) * v * tf.math.erfc(-v * c(0.5**0.5)),
        lambda: c(0.5) * v * (c(1) + tf.tanh(gelu_inner())),
        # Near misses, which must stay what they are.
        lambda: v * tf.sigmoid(c(1.1) * v),
        lambda: v * (tf.nn.relu6(v + c(2)) * c(1 / 6)),
        lambda: c(0.5) * v * (c(1) + tf.math.erf(v * c(0.7))),
    ]


def activation_written_out(b, kind):
    y, c = b.root(kind)
    if b.some():
        y = tf.nn.bias_add(y, b.value([c], b.some()))
    return b.pick(*formulas(y))()


def elementwise(b, kind):
    x = b.value([3, 5, 7], False)
    y = b.pick(*formulas(x))() + b.value(b.pick([7], [5, 1], [], [3, 1, 7]), b.some())
    return tf.maximum(tf.exp(-tf.square(y)), b.value([], True)) * x


def layer_norm(b, kind):
    c = b.pick(1, 6, 33)
    x = b.value(b.pick([4, c], [2, 3, c]), False) * 3
    mean = tf.reduce_mean(x, b.pick([-1], [x.shape.rank - 1]), keepdims=True)
    center = b.pick(lambda: mean, lambda: tf.stop_gradient(mean))()
    variance = tf.reduce_mean(tf.math.squared_difference(x, center), [-1], keepdims=True)
    shape = [1] * (x.shape.rank - 1) + [c]
    scale, offset = (tf.reshape(b.value([c], b.some()), b.pick([c], shape)) for _ in range(2))
    factor = tf.math.rsqrt(variance + tf.constant(0.001, b.dtype)) * scale
    return b.pick(lambda: x * factor + (offset - mean * factor), lambda: x * factor + (-mean * factor + offset))()


# Nearly a layer normalisation: over other dims, of something else.
def other_norm(b, kind):
    x = b.value([4, 6], False)
    mean = tf.reduce_mean(x, b.pick([0], [1]), keepdims=True)
    of = b.pick(x, x + 1)
    variance = tf.reduce_mean(tf.math.squared_difference(of, mean), b.pick([0], [0, 1]), keepdims=True)
    factor = tf.math.rsqrt(variance + tf.constant(0.001, b.dtype)) * b.value([6], True)
    return x * factor + (b.value([6], True) - mean * factor)


# A value inside that something else reads, too.
def read_inside(b, kind):
    x = b.value([4, 6], False)
    gate = tf.sigmoid(x)
    return tf.concat([x * gate, tf.reduce_max(gate, 1, keepdims=True)], 1)


MADE = {activation_written_out: None, elementwise: "_DovetailElementwise", layer_norm: "_DovetailLayerNorm",
        other_norm: None, read_inside: None}
FUSED = [bias, batch_norm, scale, residual]
KEPT = [read_twice, broadcasting, wider, control_edge, not_finite, training]


def make_graph(rng, dtype):
    b = Builder(rng, dtype)
    graph = tf.Graph()
    with graph.as_default():
        for i in range(16):
            pattern = FUSED[i % 4] if i < 10 else KEPT[i - 10]
            kind = b.pick("conv", "conv", "depthwise", "matmul")
            scope = "p%d_%s" % (i, pattern.__name__)
            with tf1.name_scope(scope):
                b.outputs.append(tf.identity(pattern(b, kind)))
            b.expected[scope] = (pattern in FUSED, kind)
        for i, pattern in enumerate(list(MADE) * 2):
            scope = "m%d_%s" % (i, pattern.__name__)
            with tf1.name_scope(scope):
                b.outputs.append(tf.identity(pattern(b, b.pick("conv", "depthwise", "matmul"))))
            if MADE[pattern] and (dtype == np.float32 or pattern is not layer_norm):
                b.made[scope + "/"] = MADE[pattern]
    return b, graph


def check(condition, message):
    if not condition:
        sys.exit("FAILED: " + message)


def run(command, switches):
    env = dict(os.environ, DOVETAIL_OPTIMIZE=switches)
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    check(done.returncode == 0, "%s (DOVETAIL_OPTIMIZE=%s): %s" % (" ".join(command[:3]), switches, done.stderr))
    return done.stdout


def check_plan(dovetail, path, b, switches):
    plan = json.loads(run([dovetail, "plan", path, "--json"], switches))
    made = [n["node"] for n in plan["nodes"] if n["made_of"]]
    check(plan["after"] == sum(n["fate"] == "runs" for n in plan["nodes"]), "the counts do not fit the list")
    if switches in ("none", "fold", "share"):
        check(not made, "%s fused %s" % (switches, made))
    if switches != "all":
        return
    for scope, op in b.made.items():
        found = [n["op"] for n in plan["nodes"] if n["made_of"] and n["node"].startswith(scope)]
        check(op in found, "%s was made into %s, not %s" % (scope, found, op))
    for scope, (wanted, kind) in b.expected.items():
        root = next(n for n in plan["nodes"] if n["node"] == scope + "/root")
        # A convolution that only takes over its padding is fused into itself.
        fused = root["fate"] == "fused" and root["into"] != root["node"]
        # float64 has no fused matrix product, and epsilon is a float32.
        has_kernel = b.dtype == np.float32 or (kind != "matmul" and "batch_norm" not in scope)
        check(fused == (wanted and has_kernel) or (wanted and not has_kernel), "%s (%s) was %sfused" % (scope, kind, "" if fused else "not "))


def compare(name, got, wanted, dtype):
    """How far off, as a part of the tolerance."""
    check(got.shape == wanted.shape and got.dtype == wanted.dtype, "%s is %s%s" % (name, got.dtype, got.shape))
    finite = np.isfinite(wanted)
    check(np.array_equal(got[~finite], wanted[~finite], equal_nan=True), "%s: other infinities or NaN" % name)
    size = np.max(np.abs(wanted[finite]), initial=0) + 1e-30
    error = np.max(np.abs(got[finite] - wanted[finite]), initial=0) / size
    return error / (1e-5 if dtype == np.float32 else 1e-12)


def main():
    dovetail, scratch = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20261121
    graphs = int(sys.argv[4]) if len(sys.argv) > 4 else 4
    os.makedirs(scratch, exist_ok=True)
    path, worst = os.path.join(scratch, "graph.pb"), 0
    for g in range(graphs):
        dtype = np.float64 if g % 4 == 3 else np.float32
        b, graph = make_graph(np.random.default_rng(seed + g), dtype)
        with open(path, "wb") as f:
            f.write(graph.as_graph_def().SerializeToString())
        with tf1.Session(graph=graph) as session:
            wanted = session.run(b.outputs, b.feeds)
        command = [dovetail, "run", path, "--out-dir", scratch, "--json"]
        for i, (p, v) in enumerate(b.feeds.items()):
            name = os.path.join(scratch, "in%d.npy" % i)
            np.save(name, v)
            command += ["--input", "%s=%s" % (p.op.name, name)]
        for o in b.outputs:
            command += ["--output", o.name]
        for switches in SWITCHES:
            check_plan(dovetail, path, b, switches)
            run(command, switches)
            with open(os.path.join(scratch, "outputs.json")) as f:
                files = json.load(f)
            for o, w, entry in zip(b.outputs, wanted, files):
                got = np.load(os.path.join(scratch, os.path.basename(entry["file"])))
                error = compare(o.name, got, w, dtype)
                check(error <= 1, "graph %d (seed %d), %s, DOVETAIL_OPTIMIZE=%s: off by %g times the tolerance"
                      % (g, seed, o.name, switches, error))
                worst = max(worst, error)
    print("seed %d: %d graphs as stock with every switch, at worst %.2f of the tolerance" % (seed, graphs, worst))


if __name__ == "__main__":
    main()
