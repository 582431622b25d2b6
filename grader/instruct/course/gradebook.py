"""What people entered in nbgrader's formgrader, read from its gradebook without importing nbgrader.

tests/nbgrader reads with this what the real nbgrader wrote.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby, starmap
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from grader.course.exercise import CHECKS
from grader.support.errors import UsageError

CHECK = "check-"  # how the id of a cell begins that holds the points of a check
_OF_CHECKS = {f"{CHECK}{name}": name for name in CHECKS}  # an instructor's own `check-in` is a question
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_PATIENCE = 5.0  # seconds that another program may keep the gradebook for itself

Place = tuple[str, str, str]  # student or pseudonym, exercise, and when it was handed in

_CELLS = """
    SELECT submitted_assignment.student_id, assignment.name, submitted_assignment.timestamp, base_cell.name,
        coalesce(grade_cells.max_score, task_cells.max_score, 0),
        grade.auto_score, grade.manual_score, coalesce(grade.extra_credit, 0), grade.needs_manual_grade
    FROM grade
    JOIN base_cell ON base_cell.id = grade.cell_id
    JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN assignment ON assignment.id = submitted_assignment.assignment_id
    LEFT JOIN grade_cells ON grade_cells.id = base_cell.id
    LEFT JOIN task_cells ON task_cells.id = base_cell.id
    WHERE ?1 IN ('', submitted_assignment.student_id)
    ORDER BY 1, 2, 3, 4
"""
_COMMENTS = """
    SELECT submitted_assignment.student_id, assignment.name, comment.manual_comment
    FROM comment
    JOIN base_cell ON base_cell.id = comment.cell_id
    JOIN submitted_notebook ON submitted_notebook.id = comment.notebook_id
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN assignment ON assignment.id = submitted_assignment.assignment_id
    WHERE coalesce(comment.manual_comment, '') != '' AND ?1 IN ('', submitted_assignment.student_id)
    ORDER BY 1, 2, base_cell.name
"""


@dataclass(frozen=True)
class HandScore:
    """``checks`` has points and maximum of each check that a person changed; ``further`` those of all other
    questions together. ``waiting`` names what a person still has to look at.
    """

    checks: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    further: tuple[float, float] = (0.0, 0.0)
    extra: float = 0.0
    waiting: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()


NOTHING = HandScore()


class _Cell(NamedTuple):
    """A row of the gradebook."""

    student: str
    exercise: str
    timestamp: str | None
    name: str
    most: float
    auto: float | None
    manual: float | None
    extra: float
    needed: int


def read_gradebook(path: Path, student: str = "") -> dict[Place, HandScore]:
    """What ``path`` holds of every submission, or of those of ``student``.

    Raises UsageError where it is no gradebook of nbgrader.
    """
    if not path.is_file():
        return {}
    try:
        source = f"file:{quote(str(path))}?mode=ro"
        with closing(sqlite3.connect(source, timeout=_PATIENCE, uri=True)) as book:
            cells = list(starmap(_Cell, book.execute(_CELLS, (student,))))
            remarks = book.execute(_COMMENTS, (student,)).fetchall()
    except sqlite3.Error as problem:
        busy = getattr(problem, "sqlite_errorcode", 0) & 0xFF in _BUSY  # the rest of a code says why
        raise UsageError(
            f"{path} cannot be read: {problem}.",
            "It is nbgrader's gradebook, and points that people gave there belong to the marks.",
            "Another program writes to it: try again when nbgrader has ended"
            if busy
            else "Restore it from a backup, or run: nbgrader db upgrade",
        ) from problem
    comments: dict[tuple[str, str], list[str]] = {}
    for who, exercise, comment in remarks:
        comments.setdefault((who, exercise), []).append(comment)
    return {
        (who, exercise, _read(timestamp)): _score(rows, tuple(comments.get((who, exercise), ())))
        for (who, exercise, timestamp), rows in groupby(cells, key=lambda cell: cell[:3])
    }


def _score(cells: Iterable[_Cell], comments: tuple[str, ...]) -> HandScore:
    """Points that a person gave before another hand-in was autograded wait until they look again."""
    checks: dict[str, tuple[float, float]] = {}
    points = out_of = extra = 0.0
    waiting = []
    for cell in cells:
        given = cell.auto if cell.manual is None else cell.manual
        check = _OF_CHECKS.get(cell.name)
        extra += cell.extra
        if cell.needed and not (check and cell.manual is None and not cell.extra):
            waiting.append(cell.name)
        elif check and cell.manual is not None:
            checks[check] = cell.manual, cell.most
        elif not check:
            points, out_of = points + (given or 0.0), out_of + cell.most
    return HandScore(checks, (points, out_of), extra, tuple(waiting), comments)


def _read(timestamp: str | None) -> str:
    """nbgrader keeps times in UTC, without a zone."""
    return written(datetime.fromisoformat(timestamp).replace(tzinfo=UTC)) if timestamp else ""


def written(submitted: datetime | None) -> str:
    return submitted.astimezone(UTC).isoformat() if submitted else ""
