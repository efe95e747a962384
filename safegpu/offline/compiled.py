"""What is known of a compiled kernel: its code, what ptxas reports of it, and what its launch asks for.

`docs/compile.md` says what each figure means.
"""

import collections
import dataclasses
import functools
import re
from pathlib import Path
from typing import Any

REGISTERS_LIMIT = 255
NAMED_BARRIERS_LIMIT = 16
TMEM_COLUMNS_LIMIT = 512

_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
_TENSOR_CORE = re.compile(r"(?:UTC)?[A-Z]*MMA")
_TMEM = re.compile(r"LDTM|STTM|UTCCP|UTCSHIFT")
_TMA = re.compile(r"UTMA(?:LDG|STG|REDG|PF)|UBLK(?:CP|RED|PF)")


@dataclasses.dataclass(frozen=True)
class Compiled:
    """A compiled kernel: its code, and its figures. Shared memory is in bytes a block."""

    name: str
    """Of the function in the PTX and SASS, without what Mosaic GPU adds."""
    arch: str
    peers: int
    """The number of devices that it was compiled for."""
    grid: tuple[int, int, int]
    cluster: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    shared_limit_bytes: int
    tmem_columns: int
    ptx: str = dataclasses.field(repr=False)
    sass: str = dataclasses.field(repr=False)
    ptxas: str = dataclasses.field(repr=False)
    """The report of ptxas."""

    @property
    def registers(self) -> int:
        """Registers a thread, of `REGISTERS_LIMIT`."""
        return self._reported(r"Used (\d+) registers")

    @property
    def stack_frame_bytes(self) -> int:
        return self._reported(r"(\d+) bytes stack frame")

    @property
    def spill_store_bytes(self) -> int:
        return self._reported(r"(\d+) bytes spill stores")

    @property
    def spill_load_bytes(self) -> int:
        return self._reported(r"(\d+) bytes spill loads")

    @property
    def static_shared_bytes(self) -> int:
        return self._reported(r"(\d+) bytes smem", otherwise=0)

    @property
    def shared_bytes(self) -> int:
        """Static and dynamic shared memory."""
        return self.static_shared_bytes + self.dynamic_shared_bytes

    @property
    def named_barriers(self) -> int:
        """Barriers of `bar.sync`, of `NAMED_BARRIERS_LIMIT`: all of them where a number is only known as it runs."""
        return self._reported(r"used (\d+) barriers", otherwise=0)

    @property
    def warnings(self) -> list[str]:
        """What ptxas warns of: among others, wgmma or setmaxnreg that it had to serialise or ignore."""
        return [line for line in self.ptxas.splitlines() if "warning" in line or "Potential Performance Loss" in line]

    @functools.cached_property
    def mnemonics(self) -> collections.Counter[str]:
        """How often each SASS instruction occurs, by its name with its modifiers, as `LDG.E.128`."""
        return collections.Counter(_INSTRUCTION.findall(self.sass))

    @property
    def tensor_core(self) -> dict[str, int]:
        """The tensor core's instructions: `HGMMA…` is wgmma, `UTC…MMA…` is tcgen05.mma, `HMMA…` is mma."""
        return self._mnemonics_like(_TENSOR_CORE)

    @property
    def tmem(self) -> dict[str, int]:
        """The loads, stores and copies of tensor memory."""
        return self._mnemonics_like(_TMEM)

    @property
    def tma(self) -> dict[str, int]:
        """The tensor memory accelerator's copies, reductions and prefetches."""
        return self._mnemonics_like(_TMA)

    def sass_count(self, *names: str) -> dict[str, int]:
        """How often each of these instructions occurs in the SASS, spelled with all modifiers."""
        return {name: self.mnemonics[name] for name in names}

    def ptx_count(self, *names: str) -> dict[str, int]:
        """How often each of these instructions occurs in the PTX, spelled with all modifiers."""
        return {name: len(re.findall(rf"(?<![\w.:]){re.escape(name)}(?![\w.:])", self.ptx)) for name in names}

    def figures(self) -> dict[str, Any]:
        """Everything but the code, under the names it has here."""
        names = """
            name arch peers grid cluster block registers spill_store_bytes spill_load_bytes stack_frame_bytes
            static_shared_bytes dynamic_shared_bytes shared_bytes shared_limit_bytes tmem_columns named_barriers
            tensor_core tmem tma warnings
        """
        return {name: getattr(self, name) for name in names.split()}

    def save(self, path: str | Path) -> dict[str, Path]:
        """Writes `PATH.ptx`, `PATH.sass` and `PATH.ptxas`, and says where each lies."""
        files = {kind: Path(f"{path}.{kind}") for kind in ("ptx", "sass", "ptxas")}
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        for kind, file in files.items():
            file.write_text(getattr(self, kind))
        return files

    def _mnemonics_like(self, pattern: re.Pattern[str]) -> dict[str, int]:
        return {
            name: count for name, count in sorted(self.mnemonics.items()) if pattern.fullmatch(name.partition(".")[0])
        }

    def _reported(self, pattern: str, *, otherwise: int | None = None) -> int:
        match = re.search(pattern, self.ptxas)
        if match is not None:
            return int(match[1])
        if otherwise is None:
            raise ValueError(f"the ptxas report has nothing that matches {pattern!r}:\n{self.ptxas}")
        return otherwise
