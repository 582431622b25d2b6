"""The key of a record: equal keys mean that grading again would give the same verdict."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import grader
from grader.course.catalog import Exercise
from grader.course.implementations import ACCEPTED, HIDDEN
from grader.course.stubs import stub_text
from grader.instruct.submissions import Submission, look
from grader.support.backends import Backend
from grader.support.folders import PACKAGES

_SHORT = 12  # hex digits of a digest that stands beside a version for people to read
# Rooms that stand above the checks in the architecture: what they say about a verdict cannot change it.
_ABOVE_GRADING = frozenset({"author", "cli", "handout", "instruct", "notebook", "report"})
_NO_SOURCE = frozenset({"__pycache__"})


@dataclass(frozen=True)
class Key:
    """``digest`` is of what was handed in; ``exercise_version`` and ``grader`` are ``VERSION:12 hex digits``.

    ``device`` is the GPU's model on cuda, and empty on simt, where every machine finds the same.
    """

    digest: str
    exercise: str
    exercise_version: str
    grader: str
    backend: Backend
    device: str = ""

    @property
    def name(self) -> str:
        """A SHA-256 of all of it, in hex: the name of the record."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def key_of(submission: Submission, exercise: Exercise, backend: Backend, device: str = "") -> Key:
    """The key of what ``submission`` holds now. Raises InfrastructureError where it cannot be read."""
    return Key(
        digest=content_digest(submission, exercise),
        exercise=exercise.slug,
        exercise_version=exercise_version(exercise),
        grader=grader_version(),
        backend=backend,
        device=device,
    )


def content_digest(submission: Submission, exercise: Exercise) -> str:
    """SHA-256 of the names and contents of the files that count.

    Raises InfrastructureError like :func:`key_of`.
    """
    return files_digest(look(submission, exercise).files)


def files_digest(files: Mapping[str, bytes]) -> str:
    """:func:`content_digest` of files that have been read."""
    return _digest(files.items())


@lru_cache
def grader_version() -> str:
    """The grader's version and a digest of those of its sources that can change a verdict.

    Found out once for this process, which goes on with what it has imported whatever is edited meanwhile.
    """
    named = [each for package in PACKAGES for each in _sources(package)]
    return f"{grader.__version__}:{_digest(named)[:_SHORT]}"


def _sources(package: Path) -> Iterable[tuple[str, bytes]]:
    """The files of a package that can change a verdict, by their names in it."""
    rooms = (path for path in package.iterdir() if path.name not in _ABOVE_GRADING | {"tests"})
    files = [file for room in rooms for file in ([room] if room.is_file() else _files_below(room))]
    return ((f"{package.name}/{name}", content) for name, content in _named(package, files))


def exercise_version(exercise: Exercise) -> str:
    """The exercise's version and a digest of what it judges by: its files but hints and the learner's.

    Of those, the stub counts: what is unchanged in it is not attempted. Of the solution, what a learner's
    tests are run against.
    """
    own = [path for path in _files_below(exercise.root) if path != exercise.hints_path]
    edited = {exercise.root / name for name in exercise.edit}
    named = [*_named(exercise.course, (path for path in own if path not in edited))]
    named += [(f"stub/{name}", stub_text(exercise, name).encode()) for name in exercise.edit]
    implementations = [exercise.solution_dir / HIDDEN, *_files_below(exercise.solution_dir / ACCEPTED)]
    named += _named(exercise.course, (path for path in implementations if path.is_file()))
    return f"{exercise.version}:{_digest(named)[:_SHORT]}"


def _named(root: Path, files: Iterable[Path]) -> Iterable[tuple[str, bytes]]:
    return ((file.relative_to(root).as_posix(), file.read_bytes()) for file in files)


def _files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not _NO_SOURCE & set(path.parts)]


def _digest(named: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 of names and contents; neither the order nor where one ends and the next begins is open."""
    state = hashlib.sha256()
    for name, content in sorted(named):
        state.update(f"{len(name.encode())} {len(content)}\n{name}".encode() + content)
    return state.hexdigest()
