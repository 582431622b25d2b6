"""What is on the desk while nbgrader converts one notebook: whose, of which exercise, in which class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from grader.catalog import Catalog
from grader.exercise import Exercise
from grader.instruct.course import read_course
from grader.instruct.course.policy import FILE
from grader.instruct.results import ResultStore
from grader.instruct.submissions import Submission

if TYPE_CHECKING:
    from grader.build.request import Backend

DEFAULT_BACKEND: Backend = "simt"  # of record, where no course.toml says another: every machine has it


@dataclass(frozen=True)
class Work:
    """One submission; ``released`` is the notebook that learners got."""

    exercise: Exercise
    submission: Submission
    backend: Backend
    store: ResultStore
    released: Path


class CoursePreprocessor(NbGraderPreprocessor):
    """A step of a conversion that knows the exercises. What belongs to none of them is left to nbgrader."""

    course = Unicode(help="The folder that holds exercises/; empty: the one around the current folder.").tag(
        config=True
    )
    isolate = Bool(True, help="Whether code that was handed in runs in a sandbox.").tag(config=True)

    def work(self, resources: Mapping[str, Any]) -> Work | None:
        """What ``resources`` are about; None for an assignment that is no exercise."""
        about = resources["nbgrader"]
        exercise = exercise_of(self.course, about["assignment"])
        if exercise is None:
            return None
        courses: CourseDirectory = self.parent.parent.coursedir  # of the converter that owns the exporter
        root, slug, student = Path(courses.root), exercise.slug, about["student"]
        return Work(
            exercise=exercise,
            submission=Submission(
                student, slug, Path(courses.format_path(courses.submitted_directory, student, slug))
            ),
            backend=backend_of(root, slug),
            store=ResultStore(results_of(root)),
            released=released_in(courses, slug) / f"{about['notebook']}.ipynb",
        )


def exercise_of(course: str, assignment: str) -> Exercise | None:
    """The exercise whose slug ``assignment`` is. Raises UsageError where there is no course."""
    return next((each for each in _catalog(course).exercises if each.slug == assignment), None)


def released_in(courses: CourseDirectory, slug: str) -> Path:
    """What learners got of an assignment."""
    return Path(courses.format_path(courses.release_directory, ".", slug))


def backend_of(folder: Path, slug: str) -> Backend:
    """The backend of record in the class whose folder this is."""
    if not (folder / FILE).is_file():
        return DEFAULT_BACKEND
    return "cuda" if read_course(folder).backend_of(slug) == "cuda" else "simt"


def results_of(folder: Path) -> Path:
    """Where the class keeps what was found out."""
    return read_course(folder).results if (folder / FILE).is_file() else folder / "results"


@lru_cache
def _catalog(course: str) -> Catalog:
    return Catalog.open(Path(course) if course else None)
