"""A course as its instructors run it: policy, marks that explain themselves, and what was told to whom.

course = read_course(Path("."))
attempts = remember(store, read_submissions(course.submissions, catalog), catalog)
marks = Marking(course, catalog, read_people(course), attempts, Grades(store.all()), released, now).marks()
"""

from grader.instruct.course.attempts import remember
from grader.instruct.course.course_state import marks_in
from grader.instruct.course.grades import Grades
from grader.instruct.course.marks import Mark, Marking, State, Total, totals
from grader.instruct.course.policy import DEFAULT_BACKEND, Course, LatePolicy
from grader.instruct.course.reading import folder_around, read_course
from grader.instruct.course.release_log import ReleasedMarks
from grader.instruct.course.student_tables import People, read_people

__all__ = [
    "DEFAULT_BACKEND",
    "Course",
    "Grades",
    "LatePolicy",
    "Mark",
    "Marking",
    "People",
    "ReleasedMarks",
    "State",
    "Total",
    "folder_around",
    "marks_in",
    "read_course",
    "read_people",
    "remember",
    "totals",
]
