"""Check that a repair changed no more than necessary.

An exercise of kind ``fix`` is not to be rewritten: ``max_changed`` of its sections and ``fix.elsewhere``
bound the lines that may differ from the stub. What belongs to a part costs that part, the rest costs all.
"""

from __future__ import annotations

from pathlib import Path

from cusimt.support.words import counted, noun
from grader.checks.outcome import Outcome
from grader.course.catalog import Exercise
from grader.course.changes import Changes, changes_of, is_bounded
from grader.verdict import Status

RULE = "A repair changes what is wrong and leaves the rest. Blank lines and lines of comment are free."


def check(exercise: Exercise, files: Path) -> Outcome | None:
    """None while every change is within its bounds; the parts' own are left to :mod:`.parts`."""
    if not is_bounded(exercise):
        return None
    changes = changes_of(exercise, files)
    if changes is None:
        return Outcome(
            Status.UNAVAILABLE,
            "There is no solution and no stored stub to compare with.",
        )
    if exercise.elsewhere is not None and len(changes.elsewhere) > exercise.elsewhere:
        return _elsewhere(exercise, changes, exercise.elsewhere)
    if "parts" in exercise.scores:
        return None
    return excess(exercise, changes, tuple(exercise.sections))


def excess(exercise: Exercise, changes: Changes, names: tuple[str, ...]) -> Outcome | None:
    """The first of the sections `names` in which more was changed than it allows."""
    name = changes.excess(exercise, names)
    if not name:
        return None
    section = exercise.sections[name]
    most = section.max_changed or 0
    return Outcome(
        Status.FAIL,
        f"{counted(changes.inside[name], 'line')} of TODO({name}) in {section.file} "
        f"{noun(changes.inside[name] == 1, 'is', 'are')} changed, and {counted(most, 'line')} "
        f"{noun(most == 1, 'is', 'are')} enough. {RULE}",
        expected=f"at most {most}", got=str(changes.inside[name]), topic="changes",
    )  # fmt: skip


def _elsewhere(exercise: Exercise, changes: Changes, most: int) -> Outcome:
    number, first = len(changes.elsewhere), changes.elsewhere[0]
    return Outcome(
        Status.FAIL,
        f"{counted(number, 'line')} {noun(number == 1, 'is', 'are')} changed outside of the places that a "
        f"TODO marks, the first at {first.file}:{first.line}; {most} may be. {RULE} The files as they were: "
        f"grader reset {exercise.number:02d}, which keeps yours in a backup.",
        expected=f"at most {most}", got=str(number), topic="changes",
    )  # fmt: skip
