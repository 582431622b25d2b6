"""From a verdict to a notebook with outputs, without a kernel: the second half of `nbgrader autograde`."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute

from grader.instruct.batch import grade_one
from grader.instruct.batch.grading import not_judged
from grader.instruct.nbgrader.current_submission import CoursePreprocessor, Work
from grader.instruct.nbgrader.gradebook import TOLD, Told
from grader.instruct.nbgrader.lookup import recorded
from grader.instruct.nbgrader.notebook import CHECK, REPORT
from grader.instruct.nbgrader.sanitizing import untouched_cells
from grader.instruct.nbgrader.scores import score_of
from grader.report import verdict_text
from grader.report.html import verdict_html
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
        verdict = self.verdict(work)
        scores: dict[str, float | None] = {}
        for cell in nb.cells:
            if cell.cell_type != "code":
                continue
            cell.outputs, cell.execution_count = [], None
            facts = cell.metadata.get("nbgrader", {})
            name = facts.get("grade_id", "")
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
