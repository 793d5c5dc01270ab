#!/usr/bin/env python3
"""Checks that every file includes only what its place in the tree allows.

A folder under src/ is a layer. Its files may include headers of the same layer and of the layers before it in
LAYERS, always written as "layer/file.h", and public headers. Files under plugins/ may include public headers,
headers that lie in plugins/ itself, and external libraries; never a header of src/. Public headers include public
headers only.
"""

import os
import re
import sys

LAYERS = ["base", "tensor", "device", "op", "kernel", "plugin", "graph", "exec", "hlo", "capi"]
PUBLIC = ("tensorflow/", "dovetail/", "tsl/", "xla/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def files_under(top):
    for folder, _, names in os.walk(os.path.join(ROOT, top)):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cc", ".cpp")):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def includes_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def check_src(path):
    layer = path.split("/")[1]
    if layer not in LAYERS:
        yield 1, f"src/{layer} is not a layer; the layers are {' < '.join(LAYERS)}"
        return
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    for line, mark, target in includes_of(path):
        if mark == "<" or target.startswith(PUBLIC):
            continue
        first, _, rest = target.partition("/")
        if first not in LAYERS or not rest:
            yield line, f'"{target}" must be written as "layer/file.h"'
        elif first not in allowed:
            yield line, f'"{target}": layer {layer} may include only {", ".join(allowed)}'


def check_plugin(path):
    folder = os.path.dirname(path)
    for line, mark, target in includes_of(path):
        if target.startswith(PUBLIC) or mark == "<":
            if target.split("/")[0] in LAYERS and os.path.exists(os.path.join(ROOT, "src", target)):
                yield line, f"<{target}> is a header of src/; a plugin uses public headers only"
            continue
        local = any(os.path.exists(os.path.join(ROOT, base, target)) for base in (folder, "plugins"))
        if not local:
            yield line, f'"{target}" is neither a public header nor one of this plugin'


WRITTEN_BY_USERS = ["ops_to_register.h"]  # by `dovetail select`, for selective_registration.h


def check_public(path):
    for line, mark, target in includes_of(path):
        if mark == '"' and target not in WRITTEN_BY_USERS and not os.path.exists(os.path.join(ROOT, "include", target)):
            yield line, f'"{target}" is not a public header'


def main():
    problems, count = [], 0
    for top, check in (("src", check_src), ("plugins", check_plugin), ("include", check_public)):
        for path in files_under(top):
            count += 1
            problems += [f"{path}:{line}: {message}" for line, message in check(path)]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"layers: {count} files, {len(problems)} wrong includes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
