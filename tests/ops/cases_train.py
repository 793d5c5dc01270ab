"""Cases for the gradients and losses of train.so."""

import numpy as np

from case_writer import COMPLEX, FLOATS, NUMBERS, REALS, SINGLES, tf

R = tf.raw_ops
LOOSE = {'float16': (1e-2, 1e-2), 'bfloat16': (8e-2, 8e-2), 'complex64': (1e-4, 1e-4)}
FROM_RESULT = ('SigmoidGrad', 'TanhGrad', 'SqrtGrad', 'RsqrtGrad', 'ReciprocalGrad', 'InvGrad')
FROM_FEATURES = {
    'ReluGrad': 'features',
    'Relu6Grad': 'features',
    'LeakyReluGrad': 'features',
    'EluGrad': 'outputs',
    'SeluGrad': 'outputs',
    'SoftplusGrad': 'features',
    'SoftsignGrad': 'features',
}
SHAPES = ((), (0, 3), (1,), (5, 7), (2, 3, 1, 4), (1001,))


def element_wise(writer, data, scale):
    for dtype in FLOATS + COMPLEX:
        for op in FROM_RESULT:
            for shape in SHAPES:
                inputs = {'y': data.tensor(dtype, shape, 'nonzero'), 'dy': data.tensor(dtype, shape)}
                writer.add(op, inputs, tolerance=LOOSE.get(dtype), shapes_known=data.choice([True, False, 'partly']))
            if dtype in SINGLES:
                inputs = {'y': data.tensor(dtype, (9, 11), 'special'), 'dy': data.tensor(dtype, (9, 11), 'small')}
                inputs['dy'][::2] = 0
                writer.add(op, inputs, tolerance=LOOSE.get(dtype), label='special')
    for dtype in REALS:
        for op, name in FROM_FEATURES.items():
            if dtype not in FLOATS and op not in ('ReluGrad', 'Relu6Grad'):
                continue
            attrs = {'alpha': data.choice([0.0, 0.2, 1.5])} if op == 'LeakyReluGrad' else {}
            for shape in SHAPES:
                inputs = {'gradients': data.tensor(dtype, shape), name: data.tensor(dtype, shape)}
                writer.add(op, inputs, attrs, tolerance=LOOSE.get(dtype), shapes_known=data.choice([True, False]))
            inputs = {'gradients': data.tensor(dtype, (9, 11)), name: data.tensor(dtype, (9, 11), 'special')}
            writer.add(op, inputs, attrs, tolerance=LOOSE.get(dtype), label='special')
    x, y = np.ones((2, 3), 'f'), np.ones((3, 1), 'f')
    for op in ('ReluGrad', 'SeluGrad', 'LeakyReluGrad', 'SoftplusGrad'):
        name = FROM_FEATURES[op]
        writer.add(op, {'gradients': x, name: y}, shapes_known=False, must_fail=True)
    writer.add('TanhGrad', {'y': x, 'dy': y}, shapes_known=False, must_fail=True)


def bias_gradients(writer, data, scale):
    for dtype in NUMBERS:
        for shape, layout in (
            ((3, 4), 'NHWC'),
            ((2, 3, 4, 5), 'NHWC'),
            ((300, 65), 'NHWC'),
            ((0, 3), 'NHWC'),
            ((2, 0), 'NHWC'),
            ((2, 3, 4), 'NCHW'),
            ((2, 3, 4, 5), 'NCHW'),
            ((1, 2, 150, 2, 2), 'NCHW'),
            ((2, 3, 0, 5), 'NCHW'),
        ):
            x = data.tensor(dtype, shape, 'small')
            known = data.choice([True, False, 'partly'])
            attrs = {'data_format': layout}
            writer.add('BiasAddGrad', {'out_backprop': x}, attrs, tolerance=LOOSE.get(dtype), shapes_known=known)
    for shape in ((), (3,)):
        writer.add('BiasAddGrad', {'out_backprop': np.ones(shape, 'f')}, shapes_known=False, must_fail=True)


def cross_entropies(writer, data, scale):
    dense, sparse = 'SoftmaxCrossEntropyWithLogits', 'SparseSoftmaxCrossEntropyWithLogits'
    for dtype in FLOATS:
        for _ in range(8 * scale):
            rows, classes = data.choice([1, 2, 5, 33]), data.choice([1, 2, 10, 300])
            x = data.tensor(dtype, (rows, classes))
            labels = np.abs(data.tensor(dtype, (rows, classes), 'unit'))
            tolerance = {'float16': (2e-2, 1e-1), 'bfloat16': (1e-1, 5e-1), 'float32': (1e-5, 1e-4)}.get(dtype)
            known = data.choice([True, False, 'partly'])
            writer.add(dense, {'features': x, 'labels': labels}, tolerance=tolerance, shapes_known=known)
            # float16 and bfloat16 sums of stock lose what many classes add to them
            if dtype in SINGLES:
                for a, b in ((x[:1], labels), (x, labels[:, :1]), (x, labels[:1]), (x[0], labels), (x, labels[0, 0])):
                    writer.add(dense, {'features': a, 'labels': b}, tolerance=tolerance, shapes_known=known)
            for index in ('int32', 'int64'):
                inputs = {'features': x, 'labels': data.rng.integers(0, classes, rows).astype(index)}
                writer.add(sparse, inputs, tolerance=tolerance, shapes_known=known)
        for shape in ((0, 3), (3, 0), (0, 0)):
            x = data.tensor(dtype, shape)
            writer.add(dense, {'features': x, 'labels': x})
            writer.add(sparse, {'features': x, 'labels': np.zeros(shape[0], 'int64')}, shapes_known=False)
    for huge in ([1e30, -1e30, 0], [88, 100, -200], [-np.inf, 0, 1], [np.inf, 0, 1], [np.nan, 0, 1]):
        for labels in ([0, 1, 0], [0.2, 0.3, 0.5]):
            writer.add(dense, {'features': np.float32([huge]), 'labels': np.float32([labels])})
        writer.add(sparse, {'features': np.float32([huge]), 'labels': np.int32([1])})
    x = np.ones((2, 3), 'f')
    for labels in (np.ones((2, 2), 'f'), np.ones((2, 3, 1), 'f'), np.ones((4, 3), 'f')):
        writer.add(dense, {'features': x, 'labels': labels}, shapes_known=False, must_fail=True)
    writer.add(dense, {'features': x[0], 'labels': x[0]}, shapes_known=False, must_fail=True)
    for labels in ([0, 3], [-1, 0], [0, 0, 0], [[0, 0]]):
        writer.add(sparse, {'features': x, 'labels': np.int64(labels)}, shapes_known=False, must_fail=True)
    writer.add(sparse, {'features': x[0], 'labels': np.int64([0])}, shapes_known=False, must_fail=True)


def ctc_case(data, dtype, classes, repeats):
    """Logits, labels and lengths of a batch in which the labels fit."""
    batch, steps = int(data.choice([1, 2, 5])), int(data.choice([1, 3, 8, 20]))
    lengths = data.rng.integers(1, steps + 1, batch).astype('int32')
    indices, values = [], []
    for b in range(batch):
        count = int(data.rng.integers(1, lengths[b] + 1))
        labels = data.rng.integers(0, classes - 1, count)
        if not repeats:  # neighbours differ, so that there is time for them
            labels = [int(labels[0])] * (count == 1) or [(int(labels[0]) + i) % (classes - 1) for i in range(count)]
        indices += [[b, i] for i in range(count)]
        values += list(labels)
    return {
        'inputs': data.tensor(dtype, (steps, batch, classes)),
        'labels_indices': np.int64(indices).reshape(-1, 2),
        'labels_values': np.int32(values),
        'sequence_length': lengths,
    }


def ctc_losses(writer, data, scale):
    for dtype in SINGLES:
        for _ in range(40 * scale):
            attrs = {
                'preprocess_collapse_repeated': data.flip(),
                'ctc_merge_repeated': data.flip(),
                'ignore_longer_outputs_than_inputs': data.flip(),
            }
            inputs = ctc_case(data, dtype, data.choice([3, 4, 8, 30]), data.flip())
            # Stock computes some exponentials of float64 in float32.
            writer.add('CTCLoss', inputs, attrs, tolerance=(1e-4, 1e-5), shapes_known=data.choice([True, False]))
    good = ctc_case(data, 'float32', 5, False)
    batch = good['inputs'].shape[1]
    for change in (
        {'sequence_length': np.full(batch, 99, 'int32')},
        {'sequence_length': np.full(batch, -1, 'int32')},
        {'sequence_length': np.ones(batch + 1, 'int32')},
        {'labels_values': np.full_like(good['labels_values'], -1)},
        {'labels_values': np.ones(1 + len(good['labels_values']), 'int32')},
        {'labels_indices': good['labels_indices'] + [[7, 0]]},
        {'labels_indices': good['labels_indices'][:0], 'labels_values': good['labels_values'][:0]},
        {'inputs': good['inputs'][:0]},
        {'inputs': good['inputs'][0]},
    ):
        writer.add('CTCLoss', dict(good, **change), shapes_known=False, must_fail=True)
    longer = dict(good, sequence_length=np.zeros(batch, 'int32'))
    writer.add('CTCLoss', longer, shapes_known=False, must_fail=True)
    writer.add('CTCLoss', longer, {'ignore_longer_outputs_than_inputs': True})
    ended = {
        'inputs': data.tensor('float32', (6, 1, 4)),
        'labels_indices': np.int64([[0, 0], [0, 1], [0, 2]]),
        'sequence_length': np.int32([6]),
    }
    writer.add('CTCLoss', dict(ended, labels_values=np.int32([0, 1, 3])))
    writer.add('CTCLoss', dict(ended, labels_values=np.int32([0, 3, 1])), must_fail=True)
    flags = ('preprocess_collapse_repeated', 'ctc_merge_repeated', 'ignore_longer_outputs_than_inputs')
    for _ in range(8 * scale):
        attrs = {name: data.flip() for name in flags}
        inputs = ctc_case(data, 'float32', 6, False)
        inputs['labels_values'] = inputs['labels_values'] + np.int32(1)

        def reference(inputs, indices, values, lengths):
            # The blank moved to the end.
            last = tf.concat([inputs[:, :, 1:], inputs[:, :, :1]], 2)
            loss, gradient = R.CTCLoss(
                inputs=last, labels_indices=indices, labels_values=values - 1, sequence_length=lengths, **attrs
            )
            return loss, tf.concat([gradient[:, :, -1:], gradient[:, :, :-1]], 2)

        writer.add_by('CTCLossV2', inputs, attrs, reference, tolerance=(1e-4, 1e-5))


def networks(writer, data, scale):
    """Losses of small networks and their gradients by all weights, as a training graph has them."""

    def seen(x, labels, k, b, scale, offset, d, w):
        y = tf.nn.bias_add(tf.nn.conv2d(x, k, [1, 2, 1, 1], 'SAME'), b)
        y, _, _ = tf.compat.v1.nn.fused_batch_norm(y, scale, offset, is_training=True)
        y = tf.nn.max_pool2d(tf.nn.leaky_relu(y), 3, 2, 'SAME')
        y = tf.nn.elu(tf.nn.depthwise_conv2d(y, d, [1, 1, 1, 1], 'VALID'))
        y = tf.compat.v1.image.resize_bilinear(tf.nn.lrn(tf.pad(y, [[0, 0], [1, 1], [2, 0], [0, 0]], 'REFLECT')), [5, 3])
        y = tf.nn.softplus(tf.nn.avg_pool2d(y, 2, 1, 'SAME'))[:, ::2, 1:]
        y = tf.matmul(tf.reshape(y, [x.shape[0], -1]), w)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, y)) + tf.nn.l2_loss(w)
        return [loss] + tf.gradients(loss, [x, k, b, scale, offset, d, w])

    def heard(x, labels, w, u):
        steps = tf.unstack(x)
        state, losses = tf.zeros([x.shape[1], u.shape[0]]), []
        for step in steps:
            state = tf.tanh(tf.matmul(step, w) + tf.matmul(state, u)) * tf.sigmoid(tf.matmul(step, w))
            losses.append(state)
        loss = tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(labels, tf.add_n(losses)))
        return [loss] + tf.gradients(loss, [x, w, u])

    for _ in range(2 * scale):
        unit = lambda *shape: data.tensor('float32', shape, 'unit')
        inputs = [unit(4, 12, 9, 3), np.int64([0, 2, 1, 1]), unit(3, 3, 3, 6), unit(6), 1 + unit(6), unit(6)]
        inputs += [unit(2, 2, 6, 1), unit(3 * 2 * 6, 4)]
        writer.add_graph('gradients of an image network', seen, inputs, (1e-3, 1e-4))
        inputs = [unit(5, 3, 4), np.abs(unit(3, 6)), unit(4, 6), unit(6, 6)]
        writer.add_graph('gradients of a recurrent network', heard, inputs, (1e-3, 1e-4))


FAMILIES = {
    'training_networks': networks,
    'element_wise_gradients': element_wise,
    'bias_gradients': bias_gradients,
    'cross_entropies': cross_entropies,
    'ctc_losses': ctc_losses,
}
