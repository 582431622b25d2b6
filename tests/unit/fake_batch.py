"""Batches without a compiler: hand-ins to the toy course, judges that cost a moment, a driver to be killed.

``python -m tests.unit.fake_batch COURSE SUBMITTED RESULTS`` grades everything with :func:`judge`; with a
student's name behind it, all but that student's, and then waits to be killed.
"""

from __future__ import annotations

import functools
import hashlib
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import without_markers
from grader.instruct.batch import (
    Ended,
    Item,
    ItemOutcome,
    Judge,
    LaneSettings,
    LocalSettings,
    grade_here,
    items_of,
    run_batch,
)
from grader.instruct.results import ResultStore
from grader.instruct.submissions import read_submissions
from grader.support.backends import Backend
from grader.support.errors import BrokenSpec, InfrastructureError
from grader.verdict import CheckResult, Status, Verdict

JUDGE_SECONDS = 0.005
NEVER_SECONDS = 3600.0


def hand_in(catalog: Catalog, into: Path, students: Sequence[str], note: str = "") -> Path:
    """Every student's own solution of every exercise, below ``into``; ``note`` is a comment in it."""
    for student in students:
        for exercise in catalog.exercises:
            for name in exercise.edit:
                path = into / student / exercise.slug / name
                path.parent.mkdir(parents=True, exist_ok=True)
                mark = "#" if name.endswith(".py") else "//"
                text = without_markers((exercise.solution_dir / name).read_text())
                path.write_text(f"{text}{mark} {student} {note}\n")
    return into


def judge(
    exercise: Exercise, files: Path, *, backend: Backend, seed: int | None, isolate: bool, owner: str
) -> Verdict:
    """Points that follow from the files and the seed, as those of a real verdict do."""
    time.sleep(JUDGE_SECONDS)
    content = b"".join(path.read_bytes() for path in sorted(files.rglob("*")) if path.is_file())
    points = hashlib.sha256(content + str(seed).encode()).digest()[0] % 5 * 10.0
    status = Status.PASS if points == 40.0 else Status.FAIL
    check = CheckResult("correctness", status, f"{exercise.slug} for {owner}", points, 40.0)
    return Verdict(exercise.slug, exercise.title, backend, seed or 0, (check,), str(files))


def judge_that_fails(
    exercise: Exercise, files: Path, *, backend: Backend, seed: int | None, isolate: bool, owner: str
) -> Verdict:
    """Fails in the way that a word in the submission says; ONCE, at the first attempt alone."""
    text = "".join(path.read_text() for path in files.rglob("*") if path.is_file())
    if "ONCE" in text:
        try:
            Path(os.environ["FAILED_ONCE"]).touch(exist_ok=False)
        except FileExistsError:
            text = ""
    for word, fail in FAILURES.items():
        if word in text:
            fail()
    return judge(exercise, files, backend=backend, seed=seed, isolate=isolate, owner=owner)


def judge_but_one(
    student: str, exercise: Exercise, files: Path, *, backend: Backend, seed: int | None, isolate: bool,
    owner: str,
) -> Verdict:  # fmt: skip
    """As :func:`judge`, but never done with what ``student`` handed in."""
    if any(f" {student} " in path.read_text() for path in files.rglob("*") if path.is_file()):
        time.sleep(NEVER_SECONDS)
    return judge(exercise, files, backend=backend, seed=seed, isolate=isolate, owner=owner)


def _die() -> None:
    print("the last words of a lane", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def _fail_as_a_machine() -> None:
    raise InfrastructureError("The disk is full.", "Nothing can be built.", "Make room.")


def _fail_as_an_exercise() -> None:
    raise BrokenSpec("spec.py has no CASES.", "A spec has cases.", "Add some.")


def _fail_as_a_grader() -> None:
    raise ZeroDivisionError("division by zero")


FAILURES: dict[str, Callable[[], None]] = {
    "DIE": _die,
    "HANG": lambda: time.sleep(600),
    "MACHINE": _fail_as_a_machine,
    "EXERCISE": _fail_as_an_exercise,
    "GRADER": _fail_as_a_grader,
}


class Watched:
    """A batch's Watch that remembers."""

    def __init__(self) -> None:
        self.left = self.found = self.same = 0
        self.endings: list[Ended] = []

    def begin(self, left: Sequence[Item], found: int, same: int = 0) -> None:
        self.left, self.found, self.same = len(left), found, same

    def ended(self, ended: Ended) -> None:
        self.endings.append(ended)


def run(
    catalog: Catalog, submitted: Path, results: Path, judge: Judge = judge, *, jobs: int = 2,
    regrade: bool = False, seconds: float = 60.0, watch: Watched | None = None,
) -> tuple[list[Item], ItemOutcome]:  # fmt: skip
    """Grade everything below ``submitted`` in real lanes."""
    items = items_of(read_submissions(submitted, catalog), catalog, lambda exercise: "simt")
    lane = LaneSettings(results, catalog.exercises, isolate=False, judge=judge, regrade=regrade)
    settings = LocalSettings(lane, jobs, seconds=seconds)
    store = ResultStore(results)
    outcome = run_batch(
        items, store, lambda left: grade_here(left, settings), watch or Watched(), regrade=regrade
    )
    return items, outcome


if __name__ == "__main__":
    course, submitted, results = map(Path, sys.argv[1:4])
    chosen = functools.partial(judge_but_one, sys.argv[4]) if sys.argv[4:] else judge
    run(Catalog.open(course), submitted, results, chosen, seconds=NEVER_SECONDS)
