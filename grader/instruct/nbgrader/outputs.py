"""From a verdict to a notebook with outputs, without a kernel: the second half of `nbgrader autograde`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute

from grader.instruct.batch import batch_key, grade_one
from grader.instruct.batch.grading import not_judged
from grader.instruct.course import remember
from grader.instruct.course.gradebook import CHECK
from grader.instruct.nbgrader.current_submission import CoursePreprocessor, Work
from grader.instruct.nbgrader.gradebook import TOLD, Told
from grader.instruct.nbgrader.notebook import REPORT, file_cell
from grader.instruct.nbgrader.sanitizing import untouched_cells
from grader.instruct.results import Record, VerdictLog
from grader.notebook.report import clamped
from grader.report import verdict_text
from grader.report.html import verdict_html
from grader.report.site import at_site
from grader.report.words import results_for
from grader.support.errors import ExplainedError
from grader.verdict import Verdict


class InjectVerdict(CoursePreprocessor, Execute):
    """Stands in for executing the notebook: outputs come from the verdict on the files.

    The verdict is the one in the store of results, or else is found out now. An assignment that is no
    exercise is executed as ever.
    """

    def preprocess(self, nb: NotebookNode, resources: Any, km: Any = None) -> tuple[NotebookNode, Any]:
        work = self.work(resources)
        if work is None:
            executed: tuple[NotebookNode, Any] = Execute.preprocess(self, nb, resources, km)
            return executed
        remember(work.store, [work.submission], self.catalog())  # a later hand-in may be worth less
        verdict = at_site(self.verdict(work), work.site)
        scores: dict[str, float | None] = {}
        shown = {file_cell(name): name for name in work.exercise.edit}
        for cell in nb.cells:
            if cell.cell_type != "code":
                continue
            cell.outputs, cell.execution_count = [], None
            facts = cell.metadata.get("nbgrader", {})
            name = facts.get("grade_id", "")
            if name in shown:  # below the file, whose first line is the first of the cell
                cell.outputs = [_display({"text/plain": shown[name]})]
            if name == REPORT:
                cell.outputs = [
                    _display({"text/html": verdict_html(verdict), "text/plain": verdict_text(verdict)})
                ]
            elif facts.get("grade") and name.startswith(CHECK):
                score = score_of(verdict, name.removeprefix(CHECK), float(facts["points"]))
                points = new_output(
                    "execute_result", {"text/plain": repr(score.points)}, execution_count=None
                )
                cell.outputs = [_display({"text/plain": "\n".join(score.lines)}), points]
                scores[name] = score.points if score.judged else None
        resources[TOLD] = Told(scores, frozenset(untouched_cells(work)))
        return nb, resources

    def verdict(self, work: Work) -> Verdict:
        """What was found out about the files that are there now. What could not be is nobody's zero."""
        try:
            record = recorded(work) or grade_one(
                work.submission, work.exercise, work.store, backend=work.backend, isolate=self.isolate
            )
        except ExplainedError as fault:
            self.log.error("%s is not judged: %s", work.exercise.slug, fault)
            return not_judged(work.exercise, work.backend, 0, str(fault))
        return record.verdict


def _display(bundle: dict[str, str]) -> NotebookNode:
    return new_output("display_data", bundle)


# ---- the verdict on a submission ----


def recorded(work: Work) -> Record | None:
    """The record of the files as they are now.

    The gradebook is often kept on a machine without a GPU. There, what a GPU of any model has judged counts;
    with several models it is the one that judged last.
    """
    key = batch_key(work.submission, work.exercise, work.backend)
    found = work.store.find(key)
    if found is not None or key.backend == "simt" or key.device:
        return found
    others = [work.store.find(replace(key, device=device)) for device in _devices(work.store.log)]
    return max((each for each in others if each is not None), key=lambda each: each.graded, default=None)


def _devices(log: VerdictLog) -> tuple[str, ...]:
    size = log.path.stat().st_size if log.path.exists() else 0
    return _devices_in(log.path, size)


@lru_cache(maxsize=4)
def _devices_in(path: Path, size: int) -> tuple[str, ...]:
    """The models that the log names; ``size`` in bytes, so that it is read again when it has grown."""
    return tuple(sorted({entry.device for entry in VerdictLog(path).entries()} - {""}))


# ---- the scores of check cells ----


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
