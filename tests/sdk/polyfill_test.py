#!/usr/bin/env python3
"""What the SDK brings to hosts that lack it answers as Dovetail's own functions do: the same calls, the same lines."""

import argparse
import os
import unittest

import hosts

options = None


class Polyfills(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = hosts.hosts(options.build, options.sanitized)
        cls.plugin = os.path.join(options.build, "tests", "sdk", "polyfill_plugin.so")

    def compare(self, *chain):
        outputs = []
        for host in self.hosts:
            with self.subTest(host=host.library):
                out, err, status = host.run(",".join([self.plugin, self.plugin.replace("polyfill", "scale")]), *chain)
                self.assertEqual(status, 0, out + err)
                self.assertNotIn(": error", out.splitlines()[0])
                self.assertNotIn("is not there", err)
                outputs.append(out.splitlines())
        for line in zip(*outputs):
            self.assertEqual(len(set(line)), 1)
        self.assertEqual(len({len(lines) for lines in outputs}), 1)
        return outputs[0]

    def test_shapes(self):
        lines = self.compare("SdkShapes")
        self.assertIn("merge [?,3] [2,?] [2,3] of 6, 1", lines)
        self.assertIn("broadcast [1,3] [4,3] [4,3] of 12, 1", lines)
        self.assertGreater(len(lines), 900)

    def test_attrs(self):
        lines = self.compare("SdkAttrs")
        self.assertTrue(any(line.startswith("full: whole 0,2; part 3; part 0 2: 2 3") for line in lines), lines)

    def test_inputs(self):
        lines = self.compare("SdkSource rows=3|SdkInputs +2")
        self.assertIn("x: 0 12; 0 type 1", lines)

    def test_loops_and_strings(self):
        lines = self.compare("SdkLoops")
        self.assertIn("16384 at 100: 134209536 1", lines)
        self.assertIn("nested 33521664", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--sanitized", action="store_true", help="the build has a sanitizer: Dovetail is the only host")
    options = parser.parse_args()
    unittest.main(argv=["polyfill_test"])
