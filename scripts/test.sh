#!/usr/bin/env bash
# All tests: a release build against stock TensorFlow, the same under AddressSanitizer + UndefinedBehaviorSanitizer and
# under ThreadSanitizer (what is parallel), and a clang build for its warnings. Prints one closing line "N passed, N failed".
# TEST_PRESETS="release asan tsan clang" picks builds; CTEST_ARGS goes to ctest.
set -uo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh test-packages || exit 1
scripts/demo_model.sh || exit 1  # the trained network that the model tests run
# What only running tests need is fetched while the first build compiles.
(
  scripts/setup.sh test || exit 1
  scripts/trained_models.sh || echo "the tests of the trained networks that are not here are skipped"
) >build/fetch.log 2>&1 &
fetching=$!
wait_for_fetching() {
  [ -n "$fetching" ] || return 0
  wait "$fetching"
  local status=$?
  fetching=
  cat build/fetch.log
  return $status
}

presets=${TEST_PRESETS:-release asan tsan clang}
jobs=$(nproc)
passed=0 failed=0
for preset in $presets; do
  echo "== $preset"
  if ! cmake --preset "$preset" -DDVT_TEST_PYTHON="$PWD/build/venv/bin/python" >build/configure-$preset.log 2>&1; then
    cat "build/configure-$preset.log"
    failed=$((failed + 1))
    continue
  fi
  if ! cmake --build "build/$preset" -j "$jobs" >"build/build-$preset.log" 2>&1; then
    tail -n 60 "build/build-$preset.log"
    failed=$((failed + 1))
    continue
  fi
  if [ "$preset" = clang ]; then
    passed=$((passed + 1))
    echo "clang build: clean"
    continue
  fi
  wait_for_fetching || exit 1
  # The timeout is for tests that set none themselves: a hung test fails.
  ctest --test-dir "build/$preset" -j "$jobs" --timeout 300 --output-on-failure ${CTEST_ARGS:-} |
    tee "build/ctest-$preset.log"
  read -r total bad < <(sed -n 's/.* \([0-9]*\) tests failed out of \([0-9]*\).*/\2 \1/p' "build/ctest-$preset.log" | tail -n 1)
  passed=$((passed + ${total:-0} - ${bad:-0}))
  failed=$((failed + ${bad:-1}))
  [ "${total:-0}" -gt 0 ] || echo "no test ran in $preset"
done
wait_for_fetching || exit 1
if [ -f docs/reference/matrix.md ]; then
  grep -m1 -i 'unimplemented' docs/reference/matrix.md || true
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
