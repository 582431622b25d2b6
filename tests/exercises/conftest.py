"""The course's exercises and those of the sample course, and the folders in which they are graded.

The folders are the same in every run, since objects in the build cache name the folder that their source was
in: what has not changed since the last run is not compiled again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.catalog import Catalog, Exercise
from grader.course.mutants import Mutant, load_mutants
from grader.course.snapshot import desk_of
from tests.conftest import COURSES

ROOT = Path(__file__).resolve().parent.parent.parent
SEED = 20260401

EXERCISES: list[Exercise] = [exercise for course in COURSES for exercise in Catalog.open(course).exercises]
MUTANTS: list[Mutant] = [mutant for exercise in EXERCISES for mutant in load_mutants(exercise)]


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest) -> Iterator[Path]:
    """As pytest's, but the same folder in every run."""
    node = request.node
    with desk_of(["tests", node.path, node.name], "files") as desk:
        (desk / "files").mkdir()
        yield desk / "files"
