"""host.py: graphs over the C interface of whatever library is given, Dovetail or stock TensorFlow alike, through ctypes.

Graph(library) makes one; op() adds a node and returns its outputs, shape() tells what is inferred of an output, run() computes.
What the host refuses is a HostError with the code and the message.
"""

import ctypes
import os

import numpy as np

DTYPES = {
    'float32': 1, 'float64': 2, 'int32': 3, 'uint8': 4, 'int16': 5, 'int8': 6, 'object': 7, 'complex64': 8, 'int64': 9,
    'bool': 10, 'uint16': 17, 'complex128': 18, 'float16': 19, 'uint32': 22, 'uint64': 23,
}
NUMPY = {number: np.dtype(name) for name, number in DTYPES.items()}
STRING, HALF_AS_BFLOAT16 = 7, 14


class Output(ctypes.Structure):
    _fields_ = [('oper', ctypes.c_void_p), ('index', ctypes.c_int)]


class HostError(Exception):
    def __init__(self, code, message):
        super().__init__('%d: %s' % (code, message))
        self.code, self.message = code, message


class Library:
    """The functions of one library; call() raises what the last argument, a status, says."""

    POINTERS = ('TF_NewStatus', 'TF_NewGraph', 'TF_NewSession', 'TF_NewSessionOptions', 'TF_NewOperation', 'TF_FinishOperation',
                'TF_LoadLibrary', 'TF_TensorData', 'TF_AllocateTensor', 'TF_GraphOperationByName')

    def __init__(self, path, plugins=()):
        self.c = ctypes.CDLL(path, os.RTLD_GLOBAL | os.RTLD_NOW)
        for name in self.POINTERS:
            getattr(self.c, name).restype = ctypes.c_void_p
        self.c.TF_Message.restype = ctypes.c_char_p
        self.c.TF_Dim.restype = ctypes.c_int64
        self.c.TF_TensorByteSize.restype = ctypes.c_size_t
        self.status = ctypes.c_void_p(self.c.TF_NewStatus())
        for plugin in plugins:
            self.call('TF_LoadLibrary', os.fspath(plugin).encode())

    def call(self, name, *args):
        self.c.TF_SetStatus(self.status, 0, b'')
        result = getattr(self.c, name)(*args, self.status)
        code = self.c.TF_GetCode(self.status)
        if code:
            raise HostError(code, self.c.TF_Message(self.status).decode(errors='replace'))
        return result

    def tensor(self, value, dtype=None):
        """A handle with a copy of a NumPy array; strings are arrays of bytes objects."""
        array = np.asarray(value)
        if array.dtype.kind in 'SU':
            array = array.astype(object)
        dtype = dtype or DTYPES[array.dtype.name]
        dims = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        size = 24 * array.size if dtype == STRING else array.nbytes
        handle = ctypes.c_void_p(self.c.TF_AllocateTensor(dtype, dims, array.ndim, ctypes.c_size_t(size)))
        data = self.c.TF_TensorData(handle)
        if dtype == STRING:
            # Short strings lie in their 24 bytes, longer ones are views of memory that stays.
            for i, text in enumerate(array.ravel()):
                text = text if isinstance(text, bytes) else text.encode()
                kept = ctypes.create_string_buffer(text, len(text) + 1)
                if len(text) <= 22:
                    raw = bytes([len(text) << 2]) + text + bytes(23 - len(text))
                else:
                    KEPT.append(kept)
                    raw = ((len(text) << 2) | 3).to_bytes(8, 'little') + ctypes.addressof(kept).to_bytes(8, 'little') + bytes(8)
                ctypes.memmove(data + 24 * i, raw, 24)
        elif size:
            ctypes.memmove(data, np.ascontiguousarray(array).ctypes.data, size)
        return handle

    def value(self, handle):
        """The array that a handle holds; numbers without a NumPy type as the unsigned integers of their bits."""
        dtype = self.c.TF_TensorType(handle)
        dims = [self.c.TF_Dim(handle, i) for i in range(self.c.TF_NumDims(handle))]
        data, count = self.c.TF_TensorData(handle), int(np.prod(dims, dtype=np.int64))
        if dtype == STRING:
            texts = np.empty(count, object)
            for i in range(count):
                texts[i] = self._string(data + 24 * i)
            return texts.reshape(dims)
        size = self.c.TF_TensorByteSize(handle)
        if dtype not in NUMPY:
            return np.frombuffer(ctypes.string_at(data, size) if size else b'', np.uint8).copy()
        return np.frombuffer(ctypes.string_at(data, size) if size else b'', NUMPY[dtype]).reshape(dims).copy()

    @staticmethod
    def _string(at):
        raw = ctypes.string_at(at, 24)
        kind = raw[0] & 3
        if kind == 0:
            return raw[1:1 + (raw[0] >> 2)]
        if kind == 2:
            size, offset = int.from_bytes(raw[:4], 'little') >> 2, int.from_bytes(raw[4:8], 'little')
            return ctypes.string_at(at + offset, size)
        pointer = int.from_bytes(raw[8:16] if kind == 3 else raw[16:24], 'little')
        return ctypes.string_at(pointer, int.from_bytes(raw[:8], 'little') >> 2)


KEPT = []


class Graph:
    def __init__(self, library):
        self.library, self.c, self.count = library, library.c, 0
        self.graph = ctypes.c_void_p(self.c.TF_NewGraph())
        self.session = None

    def op(self, kind, *inputs, outputs=1, control=(), name=None, **attrs):
        """Adds a node; an input is an Output, or a list of them for a list argument. `outputs` is how many to return."""
        self.count += 1
        name = name or 'n%d' % self.count
        node = ctypes.c_void_p(self.c.TF_NewOperation(self.graph, kind.encode(), name.encode()))
        for value in inputs:
            if isinstance(value, list):
                self.c.TF_AddInputList(node, (Output * max(1, len(value)))(*value), len(value))
            else:
                self.c.TF_AddInput(node, value)
        for other in control:
            self.c.TF_AddControlInput(node, ctypes.c_void_p(other))
        for key, value in attrs.items():
            self._attr(node, key.encode(), value)
        oper = self.library.call('TF_FinishOperation', node)
        if outputs == 0:
            return oper
        results = [Output(oper, i) for i in range(outputs)]
        return results[0] if outputs == 1 else results

    def _attr(self, node, key, value):
        c = self.c
        if isinstance(value, Type):
            c.TF_SetAttrType(node, key, int(value))
        elif isinstance(value, bool):
            c.TF_SetAttrBool(node, key, ctypes.c_ubyte(value))
        elif isinstance(value, int):
            c.TF_SetAttrInt(node, key, ctypes.c_int64(value))
        elif isinstance(value, float):
            c.TF_SetAttrFloat(node, key, ctypes.c_float(value))
        elif isinstance(value, (str, bytes)):
            text = value.encode() if isinstance(value, str) else value
            c.TF_SetAttrString(node, key, text, ctypes.c_size_t(len(text)))
        elif isinstance(value, Shape):
            if value.dims is None:
                c.TF_SetAttrShape(node, key, None, -1)
            else:
                dims = (ctypes.c_int64 * max(1, len(value.dims)))(*[-1 if d is None else d for d in value.dims])
                c.TF_SetAttrShape(node, key, dims, len(value.dims))
        elif isinstance(value, np.ndarray):
            self.library.call('TF_SetAttrTensor', node, key, self.library.tensor(value))
        elif isinstance(value, list) and value and isinstance(value[0], Type):
            c.TF_SetAttrTypeList(node, key, (ctypes.c_int * len(value))(*map(int, value)), len(value))
        elif isinstance(value, list) and value and isinstance(value[0], bool):
            c.TF_SetAttrBoolList(node, key, (ctypes.c_ubyte * len(value))(*value), len(value))
        elif isinstance(value, list) and value and isinstance(value[0], float):
            c.TF_SetAttrFloatList(node, key, (ctypes.c_float * len(value))(*value), len(value))
        elif isinstance(value, list) and value and isinstance(value[0], str):
            texts = [text.encode() for text in value]
            c.TF_SetAttrStringList(node, key, (ctypes.c_char_p * len(texts))(*texts),
                                   (ctypes.c_size_t * len(texts))(*map(len, texts)), len(texts))
        elif isinstance(value, list):
            c.TF_SetAttrIntList(node, key, (ctypes.c_int64 * max(1, len(value)))(*value), len(value))
        else:
            raise TypeError('attribute %s: %r' % (key, value))

    def constant(self, value):
        array = np.asarray(value)
        if array.dtype.kind in 'SU':
            array = array.astype(object)
        return self.op('Const', value=array, dtype=Type(DTYPES[array.dtype.name]))

    def feed(self, dtype, shape):
        """A placeholder; the shape is None or a list with None for what is unknown."""
        return self.op('Placeholder', dtype=Type(DTYPES[np.dtype(dtype).name]), shape=Shape(shape))

    def shape(self, output):
        """What is inferred: None, or a list with -1 for what is unknown."""
        rank = self.library.call('TF_GraphGetTensorNumDims', self.graph, output)
        if rank < 0:
            return None
        dims = (ctypes.c_int64 * max(1, rank))()
        self.library.call('TF_GraphGetTensorShape', self.graph, output, dims, rank)
        return list(dims[:rank])

    def run(self, fetches, feeds=(), targets=()):
        """The values of `fetches`; `feeds` is a list of (output, array)."""
        c, library = self.c, self.library
        if self.session is None:
            self.session = ctypes.c_void_p(library.call('TF_NewSession', self.graph, ctypes.c_void_p(c.TF_NewSessionOptions())))
        ins = (Output * max(1, len(feeds)))(*[place for place, _ in feeds])
        given = [library.tensor(value) for _, value in feeds]
        values = (ctypes.c_void_p * max(1, len(feeds)))(*[handle.value for handle in given])
        outs = (Output * max(1, len(fetches)))(*fetches)
        results = (ctypes.c_void_p * max(1, len(fetches)))()
        nodes = (ctypes.c_void_p * max(1, len(targets)))(*targets)
        try:
            library.call('TF_SessionRun', self.session, None, ins, values, len(feeds), outs, results, len(fetches), nodes,
                         len(targets), None)
        finally:
            for handle in given:
                c.TF_DeleteTensor(handle)
        arrays = [library.value(ctypes.c_void_p(handle)) for handle in results[:len(fetches)]]
        for handle in results[:len(fetches)]:
            c.TF_DeleteTensor(ctypes.c_void_p(handle))
        return arrays

    def close(self):
        if self.session is not None:
            self.library.call('TF_CloseSession', self.session)
            self.library.call('TF_DeleteSession', self.session)
        self.c.TF_DeleteGraph(self.graph)


class Type(int):
    """A dtype as an attribute."""


class Shape:
    """A shape as an attribute; None for what is unknown."""

    def __init__(self, dims):
        self.dims = dims
