"""From a verdict to nbgrader's gradebook: all scores of a submission at once, or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, Gradebook, MissingEntry
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

from grader.course.exercise import Exercise
from grader.course.stubs import stub_text
from grader.instruct.nbgrader.notebook import FILE, facts_of, file_cell
from grader.instruct.submissions import Handed
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


def save_scores(
    about: Mapping[str, str], notebook: NotebookNode, scores: Mapping[str, Score], exercise: Exercise,
    handed: Handed,
) -> None:  # fmt: skip
    """Enter ``scores``, and which cells are unanswered. A kill leaves no half of it.

    What a person entered stays.
    """
    cells = {facts_of(cell)["grade_id"]: cell for cell in notebook.cells if "grade_id" in facts_of(cell)}
    untouched = {file_cell(name) for name in exercise.edit if _is_untouched(name, exercise, handed)}
    with Gradebook(about["db_url"]) as gradebook:
        found = gradebook.find_submission_notebook(about["notebook"], about["assignment"], about["student"])
        for grade in found.grades:
            _save_score(grade, cells.get(grade.name), scores.get(grade.name))
        for comment in found.comments:
            _save_comment(comment, cells.get(comment.name), comment.name in untouched)
        gradebook.db.commit()


def _is_untouched(name: str, exercise: Exercise, handed: Handed) -> bool:
    """Whether a file is as it was handed out, or not there at all."""
    content = handed.files.get(name)
    same = content is None or content.decode(errors="replace").split() == stub_text(exercise, name).split()
    return same and name not in handed.refused


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


def _save_comment(comment: Comment, cell: NotebookNode | None, untouched: bool) -> None:
    """File cells by the files; an instructor's own by whether they are as they were released."""
    facts = facts_of(cell) if cell is not None else {}
    as_released = cell is not None and facts.get("checksum") == compute_checksum(cell)
    unanswered = untouched if comment.name.startswith(FILE) else as_released and not facts.get("task")
    comment.auto_comment = NO_RESPONSE if unanswered else None
