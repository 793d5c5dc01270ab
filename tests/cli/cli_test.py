"""The `dovetail` command as a user calls it: every option, each kind of error, each exit code.

  cli_test.py DOVETAIL SOURCE_FOLDER

Arrays are written and read back with NumPy.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import wave
import zlib

import numpy as np

from cli_graphs import identity, node, placeholder

DOVETAIL, SOURCE = sys.argv[1:3]
OK, RUN_FAILED, USAGE, BAD_INPUT, BAD_MODEL, BAD_PLUGIN, NO_OUTPUT = range(7)

ECHO = placeholder("x", "DT_FLOAT", [-1, 3]) + identity("y", "x", "DT_FLOAT")
TYPES = {"float16": "DT_HALF", "float32": "DT_FLOAT", "float64": "DT_DOUBLE", "int8": "DT_INT8", "int16": "DT_INT16",
         "int32": "DT_INT32", "int64": "DT_INT64", "uint8": "DT_UINT8", "uint16": "DT_UINT16", "uint32": "DT_UINT32",
         "uint64": "DT_UINT64", "bool": "DT_BOOL", "complex64": "DT_COMPLEX64", "complex128": "DT_COMPLEX128"}


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if isinstance(content, str):
            content = content.encode()
        if isinstance(content, bytes):
            with open(path, "wb") as file:
                file.write(content)
        elif content is not None:
            np.save(path, content)
        return path

    def call(self, *arguments, code=OK):
        done = subprocess.run([DOVETAIL, *arguments], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, "%s\n%s%s" % (arguments, done.stdout, done.stderr))
        if code == OK:
            self.assertEqual(done.stderr, "")
        else:
            self.assertTrue(done.stderr.startswith("dovetail: "), done.stderr)
        return done.stdout if code == OK else done.stderr

    def outputs(self, name="out"):
        with open(os.path.join(self.folder, name, "outputs.json")) as file:
            return {o["name"]: (o, np.load(os.path.join(self.folder, name, o["file"]))) for o in json.load(file)}

    # ---- help ----

    def test_help(self):
        text = self.call("--help")
        for word in ("run", "inspect", "bench", "convert", "shapes", "ops", "kernels", "Examples:", "Exit codes:"):
            self.assertIn(word, text)
        self.assertEqual(self.call("help"), text)
        for verb in ("run", "inspect", "bench", "convert", "shapes", "ops", "kernels"):
            text = self.call(verb, "--help")
            self.assertIn("Examples:", text)
            self.assertIn("Exit codes:", text)
            self.assertEqual(self.call("help", verb), text)
        self.assertRegex(self.call("--version"), r"^dovetail \d+\.\d+\.\d+")

    # ---- run ----

    def test_run_echo_and_files(self):
        graph, x = self.path("g.pbtxt", ECHO), np.arange(6, dtype=np.float32).reshape(2, 3)
        text = self.call("run", graph, "--input", "x=" + self.path("x.npy", x), "--out-dir", "deep/out")
        self.assertIn("float32[2,3]", text)
        info, y = self.outputs("deep/out")["y"]
        np.testing.assert_array_equal(y, x)
        self.assertEqual(info, {"name": "y", "tensor": "y:0", "file": "y.npy", "dtype": "float32", "shape": [2, 3]})

    def test_names_of_inputs_and_outputs(self):
        graph, x = self.path("g.pbtxt", ECHO), self.path("x.npy", np.ones([1, 3], np.float32))
        for name in ("x", "x:0", "0"):
            for output in ("y", "y:0", "0", "x"):
                self.call("run", graph, "--input=%s=%s" % (name, x), "--output=" + output)
        self.assertIn("has no input 'z'", self.call("run", graph, "--input", "z=" + x, code=USAGE))
        self.assertIn("has no output 'z'", self.call("run", graph, "--input", "x=" + x, "--output", "z", code=USAGE))
        self.assertIn("has no input '1'", self.call("run", graph, "--input", "1=" + x, code=USAGE))

    def test_every_dtype_and_layout(self):
        for name, dt in TYPES.items():
            graph = self.path("g.pbtxt", placeholder("x", dt) + identity("y", "x", dt))
            for shape in ((), (0,), (2, 3), (2, 3, 4)):
                x = np.asarray(np.random.default_rng(1).integers(0, 2 if name == "bool" else 100, shape)).astype(name)
                for variant in (x, np.array(x, order="F"), x.astype(x.dtype.newbyteorder(">"))):
                    self.call("run", graph, "--input", "x=" + self.path("x.npy", variant), "--out-dir", "out")
                    info, y = self.outputs()["y"]
                    self.assertEqual((info["dtype"], y.dtype, y.shape), (name, x.dtype, x.shape))
                    np.testing.assert_array_equal(y, x)

    def test_conversion_of_dtypes(self):
        graph = self.path("g.pbtxt", ECHO)
        run = ["run", graph, "--out-dir", "out", "--input"]
        self.call(*run, "x=" + self.path("x.npy", np.array([[1, 2, -3]])))  # int64, exact
        np.testing.assert_array_equal(self.outputs()["y"][1], [[1, 2, -3]])
        self.call(*run, "x=" + self.path("x.npy", np.array([[0.1, 2, 3]])))  # float64, rounded
        np.testing.assert_array_equal(self.outputs()["y"][1], np.array([[0.1, 2, 3]], np.float32))
        self.assertIn("16777217", self.call(*run, "x=" + self.path("x.npy", np.array([[1, 2, 16777217]])), code=BAD_INPUT))
        self.assertIn("NumPy", self.call(*run, "x=" + self.path("x.npy", np.ones([1, 3], bool)), code=BAD_INPUT))

    def test_strings(self):
        graph = self.path("g.pbtxt", placeholder("s", "DT_STRING") + identity("t", "s", "DT_STRING"))
        x = np.array([["ab", "é€"], ["", "x" * 40]])
        self.call("run", graph, "--input", "s=" + self.path("s.npy", x), "--out-dir", "out")
        np.testing.assert_array_equal(np.char.decode(self.outputs()["t"][1], "utf-8"), x)
        self.call("run", graph, "--input", "s=" + self.path("s.txt", "one\ntwo\n"), "--out-dir", "out")
        np.testing.assert_array_equal(self.outputs()["t"][1], [b"one", b"two"])
        objects = self.path("o.npy", np.array(["a", None], dtype=object))
        self.assertIn("pickle", self.call("run", graph, "--input", "s=" + objects, code=BAD_INPUT))

    def test_pictures_and_sounds(self):
        graph = self.path("g.pbtxt", placeholder("x", "DT_FLOAT", [-1, 1, 2, 3]) + identity("y", "x", "DT_FLOAT"))
        chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)) +
               chunk(b"IDAT", zlib.compress(b"\0" + bytes([255, 0, 51, 0, 102, 204]))) + chunk(b"IEND", b""))
        self.call("run", graph, "--input", "x=" + self.path("p.png", png), "--out-dir", "out")
        np.testing.assert_array_equal(self.outputs()["y"][1],
                                      np.array([[[[255, 0, 51], [0, 102, 204]]]], np.float32) / np.float32(255))
        self.assertIn("PNG", self.call("run", graph, "--input", "x=" + self.path("q.png", png[:40]), code=BAD_INPUT))
        graph = self.path("h.pbtxt", placeholder("x", "DT_FLOAT", [1, -1]) + identity("y", "x", "DT_FLOAT"))
        with wave.open(self.path("s.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(struct.pack("<3h", 0, 16384, -32768))
        self.call("run", graph, "--input", "x=s.wav", "--out-dir", "out")
        np.testing.assert_array_equal(self.outputs()["y"][1], [[0, 0.5, -1]])

    def test_json(self):
        graph, x = self.path("g.pbtxt", ECHO), self.path("x.npy", np.array([[1, 2, 6]], np.float32))
        result = json.loads(self.call("run", graph, "--input", "x=" + x, "--json", "--profile"))
        self.assertEqual(result["format"], "GraphDef")
        self.assertIsNone(result["out_dir"])
        self.assertGreaterEqual(result["run_ms"], 0)
        output = result["outputs"][0]
        self.assertEqual((output["name"], output["min"], output["max"], output["mean"]), ("y", 1, 6, 3))
        self.assertIsInstance(result["profile"], list)

    def test_trace(self):
        graph, x = self.path("g.pbtxt", ECHO), self.path("x.npy", np.zeros([2, 3], np.float32))
        self.call("run", graph, "--input", "x=" + x, "--trace", "t.json")
        with open(self.path("t.json")) as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual({e["name"] for e in events if e["ph"] == "M"}, {"process_name", "thread_name"})
        (step,) = [e for e in events if e["cat"] == "step"]
        (op,) = [e for e in events if e["cat"] == "op"]
        self.assertEqual((op["name"], op["ph"], op["args"]["node"]), ("Identity", "X", "y"))
        self.assertEqual((op["args"]["inputs"], op["args"]["outputs"]), (["_arg_x_0_0"], ["float[2,3]"]))
        self.assertTrue(0 <= op["ts"] and op["ts"] + op["dur"] <= step["dur"] + 1)
        self.assertEqual(step["args"]["nodes"], 1)
        self.call("run", graph, "--input", "x=" + x, "--trace", os.path.join("no", "such", "folder"), code=NO_OUTPUT)

    def test_sinks_are_the_default_outputs(self):
        graph = self.path("g.pbtxt", ECHO + identity("z/a", "y", "DT_FLOAT") + identity("z_a", "x", "DT_FLOAT"))
        x = self.path("x.npy", np.zeros([2, 3], np.float32))
        self.call("run", graph, "--input", "x=" + x, "--out-dir", "out")
        self.assertEqual({name: o[0]["file"] for name, o in self.outputs().items()},
                         {"z/a": "z_a.npy", "z_a": "z_a_2.npy"})

    def test_binary_graph_and_threads(self):
        # One node in the protobuf encoding by hand: name, op, attr dtype = DT_FLOAT.
        attr = b"\x0a\x05dtype\x12\x02\x30\x01"
        body = b"\x0a\x01x\x12\x0bPlaceholder\x2a" + bytes([len(attr)]) + attr
        binary = b"\x0a" + bytes([len(body)]) + body
        graph, x = self.path("g.pb", binary), self.path("x.npy", np.zeros(2, np.float32))
        self.call("run", graph, "--input", "x=" + x, "--output", "x", "--threads", "2")

    # ---- errors of run ----

    def test_usage_errors(self):
        graph, x = self.path("g.pbtxt", ECHO), self.path("x.npy", np.zeros([1, 3], np.float32))
        for arguments, part in (
                (["walk"], "no verb"), (["run"], "wants one MODEL"), (["run", graph, graph], "wants one MODEL"),
                (["run", graph, "--nope"], "no option '--nope'"), (["run", graph, "-x"], "no option"),
                (["run", graph, "--input"], "wants a value"), (["run", graph, "--input", "x"], "NAME=FILE"),
                (["run", graph, "--input", "=f"], "NAME=FILE"), (["run", graph, "--threads", "0"], "cannot be '0'"),
                (["run", graph, "--threads", "two"], "cannot be 'two'"), (["run", graph, "--json=1"], "takes no value"),
                (["run", graph, "--input", "x=" + x, "--signature", "s"], "no signature 's'"),
                (["inspect"], "wants one"), (["ops", "--signature", "s"], "no option"),
                (["ops", "NoSuchOp"], "NoSuchOp"), (["kernels", "NoSuchOp"], "NoSuchOp"),
                (["run", "--inptu", "x"], "Did you mean --input?"), (["--json", "ops"], "options come after the verb"),
                (["ops", "MatMul", "Relu9"], "Did you mean 'Relu'?"), (["kernels", "MatMul", "Relu9"], "'Relu9'"),
                (["run", graph, "--input", "7=" + x], "Positions go from 0 to 0")):
            self.assertIn(part, self.call(*arguments, code=USAGE))
        done = subprocess.run([DOVETAIL], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
        self.assertIn("Usage:", done.stderr)

    def test_input_errors(self):
        graph = self.path("g.pbtxt", ECHO)
        for name, content, part in (
                ("absent.npy", None, "cannot be opened"), ("x.bin", b"abc", "extension"), ("bad.npy", b"abc", "not a .npy"),
                ("shape.npy", np.zeros([3], np.float32), "the model wants float32[?,3]"),
                ("width.npy", np.zeros([1, 4], np.float32), "float32[1,4]"), ("t.txt", "1 2 3", "holds text")):
            text = self.call("run", graph, "--input", "x=" + self.path(name, content), code=BAD_INPUT)
            self.assertIn(part, text)
            self.assertIn(name, text)
        whole = self.path("w.npy", np.zeros([2, 3], np.float32))
        with open(whole, "rb") as file:
            content = file.read()
        self.assertIn("cut off", self.call("run", graph, "--input", "x=" + self.path("c.npy", content[:-1]), code=BAD_INPUT))
        sound = b"RIFF" + (56).to_bytes(4, "little") + b"WAVEfmt " + bytes([16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0,
                                                                           2, 0, 16, 0]) + b"data" + bytes([20, 0, 0, 0]) + bytes(20)
        graph = self.path("s.pbtxt", placeholder("x", "DT_FLOAT", [-1]) + identity("y", "x", "DT_FLOAT"))
        self.call("run", graph, "--input", "x=" + self.path("whole.wav", sound))
        self.assertIn("cut off", self.call("run", graph, "--input", "x=" + self.path("c.wav", sound[:-9]), code=BAD_INPUT))

    def test_model_errors(self):
        for name, content, part in (
                ("absent", None, "does not exist"), ("empty.pb", b"", "is empty"), ("bad.pb", b"\xff\x01\x02", "not a model"),
                ("m.h5", b"\x89HDF\r\n\x1a\n", "export"), ("m.keras", b"PK\3\4....", "export"),
                ("saved_model.pb", b"\x08\x01\x12\x00", "directory"), ("array.npy", np.zeros(3), "not a model"),
                ("syntax.pbtxt", "node { name: ", "syntax.pbtxt"),
                ("unknown.pbtxt", node("a", "NoSuchOp") + node("b", "NorThisOp"), "NoSuchOp"),
                ("unknown.pbtxt", node("a", "NoSuchOp") + node("b", "NorThisOp"), "NorThisOp"),
                ("edge.pbtxt", identity("a", "nobody", "DT_FLOAT"), "nobody"),
                ("twice.pbtxt", placeholder("a", "DT_FLOAT") * 2, "a"),
                ("loop.pbtxt", identity("a", "b", "DT_FLOAT") + identity("b", "a", "DT_FLOAT"), "ycle")):
            self.assertIn(part, self.call("run", self.path(name, content), code=BAD_MODEL))
        os.mkdir(self.path("folder"))
        self.assertIn("saved_model.pb", self.call("run", self.path("folder"), code=BAD_MODEL))
        self.assertIn("tags", self.call("run", self.path("g.pbtxt", ECHO), "--tags", "serve", code=BAD_MODEL))
        self.assertIn("--plugin FILE", self.call("run", self.path("g.pbtxt", node("a", "NoSuchOp")), code=BAD_MODEL))
        self.assertIn("nor a plugin", self.call("inspect", self.path("absent"), code=BAD_MODEL))

    def test_run_failures(self):
        graph = placeholder("a", "DT_FLOAT") + placeholder("b", "DT_FLOAT") + node("c", "MatMul", ["a", "b"], T="type: DT_FLOAT")
        graph, x = self.path("g.pbtxt", graph), self.path("x.npy", np.zeros([2, 3], np.float32))
        text = self.call("run", graph, "--input", "a=" + x, "--input", "b=" + x, code=RUN_FAILED)
        self.assertIn("{{node c}}", text)
        self.assertIn("MatMul", text)
        text = self.call("run", graph, code=USAGE)
        self.assertIn("'a' (float32", text)
        self.assertIn("'b' (", text)
        self.assertIn("given twice", self.call("run", graph, "--input", "a=" + x, "--input", "a:0=" + x, code=USAGE))
        self.call("run", graph, "--input", "a=" + x, "--output", "a")  # b is not needed for that

    def test_inspect_kernel_without_op(self):
        source = self.path("orphan.c", """
#include "tensorflow/c/kernels.h"
static void compute(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }
void TF_InitKernel(void) {
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder("o", TF_NewKernelBuilder("OpOfNobody", "CPU", NULL, compute, NULL), status);
  TF_RegisterKernelBuilder("n", TF_NewKernelBuilder("NoOp", "CPU", NULL, compute, NULL), status);
  TF_DeleteStatus(status);
}
""")
        plugin = self.path("orphan.so")
        self.compile("-std=c11", "-fPIC", "-shared", source, "-o", plugin)
        self.assertEqual(json.loads(self.call("inspect", plugin, "--json"))["kernels_without_op"], ["OpOfNobody"])
        text = self.call("inspect", plugin)
        self.assertIn("OpOfNobody (CPU)", text)
        self.assertNotIn("NoOp (CPU)", text)

    def test_empty_saved_model(self):
        os.makedirs(self.path("empty_model"), exist_ok=True)
        self.path("empty_model/saved_model.pb", b"")
        self.assertRegex(self.call("run", self.path("empty_model"), code=BAD_MODEL), "saved_model.pb is empty: .* export")

    def test_plugin_errors(self):
        graph = self.path("g.pbtxt", ECHO)
        self.assertIn("absent.so", self.call("run", graph, "--plugin", self.path("absent.so"), code=BAD_PLUGIN))
        self.assertIn("text.so", self.call("ops", "--plugin", self.path("text.so", "no library"), code=BAD_PLUGIN))
        self.assertIn("give the plugin's path", self.call("ops", "--plugin", "absent.so", code=BAD_PLUGIN))
        self.assertIn("-shared -fPIC", self.call("inspect", DOVETAIL, code=BAD_PLUGIN))
        self.call("inspect", self.path("half.so", b"\x7fELF\x02\x01\x01" + bytes(20)), code=BAD_PLUGIN)

    def test_output_errors(self):
        graph, x = self.path("g.pbtxt", ECHO), self.path("x.npy", np.zeros([1, 3], np.float32))
        self.path("file", "x")
        self.assertIn("file", self.call("run", graph, "--input", "x=" + x, "--out-dir", "file", code=NO_OUTPUT))
        self.call("run", graph, "--input", "x=" + x, "--out-dir", "file/below", code=NO_OUTPUT)
        os.makedirs(self.path("taken/y.npy"))
        self.assertIn("y.npy", self.call("run", graph, "--input", "x=" + x, "--out-dir", "taken", code=NO_OUTPUT))

    # ---- inspect, ops, kernels ----

    def test_inspect_model(self):
        graph = self.path("g.pbtxt", ECHO + node("u", "NoSuchOp", ["y"]))
        text = self.call("inspect", graph)
        self.assertIn("MISSING", text)
        self.assertIn("NoSuchOp", text)
        found = json.loads(self.call("inspect", graph, "--json"))
        self.assertEqual((found["nodes"], found["missing"], found["format"]), (3, 1, "GraphDef"))
        ops = {o["op"]: o for o in found["ops"]}
        self.assertEqual(ops["Identity"]["nodes"], 1)
        self.assertIsNone(ops["Identity"]["missing"])
        self.assertIn("NoSuchOp", ops["NoSuchOp"]["missing"])
        self.assertEqual([i["name"] for i in found["signatures"][0]["inputs"]], ["x"])
        self.assertEqual([o["name"] for o in found["signatures"][0]["outputs"]], ["u"])
        self.assertEqual(found["signatures"][0]["inputs"][0]["shape"], [-1, 3])  # declared by the placeholder
        self.assertIsNone(found["signatures"][0]["outputs"][0]["dtype"])
        self.assertIn("nothing", self.call("inspect", self.path("h.pbtxt", ECHO)))
        found = json.loads(self.call("inspect", self.path("h.pbtxt"), "--json"))["signatures"][0]["outputs"][0]
        self.assertEqual((found["name"], found["dtype"], found["shape"]), ("y", "float32", [-1, 3]))

    def test_lists(self):
        names = [line.split()[0] for line in self.call("ops").splitlines()[1:]]
        self.assertEqual(names, sorted(names))
        self.assertIn("MatMul", names)
        op = json.loads(self.call("ops", "MatMul", "--json"))[0]
        self.assertEqual(op["signature"], "(a: T, b: T) -> (product: T)")
        self.assertIn("transpose_a: bool = false", op["attrs"])
        self.assertIn("transpose_a", self.call("ops", "MatMul"))
        self.assertEqual(op["inputs"], [{"name": "a", "type": "T"}, {"name": "b", "type": "T"}])
        self.assertEqual(op["outputs"], [{"name": "product", "type": "T"}])
        attrs = {a["name"]: a for a in op["attributes"]}
        self.assertEqual(attrs["transpose_a"], {"name": "transpose_a", "type": "bool", "allowed": None, "default": "false"})
        self.assertIn("float", attrs["T"]["allowed"])
        self.assertIsNone(attrs["T"]["default"])
        self.assertIn("dvt_shape_fn_matmul of libdovetail", op["shape_function_origin"])
        pack = json.loads(self.call("ops", "show", "Pack", "--json"))[0]
        self.assertEqual(pack["inputs"], [{"name": "values", "type": "N * T"}])
        self.assertEqual({a["name"]: a for a in pack["attributes"]}["N"]["minimum"], 1)
        shown = self.call("ops", "show", "Pack")
        for line in (r"^Pack\(values: N \* T\) -> \(output: T\)", r"plugin +array", r"inputs +values +N \* T",
                     r"N +int >= 1  must be given", r"axis +int  default 0", r"shapes +dvt_shape_fn_pack of libdovetail",
                     r"kernels +CPU +array"):
            self.assertRegex(shown, line)
        self.assertIn("MatMul", self.call("ops", "show", "MatMull", code=USAGE))
        self.assertIn("names of ops", self.call("ops", "show", code=USAGE))
        kernels = json.loads(self.call("kernels", "MatMul", "--json"))
        self.assertTrue(all(k["op"] == "MatMul" and k["device"] == "CPU" for k in kernels))
        self.assertEqual(len(kernels), op["kernels"])
        self.assertIn("MatMul", self.call("kernels"))

    def test_kernels_why(self):
        function = ("library { function { signature { name: 'f' input_arg { name: 'a' type: DT_FLOAT } output_arg { "
                    "name: 'r' type: DT_FLOAT } } node_def { name: 'relu' op: 'Relu' input: 'a' attr { key: 'T' value { "
                    "type: DT_FLOAT } } } ret { key: 'r' value: 'relu:activations:0' } } }\n")
        graph = self.path("g.pbtxt", placeholder("x", "DT_FLOAT", [2]) + node("f1", "f", ["x"]) +
                          node("p", "Neg", ["f1"], T="type: DT_FLOAT") + function)
        text = self.call("kernels", "why", graph, "p")
        self.assertRegex(text, r"^p \(Neg\) of the graph, for a CPU; T = float")
        self.assertRegex(text, r"> CPU +T in \{float\} +math +0 +taken")
        self.assertRegex(text, r"CPU +T in \{double\} +math +0 +T is float, wanted is double")
        self.assertRegex(text, r"In the plan of signature .*\n  p \(Neg\): (runs|fused)")
        self.assertRegex(self.call("kernels", "why", graph, "p", "--optimize", "none"), r"\n  p \(Neg\): runs")
        inner = json.loads(self.call("kernels", "why", graph, "relu", "--json"))
        self.assertEqual([n["function"] for n in inner["nodes"]], ["f"])
        self.assertEqual([c["constraints"] for c in inner["nodes"][0]["candidates"] if c["taken"]], ["T in {float}"])
        self.assertEqual([p["op"] for p in inner["plan"]], ["Relu"])
        self.assertIsNone(inner["no_plan"])
        labelled = self.path("l.pbtxt", placeholder("x", "DT_FLOAT", [2]) +
                             node("n", "Neg", ["x"], T="type: DT_FLOAT", _kernel="s: 'fast'"))
        none = json.loads(self.call("kernels", "why", labelled, "n", "--json"))
        self.assertFalse(none["nodes"][0]["can_run"])
        self.assertEqual(none["nodes"][0]["label"], "fast")
        self.assertIn("label 'fast'", none["nodes"][0]["outcome"])
        self.assertIn("label 'fast'", none["no_plan"])
        self.assertIn("Did you mean 'relu'?", self.call("kernels", "why", graph, "rela", code=USAGE))
        self.assertIn("wants MODEL NODE", self.call("kernels", "why", graph, code=USAGE))

    # ---- shapes ----

    def test_shapes(self):
        flat = node("flat", "Const", dtype="type: DT_INT32",
                    value="tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: -1 int_val: 6 }")
        function = ("library { function { signature { name: 'f' input_arg { name: 'a' type: DT_FLOAT } output_arg { "
                    "name: 'r' type: DT_FLOAT } } node_def { name: 'relu' op: 'Relu' input: 'a' attr { key: 'T' value { "
                    "type: DT_FLOAT } } } ret { key: 'r' value: 'relu:activations:0' } } }\n")
        graph = self.path("g.pbtxt", placeholder("x", "DT_FLOAT", [-1, 3, 2]) + flat +
                          node("y", "Reshape", ["x", "flat"], T="type: DT_FLOAT", Tshape="type: DT_INT32") +
                          node("s", "Split", ["axis", "y"], T="type: DT_FLOAT", num_split="i: 2") +
                          node("axis", "Const", dtype="type: DT_INT32",
                               value="tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 }") +
                          node("z", "f", ["y"]) + node("e", "NoOp") + function)
        text = self.call("shapes", graph)
        for line in (r"Placeholder +float32 +\[N,3,2\] +x", r"Reshape +float32 +\[N,6\] +y", r":1 +float32 +\[N,3\]",
                     r"function f", r"Relu +float32 +\[N,6\] +relu", r"NoOp +e"):
            self.assertRegex(text, line)
        self.assertRegex(self.call("shapes", graph, "--feed", "x=5x?x2"), r"\[5,6\] +y")
        self.assertRegex(self.call("shapes", graph, "--feed", "y=4x6", "--feed", "x:0=?x3x2"), r"\[4,6\] +z")
        nodes = json.loads(self.call("shapes", graph, "--json"))["nodes"]
        by_name = {(n["function"], n["node"]): n for n in nodes}
        self.assertEqual(by_name[None, "s"]["outputs"], [{"dtype": "float32", "shape": "[N,3]", "dims": [-1, 3]}] * 2)
        self.assertEqual(by_name["f", "relu"]["outputs"][0]["dims"], [-1, 6])
        self.assertEqual(by_name[None, "e"]["outputs"], [])
        self.assertIn("[7,3,9], but the graph declares [?,3,2]",
                      self.call("shapes", graph, "--feed", "x=7x3x9", code=USAGE))
        self.assertIn("nobody", self.call("shapes", graph, "--feed", "nobody=2", code=USAGE))
        for bad in ("x", "=2", "x=2x", "x=x2", "x=-1", "x=2y", "x=99999999999999999999"):
            self.assertIn("--feed wants NAME=2x3", self.call("shapes", graph, "--feed", bad, code=USAGE))
        self.assertIn("one MODEL", self.call("shapes", code=USAGE))
        self.assertIn("NoSuchOp", self.call("shapes", self.path("u.pbtxt", node("a", "NoSuchOp")), code=BAD_MODEL))

    # ---- the examples ----

    def compile(self, *arguments):
        library = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(DOVETAIL))), "lib")
        command = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-I" + os.path.join(SOURCE, "include"), *arguments]
        if "-shared" not in arguments:
            command += ["-L" + library, "-ldovetail", "-Wl,-rpath," + library]
        with open(os.path.join(library, "libdovetail.so"), "rb") as file:
            symbols = file.read()
        command += ["-fsanitize=address,undefined"] if b"libasan.so" in symbols else []
        command += ["-fsanitize=thread"] if b"libtsan.so" in symbols else []
        subprocess.run(command, check=True)

    def test_first_plugin(self):
        examples = os.path.join(SOURCE, "examples", "first_plugin")
        plugin, graph = self.path("first_plugin.so"), os.path.join(examples, "graph.pbtxt")
        self.compile("-std=c11", "-fPIC", "-shared", os.path.join(examples, "first_plugin.c"), "-o", plugin)
        self.assertIn("Cube", self.call("run", graph, code=BAD_MODEL))
        self.call("run", graph, "--plugin", plugin, "--out-dir", "out")
        np.testing.assert_array_equal(self.outputs()["y"][1], np.array([1, 8, 27], np.float32))
        found = json.loads(self.call("inspect", plugin, "--json"))
        self.assertEqual([o["name"] for o in found["ops"]], ["Cube"])
        self.assertEqual([k["op"] for k in found["kernels"]], ["Cube"])
        self.assertEqual(found["kernels_without_op"], [])
        self.assertIn("first_plugin, 1 kernel", self.call("ops", "Cube", "--plugin", plugin))
        graph = self.path("g.pbtxt", placeholder("x", "DT_FLOAT") + node("y", "Cube", ["x"]))
        x = self.path("x.npy", np.full([2, 2], 3, np.float32))
        text = self.call("run", graph, "--plugin", plugin, "--input", "x=" + x, "--profile")
        self.assertRegex(text, r"Cube +first_plugin +1 ")

    def test_bitcast(self):
        examples = os.path.join(SOURCE, "examples", "bitcast")
        plugin = self.path("bitcast.so")
        self.compile("-std=c11", "-fPIC", "-shared", os.path.join(examples, "bitcast.c"), "-o", plugin)
        self.call("run", os.path.join(examples, "graph.pbtxt"), "--plugin", plugin, "--output", "bits", "--output", "bytes",
                  "--out-dir", "out")
        x = np.array([1, -2, 0.5], np.float32)
        np.testing.assert_array_equal(self.outputs()["bits"][1], x.view(np.int32))
        np.testing.assert_array_equal(self.outputs()["bytes"][1], x.view(np.uint8).reshape(3, 4))
        # uint8[3] as float: its shape function sees that 3 bytes are no float, and names the node.
        graph = self.path("g.pbtxt", placeholder("x", "DT_UINT8", [2, 3])
                          + node("y", "Bitcast", ["x"], T="type: DT_UINT8", type="type: DT_FLOAT"))
        self.assertRegex(self.call("run", graph, "--plugin", plugin, code=BAD_MODEL),
                         r"last dimension must hold the bytes.*node y.*\[2,3\].*plugin 'bitcast'")

    def test_embed(self):
        program = self.path("embed")
        self.compile(os.path.join(SOURCE, "examples", "embed", "embed.c"), "-o", program)
        graph = self.path("g.pbtxt", placeholder("x", "DT_FLOAT", [3]) + identity("y", "x", "DT_FLOAT"))
        done = subprocess.run([program, graph, "1", "2.5", "-3"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "y = 1 2.5 -3\n"), done.stderr)
        done = subprocess.run([program, graph, "1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("wants float32[3]", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
