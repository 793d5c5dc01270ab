"""Cases for array.so."""

import numpy as np

from case_writer import COMPLEX, FLOATS, INTS, NUMBERS, np_type

ALL = NUMBERS + ['bool', 'string']
SOME = ['float32', 'int8', 'float16', 'int64', 'complex128', 'bool', 'string']


def known(data):
    return data.choice([True, True, False, 'partly'])


def passing(writer, data, scale):
    for dtype in ALL:
        for op in (
            ('Identity', 'StopGradient', 'Snapshot') if dtype != 'string' else ('Identity', 'StopGradient')
        ):
            writer.add(op, {'input': data.tensor(dtype, data.shape())})
        writer.add('PlaceholderWithDefault', {'input': data.tensor(dtype, (2, 3))}, {'shape': [None, 3]})
        writer.add('IdentityN', {'input': [data.tensor(dtype, (2,)), data.tensor('int32', ())]})
        writer.add('ZerosLike', {'x': data.tensor(dtype, data.shape())})
        if dtype != 'string':
            writer.add('OnesLike', {'x': data.tensor(dtype, data.shape())})
        writer.add(
            'Fill',
            {'dims': np.int32(data.shape()), 'value': data.tensor(dtype, ())},
            constants=('dims',) if data.flip() else (),
        )
        writer.add('Fill', {'dims': np.int64([3, 2]), 'value': data.tensor(dtype, ())})
    for dtype in [t for t in ALL if t not in ('uint32',)]:
        # A constant's value travels through the graph's attributes.
        writer.add(
            'IdentityN',
            {
                'input': [
                    data.tensor(dtype, (2, 3)),
                    data.tensor(dtype, ()),
                    np.full((40,), data.tensor(dtype, ())),
                ]
            },
            constants=('input_0', 'input_1', 'input_2'),
        )


def shapes(writer, data, scale):
    for dtype in SOME:
        for _ in range(3 * scale):
            shape = data.shape()
            x = data.tensor(dtype, shape)
            numeric = dtype != 'string'
            if numeric:
                writer.add('Shape', {'input': x}, {'out_type': data.choice(['int32', 'int64'])})
                writer.add('Rank', {'input': x})
                writer.add('Size', {'input': x}, {'out_type': data.choice(['int32', 'int64'])})
                writer.add('ShapeN', {'input': [x, data.tensor(dtype, data.shape())]}, {'out_type': 'int32'})
                axis = int(data.rng.integers(-len(shape) - 1, len(shape) + 1))
                writer.add(
                    'ExpandDims',
                    {'input': x, 'axis': np.int32(axis)},
                    constants=('axis',) if data.flip() else (),
                )
                ones = tuple(1 if data.flip() else d for d in shape)
                y = data.tensor(dtype, ones)
                axes = [
                    i - (len(ones) if data.flip() else 0)
                    for i, d in enumerate(ones)
                    if d == 1 and data.flip()
                ]
                writer.add('Squeeze', {'input': y}, {'axis': axes}, shapes_known=known(data))
                count = int(np.prod(shape))
                target = data.choice(
                    [
                        [count],
                        [-1] if count else [0],
                        [1, count, 1],
                        list(shape)[::-1],
                        [-1, 1] if count else [0, 5],
                    ]
                )
                writer.add(
                    'Reshape',
                    {'tensor': x, 'shape': np.array(target, data.choice(['int32', 'int64']))},
                    constants=('shape',) if data.flip() else (),
                    shapes_known=known(data),
                )
    for a, b in (([2, 3], [3]), ([1, 4], [5, 1]), ([], [2]), ([0], [1]), ([7, 1, 2], [1, 3, 1])):
        for dtype in ('int32', 'int64'):
            writer.add('BroadcastArgs', {'s0': np.array(a, dtype), 's1': np.array(b, dtype)})
    writer.add(
        'ConcatOffset',
        {'concat_dim': np.int32(1), 'shape': [np.int32([2, 3, 4]), np.int32([2, 5, 4]), np.int32([2, 1, 4])]},
    )
    writer.add('ConcatOffset', {'concat_dim': np.int32(-1), 'shape': [np.int32([2, 3]), np.int32([2, 5])]})
    for n in (0, 1, 5, 9):
        for dtype in ('int32', 'int64'):
            writer.add('InvertPermutation', {'x': data.rng.permutation(n).astype(dtype)})


def strided_slices(writer, data, scale):
    for _ in range(150 * scale):
        dtype = data.choice(ALL)
        shape = data.shape(int(data.rng.integers(1, 5)))
        n = int(data.rng.integers(0, len(shape) + 2))
        begin, end = data.rng.integers(-8, 9, n), data.rng.integers(-8, 9, n)
        strides = data.rng.choice([1, 1, 1, 2, 3, -1, -2], n)
        masks = {}
        for name in ('begin_mask', 'end_mask', 'shrink_axis_mask', 'new_axis_mask'):
            masks[name] = int(
                sum(1 << i for i in range(n) if data.flip(0.25 if name.endswith('axis_mask') else 0.4))
            )
        masks['ellipsis_mask'] = 1 << int(data.rng.integers(0, n)) if n and data.flip(0.4) else 0
        index = data.choice(['int32', 'int64', 'int16'])
        writer.add(
            'StridedSlice',
            {
                'input': data.tensor(dtype, shape),
                'begin': begin.astype(index),
                'end': end.astype(index),
                'strides': strides.astype(index),
            },
            masks,
            constants=('begin', 'end', 'strides') if data.flip() else (),
            shapes_known=known(data),
        )


def parts(writer, data, scale):
    for dtype in ALL:
        for _ in range(3 * scale):
            shape = data.shape(int(data.rng.integers(1, 5)))
            x = data.tensor(dtype, shape)
            begin = [int(data.rng.integers(0, d + 1)) for d in shape]
            size = [
                -1 if data.flip(0.3) else int(data.rng.integers(0, d - b + 1)) for d, b in zip(shape, begin)
            ]
            writer.add(
                'Slice',
                {'input': x, 'begin': np.int32(begin), 'size': np.int32(size)},
                constants=('begin', 'size') if data.flip() else (),
                shapes_known=known(data),
            )
            axis = int(data.rng.integers(-len(shape), len(shape)))
            ways = data.choice([n for n in (1, 2, 3) if shape[axis] % n == 0])
            writer.add(
                'Split',
                {'axis': np.int32(axis), 'value': x},
                {'num_split': ways},
                shapes_known=known(data),
                constants=('axis',) if data.flip() else (),
            )
            cuts = sorted(int(data.rng.integers(0, shape[axis] + 1)) for _ in range(2))
            sizes = [cuts[0], cuts[1] - cuts[0], shape[axis] - cuts[1]]
            if data.flip():
                sizes[int(data.rng.integers(3))] = -1
            writer.add(
                'SplitV',
                {
                    'value': x,
                    'size_splits': np.array(sizes, data.choice(['int32', 'int64'])),
                    'axis': np.int32(axis),
                },
                {'num_split': 3},
                constants=('size_splits', 'axis') if data.flip() else (),
            )
            if shape[axis]:
                writer.add('Unpack', {'value': x}, {'num': shape[axis], 'axis': axis})
            flips = data.rng.permutation(len(shape))[: int(data.rng.integers(0, len(shape) + 1))]
            writer.add(
                'ReverseV2',
                {'tensor': x, 'axis': flips.astype('int32')},
                constants=('axis',) if data.flip() else (),
            )


def gathering(writer, data, scale):
    for dtype in ALL:
        for _ in range(3 * scale):
            shape = data.positive_shape(int(data.rng.integers(1, 4)))
            axis = int(data.rng.integers(0, len(shape)))
            batch = int(data.rng.integers(0, axis + 1))
            indices = data.rng.integers(
                0, shape[axis], shape[:batch] + data.shape(int(data.rng.integers(0, 3)), (0, 1, 2, 3))
            )
            index = data.choice(['int32', 'int64'])
            writer.add(
                'GatherV2',
                {
                    'params': data.tensor(dtype, shape),
                    'indices': indices.astype(index),
                    'axis': np.int32(axis - (len(shape) if data.flip() else 0)),
                },
                {'batch_dims': batch},
                constants=('axis',) if data.flip() else (),
            )
            writer.add(
                'Gather',
                {
                    'params': data.tensor(dtype, shape),
                    'indices': data.rng.integers(0, shape[0], (2, 3)).astype(index),
                },
                {'validate_indices': True},
            )
            depth = int(data.rng.integers(0, len(shape) + 1))
            picks = data.shape(int(data.rng.integers(0, 3)), (1, 2, 3))
            nd = (
                np.stack([data.rng.integers(0, shape[d], picks) for d in range(depth)], -1)
                if depth
                else np.zeros(picks + (0,))
            )
            writer.add('GatherNd', {'params': data.tensor(dtype, shape), 'indices': nd.astype(index)})
        if dtype != 'string':
            writer.add('Where', {'condition': data.tensor(dtype, data.shape(None, (1, 2, 3, 4)), 'small')})


def joining(writer, data, scale):
    for dtype in ALL:
        for _ in range(3 * scale):
            shape = list(data.shape(int(data.rng.integers(1, 5))))
            axis = int(data.rng.integers(0, len(shape)))
            values = []
            for _ in range(int(data.rng.integers(2, 5))):
                shape[axis] = int(data.choice([0, 1, 2, 5]))
                values.append(data.tensor(dtype, tuple(shape)))
            given = axis - len(shape) if data.flip() else axis
            writer.add(
                'ConcatV2',
                {'values': values, 'axis': np.int32(given)},
                constants=('axis',) if data.flip() else (),
                shapes_known=known(data),
            )
            writer.add('Concat', {'values': values, 'concat_dim': np.int32(axis)}, constants=('concat_dim',))
            same = data.shape()
            writer.add(
                'Pack',
                {'values': [data.tensor(dtype, same) for _ in range(int(data.rng.integers(1, 5)))]},
                {'axis': int(data.rng.integers(-len(same) - 1, len(same) + 1))},
                shapes_known=known(data),
            )
            source = data.shape()
            multiples = data.rng.choice([0, 1, 1, 2, 3], len(source))
            writer.add(
                'Tile',
                {
                    'input': data.tensor(dtype, source),
                    'multiples': multiples.astype(data.choice(['int32', 'int64'])),
                },
                constants=('multiples',) if data.flip() else (),
            )
            target = data.positive_shape(3)
            narrow = tuple(1 if data.flip(0.4) else d for d in target)[int(data.rng.integers(0, 3)) :]
            writer.add(
                'BroadcastTo',
                {'input': data.tensor(dtype, narrow), 'shape': np.int32(target)},
                constants=('shape',) if data.flip() else (),
            )


def padding(writer, data, scale):
    for dtype in ALL:
        for _ in range(3 * scale):
            shape = data.shape(int(data.rng.integers(0, 5)))
            x = data.tensor(dtype, shape)
            pads = data.rng.integers(0, 4, (len(shape), 2)).astype(data.choice(['int32', 'int64']))
            fixed = ('paddings',) if data.flip() else ()
            writer.add('Pad', {'input': x, 'paddings': pads}, constants=fixed, shapes_known=known(data))
            writer.add(
                'PadV2',
                {'input': x, 'paddings': pads, 'constant_values': data.tensor(dtype, ())},
                constants=fixed,
            )
            if dtype == 'string' and 0 in shape:
                continue
            mode = data.choice(['REFLECT', 'SYMMETRIC'])
            offset = mode == 'REFLECT'
            mirrored = np.array(
                [[int(data.rng.integers(0, max(0, d - offset) + 1)) for _ in range(2)] for d in shape],
                'int32',
            ).reshape(-1, 2)
            writer.add('MirrorPad', {'input': x, 'paddings': mirrored}, {'mode': mode}, constants=fixed)


def rearranging(writer, data, scale):
    for dtype in ALL:
        for _ in range(5 * scale):
            shape = data.shape(int(data.rng.integers(0, 6)))
            perm = data.rng.permutation(len(shape))
            writer.add(
                'Transpose',
                {'x': data.tensor(dtype, shape), 'perm': perm.astype(data.choice(['int32', 'int64']))},
                constants=('perm',) if data.flip() else (),
                shapes_known=known(data),
            )
    for shape, perm in (
        ((65, 130), (1, 0)),
        ((3, 65, 33), (0, 2, 1)),
        ((3, 65, 33), (2, 1, 0)),
        ((17, 5, 64), (1, 2, 0)),
        ((2, 3, 40, 50), (0, 3, 1, 2)),
        ((300, 300), (1, 0)),
        ((1, 500, 1, 300), (3, 1, 0, 2)),
    ):
        for dtype in ('float32', 'int8', 'int16', 'float64', 'complex128'):
            writer.add('Transpose', {'x': data.tensor(dtype, shape), 'perm': np.int32(perm)})


def choosing(writer, data, scale):
    for dtype in ALL:
        for c, t, e in (
            ((3, 4), (3, 4), (3, 4)),
            ((), (3, 4), (3, 4)),
            ((3,), (3, 4), (3, 4)),
            ((0,), (0,), (0,)),
            ((5,), (5, 0, 2), (5, 0, 2)),
        ):
            writer.add(
                'Select',
                {'condition': data.tensor('bool', c), 'x': data.tensor(dtype, t), 'y': data.tensor(dtype, e)},
            )
        for c, t, e in (
            ((3, 4), (3, 4), (3, 4)),
            ((), (3, 4), (3, 1)),
            ((4,), (3, 1), (1, 4)),
            ((3, 1), (), (1, 4)),
            ((2, 1, 3), (1,), (2, 4, 1)),
            ((0,), (1,), ()),
        ):
            writer.add(
                'SelectV2',
                {'condition': data.tensor('bool', c), 't': data.tensor(dtype, t), 'e': data.tensor(dtype, e)},
            )


def bad(writer, data, scale):
    f = data.tensor
    i = np.int32

    def refuse(op, inputs, attrs=None):
        writer.add(op, inputs, attrs, shapes_known=False, must_fail=True)

    x = f('float32', (2, 3))
    for shape in ([5], [-1, 4], [-1, -1], [2, -3], [2**31 - 1, 2**31 - 1], [-1, 0]):
        refuse('Reshape', {'tensor': x, 'shape': np.int64(shape)})
    refuse('Reshape', {'tensor': x, 'shape': i([[6]])})
    refuse('ExpandDims', {'input': x, 'axis': i(4)})
    refuse('ExpandDims', {'input': x, 'axis': i(-5)})
    refuse('Squeeze', {'input': x}, {'axis': [0]})
    refuse('Squeeze', {'input': x}, {'axis': [5]})
    for begin, end, strides, masks in (
        ([0], [1], [0], {}),
        ([5], [6], [1], {'shrink_axis_mask': 1}),
        ([0, 0, 0], [1, 1, 1], [1, 1, 1], {}),
        ([0], [1], [-1], {'shrink_axis_mask': 1}),
        ([0, 1], [1], [1, 1], {}),
        ([[0]], [[1]], [[1]], {}),
    ):
        refuse(
            'StridedSlice',
            {'input': x, 'begin': i(begin), 'end': i(end), 'strides': i(strides)},
            {
                **{
                    'begin_mask': 0,
                    'end_mask': 0,
                    'ellipsis_mask': 0,
                    'new_axis_mask': 0,
                    'shrink_axis_mask': 0,
                },
                **masks,
            },
        )
    for begin, size in (
        ([0], [1]),
        ([-1, 0], [1, 1]),
        ([3, 0], [1, 1]),
        ([0, 0], [3, 1]),
        ([0, 0], [-2, 1]),
        ([0, 2**30], [1, 2**30]),
    ):
        refuse('Slice', {'input': x, 'begin': i(begin), 'size': i(size)})
    refuse('Split', {'axis': i(1), 'value': x}, {'num_split': 2})
    refuse('Split', {'axis': i(2), 'value': x}, {'num_split': 1})
    for sizes, axis in (([1, 1], 1), ([-1, -1], 1), ([4, -1], 1), ([-2, 5], 1), ([1, 2], 7), ([1, 1, 1], 1)):
        refuse('SplitV', {'value': x, 'size_splits': i(sizes), 'axis': i(axis)}, {'num_split': 2})
    refuse('Unpack', {'value': x}, {'num': 5, 'axis': 0})
    refuse('Unpack', {'value': x}, {'num': 2, 'axis': 4})
    refuse('ReverseV2', {'tensor': x, 'axis': i([2])})
    refuse('ReverseV2', {'tensor': x, 'axis': i([0, 0])})
    for indices, axis, batch in (
        ([3], 1, 0),
        ([-1], 0, 0),
        ([0], 2, 0),
        ([0], -3, 0),
        ([0], 0, 1),
        ([100], 0, 0),
    ):
        refuse('GatherV2', {'params': x, 'indices': i(indices), 'axis': i(axis)}, {'batch_dims': batch})
    refuse('Gather', {'params': x, 'indices': i([2])}, {'validate_indices': True})
    refuse('GatherV2', {'params': f('float32', ()), 'indices': i([0]), 'axis': i(0)})
    refuse('GatherNd', {'params': x, 'indices': i([[0, 3]])})
    refuse('GatherNd', {'params': x, 'indices': i([[0, 0, 0]])})
    refuse('GatherNd', {'params': x, 'indices': i(0)})
    refuse('ConcatV2', {'values': [x, f('float32', (3, 3))], 'axis': i(1)})
    refuse('ConcatV2', {'values': [x, f('float32', (2,))], 'axis': i(0)})
    refuse('ConcatV2', {'values': [x, x], 'axis': i(2)})
    refuse('ConcatV2', {'values': [x, x], 'axis': i([[0, 1]])})
    refuse('Pack', {'values': [x, f('float32', (3, 2))]}, {'axis': 0})
    refuse('Pack', {'values': [x, x]}, {'axis': 4})
    refuse('Tile', {'input': x, 'multiples': i([1])})
    refuse('Tile', {'input': x, 'multiples': i([-1, 2])})
    refuse('BroadcastTo', {'input': x, 'shape': i([3, 3])})
    refuse('BroadcastTo', {'input': x, 'shape': i([3])})
    refuse('BroadcastTo', {'input': f('float32', (1,)), 'shape': i([-1])})
    refuse('Fill', {'dims': i([-1]), 'value': np.float32(1)})
    refuse('Fill', {'dims': i([2]), 'value': f('float32', (2,))})
    refuse('Fill', {'dims': np.int64([2**40, 2**40]), 'value': np.float32(1)})
    for pads in ([[1, 1]], [[-1, 0], [0, 0]], [[0, 0, 0], [0, 0, 0]], [1, 1]):
        refuse('Pad', {'input': x, 'paddings': i(pads)})
        refuse('PadV2', {'input': x, 'paddings': i(pads), 'constant_values': np.float32(1)})
        refuse('MirrorPad', {'input': x, 'paddings': i(pads)}, {'mode': 'REFLECT'})
    refuse('PadV2', {'input': x, 'paddings': i([[1, 1], [0, 0]]), 'constant_values': f('float32', (1,))})
    refuse('MirrorPad', {'input': x, 'paddings': i([[2, 0], [0, 0]])}, {'mode': 'REFLECT'})
    refuse('MirrorPad', {'input': x, 'paddings': i([[0, 3], [0, 0]])}, {'mode': 'SYMMETRIC'})
    for perm in ([0], [0, 0], [0, 2], [0, 1, 2], [-3, 0]):
        refuse('Transpose', {'x': x, 'perm': i(perm)})
    refuse('Select', {'condition': f('bool', (3,)), 'x': x, 'y': x})
    refuse('Select', {'condition': f('bool', (2, 3)), 'x': x, 'y': f('float32', (2, 2))})
    refuse('SelectV2', {'condition': f('bool', (4,)), 't': x, 'e': x})
    refuse('BroadcastArgs', {'s0': i([2]), 's1': i([3])})
    refuse('InvertPermutation', {'x': i([0, 0])})
    refuse('InvertPermutation', {'x': i([1, 2])})
    refuse('ConcatOffset', {'concat_dim': i(0), 'shape': [i([2, 3]), i([2, 4])]})


FAMILIES = {
    'passing': passing,
    'shapes': shapes,
    'strided_slices': strided_slices,
    'parts': parts,
    'gathering': gathering,
    'joining': joining,
    'padding': padding,
    'rearranging': rearranging,
    'choosing': choosing,
    'bad_array': bad,
}
