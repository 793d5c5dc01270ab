"""Cases for the ops of math.so that count, search and run along an axis."""

import numpy as np

from case_writer import FLOATS, NUMBERS, REALS, SINGLES

COUNTED = ['int32', 'int64', 'float32', 'float64']


def counting(writer, data, scale):
    for dtype in COUNTED:
        for _ in range(3):
            shape = data.shape(data.choice([0, 1, 2]))
            x = np.asarray(data.rng.integers(0, 7, shape), 'int32')
            weights = data.tensor(dtype, data.choice([shape, (0,)]), 'small')
            size, known = data.choice([0, 4, 9]), data.choice([True, False])
            constants = ('size',) if data.flip() else ()
            inputs = {'arr': x, 'size': np.int32(size), 'weights': weights}
            writer.add('Bincount', inputs, constants=constants, shapes_known=known)
            for index in ('int32', 'int64'):
                shape = data.shape(data.choice([1, 2]))
                inputs = {
                    'input': data.rng.integers(0, 7, shape).astype(index),
                    'size': np.array(size, index),
                    'weights': data.tensor(dtype, data.choice([shape, (0,)]), 'small'),
                }
                attrs = {'binary_output': data.flip()}
                writer.add('DenseBincount', inputs, attrs, constants=constants, shapes_known=known)
    x = np.int32([1, 2, 2])
    for arr, size, weights in (([1, -1], 3, []), (x, -1, []), (x, 3, [1.0, 2.0]), (x, [3], []), (x, [3, 3], [])):
        arr, size, weights = np.int32(arr), np.int32(size), np.float32(weights)
        writer.add('Bincount', {'arr': arr, 'size': size, 'weights': weights}, shapes_known=False)
        writer.add('DenseBincount', {'input': arr, 'size': size, 'weights': weights}, shapes_known=False)
    inputs = {'input': np.zeros((1, 1, 1), 'int32'), 'size': np.int32(1), 'weights': np.float32([])}
    writer.add('DenseBincount', inputs, shapes_known=False, must_fail=True)


def searching(writer, data, scale):
    for dtype in REALS:
        for op in ('LowerBound', 'UpperBound'):
            for out in ('int32', 'int64'):
                rows = int(data.choice([0, 1, 3]))
                x = np.sort(data.tensor(dtype, (rows, int(data.choice([0, 1, 7]))), 'small'), axis=1)
                inputs = {'sorted_inputs': x, 'values': data.tensor(dtype, (rows, 5), 'small')}
                writer.add(op, inputs, {'out_type': out}, shapes_known=data.flip())
    inputs = {'sorted_inputs': np.zeros((2, 3), 'f'), 'values': np.zeros((3, 3), 'f')}
    writer.add('LowerBound', inputs, shapes_known=False, must_fail=True)
    inputs = {'sorted_inputs': np.zeros(3, 'f'), 'values': np.zeros(3, 'f')}
    writer.add('UpperBound', inputs, shapes_known=False, must_fail=True)


def running(writer, data, scale):
    for dtype in NUMBERS:
        for index in (np.int32, np.int64):
            shape = data.shape(data.choice([1, 2, 3]))
            inputs = {'x': data.tensor(dtype, shape, 'small'), 'axis': index(data.rng.integers(-len(shape), len(shape)))}
            attrs = {'exclusive': data.flip(), 'reverse': data.flip()}
            tolerance = {'float16': (1e-2, 1e-3), 'bfloat16': (8e-2, 1e-2)}.get(dtype)
            writer.add('Cumprod', inputs, attrs, tolerance=tolerance)
    writer.add('Cumprod', {'x': np.float32([1, 2]), 'axis': np.int32(1)}, shapes_known=False, must_fail=True)
    for dtype in FLOATS:
        for shape in ((), (5,), (0,), (3, 4)):
            writer.add('L2Loss', {'t': data.tensor(dtype, shape)}, tolerance=(2e-2, 1e-6) if '16' in dtype else None)
    for dtype in SINGLES:
        for shape in ((), (40,), (0, 3)):
            x = data.tensor(dtype, shape, 'special')
            y = np.where(data.rng.random(shape) < 0.5, x, x + np.asarray(1e-6, dtype)).astype(dtype)
            writer.add('ApproximateEqual', {'x': x, 'y': y})
            writer.add('ApproximateEqual', {'x': x, 'y': data.tensor(dtype, shape)}, {'tolerance': 2.0})
    inputs = {'x': np.float32([1, 2]), 'y': np.float32([1])}
    writer.add('ApproximateEqual', inputs, shapes_known=False, must_fail=True)


FAMILIES = {'counting': counting, 'searching': searching, 'running': running}
