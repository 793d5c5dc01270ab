"""Trained networks as their packages ship them, beside stock TensorFlow.

  zoo_test.py DOVETAIL FOLDER

FOLDER is where scripts/trained_models.sh puts them; a network that is not there is skipped. Networks for the web are given to
stock as the GraphDef that `dovetail convert` writes; Keras files are made SavedModels by stock first. Inputs are drawn from a
seed. Floating-point outputs agree within SCALED_ERROR of the output's largest value, everything else exactly.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import h5py  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402
import precise  # noqa: E402
import tensorflow as tf  # noqa: E402

DOVETAIL, FOLDER = sys.argv[1:3]
SCALED_ERROR = 1e-4
SEED = 11
v1 = tf.compat.v1

with open(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(DOVETAIL))), "lib", "libdovetail.so"), "rb") as _file:
    _symbols = _file.read()
SANITISED = b"libasan.so" in _symbols or b"libtsan.so" in _symbols
SMALL_BYTES = 700_000  # of weights: networks that sanitised builds run

# Sizes of what a network leaves open: [input, shape].
OPEN_SHAPES = {"faceboxes": [1, 160, 192, 3], "rvm": [1, 160, 192, 3], "segmenter": [1, 160, 192, 3]}
# The same network as another that is run, only larger.
SKIPPED = {"blazepose-heavy"}
# Outputs that amplify rounding so much that stock itself is off by more than SCALED_ERROR: logistic functions of sums of large
# numbers that nearly cancel. Both libraries are held against the graph in f64 throughout, and ours may be off by
# UNSTABLE_FACTOR as much as stock.
UNSTABLE = {"blazepose-full": {"activation_segmentation"}, "blazepose-lite": {"activation_segmentation"}}
UNSTABLE_FACTOR = 5
# Probabilities as small as 1e-13, whose relative error is the absolute error of a logit of some 30: logits are compared.
LOGISTIC = {"blazepose-full": {"output_poseflag"}, "blazepose-lite": {"output_poseflag"}}
# Outputs whose rows are sorted by scores that nearly tie: rows are compared in any order.
ROWS_IN_ANY_ORDER = {"faceboxes": {"boxes"}}


def tensor_name(name):
    return name if ":" in name else name + ":0"


def run_stock(graph_def, inputs, outputs):
    with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        return session.run({name: tensor_name(tensor) for name, tensor in outputs.items()},
                           {tensor_name(tensor): value for tensor, value in inputs.items()})


def scaled_error(ours, stock):
    if not stock.size:
        return 0.0
    return np.abs(ours.astype(np.float64) - stock).max() / max(np.abs(stock).max(), 1e-30)


def logit(probability):
    p = probability.astype(np.float64)
    return np.log(p / (1 - p))


def wider(graph_def):
    """The graph with every f32 made f64, but for bilinear resizing, which stock has from any dtype to f32."""
    wide = v1.GraphDef.FromString(graph_def.SerializeToString())
    for node in list(wide.node):
        if node.op == "ResizeBilinear":
            cast = wide.node.add(name=node.name, op="Cast")
            node.name += "/narrow"
            cast.input.append(node.name)
            cast.attr["SrcT"].type = cast.attr["DstT"].type = precise.FLOAT
    precise._widen(wide)
    for node in wide.node:
        if node.op == "Cast" and node.input[0] == node.name + "/narrow":
            node.attr["SrcT"].type = precise.FLOAT
    return wide


class ZooTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = np.random.default_rng(SEED)

    def need(self, name):
        path = os.path.join(FOLDER, name)
        if not os.path.isdir(path):
            self.skipTest("%s is not here; scripts/trained_models.sh fetches it" % name)
        return path

    def call(self, *arguments):
        done = subprocess.run([DOVETAIL, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def run_model(self, model, inputs, *options):
        out, command = os.path.join(self.folder, "out"), []
        for i, (name, value) in enumerate(inputs.items()):
            path = os.path.join(self.folder, "in_%d.npy" % i)
            np.save(path, value)
            command += ["--input", "%s=%s" % (name, path)]
        self.call("run", model, "--out-dir", out, *command, *options)
        with open(os.path.join(out, "outputs.json")) as file:
            return {o["name"]: np.load(os.path.join(out, o["file"])) for o in json.load(file)}

    def graph_of(self, model):
        path = os.path.join(self.folder, "graph.pb")
        self.call("convert", model, path)
        with open(path, "rb") as file:
            return v1.GraphDef.FromString(file.read())

    def same(self, ours, stock, error=SCALED_ERROR, label=""):
        stock = np.asarray(stock)
        if stock.dtype == object:
            self.assertEqual(ours.tolist(), stock.tolist(), label)
            return
        self.assertEqual((ours.dtype, ours.shape), (stock.dtype, stock.shape), label)
        if stock.dtype.kind in "fc":
            self.assertLessEqual(scaled_error(ours, stock), error, label)
        else:
            np.testing.assert_array_equal(ours, stock, label)

    # ---- networks for the web ----

    def made_input(self, network, name, dtype, shape):
        if network == "rvm" and name != "src":  # how much smaller it looks; what it remembers of the picture before
            return np.float32(0.5) if name.startswith("downsample") else np.zeros([1, 1, 1, 1], np.float32)
        if -1 in (shape or [])[1:]:
            shape = OPEN_SHAPES[network]
        shape = [1 if d < 0 else d for d in shape]
        if np.dtype(dtype).kind in "iu":
            return self.random.integers(0, 256, shape).astype(dtype)
        return self.random.uniform(0, 1, shape).astype(dtype)

    def check_web_network(self, network, model):
        found = json.loads(self.call("inspect", model, "--json"))
        if found["missing"]:
            self.skipTest("no kernels for %s" % [op["op"] for op in found["ops"] if op["missing"]])
        signature = found["signatures"][0]
        inputs = {i["name"]: self.made_input(network, i["name"], i["dtype"], i["shape"]) for i in signature["inputs"]}
        fed = {i["tensor"]: inputs[i["name"]] for i in signature["inputs"]}
        fetched = {o["name"]: o["tensor"] for o in signature["outputs"]}
        ours, graph_def, truth = self.run_model(model, inputs), self.graph_of(model), None
        stock = run_stock(graph_def, fed, fetched)
        self.assertEqual(sorted(ours), sorted(stock))
        for name, right in stock.items():
            if name in UNSTABLE.get(network, ()):
                if truth is None:
                    truth = run_stock(wider(graph_def), {k: v.astype(np.float64) for k, v in fed.items()}, fetched)
                self.assertLessEqual(scaled_error(ours[name], truth[name]),
                                     UNSTABLE_FACTOR * scaled_error(right, truth[name]), name)
            elif name in LOGISTIC.get(network, ()):
                self.same(logit(ours[name]), logit(right), label=name)
            elif name in ROWS_IN_ANY_ORDER.get(network, ()):
                distances = np.abs(ours[name][0][:, None] - right[0][None]).max(axis=2)
                for axis in (0, 1):
                    self.assertLessEqual(distances.min(axis=axis).max() / np.abs(right).max(), SCALED_ERROR, name)
            else:
                self.same(ours[name], right, label=name)

    def check_web_networks(self, models):
        tried = 0
        for model in models:
            with open(model) as file:
                manifest = json.load(file)
            name = os.path.basename(model)[:-len(".json")]
            if "modelTopology" not in manifest or name in SKIPPED:
                continue
            shards = [path for group in manifest["weightsManifest"] for path in group["paths"]]
            size = sum(os.path.getsize(os.path.join(os.path.dirname(model), path)) for path in shards)
            if SANITISED and size > SMALL_BYTES:
                continue
            with self.subTest(name):
                self.check_web_network(name, model)
            tried += 1
        return tried

    def test_human(self):
        models = sorted(glob.glob(os.path.join(self.need("human"), "*.json")))
        self.assertGreaterEqual(self.check_web_networks(models), 8 if SANITISED else 38)

    def test_segmenter(self):
        if not SANITISED:
            self.check_web_network("segmenter", self.need("segmenter"))

    # ---- programming languages of texts: hashed n-grams, embeddings of ragged rows, tables ----

    TEXTS = ["", "x", "def f(x):\n    return x + 1\n\nimport os\nprint(f(2), os.getcwd())\n",
             '#include <stdio.h>\nint main(void) {\n  printf("hi\\n");\n  return 0;\n}\n',
             "SELECT name, count(*) FROM things WHERE size > 3 GROUP BY name ORDER BY 2 DESC;",
             'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("x") }\n', "caf\u00e9 \u2603 \U0001f600 \x01 ok",
             "<html><body><p>hello &amp; goodbye</p></body></html>", "fn main() { let mut v: Vec<i32> = vec![]; v.push(1); }",
             "a" * 300, "\t\n  \r\n", "FROM debian:12\nRUN apt-get update && apt-get install -y gcc\nCMD [\"gcc\"]\n"]

    def need_kernels(self, model):
        found = json.loads(self.call("inspect", model, "--json"))
        if found["missing"]:
            self.skipTest("no kernels for %s" % [op["op"] for op in found["ops"] if op["missing"]])
        return found

    def test_guesslang(self):
        model = self.need("guesslang")
        self.need_kernels(model)
        stock, texts = tf.saved_model.load(model), np.array([text.encode() for text in self.TEXTS])
        for key, name in (("predict", "content"), ("classification", "inputs"), ("serving_default", "inputs")):
            right = stock.signatures[key](**{name: tf.constant(texts)})
            ours = self.run_model(model, {name: texts}, "--signature", key)
            self.assertEqual(sorted(ours), sorted(right))
            for output, value in right.items():
                self.same(ours[output], value.numpy(), label=output)

    def test_languages(self):
        model = os.path.join(self.need("languages"), "model.json")
        self.need_kernels(model)
        texts = np.array([text.encode() for text in self.TEXTS])
        ours = self.run_model(model, {"inputs": texts})
        stock = run_stock(self.graph_of(model), {"Placeholder": texts},
                          {"scores": "head/predictions/probabilities", "classes": "head/Tile"})
        for output, value in stock.items():
            self.same(ours[output], value, label=output)

    # ---- a checkpoint of TensorFlow 1 with its meta graph: base calling, a training graph with CTC decoding ----

    def test_chiron(self):
        if SANITISED:
            self.skipTest("400 steps of 300 signals take minutes there")
        path = os.path.join(self.need("chiron"), "final.ckpt-158301.meta")
        signals = self.random.standard_normal((300, 400)).cumsum(axis=1)
        signals = ((signals - signals.mean(1, keepdims=True)) / signals.std(1, keepdims=True)).astype(np.float32)
        lengths = np.where(np.arange(300) % 7, 400, 250).astype(np.int32)
        fed = {"Placeholder": np.array(False), "Placeholder_1": signals, "Placeholder_2": lengths}
        fetched = {"CTCBeamSearchDecoder:%d" % i: "CTCBeamSearchDecoder:%d" % i for i in range(4)} | {"transpose_1:0": "transpose_1"}
        with tf.Graph().as_default(), v1.Session() as session:
            v1.train.import_meta_graph(path).restore(session, path[:-len(".meta")])
            stock = session.run({name: tensor_name(tensor) for name, tensor in fetched.items()},
                                {tensor_name(name): value for name, value in fed.items()})
        ours = self.run_model(path, fed, *(o for name in fetched for o in ("--output", name)))
        for name, right in stock.items():
            self.same(ours[name], right, label=name)

    # ---- Keras files ----

    def keras_model(self, path):
        """The network of an .h5 file of an older Keras, whose descriptions are put in the words of the new one."""
        copy = os.path.join(self.folder, "network.h5")
        shutil.copy(path, copy)
        os.chmod(copy, 0o600)
        with h5py.File(copy, "r+") as file:
            file.attrs["model_config"] = str(file.attrs["model_config"]).replace('"time_major": false, ', "")
            # A first layer that tells the shape of a batch stands for an input layer of its own.
            config = json.loads(file.attrs["model_config"])
            layers = config["config"]["layers"]
            if config["class_name"] == "Sequential" and layers[0]["class_name"] != "InputLayer":
                shape = layers[0]["config"].pop("batch_input_shape")
                layers.insert(0, {"class_name": "InputLayer", "config": {"batch_shape": shape, "dtype": "float32", "name": "signal"}})
                file.attrs["model_config"] = json.dumps(config)
        with keras.utils.custom_object_scope({"LSTM": keras.layers.LSTM}):
            return keras.models.load_model(copy, compile=False)

    def check_keras(self, path, shapes):
        network = self.keras_model(path)
        saved = os.path.join(self.folder, "saved")
        network.export(saved, verbose=False)
        signature = tf.saved_model.load(saved).signatures["serving_default"]
        _, wanted = signature.structured_input_signature
        self.assertEqual(sorted(shapes), sorted(spec.shape.rank for spec in wanted.values()))
        inputs = {name: self.random.uniform(0, 1, shapes[spec.shape.rank]).astype(np.float32)
                  for name, spec in wanted.items()}
        stock = signature(**{name: tf.constant(value) for name, value in inputs.items()})
        ours = self.run_model(saved, inputs, "--signature", "serving_default")
        self.assertEqual(sorted(ours), sorted(stock))
        path = os.path.join(self.folder, "frozen.pb")
        ends = json.loads(self.call("convert", saved, path, "--json"))
        with open(path, "rb") as file:
            frozen = run_stock(v1.GraphDef.FromString(file.read()), {i["tensor"]: inputs[i["name"]] for i in ends["inputs"]},
                               {o["name"]: o["tensor"] for o in ends["outputs"]})
        for name, right in stock.items():
            self.same(ours[name], right.numpy(), label=name)
            self.same(frozen[name], right.numpy(), label=name)

    def test_fer(self):
        self.check_keras(os.path.join(self.need("fer"), "emotion_model.hdf5"), {4: [3, 64, 64, 1]})

    def test_credsweeper(self):
        # An LSTM over characters, both ways, and features of the line.
        self.check_keras(os.path.join(self.need("credsweeper"), "ml_model.h5"), {3: [5, 40, 70], 2: [5, 91]})

    def test_tempocnn(self):
        for name, frames in (("fcn", 256), ("deeptemp_k4", 300), ("deepsquare_k1", 256), ("shallowtemp_k2", 257)):
            with self.subTest(name):
                self.check_keras(os.path.join(self.need("tempocnn"), name + ".h5"), {4: [2, 40, frames, 1]})

    def test_checkm2(self):
        self.check_keras(os.path.join(self.need("checkm2"), "specific_model_COMP.hd5"), {3: [2, 20021, 1]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
