"""From interleaved timings to a ratio with an interval.

A ratio of times is judged on the log scale, where twice as fast and twice as slow are equally far from
equal. Each ABBA block (own, baseline, baseline, own) gives one log-ratio in which a linear drift of the
clock frequency cancels. The estimate is the median over blocks; its interval comes from resampling whole
blocks (bootstrap).
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 1000
Block = tuple[float, float, float, float]


@dataclass(frozen=True)
class Ratio:
    """baseline time / own time: above 1 means faster than the baseline. ``low`` to ``high`` holds 95 %."""

    value: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Width of the interval relative to the value: 0.1 means about ten per cent."""
        return self.high / self.low - 1


def log_ratios(blocks: Sequence[Block]) -> list[float]:
    return [math.log((one + other) / (own + again)) for own, one, other, again in blocks]


def ratio(blocks: Sequence[Block], seed: int) -> Ratio:
    """Median ratio with a 95 % percentile bootstrap interval over blocks.

    Raises:
        ValueError: fewer than three blocks, or a time that is not positive.
    """
    if len(blocks) < 3 or not all(time > 0 for block in blocks for time in block):
        raise ValueError("a ratio needs at least three blocks of positive times")
    logs = log_ratios(blocks)
    chance = random.Random(seed)
    medians = sorted(statistics.median(chance.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    low, high = medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES) - 1]
    return Ratio(math.exp(statistics.median(logs)), math.exp(low), math.exp(high))
