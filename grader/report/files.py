"""Renderings that go into a file."""

from __future__ import annotations

from pathlib import Path

from grader.support.errors import UsageError


def require_folder(path: Path) -> None:
    """Refuse a place that nothing can be written to, before anybody waits for what goes there.

    Raises UsageError.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise _unwritable(path, "it is a folder" if path.is_dir() else f"{path.parent} is no folder")


def write_report(path: Path, text: str) -> None:
    """Write a rendering; raises UsageError where it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error.strerror or "the system refuses") from None


def _unwritable(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path} cannot be written: {why}.",
        "A report goes into a file whose folder exists.",
        f"Choose another place, for example: {path.name or 'verdict.html'}",
    )
