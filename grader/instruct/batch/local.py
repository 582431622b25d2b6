"""Grade on this machine in lanes; a lane that dies loses no submission."""

from __future__ import annotations

import itertools
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cusimt.support.scratch import sweep
from grader.instruct.batch.driver import Ended, Item, fault_of
from grader.instruct.batch.grading import not_judged
from grader.instruct.batch.lane import Answer, LaneSettings, Task
from grader.instruct.batch.lane_pool import Died, LanePool
from grader.instruct.results import Record, ResultStore
from grader.support.errors import InfrastructureError
from grader.verdict import Status

TRIES = 2  # of one submission in one run, when the machine or the lane fails
LANE_SECONDS = 1800.0  # for one submission; every stage within has a tighter limit of its own
_HOPELESS = 6  # failures of the machine from the start, before anything is judged, end the batch
_WAIT_SECONDS = 1.0  # between looks at the clocks of the lanes


@dataclass(frozen=True)
class LocalSettings:
    """``jobs`` lanes; ``gpus`` are the UUIDs that they share, none on simt."""

    lane: LaneSettings
    jobs: int
    gpus: tuple[str, ...] = ()
    seconds: float = LANE_SECONDS


def grade_here(left: Sequence[Item], settings: LocalSettings) -> Iterator[Ended]:
    """Grade ``left``, and tell each as it ends. Whatever way this generator is left, no lane remains.

    Raises InfrastructureError when the machine fails one submission after the other from the start.
    """
    jobs = min(settings.jobs, len(left))
    try:
        with LanePool(settings.lane, jobs, settings.gpus, settings.seconds) as lanes:
            yield from _Queue(left, ResultStore(settings.lane.results), lanes)
    finally:
        sweep()  # what lanes that were killed have left


@dataclass(frozen=True)
class _Turn:
    """One submission's turn: how often it has been tried in this run, this time included, and since when."""

    item: Item
    tries: int
    begun: float


class _Queue:
    """A submission that the machine failed goes to the end of it once more."""

    def __init__(self, left: Sequence[Item], store: ResultStore, lanes: LanePool) -> None:
        self._waiting = deque((item, 1) for item in left)
        self._store, self._lanes = store, lanes
        self._attempts = Counter(entry.record for entry in store.log.entries())
        self._turns: dict[int, _Turn] = {}
        self._numbers = itertools.count()
        self._failures = 0
        self._judged = False

    def __iter__(self) -> Iterator[Ended]:
        while self._waiting or self._lanes.busy:
            while self._waiting and self._lanes.idle:
                self._give(*self._waiting.popleft())
            for task, answer in self._lanes.answers(_WAIT_SECONDS):
                turn = self._turns.pop(task.number)
                answer = self._blame_the_machine(task, turn, answer) if isinstance(answer, Died) else answer
                if not self._once_more(turn, answer):
                    yield Ended(turn.item, answer, time.perf_counter() - turn.begun)

    def _give(self, item: Item, tries: int) -> None:
        self._attempts[item.key.name] += 1
        attempt = self._attempts[item.key.name]
        task = Task(next(self._numbers), item.submission, item.exercise, item.backend, attempt)
        self._turns[task.number] = _Turn(item, tries, time.perf_counter())
        self._lanes.give(task)

    def _blame_the_machine(self, task: Task, turn: _Turn, died: Died) -> Record:
        """A lane that died could not log anything itself."""
        item, secret = turn.item, self._store.secret
        verdict = not_judged(item.exercise, item.backend, secret.seed(item.key), died.sentence)
        record = Record.now(item.key, verdict, task.attempt, after=self._store.log.newest())
        self._store.log.append(record, secret.pseudonym(item.submission.student))
        return record

    def _once_more(self, turn: _Turn, answer: Answer) -> bool:
        """Whether the machine failed and the submission is to be tried again, which is arranged."""
        if not isinstance(answer, Record) or answer.verdict.status is not Status.INFRA_ERROR:
            self._judged = True
            return False
        self._failures += 1
        if self._failures >= _HOPELESS and not self._judged:
            raise InfrastructureError(
                f"This machine failed the first {self._failures} gradings. The last: {fault_of(answer)}",
                "Such a failure never counts against a student, and continuing would only repeat it.",
                "Run grader doctor, then the same command again.",
            )
        if turn.tries < TRIES:
            self._waiting.append((turn.item, turn.tries + 1))
            return True
        return False
