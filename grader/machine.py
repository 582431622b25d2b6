"""What the system refuses for want of something, a full disk first of all: a fault of this machine."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from grader.errors import InfrastructureError

_ROOM_BYTES = 64 << 20  # that a disk which is not full takes
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_REASONS = {
    **dict.fromkeys(_FULL, ("has no room left", "Make room there")),
    errno.EROFS: ("cannot be written: its file system is read-only", "Make it writable"),
    errno.EIO: ("cannot be read or written: its disk fails", "See to the disk"),
    errno.EMFILE: ("cannot be opened: too many files are open", "Raise the limit (ulimit -n)"),
    errno.ENFILE: ("cannot be opened: too many files are open on this machine", "End other programs"),
    errno.ENOMEM: ("cannot be used: there is no memory left", "End other programs"),
    errno.EAGAIN: ("cannot be used: there are too many processes", "End other programs"),
}


def fault_of(error: OSError) -> InfrastructureError | None:
    """The sentences for an error that only this machine can be blamed for; None for any other."""
    if error.errno not in _REASONS:
        return None
    what, cure = _REASONS[error.errno]
    return InfrastructureError(
        f"{error.filename or tempfile.gettempdir()} {what}.",
        "Nothing counts against the submission, and what was kept before is as it was.",
        f"{cure}, then run the same command again.",
    )


def full(folders: Iterable[Path]) -> InfrastructureError | None:
    """The sentences for the first of ``folders`` whose disk is full; None where there is room in all.

    Asked after a program said so: what it prints may be a submission's own words.
    """
    for folder in folders:
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                os.posix_fallocate(file.fileno(), 0, _ROOM_BYTES)
        except OSError as error:
            if error.errno in _REASONS:
                return fault_of(OSError(error.errno, error.strerror, str(folder)))
    return None
