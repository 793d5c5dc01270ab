#!/usr/bin/env python3
"""Runs every case of the conformance program on stock TensorFlow and on Dovetail and compares what they print.

Fails when a value differs that differences.txt does not list, and when a listed difference no longer occurs. See README.md."""
import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import protos  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
NOTHING = "(nothing)"
DIED = "case ends"


def stock_folder(python):
    """The folder of the installed TensorFlow package, found without importing it."""
    code = "import importlib.util as u; s = u.find_spec('tensorflow'); print(s.submodule_search_locations[0] if s else '')"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()
    if not found:
        sys.exit(f"{python} has no tensorflow package")
    return found


def expand_specs(path):
    """The op specs with their `$NAME` lists written out: one line `section<TAB>spec<TAB>phrases` each."""
    lists, section, out = {}, "", []
    for line in path.read_text().splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
        elif match := re.match(r"let (\w+) = (.*)", line):
            lists[match[1]] = [item.strip() for item in match[2].split(";;")]
        else:
            spec, _, phrases = line.partition(" ## ")
            todo = [spec.rstrip()]
            while todo:
                item = todo.pop()
                name = re.search(r"\$([A-Z]+)", item)
                if name:
                    todo += [item.replace(name[0], choice, 1) for choice in reversed(lists[name[1]])]
                else:
                    out.append(f"{section}\t{item}\t{phrases.strip()}\n")
    return "".join(out)


class Side:
    """One of the two libraries."""

    def __init__(self, name, library, options, specs, scratch):
        self.name, self.binary, self.scratch = name, options.binary, scratch
        self.environment = dict(os.environ, LD_LIBRARY_PATH=library, CONFORMANCE_PLUGINS=options.plugins, TF_CPP_MIN_LOG_LEVEL="1",
                                CONFORMANCE_SPECS=str(specs), DOVETAIL_PLUGIN_PATH=options.dovetail_plugins,
                                TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")

    def run(self, case):
        """Observations of a case: label -> value; and label -> message, for reports."""
        folder = pathlib.Path(self.scratch, self.name, case)
        folder.mkdir(parents=True)
        log = folder / "stderr.txt"
        environment = dict(self.environment, CONFORMANCE_SCRATCH=str(folder))
        with log.open("wb") as errors:
            try:
                done = subprocess.run([self.binary, case], env=environment, stdout=subprocess.PIPE, stderr=errors, timeout=300)
                output, code = done.stdout, done.returncode
            except subprocess.TimeoutExpired as late:
                output, code = late.stdout or b"", None
        seen, messages, last, counts = {}, {}, None, {}
        for line in output.decode("latin-1").splitlines():
            if line.startswith("# "):
                messages[last] = line[2:]
                continue
            label, tab, value = line.partition("\t")
            if not tab:
                continue
            counts[label] = counts.get(label, 0) + 1
            last = label if counts[label] == 1 else f"{label} #{counts[label]}"
            seen[last] = value
        if DIED not in seen:
            seen[DIED] = "hangs" if code is None else "dies" if code < 0 else f"exits {code}"
            messages[DIED] = log.read_bytes()[-2000:].decode("latin-1")
        return seen, messages


class Difference:
    """A block of differences.txt: case and label, what either library does (patterns), why."""

    def __init__(self, case, label):
        self.case, self.label, self.stock, self.dovetail, self.reason, self.used = case, label, "*", "*", "", False

    def covers(self, case, label, stock, dovetail):
        return (fnmatch.fnmatchcase(case, self.case) and fnmatch.fnmatchcase(label, escape(self.label))
                and fnmatch.fnmatchcase(stock, escape(self.stock)) and fnmatch.fnmatchcase(dovetail, escape(self.dovetail)))


def escape(pattern):
    """Only `*` is special in differences.txt."""
    return re.sub(r"([\[?])", r"[\1]", pattern)


def read_differences(path):
    entries = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "at":
            case, _, label = value.partition(" / ")
            entries.append(Difference(case, label))
        elif key in ("stock", "dovetail", "reason") and entries:
            setattr(entries[-1], key, (entries[-1].reason + " " + value).strip() if key == "reason" else value)
        else:
            sys.exit(f"{path}:{number}: not a field: {line}")
    for entry in entries:
        if not entry.reason:
            sys.exit(f"{path}: no reason for {entry.case} / {entry.label}")
    return entries


def short(value):
    return value if len(value) < 400 else value[:400] + "..."


def meaning(value):
    """Messages are compared decoded, everything else as text."""
    match = re.match(r"@(\w+) ([0-9a-f]*)$", value)
    return protos.decode(match[1], bytes.fromhex(match[2])) if match else value


def report(case, label, stock, dovetail, notes):
    print(f"DIFFERS {case} / {label}")
    if isinstance(meaning(stock), dict) and isinstance(meaning(dovetail), dict):
        a, b = (list(protos.lines(meaning(v))) for v in (stock, dovetail))
        for line in list(difflib.unified_diff(a, b, "stock", "dovetail", lineterm="", n=2))[:80]:
            print("    " + line)
        return
    for name, value, note in (("stock", stock, notes[0]), ("dovetail", dovetail, notes[1])):
        print(f"    {name}: {short(value)}")
        if note:
            print(f"        {short(note)}")


def known_value(value):
    """What patterns of differences.txt see of a value: decoded messages count as the word `message`."""
    return "message" if isinstance(meaning(value), dict) else value


def fold_ends(one, other):
    """Where a child of `one` died before it said what `other` says, its end stands for what it would have said."""
    for end in [label for label in one if label.endswith(" ends") and label != DIED and one[label] != "returns"]:
        block = end[:-len(" ends")]
        missing = [label for label in other if (label == block or label.startswith(block + " ")) and label not in one]
        missing = [label for label in missing if not label.endswith(" ends")]
        for label in missing:
            one[label] = one[end]
        if missing and other.get(end) == "returns":
            del one[end], other[end]


def compare(case, results, entries):
    (stock, stock_notes), (dovetail, dovetail_notes) = results
    fold_ends(stock, dovetail)
    fold_ends(dovetail, stock)
    failures, listed = 0, 0
    for label in list(stock) + [label for label in dovetail if label not in stock]:
        a, b = stock.get(label, NOTHING), dovetail.get(label, NOTHING)
        if meaning(a) == meaning(b):
            continue
        covering = [e for e in entries if e.covers(case, label, known_value(a), known_value(b))]
        for entry in covering:
            entry.used = True
        listed += bool(covering)
        if not covering:
            failures += 1
            report(case, label, a, b, (stock_notes.get(label), dovetail_notes.get(label)))
    return failures, listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the conformance program")
    parser.add_argument("--python", required=True, help="an interpreter that has stock TensorFlow")
    parser.add_argument("--dovetail", required=True, help="folder of Dovetail's libraries under their stock names")
    parser.add_argument("--dovetail-plugins", required=True, help="folder of the standard plugins")
    parser.add_argument("--plugins", required=True, help="folder of the plugins built for this test")
    parser.add_argument("--case", action="append", default=[], help="only this case (a pattern)")
    parser.add_argument("--print", action="store_true", help="print all observations of both libraries")
    options = parser.parse_args()

    entries = read_differences(HERE / "differences.txt")
    with tempfile.TemporaryDirectory() as scratch:
        specs = pathlib.Path(scratch, "specs.tsv")
        specs.write_text(expand_specs(HERE / "op_specs.txt"))
        sides = [Side("stock", stock_folder(options.python), options, specs, scratch),
                 Side("dovetail", options.dovetail, options, specs, scratch)]
        cases = subprocess.run([options.binary], env=sides[1].environment, capture_output=True, text=True, check=True).stdout.split()
        cases = [c for c in cases if not options.case or any(fnmatch.fnmatchcase(c, p) for p in options.case)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            futures = [[pool.submit(side.run, case) for side in sides] for case in cases]
            failures = listed = compared = 0
            for case, pair in zip(cases, futures):
                results = [f.result() for f in pair]
                compared += len(set(results[0][0]) | set(results[1][0]))
                if options.print:
                    for label in results[0][0]:
                        print(f"{case} / {label}\n    {short(results[0][0][label])}\n    {short(results[1][0].get(label, NOTHING))}")
                        if note := results[0][1].get(label):
                            print(f"    # {short(note)}")
                        if note := results[1][1].get(label):
                            print(f"    # {short(note)}")
                found, known = compare(case, results, entries)
                failures, listed = failures + found, listed + known
    gone = [e for e in entries if not e.used and any(fnmatch.fnmatchcase(c, e.case) for c in cases)]
    for entry in gone:
        print(f"NO LONGER DIFFERS {entry.case} / {entry.label}: remove it from differences.txt")
    print(f"{compared} observations in {len(cases)} cases: {compared - failures - listed} equal, {listed} listed differences "
          f"({len(entries)} entries), {failures} unlisted, {len(gone)} listed but gone")
    sys.exit(1 if failures or gone else 0)


if __name__ == "__main__":
    main()
