"""The compiler's parts, which the extra [codegen] brings, and whether they are here. Asking imports no jax."""

import importlib.util
import os
from pathlib import Path


def missing() -> list[str]:
    """What compilation needs and this environment lacks."""
    absent = [name for name in ("jax", "jaxlib") if not _importable(name)]
    if not any(_importable(f"jax_plugins.xla_cuda{version}") for version in (13, 12)):
        absent.append("jax-cuda13-plugin with jax-cuda13-pjrt")
    root = cuda_root()
    return absent + [tool for tool in ("ptxas", "nvdisasm") if not (root / "bin" / tool).exists()]


def is_available() -> bool:
    """Whether this environment can compile kernels."""
    return not missing()


def _importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def cuda_root() -> Path:
    """Where jax itself looks for the CUDA tools."""
    if root := os.environ.get("CUDA_ROOT"):
        return Path(root)
    for name in ("nvidia.cu13", "nvidia.cuda_nvcc"):
        spec = importlib.util.find_spec(name) if _importable(name) else None
        for location in (spec and spec.submodule_search_locations) or ():
            if (Path(location) / "bin" / "ptxas").exists():
                return Path(location)
    return Path("/usr/local/cuda")
