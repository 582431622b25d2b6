"""Locks between processes that die with their holder: no kill can leave one behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def hold(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the exclusive lock that `path` names; the file is there for as long as somebody holds it.

    Not reentrant: a second `hold` of one path in one process waits forever. With `wait=False` a lock that
    somebody holds raises BlockingIOError.
    """
    mode = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, mode)
        except BaseException:
            os.close(descriptor)
            raise
        if _names(path, descriptor):
            break
        os.close(descriptor)  # the holder before removed the file: what is locked here has no name any more
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _names(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
