"""Excluded submissions: a line each in `RESULTS/withdrawn.jsonl`, with author and reason.

An import that gave somebody's work to another student leaves a hand-in that is replaced in the folder and
still noted. What the folder of submissions holds counts all the same: so a withdrawal can be taken back.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from grader.instruct.course.release_log import now
from grader.instruct.results.lines import Lines

WITHDRAWN = "withdrawn.jsonl"
_PLACE = ("student", "exercise", "digest")


@dataclass(frozen=True)
class Withdrawal:
    """``student`` is a pseudonym; ``digest`` and ``submitted`` are as in the line of the hand-in."""

    student: str
    exercise: str
    digest: str
    submitted: str
    reason: str
    by: str


def withdrawn(results: Path) -> set[tuple[str, str, str]]:
    """Pseudonym, exercise and digest of each. Raises UsageError naming a line that is wrong."""
    lines = Lines(results / WITHDRAWN)
    places = set()
    for number, line in lines:
        try:
            student, exercise, digest = (str(line[name]) for name in _PLACE)
        except KeyError as problem:
            raise lines.broken(number, f"{problem} is missing") from problem
        places.add((student, exercise, digest))
    return places


def withdraw(results: Path, withdrawal: Withdrawal) -> None:
    """Adds a line; it is on the disk when this returns."""
    Lines(results / WITHDRAWN).append({**asdict(withdrawal), "when": now()})
