"""Decodes the few protocol messages that cross the C ABI into plain values, without TensorFlow or protobuf.

decode(message, bytes) returns nested lists that are equal when the messages mean the same: map entries are sorted, fields with
their default value left out, tensors written as values whatever field carries them. Unknown fields are kept by number."""
import struct

ATTR_LIST = {2: "s*bytes", 3: "i*int", 4: "f*float", 5: "b*bool", 6: "type*int", 7: "shape*TensorShapeProto",
             8: "tensor*TensorProto", 9: "func*NameAttrList"}
SCHEMA = {
    "OpList": {1: "op*OpDef"},
    "OpDef": {1: "name str", 2: "input_arg*ArgDef", 3: "output_arg*ArgDef", 4: "attr*AttrDef", 5: "summary str",
              6: "description str", 8: "deprecation OpDeprecation", 16: "is_aggregate bool", 17: "is_stateful bool",
              18: "is_commutative bool", 19: "allows_uninitialized_input bool", 20: "control_output*str",
              21: "is_distributed_communication bool"},
    "OpDeprecation": {1: "version int", 2: "explanation str"},
    "ArgDef": {1: "name str", 2: "description str", 3: "type int", 4: "type_attr str", 5: "number_attr str",
               6: "type_list_attr str", 7: "handle_data*HandleData", 16: "is_ref bool", 17: "full_type FullTypeDef"},
    "HandleData": {1: "dtype int", 2: "shape TensorShapeProto"},
    "AttrDef": {1: "name str", 2: "type str", 3: "default_value AttrValue", 4: "description str", 5: "has_minimum bool",
                6: "minimum int", 7: "allowed_values AttrValue"},
    "AttrValue": {1: "list AttrList", 2: "s bytes", 3: "i int", 4: "f float", 5: "b bool", 6: "type int",
                  7: "shape TensorShapeProto", 8: "tensor TensorProto", 9: "placeholder str", 10: "func NameAttrList"},
    "AttrList": ATTR_LIST,
    "NameAttrList": {1: "name str", 2: "attr{str AttrValue"},
    "TensorShapeProto": {2: "dim*Dim", 3: "unknown_rank bool"},
    "Dim": {1: "size int", 2: "name str"},
    "TensorProto": {1: "dtype int", 2: "shape TensorShapeProto", 3: "version int", 4: "content bytes", 5: "float_val*float",
                    6: "double_val*double", 7: "int_val*int", 8: "string_val*bytes", 9: "scomplex_val*float",
                    10: "int64_val*int", 11: "bool_val*bool", 12: "dcomplex_val*double", 13: "half_val*int",
                    16: "uint32_val*int", 17: "uint64_val*int", 18: "float8_val bytes"},
    "GraphDef": {1: "node*NodeDef", 2: "library FunctionDefLibrary", 3: "version int", 4: "versions VersionDef",
                 5: "debug_info bytes"},
    "NodeDef": {1: "name str", 2: "op str", 3: "input*str", 4: "device str", 5: "attr{str AttrValue",
                6: "debug_info NodeDebug", 7: "full_type FullTypeDef"},
    "NodeDebug": {1: "node_names*str", 2: "func_names*str"},
    "FullTypeDef": {1: "type_id int", 2: "args*FullTypeDef", 3: "s str", 4: "i int"},
    "VersionDef": {1: "producer int", 2: "min_consumer int", 3: "bad_consumers*int"},
    "FunctionDefLibrary": {1: "function*FunctionDef", 2: "gradient*GradientDef", 3: "registered_gradients*bytes"},
    "GradientDef": {1: "function_name str", 2: "gradient_func str"},
    "FunctionDef": {1: "signature OpDef", 3: "node_def*NodeDef", 4: "ret{str str", 5: "attr{str AttrValue",
                    6: "control_ret{str str", 7: "arg_attr{int ArgAttrs", 8: "resource_arg_unique_id{int int"},
    "ArgAttrs": {1: "attr{str AttrValue"},
    "KernelList": {1: "kernel*KernelDef"},
    "KernelDef": {1: "op str", 2: "device_type str", 3: "constraint*Constraint", 4: "host_memory_arg*str", 5: "label str",
                  6: "priority int"},
    "Constraint": {1: "name str", 2: "allowed_values AttrValue"},
    "ApiDef": {1: "graph_op_name str", 2: "visibility int", 3: "endpoint*Endpoint", 4: "in_arg*ApiArg", 5: "out_arg*ApiArg",
               6: "attr*ApiAttr", 7: "summary str", 8: "description str", 9: "prefix str", 10: "suffix str",
               11: "arg_order*str", 12: "deprecation_message str", 13: "deprecation_version int"},
    "Endpoint": {1: "name str", 3: "deprecated bool", 4: "deprecation_version int"},
    "ApiArg": {1: "name str", 2: "rename_to str", 3: "description str"},
    "ApiAttr": {1: "name str", 2: "rename_to str", 3: "default_value AttrValue", 4: "description str"},
}
SCALARS = ("str", "bytes", "int", "bool", "float", "double")
# dtype -> struct format of one element in tensor_content; other types are shown as bytes.
FORMATS = {1: "f", 2: "d", 3: "i", 4: "B", 5: "h", 6: "b", 8: "2f", 9: "q", 10: "?", 17: "H", 18: "2d", 19: "H", 14: "H",
           22: "I", 23: "Q", 11: "b", 12: "B", 13: "i", 15: "h", 16: "H"}


class Broken(Exception):
    pass


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Broken("varint")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        else:
            if wire == 2:
                size, at = varint(data, at)
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
            else:
                raise Broken(f"wire type {wire}")
            if at + size > len(data):
                raise Broken("truncated")
            value, at = data[at:at + size], at + size
        yield number, wire, value


def scalar(kind, wire, value):
    if kind == "str":
        return value.decode("utf-8", "backslashreplace")
    if kind == "bytes":
        return value
    if kind in ("float", "double"):
        number = struct.unpack("<f" if kind == "float" else "<d", value)[0]
        return "nan" if number != number else number  # equal to itself
    value &= (1 << 64) - 1
    return bool(value) if kind == "bool" else value - (1 << 64) if value >> 63 else value


def packed(kind, value):
    if kind in ("float", "double"):
        size = 4 if kind == "float" else 8
        return [scalar(kind, 5, value[i:i + size]) for i in range(0, len(value), size)]
    out, at = [], 0
    while at < len(value):
        item, at = varint(value, at)
        out.append(scalar(kind, 0, item))
    return out


def parse(message, data):
    """Field name -> value, list of values, or dict for maps."""
    schema, out = SCHEMA[message], {}
    for number, wire, value in fields(data):
        spec = schema.get(number)
        if not spec:
            out.setdefault(f"field {number}", []).append(value if wire == 0 else value.hex())
            continue
        for mark in "*{ ":
            if mark in spec:
                name, kind = spec.split(mark, 1)
                break
        if mark == "{":
            key_kind, value_kind = kind.split()
            entry = dict((n, (w, v)) for n, w, v in fields(value))
            key = scalar(key_kind, *entry[1]) if 1 in entry else ("" if key_kind == "str" else 0)
            inner = entry.get(2, (2, b""))
            out.setdefault(name, {})[key] = (scalar(value_kind, *inner) if value_kind in SCALARS
                                             else canonical(value_kind, inner[1]))
        elif mark == "*":
            items = out.setdefault(name, [])
            if kind not in SCALARS:
                items.append(canonical(kind, value))
            elif wire == 2 and kind not in ("str", "bytes"):
                items += packed(kind, value)
            else:
                items.append(scalar(kind, wire, value))
        elif kind in SCALARS:
            out[name] = scalar(kind, wire, value)
        else:
            out[name] = canonical(kind, value)
    return out


def tensor(message):
    dtype, shape = message.get("dtype", 0), message.get("shape", {})
    dims = [d.get("size", 0) for d in shape.get("dim", [])]
    count = 1
    for dim in dims:
        count *= max(dim, 0)
    values = next((v for k, v in message.items() if k.endswith("_val")), [])
    if dtype in (8, 18):
        values = [tuple(values[i:i + 2]) for i in range(0, len(values), 2)]
    elif dtype in (4, 16, 17) and values:
        values = [v & 0xffffffff for v in values]
    content = message.get("content", b"")
    if content and dtype in FORMATS:
        size = struct.calcsize("<" + FORMATS[dtype])
        parts = [struct.unpack("<" + FORMATS[dtype], content[i:i + size]) for i in range(0, len(content) // size * size, size)]
        values = [p if len(p) > 1 else p[0] for p in parts]
    elif content:
        values = [content.hex()]
    if values and len(values) < count:
        values = list(values) + [values[-1]] * (min(count, 4096) - len(values))
    if not values and dtype in FORMATS:
        values = [(0, 0) if dtype in (8, 18) else False if dtype == 10 else 0] * min(count, 4096)
    if not values and dtype == 7:
        values = [b""] * min(count, 4096)
    return {"dtype": dtype, "shape": shape, "values": list(values)}


def canonical(message, data):
    out = parse(message, data)
    if message == "TensorProto":
        return tensor(out)
    if message == "FunctionDefLibrary":  # a set: stock writes it in the order of a hash table
        out.get("function", []).sort(key=lambda f: f.get("signature", {}).get("name", ""))
        out.get("gradient", []).sort(key=lambda g: g.get("function_name", ""))
    if message == "KernelList":
        out.get("kernel", []).sort(key=repr)
    if message != "AttrValue":  # there a value that is 0 still says which kind it is
        out = {k: v for k, v in out.items() if v not in (0, "", b"", [], {}, False)}
    return {k: dict(sorted(v.items())) if isinstance(v, dict) else v for k, v in sorted(out.items())}


def decode(message, data):
    try:
        return canonical(message, data)
    except Broken as error:
        return {"not a message": str(error), "bytes": data.hex()}


def lines(value, indent=""):
    """The decoded message as text, a field a line."""
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, (dict, list)) and item:
                yield f"{indent}{key}:"
                yield from lines(item, indent + "  ")
            else:
                yield f"{indent}{key}: {item!r}"
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield f"{indent}-"
                yield from lines(item, indent + "  ")
            else:
                yield f"{indent}- {item!r}"
