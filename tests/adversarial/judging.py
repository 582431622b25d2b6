"""What the grader makes of an attack: the check that refuses it, its words, and its points."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from grader.audit import audit_python, audit_sources
from grader.checks import build as building
from grader.checks import grade
from grader.checks.outcome import Outcome
from grader.compilation import Artifact
from grader.run.zygote_handle import Zygote
from grader.support.backends import Backend
from grader.verdict import Status, Verdict
from tests.adversarial.catalogue import BEFORE_IT_RUNS, CHECKS, Attack


@dataclass(frozen=True)
class Ruling:
    """``refusals`` has the words of everything that refused the attack, by the names of the checks."""

    refusals: dict[str, str]
    points: float
    seconds: float
    of_machine: bool = False  # nothing was judged: the machine could not

    def objection(self, attack: Attack, backend: Backend) -> str:
        """How this differs from what the attack's folder says; empty when the attack is held."""
        if self.of_machine:
            return f"this machine could not grade it: {next(iter(self.refusals.values()), '')}"
        most = attack.earns[backend]
        if self.points > most + 1e-9:
            return f"it earned {self.points:g} points, where {most:g} are the most; {self._told()}"
        if attack.refused_by not in self.refusals:
            return f"{attack.refused_by} did not refuse it; {self._told()}"
        words = self.refusals[attack.refused_by]
        if not re.search(attack.says, words, re.DOTALL):
            return f"{attack.refused_by} did not say {attack.says!r}, but: {words}"
        return ""

    def _told(self) -> str:
        told = " ".join(f"{name}: {words}" for name, words in self.refusals.items())
        return f"it was refused by {told}" if told else "nothing refused it"


def judge(attack: Attack, backend: str, submission: Path, zygote: Zygote | None = None) -> Ruling:
    """Write ``attack`` to ``submission``, an empty folder, and grade it as far as it gets.

    What is refused before it runs is neither loaded nor, where its text is enough, compiled.
    """
    attack.write(submission)
    begun = time.perf_counter()
    refusals = _before_it_runs(attack, submission, cast("Backend", backend))
    points, of_machine = 0.0, False
    if not refusals:
        verdict = grade(attack.exercise, submission, backend=cast("Backend", backend), zygote=zygote)
        refusals, points = _refusals(verdict), verdict.earned
        of_machine = verdict.status is Status.INFRA_ERROR
    return Ruling(refusals, points, time.perf_counter() - begun, of_machine)


def _before_it_runs(attack: Attack, files: Path, backend: Backend) -> dict[str, str]:
    """The refusal by a reader or the compiler, in the order from cheap to dear."""
    if attack.refused_by not in BEFORE_IT_RUNS:
        return {}
    early = audit_sources(attack.exercise, files, backend) or audit_python(attack.exercise, files)
    if early is not None:
        return {"audit" if early.topic == "audit" else "build": early.sentence}
    built = building.compile_submission(attack.exercise, files, backend, "", verbose=False)
    return {} if isinstance(built, Artifact) else _refused(built)


def _refused(outcome: Outcome) -> dict[str, str]:
    name = "audit" if outcome.topic == "audit" else "build"
    return {name: "\n".join((outcome.sentence, *outcome.lines))}


def _refusals(verdict: Verdict) -> dict[str, str]:
    found = {}
    for check in verdict.checks:
        if check.status in (Status.PASS, Status.UNAVAILABLE):
            continue
        findings = [f"{finding.sentence} {finding.rule}" for finding in check.findings]
        name = "audit" if check.name == "build" and check.topic == "audit" else check.name
        if name not in (*BEFORE_IT_RUNS, *CHECKS):
            name = "parts"  # each of them has a name of its own
        said = "\n".join((check.sentence, *findings, *check.lines))
        found[name] = f"{found[name]}\n{said}" if name in found else said
    return found
