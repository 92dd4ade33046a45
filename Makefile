# `make run` shows Seasoned at work, `make test` proves it; each does all of its own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Each worker takes its half of the tests in order, so that files stay together; then it helps out.
PYTEST_ARGS ?= -n 2 --dist worksteal

.PHONY: run desk install uninstall test check lint types imports format fuzz browser lock clean

run: $(VENV)/base.done
	$(BIN)/seasoned demo
	@echo; echo "see it in a browser: make desk, which runs seasoned demo --serve"

# The same with weeks of made-up activity, in the browser.
desk: $(VENV)/base.done
	@$(BIN)/python -c 'import fastapi' 2>/dev/null || { \
	  echo "installing the web server into $(VENV)"; $(PIP) install -e '.[server]'; }
	$(BIN)/seasoned demo --serve

# Seasoned for this user, in an environment of its own: `seasoned` in ~/.local/bin. EXTRAS=llm,postgres adds those.
PREFIX ?= $(HOME)/.local
HOUSE := $(PREFIX)/share/seasoned
EXTRAS ?=
install:
	@$(MAKE) --no-print-directory VENV="$(HOUSE)" "$(HOUSE)/bin/python"
	@echo "installing Seasoned into $(HOUSE)"
	@"$(HOUSE)/bin/python" -m pip --disable-pip-version-check --quiet install --require-hashes -r locks/base.lock
	@"$(HOUSE)/bin/python" -m pip --disable-pip-version-check --quiet install --force-reinstall --no-deps .
	@if [ -n "$(EXTRAS)" ]; then "$(HOUSE)/bin/python" -m pip --disable-pip-version-check --quiet install ".[$(EXTRAS)]"; fi
	@mkdir -p "$(PREFIX)/bin" && ln -sf "$(HOUSE)/bin/seasoned" "$(PREFIX)/bin/seasoned"
	@if [ "$$(command -v seasoned)" = "$(PREFIX)/bin/seasoned" ]; then echo "installed: try seasoned demo"; else \
	  echo "installed: try $(PREFIX)/bin/seasoned demo"; \
	  echo "to call it seasoned, put its folder on the PATH: export PATH=\"$(PREFIX)/bin:\$$PATH\""; fi

uninstall:
	rm -rf "$(HOUSE)" "$(PREFIX)/bin/seasoned"

# The static checks run beside the tests, and are shown after them; either can fail the target.
test: $(VENV)/dev.done browser
	@$(MAKE) --no-print-directory check >$(VENV)/check.log 2>&1 & checks=$$!; \
	$(BIN)/python -m pytest $(PYTEST_ARGS); tested=$$?; \
	wait $$checks; checked=$$?; \
	cat $(VENV)/check.log; \
	exit $$((tested || checked))

check: lint types imports

lint: $(VENV)/dev.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.done
	$(BIN)/pyright

imports: $(VENV)/dev.done
	$(BIN)/lint-imports

format: $(VENV)/dev.done
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# New random examples for the property tests, as often as ROUNDS says.
ROUNDS ?= 5
fuzz: $(VENV)/dev.done
	for round in $$(seq $(ROUNDS)); do \
	  HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest $(PYTEST_ARGS) \
	    $$(grep -rl 'hypothesis import given' tests) || exit 1; \
	done

# Debian's own Chromium, for the browser tests; they are skipped where it is missing.
browser:
	@command -v chromium >/dev/null || { \
	  echo "installing chromium with apt-get"; \
	  if [ "$$(id -u)" = 0 ]; then as=; else as=sudo; fi; \
	  $$as apt-get update -qq && $$as apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Seasoned needs Python 3.11 or newer; set PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "installing python3-venv with apt-get"; \
	  if [ "$$(id -u)" = 0 ]; then as=; else as=sudo; fi; \
	  $$as apt-get update -qq && $$as apt-get install -y -qq python3-venv >/dev/null && \
	  $(PYTHON) -m venv --clear $(VENV); }

$(VENV)/base.done: locks/base.lock pyproject.toml | $(VENV)/bin/python
	@echo "installing Seasoned into $(VENV)"
	@$(PIP) install --require-hashes -r locks/base.lock
	@$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/dev.done: locks/dev.lock $(VENV)/base.done
	@echo "installing the test tools into $(VENV)"
	@$(PIP) install --require-hashes -r locks/dev.lock
	@touch $@

lock:
	for name in base dev all; do \
	  case $$name in base) extra= ;; dev) extra="--extra dev" ;; all) extra=--all-extras ;; esac; \
	  uv pip compile --quiet pyproject.toml $$extra --generate-hashes --no-emit-index-url \
	    --python-version 3.11 --no-header -o locks/$$name.lock; \
	done

clean:
	rm -rf $(VENV) .venvs .pytest_cache .ruff_cache .hypothesis
