"""The class that a folder of submissions belongs to, the same for every command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.instruct.course.policy import FILE, Course
from grader.instruct.course.reading import read_course
from grader.support.errors import UsageError

if TYPE_CHECKING:
    from grader.support.backends import Backend

# Of record, where no course.toml says another: every machine has it, so a mark depends on none.
DEFAULT_BACKEND: Backend = "simt"


@dataclass(frozen=True)
class ClassFolder:
    """A class: where its submissions and results lie. ``course`` is None where there is no course.toml."""

    submissions: Path
    results: Path
    course: Course | None = None

    def backend_of(self, slug: str) -> Backend:
        """The backend of record for one exercise."""
        if self.course is None:
            return DEFAULT_BACKEND
        return self.course.backend_of(slug)


def class_in(folder: Path) -> ClassFolder:
    """The class whose folder this is. Raises UsageError for a ``course.toml`` that cannot be read."""
    folder = folder.resolve()
    if not (folder / FILE).is_file():
        return ClassFolder(folder / "submitted", folder / "results")
    course = read_course(folder)
    return ClassFolder(course.submissions.resolve(), course.results, course)


def folder_around(here: Path) -> Path | None:
    """The nearest folder with a ``course.toml``: ``here``, or one that it lies in."""
    here = here.resolve()
    return next((each for each in (here, *here.parents) if (each / FILE).is_file()), None)


def class_of(submissions: Path) -> ClassFolder:
    """The class whose folder of submissions this is, there already or not.

    It is described by the nearest ``course.toml`` in a folder around; without one, results lie beside.
    Raises UsageError where that file cannot be read, or calls another folder that of the submissions.
    """
    submissions = submissions.resolve()
    folder = folder_around(submissions.parent)
    if folder is None:
        return ClassFolder(submissions, submissions.parent / "results")
    found = class_in(folder)
    if found.submissions != submissions:
        raise UsageError(
            f"{folder / FILE} has its submissions in {found.submissions}, and {submissions} was named.",
            "Backends, results and marks of a class follow from that file, for that folder alone.",
            f"Name {found.submissions}; or set `submissions` there; or move this folder out of the class.",
        )
    return found
