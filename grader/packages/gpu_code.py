"""The GPU architectures that a built library contains code for, as cuobjdump lists them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from cusimt.compiler import toolkit
from cusimt.support.toolchain import cuda_toolkit
from grader.support.backends import Backend

_SECONDS = 60
_LISTED = re.compile(r"^(ELF|PTX) file\s+\d+:.*\.sm_(\d+[a-z]?)\.(?:cubin|ptx)$", re.MULTILINE)


def gpu_code(library: Path, backend: Backend) -> frozenset[str] | None:
    """`sm_80` for machine code and `compute_90` for PTX; None where there is no cuobjdump.

    The simulated toolkit has one too: it lists what its nvcc was asked to compile for.
    """
    program = _cuobjdump(backend)
    if program is None:
        return None
    found = set()
    for option in ("--list-elf", "--list-ptx"):
        command = [str(program), option, str(library)]
        listed = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False).stdout
        for kind, number in _LISTED.findall(listed):
            found.add(f"sm_{number}" if kind == "ELF" else f"compute_{number}")
    return frozenset(found)


def _cuobjdump(backend: Backend) -> Path | None:
    if backend == "simt":
        return toolkit.cuda_home(checked=True) / "bin/cuobjdump"
    beside = cuda_toolkit().nvcc.with_name("cuobjdump")
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("cuobjdump")
    return Path(found) if found else None
