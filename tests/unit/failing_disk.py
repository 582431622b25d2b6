"""A disk that fails: root, whom tests run as in containers, is refused nothing by a file's mode."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def fail_to_open(monkeypatch: pytest.MonkeyPatch, name: str, number: int, below: str = "") -> None:
    """Let ``os.open`` of ``name`` fail in folders that are open and whose path has ``below`` in it."""
    opening = os.open

    def failing(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == name and dir_fd is not None and below in str(Path(f"/proc/self/fd/{dir_fd}").readlink()):
            raise OSError(number, os.strerror(number), path)
        return opening(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", failing)
