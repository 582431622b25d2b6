"""A course in nbgrader's layout: `source/SLUG/` for each exercise, and `nbgrader_config.py`.

Only stubs go in, never a solution; so nothing that nbgrader copies can give one away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.course.stubs import stub_text
from grader.instruct.nbgrader.dependency import CONFIG
from grader.instruct.nbgrader.notebook import as_text, assignment_notebook
from grader.support.backends import Backend
from grader.support.durable import PUBLIC, write_atomically


def assignment_files(exercise: Exercise, backend: Backend) -> dict[str, str]:
    """What lies in ``source/SLUG/``: the notebook, the stubs, and the files that are given complete.

    A check that ``backend``, that of record, cannot judge has no cell, and so no points for anybody.
    """
    files = {name: stub_text(exercise, name) for name in (*exercise.edit, *exercise.given)}
    notebook = assignment_notebook(exercise, exercise.scores_on(backend))
    return {f"{exercise.slug}.ipynb": as_text(notebook)} | files


def course_files(exercises: Iterable[tuple[Exercise, Backend]], folder: Path) -> dict[Path, str]:
    """Every generated file below ``source/`` with its content; each exercise comes with its backend."""
    return {
        folder / "source" / exercise.slug / name: text
        for exercise, backend in exercises
        for name, text in assignment_files(exercise, backend).items()
    }


def write_config(catalog: Catalog, folder: Path, title: str) -> bool:
    """Write ``nbgrader_config.py`` unless there is one, which is the instructor's. Returns whether it did."""
    path = folder / CONFIG
    if path.exists():
        return False
    write_atomically(path, _config(catalog, title), PUBLIC)
    return True


def _config(catalog: Catalog, title: str) -> str:
    return f'''"""What nbgrader has to know about this course. Change it: it is written only once."""

try:
    from grader.instruct.nbgrader import configure
except ImportError as missing:  # nbgrader would go on without, and run what learners wrote
    raise SystemExit(f"{{missing}}. Start nbgrader with the Python that has the grader.") from missing

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "{course_id(title)}"
configure(c, course={json.dumps(str(catalog.course))})
'''


def course_id(title: str) -> str:
    """``title`` as nbgrader's name of a course, which becomes a folder."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "course"
