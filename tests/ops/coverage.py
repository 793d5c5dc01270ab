"""Which kernels no differential case computes anything with.

The cases that make_cases.py wrote are held against the plugins: each op that has a kernel, and each dtype that its
kernels are registered for and its row of the table allows, must be in a case that stock answers, or in one that stock
has no kernel for, or be listed here with the reason.
"""

import os
import subprocess
import sys

from tensorflow.core.framework import kernel_def_pb2, types_pb2

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, 'tools/ops'))
import table  # noqa: E402

FILE = 'coverage.tsv'

# Ops without a case, and what shows them right.
OPS = {}
# (op, attr): dtypes without a case, and why.
DTYPES = {
    ('UnicodeDecodeWithOffsets', 'Tsplits'): ({'DT_INT32'}, 'stock aborts the process'),
    ('Round', 'T'): ({'DT_INT32', 'DT_INT64'}, 'stock answers 0 for integers'),
}
# Neither NumPy nor the case files have them.
QUANTISED = {'DT_QINT8', 'DT_QINT16', 'DT_QINT32', 'DT_QUINT8', 'DT_QUINT16'}


def write(path, covered, lacking):
    with open(path, 'w', encoding='utf-8') as file:
        for kind, rows in (('case', covered), ('stock lacks', lacking - covered)):
            file.writelines('\t'.join((kind,) + row) + '\n' for row in sorted(rows))


def read(path):
    """(covered, lacking) as they were written."""
    rows = {'case': set(), 'stock lacks': set()}
    with open(path, encoding='utf-8') as file:
        for line in file:
            kind, *row = line.rstrip('\n').split('\t')
            rows[kind].add(tuple(row))
    return rows['case'], rows['stock lacks']


def registered(runner, plugins):
    """{(op, attr, dtype)} of the kernels that a graph can reach; (op, '', '') for each op."""
    ops = {op.name: op for rows in table.read_all(ROOT).values() for op in rows}
    output = subprocess.check_output([runner, '--kernel-list'] + plugins)
    found = set()
    for kernel in kernel_def_pb2.KernelList.FromString(output).kernel:
        found.add((kernel.op, '', ''))
        for constraint in kernel.constraint:
            attr = ops[kernel.op].attr(constraint.name) if kernel.op in ops else None
            allowed = attr.dtypes if attr else None
            for dtype in constraint.allowed_values.list.type:
                name = types_pb2.DataType.Name(dtype)
                if name not in QUANTISED and (allowed is None or name[3:].lower() in allowed):
                    found.add((kernel.op, constraint.name, name))
    return found


def uncovered(runner, plugins, path):
    """A sentence for each op or dtype that has a kernel and no case."""
    covered, lacking = read(path)
    kernels = registered(runner, plugins)
    problems, missing = [], {}
    for op in sorted(op for op, attr, _ in kernels if not attr):
        if (op, '', '') in covered and op in OPS:
            problems.append('%s: has cases now; take it out of OPS in coverage.py' % op)
        elif (op, '', '') not in covered and op not in OPS:
            problems.append('%s: has a kernel and no case in tests/ops' % op)
    for op, attr, dtype in sorted(kernels - covered - lacking):
        if attr and (op, '', '') in covered and dtype not in DTYPES.get((op, attr), ((), ''))[0]:
            missing.setdefault((op, attr), []).append(dtype)
    for (op, attr), dtypes in missing.items():
        problems.append('%s: has kernels and no case in tests/ops for %s = %s' % (op, attr, ', '.join(dtypes)))
    return problems
