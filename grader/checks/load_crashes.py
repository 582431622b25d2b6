"""Messages of libraries that crashed the worker while it loaded them.

Its initializers run before anybody could catch what they throw. The C++ runtime then prints the exception and
aborts: a registration that PyTorch refuses looks like a crash, and its reason stands in what was printed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from grader.checks.outcome import Outcome
from grader.support.errors import SubmissionError
from grader.verdict import Status

_THROWN = re.compile(
    r"terminate called after throwing an instance of '(?P<type>[^'\n]+)'\s+what\(\):\s*(?P<message>.*?)"
    r"\s*(?=^Exception raised from |^frame #\d|^Fatal Python error|\Z)",
    re.DOTALL | re.MULTILINE,
)
_REGISTERED = re.compile(r"registered at (?P<file>[^\s:]+):(?P<line>\d+)")
_SCHEMA_MARK = "<--- HERE"  # below the character at which a schema stopped to make sense
_SCHEMA_ENDED = re.compile(r"expected (\w+|'.+') but found 'eof' here:$")  # no character to point at
LONGEST = 400
MOST_LINES = 12


@dataclass(frozen=True)
class UncaughtException:
    """An uncaught exception: the first line of its message, and the lines that follow."""

    type: str
    first: str
    rest: tuple[str, ...]

    @property
    def is_registration(self) -> bool:
        """Whether it is PyTorch that refuses an operator, its schema or its kernel."""
        lines = (self.first, *self.rest)
        return self.is_cut_short or any(_REGISTERED.search(line) or _SCHEMA_MARK in line for line in lines)

    @property
    def is_cut_short(self) -> bool:
        """Whether PyTorch met the end of a schema before its result."""
        return _SCHEMA_ENDED.match(self.first) is not None

    @property
    def where(self) -> str:
        """``binding.cpp:85``, the block of the registration that came last, as far as PyTorch names one."""
        found = [match for line in (self.first, *self.rest) for match in _REGISTERED.finditer(line)]
        return f"{Path(found[-1]['file']).name}:{found[-1]['line']}" if found else ""


def uncaught_exception(printed: str) -> UncaughtException | None:
    """The exception that `printed` ends with, without the stack; None where there is none."""
    found = _THROWN.search(printed)
    if found is None or not found["message"]:
        return None
    first, *rest = (line.rstrip()[:LONGEST] for line in found["message"].splitlines() if line.strip())
    return UncaughtException(found["type"], first, tuple(rest[:MOST_LINES]))


def uncaught(failure: SubmissionError) -> Outcome | None:
    """The outcome of a load that an uncaught exception ended; None where the output mentions none."""
    thrown = uncaught_exception(failure.printed)
    if thrown is None:
        return None
    if thrown.is_cut_short:
        sentence = (
            "It compiles, but PyTorch refused a registration: a schema ends too early. It is "
            "`name(Type argument, ...) -> Type`, with an arrow and a result; without a result, `-> ()`."
        )
        return Outcome(Status.BUILD_ERROR, sentence, got=thrown.type, lines=thrown.rest, topic="load")
    if thrown.is_registration:
        where = f" in {thrown.where}" if thrown.where else ""
        sentence = f"It compiles, but PyTorch refused a registration{where}: {thrown.first}"
        return Outcome(Status.BUILD_ERROR, sentence, got=thrown.type, lines=thrown.rest, topic="load")
    what = failure.what[0].lower() + failure.what[1:]
    said = thrown.first if thrown.first.endswith((".", "!", "?")) else f"{thrown.first}."
    sentence = f"It compiles, but {what} {thrown.type} was thrown: {said} {failure.rule}"
    return Outcome(Status.CRASH, sentence, got=thrown.type, lines=thrown.rest, topic="load")
