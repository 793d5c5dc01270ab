"""Cases for nn.so."""

import numpy as np

from case_writer import COMPLEX, FLOATS, INTS, NUMBERS, REALS

TOLERANCE = {
    'float16': (3e-2, 5e-2),
    'bfloat16': (1e-1, 5e-1),
    'float32': (1e-4, 1e-4),
    'float64': (1e-10, 1e-10),
}


def convolutions(writer, data, scale):
    for dtype in ['float32'] * 6 + ['float16', 'bfloat16', 'float64', 'int32']:
        for _ in range(8 * scale):
            kh, kw = (int(data.choice([1, 2, 3, 5, 7])) for _ in range(2))
            groups = data.choice([1, 1, 1, 2, 3]) if dtype == 'float32' else 1
            cin, cout = int(data.choice([1, 2, 3, 4, 8, 9, 16, 33])), int(
                data.choice([1, 2, 3, 4, 5, 8, 11, 16, 24, 32, 40])
            )
            sh, sw = (int(data.choice([1, 1, 2, 3])) for _ in range(2))
            dh, dw = (
                (1, 1)
                if (sh, sw) != (1, 1) or data.flip(0.6)
                else (int(data.choice([1, 2, 3])), int(data.choice([1, 2])))
            )
            h = int(data.rng.integers(max(1, (kh - 1) * dh + 1), 24))
            w = int(data.rng.integers(max(1, (kw - 1) * dw + 1), 40))
            batch = int(data.choice([1, 1, 2, 3]))
            padding = data.choice(['SAME', 'VALID', 'EXPLICIT'])
            paddings = (
                [0, 0] + [int(v) for v in data.rng.integers(0, 3, 4)] + [0, 0]
                if padding == 'EXPLICIT'
                else []
            )
            writer.add(
                'Conv2D',
                {
                    'input': data.tensor(
                        dtype, (batch, h, w, cin * groups), 'unit' if dtype != 'int32' else 'small'
                    ),
                    'filter': data.tensor(
                        dtype, (kh, kw, cin, cout * groups), 'unit' if dtype != 'int32' else 'small'
                    ),
                },
                {
                    'strides': [1, sh, sw, 1],
                    'padding': padding,
                    'explicit_paddings': paddings,
                    'dilations': [1, dh, dw, 1],
                },
                constants=('filter',) if data.flip() else (),
                tolerance=TOLERANCE.get(dtype),
                shapes_known=data.choice([True, False]),
            )
    # shapes of real models, long one-dimensional ones among them
    for shape, kernel, strides, padding in (
        ((1, 1, 4000, 1), (1, 256, 1, 36), (1, 16), 'VALID'),
        ((1, 1, 4000, 1), (1, 256, 1, 1), (1, 2), 'VALID'),
        ((3, 5, 61, 1), (3, 33, 1, 2), (2, 3), 'SAME'),
        ((2, 4, 50, 1), (2, 40, 1, 17), (1, 5), 'SAME'),
        ((1, 1, 900, 1), (1, 128, 1, 4), (1, 7), 'VALID'),
        ((1, 12, 12, 1), (9, 9, 1, 6), (4, 4), 'VALID'),
        ((1, 20, 66, 8), (3, 39, 8, 8), (1, 1), 'SAME'),
        ((1, 40, 40, 3), (3, 3, 3, 32), (2, 2), 'SAME'),
        ((1, 28, 28, 64), (3, 3, 64, 64), (1, 1), 'SAME'),
        ((1, 14, 14, 128), (1, 1, 128, 256), (1, 1), 'SAME'),
        ((2, 30, 30, 1), (7, 7, 1, 32), (1, 3), 'SAME'),
        ((1, 17, 88, 33), (3, 3, 33, 1), (1, 1), 'SAME'),
        ((1, 1, 1, 16), (1, 1, 16, 20), (1, 1), 'SAME'),
        ((1, 2, 2, 16), (5, 5, 16, 32), (1, 1), 'SAME'),
    ):
        writer.add(
            'Conv2D',
            {
                'input': data.tensor('float32', shape, 'unit'),
                'filter': data.tensor('float32', kernel, 'unit'),
            },
            {'strides': [1, strides[0], strides[1], 1], 'padding': padding},
            constants=('filter',) if data.flip() else (),
            tolerance=(1e-4, 5e-4),
        )
    for shape in ((0, 5, 5, 3), (1, 0, 5, 3), (2, 5, 5, 3)):
        writer.add(
            'Conv2D',
            {'input': data.tensor('float32', shape), 'filter': data.tensor('float32', (1, 1, 3, 4))},
            {'strides': [1, 1, 1, 1], 'padding': 'SAME'},
        )


def depthwise(writer, data, scale):
    for dtype in ['float32'] * 3 + ['float16', 'bfloat16', 'float64']:
        for _ in range(6 * scale):
            k = int(data.choice([1, 2, 3, 5]))
            channels, multiplier = int(data.choice([1, 2, 3, 8, 70])), int(data.choice([1, 1, 2, 3]))
            stride = int(data.choice([1, 2]))
            dilation = int(data.choice([1, 1, 2])) if stride == 1 else 1
            h, w = (int(data.rng.integers((k - 1) * dilation + 1, 15)) for _ in range(2))
            padding = data.choice(['SAME', 'VALID', 'EXPLICIT'])
            paddings = [0, 0, 1, 2, 0, 1, 0, 0] if padding == 'EXPLICIT' else []
            writer.add(
                'DepthwiseConv2dNative',
                {
                    'input': data.tensor(dtype, (2, h, w, channels), 'unit'),
                    'filter': data.tensor(dtype, (k, k, channels, multiplier), 'unit'),
                },
                {
                    'strides': [1, stride, stride, 1],
                    'padding': padding,
                    'explicit_paddings': paddings,
                    'dilations': [1, dilation, dilation, 1],
                },
                tolerance=TOLERANCE[dtype],
            )


def backprop(writer, data, scale):
    for dtype in ['float32'] * 3 + ['float16', 'bfloat16', 'float64', 'int32']:
        kind = 'small' if dtype == 'int32' else 'unit'
        for _ in range(5 * scale):
            k = int(data.choice([1, 2, 3, 4]))
            cin, cout = int(data.choice([1, 3, 8, 70])), int(data.choice([1, 2, 9]))
            stride = int(data.choice([1, 2, 3]))
            h, w = (int(data.rng.integers(k, data.choice([12, 30]))) for _ in range(2))
            padding = data.choice(['SAME', 'VALID', 'EXPLICIT'])
            pads = [int(v) for v in data.rng.integers(0, 3, 4)] if padding == 'EXPLICIT' else [0] * 4
            full = [h + pads[0] + pads[1], w + pads[2] + pads[3]]
            out = [-(-d // stride) if padding == 'SAME' else (d - k) // stride + 1 for d in full]
            writer.add(
                'Conv2DBackpropInput',
                {
                    'input_sizes': np.int32([2, h, w, cin]),
                    'filter': data.tensor(dtype, (k, k, cin, cout), kind),
                    'out_backprop': data.tensor(dtype, (2, out[0], out[1], cout), kind),
                },
                {
                    'strides': [1, stride, stride, 1],
                    'padding': padding,
                    'explicit_paddings': [0, 0] + pads + [0, 0] if padding == 'EXPLICIT' else [],
                },
                tolerance=TOLERANCE.get(dtype),
                constants=('input_sizes',) if data.flip() else (),
            )


def pools(writer, data, scale):
    for op, dtypes in (
        ('MaxPool', FLOATS + ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16']),
        ('AvgPool', FLOATS),
    ):
        for dtype in dtypes:
            for _ in range(4 * scale):
                kh, kw = (int(data.choice([1, 2, 3])) for _ in range(2))
                sh, sw = (int(data.choice([1, 2])) for _ in range(2))
                h, w, c = (
                    int(data.rng.integers(kh, 12)),
                    int(data.rng.integers(kw, 12)),
                    int(data.choice([1, 3, 8, 65])),
                )
                padding = data.choice(
                    ['SAME', 'VALID'] + (['EXPLICIT'] if op == 'MaxPool' and dtype == 'float32' else [])
                )
                attrs = {'ksize': [1, kh, kw, 1], 'strides': [1, sh, sw, 1], 'padding': padding}
                if padding == 'EXPLICIT':
                    attrs['explicit_paddings'] = [0, 0, kh - 1, 0, 0, kw - 1, 0, 0]
                writer.add(
                    op,
                    {'input' if op == 'MaxPool' else 'value': data.tensor(dtype, (2, h, w, c))},
                    attrs,
                    tolerance=TOLERANCE.get(dtype),
                )


def activations(writer, data, scale):
    table = {
        'Relu': REALS,
        'Relu6': REALS,
        'Elu': FLOATS,
        'Selu': FLOATS,
        'Softplus': FLOATS,
        'Softsign': FLOATS,
    }
    for op, dtypes in table.items():
        for dtype in dtypes:
            for i in range(3 * scale):
                kind = 'special' if i % 3 == 2 and op in ('Relu', 'Relu6') else 'normal'
                tolerance = {'float16': (4e-3, 1e-3), 'bfloat16': (3e-2, 1e-2), 'float32': (1e-5, 2e-6)}.get(
                    dtype
                )
                writer.add(
                    op,
                    {'features': data.tensor(dtype, data.choice([(), (7,), (0,), (3, 70), (300,)]), kind)},
                    tolerance=tolerance,
                )
    for dtype in FLOATS:
        for alpha in (0.2, 0.0, 1.5, -0.3):
            writer.add('LeakyRelu', {'features': data.tensor(dtype, (3, 50))}, {'alpha': alpha})
        for op in ('Softmax', 'LogSoftmax'):
            for shape in ((1,), (7,), (3, 10), (2, 3, 1), (4, 100), (2, 0), (0, 3), (5, 17)):
                writer.add(
                    op,
                    {'logits': data.tensor(dtype, shape)},
                    tolerance={
                        'float16': (1e-2, 2e-3),
                        'bfloat16': (8e-2, 2e-2),
                        'float32': (1e-5, 1e-5),
                    }.get(dtype),
                )
            writer.add(
                op,
                {'logits': data.tensor(dtype, (3, 20)) * np.array(30).astype(data.tensor(dtype, ()).dtype)},
                tolerance={'float16': (2e-2, 1e-2), 'bfloat16': (8e-2, 5e-1), 'float32': (1e-5, 1e-5)}.get(
                    dtype
                ),
            )


def normalising(writer, data, scale):
    for dtype in NUMBERS:
        for shape in ((2, 3), (4, 5, 6, 7), (0, 3), (5, 1), (3, 600), (2, 3, 4, 5, 6), (100, 8)):
            writer.add(
                'BiasAdd', {'value': data.tensor(dtype, shape), 'bias': data.tensor(dtype, shape[-1:])}
            )
        writer.add(
            'BiasAdd',
            {'value': data.tensor(dtype, (2, 3, 4, 5)), 'bias': data.tensor(dtype, (3,))},
            {'data_format': 'NCHW'},
        )
        writer.add('BiasAddV1', {'value': data.tensor(dtype, (2, 3, 4)), 'bias': data.tensor(dtype, (4,))})
    for op, dtypes in (
        ('FusedBatchNorm', ['float32']),
        ('FusedBatchNormV2', ['float32', 'float16', 'bfloat16']),
        ('FusedBatchNormV3', ['float32', 'float16', 'bfloat16']),
    ):
        for dtype in dtypes:
            for channels in (1, 3, 8, 32, 600):
                shape = (2, 5, 3, channels)
                parameters = {
                    'scale': data.tensor('float32', (channels,)),
                    'offset': data.tensor('float32', (channels,)),
                    'mean': data.tensor('float32', (channels,)),
                    'variance': data.tensor('float32', (channels,), 'positive'),
                }
                tolerance = {'float16': (1e-2, 2e-2), 'bfloat16': (6e-2, 1e-1)}.get(dtype, (1e-4, 1e-4))
                writer.add(
                    op,
                    {'x': data.tensor(dtype, shape), **parameters},
                    {'is_training': False, 'epsilon': 1e-3},
                    tolerance=tolerance,
                    fetch=(0, 1, 2),
                )
                for factor in (1.0, 0.25):
                    writer.add(
                        op,
                        {'x': data.tensor(dtype, shape), **parameters},
                        {'is_training': True, 'epsilon': 1e-3, 'exponential_avg_factor': factor},
                        tolerance=tolerance,
                    )
                if dtype == 'float32' and op == 'FusedBatchNormV3':
                    writer.add(
                        op,
                        {'x': data.tensor(dtype, (2, 2, 3, 2, channels)), **parameters},
                        {'is_training': False, 'data_format': 'NDHWC'},
                        tolerance=tolerance,
                        fetch=(0, 1, 2),
                    )


def volumes(writer, data, scale):
    for dtype in ['float32'] * 3 + FLOATS:
        # Stock adds up a thousand products and more in the narrow types themselves.
        tolerance = {'float16': (3e-2, 3e-1), 'bfloat16': (1e-1, 2.5)}.get(dtype) or TOLERANCE[dtype]
        for _ in range(5 * scale):
            k = [int(data.choice([1, 2, 3])) for _ in range(3)]
            strides = [1] + [int(data.choice([1, 1, 2, 3]))] * 3 + [1]
            size = [int(data.rng.integers(k[i], 8)) for i in range(3)]
            cin, cout = int(data.choice([1, 3, 8, 70])), int(data.choice([1, 2, 9, 65]))
            padding = data.choice(['SAME', 'VALID'])
            attrs = {'strides': strides, 'padding': padding}
            out = [-(-(size[i] if padding == 'SAME' else size[i] - k[i] + 1) // strides[1]) for i in range(3)]
            x = data.tensor(dtype, (2, *size, cin), 'unit')
            w = data.tensor(dtype, (*k, cin, cout), 'unit')
            writer.add('Conv3D', {'input': x, 'filter': w}, attrs, tolerance=tolerance)
            writer.add(
                'Conv3DBackpropInputV2',
                {
                    'input_sizes': np.array([2, *size, cin], data.choice(['int32', 'int64'])),
                    'filter': w,
                    'out_backprop': data.tensor(dtype, (2, *out, cout), 'unit'),
                },
                attrs,
                constants=('input_sizes',) if data.flip() else (),
                tolerance=tolerance,
            )
            for op in ('MaxPool3D', 'AvgPool3D'):
                if dtype != 'float64' or op == 'AvgPool3D':
                    writer.add(op, {'input': x}, {'ksize': [1, *k, 1], **attrs}, tolerance=tolerance)


def bad_volumes(writer, data, scale):
    f = data.tensor

    def refuse(op, inputs, attrs):
        writer.add(op, inputs, attrs, shapes_known=False, must_fail=True)

    plain = {'strides': [1] * 5, 'padding': 'VALID'}
    x, w = f('float32', (1, 4, 4, 4, 3)), f('float32', (2, 2, 2, 3, 4))
    for change in (
        {'input': f('float32', (4, 4, 4, 3))},
        {'filter': f('float32', (2, 2, 3, 4))},
        {'filter': f('float32', (2, 2, 2, 2, 4))},
        {'filter': f('float32', (5, 2, 2, 3, 4))},
        {'filter': f('float32', (0, 2, 2, 3, 4))},
    ):
        refuse('Conv3D', {'input': x, 'filter': w, **change}, plain)
    for strides in ([1, 0, 1, 1, 1], [1, -1, 1, 1, 1], [2, 1, 1, 1, 1], [1, 1, 1, 1, 3]):
        refuse('Conv3D', {'input': x, 'filter': w}, {**plain, 'strides': strides})
        refuse('MaxPool3D', {'input': x}, {**plain, 'ksize': [1, 2, 2, 2, 1], 'strides': strides})
    for ksize in ([1, 5, 1, 1, 1], [1, 0, 1, 1, 1], [2, 1, 1, 1, 1]):
        refuse('MaxPool3D', {'input': x}, {**plain, 'ksize': ksize})
        refuse('AvgPool3D', {'input': x}, {**plain, 'ksize': ksize})
    refuse('MaxPool3D', {'input': f('float32', (4, 4, 4, 3))}, {**plain, 'ksize': [1] * 5})
    good = {'input_sizes': np.int32([1, 4, 4, 4, 3]), 'filter': w, 'out_backprop': f('float32', (1, 3, 3, 3, 4))}
    for change in (
        {'input_sizes': np.int32([1, 4, 4, 4])},
        {'input_sizes': np.int32([1, 4, -4, 4, 3])},
        {'input_sizes': np.int32([1, 4, 5, 4, 3])},
        {'input_sizes': np.int32([2, 4, 4, 4, 3])},
        {'input_sizes': np.int32([1, 4, 4, 4, 2])},
        {'out_backprop': f('float32', (1, 3, 3, 3, 5))},
        {'out_backprop': f('float32', (3, 3, 3, 4))},
    ):
        refuse('Conv3DBackpropInputV2', {**good, **change}, plain)


def bad(writer, data, scale):
    f = data.tensor

    def refuse(op, inputs, attrs):
        writer.add(op, inputs, attrs, shapes_known=False, must_fail=True)

    plain = {'strides': [1, 1, 1, 1], 'padding': 'VALID'}
    refuse('Conv2D', {'input': f('float32', (1, 5, 5, 3)), 'filter': f('float32', (3, 3, 2, 4))}, plain)
    refuse('Conv2D', {'input': f('float32', (5, 5, 3)), 'filter': f('float32', (3, 3, 3, 4))}, plain)
    refuse('Conv2D', {'input': f('float32', (1, 5, 5, 3)), 'filter': f('float32', (3, 3, 3))}, plain)
    refuse('Conv2D', {'input': f('float32', (1, 2, 2, 3)), 'filter': f('float32', (4, 4, 3, 4))}, plain)
    refuse('Conv2D', {'input': f('float32', (1, 5, 5, 3)), 'filter': f('float32', (0, 3, 3, 4))}, plain)
    refuse('Conv2D', {'input': f('float32', (1, 5, 5, 4)), 'filter': f('float32', (3, 3, 2, 3))}, plain)
    for strides in ([1, 0, 1, 1], [1, -1, 1, 1], [2, 1, 1, 1], [1, 1, 1, 2], [1, 1, 1]):
        refuse(
            'Conv2D',
            {'input': f('float32', (1, 5, 5, 3)), 'filter': f('float32', (3, 3, 3, 4))},
            {'strides': strides, 'padding': 'VALID'},
        )
    refuse(
        'Conv2D',
        {'input': f('float32', (1, 5, 5, 3)), 'filter': f('float32', (3, 3, 3, 4))},
        {'strides': [1, 1, 1, 1], 'padding': 'EXPLICIT', 'explicit_paddings': [0, 0, 1]},
    )
    refuse(
        'Conv2D',
        {'input': f('float32', (1, 5, 5, 3)), 'filter': f('float32', (3, 3, 3, 4))},
        {'strides': [1, 1, 1, 1], 'padding': 'EXPLICIT', 'explicit_paddings': [0, 0, -1, 0, 0, 0, 0, 0]},
    )
    refuse(
        'Conv2D',
        {'input': f('float32', (1, 5, 5, 3)), 'filter': f('float32', (3, 3, 3, 4))},
        {'strides': [1, 1, 1, 1], 'padding': 'VALID', 'dilations': [1, 0, 1, 1]},
    )
    refuse(
        'DepthwiseConv2dNative',
        {'input': f('float32', (1, 5, 5, 3)), 'filter': f('float32', (3, 3, 2, 1))},
        plain,
    )
    refuse(
        'Conv2DBackpropInput',
        {
            'input_sizes': np.int32([1, 5, 5, 3]),
            'filter': f('float32', (3, 3, 3, 4)),
            'out_backprop': f('float32', (1, 5, 5, 4)),
        },
        plain,
    )
    refuse(
        'Conv2DBackpropInput',
        {
            'input_sizes': np.int32([1, -5, 5, 3]),
            'filter': f('float32', (3, 3, 3, 4)),
            'out_backprop': f('float32', (1, 3, 3, 4)),
        },
        plain,
    )
    refuse(
        'Conv2DBackpropInput',
        {
            'input_sizes': np.int32([1, 5, 3]),
            'filter': f('float32', (3, 3, 3, 4)),
            'out_backprop': f('float32', (1, 3, 3, 4)),
        },
        plain,
    )
    for attrs in (
        {'ksize': [1, 0, 2, 1]},
        {'ksize': [2, 2, 2, 1]},
        {'ksize': [1, 6, 6, 1]},
        {'strides': [1, 0, 1, 1]},
    ):
        attrs = {'ksize': [1, 2, 2, 1], 'strides': [1, 1, 1, 1], 'padding': 'VALID', **attrs}
        refuse('MaxPool', {'input': f('float32', (1, 5, 5, 3))}, attrs)
        refuse('AvgPool', {'value': f('float32', (1, 5, 5, 3))}, attrs)
    refuse(
        'MaxPool',
        {'input': f('float32', (5, 5, 3))},
        {'ksize': [1, 2, 2, 1], 'strides': [1, 1, 1, 1], 'padding': 'VALID'},
    )
    refuse('BiasAdd', {'value': f('float32', (2, 3)), 'bias': f('float32', (2,))}, {})
    refuse('BiasAdd', {'value': f('float32', (3,)), 'bias': f('float32', (3,))}, {})
    refuse('BiasAdd', {'value': f('float32', (2, 3)), 'bias': f('float32', (1, 3))}, {})
    refuse('Softmax', {'logits': f('float32', ())}, {})
    norm = {
        'scale': f('float32', (3,)),
        'offset': f('float32', (3,)),
        'mean': f('float32', (3,)),
        'variance': f('float32', (3,)),
    }
    for name in norm:
        refuse(
            'FusedBatchNormV3',
            {'x': f('float32', (1, 2, 2, 3)), **norm, name: f('float32', (2,))},
            {'is_training': False},
        )
        refuse(
            'FusedBatchNormV3',
            {'x': f('float32', (1, 2, 2, 3)), **norm, name: f('float32', (3, 1))},
            {'is_training': False},
        )
    refuse('FusedBatchNormV3', {'x': f('float32', (2, 3)), **norm}, {'is_training': False})


FAMILIES = {
    'convolutions': convolutions,
    'depthwise': depthwise,
    'backprop': backprop,
    'pools': pools,
    'volumes': volumes,
    'bad_volumes': bad_volumes,
    'activations': activations,
    'normalising': normalising,
    'bad_nn': bad,
}
