"""The proof that an exercise is judged rightly: solution passed, stub refused, every mistake caught."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from grader.author.problem import Problem
from grader.build.request import Backend
from grader.catalog import Exercise
from grader.checks import grade
from grader.mutants import Mutant, load_mutants
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict
from grader.workspace import shipped_files

_SEED = 20260401


def prove(exercise: Exercise, backend: Backend, begin: Callable[[str], None]) -> Iterator[Problem]:
    """Grades the solution, the stub and every mistake; ``begin`` is told what is graded next."""
    begin("the solution")
    verdict = grade(exercise, exercise.solution_dir, backend=backend, seed=_SEED)
    if not verdict.passed or verdict.earned != verdict.out_of:
        yield Problem(exercise.solution_dir, f"the solution does not pass. {_said(verdict)}", _see(exercise))
        return
    with tempfile.TemporaryDirectory(prefix="cu2grad-proof-") as scratch:
        begin("the stub")
        yield from _stub(exercise, backend, Path(scratch) / "stub")
        for number, mutant in enumerate(load_mutants(exercise)):
            if backend in mutant.backends:
                begin(f"mistake: {mutant.name}")
                yield from _mistake(mutant, backend, Path(scratch) / str(number))


def _stub(exercise: Exercise, backend: Backend, folder: Path) -> Iterator[Problem]:
    folder.mkdir()
    for path, text in shipped_files(exercise).items():
        target = folder / path.relative_to(exercise.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    verdict = grade(exercise, folder, backend=backend, seed=_SEED)
    if verdict.status is not Status.NOT_ATTEMPTED or verdict.earned:
        yield Problem(
            exercise.root,
            f"the stub is not refused as not begun. {_said(verdict)}",
            _see(exercise, "exercises"),
        )


def _mistake(mutant: Mutant, backend: Backend, folder: Path) -> Iterator[Problem]:
    folder.mkdir()
    mutant.write(folder)
    verdict = grade(mutant.exercise, folder, backend=backend, seed=_SEED, until=mutant.caught_by)
    fault = uncaught(mutant, verdict)
    if fault:
        place = mutant.exercise.solution_dir / "mutants.toml"
        yield Problem(
            place, f'"{mutant.name}": {fault} {_said(verdict)}', "Sharpen the spec, or the mistake."
        )


def uncaught(mutant: Mutant, verdict: Verdict) -> str:
    """Why ``verdict`` does not catch the mistake as mutants.toml says, in a sentence; "" if it does."""
    results = {check.name: check for check in verdict.checks}
    catcher = results.get(mutant.caught_by)
    if verdict.passed or catcher is None or not catcher.status.stands_in_the_way:
        return f"{mutant.caught_by} did not catch it."
    if catcher.sentence.startswith(NOT_JUDGED):
        return f"{mutant.caught_by} did not get to judge it."
    if catcher.status is Status.INFRA_ERROR:
        return "The machine failed."
    if mutant.finding and mutant.finding not in _said_of(catcher):
        return f"No finding is of the kind {mutant.finding}."
    if verdict.backend == "simt" and not re.search(mutant.says, words_of(verdict), re.IGNORECASE):
        return f"No sentence says {mutant.says!r}."
    if mutant.demo and results["correctness"].status is not Status.PASS:
        return "It is marked for the demonstration, and its answers are not right."
    return ""


def words_of(verdict: Verdict) -> str:
    """What the checks in the way of a pass say, on one line: sentences, lines, findings and rules."""
    parts: list[str] = []
    for check in verdict.checks:
        if check.status.stands_in_the_way:
            parts += (check.sentence, *check.lines)
            parts += (text for finding in check.findings for text in (finding.sentence, finding.rule))
    return " ".join(" ".join(parts).split())


def _said_of(check: CheckResult) -> set[str]:
    """The kinds of its findings, its topic, and the section of the lesson that it points at."""
    anchor = check.lesson.rpartition("#")[2].replace("-", "_")
    return {check.topic, anchor, *(finding.kind for finding in check.findings)}


def _said(verdict: Verdict) -> str:
    failed = [check for check in verdict.checks if check.status.stands_in_the_way]
    return " ".join(f"{check.name}: {check.sentence}" for check in failed[:2])


def _see(exercise: Exercise, origin: str = "solutions") -> str:
    return f"Look at it: grader check {exercise.number:02d}" + (
        " --from solutions" if origin == "solutions" else ""
    )
