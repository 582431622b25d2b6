"""A release as a zip file, which learners download and update from.

The same release makes the same bytes.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

from cusimt.support.words import reason
from grader.instruct.workspace.manifest import MANIFEST, digest, read_manifest
from grader.instruct.workspace.release import Release
from grader.support.durable import PUBLIC, write_atomically
from grader.support.errors import UsageError

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip file can name
_LARGEST = 64 << 20  # bytes of all files together; the whole course has less than a tenth


def pack(release: Release, name: str) -> bytes:
    """A zip file whose single folder is ``name``."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted({**release.files, MANIFEST: release.manifest().to_json()}.items()):
            entry = zipfile.ZipInfo(f"{name}/{path}", _EPOCH)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def write_archive(release: Release, path: Path) -> None:
    """Writes the zip file ``path``, whose folder has its name. Another one in its place is a UsageError."""
    content = pack(release, path.stem)
    if path.exists() and path.read_bytes() != content:
        raise UsageError(
            f"{path} is there already, and it is another release.",
            "An archive that learners may have is not exchanged for another of the same name.",
            "Choose another name, or move the old one away.",
        )
    try:
        write_atomically(path, content, PUBLIC)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.", "", "Name a file in a folder that can be written."
        ) from error


def read_archive(path: Path) -> Release:
    """The release in the zip file ``path``. Raises UsageError unless it is exactly what its manifest says."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive)
    except (OSError, zipfile.BadZipFile, zlib.error, ValueError, KeyError, RuntimeError) as error:
        raise UsageError(
            f"{path} cannot be used: {reason(error)}.",
            "An update comes as the zip file that grader class release writes.",
            "Download it once more, and name the file: grader update NEW.zip",
        ) from error


def _read(archive: zipfile.ZipFile) -> Release:
    sizes = {entry.filename: entry.file_size for entry in archive.infolist() if not entry.is_dir()}
    if sum(sizes.values()) > _LARGEST:
        raise ValueError(f"it would unpack to {sum(sizes.values()) >> 20} MiB")
    manifests = [name for name in sizes if name.endswith(f"/{MANIFEST}")]
    if len(manifests) != 1:
        raise ValueError("it is no workspace")
    manifest = read_manifest(_content(archive, manifests[0]))
    top = manifests[0].removesuffix(MANIFEST)
    files = {path: _content(archive, top + path) for path in manifest.files}
    for path, content in files.items():
        if digest(content) != manifest.files[path]:
            raise ValueError(f"{path} is not what was packed")
    return Release(files, manifest.edit, manifest.exercises, manifest.grader)


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    """At most as much as all files may have together, whatever the archive's directory claims."""
    with archive.open(name) as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError(f"{name} unpacks to more than {_LARGEST >> 20} MiB")
    return content
