"""Cases for queue.so: graphs that put into and take from queues one step after the other. What waits is in
tests/state/queue_test.c."""

import numpy as np

from case_writer import tf
from cases_lookup import in_order

R = tf.raw_ops
DTYPES = ['float32', 'int32', 'int64', 'string', 'bool', 'complex64', 'uint8', 'float64']
KINDS = ('FIFOQueueV2', 'PaddingFIFOQueueV2', 'RandomShuffleQueueV2', 'PriorityQueueV2')


def make(kind, types, shapes=(), name='q', **attrs):
    if kind == 'RandomShuffleQueueV2':
        attrs.setdefault('seed', 7)
        attrs.setdefault('seed2', 11)
    types = [tf.as_dtype(t) for t in types]
    return getattr(R, kind)(component_types=types, shapes=shapes, shared_name=name, **attrs)


class Queue:
    def __init__(self, kind, types, shapes=(), **attrs):
        self.handle = make(kind, types, shapes, **attrs)
        self.types = [tf.int64] * (kind == 'PriorityQueueV2') + [tf.as_dtype(t) for t in types]

    def put(self, *components):
        return R.QueueEnqueueV2(handle=self.handle, components=list(components))

    def put_many(self, *components):
        return R.QueueEnqueueManyV2(handle=self.handle, components=list(components))

    def take(self):
        return R.QueueDequeueV2(handle=self.handle, component_types=self.types)

    def take_many(self, n):
        return R.QueueDequeueManyV2(handle=self.handle, n=n, component_types=self.types)

    def take_up_to(self, n):
        return R.QueueDequeueUpToV2(handle=self.handle, n=n, component_types=self.types)

    def close(self, cancel=False):
        return R.QueueCloseV2(handle=self.handle, cancel_pending_enqueues=cancel)

    def state(self):
        return R.QueueSizeV2(handle=self.handle), R.QueueIsClosedV2(handle=self.handle)


def orders(writer, data):
    for kind in KINDS:
        for dtype in DTYPES:
            first = [np.int64([5, -2, 9, 0, 7, 1, -8])] if kind == 'PriorityQueueV2' else []
            values, flags = data.tensor(dtype, (7, 2)), np.arange(7, dtype='int32')

            def build(*inputs):
                q = Queue(kind, [dtype, 'int32'], [[2], []])
                one = [i[0] for i in inputs]
                return in_order(
                    [
                        q.state,
                        lambda: q.put_many(*[i[:0] for i in inputs]),
                        lambda: q.put_many(*inputs),
                        q.state,
                        q.take,
                        lambda: q.take_many(3),
                        lambda: q.take_many(0),
                        lambda: q.put(*(one if not first else [tf.constant(100, tf.int64)] + one[1:])),
                        q.take,
                        lambda: q.close(),
                        lambda: q.take_up_to(2),
                        lambda: q.take_up_to(1 if first else 50),  # stock's priority queues refuse what is left
                        q.state,
                    ]
                )

            writer.add_graph('%s %s' % (kind, dtype), build, first + [values, flags])


def special(writer, data):
    def padded(a, b, c):
        q = Queue('PaddingFIFOQueueV2', [tf.float32, tf.string], [[None, 2, None], [None]])
        text = lambda *words: tf.constant(list(words), tf.string)
        return in_order(
            [
                lambda: q.put(a, text('x', 'y', 'z')),
                lambda: q.put(b, text()),
                lambda: q.put(c, text('a longer text than fits into the small form')),
                lambda: q.put(a, text('last')),
                lambda: q.take_many(3),
                q.take,
                lambda: q.take_many(0),
            ]
        )

    shapes = ((3, 2, 1), (0, 2, 4), (1, 2, 5))
    writer.add_graph('padding', padded, [data.tensor('float32', s) for s in shapes])

    def any_shape(a, b):
        q = Queue('FIFOQueueV2', [tf.float32])
        return in_order([lambda: q.put(a), lambda: q.put(b), lambda: q.put_many(a), q.take, q.take, q.take, q.state])

    writer.add_graph('any shape', any_shape, [data.tensor('float32', (2, 3)), data.tensor('float32', ())])

    def stays(x):
        q = Queue('RandomShuffleQueueV2', [tf.int32], [[]], min_after_dequeue=2, capacity=20)
        return in_order([lambda: q.put_many(x), lambda: q.take_many(5), q.state, q.close, lambda: q.take_up_to(9)])

    writer.add_graph('min_after_dequeue', stays, [np.arange(12, dtype='int32')])


def refused(writer):
    x = np.float32([1, 2, 3])
    fifo = lambda **a: Queue('FIFOQueueV2', [tf.float32], [[]], **a)
    free = lambda: Queue('FIFOQueueV2', [tf.float32])
    one = lambda op: in_order([lambda: op, lambda: tf.constant(1)])
    builds = {
        'take from a closed one': lambda x: in_order([fifo().close, fifo().take]),
        'put into a closed one': lambda x: in_order([fifo().close, lambda: one(fifo().put(x[0]))]),
        'close twice': lambda x: in_order([fifo().close, lambda: one(fifo().close())]),
        'close twice and cancel': lambda x: in_order([fifo().close, lambda: fifo().close(True), fifo().state]),
        'too few': lambda x: in_order([lambda: fifo().put_many(x), fifo().close, lambda: fifo().take_many(4)]),
        'another shape': lambda x: one(fifo().put(x)),
        'another batch': lambda x: one(fifo().put_many(tf.reshape(x, [3, 1]))),
        'another dtype': lambda x: one(fifo().put(tf.cast(x[0], tf.int32))),
        'more components': lambda x: one(fifo().put(x[0], x[0])),
        'batches of any shape': lambda x: in_order([lambda: free().put(x), lambda: free().take_many(1)]),
        'less than none': lambda x: fifo().take_many(-1),
        'timeout': lambda x: one(R.QueueEnqueueV2(handle=fifo().handle, components=[x[0]], timeout_ms=5)),
        'another capacity': lambda x: in_order([fifo(capacity=3).state, fifo(capacity=4).state]),
        'another type': lambda x: in_order([fifo().state, Queue('FIFOQueueV2', [tf.int32], [[]]).state]),
        'other shapes': lambda x: in_order([fifo().state, free().state]),
        'another kind': lambda x: in_order([fifo().state, Queue('RandomShuffleQueueV2', [tf.float32], [[]]).state]),
        'one shape of two': lambda x: Queue('FIFOQueueV2', [tf.float32] * 2, [[]]).state(),
        'padding without shapes': lambda x: Queue('PaddingFIFOQueueV2', [tf.float32]).state(),
        'shapes that are not known': lambda x: Queue('FIFOQueueV2', [tf.float32], [[None]]).state(),
        'all stay': lambda x: Queue('RandomShuffleQueueV2', [tf.float32], capacity=3, min_after_dequeue=3).state(),
        'outputs of another dtype': lambda x: in_order(
            [
                lambda: fifo().put(x[0]),
                lambda: R.QueueDequeueV2(handle=fifo().handle, component_types=[tf.int32]),
            ]
        ),
    }
    for name, build in builds.items():
        writer.add_graph('queue: ' + name, build, [x])


def queues(writer, data, scale):
    orders(writer, data)
    special(writer, data)
    refused(writer)


FAMILIES = {'queues': queues}
