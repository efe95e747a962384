"""Prints each table of cells beside what mypy and pyright say: `python -m tests.rules.generated [TABLE…]`.

Exits with 1 where they disagree outside of the listed exceptions.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.support.cells import compare, lines_of, made, names
from tests.support.checkers import ROOT, STUBS, Checker, Mypy, Pyright, environment

CHECKERS: dict[str, Checker] = {"mypy": Mypy(), "pyright": Pyright()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rules.generated", description=(__doc__ or "").split(":")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(names()))
    chosen = parser.parse_args().tables or names()
    if unknown := set(chosen) - set(names()):
        parser.error(f"no such table: {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    disagreements = 0
    reasons: dict[tuple[str, str], dict[str, int]] = {}
    print(f"{'table':14}{'cells':>7}{'refused':>9}  {'checker':8}{'agree':>7}{'listed':>8}{'disagree':>10}")
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder) / "environment", ROOT, STUBS)
        for name in chosen:
            table = made(name)
            file = Path(folder) / f"{name}.py"
            file.write_text(table.text, encoding="utf-8")
            refused = sum(bool(answer.refused) for answer in table.answers.values())
            left = f"{name:14}{len(table.answers):>7}{refused:>9}"
            for checker, run in CHECKERS.items():
                found = compare(table, lines_of(run.check([file], python, Path(folder) / "cache")))
                listed, wrong = found.exceptions.total(), len(found.disagreements)
                print(f"{left:30}  {checker:8}{found.agreements:>7}{listed:>8}{wrong:>10}", flush=True)
                print("".join(f"  {each}\n" for each in found.disagreements), end="")
                left = ""
                disagreements += wrong
                for reason, number in found.exceptions.items():
                    reasons.setdefault((name, reason), {})[checker] = number
    print("\nlisted exceptions, cells for mypy and pyright")
    for (name, reason), numbers in reasons.items():
        print(f"{name:14}{numbers.get('mypy', 0):>6}{numbers.get('pyright', 0):>6}  {reason}")
    print(f"disagreements outside of the list: {disagreements}")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
