"""Cases for random.so: for given seeds the numbers are stock's, bit for bit."""

import numpy as np

from case_writer import FLOATS, SIGNED

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


FAMILIES = {'random': stateful, 'stateless_random': stateless, 'bad_random': bad_random}
