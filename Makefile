# Everything runs from a fresh clone; Python, pip and PyPI are all it needs.

# The first that runs: a pyenv shim on PATH may exist for a version that is not enabled.
interpreter = $(shell for python in $${PYENV_ROOT:-$$HOME/.pyenv}/versions/$(1).*/bin/python$(1) python$(1); do \
	"$$python" -c '' 2>/dev/null && echo "$$python" && break; done)

PYTHON ?= $(or $(call interpreter,3.11),python3)
VERSIONS := 3.11 3.12 3.13
OLDEST_MYPY := 2.0.0
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help .venv demo test check bench test-all test-oldest-mypy test-modes test-packages \
	test-checkers clean

help: ## list the targets
	@awk -F ':.*## ' '/^[.a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.venv: .venv/stamp ## make or refresh the environment for development

# The stamp comes last, so that a broken installation is not taken for a finished one.
install = $(1) -m venv $(@D) && $(@D)/bin/python -m pip install -qq --editable '.[dev]' && touch $@

.venv/stamp: pyproject.toml
	$(call install,$(PYTHON))

.venv-%/stamp: pyproject.toml
	$(call install,$(call interpreter,$*))

demo: .venv/stamp ## show what each front end finds in a faulty application
	@$(BIN)/python fixtures/shop/demo.py

# Tests share nothing, so that every processor takes its part.
PYTEST := -m pytest -n auto --dist worksteal

test: .venv/stamp ## run the whole test suite
	$(BIN)/python $(PYTEST)

check: .venv/stamp ## lint, format, types and the floors between modules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/r4c check
	$(BIN)/lint-imports --no-logo
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

# The peers that the runtime is compared with.
.venv/stamp-bench: .venv/stamp
	$(BIN)/python -m pip install -qq --editable '.[bench]' && touch $@

bench: .venv/stamp-bench ## measure: every script tests/benchmarks/bench_*.py
	@set -e; for script in $(wildcard tests/benchmarks/bench_*.py); do echo "$$script"; $(BIN)/python "$$script"; done

test-all: ## run the test suite on every supported Python that is installed, and with other tools and versions
	@$(MAKE) --no-print-directory --keep-going $(VERSIONS:%=test-%) test-oldest-mypy test-modes test-packages \
		test-checkers

# In an environment of its own, since another mypy in the common one would be found by everything else.
.venv-oldest-mypy/stamp: pyproject.toml
	$(PYTHON) -m venv $(@D) && $(@D)/bin/python -m pip install -qq --editable '.[dev]' mypy==$(OLDEST_MYPY) && touch $@

test-oldest-mypy: .venv-oldest-mypy/stamp ## run the plugin's tests with the oldest mypy that it supports
	$(<D)/bin/python -m pytest tests/mypy

test-modes: .venv/stamp ## run the plugin in every mode of mypy, through every edit of a project
	$(BIN)/python $(PYTEST) tests/mypy/every_mode.py

# In an environment of its own, since packages that are there change what other tests see.
.venv-packages/stamp: pyproject.toml
	$(PYTHON) -m venv $(@D) && $(@D)/bin/python -m pip install -qq --editable '.[mypy,packages]' 'pytest>=9,<10' && touch $@

test-packages: .venv-packages/stamp ## run the plugin over popular packages and Python's own, and beside other plugins
	$(<D)/bin/python -m pytest --override-ini addopts= --import-mode=importlib -q \
		tests/mypy/popular_packages.py tests/mypy/standard_library.py

.venv/stamp-checkers: .venv/stamp
	$(BIN)/python -m pip install -qq --editable '.[checkers]' && touch $@

test-checkers: .venv/stamp-checkers ## run other type checkers over what plain types can tell
	$(BIN)/python -m pytest tests/typing/other_checkers.py

test-%:
	@if [ -z "$(call interpreter,$*)" ]; then echo "Python $*: not installed, skipped"; else \
	$(MAKE) --no-print-directory .venv-$*/stamp && echo "Python $*" && .venv-$*/bin/python $(PYTEST); fi

clean: ## remove the environments, caches and builds
	rm -rf .venv .venv-* build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .benchmarks
	find runtime mypy_plugin lint tests -name __pycache__ -type d -prune -exec rm -rf {} +
