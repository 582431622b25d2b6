"""What an entry of the cache was published with, and who uses it.

A manifest lists the files of an entry with their sizes, times and digests. Who uses the entry holds a shared
lock on it for as long as the process lives, or until it has used many others.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path

__all__ = ["let_go"]

MANIFEST = "manifest.json"
_CHUNK = 1 << 20
_READ_BYTES = 2 << 20  # files up to this size are read when they are used: a disk may damage what it holds
_MOST_USES = 64
_uses: deque[int] = deque()  # the entries that this process used last, as descriptors of their manifests


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content."""
    state = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()


def write(folder: Path) -> None:
    """Describe the files in `folder`, which are then as they are to stay."""
    files: dict[str, dict[str, int | str]] = {}
    total = 0
    for file in sorted(f for f in folder.rglob("*") if f.is_file()):
        status = file.stat()
        total += status.st_size
        files[file.relative_to(folder).as_posix()] = {
            "size": status.st_size,
            "mtime_ns": status.st_mtime_ns,
            "sha256": file_digest(file),
        }
    with (folder / MANIFEST).open("w") as stream:
        json.dump({"files": files, "bytes": total}, stream)
        stream.flush()
        os.fsync(stream.fileno())


def fault(path: Path) -> str:
    """Why an entry cannot be used: empty when it is what was published, "absent" when there is none."""
    try:
        files = json.loads((path / MANIFEST).read_text())["files"]
        damaged = [name for name, recorded in files.items() if not _unchanged(path / name, recorded)]
    except (FileNotFoundError, NotADirectoryError):
        return "a file is missing" if path.exists() else "absent"
    except (ValueError, KeyError, TypeError, AttributeError):
        return "its manifest is unreadable"
    return f"{', '.join(damaged)} changed since" if damaged else ""


def _unchanged(file: Path, recorded: dict[str, object]) -> bool:
    """By size and content; that of a large file is read only if its time differs, as in a copied cache."""
    status = file.stat()
    if status.st_size != recorded["size"]:
        return False
    same_time = status.st_mtime_ns == recorded["mtime_ns"]
    return (same_time and status.st_size > _READ_BYTES) or file_digest(file) == recorded["sha256"]


def use(path: Path) -> None:
    """Note that this process uses an entry, and when."""
    manifest = path / MANIFEST
    with contextlib.suppress(OSError):  # a read-only cache forgets who was used last, and never evicts either
        os.utime(manifest)
    with contextlib.suppress(OSError):
        descriptor = os.open(manifest, os.O_RDONLY | os.O_CLOEXEC)
        _uses.append(descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    while len(_uses) > _MOST_USES:
        os.close(_uses.popleft())


@contextlib.contextmanager
def unused(path: Path) -> Iterator[None]:
    """Raises BlockingIOError where a process uses the entry."""
    descriptor = os.open(path / MANIFEST, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def let_go() -> None:
    """Forget what this process used: from now on others may evict it."""
    while _uses:
        os.close(_uses.popleft())
