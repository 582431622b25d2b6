"""Files that are there completely or not at all, whenever the machine or the program stops."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

PRIVATE, PUBLIC = 0o600, 0o644


def write_atomically(path: Path, content: str | bytes, mode: int = PRIVATE) -> None:
    """Write a file in the place of what is there; a reader sees the one or the other.

    Text is written in UTF-8, its line ends as they are. Folders that are missing are made, private ones for a
    private file. Raises OSError; then the earlier file is there.
    """
    with _written_beside(path, content, mode) as written:
        os.rename(written, path)  # noqa: PTH104  (beside os.link, and as atomic)
        sync_folder(path.parent)


def publish(path: Path, content: str | bytes, mode: int = PRIVATE) -> bool:
    """Write a file unless there is one; False where there is. Of several writers at once, one wins."""
    with _written_beside(path, content, mode) as written:
        try:
            os.link(written, path)
        except FileExistsError:
            return False
        sync_folder(path.parent)
    return True


def make_private(folder: Path) -> None:
    """Make ``folder``, and what is missing above it, for this user alone; what is there stays as it is."""
    for each in reversed([each for each in (folder, *folder.parents) if not each.is_dir()]):
        each.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make what was created, renamed or removed in ``folder`` survive a power cut.

    Some file systems, mounted drives of a cloud among them, cannot do that for a folder.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _written_beside(path: Path, content: str | bytes, mode: int) -> Iterator[Path]:
    """A synced temporary file in the same folder, which nobody else can read before it has its ``mode``."""
    if mode == PRIVATE:
        make_private(path.parent)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    written = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            if mode != PRIVATE:  # which a temporary file has anyway
                os.fchmod(handle, mode)
            os.fsync(handle)
        yield written
    finally:
        written.unlink(missing_ok=True)
