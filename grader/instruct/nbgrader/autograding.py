"""`nbgrader autograde` for an exercise: the whole notebook that formgrader shows, written at once.

nbgrader converts a notebook twice, in a dozen steps, to clean it and to run it. Where nothing counts that a
learner wrote into a notebook, none of them is needed: the released notebook is filled with the files that
were handed in and with the verdict on them. No kernel is started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_notebook, new_output
from traitlets import Bool, Unicode

from grader.instruct.batch import batch_key, grade_one
from grader.instruct.batch.grading import not_judged
from grader.instruct.course import remember
from grader.instruct.course.gradebook import CHECK
from grader.instruct.nbgrader.current_submission import Work, catalog_of, exercise_of, work_on
from grader.instruct.nbgrader.notebook import FILE, REPORT, as_text, assignment_notebook, facts_of, file_cell
from grader.instruct.nbgrader.scores import Score, forget_scores, save_scores, score_of
from grader.instruct.results import Record
from grader.instruct.submissions import Handed, look
from grader.report import verdict_text
from grader.report.html import verdict_html
from grader.report.site import at_site
from grader.support.errors import ExplainedError
from grader.verdict import Verdict

SHOWN = 100_000  # characters of one file in the notebook; the file itself lies beside it
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# As nbconvert colours them, which takes every cell for Python otherwise.
_LANGUAGES = {".py": "python", ".toml": "toml"} | dict.fromkeys((".cu", ".cuh", ".cpp", ".h"), "cuda")


class GradedNotebook(NotebookExporter):
    """Stands in for cleaning and executing a notebook. What belongs to no exercise is left to nbgrader.

    The verdict is the one in the store of results, or else is found out now.
    """

    course = Unicode(help="The folder that holds exercises/; empty: the one around the current folder.").tag(
        config=True
    )
    isolate = Bool(True, help="Whether code that was handed in runs in a sandbox.").tag(config=True)

    def from_filename(self, filename: str, resources: Any = None, **options: Any) -> tuple[str, Any]:
        about = resources["nbgrader"]
        exercise = exercise_of(self.course, about["assignment"])
        if exercise is None:
            left: tuple[str, Any] = super().from_filename(filename, resources=resources, **options)
            return left
        resources["output_extension"] = self.file_extension
        work = work_on(exercise, self.parent.coursedir, about)
        if Path(filename).resolve().parent != work.submission.folder.resolve():
            return Path(filename).read_text(encoding="utf-8"), resources  # the second time: it is graded
        # Before anything can go wrong with this submission, the scores of an earlier one are taken away.
        forget_scores(about)
        notebook = _released(work)
        _take_answers(notebook, self._handed_in(filename))
        remember(work.store, [work.submission], catalog_of(self.course))  # a later hand-in may be worth less
        handed = look(work.submission, work.exercise)
        scores = _fill(notebook, work, handed, at_site(self.verdict(work), work.site))
        save_scores(about, notebook, scores)
        return as_text(notebook), resources

    def _handed_in(self, filename: str) -> NotebookNode:
        """Nothing in it is graded, so one that cannot be read costs its owner nothing."""
        try:
            return nbformat.read(filename, as_version=nbformat.current_nbformat)
        except Exception as problem:  # a stranger's file can be wrong in every way
            self.log.warning("The notebook cannot be read (%s); the released one takes its place.", problem)
            return new_notebook()

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


# ---- the notebook ----


def _released(work: Work) -> NotebookNode:
    if not work.released.is_file():  # nbgrader keeps its checksums in the gradebook, and goes on without
        return assignment_notebook(work.exercise, work.exercise.scores_on(work.backend))
    return nbformat.read(work.released, as_version=nbformat.current_nbformat)


def _take_answers(notebook: NotebookNode, handed_in: NotebookNode) -> None:
    """In cells that an instructor added for them. Other cells that were handed in may say anything."""
    answers = dict(_answers(handed_in))
    for cell in notebook.cells:
        facts = facts_of(cell)
        if facts.get("solution") and not facts["grade_id"].startswith(FILE):
            answer = answers.get(facts["grade_id"])
            if answer is not None:
                cell.source = answer if cell.cell_type == "code" else _without_tags(answer)


def _answers(nb: NotebookNode) -> Iterator[tuple[str, str]]:
    """What stands in cells that call themselves by an id; whether that is so is not looked into."""
    for cell in nb.get("cells", []):
        facts = cell.get("metadata", {}).get("nbgrader", {})
        name = facts.get("grade_id") if isinstance(facts, dict) else None
        if isinstance(name, str) and isinstance(cell.get("source"), str):
            yield name, cell["source"]


def _without_tags(text: str) -> str:
    """``text`` as Markdown that is no HTML: formgrader shows it in the browser of whoever marks.

    A character without width after each ``<`` that would begin a tag looks right in code, too, where an
    entity would be shown as it is written.
    """
    return _TAG.sub("<\u200b", text)


def _fill(notebook: NotebookNode, work: Work, handed: Handed, verdict: Verdict) -> dict[str, Score]:
    """Show the files and the verdict on them; returns the scores of the check cells by their ids."""
    files = {file_cell(name): name for name in work.exercise.edit}
    scores = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = [], None
        facts = facts_of(cell)
        name = facts.get("grade_id", "")
        if name in files:  # its name stands below the file, whose first line is the first of the cell
            cell.source = _shown(files[name], handed)
            cell.metadata["magics_language"] = _LANGUAGES.get(Path(files[name]).suffix, "text")
            cell.outputs = [_display({"text/plain": files[name]})]
        elif name == REPORT:
            report = {"text/html": verdict_html(verdict), "text/plain": verdict_text(verdict)}
            cell.outputs = [_display(report)]
        elif facts.get("grade") and name.startswith(CHECK):
            score = scores[name] = score_of(verdict, name.removeprefix(CHECK), float(facts["points"]))
            points = new_output("execute_result", {"text/plain": repr(score.points)}, execution_count=None)
            cell.outputs = [_display({"text/plain": "\n".join(score.lines)}), points]
    return scores


def _display(bundle: dict[str, str]) -> NotebookNode:
    return new_output("display_data", bundle)


def _shown(name: str, handed: Handed) -> str:
    if name in handed.refused:
        return f"# {handed.refused[name]}"
    if name not in handed.files:
        return f"# {name} was not handed in."
    text = handed.files[name].decode(errors="replace").rstrip()
    if len(text) > SHOWN:
        text = f"{text[:SHOWN]}\n... {len(text) - SHOWN} more characters are in {Path(name).name}"
    return text


# ---- the verdict on a submission ----


def recorded(work: Work) -> Record | None:
    """The record of the files as they are now.

    The gradebook is often kept on a machine without a GPU. There, what a GPU of any model has judged counts;
    with several models it is the one that judged last.
    """
    key = batch_key(work.submission, work.exercise, work.backend)
    devices = {key.device}
    if key.backend == "cuda" and not key.device:
        devices |= {entry.device for entry in work.store.log.entries()}
    records = [work.store.find(replace(key, device=device)) for device in devices]
    return max((each for each in records if each is not None), key=lambda each: each.graded, default=None)
