"""Cases for the ops of state.so and control.so that need no variable."""

import os

import numpy as np

from case_writer import NUMBERS, tf


def names(writer, data, scale):
    writer.add(
        'ShardedFilename',
        {
            'basename': np.array(b'/some/prefix', dtype=object),
            'shard': np.int32(3),
            'num_shards': np.int32(12),
        },
    )
    writer.add(
        'ShardedFilename',
        {'basename': np.array(b'', dtype=object), 'shard': np.int32(0), 'num_shards': np.int32(1)},
    )


def checks(writer, data, scale):
    for condition in (True, False):
        writer.add(
            'Assert',
            {
                'condition': np.bool_(condition),
                'data': [np.float32([1, 2, 3, 4]), np.array(b'text', dtype=object)],
            },
            {'summarize': 2},
        )
    writer.add('Assert', {'condition': np.array([True]), 'data': [np.float32(1)]}, {'summarize': 3})


def restoring(writer, data, scale):
    prefix = os.path.join(os.path.dirname(os.path.abspath(writer.path)), 'restoring.ckpt')
    tensors = {'a/%s' % t: data.tensor(t, (3, 4)) for t in NUMBERS + ['bool', 'string']}
    tensors.update(
        {
            'scalar': np.float32(2.5),
            'empty': np.zeros((0, 3), 'int64'),
            'big': data.tensor('float32', (200, 333)),
            'cube': data.tensor('int32', (4, 5, 6)),
        }
    )
    names = list(tensors)
    tf.raw_ops.SaveV2(
        prefix=prefix,
        tensor_names=names,
        shape_and_slices=[''] * len(names),
        tensors=[tf.constant(v) for v in tensors.values()],
    )

    def restore(wanted, slices, dtypes=None, must_fail=False, path=prefix):
        dtypes = dtypes or [
            tf.string if tensors[n].dtype.kind == 'O' else tf.as_dtype(tensors[n].dtype) for n in wanted
        ]
        writer.add(
            'RestoreV2',
            {
                'prefix': np.array(path.encode(), dtype=object),
                'tensor_names': np.array([n.encode() for n in wanted], dtype=object),
                'shape_and_slices': np.array([s.encode() for s in slices], dtype=object),
            },
            {'dtypes': dtypes},
            must_fail=must_fail,
        )

    restore(names, [''] * len(names))
    for text in ('4 5 6 -:-:-', '4 5 6 1,2:-:3,2', '4 5 6 0,1:0,5:5,1', '4 5 6 3,1:4,1:-'):
        restore(['cube', 'scalar'], [text, ''])
    restore(['big'], ['200 333 10,100:7,50'])
    float32, int32 = tf.float32, tf.int32
    restore(['nothing'], [''], [float32], must_fail=True)
    restore(['cube'], [''], [float32], must_fail=True)
    restore(['cube'], ['4 5 7 -:-:-'], [int32], must_fail=True)
    restore(['cube'], ['4 5 6 0,9:-:-'], [int32], must_fail=True)
    restore(['cube'], ['4 5 6 -:-'], [int32], must_fail=True)
    restore(['cube'], ['nonsense'], [int32], must_fail=True)
    restore(['cube'], [''], [int32], must_fail=True, path=prefix + '.missing')


def destroying(writer, data, scale):
    raw = tf.raw_ops

    def handle():
        return raw.VarHandleOp(dtype=tf.float32, shape=[2], shared_name='destroyed')

    def after(op):
        return tf.control_dependencies([op])

    def destroyed(x):
        v = handle()
        with after(raw.AssignVariableOp(resource=v, value=x)):
            before = raw.ReadVariableOp(resource=v, dtype=tf.float32)
        with after(before):
            gone = raw.DestroyResourceOp(resource=v)
        with after(gone):
            again = handle()
        found = raw.VarIsInitializedOp(resource=again)
        with after(found), after(raw.AssignVariableOp(resource=again, value=x * 2.0)):
            return before, found, raw.ReadVariableOp(resource=again, dtype=tf.float32)

    def twice(x, ignores):
        v = handle()
        with after(raw.AssignVariableOp(resource=v, value=x)):
            gone = raw.DestroyResourceOp(resource=v)
        with after(gone), after(raw.DestroyResourceOp(resource=v, ignore_lookup_error=ignores)):
            return tf.identity(x)

    def read(x):
        v = handle()
        with after(raw.AssignVariableOp(resource=v, value=x)):
            gone = raw.DestroyResourceOp(resource=v)
        with after(gone):
            return raw.ReadVariableOp(resource=v, dtype=tf.float32)

    x = np.float32([1.5, -2])
    writer.add_graph('DestroyResourceOp', destroyed, [x])
    writer.add_graph('DestroyResourceOp twice', lambda x: twice(x, True), [x])
    writer.add_graph('DestroyResourceOp twice', lambda x: twice(x, False), [x], must_fail=True)
    writer.add_graph('reading what was destroyed', read, [x], must_fail=True)


FAMILIES = {'destroying': destroying, 'restoring': restoring, 'names': names, 'checks': checks}
