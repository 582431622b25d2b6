"""`grader demo`: grade one right kernel, then wrong ones whose answers are right; with --all, every solution.

The wrong kernels are the mutants marked `demo = true` in the exercises' `mutants.toml`. They are built while
the right one is graded, so that on a new machine each verdict comes as early as it can.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from grader.checks import grade
from grader.cli.grading import CheckOptions, grade_one
from grader.cli.options import Course, On, Plain
from grader.cli.overview import command
from grader.cli.screen import Screen
from grader.compilation.devices import detect_backend
from grader.course.catalog import Catalog, Exercise
from grader.course.mutants import Mutant, load_mutants
from grader.support.backends import Backend
from grader.support.errors import ExplainedError
from grader.verdict import Verdict

_BACKENDS = {
    "simt": "No GPU is needed: kernels run on the CPU, thread by thread, as CUDA defines them.",
    "cuda": "Kernels are compiled by nvcc and run on this machine's GPU.",
}
_DEMO_SEED = 1  # the same inputs on every machine, so that everybody sees the same sentences
_OWNER = "demo"


def run_demo(course: Path | None, backend: Backend | None, plain: bool, everything: bool = False) -> int:
    """Prints the demonstration. Returns 0 when every solution passed and every wrong kernel was caught."""
    catalog = Catalog.open(course)
    backend = backend or detect_backend()
    screen = Screen(plain=plain)
    screen.say(f"cu2grad grades CUDA kernels for PyTorch and their gradients.\n{_BACKENDS[backend]}\n")
    with tempfile.TemporaryDirectory(prefix="cu2grad-demo-") as name, _Ahead(backend) as ahead:
        wrong = _written(_wrong_kernels(catalog), Path(name).resolve())
        solution = _Solutions(backend, screen)
        screen.say(f"A right kernel, the reference solution of {catalog.exercises[0].slug}:\n")
        screen.show(solution.verdict(catalog.exercises[0], ahead.beginning(wrong)))
        screen.say("\nKernels that are wrong, although every answer they give is right:")
        missed = [
            mutant
            for number, (mutant, folder) in enumerate(wrong, 1)
            if not _show_wrong(number, mutant, folder, backend, screen)
        ]
    if everything:
        _show_all(catalog.exercises[1:], solution, screen)
    failed = [verdict.exercise for verdict in solution.verdicts if not verdict.passed]
    failed += [f"{mutant.exercise.slug}/{mutant.name}" for mutant in missed]
    screen.say("")
    if failed:
        screen.say(f"Not as expected: {', '.join(failed)}. Run: grader doctor")
        return 1
    if shutil.which("grader") is None:
        screen.say("The command grader is in .venv/bin; once per terminal, run: source .venv/bin/activate")
    screen.say(f"Your turn. Next: {command('check', catalog.exercises[0])}")
    return 0


class _Solutions:
    """Grades reference solutions and keeps their verdicts."""

    def __init__(self, backend: Backend, screen: Screen) -> None:
        self._request = CheckOptions(origin="solutions", backend=backend, seed=_DEMO_SEED)
        self._screen = screen
        self.verdicts: list[Verdict] = []

    def verdict(self, exercise: Exercise, begun: threading.Event | None = None) -> Verdict:
        """The verdict on one; `begun` is set when it is built and its checks begin."""
        verdict, _ = grade_one(exercise, self._request, self._screen, begun)
        self.verdicts.append(verdict)
        return verdict


class _Ahead:
    """A thread that builds wrong kernels while others are graded; their own grading finds them built."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._begun = threading.Event()
        self._left = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> _Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        self._left = True
        self._begun.set()
        if self._thread is not None:
            self._thread.join()

    def beginning(self, wrong: Sequence[tuple[Mutant, Path]]) -> threading.Event:
        """Builds `wrong` in order as soon as the event is set that this returns."""
        self._thread = threading.Thread(target=self._build, args=(wrong,), name="ahead", daemon=True)
        self._thread.start()
        return self._begun

    def _build(self, wrong: Sequence[tuple[Mutant, Path]]) -> None:
        from grader.checks.build import compile_submission

        self._begun.wait()
        for mutant, folder in wrong:
            if self._left:
                return
            where = _backend_of(mutant, self._backend)
            with contextlib.suppress(ExplainedError):  # grading it meets the same error, and reports it
                compile_submission(mutant.exercise, folder, where, _OWNER, verbose=False)


def _wrong_kernels(catalog: Catalog) -> list[Mutant]:
    """The mutants marked for the demonstration: of the first exercise first, then of the sample course."""
    sample = catalog.course / "docs" / "samples" / "course"
    courses = [catalog, Catalog.open(sample)] if sample.is_dir() else [catalog]
    exercises = [exercise for each in courses for exercise in each.exercises]
    return [mutant for exercise in exercises for mutant in load_mutants(exercise) if mutant.demo]


def _written(mutants: Sequence[Mutant], scratch: Path) -> list[tuple[Mutant, Path]]:
    """Each mutant with the folder that its files were written to."""
    written = []
    for number, mutant in enumerate(mutants, 1):
        folder = scratch / f"{number}" / mutant.exercise.slug
        folder.mkdir(parents=True)
        mutant.write(folder)
        written.append((mutant, folder))
    return written


def _show_all(exercises: Sequence[Exercise], solutions: _Solutions, screen: Screen) -> None:
    """Grades the other reference solutions, a line for each, and prints the table."""
    screen.say("\nThe other reference solutions:\n")
    for exercise in exercises:
        verdict = solutions.verdict(exercise)
        if verdict.passed:
            screen.say(f"  {verdict.exercise}: passed, {verdict.seconds:.1f} s")
        else:
            screen.show(verdict)
    screen.say("")
    screen.show_table(solutions.verdicts)


def _backend_of(mutant: Mutant, backend: Backend) -> Backend:
    """`backend`, or simt where only that one catches the mistake."""
    return backend if backend in mutant.backends else "simt"


def _show_wrong(number: int, mutant: Mutant, folder: Path, backend: Backend, screen: Screen) -> bool:
    """Grades one wrong kernel and shows what the grader says of it; returns whether it was caught."""
    where = _backend_of(mutant, backend)
    screen.say(f"\n{number}. {mutant.name.capitalize()}, in {mutant.file} of {mutant.exercise.slug}:\n")
    for line in mutant.diff():
        screen.say(f"     {line}")
    screen.say(f"\n   {mutant.why}\n")
    with screen.working(mutant.exercise.slug) as stage:
        verdict = grade(mutant.exercise, folder, backend=where, seed=_DEMO_SEED, progress=stage, owner=_OWNER)
    screen.show(verdict)
    caught = {check.name for check in verdict.checks if check.status.stands_in_the_way}
    return mutant.caught_by in caught and "correctness" not in caught


def demo_command(
    all_: Annotated[
        bool, typer.Option("--all", help="Also grade the reference solution of every exercise.")
    ] = False,
    course: Course = None,
    backend: On = None,
    plain: Plain = False,
) -> None:
    """Grades one right kernel, then three wrong ones whose answers are right all the same."""
    raise typer.Exit(run_demo(course, backend, plain, everything=all_))
