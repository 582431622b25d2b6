"""From the notebook's outputs to the gradebook: all scores of a submission at once, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, Gradebook
from nbgrader.preprocessors import SaveAutoGrades
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

from grader.instruct.nbgrader.notebook import FILE

NO_RESPONSE = "No response."  # what nbgrader itself says of an answer that is as it was released
TOLD = "cu2grad"  # the key of what injecting tells saving, in nbconvert's resources


@dataclass(frozen=True)
class Told:
    """``scores`` of the check cells, None where a person has to look; ``untouched`` are file cells."""

    scores: dict[str, float | None]
    untouched: frozenset[str]


class SaveVerdict(SaveAutoGrades):
    """Saves in one transaction what nbgrader would commit cell by cell.

    A kill leaves no half of the marks, and it takes a third of the time. What a person entered stays.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        told: Told | None = resources.get(TOLD)
        if told is None:
            saved: tuple[NotebookNode, Any] = super().preprocess(nb, resources)
            return saved
        about = resources["nbgrader"]
        facts = ((cell.metadata.get("nbgrader", {}), cell) for cell in nb.cells)
        cells = {each["grade_id"]: cell for each, cell in facts if "grade_id" in each}
        with Gradebook(about["db_url"]) as gradebook:
            found = gradebook.find_submission_notebook(
                about["notebook"], about["assignment"], about["student"]
            )
            for grade in found.grades:
                _save_score(grade, cells.get(grade.name), told)
            for comment in found.comments:
                _save_comment(comment, cells.get(comment.name), told)
            gradebook.db.commit()
        return nb, resources


def _save_score(grade: Grade, cell: NotebookNode | None, told: Told) -> None:
    """As in nbgrader, a manual score, or none, needs a person's attention; here extra credit does, too."""
    if grade.name in told.scores:
        grade.auto_score = told.scores[grade.name]
    else:
        # A cell that an instructor added. An answer as it was released is 0. Nothing else has a score but a
        # person's: nbgrader gives full marks to tests without output, and here no tests are run.
        answer = cell is not None and is_grade(cell) and is_solution(cell)
        grade.auto_score = determine_grade(cell)[0] if answer else None
    entered = grade.manual_score is not None or bool(grade.extra_credit)
    grade.needs_manual_grade = entered or grade.auto_score is None


def _save_comment(comment: Comment, cell: NotebookNode | None, told: Told) -> None:
    """File cells by the files; an instructor's own by whether they are as they were released."""
    if comment.name.startswith(FILE):
        unanswered = comment.name in told.untouched
    else:
        facts = cell.metadata.nbgrader if cell is not None else {}
        unanswered = (
            cell is not None and not facts.get("task") and facts.get("checksum") == compute_checksum(cell)
        )
    comment.auto_comment = NO_RESPONSE if unanswered else None
