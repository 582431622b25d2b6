"""Append-only files of JSON lines, safe for any number of processes, and locks beside them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from cusimt.support.locks import hold, open_locked
from grader.support.durable import make_private, write_atomically
from grader.support.errors import UsageError
from grader.support.schema import SchemaError, read

_Kind = TypeVar("_Kind")
_TAIL = 1 << 16  # bytes read at once when the last line is looked for


class Lines:
    """One document in each line of ``path``; mode 0600, since what is kept about people is not public."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, *documents: Mapping[str, Any]) -> None:
        """Add a line for each, and return when they are on the disk."""
        lines = (json.dumps(each, ensure_ascii=False, allow_nan=False) + "\n" for each in documents)
        left = "".join(lines).encode()
        with self._opened() as descriptor:
            _mend(descriptor)
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every whole line with its number; a torn last one, of a process that was killed, is none.

        Raises UsageError that names a line which holds no document.
        """
        try:
            content = self.path.read_bytes()  # a line may be torn inside a character
        except FileNotFoundError:
            return
        for number, line in enumerate(content.split(b"\n")[:-1], 1):
            try:
                document = json.loads(line.decode())
            except ValueError as problem:
                raise self.broken(number, problem) from problem
            if not isinstance(document, dict):
                raise self.broken(number, "it is no table")
            yield number, document

    def each(self, kind: type[_Kind]) -> Iterator[_Kind]:
        """Every whole line as the dataclass ``kind`` has it; what that does not have is left out.

        Raises UsageError that names a line which is no such entry.
        """
        for number, document in self:
            try:
                entry: _Kind = read(kind, document, lenient=True)
            except SchemaError as problem:
                raise self.broken(number, problem) from problem
            yield entry

    def last(self) -> dict[str, Any]:
        """The last whole line, without reading those before it; {} where there is none that can be read."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
                *lines, _ = file.read().split(b"\n")
            document = json.loads(lines[-1])
        except (OSError, ValueError, IndexError):
            return {}
        return document if isinstance(document, dict) else {}

    def broken(self, number: int, problem: object) -> UsageError:
        """The error for a line that is not what belongs there."""
        return UsageError(
            f"Line {number} of {self.path} is not an entry of this log ({problem}).",
            "The grader adds whole lines, and nothing else writes there.",
            "Restore the file from a backup, or take that line out.",
        )

    def rewrite(self, kept: Callable[[dict[str, Any]], Mapping[str, Any] | None]) -> int:
        """Replace every line by what ``kept`` makes of it, None for nothing; returns how many changed.

        Whoever appends meanwhile waits, and then appends to the new file.
        """
        if not self.path.exists():
            return 0
        with self._opened():
            before = [document for _, document in self]
            after = [kept(dict(document)) for document in before]
            changed = sum(old != new for old, new in zip(before, after, strict=True))
            if changed:
                lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in after if each is not None)
                write_atomically(self.path, "".join(lines))
        return changed

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        """The file, locked; and still the one that the path names, since a rewrite exchanges it."""
        make_private(self.path.parent)
        descriptor = open_locked(self.path, os.O_APPEND, 0o600)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _mend(descriptor: int) -> None:
    """Cut off a line that a killed process left without its end. What it was about is not touched."""
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


@contextlib.contextmanager
def results_lock(results: Path, name: str) -> Iterator[None]:
    """Hold the lock of this ``name``, waiting for its holder. A killed process lets go of it."""
    locks = results / "locks"
    make_private(locks)
    with hold(locks / name):
        yield
