"""The hook, as real pre-commit installs and runs it in a user's repository: from the built package, without jax."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

from safegpu.commands import init

ROOT = Path(__file__).parent.parent

LEGAL = """\
import safegpu as mgpu


def body(metadata: mgpu.SparseMetaTMEM, acc: mgpu.DenseTMEM[mgpu.float32]) -> None:
    acc.store(acc.load())
"""
ILLEGAL = LEGAL.replace("acc.store(acc.load())", "metadata.store(acc.load())")
TYPE_ERROR = 'number: int = "one"\n'

PROJECT = {
    "legal.py": LEGAL,
    "illegal.py": ILLEGAL,
    # two of one name, in folders that are no packages, and one of them a copy
    "a/matmul.py": ILLEGAL,
    "b/matmul.py": ILLEGAL,
    # a package that imports relatively, of which just one file is wrong
    "src/pack/__init__.py": "",
    "src/pack/helper.py": f"{LEGAL}\n\ndef width() -> int:\n    return 1\n",
    "src/pack/kernel.py": f"from .helper import width\nfrom . import helper\n{ILLEGAL}\n\nnumber: str = width()\n",
    "stub.pyi": f"import safegpu as mgpu\n{TYPE_ERROR}",
    # no kernels: what is wrong there is not safegpu's business
    "plain.py": TYPE_ERROR,
    "template.py": "def {{ name }}():\n",
    "notes.md": "import safegpu\n",
    "gone.py": ILLEGAL,
    "removed.py": ILLEGAL,
    "bad/kernel.py": ILLEGAL,
    "pyproject.toml": "[tool.mypy]\ndisallow_untyped_defs = true\n",
    # so many and long names that pre-commit passes them in several batches; the last is a kernel
    **{f"many/{'x' * 200}{number}.py": "" for number in range(700)},
    "zzz.py": ILLEGAL,
}
FOUND = {
    "illegal.py:5:5: SG101",
    "a/matmul.py:5:5: SG101",
    "b/matmul.py:5:5: SG101",
    "src/pack/kernel.py:7:5: SG101",
    "src/pack/kernel.py:10:15: SG000",
    "stub.pyi:2:15: SG000",
    "bad/kernel.py:5:5: SG101",
    "zzz.py:5:5: SG101",
}


class Repository:
    """A git repository."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        identity = {f"GIT_{who}_{what}": "someone" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        theirs = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        # no settings of whoever runs the tests, nor of a git that runs them in a hook
        theirs = {name: value for name, value in theirs.items() if not name.startswith("GIT_")}
        self.environment = theirs | identity | {"GIT_CONFIG_GLOBAL": os.devnull, "PRE_COMMIT_HOME": str(home)}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )  # fmt: skip

    def git(self, *arguments: str) -> str:
        done = self.run("git", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--no-verify", "--message", "all")
        return self.git("rev-parse", "HEAD")

    def pre_commit(self, *arguments: str) -> tuple[int, str]:
        done = self.run(sys.executable, "-m", "pre_commit", "run", "--color", "never", *arguments)
        return done.returncode, done.stdout + done.stderr


def reach_an_index(folder: Path) -> None:
    """Skips where pip finds no packages to install."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), "pathspec"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no package index can be reached: {done.stderr.strip().splitlines()[-1]}")


def test_the_hook(tmp_path: Path) -> None:
    """One test, because setting pre-commit's environment up takes most of its time."""
    reach_an_index(tmp_path / "reached")
    home = tmp_path / "home"

    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    (sdist,) = tmp_path.glob("safegpu-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    safegpu = Repository(tmp_path / sdist.name.removesuffix(".tar.gz"), home)
    revision = safegpu.commit()

    project = Repository(tmp_path / "project", home)
    project.root.mkdir()
    hook = {"id": "safegpu-check", "alias": "strict", "args": ["--config", "pyproject.toml", "--exclude", "bad"]}
    entry = {"repo": str(safegpu.root), "rev": revision, "hooks": [{"id": "safegpu-check", "alias": "plain"}, hook]}
    for name, text in {**PROJECT, ".pre-commit-config.yaml": yaml.safe_dump({"repos": [entry]})}.items():
        (project.root / name).parent.mkdir(parents=True, exist_ok=True)
        (project.root / name).write_text(text)
    project.commit()

    # a legal kernel passes, and the environment has no jax
    status, said = project.pre_commit("plain", "--files", "legal.py")
    assert status == 0, said
    assert re.search(r"^safegpu check\.+Passed$", said, re.M)
    (site,) = home.glob("repo*/py_env*/lib/python*/site-packages")
    assert (site / "safegpu").is_dir() and (site / "jaxlib-stubs").is_dir() and (site / "mypy").is_dir()
    assert not {"jax", "jaxlib", "numpy"} & {path.name for path in site.iterdir()}

    # everything that a repository may hold
    project.git("rm", "--quiet", "removed.py")
    (project.root / "gone.py").unlink()
    status, said = project.pre_commit("plain", "--all-files")
    assert status == 1, said
    assert sorted(re.findall(r"^\S+:\d+:\d+: SG\d{3}", said, re.M)) == sorted(FOUND), said
    assert len(re.findall(r"^\d+ findings? in|^clean: ", said, re.M)) >= 2, "all files came in one batch"

    # what pre-commit passes at a commit: the staged files, without those that are deleted
    (project.root / "new.py").write_text(ILLEGAL)
    project.git("add", "new.py")
    status, said = project.pre_commit("plain")
    assert (status, re.findall(r"SG\d{3}", said)) == (1, ["SG101"]), said
    assert "new.py:5:5" in said

    # the project's settings, and a folder that is passed by
    (project.root / "untyped.py").write_text("import safegpu\n\ndef f(x): ...\n")
    status, said = project.pre_commit("strict", "--files", "untyped.py", "bad/kernel.py", "legal.py")
    assert (status, re.findall(r"^\S+:\d+:\d+: SG\d{3}", said, re.M)) == (1, ["untyped.py:3:1: SG000"]), said

    # a file that is no Python
    (project.root / "broken.py").write_text("import safegpu\ndef body(:\n")
    status, said = project.pre_commit("plain", "--files", "broken.py", "illegal.py")
    assert status == 1 and "- exit code: 2" in said, said
    assert re.search(r"^safegpu: broken\.py:2: syntax error: .*; 1 other file was not checked$", said, re.M), said


def test_the_hook_is_what_init_writes() -> None:
    (published,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (written,) = init.local_entry("x")["hooks"]
    left_out = {"description", "additional_dependencies"}
    assert {key: value for key, value in published.items() if key not in left_out} == {
        key: value for key, value in written.items() if key not in left_out
    }
