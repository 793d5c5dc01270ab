"""Where the benchmarks find things, and the Python they run in. Needs nothing but the standard library."""
import glob
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("DOVETAIL_BUILD") or os.path.join(ROOT, "build", "release")
VENV = os.environ.get("BENCH_VENV") or os.path.join(ROOT, "build", "venv-bench")
DOVETAIL = os.path.join(BUILD, "lib", "compat")


def stock_library():
    found = glob.glob(os.path.join(VENV, "lib", "python3*", "site-packages", "tensorflow"))
    return found[0] if found else sys.exit(f"no stock TensorFlow in {VENV}; run scripts/setup.sh bench")


def use_venv():
    """Runs the calling script again by the Python of the benchmarks' environment, unless that is running it."""
    python = os.path.join(VENV, "bin", "python")
    if not os.path.exists(python):
        sys.exit(f"{VENV} is missing; run scripts/setup.sh bench")
    if os.path.abspath(sys.prefix) != os.path.abspath(VENV):
        os.execv(python, [python, *sys.argv])
