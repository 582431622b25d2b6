"""The linker's names of what the name expressions of a program denote."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections import defaultdict
from pathlib import Path

__all__ = ["lowered_names"]

_OF_SECTIONS = ("__start_", "__stop_")  # names of the linker for where a section begins and ends


def lowered_names(library: Path, count: int) -> list[str]:
    """The names in the order of the expressions, whose addresses the library keeps.

    `include/simt/module_kernels.h` says how.
    """
    if count == 0:
        return []
    os.environ.pop("CUSIMT_FINDINGS", None)  # this process runs no kernels
    symbols = _symbols(library)
    loaded = ctypes.CDLL(str(library))
    variables = [ctypes.c_void_p.in_dll(loaded, f"simt_named_{number}") for number in range(count)]
    by_address: defaultdict[int, list[str]] = defaultdict(list)
    for name, address in symbols.items():
        by_address[address].append(name)
    base = ctypes.addressof(variables[0]) - symbols["simt_named_0"]
    return [by_address[(variable.value or 0) - base][0] for variable in variables]


def _symbols(library: Path) -> dict[str, int]:
    """Offsets by name; names that other files see come first."""
    command = ["nm", "--defined-only", str(library)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = [line.split() for line in listed.splitlines()]
    named = (row for row in words if len(row) == 3 and not row[2].startswith(_OF_SECTIONS))
    rows = [(kind, name, int(offset, 16)) for offset, kind, name in named]
    rows.sort(key=lambda row: row[0].islower())
    return {name: offset for _, name, offset in rows}
