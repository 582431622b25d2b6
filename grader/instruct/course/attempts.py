"""Each student's submissions over time: each counted once, even after a later one replaced it.

The same files of one student are one hand-in, at the time that the folder gives now: so a time that was
wrong can be set right. What was withdrawn is none, unless the folder holds it.

``RESULTS/attempts.jsonl`` has a line for each, by pseudonym, with when it was ``noted``;
``RESULTS/roster.csv`` says who that is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader.course.catalog import Catalog
from grader.instruct.course.decisions import withdrawn
from grader.instruct.course.release_log import now as moment
from grader.instruct.course.tables import read_rows
from grader.instruct.results import ResultStore, content_digest
from grader.instruct.results.lines import Lines, results_lock
from grader.instruct.results.secret import ROSTER
from grader.instruct.submissions import Submission
from grader.support.durable import write_atomically

ATTEMPTS = "attempts.jsonl"
_COLUMNS = ("pseudonym", "student")
_Place = tuple[str, str, str]  # pseudonym, exercise and digest


@dataclass(frozen=True)
class _Key:
    """A hand-in as its line has it: ``student`` is a pseudonym, ``submitted`` is in ISO 8601 or empty."""

    student: str
    exercise: str
    digest: str
    submitted: str

    @property
    def place(self) -> _Place:
        return self.student, self.exercise, self.digest


@dataclass(frozen=True)
class Attempt:
    """One hand-in. ``digest`` is of the files that count, as in a record's key; ``submitted`` is aware.

    ``present``: whether it is what the folder of submissions holds now.
    """

    student: str
    exercise: str
    digest: str
    submitted: datetime | None
    present: bool = True


def remember(store: ResultStore, submissions: Iterable[Submission], catalog: Catalog) -> list[Attempt]:
    """Notes what is in the folder of submissions now, and returns every hand-in that counts.

    Raises UsageError where what is kept in the folder of results cannot be read.
    """
    lines = Lines(store.folder / ATTEMPTS)
    here = [_attempt(submission, catalog) for submission in submissions]
    pseudonyms = {each.student: store.secret.pseudonym(each.student) for each in here}
    now = dict.fromkeys(
        _Key(pseudonyms[each.student], each.exercise, each.digest, _written(each.submitted)) for each in here
    )
    with remembering(store.folder):
        names = _enter(store.folder, {name: student for student, name in pseudonyms.items()})
        noted = dict.fromkeys(lines.each(_Key))
        if new := [key for key in now if key not in noted]:
            noted_at = moment()
            lines.append(*({**asdict(key), "noted": noted_at} for key in new))
    return [
        Attempt(
            names[key.student], key.exercise, key.digest,
            datetime.fromisoformat(key.submitted) if key.submitted else None, present=key in now,
        )
        for key in _standing(noted | now, now, withdrawn(store.folder))
        if key.student in names
    ]  # fmt: skip


def remembering(results: Path) -> AbstractContextManager[None]:
    """Be the only one who changes what is noted: a batch and the marks may be at it at the same time."""
    return results_lock(results, ATTEMPTS)


def _standing(noted: Iterable[_Key], now: Container[_Key], gone: Container[_Place]) -> Iterator[_Key]:
    """Of each content what is there ``now``, else what was noted last; without what was withdrawn."""
    standing: dict[_Place, _Key] = {}
    for key in noted:
        if standing.get(key.place) not in now:
            standing.pop(key.place, None)  # to the end: the order is that of noting
            standing[key.place] = key
    return (key for place, key in standing.items() if key in now or place not in gone)


def latest_first(attempts: Iterable[Attempt]) -> list[Attempt]:
    """What the folder holds first, then the others by the time of handing in, unknown times last.

    So an earlier hand-in that instructors put back into the folder is the last one again.
    """
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(
        attempts, key=lambda each: (each.present, each.submitted is not None, each.submitted or never)
    )[::-1]  # of equals, the one that was noted last comes first


def _enter(results: Path, students: dict[str, str]) -> dict[str, str]:
    """The roster, with ``students`` (by pseudonym) in it."""
    names = read_roster(results)
    if students.keys() - names.keys():
        names |= students
        write_roster(results, names)
    return names


def read_roster(results: Path) -> dict[str, str]:
    """Students by their pseudonyms. Raises UsageError naming a line that is wrong."""
    return {row["pseudonym"]: row["student"] for row in read_rows(results / ROSTER, _COLUMNS)}


def write_roster(results: Path, names: dict[str, str]) -> None:
    """Replaces the list; sorted by student, since instructors read it."""
    text = io.StringIO(newline="")
    rows: Sequence[tuple[str, str]] = sorted(names.items(), key=lambda each: each[1])
    csv.writer(text, lineterminator="\n").writerows([_COLUMNS, *rows])
    write_atomically(results / ROSTER, text.getvalue())


def _attempt(submission: Submission, catalog: Catalog) -> Attempt:
    digest = content_digest(submission, catalog.find(submission.exercise))
    return Attempt(submission.student, submission.exercise, digest, submission.submitted)


def _written(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
