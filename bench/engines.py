"""What runs a model for the benchmarks: a process each, that opens the model once and then times runs when it is told to.

capi(...)    any libtensorflow through the C API (tools/against), Dovetail and stock TensorFlow alike
python(...)  stock TensorFlow or onnxruntime as their Python users call them (bench/python_engine.py)
Every engine has .open_ms, .first_ms, .outputs (NumPy arrays of the first run), .runs(n) -> milliseconds, .close().
"""
import json
import os
import struct
import subprocess
import sys

import numpy as np
from environment import BUILD, ROOT

SAVED_MODEL, GRAPH_DEF = 1, 2
DTYPES = {1: np.float32, 2: np.float64, 3: np.int32, 9: np.int64}  # TF_DataType
CODES = {np.dtype(v): k for k, v in DTYPES.items()}
# ConfigProto.experimental.executor_type, and RunOptions.inter_op_thread_pool = -1: all in the caller's thread.
ONE_EXECUTOR_THREAD = (b"\x82\x01\x1a\x1a\x18SINGLE_THREADED_EXECUTOR".hex(), "18ffffffffffffffffff01")


class Capi:
    """A process of dovetail-against; what is said over the pipes is in tools/against/pipe.h."""

    def __init__(self, library, kind, path, threads, inputs, outputs, settings=()):
        env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", LD_LIBRARY_PATH=library)
        self.process = subprocess.Popen([os.path.join(BUILD, "bin", "dovetail-against"), library, *settings],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self._int(kind)
        self._text(path)
        self._list(["serve"] if kind == SAVED_MODEL else [], self._text)
        self._int(threads)
        self._list(inputs.items(), self._input)
        self._list(outputs, self._text)
        self._flush()
        failed, version = self._get("q"), self._bytes().decode()
        if failed:
            raise RuntimeError(f"{library}: {path}: {version}")
        self.version = version
        self.load_ms, self.open_ms, self.first_ms = (self._get("d") for _ in range(3))
        self.outputs = [self._output() for _ in outputs]

    def runs(self, count):
        self._int(count)
        self._flush()
        return [self._get("d") for _ in range(count)]

    def close(self):
        self._int(0)
        self._flush()
        peak = self._get("q")
        self.process.communicate()
        return peak

    def _int(self, value):
        self.process.stdin.write(struct.pack("q", value))

    def _text(self, text):
        self._raw(text.encode())

    def _raw(self, data):
        self._int(len(data))
        self.process.stdin.write(data)

    def _list(self, values, put):
        self._int(len(values))
        for value in values:
            put(value)

    def _input(self, item):
        name, value = item
        self._text(name)
        for number in (CODES[value.dtype], value.ndim, *value.shape):
            self._int(number)
        self._raw(value.tobytes())

    def _flush(self):
        try:
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # its answer, or its silence, says why

    def _read(self, size):
        data = self.process.stdout.read(size)
        if len(data) < size:
            raise RuntimeError("dovetail-against ended: " + self.process.stderr.read().decode(errors="replace")[-500:])
        return data

    def _get(self, code):
        return struct.unpack(code, self._read(8))[0]

    def _bytes(self):
        return self._read(self._get("q"))

    def _output(self):
        dtype, rank = self._get("q"), self._get("q")
        dims = [self._get("q") for _ in range(rank)]
        return np.frombuffer(self._bytes(), DTYPES[dtype]).reshape(dims)


class Python:
    """A process of bench/python_engine.py; says and is told lines of JSON."""

    def __init__(self, engine, folder, threads):
        script = os.path.join(ROOT, "bench", "python_engine.py")
        self.process = subprocess.Popen([sys.executable, script, engine, folder, str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        facts = self._answer()
        self.version, self.open_ms, self.first_ms = facts["version"], facts["open_ms"], facts["first_ms"]
        self.outputs = [np.asarray(values, np.float64) for values in facts["outputs"]]

    def runs(self, count):
        print(count, file=self.process.stdin, flush=True)
        return self._answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{' '.join(self.process.args[1:])} ended with {self.process.wait()}")
        return json.loads(line)


def scaled_difference(ours, theirs):
    """Greatest difference of any output over the greatest magnitude of that output; infinite where shapes differ."""
    worst = 0.0
    for a, b in zip(ours, theirs):
        if a.shape != b.shape or np.isnan(a).any() != np.isnan(b).any():
            return float("inf")
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        worst = max(worst, float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)))
    return worst if len(ours) == len(theirs) else float("inf")
