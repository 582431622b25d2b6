"""The files a learner edits: generated from the solutions, restored on demand, never lost.

Whatever is overwritten is first copied to ``.cu2grad/backups/`` in the course folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.course.answer_key import shipped_key
from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import OpenTodo, open_todos, render_stub, stub_text, without_markers
from grader.support.backups import BACKUPS, differs, replace_files
from grader.support.errors import BrokenExercise, UsageError
from grader.support.reading import read_text

__all__ = [
    "OpenTodo",
    "Reset",
    "open_todos",
    "render_stub",
    "reset",
    "shipped_files",
    "sync",
    "without_markers",
    "write",
]


@dataclass(frozen=True)
class Reset:
    """What a reset did: the files put back, and where the learner's own versions are kept."""

    restored: tuple[Path, ...]
    backup: Path | None


def shipped_files(exercise: Exercise) -> dict[Path, str]:
    """Every file that is generated from the solutions, with the content a learner starts from.

    A release without solutions keeps these files in ``exercise.kept_stubs``. Raises UsageError when neither
    is there, BrokenExercise for a missing or wrong master.
    """
    names = (*exercise.edit, *exercise.given)
    if not exercise.solution_dir.is_dir():
        if not all((exercise.kept_stubs / name).is_file() for name in names):
            raise UsageError(
                f"{exercise.solution_dir} is not there.",
                "Stubs are generated from the solutions, and this copy of the course comes without them.",
                "Take the stub from the place you got the course from.",
            )
        return {exercise.root / name: stub_text(exercise, name) for name in names}
    for name in names:
        _check_master(exercise.solution_dir / name)
    return {exercise.root / name: stub_text(exercise, name) for name in names} | shipped_key(exercise)


def sync(catalog: Catalog, check: bool = False) -> list[Path]:
    """Writes every generated file that differs, or with ``check`` none, and returns those that differed."""
    stale: list[Path] = []
    for exercise in catalog.exercises:
        changes = {path: text for path, text in shipped_files(exercise).items() if differs(path, text)}
        if changes and not check:
            _replace(exercise, changes)
        stale += changes
    return stale


def changed_given(exercise: Exercise, files: Path) -> list[str]:
    """The given files in ``files`` that are not as they came. A missing one is for the build to tell."""
    shipped = {name: stub_text(exercise, name) for name in exercise.given}
    return [
        name
        for name, text in shipped.items()
        if text and (files / name).is_file() and differs(files / name, text)
    ]


def reset(exercise: Exercise, given_only: bool = False) -> Reset:
    """Puts back the stub of ``exercise``, or only what was given with it; the learner's versions of what
    changes are kept in a backup.
    """
    shipped = shipped_files(exercise)
    if given_only:
        shipped = {exercise.root / name: shipped[exercise.root / name] for name in exercise.given}
    changes = {path: text for path, text in shipped.items() if differs(path, text)}
    return Reset(tuple(changes), _replace(exercise, changes) if changes else None)


def write(exercise: Exercise, name: str, text: str) -> Path | None:
    """Gives the learner's file ``name`` this content.

    Returns the folder with a copy of what it replaced; None where there was nothing, or the same.
    Raises UsageError where the file is not one to be edited, or cannot be written.
    """
    if name not in exercise.edit:
        raise UsageError(
            f"{name} is not a file to be edited in {exercise.slug}.",
            "The other files are given: the grader uses its own copies of them.",
            f"Name one of these: {', '.join(exercise.edit)}",
        )
    path = exercise.root / name
    return _replace(exercise, {path: text}) if differs(path, text) else None


def _replace(exercise: Exercise, changes: dict[Path, str]) -> Path | None:
    """Writes ``changes``. Returns the folder with what they replaced, or None."""
    return replace_files(changes, exercise.root, exercise.course / BACKUPS / exercise.slug)


def _check_master(path: Path) -> None:
    read_text(
        path,
        BrokenExercise,
        "Every file in `edit` and `given` has its master copy in the solution folder.",
        "Add the file, or drop it from exercise.toml.",
    )
