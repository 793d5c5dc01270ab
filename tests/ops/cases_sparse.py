"""Cases for sparse.so."""

import numpy as np

from case_writer import COMPLEX, FLOATS, NUMBERS, REALS, SIGNED, SINGLES

ALL = NUMBERS + ['bool', 'string']
# Sums of several values in the order that either side likes.
LOOSE = {'float16': (1e-2, 2e-2), 'bfloat16': (6e-2, 2e-1)}


def sparse(data, dtype, dims, count=None, ordered=True, repeat=False, kind='normal'):
    """(coordinates, values, dense shape)"""
    cells = int(np.prod(dims))
    count = int(data.rng.integers(0, cells + 1)) if count is None else count
    if not cells:
        count = 0
    flat = data.rng.choice(cells, count, replace=repeat) if count else np.zeros(0, int)
    if ordered:
        flat = np.sort(flat)
    if dims and cells:
        indices = np.stack(np.unravel_index(flat, dims), 1).astype(np.int64)
    else:
        indices = np.zeros((count, len(dims)), np.int64)
    return indices, data.tensor(dtype, (count,), kind), np.int64(dims)


def filling(writer, data, scale):
    def add(i, v, s, default, **options):
        inputs = {'indices': i, 'values': v, 'dense_shape': s, 'default_value': default}
        writer.add('SparseFillEmptyRows', inputs, **options)

    for dtype in ALL:
        for dims in ((5, 3), (4,), (3, 2, 2), (0, 4), (6, 0)):
            add(*sparse(data, dtype, dims), data.tensor(dtype, ()), shapes_known=data.choice([True, False, 'partly']))
        add(*sparse(data, dtype, (7, 3), ordered=False), data.tensor(dtype, ()), constants=('dense_shape',))
        add(*sparse(data, dtype, (1, 3), 3), data.tensor(dtype, ()))
        if dtype in NUMBERS:
            inputs = {'reverse_index_map': np.int64([1, 0, 4]), 'grad_values': data.tensor(dtype, (6,), 'small')}
            writer.add('SparseFillEmptyRowsGrad', inputs)
    x, one = np.float32([1, 2]), np.float32(1)
    add(np.int64([[0, 0], [3, 0]]), x, np.int64([3, 2]), one, must_fail=True)
    add(np.int64([[0, 0], [-1, 0]]), x, np.int64([3, 2]), one, must_fail=True)
    add(np.int64([[0, 0], [1, 0]]), x, np.int64([0, 2]), one, must_fail=True)
    add(np.int64([[0, 0], [1, 0]]), x, np.int64([3]), one, shapes_known=False, must_fail=True)
    add(np.int64([[0, 0], [1, 0]]), x[:1], np.int64([3, 2]), one, shapes_known=False, must_fail=True)
    add(np.int64([[0, 0], [1, 0]]), x, np.int64([3, 2]), x, shapes_known=False, must_fail=True)
    add(np.zeros((2, 0), np.int64), x, np.zeros(0, np.int64), one, shapes_known=False, must_fail=True)
    for places in ([0, 7], [-1, 0]):
        inputs = {'reverse_index_map': np.int64(places), 'grad_values': np.float32([1, 2, 3])}
        writer.add('SparseFillEmptyRowsGrad', inputs, must_fail=True)


def reshaping(writer, data, scale):
    def add(i, old, new, **options):
        inputs = {'input_indices': np.int64(i), 'input_shape': np.int64(old), 'new_shape': np.int64(new)}
        writer.add('SparseReshape', inputs, shapes_known=data.choice([True, False]), **options)

    for old, new in (
        ((2, 6), (3, -1)),
        ((12,), (2, 3, 2)),
        ((2, 3, 2), (-1,)),
        ((4, 3), (4, 3)),
        ((4, 3), (3, 4)),
        ((1,), ()),
        ((), (1, 1)),
        ((0, 5), (5, 0)),
        ((0, 5), (0, 2)),
        ((0, 5), (3, -1)),
    ):
        add(sparse(data, 'float32', old)[0], old, new, constants=('new_shape',) if data.flip() else ())
    i = np.int64([[0, 1], [1, 2]])
    for old, new in (
        ((2, 3), (-1, -1)),
        ((2, 3), (-1, 4)),
        ((2, 3), (7,)),
        ((2, 3), (0, -1)),
        ((0, 3), (0, -1)),
        ((2, 3), (-2, -3)),
        ((0, 3), (0, 3, 4)),
        ((2, 3, 4), (24,)),
    ):
        add(i, old, new)
    add(i[0], (2, 3), (6,), must_fail=True)


def to_dense(writer, data, scale):
    def add(i, s, v, default, validate=True, **options):
        inputs = {'sparse_indices': i, 'output_shape': s, 'sparse_values': v, 'default_value': default}
        writer.add('SparseToDense', inputs, {'validate_indices': validate}, **options)

    for dtype in ALL:
        for index in ('int32', 'int64'):
            for dims in ((4, 3), (5,), (2, 3, 2), (0, 3)):
                i, v, s = sparse(data, dtype, dims)
                add(i.astype(index), s.astype(index), v, data.tensor(dtype, ()), constants=('output_shape',))
        i, v, s = sparse(data, dtype, (4, 5), 9, ordered=False, repeat=True)
        add(i, s, v, data.tensor(dtype, ()), validate=False)
        add(np.int32([1, 3, 4]), np.int32([6]), data.tensor(dtype, (3,)), data.tensor(dtype, ()))
        add(np.int32([1, 3, 4]), np.int32([6]), data.tensor(dtype, ()), data.tensor(dtype, ()))
        add(np.int64(2), np.int64([6]), data.tensor(dtype, ()), data.tensor(dtype, ()))
    x, zero = np.float32([1, 2]), np.float32(0)
    for i in ([[1, 1], [0, 0]], [[1, 1], [1, 1]], [[0, 1], [2, 0]], [[-1, 0], [1, 1]]):
        for validate in (True, False):
            add(np.int32(i), np.int32([2, 2]), x, zero, validate)
    i = np.int32([[0, 0], [1, 1]])
    add(i, np.int32([2, 2, 2]), x, zero, must_fail=True)
    add(i, np.int32([2, -2]), x, zero, must_fail=True)
    add(i, np.int32([2, 2]), np.float32([1, 2, 3]), zero, must_fail=True)
    add(i, np.int32([2, 2]), x, x, must_fail=True)
    add(np.zeros((1, 1, 1), np.int32), np.int32([2]), x, zero, must_fail=True)


def moving(writer, data, scale):
    for dtype in ALL:
        for dims in ((4, 3), (6,), (2, 3, 4), (0, 3)):
            i, v, s = sparse(data, dtype, dims, ordered=False)
            known = data.choice([True, False, 'partly'])
            inputs = {'input_indices': i, 'input_values': v, 'input_shape': s}
            writer.add('SparseReorder', inputs, shapes_known=known)
            i, v, s = sparse(data, dtype, dims)
            start, size = data.rng.integers(0, 3, len(dims)), data.rng.integers(0, 5, len(dims))
            inputs = {'indices': i, 'values': v, 'shape': s, 'start': start, 'size': size}
            writer.add('SparseSlice', inputs, shapes_known=known)
            axis = int(data.rng.integers(-len(dims), len(dims)))
            other = tuple(d + (2 if k == axis % len(dims) else 0) for k, d in enumerate(dims))
            parts = [sparse(data, dtype, d) for d in (dims, other, dims)]
            inputs = {n: [p[k] for p in parts] for k, n in enumerate(('indices', 'values', 'shapes'))}
            writer.add('SparseConcat', inputs, {'concat_dim': axis}, shapes_known=known)
            inputs = {'split_dim': np.int64(len(dims) - 1), 'indices': i, 'values': v, 'shape': s}
            for n in (1, 2, 3, 5):
                writer.add('SparseSplit', inputs, {'num_split': n}, shapes_known=known)
    i, v, s = sparse(data, 'float32', (4, 3))
    inputs = {'indices': i, 'values': v, 'shape': s}
    for start, size in (([-1, 0], [2, 2]), ([0, 0], [-1, 2]), ([9, 0], [1, 1]), ([0], [1, 1]), ([0, 0], [9, 9]), ([-3, 0], [2, 2])):
        writer.add('SparseSlice', dict(inputs, start=np.int64(start), size=np.int64(size)), shapes_known=False)
    for axis in (-1, -3, 2):
        writer.add('SparseSplit', dict(inputs, split_dim=np.int64(axis)), {'num_split': 2})
    writer.add('SparseSplit', dict(inputs, split_dim=np.int64(1)), {'num_split': 4})
    other = sparse(data, 'float32', (3, 4))
    inputs = {n: [p[k] for p in ((i, v, s), other)] for k, n in enumerate(('indices', 'values', 'shapes'))}
    for axis in (0, 1, 2, -3):
        writer.add('SparseConcat', inputs, {'concat_dim': axis}, shapes_known=False)
    inputs = {'input_indices': i, 'input_values': v[:1], 'input_shape': s}
    if len(v) != 1:
        writer.add('SparseReorder', inputs, shapes_known=False, must_fail=True)


def computing(writer, data, scale):
    for dtype in FLOATS + COMPLEX + ['int32']:
        for index in ('int32', 'int64'):
            for _ in range(2 * scale):
                n, k, m = data.shape(3, (1, 2, 5, 7))
                flags = {'adjoint_a': data.flip(), 'adjoint_b': data.flip()}
                i, v, s = sparse(data, dtype, (k, n) if flags['adjoint_a'] else (n, k))
                b = data.tensor(dtype, (m, k) if flags['adjoint_b'] else (k, m))
                inputs = {'a_indices': i.astype(index), 'a_values': v, 'a_shape': s, 'b': b}
                writer.add(
                    'SparseTensorDenseMatMul',
                    inputs,
                    flags,
                    constants=('a_shape',) if data.flip() else (),
                    tolerance=LOOSE.get(dtype),
                )
    for dtype in NUMBERS:
        for dims in ((4, 3), (5,), (2, 3, 4), (0, 3)):
            i, v, s = sparse(data, dtype, dims, kind='small')
            axes = data.choice([[0], [-1], [], list(range(len(dims)))])
            inputs = {'input_indices': i, 'input_values': v, 'input_shape': s, 'reduction_axes': np.int32(axes)}
            for op in ('SparseReduceSum', 'SparseReduceMax') if dtype in REALS else ('SparseReduceSum',):
                constants = ('input_shape', 'reduction_axes') if data.flip() else ()
                writer.add(op, inputs, {'keep_dims': data.flip()}, constants=constants)
    i, v, s = sparse(data, 'float32', (2, 3))
    inputs = {'input_indices': i, 'input_values': v, 'input_shape': s}
    for axes in (np.int32([2]), np.int32([-3]), np.int32(0), np.int32([0, 0]), np.int32([[0]])):
        writer.add('SparseReduceSum', dict(inputs, reduction_axes=axes), shapes_known=False)
    for dtype in SIGNED + SINGLES + COMPLEX:
        real = {'complex64': 'float32', 'complex128': 'float64'}.get(dtype, dtype)
        for dims in ((4, 3), (5,), (2, 3, 2), (0, 3)):
            for thresh in (0, 2):
                a, b = sparse(data, dtype, dims), sparse(data, dtype, dims)
                inputs = dict(zip(('a_indices', 'a_values', 'a_shape', 'b_indices', 'b_values', 'b_shape'), a + b))
                writer.add('SparseAdd', dict(inputs, thresh=np.array(thresh, real)))
    a, b = sparse(data, 'float32', (2, 3)), sparse(data, 'float32', (3, 2))
    inputs = dict(zip(('a_indices', 'a_values', 'a_shape', 'b_indices', 'b_values', 'b_shape'), a + b))
    writer.add('SparseAdd', dict(inputs, thresh=np.float32(0)), must_fail=True)
    i = np.int64([[0, 5]])
    inputs = {'a_indices': i, 'a_values': np.float32([1]), 'a_shape': np.int64([2, 3])}
    writer.add('SparseTensorDenseMatMul', dict(inputs, b=np.ones((3, 2), 'f')), must_fail=True)
    inputs['a_indices'] = np.int64([[0, 1]])
    writer.add('SparseTensorDenseMatMul', dict(inputs, b=np.ones((2, 2), 'f')), must_fail=True)


def segments(writer, data, scale):
    known = lambda: data.choice([True, True, False, 'partly'])
    for dtype in NUMBERS:
        real = dtype in REALS
        for op in ('Sum', 'Mean', 'Prod') + (('Max', 'Min') if real else ()):
            for index in ('int32', 'int64'):
                n = int(data.choice([0, 1, 3, 6]))
                x = data.tensor(dtype, (n,) + data.shape(int(data.rng.integers(0, 3))), 'small')
                ids = np.sort(data.rng.integers(0, 8, n)).astype(index)
                options = {'tolerance': LOOSE.get(dtype), 'shapes_known': known()}
                writer.add('Segment' + op, {'data': x, 'segment_ids': ids}, **options)
        for op in ('Sum', 'Prod') + (('Max', 'Min') if real else ()):
            for index in ('int32', 'int64') + (('int16',) if op == 'Sum' else ()):
                shape = data.shape(int(data.rng.integers(0, 4)))
                ids = data.rng.integers(-1, 4, shape[: int(data.rng.integers(0, len(shape) + 1))]).astype(index)
                inputs = {'data': data.tensor(dtype, shape, 'small'), 'segment_ids': np.asarray(ids, index)}
                writer.add(
                    'UnsortedSegment' + op,
                    dict(inputs, num_segments=data.choice([np.int32, np.int64])(5)),
                    constants=('num_segments',) if data.flip() else (),
                    tolerance=LOOSE.get(dtype),
                    shapes_known=known(),
                )
        for op in (('Sum',) if real else ()) + (('Mean', 'SqrtN') if dtype in FLOATS else ()):
            for index in ('int32', 'int64'):
                n = int(data.choice([0, 1, 3, 6]))
                inputs = {
                    'data': data.tensor(dtype, (5,) + data.shape(int(data.rng.integers(0, 3))), 'small'),
                    'indices': data.rng.integers(0, 5, n).astype(index),
                    'segment_ids': np.sort(data.rng.integers(0, 8, n)).astype(data.choice(['int32', 'int64'])),
                }
                options = {'tolerance': LOOSE.get(dtype), 'shapes_known': known()}
                writer.add('SparseSegment' + op, inputs, **options)
                number = data.choice([np.int32, np.int64])(9)
                constants = ('num_segments',) if data.flip() else ()
                inputs['num_segments'] = number
                writer.add('SparseSegment%sWithNumSegments' % op, inputs, constants=constants, **options)
    x = data.tensor('float32', (3, 2))
    for ids in ([0, 2, 1], [-1, 0, 1], [0, 1], [[0, 1, 2]], [1, 1, 1]):
        for op in ('Sum', 'Mean', 'Max'):
            writer.add('Segment' + op, {'data': x, 'segment_ids': np.int32(ids)}, shapes_known=False)
        inputs = {'data': x, 'segment_ids': np.int32(ids)}
        writer.add('UnsortedSegmentSum', dict(inputs, num_segments=np.int32(2)), shapes_known=False)
        for picks in ([0, 1, 2], [0, 3, 1], [0, -1, 2]):
            inputs = {'data': x, 'indices': np.int32(picks), 'segment_ids': np.int32(ids)}
            writer.add('SparseSegmentSum', inputs, shapes_known=False)
            for number in (2, -1):
                inputs['num_segments'] = np.int32(number)
                writer.add('SparseSegmentMeanWithNumSegments', inputs, shapes_known=False)
    writer.add('SegmentSum', {'data': np.float32(1), 'segment_ids': np.int32([])}, shapes_known=False)
    for number in (-1, 0):
        inputs = {'data': x[:0], 'segment_ids': np.int32([]), 'num_segments': np.int32(number)}
        writer.add('UnsortedSegmentMax', inputs, shapes_known=False)


def sequences(writer, data, scale):
    known = lambda: data.choice([True, False, 'partly'])
    for dtype in SINGLES:
        for steps, batch, classes in ((1, 1, 2), (6, 2, 4), (20, 3, 6), (40, 1, 5), (5, 2, 1)):
            logits = data.tensor(dtype, (steps, batch, classes))
            lengths = data.rng.integers(0, steps + 1, batch).astype('int32')
            lengths[0] = steps
            for merge in (True, False):
                for blank in (-1, 0) if classes > 1 else (0,):
                    attrs = {'merge_repeated': merge, 'blank_index': blank}
                    inputs = {'inputs': logits, 'sequence_length': lengths}
                    writer.add('CTCGreedyDecoder', inputs, attrs, shapes_known=known())
                for width, top in ((1, 1), (3, 1), (3, 3), (10, 2), (50, 4)):
                    attrs = {'merge_repeated': merge, 'beam_width': width, 'top_paths': top}
                    long = {'inputs': logits, 'sequence_length': np.full(batch, steps, 'int32')}
                    writer.add('CTCBeamSearchDecoder', long if top > 1 else inputs, attrs, shapes_known=known())
    x = np.ones((3, 2, 4), 'f')
    for logits, lengths in ((x, [3, 4]), (x, [3]), (x[0], [3, 3]), (x[:0], [0, 0]), (x, [[3, 3]]), (x, [-1, 3])):
        inputs = {'inputs': logits, 'sequence_length': np.int32(lengths)}
        writer.add('CTCGreedyDecoder', inputs, shapes_known=False)
        attrs = {'beam_width': 4, 'top_paths': 1}
        writer.add('CTCBeamSearchDecoder', inputs, attrs, shapes_known=False)
    for blank in (4, -5):
        inputs = {'inputs': x, 'sequence_length': np.int32([3, 3])}
        writer.add('CTCGreedyDecoder', inputs, {'blank_index': blank}, shapes_known=False, must_fail=True)
    attrs = {'beam_width': 4, 'top_paths': 4}
    inputs = {'inputs': x[:1, :1, :2], 'sequence_length': np.int32([1])}
    writer.add('CTCBeamSearchDecoder', inputs, attrs, shapes_known=False, must_fail=True)


def edits(writer, data, scale):
    def words(dtype, dims, lengths):
        """Sequences of these lengths in the cells of a tensor of shape dims."""
        cells = np.stack(np.unravel_index(np.arange(np.prod(dims)), dims), 1)
        indices = [list(cell) + [i] for cell, n in zip(cells, lengths) for i in range(n)]
        count = len(indices)
        values = data.tensor(dtype, (count,), 'small')
        if dtype not in ('string', 'bool'):
            values = (values.astype('complex128').real.astype('int64') % 3).astype(values.dtype)
        shape = np.int64(list(dims) + [max(list(lengths) + [1])])
        return np.int64(indices).reshape(count, len(dims) + 1), values, shape

    names = ('hypothesis_indices', 'hypothesis_values', 'hypothesis_shape', 'truth_indices', 'truth_values', 'truth_shape')
    for dtype in ALL:
        for normalize in (True, False):
            dims = data.choice([(4,), (2, 3), (1,)])
            count = int(np.prod(dims))
            a, b = (words(dtype, dims, data.rng.integers(0, 6, count)) for _ in range(2))
            constants = ('hypothesis_shape', 'truth_shape') if data.flip() else ()
            inputs = dict(zip(names, a + b))
            writer.add('EditDistance', inputs, {'normalize': normalize}, constants=constants, shapes_known=data.flip())
    a, b = words('int32', (3,), [2, 0, 1]), words('int32', (2,), [1, 2])
    inputs = dict(zip(names, a + b))
    writer.add('EditDistance', inputs, shapes_known=False)
    for name, value in (
        ('hypothesis_values', np.int32([1])),
        ('truth_indices', np.int64([[0, 0], [1, 0], [7, 1]])),
        ('hypothesis_indices', np.int64([[0, 0], [-1, 1], [2, 0]])),
        ('truth_shape', np.int64([2, 2, 2])),
    ):
        writer.add('EditDistance', dict(inputs, **{name: value}), shapes_known=False)


FAMILIES = {
    'sparse_sequences': sequences,
    'edits': edits,
    'sparse_filling': filling,
    'sparse_reshaping': reshaping,
    'sparse_to_dense': to_dense,
    'sparse_moving': moving,
    'sparse_computing': computing,
    'segments': segments,
}
