"""Waiting for what other processes do: until it is so, and not for a time in which it probably is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 300.0  # seconds until something is given up that a loaded machine may take long for


def waited(is_so: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Whether it is so within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def wait_for(file: Path) -> None:
    """Until another process has made the file."""
    assert waited(file.exists), f"{file} did not appear"


def has_ended(pid: int, seconds: float = PATIENCE) -> bool:
    """Whether the process has ended, a zombie too, or does within ``seconds``: killing takes a moment."""
    return waited(lambda: _is_over(pid), seconds)


def _is_over(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:  # it is not there any more, or goes while it is read
        return True
