"""What changes marks, each with a line in a log: `regrade`, `withdraw`, and the release in `feedback`."""

from __future__ import annotations

import os

from cusimt.support.words import counted
from grader.cli.grade_class import require_sandbox
from grader.cli.marks_notes import astray, not_accepted
from grader.cli.term import MarksOptions, Term, open_term
from grader.instruct.batch import grade_one
from grader.instruct.course import Mark, ReleasedMarks
from grader.instruct.course.decisions import Withdrawal, log_regrade, withdraw
from grader.instruct.course.explanation import amount, local_time
from grader.instruct.course.release import release
from grader.instruct.course.release_log import telling
from grader.instruct.results import ResultStore, content_digest
from grader.instruct.submissions import Submission, read_submissions
from grader.support.errors import UsageError
from grader.verdict import Status

NOT_ALL = 1


def regrade_one(request: MarksOptions, reason: str, trust: bool) -> int:
    """Returns 0, or 3 where the machine could not judge it; the mark stays as it was then."""
    if not trust:
        require_sandbox()
    term = open_term(request)
    [mark] = term.chosen(request)
    if mark.record is None or mark.attempt is None:
        raise UsageError(
            f"There is no verdict on {mark.assignment.exercise} of {mark.student}.",
            "Only what was graded can be graded again.",
            "Run: grader class grade",
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
    name = store.secret.pseudonym(mark.student)
    print(log_regrade(store.folder, name, before, after, reason=reason, by=_you()))
    print(f"See what it means for the mark: grader class marks --student {mark.student}")
    return 0


def _you() -> str:
    return os.environ.get("USER", "unnamed")


def _submission(term: Term, mark: Mark) -> Submission:
    """The folder that still holds what the mark comes from. Raises UsageError where none does."""
    assert mark.attempt is not None
    exercise = term.catalog.find(mark.assignment.exercise)
    owner = mark.attempt.student
    there = read_submissions(
        term.course.submissions, term.catalog, exercises=[exercise.slug], students=[owner]
    )
    for each in there:
        if content_digest(each, exercise) == mark.attempt.digest:
            return each
    raise UsageError(
        f"{term.course.submissions / owner / exercise.slug} holds another hand-in than the mark comes from.",
        "A regrade repeats what was graded, byte for byte.",
        "Put that hand-in back there, or grade the new one: grader class grade",
    )


# ---- withdraw ----


def withdraw_one(request: MarksOptions, reason: str) -> int:
    """Withdraws what the one mark of ``request`` comes from. Raises UsageError where the folder holds it."""
    term = open_term(request)
    [mark] = term.chosen(request)
    attempt, slug = mark.attempt, mark.assignment.exercise
    if attempt is None:
        raise UsageError(
            f"{mark.student} handed in nothing for {slug}.",
            "Only the hand-in that a mark comes from can be withdrawn.",
            f"See: grader class marks {slug} --student {mark.student}",
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
            reason=reason, by=_you(),
        ),
    )  # fmt: skip
    when = f"of {local_time(attempt.submitted, term.course.zone)}" if attempt.submitted else "without a time"
    print(
        f"{attempt.student}, {slug}: the hand-in {when} counts no more, unless it is put back into {place}."
    )
    print(f"See what it means for the mark: grader class marks --student {mark.student}")
    return 0


# ---- release ----


def release_marks(request: MarksOptions, accept: bool, everybody: bool = False) -> int:
    """Returns 1 where a mark was held back: it would be lower, or lacks what a person entered. Else 0.

    Raises UsageError for ``accept`` that names no student, unless ``everybody`` is meant, and for
    ``everybody`` without ``accept``, which alone it is about.
    """
    if everybody and not accept:
        raise UsageError(
            "--all says whose marks --accept may lower, and --accept is missing.",
            "A release is for everybody who is not left out by --student.",
            "Leave out --all, or add --accept to lower every mark that is flagged",
        )
    if accept and not (request.students or everybody):
        raise UsageError(
            "--accept does not say whose marks it may lower.",
            "A released mark goes down only for a student who is named, or for all who are meant.",
            "See who is flagged with: grader class marks. Then add --student ID, or --all",
        )
    term = open_term(request)
    store = ResultStore(term.course.results)
    with telling(store.folder):
        marks = term.chosen(request)
        done = release(marks, ReleasedMarks(store.folder, store.secret), accept=accept)
    print(f"{counted(len(done.told), 'mark')} released.")
    for note in not_accepted(marks):
        print(note)
    for mark in done.lowered:
        print(f"  lowered: {_change(mark)}")
    if done.waiting:
        print(f"{counted(len(done.waiting), 'mark')} not settled yet: still open, or not judged.")
    if done.astray:
        print(f"{counted(len(done.astray), 'mark')} not released:")
        for note in astray(done.astray):
            print(f"  {note}")
    if not done.held:
        return NOT_ALL if done.astray else 0
    print(f"{counted(len(done.held), 'mark')} would be lower than what was released, which is kept:")
    for mark in done.held:
        print(f"  {_change(mark)}")
    print("See why with: grader class marks --student ID. What you accept is lowered one by one:")
    for mark in done.held:
        print(f"  grader class feedback {mark.assignment.exercise} --student {mark.student} --accept")
    return NOT_ALL


def _change(mark: Mark) -> str:
    assert mark.released is not None
    place = f"{mark.student}, {mark.assignment.exercise}"
    return f"{place}: {amount(mark.released.points)} was released, {amount(mark.found)} now"
