"""`nbgrader export` leads to the book of a class, which nbgrader's table could contradict."""

from __future__ import annotations

from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin


class BookExport(ExportPlugin):
    """Writes nothing: late days, groups and adjustments are in the marks alone."""

    def export(self, gradebook: Gradebook) -> None:
        """Raises SystemExit."""
        self.log.error("The book of a class is grader class marks, and nbgrader does not know it all.")
        self.log.error("Export from the book: grader class export")
        raise SystemExit(2)
