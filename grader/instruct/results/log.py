"""The log of verdicts: one JSON line per grading, on disk before the next grading begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.instruct.results.lines import Lines
from grader.instruct.results.record import Record
from grader.support.backends import Backend


@dataclass(frozen=True)
class Entry:
    """``record`` is the record's name, ``student`` a pseudonym; points and seconds are the verdict's."""

    record: str
    student: str
    exercise: str
    exercise_version: str
    grader: str
    backend: Backend
    device: str
    digest: str
    status: str
    earned: float
    out_of: float
    seed: int
    seconds: float
    graded: str
    host: str
    attempt: int


class VerdictLog:
    """Grows at its end and nowhere else; any number of processes may append."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = Lines(path)

    def append(self, record: Record, student: str) -> None:
        """Add one line, and return when it is on the disk; ``student`` is to be a pseudonym."""
        key, verdict = record.key, record.verdict
        found = {name: getattr(verdict, name) for name in ("status", "earned", "out_of", "seed", "seconds")}
        when = {name: getattr(record, name) for name in ("graded", "host", "attempt")}
        self._lines.append({"record": key.name, "student": student, **asdict(key), **found, **when})

    def newest(self) -> str:
        """When the last one was graded, "" without any: what is graded next comes after it."""
        graded = self._lines.last().get("graded", "")
        return graded if isinstance(graded, str) else ""

    def entries(self) -> Iterator[Entry]:
        """Every whole line, from the first; a torn last one, of a grader that was killed, is none.

        Raises UsageError that names a line which is no entry.
        """
        return self._lines.each(Entry)
