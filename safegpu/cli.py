"""The command line: `safegpu check`, `compile`, `explain`, `rules`, `init` and `doctor`."""

import argparse
import os
import sys
from collections.abc import Sequence

from safegpu.offline.devices import DEVICES

CLEAN, FOUND, FAILED = 0, 1, 2
INTERRUPTED = 130  # as shells count a command that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.print_help()
        return FAILED
    if options.run is _init and (options.repo is None) != (options.rev is None):
        parser.error("--repo and --rev go together")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has read enough; at exit Python would complain once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _check(options: argparse.Namespace) -> int:
    import warnings

    from safegpu.check import CannotCheck, SettingsWarning, check, files_of
    from safegpu.check.output import FORMATS, Outcome

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", SettingsWarning)
        files: list[str] = []
        try:
            files = files_of(options.paths, exclude=options.exclude, kernels_only=options.kernels_only)
            outcome = Outcome(len(files), check(files, config=options.config))
        except CannotCheck as error:
            outcome = Outcome(len(files), error=str(error))
    for said in dict.fromkeys(str(each.message) for each in warned if each.category is SettingsWarning):
        print(f"safegpu: {options.config}: {said}", file=sys.stderr)
    if written := FORMATS[options.output_format](outcome):
        print(written)
    if outcome.error:
        print(f"safegpu: {outcome.error}", file=sys.stderr)
        return FAILED
    return FOUND if outcome.findings else CLEAN


def _init(options: argparse.Namespace) -> int:
    from pathlib import Path

    from safegpu.check import CannotCheck
    from safegpu.commands.init import CannotEdit, installed_entry, plan, repository_entry

    entry = repository_entry(options.repo, options.rev) if options.repo else installed_entry()
    try:
        made = plan(Path(options.folder), entry if options.pre_commit else None)
        if not options.diff:
            made.write()
    except (CannotCheck, CannotEdit, OSError) as error:
        print(f"safegpu: nothing was written: {error}", file=sys.stderr)
        return FAILED
    for edit in made.edits:
        print(edit.diff, end="") if options.diff else print(f"{edit.path}: {edit.verb}")
    for kept in made.kept:
        print(f"kept: {kept}", file=sys.stderr if options.diff else sys.stdout)
    return FOUND if made.kept or (options.diff and made.changes) else CLEAN


def _doctor(options: argparse.Namespace) -> int:
    from safegpu.commands.doctor import examine

    facts = examine(options.asked)
    broken = [fact for fact in facts if fact.state == "broken"]
    if options.json:
        _print_json({"version": 1, "broken": len(broken), "facts": [vars(fact) for fact in facts]})
    else:
        print(*facts, sep="\n")
    return FOUND if broken else CLEAN


def _compile(options: argparse.Namespace) -> int:
    from safegpu.offline.command import run

    return run(
        options.targets,
        arch=options.arch,
        peers=options.peers,
        out=options.out,
        as_json=options.json,
        with_traceback=options.traceback,
    )


def _number_of_devices(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of devices, 1 or more, got {text!r}")
    return int(text)


def _explain(options: argparse.Namespace) -> int:
    from safegpu.rules import find

    rule = find(options.rule)
    if rule is None:
        print(f"safegpu: no such rule: {options.rule}; `safegpu rules` lists them", file=sys.stderr)
        return FAILED
    _print_json(rule.as_json() | {"page": rule.page}) if options.json else print(rule.page.rstrip())
    return CLEAN


def _rules(options: argparse.Namespace) -> int:
    from safegpu.rules import RULES

    if options.json:
        _print_json([rule.as_json() for rule in RULES.values()])
        return CLEAN
    width = max(len(rule.name) for rule in RULES.values())
    for rule in RULES.values():
        print(f"{rule.code}  {rule.name:{width}}  {rule.message}")
    return CLEAN


def _print_json(document: object) -> None:
    import json

    print(json.dumps(document, indent=2, ensure_ascii=False))


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: that takes longer than all the rest of the start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import safegpu

        print(f"safegpu {safegpu.__version__}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="safegpu", description="Checks and compiles Mosaic GPU kernels without a GPU."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    check = commands.add_parser(
        "check",
        help="check files and folders with mypy",
        description="Checks files and folders with mypy. Exits with 0 where they are clean, 1 where "
        "something was found, 2 where they could not be checked.",
    )
    check.add_argument("paths", nargs="+", metavar="PATH", help="a Python file, or a folder with all that is below it")
    check.add_argument(
        "--output-format",
        choices=("text", "json", "sarif", "github"),
        default="text",
        help="how findings are written; github: as annotations of a workflow (%(default)s)",
    )
    check.add_argument(
        "--config",
        metavar="FILE",
        help="a mypy.ini, setup.cfg or pyproject.toml, whose settings of mypy go before safegpu's",
    )
    check.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="pass by what matches, as in a .gitignore of the current folder; may be given again",
    )
    check.add_argument("--kernels-only", action="store_true", help="pass by files that do not name safegpu")
    check.set_defaults(run=_check)
    compile_ = commands.add_parser(
        "compile",
        help="compile kernels to SASS, and say what they use of the GPU",
        description="Compiles kernels to PTX and SASS without a GPU, and prints what each uses of one. Importing a "
        "module runs it. Exits with 0 where all compiled, 1 where a kernel did not, 2 where there was nothing to "
        "compile as asked.",
    )
    compile_.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="MODULE:KERNEL or FILE:KERNEL, where KERNEL was made by as_gpu_kernel or is a function that returns it; "
        "a FILE, for all of its kernels and all functions that return a Kernel and need no argument; or a FOLDER, for "
        "its files",
    )
    compile_.add_argument(
        "--arch", choices=DEVICES, help="otherwise what a kernel states: sm_100a where it uses tcgen05, or sm_90a"
    )
    compile_.add_argument(
        "--peers",
        type=_number_of_devices,
        metavar="N",
        help="devices in the mesh; otherwise a function's `devices: int = N`, or 1",
    )
    compile_.add_argument("--out", metavar="DIR", help="where PTX and SASS go; otherwise .safegpu")
    compile_.add_argument("--json", action="store_true", help="print the same for machines")
    compile_.add_argument("--traceback", action="store_true", help="print where an error was raised")
    compile_.set_defaults(run=_compile)
    init = commands.add_parser(
        "init",
        help="write mypy's settings and an entry for pre-commit into a project",
        description="Writes the recommended settings of mypy and an entry for pre-commit into a project. What is "
        "there stays. Exits with 0 where the project is then as recommended, 1 where it has other settings or --diff "
        "shows a change, 2 where a file was not understood, and then writes nothing.",
    )
    init.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="the project, if not the current folder")
    init.add_argument("--diff", action="store_true", help="show what would change, and write nothing")
    init.add_argument("--no-pre-commit", dest="pre_commit", action="store_false", help="mypy's settings alone")
    init.add_argument(
        "--repo",
        metavar="URL",
        help="a git repository of safegpu for pre-commit to take the hook from, at --rev; otherwise the entry installs "
        "the safegpu that runs now",
    )
    init.add_argument("--rev", help="the tag or commit of --repo")
    init.set_defaults(run=_init)
    doctor = commands.add_parser(
        "doctor",
        help="say what is installed, and whether it works together",
        description="Says what is installed and whether it works together: versions, whether the checkers see "
        "safegpu's types, whether kernels can be compiled and run. Exits with 1 where something is broken, or absent "
        "and asked for.",
    )
    doctor.add_argument(
        "asked", nargs="*", choices=("check", "jax", "codegen", "gpu"), metavar="ASPECT",
        help="what must work: %(choices)s",
    )  # fmt: skip
    doctor.add_argument("--json", action="store_true", help="print the same for machines")
    doctor.set_defaults(run=_doctor)
    explain = commands.add_parser(
        "explain", help="print the page of a rule: what it is about, why, and what to write instead"
    )
    explain.add_argument("rule", metavar="RULE", help="a code such as SG101, or a name")
    explain.add_argument("--json", action="store_true", help="print the page and the rule's words for machines")
    explain.set_defaults(run=_explain)
    rules = commands.add_parser("rules", help="list the rules")
    rules.add_argument("--json", action="store_true", help="print the same for machines")
    rules.set_defaults(run=_rules)
    return parser
