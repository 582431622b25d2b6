"""One zygote process as the parent holds it, from its start to its end."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cusimt.programs.schedules import SAMPLE_VARIABLE
from cusimt.support.cache import cache_root
from grader.run import landlock, sandbox, seccomp, sockets
from grader.run.control import Answer, Command, Order
from grader.run.limits import Limits
from grader.run.transcript import Transcript
from grader.support.backends import WorkerBackend
from grader.support.errors import UsageError
from grader.support.folders import python_path
from grader.support.processes import ends_within, kill_group

ANSWER_SECONDS = 5.0
_LAST_OUTPUT = 4096  # bytes
_CLEAR_SECONDS = 30.0  # a full scratch folder is emptied
_READY_SECONDS = 600.0  # the first start compiles the simulated device

# A process that is to die with its parent dies with the *thread* that started it: this one stays.
_starter = ThreadPoolExecutor(1, "zygote-starter")


class ZygoteLost(Exception):
    """The zygote ended or no longer answers; `was_ready` tells a fault of the start from one later on."""

    def __init__(self, was_ready: bool = True) -> None:
        super().__init__()
        self.was_ready = was_ready


@dataclass(frozen=True)
class Settings:
    """The settings of a zygote process; see `Zygote.start`."""

    backend: WorkerBackend
    isolate: bool
    limits: Limits
    readable: tuple[Path, ...] = ()
    modules: tuple[str, ...] = ()
    spool: Path | None = None
    ahead: bool = True
    lazy: bool = False

    @property
    def confined(self) -> bool:
        """Whether workers are kept from each other and from the zygote; not on a GPU, whose driver opens
        files and starts threads.
        """
        known = seccomp.is_supported() and self.backend != "cuda"
        return known and self.isolate and (self.backend == "simt" or self.spool is not None)

    @property
    def reusable(self) -> bool:
        """Whether one process may serve submissions of different people, one after another."""
        return not self.isolate or (self.confined and landlock.version() > 0)


@dataclass(frozen=True)
class Worker:
    """A worker as the parent holds it: `pidfd` becomes readable when it ends."""

    pid: int
    pidfd: int
    connection: socket.socket
    transcript: Transcript

    def host_pid(self) -> int:
        """Its number here, where `pid` is the one in its sandbox; -1 when it has ended."""
        about = Path(f"/proc/self/fdinfo/{self.pidfd}").read_text()
        return int(next((line.split()[1] for line in about.splitlines() if line.startswith("Pid:")), "-1"))

    def close(self) -> None:
        """Give the descriptors back."""
        self.connection.close()
        self.transcript.close()
        with contextlib.suppress(OSError):
            os.close(self.pidfd)


@dataclass(frozen=True)
class _Ordered:
    """The parent's ends of a worker that is being forked: its connection, and the pipe of its output."""

    connection: socket.socket
    output: int

    def close(self) -> None:
        self.connection.close()
        os.close(self.output)


class ZygoteProcess:
    """Starts at once, gets ready by itself, forks workers on order."""

    def __init__(self, settings: Settings) -> None:
        _refuse_sampling()
        environment = {
            **os.environ,
            "PYTHONPATH": python_path(),
            "CUSIMT_CACHE": str(cache_root()),
            "CUSIMT_THREADS": "1",  # the same answer twice, also from a kernel that races
        }
        command = [sys.executable, "-P", "-m", "grader.run.zygote", "--backend", settings.backend]
        command += [f"--module={name}" for name in settings.modules]
        command += ["--confined"] if settings.confined else []
        self._settings = settings
        with contextlib.ExitStack() as held:  # and given back at once if the process does not start
            self._enclosure = _enclosure(settings, environment)
            if self._enclosure is not None:
                held.callback(self._enclosure.close)
            self._output = os.memfd_create("zygote-output", os.MFD_CLOEXEC)
            held.callback(os.close, self._output)
            self._control, theirs = sockets.pair()
            held.enter_context(self._control)
            with theirs:
                self._process = self._started(command, environment, theirs.fileno())
            self._held = held.pop_all()
        self._ready = False
        self._ordered: _Ordered | None = None
        with contextlib.suppress(ZygoteLost):  # told when the worker is fetched
            self._order_ahead()

    def _started(
        self, command: Sequence[str], environment: Mapping[str, str], control: int
    ) -> subprocess.Popen[bytes]:
        descriptors: tuple[int, ...] = (control,)
        command = [*command, "--control", str(control)]
        if self._enclosure is not None:
            command = self._enclosure.around([*command, "--isolated"])
            descriptors += self._enclosure.descriptors
            environment = self._enclosure.environment
        else:
            command += ["--parent", str(os.getpid())]
        return _starter.submit(
            subprocess.Popen, command, pass_fds=descriptors, env=environment, stdin=subprocess.DEVNULL,
            stdout=self._output, stderr=self._output, start_new_session=self._enclosure is not None,
        ).result()  # fmt: skip

    @property
    def pid(self) -> int:
        """Of the process that was started: the zygote, or bubblewrap around it."""
        return self._process.pid

    def fork(self) -> Worker:
        """A fresh worker, once the zygote is ready; raises `ZygoteLost`."""
        self._wait_ready()
        ordered = self._ordered or self._order()
        self._ordered = None
        try:
            answer, fds = self._answer(ANSWER_SECONDS)
            if answer.command is not Command.SPAWN or len(fds) != 1:
                _close_all(fds)
                raise ZygoteLost
        except ZygoteLost:
            ordered.close()
            raise
        return Worker(answer.pid, fds[0], ordered.connection, Transcript(ordered.output))

    def end(self, worker: Worker, grace_ms: int) -> Answer:
        """End a worker through the zygote; raises `ZygoteLost`."""
        self._send(Order(Command.END, worker.pid, grace_ms))
        answer, fds = self._answer(grace_ms / 1000 + ANSWER_SECONDS)
        _close_all(fds)
        return answer

    def clear(self) -> None:
        """End all workers and sweep the scratch folders. Raises `ZygoteLost`."""
        if self._ordered is not None:
            return  # no worker was used since the last time
        self._wait_ready()
        self._send(Order(Command.CLEAR))
        answer, fds = self._answer(_CLEAR_SECONDS)
        _close_all(fds)
        if answer.command is not Command.CLEAR:
            raise ZygoteLost
        self._order_ahead()

    def last_output(self) -> str:
        """The end of its output to stdout and stderr, complete if it has ended or does within a second."""
        ends_within(self.pid, 1.0)
        begin = max(0, os.fstat(self._output).st_size - _LAST_OUTPUT)
        return os.pread(self._output, _LAST_OUTPUT, begin).decode("utf-8", "replace").strip()

    def kill(self) -> None:
        """End it, and with it its workers."""
        if self._ordered is not None:
            self._ordered.close()
        self._control.close()
        if self._enclosure is not None:  # bubblewrap's child, in its first moments, does not die with it
            kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()
        self._held.close()

    def _order_ahead(self) -> None:
        """Order the next worker before it is needed, unless the settings postpone its cost."""
        if self._settings.ahead:
            self._ordered = self._order()

    def _order(self) -> _Ordered:
        """Ask for a worker; the answer comes when the zygote is ready for it."""
        ours, theirs = sockets.pair()
        reading, writing = Transcript.pipe()
        ordered = _Ordered(ours, reading)
        limits = self._settings.limits
        order = Order(
            Command.SPAWN,
            memory_bytes=limits.memory_bytes,
            file_bytes=limits.file_bytes,
            processes=limits.processes if self._settings.isolate else 0,
        )
        try:
            self._send(order, theirs.fileno(), writing)
        except ZygoteLost:
            ordered.close()
            raise
        finally:
            theirs.close()
            os.close(writing)
        return ordered

    def _wait_ready(self) -> None:
        if not self._ready:
            answer, fds = self._answer(_READY_SECONDS, was_ready=False)
            _close_all(fds)
            if answer.command is not Command.READY:
                raise ZygoteLost(was_ready=False)
            self._ready = True

    def _send(self, order: Order, *fds: int) -> None:
        try:
            socket.send_fds(self._control, [order.pack()], fds)
        except OSError as error:
            raise ZygoteLost from error

    def _answer(self, seconds: float, was_ready: bool = True) -> tuple[Answer, list[int]]:
        """Its next datagram. Raises `ZygoteLost` when it ended, fell silent or sent what no zygote sends."""
        until = time.monotonic() + seconds
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        if not poller.poll(max(0.0, until - time.monotonic()) * 1000):
            raise ZygoteLost(was_ready)
        try:
            datagram, fds = sockets.receive(self._control)
            return Answer.unpack(datagram), fds
        except (OSError, ValueError) as error:
            raise ZygoteLost(was_ready) from error


def _refuse_sampling() -> None:
    if os.environ.get(SAMPLE_VARIABLE):
        raise UsageError(
            f"{SAMPLE_VARIABLE} is set.",
            "A sampled run skips blocks, so its values are wrong; grading runs every block.",
            f"Unset it: env -u {SAMPLE_VARIABLE} grader ...",
        )


def _enclosure(settings: Settings, environment: Mapping[str, str]) -> sandbox.Enclosure | None:
    if not settings.isolate:
        return None
    spool = [settings.spool] if settings.spool is not None else []
    readable = [*settings.readable, *spool]
    return sandbox.enclose(settings.backend, readable, environment, settings.limits)


def _close_all(fds: Sequence[int]) -> None:
    for fd in fds:
        os.close(fd)
