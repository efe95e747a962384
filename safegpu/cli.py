"""The command line: `safegpu check`, `safegpu compile`, `safegpu explain`, `safegpu rules`."""

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
    from safegpu.check import CannotCheck, check, files_of

    try:
        files = files_of(options.paths)
        found = check(options.paths)
    except CannotCheck as error:
        print(f"safegpu: {error}", file=sys.stderr)
        return FAILED
    for finding in found:
        print(finding)
    if not found:
        print(f"clean: {_count(len(files), 'file')}")
        return CLEAN
    print(f"{_count(len(found), 'finding')} in {_count(len({finding.path for finding in found}), 'file')}")
    return FOUND


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


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
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _explain(options: argparse.Namespace) -> int:
    from safegpu.rules import find

    rule = find(options.rule)
    if rule is None:
        print(f"safegpu: no such rule: {options.rule}; `safegpu rules` lists them", file=sys.stderr)
        return FAILED
    print(rule.page.rstrip())
    return CLEAN


def _rules(options: argparse.Namespace) -> int:
    from safegpu.rules import RULES

    width = max(len(rule.name) for rule in RULES.values())
    for rule in RULES.values():
        print(f"{rule.code}  {rule.name:{width}}  {rule.message}")
    return CLEAN


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
    check.add_argument("paths", nargs="+", metavar="PATH")
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
    explain = commands.add_parser(
        "explain", help="print the page of a rule: what it is about, why, and what to write instead"
    )
    explain.add_argument("rule", metavar="RULE", help="a code such as SG101, or a name")
    explain.set_defaults(run=_explain)
    rules = commands.add_parser("rules", help="list the rules")
    rules.set_defaults(run=_rules)
    return parser
