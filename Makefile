# Everything a fresh machine needs is Python 3.11 to 3.13 and make. The first call sets up .venv from the locks
# (versions and hashes); afterwards nothing is fetched until a lock changes.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
UV ?= uv
JOBS ?= 2
IS_FITTING := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	if command -v $$name >/dev/null && $$name -c '$(IS_FITTING)' 2>/dev/null; then echo $$name; break; fi; done)
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check install
# -e: the code that runs is this checkout's; --no-build-isolation: its build tool is in the lock, nothing is fetched
INSTALL_OURSELVES := --no-deps --no-build-isolation --editable .

.PHONY: help daily test lint format bench soak lock clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

daily: $(VENV)/run.stamp ## price the sample: every step from recorded bytes to a signed edition and a page
	@$(BIN)/gpurent daily --sample

test: $(VENV)/dev.stamp ## the test suite
	@$(BIN)/python -m pytest --quiet --numprocesses $(JOBS)

lint: $(VENV)/dev.stamp ## format, style, types, layers, SQL, dependencies
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sqlfluff lint --processes $(JOBS) warehouse collectors grades index gpurent
	$(BIN)/deptry gpurent warehouse collectors grades index

format: $(VENV)/dev.stamp ## put code and SQL into the project's form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/sqlfluff fix --quiet warehouse collectors grades index gpurent

bench: $(VENV)/dev.stamp ## how fast the parts are, on this machine; REAL=folder also ingests folders of real prices
	@$(BIN)/python -m bench $(if $(REAL),--real $(REAL))

soak: $(VENV)/dev.stamp ## kill the daily run at seeded moments and see that it always ends the same
	@$(BIN)/python -m bench.soak

lock: ## resolve the locks anew with uv: newest versions, for Python 3.11 to 3.13, hashes and no address
	$(UV) pip compile $(LOCKING) --group build --output-file requirements.lock
	$(UV) pip compile $(LOCKING) --group build --group dev --group browser \
		--constraints requirements.lock --output-file requirements-dev.lock
	echo 'duckdb==1.5.5' | $(UV) pip compile - $(COMPILING) --output-file requirements-duckdb15.lock

COMPILING := --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
LOCKING := pyproject.toml $(COMPILING)

clean: ## remove the environment and what tools left behind
	rm -rf $(VENV) .venv-duckdb15 .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed and none of them is on the path" >&2; exit 2; }
	@echo "setting up $(VENV) with $$($(PYTHON) --version), once" >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: requirements.lock pyproject.toml | $(BIN)/python
	@$(PIP) --require-hashes --requirement requirements.lock
	@$(PIP) $(INSTALL_OURSELVES)
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(VENV)/run.stamp
	@$(PIP) --require-hashes --requirement requirements-dev.lock
	@touch $@
