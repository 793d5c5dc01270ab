"""Cases for the gradients in array.so."""

import numpy as np

from case_writer import NUMBERS, tf

LOOSE = {'float16': (1e-2, 1e-2), 'bfloat16': (8e-2, 8e-2)}
MASKS = ('begin_mask', 'end_mask', 'shrink_axis_mask', 'new_axis_mask')


def mirrors(writer, data, scale):
    for dtype in NUMBERS:
        for _ in range(8 * scale):
            mode = data.choice(['REFLECT', 'SYMMETRIC'])
            inner = data.shape(int(data.rng.integers(0, 5)), (1, 2, 3, 5))
            most = [n - (mode == 'REFLECT') for n in inner]
            paddings = [[int(data.rng.integers(0, m + 1)) for _ in range(2)] for m in most]
            if data.flip(0.1):
                paddings = [[0, 0] for _ in inner]
            padded = [n + sum(p) for n, p in zip(inner, paddings)]
            index = data.choice(['int32', 'int64'])
            inputs = {'input': data.tensor(dtype, padded, 'small'), 'paddings': np.array(paddings, index).reshape(-1, 2)}
            constants = ('paddings',) if data.flip() else ()
            known = data.choice([True, False, 'partly'])
            tolerance = LOOSE.get(dtype)
            writer.add('MirrorPadGrad', inputs, {'mode': mode}, constants, shapes_known=known, tolerance=tolerance)
    x = np.ones((4, 5), 'f')
    for paddings in ([[2, 2], [0, 0]], [[-1, 0], [0, 0]], [[1, 1]], [[1, 1, 1], [0, 0, 0]], [[0, 0], [3, 3]], [[0, 0], [9, 0]]):
        for mode in ('REFLECT', 'SYMMETRIC'):
            inputs = {'input': x, 'paddings': np.int32(paddings)}
            writer.add('MirrorPadGrad', inputs, {'mode': mode}, shapes_known=False, must_fail=True)


def slices(writer, data, scale):
    for _ in range(120 * scale):
        dtype = data.choice(NUMBERS + ['bool', 'string'])
        shape = data.shape(int(data.rng.integers(1, 5)))
        n = int(data.rng.integers(0, len(shape) + 2))
        begin, end = data.rng.integers(-8, 9, n), data.rng.integers(-8, 9, n)
        strides = data.rng.choice([1, 1, 1, 2, 3, -1, -2], n)
        masks = {
            name: int(sum(1 << i for i in range(n) if data.flip(0.25 if name.endswith('axis_mask') else 0.4)))
            for name in MASKS
        }
        masks['ellipsis_mask'] = 1 << int(data.rng.integers(0, n)) if n and data.flip(0.4) else 0
        index = data.choice(['int32', 'int64'])
        spec = {name: x.astype(index) for name, x in (('begin', begin), ('end', end), ('strides', strides))}
        try:
            with tf.Graph().as_default():
                part = tf.raw_ops.StridedSlice(input=np.zeros(shape, 'f'), **spec, **masks)
                size = [int(d) for d in part.shape]
        except (ValueError, tf.errors.InvalidArgumentError):
            size = [1]  # a wrong slice, which both refuse
        spec['shape'] = np.array(shape, index)
        constants = tuple(spec) if data.flip() else ()
        known = data.choice([True, False, 'partly'])
        inputs = dict(spec, dy=data.tensor(dtype, size))
        writer.add('StridedSliceGrad', inputs, masks, constants, shapes_known=known)
        if data.flip(0.2):
            wrong = dict(spec, dy=data.tensor(dtype, list(size) + [2]))
            writer.add('StridedSliceGrad', wrong, masks, shapes_known=False, must_fail=True)
    good = {'shape': [4], 'begin': [1], 'end': [3], 'strides': [1]}
    for change in ({'shape': [-4]}, {'shape': 4}, {'strides': [0]}, {'begin': [1, 1]}, {'end': 3}):
        inputs = {name: np.int32(x) for name, x in dict(good, **change).items()}
        inputs['dy'] = np.ones(2, 'f')
        writer.add('StridedSliceGrad', inputs, shapes_known=False, must_fail=True)


FAMILIES = {'mirror_gradients': mirrors, 'slice_gradients': slices}
