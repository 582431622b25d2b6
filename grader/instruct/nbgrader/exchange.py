"""Collecting from the exchange, where anybody may put anything."""

from __future__ import annotations

import glob
import shutil
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect

from grader.instruct.nbgrader.hooks import strange_entries
from grader.instruct.nbgrader.mending import add_notebook, add_timestamp
from grader.instruct.nbgrader.work import exercise_of, released_in


class CollectExercises(ExchangeCollect):
    """Copies no link, pipe or device, adds what nbgrader needs beside the files, and goes on after a failure.

    nbgrader follows links when it copies, and passes over a submission without the notebook as if nothing had
    been handed in. One whose timestamp it cannot read it does not autograde, so that an earlier grade stays.
    Where one submission cannot be copied, it stops for all.
    """

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        if Path(src).is_symlink():
            self.log.error("Not collected, it is a link: %s", src)
            return
        ignored = self.coursedir.ignore
        strange = [glob.escape(path.name) for path in strange_entries(Path(src))]
        try:
            self.coursedir.ignore = [*ignored, *strange]
            super().do_copy(src, dest, log)
        except (OSError, RuntimeError) as problem:
            self.log.error("Not collected: %s: %s", src, problem)
            shutil.rmtree(dest, ignore_errors=True)  # half a submission would pass for a whole one
            return
        finally:
            self.coursedir.ignore = ignored
        slug = self.coursedir.assignment_id
        if exercise_of(self.config.CoursePreprocessor.course, slug) is None:
            return
        if added := add_notebook(Path(dest), released_in(self.coursedir, slug)):
            self.log.warning("%s was not handed in; the released notebook takes its place.", added.name)
        if add_timestamp(Path(dest), self._path_to_record(src)["timestamp"]):
            self.log.warning("The timestamp cannot be read; that of the exchange takes its place: %s", dest)
