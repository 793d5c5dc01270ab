"""Cases for math.so and linalg.so."""

import numpy as np

from case_writer import COMPLEX, FLOATS, INTS, NUMBERS, REALS, SIGNED, SINGLES, np_type

PAIRS = [
    ((), ()),
    ((5,), (5,)),
    ((0,), (1,)),
    ((3, 1), (1, 4)),
    ((2, 3, 4), (4,)),
    ((2, 3, 4), (3, 1)),
    ((7, 1, 5), (1, 6, 1)),
    ((1000,), ()),
    ((), (1000,)),
    ((33, 17), (17,)),
    ((17,), (33, 17)),
    ((2, 1, 3, 1, 2), (1, 2, 3, 4, 1)),
    ((1, 1), (1,)),
    ((4, 0, 3), (4, 1, 3)),
    ((65, 63), (65, 1)),
    ((2, 2, 3, 1, 1, 2), (2, 2, 1, 1, 1, 2)),
]
SHAPES = [(), (1,), (0,), (7,), (3, 5), (2, 0, 3), (129,), (4, 5, 6, 7)]

BINARY = {
    'Add': [t for t in NUMBERS if t not in ('uint16', 'uint32', 'uint64')] + ['string'],
    'AddV2': NUMBERS,
    'Sub': NUMBERS,
    'Mul': NUMBERS,
    'MulNoNan': FLOATS + COMPLEX,
    'Div': NUMBERS,
    'RealDiv': FLOATS + COMPLEX,
    'DivNoNan': FLOATS + COMPLEX,
    'FloorDiv': REALS,
    'FloorMod': REALS,
    'Mod': SINGLES + ['int32', 'int64'],
    'TruncateDiv': REALS,
    'TruncateMod': SINGLES + ['int32', 'int64'],
    'Maximum': REALS,
    'Minimum': REALS,
    'Pow': FLOATS + SIGNED + COMPLEX,
    'SquaredDifference': FLOATS + ['int32', 'int64'] + COMPLEX,
    'Atan2': FLOATS,
    'Xdivy': FLOATS + COMPLEX,
    'Xlogy': FLOATS + COMPLEX,
    'Xlog1py': FLOATS + COMPLEX,
    'BitwiseAnd': INTS,
    'BitwiseOr': INTS,
    'BitwiseXor': INTS,
    'LeftShift': INTS,
    'RightShift': INTS,
    'Equal': NUMBERS + ['bool', 'string'],
    'NotEqual': NUMBERS + ['bool', 'string'],
    'Less': REALS,
    'LessEqual': REALS,
    'Greater': REALS,
    'GreaterEqual': REALS,
    'LogicalAnd': ['bool'],
    'LogicalOr': ['bool'],
}
DIVISIONS = ('Div', 'FloorDiv', 'FloorMod', 'Mod', 'TruncateDiv', 'TruncateMod')

UNARY = {
    'Neg': FLOATS + SIGNED + COMPLEX,
    'Abs': FLOATS + SIGNED,
    'Sign': FLOATS + SIGNED + COMPLEX,
    'Square': NUMBERS,
    'Round': FLOATS,
    'Rint': SINGLES,
    'Invert': INTS,
    'LogicalNot': ['bool'],
    'Conj': COMPLEX,
}
for _name in (
    'Sqrt Rsqrt Reciprocal Inv Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Tanh '
    'Sigmoid'
).split():
    UNARY[_name] = FLOATS + COMPLEX
for _name in 'Floor Ceil IsNan IsInf IsFinite Erf Erfc'.split():
    UNARY[_name] = FLOATS
UNARY['Lgamma'] = FLOATS


def binary(writer, data, scale):
    for op, dtypes in BINARY.items():
        for dtype in dtypes:
            for i in range(4 * scale):
                a, b = data.choice(PAIRS)
                # Stock flushes denormal quotients to zero before it rounds them down; the library does not.
                special = (
                    i % 4 == 3
                    and dtype not in COMPLEX + ['bool', 'string']
                    and not (op.startswith('Floor') and dtype in FLOATS)
                )
                kind = 'special' if special else 'normal'
                x, y = data.tensor(dtype, a, kind), data.tensor(dtype, b, kind)
                if op in DIVISIONS and (dtype in INTS or not special):
                    y = data.tensor(dtype, b, 'nonzero')
                if op == 'Pow' and dtype in INTS:
                    y = data.tensor(dtype, b, 'small')
                if op == 'Pow' and dtype in COMPLEX:
                    x = data.tensor(dtype, a, 'nonzero')
                if op == 'Pow' and dtype not in INTS and not special and dtype not in COMPLEX:
                    x = data.tensor(dtype, a, 'positive')
                attrs = {'incompatible_shape_error': data.flip()} if op in ('Equal', 'NotEqual') else {}
                names = ('y', 'x') if op == 'Atan2' else ('x', 'y')
                tolerance = {
                    'float16': (4e-3, 1e-5),
                    'bfloat16': (3e-2, 1e-4),
                    'complex64': (3e-5, 1e-4),
                }.get(dtype)
                if op == 'Pow' and dtype in COMPLEX:
                    tolerance = (1e-3, 1e-3)
                writer.add(
                    op,
                    {names[0]: x, names[1]: y},
                    attrs,
                    tolerance=tolerance,
                    shapes_known=data.choice([True, False, 'partly']),
                )


def unary(writer, data, scale):
    for op, dtypes in UNARY.items():
        argument = {'Conj': 'input'}.get(op, 'x')
        for dtype in dtypes:
            for i in range(3 * scale):
                kind = ['normal', 'unit', 'special'][i % 3]
                if kind == 'special' and dtype in COMPLEX + ['bool']:
                    continue
                if op in ('Lgamma',) and kind == 'normal':
                    kind = 'positive'
                if op in ('Tan',) and kind == 'normal':
                    kind = 'unit'
                x = data.tensor(dtype, data.choice(SHAPES), kind)
                if op in ('Reciprocal', 'Inv', 'Rsqrt', 'Log') and dtype in COMPLEX:
                    x = data.tensor(dtype, x.shape, 'nonzero')
                tolerance = {
                    'float16': (4e-3, 1e-3),
                    'bfloat16': (3e-2, 1e-2),
                    'complex64': (1e-4, 1e-4),
                    'complex128': (1e-9, 1e-9),
                }.get(dtype)
                if dtype == 'float32' and op in (
                    'Sinh',
                    'Cosh',
                    'Asinh',
                    'Acosh',
                    'Atanh',
                    'Erfc',
                    'Lgamma',
                    'Log1p',
                    'Expm1',
                ):
                    tolerance = (2e-5, 2e-6)
                writer.add(op, {argument: x}, tolerance=tolerance)
    for op in ('Real', 'Imag', 'ComplexAbs', 'Angle'):
        for dtype, part in (('complex64', 'float32'), ('complex128', 'float64')):
            for shape in SHAPES[:5]:
                writer.add(
                    op, {'x' if op == 'ComplexAbs' else 'input': data.tensor(dtype, shape)}, {'Tout': part}
                )
    for dtype, whole in (('float32', 'complex64'), ('float64', 'complex128')):
        for a, b in PAIRS[:6]:
            writer.add(
                'Complex', {'real': data.tensor(dtype, a), 'imag': data.tensor(dtype, b)}, {'Tout': whole}
            )


def cast(writer, data, scale):
    types = NUMBERS + ['bool']
    for source in types:
        for target in types:
            for shape in [(), (37,)][: 1 + scale]:
                kind = 'small' if target in INTS and source not in ('bool',) else 'normal'
                if source in INTS and target in INTS:
                    kind = 'special'
                writer.add(
                    'Cast', {'x': data.tensor(source, shape, kind)}, {'DstT': target, 'Truncate': False}
                )
    for source, target in (
        ('float32', 'float16'),
        ('float32', 'bfloat16'),
        ('float64', 'float32'),
        ('float64', 'float16'),
        ('float64', 'bfloat16'),
    ):
        writer.add(
            'Cast', {'x': data.tensor(source, (300,))}, {'DstT': target, 'Truncate': True}, tolerance=(0, 0)
        )


def reductions(writer, data, scale):
    table = {
        'Sum': NUMBERS,
        'Prod': NUMBERS,
        'Mean': NUMBERS,
        'Max': REALS,
        'Min': REALS,
        'All': ['bool'],
        'Any': ['bool'],
    }
    shapes = [
        (),
        (1,),
        (5,),
        (0,),
        (3, 4),
        (2, 3, 4),
        (5, 0, 2),
        (3, 1, 5, 2),
        (300,),
        (7, 600),
        (600, 7),
        (2, 70, 3),
        (1, 130, 2),
    ]
    for op, dtypes in table.items():
        for dtype in dtypes:
            for i in range(5 * scale):
                shape = data.choice(shapes)
                rank = len(shape)
                count = int(data.rng.integers(0, rank + 1))
                axes = data.rng.permutation(rank)[:count].astype(data.choice(['int32', 'int64']))
                if data.flip(0.3):
                    axes = np.where(data.rng.random(axes.shape) < 0.5, axes - rank, axes).astype(axes.dtype)
                if count == 1 and data.flip(0.3):
                    axes = axes.reshape(())
                kind = 'special' if i % 5 == 4 and op in ('Max', 'Min') and dtype in SINGLES else 'unit'
                x = data.tensor(dtype, shape, kind)
                if op in ('Mean', 'Max', 'Min') and dtype not in FLOATS + COMPLEX and 0 in shape:
                    continue  # the mean of no integers: stock divides by zero
                tolerance = {
                    'float16': (2e-2, 5e-2),
                    'bfloat16': (8e-2, 2e-1),
                    'float32': (1e-5, 1e-5),
                    'complex64': (1e-4, 1e-4),
                }.get(dtype)
                writer.add(
                    op,
                    {'input': x, 'axis': axes},
                    {'keep_dims': data.flip()},
                    tolerance=tolerance,
                    constants=('axis',) if data.flip() else (),
                )
    for dtype in ('float32', 'float64', 'int64'):
        writer.add(
            'Sum',
            {'input': data.tensor(dtype, (200000,), 'unit'), 'axis': np.int32(0)},
            {'keep_dims': False},
            tolerance=(1e-4, 1e-3),
        )
        writer.add(
            'Max',
            {'input': data.tensor(dtype, (200001,), 'unit'), 'axis': np.int32([0])},
            {'keep_dims': True},
        )


def arguments(writer, data, scale):
    for op in ('ArgMax', 'ArgMin'):
        for dtype in REALS + ['bool']:
            for _ in range(2 * scale):
                shape = data.positive_shape(int(data.rng.integers(1, 5)))
                axis = int(data.rng.integers(-len(shape), len(shape)))
                out = data.choice(['int32', 'int64'] + (['int16', 'uint16'] if op == 'ArgMax' else []))
                writer.add(
                    op,
                    {'input': data.tensor(dtype, shape, 'small'), 'dimension': np.int32(axis)},
                    {'output_type': out},
                )
    for dtype in NUMBERS:
        for _ in range(2 * scale):
            shape = data.positive_shape(int(data.rng.integers(1, 5)))
            axis = int(data.rng.integers(-len(shape), len(shape)))
            writer.add(
                'Cumsum',
                {'x': data.tensor(dtype, shape, 'unit'), 'axis': np.int64(axis)},
                {'exclusive': data.flip(), 'reverse': data.flip()},
                tolerance={'float16': (2e-2, 2e-2), 'bfloat16': (1e-1, 1e-1)}.get(dtype),
            )
        for n in (1, 2, 5):
            shape = data.shape()
            writer.add(
                'AddN',
                {'inputs': [data.tensor(dtype, shape) for _ in range(n)]},
                tolerance={'float16': (2e-2, 2e-2), 'bfloat16': (1e-1, 1e-1)}.get(dtype),
            )
    for dtype in FLOATS + SIGNED + ['uint8', 'uint16']:
        shape = data.shape()
        x = data.tensor(dtype, shape)
        writer.add(
            'ClipByValue',
            {
                't': x,
                'clip_value_min': np.array(2, np_type(dtype)),
                'clip_value_max': np.array(5, np_type(dtype)),
            },
        )
        writer.add(
            'ClipByValue',
            {
                't': x,
                'clip_value_min': np.zeros(shape, np_type(dtype)),
                'clip_value_max': np.array(5, np_type(dtype)),
            },
        )


def sequences(writer, data, scale):
    def scalar(value, dtype):
        return np.array(value, np_type(dtype))

    for dtype in FLOATS + ['int32', 'int64']:
        for start, limit, delta in (
            (0, 10, 1),
            (0, 0, 1),
            (5, -5, -2),
            (1, 10, 3),
            (-3, 3, 1),
            (0, 1, 2),
            (3, 18, 5),
        ):
            writer.add(
                'Range',
                {'start': scalar(start, dtype), 'limit': scalar(limit, dtype), 'delta': scalar(delta, dtype)},
                constants=('start', 'limit', 'delta') if data.flip() else (),
            )
    for dtype in SINGLES:
        writer.add(
            'Range', {'start': scalar(0.1, dtype), 'limit': scalar(7.3, dtype), 'delta': scalar(0.37, dtype)}
        )
        for count in (1, 2, 7, 100):
            writer.add(
                'LinSpace',
                {'start': scalar(-1.5, dtype), 'stop': scalar(3.25, dtype), 'num': np.int32(count)},
            )


EINSUMS = [
    'abc,cde->abde',
    'aecd,abcd->acbe',
    'acbe,aecd->abcd',
    'abcd,cde->abe',
    'ab,bc->ac',
    'ab,bc->ca',
    'ab,cb->ac',
    'ab,ab->',
    'ab,ab->ab',
    'a,b->ab',
    'a,b->ba',
    ',ab->ba',
    'abc,ad->bd',
    'abcd,bd->a',
    'ab,c->c',
    'bac,dab->cbd',
    'a->',
    'ab->ba',
    'aab->ab',
    'aab->b',
    'aa->',
    'a->aa',
    'ab->aab',
    'ab,b->bab',
    'aab,bb->a',
    'abc->c',
    'a...b->b...a',
    '...a->...',
    '...ab,...bc->...ac',
    'a...,...b->ab...',
    'ab...,b->a...',
    '...,...->...',
    '->',
]


def einsum(writer, data, scale):
    tolerance = {'float16': (2e-2, 2e-1), 'bfloat16': (1e-1, 1.0), 'float32': (1e-5, 1e-4), 'complex64': (1e-4, 1e-3)}

    def operand(term, sizes, inner, dtype):
        before, dots, after = term.partition('...')
        shape = [sizes[c] for c in before] + (list(inner) if dots else []) + [sizes[c] for c in after]
        return data.tensor(dtype, tuple(shape), 'unit' if dtype in FLOATS + COMPLEX else 'normal')

    for dtype in FLOATS + ['int32', 'int64'] + COMPLEX:
        for equation in EINSUMS:
            for _ in range(scale):
                sizes = {c: int(data.choice((0, 1, 2, 3, 5, 8, 17))) for c in 'abcde'}
                inner = data.choice([((), ()), ((2,), (2,)), ((2, 3), (3,)), ((1, 3), (2, 1)), ((2,), (4, 1))])
                terms = equation.partition('->')[0].split(',')
                inputs = [operand(term, sizes, inner[i], dtype) for i, term in enumerate(terms)]
                writer.add(
                    'Einsum',
                    {'inputs': inputs},
                    {'equation': equation},
                    tolerance=tolerance.get(dtype),
                    shapes_known=data.choice([True, False]),
                )
    f = data.tensor
    for equation, *shapes in (
        ('ab,bc->ac', (2, 3), (4, 5)),
        ('ab,bc->ac', (2, 3), (3,)),
        ('aa->a', (2, 3)),
        ('ab,bc', (2, 3), (3, 2)),
        ('ab->ac', (2, 3)),
        ('ab,b,b->a', (2, 3), (3,), (3,)),
        ('ab->ab', (2, 3), (3,)),
        ('...a,...a->a', (2, 3), (4, 3)),
        ('...a,...a->...a', (2, 3), (4, 3)),
    ):
        inputs = [f('float32', shape) for shape in shapes]
        writer.add('Einsum', {'inputs': inputs}, {'equation': equation}, must_fail=True)


def products(writer, data, scale):
    sizes = [0, 1, 2, 3, 5, 8, 16, 17, 33, 64, 100]
    tolerance = {
        'float16': (2e-2, 2e-1),
        'bfloat16': (1e-1, 1.0),
        'float32': (1e-5, 1e-4),
        'complex64': (1e-4, 1e-3),
    }
    for dtype in FLOATS + ['int32', 'int64'] + COMPLEX:
        for _ in range(8 * scale):
            m, k, n = (int(data.choice(sizes)) for _ in range(3))
            ta, tb = data.flip(), data.flip()
            a, b = data.tensor(dtype, (k, m) if ta else (m, k)), data.tensor(dtype, (n, k) if tb else (k, n))
            writer.add(
                'MatMul',
                {'a': a, 'b': b},
                {'transpose_a': ta, 'transpose_b': tb},
                tolerance=tolerance.get(dtype),
                shapes_known=data.choice([True, False]),
            )
    for dtype in FLOATS + ['int16', 'int32', 'int64'] + COMPLEX:
        for op in ('BatchMatMul', 'BatchMatMulV2'):
            if op == 'BatchMatMul' and dtype == 'int16':
                continue
            for _ in range(5 * scale):
                m, k, n = (int(data.choice(sizes[:8])) for _ in range(3))
                ta, tb = data.flip(), data.flip()
                batch_a, batch_b = data.choice(
                    [
                        ((), ()),
                        ((2,), (2,)),
                        ((2, 3), (2, 3)),
                        ((1,), (4,)),
                        ((3, 1), (1, 2)),
                        ((2,), ()),
                        ((0,), (0,)),
                    ]
                )
                if op == 'BatchMatMul':
                    batch_b = batch_a
                a = data.tensor(dtype, batch_a + ((k, m) if ta else (m, k)))
                b = data.tensor(dtype, batch_b + ((n, k) if tb else (k, n)))
                writer.add(op, {'x': a, 'y': b}, {'adj_x': ta, 'adj_y': tb}, tolerance=tolerance.get(dtype))
    bytes_to_int = [(a, b, 'int32') for a in ('int8', 'uint8') for b in ('int8', 'uint8')]
    for a, b, out in [(t, t, t) for t in FLOATS + ['int16', 'int32', 'int64'] + COMPLEX] + bytes_to_int:
        for _ in range(3 * scale):
            m, k, n = (int(data.choice(sizes[:8])) for _ in range(3))
            x, y = data.tensor(a, (2, 1, m, k)), data.tensor(b, (3, k, n))
            writer.add('BatchMatMulV3', {'x': x, 'y': y}, {'Tout': out}, tolerance=tolerance.get(a))
        x, y = data.tensor(a, (2, 3, 0)), data.tensor(b, (2, 0, 4))
        writer.add('BatchMatMulV3', {'x': x, 'y': y}, {'Tout': out})
    # A constant right side is packed: whole and partial panels, one to seven rows, several blocks of k.
    for m, k, n in ((1, 64, 16), (2, 65, 31), (3, 300, 17), (4, 32, 33), (5, 513, 48), (7, 40, 45), (100, 600, 50)):
        for ta, tb in ((False, False), (True, False), (False, True), (True, True)):
            a, b = data.tensor('float32', (k, m) if ta else (m, k)), data.tensor('float32', (n, k) if tb else (k, n))
            attrs = {'transpose_a': ta, 'transpose_b': tb}
            writer.add('MatMul', {'a': a, 'b': b}, attrs, constants=('b',), tolerance=(1e-4, 1e-3))
    writer.add(
        'Einsum',
        {'inputs': [data.tensor('float32', (2, 9, 20)), data.tensor('float32', (20, 4, 15))]},
        {'equation': 'abc,cde->abde'},
        constants=('inputs_1',),
        tolerance=(1e-4, 1e-3),
    )
    for m, k, n in ((300, 200, 100), (1, 512, 512), (512, 512, 1), (7, 1000, 3), (257, 129, 65)):
        writer.add(
            'MatMul',
            {'a': data.tensor('float32', (m, k)), 'b': data.tensor('float32', (k, n))},
            tolerance=(1e-4, 1e-3),
        )


def bad(writer, data, scale):
    f = data.tensor
    for op in ('AddV2', 'Mul', 'Less', 'Pow', 'SquaredDifference'):
        writer.add(op, {'x': f('float32', (3,)), 'y': f('float32', (4,))}, must_fail=True)
        writer.add(op, {'x': f('float32', (2, 3)), 'y': f('float32', (2,))}, must_fail=True)
    for op in ('FloorDiv', 'FloorMod', 'Div', 'TruncateDiv', 'Mod'):
        writer.add(op, {'x': f('int32', (4,)), 'y': np.int32([1, 0, 2, 3])}, must_fail=True)
        writer.add(op, {'x': f('int64', (4,)), 'y': np.int64(0)}, must_fail=True)
    writer.add('Pow', {'x': f('int32', (3,)), 'y': np.int32([1, -1, 2])}, must_fail=True)
    for axis in (2, -3, 100):
        for op in ('Sum', 'Max', 'Mean'):
            writer.add(op, {'input': f('float32', (2, 3)), 'axis': np.int32([axis])}, must_fail=True)
        writer.add('ArgMax', {'input': f('float32', (2, 3)), 'dimension': np.int32(axis)}, must_fail=True)
        writer.add('Cumsum', {'x': f('float32', (2, 3)), 'axis': np.int32(axis)}, must_fail=True)
    writer.add('Sum', {'input': f('float32', (2, 3)), 'axis': np.int32([0, 0])}, must_fail=True)
    writer.add('Sum', {'input': f('float32', (2, 3)), 'axis': np.int32([0, -2])}, must_fail=True)
    writer.add('Sum', {'input': f('float32', (2, 3)), 'axis': np.int32([[0], [1]])}, must_fail=True)
    writer.add('ArgMax', {'input': f('float32', (2, 0)), 'dimension': np.int32(1)}, must_fail=True)
    writer.add('AddN', {'inputs': [f('float32', (2,)), f('float32', (3,))]}, must_fail=True)
    for start, limit, delta in ((0, 10, 0), (0, 10, -1), (10, 0, 1)):
        writer.add(
            'Range',
            {'start': np.int32(start), 'limit': np.int32(limit), 'delta': np.int32(delta)},
            must_fail=True,
        )
    writer.add(
        'Range', {'start': np.int32([1, 2]), 'limit': np.int32(5), 'delta': np.int32(1)}, must_fail=True
    )
    writer.add(
        'LinSpace', {'start': np.float32(0), 'stop': np.float32(1), 'num': np.int32(0)}, must_fail=True
    )
    writer.add('MatMul', {'a': f('float32', (2, 3)), 'b': f('float32', (4, 5))}, must_fail=True)
    writer.add('MatMul', {'a': f('float32', (2, 3, 4)), 'b': f('float32', (4, 5))}, must_fail=True)
    writer.add('MatMul', {'a': f('float32', (3,)), 'b': f('float32', (3, 5))}, must_fail=True)
    writer.add('BatchMatMulV2', {'x': f('float32', (2, 3, 4)), 'y': f('float32', (3, 4, 5))}, must_fail=True)
    writer.add('BatchMatMulV2', {'x': f('float32', (4,)), 'y': f('float32', (4, 5))}, must_fail=True)
    writer.add('BatchMatMul', {'x': f('float32', (2, 3, 4)), 'y': f('float32', (4, 5))}, must_fail=True)
    writer.add(
        'ClipByValue',
        {'t': f('float32', (4,)), 'clip_value_min': f('float32', (3,)), 'clip_value_max': np.float32(1)},
        must_fail=True,
    )


FAMILIES = {
    'binary': binary,
    'unary': unary,
    'cast': cast,
    'reductions': reductions,
    'arguments': arguments,
    'sequences': sequences,
    'products': products,
    'einsum': einsum,
    'bad_math': bad,
}
