#!/usr/bin/env bash
# Sets up a development environment, then checks the examples, shows what their illegal twins are told, and lowers the
# legal ones, and compiles them for their GPUs: all without a GPU.
source "$(dirname "$0")/../tests/environment.sh"
JAX_PLATFORMS=${JAX_PLATFORMS-cpu} exec "$PYTHON" -m examples.run "$@"
