"""`dovetail check --suite`: the hostile plugins of tests/faults, plugins compiled here whose kernels have one fault each, and
a part of a standard plugin, which must be clean.

  suite_test.py DOVETAIL SOURCE_FOLDER FAULTS_FOLDER MATH_PLUGIN
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

DOVETAIL, SOURCE, FAULTS, MATH = sys.argv[1:5]
FINE, FINDINGS, UNREADABLE = range(3)

# What the suite must say of each, by code and a phrase. `race` wants ThreadSanitizer.
HOSTILE = {
    "change_input": ("changes-input", "input 0 was changed"),
    "delete_foreign": ("internal", "is no TF_Tensor that the runtime made"),
    "delete_twice": ("internal", "was deleted before"),
    "done_never": ("hang", "has not called its done callback"),
    "done_twice": ("logged", "called more than once"),
    "fail_compute": ("not-exercised", "this kernel always fails"),
    "fail_create": ("not-exercised", "this kernel cannot be made"),
    "keep_context": ("internal", "was used after that call"),
    "leak": ("leak", "never deleted"),
    "null_compute": ("not-exercised", "has no compute function"),
    "out_before": ("internal", "before the beginning"),
    "out_behind": ("internal", "behind the end"),
    "out_of_temp": ("internal", "out of bounds"),
    "register_twice": ("not-exercised", "Multiple OpKernel registrations match"),
    "set_twice": ("logged", "output 0 is set already"),
    "shape_past": ("not-exercised", "output index out of range"),
    "struct_size": ("not-exercised", "struct size member must be set"),
    "throw_async": ("exception", "out of order"),
    "throw_compute": ("exception", "out of order"),
    "throw_create": ("exception", "out of order"),
    "throw_destroy": ("logged", "out of order"),
    "throw_shape": ("shape-function", "exception"),
    "unset": ("internal", "Missing 0-th output"),
    "use_deleted": ("internal", "was deleted before"),
    "write_freed": ("memory", "after it was freed"),
    "wrong_shape": ("logged", "negative dimension"),
    "wrong_type": ("internal", "does not match declared output type"),
}

# One op "Own" (x: T, n: int32 -> y: T) whose kernel for floats is COMPUTE; others double x.
OWN = """
#include <stdlib.h>
#include <string.h>
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
static volatile float shared;
static void body(TF_OpKernelContext *ctx, const TF_Tensor *x, const TF_Tensor *n, float *y, long count) {
  const float *in = TF_TensorData(x);
  int first = TF_TensorElementCount(n) ? *(const int *)TF_TensorData(n) : 0;
  (void)first, (void)ctx, (void)in, (void)count, (void)y;
  for (long i = 0; i < count; i++) y[i] = 2 * in[i];
  BODY
}
static void fail(TF_OpKernelContext *ctx, TF_Status *s, const char *text) {
  TF_SetStatus(s, TF_INVALID_ARGUMENT, text);
  TF_OpKernelContext_Failure(ctx, s);
}
static void compute(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *s = TF_NewStatus();
  TF_Tensor *x = NULL, *n = NULL, *y = NULL;
  int64_t dims[16];
  (void)kernel;
  TF_GetInput(ctx, 0, &x, s);
  TF_GetInput(ctx, 1, &n, s);
  int rank = TF_NumDims(x);
  for (int i = 0; i < rank; i++) dims[i] = TF_Dim(x, i);
  if (CHECK) {
    fail(ctx, s, "n is wrong");
  } else {
    y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, rank, TF_TensorByteSize(x), s);
    body(ctx, x, n, TF_TensorData(y), TF_TensorElementCount(x));
  }
  TF_DeleteTensor(y);
  TF_DeleteTensor(n);
  TF_DeleteTensor(x);
  TF_DeleteStatus(s);
}
static void shape(TF_ShapeInferenceContext *ctx, TF_Status *s) {
  TF_ShapeHandle *x = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, x, s);
  SHAPE
  TF_ShapeInferenceContextSetOutput(ctx, 0, x, s);
  TF_DeleteShapeHandle(x);
}
__attribute__((constructor)) static void load(void) {
  TF_Status *s = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Own");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddInput(op, "n: int32");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, shape);
  TF_RegisterOpDefinition(op, s);
  TF_RegisterKernelBuilder("Own", TF_NewKernelBuilder("Own", "CPU", NULL, compute, NULL), s);
  TF_DeleteStatus(s);
}
"""


class SuiteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def build(self, body="", shape="", check="0"):
        path = os.path.join(self.folder, "own.so")
        text = OWN.replace("BODY", body).replace("SHAPE", shape).replace("CHECK", check)
        subprocess.run(["cc", "-std=gnu11", "-x", "c", "-", "-fPIC", "-shared", "-w", "-I", os.path.join(SOURCE, "include"),
                        "-o", path], input=text, text=True, check=True)
        return path

    def suite(self, path, *arguments, code=FINDINGS):
        done = subprocess.run([DOVETAIL, "check", "--suite", path, "--json", *arguments], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code == UNREADABLE:
            return done.stderr
        found = json.loads(done.stdout)
        self.assertEqual(found["fine"], code == FINE)
        return found

    def own(self, *arguments, code=FINDINGS, **parts):
        kernels = self.suite(self.build(**parts), *arguments, code=code)["kernels"]
        self.assertEqual([k["op"] for k in kernels], ["Own"])
        return kernels[0]

    def texts(self, kernel, code):
        found = [f["text"] for f in kernel["findings"] if f["code"] == code]
        self.assertTrue(found, "no %s in %s" % (code, kernel["findings"]))
        return " ".join(found)

    def inputs(self, content):
        path = os.path.join(self.folder, "inputs.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return "--inputs=" + path

    # ---- plugins of others ----

    def test_hostile_plugins(self):
        for name, (code, phrase) in HOSTILE.items():
            with self.subTest(name):
                found = self.suite(os.path.join(FAULTS, f"fault_{name}.so"))
                fault = [k for k in found["kernels"] if k["op"] == "Fault"][0]
                source = [k for k in found["kernels"] if k["op"] == "FaultSource"][0]
                self.assertIn(phrase, self.texts(fault, code))
                self.assertEqual(source["findings"], [])
                self.assertGreater(source["computed"], 0)

    def test_plugin_that_cannot_be_loaded(self):
        self.assertIn("TF_InitKernel threw", self.suite(os.path.join(FAULTS, "fault_throw_init.so"), code=UNREADABLE))
        self.assertIn("absent", self.suite(os.path.join(self.folder, "absent.so"), code=UNREADABLE))

    def test_standard_plugin(self):
        found = self.suite(MATH, "AddV2", "Cast", "Cumsum", "DenseBincount", "Exp", "Range", "Sum", "_DovetailElementwise",
                           "--inputs", os.path.join(SOURCE, "tests", "cli", "suite_inputs.json"), code=FINE)
        for kernel in found["kernels"]:
            self.assertEqual([f for f in kernel["findings"] if f["level"] != "note"], [])
            self.assertTrue(kernel["not_run"] or kernel["computed"] > 0, kernel)
        self.assertGreater(len(found["kernels"]), 40)

    # ---- one fault each ----

    def test_good(self):
        kernel = self.own(code=FINE)
        self.assertGreater(kernel["computed"], 15)
        done = subprocess.run([DOVETAIL, "check", "--suite", os.path.join(self.folder, "own.so")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (FINE, ""))
        self.assertRegex(done.stdout, r"Own +\d+ +\d+  fine")

    def test_crash_is_a_finding_and_the_rest_goes_on(self):
        kernel = self.own(body="if (count == 91) *(volatile int *)8 = 1;")
        self.assertIn("float[7,13]", self.texts(kernel, "crash"))
        self.assertGreater(kernel["computed"], 10)
        aborts = self.own(body="if (count == 0) abort();")
        self.assertIn("float[0]", self.texts(aborts, "crash"))
        self.assertIn("Abort", self.texts(aborts, "crash"))
        exits = self.own(body="if (count == 7) _exit(3);")
        self.assertIn("exit code 3", self.texts(exits, "crash"))

    def test_crash_on_every_case_ends(self):
        kernel = self.own(body="abort();")
        self.texts(kernel, "crash")
        self.texts(kernel, "given-up")

    def test_values_that_lead_astray(self):
        """Indices that are not checked: extreme and negative values find them."""
        kernel = self.own(body="if (first < 0 || first > 1000) y[first] = 1;", check="TF_TensorElementCount(n) != 1")
        self.assertIn("extreme values", self.texts(kernel, "crash") if any(
            f["code"] == "crash" for f in kernel["findings"]) else self.texts(kernel, "internal"))

    def test_shape_function(self):
        kernel = self.own(shape="""
            TF_DeleteShapeHandle(x); x = TF_ShapeInferenceContextVectorFromSize(ctx, 5);""")
        self.assertRegex(self.texts(kernel, "shape-function"), "output 0 has rank 0, its shape function says 1")
        self.assertRegex(self.texts(kernel, "shape-function"), "dimension 0 of output 0 is 1, its shape function says 5")

    def test_results_that_change(self):
        kernel = self.own(body="static int calls; if (count) y[0] += calls++;")
        self.assertIn("stateful", self.texts(kernel, "not-repeatable"))
        kernel = self.own(body="""for (long i = 0; i < count; i++) { shared = in[i]; for (volatile int k = 0; k < 200; k++);
                                   y[i] = 2 * shared; }
                                   static volatile int busy; int before = busy++; for (volatile int k = 0; k < 20000; k++);
                                   if (before) y[0] = before; busy--;""")
        self.texts(kernel, "concurrent")

    def test_inputs_that_change(self):
        self.texts(self.own(body="if (count) ((float *)in)[0] = 7;"), "changes-input")

    def test_errors_of_kernels_are_no_findings(self):
        kernel = self.own(check="TF_NumDims(n) != 0", code=FINE)
        self.assertGreater(kernel["cases"], kernel["computed"])

    # ---- inputs ----

    def test_inputs_file(self):
        never = dict(check="TF_TensorElementCount(n) != 3 || ((int *)TF_TensorData(n))[2] != 42")
        self.assertIn("n is wrong", self.texts(self.own(**never), "not-exercised"))
        given = {"ops": {"Own": {"inputs": {"n": {"values": [1, 2, 42]}}}}}
        kernel = self.own(self.inputs(given), code=FINE, **never)
        self.assertGreater(kernel["computed"], 10)
        given = {"ops": {"Own": {"cases": [{"inputs": {"x": {"shape": [2], "values": [1, 2]}, "n": {"values": [1, 2, 42]}}}],
                                 "only_cases": True}}}
        kernel = self.own(self.inputs(given), code=FINE, **never)
        self.assertEqual((kernel["cases"], kernel["computed"]), (1, 1))
        kernel = self.own(self.inputs({"ops": {"Own": {"skip": "reads a file"}}}), code=FINE, **never)
        self.assertEqual((kernel["cases"], kernel["not_run"]), (0, "reads a file"))

    def test_inputs_file_beside_the_plugin(self):
        with open(os.path.join(self.folder, "own.check.json"), "w", encoding="utf-8") as file:
            json.dump({"ops": {"Own": {"skip": "reads a file"}}}, file)
        self.assertEqual(self.own(code=FINE)["not_run"], "reads a file")

    def test_bad_inputs_files(self):
        plugin = self.build()
        for content, words in (("", "line 1"), ("{", "name of a member"), ('{"a": 1', "'}'"), ('{"ops": {"a" 1}}', "':' is wanted"), ('{"a": [1,]}', "','"),
                               ('{"a": tru}', "a value is wanted"), ('{"a": "x}', "no end"), ('{} 1', "follows"),
                               ("[" * 100, "too deep"), ('{"a": "\\q"}', "escape")):
            self.assertIn(words, self.suite(plugin, self.inputs(content), code=UNREADABLE), content)
        self.suite(plugin, "--inputs=" + os.path.join(self.folder, "absent.json"), code=UNREADABLE)

    def test_names_of_ops(self):
        self.assertEqual(self.suite(self.build(), "Own", code=FINE)["kernels"][0]["op"], "Own")
        self.assertIn("Owm", self.suite(self.build(), "Owm", code=UNREADABLE))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
