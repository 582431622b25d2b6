"""`grader check`: grades exercises, prints each verdict as it comes, and ends with the next step."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cusimt.support.scratch import scratch
from cusimt.support.words import listed
from grader.checks import grade
from grader.checks.results import Progress
from grader.cli.overview import command, next_step, records_of, start_sentence
from grader.cli.screen import Screen
from grader.compilation.builder import STAGE
from grader.compilation.devices import detect_backend
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.course.snapshot import taken
from grader.course.workspace import changed_given
from grader.report.files import require_folder, write_report
from grader.support.backends import Backend
from grader.support.errors import UsageError
from grader.verdict import Status, Verdict


@dataclass(frozen=True)
class Request:
    """What the command line asked for. Without ``backend`` it is found out; without ``seed`` one is drawn."""

    names: tuple[str, ...] = ()
    everything: bool = False
    solutions: bool = False
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


def check_exercises(request: Request) -> int:
    """Grades what was asked for. Returns the worst exit code of all verdicts: 0, 1 or 3."""
    catalog = Catalog.open(request.course)
    exercises = _chosen(catalog, request)
    if request.files is not None:
        _require_files(request.files, exercises, request.solutions)
    for path in (request.html, request.junit):
        if path is not None:
            require_folder(path)
    screen = Screen(plain=request.plain, quiet=request.json, verbose=request.verbose)
    verdicts = []
    for exercise in exercises:
        verdict, changed = grade_one(exercise, request, screen)
        own = not request.solutions and request.files is None
        if own:
            keep(exercise, verdict)
        screen.show(verdict)
        if not request.solutions:
            warn_of_given(screen, exercise, changed, own)
        verdicts.append(verdict)
    _write_reports(verdicts, request)
    if request.json:
        _print_json(verdicts, single=len(exercises) == 1 and not request.everything)
    else:
        if len(verdicts) > 1:
            screen.show_table(verdicts)
        screen.say(_next_step(catalog, exercises, verdicts, request.solutions))
    return max(verdict.exit_code for verdict in verdicts)


def grade_one(
    exercise: Exercise, request: Request, screen: Screen, built: threading.Event | None = None
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
            backend=request.backend or found_backend(),
            seed=request.seed,
            verbose=request.verbose,
            progress=_announcing(stage, built),
            isolate=request.isolate,
        )
        return replace(verdict, files=str(named)), changed_given(exercise, files)


def _announcing(stage: Progress, built: threading.Event | None) -> Progress:
    """`stage`, which also sets `built` once the stage is none of building."""

    def enter(name: str) -> None:
        stage(name)
        if built is not None and not name.startswith(STAGE):
            built.set()

    return enter


@contextlib.contextmanager
def _taken(exercise: Exercise, files: Path, elsewhere: bool) -> Iterator[Path]:
    """A copy of ``files``; of a hand-in, which lacks given files, a copy as `grader batch` would grade it."""
    if not elsewhere or all((files / name).is_file() for name in exercise.given):
        with taken(exercise, files) as copy:
            yield copy
        return
    from grader.instruct.submissions import Submission, stage

    with scratch("check") as place:
        yield stage(Submission("", exercise.slug, files), exercise, place / exercise.slug)


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


def found_backend() -> Backend:
    """cuda where a GPU, nvcc and a CUDA torch are there, or as CU2GRAD_BACKEND says; else simt."""
    return "cuda" if detect_backend() == "cuda" else "simt"


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


def _chosen(catalog: Catalog, request: Request) -> list[Exercise]:
    """The exercises asked for, each once, in the order named."""
    if request.everything:
        if request.names:
            raise UsageError(
                f"--all and {request.names[0]!r} were both given.",
                "--all already means every exercise.",
                "Name exercises, or run: grader check --all",
            )
        return list(catalog.exercises)
    if not request.names:
        raise UsageError(
            "No exercise was named.",
            "grader check takes one or more numbers, slugs or paths.",
            "Run: grader check 00, or grader check --all",
        )
    found = [catalog.find(name) for name in request.names]
    return list({exercise.slug: exercise for exercise in found}.values())


def _require_files(folder: Path, exercises: Sequence[Exercise], solutions: bool) -> None:
    """Refuse a folder that cannot be meant: a missing file is judged, a folder without any is a mistake."""
    if solutions or len(exercises) > 1:
        raise UsageError(
            f"--files {folder} was given with {'--from solutions' if solutions else 'several exercises'}.",
            "It names the folder of one submission to one exercise.",
            f"Run: grader check {exercises[0].number:02d} --files {folder}",
        )
    names = (*exercises[0].edit, *exercises[0].given)
    if not any((folder / name).is_file() for name in names):
        raise UsageError(
            f"{folder} holds no file of {exercises[0].slug}.",
            f"Its files are {listed(names)}.",
            f"Name the folder that holds them: grader check {exercises[0].number:02d} --files DIR",
        )


def _write_reports(verdicts: Sequence[Verdict], request: Request) -> None:
    if request.html is not None:
        from grader.report.html import page

        write_report(request.html, page(verdicts))
    if request.junit is not None:
        from grader.report.junit import junit

        write_report(request.junit, junit(verdicts))


def _print_json(verdicts: Sequence[Verdict], single: bool) -> None:
    if single:
        print(verdicts[0].to_json(), end="")
    else:
        print(
            json.dumps([json.loads(verdict.to_json()) for verdict in verdicts], indent=2, ensure_ascii=False)
        )


def _next_step(
    catalog: Catalog, exercises: Sequence[Exercise], verdicts: Sequence[Verdict], solutions: bool
) -> str:
    """The sentence that ends every run: about the first verdict that is no pass, or about what comes next."""
    for exercise, verdict in zip(exercises, verdicts, strict=True):
        if not verdict.passed:
            again = command("check", exercise, *(["--from", "solutions"] if solutions else []))
            return after_failure(exercise, verdict, again, f"run: {again}")
    if solutions:
        return "Next: grader list"
    return after_pass(catalog, exercises[0] if len(exercises) == 1 else None)


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
        case Status.NOT_ATTEMPTED:
            return f"Next: {start_sentence(exercise, then)}. For a hint: {hint}"
        case Status.UNAVAILABLE | Status.INCONCLUSIVE:
            return f"Nothing could be judged here. Try another backend: {grading} --backend simt"
        case Status.BUILD_ERROR:
            return f"Next: repair the first thing that build names, then {then}"
        case _:
            return f"Next: repair it and {then}. For a hint: {hint}"
