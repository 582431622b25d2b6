"""From a verdict to nbgrader's gradebook: all scores of a submission at once, or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nbformat import NotebookNode
from nbgrader.api import Grade, Gradebook, MissingEntry
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

from grader.instruct.nbgrader.notebook import facts_of
from grader.notebook.report import clamped
from grader.report.words import results_for
from grader.verdict import Verdict

NO_RESPONSE = "No response."  # what nbgrader itself says of an answer that is as it was released


@dataclass(frozen=True)
class Score:
    """``points`` are plain and within the cell's bounds; ``judged``: whether they mean anything."""

    points: float
    judged: bool
    lines: tuple[str, ...]


def score_of(verdict: Verdict, check: str, out_of: float) -> Score:
    """How ``check`` ended, scaled to ``out_of`` points; parts are taken together.

    An unjudged check is neither a zero nor a pass: a person has to look.
    """
    results = results_for(verdict, check)
    if not results:
        return Score(0.0, False, (f"The verdict says nothing about {check}.",))
    possible = sum(each.out_of for each in results)
    earned = sum(each.points for each in results)
    share = earned / possible if possible else 0.0
    several = len(results) > 1
    lines = tuple(f"{each.name}: {each.sentence}" if several else each.sentence for each in results)
    return Score(clamped(share * out_of, out_of), all(each.status.counts for each in results), lines)


# ---- the gradebook; ``about`` is what nbgrader calls a submission ----


def forget_scores(about: Mapping[str, str]) -> None:
    """Take away what an earlier submission scored, where there is one."""
    with Gradebook(about["db_url"]) as gradebook:
        try:
            found = gradebook.find_submission_notebook(
                about["notebook"], about["assignment"], about["student"]
            )
        except MissingEntry:
            return
        for grade in found.grades:
            grade.auto_score, grade.needs_manual_grade = None, True
        gradebook.db.commit()


def save_scores(about: Mapping[str, str], notebook: NotebookNode, scores: Mapping[str, Score]) -> None:
    """Enter ``scores``, and which questions of an instructor's own are unanswered.

    A kill leaves no half of it. What a person entered stays.
    """
    cells = {facts_of(cell)["grade_id"]: cell for cell in notebook.cells if "grade_id" in facts_of(cell)}
    with Gradebook(about["db_url"]) as gradebook:
        found = gradebook.find_submission_notebook(about["notebook"], about["assignment"], about["student"])
        for grade in found.grades:
            _save_score(grade, cells.get(grade.name), scores.get(grade.name))
        for comment in found.comments:
            facts = facts_of(cells[comment.name]) if comment.name in cells else {}
            as_released = facts and facts.get("checksum") == compute_checksum(cells[comment.name])
            comment.auto_comment = NO_RESPONSE if as_released and not facts.get("task") else None
        gradebook.db.commit()


def _save_score(grade: Grade, cell: NotebookNode | None, score: Score | None) -> None:
    """As in nbgrader, a manual score, or none, needs a person's attention; here extra credit does, too."""
    if score is not None:
        grade.auto_score = score.points if score.judged else None
    else:
        # A cell that an instructor added. An answer as it was released is 0. Nothing else has a score but a
        # person's: nbgrader gives full marks to tests without output, and here no tests are run.
        answer = cell is not None and is_grade(cell) and is_solution(cell)
        grade.auto_score = determine_grade(cell)[0] if answer else None
    entered = grade.manual_score is not None or bool(grade.extra_credit)
    grade.needs_manual_grade = entered or grade.auto_score is None
