#!/usr/bin/env python3
"""Trained networks on Dovetail, stock TensorFlow and onnxruntime, by turns in one run, at batch 1.

bench/models.py [--quick] [--rounds N] [--threads 1,2] [--formats frozen,saved_model] [--json FILE] [--markdown FILE] [NAME...]

Stock is taken in the fastest of its ways: the C API as it is, the C API with all in the caller's thread, and for
SavedModels a function of tf.saved_model.load in Python. onnxruntime runs the image networks, converted by tf2onnx. What
is compared are least times of many runs. `make bench` prepares all this needs; models are made once, under build/bench.
"""
import argparse
import json
import os
import subprocess
import sys

import environment

environment.use_venv()
import engines
import numpy as np
import report
import turns

MODELS = os.environ.get("BENCH_MODELS") or os.path.join(environment.ROOT, "build", "bench", "models")
NAMES = ["mobilenet_v2", "resnet50", "densenet121", "bert", "lstm"]
FORMATS = ["frozen", "saved_model"]
GOAL_STOCK, GOAL_ONNX, GOAL_FIRST_MS, GOAL_DIFFERENCE = 0.9, 1.1, 60, 1e-4


def make(names):
    """Makes the models that are not there yet."""
    if all(os.path.exists(os.path.join(MODELS, name, "made")) for name in names):
        return
    report.progress("making models\n")
    made = subprocess.run([sys.executable, os.path.join(environment.ROOT, "bench", "make_models.py"), MODELS, *names],
                          capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"bench/make_models.py failed: {made.stderr[-1000:]}")


def read(name):
    folder = os.path.join(MODELS, name)
    with open(os.path.join(folder, "ends.json")) as f:
        ends = json.load(f)
    with np.load(os.path.join(folder, "inputs.npz")) as values:
        return folder, ends, dict(values)


def open_capi(library, name, kind, threads, settings=()):
    folder, ends, values = read(name)
    path = os.path.join(folder, "frozen.pb" if kind == "frozen" else "saved_model")
    inputs = {ends[kind]["inputs"][key]: value for key, value in values.items()}
    return engines.Capi(library, engines.GRAPH_DEF if kind == "frozen" else engines.SAVED_MODEL, path, threads, inputs,
                        ends[kind]["outputs"], settings)


def open_fastest_stock(name, kind, threads):
    """(way, engine) of stock's fastest way; the others are closed again."""
    library = environment.stock_library()
    ways = {"C API": open_capi(library, name, kind, threads)}
    try:
        ways["C API, caller's thread"] = open_capi(library, name, kind, threads, engines.ONE_EXECUTOR_THREAD)
    except RuntimeError:
        pass  # its executor knows no Switch and Merge
    if kind == "saved_model":
        ways["Python"] = engines.Python("tensorflow", os.path.join(MODELS, name), threads)
    times = turns.by_turns(ways, 2, share=0.6)
    best = min(ways, key=lambda way: min(times[way]))
    for way, engine in ways.items():
        if way != best:
            engine.close()
    return best, ways[best]


def measure(name, kind, threads, rounds):
    row = {"model": name, "format": kind, "threads": threads}
    peers = {"ours": open_capi(environment.DOVETAIL, name, kind, threads)}
    row["way"], peers["stock"] = open_fastest_stock(name, kind, threads)
    folder = os.path.join(MODELS, name)
    if kind == "frozen" and os.path.exists(os.path.join(folder, "model.onnx")):
        peers["onnx"] = engines.Python("onnxruntime", folder, threads)
    row["difference"] = engines.scaled_difference(peers["ours"].outputs, peers["stock"].outputs)
    times = turns.by_turns(peers, rounds)
    row["versions"] = {who: engine.version for who, engine in peers.items()}
    for engine in peers.values():
        engine.close()
    for who in times:
        row[who + "_ms"] = min(times[who])
    for who in times.keys() - {"ours"}:
        row[who + "_ratio"] = row["ours_ms"] / row[who + "_ms"]
        row[who + "_paired"] = turns.paired(times["ours"], times[who])
    row["met"] = (row["difference"] < GOAL_DIFFERENCE and row["stock_ratio"] <= GOAL_STOCK and
                  row.get("onnx_ratio", 0) <= GOAL_ONNX)
    return row


def first_inference(name, kind, threads, processes):
    """Loading the library, opening the model and the first run, in processes of their own; files are in the cache."""
    row = {"model": name, "format": kind, "threads": threads}
    for who, library, count in (("ours", environment.DOVETAIL, processes), ("stock", environment.stock_library(), 2)):
        best = None
        for _ in range(count):
            engine = open_capi(library, name, kind, threads)
            engine.close()
            times = [engine.load_ms, engine.open_ms, engine.first_ms]
            best = times if best is None or sum(times) < sum(best) else best
        row[who + "_ms"], row[who + "_parts_ms"] = sum(best), best
    row["met"] = row["ours_ms"] <= GOAL_FIRST_MS
    return row


def tables(rows, first):
    yield ("Time of a run, ms (least of many), and ratio ours / theirs",
           ["model", "format", "threads", "Dovetail", "stock", "ratio", "paired", "stock's way", "onnxruntime", "ratio", "paired",
            "difference", f"goals: {GOAL_STOCK}, {GOAL_ONNX}"],
           [[r["model"], r["format"], r["threads"], r["ours_ms"], r["stock_ms"], r["stock_ratio"], r["stock_paired"], r["way"],
             r.get("onnx_ms"), r.get("onnx_ratio"), r.get("onnx_paired"), f"{r['difference']:.1e}", report.verdict(r["met"])]
            for r in rows])
    yield ("First inference in a fresh process, ms: load, open, run",
           ["model", "format", "threads", "Dovetail", "parts", "stock", f"goal: {GOAL_FIRST_MS} ms"],
           [[r["model"], r["format"], r["threads"], r["ours_ms"], " + ".join(f"{x:.1f}" for x in r["ours_parts_ms"]),
             r["stock_ms"], report.verdict(r["met"])] for r in first])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="fewer rounds, frozen graphs only")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--formats", default="")
    report.add_options(parser)
    options = parser.parse_args()
    names = options.names or NAMES
    rounds = options.rounds or (3 if options.quick else 6)
    formats = options.formats.split(",") if options.formats else FORMATS[:1] if options.quick else FORMATS
    threads = [int(n) for n in options.threads.split(",")]
    make(names)
    rows, first = [], []
    for name in names:
        for kind in formats:
            for n in threads:
                report.progress(f"{name}, {kind}, {n} threads")
                rows.append(measure(name, kind, n, rounds))
    for kind in formats if names[0] == NAMES[0] else []:
        for n in threads:
            report.progress(f"first inference, {kind}, {n} threads")
            first.append(first_inference(names[0], kind, n, 5 if options.quick else 15))
    report.progress("")
    report.write(options, list(tables(rows, first)), {"models": rows, "first_inference": first})


if __name__ == "__main__":
    main()
