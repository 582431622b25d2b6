"""Run a batch from submissions to records, whatever does the grading."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from grader.course.catalog import Catalog, Exercise
from grader.instruct.batch.grading import Failed, Item, batch_key
from grader.instruct.results import Key, Record, ResultStore
from grader.instruct.submissions import Submission
from grader.support.backends import Backend
from grader.verdict import Status


class Ended(NamedTuple):
    """One submission is through: its record or what kept it from one, and the seconds that it took."""

    item: Item
    answer: Record | Failed
    seconds: float


# Grades items with different keys, each to a record that is in the store and in its log when it is told. A
# record of `infra_error` is in the log alone, and final: the workforce has retried as often as makes sense.
Workforce = Callable[[Sequence[Item]], Iterator[Ended]]


class Watch(Protocol):
    """Receives the progress of a batch."""

    def begin(self, left: Sequence[Item], found: int, same: int = 0) -> None:
        """``left`` are going to be graded, and ``found`` records were there before; each stands for all
        hand-ins with these files, of which there are ``same`` more.
        """

    def ended(self, ended: Ended) -> None:
        """One of them is through."""


@dataclass
class ItemOutcome:
    """``records`` by key, old and new; ``failed`` says of the others what kept them from being judged.

    ``graded`` counts the new ones; ``seconds`` is the wall-clock time that they took together.
    """

    records: dict[Key, Record] = field(default_factory=dict)
    failed: dict[Key, str] = field(default_factory=dict)
    graded: int = 0
    seconds: float = 0.0


def run_batch(
    items: Iterable[Item], store: ResultStore, workforce: Workforce, watch: Watch, *, regrade: bool = False
) -> ItemOutcome:
    """Grade what has no record in ``store`` yet, or with ``regrade`` everything."""
    items = list(items)
    wanted = distinct(items)
    outcome = ItemOutcome(records_of(wanted, store))
    left = [item for item in wanted if regrade or item.key not in outcome.records]
    watch.begin(left, len(wanted) - len(left), len(items) - len(wanted))
    begun = time.perf_counter()
    for ended in workforce(left) if left else ():
        _take(ended, outcome)
        watch.ended(ended)
    outcome.seconds = time.perf_counter() - begun
    records_of(left, store)  # logs what a killed process had kept
    return outcome


def _take(ended: Ended, outcome: ItemOutcome) -> None:
    key, answer = ended.item.key, ended.answer
    if isinstance(answer, Failed):
        outcome.failed[key] = answer.sentence
    elif answer.verdict.status is Status.INFRA_ERROR:
        outcome.failed[key] = fault_of(answer)
    else:
        outcome.records[key] = answer
        outcome.graded += 1


def fault_of(record: Record) -> str:
    """What the machine could not do, in the words of the check that met it."""
    return next(check.sentence for check in record.verdict.checks if check.status is Status.INFRA_ERROR)


# ---- the work ----


def items_of(
    submissions: Iterable[Submission], catalog: Catalog, backend_of: Callable[[Exercise], Backend]
) -> list[Item]:
    """Every submission with its key, by exercise and then as given."""
    exercises = {exercise.slug: exercise for exercise in catalog.exercises}
    items = []
    for submission in sorted(submissions, key=lambda each: each.exercise):
        exercise = exercises[submission.exercise]
        backend = backend_of(exercise)
        items.append(Item(submission, exercise, backend, batch_key(submission, exercise, backend)))
    return items


def distinct(items: Iterable[Item]) -> list[Item]:
    """One item for each key: who handed in the same files, byte for byte, shares a record."""
    return list({item.key: item for item in items}.values())


def records_of(items: Iterable[Item], store: ResultStore) -> dict[Key, Record]:
    """The records that are there. One that the log misses, since its grader was killed, is added to it."""
    found = {}
    logged = _logged(store)
    for item in items:
        record = store.find(item.key)
        if record is None:
            continue
        found[item.key] = record
        if (item.key.name, record.graded) not in logged:
            _log_late(item, record, store)
            logged.add((item.key.name, record.graded))
    return found


def _logged(store: ResultStore) -> set[tuple[str, str]]:
    """Of each line the record and when it was graded: one that was graded again has another."""
    return {(entry.record, entry.graded) for entry in store.log.entries()}


def _log_late(item: Item, record: Record, store: ResultStore) -> None:
    with store.claim(item.key):  # its writer has finished or died
        if (item.key.name, record.graded) not in _logged(store):
            store.log.append(record, store.secret.pseudonym(item.submission.student))


def by_exercise(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Items by their exercise's slug, in the order of the slugs."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[item.exercise.slug].append(item)
    return dict(sorted(groups.items()))
