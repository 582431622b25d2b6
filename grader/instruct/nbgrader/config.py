"""Everything that a course needs in `nbgrader_config.py`, set by one line there."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.preprocessors import CheckCellMetadata, ClearSolutions, Execute, SaveAutoGrades

from grader.course.catalog import Catalog
from grader.instruct.nbgrader.exchange import CollectExercises
from grader.instruct.nbgrader.exporters import BookExport
from grader.instruct.nbgrader.feedback import SelfContainedExporter
from grader.instruct.nbgrader.gradebook import SaveVerdict
from grader.instruct.nbgrader.hooks import before_autograde, before_feedback
from grader.instruct.nbgrader.outputs import InjectVerdict
from grader.instruct.nbgrader.sanitizing import (
    CanonicalNotebook,
    CheckOthersMetadata,
    KeepFileCells,
    MirrorFiles,
    SubmissionExporter,
)
from grader.support.errors import UsageError

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
    c.CoursePreprocessor.course = str(catalog.course)
    c.CoursePreprocessor.isolate = not trust_submissions

    c.GenerateAssignment.preprocessors = _swapped(
        _default(GenerateAssignment, "preprocessors"), {ClearSolutions: [KeepFileCells]}
    )
    c.ExchangeFactory.collect = CollectExercises
    c.ExportApp.plugin_class = BookExport

    # Otherwise the stubs in source/ would take the place of what was handed in.
    c.Autograde.exclude_overwriting = {each.slug: list(each.edit) for each in catalog.exercises}
    c.Autograde.pre_convert_hook = before_autograde
    c.Autograde.exporter_class = SubmissionExporter
    c.Autograde.sanitize_preprocessors = [
        CanonicalNotebook,
        *_swapped(
            _default(Autograde, "sanitize_preprocessors"),
            {CheckCellMetadata: [MirrorFiles, CheckOthersMetadata]},
        ),
    ]
    c.Autograde.autograde_preprocessors = _swapped(
        _default(Autograde, "autograde_preprocessors"),
        {Execute: [InjectVerdict], SaveAutoGrades: [SaveVerdict], CheckCellMetadata: [CheckOthersMetadata]},
    )

    c.GenerateFeedback.pre_convert_hook = before_feedback
    c.GenerateFeedback.exporter_class = SelfContainedExporter


def _find_alembic() -> None:
    """nbgrader starts alembic by its name, which is known only where this Python's folder is on the path."""
    if shutil.which("alembic") is None:
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def _default(converter: type[Any], trait: str) -> list[type[Any]]:
    steps: list[type[Any]] = converter.class_traits()[trait].default()
    return steps


def _swapped(steps: list[type[Any]], others: dict[type[Any], list[type[Any]]]) -> list[type[Any]]:
    """``steps`` with some of them exchanged. Raises UsageError for one that nbgrader no longer has."""
    missing = others.keys() - set(steps)
    if missing:
        raise UsageError(
            f"This nbgrader has no step {missing.pop().__name__}.",
            "What takes its place would never run.",
            "Install the version in constraints.txt.",
        )
    return [each for step in steps for each in others.get(step, [step])]
