"""`safegpu doctor`: what it says of environments that are whole, broken, and slow."""

import json
import os
import stat
import sys
import time
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from safegpu.cli import main
from safegpu.commands import doctor, tested
from safegpu.commands.doctor import Fact

ROOT = Path(__file__).parents[2]

PATH = os.environ["PATH"]
SEES = "sees the types of safegpu and its stubs of jaxlib"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder, and a path without programs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


@pytest.fixture
def program(project: Path) -> Callable[[str, str], Path]:
    """Puts a shell script on the path."""

    def write(name: str, script: str) -> Path:
        path = project / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return write


def only(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    """As if these distributions were installed and no others; _ stands for -."""
    known = {name.replace("_", "-"): version for name, version in versions.items()}

    def version(name: str) -> str:
        if name not in known:
            raise metadata.PackageNotFoundError(name)
        return known[name]

    monkeypatch.setattr(metadata, "version", version)


def states(facts: list[Fact]) -> dict[str, str]:
    return {fact.subject: fact.state for fact in facts}


def test_checkers_here_see_the_types() -> None:
    assert [(fact.state, fact.said) for fact in doctor._mypy([])] == [
        ("ok", f"{metadata.version('mypy')}, tested"),
        ("ok", SEES),
        ("ok", SEES),
    ]


def test_pyright_here_sees_the_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", PATH)  # where pyright may have its node from
    assert [(fact.state, fact.said) for fact in doctor._pyright([])][:2] == [
        ("ok", f"{metadata.version('pyright')}, tested"),
        ("ok", SEES),
    ]


def test_settings_that_make_everything_any(project: Path) -> None:
    (project / "mypy.ini").write_text(
        "[mypy]\n[mypy-safegpu.*]\nfollow_imports = skip\nfollow_imports_for_stubs = True\n"
    )
    _, own, theirs = doctor._mypy([])
    assert own.state == "ok"
    assert (theirs.subject, theirs.state) == ("mypy, with the settings here", "broken")
    assert theirs.said == "does not see the types of safegpu, and accepts everything: safegpu is Any"


def test_a_checker_of_another_environment(program: Callable[[str, str], Path]) -> None:
    """As from `pipx install mypy`. It is told of, but may be for another project."""
    said = {"line": 1, "message": 'Cannot find implementation or library stub for module named "safegpu"'}
    path = program("mypy", f"[ $1 = --version ] && echo mypy 1.0.1 || echo '{json.dumps(said)}'")
    *_, version, seen = doctor._mypy([])
    assert version == Fact(
        f"mypy on the path ({path})", "note", f"1.0.1, not tested; tested: {', '.join(tested.TESTED['mypy'])}"
    )
    assert (seen.state, seen.said) == (
        "note",
        f"does not see the types of safegpu, and accepts everything: {said['message']}",
    )


def test_stubs_that_are_not_seen() -> None:
    seen = doctor._seen("x", [(1, 'Revealed type is "safegpu.refs.SmemRef[safegpu.dtypes.float16]"'), (2, '"Any"')])
    assert (seen.state, seen.said.rpartition(" ")[0]) == (
        "broken",
        "does not see the types of jaxlib.mlir.ir, and accepts everything: jaxlib.mlir.ir is",
    )


@pytest.mark.parametrize(
    ("installed", "asked", "expected"),
    [
        ({}, [], {"jax": "absent"}),
        ({}, ["check"], {"jax": "absent"}),
        ({}, ["jax"], {"jax": "broken"}),
        ({}, ["gpu"], {"jax": "broken"}),
        ({"jax": "0.11.2"}, [], {"jaxlib": "absent"}),
        ({"jax": "0.11.2", "jaxlib": "0.11.2"}, [], {"jax": "ok", "jaxlib": "ok"}),
        ({"jax": "0.12.0.1", "jaxlib": "0.11.2"}, [], {"jax": "ok", "jaxlib": "broken"}),
        ({"jax": "0.11.9", "jaxlib": "0.11.9"}, [], {"jax": "note", "jaxlib": "ok"}),
    ],
)
def test_jax(
    monkeypatch: pytest.MonkeyPatch, installed: dict[str, str], asked: list[str], expected: dict[str, str]
) -> None:
    only(monkeypatch, **installed)
    monkeypatch.setattr(doctor, "_run", lambda *_: doctor._Done("", "", False))
    assert states(doctor._jax(asked)) == expected


def test_jax_that_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words are those of whoever imports a kernel."""
    only(monkeypatch, jax="0.13.0", jaxlib="0.13.0")
    Path("jax.py").write_text("__version__, __version_info__ = '0.13.0', (0, 13, 0)\n")
    monkeypatch.setenv("PYTHONPATH", f"{Path.cwd()}:{ROOT}")
    *_, last = doctor._jax([])
    assert (last.subject, last.state) == ("safegpu with jax", "broken")
    assert last.said == "ImportError: safegpu needs jax >= 0.11.2 and < 0.13, got 0.13.0: pip install 'safegpu[jax]'"


def test_no_gpu(monkeypatch: pytest.MonkeyPatch, program: Callable[[str, str], Path]) -> None:
    only(monkeypatch)
    assert states(doctor._gpu([])) == {"GPU": "absent"}
    assert states(doctor._gpu(["gpu"])) == {"GPU": "broken"}
    program("nvidia-smi", "echo NVIDIA-SMI has failed; exit 9")
    assert doctor._gpu([]) == [Fact("GPU", "absent", "none: NVIDIA-SMI has failed")]


def test_gpu(monkeypatch: pytest.MonkeyPatch, program: Callable[[str, str], Path]) -> None:
    program("nvidia-smi", "echo NVIDIA H200, 9.0, 580.1")
    only(monkeypatch, jax="0.11.2")
    assert states(doctor._gpu([])) == {"GPU": "ok", "jax on the GPU": "note"}
    assert states(doctor._gpu(["gpu"])) == {"GPU": "ok", "jax on the GPU": "broken"}
    only(monkeypatch, jax="0.11.2", jax_cuda13_plugin="0.11.2", jax_cuda13_pjrt="0.11.1")
    Path("jax.py").write_text(
        "from types import SimpleNamespace\ndevices = lambda: [SimpleNamespace(device_kind='NVIDIA H200')]\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    assert doctor._gpu([]) == [
        Fact("jax-cuda13-plugin", "ok", "0.11.2"),
        Fact("jax-cuda13-pjrt", "broken", "0.11.1, and jax is 0.11.2"),
        Fact("GPU", "ok", "NVIDIA H200, 9.0, 580.1"),
        Fact("jax on the GPU", "ok", "sees 1 of NVIDIA H200"),
    ]
    Path("jax.py").write_text("import os\nraise RuntimeError(os.environ['JAX_PLATFORMS'])\n")
    assert doctor._gpu([])[-1] == Fact("jax on the GPU", "broken", "RuntimeError: cuda")


def test_what_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, program: Callable[[str, str], Path]) -> None:
    program("nvidia-smi", f"{sys.executable} -c 'import time; time.sleep(60)'")
    monkeypatch.setattr(doctor, "SECONDS", 0.5)
    only(monkeypatch)
    started = time.monotonic()
    assert doctor._gpu([]) == [Fact("GPU", "absent", "none: no answer within 0 seconds")]
    assert time.monotonic() - started < 30


def test_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.toolchain, "missing", lambda: ["ptxas"])
    assert states(doctor._codegen([])) == {"safegpu[codegen]": "absent"}
    (broken,) = doctor._codegen(["codegen"])
    assert (broken.state, "ptxas: pip install 'safegpu[codegen]'" in broken.said) == ("broken", True)
    monkeypatch.setattr(doctor.toolchain, "missing", list)
    assert states(doctor._codegen(["codegen"])) == {"safegpu[codegen]": "ok"}


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    facts = [Fact("one", "ok", "fine"), Fact("other", "note", "hm")]
    monkeypatch.setattr(doctor, "examine", lambda asked: facts + [Fact(each, "broken", "bad") for each in asked])
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out == "ok      one: fine\nnote    other: hm\n"
    assert main(["doctor", "gpu", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["version"], said["broken"]) == (1, 1)
    assert said["facts"][2] == {"subject": "gpu", "state": "broken", "said": "bad"}
    with pytest.raises(SystemExit, match="2"):
        main(["doctor", "everything"])
    with pytest.raises(SystemExit, match="0"):
        main(["doctor", "--help"])
    assert ", ".join(doctor.ASPECTS) in capsys.readouterr().out


def test_tested_versions_are_those_of_the_tests() -> None:
    pinned = (ROOT / "tests/requirements.txt").read_text()
    pins = dict(line.split(" ")[0].split("==") for line in pinned.splitlines() if "==" in line)
    for name, versions in tested.TESTED.items():
        # basedpyright is no part of the tests: docs/editors.md says what was tried
        assert versions[0] == pins.get(name, versions[0])
    assert tested.TESTED["basedpyright"][0] in (ROOT / "docs/editors.md").read_text()
    readme = (ROOT / "README.md").read_text()
    assert f"(tested with {' and '.join(tested.TESTED['jax'])})" in readme
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    assert [each for each in classifiers if "3." in each.rpartition(" ")[2]] == [
        f"Programming Language :: Python :: {version}" for version in tested.PYTHON
    ]


@pytest.mark.parametrize("of", ["mypy", "jax"])
def test_tested_versions_are_those_of_the_matrix(of: str) -> None:
    """The page that `nox` writes has a row for each combination of them; which did not pass, `nox` says as well."""
    tables = (ROOT / "docs/compatibility.md").read_text().split("## ")
    (lines,) = [table.splitlines() for table in tables if f"\n| Python | {of} |" in table]
    _, _, *rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    python = [".".join(row[0].split(".")[:2]) for row in rows]
    assert [*zip(python, (row[1] for row in rows), strict=True)] == [
        (python, version) for python in tested.PYTHON for version in tested.TESTED[of]
    ]
