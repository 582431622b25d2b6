"""Submissions that nbgrader would pass over: without the notebook, or half autograded when it was killed."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import nbformat
from nbgrader.utils import parse_utc

from grader.catalog import Catalog
from grader.instruct.nbgrader.notebook import REPORT
from grader.instruct.submissions import timestamps


def add_notebook(folder: Path, released: Path) -> Path | None:
    """Copy the notebook of ``released``, release/SLUG, into the submission ``folder`` if it has none.

    A renamed one stays beside it. Returns the new file, or None where nothing was missing.
    """
    name = f"{released.name}.ipynb"
    there, original = folder / name, released / name
    if (there.is_file() and not there.is_symlink()) or not original.is_file() or not folder.is_dir():
        return None
    if there.is_symlink() or there.exists():
        there.replace(there.with_name(f"{name}.set_aside"))
    shutil.copyfile(original, there)
    return there


def add_timestamp(folder: Path, moment: datetime) -> bool:
    """Write when it came, ``moment`` in UTC without a zone, unless nbgrader can read that there already."""
    path = folder / timestamps.NAME
    try:
        if parse_utc(path.read_text(encoding="utf-8").strip()) is not None:
            return False
    except (OSError, ValueError, OverflowError):
        path.unlink(missing_ok=True)
    path.write_text(timestamps.written(moment.replace(tzinfo=UTC)), encoding="utf-8")
    return True


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
