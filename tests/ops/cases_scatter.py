"""Cases for the ops of array.so that find, scatter, join and cut by index."""

import numpy as np

from case_writer import NUMBERS, REALS

ALL = NUMBERS + ['bool', 'string']
FINDABLE = REALS + ['bool', 'string']


def unique(writer, data, scale):
    for dtype in FINDABLE:
        for out in ('int32', 'int64'):
            for n in (0, 1, 9):
                x = data.tensor(dtype, (n,), 'special' if data.flip(0.3) else 'small')
                known = data.choice([True, False])
                writer.add('Unique', {'x': x}, {'out_idx': out}, shapes_known=known)
                writer.add('UniqueWithCounts', {'x': x}, {'out_idx': out}, shapes_known=known)
        for shape, axis in (((5, 2), [0]), ((2, 5), [1]), ((3, 2, 2), [-2]), ((7,), []), ((0, 3), [1]), ((3, 0), [0])):
            x = data.tensor(dtype, shape, 'small')
            x = x if dtype == 'string' else (x.astype('int64') % 2).astype(x.dtype)
            for op in ('UniqueV2', 'UniqueWithCountsV2'):
                writer.add(
                    op,
                    {'x': x, 'axis': np.array(axis, data.choice(['int32', 'int64']))},
                    constants=('axis',) if data.flip() else (),
                    shapes_known=data.choice([True, 'partly', False]),
                )
        if dtype != 'bool':
            for _ in range(2):
                x, y = data.tensor(dtype, (data.choice([0, 5, 9]),), 'small'), data.tensor(dtype, (4,), 'small')
                writer.add('ListDiff', {'x': x, 'y': y}, {'out_idx': data.choice(['int32', 'int64'])})
    x = np.float32([[1, 2], [1, 2]])
    writer.add('Unique', {'x': x}, shapes_known=False, must_fail=True)
    writer.add('Unique', {'x': x[0, 0]}, shapes_known=False, must_fail=True)
    for axis in ([2], [-3], [], [0, 1], 0):
        writer.add('UniqueV2', {'x': x, 'axis': np.int64(axis)}, shapes_known=False, must_fail=True)
    writer.add('ListDiff', {'x': x, 'y': x}, shapes_known=False, must_fail=True)


def scatter(writer, data, scale):
    ops = ('Update', 'Add', 'Sub', 'Min', 'Max')
    for dtype in ALL:
        for index in ('int32', 'int64'):
            shape = data.positive_shape(data.choice([1, 2, 3]))
            depth = int(data.rng.integers(1, len(shape) + 1))
            outer = data.shape(data.choice([1, 1, 2]))
            indices = np.zeros(outer + (depth,), index)
            for d in range(depth):
                indices[..., d] = data.rng.integers(0, shape[d], outer)
            updates = data.tensor(dtype, outer + shape[depth:], 'small')
            known = data.choice([True, False, 'partly'])
            inputs = {'indices': indices, 'updates': updates, 'shape': np.array(shape, index)}
            writer.add('ScatterNd', inputs, constants=('shape',) if data.flip() else (), shapes_known=known)
            for op in ops:
                if (op == 'Update') or (dtype in REALS) or (dtype in NUMBERS and op in ('Add', 'Sub')):
                    inputs = {'tensor': data.tensor(dtype, shape, 'small'), 'indices': indices, 'updates': updates}
                    writer.add('TensorScatter' + op, inputs, shapes_known=known)
            if dtype in NUMBERS + ['bool']:
                inputs = {'input': data.tensor(dtype, shape, 'small'), 'indices': indices, 'updates': updates}
                writer.add('ScatterNdNonAliasingAdd', inputs, shapes_known=known)
    x = np.ones((3, 2), 'f')
    for policy in ('', 'IGNORE', 'ERROR'):
        for i in ([[0], [3]], [[-1], [1]], [[2], [2]], [[0, 2], [0, 1]]):
            indices = np.int32(i)
            updates = np.ones((2,) + (() if indices.shape[1] == 2 else (2,)), 'f')
            inputs = {'indices': indices, 'updates': updates, 'shape': np.int32([3, 2])}
            writer.add('ScatterNd', inputs, {'bad_indices_policy': policy})
            inputs = {'tensor': x, 'indices': indices, 'updates': updates}
            writer.add('TensorScatterAdd', inputs, {'bad_indices_policy': policy})
    for shape, indices, updates in (
        ([3, 2], [[0]], np.ones((2, 2))),
        ([3, 2], [[0]], np.ones((1, 3))),
        ([3, 2], [[0, 0, 0]], np.ones(1)),
        ([3, 2], 0, np.ones(2)),
        ([3, 2], np.zeros((1, 0)), np.ones((1, 3, 2))),
        ([3, -2], [[0]], np.ones((1, 2))),
        ([0, 2], [[0]], np.ones((1, 2))),
        ([0, 2], np.zeros((0, 1)), np.ones((0, 2))),
        ([[3, 2]], [[0]], np.ones((1, 2))),
    ):
        inputs = {'indices': np.int32(indices), 'updates': np.float32(updates), 'shape': np.int32(shape)}
        writer.add('ScatterNd', inputs, shapes_known=False)


def one_hot(writer, data, scale):
    for dtype in ALL:
        for index in ('uint8', 'int8', 'int32', 'int64'):
            shape = data.shape(data.choice([0, 1, 2, 3]))
            low = 0 if index == 'uint8' else -2
            inputs = {
                'indices': np.asarray(data.rng.integers(low, 6, shape), index),
                'depth': np.int32(data.choice([0, 1, 4])),
                'on_value': data.tensor(dtype, ()),
                'off_value': data.tensor(dtype, ()),
            }
            axis = int(data.rng.integers(-1, len(shape) + 1))
            constants = ('depth',) if data.flip() else ()
            writer.add('OneHot', inputs, {'axis': axis}, constants=constants, shapes_known=data.flip())
    inputs = {'indices': np.int32([1]), 'depth': np.int32(2), 'on_value': np.float32(1), 'off_value': np.float32(0)}
    for axis in (-2, 2):
        writer.add('OneHot', inputs, {'axis': axis}, shapes_known=False, must_fail=True)
    writer.add('OneHot', dict(inputs, depth=np.int32(-1)), shapes_known=False, must_fail=True)
    writer.add('OneHot', dict(inputs, depth=np.int32([1, 2])), shapes_known=False, must_fail=True)
    writer.add('OneHot', dict(inputs, on_value=np.float32([1, 2])), shapes_known=False, must_fail=True)


def reversing(writer, data, scale):
    for dtype in ALL:
        for index in ('int32', 'int64'):
            shape = data.shape(data.choice([2, 3, 4]))
            batch, seq = (int(d) for d in data.rng.permutation(len(shape))[:2])
            lengths = data.rng.integers(0, shape[seq] + 1, shape[batch]).astype(index)
            inputs = {'input': data.tensor(dtype, shape), 'seq_lengths': lengths}
            known = data.choice([True, False, 'partly'])
            writer.add('ReverseSequence', inputs, {'seq_dim': seq, 'batch_dim': batch}, shapes_known=known)
            n = int(data.rng.integers(0, 4))
            inputs = {
                'input': data.tensor(dtype, shape),
                'shift': data.rng.integers(-9, 10, n).astype(index),
                'axis': data.rng.integers(-len(shape), len(shape), n).astype(data.choice(['int32', 'int64'])),
            }
            writer.add('Roll', inputs, shapes_known=known)
        inputs = {'input': data.tensor(dtype, (7,)), 'shift': np.int32(-2), 'axis': np.int32(0)}
        writer.add('Roll', inputs)
        shape = data.positive_shape(3)  # stock refuses some that are empty
        writer.add('Reverse', {'tensor': data.tensor(dtype, shape), 'dims': data.tensor('bool', (3,))})
    x = np.ones((2, 3), 'f')
    for lengths, attrs in (
        ([3, 4], (1, 0)),
        ([3, -1], (1, 0)),
        ([1, 1, 1], (1, 0)),
        ([[1, 1]], (1, 0)),
        ([1, 1], (0, 0)),
        ([1, 1], (2, 0)),
        ([1, 1], (1, 2)),
        ([1, 1], (-1, 0)),
    ):
        inputs = {'input': x, 'seq_lengths': np.int32(lengths)}
        writer.add('ReverseSequence', inputs, {'seq_dim': attrs[0], 'batch_dim': attrs[1]}, shapes_known=False)
    for shift, axis in (([1], [0, 1]), ([1], [2]), ([1], [-3]), ([[1]], [[0]])):
        writer.add('Roll', {'input': x, 'shift': np.int32(shift), 'axis': np.int32(axis)}, shapes_known=False)
    writer.add('Roll', {'input': x[0, 0], 'shift': np.int32(1), 'axis': np.int32(0)}, shapes_known=False)
    for flags in ([True], [[True, False]]):
        writer.add('Reverse', {'tensor': x, 'dims': np.array(flags)}, shapes_known=False)


ALIGNS = ('LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT')
PLAIN = NUMBERS + ['bool']


def diagonals(writer, data, scale):
    def add(op, inputs, attrs=None):
        constants = ('k', 'num_rows', 'num_cols') if data.flip() else ()
        # Stock takes an unknown length of the diagonals for -1.
        known = [True, False] + ['partly'] * ('MatrixDiagV' not in op)
        writer.add(op, inputs, attrs, constants=constants, shapes_known=data.choice(known))

    def band(rows, cols):
        lower, upper = sorted(int(k) for k in data.rng.integers(-rows + 1, cols, 2))
        if data.flip(0.4):
            return np.int32(data.choice([[lower], lower])), lower, lower
        return np.int32([lower, upper]), lower, upper

    for dtype in PLAIN:
        one = data.tensor(dtype, ())
        for align in ALIGNS + (None,) if dtype in ('float32', 'int8') else (data.choice(ALIGNS), None):
            batch, (rows, cols) = data.shape(data.choice([0, 1, 2]), (0, 1, 2, 3)), data.positive_shape(2)
            version, attrs = ('V3', {'align': align}) if align else ('V2', {})
            k, lower, upper = band(rows, cols)
            x = data.tensor(dtype, batch + (rows, cols))
            add('MatrixDiagPart' + version, {'input': x, 'k': k, 'padding_value': one}, attrs)
            longest = min(rows + min(upper, 0), cols - max(lower, 0))
            count = upper - lower + 1
            d = data.tensor(dtype, batch + ((count,) if count > 1 else ()) + (longest,))
            add('MatrixSetDiag' + version, {'input': x, 'diagonal': d, 'k': k}, attrs)
            for r, c in ((rows, cols), data.choice([(-1, -1), (rows, -1), (-1, cols)])):
                inputs = {'diagonal': d, 'k': k, 'num_rows': np.int32(r), 'num_cols': np.int32(c)}
                add('MatrixDiag' + version, dict(inputs, padding_value=one), attrs)
        for _ in range(2):
            batch, (rows, cols) = data.shape(data.choice([0, 1]), (0, 1, 3)), data.shape(2)
            x, n = data.tensor(dtype, batch + (rows, cols)), min(rows, cols)
            add('MatrixDiagPart', {'input': x})
            add('MatrixSetDiag', {'input': x, 'diagonal': data.tensor(dtype, batch + (n,))})
            add('MatrixDiag', {'diagonal': data.tensor(dtype, batch + (n,))})
            lower, upper = (int(d) for d in data.rng.integers(-1, [rows + 1, cols + 1]))
            index = data.choice([np.int32, np.int64])
            add('MatrixBandPart', {'input': x, 'num_lower': index(lower), 'num_upper': index(upper)})
    for dtype in ('float16', 'float32', 'float64', 'int32', 'int64', 'complex64', 'complex128'):
        for shape in ((3,), (2, 3), (0,), (1, 2, 2)):
            add('Diag', {'diagonal': data.tensor(dtype, shape)})
            add('DiagPart', {'input': data.tensor(dtype, shape + shape)})
    x, one = np.ones((3, 4), 'f'), np.float32(1)
    for k in ([4], [-3], [1, 0], [-3, 0], [0, 4], [0, 1, 2], [], [[0]]):
        inputs = {'input': x, 'k': np.int32(k), 'padding_value': one}
        writer.add('MatrixDiagPartV3', inputs, shapes_known=False)
        writer.add('MatrixSetDiagV3', {'input': x, 'diagonal': x[0, :3], 'k': np.int32(k)}, shapes_known=False)
    for k, rows, cols in (([0], 2, 2), ([0], 4, 4), ([0], 3, 9), ([1], 3, 3), ([0, 1], -1, -1), ([0], -2, -1), ([5], -1, -1)):
        inputs = {'diagonal': x[0, :3], 'k': np.int32(k), 'num_rows': np.int32(rows), 'num_cols': np.int32(cols)}
        writer.add('MatrixDiagV3', dict(inputs, padding_value=one), shapes_known=False)
    for lower, upper in ((4, 0), (0, 5), (-9, -9), (3, 4)):
        writer.add('MatrixBandPart', {'input': x, 'num_lower': np.int32(lower), 'num_upper': np.int32(upper)})
    for op, name in (('MatrixDiagPart', 'input'), ('DiagPart', 'input'), ('Diag', 'diagonal'), ('MatrixDiag', 'diagonal')):
        writer.add(op, {name: one}, shapes_known=False)
    writer.add('DiagPart', {'input': x}, shapes_known=False)
    writer.add('DiagPart', {'input': x[0]}, shapes_known=False)
    writer.add('MatrixSetDiag', {'input': x, 'diagonal': x[0]}, shapes_known=False)


def partitions(writer, data, scale):
    for dtype in ALL:
        for _ in range(2):
            shape = data.shape(data.choice([1, 2, 3]))
            depth = int(data.rng.integers(0, len(shape) + 1))
            known = data.choice([True, False])
            inputs = {
                'data': data.tensor(dtype, shape),
                'partitions': np.asarray(data.rng.integers(0, 3, shape[:depth]), 'int32'),
            }
            writer.add('DynamicPartition', inputs, {'num_partitions': 3}, shapes_known=known)
            rest = data.shape(data.choice([0, 1, 2]))
            places = data.rng.permutation(8).astype('int32')
            indices = [places[:3], places[3:7].reshape(2, 2), places[7]]
            values = [data.tensor(dtype, i.shape + rest) for i in indices]
            constants = ('indices_0', 'indices_1', 'indices_2') if data.flip() else ()
            for op in ('DynamicStitch', 'ParallelDynamicStitch'):
                writer.add(op, {'indices': indices, 'data': values}, constants=constants, shapes_known=known)
        indices = [np.int32([0, 1, 1]), np.int32([1, 0])]
        values = [data.tensor(dtype, (3, 2)), data.tensor(dtype, (2, 2))]
        writer.add('DynamicStitch', {'indices': indices, 'data': values})
    none = [np.zeros(0, 'int32')] * 2
    writer.add('DynamicStitch', {'indices': none, 'data': [np.zeros((0, 2), 'f')] * 2})
    x = np.ones((3, 2), 'f')
    for i in ([0, 3, 1], [0, -1, 1], [0, 1]):
        inputs = {'data': x, 'partitions': np.int32(i)}
        writer.add('DynamicPartition', inputs, {'num_partitions': 3}, shapes_known=False)
    for i, values in (([0, -1, 1], [x, x]), ([0, 1], [x, x]), ([0, 1, 2], [x, x[:, :1]])):
        inputs = {'indices': [np.int32(i), np.int32([3, 4, 5])], 'data': values}
        writer.add('DynamicStitch', inputs, shapes_known=False)
    for dtype in ('int32', 'int64'):
        for a, b in (([2, 3], [3]), ([1, 4], [5, 1]), ([], [2]), ([0], [1]), ([7, 1, 2], [1, 3, 1]), ([1, 2], [1, 2])):
            writer.add('BroadcastGradientArgs', {'s0': np.array(a, dtype), 's1': np.array(b, dtype)})
        writer.add('BroadcastGradientArgs', {'s0': np.array([1, 1], dtype), 's1': np.array([1], dtype)})
        writer.add('BroadcastGradientArgs', {'s0': np.array([2], dtype), 's1': np.array([3], dtype)}, must_fail=True)


FAMILIES = {
    'unique': unique,
    'scatter': scatter,
    'one_hot': one_hot,
    'reversing': reversing,
    'diagonals': diagonals,
    'partitions': partitions,
}
