"""Which files `safegpu check` checks, and with whose settings."""

from pathlib import Path

import pytest

from safegpu.check import CannotCheck, check, files, files_of, settings
from safegpu.cli import main

WRONG = 'x: int = ""\n'


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder; mypy keeps what it knows of its own library and safegpu from one test to the next."""
    monkeypatch.setenv("MYPY_CACHE_DIR", str(cache))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**contents: str) -> None:
    """Files by name, where __ stands for a slash and the rest of it for what a name cannot hold."""
    for name, text in contents.items():
        path = Path(name.replace("__", "/").replace("_ini", ".ini").replace("_toml", ".toml"))
        path = path if path.suffix else path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# --- files


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ([], ["a.py", "gen/a.py", "gen/sub/b.py", "b.py"]),
        (["gen"], ["a.py", "b.py"]),
        (["gen/"], ["a.py", "b.py"]),
        (["/a.py"], ["gen/a.py", "gen/sub/b.py", "b.py"]),
        (["a.py"], ["gen/sub/b.py", "b.py"]),
        (["**/sub/*.py", "b*"], ["a.py", "gen/a.py"]),
        (["*.py", "!b.py"], ["gen/sub/b.py", "b.py"]),
    ],
)
def test_exclude(patterns: list[str], left: list[str]) -> None:
    write(a="", b="", gen__a="", gen__sub__b="")
    assert sorted(files_of(["."], exclude=patterns)) == sorted(left)
    given = ["a.py", "gen/a.py", str(Path("gen/sub/b.py").absolute()), "b.py"]
    assert len(files_of(given, exclude=patterns)) == len(left)


def test_nothing_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    """As it happens to a hook that is given some of the files."""
    write(a=WRONG)
    assert main(["check", "a.py", "--exclude", "a.*"]) == 0
    assert main(["check", "a.py", "--kernels-only"]) == 0
    assert capsys.readouterr().out == "clean: 0 files\n" * 2


def test_kernels_only() -> None:
    write(
        plain=WRONG, kernel="import safegpu\n", inside="def f():\n    from safegpu import tcgen05\n", broken="def (\n"
    )
    assert sorted(files_of(["."], kernels_only=True)) == ["inside.py", "kernel.py"]


def test_a_stub_and_its_source() -> None:
    """Both given by name, both are checked; who imports them sees the stub."""
    write(k="def f(x: int) -> int:\n    return ''\n", user="import k\nk.f('')\n")
    Path("k.pyi").write_text("def f(x: int) -> int: ...\ny: int = ''\n")
    for order in (["k.py", "k.pyi", "user.py"], ["user.py", "k.pyi", "k.py"]):
        assert [(each.path, each.line) for each in check(order)] == [("k.py", 2), ("k.pyi", 2), ("user.py", 2)]
    assert len(files.rounds(["k.py", "k.pyi", "user.py"])) == 2


def test_copies_of_a_file_in_two_folders() -> None:
    """mypy's cache knows a module by its name and text, and both are the same here."""
    write(a__k=WRONG, b__k=WRONG)
    assert [each.path for each in check(["a", "b"])] == ["a/k.py", "b/k.py"]
    assert [each.path for each in check(["./a/k.py"])] == ["a/k.py"]


def test_relative_imports_of_a_part_of_a_package() -> None:
    """A hook is given the changed files of a package, not all."""
    write(pack____init__="", pack__sub__helper="def width() -> int: ...\n")
    Path("pack/__init__.py").write_text("")
    Path("pack/sub/__init__.py").write_text("")
    write(pack__sub__kernel="from .helper import width\nfrom ..sub import helper\nx: str = width()\n")
    assert [(each.path, each.line) for each in check(["pack/sub/kernel.py"])] == [("pack/sub/kernel.py", 3)]


# --- settings

UNTYPED = "import no_such_module\nimport no_other\ndef f(x):\n    y: int = ''\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("my.ini", "[mypy]\ndisallow_untyped_defs = True\n[mypy-other.*]\nignore_errors = True\n"),
        ("setup.cfg", "[metadata]\nname = x\n[mypy]\ndisallow_untyped_defs = True\nexclude = kernel\n"),
        ("pyproject.toml", "[tool.mypy]\ndisallow_untyped_defs = true\nfiles = ['nothing.py']\n"),
        ("pyproject.toml", "[[tool.mypy.overrides]]\nmodule = ['kernel', 'x.*']\ndisallow_untyped_defs = true\n"),
    ],
)
def test_settings_go_before_safegpus(name: str, text: str) -> None:
    """What is set counts, and what is not stays safegpu's: unannotated bodies, modules that are not installed."""
    Path(name).write_text(text)
    write(kernel=UNTYPED)
    assert [each.line for each in check(["kernel.py"], config=name)] == [3, 4]


def test_settings_that_differ() -> None:
    write(kernel=UNTYPED)
    assert [each.line for each in check(["kernel.py"])] == [4]
    Path("my.ini").write_text("[mypy]\nignore_missing_imports = False\ncheck_untyped_defs = no\n")
    assert [each.line for each in check(["kernel.py"], config="my.ini")] == [1, 2]


def test_paths_count_from_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    write(kernel="import lib\nx: str = lib.width()\n", sub__src__lib="def width() -> int: ...\n")
    write(sub__plugin="from mypy.plugin import Plugin\ndef plugin(version: str) -> type[Plugin]: return Plugin\n")
    Path("sub/pyproject.toml").write_text(
        '[tool.mypy]\nmypy_path = "$MYPY_CONFIG_FILE_DIR/src"\nplugins = ["plugin.py"]\n[tool.mypy.other]\nx = 1\n'
    )
    assert check(["kernel.py"]) == []
    assert [each.line for each in check(["kernel.py"], config="sub/pyproject.toml")] == [2]


def test_the_last_section_of_a_module_counts() -> None:
    """As in mypy."""
    Path("my.ini").write_text("[mypy]\n[mypy-jax.*,b]\nfollow_imports = normal\n[mypy-jax.*]\nignore_errors = True\n")
    assert settings.read(Path("my.ini"))["mypy-jax.*"] == {"ignore_errors": "True"}
    assert settings.read(Path("my.ini"))["mypy-b"] == {"follow_imports": "normal"}


def test_an_option_that_mypy_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    Path("my.ini").write_text("[mypy]\ncheck_typed_defs = True\n")
    write(kernel="")
    assert main(["check", "kernel.py", "--config", "my.ini"]) == 0
    assert capsys.readouterr() == (
        "clean: 1 file\n",
        "safegpu: my.ini: [mypy]: Unrecognized option: check_typed_defs = True\n",
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("none.ini", None, "cannot read none.ini: No such file or directory"),
        ("my.ini", "[flake8]\n", "my.ini has no settings of mypy: no section [mypy]"),
        ("pyproject.toml", "[project]\n", "pyproject.toml has no settings of mypy: no section [tool.mypy]"),
        ("pyproject.toml", "[project\n", "cannot read pyproject.toml: "),
        ("my.ini", "x\n", "cannot read my.ini: "),
    ],
)
def test_settings_that_cannot_be_read(name: str, text: str | None, said: str) -> None:
    write(kernel="")
    if text is not None:
        Path(name).write_text(text)
    with pytest.raises(CannotCheck) as error:
        check(["kernel.py"], config=name)
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)
