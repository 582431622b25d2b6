"""Renderings that go into a file."""

from __future__ import annotations

from pathlib import Path

from cusimt.support.renderings import unwritable, write_rendering

KIND = "report"


def require_folder(path: Path, kind: str = KIND) -> None:
    """Refuse a place that nothing can be written to, before anybody waits for what goes there.

    Raises UsageError.
    """
    if path.is_dir() or not path.parent.is_dir():
        why = "it is a folder" if path.is_dir() else f"{path.parent} is no folder"
        raise unwritable(path, why, kind)


def write_report(path: Path, text: str) -> None:
    """Write a rendering; raises UsageError where it cannot be written."""
    write_rendering(path, text, KIND)
