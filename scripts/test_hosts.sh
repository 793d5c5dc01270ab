#!/bin/sh
# Runs the tests of the SDK (tests/sdk) in Dovetail and in several releases of stock TensorFlow.
#
#   scripts/test_hosts.sh [VERSION...]     default: 2.15.1 2.17.1 2.19.1 2.21.0
#
# The two libraries of each release are taken from its wheel and kept in build/hosts; BUILD names another build than
# build/release, PYTHON another Python than python3 to fetch wheels with.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build/release}
hosts=
for version in ${*:-2.15.1 2.17.1 2.19.1 2.21.0}; do
  folder=build/hosts/$version
  if [ ! -e "$folder/tensorflow/libtensorflow_cc.so.2" ]; then
    mkdir -p "$folder"
    "${PYTHON:-python3}" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
      --platform manylinux2014_x86_64 --platform manylinux_2_27_x86_64 -d "$folder" "tensorflow-cpu==$version"
    "${PYTHON:-python3}" - "$folder" <<'EOF'
import glob, os, sys, zipfile
wheel, = glob.glob(os.path.join(sys.argv[1], "*.whl"))
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if name.startswith("tensorflow/libtensorflow_"):
            archive.extract(name, sys.argv[1])
os.remove(wheel)
EOF
  fi
  hosts=$hosts:$PWD/$folder/tensorflow/libtensorflow_cc.so.2
done
DVT_TEST_HOSTS=${hosts#:} ctest --test-dir "$BUILD" -R '^sdk_' --output-on-failure
