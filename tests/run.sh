#!/usr/bin/env bash
# Sets up a development environment and passes the tests. Arguments go to pytest.
source "$(dirname "$0")/environment.sh"
set -e
"$PYTHON" -m ruff check .
"$PYTHON" -m ruff format --check .
"$PYTHON" -m mypy
JAX_PLATFORMS=${JAX_PLATFORMS-cpu} exec "$PYTHON" -m pytest -n 2 "$@"
