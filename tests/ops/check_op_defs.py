"""check_op_defs.py RUN_CASES PLUGIN...: every op that the plugins define is exactly stock's: arguments, attributes, allowed
types, defaults, flags. And every dtype for which stock has a CPU kernel has one here, but for those below and in
known_differences.py.
"""

import os
import subprocess
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import tensorflow as tf
from tensorflow.core.framework import kernel_def_pb2, op_def_pb2, types_pb2
from tensorflow.python.framework import kernels, op_def_registry

from known_differences import EXCEPT, NO_KERNEL, NOT_STOCK

# Dtypes of no op here: their elements are opaque to plugins, quantised, or narrower than a byte.
OUTSIDE = {'DT_RESOURCE', 'DT_VARIANT', 'DT_QINT8', 'DT_QUINT8', 'DT_QINT16', 'DT_QUINT16', 'DT_QINT32'}
OUTSIDE |= {
    name
    for name in types_pb2.DataType.keys()
    if 'FLOAT8' in name or 'FLOAT4' in name or 'INT4' in name or 'INT2' in name
}


def plain(op):
    copy = op_def_pb2.OpDef()
    copy.CopyFrom(op)
    copy.ClearField('summary')
    copy.ClearField('description')
    copy.ClearField('is_distributed_communication')  # the C API cannot set it
    for argument in list(copy.input_arg) + list(copy.output_arg) + list(copy.attr):
        argument.ClearField('description')
    for argument in list(copy.input_arg) + list(copy.output_arg):
        argument.ClearField('experimental_full_type')
    return copy


def main():
    runner, plugins = sys.argv[1], sys.argv[2:]
    ours = op_def_pb2.OpList.FromString(subprocess.check_output([runner, '--op-list'] + plugins))
    registered = kernel_def_pb2.KernelList.FromString(
        subprocess.check_output([runner, '--kernel-list'] + plugins)
    )
    bad = 0

    def say(text):
        nonlocal bad
        bad += 1
        print(text)

    for op in ours.op:
        if op.name in NOT_STOCK:
            continue
        stock = op_def_registry.get(op.name)
        if stock is None:
            say('%s: stock has no such op' % op.name)
        elif plain(op) != plain(stock):
            say('%s differs from stock.\nhere:\n%sstock:\n%s' % (op.name, plain(op), plain(stock)))
    types = {}  # (op, attr) -> dtypes here; attr '' = no constraint
    for kernel in registered.kernel:
        for constraint in kernel.constraint:
            types.setdefault((kernel.op, constraint.name), set()).update(
                types_pb2.DataType.Name(t) for t in constraint.allowed_values.list.type
            )
        if not kernel.constraint:
            types[kernel.op, ''] = True
    for op in ours.op:
        if op.name in NO_KERNEL:
            continue
        if not any(key[0] == op.name for key in types):
            say('%s: no kernel' % op.name)
            continue
        if (op.name, '') in types:
            continue
        for kernel in kernels.get_registered_kernels_for_op(op.name).kernel:
            if kernel.device_type != 'CPU' or kernel.label:
                continue
            for constraint in kernel.constraint:
                wanted = {types_pb2.DataType.Name(t) for t in constraint.allowed_values.list.type} - OUTSIDE
                wanted -= EXCEPT.get((op.name, constraint.name), (set(), ''))[0]
                if (op.name, constraint.name) not in types:
                    continue  # dealt with at run time
                missing = wanted - types[op.name, constraint.name]
                if missing:
                    say(
                        '%s: stock has a kernel for %s = %s'
                        % (op.name, constraint.name, ', '.join(sorted(missing)))
                    )
    print('%d op definitions compared, %d differences' % (len(ours.op), bad))
    return bad > 0 or not ours.op


if __name__ == '__main__':
    sys.exit(main())
