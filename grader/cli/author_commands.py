"""`grader new` and `grader dev`: the options. What they do is imported when they are called."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from grader.cli.options import Course, On

dev = typer.Typer(no_args_is_help=True, help="For authors of exercises.")
Kind = Literal["write", "fix", "predict", "test"]


def new(
    slug: Annotated[str, typer.Argument(metavar="NN_SLUG", help="Two digits and a name, as 08_half_types.")],
    kind: Annotated[Kind, typer.Option(help="What the learner does with it.")] = "write",
    title: Annotated[str, typer.Option(help="Default: the slug in words.")] = "",
    course: Course = None,
) -> None:
    """Writes an exercise that works, to begin from. For authors."""
    from grader.cli.author import new_exercise

    raise typer.Exit(new_exercise(slug, kind, title, course))


@dev.command(name="check")
def dev_check(
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
    from grader.cli.author import check_exercises

    raise typer.Exit(check_exercises(exercises or (), grade, course, backend))


@dev.command()
def sync(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; fail if anything differs.")] = False,
    course: Course = None,
) -> None:
    """Regenerates the stubs from the solutions."""
    from grader.cli.author import sync_stubs

    raise typer.Exit(sync_stubs(check, course))
