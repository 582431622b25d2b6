"""What instructors decided about single hand-ins, logged with who and why: withdrawals and regrades.

``RESULTS/withdrawn.jsonl`` excludes hand-ins. An import that gave somebody's work to another student leaves
one that is replaced in the folder and still noted. What the folder of submissions holds counts all the same:
so a withdrawal can be taken back. ``RESULTS/regrades.jsonl`` says of a grading with the original seed what
there was, and what there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.instruct.course.release_log import now
from grader.instruct.results import Record
from grader.instruct.results.lines import Lines

WITHDRAWN = "withdrawn.jsonl"


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
    entries = Lines(results / WITHDRAWN).each(Withdrawal)
    return {(each.student, each.exercise, each.digest) for each in entries}


def withdraw(results: Path, withdrawal: Withdrawal) -> None:
    """Adds a line; it is on the disk when this returns."""
    Lines(results / WITHDRAWN).append({**asdict(withdrawal), "when": now()})


# ---- regrades ----

REGRADES = "regrades.jsonl"


def log_regrade(results: Path, pseudonym: str, before: Record, after: Record, *, reason: str, by: str) -> str:
    """Adds a line with both records by name, what they were graded by, and the checks that ended otherwise;
    returns a sentence on it.
    """
    exercise, earned_before, earned_after = before.key.exercise, before.verdict.earned, after.verdict.earned
    changed = list(_changed(before, after))
    Lines(results / REGRADES).append({
        "student": pseudonym, "exercise": exercise, "reason": reason, "by": by, "seed": before.verdict.seed,
        "before": before.key.name, "grader_before": before.key.grader, "earned_before": earned_before,
        "after": after.key.name, "grader_after": after.key.grader, "earned_after": earned_after,
        "changed": changed, "when": now(),
    })  # fmt: skip
    ended = f"{', '.join(changed)} ended otherwise" if changed else "every check ended as before"
    return f"{exercise}: {earned_before:g} points before, {earned_after:g} now; {ended}, for the same inputs."


def _changed(before: Record, after: Record) -> Iterator[str]:
    """Checks whose status or points differ, or which only one of the two has."""
    was = {check.name: (check.status, check.points) for check in before.verdict.checks}
    is_now = {check.name: (check.status, check.points) for check in after.verdict.checks}
    return (name for name in was | is_now if was.get(name) != is_now.get(name))
