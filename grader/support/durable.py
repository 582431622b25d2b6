"""Files that are there completely or not at all, whenever the machine or the program stops."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cusimt.support.locks import names, open_locked

PRIVATE, PUBLIC = 0o600, 0o644


def write_atomically(path: Path, content: str | bytes, mode: int = PRIVATE) -> None:
    """Replace a file atomically: a reader sees the old content or the new.

    Text is written in UTF-8, its line ends as they are. Folders that are missing are made, private ones for a
    private file. Raises OSError; then the earlier file is there.
    """
    with _written_beside(path, content, mode) as written:
        os.rename(written, path)  # noqa: PTH104  (beside os.link, and as atomic)
        sync_folder(path.parent)


def publish(path: Path, content: str | bytes, mode: int = PRIVATE) -> bool:
    """Write a file unless there is one; False where there is. Of several writers at once, one wins."""
    with _written_beside(path, content, mode, named=False) as written:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.link(written, path, src_dir_fd=folder)  # with a descriptor, links in /proc are followed
        except FileExistsError:
            return False
        finally:
            os.close(folder)
        sync_folder(path.parent)
    return True


def make_private(folder: Path) -> None:
    """Make `folder`, and what is missing above it, for this user alone; what is there stays as it is."""
    for each in reversed([each for each in (folder, *folder.parents) if not each.is_dir()]):
        each.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make what was created, renamed or removed in `folder` survive a power cut.

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
def _written_beside(path: Path, content: str | bytes, mode: int, named: bool = True) -> Iterator[Path]:
    """A synced draft in the same folder, unreadable to others until it has its `mode`.

    Its name follows from the file's, and its writer holds a lock on it: what a killed one left is replaced by
    the next. Unless it is to be `named`, it has no name where the file system allows that.
    """
    if mode == PRIVATE:
        make_private(path.parent)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
    draft, handle = _draft(path) if named else _nameless(path)
    try:
        with os.fdopen(os.dup(handle), "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        if mode != PRIVATE:  # which a draft has anyway
            os.fchmod(handle, mode)
        os.fsync(handle)
        yield draft
    finally:
        if draft.parent == path.parent and names(draft, handle):
            draft.unlink(missing_ok=True)
        os.close(handle)


def _nameless(path: Path) -> tuple[Path, int]:
    """An unnamed file in the folder of `path`, which disappears with its process; else a draft."""
    with contextlib.suppress(OSError, AttributeError):  # not every file system, nor system, has them
        handle = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, PRIVATE)
        return Path(f"/proc/self/fd/{handle}"), handle
    return _draft(path)


def _draft(path: Path) -> tuple[Path, int]:
    """An empty file beside `path` that is this process's own, and its descriptor."""
    draft = path.with_name(f".{path.name}.draft")
    while True:
        try:
            handle = open_locked(draft, os.O_NOFOLLOW, PRIVATE)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                raise
            other, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # no locks here
            return Path(name), other
        about = os.fstat(handle)
        if about.st_size == 0 and about.st_nlink == 1 and about.st_mode & 0o777 == PRIVATE:
            return draft, handle
        draft.unlink()  # its writer was killed, perhaps after giving it its final name as well
        os.close(handle)
