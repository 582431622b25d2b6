"""`grader class release` and `grader update`: learners' folders without the answers, made and updated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cusimt.support.words import counted
from grader.cli.overview import shown
from grader.cli.term import MarksOptions, Term, open_term
from grader.instruct.workspace import (
    Changes,
    Release,
    given_away,
    pack,
    place,
    read_archive,
    release_of,
    update,
)
from grader.support.durable import PUBLIC, write_atomically

FOLDER = "handout"


def hand_out(request: MarksOptions, until: str, wheel: Path | None) -> int:
    """Writes the handout of the assignments up to ``until``, as a folder and as a numbered zip file."""
    term = open_term(request)
    slugs = _up_to(term, until)
    release = release_of(term.catalog, slugs, wheel)
    folder = term.course.folder / FOLDER
    place(release, folder)
    print(f"{shown(folder)} holds {counted(len(slugs), 'exercise')}, without solutions, to {slugs[-1]}.")
    archive, number = _packed(release, term.course.folder)
    print(f"{shown(archive)} is the same, to hand out; unpack it on another machine, and try it there.")
    if number > 1:
        print(f"Learners bring their folder up to date with: grader update {archive.name}")
    together = given_away([term.catalog.find(slug) for slug in slugs]) if not until else None
    if together:
        earlier, later = together
        before = slugs[slugs.index(later.slug) - 1][:2]
        print(f"Stubs of {later.slug} have lines that {earlier.slug} asks for; in order: --until {before}")
    print("Next, when they have handed in: grader class collect EXERCISE ARCHIVE")
    return 0


def _up_to(term: Term, until: str) -> list[str]:
    slugs = list(term.course.assignments)
    return slugs[: slugs.index(term.slug(until)) + 1] if until else slugs


def _packed(release: Release, folder: Path) -> tuple[Path, int]:
    """The newest archive if it is this release, else one with the next number: learners keep theirs."""
    number = 1
    while (folder / f"{folder.name}-{number + 1}.zip").exists():
        number += 1
    archive = folder / f"{folder.name}-{number}.zip"
    if archive.exists() and archive.read_bytes() != pack(release, archive.stem):
        number += 1
        archive = folder / f"{folder.name}-{number}.zip"
    if not archive.exists():
        write_atomically(archive, pack(release, archive.stem), PUBLIC)
    return archive, number


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
