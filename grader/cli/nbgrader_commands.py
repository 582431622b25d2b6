"""The commands below `grader nbgrader`, with their options."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from grader.cli.options import Course

nbgrader = typer.Typer(no_args_is_help=True, help="For instructors: a course for nbgrader.")

Layout = Literal["auto", "canvas", "moodle", "gradescope", "plain"]


@nbgrader.command()
def build(
    exercises: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXERCISE...", help="Default: the assignments of course.toml, else every exercise."
        ),
    ] = None,
    course: Course = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="CLASS", help="The folder of the class, which holds source/.")
    ] = Path(),
    check: Annotated[bool, typer.Option("--check", help="Change nothing; fail if anything differs.")] = False,
) -> None:
    """Writes notebooks, stubs and nbgrader's configuration. The same exercises give the same bytes."""
    from grader.cli.nbgrader import build

    raise typer.Exit(build(exercises or (), course, out, check))


@nbgrader.command(name="import")
def import_(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A zip file, or a folder.")],
    assignment: Annotated[str, typer.Option("--assignment", metavar="EXERCISE", help="What was handed in.")],
    layout: Annotated[Layout, typer.Option(help="Who made the archive.")] = "auto",
    into: Annotated[
        Path | None,
        typer.Option(
            "--into", metavar="DIR", help="Default: the submissions of the class around, else submitted."
        ),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option("--roster", metavar="FILE", help="A CSV that maps the LMS's names to ids.")
    ] = None,
    due: Annotated[
        datetime | None,
        typer.Option(
            help="When what the LMS calls in time was handed in at the latest, in the class's time zone."
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of other submissions, which are kept.")
    ] = False,
    course: Course = None,
) -> None:
    """Unpacks what Canvas, Moodle or Gradescope gives out, and believes none of it."""
    from grader.cli.nbgrader import Archive, import_archive

    wanted = Archive(archive, layout, assignment, into, roster, due, replace)
    raise typer.Exit(import_archive(wanted, course))


@nbgrader.command()
def mend(
    folder: Annotated[Path, typer.Argument(metavar="CLASS", help="The folder of the class.")] = Path(),
    course: Course = None,
) -> None:
    """Sees to submissions that nbgrader would pass over: without a notebook, or half autograded."""
    from grader.cli.nbgrader import mend

    raise typer.Exit(mend(course, folder))
