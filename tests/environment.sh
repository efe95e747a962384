# Sourced: makes .venv with the exact development versions, once for each version of the lock, and sets $PYTHON to it.
# Needs Python 3.12 or 3.13 (PYTHON3 may name one) and a package index.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

find_python() {
    local candidate
    for candidate in ${PYTHON3:-python3.12 python3.13 python3 python}; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "needs Python 3.12 or 3.13: none of ${PYTHON3:-python3.12 python3.13 python3 python} is one" >&2
    return 1
}

lock=$(cat tests/requirements.txt pyproject.toml | cksum)
if [ "$(cat .venv/lock 2>/dev/null)" != "$lock" ]; then
    python3=$(find_python) || exit 1
    echo "setting up .venv (once; jax, the CUDA compiler's wheels and the checkers, about 2 GB)"
    "$python3" -m venv --clear .venv || exit 1
    .venv/bin/python -m pip install --quiet --requirement tests/requirements.txt || exit 1
    .venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable . || exit 1
    echo "$lock" > .venv/lock
fi
PYTHON=$PWD/.venv/bin/python
