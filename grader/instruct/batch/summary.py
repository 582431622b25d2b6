"""The results of a batch per exercise, and what a person must look at."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from grader.instruct.batch.driver import ItemOutcome, by_exercise
from grader.instruct.batch.grading import Item
from grader.instruct.results import Record
from grader.instruct.submissions import look
from grader.run.cleaned_text import clean
from grader.support.errors import InfrastructureError
from grader.verdict import Status, Verdict

_MANY = 10  # submissions that have to fail a check before the exercise itself comes under suspicion
NO_ROSTER = "This id is in no roster. If it is a student's, add a line to students.csv."
_SHOWN = 160  # characters of a quoted sentence


@dataclass(frozen=True)
class ExerciseSummary:
    """``mean`` is the submissions' share of the points, from 0 to 1; ``statuses`` counts how they ended."""

    slug: str
    submissions: int
    judged: int
    mean: float
    statuses: dict[Status, int]


@dataclass(frozen=True)
class Notice:
    """Something for a person: about one submission, or about an exercise, then ``student`` is ""."""

    exercise: str
    student: str
    sentence: str


@dataclass(frozen=True)
class Summary:
    exercises: tuple[ExerciseSummary, ...]
    notices: tuple[Notice, ...]


def everybody(student: str) -> bool:
    """Without a roster, whoever hands in is in the class."""
    return True


def summarise(
    items: Iterable[Item], outcome: ItemOutcome, accepts: Callable[[str], bool] = everybody
) -> Summary:
    """Of every submission, also where several share a record; ``accepts`` says whom the roster has."""
    exercises, notices = [], []
    for slug, group in by_exercise(items).items():
        verdicts = [outcome.records[item.key].verdict for item in group if item.key in outcome.records]
        exercises.append(_exercise(slug, len(group), verdicts))
        notices += [Notice(slug, "", sentence) for sentence in _suspicions(verdicts)]
        for item in group:
            if not accepts(item.submission.student):
                notices.append(Notice(slug, item.submission.student, NO_ROSTER))
            sentences = _concerns(item, outcome.records.get(item.key), outcome.failed.get(item.key))
            notices += [Notice(slug, item.submission.student, sentence) for sentence in sentences]
    return Summary(tuple(exercises), tuple(notices))


def _exercise(slug: str, submissions: int, verdicts: Sequence[Verdict]) -> ExerciseSummary:
    shares = [verdict.earned / verdict.out_of for verdict in verdicts if verdict.out_of]
    statuses = Counter(verdict.status for verdict in verdicts)
    average = fmean(shares) if shares else 0.0
    return ExerciseSummary(slug, submissions, len(verdicts), average, dict(statuses.most_common()))


def _suspicions(verdicts: Sequence[Verdict]) -> Iterable[str]:
    """A check that no submission passes may itself be wrong."""
    judged: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for verdict in verdicts:
        for check in verdict.checks:
            attempted = check.status.counts and check.status is not Status.NOT_ATTEMPTED
            if check.name != "todo" and attempted:
                judged[check.name] += 1
                passed[check.name] += check.status is Status.PASS
    for name, count in judged.items():
        if count >= _MANY and not passed[name]:
            yield f"None of {count} passed `{name}`: is the exercise itself right?"


def _concerns(item: Item, record: Record | None, failure: str | None) -> Iterable[str]:
    if failure is not None:
        again = " Its earlier verdict is kept." if record is not None else ""
        yield f"Not judged: {_short(failure)}{again}"
    with contextlib.suppress(
        InfrastructureError
    ):  # unreadable submissions were not judged, as reported above
        refused = look(item.submission, item.exercise).refused
        yield from (f"Not taken: {sentence}" for sentence in refused.values())
    if record is None:
        return
    for check in record.verdict.checks:
        if check.status is Status.INCONCLUSIVE:
            yield f"`{check.name}` could not be decided: {_short(check.sentence)}"
        elif check.name == "build" and check.status is Status.FAIL:  # a build that fails is a build_error
            yield f"Refused by the audit: {_short(check.sentence)}"
    if record.verdict.to_review:
        yield _short(record.verdict.to_review)
    if not record.verdict.out_of:
        yield "Nothing of it could be judged on this backend."


def _short(sentence: str) -> str:
    first = clean(" ".join(sentence.split()))
    return first if len(first) <= _SHOWN else f"{first[: _SHOWN - 3]}..."
