"""What the system refuses for want of something, a full disk first of all: a fault of this machine."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from grader.support.errors import InfrastructureError

_ROOM_BYTES = 64 << 20  # that a disk which is not full takes
_REASONS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), ("{place} has no room left.", "Make room there")),
    errno.EFBIG: (
        "{place} cannot take a file this large: a limit or its file system forbids it.",
        "Raise the limit (ulimit -f)",
    ),
    errno.EROFS: ("{place} cannot be written: its file system is read-only.", "Make it writable"),
    errno.EIO: ("{place} cannot be read or written: its disk fails.", "See to the disk"),
    errno.EMFILE: ("{place} cannot be opened: too many files are open.", "Raise the limit (ulimit -n)"),
    errno.ENFILE: (
        "{place} cannot be opened: too many files are open on this machine.",
        "End other programs",
    ),
    errno.ENOMEM: ("This machine has no memory left.", "End other programs"),
    errno.EAGAIN: (
        "This machine cannot start another process or thread: it has as many as it may have.",
        "End other programs, or raise the limit (ulimit -u)",
    ),
}


def fault_of(error: OSError) -> InfrastructureError | None:
    """The sentences for an error that only this machine can be blamed for; None for any other.

    What already has its name, a file, is not short of processes: there the system means that it is in use.
    """
    if error.errno not in _REASONS or (error.errno == errno.EAGAIN and error.filename is not None):
        return None
    what, cure = _REASONS[error.errno]
    return InfrastructureError(
        what.format(place=error.filename or tempfile.gettempdir()),
        "This machine is at fault: no submission loses points, and what was kept before is as it was.",
        f"{cure}, then run the same command again.",
    )


def cure_of(error: OSError) -> str:
    """What helps against an error of writing a file, as the beginning of a sentence."""
    return _REASONS[error.errno][1] if error.errno in _REASONS else "Change the permissions of its folder"


def full(folders: Iterable[Path]) -> InfrastructureError | None:
    """The sentences for the first of `folders` whose disk is full; None where there is room in all.

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
