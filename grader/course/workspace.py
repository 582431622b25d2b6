"""The files a learner edits: generated from the solutions, restored on demand, never lost.

Whatever is overwritten is first copied to ``.cu2grad/backups/`` in the course folder.
"""

from __future__ import annotations

import datetime
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.course.answer_key import shipped_key
from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import OpenTodo, open_todos, render_stub, stub_text, without_markers
from grader.support.durable import PUBLIC, write_atomically
from grader.support.errors import BrokenExercise, UsageError

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
        changes = {path: text for path, text in shipped_files(exercise).items() if _differs(path, text)}
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
        if text and (files / name).is_file() and _differs(files / name, text)
    ]


def reset(exercise: Exercise, given_only: bool = False) -> Reset:
    """Puts back the stub of ``exercise``, or only what was given with it; the learner's versions of what
    changes are kept in a backup.
    """
    shipped = shipped_files(exercise)
    if given_only:
        shipped = {exercise.root / name: shipped[exercise.root / name] for name in exercise.given}
    changes = {path: text for path, text in shipped.items() if _differs(path, text)}
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
    return _replace(exercise, {path: text}) if _differs(path, text) else None


def _replace(exercise: Exercise, changes: dict[Path, str]) -> Path | None:
    """Backs up what exists, then writes ``changes``, each file at once. Returns the backup's folder."""
    try:
        backup = _back_up(exercise, [path for path in changes if path.exists()])
        for path, text in changes.items():
            write_atomically(path, text, path.stat().st_mode & 0o777 if path.exists() else PUBLIC)
    except OSError as error:
        raise UsageError(
            f"{error.filename or exercise.root} cannot be written: {error.strerror}.",
            "Nothing was lost: your files are as they were, or as the backup in .cu2grad/backups has them.",
            "Make the course folder writable, then run the command again.",
        ) from error
    return backup


def _back_up(exercise: Exercise, paths: list[Path]) -> Path | None:
    if not paths:
        return None
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    parent = exercise.course / ".cu2grad" / "backups" / exercise.slug
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{stamp}-", dir=parent))
    folder.chmod(0o755)
    for path in paths:
        kept = folder / path.relative_to(exercise.root)
        kept.parent.mkdir(exist_ok=True)
        shutil.copy2(path, kept)
    return folder


def _differs(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() != text.encode("utf-8")
    except FileNotFoundError:
        return True


def _check_master(path: Path) -> None:
    try:
        path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenExercise(
            f"{path} cannot be read: {error}.",
            "Every file in `edit` and `given` has its master copy in the solution folder.",
            "Add the file, or drop it from exercise.toml.",
        ) from error
