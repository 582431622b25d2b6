"""`grader new` and `grader dev`: what authors of exercises run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from cusimt.support.words import counted
from grader.author import Problem, problems_of, prove, scaffold
from grader.cli.options import Course, On
from grader.cli.overview import command, shown
from grader.cli.screen import Screen
from grader.compilation.devices import detect_backend
from grader.course import mutants, workspace
from grader.course.catalog import Catalog, Exercise, find_course
from grader.support.backends import Backend
from grader.support.errors import UsageError


def sync_stubs(check: bool, course: Path | None) -> int:
    """Regenerates the stubs, or with ``check`` says which differ. Returns 1 when one does, else 0."""
    catalog = Catalog.open(course)
    _require_solutions(catalog.exercises)
    for exercise in catalog.exercises:
        mutants.load_mutants(exercise)  # their `find` strings must still match the solutions
    stale = workspace.sync(catalog, check)
    for path in stale:
        print(f"{'differs' if check else 'wrote'}  {shown(path)}")
    if not stale:
        print(f"All {len(catalog.exercises)} exercises agree with their solutions.")
    elif check:
        print("Stubs are generated from the solutions. Run: make sync")
    else:
        print(f"What was replaced is kept in {shown(catalog.course / '.cu2grad' / 'backups')}.")
    return 1 if stale and check else 0


def _require_solutions(exercises: Sequence[Exercise]) -> None:
    """Raises UsageError in a learner's workspace: there everything for authors would be found missing."""
    for exercise in exercises:
        if not exercise.solution_dir.is_dir():
            raise UsageError(
                f"{exercise.solution_dir} is not there.",
                "grader dev is for authors, who have the solutions: this copy comes without them.",
                f"Check your own files: {command('check', exercise)}",
            )


def check_exercises(names: Sequence[str], graded: bool, course: Path | None, backend: Backend | None) -> int:
    """Prints what the exercises lack; ``graded`` also proves that they are judged rightly. Returns 1 or 0."""
    catalog = Catalog.open(course)
    exercises = [catalog.find(name) for name in names] or list(catalog.exercises)
    _require_solutions(exercises)
    screen = Screen()
    lacking, number = 0, 0
    for exercise in exercises:
        problems = list(problems_of(exercise))
        if graded:
            with screen.working(exercise.slug) as begin:
                problems += prove(exercise, backend or detect_backend(), begin)
        lacking += bool(problems)
        number += len(problems)
        _show(exercise, problems, graded)
    if number:
        things = counted(number, "thing is", "things are")
        print(f"\n{things} missing or wrong in {lacking} of {counted(len(exercises), 'exercise')}.")
    elif not graded:
        print(
            "\nNothing is missing. To see whether solution, stub and mistakes are judged correctly, add "
            "--grade."
        )
    return 1 if number else 0


def _show(exercise: Exercise, problems: Sequence[Problem], graded: bool) -> None:
    whole = "whole, and judged correctly" if graded else "whole"
    print(f"{exercise.slug}: {whole if not problems else counted(len(problems), 'problem')}")
    for problem in problems:
        print(f"  {shown(problem.place)}: {problem.what}. {problem.next}")


def new_exercise(slug: str, kind: str, title: str, course: Path | None) -> int:
    """Writes an exercise that works, to begin from; with ``course``, also the first one of a course."""
    root = find_course() if course is None else course.resolve()
    for path in scaffold(root, slug, kind, title):
        print(f"wrote  {shown(path)}")
    exercise = Catalog.open(root).find(slug)
    print("\nIt squares its input, and is judged like every other. See it pass:")
    print(f"  {command('check', exercise, '--from', 'solutions')}")
    print("Then change the solution, its spec, its mistakes, hints and lesson. What is still missing:")
    print(f"  {command('dev check', exercise)}")
    return 0


# ---- on the command line ----

dev = typer.Typer(no_args_is_help=True, help="For authors of exercises.")
Kind = Literal["write", "fix", "predict", "test"]


def new_command(
    slug: Annotated[str, typer.Argument(metavar="NN_SLUG", help="Two digits and a name, as 08_half_types.")],
    kind: Annotated[Kind, typer.Option(help="What the learner does with it.")] = "write",
    title: Annotated[str, typer.Option(help="Default: the slug in words.")] = "",
    course: Course = None,
) -> None:
    """Writes an exercise that works, to begin from. For authors."""
    raise typer.Exit(new_exercise(slug, kind, title, course))


@dev.command(name="check")
def check_command(
    exercises: Annotated[
        list[str] | None, typer.Argument(metavar="EXERCISE...", help="Default: every exercise.")
    ] = None,
    grade: Annotated[
        bool, typer.Option("--grade", help="Also grade the solution, the stub and every mistake.")
    ] = False,
    course: Course = None,
    backend: On = None,
) -> None:
    """Says what is missing or has drifted in an exercise. Exit code 1 if anything is."""
    raise typer.Exit(check_exercises(exercises or (), grade, course, backend))


@dev.command("sync")
def sync_command(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; fail if anything differs.")] = False,
    course: Course = None,
) -> None:
    """Regenerates the stubs from the solutions."""
    raise typer.Exit(sync_stubs(check, course))
