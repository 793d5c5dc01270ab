"""Cases for ragged.so."""

import numpy as np

from case_writer import NUMBERS, tf
from cases_list import at, vector

R = tf.raw_ops
DTYPES = NUMBERS + ['bool', 'string']
i64 = np.int64


def splits_of(data, rows, most=4):
    """Splits of so many rows, and the number of what they split."""
    splits = np.cumsum([0] + [int(data.rng.integers(0, most)) for _ in range(rows)])
    return splits, int(splits[-1])


def nested(data, ragged_rank, rows):
    """Splits of every ragged dimension, from outside, and the number of values."""
    found = []
    for _ in range(ragged_rank):
        splits, rows = splits_of(data, rows)
        found.append(splits)
    return found, rows


def row_ids(splits):
    return np.repeat(np.arange(len(splits) - 1), np.diff(splits))


def to_tensor(writer, data, scale):
    def case(shape, values, default, partitions, types, index='int64', shape_type='int64', **more):
        writer.add(
            'RaggedTensorToTensor',
            {
                'shape': np.asarray(shape, shape_type),
                'values': values,
                'default_value': default,
                'row_partition_tensors': [np.asarray(p, index) for p in partitions],
            },
            {'row_partition_types': types},
            **more,
        )

    for dtype in DTYPES:
        for index in ('int32', 'int64'):
            inner = data.choice([(), (2,), (2, 3)])
            ragged_rank = data.choice([1, 2, 3])
            splits, count = nested(data, ragged_rank, 4)
            values = data.tensor(dtype, (count,) + inner)
            default = data.tensor(dtype, data.choice([(), inner, (1,) * len(inner)]))
            case(-1, values, default, splits, ['ROW_SPLITS'] * ragged_rank, index)
            rank = 1 + ragged_rank + len(inner)
            sizes = [data.choice([-1, 0, 1, 2, 3, 5]) for _ in range(1 + ragged_rank)] + [
                data.choice([-1, d]) for d in inner
            ]
            for constants in ((), ('shape',)):
                case(
                    sizes,
                    values,
                    default,
                    splits,
                    ['ROW_SPLITS'] * ragged_rank,
                    index,
                    data.choice(['int32', 'int64']),
                    constants=constants,
                )
            ids = [len(splits[0]) - 1] + [row_ids(s) for s in splits]
            case([-1] * rank, values, default, ids, ['FIRST_DIM_SIZE'] + ['VALUE_ROWIDS'] * ragged_rank, index)
            mixed = [splits[0]] + [row_ids(s) for s in splits[1:]]
            case(
                sizes,
                values,
                default,
                mixed,
                ['ROW_SPLITS'] + ['VALUE_ROWIDS'] * (ragged_rank - 1),
                index,
                shapes_known=False,
            )
    v, s = np.arange(1, 6), ['ROW_SPLITS']
    pairs = np.arange(4).reshape(2, 2)
    for shape, values, default, partitions, types in (
        ([-1, -1], v, 0, [[0, 2, 2, 5]], s),
        ([2, 2], v, 0, [[0, 2, 2, 5]], s),
        ([4, 4], v, 0, [[0, 2, 2, 5]], s),
        ([0, -1], v, 0, [[0, 2, 2, 5]], s),
        ([-1, 0], v, 0, [[0, 2, 2, 5]], s),
        ([-1, -1], v, 0, [[0, 2, 2, 4]], s),
        ([-1, -1], v, [7, 8], [[0, 2, 2, 5]], s),
        ([-1, -1, 2], pairs, [8, 9], [[0, 0, 2]], s),
        ([-1, -1, 2], pairs, [8], [[0, 0, 2]], s),
        ([-1, -1, 2], pairs, 8, [[0, 0, 2]], s),
        ([-1, -1, 3], pairs, [8, 9], [[0, 0, 2]], s),
        ([-1, -1, -1], pairs, pairs, [[0, 0, 2]], s),
        ([-1, -1], v[:0], 0, [[0]], s),
        ([-1, -1], v[:0], 0, [[0, 0]], s),
        ([3, 2], v[:0], 0, [[0, 0]], s),
        ([-1, -1], v, 0, [[1, 2, 2, 5]], s),
        ([-1, -1], v, 0, [[0, 3, 2, 5]], s),
        ([-1, -1], v, 0, [[]], s),
        ([-1], v, 0, [[0, 2, 2, 5]], s),
        ([-2, -1], v, 0, [[0, 2, 2, 5]], s),
        ([[-1, -1]], v, 0, [[0, 2, 2, 5]], s),
        (3, v, 0, [[0, 2, 2, 5]], s),
        ([-1, -1], v, 0, [[0, 0, 2, 1, 2]], ['VALUE_ROWIDS']),
        ([-1, -1], v, 0, [5], ['FIRST_DIM_SIZE']),
        ([-1, -1], v, 0, [3, [0, 0, 2, 2, 3]], ['FIRST_DIM_SIZE', 'VALUE_ROWIDS']),
        ([-1, -1], v, 0, [3, [-1, 0, 2, 2, 2]], ['FIRST_DIM_SIZE', 'VALUE_ROWIDS']),
        ([-1, -1], v, 0, [3, [0, 0, 2, 2]], ['FIRST_DIM_SIZE', 'VALUE_ROWIDS']),
        ([2, -1], v, 0, [3, [0, 0, 2, 2, 2]], ['FIRST_DIM_SIZE', 'VALUE_ROWIDS']),
        ([-1, -1], v[:0], 0, [2, []], ['FIRST_DIM_SIZE', 'VALUE_ROWIDS']),
        ([-1, -1], v[:0], 0, [0, []], ['FIRST_DIM_SIZE', 'VALUE_ROWIDS']),
        ([-1, -1], v, 0, [[0, 2, 2, 5]], ['NONSENSE']),
    ):
        case(shape, values, np.asarray(default, values.dtype), partitions, types)


def variants(writer, data, scale):
    to = lambda splits, values, batched: R.RaggedTensorToVariant(
        rt_nested_splits=splits, rt_dense_values=values, batched_input=batched
    )

    def back(encoded, like, rank, splits=tf.int64, input_rank=-1):
        r = R.RaggedTensorFromVariant(
            encoded_ragged=encoded, input_ragged_rank=input_rank, output_ragged_rank=rank, Tvalues=like, Tsplits=splits
        )
        return [tf.identity(t) for t in r.output_nested_splits] + [r.output_dense_values]

    for dtype in DTYPES:
        for index in ('int32', 'int64'):
            t, n = tf.as_dtype(dtype), tf.as_dtype(index)
            rank = data.choice([1, 2, 3])
            splits, count = nested(data, rank, 4)
            values = data.tensor(dtype, (count,) + data.choice([(), (2,), (2, 0), (3, 1)]))
            inputs = [np.asarray(s, index) for s in splits] + [values]

            def round_trips(*inputs):
                parts, values = list(inputs[:-1]), inputs[-1]
                whole, rows = to(parts, values, False), to(parts, values, True)
                some = vector(at(rows, 3), at(rows, 0), at(rows, 0))
                grid = tf.reshape(vector(*[at(rows, i) for i in (1, 2, 3, 0)]), [2, 2])
                found = back(whole, t, rank, n) + back(rows, t, rank, n, rank - 1)
                found += back(some, t, rank, n) + back(grid, t, rank + 1, n) + back(at(rows, 2), t, rank - 1, n)
                return found + [tf.shape(rows)]

            writer.add_graph(
                'RaggedTensorToVariant, FromVariant %s %s rank %d' % (dtype, index, rank), round_trips, inputs
            )
    x = data.tensor('float32', (5, 2))
    f = tf.float32
    plain = lambda x: back(to([], x, False), f, 0)
    writer.add_graph('a variant without splits', plain, [x])
    stacked = lambda x: back(vector(to([], x[:2], False), to([], x[2:2], False), to([], x[1:], False)), f, 1)
    writer.add_graph('dense rows stacked', stacked, [x])
    none = lambda x: back(to([i64([0])], x[:0], True), f, 1)
    writer.add_graph('no rows', none, [x])
    looped = lambda x: tf.map_fn(
        lambda i: tf.RaggedTensor.from_row_lengths(x[:, 0], [i, 5 - i]) * 2.0,
        tf.range(4),
        fn_output_signature=tf.RaggedTensorSpec([2, None], f),
    ).flat_values
    writer.add_graph('map_fn of ragged tensors', looped, [x])
    ragged = lambda x: to([i64([0, 2, 5])], x, False)
    refused = {
        'other rank': lambda x: back(ragged(x), f, 2),
        'other input rank': lambda x: back(vector(ragged(x)), f, 2, input_rank=2),
        'other dtype': lambda x: back(ragged(x), tf.float64, 1),
        'other splits': lambda x: back(ragged(x), f, 1, tf.int32),
        'no ragged tensor': lambda x: back(
            R.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=f), f, 1
        ),
        'values of other ranks': lambda x: back(vector(to([], x, False), to([], x[0], False)), f, 1),
        'scalar values': lambda x: back(vector(to([], x[0, 0], False)), f, 1),
        'a batch without splits': lambda x: to([], x, True),
    }
    for name, build in refused.items():
        writer.add_graph('ragged variant: ' + name, build, [x], must_fail=True)


def ranges(writer, data, scale):
    def case(starts, limits, deltas, dtype, splits, **more):
        inputs = {
            'starts': np.asarray(starts, dtype),
            'limits': np.asarray(limits, dtype),
            'deltas': np.asarray(deltas, dtype),
        }
        writer.add('RaggedRange', inputs, {'Tsplits': splits}, **more)

    for dtype in ('float32', 'float64', 'int32', 'int64'):
        for splits in (tf.int32, tf.int64):
            n = int(data.rng.integers(0, 6))
            for shapes in (((), (), ()), ((n,), (n,), (n,)), ((), (n,), ()), ((n,), (), (n,))):
                a, b, d = (data.tensor(dtype, s) for s in shapes)
                case(a, b, np.where(np.asarray(d) == 0, 1, d), dtype, splits)
                case(a, b, np.where(np.asarray(d) == 0, 1, d), dtype, splits, shapes_known=False)
            case([0, 5, 8], [3, 5, 12], [1, 1, -1], dtype, splits)
            case([5, 5], [0, 5], [-2, -1], dtype, splits)
            case([0], [1], [0], dtype, splits)
            case([0], [0], [0], dtype, splits)
            case([0], [1, 2], [1], dtype, splits)
            case([[0]], [[1]], [[1]], dtype, splits)
            case([], [], [], dtype, splits)
        if dtype.startswith('int'):
            info = np.iinfo(dtype)
            for delta in (info.max, info.min, info.max // 3, info.min // 3):
                case([info.min], [info.max], [delta], dtype, tf.int64)
                case([info.max], [info.min], [delta], dtype, tf.int64)
        else:
            for start, limit, delta in (
                (0, np.inf, 1),
                (0, 1, np.inf),
                (0, -1, -np.inf),
                (np.nan, 1, 1),
                (0, 1, 1e-30),
                (0, 1, 0.1),
                (0, 1e-30, 1),
            ):
                case([start], [limit], [delta], dtype, tf.int64)
    case(0, 2**62, 1, 'int64', tf.int32)
    case([0, 0], [2**30, 2**30 + 2**29], [2**28, 2**27], 'int32', tf.int32)


def sparse(writer, data, scale):
    def case(splits, values, index='int64', **more):
        writer.add(
            'RaggedTensorToSparse',
            {'rt_nested_splits': [np.asarray(s, index) for s in splits], 'rt_dense_values': values},
            **more,
        )

    for dtype in DTYPES:
        for index in ('int32', 'int64'):
            splits, count = nested(data, data.choice([1, 2, 3]), data.choice([0, 1, 4]))
            case(splits, data.tensor(dtype, (count,) + data.choice([(), (2,), (2, 3), (0,)])), index)
            case(splits, data.tensor(dtype, (count,)), index, shapes_known=False)
    v = np.arange(5.0)
    for bad in ([[0, 2, 2, 4]], [[1, 5]], [[0, 2, 1, 5]], [[]], [[0, 6]], [[0, 2], [0, 1, 2, 5]]):
        case(bad, v)
    case([[0, 1]], np.float32(1))


def gather(writer, data, scale):
    def case(splits, values, indices, index='int64', splits_type='int64', **more):
        indices = np.asarray(indices, index)
        inputs = {
            'params_nested_splits': [np.asarray(s, splits_type) for s in splits],
            'params_dense_values': values,
            'indices': indices,
        }
        rank = len(splits) + indices.ndim - 1
        writer.add('RaggedGather', inputs, {'OUTPUT_RAGGED_RANK': rank}, **more)

    for dtype in DTYPES:
        for splits_type in ('int32', 'int64'):
            splits, count = nested(data, data.choice([1, 2, 3]), 5)
            values = data.tensor(dtype, (count,) + data.choice([(), (2,), (2, 3), (0,)]))
            for shape in ((), (4,), (0,), (2, 3), (2, 2, 1), (2, 0)):
                index = data.choice(['int32', 'int64'])
                case(splits, values, data.rng.integers(0, 5, shape), index, splits_type)
            case(splits, values, data.rng.integers(0, 5, (3,)), 'int64', splits_type, shapes_known=False)
    v = np.arange(5.0)
    for indices in ([3], [-1], [[0, 7]]):
        case([[0, 2, 2, 5]], v, indices)
    for bad in ([[0, 2, 2, 6]], [[0, 2, 1, 5]], [[0, 3, 1], [0, 1, 2, 5]]):
        case(bad, v, [0])
    case([[0, 1]], np.float32(1), [0])


FAMILIES = {
    'ragged_to_tensor': to_tensor,
    'ragged_variants': variants,
    'ragged_ranges': ranges,
    'ragged_sparse': sparse,
    'ragged_gather': gather,
}
