"""run_all.py RUN_CASES OUT_DIR [--seed N] [--scale N]: makes the cases with stock TensorFlow and replays them. Fails also
when a kernel of the plugins has no case (coverage.py); they are those in DOVETAIL_PLUGIN_PATH."""

import argparse
import glob
import os
import subprocess
import sys

import coverage

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('runner')
parser.add_argument('out')
parser.add_argument('--seed', default='1')
parser.add_argument('--scale', default='1')
options = parser.parse_args()
here = os.path.dirname(os.path.abspath(__file__))
subprocess.check_call(
    [
        sys.executable,
        os.path.join(here, 'make_cases.py'),
        '--out',
        options.out,
        '--seed',
        options.seed,
        '--scale',
        options.scale,
    ]
)
plugins = sorted(glob.glob(os.path.join(os.environ['DOVETAIL_PLUGIN_PATH'], '*.so')))
uncovered = coverage.uncovered(options.runner, plugins, os.path.join(options.out, coverage.FILE))
for problem in uncovered:
    print(problem)
different = subprocess.call([options.runner] + sorted(glob.glob(os.path.join(options.out, '*.cases'))))
sys.exit(1 if uncovered or different else 0)
