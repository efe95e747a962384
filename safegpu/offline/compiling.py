"""Which architecture a kernel is for, and the processes that compile it."""

import contextlib
import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from safegpu.architectures import HasTcgen05, HasTMA, HasWGMMA, having
from safegpu.offline import toolchain
from safegpu.offline.compiled import Compiled
from safegpu.offline.devices import DEVICES, device
from safegpu.offline.elsewhere import Elsewhere, Ended, Raised
from safegpu.offline.errors import BadTarget, CompileError, ImportFailed, Refused
from safegpu.offline.targets import Source, Target, targets_of

if TYPE_CHECKING:
    from safegpu.offline.lowering import Lowered

# What a kernel is compiled for that states no architecture: the first, or the second if it uses tcgen05.
_HOPPER, _BLACKWELL = "sm_90a", "sm_100a"

# What some architectures alone have, by how a lowered module calls it.
_ONLY_ON = {"tcgen05": HasTcgen05, "wgmma": HasWGMMA, "cp.async.bulk": HasTMA}


@dataclasses.dataclass(frozen=True)
class Ready:
    """A kernel that is ready to be compiled."""

    lowered: "Lowered"
    peers: int
    arch: str
    why: str
    """Why it is this architecture."""


@dataclasses.dataclass(frozen=True)
class Failure:
    """What was wrong with a target: a sentence of which that is the subject, or all of it where `is_of_the_call`.

    It is of the call where there is nothing to compile as asked.
    """

    said: str
    traceback: str
    is_of_the_call: bool


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of one kernel, or of a target in which none was found."""

    target: str
    ready: Ready | None
    result: Compiled | Failure


def compile_targets(
    arguments: Iterable[str],
    *,
    arch: str | None = None,
    peers: int | None = None,
    progress: Callable[[str, int | None], None] = lambda doing, number: None,
    said: Callable[[str], object] = lambda text: None,
) -> Iterator[Outcome]:
    """What becomes of each kernel that these targets name, in their order. `said` is given what they print.

    All are lowered first, which is quick and tells the architecture; then each architecture's process compiles its
    own. `progress` is told what is done, and how many kernels there are once that is known.
    """
    require_toolchain()
    with _Processes(said) as processes:
        found: list[Outcome | tuple[Target, Ready]] = []
        for target in _kernels(arguments, arch, processes):
            if isinstance(target, Target):
                progress(f"lowering {target}", None)
                lower = functools.partial(processes.lower, target, peers)
                ready = _attempt("does not lower: ", for_architecture, str(target), lower, arch)
                found.append(Outcome(str(target), None, ready) if isinstance(ready, Failure) else (target, ready))
            else:
                found.append(target)
        compiling = [
            each if isinstance(each, Outcome) else (*each, processes.compile(each[0].source.base, each[1]))
            for each in found
        ]
        number, done = sum(not isinstance(each, Outcome) for each in found), 0
        for outcome in compiling:
            if not isinstance(outcome, Outcome):
                target, ready, result = outcome
                done += 1
                progress(f"compiling {target} for {ready.arch}, {done} of {number}", number)
                outcome = Outcome(str(target), ready, result.result())
            yield outcome


def require_toolchain() -> None:
    if absent := toolchain.missing():
        raise BadTarget(f"compiling needs {', '.join(absent)}: pip install 'safegpu[codegen]'")


def for_architecture(
    name: str, lower: Callable[[str | None], "tuple[Lowered, int, str | None]"], arch: str | None
) -> Ready:
    """The kernel lowered for the architecture that was asked for, or that it states, or that fits what it uses."""

    def ready(arch: str, why: str, lowered: "tuple[Lowered, int, str | None] | None" = None) -> Ready:
        kernel, peers, _ = lowered or lower(arch)
        if kernel.arch != device(arch).arch:
            major, minor = kernel.arch
            raise BadTarget(
                f"{name} was built for compute capability {major}.{minor} and cannot be compiled for {arch}: "
                "give the function that builds it"
            )
        return Ready(kernel, peers, arch, why)

    if arch is not None:
        device(arch)
        return ready(arch, "as asked")
    try:
        first = lower(None)
    except BadTarget:
        raise
    except Exception as error:
        try:
            return ready(_BLACKWELL, f"it states none, and does not lower for {_HOPPER}")
        except Exception as another:
            # the same again, or the kernel states an architecture, and no other will do
            if str(another) == str(error) or "SG602" in str(another):
                raise error from None
            raise CompileError(f"for {_HOPPER}: {error}\nfor {_BLACKWELL}: {another}") from error
    kernel, _, stated = first
    if stated is not None:
        return ready(stated, "it states this one", first if kernel.arch == device(stated).arch else None)
    if kernel.arch != device(_HOPPER).arch:
        built_for = next((name for name, part in DEVICES.items() if part.arch == kernel.arch), str(kernel.arch))
        return ready(built_for, "it was built for it", first)
    if "tcgen05" in kernel.text:
        return ready(_BLACKWELL, "it states none, and uses tcgen05")
    return ready(_HOPPER, "it states none, and uses no tcgen05", first)


def compile_in(process: Elsewhere, ready: Ready) -> Compiled:
    lacking = [
        f"{ready.arch} has no {what}: compile it for {' or '.join(has)}"
        for what, capability in _ONLY_ON.items()
        if what in ready.lowered.text and ready.arch not in (has := [each.__name__ for each in having(capability)])
    ]
    process.said()
    try:
        compiled: Compiled = process.call(
            "safegpu.offline.codegen:compile_lowered", ready.lowered, ready.arch, peers=ready.peers
        )
    except Ended as error:
        raise Ended("\n".join([str(error), *lacking])) from None
    except Raised as error:
        said = str(error)
        if error.kind != CompileError.__name__:
            # What the compiler and ptxas say of a kernel goes to the standard error; the exception is of XLA's words.
            said = process.said().strip() or said
        if error.kind == Refused.__name__:
            said = _with_its_lines(said, str(error))
        raise CompileError("\n".join([said, *lacking])) from error
    return compiled


def _with_its_lines(said: str, ptx: str) -> str:
    """What ptxas says of the lines of a temporary file, each with that line."""
    lines = ptx.splitlines()

    def quoted(match: re.Match[str]) -> str:
        number = int(match["line"])
        line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return f"ptxas: PTX line {number}, `{line}`; "

    said = re.sub(r"^error: 'gpu\.binary' op ptxas exited .*?, output: ", "", said)
    return re.sub(r"^ptxas \S+, line (?P<line>\d+); ", quoted, said, flags=re.M)


def _attempt[**P, T](failing: str, what: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Failure:
    """What `what(…)` returns, or how it failed: `failing` and why."""
    try:
        return what(*args, **kwargs)
    except BadTarget as error:
        return Failure(str(error), "", True)
    except Raised as error:
        said = "does not import: " if error.kind == ImportFailed.__name__ else failing
        return Failure(f"{said}{error}", error.traceback, False)
    except Ended as error:
        return Failure(f"{failing}the process that did it ended: {error}", "", False)
    except CompileError as error:
        cause = error.__cause__
        return Failure(f"{failing}{error}", cause.traceback if isinstance(cause, Raised) else "", False)


def _kernels(arguments: Iterable[str], arch: str | None, processes: "_Processes") -> Iterator[Target | Outcome]:
    """Each kernel that the arguments name, once, and each of them that names none as what is wrong with it."""
    seen = set()
    for argument in arguments:
        targets = _attempt("", targets_of, argument)
        if isinstance(targets, Failure):
            yield Outcome(argument, None, targets)
            continue
        none = True
        for target in targets:
            names: list[str] | Failure = [target.kernel] if target.kernel else processes.kernels_in(target.source, arch)
            if isinstance(names, Failure):
                none = False
                yield Outcome(str(target), None, names)
                continue
            for name in names:
                none = False
                kernel = Target(target.source, name)
                if (key := (target.source.base, target.source.module, name)) not in seen:
                    seen.add(key)
                    yield kernel
        if none:
            said = (
                f"no kernel in {argument}: it has no public function that returns Kernel and needs no argument, "
                "and nothing made by as_gpu_kernel"
            )
            yield Outcome(argument, None, Failure(said, "", True))


class _Processes(contextlib.ExitStack):
    """A process for each architecture and each folder that modules are imported from, as far as they are needed."""

    def __init__(self, said: Callable[[str], object]) -> None:
        super().__init__()
        self._said = said
        self._running: dict[tuple[str, str], Elsewhere] = {}
        self._waiting: dict[tuple[str, str], ThreadPoolExecutor] = {}

    def kernels_in(self, source: Source, arch: str | None) -> list[str] | Failure:
        names: list[str] | Failure = _attempt("does not import: ", self._call, "kernels_in", source, arch)
        return names

    def lower(self, target: Target, peers: int | None, arch: str | None) -> "tuple[Lowered, int, str | None]":
        lowered: tuple[Lowered, int, str | None] = self._call("lower_named", target.source, arch, target.kernel, peers)
        return lowered

    def compile(self, base: str, ready: Ready) -> "Future[Compiled | Failure]":
        """What becomes of the kernel, after those that are for the same process."""
        key = base, ready.arch
        if key not in self._waiting:
            self._waiting[key] = ThreadPoolExecutor(1)
            self.callback(self._waiting[key].shutdown, cancel_futures=True)
        said = f"does not compile for {ready.arch} ({ready.why}):\n"
        return self._waiting[key].submit(_attempt, said, self._compile, base, ready)

    def _compile(self, base: str, ready: Ready) -> Compiled:
        try:
            return compile_in(self._process(base, ready.arch), ready)
        except Ended:
            del self._running[base, ready.arch]
            raise

    def _call(self, function: str, source: Source, arch: str | None, *rest: Any) -> Any:
        # What is lowered without an architecture is most often for the first.
        process = self._process(source.base, arch or _HOPPER)
        try:
            return process.call(f"safegpu.offline.kernels:{function}", source, arch, *rest)
        except Raised as error:
            if error.kind == BadTarget.__name__:
                raise BadTarget(str(error)) from None
            raise
        except Ended:
            del self._running[source.base, arch or _HOPPER]
            raise
        finally:
            self._said(process.said())

    def _process(self, base: str, arch: str) -> Elsewhere:
        if (base, arch) not in self._running:
            self._running[base, arch] = self.enter_context(Elsewhere([base]))
        return self._running[base, arch]
