#!/usr/bin/env python3
"""Single kernels against the machine's own limits, measured by turns in one run: matmul, convolution, softmax, layer norm.

bench/kernels.py [--quick] [--rounds N] [--threads 1,2] [--json FILE] [--markdown FILE] [NAME...]

Each is a graph of one layer, run through the C API as a program would, on Dovetail and on stock TensorFlow. The limits
are what bench/machine_limit.c reaches: f32 FMA rate for products and convolutions, bandwidth of a triad for softmax and
layer norm, whose 4 MiB are read once and written once.
"""
import argparse
import os
import subprocess

import environment

environment.use_venv()
import engines
import models
import report
import turns

GFLOP = 1e-6  # of operations and milliseconds
KERNELS = {  # name: (operations or bytes of a run, limit, share of it that is the goal)
    "matmul_512": (2 * 512**3, "fma", 0.90),
    "matmul_1024": (2 * 1024**3, "fma", 0.90),
    "conv_3x3": (2 * 56 * 56 * 64 * 64 * 9, "fma", 0.92),
    "softmax": (2 * 4 * 1024**2, "triad", 0.80),
    "layernorm": (2 * 4 * 1024**2, "triad", 0.80),
}
UNITS = {"fma": "GFLOP/s", "triad": "GB/s"}


def limits(threads, into):
    """Adds the best of one more measurement to {(name, threads): rate}."""
    program = os.path.join(environment.BUILD, "bin", "machine_limit")
    done = subprocess.run([program, str(max(threads))], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        name, count, value, _ = line.split()
        into[name, int(count)] = max(float(value), into.get((name, int(count)), 0))


def measure(name, threads, rounds):
    work, limit, goal = KERNELS[name]
    peers = {"ours": models.open_capi(environment.DOVETAIL, name, "frozen", threads),
             "stock": models.open_capi(environment.stock_library(), name, "frozen", threads, engines.ONE_EXECUTOR_THREAD)}
    row = {"kernel": name, "threads": threads, "limit": limit, "goal": goal}
    row["difference"] = engines.scaled_difference(peers["ours"].outputs, peers["stock"].outputs)
    times = turns.by_turns(peers, rounds, share=0.6)
    for who, engine in peers.items():
        engine.close()
        row[who + "_ms"] = min(times[who])
        row[who + "_rate"] = work * GFLOP / row[who + "_ms"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(KERNELS))
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--threads", default="1,2")
    report.add_options(parser)
    options = parser.parse_args()
    names = options.names or list(KERNELS)
    threads = [int(n) for n in options.threads.split(",")]
    subprocess.run(["cmake", "--build", environment.BUILD, "--target", "benchmarks"], check=True, stdout=subprocess.DEVNULL)
    models.make(names)
    rates, rows = {}, []
    for n in threads:
        for name in names:
            report.progress(f"{name}, {n} threads")
            limits(threads, rates)
            rows.append(measure(name, n, options.rounds or (4 if options.quick else 10)))
    limits(threads, rates)
    for row in rows:
        row["limit_rate"] = rates[row["limit"], row["threads"]]
        row["share"] = row["ours_rate"] / row["limit_rate"]
        row["met"] = row["share"] >= row["goal"]
    report.progress("")
    report.write(options, [
        ("Limits of the machine", ["limit", "threads", "rate", "unit"],
         [[limit, n, rate, UNITS.get(limit, "GB/s")] for (limit, n), rate in rates.items() if n in threads]),
        ("Kernels, least time of many runs",
         ["kernel", "threads", "Dovetail ms", "rate", "unit", "share of limit", "goal", "", "stock ms", "stock's rate", "difference"],
         [[r["kernel"], r["threads"], r["ours_ms"], r["ours_rate"], UNITS[r["limit"]], r["share"], f"{r['goal']} of {r['limit']}",
           report.verdict(r["met"]), r["stock_ms"], r["stock_rate"], f"{r['difference']:.1e}"] for r in rows])],
        {"kernels": rows, "limits": [{"limit": limit, "threads": n, "rate": rate} for (limit, n), rate in rates.items()]})


if __name__ == "__main__":
    main()
