"""Temporary folders that go with their process, however that ends.

A folder is locked while it is in use, with a lock that ends with its holder. The next process that needs one
in the same place removes the unlocked ones.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["PREFIX", "scratch", "sweep"]

PREFIX = "cusimt-scratch-"
_WITHOUT_LOCKS = (errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP)  # what NFS says of a folder
_swept: set[Path] = set()


@contextlib.contextmanager
def scratch(kind: str, within: Path | None = None) -> Iterator[Path]:
    """A private folder in `within`, or where temporary files are kept, which is gone afterwards."""
    place = _place(within)
    if place not in _swept:
        _swept.add(place)
        sweep(place)
    folder, descriptor = _made(f"{PREFIX}{kind}-", place)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def sweep(within: Path | None = None) -> None:
    """Remove this user's folders there, or among temporary files, that no process has locked any more."""
    for folder in _place(within).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid():
                descriptor = _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                os.close(descriptor)


def _place(within: Path | None) -> Path:
    return Path(within or tempfile.gettempdir())


def _made(prefix: str, place: Path) -> tuple[Path, int | None]:
    """A new folder and the descriptor that locks it; None on a file system that locks no folders."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        try:
            descriptor = _locked(folder, fcntl.LOCK_EX)
            if folder.exists():
                return folder, descriptor
            os.close(descriptor)
        except FileNotFoundError:  # swept before it was locked
            continue
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                raise
            return folder, None


def _locked(folder: Path, operation: int) -> int:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, operation)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
