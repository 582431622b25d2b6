"""`grader next`: the exercise to do now, and why its last verdict failed. Imports neither torch nor typer."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path

from cusimt.support.words import counted, listed
from grader.cli.overview import (
    command,
    next_exercise,
    next_step,
    points_of,
    records_of,
    shown,
    way_around,
)
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.course.progress import Record
from grader.course.stubs import in_order, open_todos


def show_next(course: Path | None) -> None:
    """Prints the next exercise: its lesson, minutes and files, what is open or failed, and the commands."""
    catalog = Catalog.open(course)
    records = records_of(catalog)
    exercise = next_exercise(catalog, records)
    if exercise is None:
        print(next_step(catalog, records))
        return
    around = way_around(exercise, catalog, records)
    print(
        f"Next: {exercise.slug}, {exercise.title}. About {exercise.minutes} minutes. {around}".rstrip() + "\n"
    )
    indent = " " * len(f"  {'':<7} ")
    width = max(40, shutil.get_terminal_size().columns)
    for name, text in _facts(exercise, records[exercise.slug]):
        lines = textwrap.wrap(text, width - len(indent), break_long_words=False, break_on_hyphens=False)
        print(f"  {name:<7} " + f"\n{indent}".join(lines))


def _facts(exercise: Exercise, record: Record | None) -> list[tuple[str, str]]:
    """What is worth a line, in the order in which it is needed."""
    facts = []
    if exercise.lesson_path.is_file():
        facts.append(("lesson", shown(exercise.lesson_path)))
    facts.append(("files", f"{listed(exercise.written)} in {shown(exercise.root)}"))
    todos = open_todos(exercise, exercise.root)
    if todos:
        first = in_order(exercise, todos)[0]
        where = f"first {first.section} in {first.file}, line {first.line}"
        facts.append(("open", f"{counted(len(todos), 'TODO')}, {where}"))
    if record is not None and record.last.version == exercise.version:
        facts.append(("last", _last(exercise, record)))
    facts.append(("check", command("check", exercise)))
    facts.append(("hint", command("hint", exercise)))
    return facts


def _last(exercise: Exercise, record: Record) -> str:
    """The points of the last verdict, and the first check that kept it from passing."""
    words = f"{points_of(record.last)}"
    failure = _first_failure(exercise)
    return f"{words}: {failure}" if failure else words


def _first_failure(exercise: Exercise) -> str:
    verdict = progress.last_verdict(exercise)
    failed = (check for check in verdict.checks if check.status.stands_in_the_way) if verdict else ()
    return next((f"{check.name.replace('_', ' ')}: {check.sentence}" for check in failed), "")
