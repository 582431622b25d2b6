"""The lanes of a batch: start them, give them work, read results, and replace those that die."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from cusimt.support.scratch import scratch
from grader.instruct.batch import lane
from grader.instruct.batch.lane import Answer, LaneSettings, Task

_SPAWN = multiprocessing.get_context("spawn")  # a forked process would share what torch and rich hold
_WORDS_BYTES = 2000  # of the last that a lane printed


@dataclass(frozen=True)
class Died:
    """What is known of a lane that ended, or that was ended, before it answered."""

    sentence: str


class LanePool:
    """A context manager: at its end, no lane is left. Lanes are started when there is work for them."""

    def __init__(self, settings: LaneSettings, size: int, gpus: Sequence[str], seconds: float) -> None:
        """``gpus`` are UUIDs, shared by the lanes in turn; an answer may take ``seconds``."""
        self._settings = settings
        self._seconds = seconds
        self._open = contextlib.ExitStack()
        self._scratch = self._open.enter_context(scratch("lanes"))
        self._seats: list[_Seat | None] = [None] * size
        self._gpus = [gpus[number % len(gpus)] if gpus else "" for number in range(size)]

    def __enter__(self) -> LanePool:
        return self

    def __exit__(self, *_: object) -> None:
        for seat in self._seats:
            if seat is not None:
                seat.kill()
        self._open.close()

    @property
    def idle(self) -> int:
        """How many more tasks can be given."""
        return sum(seat is None or seat.task is None for seat in self._seats)

    @property
    def busy(self) -> int:
        return len(self._seats) - self.idle

    def give(self, task: Task) -> None:
        """Have an idle lane grade ``task``; a running one rather than one that has yet to start."""
        numbers = sorted(range(len(self._seats)), key=lambda number: self._seats[number] is None)
        for number in numbers:
            seat = self._seats[number]
            if seat is None:
                seat = self._seats[number] = self._start(number)
            if seat.task is None:
                seat.give(task)
                return
        raise ValueError("no lane is idle")

    def answers(self, seconds: float) -> Iterator[tuple[Task, Answer | Died]]:
        """What is answered within ``seconds``, at once when something is; a lane that died answers too."""
        working = [seat for seat in self._seats if seat is not None and seat.task is not None]
        ready = wait([seat.connection for seat in working], seconds)
        for seat in working:
            assert seat.task is not None
            if seat.connection in ready:
                task, answer = seat.hear()
                yield task, answer
            elif seat.elapsed > self._seconds:
                task = seat.task
                seat.kill()
                yield task, Died(f"It was stopped: no verdict came within {self._seconds:.0f} s.")
        self._seats = [None if seat is not None and seat.dead else seat for seat in self._seats]

    def _start(self, number: int) -> _Seat:
        words = self._scratch / str(number)
        return _Seat(replace(self._settings, gpu=self._gpus[number]), words)


class _Seat:
    """One lane's process and this side of its connection; ``task`` is what it is at."""

    def __init__(self, settings: LaneSettings, words: Path) -> None:
        self.task: Task | None = None
        self.dead = False
        self._words = words
        self._since = 0.0
        self.connection, theirs = _SPAWN.Pipe()
        arguments = (settings, theirs, os.getpid(), words)
        self._process: BaseProcess = _SPAWN.Process(target=lane.run, args=arguments, daemon=False)
        self._process.start()
        theirs.close()

    @property
    def elapsed(self) -> float:
        """Seconds since the task was given."""
        return time.monotonic() - self._since

    def give(self, task: Task) -> None:
        self.task, self._since = task, time.monotonic()
        with contextlib.suppress(BrokenPipeError):  # it is dead: `hear` will say so
            self.connection.send(task)

    def hear(self) -> tuple[Task, Answer | Died]:
        """The answer that has come, or how the lane ended."""
        assert self.task is not None
        task, self.task = self.task, None
        try:
            return task, self.connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            sentence = f"The process that graded it {_ending(self._process.exitcode)}.{self._last_words()}"
            self.kill()
            return task, Died(sentence)

    def kill(self) -> None:
        """End the process, and by its death its zygote and workers."""
        self.dead = True
        self.task = None
        self._process.kill()
        self._process.join()
        self.connection.close()

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            words = self._words.read_bytes()[-_WORDS_BYTES:].decode("utf-8", "replace").strip()
            return f" Its last output:\n{words}" if words else ""
        return ""


def _ending(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"was ended by {signal.Signals(-exit_code).name}"
    return f"ended with code {exit_code}"
