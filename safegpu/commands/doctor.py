"""`safegpu doctor`: what is installed, and whether it works together.

Whatever could hang or fail for reasons of its own, a checker, jax, the driver, runs in a process of its own and for a
limited time.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from safegpu.check.settings import CONFIG
from safegpu.commands.tested import PYTHON, TESTED
from safegpu.offline import toolchain

ASPECTS = ("check", "jax", "codegen", "gpu")
"""What can be asked for: three extras, and a GPU that jax can use."""

SECONDS = 60.0
"""How long a process may take."""

PROBE = """\
import safegpu as mgpu; reveal_type(mgpu.SMEM((128, 64), mgpu.float16, swizzle=128))
from jaxlib.mlir import ir; reveal_type(ir.Value)
"""


@dataclass(frozen=True)
class Fact:
    subject: str
    state: Literal["ok", "note", "absent", "broken"]
    said: str

    def __str__(self) -> str:
        return f"{self.state:6}  {self.subject}: {self.said}"


def examine(asked: Sequence[str] = ()) -> list[Fact]:
    """What there is to say. What is asked for and absent is broken."""
    parts: list[Callable[[Sequence[str]], list[Fact]]] = [_package, _jax, _mypy, _pyright, _codegen, _gpu]
    with ThreadPoolExecutor() as pool:
        return [fact for facts in pool.map(lambda part: part(asked), parts) for fact in facts]


def _package(asked: Sequence[str]) -> list[Fact]:
    import safegpu

    version = _version("safegpu")
    where = Path(safegpu.__file__).parent
    python = ".".join(map(str, sys.version_info[:3]))
    return [
        Fact("safegpu", "ok", f"{version or 'a checkout'}, {where}"),
        _compared("Python", python, PYTHON, python.rpartition(".")[0]),
    ]


def _compared(subject: str, version: str, tested: Sequence[str], of: str = "") -> Fact:
    if (of or version) in tested:
        return Fact(subject, "ok", f"{version}, tested")
    return Fact(subject, "note", f"{version}, not tested; tested: {', '.join(tested)}")


# --- jax


def _jax(asked: Sequence[str]) -> list[Fact]:
    version, lib = _version("jax"), _version("jaxlib")
    if version is None or lib is None:
        name = "jax" if version is None else "jaxlib"
        return [_absent(name, bool({"jax", "codegen", "gpu"} & set(asked)), "to lower and run kernels", "jax")]
    facts = [_compared("jax", version, TESTED["jax"])]
    facts.append(
        Fact("jaxlib", "ok" if lib == version else "broken", lib if lib == version else f"{lib}, and jax is {version}")
    )
    script = "import safegpu._jax"
    done = _run([sys.executable, "-P", "-c", script], {"JAX_PLATFORMS": "cpu"})
    if done.failed:
        facts.append(Fact("safegpu with jax", "broken", done.why))
    return facts


# --- checkers


def _mypy(asked: Sequence[str]) -> list[Fact]:
    facts = []
    here, path = _version("mypy"), shutil.which("mypy")
    if here is None:
        facts.append(_absent("mypy", "check" in asked, "for `safegpu check`", "check"))
    else:
        facts.append(_compared("mypy", here, TESTED["mypy"]))
        command = [sys.executable, "-P", "-m", "mypy", "--config-file"]
        facts.append(_seen("safegpu check", _ask_mypy([*command, str(CONFIG)])))
        facts.append(_seen("mypy, with the settings here", _ask_mypy(command[:-1])))
    if path and not _is_here(path):
        says = re.search(r"\d[\w.]*", _run([path, "--version"]).out)
        facts.append(_compared(f"mypy on the path ({path})", says[0] if says else "?", TESTED["mypy"]))
        seen = _seen(f"{path}, with the settings here", _ask_mypy([path]))
        # another environment's may be for another project
        facts.append(replace(seen, state="note") if seen.state == "broken" else seen)
    return facts


def _pyright(asked: Sequence[str]) -> list[Fact]:
    facts = []
    for name in ("pyright", "basedpyright"):
        path = shutil.which(name)
        command = [sys.executable, "-m", name] if find_spec(name) else [path] if path else None
        if command is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder, "probe.py")
            probe.write_text(PROBE)
            done = _run([*command, "--outputjson", "--pythonpath", sys.executable, str(probe)])
        try:
            said = json.loads(done.out)
        except json.JSONDecodeError:
            facts.append(Fact(name, "note", f"does not answer: {done.why}"))
            continue
        facts.append(
            _compared(name, said["version"], TESTED[name]) if name in TESTED else Fact(name, "ok", said["version"])
        )
        answers = [(each["range"]["start"]["line"] + 1, each["message"]) for each in said["generalDiagnostics"]]
        facts.append(_seen(f"{name}, with this Python", answers))
    return facts or [Fact("pyright", "absent", "not here; mypy alone is used")]


type Answers = list[tuple[int, str]]
"""What a checker says of the lines of the probe."""


def _ask_mypy(command: list[str]) -> Answers | str:
    """Or why it says nothing."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "probe.py"  # a file goes before `files =` of the settings; `-c` would clash with it
        probe.write_text(PROBE)
        done = _run([*command, "--output", "json", "--no-error-summary", "--cache-dir", os.devnull, str(probe)])
    said = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
    return [(each["line"], each["message"]) for each in said] or done.why


def _seen(subject: str, answers: Answers | str) -> Fact:
    """Whether a checker has the types of safegpu, and those of jaxlib that come with it."""
    if isinstance(answers, str):
        return Fact(subject, "broken", f"the checker says nothing: {answers}")
    for line, wanted, what in ((1, "SmemRef[", "safegpu"), (2, "Value", "jaxlib.mlir.ir")):
        said = [text for number, text in answers if number == line]
        if not any(wanted in text for text in said):
            why = next((text for text in said if "Any" not in text and "Unknown" not in text), f"{what} is Any")
            return Fact(subject, "broken", f"does not see the types of {what}, and accepts everything: {why}")
    return Fact(subject, "ok", "sees the types of safegpu and its stubs of jaxlib")


# --- compiling and running


def _codegen(asked: Sequence[str]) -> list[Fact]:
    wanted = "codegen" in asked
    if missing := toolchain.missing():
        state: Literal["broken", "absent"] = "broken" if wanted else "absent"
        how = f"compiling needs {', '.join(missing)}: pip install 'safegpu[codegen]'"
        return [Fact("safegpu[codegen]", state, how)]
    return [Fact("safegpu[codegen]", "ok", "complete: compiles kernels without a GPU")]


def _gpu(asked: Sequence[str]) -> list[Fact]:
    jax = _version("jax")
    plugins = {
        name: version
        for cuda in (13, 12)
        for name in (f"jax-cuda{cuda}-plugin", f"jax-cuda{cuda}-pjrt")
        if (version := _version(name))
    }
    facts = [
        Fact(name, "ok" if version == jax else "broken", version if version == jax else f"{version}, and jax is {jax}")
        for name, version in plugins.items()
    ]
    found, why = _devices()
    if not found:
        return [*facts, Fact("GPU", "broken" if "gpu" in asked else "absent", why)]
    facts += [Fact("GPU", "ok", device) for device in found]
    if not plugins or jax is None:
        state: Literal["broken", "note"] = "broken" if "gpu" in asked else "note"
        return [*facts, Fact("jax on the GPU", state, "has no CUDA plugin: pip install 'jax[cuda13]'")]
    script = "import jax; print(len(jax.devices()), 'of', jax.devices()[0].device_kind)"
    # without this jax takes most of the memory of a GPU that others may be using
    done = _run(
        [sys.executable, "-P", "-c", script], {"JAX_PLATFORMS": "cuda", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    )
    said = done.why if done.failed else f"sees {done.out.strip()}"
    return [*facts, Fact("jax on the GPU", "broken" if done.failed else "ok", said)]


def _devices() -> tuple[list[str], str]:
    """The GPUs, as the driver names them, or why there are none."""
    path = shutil.which("nvidia-smi")
    if path is None:
        return [], "none: no NVIDIA driver here (no nvidia-smi)"
    done = _run([path, "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"])
    lines = [line.strip() for line in done.out.splitlines() if line.strip()]
    return ([], f"none: {done.why}") if done.failed or not lines else (lines, "")


# --- this environment


def _absent(name: str, is_asked: bool, purpose: str, extra: str) -> Fact:
    said = f"not installed; needed {purpose}: pip install 'safegpu[{extra}]'"
    return Fact(name, "broken" if is_asked else "absent", said)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _is_here(program: str) -> bool:
    """Whether a program belongs to this interpreter's environment."""
    return Path(program).resolve().parent == Path(sys.executable).parent.resolve() or (
        Path(program).parent == Path(sys.executable).parent
    )


@dataclass(frozen=True)
class _Done:
    out: str
    why: str
    """The last thing that it said of why it failed."""
    failed: bool


def _run(command: list[str], environment: dict[str, str] | None = None) -> _Done:
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        process = subprocess.Popen(
            command, **pipes, env=os.environ | (environment or {}), encoding="utf-8", errors="replace",
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return _Done("", f"cannot start {command[0]}: {error.strerror}", True)
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError, AttributeError):
            os.killpg(process.pid, signal.SIGKILL)
        # not waited for: a process that hangs in the driver does not end
        return _Done("", f"no answer within {SECONDS:.0f} seconds", True)
    said = [line.strip() for line in (err or out).splitlines() if line.strip()]
    return _Done(out, said[-1] if said else f"exit status {process.returncode}", process.returncode != 0)
