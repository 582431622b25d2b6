"""Renderings that go into a file: pages, reports, profiles."""

from __future__ import annotations

from pathlib import Path

from cusimt.support.errors import UsageError

__all__ = ["unwritable", "write_rendering"]


def write_rendering(path: Path, text: str, kind: str) -> None:
    """Write `text` in UTF-8; `kind` is what it is, "report". Raises UsageError where it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error.strerror or "the system refuses", kind) from None


def unwritable(path: Path, why: str, kind: str) -> UsageError:
    """What to raise where nothing can be written to `path`, with another place that may do."""
    return UsageError(
        f"{path} cannot be written: {why}.",
        f"A {kind} goes into a file whose folder exists and can be written.",
        f"Choose another place, for example: {_another_place(path, kind)}",
    )


def _another_place(path: Path, kind: str) -> str:
    """In the folder, where `path` is one; else in the current folder, or if that is the folder: at home."""
    if path.is_dir():
        return str(path / f"{kind}.html")
    here = path.absolute().parent == Path.cwd()
    return f"~/{path.name}" if here else path.name
