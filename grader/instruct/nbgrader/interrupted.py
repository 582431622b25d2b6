"""Submissions that nbgrader would skip: without a notebook, or half autograded when nbgrader was killed."""

from __future__ import annotations

import secrets
import shutil
from datetime import datetime
from pathlib import Path

import nbformat

from grader.course.catalog import Catalog
from grader.instruct.nbgrader.notebook import REPORT
from grader.instruct.submissions import timestamps
from grader.instruct.submissions.reading import Refused, read_below

STAMP_BYTES = 200  # more is no time stamp


def add_notebook(folder: Path, released: Path) -> Path | None:
    """Copy the notebook of ``released``, release/SLUG, into the submission ``folder`` if it has none.

    A renamed one stays beside it. Returns the new file, or None where nothing was missing.
    """
    name = f"{released.name}.ipynb"
    there, original = folder / name, released / name
    if (there.is_file() and not there.is_symlink()) or not original.is_file() or not folder.is_dir():
        return None
    if there.is_symlink() or there.exists():
        _put_aside(there)
    shutil.copyfile(original, there)
    return there


def write_timestamp(folder: Path, moment: datetime) -> None:
    """Write when it came (aware), for nbgrader and the grader, in the place of what the learner wrote."""
    path = folder / timestamps.NAME
    if path.is_dir() or path.is_symlink():
        _put_aside(path)
    path.write_text(timestamps.written(moment), encoding="utf-8")


def noted(folder: Path) -> datetime | None:
    """The moment in a collected submission's ``timestamp.txt``; None where there is none that can be read."""
    try:
        return timestamps.read(read_below(folder, timestamps.NAME, STAMP_BYTES).decode())
    except (OSError, Refused, ValueError):
        return None


def add_notebooks(course: Path, catalog: Catalog) -> list[Path]:
    """Add missing notebooks to all of ``course/submitted``. Returns the files that are new."""
    added = []
    for exercise in catalog.exercises:
        for folder in sorted((course / "submitted").glob(f"*/{exercise.slug}")):
            if new := add_notebook(folder, course / "release" / exercise.slug):
                added.append(new)
    return added


def drop_unfinished(course: Path, catalog: Catalog) -> list[Path]:
    """Remove what a killed ``nbgrader autograde`` left in ``course/autograded``, and return it.

    nbgrader takes a folder that is there for one that is done. All in it comes from ``submitted/``.
    """
    unfinished = [
        folder
        for exercise in catalog.exercises
        for folder in sorted((course / "autograded").glob(f"*/{exercise.slug}"))
        if not _is_finished(folder / f"{exercise.slug}.ipynb")
    ]
    for folder in unfinished:
        shutil.rmtree(folder)
    return unfinished


def _put_aside(path: Path) -> None:
    path.replace(path.with_name(f"{path.name}.{secrets.token_hex(4)}.set_aside"))


def _is_finished(path: Path) -> bool:
    """Whether the verdict stands in the notebook, which is written after everything else."""
    try:
        notebook = nbformat.read(path, as_version=nbformat.current_nbformat)
    except (OSError, ValueError, nbformat.reader.NotJSONError):
        return False
    return any(
        cell.get("outputs") and cell.metadata.get("nbgrader", {}).get("grade_id") == REPORT
        for cell in notebook.cells
    )
