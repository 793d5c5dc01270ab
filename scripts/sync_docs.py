#!/usr/bin/env python3
"""Copies example files into the documentation. A marker line `<!-- include: PATH -->` in README.md or docs/**/*.md is followed
by a fenced block, which is replaced by the file's text. --check changes nothing and fails when a block is stale."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- include: (\S+) -->\n```(\w*)\n)(.*?)(```\n)", re.S)


def main():
    stale = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text()
        fresh = BLOCK.sub(lambda m: m[1] + (ROOT / m[2]).read_text() + m[5], text)
        if fresh != text:
            stale.append(page.relative_to(ROOT))
            if "--check" not in sys.argv:
                page.write_text(fresh)
    if stale and "--check" in sys.argv:
        sys.exit("stale code in: " + ", ".join(map(str, stale)) + "; run scripts/sync_docs.py")


if __name__ == "__main__":
    main()
