"""Reads the op tables of the standard plugins (plugins/*/*_ops.def, described in plugins/common/plugin.h).

A row's reference text stands above it in `///` lines: a sentence on what the op computes, then, where they apply,
lines that begin with one of NOTES. Used by generate.py and by tests/ops/coverage.py.
"""

import os
import re
from dataclasses import dataclass, field

# Unlike stock: what differs from the stock op. Memory: whose memory the outputs use, where sharing.py cannot tell.
NOTES = ("Unlike stock", "Memory")
ROW = re.compile(r"^(OP|OP_FAST|OP_ONLY)\((\w+)", re.M)


@dataclass
class Argument:
    name: str
    type: str  # as written: "T", "float", "N * T", "Ref(T)"

    @property
    def element(self):
        """The attribute or dtype of its elements."""
        return re.sub(r"^Ref\((.*)\)$", r"\1", self.type).split("*")[-1].strip()


@dataclass
class Attribute:
    name: str
    type: str  # "type", "int >= 1", "{float, double}"
    default: str  # "" where there is none

    @property
    def dtypes(self):
        """The dtypes it may be, None when every one; only for types."""
        match = re.match(r"(?:list\()?\{(.*?)\}", self.type)
        return [name.strip() for name in match.group(1).split(",")] if match else None

    @property
    def is_type(self):
        return self.type.startswith(("type", "list(type", "{")) and "'" not in self.type


@dataclass
class Op:
    name: str
    plugin: str
    section: str
    line: int
    inputs: list
    outputs: list
    attrs: list
    flags: list
    shape: str  # the shape function
    kernels: str  # the kernel set; "" for a definition without kernel
    variants: int  # 2 where the set exists for AVX2 too
    summary: str = ""
    notes: dict = field(default_factory=dict)

    def attr(self, name):
        return next((attr for attr in self.attrs if attr.name == name), None)


def split(text, separator):
    """Splits outside of quotes and brackets."""
    parts, depth, quote, current = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        if char == separator and depth == 0 and not quote:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [part for part in parts + [current.strip()] if part]


def row_text(text, start):
    """What stands between the parentheses that open at `start`."""
    depth, quoted = 0, False
    for at in range(start, len(text)):
        char = text[at]
        quoted ^= char == '"'
        if not quoted:
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return text[start + 1:at]
    raise ValueError("a row without end")


def literal(text):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def arguments(text):
    return [Argument(*(part.strip() for part in spec.split(":", 1))) for spec in split(literal(text), ";")]


def attributes(text):
    found = []
    for spec in split(literal(text), ";"):
        name, rest = (part.strip() for part in spec.split(":", 1))
        kind, *default = re.split(r"(?<![<>])= ", rest, maxsplit=1)
        found.append(Attribute(name, kind.strip(), default[0].strip() if default else ""))
    return found


def comments(lines, index):
    """(first sentence of the section's comment, `///` lines) above row `index`."""
    block, at = [], index - 1
    while at >= 0 and lines[at].startswith("///"):
        block.insert(0, lines[at][3:].strip())
        at -= 1
    while at >= 0 and not (re.match(r"//[^/]", lines[at]) and (at == 0 or not lines[at - 1].strip())):
        at -= 1
    section = []
    while at > 0 and re.match(r"//[^/]", lines[at]):
        section.append(lines[at][2:].strip())
        at += 1
    return " ".join(section).split(". ")[0].rstrip("."), block


def read_notes(block):
    summary, notes, current = [], {}, None
    for line in block:
        match = re.match(r"(%s): (.*)" % "|".join(NOTES), line)
        if match:
            current = match.group(1)
            notes[current] = match.group(2)
        elif current:
            notes[current] += " " + line
        else:
            summary.append(line)
    return " ".join(summary), notes


def read_table(path):
    plugin = os.path.basename(os.path.dirname(path))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines, ops = text.split("\n"), []
    for match in ROW.finditer(text):
        kind, name = match.groups()
        line = text.count("\n", 0, match.start())
        cells = split(row_text(text, match.start() + len(kind)), ",")
        # An empty string is a cell too: split() drops none, since its quotes are text.
        if len(cells) != (6 if kind == "OP_ONLY" else 7):
            raise ValueError(f"plugins/{plugin}/{plugin}_ops.def:{line + 1}: {name} has {len(cells)} columns")
        section, block = comments(lines, line)
        summary, notes = read_notes(block)
        flags = [flag.strip()[4:].lower() for flag in cells[4].split("|") if flag.strip() != "DVP_PLAIN"]
        ops.append(Op(name, plugin, section, line + 1, arguments(cells[1]), arguments(cells[2]), attributes(cells[3]),
                      flags, cells[5], cells[6] if len(cells) == 7 else "", 2 if kind == "OP_FAST" else 1, summary,
                      notes))
    return ops


def read_all(root):
    """{plugin: ops} of the plugins that plugins/CMakeLists.txt builds, each in the order of its table."""
    with open(os.path.join(root, "plugins/CMakeLists.txt"), encoding="utf-8") as file:
        built = re.findall(r"^dvt_add_plugin\((\w+)", file.read(), re.M)
    paths = {name: os.path.join(root, f"plugins/{name}/{name}_ops.def") for name in built}
    return {name: read_table(paths[name]) for name in sorted(paths)}


def run_by_executor(root):
    """Names of the ops that the executor runs itself."""
    with open(os.path.join(root, "src/exec/session_node.c"), encoding="utf-8") as file:
        return set(re.findall(r'\{\{"(\w+)", \d+\}, DVT_NODE_', file.read()))
