"""RunMetadata of traced steps beside stock TensorFlow's, and read by stock's own tools.

  trace_test.py LIBDOVETAIL

Both run the same graphs with the same RunOptions. Rows, labels, dtypes, shapes and bytes must be the same; only the row
_SOURCE is stock's alone.
"""

import collections
import ctypes
import json
import os
import pickle
import subprocess
import sys
import unittest

import numpy as np

LIBRARY = sys.argv[1]


class TF_Output(ctypes.Structure):
    _fields_ = [("oper", ctypes.c_void_p), ("index", ctypes.c_int)]


class TF_Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("release", ctypes.c_void_p)]


def load(path):
    lib = ctypes.CDLL(path)
    pointer, text, size, integer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
    buffer = ctypes.POINTER(TF_Buffer)
    for name, result, arguments in (
            ("TF_NewStatus", pointer, []), ("TF_GetCode", integer, [pointer]), ("TF_Message", text, [pointer]),
            ("TF_NewGraph", pointer, []), ("TF_DeleteGraph", None, [pointer]),
            ("TF_NewBufferFromString", buffer, [text, size]), ("TF_NewBuffer", buffer, []),
            ("TF_DeleteBuffer", None, [buffer]), ("TF_NewImportGraphDefOptions", pointer, []),
            ("TF_GraphImportGraphDef", None, [pointer, buffer, pointer, pointer]),
            ("TF_NewSessionOptions", pointer, []), ("TF_SetConfig", None, [pointer, text, size, pointer]),
            ("TF_NewSession", pointer, [pointer, pointer, pointer]), ("TF_DeleteSession", None, [pointer, pointer]),
            ("TF_GraphOperationByName", pointer, [pointer, text]),
            ("TF_AllocateTensor", pointer, [integer, pointer, integer, size]), ("TF_TensorData", pointer, [pointer]),
            ("TF_DeleteTensor", None, [pointer]),
            ("TF_SessionRun", None, [pointer, buffer, pointer, pointer, integer, pointer, pointer, integer, pointer,
                                     integer, buffer, pointer])):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def run_here(request):
    """What run_ours asks for, in a process without stock TensorFlow: plugins would bind to its library."""
    lib = load(LIBRARY)
    status = lib.TF_NewStatus()

    def check(fails=False):
        assert (lib.TF_GetCode(status) != 0) == fails, lib.TF_Message(status).decode()

    def tensor(array):
        dims = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        dtype = {"float32": 1, "int32": 3}[array.dtype.name]
        made = lib.TF_AllocateTensor(dtype, dims, array.ndim, array.nbytes)
        ctypes.memmove(lib.TF_TensorData(made), array.ctypes.data, array.nbytes)
        return made

    def buffer(data):
        return lib.TF_NewBufferFromString(data, len(data))

    g, session_options = lib.TF_NewGraph(), lib.TF_NewSessionOptions()
    lib.TF_GraphImportGraphDef(g, buffer(request["graph"]), lib.TF_NewImportGraphDefOptions(), status)
    check()
    lib.TF_SetConfig(session_options, request["config"], len(request["config"]), status)
    session = lib.TF_NewSession(g, session_options, status)
    check()

    def ends(names):
        return (TF_Output * max(1, len(names)))(*[TF_Output(lib.TF_GraphOperationByName(g, n.encode()), i) for n, i in names])

    feeds, fetches = request["feeds"], ends(request["fetches"])
    values = (ctypes.c_void_p * max(1, len(feeds)))(*[tensor(np.asarray(array)) for _, array in feeds])
    results, count = (ctypes.c_void_p * len(fetches))(), len(fetches)
    options = buffer(request["options"])
    for _ in range(2):
        metadata = lib.TF_NewBuffer()
        lib.TF_SessionRun(session, options, ends([end for end, _ in feeds]), values, len(feeds), fetches, results, count,
                          None, 0, metadata, status)
        check(request["fails"])
        for result in results:
            lib.TF_DeleteTensor(result)
        length = metadata.contents.length
        data = ctypes.string_at(metadata.contents.data, length) if length else b""
        lib.TF_DeleteBuffer(metadata)
    lib.TF_DeleteSession(session, status)
    lib.TF_DeleteGraph(g)
    return data


if len(sys.argv) > 2:
    sys.stdout.buffer.write(run_here(pickle.load(sys.stdin.buffer)))
    sys.exit()

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402
from tensorflow.python.client import timeline  # noqa: E402

tf1 = tf.compat.v1


def run_ours(graph, config, options, feeds, fetches, fails=False):
    """The RunMetadata of the second of two steps. feeds: {placeholder: array}."""
    request = {"graph": graph.as_graph_def().SerializeToString(), "config": config.SerializeToString(),
               "options": options.SerializeToString(), "fails": fails,
               "feeds": [((t.op.name, t.value_index), v) for t, v in feeds.items()],
               "fetches": [(t.op.name, t.value_index) for t in fetches]}
    done = subprocess.run([sys.executable, __file__, LIBRARY, "child"], input=pickle.dumps(request), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return tf1.RunMetadata.FromString(done.stdout)


def run_stock(graph, config, options, feeds, fetches, steps=2):
    with tf1.Session(graph=graph, config=config) as session:
        for _ in range(steps):
            metadata = tf1.RunMetadata()
            session.run(fetches, feeds, options=options, run_metadata=metadata)
    return metadata


def plain_config():
    """Nothing of the graph is changed, and nodes run one after another."""
    config = tf1.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    return config


def rows(metadata):
    (device,) = metadata.step_stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    return [row for row in device.node_stats if row.node_name != "_SOURCE"]


def summary(row):
    outputs = [(o.slot, o.tensor_description.dtype, tuple(d.size for d in o.tensor_description.shape.dim),
                o.tensor_description.allocation_description.requested_bytes) for o in row.output]
    return row.node_name, row.timeline_label, tuple(outputs)


FULL = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)


class TraceTest(unittest.TestCase):
    def layers(self):
        graph = tf.Graph()
        with graph.as_default():
            x = tf1.placeholder(tf.float32, [2, 3], name="x")
            scale = tf1.placeholder(tf.float32, [], name="a_scale")
            m = tf.matmul(x, tf.constant([[1., 2.], [3., 4.], [5., 6.]], name="w"), name="m")
            r = tf.nn.relu(tf.nn.bias_add(m, tf.constant([1., 2.], name="b"), name="biased"), name="r")
            low, high = tf.split(r * scale, 2, axis=1, name="parts")
            y = tf.add(low, high, name="y")
            s = tf.reduce_sum(y, name="s")
        return graph, {x: np.ones([2, 3], np.float32), scale: np.float32(2)}, [s, y]

    def loop(self):
        graph = tf.Graph()
        tf1.disable_control_flow_v2()
        with graph.as_default():
            x = tf1.placeholder(tf.float32, [], name="x")
            _, y = tf1.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.), [0, x], name="loop")
            z = tf1.cond(y > 5., lambda: y + 1., lambda: y - 1., name="branch")
        return graph, {x: np.float32(1)}, [z]

    def test_rows_are_stocks(self):
        for make in (self.layers, self.loop):
            graph, feeds, fetches = make()
            ours = rows(run_ours(graph, plain_config(), FULL, feeds, fetches))
            stocks = rows(run_stock(graph, plain_config(), FULL, feeds, fetches))
            self.assertEqual(collections.Counter(map(summary, ours)), collections.Counter(map(summary, stocks)))

    def test_producers_come_before_readers(self):
        graph, feeds, fetches = self.layers()
        for config in (plain_config(), tf1.ConfigProto()):
            seen = set()
            for row in rows(run_ours(graph, config, FULL, feeds, fetches)):
                label = row.timeline_label
                for name in label[label.index("(") + 1:-1].split(", "):
                    self.assertTrue(not name or name.split(":")[0] in seen, label)
                seen.add(row.node_name)

    def test_order_of_a_sequence(self):
        graph = tf.Graph()
        with graph.as_default():
            x = y = tf1.placeholder(tf.float32, [4], name="x")
            for i in range(20):
                y = tf.identity(y, name="n%d" % i) if i % 2 else tf.reshape(y, [4], name="n%d" % i)
        feeds = {x: np.zeros(4, np.float32)}
        names = [[r.node_name for r in rows(run(graph, plain_config(), FULL, feeds, [y])) if "/" not in r.node_name]
                 for run in (run_ours, run_stock)]
        self.assertEqual(*names)

    def test_fused_nodes_have_the_last_name(self):
        graph, feeds, fetches = self.layers()
        ours = {r.node_name: r.timeline_label for r in rows(run_ours(graph, tf1.ConfigProto(), FULL, feeds, fetches))}
        stocks = {r.node_name: r.timeline_label for r in rows(run_stock(graph, tf1.ConfigProto(), FULL, feeds, fetches))}
        self.assertEqual(ours["r"], stocks["r"])
        self.assertNotIn("m", ours)
        self.assertNotIn("m", stocks)

    def test_times_and_memory_are_consistent(self):
        graph, feeds, fetches = self.layers()
        for row in rows(run_ours(graph, plain_config(), FULL, feeds, fetches)):
            self.assertLessEqual(row.scheduled_nanos, row.all_start_nanos)
            self.assertEqual(row.all_start_micros, row.all_start_nanos // 1000)
            self.assertLessEqual(row.op_start_rel_nanos, row.op_end_rel_nanos)
            self.assertLessEqual(row.op_end_rel_nanos, row.all_end_rel_nanos)
            self.assertEqual(row.op_end_rel_micros, row.op_end_rel_nanos // 1000)
            for memory in row.memory:
                self.assertEqual(memory.allocator_name, "cpu")
                self.assertLessEqual(memory.live_bytes, memory.total_bytes)
                self.assertEqual(sum(r.alloc_bytes for r in memory.allocation_records), memory.live_bytes)

    def test_levels(self):
        graph, feeds, fetches = self.layers()
        for level in (0, 1, 2, 3):
            metadata = run_ours(graph, plain_config(), tf1.RunOptions(trace_level=level), feeds, fetches)
            self.assertEqual(len(metadata.step_stats.dev_stats), 1 if level else 0)

    def test_timeline_reads_it(self):
        for make in (self.layers, self.loop):
            graph, feeds, fetches = make()
            metadata = run_ours(graph, tf1.ConfigProto(), FULL, feeds, fetches)
            for memory in (False, True):
                text = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=memory)
                events = [e for e in json.loads(text)["traceEvents"] if e["ph"] == "X"]
                self.assertEqual(sorted(e["args"]["name"] for e in events),
                                 sorted(r.node_name for r in rows(metadata)))
                self.assertNotIn("unknown", [e["args"]["op"] for e in events])

    def test_profiler_reads_it(self):
        graph, feeds, fetches = self.layers()
        metadata = run_ours(graph, plain_config(), FULL, feeds, fetches)
        options = tf1.profiler.ProfileOptionBuilder(
            tf1.profiler.ProfileOptionBuilder.time_and_memory()).with_empty_output().build()
        tree = tf1.profiler.profile(graph, run_meta=metadata, cmd="scope", options=options)
        children = {child.name: child for child in tree.children}
        self.assertGreater(children["m"].exec_micros + 1, 0)
        self.assertEqual(children["m"].output_bytes, 16)
        ops = tf1.profiler.profile(graph, run_meta=metadata, cmd="op", options=options)
        self.assertGreaterEqual(ops.total_exec_micros, 0)

    def test_failed_step(self):
        graph = tf.Graph()
        with graph.as_default():
            x = tf1.placeholder(tf.float32, [2], name="x")
            y = tf.reshape(tf.identity(x, name="first"), tf1.placeholder(tf.int32, [1], name="shape"), name="y")
        shape = graph.get_tensor_by_name("shape:0")
        metadata = run_ours(graph, plain_config(), FULL, {x: np.zeros(2, np.float32), shape: np.array([3], np.int32)},
                            [y], fails=True)
        self.assertEqual([r.node_name for r in rows(metadata)][-2:], ["first", "y"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
