"""The folders in which tests grade: one for each exercise, the same for all submissions in every run.

Objects in the build cache name the folder that their source was in. What a submission has in common with any
graded before, such as the solution's binding, is then compiled once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from cusimt.support.cache import cache_root
from grader.course.exercise import Exercise
from grader.course.snapshot import desk_of


def spool() -> Path:
    """The folder that holds all desks, for a lane."""
    folder = cache_root().resolve() / "desks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def together(exercise: Exercise) -> pytest.MarkDecorator:
    """The mark of tests that use this exercise's desk: on one worker, none finds it taken."""
    return pytest.mark.xdist_group(f"desk of {exercise.slug}")


@contextlib.contextmanager
def desk(exercise: Exercise) -> Iterator[Path]:
    """An empty folder for a submission to the exercise."""
    with desk_of(["tests", exercise.root], exercise.slug) as place:
        files = place / exercise.slug
        files.mkdir()
        yield files
