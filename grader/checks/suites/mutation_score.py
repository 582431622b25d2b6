"""Check how many wrong implementations the learner's tests detect.

A missed mistake is reported by its class, with the kind of test that would detect it; never by its text, so
that what is learnt is a kind of test and not this mistake. A class counts when all of its mistakes are seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cusimt.support.words import counted, noun
from grader.checks.bench import Bench
from grader.checks.outcome import Outcome
from grader.checks.suites.budget import Budget
from grader.checks.suites.runs import run_all, tests_of
from grader.checks.values.devices import present
from grader.course.implementations import Collection, Kind, collection
from grader.verdict import NOT_JUDGED, Status

if TYPE_CHECKING:
    from grader.checks.results import Progress

_ON_PAPER = (
    " These are the published mistakes: this copy of the course comes without the hidden ones, with which a "
    "verdict may be lower."
)

_ANNOUNCED = (
    "With {} of them a test fails that is marked xfail: a failure that a test announces finds nothing."
)


def check(bench: Bench, progress: Progress) -> Outcome:
    """The share of the classes of which every mistake is seen."""
    accepts = bench.outcomes.get("accepts")
    if accepts is not None and accepts.status.stands_in_the_way:
        why = "tests that refuse correct code prove nothing when they refuse wrong code"
        if accepts.status is Status.TIMEOUT:
            why = "tests that take too long with correct code are not run against wrong code"
        return Outcome(accepts.status, f"{NOT_JUDGED}: {why}.")
    known = collection(bench.exercise).shown_by(bench.backend, present(bench.backend))
    total = tests_of(bench).total
    wrong = [mistake.implementation for mistake in known.mistakes]
    runs = run_all(bench, wrong, True, progress, Budget(total))
    if unrun := sum(run.unrun for run in runs):
        return _out_of_time(len(runs), unrun, total)
    through = [mistake.kind for mistake, run in zip(known.mistakes, runs, strict=True) if run.accepted]
    return _outcome(known, through, sum(run.accepted and run.expected > 0 for run in runs))


def _out_of_time(size: int, unrun: int, total: float) -> Outcome:
    """A suite that is fast with correct implementations, and takes long with wrong ones."""
    sentence = (
        f"Your tests ran against {size - unrun} of {size} wrong implementations. Then the {total:g} s of "
        "processor time that all runs have together were over. Your suite takes longer with a wrong "
        "implementation than with the given one: look for a loop that ends only when a result is right."
    )
    return Outcome(Status.TIMEOUT, sentence, topic="time")


def _outcome(known: Collection, through: list[Kind], announced: int) -> Outcome:
    """`through`: the kind of each mistake that no test sees; with `announced` of them an xfail test fails."""
    kinds, open_kinds = known.kinds, list(dict.fromkeys(through))
    paper = "" if known.hidden else _ON_PAPER
    total = counted(len(known.mistakes), "mistake")
    if not open_kinds:
        classes = counted(len(kinds), "class", "classes")
        return Outcome(Status.PASS, f"Your suite finds all {total}, of {classes}.{paper}", share=1.0)
    seen = len(kinds) - len(open_kinds)
    sentence = (
        f"Your suite sees {seen} of {counted(len(kinds), 'class', 'classes')} of mistakes. {len(through)} of "
        f"{total} {noun(len(through) == 1, 'passes', 'pass')} all your tests.{paper}"
    )
    lines = tuple(_told(kind, through.count(kind), _size(known, kind)) for kind in open_kinds)
    if announced:
        lines = (_ANNOUNCED.format(announced), *lines)
    return Outcome(Status.FAIL, sentence, share=seen / len(kinds), lines=lines, topic="kills")


def _size(known: Collection, kind: Kind) -> int:
    return sum(mistake.kind == kind for mistake in known.mistakes)


def _told(kind: Kind, through: int, size: int) -> str:
    number = f"{through} of {size} not seen" if size > 1 else "not seen"
    return f"{kind.title} ({number}): {kind.see}"
