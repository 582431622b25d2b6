"""Prove that an exercise is judged correctly: the solution passes, the stub is refused, every mutant is
caught.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.author.problem import Problem
from grader.checks import grade
from grader.checks.lanes import open_lane
from grader.course.catalog import Exercise
from grader.course.mutants import Mutant, load_mutants
from grader.course.snapshot import desk_of
from grader.course.stubs import without_markers
from grader.course.workspace import shipped_files
from grader.run import Zygote
from grader.support.backends import Backend
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict

_SEED = 20260401


def prove(exercise: Exercise, backend: Backend, begin: Callable[[str], None]) -> Iterator[Problem]:
    """Grades the solution, the stub and every mistake; ``begin`` is told what is graded next.

    One lane serves them all, and each is written to the same folder, in every run: torch is imported once,
    and what a mistake, or a change of the spec, leaves unchanged is compiled once.
    """
    with (
        desk_of(["proof", exercise.slug], exercise.slug) as spool,
        open_lane(backend, spool, [exercise], isolate=False) as zygote,
    ):
        proof = _Proof(exercise, backend, spool / exercise.slug, zygote)
        begin("the solution")
        problem = proof.solution()
        if problem is not None:
            yield problem
            return
        begin("the stub")
        yield from filter(None, [proof.stub()])
        for mutant in load_mutants(exercise):
            if backend in mutant.backends:
                begin(f"mistake: {mutant.name}")
                yield from filter(None, [proof.mistake(mutant)])


@dataclass(frozen=True)
class _Proof:
    """Grades one version of an exercise after another in `folder`; each answer is a problem, or None."""

    exercise: Exercise
    backend: Backend
    folder: Path
    zygote: Zygote

    def solution(self) -> Problem | None:
        solution = self.exercise.solution_dir
        names = (*self.exercise.edit, *self.exercise.given)
        verdict = self._graded({name: without_markers(_text(solution / name)) for name in names})
        if verdict.passed and verdict.earned == verdict.out_of:
            return None
        return Problem(solution, f"the solution does not pass. {_said(verdict)}", _see(self.exercise))

    def stub(self) -> Problem | None:
        root = self.exercise.root
        files = {str(path.relative_to(root)): text for path, text in shipped_files(self.exercise).items()}
        verdict = self._graded(files)
        if verdict.status is Status.NOT_ATTEMPTED and not verdict.earned:
            return None
        said = f"the stub is not refused as not begun. {_said(verdict)}"
        return Problem(root, said, _see(self.exercise, "exercises"))

    def mistake(self, mutant: Mutant) -> Problem | None:
        verdict = self._graded(mutant.files(), until=mutant.caught_by)
        fault = uncaught(mutant, verdict)
        if not fault:
            return None
        place = self.exercise.solution_dir / "mutants.toml"
        said = f'"{mutant.name}": {fault} {_said(verdict)}'
        return Problem(place, said, "Sharpen the spec, or the mistake.")

    def _graded(self, files: Mapping[str, str], until: str = "") -> Verdict:
        shutil.rmtree(self.folder, ignore_errors=True)
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        return grade(
            self.exercise, self.folder, backend=self.backend, seed=_SEED, until=until, zygote=self.zygote
        )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


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
