"""`nbgrader export` into the sheets of Canvas and Moodle: the gradebook's scores, with manual changes.

docs/instructors/nbgrader.md shows the command lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.plugins import ExportPlugin
from traitlets import Unicode

from grader.instruct.export import Filled, Grade, fill_canvas, fill_moodle
from grader.support.errors import ExplainedError, UsageError


class SheetExport(ExportPlugin):
    """Fills in a sheet that the LMS exported, of one assignment."""

    sheet = Unicode(help="The file that the LMS exported.").tag(config=True)

    def export(self, gradebook: Gradebook) -> None:
        """Write ``self.to``. What cannot be done is said in one sentence, and ends nbgrader with code 2."""
        try:
            if len(self.assignment) != 1 or not self.sheet or not self.to:
                raise UsageError(
                    "An assignment, a sheet or a destination is missing.",
                    f"A sheet is filled for one assignment at a time; {self.sheet or 'it'} stays as it is.",
                    f"Add --assignment='[\"SLUG\"]' --{type(self).__name__}.sheet=FILE --to=FILE",
                )
            grades = list(grades_of(gradebook, str(self.assignment[0]), [str(each) for each in self.student]))
            print(self.fill(grades).sentence)
        except ExplainedError as error:
            self.log.error("%s", error)
            raise SystemExit(error.exit_code) from error

    def fill(self, grades: list[Grade]) -> Filled:
        """Write the sheet, and say what came of it."""
        raise NotImplementedError


class CanvasExport(SheetExport):
    """Canvas's gradebook."""

    column = Unicode(help="The title of the assignment's column; empty: its slug.").tag(config=True)

    def fill(self, grades: list[Grade]) -> Filled:
        column = self.column or str(self.assignment[0])
        return fill_canvas(Path(self.sheet), column, grades, Path(self.to))


class MoodleExport(SheetExport):
    """Moodle's grading worksheet."""

    def fill(self, grades: list[Grade]) -> Filled:
        return fill_moodle(Path(self.sheet), grades, Path(self.to))


def grades_of(gradebook: Gradebook, assignment: str, students: list[str]) -> Iterator[Grade]:
    """What the gradebook says of ``assignment``, for these students or for all who handed it in.

    What a person still has to look at is no mark yet.
    """
    for submission in gradebook.assignment_submissions(assignment):
        if not students or submission.student_id in students:
            yield _grade(assignment, submission)


def _grade(assignment: str, submission: SubmittedAssignment) -> Grade:
    if submission.needs_manual_grade:
        state = "waits for a person in formgrader"
        return Grade(submission.student_id, assignment, None, submission.max_score, state)
    points = max(0.0, submission.score - submission.late_submission_penalty)
    comments = [
        comment.comment
        for notebook in submission.notebooks
        for comment in notebook.comments
        if comment.comment
    ]
    return Grade(submission.student_id, assignment, points, submission.max_score, comment=" ".join(comments))
