"""Puts the generated stubs into the wheel."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from generate import write


class GeneratedStubs(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.generated = tempfile.TemporaryDirectory()
        write(Path(self.generated.name))
        build_data["force_include"][f"{self.generated.name}/jax-stubs"] = "jax-stubs"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.generated.cleanup()
