"""How a submission's process can fail, as exceptions that the checks turn into statuses.

    SubmissionError
    ├── LoadFailed           op.py or its library could not be loaded        -> fail
    ├── WorkerCrashed        a signal, or an exit in the middle of a request -> crash
    ├── WorkerTimeout        a request took longer than its limit            -> timeout
    ├── ProtocolViolation    the worker sent what no worker sends            -> crash
    ├── OutputFlood          more printing than anybody can read             -> crash
    └── CallLost             backward or inputs of a call whose worker died  -> crash

Each costs the submission the request in which it happened: the next request starts in a fresh worker. What a
kill from outside looks like too (`from_outside`) counts if it happens twice.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from typing import TypeVar

from grader.run.values import RemoteError
from grader.support.errors import SubmissionError

_NEXT = "Run `grader check`: its verdict shows the last lines that a call printed."

T = TypeVar("T")
NO_ZYGOTE = "stopped the process that starts workers"
_BUSY = 1.25  # times as long by the clock: less is no load worth a word

# glibc writes "python: binding.cpp:12: void f(int): Assertion `n > 0' failed."
_ASSERTION = re.compile(r"^(?:[^\s:]+: )?(.*Assertion [`'].*' failed)\.?$", re.MULTILINE)
_STACK = re.compile(r"^Fatal Python error: ", re.MULTILINE)  # faulthandler's, of the grader's own calls


def signal_name(number: int) -> str:
    """`SIGSEGV` for 11; `signal 99` for a number without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def said(failure: SubmissionError) -> str:
    """The text printed before `failure`, without the stack that the interpreter appends."""
    return _STACK.split(failure.printed, maxsplit=1)[0].rstrip()


def from_outside(failure: SubmissionError) -> bool:
    """Whether anybody on this machine, or its lack of memory, may have caused it: SIGKILL leaves no name."""
    if isinstance(failure, WorkerCrashed):
        return failure.signal == "SIGKILL"
    return isinstance(failure, ProtocolViolation) and failure.violation == NO_ZYGOTE


def once_more(judge: Callable[[], T]) -> T:
    """What `judge` returns; a second time, where a worker ended as one that somebody else killed."""
    try:
        return judge()
    except SubmissionError as failure:
        if not from_outside(failure):
            raise
    return judge()


class LoadFailed(SubmissionError):
    """`op.py`, or the library where an exercise has no `op.py`, raised while it was loaded."""

    def __init__(self, error: RemoteError) -> None:
        where = f" at {error.where}" if error.where else ""
        super().__init__(
            f"Loading the submission raised {error.type}{where}: {error.message}",
            "A submission must load before anything in it can be judged.",
            "Repair the line named above and run `grader check` again.",
        )
        self.error = error


class WorkerCrashed(SubmissionError):
    """The worker died: `signal` (`SIGSEGV`, ...) or `ended_with`, an exit code, is set, never both."""

    def __init__(self, during: str, *, signal: str | None = None, exit_code: int | None = None,
                 where: str = "") -> None:  # fmt: skip
        at = f" at {where}" if where else ""
        if signal is not None:
            what = f"The submission crashed with {signal} while {during}{at}."
            rule = _SIGNAL_RULES.get(
                signal, "A submission reports an error as an exception, for example TORCH_CHECK."
            )
        else:
            what = f"The submission ended its own worker with exit code {exit_code} while {during}{at}."
            rule = "A submission returns or raises; it never ends the program that called it."
        super().__init__(what, rule, _NEXT)
        self.signal = signal
        self.ended_with = exit_code
        self.during = during
        self.where = where
        self._printed = ""

    @property
    def printed(self) -> str:
        return self._printed

    @printed.setter
    def printed(self, text: str) -> None:
        """An abort has many causes: what was printed tells which."""
        self._printed = text
        if self.signal == "SIGABRT":
            self.rule = _abort_rule(text)


def _abort_rule(printed: str) -> str:
    if failed := _ASSERTION.findall(printed):
        return f"{failed[-1]}. An assert ends the whole program: report bad input as an exception."
    return _EXCEPTION_RULE if "terminate called after throwing" in printed else _SIGNAL_RULES["SIGABRT"]


_EXCEPTION_RULE = "An exception must not leave a destructor, a thread or a noexcept function: catch it there."

_SIGNAL_RULES = {
    "SIGSEGV": "Host code may only touch host memory that it owns; a device pointer is not host memory.",
    "SIGBUS": "Host code may only touch host memory that it owns; a device pointer is not host memory.",
    "SIGABRT": "That is abort(), a failed assert, or an exception that left a destructor, a thread or a "
    "noexcept function.",
    "SIGFPE": "An integer division by zero ends the program; refuse such an input with TORCH_CHECK.",
    "SIGKILL": "The system kills a program that takes more memory than there is.",
    "SIGXFSZ": "A submission may write small files only; results are returned, not written.",
}


class WorkerTimeout(SubmissionError):
    """A request took `seconds` of the worker's own time and more (`grader.support.deadlines`), which were
    `waited` on the parent's clock; the worker and its children are dead.
    """

    def __init__(self, during: str, seconds: float, waited: float = 0.0) -> None:
        busy = f" ({waited:.0f} s by the clock of a busy machine)" if waited > _BUSY * seconds + 1 else ""
        super().__init__(
            f"The submission was still {during} after {seconds:g} s{busy} and was stopped.",
            "Every call has to end: look for a loop whose condition never becomes false, or a wait for a "
            "signal that never comes.",
            _NEXT,
        )
        self.during = during
        self.seconds = seconds


class ProtocolViolation(SubmissionError):
    """The worker's side of the wire was tampered with: `violation` says how."""

    def __init__(self, violation: str, during: str) -> None:
        super().__init__(
            f"While {during}, the worker {violation}.",
            "Only the grader's own code may use the worker's connection; a submission that touches it "
            "forfeits the check.",
            _NEXT,
        )
        self.violation = violation
        self.during = during


def unreadable(error: Exception) -> str:
    """The words for a reply that could not even be checked: reading it raised `error`."""
    return f"sent a reply that cannot be read: it raises {type(error).__name__}"


class OutputFlood(SubmissionError):
    """More than `limit` bytes were printed during one request."""

    def __init__(self, during: str, limit: int) -> None:
        super().__init__(
            f"The submission printed more than {limit // 2**20} MiB while {during} and was stopped.",
            "Printing from every element or every thread hides what matters; print from one thread, and only "
            "a few values.",
            "Remove the print statements and run `grader check` again.",
        )
        self.during = during
        self.limit = limit


class CallLost(SubmissionError):
    """`backward`, `inputs` or `changed_inputs` of a call whose worker is gone."""

    def __init__(self) -> None:
        super().__init__(
            "The graph and inputs that an earlier call left in the worker are lost with it.",
            "A crash or a timeout costs the calls before it their gradients.",
            "Repair the crash that was reported first.",
        )
