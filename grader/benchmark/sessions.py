"""The workers of a benchmark: for submission, reference solution and Triton, and one that loads nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cusimt.triton import lacking
from grader.benchmark.contenders import Where
from grader.checks.loaded import Refusal, loaded
from grader.checks.results import Progress
from grader.course.catalog import Exercise
from grader.course.snapshot import taken
from grader.run.session import Session
from grader.run.zygote_handle import Zygote
from grader.support.backends import Backend
from grader.support.errors import SubmissionError

MODULES = ("grader.checks.timing.inside", "grader.checks.timing.timed_results")  # imported once for all


def left_out(exercise: Exercise) -> list[str]:
    """A sentence for each contender that this copy of the course, or this machine, does not have."""
    notes = []
    if not exercise.solution_dir.is_dir():
        notes.append("This copy of the course has no reference solution to compare with.")
    if exercise.triton_dir.is_dir() and (why := lacking()):
        notes.append(f"Kernels in Triton are not compared: {why}")
    return notes


def has_triton(exercise: Exercise) -> bool:
    """Whether kernels in Triton can be compared."""
    return exercise.triton_dir.is_dir() and not lacking()


def failed(failure: SubmissionError) -> str:
    """What is said where the kernels in Triton were to be compared, and raised ``failure``."""
    return f"Kernels in Triton are not compared: {failure.what}"


@contextmanager
def opened(
    exercise: Exercise, files: Path, backend: Backend, refusal: Refusal, progress: Progress
) -> Iterator[tuple[dict[Where, Session], list[str]]]:
    """A process for each, and a sentence for each contender that is missing.

    No two libraries may register one operator, and none may slow down PyTorch. Raises SubmissionError where
    the submission is refused or does not build.
    """
    notes = left_out(exercise)
    with ExitStack() as left:
        zygote = left.enter_context(Zygote.start(backend, modules=MODULES))

        def load(one: Exercise, folder: Path, who: str) -> Session:
            copy = left.enter_context(taken(one, folder))
            return left.enter_context(
                loaded(one, copy, backend, zygote, refusal, lambda stage: progress(f"{who}, {stage}"))
            )

        own = left.enter_context(loaded(exercise, files, backend, zygote, refusal, progress))
        workers: dict[Where, Session] = {"submission": own}
        if exercise.solution_dir.is_dir():
            workers["solution"] = load(exercise, exercise.solution_dir, "solution")
        if has_triton(exercise):
            try:
                workers["triton"] = load(exercise.in_triton(), exercise.triton_dir, "Triton")
            except SubmissionError as failure:
                notes.append(failed(failure))
        workers["clean"] = left.enter_context(zygote.spawn_worker())
        yield workers, notes
