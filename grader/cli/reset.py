"""`grader reset`: restore the stub, and say where the learner's version was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course, Name
from grader.cli.overview import command, shown
from grader.course import workspace
from grader.course.catalog import Catalog


def reset_exercise(name: str, course: Path | None, given_only: bool) -> None:
    """Prints what was put back, where the backup is, and the next step."""
    exercise = Catalog.open(course).find(name)
    done = workspace.reset(exercise, given_only)
    if not done.restored:
        what = f"What was given in {exercise.slug}" if given_only else exercise.slug
        print(f"{what} is as it was shipped; nothing to reset.")
    else:
        files = ", ".join(path.name for path in done.restored)
        print(f"Put back {files} in {shown(exercise.root)}.")
    if done.backup:
        print(f"Your version is kept in {shown(done.backup)}.")
    print(f"Next: {command('check', exercise)}")


def reset_command(
    exercise: Name,
    given: Annotated[
        bool, typer.Option("--given", help="Only the files that are given, not those with a TODO.")
    ] = False,
    course: Course = None,
) -> None:
    """Puts the stub back. Your files are kept in .cu2grad/backups."""
    reset_exercise(exercise, course, given)
