"""Folders addressed by what went into them, safe under concurrency, kills and damaged disks.

    with cache.entry(["pch", compiler, *flags], room="pch") as slot:
        if slot.missing:
            compile_into(slot.folder)          # a temporary folder beside the final one
    use(slot.path)                             # published by one atomic rename

Layout below `cache_root()`: `ROOM/DIGEST/` with files and `manifest.json`, `ROOM/DIGEST.PID.building/`
while a process fills it, `locks/ROOM-DIGEST` meanwhile, `cache.log`. A hit waits for no lock and writes only
a time stamp, so a read-only cache serves everything it already holds. Locks are flock(2) locks: they die
with their process. What a killed one left half built is removed by the next that builds anything. Who uses an
entry shares a lock on its manifest, so that none is evicted from under it, whatever the clock says.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cusimt.support.errors import InfrastructureError
from cusimt.support.locks import hold
from cusimt.support.manifest import MANIFEST as MANIFEST
from cusimt.support.manifest import fault, unused, use, write
from cusimt.support.manifest import file_digest as file_digest

__all__ = ["Slot", "cache_root", "digest", "entry", "file_digest", "holds", "is_recent", "tree_digest"]

DEFAULT_LIMIT = 6 << 30  # bytes; CUSIMT_CACHE_LIMIT overrides
IN_USE_SECONDS = 3600.0  # an entry used this recently is never evicted: a process may be about to load it
TRIM_INTERVAL_SECONDS = 60.0
_swept: set[Path] = set()  # the caches in which this process looked for what killed ones left


def cache_root() -> Path:
    """The cache folder: $CUSIMT_CACHE, else $XDG_CACHE_HOME/cusimt, else ~/.cache/cusimt."""
    if chosen := os.environ.get("CUSIMT_CACHE"):
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "cusimt"


def digest(parts: Iterable[object]) -> str:
    """A name for a sequence of strings, numbers and paths, in which the boundaries count."""
    text = json.dumps([str(part) for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def tree_digest(folder: Path, suffixes: Iterable[str] = ()) -> str:
    """One digest of the names and contents of the files below `folder` (that end in one of `suffixes`)."""
    wanted = tuple(suffixes)
    files = sorted(f for f in folder.rglob("*") if f.is_file() and (not wanted or f.suffix in wanted))
    return digest(part for f in files for part in (f.relative_to(folder).as_posix(), file_digest(f)))


@dataclass
class Slot:
    """What `entry` yields: the final folder is `path`; when `missing`, fill `folder`, which becomes it."""

    path: Path
    folder: Path
    missing: bool
    discarded: bool = False

    def discard(self) -> None:
        """Do not publish what is in `folder`: there will be no entry when the `with` block ends."""
        self.discarded = True


@contextlib.contextmanager
def entry(parts: Iterable[object], *, room: str = "builds") -> Iterator[Slot]:
    """The folder that belongs to `parts`; the caller fills it when missing, and an exception leaves no trace.

    Raises InfrastructureError when the entry is missing and the cache cannot be written.
    """
    path = place(parts, room=room)
    name = path.name
    if not fault(path):
        use(path)
        yield Slot(path, path, missing=False)
        return
    _require_writable(path.parent)
    _sweep(cache_root())
    with _lock(f"{room}-{name}"):
        found = fault(path)
        if not found:  # another process finished it while this one waited
            use(path)
            yield Slot(path, path, missing=False)
            return
        if found != "absent":
            note(f"{room}/{name} is built again: {found}.")
        _clear_remains(path)
        building = path.with_name(f"{name}.{os.getpid()}.building")
        building.mkdir()
        try:
            slot = Slot(path, building, missing=True)
            yield slot
            if not slot.discarded:
                write(building)
                building.rename(path)
                use(path)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    _trim_sometimes()


def place(parts: Iterable[object], *, room: str = "builds") -> Path:
    """Where the folder that belongs to `parts` is, or will be."""
    return cache_root() / room / digest(parts)


def holds(parts: Iterable[object], *, room: str = "builds") -> bool:
    """Whether `entry` would find the folder that belongs to `parts`."""
    return not fault(place(parts, room=room))


def trim(limit: int | None = None, *, idle: float = IN_USE_SECONDS) -> list[Path]:
    """Evict the least recently used entries until the cache holds at most `limit` bytes; returns what went.

    Entries used less than `idle` seconds ago stay, and so do those that a process uses, even when that leaves
    the cache above its limit.
    """
    limit = _limit() if limit is None else limit
    now = time.time()
    held = sorted(_published(), key=lambda item: item[1])
    total = sum(size for _, _, size in held)
    evicted: list[Path] = []
    for path, used, size in held:
        if total <= limit or now - used < idle:
            break
        with (
            contextlib.suppress(OSError),
            _lock(f"{path.parent.name}-{path.name}", wait=False),
            unused(path),
        ):
            _remove(path)
            evicted.append(path)
            total -= size
    return evicted


def note(sentence: str) -> None:
    """Append one line to the cache's log. A log that cannot be written is not worth an error."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    with contextlib.suppress(OSError), (cache_root() / "cache.log").open("a") as log:
        log.write(f"{stamp} {sentence}\n")


def is_recent(file: Path, seconds: float) -> bool:
    """Whether it was written within the last `seconds`; not if that lies ahead, after a clock was set back.

    Raises OSError.
    """
    return 0 <= time.time() - file.stat().st_mtime < seconds


# ---- writing -------------------------------------------------------------------------------------------


def _published() -> Iterator[tuple[Path, float, int]]:
    """(folder, last use, bytes) of every entry."""
    for manifest in cache_root().glob(f"*/*/{MANIFEST}"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            yield manifest.parent, manifest.stat().st_mtime, int(json.loads(manifest.read_text())["bytes"])


def _require_writable(room: Path) -> None:
    try:
        room.mkdir(parents=True, exist_ok=True)
        (cache_root() / "locks").mkdir(exist_ok=True)
        usable = os.access(room, os.W_OK) and os.access(cache_root() / "locks", os.W_OK)
    except OSError:
        usable = False
    if not usable:
        raise InfrastructureError(
            f"The cache folder {cache_root()} cannot be written.",
            "Builds are kept there, and the one needed now is not in it yet.",
            "Make it writable, or choose another folder: export CUSIMT_CACHE=/path/to/folder",
        )


def _lock(name: str, *, wait: bool = True) -> contextlib.AbstractContextManager[None]:
    return hold(cache_root() / "locks" / name, wait=wait)


def _clear_remains(path: Path) -> None:
    """With the lock held: drop a damaged entry, and what processes that were killed left behind."""
    for stale in path.parent.glob(f"{path.name}.*.building"):
        shutil.rmtree(stale, ignore_errors=True)
    _remove(path)


def _sweep(root: Path) -> None:
    """Once in a process: drop what killed ones left half built, and their locks, whatever they were about."""
    if root in _swept:
        return
    _swept.add(root)
    for half in root.glob("*/*.building"):
        name = f"{half.parent.name}-{half.name.partition('.')[0]}"
        with contextlib.suppress(OSError), _lock(name, wait=False):
            shutil.rmtree(half, ignore_errors=True)
    for left in (root / "locks").glob("*-*"):
        with contextlib.suppress(OSError), hold(left, wait=False):
            pass


def _remove(path: Path) -> None:
    """Drop a published entry: first out of sight in one step, then gone; no reader sees half of it."""
    doomed = path.with_name(f"{path.name}.{os.getpid()}.building")
    with contextlib.suppress(FileNotFoundError):
        path.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def _limit() -> int:
    text = os.environ.get("CUSIMT_CACHE_LIMIT", "")
    return int(text) if text.isdecimal() else DEFAULT_LIMIT


def _trim_sometimes() -> None:
    stamp = cache_root() / "locks" / "trimmed"
    with contextlib.suppress(OSError):
        if stamp.exists() and is_recent(stamp, TRIM_INTERVAL_SECONDS):
            return
        stamp.touch()
        trim()
