"""`dovetail select`: the header names what models need, and compiles to conditions in C and C++ (document 003).

  select_test.py DOVETAIL SOURCE_FOLDER
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from cli_graphs import node, placeholder

DOVETAIL, SOURCE = sys.argv[1:3]
OK, USAGE, BAD_MODEL, NO_OUTPUT = 0, 2, 4, 6


def graph(*nodes):
    return "".join(nodes)


RELU = graph(placeholder("x", "DT_FLOAT", [2]), node("y", "Relu", ["x"], T="type: DT_FLOAT"))
ABS = graph(placeholder("x", "DT_DOUBLE", [2]), node("y", "Abs", ["x"], T="type: DT_DOUBLE"))

C_CHECK = """
#define SELECTIVE_REGISTRATION
#include <stdio.h>
#include "dovetail/selective_registration.h"
static const char *const ops[] = {DVT_IF_OP(Relu, "Relu", ) DVT_IF_OP(Abs, "Abs", "more", ) DVT_IF_OP(Elu, "Elu", )};
static const char *const kernels[] = {DVT_IF_KERNEL(relu_f32, "relu_f32", ) DVT_IF_KERNEL(relu_f64, "relu_f64", )};
int main(void) {
  for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) printf("%s ", ops[i]);
  for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) printf("%s ", kernels[i]);
  printf("%d%d%d%d\\n", SHOULD_REGISTER_OP("Relu"), SHOULD_REGISTER_OP("Elu"), SHOULD_REGISTER_OP_KERNEL("abs_f64"),
         SHOULD_REGISTER_OP_KERNEL("abs_f32"));
}
"""
CC_CHECK = """
#define SELECTIVE_REGISTRATION
#include "dovetail/selective_registration.h"
static_assert(SHOULD_REGISTER_OP("Relu") && SHOULD_REGISTER_OP("Abs") && !SHOULD_REGISTER_OP("Elu"), "ops");
static_assert(SHOULD_REGISTER_OP_KERNEL("relu_f32") && !SHOULD_REGISTER_OP_KERNEL("relu_f64"), "kernels");
static_assert(SHOULD_REGISTER_OP_KERNEL(" relu_f32 "), "spaces in the text of a class do not count");
static_assert(!SHOULD_REGISTER_OP_KERNEL("relu_f3") && !SHOULD_REGISTER_OP_KERNEL("relu_f322"), "whole names");
static_assert(!SHOULD_REGISTER_OP_GRADIENT, "gradients");
int main() { return 0; }
"""
ALL_CHECK = """
#include "dovetail/selective_registration.h"
static_assert(SHOULD_REGISTER_OP("Any") && SHOULD_REGISTER_OP_KERNEL("any") && SHOULD_REGISTER_OP_GRADIENT, "all");
int main() { return DVT_IF_OP(Any, 2 -) DVT_IF_KERNEL(any, 1); }
"""


class SelectTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "w") as file:
                file.write(content)
        return path

    def dovetail(self, *arguments):
        run = subprocess.run([DOVETAIL, *arguments], capture_output=True, text=True)
        return run.returncode, run.stdout, run.stderr

    def select(self, *models):
        header = self.path("ops_to_register.h")
        code, out, err = self.dovetail("select", *models, "-o", header)
        self.assertEqual((code, err), (OK, ""))
        with open(header) as file:
            text = file.read()
        lists = {}
        for macro in ("OPS", "KERNELS"):
            block = re.search(r"#define DVT_SELECTED_%s\(X\)((?:.*\\\n)*.*\n)" % macro, text).group(1)
            lists[macro] = re.findall(r'X\("([^"]*)"\)', block)
        self.assertIn("%d ops, %d kernels" % (len(lists["OPS"]), len(lists["KERNELS"])), out)
        return lists["OPS"], lists["KERNELS"]

    def compile(self, name, source, *flags):
        program = self.path("program")
        done = subprocess.run(flags + ("-Wall", "-Wextra", "-Werror", "-I" + os.path.join(SOURCE, "include"),
                                       "-I" + self.folder, self.path(name, source), "-o", program),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return subprocess.run([program], capture_output=True, text=True)

    def test_one_model(self):
        ops, kernels = self.select(self.path("relu.pbtxt", RELU))
        self.assertIn("Relu", ops)
        self.assertIn("Placeholder", ops)
        self.assertIn("relu_f32", kernels)
        self.assertFalse([k for k in kernels if k.startswith("relu") and k != "relu_f32"])

    def test_several_models(self):
        ops, kernels = self.select(self.path("relu.pbtxt", RELU), self.path("abs.pbtxt", ABS))
        self.assertEqual(ops, sorted(set(ops)))
        self.assertEqual(kernels, sorted(set(kernels)))
        self.assertTrue({"Relu", "Abs"} <= set(ops) and {"relu_f32", "abs_f64"} <= set(kernels))

    def test_fused_nodes_count(self):
        chain = graph(placeholder("x", "DT_FLOAT", [2]), node("a", "Sqrt", ["x"], T="type: DT_FLOAT"),
                      node("b", "Exp", ["a"], T="type: DT_FLOAT"), node("y", "Mul", ["a", "b"], T="type: DT_FLOAT"))
        ops, kernels = self.select(self.path("chain.pbtxt", chain))
        self.assertTrue({"Sqrt", "Exp", "Mul", "_DovetailElementwise"} <= set(ops))
        self.assertTrue({"sqrt_f32", "exp_f32", "mul_f32"} <= set(kernels))

    def test_conditions_in_c(self):
        self.select(self.path("relu.pbtxt", RELU), self.path("abs.pbtxt", ABS))
        run = self.compile("check.c", C_CHECK, "gcc", "-std=c17")
        self.assertEqual(run.stdout, "Relu Abs more relu_f32 1010\n")

    def test_conditions_in_cc(self):
        self.select(self.path("relu.pbtxt", RELU), self.path("abs.pbtxt", ABS))
        self.compile("check.cc", CC_CHECK, "g++", "-std=c++17")
        self.assertEqual(self.compile("all.cc", ALL_CHECK, "g++", "-std=c++17").returncode, 1)

    def test_without_a_file_it_is_printed(self):
        code, out, _ = self.dovetail("select", self.path("relu.pbtxt", RELU))
        self.assertEqual(code, OK)
        self.assertIn("#define DVT_OP_Relu 1\n", out)

    def test_errors(self):
        model = self.path("relu.pbtxt", RELU)
        code, _, err = self.dovetail("select")
        self.assertEqual(code, USAGE)
        self.assertIn("at least one MODEL", err)
        code, _, err = self.dovetail("select", model, "-o", self.path("no/folder.h"))
        self.assertEqual(code, NO_OUTPUT)
        self.assertIn("no/folder.h", err)
        unknown = self.path("unknown.pbtxt", graph(placeholder("x", "DT_FLOAT", [2]), node("y", "NoSuchOp", ["x"])))
        code, _, err = self.dovetail("select", unknown, "-o", self.path("out.h"))
        self.assertEqual(code, BAD_MODEL)
        self.assertIn("NoSuchOp", err)
        self.assertFalse(os.path.exists(self.path("out.h")), "nothing is written when it fails")
        no_kernel = self.path("no_kernel.pbtxt", graph(placeholder("x", "DT_STRING", [2]),
                                                       node("y", "Relu", ["x"], T="type: DT_STRING")))
        code, _, err = self.dovetail("select", no_kernel)
        self.assertEqual(code, BAD_MODEL)
        self.assertIn("Relu", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
