#!/usr/bin/env python3
"""One binary in every host: its file needs nothing of a host, and it computes the same in all of them."""

import argparse
import os
import re
import struct
import unittest

import hosts

options = None
CHAINS = ["SdkSource rows=2 cols=3", "SdkSource rows=0 cols=3", "SdkSource rows=2 cols=3|SdkScale factor=1.5",
          "SdkSource rows=5|SdkScale|SdkScale factor=-0.25"]
PYTHON = """
import sys
import tensorflow as tf
ops = tf.load_op_library(sys.argv[1])
value = ops.sdk_scale(ops.sdk_source(rows=2, cols=3), factor=1.5).numpy()
print(value.dtype, value.shape, value.tobytes().hex())
print(sorted(name for name in dir(ops) if name.startswith("sdk_") and not name.endswith("_eager_fallback")))
"""


class Hosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = hosts.hosts(options.build, options.sanitized)
        cls.plugin = os.path.join(options.build, "tests", "sdk", "scale_plugin.so")

    def test_file_needs_no_host(self):
        undefined = hosts.symbols(self.plugin, "--undefined-only")
        self.assertEqual([name for name in undefined if re.match(r"(TF|TFE|TSL|dvt)_", name)], [])
        self.assertEqual([name for name in hosts.needed(self.plugin) if re.search("tensorflow|dovetail", name)], [])

    def test_file_hides_the_sdk(self):
        defined = hosts.symbols(self.plugin, "--defined-only")
        self.assertEqual([name for name in defined if re.search(r"TF_|dvt_", name)], [])

    def test_same_results_in_every_host(self):
        outputs = {}
        for host in self.hosts:
            out, err, status = host.run(self.plugin, *CHAINS)
            self.assertEqual(status, 0, out + err)
            self.assertNotIn("error", out)
            bound = re.search(r"bound to (\w+) ([\d.]+) in (\d+) ns", err)
            self.assertTrue(bound, err)
            self.assertEqual(bound.group(1), host.name)
            self.assertNotIn("denies", err)
            print(f"{host.name} {bound.group(2)}: bound in {int(bound.group(3)) / 1000:.1f} us")
            outputs[host.library] = out
        self.assertIn("-> 1 [2,3]", outputs[self.hosts[0].library])
        self.assertEqual(len(set(outputs.values())), 1, outputs)

    def test_functions_that_a_host_lacks(self):
        for host in self.hosts:
            out, err, _ = host.run(self.plugin, "SdkSource rows=2|SdkPeek", TF_CPP_MIN_LOG_LEVEL="0")
            self.assertRegex(err, r" I .*a log line of 2 elements")
            if host.name == "Dovetail":
                self.assertIn("-> 9 [2] 0100000000000000 0100000000000000", out)
            else:
                self.assertRegex(out, r"error 12 .*TF_OpKernelContext_StartTime.*TensorFlow 2\.\d+")

    def test_stock_python(self):
        if options.sanitized or not hosts.stock_library():
            self.skipTest("no TensorFlow to import")
        out, err = hosts.run_python(PYTHON, self.plugin)
        values = struct.pack("<6f", 0, 0.75, 1.5, 2.25, 3, 3.75).hex()
        self.assertEqual(out.splitlines()[0], "float32 (2, 3) " + values)
        self.assertEqual(out.splitlines()[1], "['sdk_peek', 'sdk_scale', 'sdk_source']")
        self.assertIn("bound to TensorFlow", err)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--sanitized", action="store_true", help="the build has a sanitizer: Dovetail is the only host")
    options = parser.parse_args()
    unittest.main(argv=["hosts_test"])
