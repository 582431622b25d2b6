"""The total time for all runs of a learner's tests, and the progress through them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 5  # wall-clock seconds for each second of processor time: so long a run may also wait
T = TypeVar("T")


class Budget:
    """``seconds`` of processor time for runs that go on side by side; without a bound unless one is given."""

    def __init__(self, seconds: float = math.inf) -> None:
        self._left = seconds
        self._lock = threading.Lock()

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def spend(self, seconds: float) -> None:
        with self._lock:
            self._left -= seconds


class Ticker:
    """Tells ``progress`` that so many are done: "0 of 29 implementations tested", then 1, 2, ..."""

    def __init__(self, progress: Callable[[str], None], what: str) -> None:
        self._progress = progress
        self._what = what
        self._done = 0
        self._lock = threading.Lock()
        progress(f"0 {what}")

    def after(self, result: T) -> T:
        """``result``, on which the work is done."""
        with self._lock:
            self._done += 1
            self._progress(f"{self._done} {self._what}")
        return result
