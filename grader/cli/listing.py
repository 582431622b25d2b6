"""`grader list`: the exercises, the last verdict on each, and what to do next. No torch, no rich."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grader import progress
from grader.catalog import Catalog, Exercise, find_course
from grader.errors import UsageError
from grader.progress import Record
from grader.words import counted

_STATE_WIDTH = 27
_GREEN, _YELLOW, _DIM, _OFF = "\033[32m", "\033[33m", "\033[2m", "\033[0m"


def list_exercises(course: Path | None) -> None:
    """Prints one line per exercise and the next step."""
    catalog = Catalog.open(course)
    records = {exercise.slug: progress.load_record(exercise) for exercise in catalog.exercises}
    passed = sum(1 for record in records.values() if record is not None and record.passed)
    width = max((len(exercise.slug) for exercise in catalog.exercises), default=0)
    print(f"{counted(len(catalog.exercises), 'exercise')}, {passed} passed. A star marks the core course.\n")
    for exercise in catalog.exercises:
        state = _coloured(*_state(exercise, records[exercise.slug]))
        star = "★" if exercise.core else " "
        print(f"{star} {exercise.slug:<{width}}  {exercise.minutes:>3} min  {state}  {exercise.title}")
    print(f"\n{next_step(catalog, records)}")


def next_step(catalog: Catalog, records: dict[str, Record | None]) -> str:
    """What to do after looking at the list: the first exercise that is not passed, and its lesson."""
    for exercise in catalog.exercises:
        record = records[exercise.slug]
        if record is None or not record.passed:
            return f"Next: {start_sentence(exercise)}"
    return "Every exercise is passed. Check them all once more: grader check --all"


def start_sentence(exercise: Exercise, then: str = "") -> str:
    """How to begin ``exercise``: what to read, what to edit, and ``then``; by default, what to run."""
    lesson = exercise.lesson_path
    read = f"read {shown(lesson)}, then " if lesson.is_file() else ""
    then = then or f"run: {command('check', exercise)}"
    return f"{read}edit {shown(exercise.root)} and {then}"


def command(verb: str, exercise: Exercise, *words: str) -> str:
    """`grader VERB NN WORDS`, with --course where the course is not the one that would be found from here."""
    parts = ["grader", verb, f"{exercise.number:02d}", *words]
    try:
        found = find_course()
    except UsageError:
        found = None
    if found != exercise.course:
        parts += ["--course", shown(exercise.course)]
    return " ".join(parts)


def shown(path: Path) -> str:
    """``path`` as seen from the current folder where that is shorter."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def _state(exercise: Exercise, record: Record | None) -> tuple[str, str]:
    """The words for ``record`` and their colour."""
    if record is None:
        return "not started", _DIM
    if record.version != exercise.version:
        return "changed since, check again", _YELLOW
    score = f"{record.score:g}/{record.out_of:g} {record.backend}"
    if record.imported:
        return f"imported {'pass' if record.passed else 'fail'}, {score}", _YELLOW
    return (f"passed, {score}", _GREEN) if record.passed else (f"not passed, {score}", _YELLOW)


def _coloured(text: str, colour: str) -> str:
    """``text``, padded to its column and then coloured where a terminal shows it."""
    padded = f"{text:<{_STATE_WIDTH}}"
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return padded
    return f"{colour}{padded}{_OFF}"
