#!/usr/bin/env python3
"""Networks made with Keras compute the same fused, unfused and in stock TensorFlow, frozen and as SavedModels.

Usage: keras_test.py DOVETAIL RECORDED_DIR [SEED]
keras_nets.py records the networks and stock's answers unless RECORDED_DIR has them.
Tolerance: 1e-4 of the largest magnitude of the result; what was found is printed."""
import glob
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(here))
import recorded  # noqa: E402

TOLERANCE = 1e-4
# What must not run by itself any more in a frozen network, when everything is on.
GONE = {
    "mobilenet_v2": {"BiasAdd", "FusedBatchNormV3", "Relu6"},
    "resnet": {"BiasAdd", "FusedBatchNormV3", "Relu", "AddV2"},
    "densenet": {"Mul", "AddV2", "Relu"},
    "mobilenet_v3": {"Relu6", "RealDiv", "AddV2"},
    "efficientnet": {"Sigmoid", "AddV2"},
    "prelu": {"Relu", "Neg"},
    "bert": {"Rsqrt", "SquaredDifference", "Erfc", "Tanh", "Mean"},
    "lstm": {"Sigmoid", "Tanh"},
}


def dovetail(command, switches):
    env = dict(os.environ, DOVETAIL_OPTIMIZE=switches)
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit("FAILED: %s (DOVETAIL_OPTIMIZE=%s): %s" % (" ".join(command[:3]), switches, done.stderr))
    return done.stdout


def run(program, model, data, scratch, switches):
    dovetail([program, "run", model, "--input", "0=" + data, "--out-dir", scratch], switches)
    with open(os.path.join(scratch, "outputs.json")) as f:
        entry, = json.load(f)
    return np.load(os.path.join(scratch, os.path.basename(entry["file"])))


def ops_that_run(program, model):
    plan = json.loads(dovetail([program, "plan", model, "--json"], "all"))
    return {n["op"] for n in plan["nodes"] if n["fate"] == "runs"}


def agrees(program, folder, name, scratch):
    data = os.path.join(folder, name + ".npy")
    wanted = np.load(os.path.join(folder, name + ".wanted.npy"))
    size, errors = np.abs(wanted).max(), {}
    for form, model in (("frozen", name + ".pb"), ("saved", name)):
        results = {s: run(program, os.path.join(folder, model), data, scratch, s) for s in ("all", "none")}
        for switches, got in results.items():
            errors[form + " " + switches] = np.abs(got - wanted).max() / size if got.shape == wanted.shape else np.inf
        errors[form + " fused"] = np.abs(results["all"] - results["none"]).max() / size
    worst = max(errors, key=errors.get)
    left = GONE.get(name, set()) & ops_that_run(program, os.path.join(folder, name + ".pb"))
    print("%-16s at worst %.1e (%s)%s" % (name, errors[worst], worst, "; still runs %s" % sorted(left) if left else ""))
    return errors[worst] <= TOLERANCE and not left


def main():
    program, folder = sys.argv[1:3]
    seed = sys.argv[3] if len(sys.argv) > 3 else "20261121"
    make = [sys.executable, os.path.join(here, "keras_nets.py"), "--seed", seed]
    folder = recorded.folder(folder, make[1:2], [seed], lambda path: subprocess.check_call(make + [path]))
    names = [os.path.basename(path)[: -len(".pb")] for path in sorted(glob.glob(os.path.join(folder, "*.pb")))]
    with tempfile.TemporaryDirectory() as scratch:
        failed = [name for name in names if not agrees(program, folder, name, scratch)]
    sys.exit("FAILED: seed %s, %s" % (seed, ", ".join(failed)) if failed or not names else 0)


if __name__ == "__main__":
    main()
