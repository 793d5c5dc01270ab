"""run_all.py RUN_CASES OUT_DIR [--seed N] [--scale N]: makes the cases with stock TensorFlow and replays them."""

import argparse
import glob
import os
import subprocess
import sys

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
sys.exit(subprocess.call([options.runner] + sorted(glob.glob(os.path.join(options.out, '*.cases')))))
