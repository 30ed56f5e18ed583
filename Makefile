# Needs Python 3.11 or newer and make; everything else goes into .venv, from the lock file.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
SERVING := .venv/.serving
READY := .venv/.ready
DOCS := .venv-docs/.ready
RELEASE := .venv-release/.ready
PIP := bin/pip install -q --disable-pip-version-check
ARGS ?=

# Without bytecode files, each test process and each server of a test compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

.PHONY: run
run: $(SERVING) ## Serve on http://127.0.0.1:8001 (options: make run ARGS="--release 1.31")
	$(BIN)/fakeapi serve $(ARGS)

.PHONY: named-paths
named-paths:
	@for path in $(filter tests/%,$(ARGS)); do test -e "$${path%%::*}" || { echo "$$path does not exist" >&2; exit 2; }; done

.PHONY: test
test: named-paths $(READY) ## Run the quick tests on all cores; it says how many it leaves out (make test ARGS=tests/test_token_file.py)
	$(BIN)/python -m pytest -n auto $(if $(ALL_TESTS),,--fast) $(ARGS)

.PHONY: test-all
test-all: ## Run all tests on all cores
	@$(MAKE) --no-print-directory test ALL_TESTS=1

.PHONY: interop
interop: $(READY) ## Run clients, drivers and components of Kubernetes (needs Go and others; ARGS="--newest" for one release)
	$(BIN)/python -m pytest -o timeout=3600 tests/interop tests/drivers $(ARGS)

.PHONY: e2e
e2e: $(READY) ## Run Kubernetes' own end-to-end suite (needs Go; make e2e ARGS="--release 1.33 --focus DRA")
	$(BIN)/python -m tests.kubernetes_e2e.run $(ARGS)

.PHONY: torture
torture: $(READY) ## Look for what breaks, for minutes or longer (make torture ARGS="--minutes 60")
	$(BIN)/python -m tests.torture.run $(ARGS)

.PHONY: differential
differential: $(READY) ## Send random requests to a real kube-apiserver and here (needs Go; ARGS="--release 1.37 --minutes 30 --seed 7")
	$(BIN)/python -m tests.differential.exchanges.run $(ARGS)

.PHONY: agreement
agreement: $(READY) ## Compare explain with kube-scheduler on the recorded clusters (needs Go; ARGS="--release 1.34 --every 5")
	$(BIN)/python -m tests.differential.explanations.run $(ARGS)

.PHONY: check
check: $(READY) ## Lint, format, spelling, types, layers and plain words
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/codespell *.md docs fakeapi storage tools examples
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/plain_words.py

.PHONY: bench
bench: $(READY) ## Measure, and print tables (make bench ARGS="--write" writes them into the documents)
	$(BIN)/python benchmarks/run.py $(ARGS)

.PHONY: releases
releases: $(READY) ## Compile the release tables again from the published Go modules (needs Go)
	$(BIN)/python tools/compile_releases.py $(ARGS)

.PHONY: release-missing
release-missing: $(READY) ## List what a release of Kubernetes still lacks here (make release-missing RELEASE=1.38)
	$(BIN)/python -m tools.release_missing $(RELEASE)

.PHONY: fidelity
fidelity: $(READY) ## Write docs/fidelity.md again from the recordings and the known differences
	$(BIN)/python -m tests.conformance.page

.PHONY: reference
reference: $(READY) ## Write docs/options.md, docs/cli.md and docs/reference-*.md again from the code
	$(BIN)/python -m tools.reference_pages

.PHONY: world
world: $(READY) ## Replay the recordings of the kinds around claims and list what differs; make fidelity afterwards
	$(BIN)/python -m tests.conformance.world

.PHONY: turns
turns: $(READY) ## Replay all recordings against two servers that share a PostgreSQL and take requests in turn
	FAKEAPI_TURNS=all $(BIN)/python -m pytest -n auto tests/conformance/test_turns.py $(ARGS)

.PHONY: up
up: ## Build and start the compose stack; its kubeconfig is kubeconfig/config
	docker compose up --build --detach --wait fakeapi
	docker compose up kubeconfig
	@echo "Live page: http$${FAKEAPI_TOKEN:+s}://127.0.0.1:$${FAKEAPI_PORT_ON_HOST:-8001}/_fakeapi/ui/"

.PHONY: docs
docs: $(DOCS) ## Build the site into build/site, and check its links (make docs ARGS=serve shows it while you write)
	.venv-docs/bin/python -m mkdocs $(if $(ARGS),$(ARGS),build --strict)

.PHONY: dist
dist: $(RELEASE) ## Build the wheel and the source distribution twice, compare and check them, and write dist/sbom.json
	.venv-release/bin/python tools/distributions.py

.PHONY: binary
binary: $(SERVING) $(RELEASE) ## Build dist/fakeapi, one file that needs no Python
	.venv-release/bin/python tools/executable.py

.PHONY: lock
lock: .venv-lock/bin/uv ## Choose versions again, within the bounds of pyproject.toml
	$< pip compile -q -U pyproject.toml $(SERVED:%=--extra %) $(LOCK) -o requirements.lock
	$< pip compile -q -U pyproject.toml --group test --group lint $(LOCK) -o requirements-dev.lock
	$< pip compile -q -U --group pyproject.toml:docs $(LOCK) -o requirements-docs.lock
	$< pip compile -q -U --group pyproject.toml:release $(LOCK) -o requirements-release.lock
	$< pip compile -q -U tests/clients/newest_client.in $(LOCK) -o tests/clients/newest_client.lock
	$< pip compile -q -U tests/interop/clients/python/clients.in $(LOCK) -o tests/interop/clients/python/clients.lock

SERVED := cel node postgresql record zstd
LOCK := --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock"

.venv-lock/bin/uv:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install -q uv

.PHONY: clean
clean: ## Remove environments, caches and builds
	rm -rf .venv .venv-lock .venv-docs .venv-release build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(SERVING): requirements.lock pyproject.toml
	@$(PYTHON_NEEDED)
	@echo "Making .venv for the server, which takes a minute or more the first time ..." >&2
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv .venv
	.venv/$(PIP) --no-compile --require-hashes -r requirements.lock
	$(BIN)/python tools/link_checkout.py
	@touch $@

$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON_NEEDED)
	@echo "Making .venv with the tools of tests and checks, which takes a few minutes the first time ..." >&2
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv .venv
	.venv/$(PIP) --require-hashes -r requirements-dev.lock
	.venv/$(PIP) --no-deps --no-build-isolation -e .
	@touch $(SERVING) $@

$(DOCS): requirements-docs.lock
	$(PYTHON) -m venv .venv-docs
	.venv-docs/$(PIP) --require-hashes -r requirements-docs.lock
	@touch $@

$(RELEASE): requirements-release.lock
	$(PYTHON) -m venv .venv-release
	.venv-release/$(PIP) --require-hashes -r requirements-release.lock
	@touch $@

PYTHON_NEEDED := test -n "$(PYTHON)" || \
	{ echo "Python 3.11 or newer is needed; name it: make PYTHON=/path/to/python" >&2; exit 1; }
