"""Reads a wheel: a zip archive with the files of a package and a folder of metadata.

https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

from __future__ import annotations

import email.parser
import zipfile
from dataclasses import dataclass
from email.message import Message
from pathlib import Path, PurePosixPath

from grader.support.errors import BuildFailed

MOST_BYTES = 256 * 2**20  # unpacked
_MOST_METADATA = 2**20


@dataclass(frozen=True)
class Wheel:
    """`members` are the paths of all files in it, in the archive's order; `metadata` is METADATA's header."""

    path: Path
    members: tuple[str, ...]
    metadata: Message

    @property
    def files(self) -> tuple[str, ...]:
        """What is installed beside the metadata."""
        return tuple(name for name in self.members if ".dist-info/" not in name)

    @property
    def libraries(self) -> tuple[str, ...]:
        return tuple(name for name in self.files if name.endswith(".so"))

    @property
    def name(self) -> str:
        return str(self.metadata.get("Name", ""))

    @property
    def version(self) -> str:
        return str(self.metadata.get("Version", ""))

    @property
    def platform(self) -> str:
        """The last of the tags in its file's name, such as linux_x86_64."""
        return self.path.stem.rpartition("-")[2]

    @property
    def requirements(self) -> tuple[str, ...]:
        return tuple(map(str, self.metadata.get_all("Requires-Dist", [])))


def read(path: Path) -> Wheel:
    """Read a wheel. Raises BuildFailed for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = tuple(info.filename for info in archive.infolist() if not info.is_dir())
            (inside,) = (name for name in members if name.endswith(".dist-info/METADATA"))
            if archive.getinfo(inside).file_size > _MOST_METADATA:
                raise ValueError(f"{inside} is larger than {_MOST_METADATA >> 20} MiB")
            metadata = archive.read(inside).decode("utf-8", "replace")
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise no_wheel(path, str(error)) from None
    return Wheel(path, members, email.parser.HeaderParser().parsestr(metadata))


def install(wheel: Wheel, folder: Path) -> None:
    """Unpack `wheel` into `folder`, which is created: for a wheel without scripts, all that pip does.

    Raises BuildFailed for a wheel that would write elsewhere, or that is absurdly large.
    """
    with zipfile.ZipFile(wheel.path) as archive:
        for info in archive.infolist():
            path = PurePosixPath(info.filename)
            if path.is_absolute() or ".." in path.parts:
                raise no_wheel(wheel.path, f"it holds {info.filename!r}, which is outside it")
        if sum(info.file_size for info in archive.infolist()) > MOST_BYTES:
            raise no_wheel(wheel.path, f"it unpacks to more than {MOST_BYTES >> 20} MiB")
        archive.extractall(folder)


def no_wheel(path: Path, why: str) -> BuildFailed:
    return BuildFailed(
        f"{path.name} cannot be installed: {why}.",
        "A wheel is a zip archive with a package and its METADATA.",
        "Build it with setuptools, as pyproject.toml says.",
    )
