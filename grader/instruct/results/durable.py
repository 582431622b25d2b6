"""Files that are there completely or not at all, whenever the machine or the program stops."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def publish(path: Path, text: str) -> bool:
    """Write a file unless there is one; False where there is. Of several writers at once, one wins."""
    with _written_beside(path, text) as written:
        try:
            os.link(written, path)
        except FileExistsError:
            return False
        sync_folder(path.parent)
    return True


def replace(path: Path, text: str) -> None:
    """Write a file in the place of what is there; a reader sees the one or the other."""
    with _written_beside(path, text) as written:
        os.rename(written, path)  # noqa: PTH104  (beside os.link, and as atomic)
        sync_folder(path.parent)


def make_private(folder: Path) -> None:
    """Make ``folder``, and what is missing above it, for this user alone; what is there stays as it is."""
    missing = [each for each in (folder, *folder.parents) if not each.is_dir()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make what was created, renamed or removed in ``folder`` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _written_beside(path: Path, text: str) -> Iterator[Path]:
    """A synced temporary file in the same folder; mode 0600, since verdicts are not everybody's business."""
    make_private(path.parent)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    written = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        yield written
    finally:
        written.unlink(missing_ok=True)
