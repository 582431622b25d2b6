"""A release as a zip file, which learners download and update from.

The same release makes the same bytes.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from cusimt.support.words import reason
from grader.handout.manifest import MANIFEST, Release, digest, read_manifest
from grader.support.errors import UsageError
from grader.support.zip_files import packed

_LARGEST = 64 << 20  # bytes of all files together; the whole course has less than a tenth


def pack(release: Release, name: str) -> bytes:
    """A zip file whose single folder is ``name``."""
    files = {**release.files, MANIFEST: release.manifest().to_json()}
    return packed({f"{name}/{path}": content for path, content in files.items()})


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
