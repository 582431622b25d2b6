"""Launch records of the runtime as values; the checked and the fast build record the same.

Memory traffic of a launch is counted by the checked build only: `cusimt.counters`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Dim3 = tuple[int, int, int]
"""x, y and z: the extent of a grid or block, or the index of a block or thread."""


@dataclass(frozen=True)
class Launch:
    """One launch: extents in blocks and threads, dynamic shared memory in bytes, modelled time."""

    kernel: str
    grid: Dim3
    block: Dim3
    shared_bytes: int
    stream: int
    device: int
    file: str
    line: int
    error: int  # a cudaError_t; 0 if it completed
    time_us: float
    module: str = ""  # the library that launched it
    checked: bool = False  # whether that library has the access checks
    blocks_run: int = 0  # fewer than `blocks` in a run that samples; 0 if it was refused

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def is_sampled(self) -> bool:
        return 0 < self.blocks_run < self.blocks

    @property
    def threads(self) -> int:
        return self.blocks * self.block[0] * self.block[1] * self.block[2]


def read_launches(lines: Iterable[str]) -> list[Launch]:
    """Launch records (JSON lines of `simt_take_launches`) as values. Raises ValueError on anything else."""
    return [launch_of(json.loads(line)) for line in lines if line.strip()]


def launch_of(record: Mapping[str, Any]) -> Launch:
    """One launch record. Raises ValueError on anything else."""
    try:
        return Launch(
            kernel=str(record["kernel"]),
            grid=_extent(record["grid"]),
            block=_extent(record["block"]),
            shared_bytes=int(record["shared"]),
            stream=int(record["stream"]),
            device=int(record["device"]),
            file=str(record["file"] or ""),
            line=int(record["line"]),
            error=int(record["error"]),
            time_us=float(record["time_us"]),
            module=str(record.get("module") or ""),
            checked=bool(record.get("checked")),
            blocks_run=int(record.get("blocks_run") or 0),
        )
    except (KeyError, TypeError) as wrong:
        raise ValueError(f"not a launch record: {record!r}") from wrong


def _extent(values: list[int]) -> Dim3:
    x, y, z = values
    return int(x), int(y), int(z)
