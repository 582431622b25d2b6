"""The workers of a benchmark: the submission's, the reference solution's, and one that loads neither."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from grader.benchmark.contenders import Where
from grader.checks.loaded import Refusal, loaded
from grader.checks.results import Progress
from grader.course.catalog import Exercise
from grader.course.snapshot import taken
from grader.run.session import Session
from grader.run.zygote_handle import Zygote
from grader.support.backends import Backend

MODULES = ("grader.checks.timing.inside", "grader.checks.timing.timed_results")  # imported once for all


@contextmanager
def opened(
    exercise: Exercise, files: Path, backend: Backend, refusal: Refusal, progress: Progress
) -> Iterator[dict[Where, Session]]:
    """A process for each: no two libraries may register one operator, and none may slow down PyTorch.

    Raises SubmissionError where the submission is refused or does not build.
    """
    with ExitStack() as left:
        zygote = left.enter_context(Zygote.start(backend, modules=MODULES))
        own = left.enter_context(loaded(exercise, files, backend, zygote, refusal, progress))
        workers: dict[Where, Session] = {"submission": own}
        if exercise.solution_dir.is_dir():
            copy = left.enter_context(taken(exercise, exercise.solution_dir))
            workers["solution"] = left.enter_context(
                loaded(exercise, copy, backend, zygote, refusal, lambda stage: progress(f"solution, {stage}"))
            )
        workers["clean"] = left.enter_context(zygote.spawn_worker())
        yield workers
