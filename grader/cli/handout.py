"""`grader class release`: learners' folders without the answers."""

from __future__ import annotations

from pathlib import Path

from cusimt.support.words import counted
from grader.cli.overview import shown
from grader.cli.term import MarksOptions, Term, open_term
from grader.handout import Release, pack, place
from grader.instruct.workspace import given_away, release_of
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
