"""Compile the submission and load it into a worker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from grader.audit import Objection, audit_library, audit_sources
from grader.build import Artifact, BuildRequest, build
from grader.catalog import Exercise
from grader.checks.outcome import Outcome, passed
from grader.errors import BuildFailed, SubmissionError
from grader.run.failures import LoadFailed, WorkerTimeout
from grader.verdict import Status

if TYPE_CHECKING:
    from grader.build.request import Backend, Interface

SHOWN_LINES = 40


def compile_submission(
    exercise: Exercise, files: Path, backend: Backend, owner: str, verbose: bool
) -> Artifact | Outcome:
    """The library, or what the audit or the compiler said. On simt the checked build alone is graded.

    Raises:
        InfrastructureError: the toolchain is missing or broken.
    """
    facts = exercise.build
    missing = [name for name in (*exercise.edit, *exercise.given) if not (files / name).is_file()]
    if missing:
        return Outcome(
            Status.BUILD_ERROR,
            f"{missing[0]} is missing from {files}. The exercise needs {', '.join(exercise.edit)}. "
            f"Get a fresh one with: grader reset {exercise.number:02d}",
        )
    objection = audit_sources(exercise, files, backend)
    if objection is not None:
        return _refused(objection)
    request = BuildRequest(
        name=facts.name,
        interface=cast("Interface", facts.interface),
        sources=tuple(files / name for name in facts.sources),
        backend=backend,
        checked=backend == "simt",
        cuda_flags=facts.cuda_flags,
        owner=owner,
    )
    try:
        artifact = build(request, verbose=verbose)
    except BuildFailed as failure:
        text = failure.log if verbose and failure.log else failure.diagnostics
        shown = tuple(line.replace(f"{files}/", "") for line in text.rstrip().splitlines())
        if len(shown) > SHOWN_LINES and not verbose:
            left = len(shown) - SHOWN_LINES
            shown = (*shown[:SHOWN_LINES], f"... {left} more lines: grader check --verbose shows them")
        return Outcome(Status.BUILD_ERROR, failure.what, lines=shown, topic="build")
    objection = audit_library(exercise, artifact.path) if backend == "simt" else None
    return _refused(objection) if objection is not None else artifact


def _refused(objection: Objection) -> Outcome:
    """What would make a verdict worthless is not run at all."""
    return Outcome(Status.FAIL, objection.sentence, topic="audit")


def built(artifact: Artifact) -> Outcome:
    how = "from the cache" if artifact.cached else f"in {artifact.seconds:.1f} s"
    return passed(f"Built {how}.")


def load_failure(failure: SubmissionError) -> Outcome:
    """The library was built, but could not be brought to life."""
    if isinstance(failure, LoadFailed):
        error = failure.error
        if error.type == "NotImplementedError" and "TODO(" in error.message:
            return Outcome(Status.NOT_ATTEMPTED, f"Still open: {error.message}", topic="todo")
        where = f" at {error.where}" if error.where else ""
        sentence = f"It compiles, but loading it raised {error.type}{where}: {error.message}"
        return Outcome(Status.BUILD_ERROR, sentence, got=error.type, topic="load")
    status = Status.TIMEOUT if isinstance(failure, WorkerTimeout) else Status.CRASH
    what = failure.what[0].lower() + failure.what[1:]
    return Outcome(status, f"It compiles, but {what} {failure.rule}", topic="load")
