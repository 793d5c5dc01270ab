"""Cases that need more than one node: variables, checkpoints that are written, and functions that are called, chosen and
repeated (state.so, control.so). Random programs of loops and branches are in tests/control."""

import os

import numpy as np

from case_writer import NUMBERS, tf

raw = tf.raw_ops


def variables(writer, data, scale):
    def handle(dtype, shape):
        return raw.VarHandleOp(dtype=tf.as_dtype(dtype), shape=shape, shared_name='v')

    def assigned(value):
        """A handle whose variable holds `value`."""
        v = handle(value.dtype, value.shape)
        with tf.control_dependencies([raw.AssignVariableOp(resource=v, value=value)]):
            return raw.Identity(input=v)

    def read(v, dtype):
        return raw.ReadVariableOp(resource=v, dtype=dtype)

    def store(value):
        return read(assigned(value), value.dtype)

    def updated(op):
        def build(value, more):
            v = assigned(value)
            with tf.control_dependencies([op(resource=v, value=more)]):
                return read(v, value.dtype)

        return build

    def asks(value):
        before = raw.VarIsInitializedOp(resource=handle(value.dtype, value.shape))
        with tf.control_dependencies([before]):
            v = assigned(value)
        with tf.control_dependencies([raw.DisableCopyOnRead(resource=v)]):
            return before, raw.VarIsInitializedOp(resource=v), read(v, value.dtype)

    for dtype in NUMBERS + ['bool', 'string']:
        writer.add_graph('store', store, [data.tensor(dtype, data.shape())])
    for dtype in NUMBERS:
        for op in (raw.AssignAddVariableOp, raw.AssignSubVariableOp):
            shape = data.shape()
            inputs = [data.tensor(dtype, shape, 'small'), data.tensor(dtype, shape, 'small')]
            writer.add_graph('update', updated(op), inputs)
    writer.add_graph('ask', asks, [data.tensor('float32', (2, 3))])
    unset = lambda: read(handle('float32', (2,)), tf.float32)
    writer.add_graph('read unset', unset, must_fail=True)


def saving(writer, data, scale):
    folder = os.path.dirname(os.path.abspath(writer.path))
    dtypes = NUMBERS + ['bool', 'string']
    names = ['t/' + dtype for dtype in dtypes]

    def save(prefix, names, values):
        whole = [''] * len(names)
        return raw.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=whole, tensors=values)

    def restore(prefix, values):
        types = [value.dtype for value in values]
        return raw.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=[''] * len(names), dtypes=types)

    def there_and_back(*values):
        prefix = os.path.join(folder, 'saving.ckpt')
        with tf.control_dependencies([save(prefix, names, values)]):
            return restore(prefix, values)

    def merged(*values):
        parts = [os.path.join(folder, 'part%d.ckpt' % i) for i in range(2)]
        whole = os.path.join(folder, 'merged.ckpt')
        half = len(names) // 2
        saves = [save(parts[0], names[:half], values[:half]), save(parts[1], names[half:], values[half:])]
        with tf.control_dependencies(saves):
            merge = raw.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=whole)
        with tf.control_dependencies([merge]):
            return restore(whole, values)

    for build in (there_and_back, merged):
        writer.add_graph(build.__name__, build, [data.tensor(dtype, data.shape()) for dtype in dtypes])


def order(writer, data, scale):
    def after(op):
        def build(x):
            with tf.control_dependencies([op()]):
                return tf.identity(x)

        return build

    for op in (raw.NoOp, raw.ControlTrigger):
        writer.add_graph('order', after(op), [data.tensor('float32', (3,))])
    for dtype in ('float32', 'int64', 'string'):
        writer.add('PreventGradient', {'input': data.tensor(dtype, (2, 3))}, {'message': 'none'})


def functions(writer, data, scale):
    def checked(x):
        """The same value, in a way that makes the function around it stateful."""
        with tf.control_dependencies([raw.Assert(condition=True, data=[x], summarize=1)]):
            return tf.identity(x)

    def branches(keep):
        @tf.function
        def build(x, p):
            return tf.cond(p, lambda: keep(x * 2 + 1), lambda: x - 1)

        return build

    def cases(keep):
        @tf.function
        def build(x, i):
            return tf.switch_case(i, [lambda: x + 1, lambda: keep(x * 3), lambda: -x])

        return build

    def loops(keep):
        @tf.function
        def build(x, n):
            step = lambda i, x: (i + 1, keep(x * 2 - 1))
            return tf.while_loop(lambda i, x: i < n, step, (tf.constant(0), x))

        return build

    @tf.function
    def body(i, x):
        return x * 2 + tf.cast(i, x.dtype)

    def counted(x, n):
        of = body.get_concrete_function(tf.TensorSpec((), tf.int32), tf.TensorSpec(x.shape, x.dtype))
        of.add_to_graph(tf.compat.v1.get_default_graph())
        return raw.For(start=0, limit=n, delta=1, input=[x], body=of)

    for keep in (lambda x: x, checked):
        for dtype in ('float32', 'int64', 'float64'):
            x = data.tensor(dtype, data.shape(), 'small')
            for p in (False, True):
                writer.add_graph('If', branches(keep), [x, np.bool_(p)])
            for i in (-1, 0, 1, 2, 3):
                writer.add_graph('Case', cases(keep), [x, np.int32(i)])
            for n in (0, 1, 5):
                writer.add_graph('While', loops(keep), [x, np.int32(n)])
    for n in (0, 1, 4):
        writer.add_graph('For', counted, [data.tensor('float32', (3,)), np.int32(n)])


FAMILIES = {'variables': variables, 'saving': saving, 'order': order, 'functions': functions}
