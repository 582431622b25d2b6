"""Publish marks, which later marks then cannot fall below."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.instruct.course.marks import Mark
from grader.instruct.course.release_log import Released, ReleasedMarks, now


@dataclass(frozen=True)
class Release:
    """What a release did: marks that are told now, marks that stayed as they were told, and what waits.

    ``lowered`` are those of ``told`` that somebody accepted to be lower; ``held`` would be lower too.
    ``astray`` lack what a person entered, so they are not what should be told.
    Marks of ids that no roster has are in none of them.
    """

    told: tuple[Mark, ...]
    lowered: tuple[Mark, ...]
    held: tuple[Mark, ...]
    waiting: tuple[Mark, ...]
    astray: tuple[Mark, ...]


def release(marks: Iterable[Mark], ledger: ReleasedMarks, *, accept: bool) -> Release:
    """Tells every mark that is settled, whole and not told yet as it is; a lower one only with ``accept``."""
    told: list[Mark] = []
    lowered: list[Mark] = []
    held: list[Mark] = []
    waiting: list[Mark] = []
    astray: list[Mark] = []
    for mark in marks:
        if not mark.accepted:
            continue
        if mark.astray:
            astray.append(mark)
        elif not mark.settled:
            waiting.append(mark)
        elif mark.flagged and not accept:
            held.append(mark)
        elif mark.released is None or mark.flagged or mark.risen:
            ledger.tell(mark.student, mark.assignment.exercise, _released(mark))
            (lowered if mark.flagged else told).append(mark)
    return Release((*told, *lowered), tuple(lowered), tuple(held), tuple(waiting), tuple(astray))


def _released(mark: Mark) -> Released:
    key = mark.record.key if mark.record else None
    return Released(
        points=mark.found,
        record=key.name if key else "",
        exercise_version=key.exercise_version if key else "",
        grader=key.grader if key else "",
        when=now(),
    )
