#!/usr/bin/env python3
"""Installs a build with `make install` and uses it as a stranger would: through the CMake package, through pkg-config,
with a plugin made from the installed headers, and with the installed `dovetail` command; then all of it once more after
the whole prefix has moved. The paths have a space in them. Plugins are also built with the SDK alone, which is installed to
a prefix of its own, in the three ways that there are, and run in what the other prefix has."""

import argparse
import filecmp
import os
import shlex
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXPECTED = [2.0, 10.0, 30.0]  # x * x * x + x of cube.pbtxt
options = None


def run(*command, **extra):
    """Standard output of a command that must succeed; nothing in the environment leads to the build tree."""
    env = {name: value for name, value in os.environ.items()
           if name not in ("DOVETAIL_PLUGIN_PATH", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "DESTDIR", "MAKEFLAGS", "MAKELEVEL")}
    env.update(extra.pop("env", {}))
    done = subprocess.run(command, env=env, capture_output=True, text=True, **extra)
    if done.returncode:
        raise AssertionError(f"{shlex.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(**variables):
    words = [f"{name}={value}" for name, value in variables.items()]
    run("make", "-C", ROOT, "-s", "-o", "all", "install", f"BUILD={options.build}", *words)


def files_below(folder):
    """Paths of files and links, relative to the folder."""
    found = set()
    for base, folders, files in os.walk(folder):
        for name in files + [f for f in folders if os.path.islink(os.path.join(base, f))]:
            found.add(os.path.relpath(os.path.join(base, name), folder))
    return found


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(options.work, ignore_errors=True)
        os.makedirs(options.work)
        cls.prefix = os.path.join(options.work, "a place")
        install(PREFIX=cls.prefix)

    def scratch(self, name):
        path = os.path.join(options.work, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def build_plugin(self, prefix):
        folder = self.scratch("plugin")
        plugin = os.path.join(folder, "first_plugin.so")
        run(options.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I",
            os.path.join(prefix, "include", "dovetail-0"),
            os.path.join(ROOT, "examples", "first_plugin", "first_plugin.c"), "-o", plugin)
        return plugin

    def check_consumer(self, program, prefix, **env):
        out = run(program, self.build_plugin(prefix), os.path.join(HERE, "cube.pbtxt"), env=env).split()
        self.assertEqual([float(v) for v in out[:-1]], EXPECTED)
        self.assertEqual(out[-1], options.version)

    def check_cmake_package(self, prefix):
        folder = self.scratch("with cmake")
        run("cmake", "-S", os.path.join(HERE, "consumer"), "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={options.cc}", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        run("cmake", "--build", folder)
        self.check_consumer(os.path.join(folder, "consumer"), prefix)

    def check_pkg_config(self, prefix):
        folder = self.scratch("with pkg-config")
        env = {"PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig")}
        self.assertEqual(run("pkg-config", "--modversion", "dovetail", env=env).strip(), options.version)
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "dovetail", env=env))
        program = os.path.join(folder, "consumer")
        run(options.cc, os.path.join(HERE, "consumer", "consumer.c"), "-o", program, *flags)
        self.check_consumer(program, prefix, LD_LIBRARY_PATH=os.path.join(prefix, "lib"))
        self.check_consumer(program, prefix, LD_LIBRARY_PATH=os.path.join(prefix, "lib", "dovetail", "compat"))
        for variable, name in (("plugindir", "plugins.index"), ("compatdir", "libtensorflow.so.2")):
            path = run("pkg-config", f"--variable={variable}", "dovetail", env=env).strip()
            self.assertTrue(os.path.exists(os.path.join(path.replace("\\ ", " "), name)), path)

    def check_command(self, prefix):
        command = os.path.join(prefix, "bin", "dovetail")
        link = os.path.join(self.scratch("on the path"), "dovetail")
        os.symlink(command, link)
        for name in (command, link):
            self.assertIn("AddV2", run(name, "ops"))
            folder = self.scratch("outputs")
            run(name, "run", os.path.join(HERE, "cube.pbtxt"), "--plugin", self.build_plugin(prefix), "--out-dir", folder)
            with open(os.path.join(folder, "z.npy"), "rb") as file:
                values = memoryview(file.read()[-12:]).cast("f").tolist()
            self.assertEqual(values, EXPECTED)

    def test_all_uses_before_and_after_a_move(self):
        moved = os.path.join(options.work, "moved", "elsewhere")
        shutil.rmtree(os.path.dirname(moved), ignore_errors=True)
        shutil.copytree(self.prefix, moved, symlinks=True)
        hidden = self.prefix + " hidden"
        for prefix in (self.prefix, moved):
            if prefix == moved:
                os.rename(self.prefix, hidden)
            try:
                with self.subTest(prefix=prefix, use="command"):
                    self.check_command(prefix)
                with self.subTest(prefix=prefix, use="CMake package"):
                    self.check_cmake_package(prefix)
                with self.subTest(prefix=prefix, use="pkg-config"):
                    self.check_pkg_config(prefix)
            finally:
                if prefix == moved:
                    os.rename(hidden, self.prefix)

    def check_plugin(self, plugin):
        """The plugin runs in the installed Dovetail and needs no host's library."""
        folder = self.scratch("outputs")
        run(os.path.join(self.prefix, "bin", "dovetail"), "run", os.path.join(HERE, "cube.pbtxt"), "--plugin", plugin,
            "--out-dir", folder)
        with open(os.path.join(folder, "z.npy"), "rb") as file:
            self.assertEqual(memoryview(file.read()[-12:]).cast("f").tolist(), EXPECTED)
        self.assertNotRegex(run("nm", "-D", "--undefined-only", plugin), r"\b(TF|TFE|TSL|dvt)_")
        self.assertNotRegex(run("readelf", "-d", plugin), r"NEEDED.*(tensorflow|dovetail)")

    def test_sdk_alone(self):
        prefix = os.path.join(options.work, "sdk only")
        shutil.rmtree(prefix, ignore_errors=True)
        run("cmake", "--install", options.build, "--component", "sdk", "--prefix", prefix)
        files = files_below(prefix)
        self.assertEqual({os.path.basename(f) for f in files if not f.startswith("include/")},
                         {"libdovetail_sdk.a", "dovetail-config.cmake", "dovetail-config-version.cmake",
                          "dovetail-sdk.cmake", "dovetail-sdk.pc", "LICENSE"})
        source = os.path.join(ROOT, "examples", "every_host", "cube.c")
        env = {"PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig")}
        with self.subTest(use="one command"):
            plugin = os.path.join(self.scratch("with one command"), "cube.so")
            run(options.cc, "-shared", "-fPIC", "-I", os.path.join(prefix, "include", "dovetail-0"), source,
                os.path.join(prefix, "lib", "libdovetail_sdk.a"), "-o", plugin)
            self.check_plugin(plugin)
        with self.subTest(use="pkg-config"):
            plugin = os.path.join(self.scratch("with pkg-config"), "cube.so")
            flags = shlex.split(run("pkg-config", "--cflags", "--libs", "dovetail-sdk", env=env))
            run(options.cc, source, *flags, "-o", plugin)
            self.check_plugin(plugin)
        with self.subTest(use="CMake package"):
            folder = self.scratch("with cmake")
            run("cmake", "-S", os.path.join(ROOT, "examples", "every_host"), "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
                f"-DCMAKE_C_COMPILER={options.cc}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
            run("cmake", "--build", folder)
            for name in ("cube.so", "cube_cc.so"):
                self.check_plugin(os.path.join(folder, name))

    def test_destdir_holds_the_same_files(self):
        stage = self.scratch("stage")
        install(DESTDIR=stage, PREFIX="/opt/dove tail")
        staged = os.path.join(stage, "opt", "dove tail")
        self.assertEqual(files_below(stage), {os.path.join("opt/dove tail", f) for f in files_below(staged)})
        self.assertEqual(files_below(staged), files_below(self.prefix))
        # The package's CMake files name no prefix either, so every file is the same.
        _, different, missing = filecmp.cmpfiles(self.prefix, staged, files_below(staged), shallow=False)
        self.assertEqual((different, missing), ([], []))

    def test_installed_files(self):
        files = files_below(self.prefix)
        for name in ("bin/dovetail", "lib/libdovetail.so", "lib/libdovetail.so.0", "lib/dovetail/plugins/plugins.index",
                     "lib/dovetail/plugins/math.so", "lib/dovetail/compat/libtensorflow_cc.so.2",
                     "lib/cmake/dovetail/dovetail-config.cmake", "lib/pkgconfig/dovetail.pc", "lib/libdovetail_sdk.a",
                     "lib/cmake/dovetail/dovetail-sdk.cmake", "lib/pkgconfig/dovetail-sdk.pc",
                     "share/doc/dovetail/LICENSE"):
            self.assertIn(name, files)
        headers = {os.path.join("include/dovetail-0", f) for f in files_below(os.path.join(ROOT, "include"))}
        self.assertEqual({f for f in files if f.startswith("include/")}, headers)
        with open(os.path.join(self.prefix, "lib/dovetail/plugins/plugins.index"), encoding="utf-8") as index:
            for plugin in {line.split()[1] for line in index if line.strip()}:
                self.assertIn("lib/dovetail/plugins/" + plugin, files)

    def test_nothing_leads_out_of_the_prefix(self):
        real = os.path.realpath(self.prefix)
        paths = [os.path.realpath(p).encode() for p in (ROOT, options.build, self.prefix)]
        for name in sorted(files_below(self.prefix)):
            path = os.path.join(self.prefix, name)
            if os.path.islink(path):
                self.assertFalse(os.path.isabs(os.readlink(path)), name)
                self.assertTrue(os.path.exists(path), name)
                self.assertEqual(os.path.commonpath([real, os.path.realpath(path)]), real, name)
                continue
            with open(path, "rb") as file:
                content = file.read()
            for mentioned in paths:
                self.assertFalse(mentioned in content, f"{name} mentions {mentioned.decode()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder to install")
    parser.add_argument("--version", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--work", required=True, help="folder to work in, replaced")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.work = os.path.abspath(options.work)
    unittest.main(argv=sys.argv[:1])
