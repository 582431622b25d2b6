"""`grader list`: the exercises, your results, and the next step. Imports neither torch, rich nor typer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cusimt.support.words import counted
from grader.course import progress
from grader.course.catalog import Catalog, Exercise, find_course
from grader.course.progress import Record, Result
from grader.course.snapshot import digest_of
from grader.support.errors import UsageError

_LEAST_STATE_WIDTH = 20
_LEAST_TITLE_WIDTH = 12
_GREEN, _YELLOW, _DIM, _OFF = "\033[32m", "\033[33m", "\033[2m", "\033[0m"


def list_exercises(course: Path | None) -> None:
    """Prints one line per exercise and the next step."""
    catalog = Catalog.open(course)
    records = records_of(catalog)
    passed = sum(is_passed(exercise, records) for exercise in catalog.exercises)
    states = {exercise.slug: _state(exercise, records[exercise.slug]) for exercise in catalog.exercises}
    widths = [max(map(len, states)), max(_LEAST_STATE_WIDTH, *(len(words) for words, _ in states.values()))]
    print(f"{counted(len(catalog.exercises), 'exercise')}, {passed} passed. A star marks the core course.\n")
    for exercise in catalog.exercises:
        print(_line(exercise, *states[exercise.slug], *widths))
    print(f"\n{next_step(catalog, records)}")


def records_of(catalog: Catalog) -> dict[str, Record | None]:
    """What is remembered about each exercise, by slug."""
    return {exercise.slug: progress.load_record(exercise) for exercise in catalog.exercises}


def is_passed(exercise: Exercise, records: Mapping[str, Record | None]) -> bool:
    """Whether this version of ``exercise`` was ever passed."""
    record = records.get(exercise.slug)
    return record is not None and record.passed(exercise.version)


def next_exercise(catalog: Catalog, records: Mapping[str, Record | None]) -> Exercise | None:
    """The first exercise that is not passed and requires only what is; None when every one is passed."""
    left = [exercise for exercise in catalog.exercises if not is_passed(exercise, records)]
    return next(_ready(left), left[0] if left else None)


def way_around(exercise: Exercise, catalog: Catalog, records: Mapping[str, Record | None]) -> str:
    """Of an optional exercise, which one the core course continues with; "" of a core one."""
    left = [each for each in catalog.exercises if not is_passed(each, records)]
    core = next((each for each in _ready(left) if each.core), None)
    if exercise.core or core is None:
        return ""
    return f"It is optional: the core course continues with {core.slug}."


def _ready(left: Sequence[Exercise]) -> Iterator[Exercise]:
    """Those of ``left``, which are not passed, that require none of the others."""
    waiting = {exercise.slug for exercise in left}
    return (exercise for exercise in left if waiting.isdisjoint(exercise.requires))


def next_step(catalog: Catalog, records: Mapping[str, Record | None]) -> str:
    """What to do after looking at the list."""
    exercise = next_exercise(catalog, records)
    if exercise is None:
        return "Every exercise is passed. Check them all once more: grader check --all"
    around = way_around(exercise, catalog, records)
    return f"Next: {start_sentence(exercise)}" + (f". {around}" if around else "")


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


def points_of(result: Result) -> str:
    """``80/100 simt``."""
    return f"{result.score:g}/{result.out_of:g} {result.backend}"


def _line(exercise: Exercise, state: str, colour: str, name_width: int, state_width: int) -> str:
    """One exercise on one line; the title is shortened where a terminal would break it."""
    star = "★" if exercise.core else " "
    begin = f"{star} {exercise.slug:<{name_width}}  {exercise.minutes:>3} min  "
    title = exercise.title
    if sys.stdout.isatty():
        left = os.get_terminal_size(sys.stdout.fileno()).columns - len(begin) - state_width - 2
        if len(title) > max(left, _LEAST_TITLE_WIDTH):
            title = f"{title[: max(left, _LEAST_TITLE_WIDTH) - 1].rstrip()}…"
    return f"{begin}{_coloured(state, colour, state_width)}  {title}"


def _state(exercise: Exercise, record: Record | None) -> tuple[str, str]:
    """What became of ``exercise``, what its files give now where that differs, and a colour."""
    seen = ["solution seen"] if progress.gave_up(exercise) else []
    if record is None:
        return " · ".join(("not started", *seen)), _DIM
    last, best = record.last, record.best
    words = _standing(best if best.passed else last, exercise.version)
    if best.passed and last != best and last.version == exercise.version and not last.passed:
        elsewhere = last.backend if last.backend != best.backend else ""
        words.append(f"now {last.score:g}/{last.out_of:g} {elsewhere}".rstrip())
    if last.digest and last.digest != digest_of(exercise, exercise.root):
        words.append("other files here" if last.imported else "edited since")
    return " · ".join((*words, *seen)), _GREEN if record.passed(exercise.version) else _YELLOW


def _standing(result: Result, version: int) -> list[str]:
    """What ``result`` is worth for this ``version`` of the exercise."""
    if result.version != version:
        passed = f"passed version {result.version}, changed since"
        return [passed if result.passed else "changed since, check again"]
    if result.imported:
        return [f"imported {'pass' if result.passed else 'fail'}, {points_of(result)}"]
    return [f"{'passed' if result.passed else 'not passed'}, {points_of(result)}"]


def _coloured(text: str, colour: str, width: int) -> str:
    """``text``, padded to its column and then coloured where a terminal shows it."""
    padded = f"{text:<{width}}"
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return padded
    return f"{colour}{padded}{_OFF}"
