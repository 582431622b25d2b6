"""`grader demo`: every reference solution graded, then wrong kernels whose answers are right.

The wrong kernels are the mutants marked `demo = true` in the exercises' `mutants.toml`.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from grader.build.request import Backend
from grader.catalog import Catalog
from grader.checks import grade
from grader.cli.checking import Request, found_backend, grade_one
from grader.cli.listing import command
from grader.cli.screen import Screen
from grader.mutants import Mutant, load_mutants
from grader.verdict import Verdict

_BACKENDS = {
    "simt": "No GPU is needed: kernels run on the CPU, thread by thread, as CUDA defines them.",
    "cuda": "Kernels are compiled by nvcc and run on this machine's GPU.",
}
_DEMO_SEED = 1  # the same inputs on every machine, so that everybody sees the same sentences


def run_demo(course: Path | None, backend: Backend | None, plain: bool) -> int:
    """Prints the demonstration. Returns 0 when every solution passed and every wrong kernel was caught."""
    catalog = Catalog.open(course)
    backend = backend or found_backend()
    screen = Screen(plain=plain)
    screen.say(f"cu2grad grades CUDA kernels for PyTorch and their gradients.\n{_BACKENDS[backend]}\n")
    verdicts = _grade_solutions(catalog, backend, screen)
    missed = [
        mutant
        for number, mutant in enumerate(_wrong_kernels(catalog), 1)
        if not _show_wrong(number, mutant, backend, screen)
    ]
    screen.say("")
    screen.show_table(verdicts)
    failed = [verdict.exercise for verdict in verdicts if not verdict.passed]
    failed += [f"{mutant.exercise.slug}/{mutant.name}" for mutant in missed]
    if failed:
        screen.say(f"Not as expected: {', '.join(failed)}. Run: grader doctor")
        return 1
    if shutil.which("grader") is None:
        screen.say("The command grader is in .venv/bin; once per terminal, run: source .venv/bin/activate")
    screen.say(f"Your turn. Next: {command('check', catalog.exercises[0])}")
    return 0


def _wrong_kernels(catalog: Catalog) -> list[Mutant]:
    """The mutants marked for the demonstration, those of the sample course first."""
    sample = catalog.course / "docs" / "samples" / "course"
    courses = [Catalog.open(sample), catalog] if sample.is_dir() else [catalog]
    exercises = [exercise for each in courses for exercise in each.exercises]
    return [mutant for exercise in exercises for mutant in load_mutants(exercise) if mutant.demo]


def _grade_solutions(catalog: Catalog, backend: Backend, screen: Screen) -> list[Verdict]:
    screen.say("The reference solutions. The first build prepares headers once and takes longest.\n")
    verdicts = []
    request = Request(solutions=True, backend=backend, seed=_DEMO_SEED)
    for exercise in catalog.exercises:
        verdict = grade_one(exercise, request, screen)
        verdicts.append(verdict)
        if verdict.passed:
            screen.say(f"  {verdict.exercise}: passed, {verdict.seconds:.1f} s")
        else:
            screen.show(verdict)
    return verdicts


def _show_wrong(number: int, mutant: Mutant, backend: Backend, screen: Screen) -> bool:
    """Grades one wrong kernel and shows what the grader says of it; returns whether it was caught."""
    if number == 1:
        screen.say("\nKernels that are wrong, although every answer they give is right:")
    where: Backend = backend if backend in mutant.backends else "simt"
    with tempfile.TemporaryDirectory(prefix="cu2grad-demo-") as name, screen.working(mutant.name) as stage:
        folder = Path(name)
        mutant.write(folder)
        verdict = grade(mutant.exercise, folder, backend=where, seed=_DEMO_SEED, progress=stage, owner="demo")
    screen.say(f"\n{number}. {mutant.name.capitalize()}, in {mutant.file} of {mutant.exercise.slug}:\n")
    for line in mutant.diff():
        screen.say(f"     {line}")
    screen.say(f"\n   {mutant.why}\n")
    screen.show(verdict)
    caught = {check.name for check in verdict.checks if check.status.stands_in_the_way}
    return mutant.caught_by in caught and "correctness" not in caught
