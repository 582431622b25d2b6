"""The folder of results: one file per key, written once and atomically."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from cusimt.support.words import reason
from grader.instruct.results.key import Key
from grader.instruct.results.lines import results_lock
from grader.instruct.results.log import VerdictLog
from grader.instruct.results.record import Record
from grader.instruct.results.secret import Secret
from grader.support.durable import publish, write_atomically
from grader.support.errors import UsageError


class ResultStore:
    """``records/NAME.json`` in ``folder``, beside ``verdicts.jsonl``, ``secret`` and ``locks/``.

    Safe for any number of processes, also on several machines that share the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = VerdictLog(folder / "verdicts.jsonl")
        self.secret = Secret(folder / "secret")

    def find(self, key: Key) -> Record | None:
        """The record of ``key``; None where there is none, or one that no longer can be read."""
        try:
            record = Record.from_json(self._path(key).read_text(encoding="utf-8"))
        except (FileNotFoundError, UnicodeDecodeError, UsageError):
            return None
        return record if record.key == key else None

    def keep(self, record: Record) -> Record:
        """Store ``record`` unless there is one, and return the one that is there now: the first wins."""
        path = self._path(record.key)
        if publish(path, record.to_json()):
            return record
        there = self.find(record.key)
        if there is not None:
            return there
        path.rename(path.with_suffix(".damaged"))  # never lost: a person may still want to look at it
        return self.keep(record)

    def replace(self, record: Record) -> Record:
        """Store ``record`` in the place of an earlier one, kept as ``superseded/NAME.ATTEMPT.json``."""
        earlier = self.find(record.key)
        if earlier is None:
            return self.keep(record)
        publish(self.folder / "superseded" / f"{record.key.name}.{earlier.attempt}.json", earlier.to_json())
        write_atomically(self._path(record.key), record.to_json())
        return record

    @contextlib.contextmanager
    def claim(self, key: Key) -> Iterator[None]:
        """Be the only one who grades ``key``; wait for whoever does. A killed holder lets go."""
        with results_lock(self.folder, key.name):
            yield

    def all(self) -> Iterator[Record]:
        """Every record, in the order of their names. Raises UsageError that names one that is damaged."""
        for path in sorted((self.folder / "records").glob("*.json")):
            if not path.name.startswith("."):
                yield read_record(path)

    def _path(self, key: Key) -> Path:
        return self.folder / "records" / f"{key.name}.json"


def read_record(path: Path) -> Record:
    """The record in a file. Raises UsageError that names the file where it holds none."""
    try:
        return Record.from_json(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, UsageError) as problem:
        what = problem.what if isinstance(problem, UsageError) else f"{reason(problem)}."
        raise UsageError(
            f"{path} cannot be read: {what}",
            "A record is one file, written at once by grader class grade.",
            f"Restore {path.name} from a backup, or delete it and run grader class grade again.",
        ) from problem
