"""The lanes of a batch: processes that are started when there is work, and replaced when they die."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import LifoQueue

from cusimt.support.scratch import scratch
from grader.instruct.batch import lane
from grader.instruct.batch.grading import Item
from grader.instruct.batch.lane import Answer, LaneSettings

_SPAWN = multiprocessing.get_context("spawn")  # a forked process would share what torch and rich hold
_WORDS_BYTES = 2000  # of the last that a lane printed


@dataclass(frozen=True)
class LaneDied:
    """What is known of a lane that ended, or that was ended, before it answered."""

    sentence: str


class LanePool:
    """A context manager: at its end, no lane is left, and whoever waits for one is told that it died."""

    def __init__(self, settings: LaneSettings, size: int, gpus: Sequence[str], seconds: float) -> None:
        """``gpus`` are UUIDs, shared by the lanes in turn; an answer may take ``seconds``."""
        self._open = contextlib.ExitStack()
        words = self._open.enter_context(scratch("lanes"))
        own = [replace(settings, gpu=gpus[each % len(gpus)] if gpus else "") for each in range(size)]
        self._lanes = [_Lane(each, words / str(number), seconds) for number, each in enumerate(own)]
        self._idle: LifoQueue[_Lane] = LifoQueue()  # a running one rather than one that has yet to start
        for each in reversed(self._lanes):
            self._idle.put(each)

    def __enter__(self) -> LanePool:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._lanes:
            each.close()
        self._open.close()

    def grade(self, item: Item, attempt: int) -> Answer | LaneDied:
        """Have an idle lane grade ``item``, waiting for one; called from a thread for each lane."""
        idle = self._idle.get()
        try:
            return idle.grade(item, attempt)
        finally:
            self._idle.put(idle)


class _Lane:
    """This side of one lane: its process, if it runs, and the connection to it."""

    def __init__(self, settings: LaneSettings, words: Path, seconds: float) -> None:
        self._settings, self._words, self._seconds = settings, words, seconds
        self._running: tuple[BaseProcess, Connection] | None = None
        self._closed = False

    def grade(self, item: Item, attempt: int) -> Answer | LaneDied:
        """The answer, or how the lane ended; then the next item starts another one."""
        if self._closed:
            return LaneDied("The batch was stopped.")
        process, connection = self._running = self._running or self._start()
        try:
            connection.send((item, attempt))
            if connection.poll(self._seconds):
                answer: Answer = connection.recv()
                return answer
            sentence = f"It was stopped: no verdict came within {self._seconds:.0f} s."
        except (OSError, EOFError):
            process.join()
            sentence = f"The process that graded it {_ending(process.exitcode)}.{self._last_words()}"
        self._kill()
        return LaneDied(sentence)

    def close(self) -> None:
        """Start no more."""
        self._closed = True
        self._kill()

    def _start(self) -> tuple[BaseProcess, Connection]:
        ours, theirs = _SPAWN.Pipe()
        arguments = (self._settings, theirs, os.getpid(), self._words)
        process = _SPAWN.Process(target=lane.run, args=arguments, daemon=False)
        process.start()
        theirs.close()
        return process, ours

    def _kill(self) -> None:
        """End the process, and by its death its zygote and workers."""
        running, self._running = self._running, None
        if running is not None:
            process, connection = running
            process.kill()
            process.join()
            connection.close()

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            words = self._words.read_bytes()[-_WORDS_BYTES:].decode("utf-8", "replace").strip()
            return f" Its last output:\n{words}" if words else ""
        return ""


def _ending(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"was ended by {signal.Signals(-exit_code).name}"
    return f"ended with code {exit_code}"
