"""`grader marks withdraw`: exclude an earlier submission from the marks."""

from __future__ import annotations

import os

from grader.cli.marks import MarksOptions, open_term
from grader.instruct.course.explanation import told
from grader.instruct.course.withdrawals import Withdrawal, withdraw
from grader.instruct.results import ResultStore
from grader.support.errors import UsageError


def withdraw_one(request: MarksOptions, reason: str, by: str) -> int:
    """Withdraws what the one mark of ``request`` comes from. Raises UsageError where the folder holds it."""
    term = open_term(request)
    [mark] = term.chosen(request)
    attempt, slug = mark.attempt, mark.assignment.exercise
    if attempt is None:
        raise UsageError(
            f"{mark.student} handed in nothing for {slug}.",
            "Only the hand-in that a mark comes from can be withdrawn.",
            f"See: grader marks --student {mark.student} --exercise {slug}",
        )
    place = term.course.submissions / attempt.student / slug
    if attempt.present:
        raise UsageError(
            f"The mark comes from the files in {place}.",
            "Files in the folder of submissions count.",
            "Move it out of there, then run this command again.",
        )
    store = ResultStore(term.course.results)
    submitted = attempt.submitted.isoformat() if attempt.submitted else ""
    withdraw(
        store.folder,
        Withdrawal(
            store.secret.pseudonym(attempt.student), slug, attempt.digest, submitted,
            reason=reason, by=by or os.environ.get("USER", "unnamed"),
        ),
    )  # fmt: skip
    when = f"of {told(attempt.submitted, term.course.zone)}" if attempt.submitted else "without a time"
    print(
        f"{attempt.student}, {slug}: the hand-in {when} counts no more, unless it is put back into {place}."
    )
    print(f"See what it means for the mark: grader marks --student {mark.student}")
    return 0
