# Two commands: `make run` and `make test`. Both set up the environment.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CORES ?= all

.PHONY: help setup run test test-fast check docs mutants benchmark licences clean

help:
	@echo "make run        set up, then run the workflow on config/config.yaml"
	@echo "make test       set up, then run the whole test suite"
	@echo "make test-fast  only the fast tests"
	@echo "make check      formatting, linting and types"
	@echo "make docs       build the documentation site into docs/_build/html (needs graphviz)"
	@echo "make mutants    inject faults one by one: do the fast tests catch them?"
	@echo "make benchmark  measure DeLong's test and the prefix sharing of the transformers engine"
	@echo "make licences   the licence of each installed package"
	@echo "make clean      delete results and logs, including model responses"

setup: $(VENV)/installed

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps

$(VENV)/installed: requirements.lock requirements-cuda.lock requirements-nodeps.lock
	@$(PYTHON) -c "import sys; v = sys.version_info[:2]; \
	    sys.exit(None if (3, 11) <= v <= (3, 13) else 'Python 3.11, 3.12 or 3.13 is needed, this is %d.%d; name one: make PYTHON=python3.12 run' % v)"
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -r requirements.lock
	@# torch's CUDA build needs more; its CPU build and macOS don't.
	@if $(BIN)/python -m pip show torch | grep -q nvidia; then $(INSTALL) -r requirements-cuda.lock; fi
	$(INSTALL) -r requirements-nodeps.lock
	@touch $@

run: setup
	$(BIN)/snakemake --cores $(CORES)

# One process per core, and one thread in each. A file's tests stay together: they share fixtures.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses logical --dist loadfile

test: test-fast
	$(PYTEST) -m slow

test-fast: setup
	$(PYTEST) -m "not slow"

licences: setup
	$(BIN)/pip-licenses --format markdown --order license --with-urls

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

docs: setup
	@command -v dot >/dev/null || { echo "make docs draws the graph of rules with graphviz: install it (Debian: apt-get install graphviz)" >&2; exit 1; }
	$(BIN)/sphinx-build -q -W --keep-going docs docs/_build/html

mutants: setup
	$(BIN)/python tests/mutants/run.py

benchmark: setup results/models/smollm2_135m/weights
	PYTHONPATH=workflow/scripts $(BIN)/python benchmarks/delong.py
	PYTHONPATH=workflow/scripts $(BIN)/python benchmarks/prefix_sharing.py --model results/models/smollm2_135m/weights

results/models/smollm2_135m/weights: | setup
	$(BIN)/snakemake --cores 1 $@

clean:
	rm -rf results logs
