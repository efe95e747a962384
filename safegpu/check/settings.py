"""safegpu's settings of mypy, and a project's own over them."""

import configparser
import io
import re
import tomllib
from pathlib import Path
from typing import Any

from safegpu.check._errors import CannotCheck

CONFIG = Path(__file__).with_name("mypy.ini")

type Settings = dict[str, dict[str, str]]
"""Options and their values by section, `mypy` and `mypy-MODULE`."""

MAIN = "mypy"
_WHAT_TO_CHECK = ("files", "packages", "modules", "exclude", "exclude_gitignore")
"""Options that the command line decides."""


def recommended() -> Settings:
    """safegpu's own."""
    return read(CONFIG)


def merged(project: Path) -> str:
    """A configuration of mypy: safegpu's settings, with the project's in place of those that it has too."""
    sections = recommended()
    for section, options in read(project).items():
        sections.setdefault(section, {}).update(options)
    for option in _WHAT_TO_CHECK:
        sections[MAIN].pop(option, None)
    _count_from(project.parent.absolute(), sections[MAIN])
    return _written(sections)


def read(path: Path, *, optional: bool = False) -> Settings:
    """The settings in a mypy.ini, a setup.cfg or a pyproject.toml. Raises CannotCheck where there must be some."""
    try:
        sections = parse(path.read_text(encoding="utf-8"), path)
    except OSError as error:
        raise CannotCheck(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CannotCheck(f"cannot read {path}: {error}") from error
    if not sections and not optional:
        wanted = "[tool.mypy]" if path.suffix == ".toml" else f"[{MAIN}]"
        raise CannotCheck(f"{path} has no settings of mypy: no section {wanted}")
    return sections


def parse(text: str, path: Path) -> Settings:
    """The settings in the text of such a file."""
    try:
        return _of_toml(tomllib.loads(text)) if path.suffix == ".toml" else _of_ini(text)
    except (configparser.Error, tomllib.TOMLDecodeError) as error:
        raise CannotCheck(f"cannot read {path}: {' '.join(str(error).split())}") from error


def modules(section: str) -> list[str]:
    """The modules that a section `mypy-a.*,b.*` is about; none for `mypy` itself."""
    return [name.strip() for name in section.removeprefix(MAIN).removeprefix("-").split(",") if name.strip()]


def _of_ini(text: str) -> Settings:
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    sections: Settings = {}
    for section in parser.sections():
        if section == MAIN:
            sections.setdefault(MAIN, {}).update(parser[section])
        elif section.startswith(f"{MAIN}-"):
            for module in modules(section):
                sections[f"{MAIN}-{module}"] = dict(parser[section])  # the last one counts
        elif section.startswith(f"{MAIN}.") or section.endswith(f"-{MAIN}"):
            sections.setdefault(section, {}).update(parser[section])  # what a plugin reads
    return sections


def _of_toml(document: dict[str, Any]) -> Settings:
    table = document.get("tool", {}).get(MAIN)
    if not isinstance(table, dict):
        return {}
    sections = {MAIN: {option: _value(value) for option, value in table.items() if _is_option(option, value)}}
    for override in table.get("overrides", ()):
        named = override.get("module", [])
        for module in [named] if isinstance(named, str) else named:
            options = {option: _value(value) for option, value in override.items() if _is_option(option, value)}
            sections.setdefault(f"{MAIN}-{module}", {}).update(options)
    return sections


def _is_option(name: str, value: object) -> bool:
    return name not in ("overrides", "module") and not isinstance(value, dict)  # a plugin's


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _written(sections: Settings) -> str:
    parser = configparser.RawConfigParser()
    parser.read_dict(sections)
    text = io.StringIO()
    parser.write(text)
    return text.getvalue()


def _count_from(folder: Path, options: dict[str, str]) -> None:
    """Makes paths absolute that count from the folder of the project's file."""
    for option, value in options.items():
        for variable in ("${MYPY_CONFIG_FILE_DIR}", "$MYPY_CONFIG_FILE_DIR"):
            options[option] = value = value.replace(variable, str(folder))
    if plugins := options.get("plugins"):
        named = [plugin.strip() for plugin in re.split(r"[,\n]", plugins)]
        options["plugins"] = ", ".join(str(folder / each) if ".py" in each else each for each in named if each)
