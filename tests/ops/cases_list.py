"""Cases for list.so: graphs of lists, TensorArrays and optionals, since their values cannot be fed or fetched."""

import numpy as np

from case_writer import INTS, NUMBERS, tf

R = tf.raw_ops
DTYPES = NUMBERS + ['bool', 'string']
i32 = np.int32


def shape_of(dims):
    """An element shape as an input: None is the scalar -1, a None in it an unknown dimension."""
    return tf.constant(-1) if dims is None else tf.constant([-1 if d is None else d for d in dims], tf.int32)


def reserve(dtype, count, dims=None):
    return R.TensorListReserve(element_shape=shape_of(dims), num_elements=count, element_dtype=dtype)


def stack(l, dtype, dims=None, count=-1):
    return R.TensorListStack(input_handle=l, element_shape=shape_of(dims), element_dtype=dtype, num_elements=count)


def get(l, i, dtype, dims=None):
    return R.TensorListGetItem(input_handle=l, index=i, element_shape=shape_of(dims), element_dtype=dtype)


def put(l, i, value, resize=False):
    return R.TensorListSetItem(input_handle=l, index=i, item=value, resize_if_index_out_of_bounds=resize)


def push(l, value):
    return R.TensorListPushBack(input_handle=l, tensor=value)


def empty(dtype, dims=None, most=-1):
    return R.EmptyTensorList(element_shape=shape_of(dims), max_num_elements=most, element_dtype=dtype)


def vector(*variants):
    """A vector of variants, through a list, and one of its elements."""
    l = empty(tf.variant, [])
    for v in variants:
        l = push(l, v)
    return stack(l, tf.variant)


def at(variants, i):
    return get(R.TensorListFromTensor(tensor=variants, element_shape=shape_of([])), i, tf.variant)


def every_dtype(writer, data):
    for dtype in DTYPES:
        x = data.tensor(dtype, (4, 3))
        t = tf.as_dtype(dtype)

        def round_trip(x):
            l = R.TensorListFromTensor(tensor=x, element_shape=shape_of([3]))
            changed = put(l, 1, x[3])
            return stack(l, t), stack(changed, t, [3], 4), get(changed, 1, t), R.TensorListLength(input_handle=l)

        writer.add_graph('FromTensor, SetItem, Stack %s' % dtype, round_trip, [x])

        def zeros(x):
            l = put(put(reserve(t, 5, [None]), 1, x[0]), 3, x[2])
            return stack(l, t), get(l, 0, t), get(l, 1, t)

        writer.add_graph('elements that are not set %s' % dtype, zeros, [x])

        def pops(x):
            l = push(push(empty(t, [3]), x[0]), x[1])
            popped = R.TensorListPopBack(input_handle=l, element_shape=shape_of([3]), element_dtype=t)
            return popped.tensor, stack(popped.output_handle, t), stack(l, t)

        writer.add_graph('PushBack, PopBack %s' % dtype, pops, [x])

        def joins(x, i):
            l = R.TensorListFromTensor(tensor=x, element_shape=shape_of(None))
            gathered = R.TensorListGather(input_handle=l, indices=i, element_shape=shape_of(None), element_dtype=t)
            c2 = R.TensorListConcatV2(
                input_handle=l, element_shape=shape_of([None]), leading_dims=tf.zeros([0], tf.int64), element_dtype=t
            )
            c1 = R.TensorListConcat(input_handle=l, element_dtype=t)
            return gathered, c2.tensor, c2.lengths, c1.tensor, c1.lengths

        writer.add_graph('Gather, Concat %s' % dtype, joins, [x, i32([3, 0, 0, 2])])

        def scatters(x, i):
            l = R.TensorListScatterV2(tensor=x, indices=i, element_shape=shape_of([3]), num_elements=-1)
            l1 = R.TensorListScatter(tensor=x, indices=i, element_shape=shape_of(None))
            # Without a gap behind the old end, where stock puts elements of dtype float.
            longer = R.TensorListScatterIntoExistingList(input_handle=l, tensor=x, indices=(i + 7) % 9)
            return stack(l, t), stack(longer, t), stack(l1, t, [3]), stack(l, t)

        writer.add_graph('Scatter %s' % dtype, scatters, [x, i32([3, 0, 6, 2])])

        def splits(x, lengths):
            l = R.TensorListSplit(tensor=x, element_shape=shape_of([None, 3]), lengths=lengths)
            c = R.TensorListConcatV2(
                input_handle=l, element_shape=shape_of(None), leading_dims=tf.zeros([0], tf.int64), element_dtype=t
            )
            return get(l, 0, t), get(l, 2, t), c.tensor, c.lengths

        writer.add_graph('Split %s' % dtype, splits, [x, np.int64([1, 0, 3])])


def lists(writer, data, scale):
    every_dtype(writer, data)
    f = tf.float32
    x = data.tensor('float32', (4, 3))

    def shapes(x):
        a, b, c = empty(f, None), empty(f, [None, 3]), empty(f, [])
        e = lambda l, t: R.TensorListElementShape(input_handle=l, shape_type=t)
        return [e(l, t) for l in (a, b, c) for t in (tf.int32, tf.int64)]

    writer.add_graph('ElementShape', shapes, [x])

    def resizing(x):
        l = R.TensorListFromTensor(tensor=x, element_shape=shape_of([3]))
        r = lambda n: R.TensorListResize(input_handle=l, size=n)
        return [stack(r(n), f) for n in (0, 2, 4, 7)] + [stack(put(l, 6, x[0], True), f), stack(l, f)]

    writer.add_graph('Resize', resizing, [x])

    def joined(x):
        l = R.TensorListFromTensor(tensor=x, element_shape=shape_of([3]))
        m = push(empty(f, [3]), x[1])
        both = R.TensorListConcatLists(input_a=l, input_b=m, element_dtype=f)
        pair = R.TensorListConcatLists(input_a=vector(l, m), input_b=vector(m, l), element_dtype=f)
        return stack(both, f), stack(at(pair, 0), f), stack(at(pair, 1), f), stack(l, f), stack(m, f)

    writer.add_graph('ConcatLists', joined, [x])

    def batch(x):
        ls = vector(empty(f, [3]), R.TensorListFromTensor(tensor=x, element_shape=shape_of([3])))
        more = R.TensorListPushBackBatch(input_handles=ls, tensor=x[:2])
        return stack(at(more, 0), f), stack(at(more, 1), f), stack(at(ls, 1), f)

    writer.add_graph('PushBackBatch', batch, [x])

    def nested(x):
        inner = R.TensorListFromTensor(tensor=x, element_shape=shape_of([3]))
        outer = push(push(empty(tf.variant, []), inner), empty(f, [3]))
        first = get(outer, 0, tf.variant)
        both = stack(outer, tf.variant)
        return stack(first, f), stack(at(both, 0), f), stack(at(both, 1), f), R.TensorListLength(input_handle=outer)

    writer.add_graph('lists of lists', nested, [x])

    def uninitialised_lengths(x):
        l = put(reserve(f, 3, [None, 3]), 1, x)
        c = lambda leading: R.TensorListConcatV2(
            input_handle=l, element_shape=shape_of([None, 3]), leading_dims=np.int64(leading), element_dtype=f
        )
        return [t for leading in ([], [2, 9, 1], [0]) for t in c(leading)]

    writer.add_graph('Concat of elements that are not set', uninitialised_lengths, [x])

    def zeros_and_sums(x):
        l = R.TensorListFromTensor(tensor=x, element_shape=shape_of([3]))
        half = put(reserve(f, 4, [None]), 2, x[0])
        z, sum2, sum3 = tf.raw_ops.ZerosLike(x=l), R.AddN(inputs=[l, half]), R.AddN(inputs=[l, l, half])
        return stack(z, f), stack(sum2, f), stack(sum3, f), stack(l, f), stack(half, f)

    writer.add_graph('ZerosLike and AddN of lists', zeros_and_sums, [x])

    # Rounding shows the order in which they are added.
    for n in range(2, 12):
        many = np.float32([[3.3e7, 0.7, 1.1e-3][i % 3] * (1 - i % 2 * 2) * (i + 1) for i in range(n)])

        def order(y, n=n):
            lists = [R.TensorListFromTensor(tensor=y[i : i + 1], element_shape=shape_of([])) for i in range(n)]
            return [stack(R.AddN(inputs=lists), f)]

        writer.add_graph(f'order of AddN of {n} lists', order, [many], tolerance=0)

    def empty_ones(x):
        e = empty(f, [2, 3])
        none = tf.zeros([0], tf.int32)
        c = R.TensorListConcatV2(
            input_handle=e, element_shape=shape_of([None, 3]), leading_dims=tf.zeros([0], tf.int64), element_dtype=f
        )
        return (
            stack(e, f),
            R.TensorListGather(input_handle=e, indices=none, element_shape=shape_of(None), element_dtype=f),
            c.tensor,
            c.lengths,
            stack(R.TensorListFromTensor(tensor=x[:0], element_shape=shape_of([3])), f),
            stack(R.TensorListFromTensor(tensor=x[:, :0], element_shape=shape_of([0])), f),
        )

    writer.add_graph('empty lists', empty_ones, [x])

    refused = {
        'index at the end': lambda x: get(R.TensorListFromTensor(tensor=x, element_shape=-1), 4, f),
        'negative index': lambda x: get(R.TensorListFromTensor(tensor=x, element_shape=-1), -1, f),
        'set behind the end': lambda x: stack(put(reserve(f, 2), 2, x), f),
        'shape of element': lambda x: stack(put(reserve(f, 2, [None, 4]), 1, x), f),
        'rank of element': lambda x: stack(push(empty(f, [3]), x), f),
        'dtype': lambda x: get(reserve(tf.int32, 2, [2]), 0, f),
        'full': lambda x: R.TensorListLength(input_handle=push(push(empty(f, None, 1), x), x)),
        'pop from empty': lambda x: R.TensorListPopBack(
            input_handle=empty(f), element_shape=-1, element_dtype=f
        ).tensor,
        'stack of unlike': lambda x: stack(push(push(empty(f), x), x[0]), f),
        'stack of none': lambda x: stack(empty(f), f),
        'stack of unset': lambda x: stack(reserve(f, 2), f),
        'stack of another number': lambda x: stack(R.TensorListFromTensor(tensor=x, element_shape=-1), f, None, 3),
        'stack to another shape': lambda x: stack(R.TensorListFromTensor(tensor=x, element_shape=-1), f, [4]),
        'negative reserve': lambda x: R.TensorListLength(input_handle=reserve(f, -1)),
        'negative resize': lambda x: R.TensorListLength(
            input_handle=R.TensorListResize(input_handle=empty(f), size=-1)
        ),
        'lengths too short': lambda x: R.TensorListLength(
            input_handle=R.TensorListSplit(tensor=x, element_shape=-1, lengths=np.int64([1, 2]))
        ),
        'lengths too long': lambda x: R.TensorListLength(
            input_handle=R.TensorListSplit(tensor=x, element_shape=-1, lengths=np.int64([1, 4]))
        ),
        'negative length': lambda x: R.TensorListLength(
            input_handle=R.TensorListSplit(tensor=x, element_shape=-1, lengths=np.int64([5, -1]))
        ),
        'negative scatter': lambda x: R.TensorListLength(
            input_handle=R.TensorListScatterV2(tensor=x, indices=[0, 1, 2, -1], element_shape=-1, num_elements=5)
        ),
        'scatter behind the end': lambda x: R.TensorListLength(
            input_handle=R.TensorListScatterV2(tensor=x, indices=[0, 1, 2, 5], element_shape=-1, num_elements=5)
        ),
        'gather behind the end': lambda x: R.TensorListGather(
            input_handle=R.TensorListFromTensor(tensor=x, element_shape=-1),
            indices=[4],
            element_shape=-1,
            element_dtype=f,
        ),
        'concat of scalars': lambda x: R.TensorListConcatV2(
            input_handle=push(empty(f), x[0, 0]), element_shape=-1, leading_dims=tf.zeros([0], tf.int64), element_dtype=f
        ).tensor,
        'concat of unlike': lambda x: R.TensorListConcatV2(
            input_handle=push(push(empty(f), x), x[0]),
            element_shape=-1,
            leading_dims=tf.zeros([0], tf.int64),
            element_dtype=f,
        ).tensor,
        'sum of lists of other lengths': lambda x: stack(R.AddN(inputs=[reserve(f, 2, [3]), reserve(f, 3, [3])]), f),
        'no list': lambda x: R.TensorListLength(input_handle=R.OptionalNone()),
    }
    for name, build in refused.items():
        writer.add_graph('list: ' + name, build, [x], must_fail=True)


# ---- TensorArrays ----


class Array:
    def __init__(self, dtype=tf.float32, size=3, **attrs):
        self.dtype = tf.as_dtype(dtype)
        self.handle, self.flow = R.TensorArrayV3(size=size, dtype=self.dtype, **attrs)

    def write(self, i, value):
        self.flow = R.TensorArrayWriteV3(handle=self.handle, index=i, value=value, flow_in=self.flow)
        return self

    def scatter(self, i, value):
        self.flow = R.TensorArrayScatterV3(handle=self.handle, indices=i, value=value, flow_in=self.flow)
        return self

    def split(self, value, lengths):
        self.flow = R.TensorArraySplitV3(
            handle=self.handle, value=value, lengths=np.int64(lengths), flow_in=self.flow
        )
        return self

    def read(self, i):
        return R.TensorArrayReadV3(handle=self.handle, index=i, flow_in=self.flow, dtype=self.dtype)

    def gather(self, i, **attrs):
        return R.TensorArrayGatherV3(handle=self.handle, indices=i, flow_in=self.flow, dtype=self.dtype, **attrs)

    def concat(self, **attrs):
        return list(R.TensorArrayConcatV3(handle=self.handle, flow_in=self.flow, dtype=self.dtype, **attrs))

    def size(self):
        return R.TensorArraySizeV3(handle=self.handle, flow_in=self.flow)

    def twice(self, i):
        first = self.read(i)
        with tf.control_dependencies([first]):
            return [first, self.read(i)]


class Gradient(Array):
    """The array of gradients of another one."""

    def __init__(self, of, source='gradients', leading=None):
        self.dtype = of.dtype
        if leading is None:
            made = R.TensorArrayGradV3(handle=of.handle, flow_in=of.flow, source=source)
        else:
            made = R.TensorArrayGradWithShape(
                handle=of.handle, flow_in=of.flow, shape_to_prepend=leading, source=source
            )
        self.handle, self.flow = made.grad_handle, made.flow_out


def gradients(writer, data, scale):
    for dtype in DTYPES:
        if dtype in ('bool', 'string') or dtype in INTS:
            continue
        x = data.tensor(dtype, (3, 2))

        def adds_up(x):
            a = Array(dtype).scatter([0, 1, 2], x)
            g = Gradient(a).write(0, x[1]).write(2, x[0]).write(0, x[2])
            again = Gradient(a)  # the same array
            again.flow = g.flow
            return again.size(), g.gather([1, 0]), again.read(2)

        writer.add_graph('gradients of a TensorArray %s' % dtype, adds_up, [x])
    x = data.tensor('float32', (3, 2))

    def shapes(x):
        a = Array(size=4).write(0, x).write(2, x[1])
        read = a.read(0)
        with tf.control_dependencies([read]):
            g = Gradient(a)
        return g.read(0), g.read(2)

    def several(x):
        a = Array().write(0, x[0])
        one, two = Gradient(a, 'one').write(0, x[1]), Gradient(a, 'two').write(0, x[2])
        return one.read(0), two.read(0)

    def leading(x):
        a = Array(size=2).write(0, x[0]).write(1, x[1])
        g = Gradient(a, leading=[3]).write(1, x)
        return g.gather([0, 1])

    for name, build in (('shapes', shapes), ('several', several), ('leading', leading)):
        writer.add_graph('gradients of a TensorArray: ' + name, build, [x])

    def grows(x):
        a = Array(size=1, dynamic_size=True).write(0, x)
        with tf.control_dependencies([Gradient(a).flow]):
            return Array.write(a, 3, x).size()

    refused = {
        'other shape': lambda x: Gradient(Array(size=1).write(0, x)).write(0, x[0]).size(),
        'not written': lambda x: Gradient(Array(size=2).write(0, x)).read(1),
        'behind the end': lambda x: Gradient(Array(size=1)).write(1, x).size(),
        'of gradients': lambda x: Gradient(Gradient(Array(size=1).write(0, x)), 'second').size(),
        'grows': grows,
    }
    for name, build in refused.items():
        writer.add_graph('gradients of a TensorArray: ' + name, build, [x], must_fail=True)

    def stacks(x):
        s = R.StackV2(max_size=-1, elem_type=tf.float32)
        first = R.StackPushV2(handle=s, elem=x[0])
        with tf.control_dependencies([first]):
            second = R.StackPushV2(handle=s, elem=x, swap_memory=True)
        with tf.control_dependencies([second]):
            top = R.StackPopV2(handle=s, elem_type=tf.float32)
        with tf.control_dependencies([top]):
            bottom = R.StackPopV2(handle=s, elem_type=tf.float32)
        with tf.control_dependencies([bottom]), tf.control_dependencies([R.StackCloseV2(handle=s)]):
            return first, second, top, bottom, tf.identity(x)

    writer.add_graph('stacks', stacks, [x])

    def pushed(x, size, count, dtype=tf.float32):
        s, done = R.StackV2(max_size=size, elem_type=dtype), []
        for _ in range(count):
            with tf.control_dependencies(done):
                done = [R.StackPushV2(handle=s, elem=x)]
        return s, done

    def popped(x, close=False):
        s, done = pushed(x, 3, 0 if not close else 1)
        done = [R.StackCloseV2(handle=s)] if close else done
        with tf.control_dependencies(done):
            return R.StackPopV2(handle=s, elem_type=tf.float32)

    writer.add_graph('stack: full', lambda x: pushed(x, 2, 2)[1], [x])
    writer.add_graph('stack: too many', lambda x: pushed(x, 2, 3)[1], [x], must_fail=True)
    writer.add_graph('stack: other dtype', lambda x: pushed(x, 2, 1, tf.int32)[1], [x], must_fail=True)
    writer.add_graph('stack: empty', popped, [x], must_fail=True)

    # Loops of TensorFlow 1 keep what their gradient needs on stacks and in arrays.
    def through_loop(x):
        tf.compat.v1.disable_control_flow_v2()
        try:
            a = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)

            def body(i, total, out):
                value = a.read(i) * total
                return i + 1, total + tf.reduce_sum(value), out.write(i, value)

            _, total, out = tf.while_loop(
                lambda i, total, out: i < 3, body, [tf.constant(0), tf.constant(0.5), tf.TensorArray(tf.float32, 3)]
            )
            return [total, tf.compat.v1.gradients(tf.reduce_sum(out.stack() ** 2.0) + total, x)[0]]
        finally:
            tf.compat.v1.enable_control_flow_v2()

    writer.add_graph('gradients through a loop', through_loop, [x])


def arrays(writer, data, scale):
    for dtype in DTYPES:
        if dtype in INTS[:2]:
            continue
        x = data.tensor(dtype, (3, 2))

        def round_trip(x):
            a = Array(dtype, clear_after_read=False).write(2, x[0]).write(0, x[1]).write(1, x[2])
            b = Array(dtype).scatter([1, 0, 2], x)
            c = Array(dtype, size=2).split(x, [2, 1])
            return a.read(0), a.gather([0, 1, 2, 2]), b.gather([0, 2]), b.size(), c.concat()

        writer.add_graph('TensorArray %s' % dtype, round_trip, [x])

        def unwritten(x):
            a = Array(dtype, element_shape=[2]).write(1, x[0])
            b = Array(dtype, identical_element_shapes=True).write(2, x[0])
            return a.gather([0, 1, 2]), b.read(0)

        if dtype != 'string':  # which stock refuses, and which are empty strings here
            writer.add_graph('elements of a TensorArray that were not written %s' % dtype, unwritten, [x])
    x = data.tensor('float32', (3, 2))
    ok = {
        'grows': lambda x: Array(size=0, dynamic_size=True).write(4, x[0]).size(),
        'grows by scatter': lambda x: Array(size=1, dynamic_size=True).scatter([5, 0, 2], x).size(),
        'grows by split': lambda x: Array(size=1, dynamic_size=True).split(x, [1, 0, 2]).concat(),
        'no elements': lambda x: Array().gather(tf.zeros([0], tf.int32), element_shape=[3]),
        'nothing to concat': lambda x: Array(size=0).concat(element_shape_except0=[4]),
        'zeros to concat': lambda x: Array(element_shape=[2, 4]).concat(),
        'read again': lambda x: Array(clear_after_read=False).write(0, x).twice(0),
    }
    for name, build in ok.items():
        writer.add_graph('TensorArray: ' + name, build, [x])

    def closed(x):
        a = Array().write(0, x)
        value = a.read(0)
        with tf.control_dependencies([value]):
            closing = R.TensorArrayCloseV3(handle=a.handle)
        with tf.control_dependencies([closing]):
            return value * 2.0

    writer.add_graph('TensorArray: closed', closed, [x])
    refused = {
        'write behind the end': lambda x: Array().write(3, x).size(),
        'negative write': lambda x: Array(dynamic_size=True).write(-1, x).size(),
        'write twice': lambda x: Array().write(1, x).write(1, x).size(),
        'other dtype': lambda x: Array(tf.int32).write(1, x).size(),
        'other shape': lambda x: Array(element_shape=[3, None]).write(1, x[:, 0]).size(),
        'other identical shape': lambda x: Array(identical_element_shapes=True).write(1, x).write(0, x[0]).size(),
        'read behind the end': lambda x: Array().read(3),
        'negative read': lambda x: Array().read(-1),
        'read twice': lambda x: Array().write(0, x).twice(0),
        'read of unwritten': lambda x: Array().read(0),
        'gather of unlike': lambda x: Array().write(0, x).write(1, x[0]).gather([0, 1]),
        'gather of another shape': lambda x: Array().write(0, x).gather([0], element_shape=[7]),
        'gather twice': lambda x: Array().write(0, x).gather([0, 0]),
        'scatter twice': lambda x: Array().scatter([0, 0, 1], x).size(),
        'negative scatter': lambda x: Array().scatter([0, -1, 1], x).size(),
        'lengths of another sum': lambda x: Array().split(x, [1, 1, 2]).size(),
        'lengths of another number': lambda x: Array(size=2).split(x, [1, 1, 1]).size(),
        'concat of scalars': lambda x: Array(size=1).write(0, x[0, 0]).concat(),
        'negative size': lambda x: Array(size=-1).size(),
    }
    for name, build in refused.items():
        writer.add_graph('TensorArray: ' + name, build, [x], must_fail=True)


def optionals(writer, data, scale):
    for dtype in DTYPES:
        x = data.tensor(dtype, (2, 3))

        def both(x):
            o = R.OptionalFromValue(components=[x, x[0]])
            n = R.OptionalNone()
            values = R.OptionalGetValue(optional=o, output_types=[x.dtype, x.dtype], output_shapes=[[2, None], [3]])
            return R.OptionalHasValue(optional=o), R.OptionalHasValue(optional=n), values

        writer.add_graph('optional %s' % dtype, both, [x])
    x = data.tensor('float32', (2, 3))
    f = tf.float32

    def sums(x):
        o = R.OptionalFromValue(components=[x])
        z, twice = R.ZerosLike(x=o), R.AddN(inputs=[o, o])
        return [R.OptionalGetValue(optional=v, output_types=[f], output_shapes=[[2, 3]]) for v in (z, twice, o)]

    writer.add_graph('ZerosLike and AddN of optionals', sums, [x])
    value = lambda o, types, shapes: R.OptionalGetValue(optional=o, output_types=types, output_shapes=shapes)
    refused = {
        'nothing': lambda x: value(R.OptionalNone(), [f], [None]),
        'other dtype': lambda x: value(R.OptionalFromValue(components=[x]), [tf.int32], [None]),
        'other shape': lambda x: value(R.OptionalFromValue(components=[x]), [f], [[2, 4]]),
        'other number': lambda x: value(R.OptionalFromValue(components=[x, x]), [f], [None]),
        'no optional': lambda x: R.OptionalHasValue(optional=empty(f)),
    }
    for name, build in refused.items():
        writer.add_graph('optional: ' + name, build, [x], must_fail=True)


FAMILIES = {'lists': lists, 'arrays': arrays, 'gradients': gradients, 'optionals': optionals}
