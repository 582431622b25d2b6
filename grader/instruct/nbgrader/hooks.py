"""Repair folders before nbgrader copies from them.

nbgrader calls a hook with patterns for a student and an assignment, and with the notebooks that are really
meant. It goes on after a hook that raises an Exception, and says nothing about it: so each of them does one
small thing, and one that must not fail raises SystemExit.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from nbformat.v4 import new_notebook
from traitlets.log import get_logger

from grader.instruct.course import course_of
from grader.instruct.course.hand_scores import note_hand_scores
from grader.instruct.nbgrader.notebook import as_text
from grader.instruct.results import ResultStore
from grader.instruct.submissions import feedback_secret, timestamps
from grader.instruct.submissions.archives import FolderSource
from grader.support.errors import ExplainedError

SET_ASIDE = "set_aside"


def before_autograde(*, assignment: str, student: str, notebooks: Iterable[str]) -> None:
    """Move links, pipes and devices out of the submission: nbgrader would copy what they lead to.

    Where a notebook was one of them, an empty one takes its place, since nbgrader has listed it already. What
    people entered about this student's earlier hand-in is kept, before this one takes its place.

    Raises SystemExit, once it is logged, where that cannot be kept: autograding would take it away for good.
    """
    for notebook in map(Path, notebooks):
        folder = notebook.parents[1]
        try:
            set_aside(notebook.parent)
            _unless_there(notebook, as_text(new_notebook()))
            course = course_of(folder.parent)
            note_hand_scores(ResultStore(course.results), course.gradebook, folder.name)
        except (ExplainedError, OSError) as problem:
            get_logger().error("What people entered about %s cannot be kept: %s", folder.name, problem)
            raise SystemExit(getattr(problem, "exit_code", 1)) from problem


def before_feedback(*, assignment: str, student: str, notebooks: Iterable[str]) -> None:
    """Add what ``nbgrader release_feedback`` opens for every student, and stops for all where one lacks it.

    The timestamp stays empty, which nbgrader takes for unknown: an invented one could make a student late.
    """
    for folder in {Path(notebook).parent for notebook in notebooks}:
        _unless_there(folder / timestamps.NAME, "")
        _unless_there(folder / feedback_secret.NAME, feedback_secret.drawn())


def set_aside(folder: Path) -> None:
    """Move what is neither a file nor a folder out of ``folder``, STEP/STUDENT/ASSIGNMENT, to set_aside/.

    It comes into a new folder each time, where nothing earlier is in the way. What cannot be moved is
    removed. Nothing is read or followed.
    """
    kept = folder.parents[2] / SET_ASIDE / folder.parent.name / folder.name
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    for entry in strange_entries(folder):
        place = kept / stamp / entry.relative_to(folder)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            entry.replace(place)
        except OSError:
            entry.unlink()


def strange_entries(folder: Path) -> list[Path]:
    """Links, pipes, sockets and devices anywhere below ``folder``. Raises InfrastructureError."""
    return [folder / entry.name for entry in FolderSource(folder).entries if entry.refusal]


def _unless_there(path: Path, text: str) -> None:
    if not path.exists():
        path.write_text(text, encoding="utf-8")
