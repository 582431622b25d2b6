"""GPUs and cores that a class needs: from the cost of one grading to hours, and back.

Two queues in a row: builds on cores, then timed gradings on GPUs, and one driver that hands out both. The
slowest decides, as in any pipeline; on top comes what the others wait for at its ends. benchmarks/sizing.py
plays the same through, submission by submission. Times are means: the slowest single submission can come on
top.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from grader.instruct.results import Record
from grader.support.errors import UsageError

DRIVER_SECONDS = 0.005  # to send one submission and take its record in: benchmarks/cluster.py
START_SECONDS = 60.0  # until the first block runs; a queue that is full adds its own


@dataclass(frozen=True)
class Costs:
    """Seconds of one submission: of a core while it is built (on simt: graded), and of a GPU."""

    core_seconds: float
    gpu_seconds: float = 0.0


@dataclass(frozen=True)
class Fleet:
    """What works at the same time."""

    cores: int
    gpus: int = 0


@dataclass(frozen=True)
class Size:
    """``hours`` by the clock, the hours that are paid for, and what holds everything up."""

    hours: float
    core_hours: float
    gpu_hours: float
    bottleneck: str


def costs_in(records: Iterable[Record]) -> Costs:
    """The means of what was graded. On cuda, all but the compilation before holds the GPU.

    Raises UsageError where nothing was.
    """
    cores, gpus = [], []
    for record in records:
        on_cuda, graded = record.verdict.backend == "cuda", record.verdict.seconds
        cores.append(record.built_seconds if on_cuda else graded)
        gpus.append(graded if on_cuda else 0.0)
    if not cores:
        raise UsageError(
            "Nothing is graded there yet.",
            "What a submission costs is measured on some that were graded.",
            "Grade a few of each exercise first: grader batch SUBMISSIONS --only EXERCISE",
        )
    return Costs(fmean(cores), fmean(gpus))


def hours_with(fleet: Fleet, submissions: int, costs: Costs) -> Size:
    """How long ``fleet`` takes for so many submissions."""
    lanes = {
        "cores": submissions * costs.core_seconds / fleet.cores,
        "driver": submissions * DRIVER_SECONDS,
    }
    if costs.gpu_seconds:
        if not fleet.gpus:
            raise ValueError("gradings that are timed need a GPU")
        lanes["GPUs"] = submissions * costs.gpu_seconds / fleet.gpus
    bottleneck = max(lanes, key=lambda name: lanes[name])
    seconds = START_SECONDS + lanes[bottleneck] + _at_the_ends(costs, bottleneck)
    return Size(
        hours=seconds / 3600,
        core_hours=submissions * costs.core_seconds / 3600,
        gpu_hours=submissions * costs.gpu_seconds / 3600,
        bottleneck=bottleneck,
    )


def fleet_for(hours: float, submissions: int, costs: Costs) -> Fleet | None:
    """The smallest fleet that is done within ``hours``; None where no fleet is."""
    least = START_SECONDS + costs.core_seconds + costs.gpu_seconds
    left = hours * 3600 - least
    if left <= 0 or submissions * DRIVER_SECONDS > left:
        return None
    cores = math.ceil(submissions * costs.core_seconds / left)
    gpus = math.ceil(submissions * costs.gpu_seconds / left)
    return Fleet(max(cores, 1), gpus)


def _at_the_ends(costs: Costs, bottleneck: str) -> float:
    """GPUs wait for the first build; where builds are slower, the last of them is still to be timed."""
    before = costs.core_seconds if bottleneck in ("GPUs", "driver") else 0.0
    after = costs.gpu_seconds if bottleneck in ("cores", "driver") else 0.0
    return before + after
