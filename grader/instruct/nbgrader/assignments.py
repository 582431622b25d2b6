"""A course in nbgrader's layout: `source/SLUG/` for each exercise, and `nbgrader_config.py`.

Only stubs go in, never a solution; so nothing that nbgrader copies can give one away.
"""

from __future__ import annotations

import datetime
import json
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.course.workspace import shipped_files
from grader.instruct.nbgrader.dependency import CONFIG
from grader.instruct.nbgrader.notebook import as_text, assignment_notebook
from grader.support.backends import Backend
from grader.support.durable import PUBLIC, write_atomically
from grader.support.errors import UsageError


def assignment_files(exercise: Exercise, backend: Backend) -> dict[str, str]:
    """What lies in ``source/SLUG/``: the notebook, the stubs, and the files that are given complete.

    A check that ``backend``, that of record, cannot judge has no cell, and so no points for anybody.
    """
    shipped = {
        path.relative_to(exercise.root).as_posix(): text for path, text in shipped_files(exercise).items()
    }
    files = {name: shipped[name] for name in (*exercise.edit, *exercise.given)}
    notebook = assignment_notebook(exercise, exercise.scores_on(backend))
    return {f"{exercise.slug}.ipynb": as_text(notebook)} | files


def course_files(exercises: Iterable[tuple[Exercise, Backend]], folder: Path) -> dict[Path, str]:
    """Every generated file below ``source/`` with its content; each exercise comes with its backend."""
    return {
        folder / "source" / exercise.slug / name: text
        for exercise, backend in exercises
        for name, text in assignment_files(exercise, backend).items()
    }


def differing(files: dict[Path, str]) -> list[Path]:
    """Those that are not there, or hold something else."""
    return [path for path, text in files.items() if not path.is_file() or path.read_bytes() != text.encode()]


def write(files: dict[Path, str], folder: Path) -> Path | None:
    """Write ``files``, which lie below ``folder``. Returns where earlier ones are kept, if there were any."""
    replaced = [path for path in files if path.exists()]
    try:
        kept = _back_up(replaced, folder) if replaced else None
        for path, text in files.items():
            write_atomically(path, text, PUBLIC)
    except OSError as error:
        raise UsageError(
            f"{error.filename or folder} cannot be written: {error.strerror}.",
            "Nothing was lost: what was there is as it was, or in .cu2grad/backups.",
            "Make the folder writable, or name another one with --out.",
        ) from error
    return kept


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


def _back_up(paths: Sequence[Path], folder: Path) -> Path:
    parent = folder / ".cu2grad" / "backups"
    parent.mkdir(parents=True, exist_ok=True)
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S-")
    kept = Path(tempfile.mkdtemp(prefix=stamp, dir=parent))
    for path in paths:
        place = kept / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)
    return kept
