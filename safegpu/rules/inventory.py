"""What stands behind each error that Mosaic GPU raises: a rule, or the reason why there is none.

`sites.toml` gives each site of Mosaic GPU's sources (`_sites.py`) a verdict, and `sites-0.12.toml` says what jax 0.12
changed. `python -m safegpu.rules.inventory` compares them with the installed jax and counts; with a rule's code or a
gate it lists.
"""

import argparse
import difflib
import functools
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from safegpu.rules._sites import Site, folder, sites_of

MODULES = ("tcgen05", "wgmma", "mma", "mma_utils", "launch_context", "core", "utils", "fragmented_array")

GATES = {
    "types": "a rule, by a type checker",
    "partly": "a rule for one way to get there",
    "untyped": "types could tell, and do not yet",
    "lowering": "Mosaic GPU, while it lowers; no type without false alarms",
    "values": "Mosaic GPU, while it lowers on any machine",
    "specs": "Mosaic GPU, before the body",
    "launch": "JAX, when the kernel is compiled or called",
    "internal": "no author gets there",
    "outside": "Warpgroup semantics, PyTorch, GPUs before Hopper",
}
"""Who tells the author, cheapest first; the last two are not the author's."""

type Key = tuple[str, str, str]
"""Module, function, and what the site says."""

_ALIKE = 0.7  # of two sites that differ by a word or a condition


@dataclass(frozen=True)
class Verdict:
    """What stands behind a site."""

    gate: str
    codes: tuple[str, ...] = ()
    reason: str = ""

    @classmethod
    def read(cls, text: str) -> "Verdict":
        head, _, reason = text.partition(": ")
        word, *rest = head.split()
        if word.startswith("SG"):
            return cls("types", (word, *rest), reason)
        return cls(word, tuple(rest), reason)


@dataclass(frozen=True)
class Drift:
    """How the sources differ from `sites.toml`."""

    new: list[Site]
    gone: list[Key]
    reworded: list[tuple[Key, Site]]

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.reworded)

    def __str__(self) -> str:
        """As it goes into a file of verdicts: a line to remove, a line to add."""
        lines: list[str] = []
        for title, pairs in (
            ("new", [(None, site.key) for site in self.new]),
            ("gone", [(key, None) for key in self.gone]),
            ("reworded", [(key, site.key) for key, site in self.reworded]),
        ):
            lines += [f"{title}: {len(pairs)}"] if pairs else []
            for old, new in pairs:
                lines += [f"  - {_line(old)}"] if old else []
                lines += [f"  + {_line(new)}"] if new else []
        return "\n".join(lines)


def _line(key: Key) -> str:
    module, function, says = key
    return f'[{module}."{function}"] {says}'


@functools.cache
def verdicts(jax: str = "") -> dict[Key, Verdict]:
    """The verdicts on the sites of this jax, by default of the installed one, in the order of `sites.toml`."""
    known: dict[Key, Verdict] = {}
    for file in _files(jax):
        known = _changed(known, _entries(_data(file)))
    return known


def jax_version(jax: str = "") -> str:
    """The jax whose sites are known: this one, by default the installed one, or the next before it."""
    return str(_data(_files(jax)[-1])["jax"])


def _changed(known: dict[Key, Verdict], changes: Iterable[tuple[Key, str]]) -> dict[Key, Verdict]:
    """With what a file says: a verdict on a site, "gone", or "was" and the site of which the verdict stays."""
    result = dict(known)
    for (module, function, says), text in changes:
        if text == "gone":
            del result[module, function, says]
            continue
        verdict = None
        if match := _WAS.fullmatch(text):
            old = match["module"] or module, match["function"] or function, match["says"]
            verdict = known[old]
            result.pop(old, None)
        if _number(says):  # of these a function has one
            for key in [key for key in result if key[:2] == (module, function) and _number(key[2])]:
                del result[key]
        result[module, function, says] = verdict or Verdict.read(text)
    return result


_WAS = re.compile(r'was (?:\[(?P<module>\w+)\."(?P<function>[^"]+)"\] )?(?P<says>.+)')

_FIRST = Path(__file__).parent / "sites.toml"


@functools.cache
def _files(jax: str) -> list[Path]:
    """What the verdicts on this jax, by default the installed one, are in: what is first, and what changed since."""
    given = _numbers(jax or _installed())
    made = {path: _numbers(str(_data(path)["jax"])) for path in _FIRST.parent.glob("sites-*.toml")}
    return [_FIRST, *sorted((path for path in made if made[path] <= given), key=made.__getitem__)]


@functools.cache
def _data(file: Path) -> dict[str, str | dict[str, dict[str, str]]]:
    import tomllib

    with file.open("rb") as opened:
        return tomllib.load(opened)


def _entries(data: dict[str, str | dict[str, dict[str, str]]]) -> Iterator[tuple[Key, str]]:
    for module, functions in data.items():
        if isinstance(functions, dict):
            for function, sites in functions.items():
                yield from (((module, function, says), text) for says, text in sites.items())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def version_of(sources: Path) -> str:
    """The version of the jax whose Mosaic GPU is in this folder; that of `sites.toml` where nothing says it."""
    file = sources.parents[2] / "version.py"
    found = re.search(r'^_version = "([\d.]+)"', file.read_text("utf-8"), re.M) if file.is_file() else None
    return found[1] if found else str(_data(_FIRST)["jax"])


@functools.cache
def _installed() -> str:
    try:
        return version_of(folder())
    except ImportError:
        return str(_data(_FIRST)["jax"])


def verdict_of(site: Site, jax: str = "") -> Verdict | None:
    """The verdict on a site, by itself or with all of its function; None for one that is not known."""
    return verdicts(jax).get(site.key) or _of_functions(jax).get((site.module, site.function))


@functools.cache
def _of_functions(jax: str) -> dict[tuple[str, str], Verdict]:
    return {(module, function): verdict for (module, function, says), verdict in verdicts(jax).items() if _number(says)}


def _number(says: str) -> int:
    """How many sites the line is about that stands for all of a function; 0 of any other line."""
    word, _, number = says.partition(" ")
    return int(number) if word == "all" and number.isdecimal() else 0


def sites_for(code: str) -> list[Key]:
    """The sites that a rule stands for, in the installed jax."""
    return [key for key, verdict in verdicts().items() if code in verdict.codes]


def read(sources: Path) -> list[Site]:
    """The sites of the modules in this folder."""
    return [site for module in MODULES for site in _sites_in(sources / f"{module}.py")]


def site_at(path: str, line: int) -> Site | None:
    """The site in this line of one of Mosaic GPU's source files."""
    source = Path(path)
    if source.stem not in MODULES:
        return None
    return next((site for site in _sites_in(source) if site.first_line <= line <= site.last_line), None)


@functools.cache
def _sites_in(source: Path) -> list[Site]:
    return sites_of(source.stem, source.read_text(encoding="utf-8"))


def drift(sites: Iterable[Site], jax: str = "") -> Drift:
    """What is new, gone or reworded among these sites, against those that are known of this jax."""
    known = dict.fromkeys(key for key in verdicts(jax) if not _number(key[2]))
    whole = {(module, function): _number(says) for module, function, says in verdicts(jax) if _number(says)}
    new: list[Site] = []
    for site in sites:
        of_function = (site.module, site.function)
        if site.key in known:
            del known[site.key]
        elif whole.get(of_function, 0) > 0:
            whole[of_function] -= 1
        else:
            new.append(site)
    gone = list(known) + [(*function, f"all: {number} fewer") for function, number in whole.items() if number]
    reworded: list[tuple[Key, Site]] = []
    for site in list(new):
        if (key := _was(site, gone)) is not None:
            reworded.append((key, site))
            gone.remove(key)
            new.remove(site)
    return Drift(new, gone, reworded)


def _was(site: Site, gone: Iterable[Key]) -> Key | None:
    """The site that this one was before it was reworded."""

    def alike(key: Key) -> float:
        return difflib.SequenceMatcher(None, " ".join(key), " ".join(site.key), autojunk=False).ratio()

    best = max((key for key in gone if key[0] == site.module), key=alike, default=None)
    return best if best is not None and alike(best) >= _ALIKE else None


# --- the command


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m safegpu.rules.inventory",
        description="Counts the errors that Mosaic GPU can raise by who tells the author. Exits with 1 where its "
        "sources differ from what is known of this jax.",
    )
    parser.add_argument("only", nargs="?", metavar="RULE|GATE", help="list the sites of a rule or gate")
    parser.add_argument("--sources", type=Path, help="Mosaic GPU's folder in another jax than the installed one")
    options = parser.parse_args(arguments)
    sources = options.sources or folder()
    sites, jax = read(sources), version_of(sources)
    if options.only:
        _list(sites, jax, options.only)
        return 0
    _count(sites, jax)
    if differs := drift(sites, jax):
        print(differs)
    return 1 if differs else 0


def _list(sites: Iterable[Site], jax: str, only: str) -> None:
    for site in sites:
        verdict = verdict_of(site, jax)
        if verdict is not None and only in (verdict.gate, *verdict.codes):
            reason = f"  # {verdict.reason}" if verdict.reason else ""
            print(f"{site.module}.py:{site.first_line}: {site.function}: {site.says}{reason}")


def _count(sites: Sequence[Site], jax: str) -> None:
    found = [verdict_of(site, jax) for site in sites]
    print(f"{len(sites)} sites; {_files(jax)[-1].name} is about jax {jax_version(jax)}")
    for gate, who in GATES.items():
        print(f"{sum(one is not None and one.gate == gate for one in found):5}  {gate:9} {who}")
    if unknown := found.count(None):
        print(f"{unknown:5}  {'':9} not in sites.toml")


if __name__ == "__main__":
    sys.exit(main())
