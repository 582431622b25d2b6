"""One graded submission in the results, and its JSON form."""

from __future__ import annotations

import contextlib
import json
import socket
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from grader.instruct.results.key import Key
from grader.support.errors import UsageError
from grader.verdict import Verdict

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Record:
    """``graded`` is the time in UTC as ISO 8601; ``attempt`` counts from 1, and grows with each regrade and
    with each time that the machine failed.
    """

    key: Key
    verdict: Verdict
    graded: str
    host: str
    attempt: int = 1

    @classmethod
    def now(cls, key: Key, verdict: Verdict, attempt: int = 1, after: str = "") -> Record:
        """A record of what this machine has just found out, ``after`` an earlier one of the same store.

        Of several records the one that was graded last counts, so a clock that was set back, or that of
        another machine, must not put this one before the other.
        """
        moment = datetime.now(UTC)
        with contextlib.suppress(ValueError, TypeError):
            moment = max(moment, datetime.fromisoformat(after) + timedelta(milliseconds=1))
        graded = moment.isoformat(timespec="milliseconds")
        return cls(key, verdict, graded, socket.gethostname(), attempt)

    def to_json(self) -> str:
        """One document, with the verdict's own document in it, and a final newline."""
        document = {
            "schema_version": SCHEMA_VERSION,
            "key": asdict(self.key),
            "graded": self.graded,
            "host": self.host,
            "attempt": self.attempt,
            "verdict": json.loads(self.verdict.to_json()),
        }
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Read a document back. Raises UsageError where it is none, or of an unknown schema version."""
        try:
            document = json.loads(text)
            version = document["schema_version"]
            if version == SCHEMA_VERSION:
                return cls(
                    Key(**document["key"]),
                    Verdict.from_json(json.dumps(document["verdict"])),
                    document["graded"],
                    document["host"],
                    document["attempt"],
                )
        except (KeyError, TypeError, ValueError) as problem:
            raise UsageError(
                f"This is not the record of a grading ({problem}).",
                "Records are written by grader class grade, and not by hand.",
                "Restore it from a backup, or delete it and grade again.",
            ) from problem
        raise UsageError(
            f"This record has schema version {version!r}.",
            f"This grader reads version {SCHEMA_VERSION}.",
            "Read it with the cu2grad that wrote it, or grade again.",
        )
