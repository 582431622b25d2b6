"""One line of a doctor's report: `cusimt doctor`, `grader doctor`."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cusimt.folders import IMPORT_FOLDER

_PAGE = "docs/reference/errors.md"
State = Literal["ok", "optional", "warning", "problem"]


@dataclass(frozen=True)
class Line:
    """What a probe found.

    `optional`: everything works without it. `warning`: other builds fail or hang. `problem`: what the
    doctor was asked about fails. `fix` is the way out; `error` names the entry of
    docs/reference/errors.md that explains what the reader would see.
    """

    state: State
    name: str
    found: str
    fix: str = ""
    error: str = ""

    @property
    def read(self) -> str:
        """Where to read on; "" if no entry describes this, or where the simulator is without the course."""
        is_there = any((folder / _PAGE).is_file() for folder in (Path.cwd(), IMPORT_FOLDER))
        return f"{_PAGE}#{self.error}" if self.error and is_there else ""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Runs a short program and keeps what it prints."""
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
