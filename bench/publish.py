#!/usr/bin/env python3
"""Writes docs/performance.md of the tables that bench/models.py and bench/kernels.py left in build/bench (--markdown)."""
import json
import os

import environment

FOLDER = os.path.join(environment.ROOT, "build", "bench")
INTRO = """# Performance

Measured by `make bench`, side by side in one run; made by `bench/publish.py`. All at batch 1, in f32. A time is the least of
many runs, `paired` the median over rounds of the ratio of times taken next to each other. Machine: {cores} cores, {isa}.
Compared with {versions}.

Stock TensorFlow is taken in the fastest of its ways: the C API as it is, the C API with all in the caller's thread, and, for
SavedModels, a function of `tf.saved_model.load` in Python. onnxruntime runs what `tf2onnx` makes of the frozen graphs.
`difference` is the greatest difference of the results over their greatest magnitude (to stay below 1e-4). Networks have random
weights; their batch normalisations have the statistics of their data. Shares are of what `bench/machine_limit.c` reaches in the
same run: chains of FMAs, or a triad over arrays larger than the caches.

"""


def machine():
    with open("/proc/cpuinfo") as f:
        flags = next((line for line in f if line.startswith("flags")), "")
    isa = "AVX-512" if "avx512f" in flags else "AVX2 and FMA" if "avx2" in flags else "neither AVX2 nor AVX-512"
    return {"cores": len(os.sched_getaffinity(0)), "isa": isa}


def main():
    with open(os.path.join(FOLDER, "models.json")) as f:
        rows = json.load(f)["models"]
    seen = {who: version for row in rows for who, version in row["versions"].items()}
    names = {"stock": "TensorFlow", "onnx": "onnxruntime"}
    versions = " and ".join(f"{name} {seen[who]}" for who, name in names.items() if who in seen)
    parts = []
    for name in ("models", "kernels"):
        with open(os.path.join(FOLDER, name + ".md")) as f:
            parts.append(f.read().replace("### ", "## "))
    with open(os.path.join(environment.ROOT, "docs", "performance.md"), "w") as f:
        f.write(INTRO.format(**machine(), versions=versions) + "\n".join(parts))


if __name__ == "__main__":
    main()
