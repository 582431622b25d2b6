"""Untrusted archives and folders: their listed contents, and one file at a time.

Nothing is ever unpacked to a path that an archive names. An entry is looked at, and read into memory up to a
limit; where it is written to is decided elsewhere, from names of our own.
"""

from __future__ import annotations

import contextlib
import errno
import lzma
import os
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePosixPath
from typing import Protocol

from cusimt.support.words import reason
from grader.instruct.submissions import timestamps
from grader.support.errors import UsageError
from grader.support.reading import KIB, Refused, in_words, read_below, unreadable

MOST_ENTRIES = 200_000
MOST_COMPRESSED = 200  # times smaller than its content; source text comes to ten, zlib's end is a thousand
_SMALL = 64 * KIB  # below this size a ratio says nothing
_ENCRYPTED = 1  # bit 0 of an entry's flags
# What zipfile raises of bytes that are no archive, besides OSError: ValueError of names that are not UTF-8,
# OverflowError of offsets, NotImplementedError (a RuntimeError) of later versions and other methods.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A file in an archive. ``path`` has ``/`` between its parts; ``refusal`` says why it is not to be read.

    ``modified`` is what the archive says, aware.
    """

    name: str
    path: PurePosixPath
    modified: datetime | None
    refusal: str = ""


class Source(Protocol):
    """An archive or a folder."""

    entries: tuple[Entry, ...]

    def read(self, entry: Entry, limit: int) -> bytes:
        """The content of ``entry``. Raises Refused, also for more than ``limit`` bytes.

        Raises InfrastructureError where this machine cannot read it.
        """


@contextlib.contextmanager
def opened(archive: Path, zone: tzinfo | None = None) -> Iterator[Source]:
    """The zip file or the folder ``archive``, to be read. Raises UsageError where it is neither.

    Times in a zip file are local ones without a zone: of ``zone``, or of this machine.
    """
    if archive.is_dir():
        yield FolderSource(archive)
        return
    try:
        file = zipfile.ZipFile(archive)
    except (OSError, *_DAMAGED) as problem:
        raise UsageError(
            f"{archive} cannot be opened: {reason(problem)}.",
            "Submissions come as the zip file that the LMS made, or as a folder.",
            "Download it again, or unpack it yourself and name the folder.",
        ) from problem
    with file:
        yield ZipSource(archive, file, zone)


class ZipSource:
    def __init__(self, archive: Path, file: zipfile.ZipFile, zone: tzinfo | None) -> None:
        # Not is_dir(), which a file without a name makes raise an IndexError.
        infos = [info for info in file.infolist() if not info.filename.endswith("/")]
        if len(infos) > MOST_ENTRIES:
            raise UsageError(
                f"{archive} holds {len(infos)} files.",
                f"At most {MOST_ENTRIES} are looked at: no class hands in more.",
                "See what is in it: unzip -l ARCHIVE",
            )
        self._archive, self._file = archive, file
        self._infos = {info.filename: info for info in infos}
        times = Counter(info.filename for info in infos)
        entries = []
        for info in infos:
            twice = "is in the archive twice under one name" if times[info.filename] > 1 else ""
            refusal = _suspicion(info) or twice
            modified = _moment(info.date_time, zone)
            entries.append(Entry(info.filename, _path(info.filename), modified, refusal))
        self.entries = tuple(entries)

    def read(self, entry: Entry, limit: int) -> bytes:
        _insist(entry)
        info = self._infos[entry.name]
        if info.file_size > limit:
            raise Refused(f"is longer than {in_words(limit)}")
        try:
            with self._file.open(info) as stream:
                content = stream.read(limit + 1)
                # The stream ends where the archive's directory says; only then is the checksum compared.
                stream.read(1)
        except (OSError, *_DAMAGED) as why:
            # bz2 tells damage by an OSError without a number; an offset before the file begins is EINVAL.
            if isinstance(why, OSError) and why.errno not in (None, errno.EINVAL):
                raise unreadable(self._archive, why) from why
            raise Refused("is damaged, or not what the archive says of it") from why
        if len(content) != info.file_size:
            raise Refused("is not as long as the archive says")
        return content


class FolderSource:
    """Raises InfrastructureError where a folder cannot be listed: what lies in it would be lost unseen."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        try:
            self.entries = tuple(self._walk())
        except OSError as error:
            raise unreadable(Path(error.filename or self._folder), error) from error

    def read(self, entry: Entry, limit: int) -> bytes:
        _insist(entry)
        try:
            return read_below(self._folder, entry.name, limit)
        except FileNotFoundError as why:
            raise Refused("is gone") from why

    def _walk(self) -> Iterator[Entry]:
        for parent, folders, files in os.walk(self._folder, onerror=_raise):
            folders.sort()
            for name in sorted(files + [name for name in folders if (Path(parent) / name).is_symlink()]):
                path = Path(parent) / name
                shown = path.relative_to(self._folder).as_posix()
                status = path.lstat()
                modified = datetime.fromtimestamp(status.st_mtime, UTC)
                yield Entry(shown, PurePosixPath(shown), modified, _oddity(status.st_mode))


def _raise(error: OSError) -> None:
    raise error


def _insist(entry: Entry) -> None:
    if entry.refusal:
        raise Refused(entry.refusal)


def _path(name: str) -> PurePosixPath:
    """``name`` with the separators of Windows taken for what they mean there."""
    return PurePosixPath(name.replace("\\", "/"))


def _moment(stamp: tuple[int, int, int, int, int, int], zone: tzinfo | None) -> datetime | None:
    """A time in a zip file, which is none where it is wrong (month 0)."""
    try:
        return timestamps.aware(datetime(*stamp), zone)
    except ValueError:
        return None


def _suspicion(info: zipfile.ZipInfo) -> str:
    """Why this entry is not read, whatever it holds; or ""."""
    path = _path(info.filename)
    if path.is_absolute() or ".." in path.parts or any(":" in part for part in path.parts[:1]):
        return "has a name that leads out of its folder"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.file_size > _SMALL and info.file_size > MOST_COMPRESSED * max(info.compress_size, 1):
        times = info.file_size // max(info.compress_size, 1)
        return f"is compressed {times}-fold, as no source file is"
    return _oddity(info.external_attr >> 16)


def _oddity(mode: int) -> str:
    """What is odd about a file of this mode; archives made on Windows have none."""
    if stat.S_ISLNK(mode):
        return "is a link"
    return "" if not stat.S_IFMT(mode) or stat.S_ISREG(mode) else "is not a regular file"
