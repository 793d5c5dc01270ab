"""core_test.py LIBRARY KERNELS FAILURES: the kernels of this folder in Dovetail and in stock TensorFlow.

Expected values are computed with NumPy here. The kernels that go wrong run in Dovetail only.
"""

import importlib.util
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cc"))
from host import Graph, HostError, Library, Type  # noqa: E402

FLOAT, INT64 = Type(1), Type(9)
ATTRS = dict(i=5, f=0.1, b=True, s="hey\0you", t=FLOAT, fs=[0.5, 1e30], bs=[True, False], ss=["a", "", "x" * 30],
             ts=[Type(3), Type(7)], name="here")
ATTRS["is"] = [1, -2]


def run(library, kind, *inputs, outputs=1, **attrs):
    graph = Graph(library)
    try:
        made = [[graph.constant(v) for v in i] if isinstance(i, list) else graph.constant(i) for i in inputs]
        out = graph.op(kind, *made, outputs=outputs, **attrs)
        return graph.run(out if isinstance(out, list) else [out])
    finally:
        graph.close()


def expect(library, values, kind, *inputs, **attrs):
    got = run(library, kind, *inputs, outputs=len(values), **attrs)
    for value, wanted in zip(got, values):
        wanted = np.asarray(wanted)
        assert value.shape == wanted.shape and (value == wanted).all(), f"{kind}: {value} instead of {wanted}"


def expect_error(library, code, text, kind, *inputs, **attrs):
    try:
        run(library, kind, *inputs, **attrs)
    except HostError as error:
        assert error.code == code and text in str(error), f"{kind} {attrs}: {error} instead of {code}: {text}"
        return
    raise AssertionError(f"{kind} {attrs}: no error instead of {code}: {text}")


def check_kernels(lib):
    expect(lib, [[[4, 0], [0, 0]]], "CoreZeroOut", np.array([[4, 5], [6, 7]], np.int32))
    expect(lib, [np.zeros([0], np.int32)], "CoreZeroOut", np.zeros([0], np.int32))
    expect_error(lib, 3, "ZeroOut wants a vector or more, got []", "CoreZeroOut", np.int32(3))
    for dtype in (np.float16, np.float32, np.float64):
        x = np.array([1, 2.5, -3], dtype)
        expect(lib, [x * dtype(0.5) + x.min()], "CoreMix", x, a=0.5)
    big = (np.arange(1000003) % 977).astype(np.float32)
    expect(lib, [big * 2 + big.min()], "CoreMix", big)
    rows = np.array([[b"a", b"bb"], [b"a rather long string that does not fit", b"x"]], object)
    expect(lib, [[b", ".join(row) for row in rows]], "CoreJoin", rows, separator=", ")
    expect(lib, [np.float32([1, 2]), np.float32([6]), np.float32(12)], "CoreScaleAll",
           [np.float32([1, 2]), np.float32([3]), np.float32(4)], N=3, T=FLOAT)
    many = [np.int64([i]) for i in range(12)]
    expect(lib, [v * (i + 1) for i, v in enumerate(many)], "CoreScaleAll", many, N=12, T=INT64)
    expect(lib, [8], "CoreBytes", np.float32([1, 2]))
    expect(lib, [16], "CoreBytes", np.complex128(1))
    expect_error(lib, 3, "No OpKernel was registered to support Op 'CoreBytes'", "CoreBytes", np.float64([1, 2]))
    text = b"10 0.1 1 hey\0you float 1 -2 0.5 1e+30 yes no <a> <> <" + b"x" * 30 + b"> int32 string here CoreAttrs 10"
    expect(lib, [np.array(text, object)], "CoreAttrs", **ATTRS)
    expect(lib, [np.float32([2, 3])], "CoreLater", np.float32([1, 2]))
    expect_error(lib, 3, "CoreLater wants elements", "CoreLater", np.zeros([0], np.float32))
    x = np.arange(100000)
    expect(lib, [x * x, (x * x).sum()], "CoreSquares", x)
    for width in (3, 4):  # rows of three floats are not aligned
        x = np.arange(4 * width, dtype=np.float32).reshape(4, width)
        expect(lib, [x[1:3], x.view(np.int32), x.ravel()], "CoreViews", x)


def check_failures(lib):
    x = np.float32([1, 2, 3])
    expect(lib, [x], "CoreFail", x, how="")
    for how, code, text in (
            ("construct", 13, "in the constructor"), ("throw in construct", 13, "thrown in the constructor"),
            ("check", 13, "Check failed: x.dims() == 7 (1 vs. 7) rank"), ("fatal", 13, "the end"),
            ("throw", 13, "thrown"), ("throw int", 13, "exception of an unknown type"), ("memory", 8, "out of memory"),
            ("type", 13, "A tensor of type float is used as one of type int64"),
            ("rank", 13, "Asking for tensor of 2 dimensions from a tensor of 1 dimensions"),
            ("scalar", 13, "A scalar is asked for, but the tensor has shape [3]"), ("dim", 13, "has no dimension 9"),
            ("input", 11, "input index"), ("shape", 3, "got -3 for dimension 0"), ("huge", 8, "OOM"),
            ("output", 13, "bad index=3"), ("shard", 13, "in a loop"), ("two", 5, "the first")):
        expect_error(lib, code, text, "CoreFail", x, how=how)
    expect(lib, [x], "CoreFail", x, how="")


def main():
    if sys.argv[1] == "in":
        library = Library(sys.argv[2], sys.argv[3:])
        check_kernels(library)
        if len(sys.argv) > 4:
            check_failures(library)
        return 0
    here, library, kernels, failures = sys.argv[:4]
    stock = os.path.join(os.path.dirname(importlib.util.find_spec("tensorflow").origin), "libtensorflow_cc.so.2")
    # Each host in a process of its own.
    runs = [[library, kernels, failures], [stock, kernels]]
    return max(subprocess.run([sys.executable, here, "in", *args]).returncode for args in runs)


sys.exit(main())
