"""The notebook of one exercise: introduction, the learner's files, one report, one cell per check.

Everything follows from ``exercise.toml``, cell ids included, so that the same exercise always gives the same
bytes. Nothing in the notebook is graded: the files beside it are.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.nbgraderformat import MetadataValidator

from grader.course.exercise import Exercise
from grader.instruct.course.gradebook import CHECK
from grader.notebook.building import KERNEL, cell_id

REPORT = "run-grader"
FILE = "file-"

_ASKED = {
    "write": "Fill in what is open in the files beside this notebook.",
    "fix": "Repair the files beside this notebook.",
    "predict": "Answer what is asked in the files beside this notebook.",
    "test": "Write the tests in the files beside this notebook.",
}
_HOW = (
    "Edit them with any editor; JupyterLab opens them with a double click. Then run the cells below: the "
    "same checks decide about your mark. The files are graded, not this notebook. Hand in the whole folder."
)


def assignment_notebook(exercise: Exercise, scores: Mapping[str, int]) -> NotebookNode:
    """The notebook of ``exercise``; each check of ``scores`` gets a cell with its points."""
    notebook = new_notebook(
        cells=[
            new_markdown_cell(_introduction(exercise), id=cell_id(exercise, "intro")),
            _cell(exercise, REPORT, _run(exercise), locked=True),
            *(_cell(exercise, file_cell(name), _placeholder(name), solution=True) for name in exercise.edit),
            *(
                _cell(
                    exercise, CHECK + name, f'report.points("{name}")', grade=True, locked=True, points=points
                )
                for name, points in scores.items()
            ),
        ],
        metadata={"kernelspec": KERNEL},
    )
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    return notebook


def as_text(notebook: NotebookNode) -> str:
    """What a file of it holds."""
    text: str = nbformat.writes(notebook)
    return text + "\n"


def facts_of(cell: NotebookNode) -> Mapping[str, Any]:
    """What nbgrader knows a cell of a released notebook by."""
    facts: Mapping[str, Any] = cell.metadata.get("nbgrader", {})
    return facts


def file_cell(name: str) -> str:
    """The grade id of the cell that shows the file ``name``; an id may hold neither dot nor slash."""
    return FILE + name.replace(".", "-").replace("/", "-")


def _introduction(exercise: Exercise) -> str:
    parts = [f"# {exercise.title}", f"{_ASKED[exercise.kind]} {_HOW}"]
    for name in exercise.edit:
        todos = [section for section in exercise.sections.values() if section.file == name]
        lines = [f"- `TODO({section.name})`: {_in_markdown(section.prompt)}" for section in todos]
        parts.append("\n".join([f"**`{name}`**", "", *lines]))
    return "\n\n".join(parts)


def _in_markdown(text: str) -> str:
    """``text`` as it is: a `<T>` is no tag, and a `*` emphasises nothing."""
    return html.escape(text, quote=False).replace("*", r"\*")


def _run(exercise: Exercise) -> str:
    return f'import grader\n\nreport = grader.grade("{exercise.slug}")\nreport'


def _placeholder(name: str) -> str:
    return f"# Nothing to run here: once it is graded, your {name} is shown in this place, with comments."


def _cell(
    exercise: Exercise, grade_id: str, source: str, *, grade: bool = False, solution: bool = False,
    locked: bool = False, points: int | None = None,
) -> NotebookNode:  # fmt: skip
    facts = {
        "schema_version": MetadataValidator.schema_version,
        "grade": grade,
        "solution": solution,
        "locked": locked,
        "task": False,
        "grade_id": grade_id,
    }
    if points is not None:
        facts["points"] = points
    return new_code_cell(source, metadata={"nbgrader": facts}, id=cell_id(exercise, grade_id))
