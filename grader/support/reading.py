"""Read files: a text that has to be there, and files below an untrusted folder, without ever leaving it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path, PurePosixPath

from cusimt.support.words import reason
from grader.support.errors import ExplainedError, InfrastructureError

KIB, MIB = 1 << 10, 1 << 20

# What a name itself can be the reason of. Whatever else goes wrong is the matter of the machine or its disk.
_AT_FAULT = (errno.ELOOP, errno.ENOTDIR, errno.ENXIO)


class Refused(Exception):
    """Why a file is not taken, as the end of a sentence that begins with its name: ``is a link``."""


def read_text(path: Path, refusal: type[ExplainedError], rule: str, advice: str = "") -> str:
    """The UTF-8 text of ``path``. Raises ``refusal`` with the reason, ``rule`` and ``advice``."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise refusal(f"{path} cannot be read: {reason(problem)}.", rule, advice) from problem


def read_below(folder: Path, name: str, limit: int) -> bytes:
    """The content of the regular file ``name`` (relative, ``/`` between its parts) below ``folder``.

    Every part is opened from the descriptor of the one before, so that no link is followed, also when
    one is replaced meanwhile.

    Raises:
        FileNotFoundError: there is no such file.
        Refused: a part is a link, the file is not a regular one, or it is longer than ``limit`` bytes.
        InfrastructureError: this machine cannot read it, which says nothing about what was handed in.
    """
    *folders, last = PurePosixPath(name).parts
    opened: list[int] = []
    try:
        opened.append(_open(str(folder), os.O_DIRECTORY))
        for part in folders:
            opened.append(_open(part, os.O_DIRECTORY, opened[-1]))
        # A pipe would keep an opener waiting for a writer, for ever.
        opened.append(_open(last, os.O_NONBLOCK, opened[-1]))
        return _content(opened[-1], limit)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unreadable(folder / name, error) from error
    finally:
        for descriptor in reversed(opened):
            os.close(descriptor)


def unreadable(path: Path, error: OSError) -> InfrastructureError:
    """What to raise where this machine cannot read ``path``, which somebody may well have handed in."""
    return InfrastructureError(
        f"{path} cannot be read: {error.strerror or error}.",
        "An unreadable file does not count as missing.",
        "Make it readable for yourself and see that the disk is well, then run the same command again.",
    )


def _open(name: str, flags: int, within: int | None = None) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=within)
    except FileNotFoundError:
        raise
    except OSError as error:
        mode = _mode(name, within)
        if stat.S_ISLNK(mode):
            raise Refused("is a link or is behind one") from error
        if mode and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise Refused("is not a regular file") from error
        if error.errno in _AT_FAULT:
            raise Refused(f"cannot be read ({error.strerror})") from error
        raise


def _mode(name: str, within: int | None) -> int:
    try:
        return os.stat(name, dir_fd=within, follow_symlinks=False).st_mode
    except OSError:
        return 0


def _content(descriptor: int, limit: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise Refused("is not a regular file")
    if status.st_nlink > 1:  # its other name may be a file that only this process may read
        raise Refused("is a hard link: copy the file itself")
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise Refused(f"is longer than {in_words(limit)}")
    return content


def in_words(size: int) -> str:
    """``size`` bytes as a reader would say it."""
    if size < KIB:
        return f"{size} bytes"
    return f"{size / KIB:.0f} KiB" if size < MIB else f"{size / MIB:.1f} MiB"
