"""The log of verdicts: one line of JSON for each grading, on the disk before the next one begins."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from grader.errors import UsageError
from grader.instruct.results.record import Record

_TAIL = 1 << 16  # bytes read at once when the last line is looked for


@dataclass(frozen=True)
class Entry:
    """``record`` is the record's name, ``student`` a pseudonym; points and seconds are the verdict's."""

    record: str
    student: str
    exercise: str
    exercise_version: str
    grader: str
    backend: str
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

    def append(self, record: Record, student: str) -> None:
        """Add one line, and return when it is on the disk; ``student`` is to be a pseudonym."""
        line = json.dumps(asdict(_entry(record, student)), ensure_ascii=False) + "\n"
        with self._opened() as descriptor:
            _mend(descriptor)
            os.write(descriptor, line.encode())
            os.fsync(descriptor)

    def entries(self) -> Iterator[Entry]:
        """Every whole line, from the first; a torn last one, of a grader that was killed, is none.

        Raises UsageError that names a line which is no entry.
        """
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return
        whole = text[: text.rfind("\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                document = json.loads(line)
                yield Entry(**{name: document[name] for name in _NAMES})
            except (ValueError, KeyError, TypeError) as problem:
                raise UsageError(
                    f"Line {number} of {self.path} is not an entry of the log ({problem}).",
                    "grader batch adds whole lines, and nobody else writes there.",
                    "Restore the file from a backup; the records themselves are in records/.",
                ) from problem

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)


_NAMES = tuple(each.name for each in fields(Entry))


def _entry(record: Record, student: str) -> Entry:
    key, verdict = record.key, record.verdict
    return Entry(
        record=key.name,
        student=student,
        exercise=key.exercise,
        exercise_version=key.exercise_version,
        grader=key.grader,
        backend=key.backend,
        device=key.device,
        digest=key.digest,
        status=verdict.status.value,
        earned=verdict.earned,
        out_of=verdict.out_of,
        seed=verdict.seed,
        seconds=verdict.seconds,
        graded=record.graded,
        host=record.host,
        attempt=record.attempt,
    )


def _mend(descriptor: int) -> None:
    """Cut off a line that a killed process left without its end. The record it was about is not touched."""
    end = os.fstat(descriptor).st_size
    whole = end
    while whole:
        begin = max(0, whole - _TAIL)
        found = os.pread(descriptor, whole - begin, begin).rfind(b"\n")
        if found >= 0:
            whole = begin + found + 1
            break
        whole = begin
    if whole < end:
        os.ftruncate(descriptor, whole)
