"""`safegpu compile` and `compile_kernel`: what they say of kernels, and of what is no kernel or does not compile."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from jax.experimental.mosaic import gpu as raw

import safegpu
from examples import all_gather
from safegpu.cli import main
from safegpu.offline import command
from safegpu.offline.compiling import Outcome, compile_targets
from safegpu.offline.devices import DEVICES
from safegpu.offline.errors import BadTarget
from safegpu.offline.lowering import tracing_context
from safegpu.offline.targets import targets_of
from safegpu.offline.toolchain import is_available
from tests.raw import hopper_matmul as raw_hopper
from tests.raw import sparse_matmul as raw_sparse

ROOT = Path(__file__).parent.parent
needs_codegen = pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")

KERNELS = """\
import functools
import os

import safegpu as mgpu
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import llvm
from other import imported
from safegpu.offline.lowering import tracing_context

ARRAY = mgpu.GMEM((128, 64), mgpu.float32)


class Tensor(mgpu.Scratch):
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    more = mgpu.TMEM((128, 128), mgpu.float32)


def copy(ctx, source, result, scratch):
    mgpu.FragmentedArray.load_strided(source).store_untiled(result)


def make(body=copy, scratch=()) -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(body, (2, 1, 1), (128, 1, 1), (ARRAY,), ARRAY, scratch, cluster=(2, 1, 1))


@functools.cache
def tensor() -> "mgpu.Kernel":
    return make(scratch=Tensor())


def shared() -> mgpu.Kernel:
    print("building shared")
    return make(scratch=mgpu.SMEM((200, 256), mgpu.float32))


def wrapped() -> mgpu.Kernel:
    kernel = make()
    return lambda array: kernel(array)


def sized(n: int, m: int) -> mgpu.Kernel:
    return make()


def raises() -> mgpu.Kernel:
    raise ValueError("m must be a multiple of 64")


def asserts() -> mgpu.Kernel:
    assert ARRAY is None


def refused() -> mgpu.Kernel:
    def body(*_):
        llvm.inline_asm(ir.Type.parse("!llvm.void"), [], "bogus.instruction;", "", has_side_effects=True)

    return make(body)


def crashes() -> mgpu.Kernel:
    return make(lambda *_: None)  # LLVM takes no such name


def dies() -> mgpu.Kernel:
    os.abort()


def two() -> mgpu.Kernel:
    make(), make()


def unannotated():
    return make()


def _private() -> mgpu.Kernel:
    return make()


made = make()
number = 3
with tracing_context((10, 3)):
    fixed = make(scratch=Tensor())
"""
OTHER = """\
import safegpu as mgpu


def {}() -> mgpu.Kernel:
    import kernels

    return kernels.make()
"""
FILES = {
    "kernels.py": KERNELS,
    "other.py": OTHER.format("imported"),
    "types.py": OTHER.format("shadow"),
    "broken.py": "import no_such_module  # as_gpu_kernel\n",
    "leaves.py": "raise SystemExit('as_gpu_kernel')\n",
    "wrong.py": "def f(:  # as_gpu_kernel\n",
    "plain.py": "raise SystemExit('imported, though it speaks of no such thing')\n",
    "no_kernel.py": "as_gpu_kernel = None\n",
    "empty.py": "",
    "below/deep.py": "raise SystemExit('as_gpu_kernel')\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kernels")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-m", "safegpu", "compile", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


# --- a folder, for machines


@pytest.fixture(scope="module")
def ran(folder: Path) -> subprocess.CompletedProcess[str]:
    return run(folder, ".", "--json")


@pytest.fixture(scope="module")
def records(ran: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    return {record["target"]: record for record in json.loads(ran.stdout)["kernels"]}


@needs_codegen
def test_a_folder_is_compiled_whole(ran: subprocess.CompletedProcess[str], records: dict[str, dict[str, Any]]) -> None:
    assert {target: record["compiled"] for target, record in records.items()} == {
        "broken.py": False,
        "kernels.py:make": True,
        "kernels.py:tensor": True,
        "kernels.py:shared": True,
        "kernels.py:wrapped": True,
        "kernels.py:raises": False,
        "kernels.py:asserts": False,
        "kernels.py:refused": False,
        "kernels.py:crashes": False,
        "kernels.py:dies": False,
        "kernels.py:two": False,
        "kernels.py:made": True,
        "kernels.py:fixed": True,
        "leaves.py": False,
        "other.py:imported": True,
        "types.py:shadow": True,
        "wrong.py": False,
    }
    assert ran.returncode == 2  # `two` makes no one kernel


@needs_codegen
def test_figures_are_those_of_ptxas_and_of_the_specs(folder: Path, records: dict[str, dict[str, Any]]) -> None:
    compiled = {target: record for target, record in records.items() if record["compiled"]}
    for target, record in compiled.items():
        report = (folder / record["ptxas"]).read_text()
        assert f"Used {record['registers']} registers, used {record['named_barriers']} barriers" in report
        assert f"for '{record['arch']}'" in report
        assert (
            f"{record['stack_frame_bytes']} bytes stack frame, {record['spill_store_bytes']} bytes spill stores, "
            f"{record['spill_load_bytes']} bytes spill loads" in report
        )
        smem = re.search(r"(\d+) bytes smem", report)
        assert record["static_shared_bytes"] == (int(smem[1]) if smem else 0)
        assert record["shared_bytes"] == record["static_shared_bytes"] + record["dynamic_shared_bytes"]
        assert record["shared_limit_bytes"] == 227 * 1024
        assert (record["grid"], record["cluster"], record["block"]) == ([2, 1, 1], [2, 1, 1], [128, 1, 1])
        assert f".target {record['arch']}" in (folder / record["ptx"]).read_text()
        assert f".target\t{record['arch']}" in (folder / record["sass"]).read_text()
        tensor = {"kernels.py:tensor": (192, "sm_100a"), "kernels.py:fixed": (192, "sm_103a")}
        assert (record["tmem_columns"], record["arch"]) == tensor.get(target, (0, "sm_90a"))
        # Of two allocations in TMEM, the addresses.
        dynamic = {"kernels.py:shared": 200 * 256 * 4} | dict.fromkeys(tensor, 8)
        assert record["dynamic_shared_bytes"] == dynamic.get(target, 0)
    assert compiled["kernels.py:tensor"]["why"] == "it states none, and uses tcgen05"
    assert compiled["kernels.py:make"]["why"] == "it states none, and uses no tcgen05"
    assert compiled["kernels.py:fixed"]["why"] == "it was built for it"


@needs_codegen
@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("broken.py", "does not import: broken.py:1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("leaves.py", "does not import: leaves.py:1: SystemExit: as_gpu_kernel"),
        ("wrong.py", "does not import: wrong.py:1: SyntaxError: invalid syntax"),
        ("kernels.py:raises", "does not lower: kernels.py:{raise ValueError}: ValueError: m must be a multiple of 64"),
        ("kernels.py:asserts", "does not lower: kernels.py:{assert ARRAY}: AssertionError: `assert ARRAY is None`"),
        ("kernels.py:two", "kernels.py:two made 2 kernels and returned NoneType: return what as_gpu_kernel made"),
        ("kernels.py:dies", "does not lower: the process that did it ended: killed by SIGABRT"),
        (
            "kernels.py:crashes",
            "does not compile for sm_90a (it states none, and uses no tcgen05):\n"
            "the process that did it ended: LLVM ERROR: Symbol name with unsupported characters",
        ),
    ],
)
def test_errors(records: dict[str, dict[str, Any]], target: str, error: str) -> None:
    lines = {line.strip(): number for number, line in enumerate(KERNELS.splitlines(), 1)}

    def number(match: re.Match[str]) -> str:
        return next(str(at) for line, at in lines.items() if line.startswith(match[1]))

    assert records[target]["error"] == re.sub(r"\{(.+)\}", number, error)


@needs_codegen
def test_ptxas_is_quoted_with_the_lines_it_is_about(records: dict[str, dict[str, Any]]) -> None:
    first, *said = records["kernels.py:refused"]["error"].splitlines()
    assert first == "does not compile for sm_90a (it states none, and uses no tcgen05):"
    assert len(said) == 3
    assert re.fullmatch(
        r"ptxas: PTX line \d+, `bogus\.instruction;`; error   : Not a name of any known instruction: 'bogus'", said[1]
    )
    assert said[2] == "ptxas fatal   : Ptx assembly aborted due to errors"


@needs_codegen
def test_git_ignores_the_folder_that_nobody_named(folder: Path, ran: subprocess.CompletedProcess[str]) -> None:
    assert (folder / ".safegpu/.gitignore").read_text() == "*\n"


@needs_codegen
def test_what_modules_print_is_no_json(ran: subprocess.CompletedProcess[str]) -> None:
    assert "building shared\n" in ran.stderr
    assert "building" not in ran.stdout


@needs_codegen
def test_progress_without_a_terminal(ran: subprocess.CompletedProcess[str]) -> None:
    doing = [line for line in ran.stderr.splitlines() if "compiling" in line]
    assert doing[0] == "compiling kernels.py:make for sm_90a, 1 of 10"
    assert doing[-1] == "compiling types.py:shadow for sm_90a, 10 of 10"


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((12, 24)))
    line = command._Line()
    line.show("lowering examples", None)
    line.pass_on("printed\n")
    assert capsys.readouterr().err == "\r\x1b[2Klowering ex\r\x1b[2Kprinted\n"


# --- kernels by name, for people


@needs_codegen
def test_what_is_printed(folder: Path) -> None:
    done = run(folder, "kernels.py:tensor", "--out", "code")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "kernels.py:tensor: sm_100a (it states none, and uses tcgen05)",
        "  registers      72 of 255 a thread, 0 bytes spilled, 0 bytes of stack",
        "  shared memory  9 of 232448 bytes a block",
        "  TMEM           192 of 512 columns",
        "  barriers       1 of 16 named",
        "  code           code/kernels/tensor.sm_100a.ptx, code/kernels/tensor.sm_100a.sass",
    ]
    assert (folder / "code/kernels/tensor.sm_100a.sass").read_text().count("EXIT")
    assert not (folder / "code/.gitignore").exists()


@needs_codegen
def test_an_architecture_that_is_asked_for(folder: Path) -> None:
    """What the module itself makes is made for it, too; the others go on where one does not compile."""
    done = run(folder, "kernels:shared", "kernels.py:made", "kernels.py:fixed", "--arch", "sm_120a")
    assert done.returncode == 2
    assert [line for line in done.stdout.splitlines() if not line.startswith(" ")] == [
        "kernels.py:made: sm_120a (as asked)",
        "1 of 3 compiled",
    ]
    assert "shared memory  0 of 101376 bytes a block" in done.stdout
    said = [line for line in done.stderr.splitlines() if not line.startswith(("compiling", "building"))]
    assert said == [
        "safegpu: kernels:shared does not compile for sm_120a (as asked):",
        "    the kernel cannot be launched: it asks for 204800 bytes of shared memory, and a block has at most 101376 "
        "on sm_120a",
        "safegpu: kernels.py:fixed was built for compute capability 10.3 and cannot be compiled for sm_120a: give the "
        "function that builds it",
    ]


@needs_codegen
def test_what_is_no_kernel(folder: Path) -> None:
    done = run(
        folder,
        *("kernels.py:sized", "kernels.py:nope", "kernels.py:number", "kernels.py:Tensor", "kernels.py:copy"),
        *(
            "no_kernel.py",
            "empty.py",
            "below/none.py",
            "nowhere",
            "no.such:kernel",
            "kernels.py:",
            "kernels.py:a.b",
            "code:x.y",
        ),
        *("os:getcwd", "what?:x", "sys:nope"),
    )
    assert done.returncode == 2
    assert done.stdout == "0 of 16 compiled\n"
    assert done.stderr.splitlines() == [
        "safegpu: kernels.py:sized needs arguments, n, m: write a function that needs none and calls it",
        "safegpu: kernels.py has no nope; its kernels are make, tensor, shared, wrapped, raises, asserts, refused, "
        "crashes, dies, two, made, fixed",
        "safegpu: kernels.py:number is no kernel but int: name what as_gpu_kernel made, or a function that returns "
        "that",
        "safegpu: kernels.py:Tensor is no kernel but Tensor: name what as_gpu_kernel made, or a function that returns "
        "that",
        "safegpu: kernels.py:copy needs arguments, ctx, source, result, scratch: write a function that needs none and "
        "calls it",
        "safegpu: no kernel in no_kernel.py: it has no public function that returns Kernel and needs no argument, and "
        "nothing made by as_gpu_kernel",
        "safegpu: no kernel in empty.py: it has no public function that returns Kernel and needs no argument, and "
        "nothing made by as_gpu_kernel",
        "safegpu: no such file or folder: below/none.py",
        "safegpu: no such file or folder: nowhere; in a module, name one kernel, nowhere:KERNEL",
        "safegpu: no module named no.such, here or in PYTHONPATH",
        "safegpu: kernels.py: names no kernel: write kernels.py:KERNEL",
        "safegpu: kernels.py:a.b names no kernel: write kernels.py:KERNEL",
        "safegpu: code:x.y names no kernel: write code:KERNEL",
        "safegpu: os:getcwd made no kernel and returned str: return what as_gpu_kernel made",
        "safegpu: what? is no module's name and no Python file",
        "safegpu: sys has no nope",
    ]


@pytest.mark.parametrize("name", ["page.md", "below/page.md", "settings.toml", "stub.pyi", "plain", "below/plain"])
def test_what_is_no_python_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    Path(name).write_text("not Python\n")
    for target in (name, f"{name}:kernel"):
        if target == "plain:kernel":  # a module
            assert [each.source.file for each in targets_of(target)] == [None]
            continue
        with pytest.raises(
            BadTarget, match=rf"^{re.escape(name)} is not a Python file: its name does not end in \.py$"
        ):
            targets_of(target)


@needs_codegen
def test_what_is_no_python_file_is_not_compiled(folder: Path) -> None:
    (folder / "page.md").write_text("# A page\n")
    done = run(folder, "page.md", "./page.md:kernel")
    assert (done.returncode, done.stdout) == (2, "0 of 2 compiled\n")
    assert done.stderr.splitlines() == [
        f"safegpu: {name} is not a Python file: its name does not end in .py" for name in ("page.md", "./page.md")
    ]


@needs_codegen
def test_tracebacks_are_asked_for(folder: Path) -> None:
    done = run(folder, "kernels.py:raises", "--traceback")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert 'raise ValueError("m must be a multiple of 64")' in done.stderr
    without = run(folder, "kernels.py:raises")
    assert len(without.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [[], ["x.py", "--arch", "sm_75"], ["x.py", "--peers", "0"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["compile", *arguments])
    assert "usage: safegpu compile" in capsys.readouterr().err


@needs_codegen
def test_ctrl_c_ends_it_and_its_processes(folder: Path) -> None:
    (folder / "waits").mkdir()
    (folder / "waits/kernels.py").write_text("print('as_gpu_kernel', flush=True)\nimport time\ntime.sleep(60)\n")
    command = [sys.executable, "-P", "-m", "safegpu", "compile", "waits"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "waits")}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    while not any("as_gpu_kernel" in file.read_text() for file in (folder / "waits").glob("tmp*")):
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate() == (b"as_gpu_kernel\n", None)
    assert process.returncode == 130


def test_nothing_of_jax_is_imported_early() -> None:
    script = """\
        import sys
        import safegpu
        from safegpu.cli import main
        safegpu.compile_kernel, safegpu.Compiled, safegpu.CompileError
        try:
            main(["compile", "--help"])
        except SystemExit as end:
            assert end.code == 0
        assert main(["compile", "nowhere"]) == 2
        assert not {"jax", "jaxlib", "numpy"} & sys.modules.keys()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], cwd=ROOT, check=True, capture_output=True)


# --- in Python


@pytest.fixture(scope="module")
def kernels(folder: Path) -> Iterator[Any]:
    import importlib.util

    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location("kernels", folder / "kernels.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("other", None)


@needs_codegen
def test_a_kernel_that_is_made(kernels: Any) -> None:
    compiled = safegpu.compile_kernel(kernels.made)
    assert isinstance(compiled, safegpu.Compiled)
    assert (compiled.name, compiled.arch, compiled.registers) == ("copy", "sm_90a", 72)
    assert compiled.sass == safegpu.compile_kernel(kernels.make).sass
    with pytest.raises(BadTarget, match=r"compute capability 9\.0 and cannot be compiled for sm_100a: give the func"):
        safegpu.compile_kernel(kernels.made, arch="sm_100a")


@needs_codegen
def test_a_kernel_made_for_another_architecture(kernels: Any) -> None:
    with tracing_context((10, 3)):
        kernel = kernels.make(scratch=kernels.Tensor())
    compiled = safegpu.compile_kernel(kernel)
    assert (compiled.arch, compiled.tmem_columns) == ("sm_103a", 192)


@needs_codegen
@pytest.mark.parametrize(
    ("what", "arguments", "error", "says"),
    [
        ("sized", {}, BadTarget, "sized needs arguments, n, m: "),
        ("number", {}, BadTarget, "3 is no kernel but int: "),
        ("make", {"arch": "sm_75"}, ValueError, "arch must be one of sm_80, .*, got 'sm_75'"),
        ("make", {"peers": 0}, BadTarget, "peers .* must be at least 1, got 0"),
        ("raises", {}, ValueError, "m must be a multiple of 64"),
        ("refused", {}, safegpu.CompileError, "Not a name of any known instruction: 'bogus'"),
        ("crashes", {}, safegpu.CompileError, "LLVM ERROR: Symbol name with unsupported characters"),
    ],
)
def test_exceptions(kernels: Any, what: str, arguments: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        safegpu.compile_kernel(getattr(kernels, what), **arguments)
    assert safegpu.compile_kernel(kernels.make).registers == 72  # and the next one compiles


@needs_codegen
def test_a_jitted_function_around_a_kernel(kernels: Any) -> None:
    import jax

    with pytest.raises(BadTarget, match="is a jitted function, but as_gpu_kernel did not make it"):
        safegpu.compile_kernel(jax.jit(lambda array: kernels.made(array)))


@needs_codegen
def test_devices() -> None:
    assert safegpu.compile_kernel(all_gather.kernel).peers == 2
    four = safegpu.compile_kernel(all_gather.kernel, peers=4)
    assert four.peers == 4
    assert four.tma == {"UTMALDG.2D": 4, "UTMASTG.2D": 4}  # one store for each device
    with tracing_context((9, 0), 2):
        kernel = all_gather.kernel(2)
    with pytest.raises(BadTarget, match="addresses other devices: give the number that it was built for"):
        safegpu.compile_kernel(kernel)
    assert safegpu.compile_kernel(kernel, peers=2).sass == safegpu.compile_kernel(all_gather.kernel).sass


@needs_codegen
@pytest.mark.parametrize("arch", [each for each in DEVICES if each != "sm_80"])
def test_what_an_architecture_lacks(arch: str) -> None:
    """Raw kernels, of which nothing is asked before the compiler."""
    for build, what, has in (
        (lambda: raw_hopper.build(512, 512, 512, stages=2), "wgmma", {"sm_90a"}),
        (lambda: raw_sparse.build("float8_e4m3fn"), "tcgen05", {"sm_100a", "sm_103a", "sm_110a"}),
    ):
        if arch in has:
            assert safegpu.compile_kernel(build, arch=arch).tensor_core
        else:
            with pytest.raises(safegpu.CompileError, match=f"\n{arch} has no {what}: compile it for "):
                safegpu.compile_kernel(build, arch=arch)


@needs_codegen
def test_what_ampere_lacks() -> None:
    """A raw kernel too: much else Mosaic GPU itself refuses there."""

    def body(ctx: Any, out: Any, scratch: Any) -> None:
        ctx.await_async_copy(0)

    def build() -> Any:
        return raw.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), jax.ShapeDtypeStruct((128,), np.int32), ())

    assert safegpu.compile_kernel(build, arch="sm_90a")
    with pytest.raises(safegpu.CompileError, match=r"\nsm_80 has no cp\.async\.bulk: compile it for sm_90a or "):
        safegpu.compile_kernel(build, arch="sm_80")


# --- the examples


@pytest.fixture(scope="module")
def examples() -> list[Outcome]:
    return list(compile_targets([str(ROOT / "examples")]))


@needs_codegen
def test_every_example_compiles_for_its_architecture(examples: list[Outcome]) -> None:
    compiled = {}
    for outcome in examples:
        assert isinstance(outcome.result, safegpu.Compiled), outcome
        module, _, kernel = Path(outcome.target).name.partition(":")
        compiled[f"{module.removesuffix('.py')}:{kernel}"] = outcome.result
    blackwell = {name for name in compiled if name.startswith(("blackwell", "sparse"))}
    assert len(compiled) == 18 and len(blackwell) == 8
    assert {name for name, each in compiled.items() if each.arch == "sm_100a"} == blackwell
    assert {name for name, each in compiled.items() if each.peers == 2} == {
        "all_gather:kernel",
        "multimem_all_reduce:kernel",
    }
    assert {name for name, each in compiled.items() if each.spill_store_bytes + each.spill_load_bytes} == set()
    assert compiled["blackwell_matmul:float16"].tmem_columns == 512
