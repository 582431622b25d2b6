"""Read what a build left behind as untrusted files.

Such a program can leave a link to somebody's private file instead of its log, or a pipe that nobody
writes to.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

_MOST_TEXT = 16 * 2**20


def content(path: Path, most: int) -> bytes:
    """Up to `most` bytes of a regular file; raises OSError for anything else, links included."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path.name} is no regular file")
        return stream.read(most)


def text(path: Path) -> str:
    """What is in a file that may not be there, or not be text."""
    try:
        return content(path, _MOST_TEXT).decode("utf-8", "replace")
    except OSError:
        return ""


def used(folders: Iterable[Path]) -> tuple[int, int]:
    """Bytes on disk and number of files below `folders`, which may be changing."""
    nbytes = files = 0
    pending = list(map(str, folders))
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    files += 1
                    nbytes += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError:
            continue  # gone meanwhile
    return nbytes, files
