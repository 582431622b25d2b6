"""A class graded on paper, submission by submission: what `grader cluster size` is held against."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grader.instruct.cluster.sizing import DRIVER_SECONDS, START_SECONDS, Costs, Fleet

Seconds = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Variation:
    """Submissions differ: their times are log-normal around the mean, with ``spread`` of the logarithm.

    Of all gradings the share ``lost`` is cut short, half way on the average, and done again after ``notice``
    seconds, as when a block's time is up.
    """

    spread: float = 0.5
    lost: float = 0.0
    notice: float = 15.0


def simulated_hours(
    fleet: Fleet, submissions: int, costs: Costs, variation: Variation = Variation(), seed: int = 0
) -> float:
    """Hours until the last submission is graded: first come, first served, on both kinds of machine."""
    random = np.random.default_rng(seed)
    sent = START_SECONDS + DRIVER_SECONDS * np.arange(1, submissions + 1, dtype=np.float64)
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
