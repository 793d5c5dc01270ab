#!/usr/bin/env bash
# demo.sh: a trained network turns a recording into notes. Fetches the network (demo_model.sh), compiles examples/notes with
# its documented command, lets it record a piece and find the notes in it, and runs the first window through the `dovetail`
# command too. BUILD=FOLDER chooses another build than build/release; SOUND=FILE.wav another recording.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
model=build/demo/basic_pitch
out=build/demo/out

scripts/demo_model.sh
mkdir -p "$out"
L=$(cd "$build/lib" && pwd)
gcc -O2 -Iinclude examples/notes/*.c -L"$L" -Wl,-rpath,"$L" -ldovetail -lsndfile -lpng -lm -o build/demo/notes

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say "1. The network: dovetail inspect $model"
"$build/bin/dovetail" inspect "$model" | sed -n '1,9p'

say "2. A recording becomes notes: build/demo/notes $model $out ${SOUND:-}"
build/demo/notes "$model" "$out" ${SOUND:+"$SOUND"}

say "3. One window with the command: dovetail run $model --input input_2=$out/window.wav --out-dir $out/window"
"$build/bin/dovetail" run "$model" --input "input_2=$out/window.wav" --out-dir "$out/window"
