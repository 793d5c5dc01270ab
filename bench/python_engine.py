#!/usr/bin/env python3
"""Runs a model of bench/make_models.py as Python users do: python_engine.py tensorflow|onnxruntime FOLDER THREADS.

Prints a line of JSON with version, times and outputs, then for each line with a number the milliseconds of so many runs.
"""
import json
import os
import sys
import time

import numpy as np


def open_tensorflow(folder, threads, inputs):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    begin = time.perf_counter()
    model = tf.saved_model.load(os.path.join(folder, "saved_model"))
    function = model.signatures["serving_default"]
    (name,) = function.structured_input_signature[1]
    tensors = {name: tf.constant(next(iter(inputs.values())))}
    keep = model  # the function does not keep the variables alive

    def run():
        result = function(**tensors)
        return [value.numpy() for _, value in sorted(result.items())] if keep else []
    return tf.__version__, begin, run


def open_onnxruntime(folder, threads, inputs):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    begin = time.perf_counter()
    session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options, providers=["CPUExecutionProvider"])
    (end,) = session.get_inputs()
    image = np.ascontiguousarray(next(iter(inputs.values())).transpose(0, 3, 1, 2))  # the layout it is fastest with
    return onnxruntime.__version__, begin, lambda: session.run(None, {end.name: image})


def main():
    engine, folder, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with np.load(os.path.join(folder, "inputs.npz")) as values:
        inputs = dict(values)
    version, begin, run = {"tensorflow": open_tensorflow, "onnxruntime": open_onnxruntime}[engine](folder, threads, inputs)
    opened = time.perf_counter()
    outputs = run()
    first = time.perf_counter()
    print(json.dumps({"version": version, "open_ms": (opened - begin) * 1e3, "first_ms": (first - opened) * 1e3,
                      "outputs": [value.tolist() for value in outputs]}), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            run()
            times.append((time.perf_counter() - begin) * 1e3)
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    main()
