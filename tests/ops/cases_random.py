"""Cases for random.so: for given seeds the numbers are stock's, bit for bit."""

import numpy as np

from case_writer import FLOATS, SIGNED, tf
from cases_lookup import in_order

EXACT = (0, 0)
SHAPES = ((), (0,), (1,), (3,), (4,), (5,), (2, 3), (7, 9), (1000,), (3, 0, 2))
LARGE = (300, 701)


def seeds(data):
    return {'seed': int(data.rng.integers(-(2**40), 2**62)), 'seed2': int(data.choice([0, 1, 42, -7, 2**63 - 1]))}


def shape_of(data, shape):
    return np.array(shape, data.choice(['int32', 'int64'])).reshape(len(shape))


def stateful(writer, data, scale):
    for op in ('RandomUniform', 'RandomStandardNormal', 'TruncatedNormal'):
        for dtype in FLOATS:
            for shape in SHAPES + (LARGE,):
                writer.add(
                    op,
                    {'shape': shape_of(data, shape)},
                    {**seeds(data), 'dtype': dtype},
                    constants=('shape',) if data.flip() else (),
                    tolerance=EXACT,
                )
    for dtype in ('int32', 'int64'):
        info = np.iinfo(dtype)
        for shape in SHAPES:
            for low, high in ((0, 10), (-5, 6), (info.min, info.max), (0, 1), (-(2**30), 2**30)):
                writer.add(
                    'RandomUniformInt',
                    {'shape': shape_of(data, shape), 'minval': np.array(low, dtype), 'maxval': np.array(high, dtype)},
                    seeds(data),
                )
    for dtype in FLOATS:
        for shape, samples in (((1, 3), 10), ((4, 7), 5), ((2, 1), 6), ((0, 3), 2), ((2, 100), 50), ((3, 4), 0)):
            for kind in ('normal', 'special'):
                writer.add(
                    'Multinomial',
                    {'logits': data.tensor(dtype, shape, kind), 'num_samples': np.int32(samples)},
                    {**seeds(data), 'output_dtype': data.choice(['int32', 'int64'])},
                )
    for dtype in ('float32', 'int8', 'string', 'complex128', 'bool'):
        for shape in ((10,), (1,), (0,), (), (7, 3), (50, 2, 2), (3, 0), (1, 4)):
            writer.add('RandomShuffle', {'value': data.tensor(dtype, shape)}, seeds(data))


def stateless(writer, data, scale):
    for name, dtypes in (
        ('StatelessRandomUniform', FLOATS),
        ('StatelessRandomNormal', FLOATS),
        ('StatelessTruncatedNormal', FLOATS),
        ('StatelessRandomUniformFullInt', ['int32', 'int64', 'uint32', 'uint64']),
        ('StatelessRandomUniformInt', ['int32', 'int64', 'uint32', 'uint64']),
    ):
        for dtype in dtypes:
            for shape in SHAPES + (LARGE,):
                limits = {}
                if name.endswith('Int') and 'Full' not in name:
                    low = int(data.rng.integers(-1000 if dtype in SIGNED else 0, 1000))
                    limits = {'minval': np.array(low, dtype), 'maxval': np.array(low + int(data.choice([1, 7, 2**30])), dtype)}
                attrs = {} if limits else {'dtype': dtype}
                seed = data.rng.integers(-(2**31), 2**31, 2).astype(data.choice(['int32', 'int64']))
                if not limits or dtype in SIGNED:
                    writer.add(name, {'shape': shape_of(data, shape), 'seed': seed, **limits}, attrs, tolerance=EXACT)
                state = {
                    'key': data.rng.integers(0, 2**63, 1).astype('uint64'),
                    'counter': data.rng.integers(0, 2**63, 2).astype('uint64'),
                    'alg': np.int32(data.choice([1, 3])),
                }
                writer.add(name + 'V2', {'shape': shape_of(data, shape), **state, **limits}, attrs, tolerance=EXACT)
    for seed in ([0, 0], [1, 2], [-1, 2**31 - 1]):
        for dtype in ('int32', 'int64'):
            writer.add('StatelessRandomGetKeyCounter', {'seed': np.array(seed, dtype)})
    writer.add('StatelessRandomGetAlg', {})
    carry = {'key': np.uint64([5]), 'counter': np.uint64([2**64 - 2, 2**64 - 1]), 'alg': np.int32(1)}
    writer.add('StatelessRandomUniformV2', {'shape': np.int32([40]), **carry}, {'dtype': 'float32'}, tolerance=EXACT)


R = tf.raw_ops
INTS = ['int32', 'int64', 'uint32', 'uint64']
OPS_ON_VARIABLES = {
    **{op: FLOATS for op in ('StatefulUniform', 'StatefulStandardNormalV2', 'StatefulTruncatedNormal')},
    'StatefulUniformInt': INTS,
    'StatefulUniformFullInt': INTS,
}


def generator(words=(0, 0, 1), dtype=tf.int64, name='rng'):
    """A variable with a generator's counter and key, and the op that sets it."""
    var = R.VarHandleOp(dtype=dtype, shape=np.shape(words), shared_name=name)
    return var, R.AssignVariableOp(resource=var, value=tf.constant(words, dtype))


def on_variables(writer, data, scale):
    for op, dtypes in OPS_ON_VARIABLES.items():
        for dtype in dtypes:
            for shape in ((), (5,), (3, 0), (7, 9), LARGE):
                words = [int(w) for w in data.rng.integers(-(2**62), 2**62, 3)]
                words[0] = int(data.choice([words[0], -1, -300]))  # the counter carries into its second word

                def draws(shape):
                    limits = {}
                    if op == 'StatefulUniformInt':
                        limits = {'minval': tf.constant(3, dtype), 'maxval': tf.constant(2**31 - 7, dtype)}
                    attrs = {} if limits else {'dtype': tf.as_dtype(dtype)}
                    var, start = generator(words)
                    draw = lambda: getattr(R, op)(resource=var, algorithm=np.int64(1), shape=shape, **limits, **attrs)
                    skip = lambda: R.RngSkip(resource=var, algorithm=np.int64(1), delta=np.int64(3))
                    read = lambda: R.RngReadAndSkip(resource=var, alg=1, delta=np.uint64(2**40))
                    value = lambda: R.ReadVariableOp(resource=var, dtype=tf.int64)
                    return in_order([lambda: start, draw, value, skip, draw, value, read, value, draw])

                writer.add_graph('%s %s' % (op, dtype), draws, [shape_of(data, shape)], tolerance=EXACT)
    for dtype in INTS:

        def unlike(shape):
            a, b = (R.NonDeterministicInts(shape=shape, dtype=dtype) for _ in range(2))
            return tf.shape(a), tf.reduce_any(tf.not_equal(a, b))

        writer.add_graph('NonDeterministicInts ' + dtype, unlike, [np.int64([10, 3])])
    draw = lambda var, x, **a: R.StatefulUniform(
        **{'resource': var, 'algorithm': np.int64(1), 'shape': x, 'dtype': tf.float32, **a}
    )
    bad = {
        'short': lambda x: (generator((1, 2)), {}),
        'matrix': lambda x: (generator(((1, 2, 3),)), {}),
        'dtype': lambda x: (generator(dtype=tf.int32), {}),
        'no value': lambda x: ((generator()[0], tf.no_op()), {}),
        'algorithm': lambda x: (generator(), {'algorithm': np.int64(2)}),
        'shape': lambda x: (generator(), {'shape': x - 4}),
        'longer': lambda x: (generator((1, 2, 3, 4, 5)), {}),
    }
    for name, make in bad.items():

        def build(x):
            (var, start), attrs = make(x)
            return in_order([lambda: start, lambda: draw(var, x, **attrs)])

        writer.add_graph('generator: ' + name, build, [np.int64([3])], tolerance=EXACT)
    low_high = lambda x: in_order(
        [
            lambda: generator()[1],
            lambda: R.StatefulUniformInt(
                resource=generator()[0], algorithm=np.int64(1), shape=np.int64([2]), minval=x[0], maxval=x[0]
            ),
        ]
    )
    writer.add_graph('generator: no range', low_high, [np.int64([3])])


def bad_random(writer, data, scale):
    def refuse(op, inputs, attrs=None):
        writer.add(op, inputs, attrs, shapes_known=False, must_fail=True)

    for op in ('RandomUniform', 'TruncatedNormal'):
        for shape in ([-1], [2, -3], [2**31 - 1] * 3):
            refuse(op, {'shape': np.int32(shape)}, {'seed': 1, 'dtype': 'float32'})
        refuse(op, {'shape': np.int32(3)}, {'seed': 1, 'dtype': 'float32'})
        refuse(op, {'shape': np.int32([[3]])}, {'seed': 1, 'dtype': 'float32'})
    good = {'shape': np.int32([3]), 'minval': np.int32(1), 'maxval': np.int32(5)}
    for change in ({'minval': np.int32(5)}, {'minval': np.int32(6)}, {'minval': np.int32([1])}, {'maxval': np.int32([[5]])}):
        refuse('RandomUniformInt', {**good, **change}, {'seed': 1})
        refuse('StatelessRandomUniformInt', {**good, **change, 'seed': np.int32([1, 2])})
    for logits, samples in (((3,), 2), ((2, 0), 2), ((2, 3), -1), ((2, 3), [2])):
        refuse('Multinomial', {'logits': data.tensor('float32', logits), 'num_samples': np.int32(samples)}, {'seed': 1})
    for seed in ([1], [1, 2, 3], 1, [[1, 2]]):
        refuse('StatelessRandomUniform', {'shape': np.int32([3]), 'seed': np.int64(seed)}, {'dtype': 'float32'})
        refuse('StatelessRandomGetKeyCounter', {'seed': np.int64(seed)})
    state = {'shape': np.int32([3]), 'key': np.uint64([1]), 'counter': np.uint64([1, 2]), 'alg': np.int32(1)}
    for change in (
        {'key': np.uint64([1, 2])},
        {'key': np.uint64(1)},
        {'counter': np.uint64(1)},
        {'alg': np.int32([1])},
        {'alg': np.int32(9)},
    ):
        refuse('StatelessRandomUniformV2', {**state, **change}, {'dtype': 'float32'})


FAMILIES = {'random': stateful, 'random_variables': on_variables, 'stateless_random': stateless, 'bad_random': bad_random}
