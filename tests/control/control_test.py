"""Control flow beside stock TensorFlow.

  control_test.py RUN_CASES DOVETAIL OUT_DIR [--seed N] [--count N]

control_record.py tells what is compared, and records it with stock unless OUT_DIR has it. run_cases replays all programs in
one process; `dovetail run` opens the SavedModels."""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(here))
import recorded  # noqa: E402

TOLERANCE = (2e-5, 1e-6)


def run_saved_model(dovetail, name, folder, argument):
    """Whether the exported model answers what stock's loader answers; says where not."""
    out = tempfile.mkdtemp()
    command = [dovetail, 'run', folder, '--signature', 'serving_default', '--out-dir', out]
    command += ['--input', '%s=%s' % (argument, os.path.join(folder, 'x.npy'))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print('DIFFERS SavedModel %s: %s' % (name, done.stderr[-2000:]))
        return False
    with open(os.path.join(out, 'outputs.json')) as file:
        got = {o['name']: np.load(os.path.join(out, o['file'])) for o in json.load(file)}
    shutil.rmtree(out)
    wanted = np.load(os.path.join(folder, 'wanted.npz'))
    same = sorted(got) == sorted(wanted) and all(
        np.allclose(got[k], wanted[k], *TOLERANCE) and got[k].shape == wanted[k].shape for k in wanted
    )
    if not same:
        print('DIFFERS SavedModel %s: %s instead of %s' % (name, got, dict(wanted)))
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('runner')
    parser.add_argument('dovetail')
    parser.add_argument('out')
    parser.add_argument('--seed', default='1')
    parser.add_argument('--count', default='12')
    options = parser.parse_args()

    def record(folder):
        chosen = ['--seed', options.seed, '--count', options.count]
        subprocess.check_call([sys.executable, os.path.join(here, 'control_record.py'), folder] + chosen)

    sources = glob.glob(os.path.join(here, '*.py')) + glob.glob(os.path.join(here, '../ops/*.py'))
    out = recorded.folder(options.out, sources, [options.seed, options.count], record)
    different = subprocess.call([options.runner] + sorted(glob.glob(os.path.join(out, '*.cases'))))
    with open(os.path.join(out, 'saved_models.json')) as file:
        saved = [run_saved_model(options.dovetail, **row) for row in json.load(file)]
    print('%d SavedModels, %d differ' % (len(saved), saved.count(False)))
    return different or not all(saved)


if __name__ == '__main__':
    sys.exit(main())
