"""TensorFlow.js models, `dovetail convert` and `dovetail bench` beside stock TensorFlow.

  tfjs_model_test.py DOVETAIL [FOLDER]

Models are written here in the format from graphs of stock. FOLDER is where scripts/trained_models.sh puts trained networks;
without it the test of one is skipped. zoo_test.py runs the others.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import unittest

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np  # noqa: E402
from google.protobuf import json_format  # noqa: E402
import tensorflow as tf  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tfjs_writer  # noqa: E402

DOVETAIL = sys.argv[1]
MODELS = sys.argv[2] if len(sys.argv) > 2 and os.path.isdir(os.path.join(sys.argv[2], "basic-pitch")) else None
STOCK = os.path.dirname(tf.__file__)
SCALED_ERROR = 1e-5  # largest difference over the largest value
SEED = 20
v1 = tf.compat.v1


def text(value):
    return {"s": base64.b64encode(value.encode()).decode()}


def texts(*values):
    return {"list": {"s": [text(v)["s"] for v in values]}}


def info(tensor):
    return {"name": tensor.name, "dtype": "DT_" + tensor.dtype.name.upper().replace("FLOAT32", "FLOAT"),
            "tensorShape": {"dim": [{"size": str(d or -1)} for d in tensor.shape]}}


def run_stock(graph_def, inputs, outputs):
    with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        return session.run(outputs, inputs)


def read_graph(path):
    graph_def = v1.GraphDef()
    with open(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    return graph_def


class TfjsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.model = os.path.join(self.folder, "model")
        self.random = np.random.default_rng(SEED)

    def call(self, *arguments, code=0):
        done = subprocess.run([DOVETAIL, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr if code else done.stdout

    def run_model(self, model, inputs, *options, code=0):
        out, command = os.path.join(self.folder, "out"), []
        for name, value in inputs.items():
            path = os.path.join(self.folder, "in_%s.npy" % name.replace("/", "_").replace(":", "_"))
            np.save(path, value)
            command += ["--input", "%s=%s" % (name, path)]
        result = self.call("run", model, "--out-dir", out, *command, *options, code=code)
        if code:
            return result
        with open(os.path.join(out, "outputs.json")) as file:
            return {o["name"]: np.load(os.path.join(out, o["file"])) for o in json.load(file)}

    def same(self, ours, stock, error=SCALED_ERROR):
        stock = np.asarray(stock)
        if stock.dtype == object:
            self.assertEqual(ours.tolist(), stock.tolist())
            return
        self.assertEqual((ours.dtype, ours.shape), (stock.dtype, stock.shape))
        if stock.size:
            scale = max(np.abs(stock.astype(np.float64)).max(), 1e-30)
            self.assertLessEqual(np.abs(ours.astype(np.float64) - stock).max() / scale, error)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    # ---- formats ----

    def small_net(self):
        graph = tf.Graph()
        with graph.as_default():
            x = v1.placeholder(tf.float32, [None, 8, 8, 3], name="x")
            h = tf.nn.relu(tf.nn.conv2d(x, tf.constant(self.normal(3, 3, 3, 4), name="filter"), 1, "SAME"))
            h = tf.reshape(h, tf.constant([-1, 256], tf.int64, name="shape"))
            tf.nn.bias_add(tf.matmul(h, tf.constant(self.normal(256, 5), name="matrix")),
                           tf.constant(self.normal(5), name="bias"), name="y")
        signature = {"inputs": {"image": info(graph.get_tensor_by_name("x:0"))},
                     "outputs": {"scores": info(graph.get_tensor_by_name("y:0"))}}
        return graph.as_graph_def(), signature, self.normal(2, 8, 8, 3)

    def test_files_and_folders(self):
        graph_def, signature, x = self.small_net()
        expected = run_stock(graph_def, {"x:0": x}, "y:0")
        for options in ({}, {"shard_bytes": 1000}, {"groups": 3}, {"groups": 2, "shard_bytes": 7}):
            copy = v1.GraphDef.FromString(graph_def.SerializeToString())
            tfjs_writer.write(self.model, copy, signature, **options)
            for path in (self.model, self.model + "/model.json"):
                self.same(self.run_model(path, {"image": x})["scores"], expected)
        found = json.loads(self.call("inspect", self.model, "--json"))
        self.assertEqual((found["format"], found["tensorflow"], found["missing"]), ("TensorFlow.js", "2.21.0", 0))
        self.assertEqual(found["signatures"][0]["inputs"][0]["shape"], [-1, 8, 8, 3])

    def test_without_signature(self):
        graph_def, signature, x = self.small_net()
        expected = run_stock(graph_def, {"x:0": x}, "y:0")
        copy = v1.GraphDef.FromString(graph_def.SerializeToString())
        tfjs_writer.write(self.model, copy, name="net.json")
        self.same(self.run_model(self.model + "/net.json", {"x": x})["y"], expected)
        del signature["inputs"], signature["outputs"]["scores"]["dtype"]
        tfjs_writer.write(self.model, v1.GraphDef.FromString(graph_def.SerializeToString()), signature)
        self.same(self.run_model(self.model, {"x": x})["scores"], expected)

    def test_quantised_weights(self):
        graph_def, signature, x = self.small_net()
        for kind in ("uint8", "uint16", "float16"):
            copy = v1.GraphDef.FromString(graph_def.SerializeToString())
            changed = tfjs_writer.write(self.model, copy, signature, quantisation=lambda name, value:
                                        kind if value.dtype == np.float32 else None, shard_bytes=100)
            right = v1.GraphDef.FromString(graph_def.SerializeToString())
            for node in right.node:
                if node.name in changed:
                    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(changed[node.name]))
            self.assertEqual(len(changed), 3)
            self.same(self.run_model(self.model, {"image": x})["scores"], run_stock(right, {"x:0": x}, "y:0"))

    def test_every_dtype(self):
        values = {"f": self.normal(3, 2), "i": np.arange(-3, 3, dtype=np.int32), "l": np.array([-2**31, 5], np.int64),
                  "d": np.array([1.5, -2.0]), "b": np.array([True, False]), "u": np.array([0, 255], np.uint8),
                  "c": np.array([1 + 2j], np.complex64), "e": np.zeros([0, 3], np.float32),
                  "s": np.array([b"one", b"", b"longer than twenty-two bytes"], object), "z": np.float32(4)}
        graph = tf.Graph()
        with graph.as_default():
            for name, value in values.items():
                tf.identity(tf.constant(value, name="const_" + name), name=name)
        tfjs_writer.write(self.model, graph.as_graph_def())
        ours = self.run_model(self.model, {})
        for name, value in values.items():
            if name != "c":
                self.same(ours[name], value)
        np.testing.assert_array_equal(ours["c"], values["c"])

    def test_functions_and_control_flow(self):
        @tf.function(input_signature=[tf.TensorSpec([3], tf.float32, name="x")])
        def model(x):
            @tf.function
            def inner(v):
                return v * tf.constant([2.0, 3.0, 4.0]) + tf.constant(1.0)

            total = tf.while_loop(lambda i, v: i < tf.constant(4), lambda i, v: (i + 1, inner(v) * 0.5),
                                  [tf.constant(0), x])[1]
            return tf.cond(tf.reduce_sum(total) > 0.0, lambda: total + 7.0, lambda: -total)

        concrete = model.get_concrete_function()
        graph_def = concrete.graph.as_graph_def()
        self.assertTrue(graph_def.library.function)
        x, y = concrete.inputs[0], concrete.outputs[0]
        # Names of constants are made unique, as the converter does.
        for function in graph_def.library.function:
            for node in function.node_def:
                if node.op == "Const":
                    old, node.name = node.name, function.signature.name + "/" + node.name
                    for other in function.node_def:
                        for at, name in enumerate(other.input):
                            if name.split(":")[0] == old:
                                other.input[at] = function.signature.name + "/" + name
                    for key, name in function.ret.items():
                        if name.split(":")[0] == old:
                            function.ret[key] = function.signature.name + "/" + name
        value = np.array([0.5, -1, 2], np.float32)
        tfjs_writer.write(self.model, graph_def, {"inputs": {"x": info(x)}, "outputs": {"y": info(y)}}, shard_bytes=6)
        for sign in (1, -1):
            self.same(self.run_model(self.model, {"x": sign * value})["y"], model(sign * value).numpy())

    # ---- fused ops of the web ----

    FUSIONS = [["BiasAdd"], ["BiasAdd", "Relu"], ["BiasAdd", "Relu6"], ["BiasAdd", "Elu"], ["BiasAdd", "LeakyRelu"],
               ["BiasAdd", "Prelu"]]

    def fused_case(self, op, plain, fused_ops, attrs):
        """A net of one fused node, written with stock's plain ops for the expected values."""
        graph = tf.Graph()
        shape = [2, 4] if op == "_FusedMatMul" else [1, 6, 7, 4]
        channels = 8 if op == "FusedDepthwiseConv2dNative" else 5
        weights = {"_FusedMatMul": [4, 5], "_FusedConv2D": [3, 3, 4, 5], "FusedDepthwiseConv2dNative": [3, 3, 4, 2]}[op]
        with graph.as_default():
            x = v1.placeholder(tf.float32, shape, name="x")
            w = tf.constant(self.normal(*weights), name="w")
            bias = tf.constant(self.normal(channels), name="bias")
            alpha = tf.constant(self.normal(channels), name="alpha")
            y = tf.nn.bias_add(plain(x, w), bias)
            last = {"Relu": tf.nn.relu, "Relu6": tf.nn.relu6, "Elu": tf.nn.elu, "BiasAdd": tf.identity,
                    "LeakyRelu": lambda v: tf.nn.leaky_relu(v, 0.3),
                    "Prelu": lambda v: tf.nn.relu(v) - alpha * tf.nn.relu(-v)}[fused_ops[-1]]
            tf.identity(last(y), name="y")
        value = self.normal(*shape) * 3
        expected = run_stock(graph.as_graph_def(), {"x:0": value}, "y:0")
        graph_def = graph.as_graph_def()
        keep = [n for n in graph_def.node if n.name in ("x", "w", "bias") or (n.name == "alpha" and fused_ops[-1] == "Prelu")]
        small = v1.GraphDef(node=keep, versions=graph_def.versions)
        args = 2 if fused_ops[-1] == "Prelu" else 1
        node = {"name": "y", "op": op, "input": ["x", "w", "bias", "alpha"][:2 + args],
                "attr": {"T": {"type": "DT_FLOAT"}, "num_args": {"i": str(args)}, "fused_ops": texts(*fused_ops),
                         "leakyrelu_alpha": {"f": 0.3}, **attrs}}
        tfjs_writer.write(self.model, small, edit=lambda model: model["modelTopology"]["node"].append(node))
        return value, expected

    def test_fused_ops(self):
        ones = {"list": {"i": ["1", "1", "1", "1"]}}
        conv = {"strides": ones, "padding": text("SAME"), "data_format": text("NHWC"), "dilations": ones}
        cases = [("_FusedConv2D", lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), conv),
                 ("FusedDepthwiseConv2dNative", lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), conv),
                 ("_FusedMatMul", tf.matmul, {"transpose_a": {"b": False}, "transpose_b": {"b": False}})]
        path = os.path.join(self.folder, "plain.pb")
        for op, plain, attrs in cases:
            for fused_ops in self.FUSIONS:
                if op == "_FusedMatMul" and fused_ops[-1] == "Prelu":
                    continue
                with self.subTest(op=op, fused_ops=fused_ops):
                    value, expected = self.fused_case(op, plain, fused_ops, attrs)
                    self.same(self.run_model(self.model, {"x": value})["y"], expected)
                    self.call("convert", self.model, path)
                    self.same(run_stock(read_graph(path), {"x:0": value}, "y:0"), expected)
                    self.same(self.run_model(path, {"x": value})["y"], expected)

    def test_prelu_without_dtype(self):
        graph, value, alpha = tf.Graph(), self.normal(2, 3, 4), self.normal(4)
        with graph.as_default():
            v1.placeholder(tf.float32, [2, 3, 4], name="x")
            tf.constant(alpha, name="alpha")
        node = {"name": "y", "op": "Prelu", "input": ["x", "alpha"]}
        tfjs_writer.write(self.model, graph.as_graph_def(),
                          edit=lambda model: model["modelTopology"]["node"].append(node))
        expected = np.where(value < 0, value * alpha, value)
        self.same(self.run_model(self.model, {"x": value})["y"], expected)
        path = os.path.join(self.folder, "plain.pb")
        self.call("convert", self.model, path)
        self.same(run_stock(read_graph(path), {"x:0": value}, "y:0"), expected)

    def test_fused_ops_in_functions(self):
        w, bias, alpha = self.normal(3, 3, 4, 5), self.normal(5), self.normal(5)

        @tf.function
        def inner(x):
            y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), bias))
            z = tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "VALID"), bias)
            return y * 2.0, tf.nn.relu(z) - alpha * tf.nn.relu(-z)

        @tf.function(input_signature=[tf.TensorSpec([1, 6, 7, 4], tf.float32, name="x")])
        def outer(x):
            return inner(x)

        x = self.normal(1, 6, 7, 4)
        expected = [v.numpy() for v in outer(x)]
        concrete = outer.get_concrete_function()
        graph_def = concrete.graph.as_graph_def()
        body = graph_def.library.function[0]
        nodes = {node.name: node for node in body.node_def}

        def fuse(last, convolution, values, fused_ops):
            first, name = nodes[convolution], last.name
            values = [body.node_def.add(name="%s_%d" % (name, i), op="Const") for i, value in enumerate(values)]
            inputs = list(first.input)
            last.Clear()
            last.name, last.op = name, "_FusedConv2D"
            for key, attr in first.attr.items():
                last.attr[key].CopyFrom(attr)
            last.attr["num_args"].i = len(values)
            last.attr["fused_ops"].list.s.extend(op.encode() for op in fused_ops)
            last.input.extend(inputs + ["%s:output:0" % value.name for value in values])
            return values

        def fill(node, value):
            node.attr["dtype"].type = tf.float32.as_datatype_enum
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))

        relu = next(n for n in body.node_def if n.op == "Relu" and nodes[n.input[0].split(":")[0]].op == "BiasAdd"
                    and nodes[nodes[n.input[0].split(":")[0]].input[0].split(":")[0]].attr["padding"].s == b"SAME")
        sub = next(n for n in body.node_def if n.op == "Sub")
        pads = {n.attr["padding"].s: n.name for n in body.node_def if n.op == "Conv2D"}
        for node, value in zip(fuse(relu, pads[b"SAME"], [bias], ["BiasAdd", "Relu"]), [bias]):
            fill(node, value)
        for node, value in zip(fuse(sub, pads[b"VALID"], [bias, alpha], ["BiasAdd", "Prelu"]), [bias, alpha]):
            fill(node, value)
        for node in body.node_def:
            for i, name in enumerate(node.input):
                if name.split(":")[0] in (relu.name, sub.name):
                    node.input[i] = name.split(":")[0] + ":output:0"
        for key, name in body.ret.items():
            if name.split(":")[0] in (relu.name, sub.name):
                body.ret[key] = name.split(":")[0] + ":output:0"
        fused, plain = (os.path.join(self.folder, name) for name in ("fused.pb", "plain.pb"))
        with open(fused, "wb") as file:
            file.write(graph_def.SerializeToString())
        self.call("convert", fused, plain)
        found = read_graph(plain)
        self.assertNotIn("_FusedConv2D", [n.op for f in found.library.function for n in f.node_def])
        names = [tensor.name for tensor in concrete.outputs]
        for right, got in zip(expected, run_stock(found, {concrete.inputs[0].name: x}, names)):
            self.same(got, right)
        ours = self.run_model(plain, {"x": x}, *[o for name in names for o in ("--output", name)])
        for right, got in zip(expected, ours.values()):
            self.same(got, right)

    # ---- convert ----

    def table_net(self, shared_name, values=("none", "one", "two", "three")):
        """A graph that looks words up, and the initializer that fills its table."""
        graph, initializer = tf.Graph(), tf.Graph()
        table = {"key_dtype": tf.int64, "value_dtype": tf.string, "name": "table"}
        with graph.as_default():
            x = v1.placeholder(tf.int64, [None], name="x")
            found = tf.raw_ops.LookupTableFindV2(table_handle=tf.raw_ops.HashTableV2(**table), keys=x, default_value="many")
            tf.strings.join([tf.reshape(found, tf.constant([-1], name="shape")), "!"], name="y")
        with initializer.as_default():
            handle = tf.raw_ops.HashTableV2(shared_name=shared_name, **table)
            keys = tf.cast(tf.range(len(values), name="keys"), tf.int64)
            tf.raw_ops.LookupTableImportV2(table_handle=handle, keys=keys, values=tf.constant(list(values), name="values"))
        signature = {"inputs": {"x": info(graph.get_tensor_by_name("x:0"))},
                     "outputs": {"y": info(graph.get_tensor_by_name("y:0"))}}
        return graph.as_graph_def(), signature, json_format.MessageToDict(initializer.as_graph_def())

    def test_initializer_fills_tables(self):
        x = np.array([2, 0, 4, -1, 3])
        # TensorFlow.js goes by the names of the nodes, whatever shared_name says.
        for shared_name in ("", "another"):
            graph_def, signature, initializer = self.table_net(shared_name)
            # Converters write functions along that nobody calls.
            initializer["library"] = {"function": [{"signature": {"name": "f", "inputArg": [{"name": "a", "handleData": []}]}}]}
            tfjs_writer.write(self.model, graph_def, signature, edit=lambda model: model.update(modelInitializer=initializer))
            self.assertEqual(self.run_model(self.model, {"x": x})["y"].tolist(), [b"two!", b"none!", b"many!", b"many!", b"three!"])
            self.call("inspect", self.model)

    def test_initializer_that_fails(self):
        graph_def, signature, initializer = self.table_net("")
        del initializer["node"][-1]
        tfjs_writer.write(self.model, graph_def, signature, edit=lambda model: model.update(modelInitializer=initializer))
        self.assertIn("not initialized", self.run_model(self.model, {"x": np.array([1])}, code=1))
        graph_def, signature, initializer = self.table_net("", ("a", "b"))
        for node in initializer["node"]:
            if node["op"] == "Const" and node["name"].startswith("keys/limit"):
                node["attr"]["value"]["tensor"]["intVal"] = [3]
        tfjs_writer.write(self.model, graph_def, signature, edit=lambda model: model.update(modelInitializer=initializer))
        self.assertIn("modelInitializer", self.run_model(self.model, {"x": np.array([1])}, code=4))

    def test_convert(self):
        graph_def, signature, x = self.small_net()
        expected = run_stock(graph_def, {"x:0": x}, "y:0")
        tfjs_writer.write(self.model, graph_def, signature)
        binary, as_text, again = (os.path.join(self.folder, name) for name in ("a.pb", "b.pbtxt", "c.pb"))
        shown = self.call("convert", self.model, binary)
        self.assertRegex(shown, r"in +x:0 .*float32\[\?,8,8,3\] +image")
        self.call("convert", binary, as_text)
        found = json.loads(self.call("convert", as_text, again, "--json"))
        self.assertEqual(found["bytes"], os.path.getsize(again))
        self.assertEqual(found["outputs"], [{"name": "y", "tensor": "y:0"}])
        self.same(run_stock(read_graph(binary), {"x:0": x}, "y:0"), expected)
        self.same(run_stock(read_graph(again), {"x:0": x}, "y:0"), expected)
        for path in (binary, as_text, again):
            self.same(self.run_model(path, {"x": x})["y"], expected)

    def test_convert_refuses(self):
        path = os.path.join(self.folder, "g.pb")
        self.assertIn(".pbtxt", self.call("convert", self.model, self.folder + "/g.onnx", code=2))
        self.assertIn("wants a MODEL and the FILE", self.call("convert", self.model, code=2))
        self.call("convert", self.model + "/none", path, code=4)
        graph_def, signature, _ = self.small_net()
        tfjs_writer.write(self.model + "2", graph_def, signature)
        self.call("convert", self.model + "2", self.folder + "/none/g.pb", code=6)

    # ---- damage ----

    def test_damaged_models(self):
        graph_def, signature, x = self.small_net()
        json_path = self.model + "/model.json"

        def write(edit):
            copy = v1.GraphDef.FromString(graph_def.SerializeToString())
            tfjs_writer.write(self.model, copy, signature, shard_bytes=1500, edit=edit)

        def weights(model):
            return model["weightsManifest"][0]["weights"]

        def change(path, value):
            def edit(model):
                for key in path[:-1]:
                    model = model[key]
                model[path[-1]] = value
            return edit

        first = ("weightsManifest", 0, "weights", 0)
        for edit, part in [
                (change(("weightsManifest", 0, "paths", 1), "gone.bin"), "gone.bin"),
                (change(("weightsManifest", 0, "paths", 1), "../model/group1-shard1.bin"), "does not lie beside"),
                (change((*first, "dtype"), "float128"), 'unknown dtype "float128"'),
                (change((*first, "shape"), [3, 3, 3, 5]), "has the shape|does not fit"),
                (change((*first, "shape"), [1 << 40, 1 << 40]), "more elements"),
                (change((*first, "name"), "matrix"), "two weights named 'matrix'"),
                (change((*first, "quantization"), {"dtype": "uint8", "scale": -1.0, "min": 0}), "negative scale"),
                (change((*first, "quantization"), {"dtype": "uint8", "scale": float("nan"), "min": 0}), "JSON has no NaN"),
                (lambda model: weights(model).pop(), "belong to no weight"),
                (lambda model: model.pop("weightsManifest"), "a constant without a value"),
                (lambda model: model["modelTopology"]["node"].pop(1), "belong to no node|Unknown input node"),
                (change(("format",), "layers-model"), "layers model"),
                (lambda model: model.pop("modelTopology"), 'has no "modelTopology"'),
                (change(("modelInitializer",), {"node": [{"nam": "x"}]}), "modelInitializer"),
                (change(("modelInitializer",), {"node": [{"name": "x", "op": "Nonsense"}]}), "Nonsense.*\\s.*modelInitializer"),
                (change(("modelInitializer",), {"node": [{"name": "x", "op": "Const"}]}), "a constant without a value")]:
            with self.subTest(part):
                write(edit)
                message = self.run_model(self.model, {"image": x}, code=4)
                self.assertRegex(message, part)
                self.assertIn("model.json", message)
        write(None)
        shard = self.model + "/group1-shard4.bin"
        with open(shard, "rb") as file:
            whole = file.read()
        for damaged, part in ((whole[:-1], "does not fit into"), (whole + b"x", "1 of the .* bytes of .*group1-shard4.bin"),
                              (None, "group1-shard4.bin")):
            os.remove(shard)
            if damaged is not None:
                with open(shard, "wb") as file:
                    file.write(damaged)
            self.assertRegex(self.run_model(self.model, {"image": x}, code=4), part)
            with open(shard, "wb") as file:
                file.write(whole)
        with open(json_path) as file:
            content = file.read()
        for length in (0, 1, len(content) // 2, len(content) - 1):
            with open(json_path, "w") as file:
                file.write(content[:length])
            self.assertRegex(self.run_model(self.model, {"image": x}, code=4), r"model.json(:\d+:\d+)?")
        self.assertIn("only a SavedModel", self.run_model(self.model, {"image": x}, "--tags", "serve", code=4))

    # ---- bench ----

    def check_bench(self, folder, *options):
        found = json.loads(self.call("bench", self.model, "--runs", "12", "--warmup", "1", "--threads", "2", "--json",
                                     *(["--against", folder] if folder else []), *options))
        self.assertEqual(found["runs"], 12)
        for side in ["dovetail"] + (["against"] if folder else []):
            times = found[side]
            self.assertTrue(0 < times["min_ms"] <= times["p50_ms"] <= times["p90_ms"] <= times["p99_ms"], times)
            self.assertGreater(times["peak_bytes"], 1 << 20)
            self.assertGreater(times["open_ms"], 0)
        self.assertIn("Conv2D", [row["op"] for row in found["profile"]])
        if folder:
            self.assertLess(found["difference"], SCALED_ERROR)
            self.assertEqual(found["difference_of"], "scores")
            self.assertGreater(found["ratio_p50"], 0)
        return found

    def test_bench(self):
        graph_def, signature, x = self.small_net()
        np.save(self.folder + "/x.npy", x)
        tfjs_writer.write(self.model, graph_def, signature)
        self.check_bench(None)
        self.check_bench(STOCK, "--input", "image=" + self.folder + "/x.npy")
        shown = self.call("bench", self.model, "--runs", "3")
        for word in ("p50 ms", "peak MB", "float32[1,8,8,3]", "Conv2D", "3 runs"):
            self.assertIn(word, shown)
        self.assertIn("--against", self.call("bench", self.model, "--against", self.folder, "--runs", "1", code=1))
        self.assertIn("has no input", self.call("bench", self.model, "--input", "q=x.npy", code=2))
        self.assertIn("NAME=FILE", self.call("bench", self.model, "--input", "q", code=2))
        self.assertIn("1 to 1024", self.call("bench", self.model, "--runs", "0", code=2))

    def test_bench_of_saved_model(self):
        class Net(tf.Module):
            def __init__(self):
                super().__init__()
                self.filter = tf.Variable(np.random.default_rng(1).standard_normal((3, 3, 2, 4)).astype(np.float32))

            @tf.function(input_signature=[tf.TensorSpec([None, 9, 9, 2], tf.float32, name="image")])
            def run(self, image):
                return {"scores": tf.nn.conv2d(image, self.filter, 2, "VALID")}

        module = Net()
        tf.saved_model.save(module, self.model, signatures=module.run)
        self.check_bench(STOCK)

    # ---- trained networks ----

    @unittest.skipUnless(MODELS, "the trained networks are not here")
    def test_basic_pitch(self):
        model = os.path.join(MODELS, "basic-pitch")
        value = (self.random.standard_normal((1, 43844, 1)) * 0.1).astype(np.float32)
        ours = self.run_model(model, {"input_2": value})
        path = os.path.join(self.folder, "g.pb")
        self.call("convert", model, path)
        names = {"contour": "Identity:0", "Identity_1:0": "Identity_1:0", "Identity_2:0": "Identity_2:0"}
        expected = run_stock(read_graph(path), {"input_2:0": value}, list(names.values()))
        for (name, _), right in zip(names.items(), expected):
            self.same(ours[name], right, 1e-4)
        saved = os.path.join(MODELS, "..", "basic_pitch")  # the same network as its authors' SavedModel
        if os.path.isdir(saved):
            other = self.run_model(saved, {"input_2": value})
            for name, same in (("contour", "contour"), ("Identity_1:0", "note"), ("Identity_2:0", "onset")):
                self.same(ours[name], other[same], 1e-4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
