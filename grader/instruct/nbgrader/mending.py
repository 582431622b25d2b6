"""A submission without the notebook: what is graded is there, and nbgrader would not see it."""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.catalog import Catalog


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


def mend(course: Path, catalog: Catalog) -> list[Path]:
    """Add missing notebooks to all of ``course/submitted``. Returns the files that are new."""
    added = []
    for exercise in catalog.exercises:
        for folder in sorted((course / "submitted").glob(f"*/{exercise.slug}")):
            if new := add_notebook(folder, course / "release" / exercise.slug):
                added.append(new)
    return added
