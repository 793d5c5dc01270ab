"""Control flow beside stock TensorFlow.

  control_test.py RUN_CASES DOVETAIL OUT_DIR [--seed N] [--count N]

Every program is built three ways: as functions (While, If, Case, calls), the same lowered to Switch, Merge and loop frames by
stock's own rewriter, and as a TensorFlow 1 graph, whose arrays are TensorArrayV3. Programs are those of loops.py, COUNT
random ones of programs.py, and recurrent networks of Keras. Stock runs them here; run_cases replays them all in one process.
The networks are also exported as SavedModels, which `dovetail run` opens."""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'ops'))

import numpy as np  # noqa: E402
from case_writer import Writer, tf, tf1  # noqa: E402
from loops import FIXED  # noqa: E402
from programs import FLOATS, INTS, WIDTH, Program  # noqa: E402
from recurrent import NETWORKS  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

TOLERANCE = (2e-5, 1e-6)


def traced(f, values):
    specs = [
        tf.TensorSpec(v.shape, tf.string if v.dtype.kind == 'O' else v.dtype, name='in%d' % i)
        for i, v in enumerate(map(np.asarray, values))
    ]
    return tf.function(f, input_signature=specs, autograph=False).get_concrete_function()


def write_function(writer, name, concrete, values):
    """The graph of a concrete function as it is: inputs by position, outputs in order."""
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(concrete.graph.as_graph_def(), name='')
    feeds = {t.name: v for t, v in zip(concrete.inputs, values)}
    names = [t.name for t in concrete.outputs]
    outputs = [graph.get_tensor_by_name(n) for n in names]
    writer._run(name, {}, graph, graph.as_graph_def(), feeds, outputs, names, TOLERANCE, '', False, False)


def write_three(writer, name, f, inputs):
    """f(*tensors) for each list of input values."""
    flat = lambda *tensors: [tf.identity(t) for t in tf.nest.flatten(f(*tensors))]
    concrete = traced(flat, inputs[0])
    lowered = convert_variables_to_constants_v2(concrete, lower_control_flow=True)
    for values in inputs:
        if any(np.shape(a) != np.shape(b) for a, b in zip(values, inputs[0])):
            concrete = traced(flat, values)
            lowered = convert_variables_to_constants_v2(concrete, lower_control_flow=True)
        write_function(writer, name, concrete, values)
        write_function(writer, name + ' lowered', lowered, values)
        tf1.disable_control_flow_v2()
        writer.add_graph(name + ' v1', flat, values, TOLERANCE)
        tf1.enable_control_flow_v2()


def fixed(options):
    writer = Writer(os.path.join(options.out, 'fixed.cases'))
    for name, f, inputs in FIXED:
        write_three(writer, name, f, inputs)
    return writer


def random_programs(options):
    writer = Writer(os.path.join(options.out, 'random.cases'))
    for k in range(options.count):
        program = Program(np.random.default_rng([options.seed, k]))
        data = np.random.default_rng([options.seed, k, 1])
        values = [np.int32(data.integers(0, 20)) for _ in range(INTS)]
        values += [data.normal(size=WIDTH).astype(np.float32) for _ in range(FLOATS)]
        write_three(writer, 'program %d.%d' % (options.seed, k), program, [values])
    return writer


def networks(options):
    writer = Writer(os.path.join(options.out, 'networks.cases'))
    for name, make, shape in NETWORKS:
        tf.random.set_seed(options.seed)
        model = make()
        x = np.random.default_rng([options.seed, 2]).normal(size=shape).astype(np.float32)
        concrete = traced(lambda x: tf.nest.flatten(model(x, training=False)), [x])
        for lower in (False, True):
            frozen = convert_variables_to_constants_v2(concrete, lower_control_flow=lower)
            write_function(writer, '%s%s' % (name, ' lowered' if lower else ''), frozen, [x])
    return writer


def run_saved_model(options, name, make, shape):
    """Whether the exported model answers what stock's loader answers; says where not."""
    folder = os.path.join(options.out, 'saved_model')
    shutil.rmtree(folder, ignore_errors=True)
    tf.random.set_seed(options.seed)
    model = make()
    x = np.random.default_rng([options.seed, 3]).normal(size=shape).astype(np.float32)
    model(x)
    model.export(folder, verbose=False)
    serve = tf.saved_model.load(folder).signatures['serving_default']
    wanted = {k: v.numpy() for k, v in serve(tf.constant(x)).items()}
    np.save(os.path.join(folder, 'x.npy'), x)
    (argument,) = serve.structured_input_signature[1]
    out = os.path.join(folder, 'out')
    command = [options.dovetail, 'run', folder, '--signature', 'serving_default', '--out-dir', out]
    command += ['--input', '%s=%s' % (argument, os.path.join(folder, 'x.npy'))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print('DIFFERS SavedModel %s: %s' % (name, done.stderr[-2000:]))
        return False
    with open(os.path.join(out, 'outputs.json')) as file:
        got = {o['name']: np.load(os.path.join(out, o['file'])) for o in json.load(file)}
    same = sorted(got) == sorted(wanted) and all(
        np.allclose(got[k], wanted[k], *TOLERANCE) and got[k].shape == wanted[k].shape for k in wanted
    )
    if not same:
        print('DIFFERS SavedModel %s: %s instead of %s' % (name, got, wanted))
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('runner')
    parser.add_argument('dovetail')
    parser.add_argument('out')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=12)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    print('seed', options.seed)
    skipped = 0
    for family in (fixed, random_programs, networks):
        begin = time.time()
        writer = family(options)
        writer.close()
        print('%-16s %4d cases, %d refused; %.1f s' % (family.__name__, writer.count, writer.refused, time.time() - begin))
        skipped += writer.skipped + writer.refused + writer.beyond
    if skipped:
        print('%d programs that stock does not build or run' % skipped)
        return 1
    different = subprocess.call([options.runner] + sorted(glob.glob(os.path.join(options.out, '*.cases'))))
    saved = [run_saved_model(options, *network) for network in NETWORKS]
    print('%d SavedModels, %d differ' % (len(saved), saved.count(False)))
    return different or not all(saved)


if __name__ == '__main__':
    sys.exit(main())
