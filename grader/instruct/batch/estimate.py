"""Estimate a batch's remaining time per exercise, since exercises differ by a factor of ten."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from grader.instruct.batch.plan import Item


class Estimate:
    """From what is left of each exercise, and what its submissions took so far."""

    def __init__(self, left: Iterable[Item], lanes: int) -> None:
        self._left = Counter(item.exercise.slug for item in left)
        self._lanes = max(1, min(lanes, self._left.total()))
        self._taken: dict[str, list[float]] = defaultdict(list)

    def ended(self, slug: str, seconds: float) -> None:
        """One submission to ``slug`` took ``seconds`` of its lane."""
        self._left[slug] -= 1
        self._taken[slug].append(seconds)

    def seconds_left(self) -> float | None:
        """Wall-clock seconds, or None before the first has ended."""
        everything = [seconds for taken in self._taken.values() for seconds in taken]
        if not everything:
            return None
        overall = _mean(everything)
        return sum(
            count * (_mean(self._taken[slug]) if self._taken[slug] else overall)
            for slug, count in self._left.items()
        ) / self._lanes  # fmt: skip


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
