# make            lint, then the tests       make run      open the app
# make test-slow  what is slow by nature     (browsers, clusters, whole fits)
# make setup      .venv with all packages    make image    container image
# make bench      side by side with Meridian  make bench-truth  markets with known truth
PORT ?= 8501
ADDRESS ?= localhost
# Names by which browsers may call the app, separated by spaces; * for any.
HOSTS ?= localhost 127.0.0.1 ::1
PYTHON ?=
# Files in the order of tests/order.py, the longest first. A process that crashes is not
# replaced: pytest-xdist would then wait for ever.
PYTEST_ARGS ?= -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart 0 --timeout 900
export PYTHON

VENV := .venv
BIN := $(VENV)/bin
# Imports are two to three times slower without bytecode.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := test
.PHONY: setup browser proxy run test test-slow calibration lint format image image-steps server-steps wheel wheel-steps clean bench bench-truth

setup: $(VENV)/.installed

$(VENV)/.installed: requirements.txt requirements-dask.txt requirements-duckdb.txt \
  requirements-auth.txt requirements-mcp.txt requirements-pdf.txt requirements-dev.txt \
  tools/setup.sh
	bash tools/setup.sh $(VENV)
	touch $@

# Never fails: without a browser the browser tests say so (and fail under CI).
browser: setup
	bash tools/browser.sh $(VENV)

# The same for the proxy of the tests of sign-in.
proxy:
	bash tools/proxy.sh

run: setup
	$(BIN)/python -m core app --port $(PORT) --address $(ADDRESS) $(foreach host,$(HOSTS),--host '$(host)')

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: lint
	$(BIN)/python -m pytest -m "not slow and not calibration" $(PYTEST_ARGS)

# What is slow by nature: browsers, clusters, killed processes, whole fits.
test-slow: lint browser proxy
	$(BIN)/python -m pytest -m "slow and not calibration" $(PYTEST_ARGS)

# Simulation-based calibration of the sampler: 200 fits, some minutes.
calibration: setup
	$(BIN)/python -m pytest -m calibration

image:
	docker build --tag mixwright .

# The Dockerfile's steps without Docker, in a clean folder.
image-steps: setup
	$(BIN)/python tools/image_steps.py

# compose.yaml and docs/server.md without Docker; the proxy too, where caddy is installed.
server-steps: setup
	$(BIN)/python tools/server_steps.py

# One file for pip, pipx and uvx, in out/wheel.
wheel: setup
	rm -rf out/wheel
	$(BIN)/python -m hatchling build -t wheel -d out/wheel

# The wheel in an empty environment: commands from an empty folder, the app opened.
wheel-steps: wheel
	$(BIN)/python tools/wheel_steps.py out/wheel/*.whl

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache out

# Side-by-side measurements; bench/README.md. FULL=1 adds the two large markets.
bench: setup out/meridian/.installed
	$(BIN)/python -m bench.run --meridian out/meridian/bin/python $(if $(FULL),--full) $(BENCH_ARGS)
	$(BIN)/python -m bench.parts

out/meridian/.installed: bench/requirements-meridian.txt
	bash tools/setup.sh out/meridian $<
	touch $@

bench-truth: setup
	$(BIN)/python -m bench.truth $(BENCH_ARGS)
