"""Records what control_test.py replays: control_record.py OUT_DIR [--seed N] [--count N]

Every program is built three ways: as functions (While, If, Case, calls), the same lowered to Switch, Merge and loop frames by
stock's own rewriter, and as a TensorFlow 1 graph, whose arrays are TensorArrayV3. Programs are those of loops.py, COUNT
random ones of programs.py, and recurrent networks of Keras; the networks also as SavedModels with an input and the answer."""

import argparse
import json
import os
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


def saved_models(options):
    """saved_K, its input saved_K/x.npy, stock's answer saved_K/wanted.npz; and saved_models.json with names."""
    rows = []
    for k, (name, make, shape) in enumerate(NETWORKS):
        folder = os.path.join(options.out, 'saved_%d' % k)
        tf.random.set_seed(options.seed)
        model = make()
        x = np.random.default_rng([options.seed, 3]).normal(size=shape).astype(np.float32)
        model(x)
        model.export(folder, verbose=False)
        serve = tf.saved_model.load(folder).signatures['serving_default']
        (argument,) = serve.structured_input_signature[1]
        np.save(os.path.join(folder, 'x.npy'), x)
        np.savez(os.path.join(folder, 'wanted.npz'), **{k: v.numpy() for k, v in serve(tf.constant(x)).items()})
        rows.append({'name': name, 'folder': folder, 'argument': argument})
    with open(os.path.join(options.out, 'saved_models.json'), 'w') as file:
        json.dump(rows, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
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
    saved_models(options)
    if skipped:
        print('%d programs that stock does not build or run' % skipped)
    return 1 if skipped else 0


if __name__ == '__main__':
    sys.exit(main())
