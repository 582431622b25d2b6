"""Grades attacks of the catalogue, several at the same time where that disturbs no measurement."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.checks.build import compile_submission
from grader.support.backends import Backend
from grader.support.errors import ExplainedError
from tests.adversarial.catalogue import BEFORE_IT_RUNS, Attack, read
from tests.adversarial.judging import judge

ON_A_GPU = 8  # graded at the same time on a GPU, where no speed is judged


@dataclass(frozen=True)
class Row:
    """What became of one attack; ``objection`` is empty if it was held."""

    attack: str
    refused_by: str
    points: float
    earns: float
    seconds: float
    objection: str
    says: str


def grade_all(chosen: Sequence[Attack], backend: Backend, jobs: int) -> list[Row]:
    """What became of each. Those whose speed is judged have the machine to themselves, after all others."""
    timed = [each for each in chosen if backend == "cuda" and each.refused_by == "performance"]
    others = [each for each in chosen if each not in timed]
    only_read = [each for each in others if each.refused_by in BEFORE_IT_RUNS]
    run = [each for each in others if each not in only_read]
    rows = _in_parallel(only_read, backend, jobs)
    if backend == "cuda":  # nvcc takes longer than the checks do
        _in_parallel(run + timed, backend, jobs, only_build=True)
    rows += _in_parallel(run, backend, min(jobs, ON_A_GPU) if backend == "cuda" else jobs)
    rows += _in_parallel(timed, backend, 1)
    return sorted(rows, key=lambda row: row.attack)


def _in_parallel(
    chosen: Sequence[Attack], backend: Backend, jobs: int, only_build: bool = False
) -> list[Row]:
    if not chosen:
        return []
    task = _build if only_build else _row
    folders = [attack.folder for attack in chosen]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(chosen)), mp_context=context) as pool:
        return [row for row in pool.map(task, folders, [backend] * len(folders)) if row is not None]


def _build(folder: Path, backend: Backend) -> None:
    """Compile an attack, so that it comes from the cache when it is graded."""
    attack = read(folder)
    with (
        TemporaryDirectory(prefix="attack-") as scratch,
        contextlib.suppress(ExplainedError),
    ):  # told when graded
        attack.write(Path(scratch))
        compile_submission(attack.exercise, Path(scratch), backend, "", verbose=False)


def _row(folder: Path, backend: Backend) -> Row:
    attack = read(folder)
    with TemporaryDirectory(prefix="attack-") as scratch:
        try:
            ruling = judge(attack, backend, Path(scratch))
        except Exception as error:  # whatever a submission does has to end in a verdict
            said = f"the grader itself raised {type(error).__name__}: {error}"
            return Row(attack.name, "", 0.0, attack.earns[backend], 0.0, said, "")
    return Row(
        attack=attack.name,
        refused_by=", ".join(ruling.refusals),
        points=ruling.points,
        earns=attack.earns[backend],
        seconds=round(ruling.seconds, 2),
        objection=ruling.objection(attack, backend),
        says=ruling.refusals.get(attack.refused_by, ""),
    )
