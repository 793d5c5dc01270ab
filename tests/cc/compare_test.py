"""compare_test.py DOVETAIL PLUGIN OUT: kernels in plain TensorFlow C++, compiled with Dovetail's headers (PLUGIN) and with
TensorFlow's own, run in Dovetail and in stock TensorFlow; shapes, values and error codes must be equal, values bit by bit.

Where a host does not tell a shape function everything, outputs may be unknown: UNKNOWN_IN_STOCK lists those cases, and NOT_IN_STOCK
what a host without objects refuses. An entry that no longer holds fails the test.
"""

import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent

# Shape functions that read attributes or values of inputs.
UNKNOWN_IN_STOCK = {
    'matmul_00', 'matmul_01', 'matmul_10', 'matmul_11', 'matmul_int32', 'matmul_that_does_not_fit_when_fed', 'squares', 'histogram',
    'histogram_out_of_range', 'rows', 'rows_of_another_number', 'channel_sum', 'window_max', 'fill', 'grow', 'grow_fed',
}
# Stock's C interface shows no variants.
NOT_IN_STOCK = {'variant', 'variant_through_another_node'}


def wheel():
    import importlib.util
    return pathlib.Path(importlib.util.find_spec('tensorflow').origin).parent


def compile_with_wheel(tensorflow, source, out):
    """A plugin from TensorFlow's own headers, as tf.sysconfig says; kept while neither source nor wheel changes."""
    library = tensorflow / 'libtensorflow_framework.so.2'
    if out.exists() and out.stat().st_mtime > max(source.stat().st_mtime, library.stat().st_mtime):
        return
    subprocess.run([os.environ.get('CXX', 'g++'), '-std=c++17', '-O1', '-w', '-fPIC', '-shared', '-D_GLIBCXX_USE_CXX11_ABI=1',
                    '-DEIGEN_MAX_ALIGN_BYTES=64', '-I%s' % (tensorflow / 'include'), str(source), '-o', str(out), str(library)],
                   check=True)


def run(library, out, *plugins):
    done = subprocess.run([sys.executable, str(HERE / 'run.py'), str(library), str(out), *map(str, plugins)], stderr=subprocess.PIPE,
                          text=True, errors='replace', timeout=300)
    assert done.returncode == 0, 'run.py with %s ended with %d\n%s' % (library, done.returncode, done.stderr[-4000:])
    return pickle.loads(out.read_bytes())


def same_array(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()


def differences(wanted, got):
    for what in ('error', 'shapes'):
        if wanted.get(what) != got.get(what):
            yield what, wanted.get(what), got.get(what), got.get('message')
    runs = wanted.get('values', []), got.get('values', [])
    if [len(r) for r in runs[0]] != [len(r) for r in runs[1]]:
        yield 'values', len(runs[0]), len(runs[1]), got.get('message')
    elif not all(same_array(a, b) for x, y in zip(*runs) for a, b in zip(x, y)):
        yield 'values', runs[0], runs[1], None


def known(wanted, got, name):
    """Whether all that differs in stock is what the lists say."""
    if name in NOT_IN_STOCK:
        return got.get('error') == 12
    kinds = [kind for kind, *_ in differences(wanted, got)]
    unknown = all(shape is None or all(d in (-1, w) for d, w in zip(shape, whole or []))
                  for shape, whole in zip(got.get('shapes') or [], wanted.get('shapes') or []))
    return name in UNKNOWN_IN_STOCK and kinds == ['shapes'] and unknown


def main():
    dovetail, plugin, out = map(pathlib.Path, (sys.argv[1], sys.argv[2], sys.argv[3]))
    out.mkdir(parents=True, exist_ok=True)
    tensorflow, stock_plugins = wheel(), []
    for source in sorted(HERE.glob('kernels_*.cc')):
        stock_plugins.append(out / (source.stem + '_wheel.so'))
        compile_with_wheel(tensorflow, source, stock_plugins[-1])
    stock = tensorflow / 'libtensorflow_cc.so.2'
    wanted = run(stock, out / 'wheel.pickle', *stock_plugins)
    failures = []
    for host, library in (('Dovetail', dovetail), ('TensorFlow', stock)):
        got = run(library, out / (host + '.pickle'), plugin)
        for name in wanted:
            differ = list(differences(wanted[name], got[name]))
            listed = host == 'TensorFlow' and name in UNKNOWN_IN_STOCK | NOT_IN_STOCK
            if differ and not (listed and known(wanted[name], got[name], name)):
                failures.append('%s: %s: %s' % (host, name, differ))
            if listed and not differ:
                failures.append('%s: %s is listed as a difference, but there is none' % (host, name))
    print('%d cases in two hosts' % len(wanted))
    assert not failures, '\n'.join(failures)


np.set_printoptions(threshold=20)
main()
