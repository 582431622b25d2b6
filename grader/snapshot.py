"""The files of a submission as they are at one moment: read once, with their digest and a copy to grade.

A save in the middle of a check would otherwise mix two versions: what was audited, what was compiled and what
the digest says would not be the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from grader import cache
from grader.exercise import Exercise
from grader.locks import hold

SUFFIXES = (
    ".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp",
    ".py", ".pyi", ".toml",
)  # fmt: skip
_LEFT_OUT = ("build", "__pycache__")
MOST_BYTES = (
    16 << 20
)  # of one source: hand-written ones are far smaller, and a link may lead to an endless file
MOST_FILES = 2000  # of one submission: a folder with more, such as a home folder, is no submission's own


def sources(root: Path, names: Collection[str] = ()) -> dict[str, bytes]:
    """The contents of the sources in ``root`` by their names below it, and of ``names`` whatever their kind.

    Leaves out what editors, builds and the grader put there, what is no regular file, and what is larger
    than MOST_BYTES. Links are followed.
    """
    found: dict[str, bytes] = {}
    for name in (*_source_names(root), *names):
        if name not in found:
            with contextlib.suppress(OSError):  # an editor replaces it at this moment, or it is missing
                content = _regular(root / name)
                if content is not None:
                    found[name] = content
    return found


def digest_of(exercise: Exercise, files: Path | Mapping[str, bytes]) -> str:
    """A digest of the graded files by name and content; a missing file is part of it as such.

    ``files`` is their folder, or their contents by name.
    """
    digest = hashlib.sha256()
    for name in sorted({*exercise.edit, *exercise.given}):
        content = _content(files, name)
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return f"sha256:{digest.hexdigest()}"


def write_sources(contents: Mapping[str, bytes], folder: Path) -> None:
    """Makes ``folder`` hold ``contents`` and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    folder.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def taken(exercise: Exercise, files: Path) -> Iterator[Path]:
    """A folder with a copy of the submission in ``files``, as it is now."""
    contents = sources(files, (*exercise.edit, *exercise.given))
    with desk(exercise, files) as folder:
        copy = folder / exercise.slug
        write_sources(contents, copy)
        yield copy


@contextlib.contextmanager
def desk(exercise: Exercise, files: Path) -> Iterator[Path]:
    """A folder to grade copies of ``files`` in, the same one each time; it is emptied afterwards.

    Objects in the build cache name the folder that their source was in, so a new folder each time would
    compile everything again. Only while another process grades the same files is the folder another one.
    """
    place = cache.cache_root() / "desks" / cache.digest([exercise.slug, files.resolve()])
    with contextlib.ExitStack() as left:
        try:
            place.mkdir(parents=True, exist_ok=True)
            left.callback(_remove_empty, place)
            left.enter_context(hold(place / "lock", wait=False))
        except OSError:  # another process grades there, or the cache cannot be written
            place = Path(left.enter_context(TemporaryDirectory(prefix="cu2grad-desk-")))
        place = place.resolve()
        left.callback(shutil.rmtree, place / exercise.slug, ignore_errors=True)
        yield place


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _source_names(root: Path) -> Iterator[str]:
    """The names of the sources below ``root``, at most MOST_FILES."""
    count = 0
    seen: set[str] = set()  # folders by their real path: a link may lead back up
    for folder, inside, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            inside.clear()
            continue
        seen.add(real)
        inside[:] = sorted(name for name in inside if not name.startswith(".") and name not in _LEFT_OUT)
        for name in sorted(names):
            if name.startswith(".") or not name.endswith(SUFFIXES):
                continue
            count += 1
            if count > MOST_FILES:
                return
            yield os.path.relpath(Path(folder, name), root)


def _regular(path: Path) -> bytes | None:
    """The content of a regular file of at most MOST_BYTES; None of anything else, without waiting for it."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        content = file.read(MOST_BYTES + 1)
    return content if len(content) <= MOST_BYTES else None


def _content(files: Path | Mapping[str, bytes], name: str) -> bytes:
    missing = b"\0missing"
    if isinstance(files, Mapping):
        return files.get(name, missing)
    path = files / name
    return path.read_bytes() if path.is_file() else missing
