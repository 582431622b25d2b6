"""`grader solution`: show the reference solution, after a pass or after giving up."""

from __future__ import annotations

import difflib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course, Name, Plain
from grader.cli.overview import command, shown
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import without_markers
from grader.support.errors import UsageError

_LANGUAGES = {".cu": "cuda", ".cuh": "cuda", ".cpp": "cpp", ".h": "cpp", ".py": "python", ".toml": "toml"}


@dataclass(frozen=True)
class SolutionOptions:
    """What the command line asked for; ``diff``: only what differs from the learner's files."""

    exercise: str
    course: Path | None = None
    diff: bool = False
    give_up: bool = False
    plain: bool = False


def show_solution(request: SolutionOptions) -> None:
    """Prints every file that the learner edits as the reference solution has it.

    Raises UsageError where the exercise is neither passed nor given up, or the course has no solutions.
    """
    exercise = Catalog.open(request.course).find(request.exercise)
    _require_solutions(exercise)
    _require_right(exercise, request.give_up)
    for name in exercise.edit:
        solution = without_markers((exercise.solution_dir / name).read_text(encoding="utf-8"))
        text = _difference(exercise, name, solution) if request.diff else solution
        if not text:
            print(f"{name}: yours is the same.")
            continue
        language = "diff" if request.diff else _LANGUAGES.get(Path(name).suffix, "text")
        if not request.diff:
            print(f"==> {shown(exercise.solution_dir / name)}")
        _show(text, language, request.plain)
        print()
    print(f"Next: {_next_step(exercise, request)}")


def _require_solutions(exercise: Exercise) -> None:
    if all((exercise.solution_dir / name).is_file() for name in exercise.edit):
        return
    raise UsageError(
        f"There is no solution of {exercise.slug} here.",
        "This copy of the course comes without solutions.",
        f"Ask the person who gave you the course, or run: {command('hint', exercise)}",
    )


def _require_right(exercise: Exercise, give_up: bool) -> None:
    """Refuse before a pass; giving up is remembered, and is enough from then on."""
    record = progress.load_record(exercise)
    if (record is not None and record.best.passed) or progress.gave_up(exercise):
        return
    if not give_up:
        raise UsageError(
            f"You have not passed {exercise.slug} yet, so its solution is not shown.",
            f"A hint shows where to look and leaves the answer to you: {command('hint', exercise)}",
            f"To give up and see the solution, run: {command('solution', exercise, '--give-up')}",
        )
    progress.store_gave_up(exercise)


def _difference(exercise: Exercise, name: str, solution: str) -> str:
    """A unified diff from the learner's file to the solution; ``""`` where they are the same."""
    own = exercise.root / name
    before = own.read_text(encoding="utf-8", errors="replace") if own.is_file() else ""
    lines = difflib.unified_diff(
        before.splitlines(), solution.splitlines(), f"yours/{name}", f"solution/{name}", lineterm=""
    )
    return "".join(f"{line}\n" for line in lines)


def _show(text: str, language: str, plain: bool) -> None:
    """Highlighted on a terminal; as it is where it may be piped into a file."""
    if plain or not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        print(text, end="")
        return
    from rich.console import Console
    from rich.syntax import Syntax

    theme = "ansi_dark"  # the terminal's own sixteen colours, on its own background
    Console(highlight=False).print(Syntax(text, language, theme=theme, background_color="default"))


def _next_step(exercise: Exercise, request: SolutionOptions) -> str:
    record = progress.load_record(exercise)
    if record is None or not record.best.passed:
        return f"close it, write it from memory, then run: {command('check', exercise)}"
    if not request.diff:
        return f"compare it with yours: {command('solution', exercise, '--diff')}"
    return "grader next"


def solution_command(
    exercise: Name,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what you would change in your files to get there.")
    ] = False,
    give_up: Annotated[
        bool, typer.Option("--give-up", help="Show it before you passed. `grader list` remembers that.")
    ] = False,
    course: Course = None,
    plain: Plain = False,
) -> None:
    """Shows the reference solution of an exercise that you have passed."""
    show_solution(SolutionOptions(exercise, course, diff, give_up, plain))
