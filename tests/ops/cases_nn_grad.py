"""Cases for the gradients in nn.so, and LRN."""

import numpy as np

from case_writer import FLOATS, REALS, np_type, tf

TOLERANCE = {
    'float16': (3e-2, 5e-2),
    'bfloat16': (1e-1, 5e-1),
    'float32': (1e-4, 1e-4),
    'float64': (1e-10, 1e-10),
}


def window(data):
    """Attributes and sizes of a window over an image: (attrs, ksize, input height and width, output height and width)"""
    kernel = [int(data.choice([1, 2, 3, 5])) for _ in range(2)]
    strides = [int(data.choice([1, 1, 2, 3])) for _ in range(2)]
    size = [int(data.rng.integers(k, 14)) for k in kernel]
    padding = data.choice(['SAME', 'VALID', 'EXPLICIT'])
    pads = [[int(data.rng.integers(0, k)) for _ in range(2)] for k in kernel]
    pads = pads if padding == 'EXPLICIT' else [[0, 0], [0, 0]]
    out = [
        -(-n // s) if padding == 'SAME' else (n + sum(p) - k) // s + 1
        for n, k, s, p in zip(size, kernel, strides, pads)
    ]
    explicit = [0, 0] + pads[0] + pads[1] + [0, 0] if padding == 'EXPLICIT' else []
    attrs = {'strides': [1] + strides + [1], 'padding': padding, 'explicit_paddings': explicit}
    return attrs, kernel, size, out


def swapped(x):
    return np.ascontiguousarray(np.moveaxis(x, 3, 1))


def swapped_list(x):
    return [x[0], x[3], x[1], x[2]]


def in_nchw(attrs, op, images, result_is_image):
    """What stock computes in NHWC, for a node in NCHW."""

    def reference(**inputs):
        given = {k: tf.transpose(v, [0, 2, 3, 1]) if k in images else v for k, v in inputs.items()}
        result = getattr(tf.raw_ops, op)(**given, **attrs)
        return tf.transpose(result, [0, 3, 1, 2]) if result_is_image else result

    return reference


def channels_first(attrs):
    changed = dict(attrs, data_format='NCHW')
    for name in ('strides', 'ksize'):
        if name in changed:
            changed[name] = swapped_list(changed[name])
    explicit = changed.get('explicit_paddings')
    if explicit:
        changed['explicit_paddings'] = explicit[:2] + explicit[6:] + explicit[2:6]
    return changed


def filters(writer, data, scale):
    for dtype in FLOATS + ['float32'] * 3:
        for _ in range(10 * scale):
            attrs, kernel, size, out = window(data)
            batch = int(data.choice([1, 2, 3]))
            cin, cout = int(data.choice([1, 2, 3, 4, 5, 8, 17])), int(data.choice([1, 3, 8, 16, 17, 33]))
            x = data.tensor(dtype, (batch, *size, cin), 'unit')
            grad = data.tensor(dtype, (batch, *out, cout), 'unit')
            sizes = np.int32(kernel + [cin, cout])
            inputs = {'input': x, 'filter_sizes': sizes, 'out_backprop': grad}
            constants = ('filter_sizes',) if data.flip() else ()
            tolerance = TOLERANCE[dtype]
            writer.add(
                'Conv2DBackpropFilter',
                inputs,
                attrs,
                constants,
                shapes_known=data.choice([True, False]),
                tolerance=tolerance,
            )
            types = dict(attrs, T=tf.as_dtype(np_type(dtype)))
            reference = in_nchw(attrs, 'Conv2DBackpropFilter', ('input', 'out_backprop'), False)
            writer.add_by(
                'Conv2DBackpropFilter',
                dict(inputs, input=swapped(x), out_backprop=swapped(grad)),
                channels_first(types),
                lambda a, b, c: reference(input=a, filter_sizes=b, out_backprop=c),
                tolerance=tolerance,
            )
    x = np.ones((2, 4, 4, 3), 'f')
    attrs = {'strides': [1, 1, 1, 1], 'padding': 'SAME'}
    for sizes, grad in (
        ([3, 3, 3, 2], np.ones((2, 4, 4, 3), 'f')),
        ([3, 3, 3, 2], np.ones((2, 4, 5, 2), 'f')),
        ([3, 3, 3, 2], np.ones((1, 4, 4, 2), 'f')),
        ([3, 3, 3, 2], np.ones((2, 4, 4), 'f')),
        ([3, 3, 3], np.ones((2, 4, 4, 2), 'f')),
        ([3, 3, 0, 2], np.ones((2, 4, 4, 2), 'f')),
        ([3, 3, 2, 2], np.ones((2, 4, 4, 2), 'f')),
        ([3, -3, 3, 2], np.ones((2, 4, 4, 2), 'f')),
    ):
        inputs = {'input': x, 'filter_sizes': np.int32(sizes), 'out_backprop': grad}
        writer.add('Conv2DBackpropFilter', inputs, attrs, shapes_known=False, must_fail=True)
    empty = {'input': x[:0], 'filter_sizes': np.int32([3, 3, 3, 2]), 'out_backprop': np.ones((0, 4, 4, 2), 'f')}
    writer.add('Conv2DBackpropFilter', empty, attrs)
    # A filter of dilated taps, and one in groups: the gradient of what is linear in the filter.
    for dilations, groups in (([1, 2, 2, 1], 1), ([1, 1, 1, 1], 2), ([1, 2, 1, 1], 3)):
        attrs = {'strides': [1, 1, 1, 1], 'padding': 'SAME', 'dilations': dilations}
        x = data.tensor('float32', (2, 6, 7, 2 * groups), 'unit')
        grad = data.tensor('float32', (2, 6, 7, 5 * groups), 'unit')

        def reference(x, sizes, grad):
            parts = []
            for g in range(groups):
                height, width = x.shape[1], x.shape[2]
                part, gradient = x[..., 2 * g : 2 * g + 2], grad[..., 5 * g : 5 * g + 5]
                dh, dw = dilations[1:3]
                padded = tf.pad(part, [[0, 0], [dh, dh], [dw // 2, dw - dw // 2], [0, 0]])
                taps = [
                    tf.einsum('nyxi,nyxo->io', padded[:, i * dh : i * dh + height, j * dw : j * dw + width], gradient)
                    for i in range(3)
                    for j in range(2)
                ]
                parts.append(tf.reshape(tf.stack(taps), [3, 2, 2, 5]))
            return tf.reshape(tf.concat(parts, 3), sizes)

        inputs = {'input': x, 'filter_sizes': np.int32([3, 2, 2, 5 * groups]), 'out_backprop': grad}
        writer.add_by('Conv2DBackpropFilter', inputs, dict(attrs, T=tf.float32), reference, tolerance=(1e-4, 1e-4))


def depthwise(writer, data, scale):
    for dtype in FLOATS:
        for _ in range(12 * scale):
            attrs, kernel, size, out = window(data)
            attrs['strides'][2] = attrs['strides'][1]  # stock wants them equal
            if attrs['padding'] == 'EXPLICIT':
                attrs = dict(attrs, strides=[1, 1, 1, 1])
                pads = attrs['explicit_paddings']
                out = [n + pads[2 * i + 2] + pads[2 * i + 3] - k + 1 for i, (n, k) in enumerate(zip(size, kernel))]
            else:
                s = attrs['strides'][1]
                same = attrs['padding'] == 'SAME'
                out = [-(-n // s) if same else (n - k) // s + 1 for n, k in zip(size, kernel)]
            batch, channels = int(data.choice([1, 2])), int(data.choice([1, 2, 3, 8, 33, 65]))
            multiplier = int(data.choice([1, 1, 2, 3]))
            x = data.tensor(dtype, (batch, *size, channels), 'unit')
            f = data.tensor(dtype, (*kernel, channels, multiplier), 'unit')
            grad = data.tensor(dtype, (batch, *out, channels * multiplier), 'unit')
            known, tolerance = data.choice([True, False]), TOLERANCE[dtype]
            back_in = {'input_sizes': np.int32(x.shape), 'filter': f, 'out_backprop': grad}
            back_filter = {'input': x, 'filter_sizes': np.int32(f.shape), 'out_backprop': grad}
            constants = ('input_sizes', 'filter_sizes') if data.flip() else ()
            name = 'DepthwiseConv2dNativeBackprop'
            writer.add(name + 'Input', back_in, attrs, constants, shapes_known=known, tolerance=tolerance)
            writer.add(name + 'Filter', back_filter, attrs, constants, shapes_known=known, tolerance=tolerance)
            types = channels_first(dict(attrs, T=tf.as_dtype(np_type(dtype))))
            sizes = back_in['input_sizes']
            reference = in_nchw(attrs, name + 'Input', ('out_backprop',), True)
            writer.add_by(
                name + 'Input',
                dict(back_in, input_sizes=sizes[[0, 3, 1, 2]], out_backprop=swapped(grad)),
                types,
                lambda a, b, c: reference(input_sizes=tf.gather(a, [0, 2, 3, 1]), filter=b, out_backprop=c),
                tolerance=tolerance,
            )
    attrs = {'strides': [1, 1, 1, 1], 'padding': 'SAME'}
    x, f = np.ones((2, 4, 4, 3), 'f'), np.ones((3, 3, 3, 2), 'f')
    for grad in (np.ones((2, 4, 4, 5), 'f'), np.ones((2, 3, 4, 6), 'f'), np.ones((2, 4, 6), 'f')):
        sizes = np.int32(x.shape)
        inputs = {'input_sizes': sizes, 'filter': f, 'out_backprop': grad}
        writer.add('DepthwiseConv2dNativeBackpropInput', inputs, attrs, shapes_known=False, must_fail=True)
        inputs = {'input': x, 'filter_sizes': np.int32(f.shape), 'out_backprop': grad}
        writer.add('DepthwiseConv2dNativeBackpropFilter', inputs, attrs, shapes_known=False, must_fail=True)


def pools(writer, data, scale):
    for dtype in REALS:
        for _ in range(8 * scale):
            attrs, kernel, size, out = window(data)
            attrs = dict(attrs, ksize=[1] + kernel + [1])
            batch, channels = int(data.choice([1, 2, 3])), int(data.choice([1, 2, 5, 64, 65]))
            x = data.tensor(dtype, (batch, *size, channels), data.choice(['small', 'normal', 'unit']))
            grad = data.tensor(dtype, (batch, *out, channels), 'small')
            known, tolerance = data.choice([True, False]), TOLERANCE.get(dtype)
            inputs = {'orig_input': x, 'orig_output': grad, 'grad': grad}
            writer.add('MaxPoolGrad', inputs, attrs, shapes_known=known, tolerance=tolerance)
            types = channels_first(dict(attrs, T=tf.as_dtype(np_type(dtype))))
            reference = in_nchw(attrs, 'MaxPoolGrad', tuple(inputs), True)
            writer.add_by(
                'MaxPoolGrad',
                {k: swapped(v) for k, v in inputs.items()},
                types,
                lambda a, b, c: reference(orig_input=a, orig_output=b, grad=c),
                tolerance=tolerance,
            )
            if dtype in FLOATS and attrs['padding'] != 'EXPLICIT':
                attrs = {k: v for k, v in attrs.items() if k != 'explicit_paddings'}
                inputs = {'orig_input_shape': np.int32(x.shape), 'grad': grad}
                constants = ('orig_input_shape',) if data.flip() else ()
                writer.add('AvgPoolGrad', inputs, attrs, constants, shapes_known=known, tolerance=tolerance)
    attrs = {'ksize': [1, 2, 2, 1], 'strides': [1, 1, 1, 1], 'padding': 'SAME'}
    for kind in ('special', 'special'):
        x, grad = data.tensor('float32', (2, 5, 5, 7), kind), data.tensor('float32', (2, 5, 5, 7))
        writer.add('MaxPoolGrad', {'orig_input': x, 'orig_output': grad, 'grad': grad}, attrs)
    x = np.ones((2, 4, 4, 3), 'f')
    for grad in (np.ones((2, 4, 4, 2), 'f'), np.ones((2, 3, 4, 3), 'f'), np.ones((4, 4, 3), 'f')):
        inputs = {'orig_input': x, 'orig_output': x, 'grad': grad}
        writer.add('MaxPoolGrad', inputs, attrs, shapes_known=False, must_fail=True)
        # Stock reads what lies outside of the gradient.
        inputs = {'orig_input_shape': np.int32(x.shape), 'grad': grad}
        writer.add_by('AvgPoolGrad', inputs, dict(attrs, T=tf.float32), None)
    writer.add('AvgPoolGrad', {'orig_input_shape': np.int32([2, 4, 4]), 'grad': x}, attrs, shapes_known=False, must_fail=True)
    inputs = {'orig_input': x[:0], 'orig_output': x[:0], 'grad': x[:0]}
    writer.add('MaxPoolGrad', inputs, attrs)


def batch_norms(writer, data, scale):
    for dtype in ('float16', 'bfloat16', 'float32', 'float32'):
        for _ in range(16 * scale):
            layout = data.choice(['NHWC', 'NCHW', 'NDHWC', 'NCDHW'])
            shape = list(data.positive_shape(len(layout)))
            at = layout.index('C')
            shape[at] = int(data.choice([1, 2, 3, 65]))
            channels = shape[at]
            # Stock has constant statistics for channels that come last only.
            training = at == 1 or data.flip()
            attrs = {'data_format': layout, 'is_training': training, 'epsilon': data.choice([1e-3, 0.1])}
            inputs = {
                'y_backprop': data.tensor(dtype, shape, 'unit'),
                'x': data.tensor(dtype, shape),
                'scale': data.tensor('float32', (channels,), 'nonzero'),
                'reserve_space_1': data.tensor('float32', (channels,)),
                'reserve_space_2': data.tensor('float32', (channels,), 'positive'),
            }
            tolerance = {'float32': (1e-4, 1e-4)}.get(dtype, (5e-2, 5e-1))
            known = data.choice([True, False, 'partly'])
            versions = ['', 'V2'] if len(layout) == 4 and dtype == 'float32' else ['V2'] if len(layout) == 4 else []
            for version in versions:
                writer.add('FusedBatchNormGrad' + version, inputs, attrs, shapes_known=known, tolerance=tolerance)
            third = dict(inputs, reserve_space_3=np.zeros((), 'f'))
            writer.add('FusedBatchNormGradV3', third, attrs, shapes_known=known, tolerance=tolerance)
    x, v = np.ones((2, 3, 3, 4), 'f'), np.ones(4, 'f')
    good = {'y_backprop': x, 'x': x, 'scale': v, 'reserve_space_1': v, 'reserve_space_2': v}
    for change in ({'x': x[:1]}, {'scale': v[:3]}, {'reserve_space_2': v[:1]}, {'x': x[0], 'y_backprop': x[0]}):
        writer.add('FusedBatchNormGradV2', dict(good, **change), shapes_known=False, must_fail=True)
    attrs = {'T': tf.float32, 'U': tf.float32, 'is_training': False, 'data_format': 'NCHW', 'epsilon': 1e-3}

    def in_nhwc(grad, x, *vectors):
        grad, x = (tf.transpose(t, [0, 2, 3, 1]) for t in (grad, x))
        result = tf.raw_ops.FusedBatchNormGradV2(
            y_backprop=grad,
            x=x,
            scale=vectors[0],
            reserve_space_1=vectors[1],
            reserve_space_2=vectors[2],
            is_training=False,
            epsilon=1e-3,
        )
        return [tf.transpose(result[0], [0, 3, 1, 2])] + list(result[1:3])

    vectors = [data.tensor('float32', (3,), 'positive') for _ in range(3)]
    inputs = [data.tensor('float32', (2, 3, 5, 4)) for _ in range(2)] + vectors
    writer.add_by('FusedBatchNormGradV2', dict(zip(good, inputs)), attrs, in_nhwc, tolerance=(1e-4, 1e-4))
    for training in (True, False):
        writer.add('FusedBatchNormGradV2', dict(good, x=x[:0], y_backprop=x[:0]), {'is_training': training})


def responses(writer, data, scale):
    for dtype in ('float16', 'float32'):
        for _ in range(12 * scale):
            shape = data.shape(4, (1, 2, 3, 5, 17))
            attrs = {
                'depth_radius': int(data.choice([0, 1, 2, 5, 40])),
                'bias': data.choice([1.0, 2.0, 0.5]),
                'alpha': data.choice([1.0, 1e-3, 0.1]),
                'beta': data.choice([0.5, 0.75, 1.0]),
            }
            x = data.tensor(dtype, shape, 'unit')
            tolerance = {'float16': (2e-2, 2e-2), 'float32': (1e-5, 1e-5)}[dtype]
            known = data.choice([True, False])
            writer.add('LRN', {'input': x}, attrs, shapes_known=known, tolerance=tolerance)
            inputs = {
                'input_grads': data.tensor(dtype, shape, 'unit'),
                'input_image': x,
                'output_image': data.tensor(dtype, shape, 'unit'),
            }
            tolerance = {'float16': (5e-2, 1e-1), 'float32': (1e-4, 1e-4)}[dtype]
            writer.add('LRNGrad', inputs, attrs, shapes_known=known, tolerance=tolerance)
    x = np.ones((1, 2, 2, 3), 'f')
    writer.add('LRN', {'input': x[0]}, shapes_known=False, must_fail=True)
    writer.add('LRN', {'input': x[:0]})
    for grads in (x[0], x[..., :2]):
        inputs = {'input_grads': grads, 'input_image': x, 'output_image': x}
        writer.add('LRNGrad', inputs, shapes_known=False, must_fail=True)


def resizes(writer, data, scale):
    modes = ({}, {'align_corners': True}, {'half_pixel_centers': True})
    for _ in range(10 * scale):
        for attrs in modes:
            batch, channels = int(data.choice([1, 2])), int(data.choice([1, 3, 17]))
            old, new = ([int(data.choice([1, 2, 3, 5, 8, 13])) for _ in range(2)] for _ in range(2))
            grads = data.tensor('float32', (batch, *new, channels), 'unit')
            known = data.choice([True, False, 'partly'])
            for op, dtypes in (('ResizeBilinearGrad', FLOATS), ('ResizeBicubicGrad', ('float32', 'float64'))):
                for dtype in dtypes:
                    tolerance = {'float16': (3e-2, 3e-2), 'bfloat16': (2e-1, 2e-1)}.get(dtype, (1e-4, 1e-4))
                    inputs = {'grads': grads, 'original_image': data.tensor(dtype, (batch, *old, channels))}
                    writer.add(op, inputs, attrs, tolerance=tolerance, shapes_known=known)
            for dtype in FLOATS + ['int8', 'uint8', 'int32']:
                x = data.tensor(dtype, (batch, *new, channels), 'small')
                constants = ('size',) if data.flip() else ()
                inputs = {'grads': x, 'size': np.int32(old)}
                writer.add(
                    'ResizeNearestNeighborGrad',
                    inputs,
                    attrs,
                    constants,
                    shapes_known=known,
                    tolerance={'float16': (1e-2, 1e-2), 'bfloat16': (1e-1, 1e-1)}.get(dtype),
                )
    x = np.ones((1, 2, 2, 3), 'f')
    for grads, original in ((x[0], x), (x, x[0]), (x, x[:, :0])):
        inputs = {'grads': grads, 'original_image': original}
        writer.add('ResizeBilinearGrad', inputs, shapes_known=False, must_fail=True)
    for size in ([2], [0, 2], [-1, 2], [2, 2, 2]):
        writer.add('ResizeNearestNeighborGrad', {'grads': x, 'size': np.int32(size)}, shapes_known=False, must_fail=True)


FAMILIES = {
    'filter_gradients': filters,
    'depthwise_gradients': depthwise,
    'pool_gradients': pools,
    'batch_norm_gradients': batch_norms,
    'responses': responses,
    'resize_gradients': resizes,
}
