#!/usr/bin/env bash
# static.sh FOLDER MODEL...: builds the `dovetail` command as one static file, FOLDER/bin/dovetail, that has the ops and
# kernels that the models need and no others, and FOLDER/lib/libdovetail.a for programs of one's own. `make` comes first;
# BUILD=FOLDER names another build than build/release to select with.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -lt 2 ]; then
  echo "usage: scripts/static.sh FOLDER MODEL..." >&2
  exit 2
fi
out=$1
shift
command=${BUILD:-build/release}/bin/dovetail
[ -x "$command" ] || {
  echo "static.sh: $command is not there; build it with make" >&2
  exit 1
}
mkdir -p "$out"
"$command" select "$@" -o "$out/ops_to_register.h"
cmake -S . -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DDVT_OPS_TO_REGISTER="$(realpath "$out/ops_to_register.h")" >"$out/configure.log" || { cat "$out/configure.log" >&2; exit 1; }
cmake --build "$out" >"$out/build.log" || { tail -n 40 "$out/build.log" >&2; exit 1; }
echo "$out/bin/dovetail: $(stat -c %s "$out/bin/dovetail") bytes, static"
