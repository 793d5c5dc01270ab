"""Cases for ops with others fused into them: _FusedConv2D and its kin, the TensorFlow.js names among them."""

import numpy as np
import tensorflow as tf

from case_writer import FLOATS, np_type

TOLERANCE = {
    'float16': (3e-2, 6e-2),
    'bfloat16': (1e-1, 5e-1),
    'float32': (1e-4, 1e-4),
    'float64': (1e-10, 1e-10),
}
ACTIVATIONS = {
    'Relu': tf.nn.relu,
    'Relu6': tf.nn.relu6,
    'Elu': tf.nn.elu,
    'Tanh': tf.tanh,
    'Sigmoid': tf.sigmoid,
    'GeluExact': lambda x: 0.5 * x * (1 + tf.math.erf(x * tf.constant(0.5**0.5, x.dtype))),
    # Not tf.nn.gelu, which rounds its coefficient to float32 for every dtype.
    'GeluApproximate': lambda x: 0.5
    * x
    * (1 + tf.tanh(tf.constant((2 / np.pi) ** 0.5, x.dtype) * (x + tf.constant(0.044715, x.dtype) * x * x * x))),
    '_DovetailSwish': lambda x: x * tf.sigmoid(x),
    '_FusedHardSwish': lambda x: x * tf.nn.relu6(x + 3) * tf.constant(1 / 6, x.dtype),
}
ALPHA = 0.3
EPSILON = 0.002


def fusion(data, fused_ops, dtype, result):
    """Extra inputs that the ops take for a result of this shape, channels last."""
    args = []
    channels = result[-1]
    for name in fused_ops:
        if name == 'BiasAdd':
            args.append(data.tensor(dtype, (channels,), 'unit'))
        if name == 'FusedBatchNorm':
            args += [data.tensor(dtype, (channels,), kind) for kind in ('unit', 'unit', 'unit', 'positive')]
        if name == 'Add':
            args.append(data.tensor(dtype, result, 'unit'))
        if name == 'Prelu':
            shape = data.choice([(1, 1, channels), (channels,), (1,)] + ([result[1:]] if len(result) > 2 else []))
            args.append(data.tensor(dtype, shape, 'unit'))
    return args


def compute(y, fused_ops, args):
    args = list(args)
    for name in fused_ops:
        if name == 'BiasAdd':
            y = y + args.pop(0)
        elif name == 'FusedBatchNorm':
            scale, offset, mean, variance = (args.pop(0) for _ in range(4))
            y = (y - mean) * scale * tf.math.rsqrt(variance + tf.cast(EPSILON, y.dtype)) + offset
        elif name == 'Add':
            y = y + args.pop(0)
        elif name == 'LeakyRelu':
            y = tf.nn.leaky_relu(y, ALPHA)
        elif name == 'Prelu':
            alpha = args.pop(0)
            alpha = tf.reshape(alpha, alpha.shape[max(0, alpha.shape.rank - y.shape.rank) :])
            y = tf.where(y < 0, y * alpha, y)
        else:
            y = ACTIVATIONS[name](y)
    return y


def random_fusion(data, batch_norm=True):
    fused_ops = [data.choice(['BiasAdd', 'BiasAdd', 'FusedBatchNorm' if batch_norm else 'BiasAdd'])]
    if data.flip(0.4):
        fused_ops.append('Add')
    if data.flip(0.8):
        fused_ops.append(data.choice(list(ACTIVATIONS) + ['LeakyRelu', 'Prelu', 'Relu', 'Relu6']))
    return fused_ops if data.flip(0.9) else fused_ops[-1:]


def geometry(data):
    k = [int(data.choice([1, 1, 2, 3, 5])) for _ in range(2)]
    strides = [int(data.choice([1, 1, 2, 3])) for _ in range(2)]
    dilations = [1, 1] if strides != [1, 1] or data.flip(0.6) else [2, int(data.choice([1, 3]))]
    size = [int(data.rng.integers((k[i] - 1) * dilations[i] + 1, 20)) for i in range(2)]
    return k, strides, dilations, size


def out_size(size, k, strides, dilations, padding, pads):
    spans = [(k[i] - 1) * dilations[i] + 1 for i in range(2)]
    if padding == 'SAME':
        return [-(-size[i] // strides[i]) for i in range(2)]
    total = [size[i] + sum(pads[2 * i : 2 * i + 2]) for i in range(2)]
    return [(total[i] - spans[i]) // strides[i] + 1 for i in range(2)]


def conv_case(writer, data, dtype, fused_ops, channels, depthwise=None, constants=(), batch=None, geo=None):
    k, strides, dilations, size = geo or geometry(data)
    batch = batch or int(data.choice([1, 1, 2, 3]))
    inner, outer = channels
    if depthwise and strides[0] != strides[1]:
        strides = [strides[0], strides[0]]
    padding = data.choice(['SAME', 'VALID', 'EXPLICIT'] if depthwise != '_FusedDepthwiseConv2dNative' else ['SAME', 'VALID'])
    pads = [int(v) for v in data.rng.integers(0, 3, 4)] if padding == 'EXPLICIT' else [0] * 4
    multiplier = outer if depthwise else None
    result = [batch] + out_size(size, k, strides, dilations, padding, pads) + [inner * outer if depthwise else outer]
    if min(result) <= 0 or (not depthwise and fused_ops[0] in list(ACTIVATIONS) + ['LeakyRelu']):
        return  # TArgs has one element at least
    channels_first = data.flip(0.15)
    args = fusion(data, fused_ops, dtype, tuple(result))
    x = data.tensor(dtype, (batch, size[0], size[1], inner), 'unit')
    w = data.tensor(dtype, (k[0], k[1], inner, multiplier if depthwise else outer), 'unit')
    at = fused_ops.index('Add') if 'Add' in fused_ops else -1
    add = {'BiasAdd': 1, 'FusedBatchNorm': 4}.get(fused_ops[0], 0) if at >= 0 else -1
    if channels_first:
        x = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
        if at >= 0:
            args[add] = np.ascontiguousarray(args[add].transpose(0, 3, 1, 2))
    hw = lambda a, b: [1, 1, a, b] if channels_first else [1, a, b, 1]
    explicit = ([0, 0, 0, 0] + pads if channels_first else [0, 0] + pads + [0, 0]) if padding == 'EXPLICIT' else []
    t = tf.as_dtype(x.dtype)
    attrs = {
        'T': t,
        'strides': hw(*strides),
        'dilations': hw(*dilations),
        'padding': padding,
        'data_format': 'NCHW' if channels_first else 'NHWC',
        'fused_ops': fused_ops,
        'num_args': len(args),
        'epsilon': EPSILON,
        'leakyrelu_alpha': ALPHA,
    }
    if depthwise != '_FusedDepthwiseConv2dNative':
        attrs['explicit_paddings'] = explicit
    if not depthwise:
        attrs['TArgs'] = [t] * len(args)

    def reference(x, w, args):
        if channels_first:
            x = tf.transpose(x, (0, 2, 3, 1))
            args = [tf.transpose(a, (0, 2, 3, 1)) if i == add else a for i, a in enumerate(args)]
        kind = tf.raw_ops.DepthwiseConv2dNative if depthwise else tf.raw_ops.Conv2D
        y = kind(
            input=x,
            filter=w,
            strides=[1] + strides + [1],
            dilations=[1] + dilations + [1],
            padding=padding,
            explicit_paddings=[0, 0] + pads + [0, 0] if padding == 'EXPLICIT' else [],
        )
        y = compute(y, fused_ops, args)
        return tf.transpose(y, (0, 3, 1, 2)) if channels_first else y

    writer.add_by(
        depthwise or '_FusedConv2D',
        {'input': x, 'filter': w, 'args': args},
        attrs,
        reference,
        constants=('filter',) + tuple(constants) if data.flip() else (),
        tolerance=TOLERANCE[dtype],
        fresh=('args_%d' % add,) if data.flip() else (),
    )


def fused_conv(writer, data, scale):
    for dtype in ['float32'] * 6 + ['float16', 'float64']:
        for _ in range(14 * scale):
            fused_ops = random_fusion(data)
            channels = int(data.choice([1, 3, 8, 16, 33])), int(data.choice([1, 2, 5, 8, 16, 17, 32, 40]))
            conv_case(writer, data, dtype, fused_ops, channels)
    for fused_ops in (['BiasAdd', 'Add', 'Relu'], ['BiasAdd', 'Relu6'], ['BiasAdd', 'Add'], ['BiasAdd', 'Elu']):
        for geo in (
            ([3, 3], [1, 1], [1, 1], [28, 28]),
            ([1, 1], [1, 1], [1, 1], [14, 14]),
            ([3, 3], [2, 2], [1, 1], [57, 40]),
            ([1, 1], [2, 2], [1, 1], [33, 40]),
        ):
            conv_case(writer, data, 'float32', fused_ops, (64, 64), geo=geo)
            conv_case(writer, data, 'float32', fused_ops, (48, 80), geo=geo, batch=2)


def fused_depthwise(writer, data, scale):
    for op in ('_FusedDepthwiseConv2dNative', 'FusedDepthwiseConv2dNative'):
        for dtype in ['float32'] * 5 + ['float16', 'bfloat16', 'float64']:
            for _ in range(6 * scale):
                channels = int(data.choice([1, 3, 8, 12, 16, 33, 96])), int(data.choice([1, 1, 1, 2, 3]))
                conv_case(writer, data, dtype, random_fusion(data), channels, op)
    for geo in (([3, 3], [1, 1], [1, 1], [56, 56]), ([3, 3], [2, 2], [1, 1], [112, 112]), ([5, 5], [1, 1], [1, 1], [14, 14])):
        conv_case(writer, data, 'float32', ['BiasAdd', 'Relu6'], (96, 1), 'FusedDepthwiseConv2dNative', geo=geo)


def fused_matmul(writer, data, scale):
    for dtype in ['float32'] * 3 + ['float16', 'bfloat16']:
        for _ in range(12 * scale):
            m, k, n = (int(data.choice([0, 1, 2, 3, 7, 16, 33, 100, 300] if i != 1 else [0, 1, 5, 30, 200])) for i in range(3))
            fused_ops = random_fusion(data, False)
            ta, tb = data.flip(), data.flip()
            args = fusion(data, fused_ops, dtype, (m, n))
            t = tf.as_dtype(np_type(dtype))

            def reference(a, b, args):
                return compute(tf.matmul(a, b, transpose_a=ta, transpose_b=tb), fused_ops, args)

            writer.add_by(
                '_FusedMatMul',
                {
                    'a': data.tensor(dtype, (k, m) if ta else (m, k), 'unit'),
                    'b': data.tensor(dtype, (n, k) if tb else (k, n), 'unit'),
                    'args': args,
                },
                {
                    'T': t,
                    'transpose_a': ta,
                    'transpose_b': tb,
                    'num_args': len(args),
                    'fused_ops': fused_ops,
                    'epsilon': EPSILON,
                    'leakyrelu_alpha': ALPHA,
                },
                reference,
                tolerance={'float16': (3e-2, 1e-1), 'bfloat16': (1e-1, 8e-1)}.get(dtype, (1e-4, 1e-4)),
            )


UNARY = {
    'Neg': tf.negative,
    'Abs': tf.abs,
    'Square': tf.square,
    'Sqrt': lambda x: tf.sqrt(x),
    'Rsqrt': tf.math.rsqrt,
    'Reciprocal': tf.math.reciprocal,
    'Relu': tf.nn.relu,
    'Relu6': tf.nn.relu6,
    'Softsign': tf.nn.softsign,
    'Exp': tf.exp,
    'Expm1': tf.math.expm1,
    'Log': tf.math.log,
    'Log1p': tf.math.log1p,
    'Sin': tf.sin,
    'Cos': tf.cos,
    'Tanh': tf.tanh,
    'Sigmoid': tf.sigmoid,
    'Erf': tf.math.erf,
    'Erfc': tf.math.erfc,
}
BINARY = {
    'AddV2': tf.add,
    'Sub': tf.subtract,
    'Mul': tf.multiply,
    'RealDiv': tf.divide,
    'Maximum': tf.maximum,
    'Minimum': tf.minimum,
    'SquaredDifference': tf.math.squared_difference,
    'Pow': tf.pow,
}
# Each keeps the size of values, so that rounding errors do not grow.
BOUNDED = ['Neg', 'Abs', 'Relu', 'Relu6', 'Softsign', 'Sin', 'Cos', 'Tanh', 'Sigmoid', 'Erf', 'Erfc']
JOINING = ['AddV2', 'Sub', 'Mul', 'Maximum', 'Minimum']
ROUNDING = {'float32': (1e-5, 1e-5), 'float64': (1e-13, 1e-13)}


def compute_program(program, inputs):
    values = list(inputs)
    for step in program.split(';'):
        op, *operands = step.split()
        values.append((UNARY.get(op) or BINARY[op])(*(values[int(i)] for i in operands)))
    return values[-1]


def program_case(writer, dtype, inputs, program, fresh=()):
    attrs = {'T': tf.as_dtype(dtype), 'N': len(inputs), 'program': program}
    writer.add_by(
        '_DovetailElementwise',
        {'inputs': inputs},
        attrs,
        lambda values: compute_program(program, values),
        tolerance=ROUNDING[dtype],
        fresh=fresh,
    )


def random_program(data, inputs):
    """Steps that use all inputs, and some values more than once."""
    steps, unused, known = [], list(range(inputs)), inputs
    while len(unused) > 1 or not steps:
        a = unused.pop(int(data.rng.integers(len(unused))))
        if len(steps) < 16 and data.flip(0.4):
            steps.append('%s %d' % (data.choice(BOUNDED), a))
        else:
            again = not unused or (len(steps) < 16 and data.flip(0.3))
            b = int(data.rng.integers(known)) if again else unused.pop(int(data.rng.integers(len(unused))))
            steps.append('%s %d %d' % (data.choice(JOINING), a, b))
        unused.append(known)
        known += 1
    return ';'.join(steps)


def elementwise_programs(writer, data, scale):
    for dtype in ('float32', 'float64'):
        x = data.tensor(dtype, (2, 3, 5), 'positive')
        for op in UNARY:
            program_case(writer, dtype, [x], op + ' 0')
            program_case(writer, dtype, [x], op + ' 0;Mul 1 0', ('inputs_0',))
        for op in BINARY:
            for shapes in (((2, 5), (2, 5)), ((2, 5), ()), ((), (2, 5)), ((2, 5), (5,)), ((2, 1), (2, 5)), ((2, 1), (1, 5)), ((), ())):
                program_case(writer, dtype, [data.tensor(dtype, s, 'positive') for s in shapes], op + ' 0 1')
        for exponent in (2, 3, -1, 0.5):
            program_case(writer, dtype, [x, np.array(exponent, dtype)], 'Pow 0 1;Sub 2 0')
        for program in ('Sigmoid 0;Mul 0 1', 'Neg 0;Relu 0;Relu 1;Sub 2 3', 'Square 0;Mul 0 1;Tanh 2;AddV2 3 0'):
            for shape in ((0, 4), (1,), (7, 1000), (2, 1024), (3, 11, 13, 17)):
                program_case(writer, dtype, [data.tensor(dtype, shape, 'unit')], program, ('inputs_0',) if data.flip() else ())
        for size in ((4, 9, 9, 24), (2, 7, 7, 300), (1, 3, 2, 1500)):
            n, h, w, c = size
            program_case(writer, dtype, [data.tensor(dtype, s, 'unit') for s in (size, (c,), (1, 1, 1, c))],
                         'Mul 0 1;AddV2 3 2;Relu 4', ('inputs_0',))
            program_case(writer, dtype, [data.tensor(dtype, s, 'unit') for s in (size, (n, 1, 1, c))], 'Sigmoid 1;Mul 0 2')
            program_case(writer, dtype, [data.tensor(dtype, s, 'unit') for s in (size, (h, w, 1), (n, 1, 1, 1), ())],
                         'Sub 0 1;Mul 4 2;Maximum 5 3')
        for _ in range(40 * scale):
            full = [int(v) for v in data.choice([[3, 4, 5], [2, 1, 6, 3], [17, 33], [2, 3, 700], [1200], [5, 1, 64]])]
            inputs = []
            for _ in range(int(data.rng.integers(1, 9))):
                dims = [1 if data.flip(0.25) else d for d in full]
                inputs.append(data.tensor(dtype, tuple(dims[int(data.rng.integers(len(dims) + 1)) :] if data.flip(0.4) else dims), 'unit'))
            program_case(writer, dtype, inputs, random_program(data, len(inputs)), ('inputs_0',) if data.flip() else ())


def layer_norm(writer, data, scale):
    for dtype in ('float32', 'float64'):
        for shape in ((2, 3, 7), (1,), (0, 4), (3, 0), (5, 32), (2, 2, 2, 33), (4, 768), (2, 1000)):
            depth = shape[-1]
            for kind in ('unit', 'positive'):
                x, g, b = data.tensor(dtype, shape, kind), data.tensor(dtype, (depth,), 'unit'), data.tensor(dtype, (1, depth)[len(shape) < 2 :], 'unit')

                def reference(x, g, b):
                    mean = tf.reduce_mean(x, -1, keepdims=True)
                    variance = tf.reduce_mean(tf.math.squared_difference(x, mean), -1, keepdims=True)
                    return (x - mean) * tf.math.rsqrt(variance + tf.cast(EPSILON, x.dtype)) * g + b

                writer.add_by(
                    '_DovetailLayerNorm',
                    {'x': x, 'scale': g, 'offset': b},
                    {'T': tf.as_dtype(dtype), 'epsilon': EPSILON},
                    reference,
                    tolerance={'float32': (1e-5, 2e-5), 'float64': (1e-8, 1e-8)}[dtype],
                    fresh=('x',) if data.flip() else (),
                )
    x, v = data.tensor('float32', (2, 3), 'unit'), data.tensor('float32', (3,), 'unit')
    for bad in ({'x': x, 'scale': v[:2], 'offset': v}, {'x': x, 'scale': v, 'offset': v[:1]}, {'x': np.float32(1), 'scale': v, 'offset': v}):
        writer.add_by('_DovetailLayerNorm', bad, {'T': tf.float32, 'epsilon': EPSILON}, None)


def bad_programs(writer, data, scale):
    x = data.tensor('float32', (2, 3), 'unit')
    for program in ('', 'Sigmoid', 'Sigmoid 1', 'Sigmoid 0 0', 'Mul 0', 'Mul 0 1;', 'Nothing 0', 'Sigmoid 0;;', 'Sigmoid -1', 'Neg 0;' * 33 + 'Neg 0'):
        writer.add_by('_DovetailElementwise', {'inputs': [x]}, {'T': tf.float32, 'N': 1, 'program': program}, None)
    y = data.tensor('float32', (4, 3), 'unit')
    writer.add_by('_DovetailElementwise', {'inputs': [x, y]}, {'T': tf.float32, 'N': 2, 'program': 'Mul 0 1'}, None)
    writer.add_by('_DovetailElementwise', {'inputs': [x] * 9}, {'T': tf.float32, 'N': 9, 'program': 'Mul 0 8'}, None)


def prelu(writer, data, scale):
    for dtype in FLOATS:
        for x, alpha in (
            ((2, 5, 6, 8), (8,)),
            ((2, 5, 6, 8), (1, 1, 8)),
            ((2, 5, 6, 3), (5, 6, 3)),
            ((2, 5, 6, 3), (5, 1, 1)),
            ((4, 7), ()),
            ((0, 3), (3,)),
            ((300,), (1,)),
        ):
            for kind in ('normal', 'special'):
                writer.add_by(
                    'Prelu',
                    {'x': data.tensor(dtype, x, kind), 'alpha': data.tensor(dtype, alpha)},
                    {'T': tf.as_dtype(np_type(dtype))} if dtype != 'float32' or data.flip() else {},
                    lambda x, a: tf.where(x < 0, x * a, x),
                )


def bad_fused(writer, data, scale):
    f = data.tensor
    x, w, bias = f('float32', (1, 5, 5, 8)), f('float32', (3, 3, 8, 16)), f('float32', (16,))
    depth = f('float32', (3, 3, 8, 2))
    side = f('float32', (1, 3, 3, 16))
    for fused_ops, args in (
        ([], [bias]),
        (['Relu', 'BiasAdd'], [bias]),
        (['BiasAdd', 'Unheard'], [bias]),
        (['BiasAdd', 'Relu', 'Relu'], [bias]),
        (['A' * 300], [bias]),
        (['BiasAdd'] * 9, [bias]),
        (['BiasAdd'], [bias, bias]),
        (['BiasAdd', 'Add'], [bias]),
        (['FusedBatchNorm'], [bias]),
        (['BiasAdd'], [f('float32', (15,))]),
        (['BiasAdd'], [f('float32', (17,))]),
        (['BiasAdd'], [f('float32', ())]),
        (['BiasAdd'], [f('float32', (1, 16))]),
        (['BiasAdd'], [f('float32', (0,))]),
        (['FusedBatchNorm'], [bias, bias, bias, f('float32', (15,))]),
        (['BiasAdd', 'Add'], [bias, f('float32', (1, 3, 3, 15))]),
        (['BiasAdd', 'Add'], [bias, f('float32', (1, 3, 16))]),
        (['BiasAdd', 'Add'], [bias, f('float32', (2, 3, 3, 16))]),
        (['BiasAdd', 'Prelu'], [bias, f('float32', (15,))]),
        (['BiasAdd', 'Prelu'], [bias, f('float32', (3, 1, 1))]),
        (['BiasAdd', 'Prelu'], [bias, f('float32', (2, 1, 3, 3, 16))]),
        (['BiasAdd', 'Prelu'], [bias, f('float32', (0,))]),
    ):
        common = {'T': tf.float32, 'fused_ops': fused_ops, 'num_args': len(args)}
        window = {**common, 'strides': [1, 1, 1, 1], 'padding': 'VALID'}
        many = {**window, 'TArgs': [tf.float32] * len(args)}
        writer.add_by('_FusedConv2D', {'input': x, 'filter': w, 'args': args}, many, None)
        for op in ('_FusedDepthwiseConv2dNative', 'FusedDepthwiseConv2dNative'):
            writer.add_by(op, {'input': x, 'filter': depth, 'args': args}, window, None)
        if fused_ops[-1:] != ['Add']:
            writer.add_by('_FusedMatMul', {'a': f('float32', (9, 4)), 'b': f('float32', (4, 16)), 'args': args}, common, None)
    plain = {'T': tf.float32, 'fused_ops': ['BiasAdd'], 'num_args': 1, 'TArgs': [tf.float32]}
    plain.update(strides=[1, 1, 1, 1], padding='VALID')
    for change in (
        {'filter_format': 'OIHW'},
        {'data_format': 'NCHW_VECT_C'},
        {'strides': [1, 0, 1, 1]},
        {'dilations': [1, 1, -1, 1]},
        {'padding': 'EXPLICIT', 'explicit_paddings': [0, 0, 1]},
    ):
        writer.add_by('_FusedConv2D', {'input': x, 'filter': w, 'args': [bias]}, {**plain, **change}, None)
    half = {**plain, 'TArgs': [tf.float16]}
    writer.add_by('_FusedConv2D', {'input': x, 'filter': w, 'args': [f('float16', (16,))]}, half, None)
    for a, b in (((1, 2, 2, 8), w.shape), ((5, 5, 8), w.shape), ((1, 5, 5, 8), (3, 3, 16)), ((1, 5, 5, 7), w.shape)):
        inputs = {'input': f('float32', a), 'filter': f('float32', b), 'args': [bias]}
        writer.add_by('_FusedConv2D', inputs, plain, None)
    writer.add_by('Prelu', {'x': f('float32', (2, 3)), 'alpha': f('float32', (2,))}, {}, None)


FAMILIES = {
    'fused_conv': fused_conv,
    'fused_depthwise': fused_depthwise,
    'fused_matmul': fused_matmul,
    'elementwise_programs': elementwise_programs,
    'layer_norm': layer_norm,
    'bad_programs': bad_programs,
    'prelu': prelu,
    'bad_fused': bad_fused,
}
