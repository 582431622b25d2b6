"""The submission that nbgrader is converting: student, exercise and class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.instruct.course import read_course
from grader.instruct.results import ResultStore
from grader.instruct.submissions import Submission
from grader.instruct.submissions.folder import submission_in
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


def work_on(exercise: Exercise, courses: CourseDirectory, about: Mapping[str, str]) -> Work:
    """What nbgrader calls ``about``: a student, and a notebook of ``exercise``."""
    folder = Path(courses.format_path(courses.submitted_directory, about["student"], exercise.slug))
    released = Path(courses.format_path(courses.release_directory, ".", exercise.slug))
    home = read_course(Path(courses.root))
    return Work(
        exercise=exercise,
        submission=submission_in(folder),
        backend=home.backend_of(exercise.slug),
        site=home.site,
        store=ResultStore(home.results),
        released=released / f"{about['notebook']}.ipynb",
    )


def exercise_of(course: str, assignment: str) -> Exercise | None:
    """The exercise whose slug ``assignment`` is. Raises UsageError where there is no course."""
    return next((each for each in catalog_of(course).exercises if each.slug == assignment), None)


@lru_cache
def catalog_of(course: str) -> Catalog:
    """The exercises in the folder ``course``; "" means the one around the current folder."""
    return Catalog.open(Path(course) if course else None)
