"""The published marks: `RESULTS/released.jsonl`, one line per publication.

The last line about a student and an exercise is what they know. Nothing lowers it but another release.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader.instruct.results import Secret
from grader.instruct.results.lines import Lines, results_lock
from grader.instruct.results.secret import RELEASED


@dataclass(frozen=True)
class Released:
    """``points`` of 100; ``record``, ``exercise_version`` and ``grader`` name what the mark came from, or are
    empty where nothing was handed in. ``when`` is the time in UTC as ISO 8601.
    """

    points: float
    record: str
    exercise_version: str
    grader: str
    when: str


@dataclass(frozen=True)
class _Told(Released):
    """A line of the log; ``student`` is a pseudonym."""

    student: str
    exercise: str


class ReleasedMarks:
    """``find`` says what a student was told of an exercise; ``tell`` adds to it."""

    def __init__(self, results: Path, secret: Secret) -> None:
        self._lines = Lines(results / RELEASED)
        self._secret = secret
        self._told: dict[tuple[str, str], Released] = {
            (each.student, each.exercise): each for each in self._lines.each(_Told)
        }

    def find(self, student: str, exercise: str) -> Released | None:
        return self._told.get((self._secret.pseudonym(student), exercise))

    def tell(self, student: str, exercise: str, released: Released) -> None:
        """Keeps what is now told, on the disk before this returns."""
        place = self._secret.pseudonym(student), exercise
        self._lines.append({"student": place[0], "exercise": exercise, **asdict(released)})
        self._told[place] = released


def telling(results: Path) -> AbstractContextManager[None]:
    """Be the only one who tells marks, from reading what was told to writing what is told now.

    Whoever also notes hand-ins takes this lock first.
    """
    return results_lock(results, RELEASED)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
