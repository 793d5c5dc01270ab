"""Nodes of a GraphDef as text, for the tests of the command."""


def node(name, op, inputs=(), **attrs):
    text = 'node {\n  name: "%s"\n  op: "%s"\n' % (name, op)
    text += "".join('  input: "%s"\n' % i for i in inputs)
    text += "".join('  attr { key: "%s" value { %s } }\n' % (k, v) for k, v in attrs.items())
    return text + "}\n"


def placeholder(name, dtype, shape=None):
    dims = "unknown_rank: true" if shape is None else " ".join("dim { size: %d }" % d for d in shape)
    return node(name, "Placeholder", dtype="type: " + dtype, shape="shape { %s }" % dims)


def identity(name, source, dtype):
    return node(name, "Identity", [source], T="type: " + dtype)
