"""The submission that nbgrader is converting: student, exercise and class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.instruct.course import course_of
from grader.instruct.results import ResultStore
from grader.instruct.submissions import Submission
from grader.instruct.submissions.folder import submission_in

if TYPE_CHECKING:
    from grader.support.backends import Backend


@dataclass(frozen=True)
class Work:
    """One submission; ``released`` is the notebook that learners got, ``site`` where their lessons are."""

    exercise: Exercise
    submission: Submission
    backend: Backend
    site: str
    store: ResultStore
    released: Path


class CoursePreprocessor(NbGraderPreprocessor):
    """A step of a conversion that knows the exercises. What belongs to none of them is left to nbgrader."""

    course = Unicode(help="The folder that holds exercises/; empty: the one around the current folder.").tag(
        config=True
    )
    isolate = Bool(True, help="Whether code that was handed in runs in a sandbox.").tag(config=True)

    def catalog(self) -> Catalog:
        """All exercises."""
        return _catalog(self.course)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """`convert`, where it is about an exercise."""
        work = self.work(resources)
        return nb if work is None else self.convert(nb, work, resources), resources

    def convert(self, nb: NotebookNode, work: Work, resources: Any) -> NotebookNode:
        """What ``nb`` becomes in this step."""
        return nb

    def work(self, resources: Mapping[str, Any]) -> Work | None:
        """What ``resources`` are about; None for an assignment that is no exercise."""
        about = resources["nbgrader"]
        exercise = exercise_of(self.course, about["assignment"])
        if exercise is None:
            return None
        courses: CourseDirectory = self.parent.parent.coursedir  # of the converter that owns the exporter
        slug, student = exercise.slug, about["student"]
        folder = Path(courses.format_path(courses.submitted_directory, student, slug))
        home = course_of(folder.parents[1])
        return Work(
            exercise=exercise,
            submission=submission_in(folder),
            backend=home.backend_of(slug),
            site=home.site,
            store=ResultStore(home.results),
            released=released_in(courses, slug) / f"{about['notebook']}.ipynb",
        )


def exercise_of(course: str, assignment: str) -> Exercise | None:
    """The exercise whose slug ``assignment`` is. Raises UsageError where there is no course."""
    return next((each for each in _catalog(course).exercises if each.slug == assignment), None)


def released_in(courses: CourseDirectory, slug: str) -> Path:
    """What learners got of an assignment."""
    return Path(courses.format_path(courses.release_directory, ".", slug))


@lru_cache
def _catalog(course: str) -> Catalog:
    return Catalog.open(Path(course) if course else None)
