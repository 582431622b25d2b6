# make demo    sets up .venv and shows what this is, on real kernels
# make test    sets up what it still needs, then runs the linters and the tests
#
# Nothing has to be activated or installed first, except python3 (3.11 or newer), python3-venv, python3-dev,
# make and g++. `make help` lists the rest. Choose another Python with `make demo PYTHON=python3.12`.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
# Two processors have work for four: some tests wait.
JOBS ?= 4
# Of slow tests that differ only in a parameter, `make test` takes one in so many: tests/sampling.py.
EVERY ?= 80
BENCHMARKS := command_line edit_to_verdict simt_throughput bindings

# A module's fixture is made by one worker, and the slow tests come first: cusimt/tests/scheduling.py.
TEST := $(RUN) -m pytest -n $(JOBS) --dist loadgroup --no-loadscope-reorder

.PHONY: help demo test test-all test-fast suite site site-class serve sync lint prebuild bench clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    set up .venv, grade one right kernel and three wrong ones (ALL=1: every solution, too)"
	@echo "make test    run ruff, clang-format, mypy and the tests (JOBS=$(JOBS) at a time), a sample of mistakes and attacks"
	@echo "make test-all  the same with every mistake and attack: before a release"
	@echo "make test-fast  run the unit tests that are not slow: at every save"
	@echo "make site    build the lessons into site/"
	@echo "make site-class  the same without solutions, for a class, into site-class/"
	@echo "make serve   build the lessons and serve them while you edit"
	@echo "make sync    regenerate the stubs from the solutions, and the parts of the lessons that are not text"
	@echo "make lint    run ruff, clang-format and mypy"
	@echo "make bench   print the figures that are claimed about speed"
	@echo "make clean   remove .venv and everything that was built here"

demo: $(VENV)/.core
	@$(RUN) -m grader demo $(if $(ALL),--all)

# pip and the linters take one processor; meanwhile the other compiles what the tests share.
test: $(VENV)/.core
	@$(MAKE) --no-print-directory --output-sync -j 2 suite prebuild
	@$(TEST) --every $(EVERY)

# What pip's progress says is not kept back until the linters end.
suite:
	@$(MAKE) -s --output-sync=none $(VENV)/.suite
	@$(MAKE) lint

test-all:
	@$(MAKE) --no-print-directory test EVERY=1

test-fast: $(VENV)/.test
	@$(TEST) tests/unit cusimt/tests/unit -m "not slow" -q

site: $(VENV)/.docs
	@$(RUN) -m mkdocs build --strict

site-class: $(VENV)/.docs
	@CU2GRAD_SITE=class $(RUN) -m mkdocs build --strict --site-dir site-class

serve: $(VENV)/.docs
	@$(RUN) -m mkdocs serve

sync: $(VENV)/.core
	@$(RUN) -m grader dev sync
	@for part in boxes hints home figures measured models tables; do $(RUN) docs/_build/$$part.py || exit 1; done

lint: $(VENV)/.test
	@$(RUN) -m ruff check grader cusimt tests benchmarks
	@find cusimt/runtime cusimt/device cusimt/include -type f ! -name '*.py' ! -name '*.md' ! -name '*.pyc' \
	    | xargs $(VENV)/bin/clang-format --dry-run -Werror
	@$(RUN) -m mypy

prebuild: $(VENV)/.core
	@$(RUN) -m tests.prebuild

bench: $(VENV)/.core
	@for name in $(BENCHMARKS); do echo "== $$name"; $(RUN) benchmarks/$$name.py || exit 1; done

clean:
	rm -rf $(VENV) build dist site site-class *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find grader cusimt tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp is written after its installation succeeded, so an interrupted one is taken up again.
$(VENV)/.core: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here."; \
	    echo "Run: sudo apt install python3 python3-venv python3-dev"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$$($(PYTHON) --version 2>&1) is too old: cu2grad needs Python 3.11 or newer."; \
	    echo "Name a newer one: make $(or $(MAKECMDGOALS),demo) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -I grader/bootstrap.py $(VENV)
	@touch $@

$(VENV)/.test $(VENV)/.docs: $(VENV)/.%: $(VENV)/.core
	@$(PYTHON) -I grader/bootstrap.py $(VENV) $*
	@touch $@

# Both at once: pip takes seconds to begin, in which one processor is idle.
$(VENV)/.suite: $(VENV)/.core
	@$(PYTHON) -I grader/bootstrap.py $(VENV) test,docs
	@touch $(VENV)/.test $(VENV)/.docs $@
