"""A class as it stands on the disk: everything that marks follow from, read together."""

from __future__ import annotations

from datetime import UTC, datetime

from grader.catalog import Catalog
from grader.instruct.course.attempts import ATTEMPTS, remember
from grader.instruct.course.grades import Grades
from grader.instruct.course.marks import Mark, Marking
from grader.instruct.course.people import read_people
from grader.instruct.course.policy import Course
from grader.instruct.course.released import ReleasedMarks
from grader.instruct.results import ResultStore
from grader.instruct.submissions import read_submissions


def marks_in(course: Course, catalog: Catalog, now: datetime | None = None) -> list[Mark]:
    """Every mark of the class as of ``now`` (aware; default: this moment).

    Notes what is in the folder of submissions, and changes nothing else. Once the folder has gone, what was
    noted is enough. Raises UsageError for whatever cannot be read.
    """
    store = ResultStore(course.results)
    gone = not course.submissions.is_dir() and (course.results / ATTEMPTS).is_file()
    submissions = [] if gone else read_submissions(course.submissions, catalog)
    return Marking(
        course=course,
        catalog=catalog,
        people=read_people(course),
        attempts=remember(store, submissions, catalog),
        grades=Grades(store.all()),
        released=ReleasedMarks(store.folder, store.secret),
        now=now or datetime.now(UTC),
    ).marks()
