"""From submitted files to a trusted notebook: the first half of `nbgrader autograde`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import CheckCellMetadata, ClearSolutions

from grader.course.stubs import stub_text
from grader.instruct.course import judged_scores
from grader.instruct.nbgrader.current_submission import CoursePreprocessor, Work, exercise_of
from grader.instruct.nbgrader.notebook import FILE, assignment_notebook, file_cell
from grader.instruct.submissions import Handed, look

SHOWN = 100_000  # characters of one file in the notebook; the file itself lies beside it
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# As nbconvert colours them, which takes every cell for Python otherwise.
_LANGUAGES = {".py": "python", ".toml": "toml"} | dict.fromkeys((".cu", ".cuh", ".cpp", ".h"), "cuda")


class SubmissionExporter(NotebookExporter):
    """Goes on where a notebook cannot be read: nothing in it is graded, so it costs its owner nothing."""

    def from_file(self, file_stream: TextIO, resources: Any = None, **options: Any) -> Any:
        try:
            notebook = nbformat.read(file_stream, as_version=nbformat.current_nbformat)
        except Exception as problem:  # a stranger's file can be wrong in every way
            if (
                exercise_of(self.config.CoursePreprocessor.course, resources["nbgrader"]["assignment"])
                is None
            ):
                raise
            self.log.warning("The notebook cannot be read (%s); the released one takes its place.", problem)
            notebook = new_notebook()
        return self.from_notebook_node(notebook, resources=resources, **options)


class CanonicalNotebook(CoursePreprocessor):
    """Puts the released notebook in the place of what was handed in, whose cells may say anything.

    Only answers are taken over, in cells that an instructor added for them. Before anything can go wrong with
    this submission, the scores of an earlier one are taken away.
    """

    def convert(self, nb: NotebookNode, work: Work, resources: Any) -> NotebookNode:
        _forget_grades(resources["nbgrader"])
        canonical = _released(work)
        answers = dict(_answers(nb))
        for cell in canonical.cells:
            facts = cell.metadata.get("nbgrader", {})
            if facts.get("solution") and not facts["grade_id"].startswith(FILE):
                answer = answers.get(facts["grade_id"])
                if answer is not None:
                    cell.source = answer if cell.cell_type == "code" else _without_tags(answer)
        return canonical


class MirrorFiles(CoursePreprocessor):
    """Shows the learner's files in the notebook, where formgrader lets a person comment on them."""

    def convert(self, nb: NotebookNode, work: Work, resources: Any) -> NotebookNode:
        handed = look(work.submission, work.exercise)
        cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in nb.cells}
        for name in work.exercise.edit:
            if cell := cells.get(file_cell(name)):
                cell.source = _shown(name, handed)
                cell.metadata["magics_language"] = _LANGUAGES.get(Path(name).suffix, "text")
        return nb


class CheckOthersMetadata(CoursePreprocessor, CheckCellMetadata):
    """Checks cells' metadata where learners could change them.

    Those of an exercise come from the release, which was checked when it was made; to check them twice more
    is a sixth of the time that autograding takes.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        if self.work(resources) is not None:
            return nb, resources
        checked: tuple[NotebookNode, Any] = CheckCellMetadata.preprocess(self, nb, resources)
        return checked


class KeepFileCells(ClearSolutions):
    """Clears solutions as ever, but leaves the cells alone in which files will be shown: they hold none."""

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        if str(cell.metadata.get("nbgrader", {}).get("grade_id", "")).startswith(FILE):
            return cell, resources
        cleared: tuple[NotebookNode, Any] = super().preprocess_cell(cell, resources, index)
        return cleared


def _forget_grades(about: Mapping[str, str]) -> None:
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


def untouched_cells(work: Work) -> list[str]:
    """The cells of those files that are as they were handed out, or not there at all."""
    handed = look(work.submission, work.exercise)
    return [
        file_cell(name)
        for name in work.exercise.edit
        if name not in handed.refused and _same(handed.files.get(name), stub_text(work.exercise, name))
    ]


def _same(content: bytes | None, stub: str) -> bool:
    return content is None or content.decode(errors="replace").split() == stub.split()


def _released(work: Work) -> NotebookNode:
    if not work.released.is_file():  # nbgrader keeps its checksums in the gradebook, and goes on without
        return assignment_notebook(work.exercise, judged_scores(work.exercise, work.backend))
    return nbformat.read(work.released, as_version=nbformat.current_nbformat)


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


def _shown(name: str, handed: Handed) -> str:
    if name in handed.refused:
        return f"# {handed.refused[name]}"
    if name not in handed.files:
        return f"# {name} was not handed in."
    text = handed.files[name].decode(errors="replace").rstrip()
    if len(text) > SHOWN:
        text = f"{text[:SHOWN]}\n... {len(text) - SHOWN} more characters are in {Path(name).name}"
    return text
