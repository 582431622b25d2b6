"""One line of a doctor's report: `cusimt doctor`, `grader doctor`."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Literal

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
        """Where to read on; "" if no entry describes this."""
        return f"docs/reference/errors.md#{self.error}" if self.error else ""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Runs a short program and keeps what it prints."""
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
