"""The hosts that the tests of the SDK load plugins into, and what a plugin's file says about itself."""

import importlib.util
import os
import subprocess
import sys

STOCK_NOISE = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": ""}


def stock_library():
    """libtensorflow_cc of the TensorFlow that this Python has; None without one."""
    spec = importlib.util.find_spec("tensorflow")
    path = os.path.join(os.path.dirname(spec.origin), "libtensorflow_cc.so.2") if spec and spec.origin else None
    return path if path and os.path.exists(path) else None


class Host:
    """A library that tests/run_in_host opens privately."""

    def __init__(self, name, build, library):
        self.name, self.library = name, library
        self.program = os.path.join(build, "tests", "run_in_host")

    def run(self, plugin, *chains, **env):
        """(what each chain printed, standard error, exit status)."""
        done = subprocess.run([self.program, self.library, plugin, *chains], capture_output=True, text=True,
                              env={**os.environ, **STOCK_NOISE, **env})
        return done.stdout, done.stderr, done.returncode


def hosts(build, sanitized):
    """Dovetail first, then the TensorFlow of this Python and those of DVT_TEST_HOSTS (libtensorflow_cc.so.2 of each, with
    colons between)."""
    found = [Host("Dovetail", build, os.path.join(build, "lib", "libdovetail.so.0"))]
    libraries = [] if sanitized else [stock_library(), *os.environ.get("DVT_TEST_HOSTS", "").split(":")]
    return found + [Host("TensorFlow", build, library) for library in libraries if library]


def run_python(code, *args):
    """Standard output and error of a program in a Python of its own, which may import TensorFlow."""
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True,
                          env={**os.environ, **STOCK_NOISE})
    if done.returncode:
        raise AssertionError(f"exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def symbols(plugin, which):
    """Names in the dynamic symbol table: `--undefined-only` or `--defined-only`; hidden ones are for the linker only."""
    text = subprocess.run(["readelf", "--dyn-syms", "-W", plugin], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    rows = [row for row in rows if len(row) >= 8 and row[0].endswith(":") and row[5] == "DEFAULT"]
    return {row[7].split("@")[0] for row in rows if (row[6] == "UND") == (which == "--undefined-only")}


def needed(plugin):
    text = subprocess.run(["readelf", "-d", "-W", plugin], check=True, capture_output=True, text=True).stdout
    return [line.split("[")[1].split("]")[0] for line in text.splitlines() if "(NEEDED)" in line]
