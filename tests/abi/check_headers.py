#!/usr/bin/env python3
"""Checks the public headers against the facts of the stock ABI, and that they are clean C11 and C++17.

  check_headers.py facts   every prototype, enum value, struct size and field offset of signatures_facts.tsv
  check_headers.py alone   each header compiles on its own, as C and as C++, without a warning
  check_headers.py link    two C files that include all of them link to one program

  --cc, --cxx   compilers to use, besides the clang that is found on the machine
  --facts DIR   the collection the table was made from; where it exists the table must agree with it
"""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

import facts

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "abi"))
import headers  # noqa: E402

INCLUDE = os.path.join(ROOT, "include")
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def public_headers():
    """The headers that are C as well as C++."""
    found = []
    for folder, _, names in os.walk(INCLUDE):
        paths = [os.path.join(folder, name) for name in names if name.endswith(".h")]
        found += [os.path.relpath(path, INCLUDE) for path in paths if not headers.is_cpp(path)]
    return sorted(found)


def compilers(args):
    """(command, language) of each compiler to try."""
    found = [([args.cc, "-std=c11", "-Wstrict-prototypes"], "c"), ([args.cxx, "-std=c++17"], "c++")]
    for cc, cxx in (("clang", "clang++"), ("clang-14", "clang++-14")):
        if shutil.which(cc) and shutil.which(cxx):
            found += [([cc, "-std=c11", "-Wstrict-prototypes"], "c"), ([cxx, "-std=c++17"], "c++")]
            break
    return found


def compile_text(command, language, text):
    """What the compiler says about the text; empty when it accepts it."""
    run = subprocess.run(command + WARNINGS + ["-I", INCLUDE, "-x", language, "-fsyntax-only", "-"], input=text,
                         capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def facts_source(rows):
    """A file that compiles only if the headers agree with the rows."""
    known = set(public_headers())
    rows = [row for row in rows if row[1] in known]
    lines = [f'#include "{header}"' for header in sorted({row[1] for row in rows})]
    lines += ["#include <stddef.h>", "#ifdef __cplusplus", "#define CHECK static_assert", 'extern "C" {', "#else",
              "#define CHECK _Static_assert", "#endif"]

    def check(condition, what):
        lines.append(f'CHECK({condition}, "{what}");')

    for row in rows:
        kind, _, name = row[:3]
        if kind in ("proto", "inline"):
            # The size comes first: it needs a declaration from the headers, the second declaration is one itself.
            check(f"sizeof(&{name}) == sizeof(void (*)(void))", f"{name} is declared")
            # In C++ the helpers would merely be overloaded by a second declaration; C rejects a different one.
            lines += ([f"{row[3]};"] if kind == "proto" else
                      ["#ifndef __cplusplus", f"static inline {row[3]};", "#endif"])
        elif kind in ("enum", "const"):
            check(f"{name} == {row[3]}", f"{name} is {row[3]}")
        elif kind == "struct":
            check(f"sizeof({name}) == {row[3]}", f"sizeof {name} is {row[3]}")
            check(f"DVT_ALIGN({name}) == {row[4]}", f"alignment of {name} is {row[4]}")
        elif kind == "field":
            struct, field = name.split(".")
            check(f"offsetof({struct}, {field}) == {row[3]}", f"{name} is at {row[3]}")
            check(f"sizeof((({struct} *)0)->{field}) == {row[4]}", f"{name} has {row[4]} bytes")
    lines += ["#ifdef __cplusplus", "}", "#endif"]
    head = ["#ifdef __cplusplus", "#define DVT_ALIGN alignof", "#else", "#define DVT_ALIGN _Alignof", "#endif"]
    return "\n".join(head + lines) + "\n", len(rows)


def check_facts(args):
    problems = []
    table = facts.read_table()
    collection = facts.read_signatures(args.facts)
    if collection is not None:
        problems = [f"signatures_facts.tsv lacks {' '.join(row)}" for row in collection if row not in set(table)]
    known = {row[2] for row in table}
    problems += [f"include/{function.header}: {function.name} is not in signatures_facts.tsv"
                 for header in headers.read_all(ROOT) for function in header.functions
                 if not function.header.startswith("dovetail/") and function.name not in known]
    text, count = facts_source(table)
    for command, language in compilers(args):
        said = compile_text(command, language, text)
        if said:
            problems.append(f"{command[0]}, {language}:\n{said}")
    print(f"facts: {count} of {len(table)} rows belong to headers that exist; collection "
          f"{'not present' if collection is None else 'compared'}")
    return problems


def check_alone(args):
    jobs = [(command, language, header) for command, language in compilers(args) for header in public_headers()]
    # A file needs one declaration to be valid C; what the header brings must not be needed for it.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda job: compile_text(job[0], job[1],
                                                      f'#include "{job[2]}"\nextern int dvt_alone;\n'), jobs))
    print(f"alone: {len(jobs)} compilations of {len(public_headers())} headers")
    return [f"{job[2]} ({job[0][0]}, {job[1]}):\n{text}" for job, text in zip(jobs, said) if text]


def check_link(args):
    problems = []
    includes = "".join(f'#include "{header}"\n' for header in public_headers())
    for command, language in compilers(args):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, text in (("one", "int dvt_two(void);\nint main(void) { return dvt_two(); }\n"),
                               ("two", "int dvt_two(void);\nint dvt_two(void) { return 0; }\n")):
                paths.append(os.path.join(folder, name + (".c" if language == "c" else ".cc")))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(includes + text)
            run = subprocess.run(command + WARNINGS + ["-I", INCLUDE] + paths + ["-o", os.path.join(folder, "both")],
                                 capture_output=True, text=True)
            if run.returncode:
                problems.append(f"{command[0]}, {language}:\n{run.stderr}")
            problems += check_weak(command, language, folder)
    return problems


def check_weak(command, language, folder):
    """With TF_CAPI_WEAK a program links without the library and can ask which functions are there."""
    program = os.path.join(folder, "weak")
    text = '#include "tensorflow/c/kernels.h"\nint main(void) { return TF_Version || TF_GetInput ? 1 : 0; }\n'
    run = subprocess.run(command + WARNINGS + ["-DTF_CAPI_WEAK", "-I", INCLUDE, "-x", language, "-", "-o", program],
                         input=text, capture_output=True, text=True)
    if run.returncode == 0:
        run = subprocess.run([program], capture_output=True, text=True)
    return [f"TF_CAPI_WEAK, {command[0]}, {language}: exit {run.returncode}\n{run.stderr}"] if run.returncode else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["facts", "alone", "link"])
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--facts", default=os.path.join(os.path.dirname(ROOT), "shared", "facts"))
    args = parser.parse_args()
    problems = {"facts": check_facts, "alone": check_alone, "link": check_link}[args.what](args)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
