"""Run a batch from submissions to records, whatever does the grading."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from grader.instruct.batch.lane import Failed
from grader.instruct.batch.plan import Item, distinct, records_of
from grader.instruct.results import Key, Record, ResultStore
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
