#!/usr/bin/env bash
# setup.sh build|test-packages|test|tools|bench: installs the Debian packages that building (and testing, or clang's tools)
# needs, if any is missing; for `test` also a Python environment under build/venv with stock TensorFlow, the independent source
# of expected values; for `bench` one under build/venv-bench with what the benchmarks compare with.
set -euo pipefail
cd "$(dirname "$0")/.."

build_packages=(gcc g++ make cmake ninja-build pkg-config python3 python3-venv python3-pip libdnnl-dev libsleef-dev libre2-dev
  libpng-dev libjpeg-dev libsndfile1-dev libeigen3-dev libabsl-dev)
test_packages=(libcmocka-dev clang-14 libclang-rt-14-dev binutils file)
tool_packages=(clang-14 clang-format-14 clang-tidy-14)

packages=("${build_packages[@]}")
[[ "${1:-build}" = test* ]] && packages+=("${test_packages[@]}")
[ "${1:-build}" = tools ] && packages+=("${tool_packages[@]}")

# A tool that is already on the PATH from elsewhere (a newer cmake, pyenv's python) needs no package.
have() {
  case $1 in
    gcc | g++ | make | cmake | file) command -v "$1" >/dev/null ;;
    ninja-build) command -v ninja >/dev/null ;;
    pkg-config) command -v pkg-config >/dev/null ;;
    python3) command -v python3 >/dev/null ;;
    python3-venv) python3 -c 'import venv, ensurepip' 2>/dev/null ;;
    python3-pip) python3 -m pip --version >/dev/null 2>&1 ;;
    *) dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed' ;;
  esac
}
missing=()
for p in "${packages[@]}"; do have "$p" || missing+=("$p"); done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup.sh: need root (or sudo) to install: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ "${1:-build}" = test ]; then
  tf=2.21.0
  if ! build/venv/bin/python -c "import importlib.metadata as m; assert m.version('tensorflow-cpu') == '$tf'" 2>/dev/null; then
    echo "installing stock TensorFlow $tf into build/venv (the source of expected values)"
    python3 -m venv build/venv
    build/venv/bin/python -m pip install --quiet --disable-pip-version-check "tensorflow-cpu==$tf"
  fi
fi

if [ "${1:-build}" = bench ]; then
  pins="tensorflow-cpu==2.21.0 keras==3.15.1 onnx==1.23.2 tf2onnx==1.17.0 onnxruntime==1.31.1"
  if [ "$(cat build/venv-bench/pins 2>/dev/null)" != "$pins" ]; then
    echo "installing into build/venv-bench: $pins"
    python3 -m venv build/venv-bench
    # shellcheck disable=SC2086
    build/venv-bench/bin/python -m pip install --quiet --disable-pip-version-check $pins
    echo "$pins" >build/venv-bench/pins
  fi
fi
