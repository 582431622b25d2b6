"""The kernels beside an exercise's solution, which its lesson discusses."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.checks import grade
from grader.course.catalog import Catalog, Exercise
from grader.run import Zygote
from grader.verdict import CheckResult, Status, Verdict
from tests.desks import desk, together
from tests.honest.reading import place_solution

from .conftest import ROOT, SEED


@dataclass(frozen=True)
class Samples:
    """Those of ``docs/samples/<kind>``, each of which takes the place of the solution's kernel.cu."""

    exercise: Exercise
    folder: Path

    @classmethod
    def of(cls, number: str, kind: str) -> Samples:
        return cls(Catalog.open(ROOT).find(number), ROOT / "docs" / "samples" / kind)

    @property
    def together(self) -> pytest.MarkDecorator:
        return together(self.exercise)

    @contextlib.contextmanager
    def on_desk(self, kernel: str) -> Iterator[Path]:
        """The solution's files, with another kernel if one is named."""
        with desk(self.exercise) as files:
            place_solution(self.exercise, files)
            if kernel:
                shutil.copyfile(self.folder / kernel, files / "kernel.cu")
            yield files

    def graded(self, kernel: str, lane: Zygote) -> Verdict:
        with self.on_desk(kernel) as files:
            return grade(self.exercise, files, backend="simt", seed=SEED, zygote=lane)


def failed(verdict: Verdict) -> list[CheckResult]:
    return [check for check in verdict.checks if check.status is Status.FAIL]
