"""`safegpu init`: what it writes beside what is there, and that it writes nothing else."""

import configparser
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from safegpu.check import settings
from safegpu.cli import main
from safegpu.commands import init

PYPROJECT = """\
[project]
name = "x"  # a comment

[tool.mypy]
strict = true

[[tool.mypy.overrides]]
module = ["numpy.*", "scipy.*"]
ignore_errors = true  # why

[tool.ruff]
line-length   =   100
"""

INI = """\
# ours
[mypy]
strict = True  ; why
plugins =
    one,
    two

[mypy-numpy.*]
ignore_errors = True
"""

HOOKS = """\
# what we run
default_language_version:
  python: python3.12

repos:
  - repo: https://github.com/pre-commit/pre-commit-hooks
    rev: v5.0.0  # pinned

    hooks:
      - id: end-of-file-fixer
        exclude: '^data/'  # quoted
      - id: check-yaml
        args: [--unsafe]
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["init", *arguments])
    return status, *capsys.readouterr()


def added(before: str, after: str) -> list[str]:
    """The lines that are new; AssertionError where one is gone or in another place."""
    rest, new = before.splitlines(), []
    for line in after.splitlines():
        if rest and line == rest[0]:
            rest.pop(0)
        else:
            new.append(line)
    assert rest == []
    return new


def hooks() -> Any:
    return yaml.safe_load(Path(".pre-commit-config.yaml").read_text())["repos"]


def test_a_new_project(capsys: pytest.CaptureFixture[str]) -> None:
    status, diff, _ = run(capsys, "--diff")
    assert status == 1
    assert list(Path().iterdir()) == []
    status, said, _ = run(capsys)
    assert (status, said) == (0, "mypy.ini: created\n.pre-commit-config.yaml: created\n")
    shown = [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert shown == [
        line for path in ("mypy.ini", ".pre-commit-config.yaml") for line in Path(path).read_text().splitlines()
    ]
    assert settings.read(Path("mypy.ini")) == settings.recommended()
    (entry,) = hooks()
    assert entry == init.installed_entry()


@pytest.mark.parametrize(
    "texts",
    [
        {},
        {"pyproject.toml": PYPROJECT},
        {"pyproject.toml": "[project]\nname = 'x'\n"},
        {"pyproject.toml": "[tool.mypy]\noverrides = [{module = 'jax.*', ignore_errors = true}]\n[tool.x]\ny = 1\n"},
        {"pyproject.toml": "[tool.mypy]\nstrict = true"},
        {"pyproject.toml": PYPROJECT, "mypy.ini": INI},
        {".mypy.ini": "[mypy]\n[mypy-jax.*]\nignore_errors = True\n"},
        {"mypy.ini": ""},
        {"setup.cfg": f"[metadata]\nname = x\n\n{INI}\n[flake8]\nx = 1\n"},
        {".pre-commit-config.yaml": HOOKS},
        {".pre-commit-config.yaml": HOOKS.replace("\n", "\r\n"), "mypy.ini": INI.replace("\n", "\r\n")},
        {".pre-commit-config.yaml": "---\n" + HOOKS + "\nci:\n  autofix_prs: false\n"},
        {".pre-commit-config.yaml": "repos: []\n"},
        {".pre-commit-config.yaml": "repos:\n-   repo: local\n    hooks:\n    -   id: x\n        name: x\n# end\n"},
        {".pre-commit-config.yaml": "repos:\n- repo: local\n  hooks:\n  - id: x\n\n- repo: meta\n  hooks:\n  - id: y"},
    ],
)
def test_beside_what_is_there(capsys: pytest.CaptureFixture[str], texts: dict[str, str]) -> None:
    for name, text in texts.items():
        Path(name).write_bytes(text.encode())
    known = {name: settings.read(Path(name), optional=True) for name in texts if not name.endswith(".yaml")}
    before = yaml.safe_load(texts.get(".pre-commit-config.yaml", "repos: []"))
    status, diff, _ = run(capsys, "--diff")
    assert status == 1
    assert {name: Path(name).read_bytes().decode() for name in texts} == texts
    assert run(capsys)[0] == 0

    # what was there is there, and in its place
    for name, text in texts.items():
        if "overrides = [" not in text and text != "repos: []\n":
            added(text, Path(name).read_bytes().decode())
        assert ("\r\n" in text) == (b"\r\n" in Path(name).read_bytes())
    # where mypy looks, it finds the settings
    (chosen,) = [name for name in ("mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml") if f"b/{name}" in diff]
    found = settings.read(Path(chosen))
    for section, options in (*known.get(chosen, {}).items(), *settings.recommended().items()):
        assert options.items() <= found[section].items()
    # and pre-commit its entry, after the others
    document = yaml.safe_load(Path(".pre-commit-config.yaml").read_text())
    assert document["repos"] == [*(before["repos"] or []), init.installed_entry()]
    assert {**document, "repos": None} == {**before, "repos": None}

    # once is enough
    after = {path: path.read_bytes() for path in Path().iterdir()}
    assert run(capsys, "--diff")[:2] == (0, "")
    status, said, _ = run(capsys)
    assert (status, said.count("unchanged")) == (0, 2)
    assert {path: path.read_bytes() for path in Path().iterdir()} == after


def test_layout_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text(PYPROJECT)
    Path(".pre-commit-config.yaml").write_text(HOOKS)
    assert run(capsys, "--repo", "https://example.com/safegpu", "--rev", "1.0")[0] == 0
    assert added(HOOKS, Path(".pre-commit-config.yaml").read_text()) == [
        "  - repo: https://example.com/safegpu",
        "    rev: '1.0'",
        "    hooks:",
        "      - id: safegpu-check",
    ]
    assert [line for line in added(PYPROJECT, Path("pyproject.toml").read_text()) if line] == [
        "check_untyped_defs = true",
        "allow_redefinition = true",
        'follow_imports = "silent"',
        "ignore_missing_imports = true",
        "[[tool.mypy.overrides]]",
        'module = "jax.*"',
        'follow_imports = "skip"',
    ]


@pytest.mark.parametrize(
    ("name", "text", "kept"),
    [
        ("mypy.ini", "[mypy]\nfollow_imports = normal\n", "[mypy] follow_imports = normal; safegpu recommends silent"),
        (
            "pyproject.toml",
            "[tool.mypy]\n[[tool.mypy.overrides]]\nmodule = ['a', 'jax.*']\nfollow_imports = 'normal'\n",
            "[mypy-jax.*] follow_imports = normal; safegpu recommends skip",
        ),
        (
            "mypy.ini",
            "[mypy-jax.*,numpy.*]\nignore_errors = True\n",
            "[mypy-jax.*,numpy.*] has no follow_imports = skip, which safegpu recommends for jax.*",
        ),
    ],
)
def test_other_settings_are_reported(capsys: pytest.CaptureFixture[str], name: str, text: str, kept: str) -> None:
    Path(name).write_text(text)
    for updated in ("updated", "unchanged"):
        status, said, _ = run(capsys, "--no-pre-commit")
        assert (status, said) == (1, f"{name}: {updated}\nkept: {name}: {kept}\n")
    added(text, Path(name).read_text())


def test_settings_in_other_words_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mypy.ini").write_text("[mypy]\ncheck_untyped_defs = yes\nignore_missing_imports = 1\n")
    assert run(capsys, "--no-pre-commit") == (0, "mypy.ini: updated\n", "")
    assert not Path(".pre-commit-config.yaml").exists()


def test_a_hook_that_is_there_stays(capsys: pytest.CaptureFixture[str]) -> None:
    text = "repos: [{repo: here,   rev: x, hooks: [{id: safegpu-check, args: [--exclude, a]}]}]\n"
    Path(".pre-commit-config.yaml").write_text(text)
    assert run(capsys)[0] == 0
    assert Path(".pre-commit-config.yaml").read_text() == text


def without_libraries(name: str) -> Any:
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize(
    "texts",
    [{}, {".pre-commit-config.yaml": HOOKS, "pyproject.toml": PYPROJECT}, {".pre-commit-config.yaml": "repos: []"}],
)
def test_again_it_needs_no_library(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, texts: dict[str, str]
) -> None:
    for name, text in texts.items():
        Path(name).write_text(text)
    assert run(capsys)[0] == 0
    monkeypatch.setattr(init.importlib, "import_module", without_libraries)
    status, said, err = run(capsys)
    assert (status, said.count("unchanged"), err) == (0, 2, "")
    assert run(capsys, "--diff") == (0, "", "")


@pytest.mark.parametrize(
    "text",
    [
        HOOKS,
        f"{HOOKS}      # - id: safegpu-check\n",
        "repos:\n- repo: x\n  hooks:\n  - id: x\n    name: |\n      - id: safegpu-check\n",
        "repos:\n- repo: x\n  hooks:\n  - id: safegpu-check-too\nci:\n  id: safegpu-check\n",
        "repos: [{repo: x, rev: y, hooks: [{id: safegpu-check}]}]\n",
    ],
)
def test_what_is_in_doubt_is_left_to_the_library(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    Path(".pre-commit-config.yaml").write_text(text)
    monkeypatch.setattr(init.importlib, "import_module", without_libraries)
    status, said, err = run(capsys)
    assert (status, said) == (2, "")
    assert err.rstrip().endswith(
        "ruamel.yaml is needed to keep the comments of what is there: pip install 'safegpu[init]'"
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (".pre-commit-config.yaml", "repos: [\n", "cannot read .pre-commit-config.yaml: "),
        (".pre-commit-config.yaml", "- repo: x\n", ".pre-commit-config.yaml is no configuration of pre-commit"),
        (".pre-commit-config.yaml", "repos:\n- {repo:   x,hooks: []}\n", ".pre-commit-config.yaml has a layout that"),
        (
            "pyproject.toml",
            "[tool]\nmypy.strict = true\n",
            "pyproject.toml has a layout that would not",
        ),
        ("pyproject.toml", "[tool.mypy\n", "cannot read pyproject.toml: "),
        ("mypy.ini", "mypy\n", "cannot read mypy.ini: "),
    ],
)
def test_what_is_not_understood_stops_it(capsys: pytest.CaptureFixture[str], name: str, text: str, said: str) -> None:
    Path(name).write_text(text)
    status, out, err = run(capsys)
    assert (status, out) == (2, "")
    assert err.startswith(f"safegpu: nothing was written: {said}")
    assert [(path.name, path.read_text()) for path in Path().iterdir()] == [(name, text)]


def test_what_to_add_by_hand_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path(".pre-commit-config.yaml").write_text("repos:\n- {repo:   x,hooks: []}\n")
    _, _, err = run(capsys, "--repo", "https://example.com/x", "--rev", "0123e4")
    assert yaml.safe_load(err[err.index("- repo") :]) == [init.repository_entry("https://example.com/x", "0123e4")]


@pytest.mark.parametrize(
    ("origin", "entry"),
    [
        ({"url": "https://x.org/s", "vcs_info": {"vcs": "git", "commit_id": "0a"}}, ("https://x.org/s", "0a")),
        ({"url": "file:///project/s", "dir_info": {"editable": True}}, "safegpu[check] @ file:///project/s"),
        (None, "safegpu[check]==1.2"),
    ],
)
def test_the_entry_brings_what_is_installed(
    project: Path, monkeypatch: pytest.MonkeyPatch, origin: object, entry: str | tuple[str, str]
) -> None:
    info = project / "site" / "safegpu-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: safegpu\nVersion: 1.2\n")
    if origin:
        (info / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(project / "site")
    expected = init.local_entry(entry) if isinstance(entry, str) else init.repository_entry(*entry)
    assert init.installed_entry() == expected


def test_repo_and_rev_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["init", "--repo", "x"])


def test_another_folder(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sub").mkdir()
    assert run(capsys, "sub")[:2] == (0, "sub/mypy.ini: created\nsub/.pre-commit-config.yaml: created\n")


def test_files_are_what_their_readers_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text(PYPROJECT)
    run(capsys, "--no-pre-commit")
    document = tomllib.loads(Path("pyproject.toml").read_text())
    assert document["tool"]["mypy"]["check_untyped_defs"] is True
    assert document["tool"]["ruff"] == {"line-length": 100}
    Path("mypy.ini").write_text(INI)
    run(capsys, "--no-pre-commit")
    parser = configparser.ConfigParser()
    parser.read("mypy.ini")
    assert parser["mypy"].getboolean("check_untyped_defs")
