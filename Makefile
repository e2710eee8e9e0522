# `make` lists the targets. Each first sets up the tools it lacks (tools/setup), inside this directory as far as
# possible: .tools/ and node_modules/ hold the tools that the machine lacks.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
# One target after another, whatever options make gets.
.NOTPARALLEL:

# Tools in .tools/ come before those of the machine.
export PATH := $(CURDIR)/.tools/bin:$(PATH)

PORT ?= 8080
SECONDS ?= 60
CASES ?= 2000
RUNS ?= 3

.PHONY: help
help: ## List the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 16

.PHONY: serve
serve: build ## Build the page and serve it on localhost (PORT=8080)
	@cargo run --quiet --package fusescape-server -- www $(PORT)

.PHONY: build
build: ## Build the page into www/pkg, for this machine: quick to build, and large
	@tools/setup rust
	@tools/build-page

.PHONY: site
site: ## Make a folder, site/, that any static host can serve: small, and long to build
	@tools/setup published
	@tools/build-published
	@tools/build-site
	@tools/build-scorm

.PHONY: python
python: ## Build the Python package as a wheel into target/wheels
	@tools/setup python
	@tools/build-wheel

.PHONY: npm
npm: ## Build the package for JavaScript into target/npm
	@tools/setup published
	@tools/build-npm

.PHONY: test
test: ## Run everything that a change may break, native, in Python and in the browser
	@began=$$(cat /proc/uptime); tools/setup rust python browser; node tools/test.mjs --began="$$began"

.PHONY: test-all
test-all: ## Run all tests whole, and what is published, packaged and run on clusters
	@began=$$(cat /proc/uptime); tools/setup published notebooks ray browser; node tools/test.mjs --began="$$began" --thorough

.PHONY: races
races: ## Run the browser tests again and again beside busy processors, and in a slow page (RUNS=3)
	@tools/setup rust browser
	@tools/build-page
	tools/races $(RUNS)

.PHONY: bench
bench: ## Measure the engine natively, then in the browser
	@tools/setup browser published
	cargo bench --bench '*'
	tools/build-published
	tools/build-bench
	node tests/browser/bench.mjs

.PHONY: oracle
oracle: ## Run whole what the tests run a sample of, and the slow oracles in many random cases (CASES=2000)
	FUSESCAPE_ORACLE_CASES=$(CASES) cargo test --test engine --test limits --test reference --test page --test commands --test spec

.PHONY: fuzz
fuzz: ## Feed the readers mutated inputs, a minute each (SECONDS=60)
	tools/fuzz $(SECONDS)

.PHONY: crates
crates: ## Pack the engine and what it needs as published packages, and build what was packed
	@tools/setup rust
	tools/crates

.PHONY: semver
semver: ## Say whether what those packages offer was broken without a new minor number; its tool is too long to build for every test
	@tools/setup semver
	tools/semver

.PHONY: schema
schema: ## Write what is made of the types of reports and options: docs/schema, docs/options.json, and of these the types in Python
	FUSESCAPE_WRITE=yes cargo test --test commands -- schemas_are_those_of_the_types_of_reports
	python3 tools/result-types.py

.PHONY: fmt
fmt: ## Format the Rust code
	cargo fmt --all -- src/app/*.rs src/app/*/mod.rs

.PHONY: count
count: ## Count what the sources are made of: lines, types, circles of files, docs that repeat a name
	@node tools/count.mjs

.PHONY: clean
clean: ## Remove what was built, and keep the tools
	cargo clean
	rm -rf www/pkg site
