"""What `safegpu compile` prints, writes and exits with."""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from safegpu.offline.compiled import NAMED_BARRIERS_LIMIT, REGISTERS_LIMIT, TMEM_COLUMNS_LIMIT, Compiled
from safegpu.offline.compiling import Failure, Outcome, compile_targets
from safegpu.offline.errors import BadTarget

OUT = ".safegpu"
COMPILED, KERNEL_FAILED, CALL_FAILED = 0, 1, 2


def run(
    targets: Sequence[str], *, arch: str | None, peers: int | None, out: str | None, as_json: bool, with_traceback: bool
) -> int:
    line = _Line()
    outcomes = []
    records = []
    try:
        for outcome in compile_targets(targets, arch=arch, peers=peers, progress=line.show, said=line.pass_on):
            outcomes.append(outcome)
            result = outcome.result
            files = (
                {}
                if isinstance(result, Failure)
                else result.save(_place(Path(out or OUT), outcome.target, result.arch))
            )
            if as_json:
                records.append(_record(outcome, files, with_traceback))
            elif isinstance(result, Failure):
                line.clear()
                print(_failed(outcome, result, with_traceback), file=sys.stderr, flush=True)
            else:
                line.clear()
                print("\n".join(_figures(outcome, result, files)), flush=True)
    except BadTarget as error:  # of every target
        print(f"safegpu: {error}", file=sys.stderr)
        return CALL_FAILED
    except OSError as error:
        print(f"safegpu: cannot write below {out or OUT}: {error}", file=sys.stderr)
        return CALL_FAILED
    finally:
        line.clear()
    failures = [outcome.result for outcome in outcomes if isinstance(outcome.result, Failure)]
    if as_json:
        print(json.dumps({"kernels": records}, indent=2))
    elif len(outcomes) > 1:
        print(f"{len(outcomes) - len(failures)} of {len(outcomes)} compiled")
    if any(failure.is_of_the_call for failure in failures):
        return CALL_FAILED
    return KERNEL_FAILED if failures else COMPILED


def _figures(outcome: Outcome, compiled: Compiled, files: Mapping[str, Path]) -> Iterable[str]:
    assert outcome.ready
    devices = f", {compiled.peers} devices" if compiled.peers > 1 else ""
    yield f"{outcome.target}: {compiled.arch}{devices} ({outcome.ready.why})"
    spilled = compiled.spill_store_bytes + compiled.spill_load_bytes
    yield _row(
        "registers",
        f"{compiled.registers} of {REGISTERS_LIMIT} a thread, {spilled} bytes spilled, "
        f"{compiled.stack_frame_bytes} bytes of stack",
    )
    yield _row("shared memory", f"{compiled.shared_bytes} of {compiled.shared_limit_bytes} bytes a block")
    if compiled.tmem_columns:
        yield _row("TMEM", _counts(compiled.tmem, f"{compiled.tmem_columns} of {TMEM_COLUMNS_LIMIT} columns"))
    yield _row("barriers", f"{compiled.named_barriers} of {NAMED_BARRIERS_LIMIT} named")
    if compiled.tensor_core:
        yield _row("tensor core", _counts(compiled.tensor_core))
    if compiled.tma:
        yield _row("TMA", _counts(compiled.tma))
    for warning in compiled.warnings:
        yield _row("ptxas", warning)
    yield _row("code", ", ".join(str(files[kind]) for kind in ("ptx", "sass")))


def _row(what: str, figures: str) -> str:
    return f"  {what:15}{figures}"


def _counts(instructions: Mapping[str, int], *before: str) -> str:
    return ", ".join([*before, *(f"{count} {name}" for name, count in instructions.items())])


def _failed(outcome: Outcome, failure: Failure, with_traceback: bool) -> str:
    said = failure.said if failure.is_of_the_call else f"{outcome.target} {failure.said}"
    said = said.replace("\n", "\n    ")
    return f"{failure.traceback}safegpu: {said}" if with_traceback else f"safegpu: {said}"


def _record(outcome: Outcome, files: Mapping[str, Path], with_traceback: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"target": outcome.target, "compiled": not isinstance(outcome.result, Failure)}
    if outcome.ready:
        record |= {"arch": outcome.ready.arch, "why": outcome.ready.why, "peers": outcome.ready.peers}
    if isinstance(outcome.result, Failure):
        record["error"] = outcome.result.said
        if with_traceback:
            record["traceback"] = outcome.result.traceback
        return record
    return record | outcome.result.figures() | {kind: str(path) for kind, path in files.items()}


def _place(out: Path, target: str, arch: str) -> Path:
    """The path that the code of a target has, without its suffix."""
    if out == Path(OUT) and not out.exists():
        out.mkdir()
        (out / ".gitignore").write_text("*\n")  # as mypy, pytest and ruff do in theirs
    module, _, kernel = target.rpartition(":")
    if module.endswith(".py"):
        inside = os.path.relpath(module)
        below = Path(os.path.abspath(module) if inside.startswith("..") else inside).with_suffix("")
        below = below.relative_to(below.anchor)
    else:
        below = Path(*module.split("."))
    return out / below / f"{kernel}.{arch}"


class _Line:
    """What is being done, on stderr: one line that changes on a terminal; elsewhere a line for each of several."""

    def __init__(self) -> None:
        self._changes = sys.stderr.isatty()

    def show(self, doing: str, number: int | None) -> None:
        if self._changes:
            print(f"\r\x1b[2K{doing[: os.get_terminal_size(2).columns - 1]}", end="", file=sys.stderr, flush=True)
        elif number is not None and number > 1:
            print(doing, file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._changes:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)

    def pass_on(self, said: str) -> None:
        """What a module printed as it was imported or built."""
        if said:
            self.clear()
            print(said, end="", file=sys.stderr, flush=True)
