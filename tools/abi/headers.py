"""Reads the public headers: every exported function with its prototype and documentation lines.

The headers are written for this reader: a function is one declaration that begins with TF_CAPI_EXPORT or
DVT_EXPORT, and the comment block directly above it is its documentation (see include/tensorflow/c/c_api_macros.h).
Used by generate.py and by tests/abi/*.py.
"""

import os
import re
from dataclasses import dataclass, field

TAGS = ("Owner", "Threads", "Errors", "Since")
EXPORT_MACROS = ("TF_CAPI_EXPORT", "DVT_EXPORT")
SECTION = re.compile(r"// ---- (.*?)(?: ----)?$")


@dataclass
class Function:
    name: str
    ret: str
    params: list
    header: str  # include path, e.g. tensorflow/c/ops.h
    section: str
    line: int
    summary: str = ""
    tags: dict = field(default_factory=dict)

    @property
    def prototype(self):
        return f"{self.ret} {self.name}({', '.join(self.params)})"


@dataclass
class Header:
    path: str
    summary: str
    functions: list
    types: list  # source text of each struct and enum definition


def split_params(text):
    """Splits a parameter list at the commas that are not inside a function pointer's own list."""
    parts, depth, current = [], 0, ""
    for char in text:
        depth += char == "("
        depth -= char == ")"
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [part for part in parts + [current.strip()] if part]


def tidy(text):
    """One spelling for a piece of a declaration: single blanks, the star with the type."""
    text = " ".join(text.split())
    text = re.sub(r"\s*\*\s*", "* ", text)
    text = re.sub(r"\* (?=[*,)])", "*", text)
    text = re.sub(r"\(\* (?=\w)", "(*", text)
    return text.strip()


def comment_above(lines, index):
    """The text of the // or /* */ block that ends on the line before `index`."""
    block = []
    index -= 1
    if index >= 0 and lines[index].rstrip().endswith("*/"):
        while index >= 0:
            block.insert(0, lines[index])
            if lines[index].lstrip().startswith("/*"):
                break
            index -= 1
        text = "\n".join(block)
        text = text.replace("/*", " ").replace("*/", " ")
        return " ".join(re.sub(r"^\s*\*", " ", line) for line in text.split("\n"))
    while index >= 0 and lines[index].startswith("//") and not SECTION.match(lines[index]):
        block.insert(0, lines[index][2:].strip())
        index -= 1
    return " ".join(block)


def split_tags(text):
    """Splits documentation into the text in front and the tagged lines."""
    pieces = re.split(r"(?:^|\s)(%s):\s" % "|".join(TAGS), " ".join(text.split()))
    tags = {pieces[i]: pieces[i + 1].strip() for i in range(1, len(pieces) - 1, 2)}
    return pieces[0].strip(), tags


def read_header(path, include_dir):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    lines = source.split("\n")
    rel = os.path.relpath(path, include_dir)
    functions, section = [], ""
    opening = []
    for line in lines:
        if not line.startswith("//"):
            break
        opening.append(line[2:].strip())
    for index, line in enumerate(lines):
        match = SECTION.match(line)
        if match:
            section = match.group(1)
        if not line.startswith(EXPORT_MACROS):
            continue
        text = line
        last = index
        while ";" not in text:
            last += 1
            text += " " + lines[last]
        text = re.sub(r"^\w+\s+(extern\s+)?", "", text[: text.index(";")])
        match = re.match(r"(.*?)(\w+)\s*\((.*)\)\s*$", " ".join(text.split()))
        # The first name followed by a parenthesis is the function: no return type here is a function pointer.
        if not match:
            raise ValueError(f"{rel}:{index + 1}: cannot read the declaration: {text}")
        ret, name, params = match.groups()
        params = [tidy(part) for part in split_params(params)]
        summary, tags = split_tags(comment_above(lines, index))
        functions.append(Function(name, tidy(ret), params, rel, section, index + 1, summary, tags))
    types = re.findall(r"^typedef (?:struct|enum|union) \w+ \{\n.*?^\} \w+;", source, re.M | re.S)
    summary = opening[0] if opening else ""
    return Header(rel, " ".join(opening) or summary, functions, types)


def is_cpp(path):
    """Whether a header belongs to the C++ layer: one of dovetail/cc, or a stock name that forwards to it."""
    with open(path, encoding="utf-8") as file:
        return "/dovetail/cc/" in path or '#include "dovetail/cc/' in file.read()


def read_all(root):
    """All public C headers under include/, ordered by path."""
    include_dir = os.path.join(root, "include")
    found = []
    for folder, _, names in os.walk(include_dir):
        found += [os.path.join(folder, name) for name in names if name.endswith(".h")]
    return [read_header(path, include_dir) for path in sorted(found) if not is_cpp(path)]
