# Every target sets up what it needs: Python >= 3.11 (with venv and pip) and make are enough.
#   make PYTHON=python3.12 test     another interpreter (for a fresh .venv)
#   make test ARGS="-k ranking"     further arguments for pytest (test, test-slow, test-floor),
#                                   for `disambig reproduce`, for fuzz and for the benchmarks

PYTHON ?= python3
VENV ?= .venv
FLOOR_VENV ?= .venv-floor
ARGS ?=

BIN := $(VENV)/bin
FLOOR_BIN := $(FLOOR_VENV)/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

# Run a second time with the compiler off: what is compiled, what it is compared with, what drives it.
NOJIT_TESTS = tests/compiled tests/orderings tests/oracles tests/solvers

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two installers in one environment would trip over each other.
.NOTPARALLEL:
.PHONY: help demo reproduce test test-reproduce test-slow test-floor test-wheel fuzz coverage lint format bench docs clean

help: ## list the targets
	@echo "usage: make <target>"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.ready-demo ## run the demonstration
	$(BIN)/disambig demo

# Into disambig-figures/, and on from there after an interruption. make reproduce ARGS=--quick
reproduce: $(VENV)/.ready-demo ## draw the figures of the paper, beside the authors' numbers
	$(BIN)/python -m reproduce $(ARGS)

# A file stays with one process: what it compiles and prepares is not made twice.
PARALLEL ?= -n auto --dist loadfile
# One file has most of the slow tests: the last of them go to the process that is free.
PARALLEL_SLOW ?= -n auto --dist worksteal

# pytest leaves with 5 when nothing was selected: no failure in the two runs that select.
test: $(VENV)/.ready-test ## run the quick tests and the doctests, then the numeric ones without compiler
	$(BIN)/python -m pytest $(PARALLEL) $(ARGS)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(PARALLEL) -m "not slow and not needs_jit" $(ARGS) $(NOJIT_TESTS) \
	  || test $$? -eq 5

test-reproduce: $(VENV)/.ready-test ## run the quick tests of the paper's figures (the folder reproduce/)
	$(BIN)/python -m pytest $(PARALLEL) $(ARGS) reproduce

test-slow: $(VENV)/.ready-test ## run the slow tests, with many more generated examples
	$(BIN)/python -m pytest $(PARALLEL_SLOW) -m slow --hypothesis-profile=thorough $(ARGS) tests src reproduce \
	  || test $$? -eq 5

# make fuzz ARGS="--seed 1"; ARGS="--only 1234" repeats a single case and shows its traceback.
fuzz: $(VENV)/.ready-test ## run 10,000 generated bad inputs; print what is refused by errors that are not ours
	$(BIN)/python -m tests.fuzz $(ARGS)

# What a user gets: the wheel alone, in an environment that knows nothing of this folder.
test-wheel: $(VENV)/.created ## build the wheel, install it into an empty environment, run what the README shows there
	$(BIN)/python .ci/wheel.py

# Compiled lines are invisible to the tracer, so the numeric tests run a second time without compiler.
coverage: $(VENV)/.ready-test ## measure which lines the quick tests run; reported, no threshold
	$(BIN)/python -m pytest $(PARALLEL) --hypothesis-profile=few --cov --cov-report= $(ARGS)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(PARALLEL) -m "not slow and not needs_jit" \
	  --hypothesis-profile=few --cov --cov-append --cov-report=term:skip-covered $(ARGS) $(NOJIT_TESTS)

test-floor: $(FLOOR_VENV)/.ready-floor ## run the quick tests on the oldest supported versions
	$(FLOOR_BIN)/python -m pytest $(ARGS)

lint: $(VENV)/.ready-lint $(VENV)/.ready-test ## check style, types, the import contract and the words of the glossary
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/words.py

format: $(VENV)/.ready-lint ## rewrite the code in the style of the project
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.ready-bench ## run the benchmarks
	$(BIN)/python -m benchmarks $(ARGS)

# Without network. The examples run once; the next call runs those that have changed.
# -W: a warning fails the build, after all of them are shown. Open docs/_build/html/index.html.
docs: $(VENV)/.ready-docs ## build the documentation site, run its examples, check links and pages
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d docs/_build/doctrees $(ARGS) docs docs/_build/html
	$(BIN)/python .ci/links.py docs/_build/html
	$(BIN)/python .ci/browser.py docs/_build/html

clean: ## remove environments, caches and built things
	rm -rf docs/_build docs/api docs/gallery docs/sg_execution_times.rst
	rm -rf .venv .venv-floor build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks .ci -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# ---------------------------------------------------------------- environments
# A stamp for each set of extras, older than pyproject.toml as soon as that changes.

READY := $(addprefix $(VENV)/.ready-,demo bench docs test lint)
$(VENV)/.ready-demo: EXTRAS = cli,io,persist,plot,report
$(VENV)/.ready-bench: EXTRAS = bench
$(VENV)/.ready-docs: EXTRAS = docs
$(VENV)/.ready-test: EXTRAS = test
$(VENV)/.ready-lint: EXTRAS = lint

$(READY): pyproject.toml $(VENV)/.created
	$(BIN)/python $(PIP_INSTALL) --editable '.[$(EXTRAS)]'
	@touch $@

# numba 0.59 exists for Python 3.11 and 3.12.
$(FLOOR_VENV)/.ready-floor: pyproject.toml .ci/floor_constraints.py $(FLOOR_VENV)/.created
	@$(FLOOR_BIN)/python -c 'import sys; sys.exit(sys.version_info >= (3, 13))' || { \
	  echo "make test-floor: the oldest supported numba needs Python 3.11 or 3.12, $(FLOOR_VENV) has" \
	       "$$($(FLOOR_BIN)/python -V). Remove $(FLOOR_VENV) and try: make PYTHON=python3.12 test-floor"; exit 1; }
	$(FLOOR_BIN)/python .ci/floor_constraints.py > $(FLOOR_VENV)/constraints.txt
	$(FLOOR_BIN)/python $(PIP_INSTALL) --constraint $(FLOOR_VENV)/constraints.txt --editable '.[test]'
	@touch $@

# An environment that is already there and works is kept.
$(VENV)/.created $(FLOOR_VENV)/.created:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "make: no Python called '$(PYTHON)'. disambig needs 3.11 or newer; try: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: disambig needs Python 3.11 or newer, '$(PYTHON)' is $$($(PYTHON) -V 2>&1)." \
	       "Try: make PYTHON=python3.12 ..."; exit 1; }
	@$(@D)/bin/python -m pip --version >/dev/null 2>&1 || { echo "creating $(@D)"; $(PYTHON) -m venv $(@D); }
	@touch $@
