"""cases.py: what is asked of the kernels in kernels_*.cc. Each case builds nodes and returns what to fetch and feed.

A case gets a Graph (host.py) and returns (fetches, feeds), or (fetches, feeds, runs) to run more than once in one session. What
is compared is the inferred shape of each fetch, the values, and the code of an error.
"""

import numpy as np

from host import Type

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def ramp(*shape, dtype=np.float32, start=-3, step=0.75):
    return (np.arange(np.prod(shape), dtype=np.float64) * step + start).astype(dtype).reshape(shape)


def table(name, build):
    CASES[name] = build


for _dtype in ('float32', 'float64', 'int32', 'uint8', 'int16', 'int8', 'int64', 'uint16', 'uint32', 'uint64', 'float16', 'complex64'):
    table('add_one_' + _dtype, lambda g, d=_dtype: ([g.op('OwnAddOne', g.constant(ramp(3, 5, start=2, step=2).astype(d)))], []))
for _shape in ((), (0,), (1,), (2, 0, 3), (7,), (3, 1, 5)):
    table('add_one_shape_%s' % 'x'.join(map(str, _shape)), lambda g, s=_shape: ([g.op('OwnAddOne', g.constant(ramp(*s)))], []))


@case
def add_one_fed(g):
    x = g.feed('float32', [None, 4])
    return [g.op('OwnAddOne', x)], [(x, ramp(3, 4))]


@case
def add_one_of_a_type_without_kernel(g):
    return [g.op('OwnAddOne', g.constant(ramp(3).astype(np.complex128)))], []


@case
def casts(g):
    f = g.constant(ramp(4, 3))
    i = g.op('OwnCast', f, DstT=Type(3))
    half = g.op('OwnCast', f, DstT=Type(19))
    brain = g.op('OwnCast', f, DstT=Type(14))
    return [i, g.op('OwnCast', i, DstT=Type(1)), half, g.op('OwnCast', half, DstT=Type(1)), brain,
            g.op('OwnCast', brain, DstT=Type(2)), g.op('OwnCast', g.constant(np.arange(6, dtype=np.uint8)), DstT=Type(9))], []


@case
def scale(g):
    return [g.op('OwnScale', g.constant(ramp(5, 9)), g.constant(np.float32(1.5)))], []


@case
def scale_by_a_vector(g):
    return [g.op('OwnScale', g.constant(ramp(5)), g.constant(ramp(2)))], []


@case
def scale_by_a_fed_vector(g):
    factor = g.feed('float32', None)
    return [g.op('OwnScale', g.constant(ramp(5)), factor)], [(factor, ramp(2))]


for _a in (False, True):
    for _b in (False, True):
        table('matmul_%d%d' % (_a, _b), lambda g, a=_a, b=_b: (
            [g.op('OwnMatMul', g.constant(ramp(*((4, 3) if a else (3, 4)))), g.constant(ramp(*((5, 4) if b else (4, 5)))),
                  transpose_a=a, transpose_b=b)], []))


@case
def matmul_int32(g):
    return [g.op('OwnMatMul', g.constant(ramp(2, 3, dtype=np.int32)), g.constant(ramp(3, 2, dtype=np.int32)))], []


@case
def matmul_that_does_not_fit_when_fed(g):
    a = g.feed('float32', None)
    return [g.op('OwnMatMul', a, g.constant(ramp(3, 2)))], [(a, ramp(2, 4))]


@case
def softplus_sum(g):
    return g.op('OwnSoftplusSum', g.constant(ramp(6, 5, 7)), outputs=2), []


@case
def softplus_sum_large(g):
    x = g.feed('float32', [None, None])
    return g.op('OwnSoftplusSum', x, outputs=2), [(x, ramp(500, 300, step=0.001))]


@case
def squares(g):
    return [g.op('OwnSquares', g.constant(np.int64(5000)))], []


@case
def squares_of_too_many(g):
    n = g.feed('int64', [])
    return [g.op('OwnSquares', n)], [(n, np.int64(-4))]


@case
def broadcast_mul(g):
    return [g.op('OwnBroadcastMul', g.constant(ramp(4, 1)), g.constant(ramp(1, 6))),
            g.op('OwnBroadcastMul', g.constant(ramp(4, 6, dtype=np.int32)), g.constant(ramp(1, 6, dtype=np.int32)))], []


@case
def broadcast_mul_partly_known(g):
    x, y = g.feed('float32', [None, 1]), g.feed('float32', [3, None])
    return [g.op('OwnBroadcastMul', x, y)], [(x, ramp(1, 1)), (y, ramp(3, 4))]


@case
def broadcast_mul_that_does_not_fit(g):
    return [g.op('OwnBroadcastMul', g.constant(ramp(4, 2)), g.constant(ramp(4, 3)))], []


@case
def bits(g):
    return g.op('OwnBits', g.constant(ramp(4, 3)), outputs=2), []


@case
def histogram(g):
    return [g.op('OwnHistogram', g.constant(np.int32([1, 1, 4, 0, 2, 1])), bins=5)], []


@case
def histogram_out_of_range(g):
    return [g.op('OwnHistogram', g.constant(np.int32([1, 7])), bins=5)], []


@case
def histogram_without_bins(g):
    return [g.op('OwnHistogram', g.constant(np.int32([1, 7])), bins=0)], []


@case
def positive(g):
    return g.op('OwnPositive', g.constant(ramp(9)), outputs=2), []


@case
def positive_of_none(g):
    return g.op('OwnPositive', g.constant(-np.ones(4, np.float32)), outputs=2), []


@case
def positive_of_a_matrix(g):
    return g.op('OwnPositive', g.constant(ramp(2, 2)), outputs=2), []


@case
def stack(g):
    return [g.op('OwnStack', [g.constant(ramp(2, 3, start=i)) for i in range(12)])], []


@case
def stack_of_shapes_that_differ(g):
    x = g.feed('int32', None)
    return [g.op('OwnStack', [x, g.constant(np.int32([1, 2]))])], [(x, np.int32([1, 2, 3]))]


@case
def rows(g):
    return g.op('OwnRows', g.constant(ramp(11, 3, 5)), outputs=11, N=11), []


@case
def rows_of_another_number(g):
    return g.op('OwnRows', g.constant(ramp(4, 3)), outputs=2, N=2), []


@case
def identity_list(g):
    return g.op('OwnIdentityList', [g.constant(ramp(2)), g.constant(np.int64(7)), g.constant(np.array([b'a', b'bc'], object))],
                outputs=3), []


@case
def channel_sum(g):
    return [g.op('OwnChannelSum', g.constant(ramp(2, 3, 4, 5)), data_format=f) for f in ('NHWC', 'NCHW')], []


@case
def window_max(g):
    x = g.constant(np.float32([3, 1, 4, 1, 5, 9, 2, 6]))
    return [g.op('OwnWindowMax', x, size=3, stride=s, padding=p) for s in (1, 2, 3) for p in ('SAME', 'VALID')], []


@case
def window_max_of_an_unknown_padding(g):
    return [g.op('OwnWindowMax', g.constant(ramp(4)), size=3, padding='FULL')], []


@case
def attributes(g):
    return [g.op('OwnAttrs'), g.op('OwnAttrs', i=5, f=-1.5, b=False, s='', t=Type(7), ints=[], floats=[1.0, 2.5], bools=[False],
                                   strings=['x', 'a longer text than fits in a few bytes'], types=[Type(9)])], []


@case
def construction_refused(g):
    return [g.op('OwnRefused', limit=12)], []


@case
def computation_failed(g):
    return [g.op('OwnRefused', limit=2)], []


@case
def join(g):
    long = 'a text that is longer than a tstring keeps in itself'
    parts = [g.constant(np.array(text, object)) for text in (['a', 'b', ''], ['x', long, ''], ['1', '2', '3'])]
    return [g.op('OwnJoin', parts), g.op('OwnJoin', parts[:2], separator='\x00')], []


@case
def words(g):
    return g.op('OwnWords', g.constant(np.array(b'  one two   three and one more that is longer ', object)), outputs=2), []


@case
def words_of_nothing(g):
    return g.op('OwnWords', g.constant(np.array(b'', object)), outputs=2), []


@case
def fill(g):
    return [g.op('OwnFill', g.constant(np.int32([2, 3])), g.constant(np.float32(1.5))),
            g.op('OwnFill', g.constant(np.int64([4])), g.constant(np.array(b'text', object)), Index=Type(9)),
            g.op('OwnFill', g.constant(np.int32([0, 5])), g.constant(np.int32(3)))], []


@case
def fill_fed(g):
    dims = g.feed('int32', [3])
    return [g.op('OwnFill', dims, g.constant(np.int32(7)))], [(dims, np.int32([2, 1, 2]))]


@case
def fill_with_a_negative_size(g):
    dims = g.feed('int32', [1])
    return [g.op('OwnFill', dims, g.constant(np.int32(7)))], [(dims, np.int32([-2]))]


@case
def grow(g):
    return [g.op('OwnGrow', g.constant(ramp(2, 3)), g.constant(np.int32(axis))) for axis in (0, 1)], []


@case
def grow_fed(g):
    axis, x = g.feed('int32', []), g.feed('float32', [None, 3])
    return [g.op('OwnGrow', x, axis), g.op('OwnGrow', x, g.constant(np.int32(0)))], [(axis, np.int32(1)), (x, ramp(2, 3))]


@case
def counter(g):
    return [g.op('OwnCounter'), g.op('OwnCounter')], [], 3


@case
def slow_double(g):
    return [g.op('OwnSlowDouble', g.op('OwnSlowDouble', g.constant(ramp(3, 4))))], [], 3


@case
def slow_double_refused(g):
    x = g.feed('float32', None)
    return [g.op('OwnSlowDouble', x)], [(x, ramp(1, 2, 1))]


@case
def resource_of_a_kernel(g):
    t = g.op('OwnTable', shared_name='resource_of_a_kernel')
    same = g.op('OwnTable', shared_name='resource_of_a_kernel')
    put = g.op('OwnTablePut', t, g.constant(np.int64([3, 5])), g.constant(np.float32([0.5, 7])))
    get = g.op('OwnTableGet', same, g.constant(np.int64([5, 4, 3])), control=[put.oper])
    return [put, get], [], 2


@case
def resources_that_are_private(g):
    a, b = g.op('OwnTable'), g.op('OwnTable')
    put = g.op('OwnTablePut', a, g.constant(np.int64([3])), g.constant(np.float32([0.5])))
    keys = g.constant(np.int64([3]))
    return [g.op('OwnTableGet', t, keys, control=[put.oper]) for t in (a, b)], []


@case
def resource_by_name(g):
    t = g.op('OwnTableNamed', table_name='resource_by_name')
    return [g.op('OwnTableGet', t, g.constant(np.int64([1, 2])))], []


@case
def variant(g):
    pair = g.op('OwnPairMake', g.constant(ramp(2, 2)), g.constant(np.int64(42)))
    return g.op('OwnPairTake', pair, outputs=2), [], 2


@case
def variant_through_another_node(g):
    pair = g.op('OwnPairMake', g.constant(ramp(3)), g.constant(np.int64(-1)))
    return g.op('OwnPairTake', g.op('Identity', pair), outputs=2), []
