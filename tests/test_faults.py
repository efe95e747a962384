"""What the pages of rules say of the code that comes out, in that code: compiled without a GPU."""

import importlib
import re

import pytest

import safegpu
from safegpu.offline.toolchain import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")


def test_a_misaligned_view_is_a_misaligned_access(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("safegpu._gate.refuse", lambda code, message: None)
    kernel = importlib.import_module("examples.bugs.misaligned_window").kernel
    ptx = safegpu.compile_kernel(kernel, arch="sm_90a").ptx
    starts = [int(start) for start in re.findall(r"ld\.(?:global\.)?b32\s+%r\d+, \[%rd\d+\+(\d+)\]", ptx)]
    assert starts
    assert all(start % 4 == 2 for start in starts)
