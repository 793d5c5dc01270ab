# Front door. `make` builds, `make demo` and `make test` also install what is missing (Debian packages, PyPI).
PREFIX ?= /usr/local
BUILD ?= build/release
JOBS ?= $(shell nproc)

all: build/release/build.ninja
	cmake --build build/release -j $(JOBS)

build/%/build.ninja: | deps
	cmake --preset $*

deps:
	@scripts/setup.sh build

demo: build/release/build.ninja
	cmake --build build/release -j $(JOBS) --target dovetail_cli dovetail_plugins compat_names
	scripts/demo.sh

test:
	scripts/test.sh

# The tests of the SDK in several releases of TensorFlow; their libraries are fetched once (PyPI).
test-hosts: all
	scripts/test_hosts.sh

# All figures beside stock TensorFlow and onnxruntime, into docs/performance.md; some ten minutes, less with
# BENCH_ARGS=--quick.
bench: all
	@scripts/setup.sh bench
	bench/run.py
	bench/models.py $(BENCH_ARGS) --json build/bench/models.json --markdown build/bench/models.md
	bench/kernels.py $(BENCH_ARGS) --json build/bench/kernels.json --markdown build/bench/kernels.md
	bench/publish.py

install: all
	DESTDIR="$(DESTDIR)" cmake --install "$(BUILD)" --prefix "$(PREFIX)"

# Regenerates what is derived from the public headers (export list, reference pages, function x test matrix) and from
# the plugins' op tables (docs/ops).
generate: build/release/build.ninja
	tools/abi/generate.py
	cmake --build build/release -j $(JOBS) --target ops_docs

tools:
	@scripts/setup.sh tools

format: tools
	git ls-files '*.c' '*.h' | xargs clang-format-14 -i

# Settings and their reasons: .clang-tidy. Tests are left out.
tidy: tools build/clang/build.ninja
	git ls-files 'src/*.c' 'tools/*.c' 'plugins/*.c' ':!*_test.c' | xargs -P $(JOBS) -n 4 clang-tidy-14 -p build/clang --quiet

clean:
	rm -rf build

.PHONY: all deps demo test test-hosts bench install generate tools format tidy clean
