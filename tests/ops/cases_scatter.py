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


FAMILIES = {'unique': unique, 'scatter': scatter}
