"""A class on disk: everything that marks follow from, read together."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from grader.course.catalog import Catalog
from grader.instruct.course.attempts import ATTEMPTS, remember
from grader.instruct.course.grades import Grades
from grader.instruct.course.hand_scores import note_hand_scores
from grader.instruct.course.marks import Mark, Marking
from grader.instruct.course.policy import Course
from grader.instruct.course.release_log import ReleasedMarks
from grader.instruct.course.student_tables import read_people
from grader.instruct.results import ResultStore
from grader.instruct.submissions import read_submissions


def marks_in(course: Course, catalog: Catalog, now: datetime | None = None) -> list[Mark]:
    """Every mark of the class as of ``now`` (aware; default: this moment).

    Notes what is in the folder of submissions and what people entered in formgrader, and changes nothing
    else. Once the folder has gone or is empty, what was noted is enough; while nobody handed in anything,
    students.csv is. Raises UsageError for whatever cannot be read.
    """
    store = ResultStore(course.results)
    people = read_people(course)
    noted, there = (course.results / ATTEMPTS).is_file(), course.submissions.is_dir()
    known = noted if not there else bool(noted or people.students) and _is_empty(course.submissions)
    submissions = [] if known else read_submissions(course.submissions, catalog)
    return Marking(
        course=course,
        catalog=catalog,
        people=people,
        attempts=remember(store, submissions, catalog),
        grades=Grades(store.all()),
        released=ReleasedMarks(store.folder, store.secret),
        now=now or datetime.now(UTC),
        by_hand=note_hand_scores(store, course.gradebook),
    ).marks()


def _is_empty(submissions: Path) -> bool:
    """Whether nothing lies in the folder but folders of students without anything in them."""
    try:
        students = [each for each in submissions.iterdir() if not each.name.startswith(".")]
        return all(each.is_dir() and not any(each.iterdir()) for each in students)
    except OSError:
        return False  # its reader reports why
