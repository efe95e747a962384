"""`safegpu init`: mypy's settings and an entry for pre-commit, written into a project beside what it has.

What a file says already stays as it is, comments and layout with it; what it says otherwise than safegpu recommends is
reported. The libraries that keep a file's layout are the extra [init]; where no file is to be edited none is needed.
"""

import difflib
import importlib
import io
import json
import re
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from safegpu.check.settings import CONFIG, MAIN, Settings, modules, parse, read, recommended

PRE_COMMIT = ".pre-commit-config.yaml"
HOOK = "safegpu-check"
MYPY_FILES = ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg")
"""Where mypy looks for its settings, in its order; the first two are its own, the others have a section for it."""


class CannotEdit(Exception):
    """Nothing is to be written, because a file was not understood. The message says what to do."""


@dataclass(frozen=True)
class Edit:
    """A file and what is to become of it."""

    path: Path
    before: str | None
    after: str

    @property
    def verb(self) -> str:
        return "created" if self.before is None else "updated" if self.before != self.after else "unchanged"

    @property
    def diff(self) -> str:
        old = [] if self.before is None else self.before.splitlines(keepends=True)
        source = "/dev/null" if self.before is None else f"a/{self.path.as_posix()}"
        new = self.after.splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new, source, f"b/{self.path.as_posix()}"))


@dataclass
class Plan:
    edits: list[Edit] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Settings that are otherwise than recommended."""

    @property
    def changes(self) -> list[Edit]:
        return [edit for edit in self.edits if edit.before != edit.after]

    def write(self) -> None:
        for edit in self.changes:
            is_dos = edit.before is not None and b"\r\n" in edit.path.read_bytes()
            edit.path.write_text(edit.after, encoding="utf-8", newline="\r\n" if is_dos else "\n")


def plan(root: Path, entry: dict[str, Any] | None) -> Plan:
    """What to write into `root`: mypy's settings, and `entry`, where there is one, for pre-commit."""
    made = Plan()
    _plan_mypy(root, made)
    if entry is not None:
        _plan_pre_commit(root / PRE_COMMIT, entry, made)
    return made


# --- mypy


def _plan_mypy(root: Path, made: Plan) -> None:
    path = next((root / name for name in MYPY_FILES if _has_settings(root / name)), None)
    if path is None:
        made.edits.append(Edit(root / MYPY_FILES[0], None, CONFIG.read_text(encoding="utf-8")))
        return
    before = _text(path)
    known = read(path, optional=True)
    wanted: Settings = {}
    for section, options in recommended().items():
        for option, value in options.items():
            is_known = known.get(section, {}).get(option)
            if is_known is None:
                wanted.setdefault(section, {})[option] = value
            elif _plain(is_known) != _plain(value):
                made.kept.append(f"{path}: [{section}] {option} = {is_known}; safegpu recommends {value}")
    edit = _in_toml if path.suffix == ".toml" else _in_ini
    after = edit(before, wanted, path, made.kept) if wanted else before
    _compare(path, [known, wanted], parse(after, path))
    made.edits.append(Edit(path, before, after))


def _compare(path: Path, wanted: list[Settings], after: Settings) -> None:
    """An edit adds what is wanted to what is known. Whatever else it did is a layout that it does not understand."""
    for section, options in [item for settings in wanted for item in settings.items()]:
        if missing := options.items() - after.get(section, {}).items():
            said = ", ".join(f"{option} = {value}" for option, value in sorted(missing))
            raise CannotEdit(f"{path} has a layout that would not be kept; set for [{section}]: {said}")


def _has_settings(path: Path) -> bool:
    if not path.is_file():
        return False
    return path.name in MYPY_FILES[:2] or bool(read(path, optional=True))


def _plain(value: str) -> str:
    plain = value.strip().lower()
    return {"yes": "true", "on": "true", "1": "true", "no": "false", "off": "false", "0": "false"}.get(plain, plain)


def _in_ini(text: str, wanted: Settings, path: Path, kept: list[str]) -> str:
    updater = _library("configupdater").ConfigUpdater()
    updater.read_string(text)
    shared = {
        module: section for section in updater.sections() if len(modules(section)) > 1 for module in modules(section)
    }
    for section, options in list(wanted.items()):
        if any(module in shared for module in modules(section)):
            # a section of its own would take away from the module what the shared one says
            (module,) = modules(section)
            said = ", ".join(f"{option} = {value}" for option, value in options.items())
            kept.append(f"{path}: [{shared[module]}] has no {said}, which safegpu recommends for {module}")
            del wanted[section]
            continue
        if not updater.has_section(section):
            if sections := updater.sections():
                updater[sections[-1]].add_after.space().section(section)
            else:
                updater.add_section(section)
        last = updater[section].option_blocks()
        for option, value in options.items():
            if last:
                last[-1].add_after.option(option, value)
                last = updater[section].option_blocks()
            else:
                updater[section][option] = value
    return _ended(str(updater))


def _in_toml(text: str, wanted: Settings, path: Path, kept: list[str]) -> str:
    tomlkit = _library("tomlkit")
    _library("tomlkit.items")
    document = tomlkit.parse(text)
    table = document["tool"][MAIN]
    added = None
    for section, options in wanted.items():
        values = {option: {"True": True, "False": False}.get(value, value) for option, value in options.items()}
        if section == MAIN:
            table.update(values)
            continue
        (module,) = modules(section)
        overrides = table.setdefault("overrides", tomlkit.aot())
        override = next((each for each in overrides if each.get("module") == module), None)
        if override is None:
            is_inline = not isinstance(overrides, tomlkit.items.AoT)
            added = tomlkit.inline_table() if is_inline else tomlkit.table()
            overrides.append(added.append("module", module))
            override = overrides[-1]
        override.update(values)
    if added is not None and not is_inline:
        overrides[-1].add(tomlkit.nl())  # before the table that follows
    return _ended(str(tomlkit.dumps(document)))


# --- pre-commit


def local_entry(requirement: str) -> dict[str, Any]:
    """The hook of .pre-commit-hooks.yaml, for a project that names no repository of safegpu."""
    hook = {
        "id": HOOK,
        "name": "safegpu check",
        "entry": "safegpu check --kernels-only",
        "language": "python",
        "additional_dependencies": [requirement],
        "types_or": ["python", "pyi"],
        "require_serial": True,
    }
    return {"repo": "local", "hooks": [hook]}


def repository_entry(url: str, revision: str) -> dict[str, Any]:
    return {"repo": url, "rev": revision, "hooks": [{"id": HOOK}]}


def installed_entry() -> dict[str, Any]:
    """An entry that brings what is installed here: the commit of a repository, a folder, or a version."""
    try:
        distribution = metadata.distribution("safegpu")
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        return local_entry("safegpu[check]")
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if "vcs_info" in origin:
        return repository_entry(origin["url"], origin["vcs_info"]["commit_id"])
    if "url" in origin:
        return local_entry(f"safegpu[check] @ {origin['url']}")
    return local_entry(f"safegpu[check]=={distribution.version}")


def _plan_pre_commit(path: Path, entry: dict[str, Any], made: Plan) -> None:
    if not path.is_file():
        made.edits.append(Edit(path, None, f"repos:\n{_snippet(entry)}"))
        return
    before = _text(path)
    if _names_hook(before):
        made.edits.append(Edit(path, before, before))
        return
    yaml = _library("ruamel.yaml")
    for layout in ((2, 2, 0), (2, 4, 2), (4, 4, 0), (4, 6, 2)):
        editor = yaml.YAML()
        editor.preserve_quotes, editor.width = True, 10_000
        editor.explicit_start = before.lstrip().startswith("---")
        editor.indent(*layout)
        try:
            document = editor.load(before)
        except yaml.YAMLError as error:
            raise CannotEdit(f"cannot read {path}: {' '.join(str(error).split())}") from error
        repositories: Any = document.get("repos") if isinstance(document, dict) else None
        if not isinstance(repositories, list):
            raise CannotEdit(f"{path} is no configuration of pre-commit: it has no list of repos")
        if any(hook.get("id") == HOOK for each in repositories for hook in each.get("hooks", ())):
            made.edits.append(Edit(path, before, before))
            return
        if _dumped(editor, document) == _ended(before):
            if not repositories:
                document["repos"] = repositories = _styled([])
            repositories.append(_styled(entry))
            made.edits.append(Edit(path, before, _ended(_dumped(editor, document))))
            return
    raise CannotEdit(f"{path} has a layout that would not be kept; add to its repos:\n{_snippet(entry)}".rstrip())


def _names_hook(text: str) -> bool:
    """Whether the hook is plainly there, as a line of its own under `repos`. What is in doubt, the library reads."""
    if re.search(r"[|>][-+\d]*[ \t]*(#.*)?$", text, re.M):
        return False  # a text of several lines, which may say anything
    repositories = re.search(r"^repos:[ \t]*(#.*)?\n(([ \t#-].*)?\n)*", _ended(text), re.M)
    hook = rf"^[ \t]*(-[ \t]+)?id:[ \t]+(['\"]?){HOOK}\2[ \t]*(#.*)?$"
    return repositories is not None and re.search(hook, repositories[0], re.M) is not None


def _snippet(entry: dict[str, Any]) -> str:
    """The entry as a file that is made anew has it."""
    lines = []
    for key, value in entry.items():
        if key != "hooks":
            lines.append(f"{key}: {value}")
            continue
        lines.append("hooks:")
        for hook in value:
            written = [f"{name}: {_scalar(of)}" for name, of in hook.items()]
            lines += [f"{'  ' if number else '- '}{line}" for number, line in enumerate(written)]
    return "".join(f"{'  ' if number else '- '}{line}\n" for number, line in enumerate(lines))


def _scalar(value: object) -> str:
    """In YAML, of which JSON is a part."""
    if isinstance(value, list):
        return f"[{', '.join(map(_scalar, value))}]"
    is_plain = isinstance(value, str) and re.fullmatch(r"[A-Za-z/][\w ./-]*(://[\w./@-]+)?", value)
    return str(value) if is_plain else json.dumps(value)


def _styled(value: Any) -> Any:
    """The entry as ruamel.yaml writes it: lists of words in one line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, dict):
        return CommentedMap((key, _styled(each)) for key, each in value.items())
    if isinstance(value, list):
        made = CommentedSeq(map(_styled, value))
        if value and all(isinstance(each, str) for each in value):
            made.fa.set_flow_style()
        return made
    return value


def _dumped(editor: Any, document: object) -> str:
    text = io.StringIO()
    editor.dump(document, text)
    return text.getvalue()


# --- files


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise CannotEdit(
            f"{name} is needed to keep the comments of what is there: pip install 'safegpu[init]'"
        ) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CannotEdit(f"cannot read {path}: {error}") from error


def _ended(text: str) -> str:
    return text.rstrip("\n") + "\n"
