"""What the pages of rules about threads say of the code that comes out, in that code: compiled without a GPU."""

import importlib
import re

import pytest

import safegpu
from safegpu.offline.toolchain import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")


@pytest.mark.parametrize("instruction", ["UTCHMMA", "UTCBAR"])
def test_each_thread_issues_an_mma_and_its_commit(instruction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """ptxas makes a loop of each: it elects a thread that has not issued yet, and goes back while there is one."""
    monkeypatch.setattr("safegpu._gate.refuse", lambda code, message: None)
    kernel = importlib.import_module("examples.bugs.product_by_all_threads").kernel
    compiled = safegpu.compile_kernel(kernel, arch="sm_100a")
    sass = compiled.sass
    assert "elect.sync" not in compiled.ptx.partition("tcgen05.mma")[2]
    loop = re.compile(rf"(\.L_x_\d+):\s[^:]*?@P0 ELECT P2[^;]*?{instruction} .*?BRA\.U\.ANY `\(\1\)", re.DOTALL)
    text = re.sub(r"[-:\w]+\s+/\*[0-9a-f]+\*/", "", sass)
    assert loop.search(text), sass
