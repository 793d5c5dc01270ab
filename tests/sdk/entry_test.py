#!/usr/bin/env python3
"""What DVT_PLUGIN promises: a plugin registers exactly once whichever way a host loads it, and what is wrong with it is said
in words that tell its author what to change."""

import argparse
import os
import subprocess
import unittest

import hosts

options = None
PLUGGABLE = {"RUN_LOADER": "TF_LoadPluggableDeviceLibrary"}
SEVEN = "-> 3 [] 07000000"
PYTHON = """
import sys
import tensorflow as tf
ops = tf.load_op_library(sys.argv[1])
print(int(ops.entry_one()))
tf.load_library(sys.argv[1])
"""


class Entry(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = hosts.hosts(options.build, options.sanitized)
        cls.dovetail = cls.hosts[0]
        cls.stocks = cls.hosts[1:]

    def plugin(self, name):
        return os.path.join(options.build, "tests", "sdk", name + ".so")

    def require_stock(self):
        if not self.stocks:
            self.skipTest("no TensorFlow here")

    def test_registers_once_however_it_is_loaded(self):
        for host in self.hosts:
            for env in ({}, PLUGGABLE):
                for name, op in (("entry_plugin", "EntryOne"), ("entry_cc", "EntryCc")):
                    with self.subTest(host=host.library, plugin=name, **env):
                        out, err, _ = host.run(self.plugin(name), *["EntryOne"] * (op == "EntryOne"), **env)
                        self.assertEqual(err.count("registered " + op + ": 0"), 1, out + err)
                        self.assertNotIn("registers nothing", err)
                        self.assertNotIn("error", out)
                        if op == "EntryOne":
                            self.assertIn(SEVEN, out)

    def test_loaded_twice_by_one_host(self):
        for host in self.hosts:
            path = self.plugin("entry_plugin")
            out, err, _ = host.run(path + "," + path, "EntryOne")
            self.assertEqual(err.count("registered"), 1, err)
            self.assertIn(SEVEN, out)

    def test_stock_python(self):
        self.require_stock()
        out, err = hosts.run_python(PYTHON, self.plugin("entry_plugin"))
        self.assertEqual((out, err.count("registered EntryOne: 0")), ("7\n", 1), err)

    def test_exported_symbols(self):
        for name in ("entry_plugin", "entry_cc"):
            defined = {n for n in hosts.symbols(self.plugin(name), "--defined-only") if not n.startswith(("_", "__asan"))}
            self.assertLessEqual({"TF_InitKernel", "InitPlugin", "dvt_plugin_record"}, defined)
            self.assertEqual({n for n in defined if n.startswith(("dvt_", "TF_"))}, {"TF_InitKernel", "dvt_plugin_record"})

    def test_record_can_be_read_from_the_file(self):
        with open(self.plugin("entry_needs"), "rb") as file:
            text = file.read().split(b"dovetail-plugin\0", 1)[1].split(b"\0\0")[0]
        self.assertEqual(text.split(b"\0"), [b"sdk=1", b"name=needs", b"version=0.1", b"licence=Apache-2.0",
                                             b"needs=logging  shape-attrs"])

    def test_needed_feature(self):
        out, err, _ = self.dovetail.run(self.plugin("entry_needs"), "EntryNeeds")
        self.assertIn(SEVEN, out)
        for stock in self.stocks:
            out, err, _ = stock.run(self.plugin("entry_needs"))
            self.assertNotIn("registered", err)
            self.assertRegex(err, r'plugin needs 0.1 registers nothing: it needs "shape-attrs", which TensorFlow 2\.\d+\.\d+ '
                                  r'does not have. .*dvt_host_supports\("shape-attrs"\)')

    def test_feature_of_the_future(self):
        out, err, _ = self.dovetail.run(self.plugin("entry_future"))
        self.assertNotIn("registered", err)
        self.assertRegex(out, r'error 9 .*entry_future.so \(future, version 0.1\) needs "time-travel".* later Dovetail')
        for stock in self.stocks:
            self.assertRegex(stock.run(self.plugin("entry_future"))[1], 'registers nothing: it needs "time-travel"')

    def test_two_versions(self):
        both = self.plugin("entry_plugin") + "," + self.plugin("entry_twin")
        out, err, _ = self.dovetail.run(both, "EntryOne", "EntryTwin")
        self.assertEqual(err.count("registered"), 1, err)
        self.assertRegex(out, r"load: error 6 .*entry_twin.so is version 1.1 of entry, whose version 1.0 is loaded from "
                              r".*entry_plugin.so. Unload")
        for stock in self.stocks:
            out, err, _ = stock.run(both, "EntryOne")
            self.assertEqual(err.count("registered"), 1, err)
            self.assertIn(SEVEN, out)
            self.assertRegex(err, r"plugin entry 1.1 registers nothing: version 1.0 of it is loaded from .*entry_plugin.so")

    def test_registers_nothing(self):
        out, _, _ = self.dovetail.run(self.plugin("entry_nothing"))
        self.assertRegex(out, r"error 9 .*\(nothing, version 0.1\) registers nothing. The function that DVT_PLUGIN names")
        for stock in self.stocks:
            self.assertIn("plugin nothing 0.1 registers nothing: neither the function",
                          stock.run(self.plugin("entry_nothing"))[1])

    def test_other_abi(self):
        out, _, _ = self.dovetail.run(self.plugin("entry_abi"))
        self.assertRegex(out, r"error 9 .*\(abi, version 3.0\) was built with version 99 of the SDK's ABI; Dovetail .* knows "
                              r"versions 1 to 1. Use the Dovetail that")

    def test_no_host(self):
        program = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).TF_InitKernel()"
        if options.sanitized:
            self.skipTest("a plugin with a sanitizer does not open here")
        _, err = hosts.run_python(program, self.plugin("entry_plugin"))
        self.assertIn("there is neither Dovetail nor TensorFlow in this process", err)
        self.assertNotIn("registered", err)

    def test_header_and_archive_that_do_not_fit(self):
        source = os.path.join(options.build, "tests", "sdk", "misfit.c")
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(root, "include", "dovetail", "sdk.h"), encoding="utf-8") as file:
            header = file.read().replace("dvt_sdk_abi_1", "dvt_sdk_abi_2")
        with open(source, "w", encoding="utf-8") as file:
            file.write(header + 'static void nothing(void) {}\nDVT_PLUGIN("misfit", "1", "", "", nothing)\n')
        done = subprocess.run(["cc", "-shared", "-fPIC", "-I", os.path.join(root, "include"), source,
                               os.path.join(options.build, "lib", "libdovetail_sdk.a"), "-o", source + ".so"],
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("dvt_sdk_abi_2", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--sanitized", action="store_true", help="the build has a sanitizer: Dovetail is the only host")
    options = parser.parse_args()
    unittest.main(argv=["entry_test"])
