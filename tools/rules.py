#!/usr/bin/env python3
"""rules.py [FIRST LAST]: which rule of stock behaviour is tested where, and which is tested nowhere.

Tests carry the numbers of the rules they hold: test_rule_099_labels, test_rules_122_to_124_lists,
test_rules_149_150_host_memory.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = re.compile(r"\btest_rules?_\w+")


def numbers(name):
    parts = name.split("_")
    for i, part in enumerate(parts):
        if not re.fullmatch(r"\d{3}", part):
            continue
        yield int(part)
        if parts[i + 1 : i + 2] == ["to"] and re.fullmatch(r"\d{3}", "".join(parts[i + 2 : i + 3])):
            yield from range(int(part) + 1, int(parts[i + 2]))


def tests():
    for top in ("src", "tests", "plugins"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for file_name in sorted(names):
                if not file_name.endswith((".c", ".py")):
                    continue
                path = os.path.join(folder, file_name)
                with open(path, encoding="utf-8") as file:
                    for name in sorted(set(NAME.findall(file.read()))):
                        yield os.path.relpath(path, ROOT), name


def main():
    first, last = (int(a) for a in (sys.argv[1:3] if len(sys.argv) > 2 else (1, 208)))
    found = {}
    for path, name in tests():
        for number in numbers(name):
            found.setdefault(number, []).append(f"{path}: {name}")
    for number in range(first, last + 1):
        for line in found.get(number, ["-"]):
            print(f"{number:3} {line}")
    missing = [n for n in range(first, last + 1) if n not in found]
    print(f"{last - first + 1 - len(missing)} of {last - first + 1} rules have tests; without:", *missing)


if __name__ == "__main__":
    main()
