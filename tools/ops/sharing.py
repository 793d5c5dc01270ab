"""Derives from the kernels' sources which outputs may use memory that exists already.

Memory is shared in three ways, and each is a call: dvp_output_over takes an input's memory that nobody else needs,
dvp_output_reshaped answers an input under another shape, TF_SetOutput hands out any tensor. For each kernel set the
functions that its computing functions name are followed, within the plugin and plugins/common, to those calls. What
a function could do is taken for what it does: the answer is "may", never "does". Where the call alone does not say
which input is meant, the row of the op says it (`/// Memory: ...`).
"""

import functools
import glob
import os
import re
import subprocess
from dataclasses import dataclass

# Where following ends: the helpers themselves.
CALLS = ("dvp_output_over", "dvp_output_reshaped", "TF_ForwardInputOrAllocateOutput", "TF_SetOutput")
HELPERS = "plugins/common/call.c"


@dataclass(frozen=True)
class Share:
    how: str  # "over", "view" or "any"
    input: int  # -1: not known
    output: int  # -1: not known


def preprocess(root, path):
    """The file's own lines and those of the plugins' headers, with macros expanded."""
    command = [os.environ.get("CC", "cc"), "-E", "-I", os.path.join(root, "plugins"), "-I",
               os.path.join(root, "include"), os.path.join(root, path)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise ValueError(f"{path}: {run.stderr.strip()}")
    kept, own = [], False
    for line in run.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            own = marker.group(1).startswith(os.path.join(root, "plugins"))
        elif own:
            kept.append(line)
    return "\n".join(kept)


@functools.cache
def definitions(root, path):
    """{name: body} of the functions and the variables with an initialiser at file level."""
    text = preprocess(root, path)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', '""', text)
    found, start = {}, 0
    while mark := re.compile(r"[;{]").search(text, start):
        end = mark.end()
        if mark.group() == "{":
            end = closing(text, mark.start())
            head = text[start:mark.start()].strip()
            name = re.search(r"(\w+)\s*(?:\[\w*\]\s*)?=$", head)
            name = name.group(1) if name else function_name(head) if head.endswith(")") else ""
            if name and not head.startswith("typedef"):
                found[name] = text[mark.start():end]
        start = end
    return found


def function_name(head):
    """The name in front of the last top-level parenthesis pair."""
    depth = 0
    for at in range(len(head) - 1, -1, -1):
        depth += (head[at] == ")") - (head[at] == "(")
        if depth == 0:
            name = re.search(r"(\w+)\s*$", head[:at])
            return name.group(1) if name else ""
    return ""


def closing(text, at):
    """Just behind the bracket that closes the one at `at`."""
    depth = 0
    for bracket in re.compile(r"[][(){}]").finditer(text, at):
        depth += 1 if bracket.group() in "({[" else -1
        if depth == 0:
            return bracket.end()
    return len(text)


def split_args(text):
    parts, depth, current = [], 0, ""
    for char in text:
        depth += (char in "({[") - (char in ")}]")
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return parts + [current.strip()]


def numbers(text):
    """The inputs that an argument stands for: [] for none (-1), [-1] where it is not a number."""
    text = text.split("?")[-1]
    values = [int(value) for value in re.findall(r"(?<![\w.])-?\d+\b", text)]
    if re.search(r"[A-Za-z_]", re.sub(r"\(int\s*\[\s*\]\)", "", text)) or not values:
        return [-1]
    return [value for value in values if value >= 0]


def shares_in(body):
    """What one function's own calls may share."""
    found = set()
    for match in re.finditer(r"\b(%s)\s*\(" % "|".join(CALLS), body):
        args = split_args(body[match.end():closing(body, match.end() - 1) - 1])
        output = lambda text: int(text) if text.isdigit() else -1
        if match.group(1) == "dvp_output_over":
            found |= {Share("over", i, output(args[3])) for arg in args[1:3] for i in numbers(arg)}
        elif match.group(1) == "TF_ForwardInputOrAllocateOutput":
            found |= {Share("over", i, output(args[3])) for i in numbers(args[1])}
        elif match.group(1) == "dvp_output_reshaped":
            found |= {Share("view", i, output(args[2])) for i in numbers(args[1])}
        else:
            found.add(Share("any", -1, output(args[1])))
    return found


class Sources:
    """The kernel sources of one plugin."""

    def __init__(self, root, plugin):
        self.local, self.shared = [], {}
        paths = sorted(glob.glob(os.path.join(root, "plugins", plugin, "*.c")))
        paths += sorted(glob.glob(os.path.join(root, "plugins/common/*.c")))
        for path in paths:
            if path.endswith(HELPERS):
                continue
            found = definitions(root, os.path.relpath(path, root))
            self.local.append(found)
            for name, body in found.items():
                self.shared.setdefault(name, (body, found))

    def of_set(self, name):
        """What the kernels of a set may share; None when there is no such set."""
        start = self.shared.get(f"dvp_set_{name}")
        if not start:
            return None
        # {attr, create, destroy, count, rows, compute_async}: only what computes counts.
        body, scope = start
        found, seen, queue = set(), set(), [(", ".join(split_args(body[1:-1])[4:]), scope)]
        while queue:
            text, scope = queue.pop()
            found |= shares_in(text)
            for word in set(re.findall(r"\b[A-Za-z_]\w*\b", text)):
                entry = (scope[word], scope) if word in scope else self.shared.get(word)
                if entry and (word, id(entry[1])) not in seen:
                    seen.add((word, id(entry[1])))
                    queue.append(entry)
        return found


def argument_at(arguments, index):
    """The argument that value `index` belongs to: a list takes all that follow."""
    for position, argument in enumerate(arguments):
        if position == index or "*" in argument.type:
            return argument
    return None


def dtypes_of(op, argument):
    attr = op.attr(argument.element)
    return None if attr and attr.dtypes is None else set(attr.dtypes if attr else [argument.element])


def may_be_same(op, a, b):
    """Whether two arguments can have one dtype; without that the host gives new memory."""
    if a.element == b.element:
        return True
    left, right = dtypes_of(op, a), dtypes_of(op, b)
    return left is None or right is None or bool(left & right)


def sentence(op, shares):
    """The reference text on an op's memory, from what its set may share."""
    if "Memory" in op.notes:
        return op.notes["Memory"]
    over, views, others = {}, {}, False
    for share in shares:
        output = argument_at(op.outputs, max(share.output, 0))
        if share.how == "any" or not output:
            others = others or share.how == "any"
            continue
        source = argument_at(op.inputs, share.input) if share.input >= 0 else None
        if share.input >= 0 and (not source or not may_be_same(op, source, output)):
            continue
        target = over if share.how == "over" else views
        target.setdefault(output.name, set()).add(f"`{source.name}`" if source else "an input")
    parts = [f"`{name}` may take the memory of {' or '.join(sorted(over[name]))}" for name in sorted(over)]
    parts += [f"`{name}` may be {' or '.join(sorted(views[name]))} without a copy"
              for name in sorted(views)]
    if others:
        parts.append("an output may be a tensor that exists already, without a copy")
    return "; ".join(parts) if parts else "its own"
