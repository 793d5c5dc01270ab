#!/usr/bin/env python3
"""Writes the files under sdk/templates into a C source, so that `dovetail new` needs none of them when it runs.

  embed_templates.py FOLDER OUTPUT
"""

import json
import os
import sys


def literal(text):
    """C string literals, one a line; none is longer than compilers must take."""
    lines = text.splitlines(keepends=True) or [""]
    return "\n".join("      " + json.dumps(line, ensure_ascii=True).replace("??", '?""?') for line in lines)


def main():
    folder, output = sys.argv[1:3]
    rows = []
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.relpath(os.path.join(base, name), folder)
            with open(os.path.join(base, name), encoding="ascii") as file:
                rows.append((path, file.read()))
    rows.sort()
    with open(output, "w", encoding="ascii") as file:
        file.write("// Written by embed_templates.py from sdk/templates.\n#include \"new.h\"\n\n"
                   "const new_template new_templates[] = {\n")
        for path, text in rows:
            file.write(f"    {{{json.dumps(path)},\n{literal(text)}}},\n")
        file.write("    {0, 0}};\n")


if __name__ == "__main__":
    main()
