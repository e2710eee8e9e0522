# `make` lists the targets. Each sets up what it lacks first (tools/setup), inside this directory as far
# as possible: .tools/ and node_modules/ hold what is not on the machine already.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
# `make test` runs two lanes of its own side by side, each with all processors. Else one thing after the other, whatever make is told.
ifdef LANES
unexport MAKEFLAGS MFLAGS
else
.NOTPARALLEL:
endif

# What tools/setup put into .tools/ comes before what the machine has.
export PATH := $(CURDIR)/.tools/bin:$(PATH)

PORT ?= 8080
SECONDS ?= 60
CASES ?= 2000

.PHONY: help
help: ## List the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 16

.PHONY: serve
serve: build ## Build the page and serve it on localhost (PORT=8080)
	cargo run --release --bin fusescape -- serve --port $(PORT)

.PHONY: build
build: ## Build the page into www/pkg
	@tools/setup page
	@tools/build-page

.PHONY: site
site: build ## Make a folder, site/, that any static host can serve
	@tools/build-site
	@tools/build-scorm

.PHONY: python
python: ## Build the Python package as a wheel into target/wheels
	@tools/setup python
	@tools/build-wheel

.PHONY: npm
npm: ## Build the package for JavaScript into target/npm
	@tools/setup page
	@tools/build-npm

.PHONY: test
test: ## Run every check and every test, native, in Python and in the browser
	@tools/setup native notebooks browser
	$(MAKE) LANES=2 --jobs=2 --output-sync=line --no-print-directory native page
	tools/build-wheel
	tools/test-python
	node tests/browser/run.mjs

.PHONY: test-ray
test-ray: ## Test a study on a local Ray cluster, which is too large to be part of every test
	@tools/setup native ray
	cargo build --release --bin fusescape
	tools/build-wheel
	tools/test-python -k on_ray

.PHONY: native
native:
	cargo fmt --all --check
	cargo clippy --workspace --exclude fusescape-bench --all-targets --all-features -- -D warnings
	cargo test --release

# Most of this runs on one processor, beside the native tests.
.PHONY: page
page:
	@tools/setup page
	cargo clippy --target wasm32-unknown-unknown --lib -- -D warnings
	cargo clippy --target wasm32-unknown-unknown --package fusescape-bench -- -D warnings
	cargo clippy --target wasm32-unknown-unknown --package fusescape-npm -- -D warnings
	tools/build-page
	tools/build-npm

.PHONY: bench
bench: ## Measure the engine natively, then in the browser
	@tools/setup browser page
	cargo bench --bench '*'
	tools/build-page
	tools/build-bench
	node tests/browser/bench.mjs

.PHONY: oracle
oracle: ## Compare the engine with its slow oracles in many random cases, of which the tests run a sample (CASES=2000)
	FUSESCAPE_ORACLE_CASES=$(CASES) cargo test --release -p fusescape-engine --test engine -- by_elements by_cycles multicore tile_graphs allocations

.PHONY: fuzz
fuzz: ## Feed the readers mutated inputs, a minute each (SECONDS=60)
	tools/fuzz $(SECONDS)

.PHONY: crates
crates: ## Pack the engine and what it needs as published packages, and build what was packed
	@tools/setup native
	tools/crates

.PHONY: semver
semver: ## Say whether what those packages offer was broken without a new minor number; its tool is too long to build for every test
	@tools/setup semver
	tools/semver

.PHONY: fmt
fmt: ## Format the Rust code
	cargo fmt --all

.PHONY: clean
clean: ## Remove what was built, and keep the tools
	cargo clean
	rm -rf www/pkg site
