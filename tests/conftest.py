"""What holds for every test: its cost, the worker that runs it, and the toy course."""

from __future__ import annotations

import math
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cusimt.tests.scheduling import schedule, without_garbage_collection
from grader.course import workspace
from grader.course.catalog import Catalog
from tests.processor_time import LIMIT_SECONDS, ProcessorTime
from tests.sampling import every

if TYPE_CHECKING:
    from grader.run import Zygote

ROOT = Path(__file__).resolve().parent.parent
TOY_COURSE = ROOT / "tests" / "toy_course"
COURSES = (ROOT, ROOT / "docs" / "samples" / "course")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", action="store_true", help="show the processor time of folders and slow tests")
    parser.addoption("--every", type=int, default=1, metavar="N", help="of alike slow tests, every Nth")


def pytest_configure(config: pytest.Config) -> None:
    # For whoever writes a test: on a machine of others, which may be slow, no figure decides anything.
    seconds = math.inf if os.environ.get("CI") else LIMIT_SECONDS
    config.pluginmanager.register(
        ProcessorTime(ROOT / "tests" / "unit", shows=config.getoption("--costs"), seconds=seconds)
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    with without_garbage_collection():
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Before the simulator's tests are sorted, large groups first: a sample takes the first, in order."""
    items[:], left = every(config.getoption("--every"), items)
    if left:
        config.hook.pytest_deselected(items=left)
    schedule(config, items)
    yield  # pytest-xdist reads the marks


@pytest.fixture(scope="session")
def lane() -> Iterator[Zygote]:
    """One for all that a worker grades on desks: torch, its compiler and Triton are imported once."""
    from grader.checks.lanes import open_lane
    from tests.desks import spool

    exercises = [exercise for course in COURSES for exercise in Catalog.open(course).exercises]
    with open_lane("simt", spool(), exercises, isolate=False) as zygote:
        yield zygote


@pytest.fixture
def toy_course(tmp_path: Path) -> Path:
    """A writable copy of the toy course (00_negate, 01_muladd) with untouched stubs and its solutions."""
    course = tmp_path / "course"
    shutil.copytree(TOY_COURSE, course, ignore=shutil.ignore_patterns(".cu2grad", "__pycache__"))
    return course


@pytest.fixture
def toy_catalog(toy_course: Path) -> Catalog:
    return Catalog.open(toy_course)


@pytest.fixture
def solved_course(toy_catalog: Catalog) -> Catalog:
    """The toy course with every stub replaced by its solution, as a learner would have it."""
    for exercise in toy_catalog.exercises:
        for name in exercise.edit:
            text = (exercise.solution_dir / name).read_text()
            (exercise.root / name).write_text(workspace.without_markers(text))
    return toy_catalog


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A shell that starts these tests in the background has SIGINT ignored, which children would inherit."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
