"""Everything that a course needs in `nbgrader_config.py`, set by one line there."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

from grader.course.catalog import Catalog
from grader.instruct.nbgrader.autograding import GradedNotebook
from grader.instruct.nbgrader.exchange import CollectExercises
from grader.instruct.nbgrader.exporters import BookExport
from grader.instruct.nbgrader.feedback import SelfContainedExporter
from grader.instruct.nbgrader.hooks import before_autograde, before_feedback
from grader.instruct.nbgrader.notebook import FILE, facts_of

if TYPE_CHECKING:
    from traitlets.config import Config


def configure(c: Config, *, course: str | Path = "", trust_submissions: bool = False) -> None:
    """Set up nbgrader for the exercises in ``course`` (default: the course around the current folder).

    With ``trust_submissions``, code that was handed in runs without a sandbox, with all rights of whoever
    grades. Call it before settings of your own; assignments that are no exercises stay as nbgrader has them.

    Raises SystemExit where that cannot be done. nbgrader logs any other error of its configuration, goes on
    without, and would run what learners wrote.
    """
    try:
        _configure(c, course, trust_submissions)
    except Exception as problem:
        raise SystemExit(f"nbgrader cannot be configured: {problem}") from problem


def _configure(c: Config, course: str | Path, trust_submissions: bool) -> None:
    catalog = Catalog.open(Path(course) if course else None)
    _find_alembic()
    steps = GenerateAssignment.class_traits()["preprocessors"].default()
    steps[steps.index(ClearSolutions)] = KeepFileCells
    c.GenerateAssignment.preprocessors = steps
    c.ExchangeFactory.collect = CollectExercises
    c.ExportApp.plugin_class = BookExport

    # Otherwise the stubs in source/ would take the place of what was handed in.
    c.Autograde.exclude_overwriting = {each.slug: list(each.edit) for each in catalog.exercises}
    c.Autograde.pre_convert_hook = before_autograde
    c.Autograde.exporter_class = GradedNotebook
    c.GradedNotebook.course = str(catalog.course)
    c.GradedNotebook.isolate = not trust_submissions

    c.GenerateFeedback.pre_convert_hook = before_feedback
    c.GenerateFeedback.exporter_class = SelfContainedExporter


def _find_alembic() -> None:
    """nbgrader starts alembic by its name, which is known only where this Python's folder is on the path."""
    if shutil.which("alembic") is None:
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


class KeepFileCells(ClearSolutions):
    """Clears solutions as ever, but leaves the cells alone in which files will be shown: they hold none."""

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        if str(facts_of(cell).get("grade_id", "")).startswith(FILE):
            return cell, resources
        cleared: tuple[NotebookNode, Any] = super().preprocess_cell(cell, resources, index)
        return cleared
