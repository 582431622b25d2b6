"""`grader watch`: a verdict now, and another after every save.

torch is imported once for all of them: a verdict then costs the compiler and the checks alone, on simt half a
second for 03 where `grader check` takes one and a half (benchmarks/results/edit_to_verdict_cpu.md).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from watchfiles import watch

from cusimt.support.words import listed
from grader.checks import grade
from grader.checks.lanes import open_lane
from grader.checks.results import Progress
from grader.cli.grading import after_failure, after_pass, keep, warn_of_given
from grader.cli.options import Course, Name, On, Plain, Verbose
from grader.cli.overview import command, shown
from grader.cli.screen import Screen
from grader.compilation import headers
from grader.compilation.devices import detect_backend
from grader.compilation.quick import nvrtc
from grader.course.catalog import Catalog, Exercise
from grader.course.snapshot import desk, sources, write_sources
from grader.course.workspace import changed_given
from grader.support.backends import Backend
from grader.verdict import Verdict

if TYPE_CHECKING:
    from grader.checks.timing.clean_worker import StandingWorker

_GLANCE_MILLISECONDS = 1000  # between looks at the files where no change events arrive, as on a network share
_SETTLE_SECONDS = 0.02  # that files have to stay as they are: many editors empty one before they write it


def watch_exercise(
    name: str, course: Path | None, backend: Backend | None, plain: bool, verbose: bool
) -> int:
    """Grades until Ctrl-C, which is how this ends: returns 0."""
    catalog = Catalog.open(course)
    exercise = catalog.find(name)
    screen = Screen(plain=plain, verbose=verbose)
    screen.say(f"Watching {shown(exercise.root)}. Ctrl-C ends it.")
    with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as left:
        copies = left.enter_context(desk(exercise, exercise.root))
        submission = WatchedSubmission(exercise, backend or detect_backend(), copies)
        left.callback(submission.close)
        while True:
            with screen.working(exercise.slug) as stage:
                verdict, changed = submission.graded(stage, verbose)
            keep(exercise, verdict)
            screen.show(verdict)
            warn_of_given(screen, exercise, changed, own=True)
            screen.say(_advice(catalog, exercise, verdict))
            submission.get_ready()
            saved = submission.next_save()
            screen.say(f"\n{time.strftime('%H:%M:%S')}: {listed(saved)} changed.")
    return 0


def _advice(catalog: Catalog, exercise: Exercise, verdict: Verdict) -> str:
    if not verdict.passed:
        return after_failure(exercise, verdict, command("watch", exercise), "save it")
    return after_pass(catalog, exercise)


class WatchedSubmission:
    """The learner's sources as they were taken up last, and the lane that grades them."""

    def __init__(self, exercise: Exercise, backend: Backend, folder: Path) -> None:
        self._exercise = exercise
        self._backend: Backend = backend
        self._files = folder / exercise.slug
        self._sources = _settled_sources(exercise)
        self._open_lane = functools.partial(open_lane, backend, folder, [exercise], isolate=False, lazy=True)
        self._lane = self._open_lane()
        if backend == "cuda":
            nvrtc.start()
        self._clean: StandingWorker | None = None
        self._precompiling = threading.Thread()

    def close(self) -> None:
        with contextlib.ExitStack() as each:  # the others, too, should one of them fail
            each.callback(nvrtc.stop)
            if self._clean is not None:
                each.callback(self._clean.close)
            each.callback(self._lane.close)

    def graded(self, stage: Progress, verbose: bool) -> tuple[Verdict, list[str]]:
        """The verdict on a copy, whatever is saved meanwhile, and the given files that were changed."""
        write_sources(self._sources, self._files)
        verdict = grade(
            self._exercise, self._files, backend=self._backend, verbose=verbose, progress=stage,
            zygote=self._lane, clean=self._clean, quick=True,
        )  # fmt: skip
        changed = changed_given(self._exercise, self._files)
        return replace(verdict, files=str(self._exercise.root)), changed

    def get_ready(self) -> None:
        """Prepare, while the learner edits, what the next verdict needs and the first did not wait for."""
        if self._backend == "cuda" and "performance" in self._exercise.scores:
            self._keep_clean_worker()
        if headers.is_left() and not self._precompiling.is_alive():
            self._precompiling = threading.Thread(target=headers.precompile_what_is_left, daemon=True)
            self._precompiling.start()

    def _keep_clean_worker(self) -> None:
        if self._clean is None:
            from grader.checks.timing.clean_worker import StandingWorker  # imports torch

            self._clean = StandingWorker(self._exercise, self._backend, self._open_lane)
        self._clean.get_ready()

    def next_save(self) -> list[str]:
        """Waits until sources differ from those taken up last, and names them: also those saved meanwhile."""
        root = self._exercise.root
        later = watch(root, yield_on_timeout=True, rust_timeout=_GLANCE_MILLISECONDS)
        looks = itertools.chain([()], later)
        return next(names for _ in looks if (names := self._taken_up()))

    def _taken_up(self) -> list[str]:
        """The names of the sources that differ from those taken up before."""
        before, now = self._sources, _sources(self._exercise)
        if now != before:
            now = self._sources = _settled_sources(self._exercise)
        return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _settled_sources(exercise: Exercise) -> dict[str, bytes]:
    """What two looks agree on, so that nothing is graded which an editor has written only half of."""
    before, now = None, _sources(exercise)
    while now != before:
        time.sleep(_SETTLE_SECONDS)
        before, now = now, _sources(exercise)
    return now


def _sources(exercise: Exercise) -> dict[str, bytes]:
    return sources(exercise.root, (*exercise.edit, *exercise.given), within=exercise.course)


def watch_command(
    exercise: Name,
    course: Course = None,
    backend: On = None,
    plain: Plain = False,
    verbose: Verbose = False,
) -> None:
    """Checks your files now, and again whenever you save one. Ctrl-C ends it."""
    raise typer.Exit(watch_exercise(exercise, course, backend, plain, verbose))
