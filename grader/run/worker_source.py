"""Forks the workers of sessions from a zygote process, and replaces that process when it is gone."""

from __future__ import annotations

import contextlib
import select
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Self

from grader.run.control import Answer
from grader.run.limits import Limits
from grader.run.zygote_process import Settings, Worker, ZygoteLost, ZygoteProcess
from grader.support.backends import WorkerBackend
from grader.support.errors import InfrastructureError
from grader.support.processes import kill_group


class WorkerSource:
    """Starts workers for one backend, as many as a grade needs, and survives each of them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._later = ThreadPoolExecutor(1, "ends-workers") if settings.lazy else None
        self._put_off: list[Future[object]] = []
        self._closed = False
        self.lost = 0  # workers that a submission ended, hung or spent
        self._process: ZygoteProcess | None = self._start()

    @property
    def backend(self) -> WorkerBackend:
        return self._settings.backend

    @property
    def isolate(self) -> bool:
        return self._settings.isolate

    @property
    def limits(self) -> Limits:
        return self._settings.limits

    @property
    def spool(self) -> Path | None:
        """The folder below which submissions lie, or None for a zygote that serves a single one."""
        return self._settings.spool

    @property
    def reusable(self) -> bool:
        """Whether `clear` keeps the process: not where a worker could harm it or the next worker."""
        return self._settings.reusable

    @property
    def pid(self) -> int | None:
        """Of the zygote, or of bubblewrap around it; None when it is gone."""
        return self._process.pid if self._process is not None else None

    def fork(self) -> Worker:
        """A fresh worker, from a fresh zygote if the last one was killed."""
        self._catch_up()
        with self._lock:
            if self._closed:
                raise InfrastructureError("A worker was asked for after its zygote had been closed.")
            try:
                return self._fork()
            except ZygoteLost as gone:
                output = self._discard()
                if not gone.was_ready:
                    raise _did_not_start(self.backend, output) from None
            try:
                return self._fork()
            except ZygoteLost:
                raise _did_not_start(self.backend, self._discard()) from None

    def retire(self, worker: Worker) -> None:
        """End a worker whose end nobody asks about, and give its descriptors back."""

        def retire() -> None:
            try:
                self.end(worker)
            finally:
                worker.close()

        self._do(retire)

    def end(self, worker: Worker, grace_ms: int = 0) -> Answer | None:
        """End a worker and all it started; None when the zygote itself is gone (then all is killed)."""
        with self._lock:
            try:
                if self._process is None:
                    raise ZygoteLost
                return self._process.end(worker, grace_ms)
            except ZygoteLost:
                self._kill_directly(worker)
                self._discard()
                return None

    def clear(self) -> None:
        """Between two submissions: end the workers, and leave nothing of theirs for the next.

        Where one process may not serve both it is replaced by a fresh one, which gets ready meanwhile.
        """
        self._do(self._clear)

    def _do(self, task: Callable[[], None]) -> None:
        """Do it now, or, if this is lazy, beside what comes next; a new worker waits for it."""
        if self._later is None:
            task()
        else:
            self._put_off.append(self._later.submit(task))

    def _catch_up(self) -> None:
        """Wait for what was put off."""
        while self._put_off:
            self._put_off.pop().result()

    def _clear(self) -> None:
        with self._lock:
            if self._closed:
                return
            if self._process is not None and self.reusable:
                with contextlib.suppress(ZygoteLost):
                    self._process.clear()
                    return
            self._end_process()
            self._process = self._start()

    def close(self) -> None:
        """End the zygote and, with it, its workers, also if something that was put off has failed."""
        try:
            self._catch_up()
        finally:
            if self._later is not None:
                self._later.shutdown()
            with self._lock:
                self._closed = True
                self._end_process()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> ZygoteProcess:
        return ZygoteProcess(self._settings)

    def _fork(self) -> Worker:
        if self._process is None:
            self._process = self._start()
        return self._process.fork()

    def _discard(self) -> str:
        """Give up the present process; returns its last output."""
        if self._process is None:
            return ""
        output = self._process.last_output()
        self._end_process()
        return output

    def _end_process(self) -> None:
        """Kill the present process, if there is one; the next is started when it is needed."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _kill_directly(self, worker: Worker) -> None:
        """Kill a worker without the zygote: its group, while the pidfd proves the number to be its own."""
        poller = select.poll()
        poller.register(worker.pidfd, select.POLLIN)
        if not self.isolate and not poller.poll(0):
            kill_group(worker.pid)
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(worker.pidfd, signal.SIGKILL)


def _did_not_start(backend: WorkerBackend, output: str) -> InfrastructureError:
    last = f" Its last output:\n{output}\n" if output else " It printed nothing."
    return InfrastructureError(
        f"The process that starts workers for the {backend} backend did not start.{last}",
        "Nothing was graded, so nothing counts against the submission.",
        "Run `grader doctor`.",
    )
