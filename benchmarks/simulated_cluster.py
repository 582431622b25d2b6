"""How long a class takes: the formula of the handbook, and a class graded on paper to hold it against.

Two queues in a row: builds on cores, then timed gradings on GPUs. The slower one decides, as in any
pipeline; on top comes what the other waits for at its ends. Times are means: the slowest single submission
can come on top.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Seconds = npt.NDArray[np.float64]
START_SECONDS = 60.0  # until the first job runs; a queue that is full adds its own


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


def hours_with(fleet: Fleet, submissions: int, costs: Costs) -> Size:
    """How long ``fleet`` takes for so many submissions."""
    lanes = {"cores": submissions * costs.core_seconds / fleet.cores}
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


def _at_the_ends(costs: Costs, bottleneck: str) -> float:
    """GPUs wait for the first build; where builds are slower, the last of them is still to be timed."""
    return costs.core_seconds if bottleneck == "GPUs" else costs.gpu_seconds


@dataclass(frozen=True)
class Variation:
    """Submissions differ: their times are log-normal around the mean, with ``spread`` of the logarithm.

    Of all gradings the share ``lost`` is cut short, half way on the average, and done again after ``notice``
    seconds, as when a job's time is up.
    """

    spread: float = 0.5
    lost: float = 0.0
    notice: float = 15.0


def simulated_hours(
    fleet: Fleet, submissions: int, costs: Costs, variation: Variation = Variation(), seed: int = 0
) -> float:
    """Hours until the last submission is graded: first come, first served, on both kinds of machine."""
    random = np.random.default_rng(seed)
    sent = np.full(submissions, START_SECONDS)
    done: Seconds = _through(sent, _times(costs.core_seconds, submissions, variation, random), fleet.cores)
    if costs.gpu_seconds:
        built = np.sort(done)
        done = _through(built, _times(costs.gpu_seconds, submissions, variation, random), fleet.gpus)
    return float(done.max()) / 3600


def _times(mean: float, count: int, variation: Variation, random: np.random.Generator) -> Seconds:
    shift = variation.spread**2 / 2  # so that the mean stays what it is
    times: Seconds = np.exp(variation.spread * random.standard_normal(count) - shift) * mean
    again = random.random(count) < variation.lost
    times[again] = times[again] * (1 + random.random(again.sum())) + variation.notice
    return times


def _through(arrivals: Seconds, times: Seconds, servers: int) -> Seconds:
    """When each is through, with so many servers and one queue; ``arrivals`` ascend."""
    free = [0.0] * servers
    done = np.empty_like(arrivals)
    for index, (arrival, seconds) in enumerate(zip(arrivals.tolist(), times.tolist(), strict=True)):
        ended = max(arrival, free[0]) + seconds
        heapq.heapreplace(free, ended)
        done[index] = ended
    return done
