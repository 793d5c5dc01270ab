"""debug_cases.py RUN_CASES CASES_DIR: replays the cases that run_all.py made in debug mode (docs/debugging.md), where the standard
plugins must give no reason for a report."""

import glob
import os
import subprocess
import sys

runner, cases = sys.argv[1:3]
files = sorted(glob.glob(os.path.join(cases, '*.cases')))
done = subprocess.run(
    [runner] + files,
    env=dict(os.environ, DOVETAIL_DEBUG='1'),
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors='replace',
)
lines = done.stdout.splitlines()
reports = [line for line in lines if 'DOVETAIL_DEBUG' in line]
for line in reports[:40] + [line for line in lines if line.startswith('DIFFERS')][:40] + lines[-1:]:
    print(line)
print(f'exit {done.returncode}, {len(reports)} reports')
sys.exit(1 if reports or done.returncode or not files else 0)
