"""Locks between processes that die with their holder: no kill can leave one behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["hold", "names", "open_locked"]


@contextlib.contextmanager
def hold(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the exclusive lock that `path` names; the file exists while the lock is held.

    Not reentrant: a second `hold` of one path in one process waits forever. With `wait=False` a lock that
    another process holds raises BlockingIOError.
    """
    descriptor = open_locked(path, wait=wait)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(descriptor)


def open_locked(path: Path, flags: int = 0, mode: int = 0o666, *, wait: bool = True) -> int:
    """A descriptor of the file that `path` names, made where there is none, with its exclusive lock.

    `flags` and `mode` are those of `os.open`. The previous holder may have removed or replaced the
    file; what is locked is still named `path`. With `wait=False` a held lock raises
    BlockingIOError.
    """
    operation = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | flags, mode)
        try:
            fcntl.flock(descriptor, operation)
            if names(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def names(path: Path, descriptor: int) -> bool:
    """Whether `path` is still a name of the file that `descriptor` has open."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
