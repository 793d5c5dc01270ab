"""`dovetail new`: names, folders and errors; with --prefix or --build, that what it makes builds and passes its tests, out of
tree and against an installed Dovetail (--build BUILD installs that build first).

  new_test.py DOVETAIL [--prefix PREFIX | --build BUILD --work FOLDER] [--python PYTHON]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

OK, USAGE, NO_OUTPUT = 0, 2, 6
options = None


class NewTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def call(self, *arguments, code=OK):
        done = subprocess.run([options.dovetail, "new", *arguments], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == OK else done.stderr

    def files(self, folder):
        return {os.path.relpath(os.path.join(base, name), os.path.join(self.folder, folder))
                for base, _, names in os.walk(os.path.join(self.folder, folder)) for name in names}

    def text(self, *path):
        with open(os.path.join(self.folder, *path), encoding="utf-8") as file:
            return file.read()

    def test_files(self):
        common = {"CMakeLists.txt", "README.md", ".gitignore", ".github/workflows/build.yml"}
        self.call("my_ops2")
        self.assertEqual(self.files("my_ops2"), common | {"src/my_ops2.c", "tests/my_ops2_test.c", "tests/my_ops2_test.py"})
        self.call("--cc", "my_ops2", "-o", "deep/down")
        self.assertEqual(self.files("deep/down"), common | {"src/my_ops2.cc", "tests/my_ops2_test.c", "tests/my_ops2_test.py"})
        for folder in ("my_ops2", "deep/down"):
            for path in self.files(folder):
                self.assertNotRegex(self.text(folder, path), r"@\w+@", path)
        self.assertIn('REGISTER_OP("MyOps2Scale")', self.text("deep/down", "src/my_ops2.cc"))
        self.assertIn('"MyOps2Scale"', self.text("my_ops2", "src/my_ops2.c"))
        self.assertIn("ops.my_ops2_scale(", self.text("my_ops2", "tests/my_ops2_test.py"))
        self.assertIn("project(my_ops2 LANGUAGES C)", self.text("my_ops2", "CMakeLists.txt"))

    def test_errors(self):
        for name in ("", "My", "1a", "a-b", "a b", "a__b", "a_", "_a", "../a", "a" * 64):
            self.assertIn("cannot be a plugin's name", self.call(name, code=USAGE), name)
        self.call(code=USAGE)
        self.call("a", "b", code=USAGE)
        self.call("a", "--c", "--cc", code=USAGE)
        self.assertIn("device API", self.call("a", "--cuda", code=USAGE))
        self.assertIn("custom calls", self.call("a", "--xla", code=USAGE))
        self.assertEqual(os.listdir(self.folder), [])
        self.call("a")
        self.assertIn("is there already", self.call("a", code=NO_OUTPUT))
        os.mkdir(os.path.join(self.folder, "empty"))
        self.call("a", "-o", "empty")
        self.assertIn("cannot be written", self.call("a", "-o", os.path.join("a", "README.md", "x"), code=NO_OUTPUT))

    def run_it(self, *command):
        env = {k: v for k, v in os.environ.items()
               if k not in ("DOVETAIL_PLUGIN_PATH", "DOVETAIL_NO_STANDARD_PLUGINS", "LD_LIBRARY_PATH")}
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def prefix(self):
        if options.prefix:
            return options.prefix
        if not options.build:
            self.skipTest("no installed Dovetail is given")
        prefix = os.path.join(options.work, "pre fix")
        shutil.rmtree(prefix, ignore_errors=True)
        self.run_it("cmake", "--install", options.build, "--prefix", prefix)
        return prefix

    def test_builds_and_passes(self):
        prefix = self.prefix()
        command = os.path.join(prefix, "bin", "dovetail")
        for kind in ("c", "cc"):
            with self.subTest(kind):
                folder = os.path.join(self.folder, "some plugin " + kind)
                build = os.path.join(self.folder, "build " + kind)
                self.run_it(command, "new", "sample_" + kind, "--" + kind, "-o", folder)
                python = [f"-DPython3_EXECUTABLE={options.python}"] if options.python else []
                self.run_it("cmake", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
                            "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror",
                            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", *python)
                self.run_it("cmake", "--build", build)
                out = self.run_it("ctest", "--test-dir", build, "--output-on-failure")
                wanted = ["values", "check", "suite"] + (["tensorflow"] if options.python else [])
                self.assertEqual(re.findall(rf": sample_{kind}_(\w+) \.+ +Passed", out), wanted, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("dovetail")
    parser.add_argument("--prefix")
    parser.add_argument("--build")
    parser.add_argument("--work")
    parser.add_argument("--python")
    options = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
