"""`grader workspace`: create learners' folders and update them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course
from grader.cli.overview import shown
from grader.course.catalog import Catalog
from grader.instruct.workspace import (
    Changes,
    Release,
    create,
    read_archive,
    release_of,
    update,
    write_archive,
)


@dataclass(frozen=True)
class Wanted:
    """What the command line asked for; ``names`` are exercises, none for all of them."""

    folder: Path
    names: Sequence[str]
    archive: Path | None
    wheel: Path | None
    updating: bool
    course: Path | None


def create_workspace(wanted: Wanted) -> None:
    """Makes the folder, or brings it up to date, and says what is in it."""
    release = release_of(Catalog.open(wanted.course), wanted.names, wanted.wheel)
    folder, archive = wanted.folder, wanted.archive
    if archive is not None:
        write_archive(release, archive)
    if wanted.updating:
        _tell(update(release, folder), release)
    else:
        create(release, folder)
        print(f"{shown(folder)} holds {_count(len(release.exercises), 'exercise')}, without solutions.")
    if archive is not None:
        print(f"{shown(archive)} is the same to hand out; learners update with: grader workspace update FILE")
    print(f"Try it as a learner would: cd {shown(folder)} && grader list")


def update_workspace(archive: Path, folder: Path) -> None:
    """Brings the workspace in ``folder`` up to ``archive``, and says what was done."""
    release = read_archive(archive)
    _tell(update(release, folder), release)
    print("Next: grader list")


def _tell(changes: Changes, release: Release) -> None:
    print(f"{_count(len(changes.written), 'file')} written, {len(changes.removed)} taken away;", end=" ")
    print(f"the workspace has {_count(len(release.exercises), 'exercise')}.")
    if changes.kept:
        print(f"You and the new version both changed {', '.join(changes.kept)}: yours stayed.")
        print("The new stubs are in .cu2grad/stubs. grader reset NN puts them in place and keeps yours.")
    if changes.replaced:
        print(f"Replaced, with your version kept in {changes.backup}: {', '.join(changes.replaced)}.")
    if changes.left:
        print(f"No longer in the course, and left there since you changed it: {', '.join(changes.left)}.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# ---- on the command line ----

workspace = typer.Typer(no_args_is_help=True, help="Learners' folders, without the answers.")


@workspace.command("create")
def create_command(
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
    names = [name.strip() for word in exercises or () for name in word.split(",") if name.strip()]
    create_workspace(Wanted(folder, names, archive, wheel, update, course))


@workspace.command("update")
def update_command(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="The zip file that was handed out.")],
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Your workspace.")] = Path(),
) -> None:
    """Brings your workspace up to a version that was handed out. What you wrote stays as it is."""
    update_workspace(archive, folder)
