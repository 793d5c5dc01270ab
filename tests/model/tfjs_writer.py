"""Writes TensorFlow.js graph models from GraphDefs of stock TensorFlow, after the format's description: model.json with the
graph as proto3 JSON, its constants in files of their own, plain or quantised."""

import json
import os

import numpy as np
from google.protobuf import json_format
from tensorflow.python.framework import tensor_util

STORED = {np.dtype(np.int64): np.int32, np.dtype(np.float64): np.float32, np.dtype(np.float16): np.float32}
NAMES = {"float32": "float32", "int32": "int32", "bool": "bool", "complex64": "complex64", "uint8": "uint8",
         "uint16": "uint16"}


def quantise(value, kind):
    """The stored array, what the manifest says, and the values that come back."""
    if kind == "float16":
        stored = value.astype(np.float16)
        return stored, {"dtype": kind, "original_dtype": "float32"}, stored.astype(np.float32)
    low, high = float(value.min()), float(value.max())
    scale = (high - low) / np.iinfo(kind).max or 1.0
    stored = np.round((value.astype(np.float64) - low) / scale).astype(kind)
    back = stored.astype(np.float64) * scale + low
    back = np.floor(back + 0.5) if value.dtype == np.int32 else back
    return stored, {"dtype": kind, "scale": scale, "min": low, "original_dtype": str(value.dtype)}, back.astype(value.dtype)


def _strings(value):
    flat = [s if isinstance(s, bytes) else s.encode() for s in np.asarray(value, object).ravel()]
    return b"".join(len(s).to_bytes(4, "little") + s for s in flat)


def _consts(graph_def):
    for nodes in [graph_def.node, *[f.node_def for f in graph_def.library.function]]:
        yield from (node for node in nodes if node.op == "Const")


def write(folder, graph_def, signature=None, quantisation=None, shard_bytes=None, groups=1, edit=None, name="model.json"):
    """Empties the constants of `graph_def`. `quantisation` maps a constant's name and value to uint8, uint16, float16 or
    None; constants that it changes get their new value in the returned {name: value}. `edit` may change the JSON."""
    os.makedirs(folder, exist_ok=True)
    changed, entries, blobs = {}, [[] for _ in range(groups)], [b"" for _ in range(groups)]
    for at, node in enumerate(_consts(graph_def)):
        value = tensor_util.MakeNdarray(node.attr["value"].tensor)
        kind = quantisation(node.name, value) if quantisation else None
        entry = {"name": node.name, "shape": list(value.shape)}
        if value.dtype == object:
            entry["dtype"], blob = "string", _strings(value)
        else:
            value = value.astype(STORED.get(value.dtype, value.dtype))
            entry["dtype"] = NAMES[str(value.dtype)]
            if kind:
                value, entry["quantization"], changed[node.name] = quantise(value, kind)
            blob = value.tobytes()
        entries[at % groups].append(entry)
        blobs[at % groups] += blob
        tensor = node.attr["value"].tensor
        dtype, shape = tensor.dtype, tensor.tensor_shape.__class__.FromString(tensor.tensor_shape.SerializeToString())
        tensor.Clear()
        tensor.dtype = dtype
        tensor.tensor_shape.CopyFrom(shape)
    model = {"format": "graph-model", "generatedBy": "2.21.0", "convertedBy": "a test", "modelTopology":
             json_format.MessageToDict(graph_def), "weightsManifest": []}
    if signature:
        model["signature"] = signature
    for group, (listed, blob) in enumerate(zip(entries, blobs)):
        size = shard_bytes or max(len(blob), 1)
        paths = []
        for start in range(0, len(blob), size):
            paths.append("group%d-shard%d.bin" % (group + 1, len(paths) + 1))
            with open(os.path.join(folder, paths[-1]), "wb") as file:
                file.write(blob[start:start + size])
        model["weightsManifest"].append({"paths": paths, "weights": listed})
    if edit:
        edit(model)
    with open(os.path.join(folder, name), "w") as file:
        json.dump(model, file)
    return changed
