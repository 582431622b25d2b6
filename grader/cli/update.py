"""`grader update`: bring a learner's folder up to a newer handout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cusimt.support.words import counted
from grader.handout import Changes, Release, read_archive, update


def update_command(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="The zip file that was handed out.")],
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Your workspace.")] = Path(),
) -> None:
    """Brings your workspace up to a version that was handed out. What you wrote stays as it is."""
    release = read_archive(archive)
    _tell(update(release, folder), release)
    print("Next: grader list")


def _tell(changes: Changes, release: Release) -> None:
    print(f"{counted(len(changes.written), 'file')} written, {len(changes.removed)} taken away;", end=" ")
    print(f"the workspace has {counted(len(release.exercises), 'exercise')}.")
    if changes.kept:
        print(f"You and the new version both changed {', '.join(changes.kept)}: yours stayed.")
        print("The new stubs are in .cu2grad/stubs. grader reset NN puts them in place and keeps yours.")
    if changes.replaced:
        print(f"Replaced, with your version kept in {changes.backup}: {', '.join(changes.replaced)}.")
    if changes.left:
        print(f"No longer in the course, and left there since you changed it: {', '.join(changes.left)}.")
