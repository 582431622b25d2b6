"""Repair folders before nbgrader copies from them.

nbgrader calls a hook with patterns for a student and an assignment, and with the notebooks that are really
meant. It goes on after a hook that raises an Exception, and says nothing about it: so each of them does one
small thing, and one that must not fail raises SystemExit.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path

from nbformat.v4 import new_notebook
from traitlets.log import get_logger

from grader.instruct.course import folder_around, read_course
from grader.instruct.course.hand_scores import note_hand_scores
from grader.instruct.nbgrader.notebook import as_text
from grader.instruct.results import ResultStore
from grader.instruct.submissions import timestamps
from grader.instruct.submissions.archives import FolderSource
from grader.support.errors import ExplainedError


def before_autograde(*, assignment: str, student: str, notebooks: Iterable[str]) -> None:
    """Remove links, pipes and devices from the submission: nbgrader would copy what they lead to.

    Where a notebook was one of them, an empty one takes its place, since nbgrader has listed it already. What
    people entered about this student's earlier hand-in is kept, before this one takes its place.

    Raises SystemExit, once it is logged, where that cannot be kept: autograding would take it away for good.
    """
    for notebook in map(Path, notebooks):
        folder = notebook.parents[1]
        try:
            for entry in FolderSource(notebook.parent).entries:
                if entry.refusal:
                    (notebook.parent / entry.name).unlink()
                    get_logger().warning("%s %s: removed.", notebook.parent / entry.name, entry.refusal)
            _unless_there(notebook, as_text(new_notebook()))
            course = read_course(folder_around(folder))
            note_hand_scores(ResultStore(course.results), course.gradebook, folder.name)
        except (ExplainedError, OSError) as problem:
            get_logger().error("What people entered about %s cannot be kept: %s", folder.name, problem)
            raise SystemExit(getattr(problem, "exit_code", 1)) from problem


def before_feedback(*, assignment: str, student: str, notebooks: Iterable[str]) -> None:
    """Add what ``nbgrader release_feedback`` opens for every student, and stops for all where one lacks it.

    The timestamp stays empty, which nbgrader takes for unknown: an invented one could make a student late.
    The secret names the page in an exchange that everybody can list: ``nbgrader submit`` draws one, too.
    """
    for folder in {Path(notebook).parent for notebook in notebooks}:
        _unless_there(folder / timestamps.NAME, "")
        _unless_there(folder / "submission_secret.txt", secrets.token_hex(64))


def _unless_there(path: Path, text: str) -> None:
    if not path.exists():
        path.write_text(text, encoding="utf-8")
