"""A worker for baseline and reference that never loads a submission, started ahead of time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from grader.checks.timing.contestants import INSIDE, rehearsal
from grader.specification import Spec, load_spec
from grader.support.errors import ExplainedError

if TYPE_CHECKING:
    from grader.checks.bench import Bench
    from grader.course.exercise import Exercise
    from grader.run.session import Session
    from grader.run.zygote_handle import Zygote
    from grader.support.backends import Backend


class CleanWorker:
    """One that starts at once in a thread beside: a CUDA context, the reference's kernels and the baseline's
    take half a second.
    """

    def __init__(self, spawn: Callable[[], Session], asked: str) -> None:
        self._pool = ThreadPoolExecutor(1, "clean-worker")
        self._starting: Future[Session] = self._pool.submit(_started, spawn, asked)

    @contextmanager
    def lent(self) -> Iterator[Session]:
        """The worker, as often as a measurement asks. Raises what its start did."""
        yield self._pool.submit(self._starting.result).result()  # after what was ordered before

    def rest(self) -> None:
        """Give the memory of the device back that the last timing left, and wait for nothing."""
        self._pool.submit(lambda: self._starting.result().run_inside(f"{INSIDE}:empty_cache", []))

    def is_ready(self) -> bool:
        """Whether it has started."""
        return self._starting.done() and self._starting.exception() is None

    def has_failed(self) -> bool:
        """Whether it did not start."""
        return self._starting.done() and not self.is_ready()

    def close(self) -> None:
        """End it."""
        self._pool.shutdown(cancel_futures=True)
        if not self._starting.cancelled() and self._starting.exception() is None:
            self._starting.result().close()


class StandingWorker:
    """A clean worker that stays from one verdict to the next in a loop of edits, ready when a timing begins.

    It has a zygote of its own, since that of the submissions ends all its workers after each.
    """

    def __init__(self, exercise: Exercise, backend: Backend, start_zygote: Callable[[], Zygote]) -> None:
        self._exercise = exercise
        self._backend = backend
        self._start_zygote = start_zygote
        self._zygote: Zygote | None = None
        self._worker: CleanWorker | None = None
        self._text = b""  # of the spec that it has loaded

    def get_ready(self) -> None:
        """Start it, or replace one that an author's edit has outdated; while nobody waits for it."""
        if self._worker is not None and not self._worker.has_failed() and self._knows_the_spec():
            self._worker.rest()
            return
        self._end_worker()
        self._text = self._exercise.spec_path.read_bytes()
        spec = load_spec(self._exercise)
        if spec.speed is None:
            return
        self._zygote = self._zygote or self._start_zygote()
        self._worker = CleanWorker(self._zygote.spawn_worker, _asked(self._exercise, spec, self._backend))

    def serving(self, bench: Bench) -> AbstractContextManager[None]:
        """Within the context ``bench.clean`` lends it, or one for this verdict alone if it is not ready."""
        if self._worker is None or not self._worker.is_ready() or not self._knows_the_spec():
            return clean_worker(bench)
        return _lending(bench, self._worker)

    def close(self) -> None:
        """End it and its zygote."""
        try:
            self._end_worker()
        finally:
            if self._zygote is not None:
                self._zygote.close()

    def _knows_the_spec(self) -> bool:
        """Whether an author has left the spec as it was when the worker loaded it."""
        return self._exercise.spec_path.read_bytes() == self._text

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None


@contextmanager
def clean_worker(bench: Bench) -> Iterator[None]:
    """Start one while other checks run; within the context ``bench.clean`` lends it."""
    worker = CleanWorker(bench.spawn, _asked(bench.exercise, bench.spec, bench.backend))
    try:
        with _lending(bench, worker):
            yield
    finally:
        worker.close()


@contextmanager
def _lending(bench: Bench, worker: CleanWorker) -> Iterator[None]:
    bench.clean = worker.lent
    try:
        yield
    finally:
        bench.clean = bench.spawn


def _asked(exercise: Exercise, spec: Spec, backend: Backend) -> str:
    assert spec.speed is not None
    return rehearsal(exercise.root, spec, spec.speed, backend)


def _started(spawn: Callable[[], Session], asked: str) -> Session:
    session = spawn()
    with contextlib.suppress(ExplainedError):  # what is wrong shows again when it counts
        session.run_inside(f"{INSIDE}:rehearse", [asked])
    return session
