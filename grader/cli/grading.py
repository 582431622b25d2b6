"""Grading one exercise for a command: `grader check`, `watch`, `replay` and `demo`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cusimt.support.scratch import scratch
from cusimt.support.words import listed
from grader.checks import grade
from grader.checks.results import AUDIT, Progress
from grader.cli.options import Origin
from grader.cli.overview import command, next_step, records_of, start_sentence
from grader.cli.screen import Screen
from grader.compilation.builder import STAGE
from grader.compilation.devices import detect_backend
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.course.snapshot import taken
from grader.course.workspace import changed_given
from grader.support.backends import Backend
from grader.support.errors import UsageError
from grader.verdict import Status, Verdict


@dataclass(frozen=True)
class CheckOptions:
    """The options of `grader check`. Without `backend` the machine decides; without `seed` one is drawn."""

    exercises: tuple[str, ...] = ()
    all_: bool = False
    origin: Origin = "exercises"
    files: Path | None = None
    course: Path | None = None
    backend: Backend | None = None
    seed: int | None = None
    plain: bool = False
    json: bool = False
    html: Path | None = None
    junit: Path | None = None
    verbose: bool = False
    isolate: bool = False

    @property
    def solutions(self) -> bool:
        return self.origin == "solutions"


def grade_one(
    exercise: Exercise, request: CheckOptions, screen: Screen, built: threading.Event | None = None
) -> tuple[Verdict, list[str]]:
    """The verdict on one exercise, from the learner's files or from the reference solution.

    Also returns the names of the given files that were changed. The files are read once, at the beginning.
    `built` is set when the build is done and the checks begin.
    """
    named = request.files.resolve() if request.files else files_of(exercise, request.solutions, "check")
    with screen.working(exercise.slug) as stage, _taken(exercise, named, request.files is not None) as files:
        verdict = grade(
            exercise,
            files,
            backend=request.backend or detect_backend(),
            seed=request.seed,
            verbose=request.verbose,
            progress=_announcing(stage, built),
            isolate=request.isolate,
            quick=not request.isolate,
        )
        return replace(verdict, files=str(named)), changed_given(exercise, files)


def _announcing(stage: Progress, built: threading.Event | None) -> Progress:
    """`stage`, which also sets `built` once the stage is neither of the audit nor of the build."""

    def enter(name: str) -> None:
        stage(name)
        if built is not None and not name.startswith((AUDIT, STAGE)):
            built.set()

    return enter


@contextlib.contextmanager
def _taken(exercise: Exercise, files: Path, elsewhere: bool) -> Iterator[Path]:
    """A copy of ``files``; of a hand-in, which lacks given files, a copy as a class's are graded."""
    if not elsewhere or all((files / name).is_file() for name in exercise.given):
        with taken(exercise, files) as copy:
            yield copy
        return
    from grader.instruct.submissions import Submission, lay_out, look

    with scratch("check") as place:
        handed = look(Submission("", exercise.slug, files), exercise)
        yield lay_out(handed.files, exercise, place / exercise.slug)


def precompile(screen: Screen) -> None:
    """Make the precompiled headers that the first verdict on a machine did not wait for."""
    from grader.compilation import headers

    if headers.is_left():
        screen.say(
            "Once on this machine for each form of binding, a minute or more: precompiling PyTorch's "
            "headers, so that later checks are faster. Ctrl-C puts it off."
        )
        with contextlib.suppress(KeyboardInterrupt):
            headers.precompile_what_is_left()


def files_of(exercise: Exercise, solutions: bool, verb: str) -> Path:
    """The folder of the learner's files, or of the reference solution; `verb` is the command that asks."""
    files = exercise.solution_dir if solutions else exercise.root
    if not files.is_dir():
        raise UsageError(
            f"{files} is not there.",
            "This copy of the course comes without solutions.",
            f"{verb.capitalize()} your own files: {command(verb, exercise)}",
        )
    return files


def warn_of_given(screen: Screen, exercise: Exercise, changed: Sequence[str], own: bool) -> None:
    """Says which given files were ``changed``; ``own``: in the learner's folder, which can be reset."""
    if not changed:
        return
    screen.say(
        f"You changed {listed(changed)}, which the course provides. What you hand in is graded with the "
        "course's version."
    )
    if own:
        screen.say(f"To put the course's version back: {command('reset', exercise)} --given")


def keep(exercise: Exercise, verdict: Verdict) -> None:
    """Stores ``verdict`` for `grader list` and `grader replay`, unless it is about this machine alone."""
    if verdict.status is Status.INFRA_ERROR:
        return
    result = progress.Result(
        passed=verdict.passed,
        status=verdict.status.value,
        score=verdict.earned,
        backend=verdict.backend,
        version=exercise.version,
        out_of=verdict.out_of,
        digest=verdict.digest,
    )
    progress.store_verdict(exercise, verdict.to_json(), result)


def after_pass(catalog: Catalog, exercise: Exercise | None) -> str:
    """What to do after a pass of ``exercise``, or of several: the next one, and what to compare it with."""
    step = next_step(catalog, records_of(catalog))
    if exercise is None or not exercise.solution_dir.is_dir():
        return step
    return f"Compare yours with the reference solution: {command('solution', exercise)} --diff\n{step}"


def after_failure(exercise: Exercise, verdict: Verdict, grading: str, then: str) -> str:
    """What to do about a verdict that is no pass; ``grading`` is the command, ``then`` follows a repair."""
    hint = command("hint", exercise)
    match verdict.status:
        case Status.INFRA_ERROR:
            return f"Your code was not judged. Next: grader doctor, then {grading}"
        case Status.NOT_ATTEMPTED if verdict.earned > 0:
            return f"Next: go on with the TODO that is named first, then {then}. For a hint: {hint}"
        case Status.NOT_ATTEMPTED:
            return f"Next: {start_sentence(exercise, then)}. For a hint: {hint}"
        case Status.UNAVAILABLE | Status.INCONCLUSIVE:
            return f"Nothing could be judged here. Try another backend: {grading} --backend simt"
        case Status.BUILD_ERROR:
            return f"Next: repair the first thing that build names, then {then}"
        case _:
            return f"Next: repair it and {then}. For a hint: {hint}"
