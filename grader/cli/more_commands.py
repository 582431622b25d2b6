"""`grader replay`, `doctor`, `editor` and `demo`: the options. What they do is imported when called."""

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.options import Course, From, On, Plain, Verbose


def replay(
    verdict: Annotated[
        str, typer.Argument(help="A file that `grader check --json` wrote, or an exercise: its last verdict.")
    ],
    origin: From = "exercises",
    course: Course = None,
    plain: Plain = False,
    verbose: Verbose = False,
) -> None:
    """Grades again with the seed and backend of a stored verdict, and says what came out differently."""
    from grader.cli.check import Request
    from grader.cli.replay import replay_verdict

    request = Request(solutions=origin == "solutions", course=course, plain=plain, verbose=verbose)
    raise typer.Exit(replay_verdict(verdict, request))


def doctor() -> None:
    """Says what this machine has and lacks, with the exact fix for each line."""
    from grader.cli.doctor import examine

    raise typer.Exit(examine())


def editor(course: Course = None) -> None:
    """Writes compile_commands.json, so that clangd in your editor understands the sources."""
    from grader.cli.editor import write_editor_files

    raise typer.Exit(write_editor_files(course))


def demo(
    all_: Annotated[
        bool, typer.Option("--all", help="Also grade the reference solution of every exercise.")
    ] = False,
    course: Course = None,
    backend: On = None,
    plain: Plain = False,
) -> None:
    """Grades one right kernel, then three wrong ones whose answers are right all the same."""
    from grader.cli.demo import run_demo

    raise typer.Exit(run_demo(course, backend, plain, everything=all_))
