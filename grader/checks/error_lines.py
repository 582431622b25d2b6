"""The line of an error that the learner wrote: what is given may only have been called from there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.course.catalog import Exercise
from grader.course.changes import section_at
from grader.run.values import RemoteError


def at_own_line(exercise: Exercise, files: Path, error: RemoteError) -> RemoteError:
    """`error`, with the place in a section that called what raised it, if that is given code.

    Of names in the message, such as those of arguments, the given code is the owner; so its line is said too.
    """
    if not error.callers or _is_in_a_section(exercise, files, error.where):
        return error
    own = next((place for place in error.callers if _is_in_a_section(exercise, files, place)), "")
    return replace(error, where=f"{own} (which calls {error.where})", callers=()) if own else error


def _is_in_a_section(exercise: Exercise, files: Path, place: str) -> bool:
    name, _, line = place.partition(":")
    return name in exercise.edit and line.isdecimal() and bool(section_at(exercise, files, name, int(line)))
