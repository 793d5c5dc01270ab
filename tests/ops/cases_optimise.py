"""Cases for the optimisers in train.so, behind handles and behind references: what the variables hold after a step."""

import numpy as np
from tensorflow.python.framework import op_def_registry

from case_writer import COMPLEX, FLOATS, np_type, tf

R = tf.raw_ops
TOLERANCE = {
    'float16': (2e-2, 2e-2),
    'bfloat16': (1e-1, 1e-1),
    'float32': (1e-4, 1e-4),
    'float64': (1e-10, 1e-10),
    'complex64': (1e-3, 1e-3),
    'complex128': (1e-9, 1e-9),
}
# FTRL takes differences of roots, which stock rounds to halves.
CANCELLED = {'float16': (1e-1, 1e-1), 'bfloat16': (3e-1, 1.0)}
SCALARS = {
    'alpha': 0.5,
    'beta': 0.75,
    'beta1': 0.75,
    'beta1_power': 0.5,
    'beta2': 0.5,
    'beta2_power': 0.25,
    'epsilon': 0.0625,
    'l1': 0.0625,
    'l2': 0.125,
    'l2_shrinkage': 0.25,
    'logbase': 0.5,
    'lr': 0.125,
    'lr_power': -0.5,
    'momentum': 0.5,
    'rho': 0.75,
    'sign_decay': 0.25,
}
FLAGS = ('use_nesterov', 'update_slots', 'multiply_linear_by_lr')
# What both forms of a step, on whole variables and on rows, are called behind.
FORMS = ('Apply', 'ResourceApply', 'SparseApply', 'ResourceSparseApply')
STEPS = (
    'GradientDescent',
    'ProximalGradientDescent',
    'Momentum',
    'KerasMomentum',
    'Adagrad',
    'AdagradV2',
    'ProximalAdagrad',
    'AdagradDA',
    'Adadelta',
    'Ftrl',
    'FtrlV2',
    'Adam',
    'AdamWithAmsgrad',
    'AdaMax',
    'RMSProp',
    'CenteredRMSProp',
    'AddSign',
    'PowerSign',
)
counter = 0


def fresh():
    global counter
    counter += 1
    return 'optimised_%d' % counter


class Step:
    """An op with its inputs told apart."""

    def __init__(self, op):
        definition = op_def_registry.get(op)
        self.op = op
        self.by_handle = 'Resource' in op
        arguments = definition.input_arg
        self.variables = [a.name for a in arguments if a.is_ref or a.type == tf.resource.as_datatype_enum]
        self.others = [a.name for a in arguments if a.name not in self.variables]
        self.flags = [a.name for a in definition.attr if a.name in FLAGS]

    def build(self, attrs, hidden=False):
        """A builder for values of the variables, then of the other inputs; `hidden`: no shape is known in the graph."""

        def graph(*values):
            count = len(self.variables)
            held, waits = [], []
            if hidden:
                values = [R.PlaceholderWithDefault(input=x, shape=tf.TensorShape(None)) for x in values]
            for x in values[:count]:
                if self.by_handle:
                    held.append(R.VarHandleOp(dtype=x.dtype, shape=x.shape, shared_name=fresh()))
                    waits.append(R.AssignVariableOp(resource=held[-1], value=x))
                else:
                    v = R.VariableV2(shape=x.shape, dtype=x.dtype, name=fresh())
                    held.append(R.Assign(ref=v, value=x, validate_shape=not hidden))
            inputs = dict(zip(self.variables + self.others, held + list(values[count:])))
            with tf.control_dependencies(waits):
                done = getattr(R, self.op)(**inputs, **attrs)
            with tf.control_dependencies([done]):
                if self.by_handle:
                    return [R.ReadVariableOp(resource=v, dtype=x.dtype) for v, x in zip(held, values)]
                return [R.Identity(input=v) for v in [done] + held[1:]]

        return graph

    def values(self, data, dtype, shape, rows, changed=()):
        """Values of all inputs; `rows`: the indices of a sparse step."""
        one = lambda value: np.asarray(value, np_type(dtype))
        values = []
        for name in self.variables:
            x = data.tensor(dtype, shape, 'normal' if name in ('var', 'linear') else 'positive')
            if name == 'mg':  # its square is less than the mean of squares
                x = x * one(0.03125)
            if name == 'ms':
                x = x + one(1)
            values.append(np.asarray(x, np_type(dtype)))
        for name in self.others:
            if name == 'indices':
                values.append(rows)
            elif name in ('grad', 'delta'):
                values.append(data.tensor(dtype, shape if rows is None else (len(rows),) + shape[1:]))
            elif name == 'global_step':
                values.append(np.int64(3))
            else:
                values.append(one(SCALARS[name]))
        for name, value in dict(changed).items():
            if name in self.variables + self.others:
                at = (self.variables + self.others).index(name)
                values[at] = np.asarray(value, values[at].dtype if name in SCALARS else None)
        return values


def all_steps():
    names = [form + step for step in STEPS for form in FORMS]
    return [Step(name) for name in names if op_def_registry.get(name) is not None]


def steps(writer, data, scale):
    for step in all_steps():
        for dtype in FLOATS + COMPLEX:
            for shape in ((3, 4), data.choice([(5,), (0, 2), (2, 1, 37)])):
                rows = None
                if 'indices' in step.others:
                    count = int(data.choice([0, 1, 3, 4])) if shape[0] else 0
                    rows = data.rng.integers(0, max(shape[0], 1), count).astype(data.choice(['int32', 'int64']))
                elif shape == (5,):
                    shape = data.choice([(), (5,), (1001,)])
                attrs = {name: data.flip() for name in step.flags}
                changed = {'l1': data.choice([0.0, 0.0625]), 'lr_power': data.choice([-0.5, -0.75])}
                values = step.values(data, dtype, shape, rows, changed)
                label = '%s %s %s %s' % (step.op, dtype, shape, attrs)
                tolerance = TOLERANCE[dtype]
                if 'Ftrl' in step.op and dtype in CANCELLED:
                    tolerance = CANCELLED[dtype]
                writer.add_graph(label, step.build(attrs), values, tolerance)


def bad_steps(writer, data, scale):
    for step in all_steps():
        rows = np.int32([1, 0, 2]) if 'indices' in step.others else None
        changes = [{'grad': np.ones((4, 3), 'f'), 'delta': np.ones((4, 3), 'f')}]
        if rows is not None:
            changes += [{'indices': np.int32([0, 3, 1])}, {'indices': np.int32([0, -1, 1])}, {'indices': np.int32([[0, 1, 2]])}]
        if 'Ftrl' in step.op:
            changes += [{'lr': -1.0}, {'l1': -1.0}, {'l2': -1.0}, {'lr_power': 1.0}, {'l2_shrinkage': -1.0}]
        # Stock does not compare the last variable of some, and so reads behind it.
        if len(step.variables) > 1 and 'Adadelta' not in step.op and 'Amsgrad' not in step.op:
            changes.append({step.variables[-1]: np.ones((3, 5), 'f')})
        for change in changes:
            if not set(change) & set(step.variables + step.others):
                continue
            values = step.values(data, 'float32', (3, 4), rows, change)
            label = '%s with a bad %s' % (step.op, '/'.join(change))
            writer.add_graph(label, step.build({}, hidden=True), values, must_fail=True)


def unset(writer, data, scale):
    def build(grad):
        v = R.VarHandleOp(dtype=tf.float32, shape=[2], shared_name=fresh())
        with tf.control_dependencies([R.ResourceApplyGradientDescent(var=v, alpha=0.5, delta=grad)]):
            return R.ReadVariableOp(resource=v, dtype=tf.float32)

    writer.add_graph('a step of a variable that is not set', build, [np.ones(2, 'f')], must_fail=True)


FAMILIES = {'optimiser_steps': steps, 'bad_optimiser_steps': bad_steps, 'unset_optimiser_steps': unset}
