"""`grader marks regrade`: grade the same files with the same inputs again, and log the result."""

from __future__ import annotations

import os

from grader.cli.batch import require_sandbox
from grader.cli.marks import MarksOptions, Term, open_term
from grader.instruct.batch import grade_one
from grader.instruct.course import Mark
from grader.instruct.course.regrades import log_regrade
from grader.instruct.results import ResultStore, content_digest
from grader.instruct.submissions import Submission, read_submissions
from grader.support.errors import UsageError
from grader.verdict import Status


def regrade_one(request: MarksOptions, reason: str, by: str, trust: bool) -> int:
    """Returns 0, or 3 where the machine could not judge it; the mark stays as it was then."""
    if not trust:
        require_sandbox()
    term = open_term(request)
    [mark] = term.chosen(request)
    if mark.record is None or mark.attempt is None:
        raise UsageError(
            f"There is no verdict on {mark.assignment.exercise} of {mark.student}.",
            "Only what was graded can be graded again.",
            "Run: grader batch",
        )
    before = mark.record
    store = ResultStore(term.course.results)
    after = grade_one(
        _submission(term, mark), term.catalog.find(mark.assignment.exercise), store,
        backend=mark.assignment.backend, seed=before.verdict.seed, isolate=not trust,
        attempt=before.attempt + 1, regrade=True,
    )  # fmt: skip
    if after.verdict.status is Status.INFRA_ERROR:
        print("This machine could not judge it; the mark stays as it was. Run: grader doctor")
        return after.verdict.exit_code
    regrade = log_regrade(
        store.folder, store.secret.pseudonym(mark.student), before, after,
        reason=reason, by=by or os.environ.get("USER", "unnamed"),
    )  # fmt: skip
    print(regrade.sentence)
    print(f"See what it means for the mark: grader marks --student {mark.student}")
    return 0


def _submission(term: Term, mark: Mark) -> Submission:
    """The folder that still holds what the mark comes from. Raises UsageError where none does."""
    assert mark.attempt is not None
    exercise = term.catalog.find(mark.assignment.exercise)
    owner = mark.attempt.student
    for each in read_submissions(term.course.submissions, term.catalog, (f"{exercise.slug}/{owner}",)):
        if content_digest(each, exercise) == mark.attempt.digest:
            return each
    raise UsageError(
        f"{term.course.submissions / owner / exercise.slug} holds another hand-in than the mark comes from.",
        "A regrade repeats what was graded, byte for byte.",
        "Put that hand-in back there, or grade the new one: grader batch",
    )
