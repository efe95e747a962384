"""The command line: what it prints and how it exits."""

import configparser
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from safegpu.check import CannotCheck, check, files, mypy_run
from safegpu.cli import main
from safegpu.rules import RULES

ROOT = Path(__file__).parents[2]

CLEAN = """\
import safegpu as mgpu


def body(barrier: mgpu.BarrierRef) -> None:
    barrier.wait()
"""

FLAWED = """\
import safegpu as mgpu


class Memory(mgpu.Scratch):
    accumulator = mgpu.TMEM((64, 128), mgpu.float32)


def body(metadata: mgpu.SparseMetaTMEM, memory: Memory, out: mgpu.GmemRef[mgpu.bfloat16]) -> None:
    array = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float16), (64, 128), mgpu.TCGEN05_LAYOUT)
    metadata.store(array)
    array.store_untiled(out, optimized=False)
    memory.accumulator.store(array.astype(mgpu.float32))
    number: int = "one"
"""

REPORT = """\
kernel.py:10:5: SG101 store-to-sparse-metadata: registers cannot be stored to sparse-metadata TMEM  [call-arg]
    fix: write the metadata to SMEM and call tcgen05.async_copy_sparse_metadata_smem_to_tmem
kernel.py:11:25: SG302 memory-store-dtype: the array is stored to a buffer of another dtype, which \
reinterprets its bits: argument `ref` of FragmentedArray.store_untiled: got GmemRef[bfloat16], expected \
GmemRef[float16]  [arg-type]
    fix: convert the array with .astype first; to mean the bits, use .bitcast
kernel.py:12:30: SG201 tmem-store-layout: this TMEM cannot be stored from that register layout: argument \
`value` of DenseTMEM.store: got TCGEN05, the TMEM takes HALF_LANE_NATIVE or WGMMA  [arg-type]
    fix: make the array in a layout that it takes: layout= of the load or the splat; pack 8- and 4-bit dtypes
kernel.py:13:19: SG000 type-error: Incompatible types in assignment (expression has type "str", variable has \
type "int")  [assignment]
4 findings in 1 file
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder, outside the repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# --- findings


def test_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, {"kernel.py": FLAWED})
    assert main(["check", "kernel.py"]) == 1
    assert capsys.readouterr().out == REPORT


def test_clean(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, {"one.py": CLEAN, "two.py": CLEAN})
    assert main(["check", "."]) == 0
    assert capsys.readouterr().out == "clean: 2 files\n"


def test_the_cache_is_in_the_current_folder(folder: Path) -> None:
    write(folder, {"sub/kernel.py": CLEAN})
    assert main(["check", "sub"]) == 0
    assert (folder / ".mypy_cache" / "safegpu" / ".gitignore").exists()
    assert not (folder / "sub" / ".mypy_cache").exists()


def test_the_cache_of_mypy_itself_stays(folder: Path) -> None:
    """Settings that differ would make mypy throw it away."""
    write(folder, {"kernel.py": CLEAN})
    mypy = [sys.executable, "-m", "mypy", "--verbose", "kernel.py"]
    for _ in range(2):
        again = subprocess.run(mypy, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
        assert again.returncode == 0
        assert main(["check", "kernel.py"]) == 0
    assert re.search(r"Build finished .* with 0 modules", again.stderr), again.stderr


def test_a_cache_that_the_author_chose(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {"kernel.py": "", "mypy.ini": "[mypy]\ncache_dir = theirs\n"})
    check(["kernel.py"], config="mypy.ini")
    monkeypatch.setenv("MYPY_CACHE_DIR", "mine")
    check(["kernel.py"])
    assert [(folder / name).exists() for name in ("theirs", "mine", ".mypy_cache")] == [True, True, False]


def test_finding(folder: Path) -> None:
    write(folder, {"kernel.py": FLAWED})
    first, *_ = check(["kernel.py"])
    assert (first.path, first.line, first.column, first.rule) == ("kernel.py", 10, 5, "SG101")
    assert (first.message, first.fix) == (RULES["SG101"].message, RULES["SG101"].fix)
    assert (first.mypy_code, "SG101_" in first.mypy_message) == ("call-arg", True)


def test_one_finding_for_a_line_and_rule(folder: Path) -> None:
    source = """\
import safegpu as mgpu
from safegpu import tcgen05
mgpu.TMEM((128, 64), mgpu.int8, layout=tcgen05.sparse_meta_layout())
def body(bars: mgpu.BarrierArray) -> None: bars.wait(); bars.wait()
"""
    write(folder, {"kernel.py": source})
    assert [(finding.line, finding.rule) for finding in check(["kernel.py"])] == [(3, "SG304"), (4, "SG401")]


def test_what_is_imported_is_not_reported(folder: Path) -> None:
    write(
        folder,
        {
            "kernel.py": "import helper\nhelper.f(1)\n",
            "helper.py": "def f(x: int) -> None: ...\ny: int = ''\n",
        },
    )
    assert check(["kernel.py"]) == []
    assert len(check(["."])) == 1


def test_what_is_not_installed_is_unknown(folder: Path) -> None:
    source = "import jax.numpy as jnp\nimport no_such_module\njnp.zeros(no_such_module.SHAPE)\n"
    write(folder, {"kernel.py": source})
    assert check(["kernel.py"]) == []


def test_files_that_hide_modules_of_mypy(folder: Path) -> None:
    write(folder, {"kernel.py": CLEAN, "mypy.py": "raise SystemExit(3)", "json.py": "raise SystemExit(3)"})
    assert check(["kernel.py"]) == []


# --- folders


def test_scripts_of_one_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, result in (("a", "int"), ("b", "str")):
        write(
            folder,
            {
                f"{name}/helper.py": f"def width() -> {result}:\n    return {result}()\n",
                f"{name}/matmul.py": f"import helper\nx: {result} = helper.width()\n",
            },
        )
    assert main(["check", "."]) == 0
    assert main(["check", "a", "b"]) == 0
    assert main(["check", "a/matmul.py", "b/matmul.py"]) == 0
    assert capsys.readouterr().out.splitlines() == ["clean: 4 files", "clean: 4 files", "clean: 2 files"]


def test_packages(folder: Path) -> None:
    written = {
        "src/pack/__init__.py": "",
        "src/pack/sub/__init__.py": "",
        "src/pack/sub/kernel.py": CLEAN,
        "src/pack/user.py": "from pack.sub import kernel\nfrom .sub.kernel import body\n",
    }
    write(folder, written)
    found = files.expand(["."])
    assert sorted(found) == sorted(written)
    assert files.rounds(found) == [found]
    assert check(["."]) == []


def test_package_below_a_folder_that_is_none(folder: Path) -> None:
    files = {
        "tests/sub/__init__.py": "",
        "tests/sub/kernel.py": "x: int = ''\n",
        "tests/sub/user.py": "from tests.sub.kernel import x\ny: str = x\n",
    }
    write(folder, files)
    assert [(finding.path, finding.line) for finding in check(["tests"])] == [
        ("tests/sub/kernel.py", 1),
        ("tests/sub/user.py", 2),
    ]


def test_what_a_folder_holds(folder: Path) -> None:
    skipped = [".venv/x.py", "node_modules/x.py", "site-packages/x.py", "__pycache__/x.py", "notes.txt"]
    skipped += ["stubs/jaxlib-stubs/ir.pyi", "jax-stubs/__init__.pyi"]
    write(folder, dict.fromkeys([*skipped, "kernel.py", "stubbed.py", "stubbed.pyi", "sub/kernel.py"], ""))
    assert files.expand(["."]) == ["kernel.py", "stubbed.pyi", "sub/kernel.py"]


# --- what cannot be checked


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("safegpu: ")
    assert err.count("\n") == 1
    return err.removeprefix("safegpu: ").rstrip()


def test_no_such_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert failure(capsys, "nothing.py") == "no such file or folder: nothing.py"


def test_nothing_to_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty").mkdir()
    (folder / "README.md").write_text("")
    assert failure(capsys, "empty") == "nothing to check in empty: it holds no Python file"
    assert failure(capsys, "README.md") == "nothing to check in README.md: it is no Python file"


def test_syntax_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, {"kernel.py": "\ndef body(:\n    pass\n", "other.py": CLEAN})
    assert failure(capsys, "kernel.py", "other.py").startswith("kernel.py:2: syntax error: ")


@pytest.mark.parametrize(("others", "said"), [(0, ""), (1, "; 1 other file was"), (3, "; 3 other files were")])
def test_syntax_error_hides_other_files(
    folder: Path, capsys: pytest.CaptureFixture[str], others: int, said: str
) -> None:
    write(folder, {"kernel.py": "def body(:\n"} | {f"other{number}.py": FLAWED for number in range(others)})
    message = failure(capsys, ".")
    assert message.startswith("kernel.py:1: syntax error: ")
    assert message.endswith(f"{said} not checked") if said else ";" not in message


def test_stubs_named_by_hand(folder: Path) -> None:
    write(folder, {"jaxlib-stubs/ir.pyi": "x: int = ''\n"})
    assert files.expand(["jaxlib-stubs"]) == ["jaxlib-stubs/ir.pyi"]


def test_not_utf8(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "kernel.py").write_bytes(b'x = "\xff"\n')
    assert failure(capsys, "kernel.py").startswith("kernel.py: error: Cannot decode file")


def test_folder_that_is_no_package_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "my-kernels").mkdir()
    (folder / "my-kernels" / "__init__.py").write_text("")
    assert "my-kernels" in failure(capsys, "my-kernels")


def test_no_mypy(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {"kernel.py": CLEAN})
    bare = folder / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    assert failure(capsys, "kernel.py") == "mypy is not installed here: pip install 'safegpu[check]'"


def test_no_python(folder: Path) -> None:
    write(folder, {"kernel.py": CLEAN})
    with pytest.raises(CannotCheck, match=r"cannot start \./none: No such file or directory"):
        check(["kernel.py"], python="./none")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'kernel.py: error: INTERNAL ERROR -- report it' >&2; exit 2", "mypy crashed: "),
        ("kill -SEGV $$", "mypy crashed: "),
    ],
)
def test_crash(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    said: str,
) -> None:
    write(folder, {"kernel.py": CLEAN})
    crashing = folder / "crashing"
    crashing.write_text(f"#!/bin/sh\n{script}\n")
    crashing.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(crashing))
    assert failure(capsys, "kernel.py").startswith(said)


# --- the other commands


@pytest.mark.parametrize("name", ["SG101", "sg101", "store-to-sparse-metadata"])
def test_explain(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    assert capsys.readouterr().out == (ROOT / "safegpu/rules/pages/SG101.md").read_text()


def test_explain_what_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "SG999"]) == 2
    assert capsys.readouterr().err == "safegpu: no such rule: SG999; `safegpu rules` lists them\n"


def test_a_reader_that_has_read_enough() -> None:
    """`safegpu rules | head -1` ends without a traceback."""
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "safegpu", "rules"], cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (2, b"")


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        [rule.code, rule.name] for rule in RULES.values()
    ]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.startswith("safegpu ")


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["check"], ["chekc", "x.py"]):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)


def test_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr().out
    assert said.startswith("usage: safegpu")
    assert all(command in said for command in ("check", "explain", "rules"))


@pytest.mark.parametrize(
    "arguments", [["rules", "--json"], ["explain", "SG101"], ["check", "kernel.py"], ["init"], ["--help"]]
)
def test_starts_without_what_is_slow(folder: Path, arguments: list[str]) -> None:
    """What the command line itself imports: no jax, and nothing of mypy, which has a process of its own."""
    write(folder, {"kernel.py": ""})
    script = (
        f"import sys; from safegpu.cli import main\ntry: main({arguments})\nexcept SystemExit: pass\n"
        "slow = {'jax', 'jaxlib', 'numpy', 'mypy', 'pathspec', 'tomlkit', 'configupdater'} & sys.modules.keys()\n"
        "assert not slow, slow"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_as_a_module_without_jax(folder: Path) -> None:
    write(folder, {"kernel.py": FLAWED})
    script = (
        "import sys, runpy\n"
        "sys.argv = ['safegpu', 'check', 'kernel.py']\n"
        "try: runpy.run_module('safegpu', run_name='__main__')\n"
        "except SystemExit as end: assert end.code == 1, end.code\n"
        "assert not {'jax', 'jaxlib', 'numpy', 'ml_dtypes', 'mypy'} & sys.modules.keys()\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == REPORT


# --- the configuration


def test_the_repository_uses_the_recommended_configuration() -> None:
    def options(path: Path) -> dict[str, dict[str, str]]:
        parser = configparser.ConfigParser()
        parser.read(path)
        return {section: dict(parser[section]) for section in parser.sections()}

    repository = options(ROOT / "mypy.ini")
    assert repository["mypy"].pop("files")
    assert repository == options(mypy_run.CONFIG)
