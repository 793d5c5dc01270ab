"""Cases for variables, behind handles and behind references: what is assigned, gathered and scattered is read again."""

import numpy as np

from case_writer import NUMBERS, REALS, tf

R = tf.raw_ops
ALL = NUMBERS + ['bool', 'string']
ROWS = ('Update', 'Add', 'Sub', 'Mul', 'Div', 'Min', 'Max')
SLICES = ('Update', 'Add', 'Sub', 'Min', 'Max')
counter = 0


def fresh():
    global counter
    counter += 1
    return 'variable_%d' % counter


def handle(x, shape=None):
    """(handle, assigning)"""
    v = R.VarHandleOp(dtype=x.dtype, shape=x.shape if shape is None else shape, shared_name=fresh())
    return v, R.AssignVariableOp(resource=v, value=x)


def after(operation, build):
    with tf.control_dependencies([operation]):
        return build()


def scattered(x, name, attrs):
    """What is in a variable after the op."""

    def build(x, *arguments):
        v, assigned = handle(x)
        extra = attrs if 'Nd' in name else {k: t for k, t in attrs.items() if k != 'bad_indices_policy'}
        first = 'ref' if 'Nd' in name else 'resource'
        done = after(
            assigned,
            lambda: getattr(R, name)(**{first: v}, indices=arguments[0], updates=arguments[1], **extra),
        )
        return after(done, lambda: R.ReadVariableOp(resource=v, dtype=x.dtype))

    return build


def ref_scattered(name):
    def build(x, indices, updates):
        v = R.VariableV2(shape=x.shape, dtype=x.dtype, name=fresh())
        ref = getattr(R, name)(ref=R.Assign(ref=v, value=x), indices=indices, updates=updates)
        return R.Identity(input=ref)

    return build


def possible(dtype, op):
    return op == 'Update' or dtype in REALS or (dtype in NUMBERS and op not in ('Min', 'Max'))


def resource_scatter(writer, data, scale):
    for dtype in ALL:
        x = data.tensor(dtype, (4, 3), 'small')
        indices = data.rng.integers(0, 4, data.choice([(3,), (2, 2), (0,), ()])).astype(data.choice(['int32', 'int64']))
        updates = data.tensor(dtype, indices.shape + (3,), 'small' if dtype in ('bool', 'string') else 'nonzero')
        for op in ROWS:
            if possible(dtype, op):
                name = 'ResourceScatter' + op
                writer.add_graph('%s %s' % (name, dtype), scattered(x, name, {}), [x, indices, updates])
                one = updates.reshape(-1)[:1].reshape(()) if updates.size else data.tensor(dtype, (), 'positive')
                writer.add_graph('%s %s scalar' % (name, dtype), scattered(x, name, {}), [x, indices, one])
        coordinates = np.int64([[1, 2], [0, 0], [1, 2]])
        updates = data.tensor(dtype, (3,), 'small')
        for op in SLICES:
            if possible(dtype, op):
                name = 'ResourceScatterNd' + op
                writer.add_graph('%s %s' % (name, dtype), scattered(x, name, {}), [x, coordinates, updates])
    for op in ('Add', 'Sub'):
        inputs = [np.array([True, False, True]), np.int32([[1], [2]]), np.array([True, True])]
        writer.add_graph('ResourceScatterNd%s bool' % op, scattered(None, 'ResourceScatterNd' + op, {}), inputs)
    x = np.ones((3, 2), 'f')
    for i in ([0, 3], [-1, 0], [0, 1]):
        for updates in (np.ones((2, 2), 'f'), np.ones((2, 3), 'f'), np.ones(2, 'f')):
            writer.add_graph('ResourceScatterAdd %s' % i, scattered(x, 'ResourceScatterAdd', {}), [x, np.int32(i), updates])
            coordinates = np.int32(i)[:, None]
            for policy in ('', 'IGNORE', 'ERROR'):
                build = scattered(x, 'ResourceScatterNdSub', {'bad_indices_policy': policy})
                writer.add_graph('ResourceScatterNdSub %s %s' % (i, policy), build, [x, coordinates, updates])

    def unset(indices, updates):
        v = R.VarHandleOp(dtype=tf.float32, shape=[3, 2], shared_name=fresh())
        return after(
            R.ResourceScatterAdd(resource=v, indices=indices, updates=updates),
            lambda: R.ReadVariableOp(resource=v, dtype=tf.float32),
        )

    writer.add_graph('a variable that is not set', unset, [np.int32([0]), np.ones((1, 2), 'f')], must_fail=True)


def resource_gather(writer, data, scale):
    def gathering(batch_dims):
        def build(x, indices):
            v, assigned = handle(x)
            return after(
                assigned,
                lambda: R.ResourceGather(resource=v, indices=indices, dtype=x.dtype, batch_dims=batch_dims),
            )

        return build

    def picking(x, indices):
        v, assigned = handle(x)
        return after(assigned, lambda: R.ResourceGatherNd(resource=v, indices=indices, dtype=x.dtype))

    for dtype in ALL:
        for shape in ((4, 3), (5,), (2, 3, 2), (3, 0)):
            x = data.tensor(dtype, shape)
            index = data.choice(['int32', 'int64'])
            indices = data.rng.integers(0, shape[0], data.shape(data.choice([0, 1, 2]))).astype(index)
            writer.add_graph('ResourceGather %s' % dtype, gathering(0), [x, np.asarray(indices, index)])
        x = data.tensor(dtype, (3, 4, 2))
        writer.add_graph('ResourceGather %s' % dtype, gathering(1), [x, np.int32([[0, 3], [1, 1], [2, 0]])])
        for i in ([[0, 1, 1], [2, 3, 0]], [[0, 1], [2, 3]], [[2]], np.zeros((2, 0))):
            writer.add_graph('ResourceGatherNd %s' % dtype, picking, [x, np.int64(i)])
    x = np.ones((3, 2), 'f')
    for i in ([0, 3], [-1], [[0, 7]]):
        writer.add_graph('ResourceGather %s' % i, gathering(0), [x, np.int32(i)], must_fail=True)
    writer.add_graph('ResourceGather of a scalar', gathering(0), [np.float32(1), np.int32([0])], must_fail=True)
    writer.add_graph('ResourceGatherNd out of range', picking, [x, np.int32([[0, 2]])], must_fail=True)


def references(writer, data, scale):
    for dtype in ALL:
        x, y = data.tensor(dtype, (4, 3), 'small'), data.tensor(dtype, (4, 3), 'nonzero')

        def assigned(x, y):
            v = R.VariableV2(shape=[4, 3], dtype=x.dtype, name=fresh())
            w = R.Variable(shape=[4, 3], dtype=x.dtype, name=fresh(), shared_name=fresh())
            first = R.Assign(ref=v, value=x)
            second = R.Assign(ref=w, value=y)
            before = R.IsVariableInitialized(ref=R.VariableV2(shape=[], dtype=x.dtype, name=fresh()))
            return R.Identity(input=first), R.Identity(input=second), R.IsVariableInitialized(ref=first), before

        writer.add_graph('VariableV2 %s' % dtype, assigned, [x, y])

        def updated(x, y):
            v = R.VariableV2(shape=[4, 3], dtype=x.dtype, name=fresh())
            more = R.AssignAdd(ref=R.Assign(ref=v, value=x), value=y)
            sum = R.AddV2(x=more, y=tf.zeros_like(x))  # not Identity, whose output stock changes with the variable
            with tf.control_dependencies([sum]):
                less = R.AssignSub(ref=v, value=x)
            return sum, R.Identity(input=less)

        if dtype in NUMBERS:
            writer.add_graph('AssignAdd, AssignSub %s' % dtype, updated, [x, y])
        indices = np.array([3, 0, 3], data.choice(['int32', 'int64']))
        for op in ROWS:
            if possible(dtype, op) and (
                op not in ('Min', 'Max') or dtype in ('float16', 'bfloat16', 'float32', 'float64', 'int32', 'int64')
            ):
                updates = data.tensor(dtype, (3, 3), 'small' if dtype in ('bool', 'string') else 'nonzero')
                writer.add_graph('Scatter%s %s' % (op, dtype), ref_scattered('Scatter' + op), [x, indices, updates])
        for op in ('Update', 'Add', 'Sub'):
            if possible(dtype, op):
                inputs = [x, np.int32([[1], [1]]), data.tensor(dtype, (2, 3), 'small')]
                writer.add_graph('ScatterNd%s %s' % (op, dtype), ref_scattered('ScatterNd' + op), inputs)
    x = np.ones((3, 2), 'f')
    for i in ([3], [-1]):
        inputs = [x, np.int32(i), np.ones((1, 2), 'f')]
        writer.add_graph('ScatterAdd %s' % i, ref_scattered('ScatterAdd'), inputs, must_fail=True)
        inputs[1] = inputs[1][:, None]
        writer.add_graph('ScatterNdAdd %s' % i, ref_scattered('ScatterNdAdd'), inputs, must_fail=True)

    def conditional(x, p):
        v = R.VariableV2(shape=x.shape, dtype=x.dtype, name=fresh())
        false, true = R.RefSwitch(data=R.Assign(ref=v, value=x), pred=p)
        merged = R.RefMerge(inputs=[R.RefIdentity(input=false), R.AssignAdd(ref=true, value=x)])
        return R.Identity(input=merged[0]), merged[1]

    for p in (True, False):
        writer.add_graph('RefSwitch, RefMerge %s' % p, conditional, [x, np.bool_(p)])

    def unset():
        return R.Identity(input=R.VariableV2(shape=[2], dtype=tf.float32, name=fresh()))

    writer.add_graph('a reference to nothing', unset, [], must_fail=True)


FAMILIES = {'resource_scatter': resource_scatter, 'resource_gather': resource_gather, 'references': references}
