#!/usr/bin/env python3
"""Dovetail beside stock TensorFlow, in one run: the same binary (abi_bench) on both libraries, in turn.

bench/run.py [--runs N] [--json FILE] [--stock DIR] [--model DIR]

For each figure: the least over the runs of Dovetail and of stock, their ratio, and the goal where there is one.
Stock is measured in its fastest configuration (no Grappler, single-threaded executor, the caller's thread) and, for the
model, in its default one. --stock names the directory of stock's shared libraries (default: the wheel
in build/venv or build/venv-bench).
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "release")
GOALS = {  # name: (limit, unit), from the project's goals
    "start.exec_to_version": 3.0, "start.resident": 6.0, "register.op": 500, "register.kernel": 500,
    "register.bytes_per_op_and_kernel": 600, "graph.add_node": 500, "graph.import_node": 600,
    "run.first_1000_nodes": 2.0, "run.chain_pass_per_node": 60, "run.chain_increment_per_node": 60,
    "run.one_node": 500, "shape.identity_function": 15, "shape.add_node_same_shape": 400,
    "infer.whole_100000_nodes": 100, "lookup.kernel_of_50000": 100, "trace.record_per_node": 100,
}


def run(libdir, *args):
    env = dict(os.environ, LD_LIBRARY_PATH=libdir, TF_CPP_MIN_LOG_LEVEL="3",
               BENCH_PLUGIN=os.path.join(BUILD, "lib", "bench_plugin.so"),
               BENCH_T0_NS=str(time.clock_gettime_ns(time.CLOCK_MONOTONIC)))
    done = subprocess.run([os.path.join(BUILD, "bin", "abi_bench"), *args], env=env, capture_output=True, text=True)
    if done.returncode:
        print(f"{args[0]} on {libdir}: exit {done.returncode}: {done.stderr.strip()[-300:]}", file=sys.stderr)
    out = {}
    for line in done.stdout.splitlines():
        name, value, unit = line.split()
        out[name] = (float(value), unit)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--stock")
    parser.add_argument("--model", default=os.path.join(ROOT, "build", "demo", "basic_pitch"))
    options = parser.parse_args()
    subprocess.run(["cmake", "--build", BUILD, "--target", "benchmarks"], check=True, stdout=subprocess.DEVNULL)
    stock = options.stock
    if not stock:
        found = glob.glob(os.path.join(ROOT, "build", "venv*", "lib", "python3*", "site-packages", "tensorflow"))
        stock = found[0] if found else None
        if not stock:
            sys.exit("bench/run.py: no stock TensorFlow found; run scripts/setup.sh bench, or pass --stock DIR")
    libraries = {"dovetail": os.path.join(BUILD, "lib", "compat"), "stock": stock}
    tests = [[name] for name in ("start", "register", "graph", "shape", "infer", "lookup", "first_run", "steady", "trace")]
    if os.path.isdir(options.model):
        tests.append(["model", options.model, "serving_default_input_2", "1,43844,1", "StatefulPartitionedCall"])
    best = {}
    for _ in range(options.runs):
        for test in tests:
            for who, libdir in libraries.items():
                for name, (value, unit) in run(libdir, *test).items():
                    entry = best.setdefault(name, {"unit": unit})
                    entry[who] = min(value, entry.get(who, float("inf")))
    print(f"{'figure':36} {'dovetail':>10} {'stock':>10} {'unit':6} {'stock/ours':>10}  goal")
    for name, entry in best.items():
        ours, theirs = entry.get("dovetail"), entry.get("stock")
        entry["ratio"] = theirs / ours if ours and theirs else None
        entry["goal"] = GOALS.get(name)
        met = "" if entry["goal"] is None or ours is None else ("met" if ours <= entry["goal"] else "MISSED")
        print(f"{name:36} {ours if ours is not None else '-':>10} {theirs if theirs is not None else '-':>10} "
              f"{entry['unit']:6} {entry['ratio'] or 0:10.1f}  {entry['goal'] or ''} {met}")
    if options.json:
        with open(options.json, "w") as f:
            json.dump(best, f, indent=1)


if __name__ == "__main__":
    main()
