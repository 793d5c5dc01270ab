"""Checkpoints in both directions against stock TensorFlow.

  checkpoint_test.py LIBDOVETAIL CHECKPOINT_COPY

Stock writes one with many dtypes, strings, sizes and a partitioned variable; Dovetail's TF_CheckpointReader must give the
same values. Then checkpoint_copy writes them again and stock must read the copy.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

LIBRARY, COPY = sys.argv[1:3]
DTYPES = ["float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
          "uint64", "bool", "complex64", "complex128"]


def load(path):
    lib = ctypes.CDLL(path)
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in (
            ("TF_NewStatus", pointer, []), ("TF_DeleteStatus", None, [pointer]), ("TF_GetCode", ctypes.c_int, [pointer]),
            ("TF_Message", text, [pointer]), ("TF_NewCheckpointReader", pointer, [text, pointer]),
            ("TF_DeleteCheckpointReader", None, [pointer]), ("TF_CheckpointReaderSize", ctypes.c_int, [pointer]),
            ("TF_CheckpointReaderHasTensor", ctypes.c_int, [pointer, text]),
            ("TF_CheckpointReaderGetVariable", text, [pointer, ctypes.c_int]),
            ("TF_CheckpointReaderGetVariableDataType", ctypes.c_int, [pointer, text]),
            ("TF_CheckpointReaderGetVariableNumDims", ctypes.c_int, [pointer, text]),
            ("TF_CheckpointReaderGetVariableShape", None,
             [pointer, text, ctypes.POINTER(ctypes.c_int64), ctypes.c_int, pointer]),
            ("TF_CheckpointReaderGetTensor", pointer, [pointer, text, pointer]),
            ("TF_TensorData", pointer, [pointer]), ("TF_TensorByteSize", ctypes.c_size_t, [pointer]),
            ("TF_TensorElementCount", ctypes.c_int64, [pointer]), ("TF_DeleteTensor", None, [pointer]),
            ("TF_StringGetDataPointer", pointer, [pointer]), ("TF_StringGetSize", ctypes.c_size_t, [pointer])):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


LIB = load(LIBRARY)


class Reader:
    def __init__(self, prefix):
        self.status = LIB.TF_NewStatus()
        self.reader = LIB.TF_NewCheckpointReader(prefix.encode(), self.status)

    def error(self):
        return LIB.TF_GetCode(self.status), LIB.TF_Message(self.status).decode()

    def close(self):
        LIB.TF_DeleteCheckpointReader(self.reader)
        LIB.TF_DeleteStatus(self.status)

    def names(self):
        return [LIB.TF_CheckpointReaderGetVariable(self.reader, i).decode()
                for i in range(LIB.TF_CheckpointReaderSize(self.reader))]

    def get(self, name):
        key = name.encode()
        dtype = tf.dtypes.as_dtype(LIB.TF_CheckpointReaderGetVariableDataType(self.reader, key))
        rank = LIB.TF_CheckpointReaderGetVariableNumDims(self.reader, key)
        dims = (ctypes.c_int64 * max(rank, 1))()
        LIB.TF_CheckpointReaderGetVariableShape(self.reader, key, dims, rank, self.status)
        assert self.error()[0] == 0, self.error()
        tensor = LIB.TF_CheckpointReaderGetTensor(self.reader, key, self.status)
        assert self.error()[0] == 0, self.error()
        shape = tuple(dims[i] for i in range(rank))
        if dtype == tf.string:
            cells = [LIB.TF_TensorData(tensor) + 24 * i for i in range(LIB.TF_TensorElementCount(tensor))]
            values = [ctypes.string_at(LIB.TF_StringGetDataPointer(c), LIB.TF_StringGetSize(c)) for c in cells]
            array = np.array(values, dtype=object).reshape(shape)
        else:
            data = ctypes.string_at(LIB.TF_TensorData(tensor), LIB.TF_TensorByteSize(tensor))
            array = np.frombuffer(data, dtype=dtype.as_numpy_dtype).reshape(shape)
        LIB.TF_DeleteTensor(tensor)
        return array


def raw_save(prefix, tensors):
    names = list(tensors)
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=[""] * len(names),
                      tensors=[tensors[name] for name in names])


def sample():
    random = np.random.default_rng(3)
    tensors = {}
    for i, name in enumerate(DTYPES):
        dtype = tf.dtypes.as_dtype(name)
        values = random.integers(0, 2 if name == "bool" else 100, size=(3, i % 4, 5) if i % 3 else (7,))
        tensors["dtype/" + name] = tf.constant(values.astype(dtype.as_numpy_dtype))
    tensors["scalar"] = tf.constant(2.5)
    tensors["none"] = tf.zeros([0, 3])
    tensors["words"] = tf.constant([[b"a", b"", b"x" * 300], [b"\0\xff", "é".encode(), b"z" * 23]])
    tensors["one_word"] = tf.constant(b"hello")
    tensors["large"] = tf.constant(random.standard_normal((600, 700)).astype(np.float32))
    for i in range(3000):  # an index with many entries and shared prefixes
        tensors["scope/with/a/long/name/variable_%04d" % i] = tf.constant(i)
    return tensors


class CheckpointTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = os.path.join(folder.name, "stock")
        self.copied = os.path.join(folder.name, "copy", "again")

    def check(self, reader, expected):
        self.assertEqual(reader.names(), sorted(expected))
        for name, value in expected.items():
            np.testing.assert_array_equal(reader.get(name), value.numpy() if tf.is_tensor(value) else value, name)

    def test_stock_writes_dovetail_reads(self):
        expected = sample()
        raw_save(self.prefix, expected)
        reader = Reader(self.prefix)
        self.assertEqual(reader.error()[0], 0, reader.error())
        self.check(reader, expected)
        self.assertEqual(LIB.TF_CheckpointReaderHasTensor(reader.reader, b"scalar"), 1)
        self.assertEqual(LIB.TF_CheckpointReaderHasTensor(reader.reader, b"no"), 0)
        LIB.TF_CheckpointReaderGetTensor(reader.reader, b"scaler", reader.status)
        code, message = reader.error()
        self.assertEqual(code, 5)
        self.assertIn("'scalar'", message)
        reader.close()

    def test_dovetail_writes_stock_reads(self):
        expected = sample()
        raw_save(self.prefix, expected)
        subprocess.run([COPY, self.prefix, self.copied], check=True)
        stock = tf.train.load_checkpoint(self.copied)
        self.assertEqual(sorted(stock.get_variable_to_shape_map()), sorted(expected))
        for name, value in expected.items():
            np.testing.assert_array_equal(stock.get_tensor(name), value.numpy(), name)

    def test_partitioned_variables(self):
        values = np.arange(7 * 5, dtype=np.float32).reshape(7, 5)
        wide = np.array([[("w%d" % (i * 300 + j)).encode() for j in range(300)] for i in range(2)], dtype=object)
        specs, parts, names = [], [], []
        for start, length in ((0, 3), (3, 4)):
            names.append("v")
            specs.append("7 5 %d,%d:-" % (start, length))
            parts.append(tf.constant(values[start:start + length]))
        for start, length in ((0, 100), (100, 200)):  # extents that take more than one byte in the slice's key
            names.append("w")
            specs.append("2 300 -:%d,%d" % (start, length))
            parts.append(tf.constant(wide[:, start:start + length]))
        tf.raw_ops.SaveV2(prefix=self.prefix, tensor_names=names, shape_and_slices=specs, tensors=parts)
        reader = Reader(self.prefix)
        self.check(reader, {"v": values, "w": wide})
        reader.close()

    def test_sharded_files(self):
        parts = []
        for i in range(3):
            part = "%s_temp/part-%05d-of-00003" % (self.prefix, i)
            os.makedirs(os.path.dirname(part), exist_ok=True)
            raw_save(part, {"t%d" % i: tf.fill([4], i)})
            parts.append(part)
        tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=self.prefix)
        self.assertTrue(os.path.exists(self.prefix + ".data-00002-of-00003"))
        reader = Reader(self.prefix)
        self.check(reader, {"t%d" % i: np.full(4, i, np.int32) for i in range(3)})
        reader.close()

    def test_damage(self):
        raw_save(self.prefix, {"x": tf.range(100)})
        data = self.prefix + ".data-00000-of-00001"
        with open(data, "r+b") as file:
            file.seek(17)
            file.write(b"\x7f")
        reader = Reader(self.prefix)
        self.assertIsNone(LIB.TF_CheckpointReaderGetTensor(reader.reader, b"x", reader.status))
        self.assertEqual(reader.error()[0], 15)  # DATA_LOSS, as in stock
        reader.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
