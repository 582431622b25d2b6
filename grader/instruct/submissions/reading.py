"""Opens files below a folder that somebody else filled, without ever leaving it."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from grader.instruct.submissions.limits import in_words


class Refused(Exception):
    """Why a file is not taken, as the end of a sentence that begins with its name: ``is a link``."""


def read_below(folder: Path, name: str, limit: int) -> bytes:
    """The content of the regular file ``name`` (relative, ``/`` between its parts) below ``folder``.

    Every part is opened from the descriptor of the one before, so that no link is followed, also when
    somebody exchanges one meanwhile.

    Raises:
        FileNotFoundError: there is no such file.
        Refused: a part is a link, the file is not a regular one, or it is longer than ``limit`` bytes.
    """
    *folders, last = PurePosixPath(name).parts
    opened = [_open(str(folder), os.O_DIRECTORY)]
    try:
        for part in folders:
            opened.append(_open(part, os.O_DIRECTORY, opened[-1]))
        # A pipe would keep an opener waiting for a writer, for ever.
        opened.append(_open(last, os.O_NONBLOCK, opened[-1]))
        return _content(opened[-1], limit)
    finally:
        for descriptor in reversed(opened):
            os.close(descriptor)


def _open(name: str, flags: int, within: int | None = None) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=within)
    except FileNotFoundError:
        raise
    except OSError as error:
        if stat.S_ISLNK(_mode(name, within)):
            raise Refused("is a link or lies behind one") from error
        raise Refused(f"cannot be read ({error.strerror})") from error


def _mode(name: str, within: int | None) -> int:
    try:
        return os.stat(name, dir_fd=within, follow_symlinks=False).st_mode
    except OSError:
        return 0


def _content(descriptor: int, limit: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise Refused("is not a regular file")
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise Refused(f"is longer than {in_words(limit)}")
    return content
