"""run_all.py RUN_CASES OUT_DIR [--seed N] [--scale N] [--coverage]: makes the cases with stock TensorFlow, unless OUT_DIR has
them, and replays them. With --coverage it fails also when a kernel of the plugins has no case (coverage.py); they are those in
DOVETAIL_PLUGIN_PATH."""

import argparse
import glob
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(here))
import recorded  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('runner')
parser.add_argument('out')
parser.add_argument('--seed', default='1')
parser.add_argument('--scale', default='1')
parser.add_argument('--coverage', action='store_true')
options = parser.parse_args()


def make(folder):
    chosen = ['--seed', options.seed, '--scale', options.scale]
    subprocess.check_call([sys.executable, os.path.join(here, 'make_cases.py'), '--out', folder] + chosen)


recorded.folder(options.out, glob.glob(os.path.join(here, '*.py')), [options.seed, options.scale], make)
uncovered = []
if options.coverage:
    import coverage

    plugins = sorted(glob.glob(os.path.join(os.environ['DOVETAIL_PLUGIN_PATH'], '*.so')))
    uncovered = coverage.uncovered(options.runner, plugins, os.path.join(options.out, coverage.FILE))
    for problem in uncovered:
        print(problem)
different = subprocess.call([options.runner] + sorted(glob.glob(os.path.join(options.out, '*.cases'))))
sys.exit(1 if uncovered or different else 0)
