"""Grade on this machine in lanes; a lane that dies loses no submission."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NamedTuple

from cusimt.support.scratch import sweep
from grader.instruct.batch.driver import Ended, fault_of
from grader.instruct.batch.grading import Item, not_judged
from grader.instruct.batch.lane import Answer, LaneSettings
from grader.instruct.batch.lane_pool import LaneDied, LanePool
from grader.instruct.results import Record, ResultStore
from grader.support.errors import InfrastructureError
from grader.verdict import Status

TRIES = 2  # of one submission in one run, when the machine or the lane fails
LANE_SECONDS = 1800.0  # for one submission; every stage within has a tighter limit of its own
_HOPELESS = 6  # failures of the machine from the start, before anything is judged, end the batch


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
    store = ResultStore(settings.lane.results)
    with (
        contextlib.ExitStack() as end,
        ThreadPoolExecutor(jobs) as threads,  # each waits for one lane's answer
        LanePool(settings.lane, jobs, settings.gpus, settings.seconds) as lanes,
    ):
        end.callback(sweep)  # what lanes that were killed have left
        yield from _Queue(left, store, lanes, threads)


class _Turn(NamedTuple):
    """One submission's turn: its attempt ever, and in this run, this time included."""

    item: Item
    attempt: int
    tries: int


class _Queue:
    """A submission that the machine failed goes to the end of it once more."""

    def __init__(self, left: Sequence[Item], store: ResultStore, lanes: LanePool, threads: Executor) -> None:
        self._store, self._lanes, self._threads = store, lanes, threads
        self._attempts = Counter(entry.record for entry in store.log.entries())
        self._failures = 0
        self._judged = False
        self._running: dict[Future[tuple[Answer | LaneDied, float]], _Turn] = {}
        for item in left:
            self._give(item, 1)

    def __iter__(self) -> Iterator[Ended]:
        try:
            while self._running:
                done, _ = wait(self._running, return_when=FIRST_COMPLETED)
                for future in done:
                    turn, (answer, seconds) = self._running.pop(future), future.result()
                    answer = self._blame_the_machine(turn, answer) if isinstance(answer, LaneDied) else answer
                    if not self._once_more(turn, answer):
                        yield Ended(turn.item, answer, seconds)
        finally:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _give(self, item: Item, tries: int) -> None:
        self._attempts[item.key.name] += 1
        turn = _Turn(item, self._attempts[item.key.name], tries)
        self._running[self._threads.submit(self._graded, turn)] = turn

    def _graded(self, turn: _Turn) -> tuple[Answer | LaneDied, float]:
        begun = time.perf_counter()
        return self._lanes.grade(turn.item, turn.attempt), time.perf_counter() - begun

    def _blame_the_machine(self, turn: _Turn, died: LaneDied) -> Record:
        """A lane that died could not log anything itself."""
        item, secret = turn.item, self._store.secret
        verdict = not_judged(item.exercise, item.backend, secret.seed(item.key), died.sentence)
        record = Record.now(item.key, verdict, turn.attempt, after=self._store.log.newest())
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
            self._give(turn.item, turn.tries + 1)
            return True
        return False
