"""`dovetail convert` of SavedModels beside stock TensorFlow: variables become constants.

  freeze_test.py DOVETAIL

Models are made here with stock. Each frozen graph is run by stock and by ours, and compared with the SavedModel in stock.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

DOVETAIL = sys.argv[1]
SCALED_ERROR = 1e-5
v1 = tf.compat.v1
F32 = tf.float32


def spec(shape, dtype=F32, name=None):
    return tf.TensorSpec(shape, dtype, name=name)


def ops_of(graph_def):
    return {node.op for node in graph_def.node} | {n.op for f in graph_def.library.function for n in f.node_def}


class FreezeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = os.path.join(folder.name, "model")
        self.path = os.path.join(folder.name, "frozen.pb")
        self.folder = folder.name
        self.random = np.random.default_rng(3)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def variable(self, *shape, **options):
        return tf.Variable(self.normal(*shape), **options)

    def call(self, *arguments, code=0):
        done = subprocess.run([DOVETAIL, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr if code else done.stdout

    def convert(self):
        """The frozen graph, and what the signature's inputs and outputs are called in it."""
        told = json.loads(self.call("convert", self.model, self.path, "--json"))
        with open(self.path, "rb") as file:
            graph_def = v1.GraphDef.FromString(file.read())
        return graph_def, *({i["name"]: i["tensor"] for i in told[key]} for key in ("inputs", "outputs"))

    def run_ours(self, inputs, outputs):
        out, command = os.path.join(self.folder, "out"), []
        for i, (tensor, value) in enumerate(inputs.items()):
            np.save(self.folder + "/in_%d.npy" % i, value)
            command += ["--input", "%s=%s/in_%d.npy" % (tensor, self.folder, i)]
        for tensor in outputs.values():
            command += ["--output", tensor]
        self.call("run", self.path, "--out-dir", out, *command)
        with open(os.path.join(out, "outputs.json")) as file:
            files = [o["file"] for o in json.load(file)]
        return {name: np.load(os.path.join(out, file)) for name, file in zip(outputs, files)}

    def same(self, found, expected):
        self.assertEqual(sorted(found), sorted(expected))
        for name, right in expected.items():
            right = np.asarray(right)
            if right.dtype == object:
                self.assertEqual(found[name].tolist(), right.tolist(), name)
                continue
            self.assertEqual((found[name].dtype, found[name].shape), (right.dtype, right.shape), name)
            if right.dtype.kind != "f":
                np.testing.assert_array_equal(found[name], right, name)
            elif right.size:
                error = np.abs(found[name].astype(np.float64) - right).max() / max(np.abs(right).max(), 1e-30)
                self.assertLessEqual(error, SCALED_ERROR, name)

    def check(self, inputs, expected=None):
        if expected is None:
            signature = tf.saved_model.load(self.model).signatures["serving_default"]
            expected = signature(**{name: tf.constant(value) for name, value in inputs.items()})
            expected = {name: value.numpy() for name, value in expected.items()}
        graph_def, ins, outs = self.convert()
        left = {op for op in ops_of(graph_def) if "Variable" in op or "Resource" in op or op in ("VarHandleOp", "RestoreV2")}
        self.assertEqual(left, set())
        fed = {ins[name]: value for name, value in inputs.items()}
        with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
            tf.import_graph_def(graph_def, name="")
            self.same(session.run(outs, fed), expected)
        self.same(self.run_ours(fed, outs), expected)
        return graph_def

    def save(self, function, **variables):
        module = tf.Module()
        for name, value in variables.items():
            setattr(module, name, value)
        module.run = function
        tf.saved_model.save(module, self.model, signatures=function)
        return module

    # ---- Keras ----

    def test_convolutions(self):
        layers = keras.layers
        x = y = layers.Input([16, 16, 3])
        for filters, strides in ((8, 2), (8, 1), (12, 1)):
            y = layers.Conv2D(filters, 1, use_bias=False)(y)
            y = layers.ReLU(6.0)(layers.BatchNormalization(
                gamma_initializer="random_normal", moving_mean_initializer="random_normal")(y))
            y = layers.DepthwiseConv2D(3, strides, "same")(y)
        y = layers.Dense(5, "softmax")(layers.GlobalAveragePooling2D()(y))
        keras.Model(x, y).export(self.model, verbose=False)
        name = list(tf.saved_model.load(self.model).signatures["serving_default"].structured_input_signature[1])[0]
        self.check({name: self.normal(2, 16, 16, 3)})

    def test_recurrent(self):
        layers = keras.layers
        x = layers.Input([None], dtype="int32")
        y = layers.Embedding(30, 6)(x)
        y = layers.Bidirectional(layers.LSTM(7, return_sequences=True))(y)
        y = layers.Dense(3)(layers.GRU(5)(y))
        keras.Model(x, y).export(self.model, verbose=False)
        name = list(tf.saved_model.load(self.model).signatures["serving_default"].structured_input_signature[1])[0]
        graph_def = self.check({name: self.random.integers(0, 30, (2, 9)).astype(np.int32)})
        self.assertTrue({"While", "StatelessWhile"} & ops_of(graph_def))

    # ---- functions and control flow ----

    def test_variables_in_loops_and_branches(self):
        w, b, other = self.variable(3, 3), self.variable(3), self.variable(3)

        @tf.function
        def step(x, weights):
            return tf.tanh(tf.linalg.matvec(weights, x) + b)

        @tf.function(input_signature=[spec([3], name="x"), spec([], tf.int32, "which")])
        def run(x, which):
            y = tf.while_loop(lambda i, v: i < 3 + tf.cast(tf.size(other), tf.int32),
                              lambda i, v: (i + 1, step(v, w) + tf.cond(v[0] > 0.0, lambda: other, lambda: -b)),
                              [tf.constant(0), x])[1]
            z = tf.switch_case(which, [lambda: y + b, lambda: y * other, lambda: tf.linalg.matvec(w, y)])
            return {"y": y, "z": z}

        self.save(run, w=w, b=b, other=other)
        for which in range(3):
            self.check({"x": self.normal(3), "which": np.int32(which)})

    def test_one_function_for_variables_of_several_dtypes(self):
        variables = [self.variable(4), tf.Variable(np.arange(4, dtype=np.int64)), tf.Variable(self.normal(4).astype(np.float64))]

        @tf.function
        def total(v):
            return tf.cast(tf.reduce_sum(v.read_value()), F32)

        @tf.function(input_signature=[spec([], name="x")])
        def run(x):
            return {"y": sum(total(v) for v in variables) * x, "first": variables[1][1:]}

        self.save(run, held=variables)
        self.check({"x": np.float32(2)})

    def test_readers(self):
        table, cube = self.variable(7, 4), self.variable(2, 3, 5)
        half, flag = tf.Variable(np.float16([1.5, -2])), tf.Variable([True, False])
        text = tf.Variable(["one", "longer than the inline twenty-two bytes"])
        empty = tf.Variable(np.zeros([0, 3], np.float32))

        @tf.function(input_signature=[spec([None], tf.int32, "i"), spec([2, None], tf.int64, "k")])
        def run(i, k):
            return {"rows": tf.gather(table, i),
                    "batched": tf.raw_ops.ResourceGather(resource=cube.handle, indices=k, dtype=F32, batch_dims=1),
                    "points": tf.raw_ops.ResourceGatherNd(resource=table.handle, indices=i[:, None], dtype=F32),
                    "shape": tf.raw_ops.VariableShape(input=cube.handle, out_type=tf.int64),
                    "set": tf.raw_ops.VarIsInitializedOp(resource=cube.handle),
                    "half": half + tf.cast(i[0], tf.float16), "flag": tf.logical_not(flag),
                    "text": tf.strings.join([text, "!"]), "empty": empty * 2.0}

        self.save(run, table=table, cube=cube, half=half, flag=flag, text=text, empty=empty)
        self.check({"i": np.int32([6, 0, 3]), "k": np.int64([[2, 1], [0, 0]])})

    def test_gather_in_a_loop(self):
        table = self.variable(9, 4)

        @tf.function(input_signature=[spec([3], tf.int32, "i")])
        def run(i):
            return {"y": tf.map_fn(lambda k: tf.gather(table, [k, k + 1]), i, fn_output_signature=F32)}

        self.save(run, table=table)
        self.check({"i": np.int32([7, 0, 3])})

    def test_what_the_signature_does_not_need(self):
        words = os.path.join(self.folder, "words.txt")
        with open(words, "w") as file:
            file.write("one\n")
        module = tf.Module()
        module.v, module.counter = self.variable(3), tf.Variable(0)
        module.asset = tf.saved_model.Asset(words)

        @tf.function(input_signature=[spec([3], name="x")])
        def run(x):
            return {"y": x * module.v}

        @tf.function(input_signature=[])
        def count():
            return {"n": module.counter.assign_add(1)}

        @tf.function(input_signature=[])
        def read():
            return {"name": tf.identity(module.asset.asset_path)}

        tf.saved_model.save(module, self.model, signatures={"serving_default": run, "count": count, "read": read})
        graph_def = self.check({"x": self.normal(3)})
        self.assertFalse({"AssignAddVariableOp", "SaveV2", "MergeV2Checkpoints"} & ops_of(graph_def))
        self.assertLess(len(graph_def.node), 8)

    # ---- TensorFlow 1 ----

    def test_loops_of_tensorflow_1(self):
        v1.disable_control_flow_v2()
        self.addCleanup(v1.enable_control_flow_v2)
        with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
            x = v1.placeholder(F32, [2], name="x")
            w = v1.get_variable("w", initializer=self.normal(2, 2), use_resource=True)
            table = v1.get_variable("table", initializer=self.normal(5, 2), use_resource=True)
            y = tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, tf.linalg.matvec(w, v) + tf.gather(table.read_value(), i)),
                              [tf.constant(0), x])[1]
            z = tf.cond(y[0] > 0, lambda: tf.reduce_sum(w.read_value()), lambda: tf.reduce_max(w.read_value()))
            session.run(v1.global_variables_initializer())
            info = v1.saved_model.build_tensor_info
            signature = v1.saved_model.build_signature_def({"x": info(x)}, {"y": info(y), "z": info(z)}, "predict")
            builder = v1.saved_model.Builder(self.model)
            builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
            builder.save()
            value = self.normal(2)
            expected = dict(zip("yz", session.run([y, z], {x: value})))
        self.assertIn("Enter", ops_of(self.check({"x": value}, expected)))

    # ---- what cannot be frozen ----

    def refused(self, *parts):
        message = self.call("convert", self.model, self.path, code=4)
        for part in parts:
            self.assertIn(part, message)
        self.assertFalse(os.path.exists(self.path))

    def test_written_variables(self):
        total, seen = tf.Variable(0.0, name="total"), tf.Variable([0, 0], name="seen")

        @tf.function(input_signature=[spec([], name="x")])
        def run(x):
            tf.cond(x > 0.0, lambda: seen.scatter_update(tf.IndexedSlices([1], [0])), lambda: seen.read_value())
            return {"y": total.assign_add(x) + 1.0}

        self.save(run, total=total, seen=seen)
        self.refused("'total' is used by AssignAddVariableOp", "'seen' is used by ResourceScatterUpdate")

    def test_tables(self):
        words = os.path.join(self.folder, "words.txt")
        with open(words, "w") as file:
            file.write("one\ntwo\n")
        table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
            words, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)

        @tf.function(input_signature=[spec([None], tf.string, "s")])
        def run(s):
            return {"i": table.lookup(s)}

        self.save(run, table=table)
        self.call("convert", self.model, self.path, code=4)

    def test_assets(self):
        words = os.path.join(self.folder, "words.txt")
        with open(words, "w") as file:
            file.write("one\n")
        asset = tf.saved_model.Asset(words)

        @tf.function(input_signature=[spec([], tf.string, "s")])
        def run(s):
            return {"name": tf.strings.join([s, asset.asset_path])}

        self.save(run, asset=asset)
        self.refused("assets")

    def test_meta_graph(self):
        """A checkpoint of TensorFlow 1, which is a file NAME.meta beside the variables: run as it is."""
        prefix, x = os.path.join(self.folder, "model.ckpt-7"), self.normal(4, 3)
        with tf.Graph().as_default(), v1.Session() as session:
            fed = v1.placeholder(F32, [None, 3], "x")
            old = v1.get_variable("old", initializer=self.normal(3, 5), use_resource=False)
            new = v1.get_variable("new", initializer=self.normal(5), use_resource=True)
            step = v1.get_variable("step", initializer=7, use_resource=False)
            y = tf.add(tf.nn.relu(fed @ old), new, name="y")
            v1.disable_control_flow_v2()
            loop = v1.while_loop(lambda i, v: i < step, lambda i, v: [i + 1, v * 0.5 + new], [0, y])[1].op.name
            v1.enable_control_flow_v2()
            v1.assign_add(step, 1, name="count")
            session.run(v1.global_variables_initializer())
            v1.train.Saver().save(session, prefix)
            right = session.run({"y": y, loop: loop + ":0"}, {fed: x})
        os.remove(os.path.join(self.folder, "checkpoint"))
        np.save(os.path.join(self.folder, "x.npy"), x)
        out = os.path.join(self.folder, "out")
        self.assertIn("MetaGraphDef", self.call("inspect", prefix + ".meta"))
        self.call("run", prefix + ".meta", "--input", "x=" + os.path.join(self.folder, "x.npy"), "--output", "y",
                  "--output", loop, "--out-dir", out)
        with open(os.path.join(out, "outputs.json")) as file:
            outputs = json.load(file)
        self.assertEqual(len(outputs), 2)
        for told in outputs:
            ours = np.load(os.path.join(out, told["file"]))
            np.testing.assert_allclose(ours, right[told["name"].split(":")[0]], rtol=SCALED_ERROR, atol=SCALED_ERROR)
        with open(prefix + ".data-00000-of-00001", "r+b") as file:
            file.truncate(8)
        self.assertIn("model.ckpt-7", self.call("run", prefix + ".meta", "--input", "x=" + os.path.join(self.folder, "x.npy"),
                                                "--output", "y", code=4))
        os.remove(prefix + ".index")
        self.assertIn("uninitialized", self.call("run", prefix + ".meta", "--input", "x=" + os.path.join(self.folder, "x.npy"),
                                                 "--output", "y", code=1))

    def test_damaged_checkpoint(self):
        v = self.variable(3)

        @tf.function(input_signature=[spec([3], name="x")])
        def run(x):
            return {"y": x + v}

        self.save(run, v=v)
        os.remove(self.model + "/variables/variables.data-00000-of-00001")
        self.refused("variables")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
