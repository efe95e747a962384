"""The kernel of docs/adopting.md on a Hopper GPU, raw and typed: random input, a poisoned output, against numpy."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from safegpu._jax import mlir_context

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("hopper")]

PAGE = (Path(__file__).parents[2] / "docs" / "adopting.md").read_text()
RAW, WHOLE, _ = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.mark.parametrize("code", [RAW, WHOLE], ids=["raw", "typed"])
def test_matmul(poisoned: Callable[..., np.ndarray], code: str) -> None:
    names: dict[str, Any] = {}
    exec(code, names)
    m, n, k = 192, 320, 256
    with mlir_context():  # which the raw one needs
        kernel = names["kernel"](m, n, k)
    rng = np.random.default_rng()
    a, b = (rng.uniform(-1, 1, (rows, k)).astype(np.float16) for rows in (m, n))
    result = poisoned(kernel, jax.numpy.asarray(a), jax.numpy.asarray(b), poison=np.nan)
    np.testing.assert_allclose(result, a.astype(np.float32) @ b.astype(np.float32).T, rtol=2e-3, atol=2e-3)
