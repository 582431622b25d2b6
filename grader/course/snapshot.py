"""A submission's files at one moment: read once, with their digest and a copy to grade.

A save in the middle of a check would otherwise mix two versions: what was audited, what was compiled and what
the digest says would not be the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from cusimt.support import cache
from cusimt.support.locks import hold
from cusimt.support.scratch import scratch
from grader.course.exercise import Exercise
from grader.support.errors import UsageError

SUFFIXES = (
    ".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp",
    ".py", ".pyi", ".toml",
)  # fmt: skip
_LEFT_OUT = ("build", "__pycache__")
MOST_BYTES = 16 << 20  # of one source: hand-written ones are far smaller
MOST_FILES = 2000  # of one submission: a folder with more, such as a home folder, is no submission's own


def sources(root: Path, names: Collection[str] = (), *, within: Path | None = None) -> dict[str, bytes]:
    """The contents of the sources in ``root`` by their names below it, and of ``names`` whatever their kind.

    Leaves out what editors, builds and the grader put there, what is no regular file, what is larger than
    MOST_BYTES, and links that lead out of ``root`` and of the folder ``within``: what only this user may read
    is not part of a submission.
    """
    allowed = _allowed(root, within)
    found: dict[str, bytes] = {}
    for name in (*_source_names(root, allowed), *names):
        if name not in found:
            with contextlib.suppress(OSError):  # an editor replaces it at this moment, or it is missing
                content = _regular(root / name, allowed)
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
    """A folder with a copy of the submission in ``files``, as it is now.

    In a learner's own folder, links may lead to other files of the course. Raises UsageError for a file of
    the exercise that is a link to somewhere else.
    """
    names = (*exercise.edit, *exercise.given)
    within = home_of(exercise, files)
    _require_no_way_out(files, names, within)
    contents = sources(files, names, within=within)
    with desk(exercise, files) as folder:
        copy = folder / exercise.slug
        write_sources(contents, copy)
        yield copy


def home_of(exercise: Exercise, files: Path) -> Path | None:
    """The course, where ``files`` is the folder of ``exercise`` in it; None for a folder of anybody's."""
    own = (exercise.root.resolve(), exercise.solution_dir.resolve())
    return exercise.course if files.resolve() in own else None


def desk(exercise: Exercise, files: Path) -> AbstractContextManager[Path]:
    """A folder to grade copies of ``files`` in, the same one each time; `exercise.slug` in it is emptied."""
    return desk_of([exercise.slug, files.resolve()], exercise.slug)


@contextlib.contextmanager
def desk_of(parts: Iterable[object], inside: str) -> Iterator[Path]:
    """A folder that is the same one each time for the same `parts`; in it, nothing named `inside` is left.

    Objects in the build cache name the folder that their source was in, so a new folder each time would
    compile everything again. Only while another process uses it is the folder another one.
    """
    place = cache.cache_root() / "desks" / cache.digest(parts)
    with contextlib.ExitStack() as left:
        try:
            left.callback(_remove_empty, place)
            left.enter_context(_locked(place))
        except BlockingIOError:  # another process grades there
            place = left.enter_context(scratch("desk", place.parent))
        except OSError:  # the cache cannot be written
            place = left.enter_context(scratch("desk"))
        place = place.resolve()
        shutil.rmtree(place / inside, ignore_errors=True)  # of a process that was killed
        left.callback(shutil.rmtree, place / inside, ignore_errors=True)
        yield place


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Make ``place`` and hold its lock, also where another process that leaves removes it in between."""
    with contextlib.ExitStack() as left:
        while True:
            place.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                left.enter_context(hold(place / "lock", wait=False))
                break
        yield


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _allowed(root: Path, within: Path | None) -> tuple[Path, ...]:
    """The folders in which what is read may be, without links in their paths."""
    return tuple(folder.resolve() for folder in (root, within) if folder is not None)


def _is_below(real: Path, allowed: tuple[Path, ...]) -> bool:
    """Whether a path without links lies in one of the folders."""
    return any(real.is_relative_to(folder) for folder in allowed)


def _require_no_way_out(root: Path, names: Collection[str], within: Path | None) -> None:
    """Raise UsageError for a file that would otherwise only seem to be missing."""
    allowed = _allowed(root, within)
    for name in names:
        if (root / name).is_file() and not _is_below((root / name).resolve(), allowed):
            raise UsageError(
                f"{name} is a link to a file outside of {root}.",
                "A submission is graded from its own folder; a link out of it is not followed.",
                "Put a copy of the file there in the place of the link.",
            )


def _source_names(root: Path, allowed: tuple[Path, ...]) -> Iterator[str]:
    """The names of the sources below ``root``, at most MOST_FILES."""
    count = 0
    seen: set[str] = set()  # folders by their real path: a link may lead back up
    for folder, inside, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen or not _is_below(Path(real), allowed):
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


def _regular(path: Path, allowed: tuple[Path, ...]) -> bytes | None:
    """The content of a regular file of at most MOST_BYTES; None of anything else, without waiting for it."""
    real = path.resolve()
    if not _is_below(real, allowed):
        return None
    flags = os.O_NONBLOCK | os.O_NOFOLLOW  # nor of what became a link meanwhile
    with open(real, "rb", opener=lambda name, others: os.open(name, others | flags)) as file:
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
