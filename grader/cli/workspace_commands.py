"""`grader workspace`: the options. What is done lies in the module that they import when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course

workspace = typer.Typer(no_args_is_help=True, help="Learners' folders, without the answers.")


@workspace.command()
def create(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
    exercises: Annotated[
        list[str] | None,
        typer.Option(
            "--exercises", metavar="NN,...", help="Numbers or slugs, with commas between them. Default: all."
        ),
    ] = None,
    archive: Annotated[
        Path | None, typer.Option("--zip", metavar="FILE", help="Also write a zip file to hand out.")
    ] = None,
    wheel: Annotated[
        Path | None, typer.Option("--wheel", metavar="FILE", help="The grader, for learners to install.")
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="DIR is a workspace: bring it up to date, keep every edit.")
    ] = False,
    course: Course = None,
) -> None:
    """Makes a learner's folder: stubs, lessons and hints, and nothing of the solutions."""
    from grader.cli.workspace import Wanted, create_workspace

    names = [name.strip() for word in exercises or () for name in word.split(",") if name.strip()]
    create_workspace(Wanted(folder, names, archive, wheel, update, course))


@workspace.command()
def update(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="The zip file that was handed out.")],
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Your workspace.")] = Path(),
) -> None:
    """Brings your workspace up to a version that was handed out. What you wrote stays as it is."""
    from grader.cli.workspace import update_workspace

    update_workspace(archive, folder)
