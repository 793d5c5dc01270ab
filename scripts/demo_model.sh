#!/usr/bin/env bash
# demo_model.sh: fetches the trained SavedModel of the basic-pitch package (Spotify, Apache-2.0) from PyPI into
# build/demo/basic_pitch, with its licence. Does nothing when it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.4.0
sha256=738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0
wheel=build/demo/basic_pitch-$version-py2.py3-none-any.whl
model=build/demo/basic_pitch

[ -f "$model/saved_model.pb" ] && exit 0
mkdir -p build/demo
if [ ! -f "$wheel" ]; then
  echo "fetching basic-pitch $version from PyPI"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --ignore-requires-python \
    --dest build/demo "basic-pitch==$version" || {
    echo "demo_model.sh: pip could not fetch basic-pitch $version; is there a network, and does 'python3 -m pip' work?" >&2
    exit 1
  }
fi
python3 - "$wheel" "$sha256" "$model" <<'EOF'
import hashlib, os, shutil, sys, zipfile

wheel, sha256, target = sys.argv[1:]
with open(wheel, "rb") as file:
    found = hashlib.sha256(file.read()).hexdigest()
if found != sha256:
    sys.exit("demo_model.sh: %s has the checksum %s instead of %s; delete it and try again" % (wheel, found, sha256))
inside = "basic_pitch/saved_models/icassp_2022/nmp/"
unfinished = target + ".part"
shutil.rmtree(unfinished, ignore_errors=True)
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        short = os.path.basename(name) if ".dist-info/" in name else name[len(inside):]
        if not (name.startswith(inside) or short in ("LICENSE", "NOTICE")) or name.endswith("/"):
            continue
        path = os.path.join(unfinished, short)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(archive.read(name))
shutil.rmtree(target, ignore_errors=True)
os.rename(unfinished, target)
EOF
