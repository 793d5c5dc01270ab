#!/usr/bin/env python3
"""Builds the shared benchmark with Dovetail's headers and runs all of it on the compatibility libraries.

Fails when a test of it ends with an error, finds a function missing or prints no figure. What it asks of the eager
functions (TFE_*), which Dovetail does not have, does not count; eager/ declares them for the compiler. The benchmark builds
inside its own folder, whose path it expects to be without spaces, so a copy is built in a temporary folder.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = ("startup smoke rss tensor tstring status load reg reglate graph import session steady builtin feed threads shape"
         " mallocs").split()


def complaints(text):
    """The lines that tell of a failure, and the tests without a line of their own."""
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] == "missing" and words[2].startswith("TFE_"):
            continue
        if re.search(r"\bmissing\b|\bexit -?\d|^\S+ failed ", line):
            yield line
    for test in TESTS:
        if not re.search(rf"^{test}\.\S+ \S", text, re.M):
            yield f"{test}: no figure"


def run(options, work):
    shutil.copytree(options.bench, work, copy_function=shutil.copyfile)
    for folder, _, _ in os.walk(work):
        os.chmod(folder, 0o755)
    # The Makefile puts the variable into its commands as it stands: links without spaces lead to the folders.
    for name, target in (("ours", options.include), ("eager", os.path.join(HERE, "eager"))):
        os.symlink(os.path.abspath(target), os.path.join(work, name))
    env = dict(os.environ, TF_INC="ours -isystem eager")
    env.pop("DOVETAIL_PLUGIN_PATH", None)
    return subprocess.run(["bash", "run.sh", os.path.abspath(options.compat), str(options.runs)], cwd=work, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, help="folder of the benchmark's sources")
    parser.add_argument("--compat", required=True, help="folder with the stock library names")
    parser.add_argument("--include", required=True, help="folder with tensorflow/c/c_api.h")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        done = run(options, os.path.join(folder, "bench"))
    print(done.stdout)
    found = list(complaints(done.stdout))
    if done.returncode:
        found.append(f"run.sh ended with {done.returncode}")
    if found:
        sys.exit("the shared benchmark does not run whole:\n  " + "\n  ".join(found))


if __name__ == "__main__":
    main()
