"""The parent's handle on its zygote. Importing this module does not import torch, so that a command can
start the zygote first and import torch (and build) while the zygote does the same.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.cache import cache_root
from grader.errors import InfrastructureError
from grader.run import sandbox, sockets
from grader.run.control import Answer, Order, Word
from grader.run.limits import Limits, kill_group
from grader.run.transcript import Transcript

if TYPE_CHECKING:
    from grader.run.session import Session

BACKENDS = ("simt", "cuda", "plain")
_READY_SECONDS = 600.0  # the first start compiles the simulated device
_ANSWER_SECONDS = 5.0
_PACKAGE_ROOT = Path(__file__).resolve().parents[2]

# A process that is to die with its parent dies with the *thread* that started it: this one stays.
_starter = ThreadPoolExecutor(1, "zygote-starter")


@dataclass
class Worker:
    """A worker as the parent holds it: ``pidfd`` becomes readable when it ends."""

    pid: int
    pidfd: int
    connection: socket.socket
    transcript: Transcript

    def close(self) -> None:
        """Give the descriptors back."""
        self.connection.close()
        self.transcript.close()
        with contextlib.suppress(OSError):
            os.close(self.pidfd)


class Zygote:
    """Starts workers for one backend, as many as asked for, and survives each of them.

    ``"plain"`` is torch on the CPU without a simulated device: what is asked to be on ``cuda:0`` is on the
    CPU. It serves the tests of this package.
    """

    def __init__(self, backend: str, isolate: bool, limits: Limits, readable: Sequence[Path]) -> None:
        self.backend = backend
        self.isolate = isolate
        self.limits = limits
        self._readable = tuple(readable)
        self._lock = threading.Lock()
        self._closed = False
        self._launch()

    @classmethod
    def start(
        cls,
        backend: str,
        isolate: bool = False,
        *,
        limits: Limits | None = None,
        readable: Sequence[Path] = (),
    ) -> Zygote:
        """Start a zygote and return at once; ``spawn_worker`` waits until it is ready.

        ``isolate`` puts it and its workers into bubblewrap, where they see ``readable`` (the learner's
        folder, the exercise) and nothing else of this user's files. Raises ``InfrastructureError`` when
        bubblewrap is asked for and missing.
        """
        if backend not in BACKENDS:
            raise InfrastructureError(
                f"There is no backend `{backend}`.", f"The backends are {', '.join(BACKENDS[:2])}."
            )
        return cls(backend, isolate, limits or Limits(), readable)

    def spawn_worker(self) -> Session:
        """A session on a fresh worker; raises ``InfrastructureError`` if the zygote never starts."""
        from grader.run.session import Session

        return Session(self)

    def fork(self) -> Worker:
        """A fresh worker, from a fresh zygote if the last one was killed."""
        with self._lock:
            if self._closed:
                raise InfrastructureError(
                    "A worker was asked for after the session with its zygote had ended."
                )
            for attempt in (1, 2):
                if not self._alive:
                    self._launch()
                try:
                    self._wait_ready()
                    return self._fork()
                except _Gone as gone:
                    words = self._last_words()
                    self._discard()
                    if attempt == 2 or not gone.was_ready:
                        raise _did_not_start(self.backend, words) from None
        raise AssertionError("unreachable")

    def end(self, worker: Worker, grace_ms: int = 0) -> Answer | None:
        """End a worker and all it started; None when the zygote itself is gone (then all is killed)."""
        with self._lock:
            try:
                answer, fds = self._ask(
                    Order(Word.END, worker.pid, grace_ms), grace_ms / 1000 + _ANSWER_SECONDS
                )
                _close_all(fds)
                return answer
            except _Gone:
                self._kill_directly(worker)
                self._discard()
                return None

    def close(self) -> None:
        """End the zygote and, with it, its workers."""
        with self._lock:
            self._closed = True
            self._discard()

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the running zygote ------------------------------------------------------------------------

    def _launch(self) -> None:
        environment = {**os.environ, "PYTHONPATH": _python_path(), "CU2GRAD_CACHE": str(cache_root())}
        command = [sys.executable, "-P", "-m", "grader.run.zygote", "--backend", self.backend]
        if self.isolate:
            command = sandbox.prefix(self.backend, self._readable, environment) + command
        else:
            command += ["--parent", str(os.getpid())]
        self._words = os.memfd_create("zygote-output", os.MFD_CLOEXEC)
        self._control, theirs = sockets.pair()
        command += ["--control", str(theirs.fileno())]
        self._process = _starter.submit(
            subprocess.Popen, command, pass_fds=(theirs.fileno(),), env=environment, stdin=subprocess.DEVNULL,
            stdout=self._words, stderr=self._words,
        ).result()  # fmt: skip
        theirs.close()
        self._ready = False
        self._alive = True

    def _wait_ready(self) -> None:
        if not self._ready:
            answer, fds = self._answer(_READY_SECONDS, was_ready=False)
            _close_all(fds)
            if answer.word is not Word.READY:
                raise _Gone(was_ready=False)
            self._ready = True

    def _fork(self) -> Worker:
        ours, theirs = sockets.pair()
        reading, writing = Transcript.pipe()
        order = Order(Word.SPAWN, memory_bytes=self.limits.memory_bytes, file_bytes=self.limits.file_bytes)
        try:
            answer, fds = self._ask(order, _ANSWER_SECONDS, theirs.fileno(), writing)
            if answer.word is not Word.SPAWN or len(fds) != 1:
                _close_all(fds)
                raise _Gone
        except _Gone:
            ours.close()
            os.close(reading)
            raise
        finally:
            theirs.close()
            os.close(writing)
        return Worker(answer.pid, fds[0], ours, Transcript(reading))

    def _ask(self, order: Order, seconds: float, *fds: int) -> tuple[Answer, list[int]]:
        if not self._alive:
            raise _Gone
        try:
            socket.send_fds(self._control, [order.pack()], fds)
        except OSError as error:
            raise _Gone from error
        return self._answer(seconds)

    def _answer(self, seconds: float, was_ready: bool = True) -> tuple[Answer, list[int]]:
        """The zygote's next datagram; ``_Gone`` when it ended, fell silent or said what no zygote says."""
        until = time.monotonic() + seconds
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        if not poller.poll(max(0.0, until - time.monotonic()) * 1000):
            raise _Gone(was_ready)
        try:
            datagram, fds = sockets.receive(self._control)
            return Answer.unpack(datagram), fds
        except (OSError, ValueError) as error:
            raise _Gone(was_ready) from error

    def _last_words(self, nbytes: int = 4096) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        size = os.fstat(self._words).st_size
        return os.pread(self._words, nbytes, max(0, size - nbytes)).decode("utf-8", "replace").strip()

    def _discard(self) -> None:
        if self._alive:
            self._alive = False
            self._control.close()
            self._process.kill()
            self._process.wait()
            os.close(self._words)

    def _kill_directly(self, worker: Worker) -> None:
        """Kill a worker without the zygote: its group, while the pidfd proves that the number is still its
        own.
        """
        poller = select.poll()
        poller.register(worker.pidfd, select.POLLIN)
        if not self.isolate and not poller.poll(0):
            kill_group(worker.pid)
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(worker.pidfd, signal.SIGKILL)


class _Gone(Exception):
    """The zygote ended or no longer answers; ``was_ready`` tells a fault of the start from one later on."""

    def __init__(self, was_ready: bool = True) -> None:
        super().__init__()
        self.was_ready = was_ready


def _python_path() -> str:
    """This package first, also where it is not installed; never a learner's current folder."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join([str(_PACKAGE_ROOT), *(entry for entry in given if Path(entry).is_absolute())])


def _close_all(fds: Sequence[int]) -> None:
    for fd in fds:
        os.close(fd)


def _did_not_start(backend: str, words: str) -> InfrastructureError:
    last = f" Its last words:\n{words}\n" if words else " It said nothing."
    return InfrastructureError(
        f"The process that starts workers for the {backend} backend did not start.{last}",
        "Nothing was graded, so nothing counts against the submission.",
        "Run `grader doctor`.",
    )
