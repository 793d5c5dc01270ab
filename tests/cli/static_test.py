"""The network of the demo from one static file that has its ops and kernels only, beside the ordinary build.

  static_test.py BUILD_FOLDER SOURCE_FOLDER

Prints the file's size. The static program computes exp, log and their kin with the C library, the ordinary one with
SLEEF, each within an ulp or so: results agree to 1e-5 (the network's outputs lie in 0 to 1).
"""

import os
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

BUILD, SOURCE = (os.path.abspath(p) for p in sys.argv[1:3])
MODEL = os.path.join(SOURCE, "build/demo/basic_pitch")
STATIC = os.path.join(BUILD, "static")
OK, BAD_MODEL, BAD_PLUGIN = 0, 4, 5


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def segments(path):
    """The types of an ELF file's program headers."""
    with open(path, "rb") as file:
        head = file.read(64)
        start, size, count = struct.unpack_from("<Q", head, 32)[0], *struct.unpack_from("<HH", head, 54)
        file.seek(start)
        return [struct.unpack("<I", file.read(size)[:4])[0] for _ in range(count)]


class StaticTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([os.path.join(SOURCE, "scripts/static.sh"), STATIC, MODEL], capture_output=True, text=True,
                              env=dict(os.environ, BUILD=BUILD))
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        print(done.stdout, end="")
        cls.program = os.path.join(STATIC, "bin/dovetail")
        cls.ordinary = os.path.join(BUILD, "bin/dovetail")

    def test_it_is_static(self):
        dynamic, interpreter = 2, 3
        self.assertNotIn(interpreter, segments(self.program))
        self.assertNotIn(dynamic, segments(self.program))

    def test_the_network_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            sound = os.path.join(folder, "sound.npy")
            np.save(sound, np.random.default_rng(7).uniform(-0.5, 0.5, (1, 43844, 1)).astype(np.float32))
            for program, out in ((self.program, "static"), (self.ordinary, "ordinary")):
                code, _, err = run(program, "run", MODEL, "--input", "0=" + sound, "--out-dir", os.path.join(folder, out))
                self.assertEqual((code, err), (OK, ""))
            for name in ("contour", "note", "onset"):
                ours, expected = (np.load(os.path.join(folder, out, name + ".npy")) for out in ("static", "ordinary"))
                np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-5)

    def test_it_has_the_selected_ops_only(self):
        code, out, _ = run(self.program, "ops")
        self.assertEqual(code, OK)
        names = {line.split()[0] for line in out.splitlines()[1:]}
        self.assertIn("Conv2D", names)
        self.assertNotIn("Conv3D", names)
        code, out, _ = run(self.program, "kernels", "Relu")
        self.assertIn("float", out)
        self.assertNotIn("double", out)

    def test_what_it_lacks_is_said(self):
        code, _, err = run(self.program, "run", os.path.join(SOURCE, "examples/bitcast/graph.pbtxt"))
        self.assertEqual(code, BAD_MODEL)
        self.assertIn("Bitcast", err)
        plugin = os.path.join(BUILD, "lib/dovetail/plugins/math.so")
        code, _, err = run(self.program, "run", MODEL, "--plugin", plugin)
        self.assertEqual(code, BAD_PLUGIN)
        self.assertIn("linked statically", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
