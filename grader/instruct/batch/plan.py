"""The work of a batch: submissions by record key, without those already graded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.course.catalog import Catalog, Exercise
from grader.instruct.batch.grading import batch_key
from grader.instruct.results import Key, Record, ResultStore
from grader.instruct.submissions import Submission
from grader.support.backends import Backend


@dataclass(frozen=True)
class Item:
    """One submission, what it is graded on, and the key of its record."""

    submission: Submission
    exercise: Exercise
    backend: Backend
    key: Key


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
