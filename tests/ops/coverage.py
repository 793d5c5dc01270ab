"""Which kernels no differential case computes anything with.

The cases that make_cases.py wrote are held against what the plugins register: each op that has a kernel, and each dtype
that its kernels are registered for, must be in a case that stock answers, or be listed here with the reason.
"""

import subprocess

from tensorflow.core.framework import kernel_def_pb2, types_pb2

FILE = 'coverage.tsv'

# Ops without a case, and what shows them right.
OPS = {}
# (op, attr): dtypes without a case, and why.
DTYPES = {}


def registered(runner, plugins):
    """{(op, attr, dtype)} of the kernels; (op, '', '') for each op."""
    output = subprocess.check_output([runner, '--kernel-list'] + plugins)
    found = set()
    for kernel in kernel_def_pb2.KernelList.FromString(output).kernel:
        found.add((kernel.op, '', ''))
        for constraint in kernel.constraint:
            for dtype in constraint.allowed_values.list.type:
                found.add((kernel.op, constraint.name, types_pb2.DataType.Name(dtype)))
    return found


def uncovered(runner, plugins, path):
    """A sentence for each op or dtype that has a kernel and no case."""
    with open(path, encoding='utf-8') as file:
        covered = {tuple(line.rstrip('\n').split('\t')) for line in file}
    kernels = registered(runner, plugins)
    problems = []
    for op in sorted(op for op, attr, _ in kernels if not attr):
        if (op, '', '') in covered:
            if op in OPS:
                problems.append('%s: has cases now; take it out of OPS in coverage.py' % op)
            continue
        if op not in OPS:
            problems.append('%s: has a kernel and no case in tests/ops' % op)
    missing = {}
    for op, attr, dtype in sorted(kernels - covered):
        if attr and (op, '', '') in covered and dtype not in DTYPES.get((op, attr), ((), ''))[0]:
            missing.setdefault((op, attr), []).append(dtype)
    for (op, attr), dtypes in missing.items():
        problems.append('%s: has kernels and no case in tests/ops for %s = %s' % (op, attr, ', '.join(dtypes)))
    return problems
