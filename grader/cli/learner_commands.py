"""The commands that learners use most, with their options. What they do is imported when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course, From, Name, On, Origin, Plain, Verbose
from grader.support.backends import Backend

Json = Annotated[bool, typer.Option("--json", help="Print the verdict as JSON; several as a list.")]
Isolate = Annotated[bool, typer.Option("--isolate", help="Run the code in a sandbox (needs bubblewrap).")]


def list_(course: Course = None) -> None:
    """Lists the exercises and how far you are."""
    from grader.cli.overview import list_exercises

    list_exercises(course)


def next_(course: Course = None) -> None:
    """Shows what to do next: the exercise, its lesson and files, what the last verdict failed on."""
    from grader.cli.next_exercise import show_next

    show_next(course)


def check(
    exercises: Annotated[
        list[str] | None, typer.Argument(metavar="EXERCISE...", help="Numbers, slugs or paths, as 03.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Check every exercise.")] = False,
    origin: From = "exercises",
    files: Annotated[
        Path | None, typer.Option("--files", metavar="DIR", help="Grade the files in DIR in place of yours.")
    ] = None,
    course: Course = None,
    backend: On = None,
    seed: Annotated[int | None, typer.Option(help="Draw the inputs from this seed.")] = None,
    plain: Plain = False,
    json: Json = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the verdict to FILE as a page.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict to FILE as JUnit XML.")
    ] = None,
    verbose: Verbose = False,
    isolate: Isolate = False,
) -> None:
    """Builds, runs and judges your files. Exit code 0: passed, 1: not passed, 2: usage, 3: this machine."""
    from grader.cli.check import Request, check_exercises

    request = Request(
        names=tuple(exercises or ()),
        everything=all_,
        solutions=origin == "solutions",
        files=files,
        course=course,
        backend=backend,
        seed=seed,
        plain=plain,
        json=json,
        html=html,
        junit=junit,
        verbose=verbose,
        isolate=isolate,
    )
    raise typer.Exit(check_exercises(request))


def watch(
    exercise: Name,
    course: Course = None,
    backend: On = None,
    plain: Plain = False,
    verbose: Verbose = False,
) -> None:
    """Checks your files now, and again whenever you save one. Ctrl-C ends it."""
    from grader.cli.watch import watch_exercise

    raise typer.Exit(watch_exercise(exercise, course, backend, plain, verbose))


def hint(
    exercise: Name,
    section: Annotated[
        str | None, typer.Argument(help="The TODO to get a hint for; default: the first open one.")
    ] = None,
    course: Course = None,
) -> None:
    """Shows one more hint: where to look, then the idea, then the shape. Never the answer."""
    from grader.cli.hints import show_hint

    show_hint(exercise, section, course)


def solution(
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
    from grader.cli.solution import Request, show_solution

    show_solution(Request(exercise, course, diff, give_up, plain))


def reset(
    exercise: Name,
    given: Annotated[
        bool, typer.Option("--given", help="Only the files that are given, not those with a TODO.")
    ] = False,
    course: Course = None,
) -> None:
    """Puts the stub back. Your files are kept in .cu2grad/backups."""
    from grader.cli.reset import reset_exercise

    reset_exercise(exercise, course, given)


def profile(
    exercise: Name,
    origin: Annotated[
        Origin, typer.Option("--from", help="Profile your files, or the reference solutions.")
    ] = "exercises",
    case: Annotated[
        str | None, typer.Option("--case", metavar="NAME", help="Run this case of the exercise's spec.")
    ] = None,
    course: Course = None,
    backend: Annotated[
        Backend | None, typer.Option(help="Profiles are taken on simt, also where there is a GPU.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with pictures to FILE.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
    plain: Plain = False,
) -> None:
    """Counts what each source line does to memory: sectors, bank conflicts, idle lanes. Needs no GPU."""
    from grader.cli.profile import Request, profile_exercise

    request = Request(exercise, origin == "solutions", course, case, backend, html, json, plain)
    raise typer.Exit(profile_exercise(request))
