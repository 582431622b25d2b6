"""A notebook of one exercise for JupyterLab and Colab: setup, the files as cells, the verdict.

The same exercise and files give the same bytes. nbformat is imported when a notebook is built.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from grader.course.catalog import Exercise
from grader.notebook.setup import setup_source
from grader.support.errors import UsageError
from grader.support.reading import read_text

KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}


def notebook_of(exercise: Exercise, address: str = "") -> str:
    """The notebook's JSON, with the files as they are now; ``address``: where git finds the course.

    Raises UsageError without nbformat, or where a file is missing.
    """
    nbformat = _nbformat()
    v4 = nbformat.v4
    cells = [
        v4.new_markdown_cell(_introduction(exercise)),
        v4.new_code_cell(setup_source(address)),
    ]
    for name in exercise.edit:
        cells.append(v4.new_markdown_cell(_about(exercise, name)))
        cells.append(v4.new_code_cell(f"%%exercise {exercise.number:02d} {name}\n{_text(exercise, name)}"))
    cells.append(v4.new_markdown_cell(_GRADING))
    cells.append(v4.new_code_cell(f'import grader\n\nreport = grader.grade("{exercise.number:02d}")\nreport'))
    cells.append(v4.new_code_cell("report.points(out_of=100)", metadata={"nbgrader": _SCORE}))
    cells.append(v4.new_markdown_cell(_TAKING_AWAY))
    cells.append(v4.new_code_cell("report.save()"))
    for number, cell in enumerate(cells):
        cell["id"] = cell_id(exercise, str(number))
    notebook = v4.new_notebook(
        cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"


def cell_id(exercise: Exercise, name: str) -> str:
    """The id of the cell that a notebook of `exercise` calls `name`: the same every time it is built."""
    return hashlib.sha256(f"{exercise.slug}/{name}".encode()).hexdigest()[:12]


# `nbgrader validate` looks at this cell: it passes where all that this machine can judge is right.
_SCORE: dict[str, Any] = {
    "schema_version": 3, "cell_type": "code", "grade_id": "score", "grade": True, "solution": False,
    "locked": True, "task": False, "points": 100,
}  # fmt: skip

_GRADING = """## The verdict

The checks of `grader check`, in a process of their own: a kernel that crashes costs a check and not this \
notebook. The first build on a machine takes longest."""

_TAKING_AWAY = """## Take it with you

The next cell writes the verdict into a file. `grader import-verdict FILE`, where your own course is, enters \
it into `grader list`. On Colab, find the file in the pane on the left, and download it and this notebook: \
the machine is thrown away."""


def _introduction(exercise: Exercise) -> str:
    read = f"Read `{exercise.lesson_path.relative_to(exercise.course).as_posix()}` first."
    lesson = f"{read} " if exercise.lesson_path.is_file() else ""
    return (
        f"# {exercise.number:02d} · {exercise.title}\n\n{lesson}"
        "Each cell that begins with `%%exercise` is a file of yours: edit it here and run the cell, and the "
        "file holds it. The previous content is kept in `.cu2grad/backups`."
    )


def _about(exercise: Exercise, name: str) -> str:
    todos = [
        f"- TODO({section.name}): {section.prompt}"
        for section in exercise.sections.values()
        if section.file == name
    ]
    return "\n".join([f"## {name}", *(["", *todos] if todos else [])])


def _text(exercise: Exercise, name: str) -> str:
    text = read_text(
        exercise.root / name,
        UsageError,
        "A notebook shows each file that is to be edited.",
        f"Put the stub back: grader reset {exercise.number:02d}",
    )
    return text.rstrip("\n")


def _nbformat() -> Any:
    try:
        import nbformat
    except ImportError:
        raise UsageError(
            "A notebook needs the package nbformat, which is not installed.",
            "It comes with Jupyter, and is not needed for anything else here.",
            "Run: pip install 'cu2grad[instructor]', or pip install nbformat",
        ) from None
    return nbformat


def write_notebook(exercise: Exercise, path: Path, address: str = "") -> bool:
    """Write the notebook to ``path``; False where it is there already, the same to the byte.

    Raises UsageError rather than overwrite another one: it may hold a learner's work.
    """
    text = notebook_of(exercise, address)
    if path.exists():
        if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == text:
            return False
        raise UsageError(
            f"{path} is there already, with other content.",
            "A notebook may hold your work, so none is overwritten.",
            f"Move it away, or choose another place: grader notebook {exercise.number:02d} --out FILE",
        )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.",
            "A notebook goes into a folder that exists.",
            f"Choose another place: grader notebook {exercise.number:02d} --out FILE",
        ) from None
    return True
