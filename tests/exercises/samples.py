"""The kernels beside an exercise's solution, which its lesson discusses."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from grader.catalog import Catalog, Exercise
from grader.checks import grade
from grader.verdict import CheckResult, Status, Verdict

from .conftest import ROOT, SEED


@dataclass(frozen=True)
class Samples:
    """Those of ``docs/samples/<kind>``, each of which takes the place of the solution's kernel.cu."""

    exercise: Exercise
    folder: Path

    @classmethod
    def of(cls, number: str, kind: str) -> Samples:
        return cls(Catalog.open(ROOT).find(number), ROOT / "docs" / "samples" / kind)

    def put(self, kernel: str, target: Path) -> None:
        """The solution's files in `target`, with another kernel if one is named."""
        for file in (*self.exercise.edit, *self.exercise.given):
            shutil.copyfile(self.exercise.solution_dir / file, target / file)
        if kernel:
            shutil.copyfile(self.folder / kernel, target / "kernel.cu")

    def graded(self, kernel: str, target: Path, until: str = "") -> Verdict:
        self.put(kernel, target)
        return grade(self.exercise, target, backend="simt", seed=SEED, until=until)


def failed(verdict: Verdict) -> list[CheckResult]:
    return [check for check in verdict.checks if check.status is Status.FAIL]
