"""Interrupts a process at the N-th of its steps: it is killed there, or its disk is full from there on.

A step is whatever Python does to files, locks, processes and sockets, as its audit events tell: the code
under test decides how many there are, and no list of them can be out of date.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from grader.support import machine
from grader.support.errors import ExplainedError

OWN_FAULT = 99  # the exit code for an exception that is no sentence
_TAKES_ROOM = (
    "open",
    "os.mkdir",
    "os.rename",
    "os.link",
    "os.symlink",
    "tempfile.mkstemp",
    "tempfile.mkdtemp",
)
_STEPS = frozenset(
    (*_TAKES_ROOM, "os.remove", "os.rmdir", "os.chmod", "os.utime", "os.truncate", "fcntl.flock",
     "shutil.rmtree", "subprocess.Popen", "socket.sendmsg", "os.kill", "os.killpg", "os.posix_spawn")
)  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Steps:
    """Counts them, and does at step ``point`` what ``action`` says: "kill", "full", or nothing."""

    def __init__(self, point: int, action: str, at: Callable[[str], None] | None = None) -> None:
        self.count = 0
        self._point, self._action, self._at = point, action, at
        self._lock = threading.Lock()

    def arm(self) -> None:
        """From now on; an audit hook stays for the life of a process."""
        sys.addaudithook(self._on)

    def _on(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _STEPS or (event == "open" and not _writes(arguments)):
            return
        with self._lock:
            self.count += 1
            now = self.count
        if self._action == "kill" and now == self._point:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._action == "full" and now >= self._point and event in _TAKES_ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))
        if self._at is not None and now == self._point:
            self._at(event)


def _writes(arguments: tuple[Any, ...]) -> bool:
    name, _, flags = arguments
    return isinstance(flags, int) and bool(flags & _WRITING) and name != os.devnull


def in_child(work: Callable[[], object], point: int = 0, action: str = "") -> tuple[int, int, str]:
    """Do ``work`` in a process of its own: how it ended, the steps it took, and the sentence it ended with.

    The end is an exit code as the command line has it, or the negative number of a signal.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        os._exit(_done(work, Steps(point, action), tell))
    os.close(tell)
    with os.fdopen(told, "rb") as reading:
        count, _, sentence = reading.read().decode().partition("\n")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(count or 0), sentence


def _done(work: Callable[[], object], steps: Steps, tell: int) -> int:
    code, sentence = 0, ""
    steps.arm()
    try:
        work()
    except ExplainedError as error:
        code, sentence = error.exit_code, str(error)
    except Exception as error:
        fault = machine.fault_of(error) if isinstance(error, OSError) else None
        code = fault.exit_code if fault is not None else OWN_FAULT
        sentence = str(fault) if fault is not None else "".join(traceback.format_exception(error))
    os.write(tell, f"{steps.count}\n{sentence}".encode())
    return code
