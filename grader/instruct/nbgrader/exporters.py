"""`nbgrader export`: nbgrader's table with the marks of `grader class marks`, which is the book of a class.

What people enter in formgrader flows into the marks, and the marks flow back from here: as the penalty that
nbgrader takes off a score. docs/instructors/reference.md shows the command line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import CsvExportPlugin

from cusimt.support.words import listed, noun
from grader.instruct.course import Course, Mark, People, State, marks_in, read_course, read_people
from grader.instruct.course.lateness import FULL
from grader.instruct.nbgrader.current_submission import catalog_of
from grader.support.errors import ExplainedError, UsageError

_SHOWN = 5
_SAME = 0.005


class BookExport(CsvExportPlugin):
    """nbgrader's CSV."""

    student: list[str]

    def export(self, gradebook: Gradebook) -> None:
        """Write ``self.to``. Raises SystemExit after a sentence on what would contradict the marks."""
        courses = self.parent.coursedir
        try:
            self._agree(gradebook, read_course(Path(courses.root)))
        except ExplainedError as error:
            self.log.error("%s", error)
            raise SystemExit(error.exit_code) from error
        super().export(gradebook)

    def _agree(self, gradebook: Gradebook, course: Course) -> None:
        """Let ``gradebook`` say what the marks say. Raises UsageError where it cannot."""
        if Path(gradebook.engine.url.database or "").resolve() != course.gradebook.resolve():
            raise UsageError(
                f"nbgrader keeps {gradebook.engine.url}, and the marks come from {course.gradebook}.",
                "What people enter in formgrader belongs to the marks, so both read one gradebook.",
                f"Set `gradebook` in {course.file} to the file of nbgrader's db_url",
            )
        marks = marks_in(course, catalog_of(self.config.GradedNotebook.course))
        only, slugs = [str(each) for each in self.student], [str(each) for each in self.assignment]
        self.student = self._accepted(gradebook, read_people(course), only)
        chosen = [
            mark
            for mark in marks
            if mark.accepted
            and (not only or mark.student in only)
            and (not slugs or mark.assignment.exercise in slugs)
        ]
        if apart := [place for mark in chosen for place in _apart(gradebook, mark)]:
            gradebook.db.rollback()
            more = f" and {len(apart) - _SHOWN} more" if len(apart) > _SHOWN else ""
            raise UsageError(
                f"nbgrader's table would contradict the marks of {'; '.join(apart[:_SHOWN])}{more}.",
                "The book of a class is grader class marks: an export never says otherwise.",
                "Export from the book: grader class export",
            )
        gradebook.db.commit()

    def _accepted(self, gradebook: Gradebook, people: People, only: list[str]) -> list[str]:
        """Whom the roster has, of ``only`` or of everybody; the others are named."""
        asked = only or [student.id for student in gradebook.students]
        strange = [student for student in asked if not people.accepts(student)]
        if strange:
            self.log.warning("Not exported until students.csv has them: %s", listed(strange))
        if not asked:
            raise UsageError(
                "nbgrader's gradebook has no students.",
                "Its table has a line for each of them.",
                "Enter them with: nbgrader autograde EXERCISE",
            )
        if not (accepted := [student for student in asked if student not in strange]):
            whom = listed(only) if only else "The students in nbgrader's gradebook"
            raise UsageError(
                f"{whom} {noun(len(only) == 1, 'is', 'are')} not in students.csv.",
                "Only marks of ids in the roster are exported.",
                "Add a line for each student to students.csv",
            )
        return accepted


def _apart(gradebook: Gradebook, mark: Mark) -> Iterator[str]:
    """Enter ``mark`` as the penalty of its submission; yields whose it is where nbgrader has no place."""
    slug, student = mark.assignment.exercise, mark.student
    if mark.astray:
        yield f"{student}, {slug}: what a person entered fits no hand-in by its time"
        return
    try:
        submission = gradebook.find_submission(slug, student)
    except MissingEntry:
        # Then nbgrader says 0 without a time, as of nothing handed in, which is true of MISSING and OPEN. To
        # refuse OPEN would refuse every table of a class that has an assignment without a deadline.
        if mark.counts and mark.points > _SAME:
            yield f"{student}, {slug}: nbgrader has no submission"
        elif mark.state is State.WAITING and not mark.counts:
            yield f"{student}, {slug}: nbgrader has no submission, and it is {mark.state}"
        return
    if not mark.counts:
        yield f"{student}, {slug}: {mark.state}"
        return
    worth = mark.points / FULL * submission.max_score
    for notebook in submission.notebooks:
        notebook.late_submission_penalty = None
    if submission.notebooks:
        submission.notebooks[0].late_submission_penalty = submission.score - worth
